//! Where NumPy and PyTorch say the same thing in other words.

use super::literal;
use crate::attention::Matrix;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    NumPy,
    PyTorch,
}

impl Library {
    pub fn module(self) -> &'static str {
        match self {
            Library::NumPy => "np",
            Library::PyTorch => "torch",
        }
    }

    /// An array of f64 from the text of a list.
    fn array(self, values: &str) -> String {
        match self {
            Library::NumPy => format!("np.array({values})"),
            Library::PyTorch => format!("torch.tensor({values}, dtype=torch.float64)"),
        }
    }

    pub fn matrix(self, values: &Matrix) -> String {
        self.array(&literal::matrix(values))
    }

    /// One matrix a head.
    pub fn matrices(self, values: &[Matrix]) -> String {
        self.array(&literal::matrices(values))
    }

    pub fn list(self, values: &[f64]) -> String {
        self.array(&literal::list(values))
    }

    /// 0, 1, 2, … as numbers that can be calculated with.
    pub fn count_to(self, end: &str) -> String {
        match self {
            Library::NumPy => format!("np.arange({end})"),
            Library::PyTorch => format!("torch.arange({end}, dtype=torch.float64)"),
        }
    }

    /// The sum of each row, beside which the row can be divided.
    pub fn row_sum(self, of: &str) -> String {
        match self {
            Library::NumPy => format!("{of}.sum(axis=-1, keepdims=True)"),
            Library::PyTorch => format!("{of}.sum(dim=-1, keepdim=True)"),
        }
    }

    pub fn row_max(self, of: &str) -> String {
        match self {
            Library::NumPy => format!("{of}.max(axis=-1, keepdims=True)"),
            Library::PyTorch => format!("{of}.amax(dim=-1, keepdim=True)"),
        }
    }
}
