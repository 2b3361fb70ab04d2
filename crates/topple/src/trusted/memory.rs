//! Memory: arrays that are zero without having been written, arrays that begin with a cache line, and asking for memory ahead.

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
    let Row { write_a, write_b, count, bounces, rolls, grains, turns, n, inv_ma, inv_mb, points } = row;
    zero([write_a, write_b, count, rolls, grains]);
    zero([bounces, turns]);
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

/// Makes the array `count` long without copying what was there: items that are new, or all of them, are zero. Memory fresh from the
/// system is zero already, and is not touched before it is used.
pub(crate) fn fit_zeroed<T: Zero>(items: &mut Vec<T>, count: usize) {
    // SAFETY: all bits zero are a valid `T`.
    let blank = unsafe { core::mem::zeroed::<T>() };
    if count <= items.capacity() {
        items.resize(count, blank);
        return;
    }
    let roomy = count.max(items.capacity() + items.capacity() / 4);
    *items = Vec::new();
    let layout = std::alloc::Layout::array::<T>(roomy);
    let Some(layout) = layout.ok().filter(|layout| layout.size() > 0) else {
        return items.resize(count, blank);
    };
    // SAFETY: the layout is that of `roomy` items and not empty; the memory is zero, which is `roomy` valid items, from the allocator
    // that `Vec` uses.
    unsafe {
        let memory = std::alloc::alloc_zeroed(layout);
        if memory.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        *items = Vec::from_raw_parts(memory.cast::<T>(), roomy, roomy);
    }
    items.truncate(count);
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// A list of items that starts with a cache line. From the allocator, lists begin anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Lines<T: Copy> {
    lines: Vec<Line>,
    /// How many items the lines hold: all of them written.
    len: usize,
    of: PhantomData<T>,
}

impl<T: Copy> Lines<T> {
    /// An item may begin wherever a line does.
    const FITS: () = assert!(align_of::<T>() <= LINE && LINE.is_multiple_of(align_of::<T>()));

    pub(crate) fn new() -> Self {
        let () = Self::FITS;
        Self { lines: Vec::new(), len: 0, of: PhantomData }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds copies of `item`, or forgets the last ones.
    pub(crate) fn resize(&mut self, len: usize, item: T) {
        let bytes = len.checked_mul(size_of::<T>()).expect("less than all memory there could be");
        let lines = bytes.div_ceil(LINE);
        if lines > self.lines.len() {
            room::fit(&mut self.lines, lines, Line([0; LINE]));
        }
        let first: *mut T = self.lines.as_mut_ptr().cast();
        for at in self.len..len {
            // SAFETY: `at` is below `len`, for which there are lines, and items may begin there.
            unsafe { first.add(at).write(item) };
        }
        self.len = len;
    }
}

impl<T: Copy> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` items were written from the start of the lines on, which are aligned for them. An empty list of lines has an
        // aligned pointer too.
        unsafe { core::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Copy> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the list is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
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
    fn zeroed_arrays_are_long_enough_and_zero() {
        let mut items = vec![7_u64; 3];
        for count in [3, 5, 4, 2000, 10, 2100, 5000, 0, 6000] {
            fit_zeroed(&mut items, count);
            assert_eq!(items.len(), count);
            assert!(count <= 5 || items[5..].iter().all(|&x| x == 0));
        }
        let mut nothing = vec![[7_u8; 0]; 3];
        fit_zeroed(&mut nothing, 10);
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
