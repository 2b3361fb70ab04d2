//! A triangle of a mesh or height field against a convex shape: one side, and no normal that its neighbours would not
//! allow.
//!
//! Spheres and capsules are closed forms. Boxes and hulls are tested along separating axes in their own frame, where only the
//! axes that the triangle allows may win: what leans over an edge further than the neighbour does is the neighbour's
//! business, and the triangle's own normal is always allowed. All other shapes are measured by closest points, and fall back
//! on the triangle's normal in the same way.

use super::patch::{self, Patch, PatchJob};
use super::thick::{Share, Thick, Walls};
use super::{convex, deep, push_core_point, round};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::shape::d3::{BoxHull, HullView, closest_on_segment, triangle};
use crate::shape::{Composite, Shape3, ShapeOps};
use crate::trusted::F4;
use core::cell::Cell;

/// Cosine between a contact normal and the triangle's own from which on they are the same.
const SAME: Real = 0.999_99;
/// Cosine between the normal of a triangle and a face of a floor above which they lie flat on each other (no unit; 2.5°).
pub(super) const NEARLY_FLAT: Real = 0.999;
/// Edges of a hull above which the search over all pairs of edges costs more than closest points do.
const MAX_EDGES: usize = 200;
/// Depth in slops up to which a corner over a triangle is pushed out along its normal without looking at edges.
const SHALLOW: Real = 2.0;
/// Depth in slops from which on a triangle of a solid pushes only if that is not a long way.
const DEEP: Real = 10.0;
/// A way out is long if another one is less than this share of it (no unit).
const LONG_WAY: Real = 0.5;
/// Share of the size of a cone within which its middle is looked for (no unit): on the surface it would not be before the triangles that touch.
const WITHIN: Real = 0.75;
/// How often a point is moved to the inner side of all faces of a hull until it is inside of all at once.
const INWARDS: usize = 4;
/// First bit of ids of edge contacts.
const EDGE_ID: u32 = 1 << 31;

/// What all triangles of one pair have in common.
struct Probe<'a, C> {
    shape: &'a C,
    job: &'a CollideJob<'a, D3>,
    /// A point well inside b, in the frame of a: nothing is pushed to the other side of a triangle than this.
    middle: Vec3,
    /// True if b is larger than the whole mesh: a body of triangles on a floor, not a body on ground of triangles.
    is_floor: bool,
    /// Axes of b in the frame of a.
    rotation: Mat3,
    /// Origin of b in the frame of a.
    position: Vec3,
    /// A triangle that is not apart from b was left out, because it would have pushed a long way or knows no point.
    is_lost: Cell<bool>,
    /// The triangles that are looked at.
    share: Share,
}

/// One triangle, in the frame of a.
struct Face {
    index: u32,
    corners: [Vec3; 3],
    normal: Vec3,
}

/// The triangles of a, which has some, near the convex shape b; see the head of the file. True if b is a thin wall, and some of
/// the points on a are behind it.
pub(crate) fn collide_children(
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>),
) -> bool {
    // PERF: the compiler sees through what it knows by name.
    match job.a {
        Shape3::Mesh { data } => collide_known(&**data, job, counters, add),
        Shape3::HeightField { data } => collide_known(&**data, job, counters, add),
        _ => false,
    }
}

