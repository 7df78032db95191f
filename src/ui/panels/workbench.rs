//! The formula as matrices, from left to right.

use crate::attention::{Expr, Inputs, Matrix, Part, Place};
use crate::session::{Action, Compared, Notice, Stage, Stroke};
use crate::ui::parts::{self, Shown};
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, LARGE, Meaning};
use crate::ui::widgets::matrix::{MatrixEvent, MatrixOutput, MatrixView};
use crate::ui::widgets::{curve, typeset};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, Id, Rect, Ui, UiBuilder, Vec2, pos2, vec2};
use std::collections::HashMap;

/// Between two matrices, so that an arc has room.
const GAP: Vec2 = vec2(8.0, 16.0);

/// The room of an operator before a matrix.
const OPERATOR: f32 = 22.0;

/// Above so many sources one arc a matrix stands for all of them.
const MOST_ARCS: usize = 12;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let marks = marks(scene);
    let mut flow = Flow::new(ui);
    let mut grids = HashMap::new();
    for line in lines(scene) {
        flow.new_line();
        for (operator, part) in line {
            if let Some((shown, is_difference)) = parts::shown_of(scene, part) {
                let placed = block(ui, scene, &mut flow, (operator, part), &shown, is_difference, &marks);
                grids.insert(part, placed);
            }
        }
    }
    let bottom = flow.bottom();
    ui.allocate_rect(Rect::from_min_max(flow.area.min, pos2(flow.area.right(), bottom)), egui::Sense::hover());
    follow_step(ui, scene, &grids);
    arcs(ui, scene, &grids);
    for placed in grids.values_mut() {
        placed.output.write_numbers(ui);
    }
}

/// When the step has changed, its first matrix is scrolled to; when a part of a long sequence has come, its weights.
fn follow_step(ui: &Ui, scene: &Scene, grids: &HashMap<Part, Placed>) {
    let id = Id::unique("step that was scrolled to");
    let stage = scene.session.view().stage;
    let has_come = matches!(scene.session.notice(), Some(Notice::PartTaken { .. }));
    if ui.data(|data| data.get_temp(id)) == Some((stage, has_come)) {
        return;
    }
    ui.data_mut(|data| data.insert_temp(id, (stage, has_come)));
    let is_lit = |part: Part| if has_come { part == Part::Weights } else { stage == Some(Stage::of_part(part)) };
    let lit = grids.iter().filter(|(part, _)| is_lit(**part)).map(|(_, placed)| placed.output.grid.rect());
    if let Some(first) =
        lit.min_by(|a, b| (a.top(), a.left()).partial_cmp(&(b.top(), b.left())).unwrap_or(std::cmp::Ordering::Equal))
    {
        // With room for the title above and the shape below.
        ui.scroll_to_rect(first.expand2(vec2(0.0, 48.0)), None);
    }
}

/// The matrices in reading order, each with the operator before it.
fn lines(scene: &Scene) -> Vec<Vec<(&'static str, Part)>> {
    let problem = scene.shown_problem();
    let mut lines = Vec::new();
    if let Inputs::Projected(_) = &problem.inputs {
        // Where an encoding is added, what is added to what is drawn too.
        if problem.is_encoded() {
            lines.push(vec![("", Part::XGiven), ("", Part::XKvGiven), ("", Part::Table), ("+", Part::Position)]);
        }
        let before = if problem.is_encoded() { "=" } else { "" };
        lines.push(vec![
            (before, Part::X),
            ("×", Part::WQ),
            ("+", Part::BQ),
            ("", Part::XKv),
            ("", Part::WK),
            ("+", Part::BK),
            ("", Part::WV),
            ("+", Part::BV),
        ]);
    }
    let mut line = vec![
        ("", Part::Q),
        ("×", Part::K),
        // What is not in this problem is not drawn.
        ("→", Part::QRotated),
        ("", Part::KRotated),
        ("→", Part::QFeatures),
        ("", Part::KFeatures),
        ("", Part::ScoreW),
        ("→", Part::KTransformed),
        ("", Part::ScoreWQ),
        ("", Part::ScoreWK),
        ("→", Part::Hidden),
        ("×", Part::ScoreV),
        ("=", Part::Scores),
        ("→", Part::Scaled),
        ("→", Part::Capped),
        ("", Part::Slopes),
        ("+", Part::Bias),
        ("→", Part::Biased),
        (parts::mask_operator(problem), Part::Mask),
        ("=", Part::Masked),
        ("", Part::Sink),
    ];
    if scene.session.view().exponentials {
        line.extend([("→", Part::Exp), ("→", Part::RowSum), ("", Part::SinkWeight)]);
    }
    line.extend([("→", Part::Kept), ("→", Part::Weights), ("×", Part::V), ("=", Part::Context)]);
    lines.push(line);
    if problem.joins_heads() {
        lines.push(vec![("→", Part::Concat), ("×", Part::WO), ("+", Part::BO), ("=", Part::Output)]);
    }
    lines
}

