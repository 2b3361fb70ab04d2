//! Arrays cut into blocks, one per piece of work.
//!
//! **Why it is sound.** Block i of a cut into blocks of `size` is i·size..(i + 1)·size, so blocks with different numbers share nothing. An
//! executor runs each piece once: that is what the `unsafe` in `unsafe impl Executor` says. So a block is handed out once, while
//! the array is borrowed for as long as any block of it may live.

use super::memory::prefetch_lines;
use crate::exec::Executor;
use crate::store::room;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

/// What can be handed out piece by piece.
///
/// # Safety
/// Parts of different pieces have nothing in common.
pub(crate) unsafe trait Cut {
    /// What a piece gets.
    type Part;

    /// How many pieces there are if each gets `size` items; 0 if it does not say.
    fn pieces(&self, size: usize) -> usize;

    /// The part of a piece.
    ///
    /// # Safety
    /// Asked for once for every piece, with the same size.
    unsafe fn part(&self, piece: usize, size: usize) -> Self::Part;
}

/// An array that is being handed out.
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: as below.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: threads get `&mut T` of different items through it, which needs `T: Send`.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), length: slice.len(), borrow: PhantomData }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// # Safety
    /// While the result lives, nobody else uses item `index`.
    #[inline(always)]
    pub(super) unsafe fn item(&self, index: usize) -> &'a mut T {
        assert!(index < self.length, "item {index} of {}", self.length);
        // SAFETY: within the array, exclusive by the caller, alive for 'a.
        unsafe { &mut *self.start.add(index) }
    }

    /// Tells the processor that an item will be needed soon. Any index will do.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: usize) {
        prefetch_lines(self.start, index);
    }

    /// # Safety
    /// `index` is below the length. While the result lives, nobody writes the item.
    #[inline(always)]
    pub(super) unsafe fn shared<'p>(&self, index: usize) -> &'p T
    where
        'a: 'p,
    {
        debug_assert!(index < self.length);
        // SAFETY: by the caller; alive for 'a.
        unsafe { &*self.start.add(index) }
    }

    /// # Safety
    /// `index` is below the length. While the result lives, nobody else uses the item.
    #[inline(always)]
    pub(super) unsafe fn exclusive<'p>(&self, index: usize) -> &'p mut T
    where
        'a: 'p,
    {
        debug_assert!(index < self.length);
        // SAFETY: by the caller; alive for 'a.
        unsafe { &mut *self.start.add(index) }
    }

    /// All items, to read.
    ///
    /// # Safety
    /// While the result lives, nobody writes any of them.
    #[inline(always)]
    pub(super) unsafe fn all(&self) -> &'a [T] {
        // SAFETY: the whole array, not written by the caller, alive for 'a.
        unsafe { core::slice::from_raw_parts(self.start, self.length) }
    }

    /// Items `from..to`, as far as there are that many.
    ///
    /// # Safety
    /// While the result lives, nobody else uses these items.
    #[inline(always)]
    pub(super) unsafe fn range(&self, from: usize, to: usize) -> &'a mut [T] {
        let (from, to) = (from.min(self.length), to.min(self.length));
        // SAFETY: within the array, exclusive by the caller, alive for 'a.
        unsafe { core::slice::from_raw_parts_mut(self.start.add(from), to.saturating_sub(from)) }
    }
}

/// An array of which each piece gets one item.
pub(crate) struct Each<'a, T>(Shared<'a, T>);

impl<'a, T> Each<'a, T> {
    pub(crate) fn of(slice: &'a mut [T]) -> Self {
        Self(Shared::new(slice))
    }
}

/// An array of which each piece gets a block of `size` items.
pub(crate) struct Blocks<'a, T>(Shared<'a, T>);

// SAFETY: item i for piece i.
unsafe impl<'a, T: Send> Cut for Each<'a, T> {
    type Part = &'a mut T;

    fn pieces(&self, _: usize) -> usize {
        self.0.len()
    }

    #[inline(always)]
    unsafe fn part(&self, piece: usize, _: usize) -> Self::Part {
        // SAFETY: the item of this piece, asked for once.
        unsafe { self.0.item(piece) }
    }
}

// SAFETY: see the module head.
unsafe impl<'a, T: Send> Cut for Blocks<'a, T> {
    type Part = &'a mut [T];

