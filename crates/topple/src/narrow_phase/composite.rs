//! Contacts of shapes made of many children: meshes, height fields, chains.
//!
//! The mid phase asks the composite shape for the children near the other shape, collides each of them
//! (`d2/segment.rs`, `d3/probe.rs`), and gathers the points into *parts*: points whose normals agree belong to one
//! part, which becomes one manifold of the pair. A box on fine terrain has one part with four points, not twenty with
//! eighty; a box in a valley has one part for each side.

use super::{CollideJob, LocalManifold, LocalPoint, MAX_LOCAL_POINTS, NarrowCounters, Side};
use crate::distance::point_shape;
use crate::math::*;
use crate::shape::{LocalRay, ShapeOps};

/// Parts a pair can have. More directions than this at once are merged with the nearest one.
pub const MAX_PARTS: usize = 8;
/// Cosine of the angle up to which normals belong to one part (dimensionless; 3.6°).
const SAME_PART: Real = 0.998;
/// Cosine up to which a normal may be forced into another part when there are too many.
const SIMILAR: Real = 0.8;
/// Slope of the direction in which the first point is chosen (dimensionless): not parallel to the edges of common shapes.
const ASKEW: Real = 0.37;
/// Advantage of a point that was used last time, as a factor on lengths squared and areas (no unit).
const LOYALTY: Real = 1.1;
/// How much less a point counts that is higher than the lowest by more than a slop: the inverse square of 1 + this, per slop (no unit). On a
/// ball the height grows with the square of the distance, so that without this the highest points within reach would win.
const HIGHER: Real = 2.0;
/// Share of the greatest depth that counts as a slop there if it is more (no unit): all corners of what has sunk in have to come out.
const SUNK: Real = 0.5;
/// Slope from a point down to another one from which on they are on two faces of a body of triangles (no unit; 6°): what lies on one of its faces leans by less.
const NEXT_FACE: Real = 0.1;
/// Depth in slops from which on points of two solids are looked at twice.
const DEEP: Real = 5.0;
/// How far from a surface a deep point may be that speaks of it, in slops.
const NEAR: Real = 1.5;
/// Share of the distance of the two frames by which a place on one shape is known in the frame of the other (no unit): some roundings of f32. On a
/// floor of a kilometre that is more than the slop of a small body.
const ROUNDING: Real = 5e-7;
/// A way out is long if another one is less than this share of it (no unit).
const LONG_WAY: Real = 0.5;
/// Cosine between the normals of two parts below which they push against each other (no unit; 120°).
const AGAINST: Real = -0.5;
/// Points a part holds before it is reduced.
const ROOM: usize = 16;

/// Points whose normals agree.
#[derive(Clone, Copy, Debug)]
struct Part<D: Dim> {
    normal: D::Vec,
    /// The normal is that of a child, of the ground if there is one, not one that leans over an edge or a corner.
    is_flat: bool,
    points: [LocalPoint<D>; ROOM],
    count: usize,
}

/// The parts of one pair, in the frame of shape a.
#[derive(Clone, Debug)]
pub struct Parts<D: Dim> {
    parts: [Part<D>; MAX_PARTS],
    count: usize,
    slop: Real,
    used: Used,
}

/// Ids of the points that a pair had last time: they are preferred, so that the choice does not flicker.
#[derive(Clone, Copy, Debug)]
struct Used {
    ids: [u32; MAX_PARTS * MAX_LOCAL_POINTS],
    count: usize,
    /// True if one of the shapes is a body of triangles, not open ground.
    is_body: bool,
}

impl Used {
    const NONE: Self = Self { ids: [0; MAX_PARTS * MAX_LOCAL_POINTS], count: 0, is_body: false };

    #[inline]
    fn contains(&self, id: u32) -> bool {
        self.ids[..self.count].contains(&id)
    }
}

impl<D: Dim> Default for Parts<D> {
    fn default() -> Self {
        let part =
            Part { normal: D::Vec::ZERO, is_flat: false, points: [LocalPoint::default(); ROOM], count: 0 };
        Self { parts: [part; MAX_PARTS], count: 0, slop: 0.0, used: Used::NONE }
    }
}

