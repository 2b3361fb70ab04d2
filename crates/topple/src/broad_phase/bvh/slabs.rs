//! A ray against two or four boxes at once: where it enters each of them.
//!
//! A box is what several slabs have in common; the ray is in the box from the last slab that it enters to the first that it
//! leaves. The axes, or the four boxes, are the lanes of one
//! register. Every lane does the operations of the plain test, so the bits are those of [`Aabb::ray`].

use super::quads::{LANES, Quad};
use super::tree::Node;
use crate::math::*;

/// A ray as boxes are tested with it.
pub(super) struct Ray<D: Dim> {
    origin: D::Point,
    /// 1 / direction, component by component.
    inv: D::Vec,
    grow: D::Vec,
    /// Parallel to no side of the boxes, which do not grow: the usual case.
    pub(super) is_plain: bool,
    wide: wide::Ray,
}

/// Where a ray enters two siblings, if it does before it ends.
pub(super) struct Entry {
    /// Parameters of the ray; meaningless for a miss.
    pub(super) enter: [Real; 2],
    /// Bit 0 for a hit of the first one, bit 1 for the second one.
    pub(super) hits: u32,
}

impl<D: Dim> Ray<D> {
    pub(super) fn new(origin: D::Point, direction: D::Vec, grow: D::Vec) -> Self {
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        Self {
            origin,
            inv,
            grow,
            is_plain: inv.is_finite() && grow == D::Vec::ZERO,
            wide: wide::Ray::new::<D>(origin, inv, grow),
        }
    }

    /// Where the ray enters the grown box, if it does so at `max` or before: as [`Aabb::ray`], to the last bit. A box in
    /// a box is never met earlier, since every operation is monotonic.
    pub(super) fn enter(&self, bounds: &Aabb<D>, max: Real) -> Option<Real> {
        let grown = Aabb::<D> { min: bounds.min - self.grow, max: bounds.max + self.grow };
        grown.ray(self.origin, self.inv, max).map(|(enter, _)| enter)
    }

    /// The same for two siblings, whose boxes are finite. `PLAIN` must be [`Self::is_plain`].
    #[inline(always)]
    pub(super) fn enter_both<const PLAIN: bool>(&self, pair: &[Node<D>; 2], max: Real) -> Entry {
        self.wide.enter_both::<D, PLAIN>(pair, max)
    }

    /// The same for the boxes of a quad: where it enters them, and bits of those it meets. Plain rays only.
    #[inline(always)]
    pub(super) fn enter_four(&self, quad: &Quad, max: Real) -> ([Real; LANES], u32) {
        self.wide.enter_four::<D>(quad, max)
    }

    /// [`Self::enter_four`], lane by lane.
    #[cfg(test)]
    fn enter_each(&self, quad: &Quad, max: Real) -> ([Real; LANES], u32) {
        let (mut enter, mut hits) = ([0.0; LANES], 0);
        for lane in 0..LANES {
            let (mut near, mut far): (Real, Real) = (0.0, max);
            for axis in 0..D::N {
                let (origin, inv) = (self.origin.to_vec().get(axis), self.inv.get(axis));
                let back = usize::from(inv < 0.0);
                near = near.max((quad.bounds[2 * axis + back][lane] - origin) * inv);
                far = far.min((quad.bounds[2 * axis + 1 - back][lane] - origin) * inv);
            }
            enter[lane] = near;
            hits |= u32::from(near <= far) << lane;
        }
        (enter, hits & quad.used)
    }
}

mod wide {
    use super::{Entry, LANES, Node, Quad};
    use crate::broad_phase::bvh::geometry::{high_bounds, low_bounds};
    use crate::math::*;
    use crate::trusted::F4;

    /// Lanes are axes; in the plane, the two axes twice: for the lower and the upper bounds.
    pub(super) struct Ray {
        origin: F4,
        /// Zero along axes that the ray is parallel to.
        inv: F4,
        grow: F4,
        /// All ones along axes that the ray is parallel to.
        parallel: F4,
        /// Origin and 1 / direction of every axis in all lanes.
        axes: [[F4; 2]; 3],
        /// 1 for axes along which the ray goes back, and so meets the upper bound first.
        back: [usize; 3],
    }

    impl Ray {
        pub(super) fn new<D: Dim>(origin: D::Point, inv: D::Vec, grow: D::Vec) -> Self {
            let lane = |v: D::Vec, i: usize| match (D::N, i) {
                (2, _) => v.get(i % 2),
                (_, 3) => 0.0,
                _ => v.get(i),
            };
            let slopes = inv;
            let load = |v: D::Vec| F4::new([lane(v, 0), lane(v, 1), lane(v, 2), lane(v, 3)]);
            let inv = load(inv);
            let parallel = inv.without(F4::splat(-0.0)).equal(F4::splat(Real::INFINITY));
            let mut grow = load(grow);
            if D::N == 2 {
                // Lower bounds grow downwards.
                grow = grow.xor(F4::new([-0.0, -0.0, 0.0, 0.0]));
            }
            let mut axes = [[F4::splat(0.0); 2]; 3];
            let mut back = [0; 3];
            for axis in 0..D::N {
                axes[axis] = [F4::splat(origin.to_vec().get(axis)), F4::splat(slopes.get(axis))];
                back[axis] = usize::from(slopes.get(axis) < 0.0);
            }
            Self { origin: load(origin.to_vec()), inv: inv.without(parallel), grow, parallel, axes, back }
        }

