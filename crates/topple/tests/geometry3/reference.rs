//! Signed distance and normal of any two convex shapes in f64, straight from the definition and with its own proof.
//!
//! The overlap of two convex sets is the distance from the origin to the border of their Minkowski difference. A polytope inside
//! that difference, spanned by support points, gives a bound from below (its nearest face), the support function along
//! the normal of that face one from above; the polytope grows there until the two agree. Nothing of the engine is used but the
//! sizes of the shapes. For cores that are apart the point of the difference nearest to the origin is found in the same way: the
//! points so far give a bound from above, the support function one from below.

use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::shape::ShapeOps;

/// Difference of the two bounds of a depth at which they agree [m], for shapes of 1 m: leaves an angle of 0.003° where the
/// answer is unique.
const AGREE: f64 = 1e-10;
/// The same for the squared distance, as a share of it (no unit), and what rounding leaves of a distance near 0 [m²].
const AGREE_APART: f64 = 1e-10;
const ROUNDING: f64 = 1e-18;
/// Height over a face below which a point is in its plane [m]: rounding of f64.
const IN_PLANE: f64 = 1e-15;
/// Six times the volume of a tetrahedron that has none [m³].
const FLAT: f64 = 1e-9;
/// Support points after which the growth has to have ended.
const MAX_POINTS: usize = 2_000;
/// Directions more than a degree away from the best one are clearly worse if they separate by this much less [m].
pub(crate) const CLEARLY: f64 = 1e-5;
/// The same a quarter of a degree away [m]: ten times what f32 can tell.
const CLEARLY_NEAR: f64 = 6e-7;

/// What the reference says about a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// Signed distance of the surfaces [m].
    pub(crate) separation: f64,
    /// Signed distance of the cores, without the rounding [m].
    pub(crate) core: f64,
    /// Unit vector from a to b.
    pub(crate) normal: V,
    /// True if the normal is the only one among its neighbours: a quarter of a degree and a degree away the shapes are clearly deeper.
    pub(crate) is_unique: bool,
}

/// Two cores, b placed in the frame of a.
pub(crate) struct Cores<'a> {
    a: &'a Shape3,
    b: &'a Shape3,
    pose: Pose<D3>,
}

/// Farthest point of the core of `shape` along `n`.
fn support(shape: &Shape3, n: V) -> V {
    let farthest = |points: &mut dyn Iterator<Item = V>| {
        points.reduce(|best, p| if dot(p, n) > dot(best, n) { p } else { best }).unwrap()
    };
    let rim = |half: f64, radius: f64| {
        let l = n[0].hypot(n[2]);
        let s = if l > 0.0 { radius / l } else { 0.0 };
        [n[0] * s, half, n[2] * s]
    };
    match shape {
        Shape3::Sphere { .. } => [0.0; 3],
        Shape3::Capsule { a, b, .. } => farthest(&mut [wide(*a), wide(*b)].into_iter()),
        Shape3::Box { half, .. } => {
            let h = wide(*half);
            [0, 1, 2].map(|k| if n[k] < 0.0 { -h[k] } else { h[k] })
        }
        Shape3::Hull { data, .. } => farthest(&mut data.vertices().iter().map(|&v| wide(v))),
        Shape3::Cylinder { half_height, radius, .. } => {
            let half = f64::from(*half_height);
            rim(if n[1] < 0.0 { -half } else { half }, f64::from(*radius))
        }
        Shape3::Cone { half_height, radius, .. } => {
            let half = f64::from(*half_height);
            farthest(&mut [[0.0, half, 0.0], rim(-half, f64::from(*radius))].into_iter())
        }
        _ => panic!("no core: {shape:?}"),
    }
}

impl<'a> Cores<'a> {
    pub(crate) fn new(a: &'a Shape3, b: &'a Shape3, pose: Pose<D3>) -> Self {
        Self { a, b, pose }
    }

    /// Farthest point along the unit vector `n` of A − B.
    fn difference(&self, n: V) -> V {
        let local = turn_back(self.pose.rotation, scale(n, -1.0));
        let b = place(&self.pose, support(self.b, local));
        sub(support(self.a, n), b)
    }

