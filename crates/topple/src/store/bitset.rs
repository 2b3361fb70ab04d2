//! A growable set of small numbers, one bit each.

/// A set of u32 numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// True if `index` is in the set.
    #[inline]
    pub fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|w| w >> (index % 64) & 1 == 1)
    }

    /// Adds `index`.
    #[inline]
    pub fn insert(&mut self, index: u32) {
        let word = index as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (index % 64);
    }

    /// Takes `index` out.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        if let Some(word) = self.words.get_mut(index as usize / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// Empties the set; keeps the memory.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            core::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(i as u32 * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_in_order() {
        let mut set = BitSet::default();
        for i in [200, 3, 64, 63] {
            set.insert(i);
        }
        set.remove(3);
        set.remove(5000);
        assert_eq!(set.iter().collect::<Vec<_>>(), [63, 64, 200]);
        assert!(set.contains(200) && !set.contains(3) && !set.contains(100_000));
    }
}
