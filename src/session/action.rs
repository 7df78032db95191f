//! Everything that can be done to a session.

use super::explore::Explore;
use super::long::Long;
use super::notice::Notice;
use super::state::Stage;
use super::variants::VariantChange;
use super::view::{ColourScale, Compared, Panel, PointerMode, ThemeChoice};
use super::{Dimension, Fill, Side};
use crate::attention::{Heads, Mask, MaskApplied, Part, Place, Problem, Scale, SoftmaxForm};
use crate::exchange::Pick;
use crate::long::desk::Cut;
use crate::writing::{Language, Rounding};

/// Whether an edit is whole, or one of a run (a drag) that a single undo takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    Single,
    /// The first of a run.
    Begins,
    Continues,
}

/// Which of the two conventions a pasted mask of 0/1 or True/False follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskMeaning {
    /// 1 or True is visible.
    OneIsVisible,
    /// 1 or True is hidden, as PyTorch's `attn_mask` of booleans in `nn.MultiheadAttention`.
    OneIsHidden,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    // The numbers
    SetCell {
        place: Place,
        value: f64,
        stroke: Stroke,
    },
    /// What was typed into a cell.
    TypeCell {
        place: Place,
        text: String,
    },
    /// A block of text over the cells from `place` on; the matrix grows where it must.
    Paste {
        place: Place,
        text: String,
    },
    /// The answer to a block that waits: take it.
    TakePaste,
    /// The answer to what a pasted mask means.
    PasteMask(MaskMeaning),
    Fill {
        part: Part,
        head: usize,
        fill: Fill,
    },
    SetScale(Scale),

    /// Another member of the attention family.
    ChangeVariant(VariantChange),

    // The tokens and the shapes
    SetToken {
        side: Side,
        index: usize,
        text: String,
    },
    AddToken(Side),
    RemoveToken {
        side: Side,
        index: usize,
    },
    Resize {
        dimension: Dimension,
        size: usize,
    },
    SetHeads(Heads),
    /// Adds (as zeros or the identity) or removes an optional matrix: w_o, b_q, b_k, b_v, b_o.
    SetPresent {
        part: Part,
        present: bool,
    },

    /// The tokens in another order: place i takes the token that stands at place `[i]`. Mask, bias and positions stay.
    Reorder(Vec<usize>),

    // The mask
    SetMask(Mask),
    SetMaskApplied(MaskApplied),
    /// Paints one pair; the first stroke on a rule turns the rules into `allow` with the same cells.
    PaintMask {
        row: usize,
        column: usize,
        visible: bool,
        stroke: Stroke,
    },

    // Whole problems
    LoadExample(String),
    LoadProblem(Box<Problem>),
    /// A problem file is loaded; the tensors of another file wait in the picker. The size counts where a far too large
    /// file was not read.
    OpenFile {
        name: String,
        bytes: Vec<u8>,
        size: u64,
    },
    /// What a tensor of the picker is to become.
    SetPick {
        tensor: usize,
        pick: Option<Pick>,
    },
    /// The problem that the picks make.
    TakeImport,
    /// One tensor over the matrix of its role, the rest as it is.
    PutTensor(usize),
    DropImport,
    Undo,
    Redo,

    // What somebody claims
    /// The numbers that are claimed for a step, of one row or of all.
    Claim {
        part: Part,
        head: usize,
        row: Option<usize>,
        text: String,
    },
    LookForReasons,
    /// Takes the problem in which the claim matches.
    ApplyReason(usize),
    DropClaim,

    // What is kept and compared
    /// Keeps this state under a name; another one of that name is replaced.
    KeepState(String),
    OpenState(usize),
    ThrowState(usize),
    ThrowStates,
    /// Takes back the last throwing away.
    TakeBackStates,
    /// The state in the fragment of a link; the user's own stays saved until `KeepLinked`.
    OpenLink(String),
    KeepLinked,
    /// Holds this state as A.
    Hold,
    Release,
    ShowCompared(Compared),

    // What is looked at
    SelectHead(usize),
    SelectStage(Option<Stage>),
    /// To the next or the one before, stopping at the ends.
    StepBy(isize),
    Pin(Option<Place>),
    SetDigits(u8),
    SetRounding(Rounding),
    SetWeightColours(ColourScale),
    SetSoftmaxForm(SoftmaxForm),
    ShowExponentials(bool),
    OpenPanel(Panel),
    SetPointerMode(PointerMode),
    SetTheme(ThemeChoice),
    SetLanguage(Language),
    SetProjector(bool),
    /// The settings of the studies.
    SetExplore(Box<Explore>),
    /// The settings of long sequences, and which part is looked at.
    SetLong(Box<Long>),
    /// q, k and v of the workbench become a long sequence, repeated.
    GiveWorkbench,
    /// Those that are picked from a file become one.
    GiveImport,
    /// A part of a long sequence becomes the problem, with `rest` as the name of the key that stands for all that were left
    /// out; the weight of the pair (query, key) is looked at.
    TakePart {
        cut: Box<Cut>,
        rest: String,
        pair: (usize, usize),
    },
    /// Says why something could not be done.
    Refuse(Notice),
    DismissNotice,
}
