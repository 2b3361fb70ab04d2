//! Exact masses: sums over tetrahedra in f64 for hulls, quadrature of the profile for cylinders and cones.

use crate::shapes::{cloud, prism};
use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::{HullData, MAX_HULL_VERTICES};

/// Relative to the mass, the size, and the trace of the inertia.
const TOLERANCE: f64 = 1e-5;

/// Volume, first and second moments about the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    volume: f64,
    first: V,
    second: [V; 3],
}

impl Moments {
    /// A tetrahedron, with the sign of its orientation left out.
    fn add(&mut self, corners: [V; 4]) {
        let [a, b, c, d] = corners;
        let volume = dot(sub(b, a), cross(sub(c, a), sub(d, a))).abs() / 6.0;
        let sum = add(add(a, b), add(c, d));
        self.volume += volume;
        self.first = add(self.first, scale(sum, volume / 4.0));
        for i in 0..3 {
            for j in 0..3 {
                let squares: f64 = corners.iter().map(|v| v[i] * v[j]).sum();
                self.second[i][j] += volume / 20.0 * (squares + sum[i] * sum[j]);
            }
        }
    }

    /// A prism over a triangle, from `low` to `high`.
    fn add_prism(&mut self, low: [V; 3], high: [V; 3]) {
        self.add([low[0], low[1], low[2], high[2]]);
        self.add([low[0], low[1], high[1], high[2]]);
        self.add([low[0], high[0], high[1], high[2]]);
    }

    /// `fine` extrapolated to no error, which falls with the square of the step that `coarse` has twice as large.
    fn extrapolated(coarse: &Self, fine: &Self) -> Self {
        let limit = |c: f64, f: f64| f + (f - c) / 3.0;
        let pair = |c: V, f: V| [0, 1, 2].map(|k| limit(c[k], f[k]));
        Self {
            volume: limit(coarse.volume, fine.volume),
            first: pair(coarse.first, fine.first),
            second: [0, 1, 2].map(|k| pair(coarse.second[k], fine.second[k])),
        }
    }

    fn check(&self, shape: &Shape3, what: &str) {
        let density = 1.7;
        let m = shape.mass(density as f32);
        let density = f64::from(density as f32);
        let center = scale(self.first, 1.0 / self.volume);
        let size = f64::from(shape.farthest_from(m.center));
        let mass = density * self.volume;
        assert!((f64::from(m.mass) / mass - 1.0).abs() < TOLERANCE, "{what}: mass {} {mass}", m.mass);
        let off = length(sub(wide(m.center), center));
        assert!(off < TOLERANCE * size, "{what}: centre {:?} {center:?}", m.center);
        let about = |i: usize, j: usize| density * (self.second[i][j] - self.volume * center[i] * center[j]);
        let trace = about(0, 0) + about(1, 1) + about(2, 2);
        for (i, column) in m.inertia.columns().iter().enumerate() {
            for j in 0..3 {
                let expected = if i == j { trace - about(i, i) } else { -about(i, j) };
                let error = (f64::from(column[j]) - expected).abs();
                assert!(error < TOLERANCE * trace, "{what}: inertia [{i}][{j}] {} {expected}", column[j]);
            }
        }
    }
}

/// Points of the great circle from one unit vector to another, at `n` equal steps.
fn arc(from: V, to: V, n: usize) -> Vec<V> {
    let across = sub(to, scale(from, dot(from, to)));
    let across = scale(across, 1.0 / length(across));
    let angle = dot(across, to).atan2(dot(from, to));
    let at = |k: usize| angle * k as f64 / n as f64;
    (0..=n).map(|k| add(scale(from, at(k).cos()), scale(across, at(k).sin()))).collect()
}

/// Tetrahedra from `tip` to a triangle on the sphere of radius `r` about it, split `level` times into four.
fn ball_part(sum: &mut Moments, tip: V, r: f64, [a, b, c]: [V; 3], level: u32) {
    if level == 0 {
        return sum.add([tip, add(tip, scale(a, r)), add(tip, scale(b, r)), add(tip, scale(c, r))]);
    }
    let middle = |p: V, q: V| scale(add(p, q), 1.0 / length(add(p, q)));
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
        ball_part(sum, tip, r, part, level - 1);
    }
}

