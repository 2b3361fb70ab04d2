//! A shape so deep inside a solid mesh that no triangle says which way is out: they all look past it, or are too far away.
//!
//! Points of either surface that are inside the other shape are probes: corners, and some between them. Every way out that the triangles nearest to some of them name is tried
//! on all probes: how far each has to go that way until it leaves the solid. The farthest of them is how deep the shapes are in each other that way,
//! and never more than they are; the shortest way wins.

use crate::distance::point_shape;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters};
use crate::shape::composite::{BOX_ROUNDING, turned_box};
use crate::shape::d3::triangle;
use crate::shape::{Composite, LocalRay, Shape3, ShapeOps};

/// Triangles of a mesh that are looked at, evenly over all of them, and how many of their points are kept: a bound on the cost.
const LOOKS: u32 = 64;
const MAX_PROBES: usize = 48;
/// Points of a triangle that are looked at, and room for their numbers.
const POINTS: u32 = 16;
/// Ways out that are tried.
const MAX_WAYS: usize = 12;
/// Cosine above which two ways count as one (no unit; 8°).
const SAME_WAY: Real = 0.99;
/// How much shorter a way must be than the one before, in slops, to be taken instead.
const SHORTER: Real = 1.0;

/// A point of one surface inside the other shape, in the frame of a.
#[derive(Clone, Copy)]
struct Probe {
    at: Vec3,
    id: u32,
    /// It belongs to b and is inside a; otherwise the other way round.
    is_of_b: bool,
}

/// The probes and ways of a pair.
struct Search<'a> {
    job: &'a CollideJob<'a, D3>,
    probes: [Probe; 2 * MAX_PROBES],
    count: usize,
    ways: [Vec3; MAX_WAYS],
    way_count: usize,
}

/// Contacts of a solid mesh a with a convex shape or solid mesh b, of which their triangles found none, handed to `add`; none if they do not
/// overlap. `is_crossed`: surfaces may go through each other. Otherwise one of the two is wholly inside the other, or they are apart.
pub(super) fn collide(
    job: &CollideJob<'_, D3>,
    is_crossed: bool,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>),
) {
    let Some(a) = job.a.composite() else { return };
    let b = job.b.composite();
    if !a.is_closed() || b.is_some_and(|b| !b.is_closed()) || job.b.half_space().is_some() {
        return;
    }
    if !a.bounds().overlaps(&job.b.aabb(&job.b_in_a)) {
        return;
    }
    let nobody = Probe { at: Vec3::ZERO, id: 0, is_of_b: false };
    let mut search = Search {
        job,
        probes: [nobody; 2 * MAX_PROBES],
        count: 0,
        ways: [Vec3::ZERO; MAX_WAYS],
        way_count: 0,
    };
    if !is_crossed && !search.is_inside(a, b) {
        return;
    }
    search.find_probes(a, b);
    if search.count == 0 {
        return;
    }
    search.find_ways(a, b);
    let mut best = (Real::INFINITY, 0);
    for way in 0..search.way_count {
        counters.axes += 1;
        let exit = search.farthest(search.ways[way]);
        if exit + SHORTER * job.slop < best.0 {
            best = (exit, way);
        }
    }
    if !best.0.is_finite() {
        return;
    }
    let normal = search.ways[best.1];
    let mut out = LocalManifold::default();
    for probe in &search.probes[..search.count] {
        let Some(exit) = search.exit(probe, normal) else { continue };
        out.clear();
        out.normal = normal;
        // Probes of b leave along the normal, those of a against it.
        let onwards = if probe.is_of_b { 0.5 * exit } else { -0.5 * exit };
        out.push(probe.at + normal * onwards, -exit, probe.id);
        add(u32::from(probe.is_of_b), &out);
    }
}

