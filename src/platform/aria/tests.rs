use super::*;
use eframe::egui::accesskit::{Live, Toggled, TreeId, TreeInfo};

fn picture_of(nodes: Vec<(u64, Node)>, focus: u64, zoom: f64) -> Picture {
    let nodes = nodes.into_iter().map(|(id, node)| (NodeId(id), node));
    let update = TreeUpdate {
        nodes: nodes.collect(),
        tree: Some(TreeInfo::new(NodeId(0))),
        tree_id: TreeId::ROOT,
        focus: NodeId(focus),
    };
    picture(&update, zoom).expect("a whole tree")
}

fn node(role: Role, label: &str, children: &[u64]) -> Node {
    let mut node = Node::new(role);
    if !label.is_empty() {
        node.set_label(label);
    }
    node.set_children(children.iter().map(|id| NodeId(*id)).collect::<Vec<_>>());
    node
}

fn attribute<'a>(picture: &'a Picture, id: u64, name: &str) -> Option<&'a str> {
    let element = &picture.elements[&NodeId(id)];
    let found = element.attributes.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.as_str())
}

#[test]
fn a_button_that_stays_down_is_pressed() {
    let mut button = node(Role::Button, "Causal", &[]);
    button.set_toggled(Toggled::True);
    button.add_action(Action::Focus);
    let picture = picture_of(vec![(0, node(Role::Window, "", &[1])), (1, button)], 0, 1.0);
    assert_eq!(attribute(&picture, 1, "role"), Some("button"));
    assert_eq!(attribute(&picture, 1, "aria-label"), Some("Causal"));
    assert_eq!(attribute(&picture, 1, "aria-pressed"), Some("true"));
    assert_eq!(attribute(&picture, 1, "tabindex"), Some("0"));
    assert_eq!(attribute(&picture, 1, "aria-checked"), None);
}

#[test]
fn a_check_box_always_says_whether_it_is_checked() {
    let picture =
        picture_of(vec![(0, node(Role::Window, "", &[1])), (1, node(Role::CheckBox, "Log scale", &[]))], 0, 1.0);
    assert_eq!(attribute(&picture, 1, "aria-checked"), Some("false"));
}

#[test]
fn text_is_text_and_not_a_name() {
    let mut label = node(Role::Label, "", &[]);
    label.set_value("each row sums to 1");
    label.set_live(Live::Polite);
    let picture = picture_of(vec![(0, node(Role::Window, "", &[1])), (1, label)], 0, 1.0);
    let element = &picture.elements[&NodeId(1)];
    assert_eq!(element.text.as_deref(), Some("each row sums to 1"));
    assert_eq!(attribute(&picture, 1, "aria-label"), None);
    assert_eq!(attribute(&picture, 1, "aria-live"), Some("polite"));
}

#[test]
fn a_matrix_is_one_tab_stop_and_hands_the_focus_to_its_active_cell() {
    let mut grid = node(Role::Grid, "scores", &[2]);
    grid.add_action(Action::Focus);
    grid.set_row_count(4);
    grid.set_active_descendant(NodeId(4));
    let mut row = node(Role::Row, "", &[3, 4]);
    row.set_row_index(1);
    let header = node(Role::RowHeader, "爱", &[]);
    let mut cell = node(Role::GridCell, "0.5", &[]);
    cell.add_action(Action::Focus);
    cell.set_column_index(1);
    let nodes = vec![(0, node(Role::Window, "", &[1])), (1, grid), (2, row), (3, header), (4, cell)];
    let picture = picture_of(nodes, 1, 1.0);
    assert_eq!(picture.focus, Some(NodeId(4)));
    assert_eq!(attribute(&picture, 1, "tabindex"), None);
    assert_eq!(attribute(&picture, 1, "aria-rowcount"), Some("4"));
    assert_eq!(attribute(&picture, 2, "aria-rowindex"), Some("2"));
    assert_eq!(attribute(&picture, 3, "tabindex"), Some("-1"));
    assert_eq!(attribute(&picture, 4, "tabindex"), Some("0"));
    assert_eq!(attribute(&picture, 4, "aria-colindex"), Some("2"));
}

