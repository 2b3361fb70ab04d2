//! Contacts that are not there: a body that slides from one floor tile to the next does not meet the next one's side.
//!
//! Every shape is collided by itself, as if nothing stood beside it. Of two tiles in one plane, the second offers its side
//! face, or its upper edge, to a body that is a little sunk into the first; seen together they are one floor, which has
//! neither. So a new contact is checked against the other things that the body
//! touches: where one of them reaches the contact point and rises above the contact's plane there, the surface that
//! the contact speaks of is covered. A contact all of whose points are covered is dropped.
//!
//! In a groove both sides cover each other; then both stay, unless one of them is *flush*: it does not rise above the plane in which the
//! other is touched, so that it cannot be in the way. If both are, as two tops in one plane give or take the rounding, one stays: that above whose plane
//! the other rises less, the face rather than the edge. Between things that can move, bricks in a pavement, only flush ones are
//! dropped, and only for a body that touched something in the last step: what flies at a wall of bricks pushes all that it meets.
//!
//! Who covers a point depends on where the seams of the neighbouring rows are, and points at the corners of a brick lie beyond all of them. What cannot be
//! pushed is judged by its height as well: a body that is borne by a plane and lies above it cannot meet the side of what lies below it, wherever
//! that is (`is_in_floor`). Two that lie below each other's planes are the two sides of a ridge, and both stay.

use super::World;
use crate::body::{BodyKind, NONE};
use crate::contact::{Contact, ContactPoint, flags};
use crate::distance::point_shape;
use crate::math::*;
use crate::shape::{INTO, ShapeOps, is_over};
use crate::store::room;
use crate::trusted::in_pieces;

/// Sine of the angle by which a neighbour must rise above the plane of a contact to cover it, and by which two normals must
/// differ to speak of two surfaces (dimensionless): less is rounding.
const RISE: Real = 2e-4;

/// The same as a height, in slops: where a neighbour begins at the contact, an angle tells nothing.
const LEAST_RISE: Real = 0.01;

/// Cosine of the angle up to which two normals look the same way (no unit; 3.6°).
pub(super) const SAME_WAY: Real = 0.998;

/// How far from a surface without thickness a point may be and be covered by it, in slops: contacts are cut off a slop beyond the faces that touch,
/// which may be sunk by another one.
const REACH: Real = 2.0;
/// How far a neighbour may stand above the plane of a contact and be flush with it, in slops: bricks rest on theirs.
const FLUSH: Real = 1.0;

/// How far something that cannot be pushed may stand above the plane that bears a body and be part of the floor, in slops. Half of what a floor may
/// give: a slop is 5 mm at most, so that a step of 3 mm is one for every body.
pub(super) const LEVEL: Real = 0.5;
/// The same for the parts of one mesh, in slops: its vertices are exact, and what rises, however little, is meant.
const LEVEL_INSIDE: Real = 0.05;
/// How much deeper than another a contact is whose depth is the way through what is touched, in slops.
const DEEPER: Real = 8.0;
/// How much deeper in something than in what covers it a body is that flew at it, in slops. What slides over tiles is no deeper in the edge of the next than in the last.
const BLOW: Real = 4.0;
/// How far a body may be above the plane that bears it, in slops: farther away it may still pass beside it. What continuous collision stopped before a floor is 2 to 2.5 slops above it.
const BORNE: Real = 2.75;
/// The same for the parts of one shape, in slops: a beam that a plate is stopped before may be passed at its other side.
const BORNE_INSIDE: Real = 2.0;

/// Contacts of a body beyond which it is not looked at together with things that can move: it does not slide over a pavement but lies in a heap,
/// or is the floor of one.
const MOST_LOOSE: usize = 12;

/// Points of a contact at most, in either dimension.
const MOST_POINTS: usize = 4;

/// Suspects per piece. A constant: the cut must not depend on the number of threads.
///
/// PERF: each costs half a microsecond, and a heap has a few hundred of them in a step: with 64 to a piece, one thread did nearly all.
const BATCH: usize = 8;

