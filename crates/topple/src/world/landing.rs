//! Landing on a floor of tiles: the contacts of a body that is found deep in several of them are those of the one floor that they make.
//!
//! What falls fast is found deep in what it lands on, and the contact of each tile is the shortest way out of that tile alone, or the way the body came into it by: aside, if it is near the
//! joint. Seen together the tiles are one surface, out of which the way is up. So, if a body is deep in something that cannot be pushed, the contacts that lean from a *floor* are
//! looked at again. A floor is the common plane of two faces of neighbours: both lie in it, one of them covers the other's contact, the middle of the body is in front of it, and
//! the lowest point of the body is below one of them. A contact with a tile is then what it would be with the body raised along the normal of the floor until it just touches it, brought back;
//! if that leans still, it is that of an edge which is no edge, and is dropped.
//!
//! What stands up from the floor, or ends beside it, is not in the plane of the other and stays as it is: walls, steps, grooves, ridges and ledges.

use super::World;
use super::ghosts::{LEVEL, SAME_WAY, Touch};
use crate::body::{Bodies, BodyKind};
use crate::broad_phase::ProxyKind;
use crate::contact::{Contact, flags};
use crate::math::*;
use crate::narrow_phase::{
    CollideJob, LocalManifold, NarrowCounters, PairCache, Parts, bring_back, composite, write,
};
use crate::shape::{Placed, ShapeOps};
use crate::trusted::{Each, in_pieces};

/// Contacts of a body that are looked at together at most.
const MOST: usize = 32;

/// Cosine of the angle up to which a contact lies on a floor (no unit; 0.25°): what leans by more takes from the speed along it.
const FLAT: Real = 0.999_99;

/// Overlap from which on a new contact is one of a landing, in slops: what slides or rests is less deep.
pub(super) const LANDED: Real = 2.0;

/// Part of a normal along an axis from which on it looks that way (no unit).
const ASIDE: Real = 0.3;

/// How far inside of a face it is asked whether something covers it, in slops: the side of a tile is covered by the next one up to its upper end only.
const INSIDE: Real = 16.0;

/// Bodies per piece of work.
const BODIES: usize = 2;

/// What a piece of work finds; keeps its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifts<D: Dim> {
    /// Contacts that are to be replaced, and what by.
    lifted: Vec<(u32, LocalManifold<D>)>,
    /// Scratch: what cannot be pushed around a body.
    tiles: Vec<u32>,
}

/// The floor below a body: its unit normal, and how far the body reaches below it [m].
struct Floor<D: Dim> {
    normal: D::Vec,
    depth: Real,
}

impl<D: Dim> World<D> {
    /// Corrects the contacts of the bodies that `landed`, one or more times each, in any order.
    pub(super) fn lift_landed(&mut self) {
        let mut landed = core::mem::take(&mut self.scratch.landed);
        if landed.is_empty() {
            self.scratch.landed = landed;
            return;
        }
        landed.sort_unstable();
        landed.dedup();
        let mut lifts = core::mem::take(&mut self.scratch.lifts);
        let pieces = landed.len().div_ceil(BODIES);
        if lifts.len() < pieces {
            lifts.resize_with(pieces, Lifts::default);
        }
        // All are looked at before any is replaced, so that the order does not matter.
        let arrays = (&mut landed[..], Each::of(&mut lifts[..pieces]));
        in_pieces(&*self.executor, BODIES, arrays, |_, (bodies, Lifts { lifted, tiles })| {
            lifted.clear();
            bodies.iter().for_each(|&body| self.lift(body, lifted, tiles));
        });
        for (index, local) in lifts[..pieces].iter().flat_map(|lifts| &lifts.lifted) {
            self.replace(*index, local);
        }
        (self.scratch.landed, self.scratch.lifts) = (landed, lifts);
    }