/// Moments of the hull inflated by `r`: core, slabs on the faces, wedges on the edges, parts of balls on the corners, all cut into
/// tetrahedra: the round parts with 2^`level` steps.
fn inflated(data: &HullData, r: f64, level: u32) -> Moments {
    let corners: Vec<V> = data.vertices().iter().map(|&v| wide(v)).collect();
    let normals = Polytope::hull(data).normals;
    let middle = scale(corners.iter().fold([0.0; 3], |s, &v| add(s, v)), 1.0 / corners.len() as f64);
    let mut sum = Moments::default();
    let mut around: Vec<Vec<V>> = vec![Vec::new(); corners.len()];
    for (face, &n) in data.faces().iter().zip(&normals) {
        let first = usize::from(face.first);
        let edges = &data.half_edges()[first..first + usize::from(face.count)];
        let loop_: Vec<V> = edges.iter().map(|e| corners[usize::from(e.vertex)]).collect();
        edges.iter().for_each(|e| around[usize::from(e.vertex)].push(n));
        for k in 1..loop_.len() - 1 {
            let triangle = [loop_[0], loop_[k], loop_[k + 1]];
            sum.add([middle, triangle[0], triangle[1], triangle[2]]);
            sum.add_prism(triangle, triangle.map(|p| add(p, scale(n, r))));
        }
    }
    if r == 0.0 {
        return sum;
    }
    for edge in data.edges() {
        let [p, q] = edge.vertices.map(|i| corners[usize::from(i)]);
        let [m, n] = edge.faces.map(|i| normals[usize::from(i)]);
        for pair in arc(m, n, 1 << level).windows(2) {
            let at = |o: V| [o, add(o, scale(pair[0], r)), add(o, scale(pair[1], r))];
            sum.add_prism(at(p), at(q));
        }
    }
    for (&corner, normals) in corners.iter().zip(&mut around) {
        // In their order about the mean direction.
        let mean = normals.iter().fold([0.0; 3], |s, &v| add(s, v));
        let u = sub(normals[0], scale(mean, dot(normals[0], mean) / dot(mean, mean)));
        let v = cross(mean, u);
        let scaled = length(mean);
        let angle = |n: &V| (dot(*n, v) / scaled).atan2(dot(*n, u));
        normals.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        for k in 1..normals.len() - 1 {
            ball_part(&mut sum, corner, r, [normals[0], normals[k], normals[k + 1]], level);
        }
    }
    sum
}

#[test]
fn masses_of_hulls_are_exact() {
    let far = |points: Vec<Vec3>| points.into_iter().map(|p| p + Vec3::new(20.0, -10.0, 5.0)).collect();
    let flat = |points: Vec<Vec3>| points.into_iter().map(|p| p * Vec3::new(1.0, 0.02, 3.0)).collect();
    let clouds: [(&str, Vec<Vec3>); 6] = [
        ("cloud of 6", cloud(61, 6)),
        ("cloud of 30", cloud(62, 30)),
        ("cloud of 200", cloud(63, 200)),
        ("prism", prism(9)),
        ("far cloud", far(cloud(64, 20))),
        ("flat cloud", flat(cloud(65, 20))),
    ];
    for (name, points) in clouds {
        let Ok(Shape3::Hull { data, .. }) = Shape3::hull(&points) else { panic!("{name}") };
        inflated(&data, 0.0, 0).check(&Shape3::hull(&points).unwrap(), name);
        if data.vertices().len() > 40 {
            continue;
        }
        for radius in [0.001_f32, 0.1, 2.0] {
            let [coarse, fine] = [5, 6].map(|level| inflated(&data, f64::from(radius), level));
            let shape = Shape3::rounded_hull(&points, radius).unwrap();
            Moments::extrapolated(&coarse, &fine).check(&shape, &format!("{name} rounded by {radius}"));
        }
    }
}

/// Distance of the surface of a body of revolution from its axis at height `y`: the farthest of the discs of radius `r` about the
/// points of a line from (`bottom`, −`h`) to (`top`, `h`). The reach is concave along the line.
fn profile(bottom: f64, top: f64, h: f64, r: f64, y: f64) -> f64 {
    let at = |s: f64| {
        let rest = r * r - (y - s) * (y - s);
        0.5 * (bottom + top) + (top - bottom) * s / (2.0 * h) + rest.max(0.0).sqrt()
    };
    let (mut low, mut high) = ((y - r).max(-h), (y + r).min(h));
    for _ in 0..120 {
        let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(p) < at(q) { low = p } else { high = q }
    }
    at(0.5 * (low + high))
}

