//! `spheres`: every bounding sphere against every other, and boxes only where spheres meet. After the domino run among the seeds (Domino 3).
//!
//! Idea: the test of two spheres is the cheapest there is, one distance, whatever the dimension. The sphere goes through
//! the corners of the fat box, so two spheres that miss each other mean two boxes that do; those that meet are tested as boxes,
//! as everywhere. Only what moved is compared with the rest. Cost: O(m n) for m moved of n.

use super::search::{BoxRay, Marks};
use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Squared distances are compared with this much room, so that rounding never loses a pair that only just touches: a
/// few units in the last place for each of the operations between a box and the comparison.
const ROOM: Real = 1.0 + 64.0 * Real::EPSILON;

/// A sphere around a box.
#[derive(Clone, Copy, Debug)]
struct Sphere<D: Dim> {
    center: D::Vec,
    /// Infinite for boxes without bounds; negative for empty slots.
    radius: Real,
}

impl<D: Dim> Sphere<D> {
    const NONE: Self = Self { center: D::Vec::ZERO, radius: Real::NEG_INFINITY };

    fn around(bounds: &Aabb<D>) -> Self {
        let center = bounds.center().to_vec();
        // From the rounded centre to the farther bound along each axis.
        let half = VecOps::max(bounds.max.to_vec() - center, center - bounds.min.to_vec());
        let radius = half.length() * ROOM;
        if center.is_finite() && radius.is_finite() {
            Self { center, radius }
        } else {
            Self { center: D::Vec::ZERO, radius: Real::INFINITY }
        }
    }

    #[inline]
    fn meets(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (self.center - other.center).length_squared() <= reach * reach * ROOM && reach >= 0.0
    }
}

/// Spheres against spheres, then boxes: quadratic, with a very short inner loop.
#[derive(Clone, Debug, Default)]
pub struct BroadPhaseSpheres<D: Dim> {
    /// One per slot.
    spheres: Vec<Sphere<D>>,
    marks: Marks,
    spheres_tested: u64,
    boxes_tested: u64,
}

impl<D: Dim> BroadPhaseSpheres<D> {
    fn set(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let index = proxy as usize;
        if index >= self.spheres.len() {
            self.spheres.resize(index + 1, Sphere::NONE);
        }
        self.spheres[index] = Sphere::around(&proxies.get(proxy).fat);
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseSpheres<D> {
    fn name(&self) -> &'static str {
        "spheres"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        self.spheres.clear();
        proxies.iter().for_each(|(proxy, _)| self.set(proxies, proxy));
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        self.set(proxies, proxy);
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        if let Some(sphere) = self.spheres.get_mut(proxy as usize) {
            *sphere = Sphere::NONE;
        }
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], _executor: &dyn Executor) {
        moved.iter().for_each(|&proxy| self.set(proxies, proxy));
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        self.marks.set(proxies.slots().len().max(self.spheres.len()), moved);
        for &a in moved {
            let sphere = self.spheres[a as usize];
            self.spheres_tested += self.spheres.len() as u64;
            for (b, other) in self.spheres.iter().enumerate() {
                if !sphere.meets(other) {
                    continue;
                }
                self.boxes_tested += 1;
                if self.marks.is_turn(a, b as u32) && proxies.is_pair(a, b as u32) {
                    out.push(Proxies::<D>::key(a, b as u32));
                }
            }
        }
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let sphere = Sphere::<D>::around(bounds);
        for (index, other) in self.spheres.iter().enumerate() {
            let proxy = index as u32;
            if sphere.meets(other) && proxies.get(proxy).fat.overlaps(bounds) && !visit(proxy) {
                return;
            }
        }
    }

    fn ray(
        &self,
        proxies: &Proxies<D>,
        origin: D::Point,
        direction: D::Vec,
        max: Real,
        grow: D::Vec,
        visit: &mut dyn FnMut(u32, Real) -> Real,
    ) {
        let ray = BoxRay::<D>::new(origin, direction, grow);
        let mut max = max;
        for (index, sphere) in self.spheres.iter().enumerate() {
            let proxy = index as u32;
            if sphere.radius >= 0.0 && ray.meets(&proxies.get(proxy).fat, max) {
                max = visit(proxy, max);
            }
        }
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        out.push(("spheres tested", core::mem::take(&mut self.spheres_tested)));
        out.push(("boxes tested", core::mem::take(&mut self.boxes_tested)));
    }
}
