//! Items in no order, handed out to whoever owns them.
//!
//! **Why it is sound.** Each item has at most one owner: the number found for it in arrays that are borrowed for as long as the items
//! are, and so do not change. A piece of work gets the numbers of its own block ([`super::pieces`]), and every access looks whether
//! the item's owner is one of them. So two pieces never get the same item, whatever is in the arrays. Within a piece the borrow of
//! [`Mine`] sees to it that there is but one reference.

use super::pieces::{Cut, IntoCut, Shared};
use core::ops::Range;

/// Number of an item that nobody owns.
const NOBODY: u32 = u32::MAX;

/// Who owns each item.
#[derive(Clone, Copy)]
pub(crate) struct Owners<'a> {
    /// Number of the owner; `u32::MAX`, or the end of the array, for nobody.
    direct: &'a [u32],
    /// Of items that have no number of their own: the item whose owner is theirs too.
    heads: &'a [u32],
}

impl<'a> Owners<'a> {
    /// The owner of item i is `direct[i]`, if that is a number; else that of item `heads[i]`, if there is one.
    pub(crate) fn new(direct: &'a [u32], heads: &'a [u32]) -> Self {
        Self { direct, heads }
    }

    #[inline(always)]
    fn of(&self, index: usize) -> u32 {
        match self.direct.get(index) {
            Some(&owner) if owner != NOBODY => owner,
            _ => self.through_head(index),
        }
    }

    #[cold]
    fn through_head(&self, index: usize) -> u32 {
        let head = self.heads.get(index).copied().unwrap_or(NOBODY);
        self.direct.get(head as usize).copied().unwrap_or(NOBODY)
    }
}

/// Items that are handed out by their owners' numbers.
pub(crate) struct Owned<'a, T> {
    items: Shared<'a, T>,
    owners: Owners<'a>,
}

impl<'a, T> Owned<'a, T> {
    /// Memory of all items.
    pub(crate) fn bytes(&self) -> usize {
        self.items.len() * size_of::<T>()
    }

    pub(crate) fn new(items: &'a mut [T], owners: Owners<'a>) -> Self {
        Self { items: Shared::new(items), owners }
    }
}

/// The items of some owners.
pub(crate) struct Mine<'a, T> {
    items: Shared<'a, T>,
    owners: Owners<'a>,
    /// Owners `from..=from + more`.
    from: u32,
    more: u32,
}

impl<'a, T> Mine<'a, T> {
    /// All items, for who has them anyway.
    pub(crate) fn all(items: &'a mut [T]) -> Self {
        Self { items: Shared::new(items), owners: Owners::new(&[], &[]), from: 0, more: u32::MAX }
    }

    /// The items of some owners.
    ///
    /// # Safety
    /// Nobody else has these owners.
    #[inline(always)]
    pub(super) unsafe fn of(items: Shared<'a, T>, owners: Owners<'a>, numbers: &Range<usize>) -> Self {
        assert!(numbers.start < numbers.end && numbers.end < NOBODY as usize, "owners with numbers");
        Self { items, owners, from: numbers.start as u32, more: (numbers.end - numbers.start - 1) as u32 }
    }

    /// Tells the processor that an item will be needed soon. Any index will do.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        self.items.prefetch(index);
    }

    /// An item of ours.
    ///
    /// # Panics
    /// If it belongs to another.
    #[inline(always)]
    pub(crate) fn get(&mut self, index: usize) -> &mut T {
        let owner = self.owners.of(index);
        assert!(owner.wrapping_sub(self.from) <= self.more, "item {index} belongs to another");
        // SAFETY: it belongs to one of our owners, whom nobody else has; and we are borrowed until the reference ends.
        unsafe { self.items.item(index) }
    }
}

// SAFETY: blocks of numbers have nothing in common, and so neither have their items. Numbers of blocks are below `NOBODY`.
unsafe impl<'a, T: Send> Cut for Owned<'a, T> {
    type Part = Mine<'a, T>;

    /// As many as there are owners, which the items do not tell.
    fn pieces(&self, _: usize) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn part(&self, piece: usize, size: usize) -> Self::Part {
        let from = piece * size;
        // SAFETY: the numbers of this piece, asked for once.
        unsafe { Mine::of(self.items, self.owners, &(from..from + size)) }
    }
}

impl<T: Send> IntoCut for Owned<'_, T> {
    type Cut = Self;
    fn into_cut(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Pool;
    use crate::trusted::{Each, in_pieces};

    const NONE: u32 = NOBODY;

    #[test]
    fn owners_get_their_items_and_no_others() {
        // Places of a list of five: items 3, 0, 7, 4, 1. Item 6 follows item 7, item 5 nobody.
        let places = [1, 4, NONE, 0, 3, NONE, NONE, 2];
        let heads = [NONE, NONE, NONE, NONE, NONE, 2, 7];
        let list = [3, 0, 7, 4, 1];
        let mut items = [0; 8];
        let mut refused = [0; 3];
        let owned = Owned::new(&mut items, Owners::new(&places, &heads));
        in_pieces(&Pool::new(2), 2, (Each::of(&mut refused), owned), |piece, (refused, mut mine)| {
            for &index in list.iter().skip(2 * piece).take(2) {
                *mine.get(index) += 1;
            }
            if piece == 1 {
                *mine.get(6) += 1;
            }
            for index in 0..9 {
                let attempt = std::panic::AssertUnwindSafe(|| *mine.get(index) += 1);
                *refused += usize::from(std::panic::catch_unwind(attempt).is_err());
            }
        });
        assert_eq!(refused, [7, 6, 8], "all but their own");
        assert_eq!(items, [2, 2, 0, 2, 2, 0, 2, 2]);
    }

    #[test]
    fn all_of_them() {
        let mut items = [1, 2];
        *Mine::all(&mut items).get(1) = 3;
        assert_eq!(items, [1, 3]);
    }
}