fn collide_known<C: Composite<D3>>(
    shape: &C,
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>),
) -> bool {
    let walls = Walls::new(shape, job);
    let rotation = Mat3::from_quat(job.b_in_a.rotation);
    let mut is_found = false;
    let found = &mut |index: u32, local: &LocalManifold<D3>| {
        is_found |= !local.is_empty();
        add(index, local);
    };
    let (probe, bounds) = Probe::new(shape, job, rotation, walls.rest(job.b, &rotation));
    probe.run(&bounds, counters, found);
    let (mut is_lost, mut goes_through) = (probe.is_lost.get(), false);
    for side in walls.sides() {
        let share = walls.share(side, &rotation);
        let checked = &mut |index: u32, local: &LocalManifold<D3>| {
            let mut local = *local;
            goes_through |= walls.retain(side, (shape, index), job, &mut local);
            found(index, &local);
        };
        let Some((thick, inside)) = walls.thicken(side, shape, job) else { continue };
        let middle = job.b_in_a.transform(inside).to_vec();
        let probe = Probe { middle, share, is_lost: Cell::new(false), ..probe };
        match thick {
            Thick::Shape(b, at) => {
                let b_in_a = Pose { position: job.b_in_a.transform(at), ..job.b_in_a };
                let job = CollideJob { b: &b, b_in_a, ..*job };
                let probe = Probe { job: &job, position: b_in_a.position.to_vec(), ..probe };
                probe.run(&bounds_of(&job, &rotation).grown(job.margin), counters, checked);
                is_lost |= probe.is_lost.get();
            }
            Thick::Prism(lid, depth) => {
                let hull = lid.drawn_out(depth);
                let corners = hull.view().vertices.iter().map(|v| job.b_in_a.transform(*v));
                let bounds = Aabb::<D3>::of_points(corners).grown(job.margin);
                probe.each(&bounds, checked, |face, out| probe.hull(face, hull.view(), 0.0, counters, out));
                is_lost |= probe.is_lost.get();
            }
        }
    }
    if !is_found {
        // All triangles look past a middle that is inside.
        deep::collide(job, is_lost || job.a.contains(probe.middle), counters, add);
    }
    is_found && goes_through
}

/// Box around b in the frame of a.
fn bounds_of(job: &CollideJob<'_, D3>, rotation: &Mat3) -> Aabb<D3> {
    let Shape3::Hull { data, radius } = job.b else { return job.b.aabb(&job.b_in_a) };
    let mut bounds = Aabb::<D3>::nothing();
    for &v in data.vertices() {
        let v = *rotation * v;
        bounds = Aabb { min: PointOps::min(bounds.min, v.into()), max: PointOps::max(bounds.max, v.into()) };
    }
    let at = job.b_in_a.position.to_vec();
    Aabb { min: bounds.min + at, max: bounds.max + at }.grown(*radius)
}

/// A point well inside b, which is no wider than `widest` [m], in its frame. Of a shape that is larger than the mesh, the one under the mesh: a face that leans away from
/// the far middle of a floor still faces the floor.
fn middle(shape: &impl Composite<D3>, widest: Real, job: &CollideJob<'_, D3>) -> Vec3 {
    let bounds = shape.bounds();
    let own = job.b.middle();
    if own.length() + widest <= 0.5 * bounds.size().max_element() {
        return own;
    }
    let is_larger = |half: Vec3| half.max_element() > 0.5 * bounds.size().max_element();
    let near = || job.b_in_a.inverse_transform(bounds.center());
    match job.b {
        Shape3::Box { half, .. } if is_larger(*half) => {
            let inner = *half - Vec3::splat(half.min_element());
            near().clamp(-inner, inner)
        }
        Shape3::Cylinder { half_height, radius, .. }
            if is_larger(Vec3::new(*radius, *half_height, *radius)) =>
        {
            let inner = half_height.min(*radius);
            let p = near();
            let aside = Vec3::new(p.x, 0.0, p.z).clamp_length_max(radius - inner);
            aside + Vec3::Y * p.y.clamp(inner - half_height, half_height - inner)
        }
        Shape3::Cone { half_height, radius, .. } if is_larger(Vec3::new(*radius, *half_height, *radius)) => {
            let p = near();
            if half_height > radius {
                let most = WITHIN * half_height;
                return Vec3::Y * p.y.clamp(-most, most);
            }
            // Half-way between base and slope.
            let aside = Vec3::new(p.x, 0.0, p.z).clamp_length_max(WITHIN * radius);
            aside - Vec3::Y * (half_height * aside.length() / radius)
        }
        Shape3::Capsule { a, b, .. } if is_larger((*b - *a).abs() * 0.5) => {
            closest_on_segment(*a, *b, near())
        }
        Shape3::Triangle { a, b, c } if is_larger(Vec3::splat(job.b.farthest_from(own))) => {
            triangle::closest([*a, *b, *c], near()).0
        }
        Shape3::Hull { data, .. } if is_larger(Vec3::splat(job.b.farthest_from(Vec3::ZERO))) => {
            let mut p = near();
            let depth = 0.5 * data.inner_radius();
            for _ in 0..INWARDS {
                for face in data.faces() {
                    let outside = face.normal.dot(p) - face.offset + depth;
                    p -= face.normal * outside.max(0.0);
                }
            }
            p
        }
        _ => own,
    }
}

