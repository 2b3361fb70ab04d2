//! Growing of arrays. Doubling, as `Vec` does by itself, leaves the arrays of a large world half empty; what a step is about
//! to add is usually known before.

/// Room for `additional` more items: what is asked for, but a quarter more than before at least, so that growing one
/// by one costs a constant number of copies per item; large blocks are moved by the system without copying.
pub(crate) fn make_room<T>(items: &mut Vec<T>, additional: usize) {
    let needed = items.len() + additional;
    if needed > items.capacity() {
        let roomy = items.capacity() + items.capacity() / 4;
        items.reserve_exact(needed.max(roomy).max(LEAST) - items.len());
    }
}

/// Makes the array `count` long, with `blank` in new places; what is there stays.
pub(crate) fn fit<T: Clone>(items: &mut Vec<T>, count: usize, blank: T) {
    let missing = count.saturating_sub(items.len());
    make_room(items, missing);
    items.resize(count, blank);
}

/// Adds an item at the end; grows as [`make_room`] does.
#[inline]
pub(crate) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        make_room(items, 1);
    }
    items.push(item);
}

/// Smallest room that is made.
const LEAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

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
