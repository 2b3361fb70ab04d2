//! Sorting many pairs of indices at once.

/// Fewer pairs than this are sorted by comparing: the tables would not pay.
const MANY: usize = 2048;

/// Sorts pairs by their keys, whose upper half is an index, as a rule below `count`. PERF: in a world that begins there are some pairs per shape, so
/// one pass that puts those of each shape together leaves next to nothing to compare; a third of the time of comparing all of them.
pub(crate) fn sort_pairs(pairs: &mut [u64], count: usize) {
    let first = |key: u64| (key >> 32) as usize;
    if pairs.len() < MANY || count > 4 * pairs.len() || pairs.iter().any(|&key| first(key) >= count) {
        pairs.sort_unstable();
        return;
    }
    let mut ends = vec![0_u32; count + 1];
    for &key in &*pairs {
        ends[first(key)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum - *end;
    }
    // From here on: where the next pair of each goes.
    let mut sorted = vec![0_u64; pairs.len()];
    for &key in &*pairs {
        let place = &mut ends[first(key)];
        sorted[*place as usize] = key;
        *place += 1;
    }
    let mut start = 0;
    for &end in &ends[..count] {
        let end = end as usize;
        if end - start > 1 {
            sorted[start..end].sort_unstable();
        }
        start = end;
    }
    pairs.copy_from_slice(&sorted);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_like_numbers() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for (count, shapes) in [(0, 1), (1, 1), (100, 50), (5000, 3), (5000, 2000), (5000, 100_000)] {
            let pairs: Vec<u64> = (0..count).map(|_| next(shapes) << 32 | next(shapes)).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            for known in [shapes, shapes / 2] {
                let mut sorted = pairs.clone();
                sort_pairs(&mut sorted, known as usize);
                assert_eq!(sorted, expected, "{count} pairs of {shapes}, of which {known} are known");
            }
        }
    }
}
