//! Text of a shader with its sizes filled in: constants at its top, and lines repeated where registers are counted out.
//!
//! Safari does not take WGSL's own `override`, and an array that is indexed in a loop lies in memory, not in registers.

/// Lines between `//:each i NAME` and `//:end` come as often as the size NAME says, with `$i` counted from 0; they nest.
/// Every size is a constant of the shader too.
///
/// ```ignore
/// assert_eq!(template("//:each i N\nlet a$i = $iu;\n//:end", &[("N", 2)]), "const N = 2u;\nlet a0 = 0u;\nlet a1 = 1u;\n");
/// ```
///
/// # Panics
/// A repetition without an end, or of a size that is not given: the shaders are part of this program.
pub fn template(text: &str, sizes: &[(&str, usize)]) -> String {
    let mut filled: String = sizes.iter().map(|(name, size)| format!("const {name} = {size}u;\n")).collect();
    let lines: Vec<&str> = text.lines().collect();
    repeat(&lines, sizes, &mut Vec::new(), &mut filled);
    filled
}

fn repeat(lines: &[&str], sizes: &[(&str, usize)], counted: &mut Vec<(String, usize)>, filled: &mut String) {
    let mut at = 0;
    while at < lines.len() {
        let Some(each) = lines[at].trim().strip_prefix("//:each ") else {
            let count = |line: String, (name, number): &(String, usize)| line.replace(name, &number.to_string());
            filled.push_str(&counted.iter().fold(lines[at].to_owned(), count));
            filled.push('\n');
            at += 1;
            continue;
        };
        let (name, size) = each.split_once(' ').expect("`//:each i NAME`");
        let times = sizes.iter().find(|(given, _)| *given == size).expect("the size is given").1;
        let end = at + 1 + end_of(&lines[at + 1..]);
        for number in 0..times {
            counted.push((format!("${name}"), number));
            repeat(&lines[at + 1..end], sizes, counted, filled);
            counted.pop();
        }
        at = end + 1;
    }
}

/// The line of the end that belongs to a repetition whose lines begin here.
fn end_of(lines: &[&str]) -> usize {
    let mut open = 1;
    let is_its_end = |line: &&str| {
        let line = line.trim();
        open += usize::from(line.starts_with("//:each "));
        open -= usize::from(line == "//:end");
        open == 0
    };
    lines.iter().position(is_its_end).expect("a repetition ends")
}

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn repetitions_nest_and_count() {
        let text = "a\n//:each i N\nb$i\n//:each j M\nc$i_$j\n//:end\n//:end\nd";
        let filled = template(text, &[("N", 2), ("M", 1)]);
        assert_eq!(filled, "const N = 2u;\nconst M = 1u;\na\nb0\nc0_0\nb1\nc1_0\nd\n");
    }
}
