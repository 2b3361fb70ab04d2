//! Solids of triangles in f64, looked at one triangle after the other: whether they overlap, and how far a point is from them. It knows nothing
//! of trees, neighbours, margins or manifolds.

use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate;
use topple::{Pose, Shape3};

pub(crate) type V = [f64; 3];

pub(crate) fn add(a: V, b: V, s: f64) -> V {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
pub(crate) fn sub(a: V, b: V) -> V {
    add(a, b, -1.0)
}
pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}
pub(crate) fn wide(v: Vec3) -> V {
    [v.x, v.y, v.z].map(f64::from)
}

/// A point at a pose, in f64.
pub(crate) fn placed(p: V, pose: &Pose<D3>) -> V {
    let q = [pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w].map(f64::from);
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z, w] = q.map(|c| c / norm);
    let axis = [x, y, z];
    let t = cross(axis, p);
    let turned = add(add(p, t, 2.0 * w), cross(axis, t), 2.0);
    add(turned, wide(pose.position.to_vec()), 1.0)
}

/// What is behind the triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inside {
    /// They enclose it.
    Volume,
    /// Everything below them along y, in their own frame.
    Below,
    /// Nothing: an open surface.
    Nothing,
}

/// A solid at a place.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub(crate) triangles: Vec<[V; 3]>,
    inside: Inside,
    /// Up, for solid ground.
    up: V,
    /// Box around all of it.
    bounds: [V; 2],
}

fn bounds_of(points: impl Iterator<Item = V>) -> [V; 2] {
    points.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], p| {
        [0, 1].map(|k| std::array::from_fn(|i| if k == 0 { low[i].min(p[i]) } else { high[i].max(p[i]) }))
    })
}

fn boxes_overlap(a: &[V; 2], b: &[V; 2], shift: V) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] + shift[i] && b[0][i] + shift[i] <= a[1][i])
}

/// The triangles that a shape is made of: its children, or the surface of a box or hull.
pub(crate) fn surface_of(shape: &Shape3) -> Vec<[Vec3; 3]> {
    if let Some(composite) = shape.composite() {
        let corners = |i| match composite.child(i) {
            Shape3::Triangle { a, b, c } => [a, b, c],
            other => panic!("{other:?}"),
        };
        return (0..composite.child_count()).map(corners).collect();
    }
    match shape {
        Shape3::Box { half, .. } => {
            let generate::Surface { vertices, triangles } =
                crate::support::box_surface(*half * 2.0, Vec3::ZERO);
            triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect()
        }
        Shape3::Hull { data, .. } => {
            let corner = |h: usize| data.vertices()[usize::from(data.half_edges()[h].vertex)];
            let faces = data.faces().iter().map(|face| (usize::from(face.first), usize::from(face.count)));
            let fans = faces
                .flat_map(|(first, count)| (1..count - 1).map(move |k| [first, first + k, first + k + 1]));
            fans.map(|fan| fan.map(corner)).collect()
        }
        other => panic!("no surface of {}", other.kind()),
    }
}

impl Solid {
    pub(crate) fn new(shape: &Shape3, pose: &Pose<D3>) -> Self {
        let triangles: Vec<[V; 3]> =
            surface_of(shape).into_iter().map(|t| t.map(|p| placed(wide(p), pose))).collect();
        let inside = match shape.composite() {
            Some(c) if c.is_ground() => Inside::Below,
            Some(c) if !c.is_closed() => Inside::Nothing,
            _ => Inside::Volume,
        };
        let up = sub(placed([0.0, 1.0, 0.0], pose), placed([0.0; 3], pose));
        let bounds = bounds_of(triangles.iter().flatten().copied());
        Self { triangles, inside, up, bounds }
    }

    /// True if `p` is behind the surface.
    pub(crate) fn contains(&self, p: V) -> bool {
        match self.inside {
            Inside::Nothing => false,
            // The solid angle that the surface fills is that of the whole sphere.
            Inside::Volume => {
                let angle: f64 = self.triangles.iter().map(|t| solid_angle(t.map(|c| sub(c, p)))).sum();
                angle.abs() > std::f64::consts::TAU
            }
            Inside::Below => self.triangles.iter().any(|t| above(t, p, self.up).is_some_and(|h| h > 0.0)),
        }
    }