    /// Finds the contacts of one body that are to be replaced, and what by.
    fn lift(&self, body: u32, lifted: &mut Vec<(u32, LocalManifold<D>)>, tiles: &mut Vec<u32>) {
        let mut all: [Option<Touch<D>>; MOST] = [None; MOST];
        let mut count = 0;
        for (index, _) in self.contacts.of_body(self.bodies.records[body].first_contact) {
            if count < MOST
                && let Some(touch) = self.touch(index, body).filter(|touch| !touch.is_loose)
            {
                all[count] = Some(touch);
                count += 1;
            }
        }
        let all = &all[..count];
        self.find_tiles(all, body, tiles);
        if tiles.len() < 2 {
            return;
        }
        let first = lifted.len();
        for touch in all.iter().flatten() {
            if self.contacts.hot[touch.index as usize].flags & flags::FRESH == 0 {
                continue;
            }
            let Some(floor) = self.floor_below(touch, tiles, body) else { continue };
            // One contact of a pair is enough.
            let is_same = |other: &Touch<D>| (other.shape, other.own) == (touch.shape, touch.own);
            let is_borne = all.iter().flatten().any(|other| {
                is_same(other) && other.index != touch.index && other.normal.dot(floor.normal) >= SAME_WAY
            }) || lifted[first..].iter().any(|(index, local)| {
                !local.is_empty() && all.iter().flatten().any(|other| other.index == *index && is_same(other))
            });
            let local = if is_borne { LocalManifold::default() } else { self.raised(touch, &floor) };
            lifted.push((touch.index, local));
        }
    }

    /// Finds what cannot be pushed around a body and the contacts that it has, in order.
    fn find_tiles(&self, all: &[Option<Touch<D>>], body: u32, tiles: &mut Vec<u32>) {
        tiles.clear();
        let center = self.bodies.places[body as usize].position;
        let mut bounds = Aabb { min: center, max: center }.grown(self.bodies.cores[body as usize].extent);
        for touch in all.iter().flatten() {
            bounds = bounds.union(&self.up_to_side(touch));
        }
        let mut visit = |shape: u32| {
            let proxy = self.proxies.get(shape);
            if proxy.kind != ProxyKind::Dynamic && !proxy.is_sensor {
                tiles.push(shape);
            }
            true
        };
        let broad_phase = &self.methods.broad_phase;
        // PERF: the box may hold a heap of what moves, and only kinematic bodies are kept among that.
        if self.proxies.kinematic_count() == 0 {
            broad_phase.query_static(&self.proxies, &bounds, &mut visit);
        } else {
            broad_phase.query(&self.proxies, &bounds, &mut visit);
        }
        tiles.sort_unstable();
    }

    /// Box around the points of a contact and the end of the shape that it pushes out of: below the top of a tile whose sides slant inwards that is farther out than the points.
    fn up_to_side(&self, touch: &Touch<D>) -> Aabb<D> {
        let around = self.around(touch);
        let bounds = &self.proxies.get(touch.shape).fat;
        if self.shapes[touch.shape].shape.composite().is_some() {
            return around;
        }
        let mut ends = around;
        for axis in 0..D::N {
            let along = touch.normal.get(axis);
            let limit = if along > 0.0 { bounds.max } else { bounds.min }.to_vec().get(axis);
            if along.abs() > ASIDE && limit.is_finite() {
                let mut end = around.min.to_vec();
                end.set(axis, limit);
                let end = D::Point::from_vec(end);
                ends = ends.union(&Aabb { min: end, max: end });
            }
        }
        ends
    }

