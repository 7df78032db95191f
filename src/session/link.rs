//! A state as the fragment of a link: data only, versioned, compressed.
//!
//! `#1.` and then the problem file and what is looked at, as JSON, deflated, in base64 for addresses. Nothing of it
//! is ever executed, and nothing of it reaches a server: browsers do not send a fragment.

use super::notice::Notice;
use super::state::Session;
use super::view::View;
use crate::attention::{Problem, ProblemError};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

/// Names the version that this program writes.
const VERSION: &str = "1";

/// Some chat programs and servers cut longer addresses; every browser carries this.
pub const MOST_LINK: usize = 16_000;

/// A larger state does not fit into a link that we wrote: whoever sends more wants to fill the memory.
const MOST_JSON: usize = 1 << 20;

/// What of a view belongs to the state. Theme, language and what a drag does belong to who looks.
const SHARED: [&str; 9] =
    ["example", "head", "stage", "pinned", "digits", "rounding", "weight_colours", "softmax_form", "exponentials"];

/// Why a fragment is no link.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinkError {
    #[error("it has {found} characters, expected at most {expected}")]
    TooLong { found: usize, expected: usize },
    #[error("its version is {found}, expected {expected}")]
    UnknownVersion { found: String, expected: String },
    #[error("it is damaged or was cut off")]
    Damaged,
    #[error("what is in it is no problem: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Problem { errors: Vec<ProblemError> },
}

impl LinkError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 4] = ["too-long", "unknown-version", "damaged", "problem"];

    /// The name under which translations are found, as `link-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            LinkError::TooLong { .. } => "too-long",
            LinkError::UnknownVersion { .. } => "unknown-version",
            LinkError::Damaged => "damaged",
            LinkError::Problem { .. } => "problem",
        }
    }

    /// What a translation fills in.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            LinkError::TooLong { found, expected } => {
                vec![("found", found.to_string()), ("expected", expected.to_string())]
            }
            LinkError::UnknownVersion { found, expected } => {
                vec![("found", found.clone()), ("expected", expected.clone())]
            }
            LinkError::Damaged => Vec::new(),
            LinkError::Problem { errors } => vec![("errors", errors.len().to_string())],
        }
    }
}

impl Session {
    /// The fragment of a link to this state, without `#`.
    ///
    /// # Errors
    /// When it would be longer than browsers and messages carry; a file holds it then.
    ///
    /// ```
    /// # use attnlab::session::Session;
    /// let link = Session::default().to_link().unwrap();
    /// assert!(link.len() < 300);
    /// assert_eq!(Session::from_link(&link).unwrap().problem(), Session::default().problem());
    /// ```
    pub fn to_link(&self) -> Result<String, LinkError> {
        let text = json!({ "problem": compact(self.problem()), "view": shared(self.view()) }).to_string();
        let packed = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9);
        let link = format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(packed));
        if link.len() > MOST_LINK {
            return Err(LinkError::TooLong { found: link.len(), expected: MOST_LINK });
        }
        Ok(link)
    }

    /// The state that a fragment holds.
    ///
    /// # Errors
    /// When it is damaged, cut off, too long, or of another version or program. Work and memory are bounded whatever
    /// it holds.
    pub fn from_link(fragment: &str) -> Result<Self, LinkError> {
        let fragment = fragment.trim_start_matches('#');
        if fragment.len() > MOST_LINK {
            return Err(LinkError::TooLong { found: fragment.len(), expected: MOST_LINK });
        }
        let (version, packed) = fragment.split_once('.').ok_or(LinkError::Damaged)?;
        if version != VERSION {
            let found = version.chars().take(20).collect();
            return Err(LinkError::UnknownVersion { found, expected: VERSION.to_owned() });
        }
        let packed = URL_SAFE_NO_PAD.decode(packed).map_err(|_| LinkError::Damaged)?;
        let text = miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, MOST_JSON);
        let text = text.map_err(|_| LinkError::Damaged)?;
        let held: Value = serde_json::from_slice(&text).map_err(|_| LinkError::Damaged)?;
        if !held["problem"].is_object() {
            return Err(LinkError::Damaged);
        }
        let problem = |errors| LinkError::Problem { errors };
        let mut session =
            Self::of_problem(Problem::from_json(&held["problem"].to_string()).map_err(problem)?).map_err(problem)?;
        session.view = View::of_value(&only_shared(&held["view"]));
        session.clamp_view();
        Ok(session)
    }

    /// The session that a page opened by a link begins with: the linked state, or the first example with a notice that
    /// says why not. In both cases the user's own session is not overwritten. `own` is how this user likes to look.
    pub fn opened(fragment: &str, own: &View) -> Self {
        let (mut session, notice) = match Self::from_link(fragment) {
            Ok(session) => (session, Notice::Linked),
            Err(error) => (Self::default(), Notice::NotLinked(error)),
        };
        session.keep_habits_of(own);
        session.notice = Some(notice);
        session.link = Some(fragment.trim_start_matches('#').to_owned());
        session
    }

    /// Takes over how this user likes to look: theme, language, projector.
    pub(super) fn keep_habits_of(&mut self, own: &View) {
        self.view.theme = own.theme;
        self.view.language = own.language;
        self.view.projector = own.projector;
    }
}

/// The problem file without line breaks.
fn compact(problem: &Problem) -> Value {
    serde_json::from_str(&problem.to_json()).expect("a problem writes valid JSON")
}

/// What is looked at, where it is not what every state begins with.
fn shared(view: &View) -> Value {
    let value = |view: &View| serde_json::to_value(view).expect("a view is plain data");
    let (now, default) = (value(view), value(&View::default()));
    let differing = SHARED.iter().filter(|key| now[**key] != default[**key]);
    Value::Object(differing.map(|key| ((*key).to_owned(), now[*key].clone())).collect())
}

fn only_shared(value: &Value) -> Value {
    let held = value.as_object().cloned().unwrap_or_default();
    Value::Object(held.into_iter().filter(|(key, _)| SHARED.contains(&key.as_str())).collect::<Map<_, _>>())
}
