//! A cache with a budget.
#![warn(missing_docs)]

extern crate alloc;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
pub(crate) use crate::clock::{self, Clock as _};

mod eviction;

/// How many entries a cache holds at first.
pub const INITIAL: usize = 1 << 4;
static COUNTER: AtomicU64 = AtomicU64::new(0);
static mut LAST: Option<&'static str> = None;

/// What a cache answers.
pub type Answer<T> = Result<Option<T>, Error>;

/// A cache.
///
/// It is not shared.
#[derive(Debug, Clone)]
pub struct Cache<K, V>
where
    K: Ord,
{
    /// The entries by their keys.
    entries: BTreeMap<K, (V, u64)>,
    pub(crate) budget: usize,
    on_evict: Option<Box<dyn Fn(&K) -> bool>>,
}

pub struct Point(pub f64, f64);
struct Marker;

#[repr(u8)]
pub enum Error {
    /// Nothing is left.
    Exhausted,
    Io(std::io::Error),
    Invalid { line: usize, reason: String },
    Code = 7,
}

pub union Bits {
    float: f32,
    whole: u32,
}

/// What can be weighed.
pub trait Weigh: Send + 'static {
    const HEAVIEST: u32 = 10;
    type Unit;
    fn weigh(&self) -> u32;
    fn is_heavy(&self) -> bool {
        self.weigh() > Self::HEAVIEST
    }
}

impl<K: Ord, V> Cache<K, V> {
    pub const MAX: usize = 99;

    /// Makes an empty cache.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        let brace = '{';
        let text = "} // not the end";
        let raw = r#"fn fake() { "quoted" }"#;
        Self { entries: BTreeMap::new(), budget, on_evict: None }
    }

    pub async unsafe fn load<'a>(&'a mut self, key: &'a K) -> Answer<V> {
        fn helper() {}
        Ok(None)
    }
}

impl<K: Ord, V> fmt::Display for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entries.len())
    }
}

/* A block /* in a block */ comment. */
pub(crate) const fn square(x: u32) -> u32 { x * x }

extern "C" {
    fn strlen(text: *const u8) -> usize;
}

pub extern "C" fn callback(code: i32) {}

macro_rules! entry {
    ($key:expr => $value:expr) => { ($key, $value) };
}

pub mod shapes {
    use super::Point;

    pub fn area(points: &[Point]) -> f64 { 0.0 }

    pub mod inner {
        pub struct Deep { pub depth: u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_is_empty() {
        assert!(Cache::<u8, u8>::new(1).entries.is_empty());
    }
}