impl Search<'_> {
    /// True if a corner of one shape is inside the other: any of them tells, if no surface goes through the other.
    fn is_inside(&self, a: &dyn Composite<D3>, b: Option<&dyn Composite<D3>>) -> bool {
        let job = self.job;
        let corner = |shape: &dyn Composite<D3>| match shape.child(0) {
            Shape3::Triangle { a, .. } => a,
            _ => Vec3::ZERO,
        };
        let of_b = b.map_or_else(|| job.b.middle(), corner);
        job.a.contains(job.b_in_a.transform(of_b).to_vec())
            || job.b.contains(job.b_in_a.inverse_transform(corner(a).into()))
    }

    fn find_probes(&mut self, a: &dyn Composite<D3>, b: Option<&dyn Composite<D3>>) {
        let job = self.job;
        match b {
            Some(b) => each_point(b, &a.bounds(), &job.swapped().b_in_a, &mut |id, point| {
                let at = job.b_in_a.transform(point).to_vec();
                self.keep(Probe { at, id, is_of_b: true }, MAX_PROBES)
            }),
            None => {
                // The outermost points of b in as many directions as a cube has faces, edges and corners, and its middle.
                let middle = job.b_in_a.transform(job.b.middle()).to_vec();
                self.keep(Probe { at: middle, id: 0, is_of_b: true }, MAX_PROBES);
                for k in 1..27_u32 {
                    let step = |digit: u32| (digit % 3) as Real - 1.0;
                    let direction = Vec3::new(step(k), step(k / 3), step(k / 9));
                    let Some(corner) = job.b.support(direction) else { return };
                    let at = job.b_in_a.transform(corner).to_vec();
                    self.keep(Probe { at, id: k, is_of_b: true }, MAX_PROBES);
                }
            }
        }
        let room = self.count + MAX_PROBES;
        let near = job.b.aabb(&Pose::IDENTITY);
        each_point(a, &near, &job.b_in_a, &mut |id, at| self.keep(Probe { at, id, is_of_b: false }, room));
    }

    /// Keeps a probe that is inside the other shape, if there is room. False if there is none.
    fn keep(&mut self, probe: Probe, room: usize) -> bool {
        if self.count >= room {
            return false;
        }
        if self.probes[..self.count].iter().any(|known| known.at == probe.at) {
            return true;
        }
        let is_inside = if probe.is_of_b {
            self.job.a.contains(probe.at)
        } else {
            self.job.b.contains(self.job.b_in_a.inverse_transform(probe.at.into()))
        };
        if is_inside {
            self.probes[self.count] = probe;
            self.count += 1;
        }
        true
    }

    /// From the middle of a to that of b, and what the triangles nearest to some probes say.
    fn find_ways(&mut self, a: &dyn Composite<D3>, b: Option<&dyn Composite<D3>>) {
        let job = self.job;
        let apart = job.b.aabb(&job.b_in_a).center() - a.bounds().center();
        self.add_way(apart.normalize_or(Vec3::Y));
        let stride = self.count.div_ceil(MAX_WAYS).max(1);
        for i in (0..self.count).step_by(stride) {
            let probe = self.probes[i];
            let way = match b {
                _ if probe.is_of_b => outwards(a, probe.at),
                Some(b) => {
                    let local = job.b_in_a.inverse_transform(probe.at.into());
                    outwards(b, local).map(|n| -job.b_in_a.rotation.rotate(n))
                }
                // What parts a point from b is what b has to go.
                None => point_shape::<D3>(probe.at.into(), job.b, &job.b_in_a).map(|closest| closest.normal),
            };
            way.into_iter().for_each(|way| self.add_way(way));
        }
    }

    fn add_way(&mut self, way: Vec3) {
        let is_known = self.ways[..self.way_count].iter().any(|known| known.dot(way) > SAME_WAY);
        if self.way_count < MAX_WAYS && !is_known {
            self.ways[self.way_count] = way;
            self.way_count += 1;
        }
    }

    /// How far the probe that has to go farthest goes along `way` until it is out [m].
    fn farthest(&self, way: Vec3) -> Real {
        let exits =
            self.probes[..self.count].iter().map(|probe| self.exit(probe, way).unwrap_or(Real::INFINITY));
        exits.fold(0.0, Real::max)
    }

    /// How far a probe goes until it is out, b moving along `way` [m].
    fn exit(&self, probe: &Probe, way: Vec3) -> Option<Real> {
        let job = self.job;
        if probe.is_of_b {
            return leave(job.a.composite()?, probe.at, way).map(|exit| exit + job.b.rounding());
        }
        let (local, back) =
            (job.b_in_a.inverse_transform(probe.at.into()), job.b_in_a.rotation.rotate_inv(-way));
        if let Some(b) = job.b.composite() {
            return leave(b, local, back);
        }
        // Out of a convex shape: from beyond it, the other way round.
        let far = job.b.aabb(&Pose::IDENTITY).size().length();
        let ray = LocalRay { origin: local + back * far, direction: -back, max: far };
        job.b.ray_cast(&ray).map(|hit| far - hit.t)
    }
}

/// Calls `visit` with points of the triangles of a mesh near a box of another frame, evenly over them, until it returns false: corners, quarters of edges,
/// middles of faces. `frame` is the pose of the box's frame.
fn each_point(
    shape: &dyn Composite<D3>,
    near: &Aabb<D3>,
    frame: &Pose<D3>,
    visit: &mut dyn FnMut(u32, Vec3) -> bool,
) {
    let near = turned_box(near, frame);
    let mut count: u32 = 0;
    shape.visit(&near, &mut |_| count += 1);
    let stride = count.div_ceil(LOOKS).max(1);
    let (mut number, mut goes_on) = (0, true);
    shape.visit(&near, &mut |index| {
        number += 1;
        if !goes_on || number % stride != 0 {
            return;
        }
        let Shape3::Triangle { a, b, c } = shape.child(index) else { return };
        goes_on &= visit(POINTS * index, (a + b + c) * (1.0 / 3.0));
        for (edge, [p, q]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            for quarter in 0..4 {
                let id = POINTS * index + 4 * edge as u32 + quarter + 1;
                goes_on &= goes_on && visit(id, p + (q - p) * (0.25 * quarter as Real));
            }
        }
    });
}

/// Normal of the triangle nearest to a point.
fn outwards(shape: &dyn Composite<D3>, p: Vec3) -> Option<Vec3> {
    let mut best = (Real::INFINITY, None);
    shape.visit_near(&Aabb { min: p.into(), max: p.into() }, Real::INFINITY, &mut |index, limit| {
        let Shape3::Triangle { a, b, c } = shape.child(index) else { return limit };
        let distance = (triangle::closest([a, b, c], p).0 - p).length();
        if distance < best.0 {
            best = (distance, Some(shape.normal(index)));
        }
        limit.min(distance)
    });
    best.1
}

/// How far a point inside a solid mesh is from where it leaves it along a unit vector [m].
pub(super) fn leave(shape: &dyn Composite<D3>, from: Vec3, way: Vec3) -> Option<Real> {
    let ray = LocalRay { origin: from, direction: way, max: Real::INFINITY };
    let grow = Vec3::splat(BOX_ROUNDING * shape.bounds().size().max_element());
    let mut first = None;
    shape.visit_ray(&ray, grow, &mut |index, max| {
        let Shape3::Triangle { a, b, c } = shape.child(index) else { return max };
        match triangle::crossing([a, b, c], &LocalRay { origin: from, direction: way, max }) {
            Some(hit) if !hit.is_front => {
                first = Some(hit.t);
                hit.t.min(max)
            }
            _ => max,
        }
    });
    first
}