impl<D: Dim> Parts<D> {
    /// Forgets which points the pair had. `is_body`: one of its shapes is a body of triangles.
    pub(crate) fn forget(&mut self, is_body: bool) {
        (self.used.count, self.used.is_body) = (0, is_body);
    }

    /// Remembers a point that the pair had last time.
    pub(crate) fn remember(&mut self, id: u32) {
        if self.used.count < self.used.ids.len() {
            self.used.ids[self.used.count] = id;
            self.used.count += 1;
        }
    }

    /// Ids of the points that are remembered.
    pub(crate) fn remembered(&self) -> &[u32] {
        &self.used.ids[..self.used.count]
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is no contact.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The normal of part `index`, from a to b.
    pub fn normal(&self, index: usize) -> D::Vec {
        self.parts[index].normal
    }

    /// Part `index` as a manifold of at most `D::MAX_POINTS` points.
    pub fn manifold(&self, index: usize) -> LocalManifold<D> {
        let mut part = self.parts[index];
        part.reduce(self.slop, &self.used);
        let mut out = LocalManifold::default();
        out.normal = part.normal;
        for point in &part.points[..part.count] {
            let mut id = point.id;
            // Distinct ids, whatever the hash of child and feature made of them.
            while out.points().iter().any(|p| p.id == id) {
                id = id.wrapping_add(1);
            }
            out.push(point.position, point.separation, id);
        }
        out
    }

    /// Number of the part with the deepest point.
    pub fn deepest(&self) -> Option<usize> {
        (0..self.count).min_by(|&i, &j| self.parts[i].depth().total_cmp(&self.parts[j].depth()))
    }

    /// Adds the points of a child. `is_flat` tells whether their normal is that of the child.
    fn add(&mut self, child: u32, local: &LocalManifold<D>, is_flat: impl FnOnce() -> bool) {
        if local.is_empty() {
            return;
        }
        let mut found = None;
        let mut agreement = Real::NEG_INFINITY;
        for (i, part) in self.parts[..self.count].iter().enumerate() {
            let dot = part.normal.dot(local.normal);
            if dot > agreement {
                (found, agreement) = (Some(i), dot);
            }
        }
        let index = match found {
            Some(index) if agreement >= SAME_PART => index,
            _ if self.count < MAX_PARTS => {
                self.count += 1;
                self.parts[self.count - 1].count = 0;
                self.parts[self.count - 1].normal = local.normal;
                self.parts[self.count - 1].is_flat = false;
                self.count - 1
            }
            Some(index) if agreement >= SIMILAR => index,
            _ => {
                let shallow = (0..self.count)
                    .max_by(|&i, &j| self.parts[i].depth().total_cmp(&self.parts[j].depth()))
                    .unwrap_or(0);
                let depth = local.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
                if depth >= self.parts[shallow].depth() {
                    return;
                }
                self.parts[shallow].count = 0;
                self.parts[shallow].normal = local.normal;
                self.parts[shallow].is_flat = false;
                shallow
            }
        };
        // What lies on a face and reaches over the border beside it lies on the face, whichever of the two is met first.
        let part = &mut self.parts[index];
        if !part.is_flat && is_flat() {
            (part.normal, part.is_flat) = (local.normal, true);
        }
        for point in local.points() {
            let id = child.wrapping_mul(0x9E37_79B1) ^ point.id;
            self.parts[index].push(LocalPoint { id, ..*point }, self.slop, &self.used);
        }
    }

    /// Drops deep points neither end of which is on one solid and in the other, unless b came out behind a (`is_through`; with `is_body` a behind b), and deep parts that a shorter push of another part frees. Both come
    /// from children that look past the other shape: the side of a plank that another one touches with its edge.
    fn drop_false(
        &mut self,
        in_a: &dyn Fn(D::Vec) -> bool,
        in_b: &dyn Fn(D::Vec) -> bool,
        is_near: &dyn Fn(D::Vec, usize) -> bool,
        is_through: &dyn Fn(D::Vec, D::Vec) -> bool,
        is_body: bool,
    ) {
        let deep = -DEEP * self.slop;
        if self.parts[..self.count].iter().all(|part| part.depth() > deep) {
            return;
        }
        let before = (self.parts, self.count);
        for part in &mut self.parts[..self.count] {
            let normal = part.normal;
            part.retain(|point| {
                let half = normal * (0.5 * point.separation);
                let (on_b, on_a) = (point.position + half, point.position - half);
                point.separation > deep
                    || in_a(on_b) && is_near(on_b, 1)
                    || in_b(on_a) && is_near(on_a, 0)
                    || is_through(on_b, on_a) && if is_body { is_near(on_a, 0) } else { is_near(on_b, 1) }
            });
        }
        self.retain(|part| part.count > 0);
        if self.parts[..self.count].iter().all(|part| part.depth() > 0.0) {
            // Nothing is left that pushes: better a doubtful contact than none, but a shallow one.
            (self.parts, self.count) = before;
            for part in &mut self.parts[..self.count] {
                part.points[..part.count].iter_mut().for_each(|p| p.separation = p.separation.max(deep));
            }
        }
        let (all, count, slop) = (self.parts, self.count, self.slop);
        self.retain(|part| {
            let Some(point) = part.deepest().filter(|point| point.separation <= deep) else { return true };
            let half = part.normal * (0.5 * point.separation);
            let (on_b, on_a) = (point.position + half, point.position - half);
            !all[..count].iter().any(|other| {
                let depth = -other.depth();
                let push = other.normal * (depth + slop);
                depth > 0.0
                    && depth < LONG_WAY * -point.separation
                    && !in_a(on_b + push)
                    && !in_b(on_a - push)
                    && !(is_body && is_through(on_b - push, on_a - push))
            })
        });
    }

    /// Drops the parts that push the body a, whose middle is given, on through b, where others push it back. Normals are those from a to b.
    fn drop_behind(&mut self, middle: D::Vec) {
        let deep = -DEEP * self.slop;
        if self.parts[..self.count].iter().all(|part| part.depth() > deep) {
            return;
        }
        let (all, count) = (self.parts, self.count);
        let is_before = |part: &Part<D>| {
            part.deepest().is_some_and(|point| {
                let on_b = point.position + part.normal * (0.5 * point.separation);
                part.normal.dot(middle - on_b) < 0.0
            })
        };
        self.retain(|part| {
            is_before(part)
                || !all[..count].iter().any(|other| {
                    other.normal.dot(part.normal) < AGAINST && other.depth() <= deep && is_before(other)
                })
        });
    }

    /// Keeps the parts for which `keep` is true, in order.
    fn retain(&mut self, keep: impl Fn(&Part<D>) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            if keep(&self.parts[i]) {
                self.parts[kept] = self.parts[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    fn flip(&mut self, b_in_a: &Pose<D>) {
        for part in &mut self.parts[..self.count] {
            part.normal = -b_in_a.rotation.rotate(part.normal);
            for point in &mut part.points[..part.count] {
                point.position = b_in_a.position.to_vec() + b_in_a.rotation.rotate(point.position);
            }
        }
    }
}

impl<D: Dim> Part<D> {
    fn depth(&self) -> Real {
        self.points[..self.count].iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
    }

    fn deepest(&self) -> Option<LocalPoint<D>> {
        let points = self.points[..self.count].iter().copied();
        points.min_by(|x, y| x.separation.total_cmp(&y.separation))
    }

    /// Keeps the points for which `keep` is true, in order.
    fn retain(&mut self, keep: impl Fn(&LocalPoint<D>) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            if keep(&self.points[i]) {
                self.points[kept] = self.points[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    fn push(&mut self, point: LocalPoint<D>, slop: Real, used: &Used) {
        // Neighbouring children report the points on their common edge twice.
        for old in &mut self.points[..self.count] {
            if (old.position - point.position).length_squared() <= slop * slop {
                if point.separation < old.separation {
                    *old = point;
                }
                return;
            }
        }
        if self.count == ROOM {
            self.reduce(slop, used);
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    /// Keeps at most `D::MAX_POINTS` points: wide apart, the deepest one among them, those of last time unless others are
    /// clearly better.
    fn reduce(&mut self, slop: Real, used: &Used) {
        let count = self.count;
        if count <= D::MAX_POINTS {
            return;
        }
        let [t, u] = D::tangent_basis(self.normal);
        let origin = self.points[0].position;
        let mut flat = [(0.0, 0.0); ROOM];
        for (place, point) in flat.iter_mut().zip(&self.points[..count]) {
            let d = point.position - origin;
            *place = (d.dot(t), d.dot(u));
        }
        let best = |score: &dyn Fn(usize) -> Real| {
            let mut found = (0, Real::NEG_INFINITY);
            for i in 0..count {
                let s = score(i);
                if s > found.1 {
                    found = (i, s);
                }
            }
            found
        };
        let mut weight = [1.0; ROOM];
        let (mut low, mut high) = (flat[0], flat[0]);
        let lowest = self.points[..count].iter().fold(Real::INFINITY, |z, p| z.min(p.separation));
        let level = slop.max(-SUNK * lowest);
        for i in 0..count {
            if used.contains(self.points[i].id) {
                weight[i] = LOYALTY;
            }
            // A round body of triangles rests on what is lowest, not on the border of what is within reach.
            if used.is_body {
                let over = HIGHER * ((self.points[i].separation - lowest) / level - 1.0).max(0.0);
                weight[i] /= (1.0 + over) * (1.0 + over);
            }
            low = (flat[i].0.min(low.0), flat[i].1.min(low.1));
            high = (flat[i].0.max(high.0), flat[i].1.max(high.1));
        }
        let reach = 0.5 * (high.0 - low.0).max(high.1 - low.1);
        let (first, _) = best(&|i| match used.is_body {
            true => (flat[i].0 - low.0 + ASKEW * (flat[i].1 - low.1)) * weight[i],
            false => flat[i].0 + ASKEW * flat[i].1 + (weight[i] - 1.0) * reach,
        });
        let p = flat[first];
        let (second, _) = best(&|i| {
            let (x, y) = (flat[i].0 - p.0, flat[i].1 - p.1);
            (x * x + y * y) * weight[i]
        });
        let q = flat[second];
        // Twice the area of the triangle on either side of the line p q; always 0 in the plane.
        let side = |i: usize| (q.0 - p.0) * (flat[i].1 - p.1) - (q.1 - p.1) * (flat[i].0 - p.0);
        let mut chosen = [first, second, 0, 0];
        let mut kept = 2;
        for (i, area) in [best(&|i| side(i) * weight[i]), best(&|i| -side(i) * weight[i])] {
            if area > 0.0 && kept < D::MAX_POINTS && !chosen[..kept].contains(&i) {
                chosen[kept] = i;
                kept += 1;
            }
        }
        // Of a corner and a point beside it on the next face, which leans away, the corner bears.
        for slot in (0..kept).filter(|_| used.is_body) {
            let (at, high) = (flat[chosen[slot]], self.points[chosen[slot]].separation);
            let below = |i: usize| {
                let (x, y) = (flat[i].0 - at.0, flat[i].1 - at.1);
                high - self.points[i].separation - NEXT_FACE * (x * x + y * y).sqrt()
            };
            let (lower, lead) =
                best(&|i| if chosen[..kept].contains(&i) { Real::NEG_INFINITY } else { below(i) });
            if lead > 0.0 {
                chosen[slot] = lower;
            }
        }
        let (deepest, depth) = best(&|i| -self.points[i].separation);
        let shallow =
            chosen[..kept].iter().fold(Real::INFINITY, |z: Real, &i| z.min(self.points[i].separation));
        if -depth < shallow - slop {
            let d = flat[deepest];
            let near = |i: usize| {
                let (x, y) = (flat[i].0 - d.0, flat[i].1 - d.1);
                x * x + y * y
            };
            let swap = (1..kept).fold(0, |k, j| if near(chosen[j]) < near(chosen[k]) { j } else { k });
            chosen[swap] = deepest;
        }
        let old = self.points;
        for (slot, &i) in self.points.iter_mut().zip(&chosen[..kept]) {
            *slot = old[i];
        }
        self.count = kept;
    }
}

/// True if one of the shapes is a body of triangles or segments, not open ground. Corners of such a body stay the same while it rocks. What slides over
/// open ground meets other triangles in every step, and the widest points serve it better than the last ones.
pub(crate) fn has_body<D: Dim>(job: &CollideJob<'_, D>) -> bool {
    [job.a, job.b].into_iter().any(|shape| shape.composite().is_some_and(|children| children.is_closed()))
}

/// All contacts of a pair of which at least one shape is composite.
/// `ground`: the one that cannot be pushed, while the other can.
pub(crate) fn collide<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    parts: &mut Parts<D>,
) {
    parts.count = 0;
    parts.slop = job.slop;
    counters.computed += 1;
    // Of two solids the one that can be pushed comes first.
    let is_after = ground == Some(Side::A) && body_of(&job.swapped(), Some(Side::B)).is_some();
    if job.a.composite().is_some() && !is_after {
        collide_ordered(job, ground, counters, parts);
    } else {
        collide_ordered(&job.swapped(), ground.map(Side::other), counters, parts);
        parts.flip(&job.b_in_a);
    }
}

/// The middle of the solid a of children, in its frame, if it can be pushed and the solid b of children cannot. It stays on its side of whatever b is made of
/// (`continuous/parts.rs`), so that it tells from which side a came into it.
pub(crate) fn body_of<D: Dim>(job: &CollideJob<'_, D>, ground: Option<Side>) -> Option<D::Vec> {
    let is_solid = |shape: &D::Shape| shape.composite().is_some_and(|children| children.is_closed());
    (ground == Some(Side::B) && is_solid(job.a) && is_solid(job.b)).then(|| job.a.mass(1.0).center)
}

/// The same, if a is composite.
fn collide_ordered<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    parts: &mut Parts<D>,
) {
    let Some(a) = job.a.composite() else { return };
    let mut is_sure = false;
    if job.b.composite().is_some() || job.b.half_space().is_some() {
        D::Shape::collide_composites(job, ground, counters, &mut |key, local, is_flat| {
            parts.add(key, local, || is_flat);
        });
    } else if ground == Some(Side::B) {
        // A body of triangles leans, the floor does not.
        let rotation = job.b_in_a.rotation;
        is_sure = D::Shape::collide_children(a, job, ground, counters, &mut |key, local| {
            let mut local = *local;
            let face = job.b.face_along(rotation.rotate_inv(-local.normal));
            let is_flat = face.is_some_and(|face| local.lie_on(-rotation.rotate(face)));
            parts.add(key, &local, || is_flat);
        });
    } else {
        is_sure = D::Shape::collide_children(a, job, ground, counters, &mut |key, local| {
            parts.add(key, local, || key < a.child_count() && a.normal(key) == local.normal);
        });
    }
    if !is_sure && job.a.is_solid() && job.b.is_solid() {
        let in_b = |p: D::Vec| job.b.contains(job.b_in_a.inverse_transform(D::Point::from_vec(p)));
        let reach = NEAR * job.slop + ROUNDING * job.b_in_a.position.to_vec().length();
        // Patches are cut off a slop beyond their edges, where there is no surface any more.
        let is_near = |p: D::Vec, which: usize| {
            let (shape, pose) = [(job.a, Pose::IDENTITY), (job.b, job.b_in_a)][which];
            let closest = point_shape::<D>(D::Point::from_vec(p), shape, &pose);
            closest.is_some_and(|closest| closest.distance <= reach)
        };
        let body = body_of(job, ground);
        // From a point of b towards the surface of a that it came in by: through a thin wall it is outside of a again. Likewise from a point of the body a that came through b.
        let is_through = |on_b: D::Vec, on_a: D::Vec| match body {
            Some(middle) => {
                let [from, to] = [on_a, on_b].map(|p| job.b_in_a.inverse_transform(D::Point::from_vec(p)));
                let ray = LocalRay { origin: from, direction: to - from, max: 1.0 };
                (on_a - on_b).dot(middle - on_b) < 0.0 && job.b.ray_cast(&ray).is_some()
            }
            None => {
                let ray = LocalRay { origin: on_b, direction: on_a - on_b, max: 1.0 };
                job.b.composite().is_none() && job.a.ray_cast(&ray).is_some()
            }
        };
        if let Some(middle) = body {
            parts.drop_behind(middle);
        }
        parts.drop_false(&|p| job.a.contains(p), &in_b, &is_near, &is_through, body.is_some());
    }
}

/// The part with the deepest point alone, for callers that want one manifold.
pub(crate) fn collide_single<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D>,
) {
    let mut parts = Parts::default();
    collide(job, ground, counters, &mut parts);
    match parts.deepest() {
        Some(index) => *out = parts.manifold(index),
        None => out.clear(),
    }
}