/// Places blocks from left to right, and below when the line is full.
struct Flow {
    area: Rect,
    at: egui::Pos2,
    line_height: f32,
}

impl Flow {
    fn new(ui: &Ui) -> Self {
        let area = ui.available_rect_before_wrap();
        Self { area, at: area.min, line_height: 0.0 }
    }

    fn new_line(&mut self) {
        if self.line_height > 0.0 {
            self.at = pos2(self.area.left(), self.at.y + self.line_height + GAP.y);
            self.line_height = 0.0;
        }
    }

    fn place(&mut self, size: Vec2) -> Rect {
        if self.at.x > self.area.left() && self.at.x + size.x > self.area.right() {
            self.new_line();
        }
        let rect = Rect::from_min_size(self.at, size);
        self.at.x += size.x + GAP.x;
        self.line_height = self.line_height.max(size.y);
        rect
    }

    fn bottom(&self) -> f32 {
        self.at.y + self.line_height
    }
}

/// Where a matrix lies, and whether its rows are drawn as columns.
struct Placed {
    output: MatrixOutput,
    transposed: bool,
    veiled: bool,
}

impl Placed {
    fn cell(&self, place: Place) -> Rect {
        let (row, column) = if self.transposed { (place.column, place.row) } else { (place.row, place.column) };
        self.output.grid.cell(row, column)
    }
}

fn block(
    ui: &mut Ui,
    scene: &mut Scene,
    flow: &mut Flow,
    (operator, part): (&str, Part),
    shown: &Shown,
    is_difference: bool,
    marks: &HashMap<Part, HashMap<(usize, usize), Color32>>,
) -> Placed {
    let transposed = part == Part::K;
    let turned = shown.values.transpose();
    let (values, rows, columns) =
        if transposed { (&turned, &shown.columns, &shown.rows) } else { (&shown.values, &shown.rows, &shown.columns) };
    let view = scene.session.view();
    let stage = Stage::of_part(part);
    let veiled = view.stage.is_some_and(|current| stage > current);
    let hidden = parts::hidden(scene.shown_problem(), part);
    let none = HashMap::new();
    let head = if part.is_per_head() { scene.head() } else { 0 };
    let pinned = view.pinned.filter(|place| place.part == part && place.head == head);
    let drawn_at = |place: Place| if transposed { (place.column, place.row) } else { (place.row, place.column) };
    let old = scene.before.and_then(|(problem, trace, strength)| {
        let old = crate::attention::matrix(problem, trace, part, scene.head().min(problem.heads.query - 1))?;
        Some((if transposed { old.transpose() } else { old }, strength))
    });
    let (row_axis, column_axis) = parts::axes(part);
    let axis = |meaning: Option<Meaning>, arrow: &str| {
        meaning.map(|meaning| {
            let word = if meaning == Meaning::Query { scene.t("axis-query") } else { scene.t("axis-key") };
            (format!("{word} {arrow}"), scene.theme.ink(meaning))
        })
    };
    let mask_cell =
        |row: usize, column: usize| parts::mask_entry(scene.shown_problem(), values[(row, column)] == 1.0).to_owned();
    // Feature columns carry no names: numbers above them would only be read as data.
    let unnamed = Vec::new();
    let columns = if column_axis.is_none() { &unnamed } else { columns };
    let rows = if row_axis.is_none()
        && !matches!(part, Part::Table | Part::X | Part::XKv | Part::XGiven | Part::XKvGiven | Part::Position)
    {
        &unnamed
    } else {
        rows
    };
    // Only the state that is worked on can be changed.
    let own = scene.compared() == Compared::Now;
    let matrix = MatrixView {
        id: Id::unique(("matrix", part, head)),
        name: parts::name(scene, part),
        title: title(scene, part, stage),
        values,
        rows,
        columns,
        // Only tokens are named.
        rows_are_tokens: !rows.is_empty() && own,
        columns_are_tokens: !columns.is_empty() && own,
        row_axis: axis(row_axis, "↓"),
        column_axis: axis(column_axis, "→"),
        caption: caption(scene, part, values, is_difference),
        colours: if is_difference { parts::signed(values, true) } else { parts::colours(scene, part, values) },
        hidden: hidden.as_ref(),
        // A few hundred numbers show how many digits a matrix needs; a large one shows none anyway.
        format: scene.format().just_enough(values.iter().copied().filter(|value| value.is_finite()).take(512)),
        write: (part == Part::Mask && !is_difference).then_some(&mask_cell as &dyn Fn(usize, usize) -> String),
        editable: part.is_input(scene.shown_problem()) && own,
        paintable: part == Part::Mask && own,
        veiled,
        lit: view.stage == Some(stage),
        marks: marks.get(&part).unwrap_or(&none),
        pinned: pinned.map(drawn_at),
        looked: scene.looked.filter(|place| place.part == part && place.head == head).map(drawn_at),
        before: old.as_ref().map(|(old, strength)| (old, *strength)),
        mode: view.pointer,
        words: scene.spoken.words(),
        touch: scene.narrow,
        max_size: vec2((flow.area.width() - 12.0).min(720.0), 460.0),
    };
    let operator_width = if operator.is_empty() { 0.0 } else { OPERATOR };
    let place = flow.place(matrix.size(ui) + vec2(operator_width, 0.0));
    if !operator.is_empty() {
        let at = pos2(place.left() + 9.0, place.center().y);
        ui.painter().text(
            at,
            Align2::CENTER_CENTER,
            operator,
            crate::ui::theme::math(LARGE + 2.0),
            scene.theme.quiet(),
        );
    }
    let inner = place.with_min_x(place.left() + operator_width);
    let output = ui.scope_builder(UiBuilder::new().id_salt(part).max_rect(inner), |ui| matrix.show(ui)).inner;
    react(scene, part, head, transposed, values, &output);
    Placed { output, transposed, veiled }
}

