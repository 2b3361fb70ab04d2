//! Contacts that are not there: a body that slides from one floor tile to the next does not meet the next one's side.
//!
//! Every shape is collided by itself, as if nothing stood beside it. Of two tiles in one plane, the second offers its side
//! face, or its upper edge, to a body that is a little sunk into the first; seen together they are one floor, which has
//! neither. So a new contact with something that does not move is checked against the other such things that the body
//! touches: where one of them reaches the contact point and rises above the contact's plane there, the surface that
//! the contact speaks of is covered. A contact all of whose points are covered is dropped.
//!
//! In a groove both sides cover each other; then both stay. Contacts between moving bodies are left alone.

use super::World;
use crate::body::BodyKind;
use crate::contact::flags;
use crate::math::*;
use crate::shape::ShapeOps;

/// Sine of the angle by which a neighbour must rise above the plane of a contact to cover it, and by which two normals must
/// differ to speak of two surfaces (dimensionless): less is rounding.
const RISE: Real = 2e-4;

/// One contact of a moving body with something that does not move, in the world.
#[derive(Clone, Copy)]
struct Touch<D: Dim> {
    index: u32,
    /// The shape that does not move.
    shape: u32,
    /// From that shape to the body.
    normal: D::Vec,
}

impl<D: Dim> World<D> {
    /// Drops the contacts of `suspects` (new, solid, one side dynamic, the other not) that are not there.
    pub(crate) fn drop_ghosts(&mut self, suspects: &[u32]) {
        let mut ghosts = core::mem::take(&mut self.scratch.members);
        ghosts.clear();
        // All are judged before any is dropped, so that the order does not matter.
        ghosts.extend(suspects.iter().copied().filter(|&index| self.is_ghost(index)));
        for &index in &ghosts {
            let contact = &mut self.contacts.hot[index as usize];
            contact.manifold.count = 0;
            contact.manifold.friction_impulse = D::Vec::ZERO;
            contact.manifold.twist_impulse = 0.0;
            contact.manifold.rolling_impulse = D::Ang::ZERO;
            contact.flags &= !flags::TOUCHING;
        }
        self.scratch.changed.extend_from_slice(&ghosts);
        self.scratch.members = ghosts;
    }

    /// The contact as seen from the body that moves; None if both do, or none.
    fn touch(&self, index: u32) -> Option<(Touch<D>, u32)> {
        let contact = &self.contacts.hot[index as usize];
        if !contact.is_solid() {
            return None;
        }
        let moves = contact.bodies.map(|body| self.bodies.records[body].kind == BodyKind::Dynamic);
        let normal = contact.normal(self.bodies.places[contact.bodies[0] as usize].rotation);
        match moves {
            [false, true] => Some((Touch { index, shape: contact.shapes[0], normal }, contact.bodies[1])),
            [true, false] => {
                Some((Touch { index, shape: contact.shapes[1], normal: -normal }, contact.bodies[0]))
            }
            _ => None,
        }
    }

    fn is_ghost(&self, index: u32) -> bool {
        let Some((touch, body)) = self.touch(index) else { return false };
        let contact = &self.contacts.hot[index as usize];
        // Points that nobody covers yet, as bits.
        let mut open = (1_u32 << contact.manifold.count) - 1;
        for (other, _) in self.contacts.of_body(self.bodies.records[body].first_contact) {
            let Some((neighbor, _)) = self.touch(other) else { continue };
            if neighbor.shape == touch.shape || (neighbor.normal - touch.normal).length() <= RISE {
                continue;
            }
            let covered = self.covered(&touch, &neighbor);
            // In a groove each side covers the other, and neither is a ghost.
            if covered & open != 0 && self.covered(&neighbor, &touch) == 0 {
                open &= !covered;
            }
            if open == 0 {
                return true;
            }
        }
        false
    }

    /// Which points of `touch` the shape of `neighbor` covers, as bits.
    fn covered(&self, touch: &Touch<D>, neighbor: &Touch<D>) -> u32 {
        let contact = &self.contacts.hot[touch.index as usize];
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let record = &self.shapes[neighbor.shape];
        let pose = self.bodies.places[record.body as usize].compose(record.from_center);
        let normal = pose.rotation.rotate_inv(touch.normal);
        let inwards = pose.rotation.rotate_inv(-neighbor.normal);
        (0..contact.manifold.count as usize).fold(0, |bits, i| {
            let row = contact.row(i, &places[0], &places[1]);
            // On the surface of the shape that does not move.
            let point = places[0].position + row.r_a - touch.normal * (0.5 * row.separation);
            let local = pose.inverse_transform(point);
            bits | u32::from(covers::<D>(&record.shape, local, normal, inwards, contact.slop)) << i
        })
    }
}

/// True if `shape` reaches the point `p`, give or take the slop, and rises there above the plane through it with
/// normal `n`. `inwards` points into the shape where it is touched. All in the frame of the shape.
fn covers<D: Dim>(shape: &D::Shape, p: D::Vec, n: D::Vec, inwards: D::Vec, slop: Real) -> bool {
    if let Some((normal, offset)) = shape.half_space() {
        return normal.dot(p) <= offset + slop && (normal - n).length() > RISE;
    }
    if let Some(composite) = shape.composite() {
        let at = D::Point::from_vec(p);
        let mut found = false;
        composite.visit(&Aabb { min: at, max: at }.grown(slop), &mut |index| {
            let child = composite.child(index);
            let height =
                child.support(-inwards).map_or(Real::INFINITY, |v| composite.normal(index).dot(p - v));
            found |= height.abs() <= slop && rises::<D>(&child, p, n);
        });
        return found;
    }
    if !rises::<D>(shape, p, n) {
        return false;
    }
    // A little into the shape, and away from its border.
    let to_middle = (shape.middle() - p).normalize_or(inwards);
    shape.contains(p + inwards * slop + to_middle * slop)
}

/// True if a convex shape has points clearly above the plane through `p` with normal `n`.
fn rises<D: Dim>(shape: &D::Shape, p: D::Vec, n: D::Vec) -> bool {
    let Some(core) = shape.support(n) else { return false };
    let away = core + n * shape.rounding() - p;
    away.dot(n) > RISE * away.length()
}
