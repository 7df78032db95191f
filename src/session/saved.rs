//! The session as text, for a reload: the problem file, and what was looked at beside it.

use super::notice::Notice;
use super::solved::Solved;
use super::state::Session;
use super::view::View;
use crate::attention::Problem;
use serde_json::{Value, json};

const FORMAT: &str = "attnlab-session/1";

impl Session {
    /// The session as JSON text. The history is not kept.
    pub fn to_saved(&self) -> String {
        let problem: Value = serde_json::from_str(&self.solved.problem.to_json()).expect("a problem writes valid JSON");
        let mut saved = json!({ "format": FORMAT, "problem": problem, "view": self.view });
        if let Some(held) = &self.held {
            saved["held"] = serde_json::from_str(&held.problem.to_json()).expect("a problem writes valid JSON");
        }
        if let Some(link) = &self.link {
            saved["link"] = link.as_str().into();
        }
        saved.to_string()
    }

    /// The session that was saved, or the default one with a notice that says why not.
    pub fn restored(text: &str) -> Self {
        Self::from_saved(text).unwrap_or_else(|why| Self { notice: Some(Notice::NotRestored(why)), ..Self::default() })
    }

    /// Whether what was saved could not be read. The next thing that is done overwrites it.
    pub fn is_not_restored(&self) -> bool {
        matches!(self.notice, Some(Notice::NotRestored(_)))
    }

    /// Reads what [`Session::to_saved`] wrote.
    ///
    /// # Errors
    /// One sentence on what is wrong; the caller goes on with the default session.
    pub fn from_saved(text: &str) -> Result<Self, String> {
        let saved: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if saved["format"] != FORMAT {
            return Err(format!("format: found {}, expected {FORMAT:?}", saved["format"]));
        }
        let errors = |errors: Vec<crate::attention::ProblemError>| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let problem = Problem::from_json(&saved["problem"].to_string()).map_err(errors)?;
        let mut session = Self::of_problem(problem).map_err(errors)?;
        // What was held is not worth refusing a session for.
        let held = saved.get("held").and_then(|held| Problem::from_json(&held.to_string()).ok());
        session.held = held.and_then(|held| Solved::of(held).ok());
        session.link = saved["link"].as_str().map(str::to_owned);
        session.view = View::of_value(&saved["view"]);
        session.clamp_view();
        Ok(session)
    }
}

impl View {
    /// What is looked at is not worth refusing a session for: a part that cannot be read is left out, the others stay.
    pub(super) fn of_value(value: &Value) -> Self {
        let read = |value: &Value| serde_json::from_value::<View>(value.clone());
        let readable = |value: &Value| read(value).is_ok();
        let mut kept = json!({});
        put(&mut kept, &mut Vec::new(), value, &readable);
        read(&kept).unwrap_or_default()
    }
}

/// Puts `found` at `place`, a path of keys, or as much of it as leaves the whole readable.
fn put(kept: &mut Value, place: &mut Vec<String>, found: &Value, readable: &impl Fn(&Value) -> bool) {
    let mut tried = kept.clone();
    *place.iter().fold(&mut tried, |value, key| &mut value[key]) = found.clone();
    if readable(&tried) {
        *kept = tried;
        return;
    }
    for (key, part) in found.as_object().into_iter().flatten() {
        place.push(key.clone());
        put(kept, place, part, readable);
        place.pop();
    }
}
