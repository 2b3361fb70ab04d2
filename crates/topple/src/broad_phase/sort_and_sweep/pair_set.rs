//! A set of pairs that also knows the pairs of each proxy, all in constant time.
//!
//! The seed keeps a balanced tree of pairs; here it is a table, and every pair is in the lists of both its proxies, so
//! that the pairs of what moved can be told without looking at the others.

use crate::broad_phase::PairKey;
use crate::store::PairTable;

const NONE: u32 = u32::MAX;

/// A pair in the lists of its two proxies: side 0 is that of the smaller index.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: PairKey,
    next: [u32; 2],
    prev: [u32; 2],
}

impl Entry {
    /// Which of the two proxies this is.
    fn side(&self, proxy: u32) -> usize {
        usize::from((self.key >> 32) as u32 != proxy)
    }
}

/// See the module head.
#[derive(Clone, Debug, Default)]
pub(super) struct PairSet {
    table: PairTable,
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// First pair of each proxy.
    heads: Vec<u32>,
}

impl PairSet {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Makes room for proxies below `slots`.
    pub(super) fn resize(&mut self, slots: usize) {
        if self.heads.len() < slots {
            self.heads.resize(slots, NONE);
        }
    }

    /// Adds a pair; false if it was there.
    pub(super) fn insert(&mut self, key: PairKey) -> bool {
        if self.table.get(key).is_some() {
            return false;
        }
        let at = self.free.pop().unwrap_or(self.entries.len() as u32);
        let mut entry = Entry { key, next: [NONE; 2], prev: [NONE; 2] };
        for (side, proxy) in [(key >> 32) as u32, key as u32].into_iter().enumerate() {
            let first = core::mem::replace(&mut self.heads[proxy as usize], at);
            entry.next[side] = first;
            if let Some(other) = self.entries.get_mut(first as usize) {
                let theirs = other.side(proxy);
                other.prev[theirs] = at;
            }
        }
        if at as usize == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries[at as usize] = entry;
        }
        self.table.insert(key, at);
        true
    }

    /// Takes a pair out; false if it was not there.
    pub(super) fn remove(&mut self, key: PairKey) -> bool {
        let Some(at) = self.table.get(key) else { return false };
        let entry = self.entries[at as usize];
        for (side, proxy) in [(key >> 32) as u32, key as u32].into_iter().enumerate() {
            let (prev, next) = (entry.prev[side], entry.next[side]);
            match self.entries.get_mut(prev as usize) {
                Some(other) => {
                    let theirs = other.side(proxy);
                    other.next[theirs] = next;
                }
                None => self.heads[proxy as usize] = next,
            }
            if let Some(other) = self.entries.get_mut(next as usize) {
                let theirs = other.side(proxy);
                other.prev[theirs] = prev;
            }
        }
        self.table.remove(key);
        self.free.push(at);
        true
    }

    /// The pairs of a proxy.
    pub(super) fn of(&self, proxy: u32) -> impl Iterator<Item = PairKey> + '_ {
        let mut at = self.heads.get(proxy as usize).copied().unwrap_or(NONE);
        core::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.next[entry.side(proxy)];
            Some(entry.key)
        })
    }

    /// Takes out all pairs of a proxy.
    pub(super) fn remove_all(&mut self, proxy: u32) {
        while let Some(key) = { self.of(proxy).next() } {
            self.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_a_set() {
        let mut set = PairSet::default();
        set.resize(12);
        let mut expected = BTreeSet::new();
        let mut seed = 9_u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (a, b) = ((seed >> 33) % 12, (seed >> 45) % 12);
            if a == b {
                set.remove_all(a as u32);
                expected.retain(|key: &u64| key >> 32 != a && key & 0xFFFF_FFFF != a);
                continue;
            }
            let key = a.min(b) << 32 | a.max(b);
            if seed >> 60 < 8 {
                assert_eq!(set.insert(key), expected.insert(key));
            } else {
                assert_eq!(set.remove(key), expected.remove(&key));
            }
            for proxy in [a, b] {
                let mut found: Vec<_> = set.of(proxy as u32).collect();
                found.sort_unstable();
                let has = |key: &&u64| **key >> 32 == proxy || **key & 0xFFFF_FFFF == proxy;
                assert_eq!(found, expected.iter().filter(has).copied().collect::<Vec<_>>());
            }
        }
    }
}