    /// Gap of the cores along the unit vector `n`; negative where they overlap.
    pub(crate) fn gap(&self, n: V) -> f64 {
        -dot(self.difference(n), n)
    }
}

fn unit(v: V) -> V {
    scale(v, 1.0 / length(v))
}

fn turn_back(q: Quat, v: V) -> V {
    turn(Quat::from_xyzw(-q.x, -q.y, -q.z, q.w), v)
}

#[derive(Clone, Copy)]
struct Face {
    corners: [usize; 3],
    normal: V,
    distance: f64,
}

fn face(points: &[V], corners: [usize; 3]) -> Option<Face> {
    let [p, q, r] = corners.map(|c| points[c]);
    let n = cross(sub(q, p), sub(r, p));
    let l = length(n);
    if l <= 1e-14 * length(sub(q, p)) * length(sub(r, p)) || l == 0.0 {
        return None;
    }
    let normal = scale(n, 1.0 / l);
    Some(Face { corners, normal, distance: dot(normal, p) })
}

/// Depth of cores that overlap and its axis; None if they do not.
fn depth(cores: &Cores<'_>) -> Option<(f64, V)> {
    // A tetrahedron of support points: far apart, then far from their line, then far from their plane.
    let mut random = Random::new(7);
    let around: Vec<V> = (0..30).map(|_| cores.difference(unit(wide(random.direction())))).collect();
    let farthest = |measure: &dyn Fn(V) -> f64| {
        around.iter().copied().max_by(|&p, &q| measure(p).total_cmp(&measure(q))).unwrap_or_default()
    };
    let p = around[0];
    let q = farthest(&|x| length(sub(x, p)));
    let r = farthest(&|x| length(cross(sub(x, p), sub(q, p))));
    let plane = cross(sub(q, p), sub(r, p));
    let s = farthest(&|x| dot(sub(x, p), plane).abs());
    let height = dot(sub(s, p), plane);
    if height.abs() <= FLAT {
        return None;
    }
    let mut points = if height > 0.0 { vec![q, p, r, s] } else { vec![p, q, r, s] };
    let mut faces: Vec<Face> = Vec::new();
    for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        faces.push(face(&points, corners)?);
    }
    loop {
        let by_distance = |&i: &usize, &j: &usize| faces[i].distance.total_cmp(&faces[j].distance);
        let nearest = (0..faces.len()).min_by(by_distance)?;
        let Face { normal, distance, .. } = faces[nearest];
        let point = cores.difference(normal);
        let above = dot(point, normal);
        if above <= 0.0 {
            return None;
        }
        if above - distance <= AGREE {
            return Some((above, normal));
        }
        assert!(points.len() < MAX_POINTS, "{:?} {:?} {:?}", cores.a, cores.b, cores.pose);
        // The faces that the point sees, spreading from this one, and the edges where they end.
        let is_seen = |f: &Face| dot(point, f.normal) - f.distance > IN_PLANE;
        let mut seen = vec![false; faces.len()];
        let mut open = vec![nearest];
        let mut horizon: Vec<(usize, usize)> = Vec::new();
        seen[nearest] = true;
        while let Some(i) = open.pop() {
            for k in 0..3 {
                let edge = (faces[i].corners[k], faces[i].corners[(k + 1) % 3]);
                let back = |f: &Face| (0..3).any(|k| (f.corners[(k + 1) % 3], f.corners[k]) == edge);
                let next = faces.iter().position(back)?;
                if !seen[next] && is_seen(&faces[next]) {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        for (i, f) in faces.iter().enumerate().filter(|(i, _)| seen[*i]) {
            for k in 0..3 {
                let edge = (f.corners[k], f.corners[(k + 1) % 3]);
                let back =
                    |j: usize| (0..3).any(|k| (faces[j].corners[(k + 1) % 3], faces[j].corners[k]) == edge);
                if !(0..faces.len()).any(|j| j != i && seen[j] && back(j)) {
                    horizon.push(edge);
                }
            }
        }
        let mut keep = seen.iter();
        faces.retain(|_| keep.next().is_some_and(|seen| !seen));
        points.push(point);
        for &(p, q) in &horizon {
            faces.push(face(&points, [p, q, points.len() - 1])?);
        }
    }
}

/// Closest point of a segment or triangle to the origin, if it is inside of it.
fn nearest_in(corners: &[V]) -> Option<V> {
    match *corners {
        [p] => Some(p),
        [p, q] => {
            let d = sub(q, p);
            let t = -dot(p, d) / dot(d, d);
            (0.0..=1.0).contains(&t).then(|| add(p, scale(d, t)))
        }
        [p, q, r] => {
            let n = cross(sub(q, p), sub(r, p));
            let x = scale(n, dot(p, n) / dot(n, n));
            let inside = |u: V, v: V| dot(cross(sub(v, u), sub(x, u)), n) >= 0.0;
            (inside(p, q) && inside(q, r) && inside(r, p)).then_some(x)
        }
        _ => None,
    }
}

/// Distance of cores that are apart and its axis; None if they overlap.
fn distance(cores: &Cores<'_>) -> Option<(f64, V)> {
    let start = [0.36, 0.48, 0.8];
    let mut kept = vec![cores.difference(start)];
    let mut x = kept[0];
    for _ in 0..MAX_POINTS {
        let xx = dot(x, x);
        let w = cores.difference(scale(x, -1.0 / xx.sqrt()));
        let gap = xx - dot(x, w);
        if gap <= AGREE_APART * xx + ROUNDING {
            return (xx > ROUNDING).then(|| (xx.sqrt(), scale(x, -1.0 / xx.sqrt())));
        }
        // All corners, edges and triangles of what is kept and the new point; the best that has the new point.
        let mut best: Option<(V, Vec<V>)> = None;
        for bits in 0..1_u32 << kept.len() {
            let mut part = vec![w];
            part.extend((0..kept.len()).filter(|k| bits >> k & 1 == 1).map(|k| kept[k]));
            if let Some(near) = nearest_in(&part).filter(|v| v.iter().all(|c| c.is_finite()))
                && best.as_ref().is_none_or(|b| dot(near, near) < dot(b.0, b.0))
            {
                best = Some((near, part));
            }
        }
        let (near, part) = best?;
        if dot(near, near) >= xx {
            // Rounding, or the origin is inside of the four points.
            return (gap <= 1e-6 * xx).then(|| (xx.sqrt(), scale(x, -1.0 / xx.sqrt())));
        }
        (x, kept) = (near, part);
    }
    None
}

/// Signed distance and normal of two bounded shapes, b at `pose`.
pub(crate) fn separation(a: &Shape3, b: &Shape3, pose: &Pose<D3>) -> Answer {
    let cores = Cores::new(a, b, *pose);
    let rounding = f64::from(a.rounding()) + f64::from(b.rounding());
    // Cores apart by less than rounding have no direction.
    let (core, normal, is_told) = match (distance(&cores), depth(&cores)) {
        (Some((distance, normal)), _) => (distance, normal, true),
        (None, Some((depth, normal))) => (-depth, normal, true),
        (None, None) => (0.0, [0.0, 1.0, 0.0], false),
    };
    let [t, u] = across(normal);
    let around = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        (0..72).fold(f64::NEG_INFINITY, |most, k| {
            let (s, c) = (f64::from(k) * 5.0_f64.to_radians()).sin_cos();
            let n = add(scale(normal, cos), scale(add(scale(t, c), scale(u, s)), sin));
            most.max(cores.gap(n))
        })
    };
    let is_unique = is_told && around(1.0) < core - CLEARLY && around(0.25) < core - CLEARLY_NEAR;
    Answer { separation: core - rounding, core, normal, is_unique }
}

/// Two unit vectors across a unit vector and each other.
fn across(n: V) -> [V; 2] {
    let k = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).unwrap();
    let mut axis = [0.0; 3];
    axis[k] = 1.0;
    let t = unit(cross(n, axis));
    [t, cross(n, t)]
}