impl<'a, C: Composite<D3>> Probe<'a, C> {
    /// Of a pair, with the box around b, grown by the margin. `rotation`: axes of b in the frame of a.
    fn new(shape: &'a C, job: &'a CollideJob<'a, D3>, rotation: Mat3, share: Share) -> (Self, Aabb<D3>) {
        let bounds = bounds_of(job, &rotation);
        let size = shape.bounds().size().max_element();
        // PERF: no extent of b is more than this, whichever way it is turned, and most bodies are small.
        let widest = bounds.size().length();
        let is_floor = widest > size && job.b.aabb(&Pose::IDENTITY).size().max_element() > size;
        let probe = Self {
            shape,
            job,
            is_floor,
            middle: job.b_in_a.transform(middle(shape, widest, job)).to_vec(),
            rotation,
            position: job.b_in_a.position.to_vec(),
            is_lost: Cell::new(false),
            share,
        };
        (probe, bounds.grown(job.margin))
    }

    /// All triangles of the share near b, by the function for its kind.
    fn run(
        &self,
        bounds: &Aabb<D3>,
        counters: &mut NarrowCounters,
        found: &mut dyn FnMut(u32, &LocalManifold<D3>),
    ) {
        let job = self.job;
        match job.b {
            _ if job.algorithm == Algorithm::Gjk => {
                self.each(bounds, found, |face, out| self.any(face, counters, out));
            }
            Shape3::Sphere { radius } => {
                counters.axes += 1;
                self.each(bounds, found, |face, out| self.sphere(face, *radius, out));
            }
            Shape3::Capsule { a, b, radius } => {
                counters.axes += 1;
                let ends = [*a, *b].map(|p| job.b_in_a.transform(p).to_vec());
                self.each(bounds, found, |face, out| self.capsule(face, ends, *radius, out));
            }
            Shape3::Box { half, radius } => {
                let hull = BoxHull::new(*half);
                self.each(bounds, found, |face, out| self.hull(face, hull.view(), *radius, counters, out));
            }
            // On a large floor closest points are not exact enough.
            Shape3::Hull { data, radius }
                if data.edges().len() <= MAX_EDGES || self.is_floor || job.algorithm.is_sat() =>
            {
                self.each(bounds, found, |face, out| self.hull(face, data.view(), *radius, counters, out));
            }
            _ => self.each(bounds, found, |face, out| self.any(face, counters, out)),
        }
    }

    /// Calls `contact` for the triangles near the shape that can touch it.
    fn each(
        &self,
        bounds: &Aabb<D3>,
        add: &mut dyn FnMut(u32, &LocalManifold<D3>),
        mut contact: impl FnMut(&Face, &mut LocalManifold<D3>),
    ) {
        let mut out = LocalManifold::default();
        let is_ground = self.shape.is_ground();
        self.shape.visit(bounds, &mut |index| {
            let Shape3::Triangle { a, b, c } = self.shape.child(index) else { return };
            let normal = self.shape.normal(index);
            let height = normal.dot(self.middle - a);
            if height < 0.0 && !is_ground || !self.share.takes(normal) {
                return;
            }
            let face = Face { index, corners: [a, b, c], normal };
            out.clear();
            if height < 0.0 {
                // Sunk into the ground: up, whatever else is near.
                self.along_normal(&face, &mut out);
            } else {
                contact(&face, &mut out);
            }
            add(index, &out);
        });
    }

    /// True if the triangle may push along `direction`.
    #[inline]
    fn allows(&self, face: &Face, direction: Vec3) -> bool {
        direction.dot(face.normal) >= 0.0 && self.shape.allows(face.index, direction)
    }

    fn sphere(&self, face: &Face, radius: Real, out: &mut LocalManifold<D3>) {
        let center = self.position;
        let height = face.normal.dot(center - face.corners[0]);
        if height > radius + self.job.margin {
            return;
        }
        let (closest, is_inside) = triangle::closest(face.corners, center);
        let (normal, gap) = if is_inside {
            (face.normal, height)
        } else {
            let offset = center - closest;
            let gap = offset.length();
            if gap > radius + self.job.margin {
                return;
            }
            let normal = offset.normalize_or(face.normal);
            if normal.dot(face.normal) >= SAME {
                (face.normal, gap)
            } else if self.allows(face, normal) {
                (normal, gap)
            } else {
                return;
            }
        };
        out.normal = normal;
        push_core_point(out, closest, gap, [0.0, radius], self.job.margin, 0);
    }

