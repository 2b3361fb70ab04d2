//! Memory: arrays that begin with a cache line, that are zero without having been written, and asking for memory ahead.

use super::crowd::Ends;
use super::lanes::F8;
use crate::solver::soft_step::rows::{FrictionRow, Point, Row, Twist};
use crate::store::room;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// Values for which all bits zero are valid.
///
/// # Safety
/// They are.
pub(crate) unsafe trait Zero: Copy {}

// SAFETY: numbers, and false.
unsafe impl Zero for f32 {}
// SAFETY: as above.
unsafe impl Zero for u8 {}
// SAFETY: as above.
unsafe impl Zero for u32 {}
// SAFETY: as above.
unsafe impl Zero for u64 {}
// SAFETY: as above.
unsafe impl Zero for bool {}
// SAFETY: zero if its items are.
unsafe impl<T: Zero, const N: usize> Zero for [T; N] {}

// SAFETY: its numbers are zero.
unsafe impl Zero for F8 {}
// SAFETY: zero if its fields are: see `fields_of_rows`.
unsafe impl<const N: usize, const A: usize, const P: usize> Zero for Row<N, A, P> {}
// SAFETY: as above.
unsafe impl<const A: usize, const T: usize, const K: usize, const P: usize> Zero for FrictionRow<A, T, K, P> {}
// SAFETY: as above.
unsafe impl<const A: usize> Zero for Point<A> {}
// SAFETY: as above.
unsafe impl<const A: usize, const P: usize> Zero for Twist<A, P> {}

// SAFETY: as above.
unsafe impl Zero for Ends {}

/// Never called: does not compile if some row has a field that may not be zero.
#[allow(dead_code)]
fn fields_of_rows<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
    row: Row<N, A, P>,
    friction: FrictionRow<A, T, K, P>,
    point: Point<A>,
    twist: Twist<A, P>,
    Ends { slots, writes }: Ends,
) {
    fn zero<T: Zero>(_: T) {}
    let Row { write_a, write_b, count, bounces, rolls, grains, turns, meets, lands, settles, .. } = row;
    let Row { n, inv_ma, inv_mb, points, .. } = row;
    zero([write_a, write_b, count, rolls, grains, turns, meets, lands, settles]);
    zero([bounces]);
    zero(n);
    zero([inv_ma, inv_mb]);
    zero(points);
    let FrictionRow { ja, jb, mass, lambda, target, mu, mu_static, twist: twists } = friction;
    zero([ja, jb]);
    zero(mass);
    zero([lambda, target]);
    zero([mu, mu_static]);
    zero(twists);
    let Point { ja, jb, mass, s0, lambda, load } = point;
    zero([ja, jb]);
    zero([mass, s0, lambda, load]);
    let Twist { ja, jb, mass, lambda, lever } = twist;
    zero([ja, jb]);
    zero([mass, lambda]);
    zero(lever);
    zero(slots);
    zero(writes);
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// What memory is asked for in [bytes]: no more than what allocators align to anyway. Whatever asks for more is copied when it grows, and filled by hand
/// when it is to be zero; large blocks of words are moved by the system without copying, and are zero when they come.
const WORD: usize = size_of::<u64>();

/// Lists that are fitted grow by one part of so many at least.
const ROOM: usize = 32;

/// A list of items that starts with a cache line. From the allocator, lists begin anywhere.
#[derive(Debug)]
pub(crate) struct Lines<T: Copy> {
    /// A little more than the items need. Wherever an item would be, there is one or all bits are zero.
    words: Vec<u64>,
    /// Words before the first line; always what the address of the words asks for.
    start: usize,
    /// How many items there are: all of them written, or zero where that is an item.
    len: usize,
    of: PhantomData<T>,
}

impl<T: Copy> Lines<T> {
    /// An item may begin wherever a line does.
    const FITS: () = assert!(align_of::<T>() <= LINE && LINE.is_multiple_of(align_of::<T>()));

    pub(crate) fn new() -> Self {
        let () = Self::FITS;
        Self::of_words(Vec::new(), 0)
    }

    fn of_words(words: Vec<u64>, len: usize) -> Self {
        let start = words.as_ptr().align_offset(LINE);
        Self { words, start, len, of: PhantomData }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Words for so many items, wherever the first line begins.
    fn words_for(len: usize) -> usize {
        let bytes = len.checked_mul(size_of::<T>()).expect("less than all memory there could be");
        if bytes == 0 { 0 } else { bytes.div_ceil(WORD) + LINE / WORD }
    }

    /// The first item, aligned for it; a place for none if there are no words.
    #[inline(always)]
    fn first(&self) -> *const T {
        self.words.as_ptr().wrapping_add(self.start).cast()
    }

    #[inline(always)]
    fn first_mut(&mut self) -> *mut T {
        self.words.as_mut_ptr().wrapping_add(self.start).cast()
    }

    /// Memory for so many items; those that are there stay.
    fn make_room(&mut self, len: usize) {
        let words = Self::words_for(len);
        if words <= self.words.len() {
            return;
        }
        let (old_start, used) = (self.start, self.words.len() - self.start.min(self.words.len()));
        room::fit(&mut self.words, words, 0);
        self.start = self.words.as_ptr().align_offset(LINE);
        if self.start != old_start && used > 0 {
            // The new place is another part of a line: everything moves by a few words, zeros that are not yet items included.
            let moved = used.min(self.words.len() - self.start);
            let base: *mut core::mem::MaybeUninit<u64> = self.words.as_mut_ptr().cast();
            // SAFETY: `used` words from the old start on were all that there was, and the list has only grown since; from the new start on there are
            // at least `moved`. What becomes free at the front is no item any more.
            unsafe { core::ptr::copy(base.add(old_start), base.add(self.start), moved) };
            // What was moved to the front is not left behind it: no item would be in line with it.
            let behind = self.start + moved..(old_start + used).max(self.start + moved);
            self.words[behind].fill(0);
        }
    }

    /// Makes room for `len` items in all and touches it, as `room::warm` does. Nothing is put in.
    pub(crate) fn warm(&mut self, len: usize) {
        self.make_room(len);
    }

    /// Adds copies of `item`, or forgets the last ones.
    pub(crate) fn resize(&mut self, len: usize, item: T) {
        self.make_room(len);
        let first = self.first_mut();
        for at in self.len..len {
            // SAFETY: `at` is below `len`, for which there are words after the start, and items may begin there.
            unsafe { first.add(at).write(item) };
        }
        self.len = len;
    }
}

impl<T: Zero> Lines<T> {
    /// Makes the list `len` long. Items are what they were, or what was there in their place before, or zero. Memory fresh from the system is zero
    /// already, and is not touched before it is used.
    pub(crate) fn fit(&mut self, len: usize) {
        if self.words.is_empty() {
            *self = Self::of_words(vec![0; Self::words_for(len)], 0);
        }
        let words = Self::words_for(len);
        if words > self.words.len() {
            // Less than lists that grow one by one: this one grows once in a step, and is the largest of all.
            let roomy = self.words.len() + self.words.len() / ROOM;
            room::reserve(&mut self.words, words.max(roomy));
        }
        self.make_room(len);
        self.len = len;
    }
}

impl<T: Copy> Default for Lines<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy> Clone for Lines<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        if let Some(&item) = self.first_chunk::<1>().map(|[item]| item) {
            copy.resize(self.len, item);
            copy.copy_from_slice(self);
        }
        copy
    }
}