/// The shape; beside it which state is shown, where two are compared.
fn caption(scene: &Scene, part: Part, values: &Matrix, is_difference: bool) -> String {
    let shape = parts::caption(scene, part, values);
    match scene.compared() {
        Compared::Now if scene.session.held().is_none() => shape,
        Compared::Now => format!("B · {shape}"),
        Compared::Held => format!("A · {shape}"),
        Compared::Difference if is_difference => format!("B − A · {shape}"),
        Compared::Difference => format!("B · {shape} · {}", scene.t("compare-other-shape")),
    }
}

fn title(scene: &Scene, part: Part, stage: Stage) -> LayoutJob {
    let colour = scene.theme.ink(Meaning::of(part));
    let mut job = LayoutJob::default();
    if part == Part::Scores {
        for (markup, meaning) in parts::score(&scene.shown_problem().family) {
            let colour = meaning.map_or(colour, |meaning| scene.theme.ink(meaning));
            typeset::append(&mut job, markup, LARGE - 1.0, colour);
        }
    } else {
        typeset::append(&mut job, parts::symbol_of(scene.shown_problem(), part), LARGE - 1.0, colour);
    }
    let lit = scene.session.view().stage == Some(stage);
    let font_id = if lit { crate::ui::theme::semibold(BODY - 1.0) } else { egui::FontId::proportional(BODY - 1.0) };
    let colour = if lit { scene.theme.text() } else { scene.theme.quiet() };
    job.append(
        &parts::name(scene, part),
        8.0,
        TextFormat { font_id, color: colour, valign: egui::Align::Center, ..Default::default() },
    );
    job
}