    fn capsule(&self, face: &Face, ends: [Vec3; 2], radius: Real, out: &mut LocalManifold<D3>) {
        let limit = radius + self.job.margin;
        let heights = ends.map(|p| face.normal.dot(p - face.corners[0]));
        if heights[0].min(heights[1]) > limit {
            return;
        }
        let stretch = over_face(face, ends);
        // Lowest height over the inside of the triangle.
        let at = |s: Real| heights[0] + (heights[1] - heights[0]) * s;
        let lowest = stretch.map_or(Real::INFINITY, |[s, t]| at(s).min(at(t)));
        let mut edge = (Real::INFINITY, Vec3::ZERO, Vec3::ZERO);
        // PERF: the edges are in the plane. Where the end that is nearest to it is over the inside, none of them is nearer.
        let may_be_edge = lowest > heights[0].min(heights[1]).max(0.0) + self.job.slop;
        for k in (0..3).filter(|_| may_be_edge) {
            let side = [face.corners[k], face.corners[(k + 1) % 3]];
            let [p, q] = nearest(side, ends);
            let distance = p.distance(q);
            if distance < edge.0 {
                edge = (distance, p, q);
            }
        }
        if lowest > edge.0 + self.job.slop && edge.0 <= limit {
            let normal = (edge.2 - edge.1).normalize_or(face.normal);
            if normal.dot(face.normal) < SAME && self.allows(face, normal) {
                out.normal = normal;
                push_core_point(out, edge.1, edge.0, [0.0, radius], self.job.margin, 4);
                return;
            }
        }
        let Some([s, t]) = stretch else { return };
        out.normal = face.normal;
        for (id, x) in [(1, s), (2, t)] {
            let p = ends[0] + (ends[1] - ends[0]) * x;
            push_core_point(out, p - face.normal * at(x), at(x), [0.0, radius], self.job.margin, id);
            if (t - s) * ends[0].distance(ends[1]) <= self.job.slop {
                break;
            }
        }
    }

    /// Any other convex shape: by closest points.
    fn any(&self, face: &Face, counters: &mut NarrowCounters, out: &mut LocalManifold<D3>) {
        let down = self.job.b_in_a.rotation.rotate_inv(-face.normal);
        let Some(lowest) = self.job.b.support(down) else { return };
        let lowest = self.job.b_in_a.transform(lowest).to_vec();
        let height = face.normal.dot(lowest - face.corners[0]);
        let gap = height - self.job.b.rounding();
        if gap > self.job.margin || self.is_beside(face) || self.lies_on_cap(face, out) {
            return;
        }
        let [a, b, c] = face.corners;
        let child = Shape3::Triangle { a, b, c };
        let pair = CollideJob { a: &child, ..*self.job };
        if self.job.algorithm == Algorithm::Auto {
            // A triangle none of whose edges stands out pushes along its normal alone. And if the lowest point of b is over
            // the triangle and hardly below, no other direction knows better.
            let is_over = triangle::closest(face.corners, lowest).1;
            let is_inner = (0..3).all(|k| !self.shape.is_ridge(face.index, k));
            if is_inner || is_over && gap > -SHALLOW * self.job.slop {
                let witness = is_over.then_some((lowest - face.normal * height, height));
                return convex::over_triangle(&pair, face.normal, witness, out);
            }
        }
        super::collide_convex(&pair, None, &mut PairCache::default(), counters, out);
        if out.is_empty() {
            return;
        }
        if out.normal.dot(face.normal) >= SAME {
            out.normal = face.normal;
        } else if !self.allows(face, out.normal) {
            out.clear();
            convex::over_triangle(&pair, face.normal, None, out);
        }
    }

