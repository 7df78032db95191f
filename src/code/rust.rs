//! The problem as a Rust program on this crate.

use crate::attention::{Part, Problem, solve, to_rows};

/// A program that reads this problem with `attnlab::attention`, solves it and compares the output with ours to 10⁻¹²
/// (which is left out when a step overflows). A number that is not finite cannot stand in a problem file: the program
/// then says so when it runs.
///
/// ```
/// # use attnlab::{attention::Problem, code::rust};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[1]],"k":[[1]],"v":[[0.25]]}}"#).unwrap();
/// assert!(rust(&problem).contains("let expected = [\n        [0.25],\n    ];"));
/// ```
pub fn rust(problem: &Problem) -> String {
    let json = problem.to_json();
    let fence = fence(&json);
    let mut text = "use attnlab::attention::{Part, Problem, solve};\n\nfn main() {\n".to_owned();
    text += &format!("    let text = r{fence}\"{json}\"{fence};\n");
    text += "    let problem = Problem::from_json(text).expect(\"the problem is in order\");\n";
    text += "    let trace = solve(&problem).expect(\"no step overflows\");\n";
    text += "    let output = &trace.get(Part::Output, 0).expect(\"every trace has an output\").value;\n";
    text += "    println!(\"{output}\");\n";
    if let Some(step) = solve(problem).ok().as_ref().and_then(|trace| trace.get(Part::Output, 0)) {
        let rows: Vec<String> = to_rows(&step.value).iter().map(|row| format!("        {row:?},\n")).collect();
        text += &format!("\n    let expected = [\n{}    ];\n", rows.concat());
        text += "    for (row, numbers) in expected.iter().enumerate() {\n";
        text += "        for (column, expected) in numbers.iter().enumerate() {\n";
        text += "            let difference: f64 = output[(row, column)] - expected;\n";
        text += "            assert!(difference.abs() <= 1e-12 * expected.abs().max(1.0), \"[{row}][{column}]\");\n";
        text += "        }\n    }\n";
    }
    text + "}\n"
}

/// One more `#` than stands after any quote of the text, so that nothing in it ends the string.
fn fence(text: &str) -> String {
    let longest = text.split('"').skip(1).map(|rest| rest.chars().take_while(|&c| c == '#').count()).max();
    "#".repeat(longest.unwrap_or(0) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_title_ends_the_string() {
        assert_eq!(fence("a\"#b\"##"), "###");
        assert_eq!(fence("plain"), "#");
    }
}
