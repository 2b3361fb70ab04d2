//! Exact masses: sums over triangles in f64, the round parts cut ever finer and extrapolated.

use super::support::*;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

type V = [f64; 2];

/// Area, first and polar second moments about the origin.
type Moments = [f64; 4];

/// Adds the triangle, whichever way it turns.
fn add(sum: &mut Moments, [a, b, c]: [V; 3]) {
    let area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
    sum[0] += area;
    for k in 0..2 {
        let middle = [0.5 * (a[k] + b[k]), 0.5 * (b[k] + c[k]), 0.5 * (c[k] + a[k])];
        sum[1 + k] += area / 3.0 * (a[k] + b[k] + c[k]);
        // Exact for squares: the mean over the middles of the sides.
        sum[3] += area / 3.0 * middle.iter().map(|m| m * m).sum::<f64>();
    }
}

/// A polygon, corners counter-clockwise, inflated by `r`; sectors cut into `steps`.
fn inflated_polygon(corners: &[V], r: f64, steps: usize) -> Moments {
    let n = corners.len();
    let mut sum = [0.0; 4];
    let normal = |i: usize| {
        let (p, q) = (corners[i % n], corners[(i + 1) % n]);
        let l = ((q[0] - p[0]).powi(2) + (q[1] - p[1]).powi(2)).sqrt();
        [(q[1] - p[1]) / l, (p[0] - q[0]) / l]
    };
    let out = |p: V, n: V| [p[0] + r * n[0], p[1] + r * n[1]];
    for i in 0..n {
        let (p, q) = (corners[i], corners[(i + 1) % n]);
        add(&mut sum, [corners[0], p, q]);
        let m = normal(i);
        add(&mut sum, [p, q, out(q, m)]);
        add(&mut sum, [p, out(q, m), out(p, m)]);
        let next = normal(i + 1);
        let turn = (m[0] * next[1] - m[1] * next[0]).atan2(m[0] * next[0] + m[1] * next[1]);
        let at = |k: usize| {
            let (s, c) = (turn * k as f64 / steps as f64).sin_cos();
            out(q, [m[0] * c - m[1] * s, m[0] * s + m[1] * c])
        };
        (0..steps).for_each(|k| add(&mut sum, [q, at(k), at(k + 1)]));
    }
    sum
}

#[test]
fn masses_of_polygons_are_exact() {
    let mut random = Random::new(61);
    for case in 0..200 {
        let size = [0.01, 1.0, 100.0][case % 3];
        let at = [Vec2::ZERO, Vec2::new(30.0, -20.0) * size][case / 3 % 2];
        let points: Vec<Vec2> = (0..3 + case % 9).map(|_| random.vec(size) + at).collect();
        let radius = [0.0, 0.01, 0.3, 5.0][case % 4] * size;
        let Ok(Shape2::Polygon { data, .. }) = Shape2::polygon(&points) else { continue };
        let shape = Shape2::Polygon { data: data.clone(), radius };
        let corners: Vec<V> = shape.vertices().iter().map(|v| [f64::from(v.x), f64::from(v.y)]).collect();
        let [coarse, fine] = [64, 128].map(|steps| inflated_polygon(&corners, f64::from(radius), steps));
        let limit: Vec<f64> = coarse.iter().zip(&fine).map(|(c, f)| f + (f - c) / 3.0).collect();
        let m = shape.mass(2.5);
        let what = format!("case {case}: {shape:?} {m:?}");
        let near = |got: f32, expected: f64, scale: f64| {
            let error = (f64::from(got) - expected).abs();
            assert!(error <= 1e-5 * scale, "{what}: {got} instead of {expected}");
        };
        near(m.mass, 2.5 * limit[0], 2.5 * limit[0]);
        let center = [limit[1] / limit[0], limit[2] / limit[0]];
        let reach = f64::from(shape.farthest_from(m.center)).max(f64::from(at.length()) * 0.1);
        near(m.center.x, center[0], reach);
        near(m.center.y, center[1], reach);
        let about = 2.5 * (limit[3] - limit[0] * (center[0] * center[0] + center[1] * center[1]));
        near(m.inertia, about, about);
    }
}

#[test]
fn the_mass_of_a_rounded_rectangle_is_that_of_its_parts() {
    let mut random = Random::new(62);
    for _ in 0..100 {
        let (w, h, r) = (random.range(0.01, 3.0), random.range(0.01, 3.0), random.range(0.0, 2.0));
        let m = <Shape2 as ShapeOps<D2>>::mass(&inflated(w, h, r), 1.0);
        let (w, h, r) = (f64::from(w), f64::from(h), f64::from(r));
        let half = [[-0.5 * w, -0.5 * h], [0.5 * w, -0.5 * h], [0.5 * w, 0.5 * h], [-0.5 * w, 0.5 * h]];
        let steiner = w * h + 2.0 * (w + h) * r + std::f64::consts::PI * r * r;
        assert!((f64::from(m.mass) / steiner - 1.0).abs() < 1e-6, "{w} {h} {r}: {m:?}");
        let [coarse, fine] = [64, 128].map(|steps| inflated_polygon(&half, r, steps)[3]);
        let expected = fine + (fine - coarse) / 3.0;
        assert!((f64::from(m.inertia) / expected - 1.0).abs() < 1e-5, "{w} {h} {r}: {m:?} {expected}");
    }
}
