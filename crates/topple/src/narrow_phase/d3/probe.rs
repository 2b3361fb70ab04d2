//! The triangles of a mesh or height field near a convex shape: which of them are looked at, and from where. What one of them does is in `triangle.rs`
//! and, for hulls and boxes, in `triangle_hull.rs`.

use super::deep;
use super::thick::{Share, Thick, Walls};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, Side};
use crate::shape::d3::{BoxHull, closest_on_segment, triangle};
use crate::shape::{Composite, Shape3, ShapeOps};
use core::cell::Cell;

/// Edges of a hull above which the search over all pairs of edges costs more than closest points do.
const MAX_EDGES: usize = 200;
/// Share of the size of a cone within which its middle is looked for (no unit): on the surface it would not be before the triangles that touch.
const WITHIN: Real = 0.75;
/// How often a point is moved to the inner side of all faces of a hull until it is inside of all at once.
const INWARDS: usize = 4;

/// What all triangles of one pair have in common.
pub(super) struct Probe<'a, C> {
    pub shape: &'a C,
    pub job: &'a CollideJob<'a, D3>,
    /// A point well inside b, in the frame of a: nothing is pushed to the other side of a triangle than this.
    pub middle: Vec3,
    /// True if b is larger than the whole mesh: a body of triangles on a floor, not a body on ground of triangles.
    pub is_floor: bool,
    /// True if the mesh can be pushed and b cannot.
    pub is_body: bool,
    /// True if b is a thin wall.
    pub is_thin: bool,
    /// Axes of b in the frame of a.
    pub rotation: Mat3,
    /// Origin of b in the frame of a.
    pub position: Vec3,
    /// A triangle that is not apart from b was left out, because it would have pushed a long way or knows no point.
    pub is_lost: Cell<bool>,
    /// The triangles that are looked at.
    pub share: Share,
}

/// One triangle, in the frame of a.
pub(super) struct Face {
    pub index: u32,
    pub corners: [Vec3; 3],
    pub normal: Vec3,
}

/// The triangles of a, which has some, near the convex shape b; see the head of the file. True if b is a thin wall, and some of
/// the points on a are behind it.
pub(crate) fn collide_children(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>),
) -> bool {
    // PERF: the compiler sees through what it knows by name.
    match job.a {
        Shape3::Mesh { data } => collide_known(&**data, job, ground, counters, add),
        Shape3::HeightField { data } => collide_known(&**data, job, ground, counters, add),
        _ => false,
    }
}

fn collide_known<C: Composite<D3>>(
    shape: &C,
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
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
    let (mut probe, bounds) = Probe::new(shape, job, rotation, walls.rest(job.b, &rotation));
    (probe.is_body, probe.is_thin) = (ground == Some(Side::B), walls.sides().next().is_some());
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
            is_body: false,
            is_thin: false,
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
    pub(super) fn allows(&self, face: &Face, direction: Vec3) -> bool {
        direction.dot(face.normal) >= 0.0 && self.shape.allows(face.index, direction)
    }
}
