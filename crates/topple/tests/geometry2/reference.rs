//! Signed distance of two convex shapes in f64, straight from the definition: the distance from the origin to the
//! border of the Minkowski difference, whose corners are all differences of corners.

use topple::math::*;
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

pub(crate) type P = [f64; 2];

pub(crate) fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1]]
}
pub(crate) fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
pub(crate) fn cross(a: P, b: P) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
pub(crate) fn length(a: P) -> f64 {
    dot(a, a).sqrt()
}
pub(crate) fn wide(v: Vec2) -> P {
    [f64::from(v.x), f64::from(v.y)]
}

/// Corners and radius of a bounded shape at a pose.
pub(crate) fn core(shape: &Shape2, pose: &Pose<D2>) -> (Vec<P>, f64) {
    let corners = match shape {
        Shape2::Circle { .. } => vec![Vec2::ZERO],
        Shape2::Capsule { a, b, .. } => vec![*a, *b],
        _ => shape.vertices(),
    };
    let (c, s) = (f64::from(pose.rotation.cos), f64::from(pose.rotation.sin));
    let (x, y) = (f64::from(pose.position.x), f64::from(pose.position.y));
    let place = |v: Vec2| {
        let v = wide(v);
        [x + c * v[0] - s * v[1], y + s * v[0] + c * v[1]]
    };
    (corners.into_iter().map(place).collect(), f64::from(shape.rounding()))
}

/// What the reference says about a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// Signed distance of the surfaces.
    pub(crate) separation: f64,
    /// Signed distance of the cores.
    pub(crate) core: f64,
    /// From a to b.
    pub(crate) normal: P,
    /// By how much the second best direction (not nearly parallel to the best) is worse.
    pub(crate) lead: f64,
}

/// Signed distance and normal of a pair, b at `b_in_a`.
pub(crate) fn separation(a: &Shape2, b: &Shape2, b_in_a: &Pose<D2>) -> Answer {
    match (a, b) {
        (Shape2::HalfPlane { normal, offset }, _) => {
            plane(wide(*normal), f64::from(*offset), core(b, b_in_a))
        }
        (_, Shape2::HalfPlane { normal, offset }) => {
            let (c, s) = (f64::from(b_in_a.rotation.cos), f64::from(b_in_a.rotation.sin));
            let n = wide(*normal);
            let n = [c * n[0] - s * n[1], s * n[0] + c * n[1]];
            let p = [f64::from(b_in_a.position.x), f64::from(b_in_a.position.y)];
            let mut answer = plane(n, f64::from(*offset) + dot(n, p), core(a, &Pose::IDENTITY));
            answer.normal = [-n[0], -n[1]];
            answer
        }
        _ => {
            let (pa, ra) = core(a, &Pose::IDENTITY);
            let (pb, rb) = core(b, b_in_a);
            let points = pb.iter().flat_map(|q| pa.iter().map(move |p| sub(*q, *p))).collect();
            let mut answer = origin_to(&hull(points));
            answer.separation = answer.core - ra - rb;
            answer
        }
    }
}

fn plane(n: P, offset: f64, (points, radius): (Vec<P>, f64)) -> Answer {
    let low = points.iter().map(|p| dot(n, *p) - offset).fold(f64::INFINITY, f64::min);
    Answer { separation: low - radius, core: low, normal: n, lead: f64::INFINITY }
}

/// Convex hull, counter-clockwise, strictly convex; one or two points for degenerate sets.
pub(crate) fn hull(mut points: Vec<P>) -> Vec<P> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    // Rounding of f64, relative to the size: a turn smaller than this is none.
    let size = points.iter().fold(0.0, |s: f64, p| s.max(p[0].abs()).max(p[1].abs()));
    let flat = 1e-14 * size * size;
    let side = |points: &mut dyn Iterator<Item = &P>| {
        let mut chain: Vec<P> = Vec::new();
        for p in points {
            while chain.len() >= 2
                && cross(sub(chain[chain.len() - 1], chain[chain.len() - 2]), sub(*p, chain[chain.len() - 1]))
                    <= flat
            {
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut lower = side(&mut points.iter());
    let upper = side(&mut points.iter().rev());
    lower.extend(upper);
    lower
}

/// Distance from the hull to the origin, negative inside; the normal points from the origin to the hull.
fn origin_to(hull: &[P]) -> Answer {
    let n = hull.len();
    // Separation in direction m: min over the hull of m·x. Candidates: inward normals of the edges.
    let mut faces: Vec<(f64, P)> = Vec::new();
    let mut nearest = (f64::INFINITY, [0.0; 2]);
    for i in 0..n {
        let (p, q) = (hull[i], hull[(i + 1) % n]);
        let e = sub(q, p);
        let l2 = dot(e, e);
        let t = if l2 > 0.0 { (-dot(p, e) / l2).clamp(0.0, 1.0) } else { 0.0 };
        let foot = [p[0] + t * e[0], p[1] + t * e[1]];
        if length(foot) < nearest.0 {
            nearest = (length(foot), foot);
        }
        if n >= 2 && l2 > 0.0 {
            let m = [-e[1] / l2.sqrt(), e[0] / l2.sqrt()];
            faces.push((dot(m, p), m));
        }
    }
    let best = faces.iter().fold((f64::NEG_INFINITY, [0.0; 2]), |b, f| if f.0 > b.0 { *f } else { b });
    if n < 3 || best.0 > 0.0 {
        let d = nearest.0;
        let normal = if d > 0.0 { [nearest.1[0] / d, nearest.1[1] / d] } else { best.1 };
        return Answer { separation: 0.0, core: d, normal, lead: if d > 0.0 { d } else { 0.0 } };
    }
    let second =
        faces.iter().filter(|f| dot(f.1, best.1) < 0.999_999).fold(f64::NEG_INFINITY, |s, f| s.max(f.0));
    Answer { separation: 0.0, core: best.0, normal: best.1, lead: best.0 - second }
}
