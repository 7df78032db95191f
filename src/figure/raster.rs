//! A figure as PNG, natively: the SVG drawn by resvg, with our two text faces and whatever the machine has.
//!
//! (In the browser the page's own canvas does this.)

use super::FigureError;
use super::layout::POINTS;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Style, Weight};
use resvg::usvg::{Group, Node, Options, Tree};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Sans faces with Chinese letters, best first: any other is only taken for what none of them has.
const CHINESE: [&str; 7] = [
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
];

/// More pixels than this are a mistake: 400 MB in memory.
const MOST_PIXELS: f64 = 1e8;

/// The figure as PNG, at so many dots per inch of its physical size.
///
/// ```no_run
/// # use attnlab::figure::png;
/// let svg = std::fs::read_to_string("weights.svg").unwrap();
/// std::fs::write("weights.png", png(&svg, 300).unwrap()).unwrap();
/// ```
///
/// # Errors
/// When no font of the machine has a character, so that the picture would lack it: the error names every one. When
/// the picture has no pixels, or too many. When the SVG is none.
pub fn png(svg: &str, dpi: u32) -> Result<Vec<u8>, FigureError> {
    png_with(svg, dpi, fonts())
}

fn png_with(svg: &str, dpi: u32, fonts: &Arc<Database>) -> Result<Vec<u8>, FigureError> {
    let drawing = |why: String| FigureError::Drawing { why };
    // At 72 dots an inch a millimetre is `POINTS` long.
    let options = Options { dpi: 72.0, fontdb: Arc::clone(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| drawing(error.to_string()))?;
    let missing = missing(tree.root());
    if !missing.is_empty() {
        return Err(FigureError::MissingCharacters { characters: missing.iter().collect() });
    }
    let scale = f64::from(dpi) / (25.4 * POINTS);
    let size = tree.size();
    let (width, height) = ((f64::from(size.width()) * scale).round(), (f64::from(size.height()) * scale).round());
    if width < 1.0 || height < 1.0 || width * height > MOST_PIXELS {
        return Err(FigureError::Pixels { width, height });
    }
    let mut picture = Pixmap::new(width as u32, height as u32).ok_or(FigureError::Pixels { width, height })?;
    let transform = Transform::from_scale(width as f32 / size.width(), height as f32 / size.height());
    resvg::render(&tree, transform, &mut picture.as_mut());
    picture.encode_png().map_err(|error| drawing(error.to_string()))
}

/// The characters that came out as the empty box of a font: what was really laid out is asked, not what might be.
fn missing(group: &Group) -> BTreeSet<char> {
    let mut found = BTreeSet::new();
    for node in group.children() {
        match node {
            Node::Group(group) => found.extend(missing(group)),
            Node::Text(text) => {
                let glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
                let absent = glyphs.filter(|glyph| glyph.id.0 == 0);
                found.extend(absent.flat_map(|glyph| glyph.text.chars()).filter(|c| !c.is_whitespace()));
            }
            _ => {}
        }
    }
    found
}

/// Our faces first, so that numbers look as on the page; then the machine's, in the order in which they are to help out.
fn fonts() -> &'static Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = own_fonts();
        let mut system = Database::new();
        system.load_system_fonts();
        let mut faces: Vec<_> = system.faces().collect();
        faces.sort_by_key(|face| {
            let is = |family: &str| face.families.iter().any(|(name, _)| name == family);
            let rank = CHINESE.iter().position(|family| is(family)).unwrap_or(CHINESE.len());
            (rank, face.weight != Weight::NORMAL, face.style != Style::Normal)
        });
        for face in faces {
            fonts.push_face_info(face.clone());
        }
        Arc::new(fonts)
    })
}

fn own_fonts() -> Database {
    let mut fonts = Database::new();
    for face in [
        &include_bytes!("../../assets/fonts/plex-regular.ttf")[..],
        &include_bytes!("../../assets/fonts/stix-math.ttf")[..],
    ] {
        fonts.load_font_data(face.to_vec());
    }
    // What a machine without the named families falls back to.
    fonts.set_sans_serif_family("IBM Plex Sans");
    fonts.set_serif_family("IBM Plex Sans");
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, fonts: Database) -> Result<Vec<u8>, FigureError> {
        let svg = format!(
            "<svg width=\"20mm\" height=\"10mm\" viewBox=\"0 0 200 100\" xmlns=\"http://www.w3.org/2000/svg\">\
             <text x=\"10\" y=\"60\" font-size=\"40\" font-family=\"'IBM Plex Sans',sans-serif\">{text}</text></svg>"
        );
        png_with(&svg, 72, &Arc::new(fonts))
    }

    #[test]
    fn a_character_that_no_font_has_is_named_and_not_left_out() {
        assert!(drawn("0.25", own_fonts()).is_ok());
        let error = drawn("我 0.25 爱", own_fonts()).unwrap_err();
        assert_eq!(error, FigureError::MissingCharacters { characters: "我爱".to_owned() });
    }

    #[test]
    fn a_resolution_of_zero_or_without_bound_is_refused() {
        let svg = "<svg width=\"20mm\" height=\"10mm\" xmlns=\"http://www.w3.org/2000/svg\"/>";
        assert!(png(svg, 300).is_ok());
        assert!(matches!(png(svg, 0), Err(FigureError::Pixels { .. })));
        assert!(matches!(png(svg, u32::MAX), Err(FigureError::Pixels { .. })));
        assert!(matches!(png("<svg", 300), Err(FigureError::Drawing { .. })));
    }
}
