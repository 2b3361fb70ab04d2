//! A run of contacts to bring up to date, and what is common to all narrow phases: contacts whose boxes have parted,
//! recycling, and turning a result in the frame of a shape into a manifold in the frames of the bodies.

use super::parts::OldPoints;
use super::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Parts};
use crate::Settings;
use crate::body::{Bodies, BodyKind};
use crate::broad_phase::{Proxies, Proxy};
use crate::contact::{Contact, ContactPoint, flags};
use crate::math::*;
use crate::query_log::{Answer, Query, QueryLog};
use crate::shape::{ShapeOps, ShapeRecord};
use crate::store::Slots;
use crate::trusted::Mine;

/// Pairs that do not touch are kept while they move less than this share of the speculative distance (no unit): below 1, so
/// that a contact is computed before the shapes can meet.
const KEEP_APART: Real = 0.9;

/// What all batches of a step read.
pub(crate) struct PairSource<'a, D: Dim> {
    pub settings: &'a Settings<D>,
    pub bodies: &'a Bodies<D>,
    pub shapes: &'a Slots<ShapeRecord<D>>,
    pub proxies: &'a Proxies<D>,
    pub algorithm: Algorithm,
    pub log: Option<&'a QueryLog<D>>,
    /// All pairs were found in this step: their boxes overlap.
    pub are_new: bool,
}

/// Some contacts of the world, handed out one by one.
pub struct ContactBatch<'a, D: Dim> {
    pub(super) source: &'a PairSource<'a, D>,
    pub(super) contacts: Mine<'a, Contact<D>>,
    indices: &'a [u32],
    at: usize,
    pub(super) counters: NarrowCounters,
    /// Room for pairs with many children, and for the points that they had.
    ///
    /// PERF: some kB for every batch, of which most have no such pair: 1 % of the instructions of a step.
    pub(super) room: Option<(Parts<D>, OldPoints<D>)>,
    /// Parts beyond those that the pair has contacts for: head of the pair, manifold.
    pub(super) extra: &'a mut Vec<(u32, LocalManifold<D>)>,
}

impl<'a, D: Dim> ContactBatch<'a, D> {
    /// A batch over `indices`; parts of pairs for which there is no contact yet go to `extra`.
    pub(crate) fn new(
        source: &'a PairSource<'a, D>,
        contacts: Mine<'a, Contact<D>>,
        indices: &'a [u32],
        extra: &'a mut Vec<(u32, LocalManifold<D>)>,
    ) -> Self {
        Self { source, contacts, indices, at: 0, counters: NarrowCounters::default(), room: None, extra }
    }

    /// The next contact to bring up to date. Contacts whose fat boxes no longer overlap are passed over: they end. Pairs with
    /// a mesh, height field or chain are brought up to date by the batch itself, and passed over too.
    pub fn next_task(&mut self) -> Option<PairTask<'_, D>> {
        loop {
            let index = *self.indices.get(self.at)?;
            self.at += 1;
            let contact = self.contacts.get(index as usize);
            if !self.source.is_near(contact) {
                contact.end();
                continue;
            }
            if contact.flags & flags::COMPOSITE != 0 {
                self.update_parts(index);
                continue;
            }
            let contact = self.contacts.get(index as usize);
            let before = contact.cache;
            return Some(PairTask::new(self.source, contact, &mut self.counters, before));
        }
    }

    /// Brings all of them up to date: keeps what hardly moved and computes the rest; the jobs know by which algorithm.
    ///
    /// PERF: as [`Self::next_task`] and the calls that follow it, but each contact is looked up once.
    pub(super) fn update_all(&mut self) {
        let mut local = LocalManifold::default();
        for &index in &self.indices[self.at..] {
            let contact = self.contacts.get(index as usize);
            if !self.source.is_near(contact) {
                contact.end();
                continue;
            }
            if contact.flags & flags::COMPOSITE != 0 {
                self.update_parts(index);
                continue;
            }
            let before = contact.cache;
            let mut task = PairTask::new(self.source, contact, &mut self.counters, before);
            if task.try_keep() {
                continue;
            }
            let (job, cache, counters) = task.job();
            D::Shape::collide(&job, cache, counters, &mut local);
            task.finish_minding(&mut local);
        }
        self.at = self.indices.len();
    }

    /// The contacts, and how much work was done.
    pub(crate) fn finish(self) -> (Mine<'a, Contact<D>>, NarrowCounters) {
        (self.contacts, self.counters)
    }
}

