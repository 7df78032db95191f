//! What every panel gets: the session to read, the texts, the look, and the list for its actions.

use super::theme::Theme;
use super::widgets::matrix::Words;
use crate::attention::{Explanation, Place, Problem, SoftmaxForm, Trace, explain};
use crate::platform::{Engine, File, Surroundings};
use crate::session::{Action, Compared, Session};
use crate::writing::NumberFormat;
use crate::writing::Texts;

/// What a panel asks of the place where this runs.
#[derive(Clone, Debug)]
pub enum Request {
    /// To the clipboard.
    Copy(String),
    HandOver(File),
    /// A drawing (SVG) as pixels, under this name.
    HandOverPicture {
        name: String,
        svg: String,
    },
    ChooseFiles,
    /// Back from the state of a link to the user's own.
    LeaveLink,
}

/// One pass over the screen.
pub struct Scene<'a> {
    pub session: &'a Session,
    pub texts: &'a Texts,
    pub theme: Theme,
    pub engine: &'a Engine,
    pub narrow: bool,
    pub playing: bool,
    /// The cell whose arithmetic is shown: pointed at, else tabbed to, else pinned.
    pub looked: Option<Place>,
    /// How the numbers stood before the last change, and how strongly what changed glows.
    pub before: Option<(&'a Problem, &'a Trace, f32)>,
    pub spoken: &'a Spoken,
    /// What panels ask for.
    pub actions: Vec<Action>,
    pub requests: Vec<Request>,
    /// What stands around the matrices.
    pub surroundings: Surroundings,
    /// How high the whole content is.
    pub height: f32,
    /// The page's address, to which links are made.
    pub address: &'a str,
    /// What panels found pointed at, and tabbed to.
    pub pointed: Option<Place>,
    pub focused: Option<Place>,
    pub toggle_play: bool,
    /// Long sequences: what is worked on, and what there is to see of it.
    pub long: &'a mut super::panels::long::State,
}

/// Words of the matrices for the ear, looked up once a language.
pub struct Spoken {
    veiled: String,
    hidden: String,
    pinned: String,
    edit: String,
    rename: String,
}

impl Spoken {
    pub fn new(texts: &Texts) -> Self {
        Self {
            veiled: texts.t("cell-veiled"),
            hidden: texts.t("cell-hidden"),
            pinned: texts.t("cell-pinned"),
            edit: texts.t("cell-edit"),
            rename: texts.t("token-rename"),
        }
    }

    pub fn words(&self) -> Words<'_> {
        Words {
            veiled: &self.veiled,
            hidden: &self.hidden,
            pinned: &self.pinned,
            edit: &self.edit,
            rename: &self.rename,
        }
    }
}

impl Scene<'_> {
    pub fn t(&self, key: &str) -> String {
        self.texts.t(key)
    }

    pub fn tf(&self, key: &str, values: &[(&str, String)]) -> String {
        self.texts.tf(key, values)
    }

    pub fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    pub fn format(&self) -> NumberFormat {
        let view = self.session.view();
        NumberFormat { digits: usize::from(view.digits), rounding: view.rounding }
    }

    pub fn problem(&self) -> &Problem {
        self.session.problem()
    }

    /// Which of two states the matrices show, or their difference.
    pub fn compared(&self) -> Compared {
        self.session.view().compared
    }

    /// The problem whose matrices are shown: the one that is worked on, or the one that is held.
    pub fn shown_problem(&self) -> &Problem {
        match self.session.held() {
            Some((held, _)) if self.compared() == Compared::Held => held,
            _ => self.session.problem(),
        }
    }

    pub fn shown_trace(&self) -> &Trace {
        match self.session.held() {
            Some((_, held)) if self.compared() == Compared::Held => held,
            _ => self.session.trace(),
        }
    }

    /// The head that is shown; the held state may have fewer.
    pub fn head(&self) -> usize {
        self.session.view().head.min(self.shown_problem().heads.query - 1)
    }

    /// Asks the place where this runs for something.
    pub fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    pub fn explain(&self, place: Place) -> Option<Explanation> {
        explain(self.shown_problem(), self.shown_trace(), place, self.session.view().softmax_form)
    }

    pub fn is_plain(&self) -> bool {
        self.session.view().softmax_form == SoftmaxForm::Plain
    }
}