#[test]
fn a_grid_without_focusable_cells_keeps_its_own_tab_stop() {
    let mut grid = node(Role::Grid, "empty", &[]);
    grid.add_action(Action::Focus);
    let picture = picture_of(vec![(0, node(Role::Window, "", &[1])), (1, grid)], 1, 1.0);
    assert_eq!(attribute(&picture, 1, "tabindex"), Some("0"));
    assert_eq!(picture.focus, Some(NodeId(1)));
}

#[test]
fn places_are_in_css_pixels_from_the_parent() {
    let mut outer = node(Role::Group, "mask", &[2]);
    outer.set_bounds(Rect::new(10.0, 20.0, 110.0, 70.0));
    let mut inner = node(Role::Button, "clear", &[]);
    inner.set_bounds(Rect::new(15.0, 30.0, 35.0, 50.0));
    let nodes = vec![(0, node(Role::Window, "", &[1])), (1, outer), (2, inner)];
    let picture = picture_of(nodes, 0, 2.0);
    assert_eq!(picture.elements[&NodeId(1)].place, Some([20.0, 40.0, 200.0, 100.0]));
    assert_eq!(picture.elements[&NodeId(2)].place, Some([10.0, 20.0, 40.0, 40.0]));
}

#[test]
fn a_text_box_is_named_by_its_label_and_tells_its_text() {
    let mut label = node(Role::Label, "", &[]);
    label.set_value("d_k");
    let mut input = node(Role::TextInput, "", &[3]);
    input.set_value("64");
    input.set_labelled_by(vec![NodeId(1)]);
    input.add_action(Action::Focus);
    let run = node(Role::TextRun, "", &[]);
    let nodes = vec![(0, node(Role::Window, "", &[1, 2])), (1, label), (2, input), (3, run)];
    let picture = picture_of(nodes, 2, 1.0);
    assert_eq!(attribute(&picture, 2, "role"), Some("textbox"));
    assert_eq!(attribute(&picture, 2, "aria-label"), Some("d_k"));
    assert_eq!(attribute(&picture, 2, "aria-description"), Some("64"));
    assert!(picture.focus_takes_text());
    assert!(!picture.elements.contains_key(&NodeId(3)));
}

#[test]
fn a_disabled_widget_says_so_and_is_passed_over() {
    let mut button = node(Role::Button, "Undo", &[]);
    button.add_action(Action::Focus);
    button.set_disabled();
    let picture = picture_of(vec![(0, node(Role::Window, "", &[1])), (1, button)], 0, 1.0);
    assert_eq!(attribute(&picture, 1, "aria-disabled"), Some("true"));
    assert_eq!(attribute(&picture, 1, "tabindex"), None);
}

#[test]
fn a_slider_tells_its_number_and_its_ends() {
    let mut slider = node(Role::Slider, "digits", &[]);
    slider.set_numeric_value(4.0);
    slider.set_min_numeric_value(0.0);
    slider.set_max_numeric_value(8.0);
    let picture = picture_of(vec![(0, node(Role::Window, "", &[1])), (1, slider)], 0, 1.0);
    assert_eq!(attribute(&picture, 1, "aria-valuenow"), Some("4"));
    assert_eq!(attribute(&picture, 1, "aria-valuemin"), Some("0"));
    assert_eq!(attribute(&picture, 1, "aria-valuemax"), Some("8"));
}

#[test]
fn the_text_box_of_an_edited_cell_lies_in_the_matrix() {
    let mut grid = node(Role::Grid, "queries", &[]);
    grid.set_bounds(Rect::new(0.0, 0.0, 100.0, 100.0));
    let input = |x: f64| {
        let mut input = node(Role::TextInput, "queries 爱 0", &[]);
        input.set_bounds(Rect::new(x, 40.0, x + 40.0, 60.0));
        input
    };
    let nodes = |x| vec![(0, node(Role::Window, "", &[1, 2])), (1, grid.clone()), (2, input(x))];
    assert!(picture_of(nodes(40.0), 2, 1.0).focus_is_in_grid);
    assert!(!picture_of(nodes(140.0), 2, 1.0).focus_is_in_grid);
}
