//! Growing of arrays. Doubling, as `Vec` does by itself, leaves the arrays of a large world half empty; what a step is about
//! to add is usually known before.

use core::mem::MaybeUninit;

/// Room for `additional` more items: what is asked for, if that is many; otherwise a quarter more than before, so that growing one
/// by one costs a constant number of copies per item; large blocks are moved by the system without copying.
pub(crate) fn make_room<T>(items: &mut Vec<T>, additional: usize) {
    let needed = items.len() + additional;
    if needed > items.capacity() {
        let quarter = items.capacity() / 4;
        // Many are not followed by as many again.
        let roomy = if additional < quarter { items.capacity() + quarter } else { 0 };
        items.reserve_exact(needed.max(roomy).max(LEAST) - items.len());
    }
}

/// Makes room for `count` items in all, and no more.
pub(crate) fn reserve<T>(items: &mut Vec<T>, count: usize) {
    items.reserve_exact(count.saturating_sub(items.len()));
}

/// Makes the array `count` long, with `blank` in new places; what is there stays.
pub(crate) fn fit<T: Clone>(items: &mut Vec<T>, count: usize, blank: T) {
    let missing = count.saturating_sub(items.len());
    make_room(items, missing);
    items.resize(count, blank);
}

/// Makes room for `count` items in all, and touches it: the system hands out memory when it is first written, page by page, and that takes
/// longer than most of what is then written there. Nothing is put in.
///
/// Small blocks get twice the room, which is not touched: they are copied when they grow, and leave holes.
pub(crate) fn warm<T>(items: &mut Vec<T>, count: usize) {
    let ahead = count.saturating_sub(items.len());
    if count > items.capacity() {
        let is_small = count * size_of::<T>() < MOVED_BY_SYSTEM;
        items.reserve_exact(if is_small { ahead + count } else { ahead });
    }
    let per_page = (PAGE / size_of::<T>().max(1)).max(1);
    for blank in items.spare_capacity_mut()[..ahead].iter_mut().step_by(per_page) {
        *blank = MaybeUninit::zeroed();
    }
}

/// Adds an item at the end; grows as [`make_room`] does.
#[inline]
pub(crate) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        make_room(items, 1);
    }
    items.push(item);
}

/// The least that systems hand out at once [bytes]. Where pages are larger, some are touched more than once.
const PAGE: usize = 4096;

/// Blocks of at least this size grow without being copied, with the usual allocators [bytes].
const MOVED_BY_SYSTEM: usize = 128 << 10;

/// Smallest room that is made.
const LEAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_room_is_there_and_what_was_in_it_stays() {
        let mut items = vec![7_u64, 8];
        warm(&mut items, 5000);
        assert_eq!((&items[..], items.capacity()), (&[7, 8][..], 10_000), "small: twice the room");
        warm(&mut items, 1);
        warm(&mut items, 2);
        assert_eq!((&items[..], items.capacity()), (&[7, 8][..], 10_000));
        warm(&mut items, 20_000);
        assert_eq!((&items[..], items.capacity()), (&[7, 8][..], 20_000), "large: what is asked for");
        let mut nothing = vec![(); 3];
        warm(&mut nothing, 10);
        assert_eq!(nothing.len(), 3);
    }

    #[test]
    fn asked_at_once_is_exact_and_one_by_one_is_amortised() {
        let mut items = Vec::<u64>::new();
        make_room(&mut items, 1000);
        assert_eq!(items.capacity(), 1000);
        let mut moves = 0;
        for i in 0..100_000 {
            let before = items.capacity();
            push(&mut items, i);
            moves += usize::from(items.capacity() != before);
            assert!(
                items.capacity() <= 1000.max(items.len() * 5 / 4),
                "{} of {}",
                items.len(),
                items.capacity()
            );
        }
        // 1.25^21 > 100.
        assert!(moves <= 21, "{moves}");
    }
}
