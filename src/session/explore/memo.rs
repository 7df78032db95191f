//! The last result of something that need not be computed in every pass.

use std::cell::RefCell;
use std::rc::Rc;

/// One result, and what it was made from.
#[derive(Debug)]
pub struct Memo<K, V>(RefCell<Option<(K, Rc<V>)>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::new(None))
    }
}

impl<K: PartialEq, V> Memo<K, V> {
    /// The result for this key: the last one if it was asked for the same, else made anew.
    pub fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> Rc<V> {
        let mut held = self.0.borrow_mut();
        match &*held {
            Some((of, value)) if *of == key => Rc::clone(value),
            _ => {
                let value = Rc::new(make(&key));
                *held = Some((key, Rc::clone(&value)));
                value
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_for_each_key() {
        let memo = Memo::default();
        let made = std::cell::Cell::new(0);
        let double = |key: &i32| {
            made.set(made.get() + 1);
            key * 2
        };
        let found = [3, 3, 4, 4, 3].map(|key| *memo.get(key, double));
        assert_eq!((found, made.get()), ([6, 6, 8, 8, 6], 3));
    }
}