/// Moments of a body of revolution by Simpson's rule, with the ends, where the profile is steep, resolved finer.
fn revolved(bottom: f64, top: f64, h: f64, r: f64) -> Moments {
    let n = 4_000;
    let reach = h + r;
    let mut sum = Moments::default();
    let mut disc = 0.0;
    for k in 0..=n {
        let angle = std::f64::consts::PI * f64::from(k) / f64::from(n);
        let weight = if k == 0 || k == n {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let dy = std::f64::consts::PI / f64::from(n) / 3.0 * weight * reach * angle.sin();
        let y = -reach * angle.cos();
        let rho = profile(bottom, top, h, r, y);
        let area = std::f64::consts::PI * rho * rho;
        sum.volume += area * dy;
        sum.first[1] += area * y * dy;
        sum.second[1][1] += area * y * y * dy;
        disc += area * rho * rho / 4.0 * dy;
    }
    sum.second[0][0] = disc;
    sum.second[2][2] = disc;
    sum
}

#[test]
fn masses_of_cylinders_and_cones_are_exact() {
    for (h, r) in [(0.6_f32, 0.4_f32), (0.01, 2.0), (3.0, 0.02), (50.0, 40.0)] {
        for rounding in [0.0, 0.05, 0.3, 4.0] {
            let (wh, wr, wide_r) = (f64::from(h), f64::from(r), f64::from(rounding));
            let cylinder = Shape3::Cylinder { half_height: h, radius: r, rounding };
            revolved(wr, wr, wh, wide_r).check(&cylinder, &format!("{cylinder:?}"));
            let cone = Shape3::Cone { half_height: h, radius: r, rounding };
            revolved(wr, 0.0, wh, wide_r).check(&cone, &format!("{cone:?}"));
        }
    }
}

#[test]
fn hulls_have_up_to_255_vertices() {
    // Points spread over a sphere, all of them corners.
    let sphere = |n: usize| -> Vec<Vec3> {
        (0..n)
            .map(|i| {
                let y = 1.0 - (2.0 * i as f32 + 1.0) / n as f32;
                let (s, c) = sin_cos(2.399_963 * i as f32 % core::f32::consts::TAU);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(r * c, y, r * s)
            })
            .collect()
    };
    assert_eq!(MAX_HULL_VERTICES, 255);
    for n in [254, 255] {
        let Ok(Shape3::Hull { data, .. }) = Shape3::hull(&sphere(n)) else {
            panic!("{n} vertices are refused")
        };
        assert_eq!(data.vertices().len(), n);
        // The last vertex takes part in contacts.
        let hull = Shape3::hull(&sphere(n)).unwrap();
        let m = collide(&Shape3::plane(Vec3::Y, 0.0), &hull, Pose::at([0.0, 0.99, 0.0]), 0.02, 1e-5);
        assert!(!m.is_empty() && deepest(&m) < 0.0, "{n}: {m:?}");
    }
    for n in [256, 257] {
        let message = Shape3::hull(&sphere(n)).expect_err("too many").to_string();
        assert!(message.contains(&format!("{n} vertices, the limit is 255")), "{message}");
    }
    // Points inside count for nothing.
    let mut many = sphere(255);
    many.extend(sphere(255).iter().map(|&p| p * 0.5));
    assert!(Shape3::hull(&many).is_ok());
}

/// The mass of a body is known after each of its shapes, to the bit, however they came to it.
#[test]
fn shapes_added_one_by_one_weigh_what_they_weigh_together() {
    use topple::{BodyDef3, ShapeDef3, World3};
    let mut random = Random::new(17);
    let shapes: Vec<ShapeDef3> = (0..40)
        .map(|k| {
            let shape = match k % 4 {
                // Without mass, the first ones: a dynamic body counts as a point until the others come.
                0 => Shape3::cuboid(0.3, 0.5, 0.2),
                1 => Shape3::sphere(0.2),
                2 => Shape3::cone(0.5, 0.3),
                _ => Shape3::capsule(Vec3::ZERO, Vec3::X * 0.4, 0.1),
            };
            ShapeDef3::new(shape).density(if k < 3 { 0.0 } else { 700.0 }).at(random.pose(2.0))
        })
        .collect();
    for def in [BodyDef3::dynamic([1.0, 2.0, 3.0]), BodyDef3::fixed([1.0, 2.0, 3.0])] {
        let mut one_by_one = World3::new();
        let body = one_by_one.create_body(def.clone()).unwrap();
        for count in 1..=shapes.len() {
            one_by_one.add_shape(body, shapes[count - 1].clone()).unwrap();
            let mut together = World3::new();
            let other = together.create_body_with(def.clone(), shapes[..count].to_vec()).unwrap();
            let [x, y] = [one_by_one.body(body).unwrap(), together.body(other).unwrap()];
            assert_eq!(x.mass_properties(), y.mass_properties(), "{count} shapes");
        }
    }
}
