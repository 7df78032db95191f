//! The only mutation.

use super::action::{Action, Stroke};
use super::history::History;
use super::long::problem_of;
use super::notice::Notice;
use super::paste::{paste, paste_mask};
use super::reshape;
use super::shelf::Kept;
use super::solved::Solved;
use super::state::{Session, Stage, first_place};
use super::variants::{self, Aside};
use super::view::{Compared, Panel, View};
use crate::attention::{self, MOST_WIDTH, Mask, Part, Place, Problem};
use crate::examples;
use crate::exchange;
use crate::study::order::reordered;

/// Carries out one action. What cannot be done changes nothing and leaves a notice.
///
/// ```
/// use attnlab::session::{Action, Session, update};
/// let mut session = Session::default();
/// update(&mut session, Action::SetScale(attnlab::attention::Scale::Factor(2.0)));
/// update(&mut session, Action::Undo);
/// assert_eq!(session.problem(), Session::default().problem());
/// ```
pub fn update(session: &mut Session, action: Action) {
    if !matches!(action, Action::PasteMask(_) | Action::TakePaste) {
        session.notice = None;
    }
    if brings_other_numbers(&action) {
        session.aside = Aside::default();
    }
    if let Action::PaintMask { visible, .. } = action {
        session.painted = visible;
    }
    match action {
        Action::Undo => travel(session, History::undo),
        Action::Redo => travel(session, History::redo),
        Action::LoadExample(id) => {
            if let Some(example) = examples::all().iter().find(|example| example.id == id) {
                adopt(session, Ok(example.problem.clone()), Stroke::Single, Some(id));
                session.view.pinned = first_place(example);
                session.view.stage = None;
                session.view.head = 0;
            }
        }
        Action::ChangeVariant(change) => {
            let mut aside = session.aside.clone();
            let changed = variants::change(&session.solved.problem, &mut aside, change);
            let example = session.view.example.clone();
            let (changed, said) = match changed {
                Ok((problem, said)) => (Ok(problem), said),
                Err(notice) => (Err(notice), None),
            };
            adopt(session, changed, Stroke::Single, example);
            if session.notice.is_none() {
                session.aside = aside;
                session.notice = said;
            }
        }
        Action::OpenFile { name, bytes, size } => match session.open_file(name, &bytes, size) {
            Some(problem) => adopt(session, Ok(problem), Stroke::Single, None),
            None if session.notice.is_none() => session.view.panel = Panel::Import,
            None => {}
        },
        Action::SetPick { tensor, pick } => session.set_pick(tensor, pick),
        Action::GiveWorkbench => session.give_workbench(),
        Action::GiveImport => session.give_import(),
        Action::TakePart { cut, rest, pair: (row, key) } => {
            let problem = problem_of(&cut, &rest).map_err(Notice::Refused);
            adopt(session, problem, Stroke::Single, None);
            if session.notice.is_none() {
                let (row, column) = (row.saturating_sub(cut.rows.start), key.saturating_sub(cut.keys.start));
                session.view.pinned = Some(Place { part: Part::Weights, head: 0, row, column });
                session.view.panel = Panel::Mask;
                session.notice = Some(Notice::PartTaken { rows: cut.rows, keys: cut.keys });
                session.clamp_view();
            }
        }
        Action::TakeImport => {
            let problem = session.import.as_ref().map(|import| import.problem.clone());
            match problem {
                Some(Ok(problem)) => {
                    adopt(session, Ok(problem), Stroke::Single, None);
                    if session.notice.is_none() {
                        drop_import(session);
                    }
                }
                Some(Err(error)) => session.notice = Some(Notice::NotTaken(error)),
                None => {}
            }
        }
        Action::PutTensor(tensor) => put_tensor(session, tensor),
        Action::DropImport => drop_import(session),
        Action::Claim { part, head, row, text } => session.take_claim(part, head, row, &text),
        Action::LookForReasons => session.look_for_reasons(),
        Action::DropClaim => session.claimed = None,
        Action::ApplyReason(index) => {
            let reasons = session.claimed.as_ref().and_then(|claimed| claimed.reasons.as_ref());
            if let Some(problem) = reasons.and_then(|reasons| reasons.get(index)?.apply.clone()) {
                let example = session.view.example.clone();
                adopt(session, Ok(problem), Stroke::Single, example);
            }
        }
        Action::KeepState(name) => {
            let (problem, view) = (session.solved.problem.clone(), session.view.clone());
            session.notice = Some(Notice::Kept(name.clone()));
            session.shelf.keep(Kept { name, problem, view });
        }
        Action::OpenState(index) => {
            if let Some(Kept { problem, view, .. }) = session.shelf.kept.get(index).cloned() {
                open(session, problem, view);
            }
        }
        Action::ThrowState(index) => session.shelf.throw(|at| at == index),
        Action::ThrowStates => session.shelf.throw(|_| true),
        Action::TakeBackStates => session.shelf.take_back(),
        Action::OpenLink(fragment) => match Session::from_link(&fragment) {
            Ok(linked) => {
                open(session, linked.solved.problem, linked.view);
                session.link = Some(fragment);
                session.notice = Some(Notice::Linked);
            }
            Err(error) => session.notice = Some(Notice::NotLinked(error)),
        },
        Action::KeepLinked => session.link = None,
        Action::Hold => {
            session.held = Solved::of(session.solved.problem.clone()).ok();
            session.clamp_view();
        }
        Action::Release => {
            session.held = None;
            session.clamp_view();
        }
        Action::LoadProblem(problem) => adopt(session, Ok(*problem), Stroke::Single, None),
        Action::Paste { place, text } => take_block(session, place, &text),
        Action::TakePaste => {
            if let Some(Notice::Waiting { block, pasted }) = session.notice.take() {
                let read = read_over(session, pasted.place, &block);
                take_pasted(session, read);
            }
        }
        Action::PasteMask(meaning) => {
            if let Some(Notice::MaskMeaning(block)) = session.notice.take() {
                take_pasted(session, paste_mask(&session.solved.problem, &block, Some(meaning)));
            }
        }
        Action::TypeCell { place, text } if text.contains(['\n', '\t']) => take_block(session, place, &text),
        action => match view_action(session, action) {
            None => session.clamp_view(),
            Some(action) => {
                let stroke = stroke_of(&action);
                let changed = changed_problem(session, action);
                let example = session.view.example.clone();
                adopt(session, changed, stroke, example);
            }
        },
    }
}