    /// Distance of `p` from the surface [m], negative behind it.
    pub(crate) fn distance(&self, p: V) -> f64 {
        let nearest = self.triangles.iter().map(|t| length(sub(p, nearest_in(t, p))));
        let distance = nearest.fold(f64::INFINITY, f64::min);
        if self.contains(p) { -distance } else { distance }
    }

    /// True if the other solid, moved by `shift`, has a point in common with this one.
    pub(crate) fn overlaps(&self, other: &Self, shift: V) -> bool {
        if self.inside != Inside::Below && !boxes_overlap(&self.bounds, &other.bounds, shift) {
            return false;
        }
        let back = sub([0.0; 3], shift);
        let near: Vec<(&[V; 3], [V; 2])> = self
            .triangles
            .iter()
            .map(|t| (t, bounds_of(t.iter().copied())))
            .filter(|(_, own)| boxes_overlap(own, &other.bounds, shift))
            .collect();
        for t in &other.triangles {
            let moved = t.map(|c| add(c, shift, 1.0));
            let bounds = bounds_of(moved.iter().copied());
            if near
                .iter()
                .any(|(s, own)| boxes_overlap(own, &bounds, [0.0; 3]) && cross_each_other(s, &moved))
            {
                return true;
            }
        }
        // None goes through the other's surface: then all of it is inside, or nothing.
        self.contains(add(other.triangles[0][0], shift, 1.0))
            || other.contains(add(self.triangles[0][0], back, 1.0))
    }
}

/// The solid angle of a triangle seen from the origin.
fn solid_angle([a, b, c]: [V; 3]) -> f64 {
    let [la, lb, lc] = [a, b, c].map(length);
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * dot(a, cross(b, c)).atan2(below)
}

/// How far the triangle is above `p` along `up`; None if it is not over or under it.
fn above(t: &[V; 3], p: V, up: V) -> Option<f64> {
    let side = |i: usize| dot(up, cross(sub(t[(i + 1) % 3], t[i]), sub(p, t[i])));
    let sides = [side(0), side(1), side(2)];
    let is_over = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
    let normal = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    (is_over && dot(normal, up) != 0.0).then(|| dot(normal, sub(t[0], p)) / dot(normal, up))
}

/// The point of a triangle nearest to `p`.
fn nearest_in(t: &[V; 3], p: V) -> V {
    let normal = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let foot = add(p, normal, -dot(normal, sub(p, t[0])) / dot(normal, normal));
    let is_inside = (0..3).all(|i| dot(normal, cross(sub(t[(i + 1) % 3], t[i]), sub(foot, t[i]))) >= 0.0);
    if is_inside {
        return foot;
    }
    let on_edge = |i: usize| {
        let edge = sub(t[(i + 1) % 3], t[i]);
        let s = (dot(sub(p, t[i]), edge) / dot(edge, edge)).clamp(0.0, 1.0);
        add(t[i], edge, s)
    };
    let candidates = [on_edge(0), on_edge(1), on_edge(2)];
    let far = |q: &V| length(sub(p, *q));
    candidates.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(t[0])
}

/// True if an edge of one triangle goes through the other.
fn cross_each_other(s: &[V; 3], t: &[V; 3]) -> bool {
    let edges = |u: &[V; 3]| [[u[0], u[1]], [u[1], u[2]], [u[2], u[0]]];
    edges(s).iter().any(|e| goes_through(e, t)) || edges(t).iter().any(|e| goes_through(e, s))
}

fn goes_through([p, q]: &[V; 2], t: &[V; 3]) -> bool {
    let volume = |a: V, b: V, c: V, d: V| dot(sub(b, a), cross(sub(c, a), sub(d, a)));
    let (from, to) = (volume(t[0], t[1], t[2], *p), volume(t[0], t[1], t[2], *q));
    if from * to > 0.0 {
        return false;
    }
    let sides = [volume(*p, *q, t[0], t[1]), volume(*p, *q, t[1], t[2]), volume(*p, *q, t[2], t[0])];
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}