/// Turns what was done to a matrix into actions.
fn react(scene: &mut Scene, part: Part, head: usize, transposed: bool, drawn: &Matrix, output: &MatrixOutput) {
    let place = |row: usize, column: usize| {
        let (row, column) = if transposed { (column, row) } else { (row, column) };
        Place { part, head, row, column }
    };
    if let Some((row, column)) = output.hovered {
        scene.pointed = Some(place(row, column));
    }
    if output.focused {
        scene.focused = Some(place(output.active.0, output.active.1));
    }
    let mut painted = scene.session.last_painted();
    let own = scene.compared() == Compared::Now;
    for event in output.events.iter().filter(|event| own || matches!(event, MatrixEvent::Pin(..) | MatrixEvent::Unpin))
    {
        let action = match event.clone() {
            MatrixEvent::Pin(row, column) => {
                let place = place(row, column);
                Action::Pin((scene.session.view().pinned != Some(place)).then_some(place))
            }
            MatrixEvent::Unpin => Action::Pin(None),
            MatrixEvent::Type { row, column, text } => Action::TypeCell { place: place(row, column), text },
            MatrixEvent::Paste { row, column, text } => Action::Paste { place: place(row, column), text },
            MatrixEvent::Drag { row, column, value, begins } => {
                let stroke = if begins { Stroke::Begins } else { Stroke::Continues };
                Action::SetCell { place: place(row, column), value, stroke }
            }
            MatrixEvent::Paint { row, column, begins } => {
                let stroke = if begins { Stroke::Begins } else { Stroke::Continues };
                // A stroke paints what its first cell becomes.
                if begins {
                    painted = drawn[(row, column)] != 1.0;
                }
                let visible = painted;
                Action::PaintMask { row, column, visible, stroke }
            }
            MatrixEvent::Rename { header, text } => {
                let (side, index) = parts::token(scene.shown_problem(), part, header);
                Action::SetToken { side, index, text }
            }
        };
        scene.act(action);
    }
}

/// Which cells light up, and in which colours: the sources of the cell that is looked at.
fn marks(scene: &Scene) -> HashMap<Part, HashMap<(usize, usize), Color32>> {
    let mut marks: HashMap<Part, HashMap<(usize, usize), Color32>> = HashMap::new();
    let Some(looked) = scene.looked else { return marks };
    let Some(explanation) = scene.explain(looked) else { return marks };
    let head = scene.head();
    for place in explanation.sources.into_iter().filter(|place| !place.part.is_per_head() || place.head == head) {
        let cell = if place.part == Part::K { (place.column, place.row) } else { (place.row, place.column) };
        marks.entry(place.part).or_default().insert(cell, source_colour(scene, place));
    }
    let cell = if looked.part == Part::K { (looked.column, looked.row) } else { (looked.row, looked.column) };
    marks.entry(looked.part).or_default().insert(cell, scene.theme.text());
    marks
}

fn source_colour(scene: &Scene, place: Place) -> Color32 {
    match Meaning::of(place.part) {
        Meaning::Neutral => scene.theme.accent(),
        meaning => scene.theme.mark(meaning),
    }
}

/// An arc from each source to the cell that is looked at; for a weighted sum a ribbon as wide as the weight.
fn arcs(ui: &Ui, scene: &Scene, grids: &HashMap<Part, Placed>) {
    let Some(looked) = scene.looked else { return };
    let (Some(target), Some(explanation)) = (grids.get(&looked.part), scene.explain(looked)) else { return };
    if target.veiled {
        return;
    }
    let head = scene.head();
    let to = target.cell(looked);
    let painter = ui.painter();
    let sources: Vec<Place> =
        explanation.sources.iter().copied().filter(|place| !place.part.is_per_head() || place.head == head).collect();
    let many = sources.len() > MOST_ARCS;
    let mut drawn = Vec::new();
    for place in sources {
        let Some(from) = grids.get(&place.part) else { continue };
        if many && drawn.contains(&place.part) {
            continue;
        }
        drawn.push(place.part);
        let cell = from.cell(place);
        if !from.output.grid.clip.intersects(cell) || !target.output.grid.clip.intersects(to) {
            continue;
        }
        let weight = (place.part == Part::Weights).then(|| weight_of(&explanation.expression, place)).flatten();
        let width = weight.map_or(1.5, |weight| 1.0 + 12.0 * weight.clamp(0.0, 1.0) as f32);
        let colour = source_colour(scene, place).gamma_multiply(if weight.is_some() { 0.38 } else { 0.55 });
        let end = pos2(to.center().x, to.top());
        curve::above(painter, pos2(cell.center().x, cell.top()), end, width, colour);
    }
}

/// The value of a cell that an expression uses.
fn weight_of(expression: &Expr, wanted: Place) -> Option<f64> {
    match expression {
        Expr::Cell(place, value) if *place == wanted => Some(*value),
        Expr::Sum(parts) | Expr::Product(parts) | Expr::Max(parts) => {
            parts.iter().find_map(|part| weight_of(part, wanted))
        }
        Expr::Quotient(a, b) | Expr::Difference(a, b) | Expr::Power(a, b) => {
            weight_of(a, wanted).or_else(|| weight_of(b, wanted))
        }
        Expr::Exp(a) | Expr::Sqrt(a) | Expr::Tanh(a) | Expr::Sin(a) | Expr::Cos(a) => weight_of(a, wanted),
        _ => None,
    }
}
