//! Work in parts, on the threads that there are.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// How many threads this machine runs at a time; 1 where there are none, as in a page.
pub fn available() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does all parts, each on whichever thread is free next. With one thread, or one part, on the caller's own.
pub fn each<T: Send>(threads: usize, parts: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let threads = threads.min(parts.len());
    if threads <= 1 {
        return parts.for_each(work);
    }
    let parts = Mutex::new(parts);
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(part) = next() {
                    work(part);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::each;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_part_is_done_once() {
        for threads in [0, 1, 2, 7, 100] {
            let done: Vec<AtomicUsize> = (0..50).map(|_| AtomicUsize::new(0)).collect();
            each(threads, done.iter(), |part| {
                part.fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1), "{threads} threads");
        }
    }
}