    /// A triangle that lies nearly flat on the flat end of a large disc, all of it within the rim: its corners over the disc. Closest points of something
    /// so large are not known as exactly as thin bodies need it. False if it is not so.
    fn lies_on_cap(&self, face: &Face, out: &mut LocalManifold<D3>) -> bool {
        let (half_height, radius) = match self.job.b {
            Shape3::Cylinder { half_height, radius, .. } | Shape3::Cone { half_height, radius, .. } => {
                (*half_height, *radius)
            }
            _ => return false,
        };
        let axis = self.rotation.y_axis;
        let along = axis.dot(face.normal);
        // Of a cone the base alone is flat.
        let is_flat =
            along.abs() > NEARLY_FLAT && (along > 0.0 || matches!(self.job.b, Shape3::Cylinder { .. }));
        if !self.is_floor || !is_flat {
            return false;
        }
        let normal = if along > 0.0 { axis } else { -axis };
        let heights = face.corners.map(|p| -normal.dot(p - self.position) - half_height);
        let is_within = |p: Vec3| (p - self.position).reject_from_normalized(axis).length() <= radius;
        if lowest(heights) < -half_height || !face.corners.into_iter().all(is_within) {
            return false;
        }
        out.normal = normal;
        for (id, (p, height)) in (0..).zip(face.corners.into_iter().zip(heights)) {
            push_core_point(out, p, height, [0.0, self.job.b.rounding()], self.job.margin, id);
        }
        true
    }

    /// True if b is apart from the triangle in the direction from its middle to the nearest point, which parts most that are near and not
    /// touched.
    fn is_beside(&self, face: &Face) -> bool {
        let way = triangle::closest(face.corners, self.middle).0 - self.middle;
        let along = self.job.b_in_a.rotation.rotate_inv(way);
        let Some(farthest) = self.job.b.support(along) else { return false };
        let limit = (self.job.margin + self.job.b.rounding()) * way.length();
        lowest_of(face.corners, way) - way.dot(self.job.b_in_a.transform(farthest).to_vec()) > limit
    }

    /// The points of b over the triangle, along the triangle's normal.
    fn along_normal(&self, face: &Face, out: &mut LocalManifold<D3>) {
        let [a, b, c] = face.corners;
        let child = Shape3::Triangle { a, b, c };
        convex::over_triangle(&CollideJob { a: &child, ..*self.job }, face.normal, None, out);
    }