impl<D: Dim> PairSource<'_, D> {
    /// True if the fat boxes of a pair overlap.
    #[inline(always)]
    fn is_near(&self, contact: &Contact<D>) -> bool {
        let slots = self.proxies.slots();
        let [a, b] = contact.shapes.map(|shape| &slots[shape as usize].fat);
        self.are_new || a.overlaps(b) && reaches_plane(self.bodies, self.shapes, slots, contact.shapes)
    }
}

impl<D: Dim> PairSource<'_, D> {
    /// How far two shapes stay away from each other because one that can be pushed has no thickness [m].
    #[inline]
    pub(super) fn skin(&self, shapes: [u32; 2]) -> Real {
        shapes.iter().fold(0.0, |sum, &index| {
            let shape = &self.shapes[index];
            // PERF: nearly all have a size.
            if shape.size.is_finite() || self.bodies.records[shape.body].kind != BodyKind::Dynamic {
                sum
            } else {
                sum + shape.skin(self.settings)
            }
        })
    }
}

impl<D: Dim> Contact<D> {
    /// Moves the points to where a result in the frame of shape a has them, if they are the same ones, or still none; [`write`] says what is what. False if something else
    /// has to be done.
    ///
    /// PERF: nearly all that is computed anew ends here, which saves some 60 instructions of 800 each time.
    #[inline]
    fn follow(&mut self, local: &LocalManifold<D>, relative: &Pose<D>, frame: &Pose<D>) -> bool {
        let (points, manifold) = (local.points(), &mut self.manifold);
        if self.flags & flags::SENSOR != 0 || points.len() != manifold.count as usize {
            return false;
        }
        let touching = if points.is_empty() { 0 } else { flags::TOUCHING };
        if touching != 0 {
            let is_same = |(i, (old, new)): (usize, (&ContactPoint<D>, &super::LocalPoint<D>))| {
                old.id == new.id && points[..i].iter().all(|other| other.id != new.id)
            };
            if !manifold.points().iter().zip(points).enumerate().all(is_same) || !local.is_sound() {
                return false;
            }
            manifold.local_normal = frame.rotation.rotate(local.normal);
            for (old, new) in manifold.points_mut().iter_mut().zip(points) {
                old.local_a = frame.position.to_vec() + frame.rotation.rotate(new.position);
                old.base_separation = new.separation;
            }
        }
        self.flags = self.flags & !flags::TOUCHING | flags::HAS_KEPT | flags::FRESH | touching;
        self.kept = *relative;
        true
    }

    /// Notes that the fat boxes have parted: the contact ends.
    #[inline]
    fn end(&mut self) {
        self.flags = self.flags & !flags::TOUCHING | flags::APART;
    }
}

/// False for a pair of a plane that stands still and a shape whose fat box does not reach it: planes have infinite boxes, which
/// overlap all others. Planes on kinematic bodies go anywhere without their box changing, and keep all their pairs.
#[inline]
pub(crate) fn reaches_plane<D: Dim>(
    bodies: &Bodies<D>,
    shapes: &Slots<ShapeRecord<D>>,
    slots: &[Proxy<D>],
    pair: [u32; 2],
) -> bool {
    // PERF: nothing but a plane has an infinite box, and most pairs have none.
    let is_plane = |shape: u32| slots[shape as usize].fat.min.to_vec().get(0) == Real::NEG_INFINITY;
    match pair.map(is_plane) {
        [true, false] => is_in_reach(bodies, &shapes[pair[0]], &slots[pair[1] as usize].fat),
        [false, true] => is_in_reach(bodies, &shapes[pair[1]], &slots[pair[0] as usize].fat),
        _ => true,
    }
}

/// True if a box reaches into a half-space, or that moves.
fn is_in_reach<D: Dim>(bodies: &Bodies<D>, plane: &ShapeRecord<D>, fat: &Aabb<D>) -> bool {
    let Some((normal, offset)) = plane.shape.half_space() else { return true };
    if bodies.records[plane.body].kind != BodyKind::Static {
        return true;
    }
    let pose = bodies.places[plane.body as usize].compose(plane.from_center);
    let normal = pose.rotation.rotate(normal);
    // The corner that is farthest inside.
    let height = (0..D::N).fold(-offset, |height, axis| {
        let n = normal.get(axis);
        let corner = if n > 0.0 { fat.min } else { fat.max };
        height + n * (corner - pose.position).get(axis)
    });
    height <= 0.0
}