    fn pieces(&self, size: usize) -> usize {
        self.0.len().div_ceil(size)
    }

    #[inline(always)]
    unsafe fn part(&self, piece: usize, size: usize) -> Self::Part {
        let from = piece.saturating_mul(size);
        // SAFETY: the block of this piece, asked for once.
        unsafe { self.0.range(from, from.saturating_add(size)) }
    }
}

/// What callers give, as something that can be cut: slices become [`Blocks`].
pub(crate) trait IntoCut {
    type Cut: Cut;
    fn into_cut(self) -> Self::Cut;
}

impl<'a, T: Send> IntoCut for &'a mut [T] {
    type Cut = Blocks<'a, T>;
    fn into_cut(self) -> Self::Cut {
        Blocks(Shared::new(self))
    }
}

impl<'a, T: Send> IntoCut for &'a mut Vec<T> {
    type Cut = Blocks<'a, T>;
    fn into_cut(self) -> Self::Cut {
        Blocks(Shared::new(self))
    }
}

impl<'a, T: Send> IntoCut for Each<'a, T> {
    type Cut = Self;
    fn into_cut(self) -> Self {
        self
    }
}

macro_rules! together {
    ($($name:ident $index:tt),*) => {
        // SAFETY: parts have nothing in common if they have not in any of the arrays.
        unsafe impl<$($name: Cut),*> Cut for ($($name,)*) {
            type Part = ($($name::Part,)*);

            fn pieces(&self, size: usize) -> usize {
                0 $(.max(self.$index.pieces(size)))*
            }

            #[inline(always)]
            unsafe fn part(&self, piece: usize, size: usize) -> Self::Part {
                // SAFETY: by the caller.
                unsafe { ($(self.$index.part(piece, size),)*) }
            }
        }

        impl<$($name: IntoCut),*> IntoCut for ($($name,)*) {
            type Cut = ($($name::Cut,)*);
            fn into_cut(self) -> Self::Cut {
                ($(self.$index.into_cut(),)*)
            }
        }
    };
}

together!(A 0, B 1);
together!(A 0, B 1, C 2);
together!(A 0, B 1, C 2, E 3);
together!(A 0, B 1, C 2, E 3, F 4);

/// In which order pieces begin: each number below its length once.
#[derive(Debug, Default)]
pub(crate) struct Order(Vec<u32>);

/// Parts of each group that are dealt out in turns.
const TURNS: usize = 16;

impl Order {
    /// Pieces of several groups, one group after the other, of which each ends before piece `ends[i]`: first the first sixteenth of every group, then the second, and so on.
    /// Threads that begin at opposite ends then meet the same share of every group, as they do where groups come one by one.
    pub(crate) fn deal(&mut self, ends: impl Iterator<Item = usize> + Clone) {
        self.0.clear();
        for turn in 0..TURNS {
            let mut start = 0;
            for end in ends.clone() {
                // Whatever the ends are, groups do not overlap and leave nothing out.
                let count = end.saturating_sub(start);
                let at = |turn: usize| (start + count * turn / TURNS) as u32;
                self.0.extend(at(turn)..at(turn + 1));
                start += count;
            }
        }
    }

