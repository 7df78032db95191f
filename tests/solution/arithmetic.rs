//! Computes every printed equality again.

use crate::read::{matrices, number};

/// Reads arithmetic in LaTeX and computes it, knowing nothing of how it was written.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn value_of(text: &str) -> f64 {
        let mut reader = Reader(text);
        let value = reader.sum();
        if reader.0.trim().is_empty() { value } else { f64::NAN }
    }

    fn takes(&mut self, word: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn sum(&mut self) -> f64 {
        let mut sum = self.product();
        loop {
            if self.takes("+") {
                sum += self.product();
            } else if self.takes("-") {
                sum -= self.product();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> f64 {
        let mut product = self.factor();
        while self.takes("\\times") {
            product *= self.factor();
        }
        product
    }

    fn factor(&mut self) -> f64 {
        if self.takes("-") {
            return -self.factor();
        }
        if self.takes("\\infty") {
            return f64::INFINITY;
        }
        if self.takes("(") {
            let value = self.closed(")");
            return if self.takes("^{") { value.powf(self.closed("}")) } else { value };
        }
        if self.takes("\\frac{") {
            let above = self.closed("}");
            return if self.takes("{") { above / self.closed("}") } else { f64::NAN };
        }
        if self.takes("\\sqrt{") {
            return self.closed("}").sqrt();
        }
        if self.takes("e^{") {
            return self.closed("}").exp();
        }
        for (name, function) in [("\\tanh(", f64::tanh as fn(f64) -> f64), ("\\sin(", f64::sin), ("\\cos(", f64::cos)] {
            if self.takes(name) {
                return function(self.closed(")"));
            }
        }
        if self.takes("\\max(") {
            let mut most = self.sum();
            while self.takes(",") {
                most = most.max(self.sum());
            }
            return if self.takes(")") { most } else { f64::NAN };
        }
        self.takes("");
        let end = self.0.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        let number: f64 = digits.parse().unwrap_or(f64::NAN);
        if self.takes("\\cdot 10^{") {
            return number * 10f64.powf(self.closed("}"));
        }
        if self.takes("^{") { number.powf(self.closed("}")) } else { number }
    }

    fn closed(&mut self, bracket: &str) -> f64 {
        let value = self.sum();
        if self.takes(bracket) { value } else { f64::NAN }
    }
}

/// Every line of arithmetic whole: equalities and sums that were broken are joined again.
pub fn on_one_line(text: &str) -> String {
    text.replace(" \\\\\n &= ", " = ").replace(" \\\\\n &\\quad + ", " + ")
}

/// The first equality of a text whose sides differ, and how many there are.
pub fn unequal(text: &str, tolerance: f64) -> (Option<String>, usize) {
    let joined = on_one_line(text);
    let mut count = 0;
    // (With a power of ten, at most four digits are written.)
    let is_whole = |line: &&str| !line.contains("\\cdots") && !line.contains("\\cdot 10");
    for line in joined.lines().filter(|line| line.contains(" &= ")).filter(is_whole) {
        let (_, right) = line.split_once(" &= ").unwrap();
        let sides: Vec<f64> = right.trim_end_matches("\\\\").split(" = ").map(Reader::value_of).collect();
        let last = *sides.last().unwrap();
        for &side in &sides {
            count += 1;
            if !(side == last || (side - last).abs() <= tolerance * last.abs().max(1.0)) {
                return (Some(format!("{line}: {sides:?}")), count);
            }
        }
    }
    (None, count)
}

/// In a key without a number given, every block of lines is about the matrix that follows, number by number.
pub fn unlike_the_matrix(key: &str) -> Option<String> {
    for block in key.split("\\begin{aligned}\n").skip(1) {
        let (lines, after) = block.split_once("\n\\end{aligned}").unwrap();
        let joined = on_one_line(lines);
        let last = |line: &str| number(line.trim_end_matches("\\\\").rsplit("= ").next().unwrap());
        let worked: Vec<f64> = joined.lines().map(last).collect();
        let (name, rows) = matrices(after).into_iter().next()?;
        if worked != rows.concat() {
            return Some(format!("{name}: {worked:?} {rows:?}"));
        }
    }
    None
}