    /// A hull or box: separating axes in the frame of the hull.
    fn hull(
        &self,
        face: &Face,
        hull: HullView<'_>,
        radius: Real,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D3>,
    ) {
        let limit = self.job.margin + radius;
        let slop = self.job.slop;
        let to_hull = self.rotation.transpose();
        let corners = face.corners.map(|p| to_hull * (p - self.position));
        let normal = to_hull * face.normal;
        let mut least = Real::INFINITY;
        for v in hull.vertices {
            let x = v.dot(normal);
            least = if x < least { x } else { least };
        }
        counters.axes += 1;
        let own_gap = least - normal.dot(corners[0]);
        let mut best = Axis { gap: own_gap, normal, kind: Kind::Triangle };
        if best.gap > limit {
            return;
        }
        // The shortest way out, allowed or not.
        let mut least = own_gap;
        // Normals in the frame of a, as the triangle knows them.
        let allows = |n: Vec3| n.dot(normal) >= 0.0 && self.shape.allows(face.index, self.rotation * n);
        // A triangle that lies nearly flat on a floor is carried by it, whatever its neighbours in the same plane do: a face of many
        // triangles that rocks would otherwise rest on one half of them only.
        let carries = |n: Vec3| self.is_floor && n.dot(normal) > NEARLY_FLAT || allows(n);
        // PERF: most triangles that are near are parted in the direction to them, and need no look at all faces.
        let way = triangle::closest(corners, hull.center).0 - hull.center;
        let mut farthest = Real::NEG_INFINITY;
        for v in hull.vertices {
            let x = v.dot(way);
            farthest = if x > farthest { x } else { farthest };
        }
        counters.axes += 1;
        if lowest_of(corners, way) - farthest > limit * way.length() {
            return;
        }
        let [xs, ys, zs] = [
            corners.map(|p| F4::splat(p.x)),
            corners.map(|p| F4::splat(p.y)),
            corners.map(|p| F4::splat(p.z)),
        ];
        for (block, faces) in hull.faces.chunks(4).enumerate() {
            // Four faces at once. The last ones of a block that is not full are that of its first again.
            let rows = [0, 1, 2, 3].map(|k| {
                let f = faces.get(k).unwrap_or(&faces[0]);
                F4::new([f.normal.x, f.normal.y, f.normal.z, f.offset])
            });
            let [nx, ny, nz, offset] = F4::transpose(rows);
            let along = [0, 1, 2].map(|k| xs[k].mul(nx).add(ys[k].mul(ny)).add(zs[k].mul(nz)));
            let gaps = along[0].min(along[1]).min(along[2]).sub(offset);
            counters.axes += faces.len() as u64;
            if gaps.greater(F4::splat(limit)).signs() != 0 {
                return;
            }
            let x = gaps.floats();
            least = x.iter().fold(least, |least, &gap| least.max(gap));
            if gaps.greater(F4::splat(best.gap)).signs() == 0 {
                continue;
            }
            for (k, (f, &gap)) in faces.iter().zip(&x).enumerate() {
                // Hysteresis: the triangle's own normal unless the other is clearly better.
                let bonus = if matches!(best.kind, Kind::Triangle) { slop } else { 0.0 };
                if gap > best.gap + bonus && carries(-f.normal) {
                    best = Axis { gap, normal: -f.normal, kind: Kind::Hull(4 * block + k) };
                }
            }
        }
        if matches!(best.kind, Kind::Triangle) && best.gap > -SHALLOW * slop && radius == 0.0 {
            // The lowest point of the hull is over the triangle and hardly below: no edge knows better.
            self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out);
            if deepest(out) <= best.gap + slop {
                return self.place(face, &best, out);
            }
            out.clear();
        }
        for k in 0..3 {
            // Nothing pushes over an edge beyond which the surface goes on or rises.
            if !self.shape.is_ridge(face.index, k) {
                continue;
            }
            let (p, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
            let outwards = along.cross(normal);
            for (j, (block, lines)) in hull.blocks.iter().zip(hull.lines.chunks(4)).enumerate() {
                let x = block.normals_along(along);
                // The arc of the hull's edge on the sphere of normals must cross the plane across the triangle's edge.
                let product = F4::load(&x[0]).mul(F4::load(&x[1]));
                let mut crossed = F4::splat(0.0).greater(product).signs();
                while crossed != 0 {
                    let m = crossed.trailing_zeros() as usize;
                    crossed &= crossed - 1;
                    // A block that is not full ends with nothing.
                    let Some(line) = lines.get(m) else { break };
                    let x = [x[0][m], x[1][m]];
                    let crossing = line.normals[0] * x[1].abs() + line.normals[1] * x[0].abs();
                    // From the triangle outwards, over this edge, to the front.
                    if crossing.dot(outwards) > 0.0 || crossing.dot(normal) > 0.0 {
                        continue;
                    }
                    counters.axes += 1;
                    let n = -crossing.normalize_or(-normal);
                    let gap = n.dot(line.start - p);
                    if gap > limit {
                        return;
                    }
                    if gap <= best.gap + slop || !allows(n) {
                        continue;
                    }
                    // Edges that cross, not lines that meet beyond their ends: those are an axis only among all axes, and
                    // some were not allowed.
                    let [p, q] = nearest([p, p + along], [line.start, line.start + line.along]);
                    if (q - p - n * gap).length_squared() <= slop * slop {
                        let id = (3 * (4 * j + m) + k) as u32;
                        best = Axis { gap, normal: n, kind: Kind::Edges(p, q, id) };
                    }
                }
            }
        }
        if radius > 0.0 && best.gap > 0.0 {
            // Rounded and the cores are apart: a corner may be closest, which no axis here knows.
            return self.any(face, counters, out);
        }
        if best.gap < -DEEP * slop && least > LONG_WAY * best.gap && !self.shape.is_ground() {
            // A skin that looks past the hull, as the flank of a spike that has pierced it: whoever allows the short way pushes.
            self.is_lost.set(true);
            return;
        }
        match best.kind {
            Kind::Triangle => self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out),
            Kind::Hull(i) => {
                self.clip(corners, normal, hull, i, &best, radius, out);
                if out.is_empty() {
                    // The face looks past the triangle.
                    best = Axis { gap: own_gap, normal, kind: Kind::Triangle };
                    self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out);
                }
            }
            Kind::Edges(p, q, id) => {
                out.normal = best.normal;
                let mid = (p + q) * 0.5 - best.normal * (0.5 * radius);
                out.push(mid, best.gap - radius, EDGE_ID | id);
            }
        }
        if out.is_empty() {
            self.is_lost.set(true);
        }
        self.place(face, &best, out);
    }

    /// Takes a result back from the frame of the hull.
    fn place(&self, face: &Face, axis: &Axis, out: &mut LocalManifold<D3>) {
        let is_own = matches!(axis.kind, Kind::Triangle);
        out.normal = if is_own { face.normal } else { self.rotation * out.normal };
        for point in out.points_mut() {
            point.position = self.rotation * point.position + self.position;
        }
    }

    /// Clips the triangle and face `i` of the hull against each other, in the frame of the hull.
    fn clip(
        &self,
        corners: [Vec3; 3],
        normal: Vec3,
        hull: HullView<'_>,
        i: usize,
        axis: &Axis,
        radius: Real,
        out: &mut LocalManifold<D3>,
    ) {
        let face = &hull.faces[i];
        let job = PatchJob {
            normal: axis.normal,
            radii: [0.0, radius],
            margin: self.job.margin,
            slop: self.job.slop,
            lead: self.job.slop,
            is_witness_sure: true,
            used: u32::MAX,
            feature: (i as u32).wrapping_mul(19),
            reference_is_b: matches!(axis.kind, Kind::Hull(_)),
        };
        let a = Patch { points: &corners, normal };
        let count = usize::from(face.count);
        if count <= 16 {
            let mut points = [Vec3::ZERO; 16];
            for (slot, v) in points.iter_mut().zip(hull.corners(face)) {
                *slot = hull.vertices[v];
            }
            patch::contact::<19>(a, Patch { points: &points[..count], normal: face.normal }, None, &job, out);
        } else {
            let mut points = [Vec3::ZERO; 256];
            for (slot, v) in points.iter_mut().zip(hull.corners(face)) {
                *slot = hull.vertices[v];
            }
            let b = Patch { points: &points[..count.min(256)], normal: face.normal };
            patch::contact::<260>(a, b, None, &job, out);
        }
    }
}