/// What was set aside belonged to the numbers before.
fn brings_other_numbers(action: &Action) -> bool {
    matches!(
        action,
        Action::LoadExample(_)
            | Action::LoadProblem(_)
            | Action::TakePart { .. }
            | Action::OpenFile { .. }
            | Action::TakeImport
            | Action::OpenState(_)
            | Action::OpenLink(_)
    )
}

fn stroke_of(action: &Action) -> Stroke {
    match action {
        Action::SetCell { stroke, .. } | Action::PaintMask { stroke, .. } => *stroke,
        _ => Stroke::Single,
    }
}

/// Carries out what only changes the view; hands back what changes the problem.
fn view_action(session: &mut Session, action: Action) -> Option<Action> {
    let stages = session.stages();
    let view = &mut session.view;
    match action {
        Action::SelectHead(head) => view.head = head,
        Action::SelectStage(stage) => view.stage = stage,
        Action::StepBy(by) => {
            // After the last step comes the end, where nothing is veiled and nothing is lit.
            let now = view.stage.and_then(|stage| stages.iter().position(|s| *s == stage)).unwrap_or(stages.len());
            view.stage = stages.get(now.saturating_add_signed(by)).copied();
        }
        Action::Pin(place) => view.pinned = place,
        Action::SetDigits(digits) => view.digits = digits.min(8),
        Action::SetRounding(rounding) => view.rounding = rounding,
        Action::SetWeightColours(scale) => view.weight_colours = scale,
        Action::SetSoftmaxForm(form) => view.softmax_form = form,
        Action::ShowExponentials(on) => view.exponentials = on,
        Action::OpenPanel(panel) => view.panel = panel,
        Action::SetPointerMode(mode) => view.pointer = mode,
        Action::SetTheme(theme) => view.theme = theme,
        Action::SetLanguage(language) => view.language = Some(language),
        Action::ShowCompared(compared) => view.compared = compared,
        Action::SetProjector(on) => view.projector = on,
        Action::SetExplore(explore) => view.explore = *explore,
        Action::SetLong(long) => view.long = *long,
        Action::Refuse(notice) => session.notice = Some(notice),
        Action::DismissNotice => {}
        other => return Some(other),
    }
    None
}

