//! Building blocks that know no `Session`, only its small choices: each gets what it shows and returns what was done to it.

pub mod button;
pub mod curve;
pub mod heading;
pub mod legend;
pub mod live;
pub mod matrix;
mod matrix_cells;
mod matrix_input;
pub mod matrix_names;
pub mod plot;
pub mod typeset;