/// A direction along which triangle and hull are apart, or overlap least, from the triangle to the hull.
struct Axis {
    gap: Real,
    normal: Vec3,
    kind: Kind,
}

enum Kind {
    /// The triangle's own normal.
    Triangle,
    /// Face of the hull.
    Hull(usize),
    /// Crossing edges: the closest points of the triangle's and the hull's, and which edges.
    Edges(Vec3, Vec3, u32),
}

/// Least separation of the points; infinite if there are none.
fn deepest(out: &LocalManifold<D3>) -> Real {
    out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
}

/// Least of direction·x over the corners.
#[inline]
fn lowest_of(corners: [Vec3; 3], direction: Vec3) -> Real {
    lowest(corners.map(|p| p.dot(direction)))
}

#[inline]
fn lowest(x: [Real; 3]) -> Real {
    x[0].min(x[1]).min(x[2])
}

/// Closest points of two segments.
fn nearest(a: [Vec3; 2], b: [Vec3; 2]) -> [Vec3; 2] {
    let [s, t] = round::closest_segments(a, b);
    [a[0] + (a[1] - a[0]) * s, b[0] + (b[1] - b[0]) * t]
}

/// The part of a segment that lies over the inside of the triangle, as fractions; None if there is none.
fn over_face(face: &Face, ends: [Vec3; 2]) -> Option<[Real; 2]> {
    let (mut start, mut end) = (0.0, 1.0);
    for k in 0..3 {
        let (p, q) = (face.corners[k], face.corners[(k + 1) % 3]);
        let out = (q - p).cross(face.normal);
        let x = ends.map(|e| out.dot(e - p));
        if x[0] > 0.0 && x[1] > 0.0 {
            return None;
        }
        let crossing = x[0] / (x[0] - x[1]);
        if x[0] > 0.0 {
            start = crossing.max(start);
        } else if x[1] > 0.0 {
            end = crossing.min(end);
        }
    }
    (start <= end).then_some([start, end])
}
