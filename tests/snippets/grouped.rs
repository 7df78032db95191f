use attnlab::attention::{Part, Problem, solve};

fn main() {
    let text = r#"{
  "format": "attnlab/1",
  "tokens": ["我", "爱", "你"],
  "inputs": {
    "x": [
      [1, 0.5],
      [-1, 2],
      [0.1, 1]
    ],
    "w_q": [
      [1, 0],
      [0, 1]
    ],
    "w_k": [
      [0.5],
      [1]
    ],
    "w_v": [
      [2],
      [-1]
    ],
    "b_q": [0.1, 0.2],
    "w_o": [
      [1],
      [0.5]
    ],
    "b_o": [3]
  },
  "heads": { "query": 2, "key_value": 1 },
  "mask": {
    "causal": "upper_left"
  }
}
"#;
    let problem = Problem::from_json(text).expect("the problem is in order");
    let trace = solve(&problem).expect("no step overflows");
    let output = &trace.get(Part::Output, 0).expect("every trace has an output").value;
    println!("{output}");

    let expected = [
        [5.25],
        [1.0453004963341477],
        [0.9485287806267038],
    ];
    for (row, numbers) in expected.iter().enumerate() {
        for (column, expected) in numbers.iter().enumerate() {
            let difference: f64 = output[(row, column)] - expected;
            assert!(difference.abs() <= 1e-12 * expected.abs().max(1.0), "[{row}][{column}]");
        }
    }
}
