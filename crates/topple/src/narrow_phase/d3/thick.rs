//! Walls that are thin for a solid mesh.
//!
//! A mesh that flew at a wall is stopped at a depth of up to three quarters of its inner radius. That may be more than the wall is thick, and its
//! triangles are then behind the wall, from where the shortest way out is through it. But each triangle knows on which side of it the solid is: to
//! those that face it a thin wall is thicker than it is, on the side away from their solid, so that they stay in front of its middle. Of two opposite sides of a mesh, both
//! in the wall, that one pushes which is less deep: the other one is behind the middle of the wall as that side sees it.

use super::deep;
use super::lid::{Lid, Thin};
use crate::distance::point_shape;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold};
use crate::shape::d3::triangle;
use crate::shape::{Composite, LocalRay, Shape3, ShapeOps};

/// Thickness up to which a wall is thin, in inner radii of the mesh: the mesh may be half as deep when it is stopped.
const THIN: Real = 1.5;
/// A wall that is not a box or a triangle is flat, or a rod, if its thickness is less than its reach by this factor (no unit). What is less slender is no wall: the flat
/// outline that stands for it would be farther out than its sides are.
const SLENDER: Real = 4.0;
/// Thickness that thin walls are given, in inner radii of the mesh. Opposite sides of the mesh are not both in front of the middle of such a wall.
const THICK: Real = 2.0;
/// Cosine of the angle between a triangle and a wall up to which it faces it (no unit; 78°). A triangle that stands on a wall is not
/// pushed by more than there is of the wall: it would find a foothold beside its rim.
const FACING: Real = 0.2;
/// How far from the border of a triangle the solid above it is looked at, in slops.
const INWARDS: Real = 2.0;
/// How far from its outline a wall that is not flat is looked at, as a share of the way to its middle (no unit).
const INSIDE: Real = 0.01;
/// Directions in which a wall can be thin: a rod is in two.
const MAX_AXES: usize = 2;

/// The directions in which b is thin for the mesh a.
#[derive(Clone, Copy)]
pub(super) struct Walls {
    thin: [Thin; MAX_AXES],
    count: usize,
    /// Thickness that b is given on the side of the mesh's middle, and on the other side [m].
    depths: [Real; 2],
    /// The mesh's middle, if it is inside of it. It stays on its side of all walls: `continuous/parts.rs`.
    middle: Option<Vec3>,
}

/// Which triangles are looked at: those that face one side of a thin wall, or those that see it as it is.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// The directions in which b is thin, in the frame of a.
    axes: [Vec3; MAX_AXES],
    count: usize,
    /// Number of the direction, and whether the triangles look along it or against it.
    chosen: Option<(usize, bool)>,
}

/// A thin wall as the triangles on one side see it, in the frame of b.
pub(super) enum Thick {
    /// A shape, and where it is.
    Shape(Shape3, Vec3),
    /// An outline, and how far it is drawn out against its normal [m].
    Prism(Lid, Real),
}

impl Walls {
    /// None for meshes that are not solid, and in directions in which b is not thin, or not a wall.
    pub(super) fn new(a: &dyn Composite<D3>, job: &CollideJob<'_, D3>) -> Self {
        let mut walls = Self { thin: [Thin::default(); MAX_AXES], count: 0, depths: [0.0; 2], middle: None };
        if !a.is_closed() {
            return walls;
        }
        let inner = job.a.inner_radius();
        let is_thin = |half: Real| 2.0 * half < THIN * inner;
        match job.b {
            Shape3::Box { half, radius } if half.max_element() + radius > inner => {
                for (axis, half) in Vec3::AXES.into_iter().zip(half.to_array()) {
                    if is_thin(half + radius) {
                        walls.add(Thin { axis, middle: 0.0, half: half + radius });
                    }
                }
            }
            Shape3::Triangle { a, b, c } => {
                if let Some(axis) = triangle::normal([*a, *b, *c]) {
                    walls.add(Thin { axis, middle: axis.dot(*a), half: 0.0 });
                }
            }
            Shape3::Box { .. } => {}
            // PERF: no width is less than that of the ball inside, and most shapes are not thin.
            b if is_thin(b.inner_radius()) && b.farthest_from(b.middle()) > inner => {
                let towards = job.b_in_a.inverse_transform(a.bounds().center());
                let thin = Thin::directions(b, towards).into_iter().flatten();
                let is_slender = |half: Real| 2.0 * SLENDER * half < b.farthest_from(b.middle());
                let thin = thin.filter(|thin| is_thin(thin.half) && is_slender(thin.half));
                thin.for_each(|thin| walls.add(thin));
            }
            _ => {}
        }
        if walls.count > 0 {
            let middle = job.a.mass(1.0).center;
            walls.middle = job.a.contains(middle).then_some(middle);
            walls.depths = [a.bounds().size().length() / FACING, THICK * inner];
        }
        walls
    }

