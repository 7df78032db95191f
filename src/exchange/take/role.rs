//! What a tensor is in a problem.

/// An input of a problem, or the attention maps alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Q,
    K,
    V,
    X,
    XKv,
    WQ,
    WK,
    WV,
    WO,
    BQ,
    BK,
    BV,
    BO,
    /// Attention maps, heads × n × m, without what they came from.
    Weights,
}

impl Role {
    pub const ALL: [Role; 14] = [
        Role::Q,
        Role::K,
        Role::V,
        Role::X,
        Role::XKv,
        Role::WQ,
        Role::WK,
        Role::WV,
        Role::WO,
        Role::BQ,
        Role::BK,
        Role::BV,
        Role::BO,
        Role::Weights,
    ];

    /// The name that the problem file uses, so that `part-<key>` is its text (`_` as `-`).
    pub fn key(self) -> &'static str {
        match self {
            Role::Q => "q",
            Role::K => "k",
            Role::V => "v",
            Role::X => "x",
            Role::XKv => "x_kv",
            Role::WQ => "w_q",
            Role::WK => "w_k",
            Role::WV => "w_v",
            Role::WO => "w_o",
            Role::BQ => "b_q",
            Role::BK => "b_k",
            Role::BV => "b_v",
            Role::BO => "b_o",
            Role::Weights => "weights",
        }
    }

    /// A row of numbers rather than a matrix.
    pub fn is_bias(self) -> bool {
        matches!(self, Role::BQ | Role::BK | Role::BV | Role::BO)
    }

    /// The matrix of a projection.
    pub fn is_projection(self) -> bool {
        matches!(self, Role::WQ | Role::WK | Role::WV | Role::WO)
    }

    /// Whether each row is a token.
    pub fn is_of_tokens(self) -> bool {
        !self.is_bias() && !self.is_projection()
    }
}
