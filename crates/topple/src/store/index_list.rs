//! A list of u32 indices with back references: O(1) insertion, removal and membership.

use super::room;

/// A set of slot numbers in a dense list. Removal swaps the last one into the gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexList {
    items: Vec<u32>,
    /// Position of each index in `items`, `ABSENT` where it is not in the list.
    positions: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl IndexList {
    /// Makes room for `additional` more indices, all below `end`.
    pub(crate) fn reserve(&mut self, additional: usize, end: usize) {
        room::make_room(&mut self.items, additional);
        let missing = end.saturating_sub(self.positions.len());
        room::make_room(&mut self.positions, missing);
    }

    /// Makes room for all indices below `end`, and touches it.
    pub(crate) fn warm(&mut self, end: usize) {
        room::warm(&mut self.items, end);
        room::warm(&mut self.positions, end);
    }

    /// Adds `index` at the end. Does nothing if it is there already.
    pub fn insert(&mut self, index: u32) {
        if self.contains(index) {
            return;
        }
        if self.positions.len() <= index as usize {
            room::fit(&mut self.positions, index as usize + 1, ABSENT);
        }
        self.positions[index as usize] = self.items.len() as u32;
        room::push(&mut self.items, index);
    }

    /// Takes `index` out; the last item takes its place. True if it was there.
    pub fn remove(&mut self, index: u32) -> bool {
        let Some(position) = self.position(index) else { return false };
        self.items.swap_remove(position as usize);
        if let Some(&moved) = self.items.get(position as usize) {
            self.positions[moved as usize] = position;
        }
        self.positions[index as usize] = ABSENT;
        true
    }

    /// True if `index` is in the list.
    #[inline]
    pub fn contains(&self, index: u32) -> bool {
        self.position(index).is_some()
    }

    /// Where `index` stands in the list.
    #[inline]
    pub fn position(&self, index: u32) -> Option<u32> {
        self.positions.get(index as usize).copied().filter(|&p| p != ABSENT)
    }

    /// Position of every index, `u32::MAX` where absent. Shorter than the largest index if that was never inserted.
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// The indices in list order.
    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        &self.items
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Empties the list.
    pub fn clear(&mut self) {
        for &item in &self.items {
            self.positions[item as usize] = ABSENT;
        }
        self.items.clear();
    }

    /// Puts the indices in the order of `order`, which must be a permutation of the list.
    pub fn reorder(&mut self, order: &[u32]) {
        debug_assert_eq!(order.len(), self.items.len());
        self.items.copy_from_slice(order);
        for (position, &item) in order.iter().enumerate() {
            self.positions[item as usize] = position as u32;
        }
    }
}

impl FromIterator<u32> for IndexList {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Self {
        let mut list = Self::default();
        for item in items {
            list.insert(item);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_keeps_the_back_references() {
        let mut list: IndexList = [5, 2, 9].into_iter().collect();
        assert!(list.remove(5));
        assert!(!list.remove(5));
        assert_eq!(list.as_slice(), &[9, 2]);
        assert_eq!(list.position(9), Some(0));
        list.insert(9);
        assert_eq!(list.len(), 2);
        list.clear();
        assert!(list.is_empty() && !list.contains(2));
    }
}