fn changed_problem(session: &Session, action: Action) -> Result<Problem, Notice> {
    let mut problem = session.solved.problem.clone();
    match action {
        Action::SetCell { place, value, .. } => set_cell(&mut problem, place, value)?,
        Action::TypeCell { place, text } => {
            let value = exchange::read_number(&text).map_err(|error| Notice::NotANumber { place, error })?;
            set_cell(&mut problem, place, value)?;
        }
        Action::Fill { part, head, fill } => fill_matrix(session, &mut problem, part, head, fill)?,
        Action::SetScale(scale) => problem.scale = scale,
        Action::SetToken { side, index, text } => reshape::set_token(&mut problem, side, index, text),
        Action::AddToken(side) => reshape::add_token(&mut problem, side),
        Action::RemoveToken { side, index } => reshape::remove_token(&mut problem, side, index)?,
        Action::Resize { dimension, size } => {
            if !(1..=MOST_WIDTH).contains(&size) {
                return Err(Notice::NoSuchSize { found: size, least: 1, most: MOST_WIDTH });
            }
            reshape::resize(&mut problem, dimension, size);
        }
        Action::SetHeads(heads) => reshape::set_heads(&mut problem, heads)?,
        Action::SetPresent { part, present } => reshape::set_present(&mut problem, part, present),
        // An order that does not name every place once, or where there are none, changes nothing.
        Action::Reorder(order) => problem = reordered(&problem, &order).unwrap_or(problem),
        Action::SetMask(mask) => problem.mask = mask,
        Action::SetMaskApplied(applied) => problem.mask_applied = applied,
        Action::PaintMask { row, column, visible, .. } => paint(&mut problem, row, column, visible),
        // `update` and `view_action` have carried these out. They are named so that a new action cannot be forgotten.
        Action::ChangeVariant(_)
        | Action::Paste { .. }
        | Action::PasteMask(_)
        | Action::TakePaste
        | Action::OpenFile { .. }
        | Action::SetPick { .. }
        | Action::TakeImport
        | Action::PutTensor(_)
        | Action::DropImport
        | Action::Claim { .. }
        | Action::LookForReasons
        | Action::ApplyReason(_)
        | Action::DropClaim
        | Action::KeepState(_)
        | Action::OpenState(_)
        | Action::ThrowState(_)
        | Action::ThrowStates
        | Action::TakeBackStates
        | Action::OpenLink(_)
        | Action::KeepLinked
        | Action::Hold
        | Action::Release
        | Action::ShowCompared(_)
        | Action::LoadExample(_)
        | Action::LoadProblem(_)
        | Action::Undo
        | Action::Redo
        | Action::SelectHead(_)
        | Action::SelectStage(_)
        | Action::StepBy(_)
        | Action::Pin(_)
        | Action::SetDigits(_)
        | Action::SetRounding(_)
        | Action::SetWeightColours(_)
        | Action::SetSoftmaxForm(_)
        | Action::ShowExponentials(_)
        | Action::OpenPanel(_)
        | Action::SetPointerMode(_)
        | Action::SetTheme(_)
        | Action::SetLanguage(_)
        | Action::SetProjector(_)
        | Action::SetExplore(_)
        | Action::SetLong(_)
        | Action::GiveWorkbench
        | Action::GiveImport
        | Action::TakePart { .. }
        | Action::Refuse(_)
        | Action::DismissNotice => {}
    }
    Ok(problem)
}

fn set_cell(problem: &mut Problem, place: Place, value: f64) -> Result<(), Notice> {
    if problem.set_input(place, value) { Ok(()) } else { Err(Notice::NotEditable(place.part)) }
}

fn fill_matrix(
    session: &Session,
    problem: &mut Problem,
    part: Part,
    head: usize,
    fill: super::Fill,
) -> Result<(), Notice> {
    let old = attention::matrix(problem, &session.solved.trace, part, head).ok_or(Notice::NotEditable(part))?;
    let new = fill.matrix(old.nrows(), old.ncols());
    for row in 0..new.nrows() {
        for column in 0..new.ncols() {
            set_cell(problem, Place { part, head, row, column }, new[(row, column)])?;
        }
    }
    Ok(())
}

/// The rules become `allow` with the same cells, and then one pair is changed.
fn paint(problem: &mut Problem, row: usize, column: usize, visible: bool) {
    let mut allow = attention::visible(problem);
    if let Some(cell) = allow.get_mut((row, column)) {
        *cell = visible;
    }
    problem.mask = Mask { allow: Some(allow), ..Mask::default() };
}

/// One number is taken at once; how more of them were read is shown first, with their shape, and they wait.
fn take_block(session: &mut Session, place: Place, text: &str) {
    let block = match exchange::read_block(text) {
        Err(error) => {
            session.notice = Some(Notice::NotABlock(error));
            return;
        }
        Ok(block) => block,
    };
    match read_over(session, place, &block) {
        Ok((_, pasted)) if pasted.rows * pasted.columns > 1 || pasted.grown_to.is_some() => {
            session.notice = Some(Notice::Waiting { block: Box::new(block), pasted: Box::new(pasted) });
        }
        pasted => take_pasted(session, pasted),
    }
}

/// The problem with the block over the cells from a place on; over the mask it is the whole mask.
fn read_over(session: &Session, place: Place, block: &exchange::Block) -> Result<(Problem, super::Pasted), Notice> {
    if matches!(place.part, Part::Mask | Part::Masked) {
        return paste_mask(&session.solved.problem, block, None);
    }
    paste(&session.solved.problem, &session.solved.trace, place, block)
}

