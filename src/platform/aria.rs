//! What the accessibility tree becomes in a page: for every node its role, its attributes, its
//! text and its place, as plain data.
//!
//! Nothing here touches a browser, so all of it is tested natively; `accessibility` writes what
//! changed into the document. The names are those of WAI-ARIA 1.2.

mod attributes;
mod role;

use eframe::egui::accesskit::{Action, Node, NodeId, Point, Rect, Role, TreeUpdate};
use std::collections::{HashMap, HashSet};

/// One node of the tree, as an element of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// Attributes by name, always in the same order.
    pub attributes: Vec<(&'static str, String)>,
    /// The text within, for elements without children.
    pub text: Option<String>,
    /// Left, top, width and height in CSS pixels, from the corner of the parent's place.
    pub place: Option<[f64; 4]>,
    /// The elements within, in reading order.
    pub children: Vec<NodeId>,
    /// Whether text is typed into it, at least while it is edited.
    pub takes_text: bool,
}

/// The whole tree as elements.
pub struct Picture {
    /// Every element that is to be in the page.
    pub elements: HashMap<NodeId, Element>,
    /// The outermost one.
    pub root: NodeId,
    /// The one that has the focus within the app. A matrix passes it on to its active cell.
    pub focus: Option<NodeId>,
    /// Whether the focus lies in a matrix: then typing is editing a cell.
    pub focus_is_in_grid: bool,
}

impl Picture {
    /// Whether what has the focus is something that text is typed into.
    pub fn focus_takes_text(&self) -> bool {
        let focused = self.focus.and_then(|id| self.elements.get(&id));
        focused.is_some_and(|element| element.takes_text)
    }
}

/// Translates a tree. Its bounds are in points; `zoom` says how many CSS pixels a point is.
///
/// `None` when the update is not a whole tree, which egui never sends.
pub fn picture(update: &TreeUpdate, zoom: f64) -> Option<Picture> {
    let root = update.tree.as_ref()?.root;
    let nodes: HashMap<NodeId, &Node> = update
        .nodes
        .iter()
        .filter(|(_, node)| node.role() != Role::TextRun && !node.is_hidden())
        .map(|(id, node)| (*id, node))
        .collect();
    let mut drawer = Drawer {
        nodes: &nodes,
        delegating: delegating_grids(&nodes),
        zoom,
        elements: HashMap::with_capacity(nodes.len()),
    };
    drawer.draw(root, [0.0, 0.0]);
    let elements = drawer.elements;
    let focus = (update.focus != root).then_some(update.focus).map(|id| {
        let active = nodes.get(&id).and_then(|node| node.active_descendant());
        active.filter(|id| elements.contains_key(id)).unwrap_or(id)
    });
    let focus_is_in_grid = focus.is_some_and(|id| lies_in_grid(&nodes, id));
    Some(Picture { focus_is_in_grid, focus: focus.filter(|id| elements.contains_key(id)), root, elements })
}

/// Grids of which a cell takes the focus: they are no tab stop themselves.
fn delegating_grids(nodes: &HashMap<NodeId, &Node>) -> HashSet<NodeId> {
    let has_focusable_cell = |grid: &Node| {
        let mut below: Vec<NodeId> = grid.children().to_vec();
        while let Some(id) = below.pop() {
            let Some(node) = nodes.get(&id) else { continue };
            if is_cell(node.role()) && node.supports_action(Action::Focus) {
                return true;
            }
            below.extend(node.children());
        }
        false
    };
    nodes
        .iter()
        .filter(|(_, node)| is_grid(node.role()))
        .filter(|(_, node)| has_focusable_cell(node))
        .map(|(id, _)| *id)
        .collect()
}

/// Whether a node lies within the place of a grid. It need not be one of its nodes: the text box
/// of an edited cell stands over the cell.
fn lies_in_grid(nodes: &HashMap<NodeId, &Node>, id: NodeId) -> bool {
    let Some(place) = nodes.get(&id).and_then(|node| node.bounds()) else {
        return false;
    };
    let middle = Point::new((place.x0 + place.x1) / 2.0, (place.y0 + place.y1) / 2.0);
    let mut grids = nodes.values().filter(|node| is_grid(node.role()));
    grids.any(|grid| grid.bounds().is_some_and(|grid| grid.contains(middle)))
}

fn is_grid(role: Role) -> bool {
    matches!(role, Role::Grid | Role::Table | Role::TreeGrid)
}

fn is_cell(role: Role) -> bool {
    matches!(role, Role::GridCell | Role::Cell | Role::RowHeader | Role::ColumnHeader)
}

struct Drawer<'a> {
    nodes: &'a HashMap<NodeId, &'a Node>,
    delegating: HashSet<NodeId>,
    zoom: f64,
    elements: HashMap<NodeId, Element>,
}

impl Drawer<'_> {
    /// Draws a node and all below it; `origin` is the corner of the parent's place, in points.
    fn draw(&mut self, id: NodeId, origin: [f64; 2]) {
        let Some(node) = self.nodes.get(&id).copied() else {
            return;
        };
        if self.elements.contains_key(&id) {
            return; // a node has one parent; a second one would make a circle
        }
        let children: Vec<NodeId> =
            node.children().iter().filter(|child| self.nodes.contains_key(child)).copied().collect();
        let name = self.name(node);
        let mut attributes = attributes::attributes(node, &name);
        if let Some(index) = self.tab_index(id, node) {
            attributes.push(("tabindex", index.to_owned()));
        }
        let element = Element {
            attributes,
            text: children.is_empty().then(|| text(node)).flatten(),
            place: node.bounds().map(|place| self.place(place, origin)),
            children: children.clone(),
            takes_text: role::is_text_box(node.role()) || node.role() == Role::SpinButton,
        };
        self.elements.insert(id, element);
        let origin = node.bounds().map_or(origin, |place| [place.x0, place.y0]);
        for child in children {
            self.draw(child, origin);
        }
    }

    /// The node's own name, or else that of what labels it.
    fn name(&self, node: &Node) -> String {
        if let Some(label) = node.label() {
            return label.to_owned();
        }
        let labels = node.labelled_by().iter().filter_map(|id| self.nodes.get(id));
        let words = labels.filter_map(|node| node.label().or(node.value()));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Whether Tab stops here (`0`), or only the program may put the focus here (`-1`).
    fn tab_index(&self, id: NodeId, node: &Node) -> Option<&'static str> {
        if node.role() == Role::Window || node.is_disabled() {
            return None;
        }
        let takes_focus = node.supports_action(Action::Focus) && !self.delegating.contains(&id);
        match (takes_focus, is_cell(node.role())) {
            (true, _) => Some("0"),
            (false, true) => Some("-1"),
            (false, false) => None,
        }
    }

    /// Rounded, so that a place that moved by nothing to be seen is the same place.
    fn place(&self, bounds: Rect, [x, y]: [f64; 2]) -> [f64; 4] {
        let css = |points: f64| (points * self.zoom).round();
        let (left, top) = (css(bounds.x0) - css(x), css(bounds.y0) - css(y));
        [left, top, css(bounds.width()), css(bounds.height())]
    }
}

/// The text within an element without children.
fn text(node: &Node) -> Option<String> {
    let value = node.value();
    match node.role() {
        Role::Label | Role::Heading => value.or(node.label()).map(str::to_owned),
        // The number of a slider is told by its attributes.
        Role::Slider | Role::SpinButton | Role::ProgressIndicator => None,
        _ => value.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests;