/// One contact to bring up to date.
pub struct PairTask<'a, D: Dim> {
    pub(super) source: &'a PairSource<'a, D>,
    pub(super) contact: &'a mut Contact<D>,
    pub(super) counters: &'a mut NarrowCounters,
    /// The cache before the contact was computed.
    before: PairCache,
    /// Place of b's centre of mass as seen from a's, once it is known.
    relative: Option<Pose<D>>,
}

impl<'a, D: Dim> PairTask<'a, D> {
    pub(super) fn new(
        source: &'a PairSource<'a, D>,
        contact: &'a mut Contact<D>,
        counters: &'a mut NarrowCounters,
        before: PairCache,
    ) -> Self {
        Self { source, contact, counters, before, relative: None }
    }

    /// Place of b's centre of mass as seen from a's.
    #[inline]
    pub(super) fn relative_place(&mut self) -> Pose<D> {
        let (bodies, places) = (self.contact.bodies, &self.source.bodies.places);
        let find = || places[bodies[0] as usize].relative(places[bodies[1] as usize]);
        *self.relative.get_or_insert_with(find)
    }

    /// Gives b anchors that are moved by `aside` against those of a, in the frame of body a [m]: as if the contact were computed where b is not moved
    /// so. Along the normal nothing changes if `aside` is across it.
    pub(super) fn anchor_aside(&mut self, aside: D::Vec) {
        let mut place = self.relative_place();
        place.position = place.position - aside;
        self.relative = Some(place);
    }

    /// True if two convex shapes lie on each other with whole faces, all points being as close to within the slop: what rolls touches
    /// with other points in every step, but nothing rolls on a face, be it the cap of a cylinder.
    fn is_flat(&self) -> bool {
        let points = self.contact.manifold.points();
        // PERF: most of what rolls touches with one point.
        if points.len() < D::N || self.contact.flags & flags::COMPOSITE != 0 {
            return false;
        }
        let (low, high) = points.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), p| {
            (low.min(p.base_separation), high.max(p.base_separation))
        });
        high - low <= self.contact.slop
    }

    /// Keeps the contact as it is if the bodies have hardly moved against each other since it was computed [Catto2026]:
    /// anchors stay where they are on the bodies, and separations follow from them. Besides saving the work this is what
    /// makes stacks steady, because the points stop jumping. True if there is nothing more to do.
    pub fn try_keep(&mut self) -> bool {
        let settings = self.source.settings;
        let keeps = self.contact.flags & flags::KEEPS != 0 || self.is_flat();
        if !keeps || self.contact.flags & flags::HAS_KEPT == 0 || settings.recycling == 0.0 {
            return false;
        }
        let now = self.relative_place();
        let kept = &self.contact.kept;
        let shift = (now.position - kept.position).length();
        let angle = kept.rotation.small_angle_to(now.rotation);
        let [a, b] = self.contact.bodies.map(|body| self.source.bodies.cores[body as usize].extent);
        // Turning about a far point moves the surface by angle times distance; the smaller body bounds the overlap.
        let motion = shift + 2.0 * angle * a.min(b);
        // Convex shapes that touch may go further than to where they could touch: they have nothing else to touch with.
        let limit = match self.contact.flags & (flags::TOUCHING | flags::COMPOSITE) {
            flags::TOUCHING => settings.recycling,
            _ => KEEP_APART * settings.speculative,
        };
        if motion > limit * self.contact.slop {
            return false;
        }
        self.counters.recycled += 1;
        true
    }

    /// The pair in the frame of shape a, with its cache and the counters to fill in.
    pub fn job(&mut self) -> (CollideJob<'_, D>, &mut PairCache, &mut NarrowCounters) {
        let relative = self.relative_place();
        let [a, b] = self.contact.shapes.map(|shape| &self.source.shapes[shape]);
        let b_in_body_a = relative.compose(b.from_center);
        let slop = self.contact.slop;
        let job = CollideJob {
            a: &a.shape,
            b: &b.shape,
            b_in_a: a.from_center.relative(b_in_body_a),
            margin: self.source.settings.speculative * slop,
            slop,
            algorithm: self.source.algorithm,
        };
        (job, &mut self.contact.cache, self.counters)
    }

    /// Adds the pair to the log of queries, if there is one.
    pub(super) fn record(&mut self, used: &[u32], answer: impl FnOnce() -> Vec<LocalManifold<D>>) {
        let Some(log) = self.source.log else { return };
        let cache = self.before;
        let (job, ..) = self.job();
        let (a, b) = (job.a.clone(), job.b.clone());
        let CollideJob { b_in_a, margin, slop, algorithm, .. } = job;
        let query = Query::Contacts { a, b, b_in_a, margin, slop, algorithm, cache, used: used.to_vec() };
        log.record(query, Answer::Contacts(answer()));
    }

    /// Takes the result over into the contact. Impulses of points with the same id live on.
    pub fn finish(&mut self, local: &LocalManifold<D>) {
        self.record(&[], || vec![*local]);
        self.take_over(local);
    }

    /// The same, after a look at where the shapes met if they are deep in each other; see `way_in.rs`. The log has what the contact
    /// function found.
    pub(super) fn finish_minding(&mut self, local: &mut LocalManifold<D>) {
        self.record(&[], || vec![*local]);
        self.mind_way_in(local);
        self.take_over(local);
    }

    fn take_over(&mut self, local: &LocalManifold<D>) {
        let skin = self.source.skin(self.contact.shapes);
        if skin > 0.0 {
            let mut thick = *local;
            thick.thicken(skin);
            self.take_over_thick(&thick);
        } else {
            self.take_over_thick(local);
        }
    }

    /// The same once the thickness is counted of what has none.
    #[inline]
    fn take_over_thick(&mut self, local: &LocalManifold<D>) {
        let relative = self.relative_place();
        let frame = self.source.shapes[self.contact.shapes[0]].from_center;
        if self.contact.follow(local, &relative, &frame) {
            return;
        }
        let old = self.contact.manifold;
        write(self.contact, local, &relative, &frame, self.source.settings, |point, _| {
            let old = old.points().iter().find(|p| p.id == point.id);
            old.map_or((0.0, 0.0), |p| (p.normal_impulse, p.load))
        });
    }
}