    fn add(&mut self, thin: Thin) {
        if self.count < MAX_AXES {
            self.thin[self.count] = thin;
            self.count += 1;
        }
    }

    /// The triangles that see b as it is: all, but of a triangle, which has no inside, those that face none of its sides.
    pub(super) fn rest(&self, b: &Shape3, rotation: &Mat3) -> Share {
        let axes = self.thin.map(|thin| *rotation * thin.axis);
        let count = if matches!(b, Shape3::Triangle { .. }) { self.count } else { 0 };
        Share { axes, count, chosen: None }
    }

    /// The triangles that face `side`. `rotation`: axes of b in the frame of a.
    pub(super) fn share(&self, side: (usize, bool), rotation: &Mat3) -> Share {
        let axes = self.thin.map(|thin| *rotation * thin.axis);
        Share { axes, count: self.count, chosen: Some(side) }
    }

    /// Every side of every thin direction.
    pub(super) fn sides(&self) -> impl Iterator<Item = (usize, bool)> + use<> {
        (0..self.count).flat_map(|k| [(k, false), (k, true)])
    }

    /// Out of the solid and through the wall, for the triangles of a side, in the frame of b.
    fn onwards(&self, (k, is_along): (usize, bool)) -> Vec3 {
        if is_along { self.thin[k].axis } else { -self.thin[k].axis }
    }

    /// b as the triangles see it that face `side`, and a point inside, under the middle of the mesh; all in the frame of b.
    pub(super) fn thicken(
        &self,
        side: (usize, bool),
        a: &dyn Composite<D3>,
        job: &CollideJob<'_, D3>,
    ) -> Option<(Thick, Vec3)> {
        let (thin, onwards) = (&self.thin[side.0], self.onwards(side));
        let sign = thin.axis.dot(onwards);
        let before = |p: Vec3| {
            let p = job.b_in_a.inverse_transform(p.into());
            (thin.axis.dot(p) - middle_at(thin, job.b, p)) * sign < 0.0
        };
        let is_own = self.middle.is_some_and(before);
        let depth = self.depths[usize::from(!is_own)];
        let near = job.b_in_a.inverse_transform(a.bounds().center());
        let more = 0.5 * depth - thin.half;
        Some(match job.b {
            Shape3::Box { half, radius } => {
                let thick = Shape3::Box { half: *half + onwards.abs() * more, radius: *radius };
                let beside = near.clamp(-*half, *half) * (Vec3::ONE - onwards.abs());
                (Thick::Shape(thick, onwards * more), beside + onwards * more)
            }
            Shape3::Triangle { a, b, c } => {
                let corners = if side.1 { [*a, *c, *b] } else { [*a, *b, *c] };
                let beside = triangle::closest(corners, near).0;
                (Thick::Prism(Lid::of(corners, -onwards), depth), beside + onwards * more)
            }
            b => {
                let lid = Lid::new(b, -onwards, thin.half - thin.middle * sign, near)?;
                let beside = lid.closest(near) + onwards * (0.5 * depth);
                (Thick::Prism(lid, depth), beside)
            }
        })
    }

    /// Drops the points behind the wall that are on another part of the mesh than what is in the wall. The solid must go on all the way to the wall
    /// or, through the wall, to the middle of the mesh, as it does not from one prong of a fork to the next.
    /// True if some of those that are left are behind the wall.
    pub(super) fn retain(
        &self,
        side: (usize, bool),
        (a, index): (&dyn Composite<D3>, u32),
        job: &CollideJob<'_, D3>,
        out: &mut LocalManifold<D3>,
    ) -> bool {
        let wall = Wall::new(&self.thin[side.0], self.onwards(side), job);
        let Shape3::Triangle { a: p, b: q, c: r } = a.child(index) else { return false };
        let center = (p + q + r) * (1.0 / 3.0);
        let found = *out;
        out.clear();
        let mut goes_through = false;
        for point in found.points() {
            let on_a = point.position - found.normal * (0.5 * point.separation);
            let Some((separation, is_behind)) = wall.sees(on_a, found.normal, point.separation) else {
                continue;
            };
            let is_solid = || {
                // Not over the border of the triangle, where other sides may begin.
                let end = on_a + (center - on_a).clamp_length_max(INWARDS * job.slop);
                let goes_on = |start: Vec3| {
                    let way = end - start;
                    let exit = deep::leave(a, start, way.normalize_or(wall.onwards_in_a));
                    exit.is_some_and(|exit| exit > way.length() - 2.0 * INWARDS * job.slop)
                };
                wall.below(end).is_some_and(|straight| job.a.contains(straight) && goes_on(straight))
                    || self.middle.is_some_and(|start| wall.is_between(start, end) && goes_on(start))
            };
            if !is_behind || is_solid() {
                let moved = found.normal * (0.5 * (separation - point.separation));
                out.push(point.position + moved, separation, point.id);
                goes_through |= is_behind;
            }
        }
        goes_through
    }
}

