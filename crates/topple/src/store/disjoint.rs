//! Shared mutable access to the items of a slice from several threads: all `unsafe` of the parallel stages is here.
//!
//! The argument, once: every parallel stage cuts its work into pieces, and each item is touched by one piece only
//! (distinct contact indices of one list, distinct bodies of one colour, distinct blocks of an array). Pieces run to the
//! end before the borrow of the slice ends, because [`crate::exec::Executor::run`] returns only then.

use core::marker::PhantomData;

/// A slice whose items are handed out one by one to different threads.
pub(crate) struct Disjoint<'a, T> {
    start: *mut T,
    length: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: the type hands out `&mut T` across threads, which needs `T: Send`; whoever calls `get` promises that no item is
// handed out twice at the same time.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}

impl<T> Clone for Disjoint<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// Takes the whole slice for as long as the pieces run.
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), length: slice.len(), borrow: PhantomData }
    }

    /// Item `index`.
    ///
    /// # Safety
    /// While the result lives, no other thread and no other reference may use item `index`.
    #[inline]
    pub(crate) unsafe fn get(&self, index: usize) -> &'a mut T {
        assert!(index < self.length, "index within the slice");
        // SAFETY: within the slice (checked above), exclusive by the caller's promise, alive for 'a by construction.
        unsafe { &mut *self.start.add(index) }
    }

    /// A copy of item `index`.
    ///
    /// # Safety
    /// While this runs, no other thread may write item `index`, and no `&mut` to it may be in use.
    #[inline]
    pub(crate) unsafe fn read(&self, index: usize) -> T
    where
        T: Copy,
    {
        assert!(index < self.length, "index within the slice");
        // SAFETY: within the slice (checked above), not written meanwhile by the caller's promise.
        unsafe { *self.start.add(index) }
    }

    /// Tells the processor that item `index` will be needed soon, where there is a way to. Any index will do.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        for line in (0..size_of::<T>()).step_by(64) {
            prefetch(self.start.wrapping_add(index).cast::<u8>().wrapping_add(line));
        }
    }

    /// All items, to read.
    ///
    /// # Safety
    /// While the result lives, nobody writes any item, and no `&mut` to one is in use.
    #[inline]
    pub(crate) unsafe fn all(&self) -> &'a [T] {
        // SAFETY: the whole slice, not written by the caller's promise, alive for 'a by construction.
        unsafe { core::slice::from_raw_parts(self.start, self.length) }
    }

    /// Start of the slice, for kernels that check their indices once, when they are prepared.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.start
    }

    /// Items `from..to`.
    ///
    /// # Safety
    /// While the result lives, no other thread and no other reference may use any item of the range.
    #[inline]
    pub(crate) unsafe fn range(&self, from: usize, to: usize) -> &'a mut [T] {
        assert!(from <= to && to <= self.length, "range within the slice");
        // SAFETY: within the slice (checked above), exclusive by the caller's promise, alive for 'a by construction.
        unsafe { core::slice::from_raw_parts_mut(self.start.add(from), to - from) }
    }
}

/// Tells the processor that the line at this address will be needed soon.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and the worst that a prefetch of any address at all can be is useless.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
