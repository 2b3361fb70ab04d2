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
        if !matches!(job.b, Shape3::Box { .. } | Shape3::Triangle { .. }) {
            return self.retain_under_lid(side, (a, index), job, out);
        }
        let thin = &self.thin[side.0];
        let onwards = job.b_in_a.rotation.rotate(self.onwards(side));
        let middle = thin.middle * thin.axis.dot(self.onwards(side));
        let middle = onwards.dot(job.b_in_a.position.to_vec()) + middle;
        let Shape3::Triangle { a: p, b: q, c: r } = a.child(index) else { return false };
        let center = (p + q + r) * (1.0 / 3.0);
        let found = *out;
        out.clear();
        let mut goes_through = false;
        for point in found.points() {
            let on_a = point.position - found.normal * (0.5 * point.separation);
            let behind = onwards.dot(on_a) - middle;
            let on_b = on_a + found.normal * point.separation;
            let farthest = behind.max(onwards.dot(on_b) - middle);
            let is_solid = || {
                // Not over the border of the triangle, where other sides may begin.
                let end = on_a + (center - on_a).clamp_length_max(INWARDS * job.slop);
                let goes_on = |start: Vec3| {
                    let way = end - start;
                    let exit = deep::leave(a, start, way.normalize_or(onwards));
                    exit.is_some_and(|exit| exit > way.length() - 2.0 * INWARDS * job.slop)
                };
                let straight = end - onwards * (onwards.dot(end) - middle);
                // What is apart from the wall itself does not touch what it was given.
                let is_in_wall = |p: Vec3| {
                    let on_b = point_shape::<D3>(p.into(), job.b, &job.b_in_a);
                    on_b.is_some_and(|on_b| on_b.distance <= job.slop)
                };
                let is_through = |start: Vec3| {
                    let (before, way) = (middle - onwards.dot(start), end - start);
                    let crossing = start + way * (before / onwards.dot(way));
                    before > 0.0 && is_in_wall(crossing)
                };
                job.a.contains(straight) && is_in_wall(straight) && goes_on(straight)
                    || self.middle.is_some_and(|start| is_through(start) && goes_on(start))
            };
            let is_behind = farthest > thin.half - job.b.rounding() + job.slop;
            if !is_behind || is_solid() {
                out.push(point.position, point.separation, point.id);
                goes_through |= is_behind;
            }
        }
        goes_through
    }

    /// The same for a wall that is not flat: it was seen as if it were, from its highest point on, and is as thick as it is under each point.
    fn retain_under_lid(
        &self,
        side: (usize, bool),
        (a, index): (&dyn Composite<D3>, u32),
        job: &CollideJob<'_, D3>,
        out: &mut LocalManifold<D3>,
    ) -> bool {
        let (thin, onwards) = (&self.thin[side.0], self.onwards(side));
        let (sign, onwards_in_a) = (thin.axis.dot(onwards), job.b_in_a.rotation.rotate(onwards));
        let to_b = |p: Vec3| job.b_in_a.inverse_transform(p.into());
        let to_a = |p: Vec3| job.b_in_a.transform(p).to_vec();
        let Shape3::Triangle { a: p, b: q, c: r } = a.child(index) else { return false };
        let center = (p + q + r) * (1.0 / 3.0);
        let found = *out;
        out.clear();
        let mut goes_through = false;
        for point in found.points() {
            let on_a = point.position - found.normal * (0.5 * point.separation);
            let local = to_b(on_a);
            // Where the line through the point and the wall goes into the wall and out of it. On the outline itself it would miss it.
            let inner = job.b.middle();
            let Some(slab) = thin.slab(job.b, local + (inner - local) * INSIDE) else { continue };
            let [front, back] = if sign > 0.0 { slab } else { [-slab[1], -slab[0]] };
            let lid = thin.middle * sign - thin.half;
            let separation = point.separation + (front - lid) * found.normal.dot(onwards_in_a);
            if separation > job.margin {
                continue;
            }
            let is_solid = || {
                // Not over the border of the triangle, where other sides may begin.
                let end = on_a + (center - on_a).clamp_length_max(INWARDS * job.slop);
                let goes_on = |start: Vec3| {
                    let way = end - start;
                    let exit = deep::leave(a, start, way.normalize_or(onwards_in_a));
                    exit.is_some_and(|exit| exit > way.length() - 2.0 * INWARDS * job.slop)
                };
                let is_straight = || {
                    let p = to_b(end);
                    let Some(slab) = thin.slab(job.b, p) else { return false };
                    let straight = to_a(p + thin.axis * (0.5 * (slab[0] + slab[1]) - thin.axis.dot(p)));
                    job.a.contains(straight) && goes_on(straight)
                };
                let is_through = |start: Vec3| {
                    let (p, q) = (to_b(start), to_b(end));
                    let ray = LocalRay { origin: p, direction: q - p, max: 1.0 };
                    job.b.ray_cast(&ray).is_some()
                };
                is_straight() || self.middle.is_some_and(|start| is_through(start) && goes_on(start))
            };
            let is_behind = onwards.dot(local) > back + job.slop;
            if !is_behind || is_solid() {
                let position = on_a + found.normal * (0.5 * separation);
                out.push(position, separation, point.id);
                goes_through |= is_behind;
            }
        }
        goes_through
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
