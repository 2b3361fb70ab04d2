//! The arithmetic of boxes in its shortest form. The boxes in the trees are finite, so the care that [`Aabb`] takes of
//! NaN and ∞ − ∞ is not needed; on finite boxes both say the same.

use super::tree::Node;
use crate::math::*;
use crate::trusted::F4;

/// Boxes that reach farther than this [m] are kept out of the trees: areas and differences must stay finite.
const REACH: Real = 1e15;

/// True if the box can live in a tree.
pub(super) fn is_bounded<D: Dim>(a: &Aabb<D>) -> bool {
    let (min, max) = (a.min.to_vec(), a.max.to_vec());
    // False for NaN too.
    (0..D::N).all(|i| min.get(i) > -REACH && min.get(i) < REACH && max.get(i) > -REACH && max.get(i) < REACH)
}

/// As [`Aabb::overlaps`], without branches.
#[inline(always)]
pub(super) fn overlaps<D: Dim>(a: &Aabb<D>, b: &Aabb<D>) -> bool {
    let (a_min, a_max) = (a.min.to_vec(), a.max.to_vec());
    let (b_min, b_max) = (b.min.to_vec(), b.max.to_vec());
    let mut all = true;
    for i in 0..D::N {
        all &= (a_min.get(i) <= b_max.get(i)) & (b_min.get(i) <= a_max.get(i));
    }
    all
}

/// The first four numbers of a node: in the plane all bounds, in space the lower ones and one more.
#[inline(always)]
pub(super) fn low_bounds<D: Dim>(node: &Node<D>) -> F4 {
    let (min, max) = (node.bounds.min.to_vec(), node.bounds.max.to_vec());
    let at = |i: usize| if i < D::N { min.get(i) } else { max.get(i - D::N) };
    // One load: they lie side by side.
    F4::new([at(0), at(1), at(2), at(3)])
}

/// The upper bounds of a node in space, and its link, which may be any number or none.
#[inline(always)]
pub(super) fn high_bounds<D: Dim>(node: &Node<D>) -> F4 {
    let max = node.bounds.max.to_vec();
    // One load: they lie side by side.
    F4::new([max.get(0), max.get(1), max.get(D::N - 1), Real::from_bits(node.link)])
}

/// [`overlaps`] for the boxes of two nodes, all bounds at once.
///
/// PERF: with the loop over the axes the search for pairs takes a tenth longer.
#[inline(always)]
pub(super) fn meet<D: Dim>(a: &Node<D>, b: &Node<D>) -> bool {
    if D::N == 2 {
        let (a, b) = (low_bounds(a), low_bounds(b));
        // Lower bounds of both, and upper bounds of the other ones.
        b.low_pairs(a).at_most(a.high_pairs(b)).signs() == 0b1111
    } else {
        // The last lanes are of no meaning.
        let forth = low_bounds(a).at_most(high_bounds(b));
        let back = low_bounds(b).at_most(high_bounds(a));
        forth.and(back).signs() & 0b111 == 0b111
    }
}

/// As [`Aabb::contains`], without branches.
#[inline(always)]
pub(super) fn contains<D: Dim>(outer: &Aabb<D>, inner: &Aabb<D>) -> bool {
    let (o_min, o_max) = (outer.min.to_vec(), outer.max.to_vec());
    let (i_min, i_max) = (inner.min.to_vec(), inner.max.to_vec());
    let mut all = true;
    for i in 0..D::N {
        all &= (o_min.get(i) <= i_min.get(i)) & (i_max.get(i) <= o_max.get(i));
    }
    all
}

/// As [`Aabb::union`], one instruction per bound.
#[inline(always)]
pub(super) fn union<D: Dim>(a: &Aabb<D>, b: &Aabb<D>) -> Aabb<D> {
    Aabb { min: low::<D>(a.min, b.min), max: high::<D>(a.max, b.max) }
}

/// Component-wise minimum of numbers that are not NaN.
#[inline(always)]
pub(super) fn low<D: Dim>(a: D::Point, b: D::Point) -> D::Point {
    let (mut out, b) = (a.to_vec(), b.to_vec());
    for i in 0..D::N {
        out.set(i, if out.get(i) < b.get(i) { out.get(i) } else { b.get(i) });
    }
    D::Point::from_vec(out)
}

/// Component-wise maximum of numbers that are not NaN.
#[inline(always)]
pub(super) fn high<D: Dim>(a: D::Point, b: D::Point) -> D::Point {
    let (mut out, b) = (a.to_vec(), b.to_vec());
    for i in 0..D::N {
        out.set(i, if out.get(i) > b.get(i) { out.get(i) } else { b.get(i) });
    }
    D::Point::from_vec(out)
}

/// True if a box moved by more than a quarter of its size along some axis.
#[inline(always)]
pub(super) fn is_stride<D: Dim>(old: &Aabb<D>, new: &Aabb<D>) -> bool {
    let (by, size) = ((new.min - old.min).abs(), new.max - new.min);
    let mut any = false;
    for i in 0..D::N {
        any |= by.get(i) > 0.25 * size.get(i);
    }
    any
}

/// The measure of cost: half of the surface, or of the perimeter.
#[inline(always)]
pub(super) fn area<D: Dim>(a: &Aabb<D>) -> Real {
    a.surface()
}

/// Twice the middle of the box.
#[inline(always)]
pub(super) fn middle<D: Dim>(a: &Aabb<D>) -> D::Point {
    a.min + a.max.to_vec()
}

/// Sum of the edge lengths: a size that is cheaper than the area.
#[inline(always)]
pub(super) fn girth<D: Dim>(a: &Aabb<D>) -> Real {
    let size = a.max - a.min;
    (1..D::N).fold(size.get(0), |sum, i| sum + size.get(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes on a coarse lattice, so that many touch: what all bounds at once say is what axis by axis says, in both orders.
    fn meet_where_they_overlap<D: Dim>() {
        let mut seed = 5_u32;
        let mut pick = |steps: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 16) % steps) as Real
        };
        let mut node = |link: u32| {
            let (mut min, mut size) = (D::Vec::ZERO, D::Vec::ZERO);
            (0..D::N).for_each(|i| {
                min.set(i, pick(7) - 3.0);
                size.set(i, pick(4));
            });
            let bounds = Aabb { min: D::Point::from_vec(min), max: D::Point::from_vec(min + size) };
            Node::<D> { bounds, link, ..Node::UNUSED }
        };
        let mut met = 0;
        for round in 0..20_000_u32 {
            // Links that are no numbers of any kind, as neighbours of the bounds in memory.
            let (a, b) = (node(round), node(u32::MAX - round));
            assert_eq!(meet(&a, &b), a.bounds.overlaps(&b.bounds), "{:?} {:?}", a.bounds, b.bounds);
            assert_eq!(meet(&a, &b), meet(&b, &a));
            met += u32::from(meet(&a, &b));
        }
        assert!((2_000..18_000).contains(&met), "{met} of 20 000 met");
    }

    #[test]
    fn meet_where_they_overlap_2d() {
        meet_where_they_overlap::<D2>();
    }

    #[test]
    fn meet_where_they_overlap_3d() {
        meet_where_they_overlap::<D3>();
    }
}