/// One tensor over the matrix of its role, from the first cell on; the matrix grows where it must.
fn put_tensor(session: &mut Session, tensor: usize) {
    let Some(import) = &session.import else { return };
    let Some((tensor, pick)) = import.tensors.get(tensor).zip(import.pick(tensor)) else { return };
    let Some(part) = part_of(pick.role) else { return };
    let head = session.view.head;
    match exchange::to_matrix(tensor, pick) {
        Ok((values, _)) => {
            let block = exchange::Block::of(values);
            // Where an encoding is added to x, what is given is x before it.
            let part = match part {
                Part::X if session.solved.problem.is_encoded() => Part::XGiven,
                Part::XKv if session.solved.problem.is_encoded() => Part::XKvGiven,
                part => part,
            };
            let place = Place { part, head, row: 0, column: 0 };
            take_pasted(session, paste(&session.solved.problem, &session.solved.trace, place, &block));
        }
        Err(error) => session.notice = Some(Notice::NotTaken(error)),
    }
}

/// The matrix of the problem that a role names; attention maps alone are none.
fn part_of(role: exchange::Role) -> Option<Part> {
    Part::ALL.into_iter().find(|part| part.key() == role.key() && role != exchange::Role::Weights)
}

fn drop_import(session: &mut Session) {
    session.import = None;
    if session.view.panel == Panel::Import {
        session.view.panel = Panel::Share;
    }
}

fn take_pasted(session: &mut Session, pasted: Result<(Problem, super::Pasted), Notice>) {
    match pasted {
        Err(notice) => session.notice = Some(notice),
        Ok((problem, how)) => {
            let example = session.view.example.clone();
            adopt(session, Ok(problem), Stroke::Single, example);
            // A refusal says more than how the block was read.
            session.notice.get_or_insert(Notice::Pasted(how));
        }
    }
}

/// Takes a whole state: its problem, and what is looked at; how this user likes to look stays.
fn open(session: &mut Session, problem: Problem, view: View) {
    let own = session.view.clone();
    adopt(session, Ok(problem), Stroke::Single, view.example.clone());
    session.view = View { panel: own.panel, pointer: own.pointer, ..view };
    session.keep_habits_of(&own);
    session.clamp_view();
}

/// Takes a changed problem, if it is a good one.
fn adopt(session: &mut Session, changed: Result<Problem, Notice>, stroke: Stroke, example: Option<String>) {
    match changed {
        Ok(problem) if problem == session.solved.problem && example == session.view.example => {}
        Ok(problem) => match Solved::of(problem) {
            Ok(solved) => {
                if stroke != Stroke::Continues {
                    session.history.push((session.solved.problem.clone(), session.view.example.clone()));
                }
                session.settle(solved, example);
            }
            Err(errors) => session.notice = Some(Notice::Refused(errors)),
        },
        Err(notice) => session.notice = Some(notice),
    }
}

type Step = fn(&mut History, super::history::Snapshot) -> Option<super::history::Snapshot>;

fn travel(session: &mut Session, step: Step) {
    let now = (session.solved.problem.clone(), session.view.example.clone());
    if let Some((problem, example)) = step(&mut session.history, now) {
        // It was solved before; should it fail now all the same, the session stays as it is.
        match Solved::of(problem) {
            Ok(solved) => session.settle(solved, example),
            Err(errors) => session.notice = Some(Notice::Refused(errors)),
        }
    }
}

impl Session {
    /// Loads a problem file, as `Action::LoadProblem` does; says what is wrong with it, one error an entry.
    pub fn load_text(&mut self, text: &str) -> Vec<String> {
        match Problem::from_json(text) {
            Ok(problem) => update(self, Action::LoadProblem(Box::new(problem))),
            Err(errors) => return errors.iter().map(ToString::to_string).collect(),
        }
        match self.notice.take() {
            Some(Notice::Refused(errors)) => errors.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }

    fn settle(&mut self, solved: Solved, example: Option<String>) {
        self.solved = solved;
        self.view.example = example;
        self.clamp_view();
        self.compare_claim();
    }

    /// What is looked at must be there.
    pub(super) fn clamp_view(&mut self) {
        let stages = self.stages();
        let view = &mut self.view;
        view.head = view.head.min(self.solved.problem.heads.query - 1);
        view.digits = view.digits.min(8);
        if self.import.is_none() && view.panel == Panel::Import {
            view.panel = Panel::Share;
        }
        if self.held.is_none() {
            view.compared = Compared::Now;
        }
        view.stage = view.stage.map(|stage| if stages.contains(&stage) { stage } else { Stage::Weigh });
        let there = |place: &Place| {
            attention::matrix(&self.solved.problem, &self.solved.trace, place.part, place.head)
                .is_some_and(|m| place.row < m.nrows() && place.column < m.ncols())
                && place.head < self.solved.problem.heads.query
        };
        view.pinned = view.pinned.filter(there);
    }
}
