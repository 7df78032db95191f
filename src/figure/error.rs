//! Why there is no figure.

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FigureError {
    #[error("there is no head {head}: heads are counted from 0, and there are {heads}")]
    NoSuchHead { head: usize, heads: usize },
    #[error("this problem has no step {step}")]
    NoSuchStep { step: &'static str },
    #[error("a figure can be 20 to 2000 mm wide, not {width}")]
    Width { width: f64 },
    #[error("{width} × {height} pixels are too few or too many for a picture; choose another resolution")]
    Pixels { width: f64, height: f64 },
    #[error("no font on this machine has these characters: {characters}")]
    MissingCharacters { characters: String },
    #[error("the figure could not be drawn: {why}")]
    Drawing { why: String },
}

impl FigureError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 6] =
        ["no-such-head", "no-such-step", "width", "pixels", "missing-characters", "drawing"];

    /// The name under which translations are found, as `figure-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            Self::NoSuchHead { .. } => "no-such-head",
            Self::NoSuchStep { .. } => "no-such-step",
            Self::Width { .. } => "width",
            Self::Pixels { .. } => "pixels",
            Self::MissingCharacters { .. } => "missing-characters",
            Self::Drawing { .. } => "drawing",
        }
    }

    /// What a translation fills in.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NoSuchHead { head, heads } => vec![("head", head.to_string()), ("heads", heads.to_string())],
            Self::NoSuchStep { step } => vec![("step", (*step).to_owned())],
            Self::Width { width } => vec![("width", width.to_string())],
            Self::Pixels { width, height } => vec![("width", width.to_string()), ("height", height.to_string())],
            Self::MissingCharacters { characters } => vec![("characters", characters.clone())],
            Self::Drawing { why } => vec![("why", why.clone())],
        }
    }
}
