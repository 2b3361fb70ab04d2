//! Contacts laid out flat: the floats that preparation reads, a line per lane, so that transposing lines gives lanes.

use super::rows::WIDTH;
use crate::contact::{Contact, ContactPoint};
use crate::math::*;

/// Eight contacts as blocks of floats, a line per lane.
pub(crate) struct Flat<const P: usize> {
    /// Normal, friction | static friction, restitution, spinning, slop | friction impulse, twist | surface velocity,
    /// number of points | rotation of b in a when the contact was computed | its place then. In the plane the place follows the
    /// rotation at once.
    pub(super) head: [[f32; 24]; WIDTH],
    /// Per point: anchor on a, separation, impulse, load.
    pub(super) points: [[[f32; 8]; WIDTH]; P],
    /// Most points of any lane.
    pub(super) most: usize,
    /// Some lane has restitution.
    pub(super) bounces: bool,
    /// Lanes that may strike a train.
    pub(super) meets: u8,
    /// Lanes that may land.
    pub(super) lands: u8,
}

impl<const P: usize> Default for Flat<P> {
    fn default() -> Self {
        Self {
            head: [[0.0; 24]; WIDTH],
            points: [[[0.0; 8]; WIDTH]; P],
            most: 0,
            bounces: false,
            meets: 0,
            lands: 0,
        }
    }
}

impl<const P: usize> Flat<P> {
    /// Lays a contact into a lane.
    #[inline]
    pub(crate) fn set<D: Dim>(&mut self, lane: usize, contact: &Contact<D>) {
        let m = &contact.manifold;
        let head = &mut self.head[lane];
        for i in 0..D::N {
            head[i] = m.local_normal.get(i);
            head[8 + i] = m.friction_impulse.get(i);
            head[12 + i] = contact.surface_velocity.get(i);
        }
        head[3] = contact.friction;
        head[4] = contact.static_friction;
        head[5] = contact.restitution;
        head[6] = contact.spinning;
        head[7] = contact.slop;
        head[11] = m.twist_impulse;
        head[15] = m.count as f32;
        head[16..20].copy_from_slice(&D::rotation_floats(contact.kept.rotation));
        let (place, at) = (contact.kept.position.to_vec(), if D::N == 2 { 18 } else { 20 });
        (0..D::N).for_each(|i| head[at + i] = place.get(i));
        for (i, point) in m.points().iter().enumerate() {
            self.points[i][lane] = flatten(point);
        }
        self.most = self.most.max(m.count as usize);
        self.bounces |= contact.restitution > 0.0;
    }

    /// Takes the friction of a lane out of the wide part, but for that about the normal: with what would be sliding friction at
    /// each point, at the mean distance of the points from their middle.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_friction<D: Dim>(&mut self, lane: usize, contact: &Contact<D>, factor: Real) {
        let points = contact.manifold.points();
        let share = 1.0 / points.len().max(1) as Real;
        let middle = points.iter().fold(D::Vec::ZERO, |sum, p| sum + p.local_a) * share;
        let arm: Real = points.iter().map(|p| (p.local_a - middle).length() * share).sum();
        let head = &mut self.head[lane];
        head[6] += contact.friction * factor.sqrt() * arm;
        (head[3], head[4], head[8], head[9], head[10]) = (0.0, 0.0, 0.0, 0.0, 0.0);
    }
}

#[inline(always)]
fn flatten<D: Dim>(point: &ContactPoint<D>) -> [f32; 8] {
    let a = point.local_a;
    let last = if D::N == 2 { 0.0 } else { a.get(2) };
    [a.get(0), a.get(1), last, point.base_separation, point.normal_impulse, point.load, 0.0, 0.0]
}
