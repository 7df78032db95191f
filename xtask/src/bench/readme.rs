//! The place of the results in the readme, between two markers.

use anyhow::{Context, Result};

const BEGIN: &str = "<!-- bench: written by `cargo xtask bench --readme` -->\n";
const END: &str = "<!-- /bench -->";

/// The readme with these results in the place of those that it has.
pub fn with(readme: &str, results: &str) -> Result<String> {
    let (before, rest) = readme.split_once(BEGIN).context("the readme has no place for the results")?;
    let (_, after) = rest.split_once(END).context("the place for the results in the readme has no end")?;
    Ok(format!("{before}{BEGIN}\n{}\n\n{END}{after}", results.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_take_the_place_of_older_ones() {
        let readme = format!("before\n{BEGIN}old\n{END}\nafter\n");
        let once = with(&readme, "new\n").unwrap();
        assert_eq!(once, format!("before\n{BEGIN}\nnew\n\n{END}\nafter\n"));
        assert_eq!(with(&once, "new\n").unwrap(), once);
        assert!(with("nothing", "new").is_err());
    }

    #[test]
    fn the_readme_has_a_place_for_them() {
        let readme = std::fs::read_to_string(crate::tool::root().join("README.md")).unwrap();
        assert!(with(&readme, "new").unwrap().contains("new"));
    }
}
