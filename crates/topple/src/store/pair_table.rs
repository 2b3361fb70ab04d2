//! A hash table from pair keys (two indices in one number) to indices: open addressing, linear probing, removal by shifting back.
//!
//! DETERMINISM: only looked up, never iterated; its layout cannot be seen in the result.

use crate::trusted::prefetch;

const EMPTY: u64 = u64::MAX;
/// At most 2 of 3 places are taken: about two probes for a pair that is there, five for one that is not.
const FILL: (usize, usize) = (2, 3);

/// Pair key → index.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairTable {
    keys: Vec<u64>,
    values: Vec<u32>,
    count: usize,
}

/// Mixes all bits of the key: sequential indices would otherwise cluster.
#[inline]
fn hash(key: u64) -> u64 {
    let h = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h ^ h >> 29
}

impl PairTable {
    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn start(&self, key: u64) -> usize {
        hash(key) as usize & (self.keys.len() - 1)
    }

    /// The index of the pair.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        if self.keys.is_empty() {
            return None;
        }
        let mask = self.keys.len() - 1;
        let mut at = self.start(key);
        while self.keys[at] != EMPTY {
            if self.keys[at] == key {
                return Some(self.values[at]);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Tells the processor that this pair will be looked up or added soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        if !self.keys.is_empty() {
            let at = self.start(key);
            prefetch(&self.keys, at);
            prefetch(&self.values, at);
        }
    }

    /// Adds a pair that is not there yet.
    pub(crate) fn insert(&mut self, key: u64, value: u32) {
        self.reserve(1);
        self.place(key, value);
        self.count += 1;
    }

    fn place(&mut self, key: u64, value: u32) {
        let mask = self.keys.len() - 1;
        let mut at = self.start(key);
        while self.keys[at] != EMPTY {
            debug_assert_ne!(self.keys[at], key, "pair inserted twice");
            at = (at + 1) & mask;
        }
        self.keys[at] = key;
        self.values[at] = value;
    }

    /// Makes room for `additional` more pairs.
    pub(crate) fn reserve(&mut self, additional: usize) {
        let needed = self.count + additional;
        if needed * FILL.1 > self.keys.len() * FILL.0 {
            self.grow((needed * FILL.1).div_ceil(FILL.0).next_power_of_two().max(16));
        }
    }

    fn grow(&mut self, capacity: usize) {
        let keys = core::mem::replace(&mut self.keys, vec![EMPTY; capacity]);
        // PERF: not zero, so that the memory is written, and handed out by the system, now.
        let values = core::mem::replace(&mut self.values, vec![u32::MAX; capacity]);
        for (key, value) in keys.into_iter().zip(values) {
            if key != EMPTY {
                self.place(key, value);
            }
        }
    }

    /// Takes a pair out.
    pub(crate) fn remove(&mut self, key: u64) {
        if self.keys.is_empty() {
            return;
        }
        let mask = self.keys.len() - 1;
        let mut hole = self.start(key);
        loop {
            if self.keys[hole] == EMPTY {
                return;
            }
            if self.keys[hole] == key {
                break;
            }
            hole = (hole + 1) & mask;
        }
        self.count -= 1;
        // Entries behind the hole move up unless that would put them before their start.
        let mut at = (hole + 1) & mask;
        while self.keys[at] != EMPTY {
            let start = self.start(self.keys[at]);
            if (at.wrapping_sub(start) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.keys[hole] = self.keys[at];
                self.values[hole] = self.values[at];
                hole = at;
            }
            at = (at + 1) & mask;
        }
        self.keys[hole] = EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn behaves_like_a_map() {
        let mut table = PairTable::default();
        let mut map = BTreeMap::new();
        let mut seed = 12345_u64;
        for step in 0..20_000_u32 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = (((seed >> 33) % 700) << 32) | ((seed >> 40) % 3);
            if seed >> 60 < 9 && !map.contains_key(&key) {
                table.insert(key, step);
                map.insert(key, step);
            } else {
                table.remove(key);
                map.remove(&key);
            }
            assert_eq!(table.get(key), map.get(&key).copied());
        }
        assert_eq!(table.len(), map.len());
        assert!(map.iter().all(|(&key, &value)| table.get(key) == Some(value)));
    }
}