/// Writes a result in the frame of shape a, which stands at `frame` from the centre of mass of body a, into a contact.
/// `relative` is the place of body b as seen from body a; `start` finds the impulse and the settled load that a
/// point starts with [N·s].
pub(crate) fn write<D: Dim>(
    contact: &mut Contact<D>,
    local: &LocalManifold<D>,
    relative: &Pose<D>,
    frame: &Pose<D>,
    settings: &Settings<D>,
    mut start: impl FnMut(&super::LocalPoint<D>, &ContactPoint<D>) -> (Real, Real),
) {
    let manifold = &mut contact.manifold;
    manifold.local_normal = frame.rotation.rotate(local.normal);
    let mut points = local.points();
    // A user's narrow phase may give anything: what is not finite is no contact.
    if !local.is_sound() {
        points = &[];
        manifold.local_normal = D::Vec::axis(1);
    }
    let deepest;
    if !settings.multiple_contacts && points.len() > 1 {
        let by_depth =
            |x: &&super::LocalPoint<D>, y: &&super::LocalPoint<D>| x.separation.total_cmp(&y.separation);
        deepest = points.iter().min_by(by_depth).copied().unwrap_or_default();
        points = core::slice::from_ref(&deepest);
    }
    manifold.count = points.len() as u32;
    for (new, point) in manifold.points.as_mut().iter_mut().zip(points) {
        let on_a = frame.position.to_vec() + frame.rotation.rotate(point.position);
        *new = ContactPoint {
            local_a: on_a,
            base_separation: point.separation,
            normal_impulse: 0.0,
            load: 0.0,
            id: point.id,
        };
        (new.normal_impulse, new.load) = start(point, new);
    }
    let touching = if contact.flags & flags::SENSOR != 0 {
        points.iter().any(|p| p.separation <= 0.0)
    } else {
        !points.is_empty()
    };
    contact.flags &= !flags::TOUCHING;
    contact.flags |= flags::HAS_KEPT | flags::FRESH | if touching { flags::TOUCHING } else { 0 };
    if !touching {
        manifold.friction_impulse = D::Vec::ZERO;
        manifold.twist_impulse = 0.0;
        manifold.rolling_impulse = D::Ang::ZERO;
    }
    contact.kept = *relative;
}