    /// The order of their numbers.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

/// As [`in_pieces`], but pieces begin in the order given, if it is one of that many pieces.
pub(crate) fn in_order<C: IntoCut>(
    executor: &dyn Executor,
    (size, order): (usize, &Order),
    arrays: C,
    work: impl Fn(usize, <C::Cut as Cut>::Part) + Sync,
) where
    C::Cut: Sync,
{
    let arrays = arrays.into_cut();
    let count = arrays.pieces(size);
    let order = if order.0.len() == count { &order.0[..] } else { &[] };
    executor.run(count, &|turn| {
        let piece = order.get(turn).map_or(turn, |&piece| piece as usize);
        // SAFETY: executors run every turn once, and an order has every piece once.
        let part = unsafe { arrays.part(piece, size) };
        work(piece, part);
    });
}

/// Cuts arrays into blocks of `size` and calls `work(i, block i of each)` for all of them, on the threads of the executor. Arrays that
/// are shorter than others give shorter blocks, and empty ones.
pub(crate) fn in_pieces<C: IntoCut>(
    executor: &dyn Executor,
    size: usize,
    arrays: C,
    work: impl Fn(usize, <C::Cut as Cut>::Part) + Sync,
) where
    C::Cut: Sync,
{
    let arrays = arrays.into_cut();
    executor.run(arrays.pieces(size), &|piece| {
        // SAFETY: executors run every piece once.
        let part = unsafe { arrays.part(piece, size) };
        work(piece, part);
    });
}

/// Adds `count` items at the end of a list: `make(i)` for the i-th of them, which `fill` then sees in its place, in pieces of `size`, on the threads of
/// the executor.
///
/// PERF: large items are not copied into their places if `make` is simple enough to be written there at once.
pub(crate) fn extend_in_pieces<T: Send>(
    executor: &dyn Executor,
    size: usize,
    items: &mut Vec<T>,
    count: usize,
    make: impl Fn(usize) -> T + Sync,
    fill: impl Fn(&mut T) + Sync,
) {
    room::make_room(items, count);
    let (before, made) = (items.len(), AtomicUsize::new(0));
    in_pieces(executor, size, &mut items.spare_capacity_mut()[..count], |piece, places| {
        for (i, place) in places.iter_mut().enumerate() {
            fill(place.write(make(piece * size + i)));
        }
        made.fetch_add(places.len(), Ordering::Release);
    });
    assert_eq!(made.load(Ordering::Acquire), count, "all pieces have run");
    // SAFETY: the places lie behind the last item, there are `count` of them, and all have been written.
    unsafe { items.set_len(before + count) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{Pool, Serial};

    #[test]
    fn orders_have_every_piece_once_whatever_the_groups() {
        let mut order = Order::default();
        let groups: [&[usize]; 6] = [&[], &[0, 0], &[5], &[3, 40, 40, 73], &[9, 4, 12], &[100, 101, 1000]];
        for ends in groups {
            order.deal(ends.iter().copied());
            let mut seen = order.0.clone();
            seen.sort_unstable();
            let count = ends.iter().max().map_or(0, |&most| most as u32);
            assert!(seen.into_iter().eq(0..count), "{ends:?}");
        }
        // Half of the turns are half of each group.
        order.deal([32, 96].into_iter());
        let half = &order.0[..48];
        assert!(half.iter().all(|piece| (0..16).contains(piece) || (32..64).contains(piece)), "{half:?}");
    }

    #[test]
    fn pieces_in_order_are_all_done_once() {
        let mut order = Order::default();
        for executor in [&Serial as &dyn Executor, &Pool::new(3)] {
            for ends in [&[4, 11][..], &[4, 10], &[]] {
                order.deal(ends.iter().copied());
                let mut items = vec![0; 77];
                in_order(executor, (7, &order), &mut items, |piece, items| {
                    items.iter_mut().for_each(|item| *item += piece + 1);
                });
                assert!(items.iter().enumerate().all(|(i, &item)| item == i / 7 + 1));
            }
        }
    }

    #[test]
    fn lists_grow_in_pieces() {
        for executor in [&Serial as &dyn Executor, &Pool::new(3)] {
            for count in [0, 1, 6, 7, 8, 100] {
                let mut items = vec!["first".to_string()];
                extend_in_pieces(executor, 7, &mut items, count, |i| i.to_string(), |item| item.push('.'));
                assert_eq!(items.len(), count + 1);
                assert!(items.iter().skip(1).enumerate().all(|(i, item)| *item == format!("{i}.")));
            }
        }
    }

    #[test]
    fn every_item_is_handed_out_once() {
        for executor in [&Serial as &dyn Executor, &Pool::new(3)] {
            for count in [0, 1, 6, 7, 8, 100] {
                let mut items: Vec<usize> = vec![0; count];
                let mut short = vec![0; count / 2];
                let mut results = vec![0; count.div_ceil(7)];
                let arrays = (&mut items, &mut short[..], Each::of(&mut results));
                in_pieces(executor, 7, arrays, |piece, (items, short, result)| {
                    items.iter_mut().enumerate().for_each(|(i, item)| *item += 7 * piece + i + 1);
                    short.iter_mut().for_each(|item| *item += 1);
                    *result += items.len() + short.len();
                });
                assert!(items.iter().enumerate().all(|(i, &item)| item == i + 1));
                assert!(short.iter().all(|&item| item == 1));
                assert_eq!(results.iter().sum::<usize>(), count + count / 2);
            }
        }
    }
}