/// One contact of a moving body, as seen from it, in the world.
#[derive(Clone, Copy)]
pub(super) struct Touch<D: Dim> {
    pub index: u32,
    /// The shape that it touches.
    pub shape: u32,
    /// The body's own shape.
    pub own: u32,
    /// From that shape to the body.
    pub normal: D::Vec,
    /// The shape can be pushed.
    pub is_loose: bool,
}

/// The points of a contact, on the surface of the shape that is touched, from the centre of mass of a body [m].
pub(super) struct Seen<D: Dim> {
    /// The centre of mass.
    center: D::Point,
    pub points: [D::Vec; MOST_POINTS],
    pub count: usize,
    /// Least and, up to the sign, greatest separation [m].
    nearest: Real,
    farthest: Real,
}

impl<D: Dim> Seen<D> {
    /// Height of the highest along `up` [m].
    fn height(&self, up: D::Vec) -> Real {
        self.points[..self.count].iter().map(|at| up.dot(*at)).fold(Real::NEG_INFINITY, Real::max)
    }

    /// The same over the origin of `pose` [m].
    fn height_over(&self, pose: &Pose<D>, up: D::Vec) -> Real {
        self.height(up) - up.dot(pose.position - self.center)
    }

    /// The points in the frame `pose`.
    fn points_in(&self, pose: &Pose<D>) -> impl Iterator<Item = D::Point> {
        let origin = pose.position - self.center;
        let points = self.points[..self.count].iter();
        points.map(move |at| D::Point::from_vec(pose.rotation.rotate_inv(*at - origin)))
    }
}

