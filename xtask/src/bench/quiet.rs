//! Other programs on the machine: what is measured while they compute says little.

use std::time::Duration;

/// The part of the processors that must be idle for this long.
const IDLE: f64 = 0.9;
const MOMENT: Duration = Duration::from_millis(500);

/// Waits until nobody else computes, as long as there is patience left.
pub struct Quiet {
    /// For all measurements together.
    patience: Duration,
}

impl Quiet {
    pub fn new(patience: Duration) -> Self {
        Self { patience }
    }

    /// Says whether it became quiet.
    pub fn wait(&mut self) -> bool {
        while !is_now() {
            if !self.spend(MOMENT) {
                return false;
            }
        }
        true
    }

    /// Time was lost. Says whether some is left.
    pub fn spend(&mut self, time: Duration) -> bool {
        self.patience = self.patience.saturating_sub(time);
        !self.patience.is_zero()
    }
}

/// Takes a moment. A system that tells nothing counts as quiet.
pub fn is_now() -> bool {
    let times = || times(&std::fs::read_to_string("/proc/stat").ok()?);
    let before = times();
    std::thread::sleep(MOMENT);
    let (Some(before), Some(after)) = (before, times()) else { return true };
    let [idle, all] = [after.0 - before.0, after.1 - before.1];
    all <= 0.0 || idle / all >= IDLE
}

/// Of all processors since the start, idle and in all: the fourth and the fifth number are idle and waiting for a disk.
fn times(stat: &str) -> Option<(f64, f64)> {
    let numbers = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map(str::parse);
    let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
    // The first eight do not overlap.
    Some((numbers.get(3)? + numbers.get(4)?, numbers.iter().take(8).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        let mut quiet = Quiet::new(Duration::from_secs(3));
        let spent = [2, 2, 0].map(|seconds| quiet.spend(Duration::from_secs(seconds)));
        assert_eq!(spent, [true, false, false]);
    }

    #[test]
    fn waiting_for_a_disk_is_idle_too() {
        assert_eq!(times("cpu  1 2 3 40 50 6 7 8 100 100\ncpu0 …"), Some((90.0, 117.0)));
        assert_eq!(times("nothing"), None);
    }
}