    /// A shape at its place.
    fn placed(&self, shape: u32) -> Placed<'_, D> {
        let record = &self.shapes[shape];
        let pose = self.bodies.places[record.body as usize].compose(record.from_center);
        Placed { shape: &record.shape, pose }
    }

    /// The floor that the shape of `touch` is part of, if its contact leans from that.
    fn floor_below(&self, touch: &Touch<D>, tiles: &[u32], body: u32) -> Option<Floor<D>> {
        let slop = self.contacts.hot[touch.index as usize].slop;
        let center = self.bodies.places[body as usize].position;
        let (own, tile) = (self.placed(touch.own), self.placed(touch.shape));
        let middle = own.middle();
        let seen = self.seen(touch, body);
        let points = &seen.points[..seen.count];
        // The joint, where a mesh or chain may end, is as far away as the points are: what is fast has left it behind.
        let extent = self.bodies.cores[body as usize].extent;
        let reach = points.iter().fold(extent, |reach, p| reach.max(p.length() + slop));
        let is_free = |p: D::Vec, normal: D::Vec| {
            !tiles.iter().any(|tile| self.placed(*tile).covers(p, normal, center, slop))
        };
        // What is touched at a face of its own that nothing covers is touched there, unless that is the side of a closed joint: below that nothing gets, be there room, as between sides that slant or
        // below thin tiles. The middle of the points counts: those at the upper end of a side are where nothing covers it any more.
        let mean = points.iter().fold(D::Vec::ZERO, |sum, p| sum + *p) * (1.0 / points.len().max(1) as Real);
        let its_own = tile.face(touch.normal, center, reach);
        let its_own = its_own.filter(|face| face.normal.dot(touch.normal) >= FLAT);
        let is_its_own = its_own.is_some_and(|face| is_free(face.onto(mean), face.normal));
        let mut best: Option<Floor<D>> = None;
        for &other in tiles.iter().filter(|other| **other != touch.shape) {
            let other = self.placed(other);
            for way in tile.sides(middle).chain([touch.normal]) {
                let Some(face) = other.face(way, center, reach) else { continue };
                if touch.normal.dot(face.normal) >= FLAT || face.height_of(middle - center) <= 0.0 {
                    continue;
                }
                let is_level = |tile: &Placed<'_, D>| {
                    let its = tile.face(face.normal, center, reach);
                    its.is_some_and(|its| face.is_level(&its, LEVEL * slop))
                };
                // The other one covers the place of the contact, or the side of the tile that it pushes out of.
                let reaches =
                    |tile: &Placed<'_, D>, p: D::Vec| tile.reaches(center + face.onto(p), face.normal, slop);
                let aside = touch.normal - face.normal * touch.normal.dot(face.normal);
                let aside = aside.normalize_or(D::Vec::ZERO);
                let end = tile.end(aside, center).filter(|_| aside != D::Vec::ZERO);
                let is_part = |other: &Placed<'_, D>, p: D::Vec| {
                    let inside = || other.inwards(face.onto(p), face.normal, center, INSIDE * slop);
                    reaches(other, p) && is_free(inside(), face.normal)
                };
                let to_side = |p: &D::Vec| end.map(|end| *p + aside * (end - aside.dot(*p)));
                let is_joint =
                    |p: &D::Vec| is_part(&other, *p) || to_side(p).is_some_and(|p| is_part(&other, p));
                // Some tile goes on with the floor beyond the side, above each point of it.
                let is_closed = |p: &D::Vec| {
                    let is_next = |next: &&u32| **next != touch.shape && is_level(&self.placed(**next));
                    let mut next = tiles.iter().filter(is_next).map(|next| self.placed(*next));
                    to_side(p).is_some_and(|p| next.any(|next| is_part(&next, p)))
                };
                if !is_level(&tile)
                    || !points.iter().any(is_joint)
                    || is_its_own && !points.iter().all(is_closed)
                {
                    continue;
                }
                let Some(lowest) = own.lowest(&face, center) else { continue };
                let depth = -face.height_of(lowest);
                let is_over = |tile: &u32| {
                    let tile = self.placed(*tile);
                    is_level(&tile) && reaches(&tile, lowest)
                };
                if depth > slop
                    && best.as_ref().is_none_or(|best| depth < best.depth)
                    && tiles.iter().any(is_over)
                    && is_free(face.onto(lowest), face.normal)
                {
                    best = Some(Floor { normal: face.normal, depth });
                }
            }
        }
        best
    }

    /// The contact that the body would have with the shape of `touch` if it just touched the floor, brought back to where it is; none if that leans from the floor.
    fn raised(&self, touch: &Touch<D>, floor: &Floor<D>) -> LocalManifold<D> {
        let contact = &self.contacts.hot[touch.index as usize];
        let [a, b] = contact.shapes.map(|shape| &self.shapes[shape]);
        let [place_a, place_b] = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let pose_a = place_a.compose(a.from_center);
        let b_in_a = pose_a.relative(place_b.compose(b.from_center));
        let is_ground_a = contact.shapes[0] == touch.shape;
        let way = pose_a.rotation.rotate_inv(if is_ground_a { floor.normal } else { -floor.normal });
        let by = floor.depth - contact.slop;
        let job = CollideJob {
            a: &a.shape,
            b: &b.shape,
            b_in_a: Pose { position: b_in_a.position + way * by, ..b_in_a },
            margin: self.settings.speculative * contact.slop + by,
            slop: contact.slop,
            algorithm: super::contacts::algorithm(self),
        };
        let ground = contact.cache.kind & PairCache::GROUND;
        let mut cache = PairCache { kind: ground, ..PairCache::default() };
        let mut counters = NarrowCounters::default();
        let mut found = LocalManifold::default();
        if contact.flags & flags::COMPOSITE == 0 {
            D::Shape::collide(&job, &mut cache, &mut counters, &mut found);
        } else {
            let mut parts = Parts::default();
            composite::collide(&job, cache.ground(), &mut counters, &mut parts);
            let agree = |part: &usize| parts.normal(*part).dot(way);
            let best = (0..parts.len()).max_by(|i, j| agree(i).total_cmp(&agree(j)).then(j.cmp(i)));
            if let Some(best) = best {
                found = parts.manifold(best);
            }
        }
        let is_round = !self.shapes[touch.own].shape.keeps_contacts();
        if found.is_empty() || found.normal.dot(way) < if is_round { FLAT } else { SAME_WAY } {
            return LocalManifold::default();
        }
        // A body that leans by a little may touch with its own face.
        let along = found.normal.dot(way);
        found.points_mut().iter_mut().for_each(|point| point.separation *= along);
        found.normal = way;
        bring_back(&mut found, way, by, cache.ground());
        let margin = self.settings.speculative * contact.slop;
        let mut near = found;
        near.clear();
        for point in found.points().iter().filter(|point| point.separation <= margin) {
            near.push(point.position, point.separation, point.id);
        }
        near
    }

    /// Puts another manifold, in the frame of shape a, in the place of that of a contact.
    fn replace(&mut self, index: u32, local: &LocalManifold<D>) {
        let contact = &mut self.contacts.hot[index as usize];
        let [a, b] = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let frame = self.shapes[contact.shapes[0]].from_center;
        let old = contact.manifold;
        write(contact, local, &a.relative(b), &frame, &self.settings, |point, _| {
            let old = old.points().iter().find(|p| p.id == point.id);
            old.map_or((0.0, 0.0), |p| (p.normal_impulse, p.load))
        });
        contact.is_held = false;
        if local.is_empty() {
            self.scratch.changed.push(index);
        }
    }
}

/// The body of a contact that is deep in something that cannot be pushed.
pub(super) fn landed_body<D: Dim>(bodies: &Bodies<D>, contact: &Contact<D>) -> Option<u32> {
    let lowest = contact.manifold.points().iter().fold(0.0, |low: Real, p| low.min(p.base_separation));
    if lowest >= -LANDED * contact.slop || !contact.is_solid() {
        return None;
    }
    match contact.bodies.map(|body| bodies.records[body].kind == BodyKind::Dynamic) {
        [true, false] => Some(contact.bodies[0]),
        [false, true] => Some(contact.bodies[1]),
        _ => None,
    }
}