        #[inline(always)]
        pub(super) fn enter_both<D: Dim, const PLAIN: bool>(&self, pair: &[Node<D>; 2], max: Real) -> Entry {
            let (near_a, far_a) = self.slabs::<D, PLAIN>(&pair[0]);
            let (near_b, far_b) = self.slabs::<D, PLAIN>(&pair[1]);
            // Axis by axis: x of a and b, y of a and b; z in the other one.
            let (near, far) = (near_a.interleave_low(near_b), far_a.interleave_low(far_b));
            let mut enter = near.max(near.high_pairs(near));
            let mut leave = far.min(far.high_pairs(far));
            if D::N == 3 {
                enter = enter.max(near_a.interleave_high(near_b));
                leave = leave.min(far_a.interleave_high(far_b));
            }
            enter = enter.max(F4::splat(0.0));
            leave = leave.min(F4::splat(max));
            let [first, second, ..] = enter.floats();
            Entry { enter: [first, second], hits: enter.at_most(leave).signs() & 3 }
        }

        #[inline(always)]
        pub(super) fn enter_four<D: Dim>(&self, quad: &Quad, max: Real) -> ([Real; LANES], u32) {
            let (mut near, mut far) = (F4::splat(0.0), F4::splat(max));
            for axis in 0..D::N {
                let ([origin, inv], back) = (self.axes[axis], self.back[axis] % 2);
                let first = F4::load(&quad.bounds[2 * axis + back]);
                let last = F4::load(&quad.bounds[2 * axis + 1 - back]);
                near = near.max(first.sub(origin).mul(inv));
                far = far.min(last.sub(origin).mul(inv));
            }
            (near.floats(), near.at_most(far).signs() & quad.used)
        }

        /// Where the ray enters and leaves the slabs of a box, per axis.
        #[inline(always)]
        fn slabs<D: Dim, const PLAIN: bool>(&self, node: &Node<D>) -> (F4, F4) {
            let (low, high) = if D::N == 2 {
                let mut both = low_bounds(node);
                if !PLAIN {
                    both = both.add(self.grow);
                }
                both = both.sub(self.origin);
                (both, both.high_pairs(both))
            } else {
                // The last lane is the link; as a number it may be of the kind that slows processors down.
                let (mut low, mut high) = (low_bounds(node), high_bounds(node).and(F4::mask(0b0111)));
                if !PLAIN {
                    (low, high) = (low.sub(self.grow), high.add(self.grow));
                }
                (low.sub(self.origin), high.sub(self.origin))
            };
            let (a, b) = (low.mul(self.inv), high.mul(self.inv));
            let (mut near, mut far) = (a.min(b), a.max(b));
            if !PLAIN {
                // Inside the slab for ever, or never.
                let zero = F4::splat(0.0);
                let outside = low.greater(zero).or(zero.greater(high));
                let endless = self.parallel.and(F4::splat(Real::INFINITY));
                near = near.without(self.parallel).or(endless.and(outside));
                far = far.without(self.parallel).or(endless);
            }
            (near, far)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of boxes, rays along axes and through corners included, gives what [`Aabb::ray`] gives.
    fn same_as_the_plain_test<D: Dim>() {
        let mut seed = 1_u32;
        let mut pick = |steps: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 16) % steps) as Real
        };
        let mut vector = |low: Real, steps: u32, scale: Real| {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|i| v.set(i, (low + pick(steps)) * scale));
            v
        };
        let (mut met, mut plain) = (0, 0);
        for round in 0..20_000 {
            let mut pair = [Node::<D>::UNUSED; 2];
            for node in &mut pair {
                let center = D::Point::from_vec(vector(-4.0, 9, 1.0));
                node.bounds = Aabb::around(center, vector(0.0, 4, 0.5));
                node.link = round;
            }
            let (origin, mut direction) = (D::Point::from_vec(vector(-8.0, 17, 0.5)), vector(-3.0, 7, 1.0));
            if direction == D::Vec::ZERO {
                direction = D::Vec::axis(0);
            }
            let grow = if round % 2 == 0 { D::Vec::ZERO } else { vector(0.0, 3, 0.25) };
            let max = [0.5, 1.0, 4.0, Real::INFINITY][round as usize % 4];
            let ray = Ray::<D>::new(origin, direction, grow);
            let got = if ray.is_plain {
                ray.enter_both::<true>(&pair, max)
            } else {
                ray.enter_both::<false>(&pair, max)
            };
            for (i, node) in pair.iter().enumerate() {
                let expected = ray.enter(&node.bounds, max);
                let found = (got.hits >> i & 1 == 1).then_some(got.enter[i]);
                assert_eq!(
                    found, expected,
                    "{origin:?} + {direction:?} t, {:?}, {grow:?}, {max}",
                    node.bounds
                );
                met += u32::from(found.is_some());
            }
            plain += u32::from(ray.is_plain);
            if ray.is_plain {
                let quad = Quad::of(&[pair[0], pair[1], pair[1]]);
                let (enter, hits) = ray.enter_four(&quad, max);
                assert_eq!((enter, hits), ray.enter_each(&quad, max));
                assert_eq!(hits, got.hits | (got.hits & 2) << 1, "an unused lane is never met");
            }
        }
        assert!(met > 1_000 && plain > 2_000 && plain < 18_000, "{met} boxes met, {plain} plain rays");
    }

    #[test]
    fn same_as_the_plain_test_2d() {
        same_as_the_plain_test::<D2>();
    }

    #[test]
    fn same_as_the_plain_test_3d() {
        same_as_the_plain_test::<D3>();
    }
}