impl<T: Copy> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: from the start on there are words for `len` items, all of them written, or zero where that is an item; the start is aligned for
        // them, and is so without any words too.
        unsafe { core::slice::from_raw_parts(self.first(), self.len) }
    }
}

impl<T: Copy> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the list is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.first_mut(), self.len) }
    }
}

/// Tells the processor that an element may be needed soon, where there is a way to. Any index will do.
#[inline(always)]
pub(crate) fn prefetch<T>(list: &[T], index: usize) {
    prefetch_at(list.as_ptr().wrapping_add(index).cast());
}

/// [`prefetch`] for the last bytes of an element that fills more than one cache line.
#[inline(always)]
pub(crate) fn prefetch_end<T>(list: &[T], index: usize) {
    prefetch_at(list.as_ptr().wrapping_add(index).wrapping_add(1).cast::<u8>().wrapping_sub(1));
}

/// [`prefetch`] for all lines of an element.
#[inline(always)]
pub(crate) fn prefetch_whole<T>(list: &[T], index: usize) {
    prefetch_lines(list.as_ptr(), index);
}

/// The same for a list that starts at `start`.
#[inline(always)]
pub(super) fn prefetch_lines<T>(start: *const T, index: usize) {
    for byte in (0..size_of::<T>()).step_by(LINE) {
        prefetch_at(start.wrapping_add(index).cast::<u8>().wrapping_add(byte));
    }
}

#[inline(always)]
fn prefetch_at(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and the worst that a prefetch of any address at all can be is useless.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_lists_are_zero_and_warm_ones_keep_their_room() {
        let mut items = Lines::<[u32; 6]>::new();
        for count in [3, 5, 4, 2000, 10, 2100, 5000, 0, 6000] {
            items.fit(count);
            assert_eq!(items.len(), count);
            assert!(items.iter().all(|item| *item == [0; 6]));
            assert!(items.as_ptr().addr().is_multiple_of(LINE), "starts with a line");
        }
        items[7] = [7; 6];
        for count in [1, 6001, 20_000, 20_100, 300_000] {
            items.warm(count);
            assert_eq!((items.len(), items[7]), (6000, [7; 6]));
            assert!(items.as_ptr().addr().is_multiple_of(LINE), "starts with a line");
        }
        let at = items.as_ptr();
        items.fit(300_000);
        assert_eq!((items.as_ptr(), items[7], items[299_999]), (at, [7; 6], [0; 6]));
        let mut nothing = Lines::<[u8; 0]>::new();
        nothing.fit(10);
        assert_eq!(nothing.len(), 10);
    }

    #[test]
    fn lists_start_with_a_line_and_keep_what_is_put_in() {
        let mut items = Lines::<[u32; 6]>::new();
        assert!(items.is_empty());
        for i in 0..100 {
            items.resize(i + 1, [i as u32; 6]);
        }
        items.resize(7, [0; 6]);
        items.resize(300, [5; 6]);
        assert_eq!(items.len(), 300);
        assert!(items.iter().enumerate().all(|(i, item)| *item == [if i < 7 { i as u32 } else { 5 }; 6]));
        items[3][5] = 9;
        assert_eq!(items.clone()[3], [3, 3, 3, 3, 3, 9]);
        assert!(items.as_ptr().addr().is_multiple_of(LINE), "starts with a line");
        items.clear();
        assert!(items.is_empty());
    }

    #[test]
    fn any_address_may_be_asked_for() {
        let list = [[0_u8; 100]; 3];
        for index in [0, 2, 3, 1 << 40, usize::MAX] {
            prefetch(&list, index);
            prefetch_end(&list, index);
            prefetch_whole(&list, index);
        }
    }
}