/// A thin wall as the triangles of one side see it.
struct Wall<'a> {
    thin: &'a Thin,
    /// Out of the solid and through the wall, in the frame of b and in that of a.
    onwards: Vec3,
    onwards_in_a: Vec3,
    /// Of a flat wall, where its middle is along `onwards_in_a` [m]. Any other was seen as if it were flat, from its highest point on, and is as thick as it is
    /// under each point.
    flat: Option<Real>,
    job: &'a CollideJob<'a, D3>,
}

impl<'a> Wall<'a> {
    fn new(thin: &'a Thin, onwards: Vec3, job: &'a CollideJob<'a, D3>) -> Self {
        let onwards_in_a = job.b_in_a.rotation.rotate(onwards);
        let flat = matches!(job.b, Shape3::Box { .. } | Shape3::Triangle { .. })
            .then(|| onwards_in_a.dot(job.b_in_a.position.to_vec()) + thin.middle * thin.axis.dot(onwards));
        Self { thin, onwards, onwards_in_a, flat, job }
    }

    fn to_b(&self, p: Vec3) -> Vec3 {
        self.job.b_in_a.inverse_transform(p.into())
    }

    /// Separation from the wall itself of a point of the mesh that is apart by `separation` along `normal` from what the triangle was given [m], and whether it is
    /// behind the wall. None if it does not touch the wall.
    fn sees(&self, on_a: Vec3, normal: Vec3, separation: Real) -> Option<(Real, bool)> {
        let (job, thin) = (self.job, self.thin);
        if let Some(middle) = self.flat {
            let on_b = on_a + normal * separation;
            let farthest = self.onwards_in_a.dot(on_a).max(self.onwards_in_a.dot(on_b)) - middle;
            return Some((separation, farthest > thin.half - job.b.rounding() + job.slop));
        }
        let (local, sign) = (self.to_b(on_a), thin.axis.dot(self.onwards));
        // Where the line through the point and the wall goes into the wall and out of it. On the outline itself it would miss it.
        let slab = thin.slab(job.b, local + (job.b.middle() - local) * INSIDE)?;
        let [front, back] = if sign > 0.0 { slab } else { [-slab[1], -slab[0]] };
        let lid = thin.middle * sign - thin.half;
        let separation = separation + (front - lid) * normal.dot(self.onwards_in_a);
        (separation <= job.margin).then(|| (separation, self.onwards.dot(local) > back + job.slop))
    }

    /// The middle of the wall straight below a point; None beside the wall: what is apart from it does not touch what it was given.
    fn below(&self, p: Vec3) -> Option<Vec3> {
        if let Some(middle) = self.flat {
            let straight = p - self.onwards_in_a * (self.onwards_in_a.dot(p) - middle);
            return self.is_in(straight).then_some(straight);
        }
        let local = self.to_b(p);
        let [low, high] = self.thin.slab(self.job.b, local)?;
        let up = 0.5 * (low + high) - self.thin.axis.dot(local);
        Some(self.job.b_in_a.transform(local + self.thin.axis * up).to_vec())
    }

    /// True if the wall is between two points, the second behind it.
    fn is_between(&self, start: Vec3, end: Vec3) -> bool {
        let Some(middle) = self.flat else {
            let (origin, end) = (self.to_b(start), self.to_b(end));
            return self.job.b.ray_cast(&LocalRay { origin, direction: end - origin, max: 1.0 }).is_some();
        };
        let (before, way) = (middle - self.onwards_in_a.dot(start), end - start);
        before > 0.0 && self.is_in(start + way * (before / self.onwards_in_a.dot(way)))
    }

    /// True if a point is in the wall, give or take the slop.
    fn is_in(&self, p: Vec3) -> bool {
        let on_b = point_shape::<D3>(p.into(), self.job.b, &self.job.b_in_a);
        on_b.is_some_and(|on_b| on_b.distance <= self.job.slop)
    }
}

/// Where the middle of a wall is at `p`, along the direction in which it is thin [m].
fn middle_at(thin: &Thin, wall: &Shape3, p: Vec3) -> Real {
    let slab =
        if matches!(wall, Shape3::Cone { .. } | Shape3::Hull { .. }) { thin.slab(wall, p) } else { None };
    slab.map_or(thin.middle, |[low, high]| 0.5 * (low + high))
}

impl Share {
    /// True if a triangle with this normal is one of them.
    #[inline]
    pub(super) fn takes(&self, normal: Vec3) -> bool {
        let (mut most, mut side) = (FACING, None);
        for (k, axis) in self.axes[..self.count].iter().enumerate() {
            let x = normal.dot(*axis);
            if x.abs() >= most {
                (most, side) = (x.abs(), Some((k, x > 0.0)));
            }
        }
        side == self.chosen
    }
}