impl<D: Dim> World<D> {
    /// Drops the contacts of `suspects` (new, solid, at least one side dynamic) that are not there.
    pub(crate) fn drop_ghosts(&mut self, suspects: &[u32]) {
        let mut ghosts = core::mem::take(&mut self.scratch.members);
        room::make_room(&mut ghosts, suspects.len());
        ghosts.clear();
        ghosts.extend_from_slice(suspects);
        let is_first = self.are_all_pairs_new();
        // All are judged before any is dropped, so that the order does not matter.
        in_pieces(&*self.executor, BATCH, &mut ghosts[..], |_, indices| {
            for index in indices.iter_mut().filter(|index| !self.is_ghost(**index, is_first)) {
                *index = NONE;
            }
        });
        ghosts.retain(|&index| index != NONE);
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

    /// True if all pairs are new in this step: nothing touched anything in the last one.
    pub(crate) fn are_all_pairs_new(&self) -> bool {
        self.profile.counters.new_pairs as usize == self.contacts.pair_count()
    }

    /// The contact as seen from `body`; None if that does not move, or there is no contact.
    pub(super) fn touch(&self, index: u32, body: u32) -> Option<Touch<D>> {
        let contact = &self.contacts.hot[index as usize];
        let is_dynamic = |body: u32| self.bodies.records[body].kind == BodyKind::Dynamic;
        if !contact.is_solid() || !is_dynamic(body) {
            return None;
        }
        let side = usize::from(contact.bodies[0] == body);
        let normal = contact.normal(self.bodies.places[contact.bodies[0] as usize].rotation);
        Some(Touch {
            index,
            shape: contact.shapes[side],
            own: contact.shapes[1 - side],
            normal: if side == 1 { -normal } else { normal },
            is_loose: is_dynamic(contact.bodies[side]),
        })
    }

    fn is_ghost(&self, index: u32, is_first: bool) -> bool {
        let bodies = self.contacts.hot[index as usize].bodies;
        bodies.into_iter().any(|body| self.is_ghost_of(index, body, is_first, None))
    }

    /// True if the contact is not there for `body`, seen together with what else it touches, but for the contact `without`. `is_first`: nothing
    /// did in the last step.
    fn is_ghost_of(&self, index: u32, body: u32, is_first: bool, without: Option<u32>) -> bool {
        let contact = &self.contacts.hot[index as usize];
        let record = &self.bodies.records[body];
        let first = record.first_contact;
        let was_touching = || {
            let mut all = self.contacts.of_body(first);
            !is_first && all.any(|(other, _)| self.contacts.hot[other as usize].flags & flags::WAS_SOLID != 0)
        };
        let side = usize::from(contact.bodies[0] == body);
        // Only what has edges is flush with something.
        let is_fit = || self.shapes[contact.shapes[side]].shape.keeps_contacts();
        let is_loose = self.bodies.records[contact.bodies[side]].kind == BodyKind::Dynamic;
        if is_loose && (record.contact_count as usize > MOST_LOOSE || !is_fit() || !was_touching()) {
            return false;
        }
        let Some(touch) = self.touch(index, body) else { return false };
        // Points that nobody covers yet, as bits.
        let mut open = (1_u32 << contact.manifold.count) - 1;
        let mut may_be_loose = None;
        let (mut places, mut seen) = (None, None);
        for (other, _) in self.contacts.of_body(first) {
            // PERF: most contacts of a body in a heap are pairs that do not touch, and parts of the same ground.
            let contact = &self.contacts.hot[other as usize];
            if !contact.is_solid() || other == index || without == Some(other) {
                continue;
            }
            let is_same = contact.shapes.contains(&touch.shape);
            // PERF: on a mesh nearly all of them are parts of one pair.
            if is_same && self.are_of_valley(&touch, other) {
                continue;
            }
            if !is_loose && self.is_in_floor(&touch, other, body, &mut seen) {
                return true;
            }
            if is_same {
                continue;
            }
            // PERF: and most neighbours do not reach any of the points.
            let bounds = &self.proxies.get(contact.shapes[usize::from(contact.bodies[0] == body)]).fat;
            let places = places.get_or_insert_with(|| self.around(&touch));
            if !bounds.overlaps(places) {
                continue;
            }
            let Some(neighbor) = self.touch(other, body) else { continue };
            if (neighbor.normal - touch.normal).length() <= RISE {
                continue;
            }
            let is_loose = touch.is_loose || neighbor.is_loose;
            if is_loose && !*may_be_loose.get_or_insert_with(was_touching) {
                continue;
            }
            let is_flush = || self.is_flush(&touch, &neighbor, body);
            // PERF: what a convex neighbour covers is known sooner than whether ground of triangles is flush.
            let covers_soon = self.shapes[neighbor.shape].shape.composite().is_none();
            if is_loose && !covers_soon && !is_flush() {
                continue;
            }
            if !is_loose && self.is_blow(&touch, &neighbor, body, &mut seen) {
                continue;
            }
            let covered = self.covered(&touch, &neighbor) & open;
            if covered == 0 || is_loose && covers_soon && !is_flush() {
                continue;
            }
            // In a groove each side covers the other, and neither is a ghost; unless the neighbour is one for the sake of others, as meshes are whose
            // ends alone are touched.
            let is_ghost =
                || without.is_none() && !covers_soon && self.is_ghost_of(other, body, is_first, Some(index));
            let gives_way = || (is_loose || is_flush()) && self.gives_way(&touch, &neighbor, body);
            if self.covered(&neighbor, &touch) == 0 || gives_way() || !is_loose && is_ghost() {
                open &= !covered;
            }
            if open == 0 || !is_loose && self.leans_from(&touch, &neighbor, covered) && is_flush() {
                return true;
            }
        }
        false
    }

    /// True if the body is so much deeper in what is touched than in `neighbor` that it flew at it: the foot of a wall, which the floor covers, is touched as the
    /// shortest way out of the wall, and all that is known of it.
    fn is_blow(&self, touch: &Touch<D>, neighbor: &Touch<D>, body: u32, seen: &mut Option<Seen<D>>) -> bool {
        let slop = self.contacts.hot[touch.index as usize].slop;
        let nearest = seen.get_or_insert_with(|| self.seen(touch, body)).nearest;
        nearest < -BLOW * slop && nearest < self.seen(neighbor, body).nearest.min(0.0) - BLOW * slop
    }

    /// True if `touch` is that of a mesh and leans by a little from the plane of `neighbor`, which covers the deepest of its points: the end of the
    /// mesh, over which the body reaches from its neighbour. Over its inside the body is higher, so that the neighbour bears it.
    fn leans_from(&self, touch: &Touch<D>, neighbor: &Touch<D>, covered: u32) -> bool {
        let points = self.contacts.hot[touch.index as usize].manifold.points().iter().enumerate();
        let deepest = points.min_by(|(_, p), (_, q)| p.base_separation.total_cmp(&q.base_separation));
        self.shapes[touch.shape].shape.composite().is_some()
            && neighbor.normal.dot(touch.normal) >= SAME_WAY
            && deepest.is_some_and(|(i, _)| covered >> i & 1 == 1)
    }

    /// True if `touch`, of something that cannot be pushed, is part of the floor that the contact `other` of the body speaks of: the body is borne by
    /// that and lies above its plane, what is touched lies below it.
    fn is_in_floor(&self, touch: &Touch<D>, other: u32, body: u32, seen: &mut Option<Seen<D>>) -> bool {
        let bearing = &self.contacts.hot[other as usize];
        // PERF: in a heap most neighbours can be pushed, and on a floor most look the same way.
        let side = usize::from(bearing.bodies[0] == body);
        if self.bodies.records[bearing.bodies[side]].kind == BodyKind::Dynamic {
            return false;
        }
        let Some(floor) = self.touch(other, body).filter(|floor| floor.normal.dot(touch.normal) < SAME_WAY)
        else {
            return false;
        };
        let slop = bearing.slop.max(self.contacts.hot[touch.index as usize].slop);
        let bearing = self.seen(&floor, body);
        let rise = slop * if floor.shape == touch.shape { LEVEL_INSIDE } else { LEVEL };
        let borne = slop * if floor.shape == touch.shape { BORNE_INSIDE } else { BORNE };
        if bearing.nearest > borne || !self.have_edges(touch, &floor) {
            return false;
        }
        let seen = &*seen.get_or_insert_with(|| self.seen(touch, body));
        // A wall on the floor meets what stands beside it from below, too, all through its height: that does not bear it, the floor does.
        if bearing.nearest < seen.nearest - DEEPER * slop && floor.normal.dot(touch.normal) < -SAME_WAY {
            return false;
        }
        let above = seen.height(floor.normal) - bearing.height(floor.normal);
        // PERF: in a valley of a mesh each side is met above the other. What is met above a plane is not below it.
        if floor.shape == touch.shape && above > rise + slop + seen.farthest {
            return false;
        }
        // A triangle of a solid that lies on a block meets the block's far side as well: that is no ridge.
        let is_deeper = seen.nearest < bearing.nearest - DEEPER * slop;
        self.is_above(touch, seen, &floor, &bearing, bearing.nearest.min(0.0) - slop)
            && self.is_below(touch, seen, &floor, &bearing, rise)
            && (is_deeper || !self.is_below(&floor, &bearing, touch, seen, rise))
    }

    /// True if `touch` and `other` are parts of one pair, both made in this step, of which `other` is certainly no floor that `touch` belongs to: the normals
    /// agree, the body is not borne, or `touch` is met above the plane of `other`, as in a valley. All in the frame of the pair's first body, where
    /// anchors and normals are kept.
    fn are_of_valley(&self, touch: &Touch<D>, other: u32) -> bool {
        let (contact, floor) = (&self.contacts.hot[touch.index as usize], &self.contacts.hot[other as usize]);
        if contact.shapes != floor.shapes || contact.flags & floor.flags & flags::FRESH == 0 {
            return false;
        }
        let (here, up) = (contact.manifold.local_normal, floor.manifold.local_normal);
        if here.dot(up) >= SAME_WAY {
            return true;
        }
        // Normals go from the first shape to the second.
        let side = if contact.shapes[0] == touch.shape { 1.0 } else { -1.0 };
        let height = |contact: &Contact<D>, normal: D::Vec| {
            let points = contact.manifold.points().iter();
            let height =
                |p: &ContactPoint<D>| side * up.dot(p.local_a) - 0.5 * p.base_separation * up.dot(normal);
            points.map(height).fold(Real::NEG_INFINITY, Real::max)
        };
        let slop = floor.slop;
        let nearest = floor.manifold.points().iter().fold(Real::INFINITY, |d, p| d.min(p.base_separation));
        let farthest =
            contact.manifold.points().iter().fold(0.0, |d: Real, p| d.max(p.base_separation.abs()));
        let above = height(contact, here) - height(floor, up);
        nearest > BORNE_INSIDE * slop || above > slop * (LEVEL_INSIDE + 1.0) + farthest
    }

    /// The points of a contact as seen from the centre of mass of `body`.
    pub(super) fn seen(&self, touch: &Touch<D>, body: u32) -> Seen<D> {
        let contact = &self.contacts.hot[touch.index as usize];
        let places = contact.bodies.map(|body| &self.bodies.places[body as usize]);
        let mut seen = Seen {
            center: self.bodies.places[body as usize].position,
            points: [D::Vec::ZERO; MOST_POINTS],
            count: contact.manifold.count as usize,
            nearest: Real::INFINITY,
            farthest: 0.0,
        };
        for i in 0..seen.count {
            let row = contact.row(i, places[0], places[1]);
            let at = if contact.bodies[0] == body { row.r_a } else { row.r_b };
            seen.points[i] = at - touch.normal * (0.5 * row.separation);
            seen.nearest = seen.nearest.min(row.separation);
            seen.farthest = seen.farthest.max(row.separation.abs());
        }
        seen
    }

    /// True if the body's own shape of `touch` reaches no deeper than `height` (< 0) [m] below the plane in which the shape of `floor` is touched. `seen`
    /// and `bearing`: their points.
    fn is_above(
        &self,
        touch: &Touch<D>,
        seen: &Seen<D>,
        floor: &Touch<D>,
        bearing: &Seen<D>,
        height: Real,
    ) -> bool {
        let record = &self.shapes[touch.own];
        let pose = self.bodies.places[record.body as usize].compose(record.from_center);
        let up = pose.rotation.rotate_inv(floor.normal);
        let limit = bearing.height_over(&pose, floor.normal) + height;
        let is_above =
            |shape: &D::Shape| shape.support(-up).is_some_and(|low| up.dot(low) - shape.rounding() >= limit);
        let Some(composite) = record.shape.composite() else { return is_above(&record.shape) };
        // Of a mesh, what is near the points: the leg of a hook reaches below what the hook hangs on.
        let contact = &self.contacts.hot[touch.index as usize];
        contact.manifold.points().iter().zip(seen.points_in(&pose)).all(|(point, at)| {
            let mut all = true;
            let reach = contact.slop + point.base_separation.abs();
            composite.visit(&Aabb { min: at, max: at }.grown(reach), &mut |index| {
                all = all && is_above(&composite.child(index));
            });
            all
        })
    }

    /// Round shapes have no edge to trip over, and none of them is flush with a face.
    fn have_edges(&self, touch: &Touch<D>, neighbor: &Touch<D>) -> bool {
        [touch, neighbor].into_iter().all(|touch| self.shapes[touch.shape].shape.keeps_contacts())
    }

    /// True if the shape of `touch` does not rise above the plane in which the shape of `neighbor` is touched, both by `body`.
    fn is_flush(&self, touch: &Touch<D>, neighbor: &Touch<D>, body: u32) -> bool {
        let [slop, other] = [touch, neighbor].map(|touch| self.contacts.hot[touch.index as usize].slop);
        let rise = FLUSH * slop.max(other);
        self.have_edges(touch, neighbor)
            && self.is_below(touch, &self.seen(touch, body), neighbor, &self.seen(neighbor, body), rise)
    }

    /// True if `touch` is the one to be dropped of two contacts of `body` that cover each other: the neighbour rises more above its plane than the other
    /// way round. Never true of both, so that one of them bears the body.
    fn gives_way(&self, touch: &Touch<D>, neighbor: &Touch<D>, body: u32) -> bool {
        let (seen, beside) = (self.seen(touch, body), self.seen(neighbor, body));
        let own = self.rise(touch, &seen, neighbor, &beside);
        let its = self.rise(neighbor, &beside, touch, &seen);
        own < its || own == its && touch.index > neighbor.index
    }

    /// True if the shape of `touch` rises by no more than `rise` [m] above the plane in which the shape of `neighbor` is touched. `seen` and `beside`: their
    /// points.
    fn is_below(
        &self,
        touch: &Touch<D>,
        seen: &Seen<D>,
        neighbor: &Touch<D>,
        beside: &Seen<D>,
        rise: Real,
    ) -> bool {
        self.rise(touch, seen, neighbor, beside) <= rise
    }

    /// How far the shape of `touch` rises above the plane in which the shape of `neighbor` is touched [m]: infinite for a plane, minus infinite for a mesh
    /// that is not near its points. `seen` and `beside`: their points.
    fn rise(&self, touch: &Touch<D>, seen: &Seen<D>, neighbor: &Touch<D>, beside: &Seen<D>) -> Real {
        let record = &self.shapes[touch.shape];
        let pose = self.bodies.places[record.body as usize].compose(record.from_center);
        let up = pose.rotation.rotate_inv(neighbor.normal);
        let plane = beside.height_over(&pose, neighbor.normal);
        let top = |shape: &D::Shape| {
            shape.support(up).map_or(Real::INFINITY, |top| up.dot(top) + shape.rounding() - plane)
        };
        let Some(composite) = record.shape.composite() else { return top(&record.shape) };
        // Of a mesh or chain, what is near the points, which are cut off a slop beyond its ends.
        let reach = REACH * self.contacts.hot[touch.index as usize].slop;
        let mut most = Real::NEG_INFINITY;
        for at in seen.points_in(&pose) {
            composite.visit(&Aabb { min: at, max: at }.grown(reach), &mut |index| {
                most = most.max(top(&composite.child(index)));
            });
        }
        most
    }

    /// Point `i` of a contact, on the surface of the shape that is touched, in the world.
    fn on_surface(&self, touch: &Touch<D>, i: usize) -> D::Point {
        let contact = &self.contacts.hot[touch.index as usize];
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let row = contact.row(i, &places[0], &places[1]);
        places[0].position + row.r_a - touch.normal * (0.5 * row.separation)
    }

    /// Box around the points of a contact, as far as they may be from what covers them.
    pub(super) fn around(&self, touch: &Touch<D>) -> Aabb<D> {
        let contact = &self.contacts.hot[touch.index as usize];
        let points = (0..contact.manifold.count as usize).map(|i| self.on_surface(touch, i));
        Aabb::of_points(points).grown(REACH * contact.slop)
    }

    /// Which points of `touch` the shape of `neighbor` covers, as bits.
    fn covered(&self, touch: &Touch<D>, neighbor: &Touch<D>) -> u32 {
        let contact = &self.contacts.hot[touch.index as usize];
        let record = &self.shapes[neighbor.shape];
        let pose = self.bodies.places[record.body as usize].compose(record.from_center);
        let normal = pose.rotation.rotate_inv(touch.normal);
        let inwards = pose.rotation.rotate_inv(-neighbor.normal);
        (0..contact.manifold.count as usize).fold(0, |bits, i| {
            let local = pose.inverse_transform(self.on_surface(touch, i));
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
        let reach = REACH * slop;
        composite.visit(&Aabb { min: at, max: at }.grown(reach), &mut |index| {
            let child = composite.child(index);
            let height =
                child.support(-inwards).map_or(Real::INFINITY, |v| composite.normal(index).dot(p - v));
            found |= height.abs() <= reach && rises::<D>(&child, p, n, inwards, slop);
        });
        return found;
    }
    if !rises::<D>(shape, p, n, inwards, slop) {
        return false;
    }
    if is_over::<D>(shape, p, inwards, slop) {
        return true;
    }
    // What is so thin that this leads out at its other side covers what is near, like a triangle of a mesh. Shapes without thickness have no
    // inner radius.
    let inner = shape.inner_radius();
    (inner <= REACH * slop || inner == Real::INFINITY)
        && point_shape::<D>(D::Point::from_vec(p), shape, &Pose::IDENTITY)
            .is_some_and(|near| near.distance <= INTO * slop)
}

/// True if a convex shape has points clearly above the plane through `p` with normal `n`. `inwards` points into the shape where it is touched.
fn rises<D: Dim>(shape: &D::Shape, p: D::Vec, n: D::Vec, inwards: D::Vec, slop: Real) -> bool {
    let Some(core) = shape.support(n) else { return false };
    let away = core + n * shape.rounding() - p;
    // How far a tile goes on beside the lean of the plane says nothing: the support of a long one is at its far end.
    let lean = (n - inwards * n.dot(inwards)).normalize_or(D::Vec::ZERO);
    let reach = away.dot(lean).abs().max(away.dot(inwards).abs());
    away.dot(n) > (RISE * reach).max(LEAST_RISE * slop)
}
