//! Input at the edge of sense: coincident, nested, parallel, plates and needles, tiny against huge.

use crate::shapes::cloud;
use crate::support::*;
use topple::distance::{closest_points, shape_cast};
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, PairCache};
use topple::shape::{LocalRay, ShapeOps};
use topple::{D2, Shape2, Shape3};

/// Kinds that [`shape`] makes, the half-space last.
const KINDS: usize = 15;

/// A shape of about `s` metres.
fn shape(kind: usize, s: f32) -> Shape3 {
    let points = |k: Vec3| cloud(5, 12).into_iter().map(|p| p * k * s).collect::<Vec<_>>();
    match kind {
        0 => Shape3::sphere(0.5 * s),
        1 => Shape3::cuboid(s, 0.7 * s, 0.9 * s),
        2 => Shape3::capsule_y(s, 0.3 * s),
        3 => Shape3::rounded_cuboid(s, s, s, 0.2 * s),
        4 => Shape3::cylinder(s, 0.5 * s),
        5 => Shape3::cone(s, 0.5 * s),
        6 => Shape3::rounded_cylinder(s, 0.5 * s, 0.1 * s),
        7 => Shape3::rounded_cone(s, 0.5 * s, 0.1 * s),
        8 => Shape3::hull(&points(Vec3::ONE)).unwrap(),
        9 => Shape3::rounded_hull(&points(Vec3::ONE), 0.1 * s).unwrap(),
        // A plate, a needle, a flat cone, a coin, a wire.
        10 => Shape3::cuboid(s, 1e-2 * s, s),
        11 => Shape3::hull(&points(Vec3::new(1.0, 1e-2, 1e-2))).unwrap(),
        12 => Shape3::cone(1e-2 * s, 0.5 * s),
        13 => Shape3::cylinder(s, 1e-2 * s),
        _ => Shape3::plane(Vec3::new(0.2, 1.0, -0.3), 0.1 * s),
    }
}

/// Gap of the rounded shapes along `n`, in f64 from f32 support points; negative: overlap.
fn gap(a: &Shape3, b: &Shape3, pose: &Pose<D3>, n: Vec3) -> f64 {
    let top = match a {
        Shape3::Plane { offset, .. } => f64::from(*offset),
        _ => dot(wide(a.support(n).unwrap()), wide(n)) + f64::from(a.rounding()),
    };
    let low = b.support(pose.rotation.rotate_inv(-n)).unwrap();
    dot(place(pose, wide(low)), wide(n)) - f64::from(b.rounding()) - top
}

/// The best way out that is known: the closest points', and along and about the axes of both shapes, where round ones have all
/// directions equal and a search for one of them ends somewhere.
fn best_gap(a: &Shape3, b: &Shape3, pose: &Pose<D3>, found: Vec3) -> f64 {
    if let Shape3::Plane { normal, .. } = a {
        return gap(a, b, pose, *normal);
    }
    let mut ways = vec![found];
    for q in [Quat::IDENTITY, pose.rotation] {
        ways.extend([Vec3::X, Vec3::Y, Vec3::Z].iter().flat_map(|&v| [q.rotate(v), -q.rotate(v)]));
        for k in 0..16 {
            let (s, c) = sin_cos(k as f32 * core::f32::consts::FRAC_PI_8);
            // Around the axis, and square to the sides of the cones.
            for height in [0.0, 0.5, 0.02, 50.0] {
                ways.push(q.rotate(Vec3::new(c, height, s).normalize_or(Vec3::X)));
                ways.push(q.rotate(Vec3::new(c, -height, s).normalize_or(Vec3::X)));
            }
        }
    }
    ways.iter().fold(f64::NEG_INFINITY, |best, &n| best.max(gap(a, b, pose, n)))
}

/// The contact is a way out as long as it claims, and none that is known is shorter, to 1e-4 of the larger size.
fn check(
    algorithm: Algorithm,
    a: &Shape3,
    b: &Shape3,
    pose: Pose<D3>,
    small: f32,
    large: f32,
) -> Result<(), String> {
    let slop = 1e-5 * small;
    let m = collide_counted(
        &CollideJob { a, b, b_in_a: pose, margin: 0.02 * small, slop, algorithm },
        &mut PairCache::default(),
    )
    .0;
    let what =
        || format!("{algorithm:?} {} {} of {small} and {large} m, {pose:?}: {m:?}", a.kind(), b.kind());
    let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
    if !(c.distance.is_finite() && (c.normal.length() - 1.0).abs() < 1e-4) {
        return Err(format!("{} {c:?}: no distance", what()));
    }
    let tolerance = 1e-4 * f64::from(large);
    if c.distance < -1e-4 * large {
        if m.is_empty() {
            return Err(format!("{}: nothing instead of {}", what(), c.distance));
        }
        let (claimed, true_gap) = (f64::from(deepest(&m)), gap(a, b, &pose, m.normal));
        if (claimed - true_gap).abs() > tolerance {
            return Err(format!("{}: the overlap along the normal is {true_gap}", what()));
        }
        let best = best_gap(a, b, &pose, c.normal);
        if claimed < best - tolerance {
            return Err(format!("{}: there is a way out of {best}", what()));
        }
    } else if c.distance > 0.02 * small + 1e-4 * large && !m.is_empty() {
        return Err(format!("{}: a contact at {}", what(), c.distance));
    }
    Ok(())
}

/// Prints some and fails if there are any.
fn none(failures: &[String], of: usize) {
    failures.iter().take(6).for_each(|f| println!("{f}\n"));
    assert!(failures.is_empty(), "{} of {of}", failures.len());
}

#[test]
fn pairs_of_any_kinds_and_sizes_have_plausible_contacts() {
    let sizes = [1e-4, 1e-2, 1.0, 1e2, 1e4];
    let mut random = Random::new(81);
    let (mut failures, mut count) = (Vec::new(), 0);
    for (sa, sb) in sizes.iter().flat_map(|&x| sizes.iter().map(move |&y| (x, y))) {
        let (first, second): (Vec<_>, Vec<_>) = (0..KINDS).map(|k| (shape(k, sa), shape(k, sb))).unzip();
        for (ka, kb) in (0..KINDS).flat_map(|x| (0..KINDS - 1).map(move |y| (x, y))) {
            let (a, b) = (&first[ka], &second[kb]);
            let place = random.vec(0.6 * sa.max(sb));
            let poses = [
                Pose::IDENTITY,
                Pose::new(Vec3::ZERO, Quat::from_ang(Vec3::Y * 1e-6)),
                Pose::at(Vec3::X * (0.1 * sa)),
                Pose::new(
                    Vec3::Y * (0.5 * (sa + sb)),
                    Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_2),
                ),
                Pose::new(place, random.rotation()),
            ];
            for pose in poses {
                let algorithm = [Algorithm::Auto, Algorithm::Sat, Algorithm::Gjk][count % 3];
                count += 1;
                failures.extend(check(algorithm, a, b, pose, sa.min(sb), sa.max(sb)).err());
            }
        }
    }
    none(&failures, count);
}

#[test]
fn plates_needles_and_flat_cones_of_ten_kilometres_are_usable() {
    // Ten kilometres across, a tenth of a millimetre thin.
    let points = cloud(6, 10).into_iter().map(|p| p * Vec3::new(1e4, 1e-3, 1e-3)).collect::<Vec<_>>();
    let mut thin = vec![
        Shape3::cuboid(1e4, 1e-4, 1e4),
        Shape3::cuboid(1e-4, 1e4, 1e-4),
        Shape3::cylinder(1e4, 1e-4),
        Shape3::cylinder(1e-4, 1e4),
        Shape3::cone(1e-4, 1e4),
        Shape3::cone(1e4, 1e-4),
    ];
    // Clouds that thin may be refused, but by an error.
    thin.extend(Shape3::hull(&points).ok());
    let mut random = Random::new(82);
    let (mut failures, mut count) = (Vec::new(), 0);
    for a in &thin {
        for b in thin.iter().chain(&[shape(1, 1.0), shape(4, 1.0), shape(8, 1.0), shape(0, 1e-4)]) {
            for k in 0..4 {
                let at = if k == 0 { Vec3::ZERO } else { random.vec(10.0_f32.powi(k - 4)) };
                let q = if k % 2 == 0 { Quat::IDENTITY } else { random.rotation() };
                for algorithm in ALGORITHMS {
                    count += 1;
                    failures.extend(check(algorithm, a, b, Pose::new(at, q), 1e-4, 1e4).err());
                }
            }
        }
    }
    none(&failures, count);
}

#[test]
fn nested_shapes_are_pushed_out_the_shortest_way() {
    let outer = [
        Shape3::cuboid(10.0, 10.0, 10.0),
        Shape3::hull(&Shape3::cuboid(10.0, 10.0, 10.0).vertices()).unwrap(),
        Shape3::rounded_cuboid(10.0, 10.0, 10.0, 1.0),
    ];
    for a in &outer {
        for kind in 0..KINDS - 1 {
            let b = shape(kind, 0.2);
            for algorithm in ALGORITHMS {
                let pose = Pose::new([1.0, -4.0, 0.5], Quat::from_ang(Vec3::new(0.3, 0.2, 0.1)));
                let m = collide_by(algorithm, a, &b, pose, 0.0, 1e-4);
                let what = format!("{algorithm:?} {a:?} {b:?} {m:?}");
                assert!(m.normal.y < -0.9999 && deepest(&m) < -1.0, "{what}");
            }
        }
    }
}

#[test]
fn nonsense_never_panics() {
    let mut random = Random::new(83);
    let odd = [0.0, -0.0, 1e-38, 1e-30, 1e30, 3e38, f32::INFINITY, f32::NAN, -1.0, 1.0];
    let mut pick = || odd[random.bits() as usize % odd.len()];
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for case in 0..cases(6_000) {
        let mut vec = || Vec3::new(pick(), pick(), pick());
        let (v, w, p) = (vec(), vec(), vec());
        let Ok(Shape3::Hull { data, .. }) = Shape3::hull(&tetrahedron) else { panic!("a tetrahedron") };
        let shapes = [
            Shape3::sphere(v.x),
            Shape3::Box { half: v, radius: w.x },
            Shape3::capsule(v, w, p.x),
            Shape3::Plane { normal: v, offset: w.y },
            Shape3::Cylinder { half_height: v.x, radius: w.x, rounding: p.x },
            Shape3::Cone { half_height: v.y, radius: w.y, rounding: p.y },
            Shape3::Hull { data, radius: v.z },
        ];
        let (a, b) = (&shapes[case % 7], &shapes[case / 7 % 7]);
        let pose = Pose::<D3>::new(p, Quat::from_xyzw(v.x, w.x, 0.0, 1.0));
        for algorithm in ALGORITHMS {
            let job =
                topple::narrow_phase::CollideJob { a, b, b_in_a: pose, margin: 0.1, slop: 1e-3, algorithm };
            let mut out = topple::narrow_phase::LocalManifold::default();
            Shape3::collide(&job, &mut Default::default(), &mut Default::default(), &mut out);
        }
        let _ = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose);
        let _ = shape_cast::<D3>(a, &Pose::IDENTITY, w, b, &pose, 1.0, 0.0);
        let _ = a.ray_cast(&LocalRay { origin: p, direction: w, max: v.x });
        let _ = (a.mass(1.0), a.aabb(&pose), a.contains(Vec3::X), a.validate().is_ok());
        let _ = Shape3::hull(&[v, w, p, Vec3::X, Vec3::ZERO]);
    }
}

/// What holds for every cast that hits: the shapes are at the target distance there, and not before.
fn check_cast<D: Dim>(
    a: &D::Shape,
    way: D::Vec,
    b: &D::Shape,
    pose: &Pose<D>,
    size: Real,
    what: &str,
) -> bool {
    let start = Pose::<D>::IDENTITY;
    let Some(hit) = shape_cast::<D>(a, &start, way, b, pose, 1.0, 0.0) else {
        // A miss: nowhere on the way do they overlap.
        for k in 0..=200 {
            let at = Pose::<D> { position: start.position + way * (k as Real / 200.0), ..start };
            let d = closest_points::<D>(a, &at, b, pose).unwrap().distance;
            assert!(d > -1e-4 * size, "{what}: a miss {d} deep at {k}");
        }
        return false;
    };
    assert!((0.0..=1.0).contains(&hit.t) && hit.point.is_finite(), "{what}: {hit:?}");
    assert!((hit.normal.length() - 1.0).abs() < 1e-4, "{what}: {hit:?}");
    let at = Pose::<D> { position: start.position + way * hit.t, ..start };
    let d = closest_points::<D>(a, &at, b, pose).unwrap().distance;
    assert!(d < 1e-4 * size, "{what}: a hit at a distance of {d}, {hit:?}");
    assert!(hit.t == 0.0 || d > -1e-4 * size, "{what}: too late, {d} deep, {hit:?}");
    true
}

#[test]
fn grazing_casts_hit_what_they_touch_and_nothing_else() {
    let mut random = Random::new(84);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..cases(1_200) {
        let power = |r: &mut Random| [1e-4, 1e-2, 1.0, 1e2, 1e4][r.bits() as usize % 5];
        let (sa, sb) = (power(&mut random), power(&mut random));
        let (ka, kb) = (random.bits() as usize % (KINDS - 1), random.bits() as usize % (KINDS - 1));
        let (a, b) = (shape(ka, sa), shape(kb, sb));
        let size = sa.max(sb);
        let q = random.rotation();
        // At right angles to the way, so far out that they would miss or meet by a little.
        let direction = random.direction();
        let across = direction.any_orthonormal_vector();
        let reach = |s: &Shape3, d: Vec3| s.support(d).unwrap().dot(d) + s.rounding();
        let out = reach(&a, across) + reach(&b, q.rotate_inv(-across));
        let by = [-1e-2, -1e-3, -1e-6, 0.0, 1e-6, 1e-3, 1e-2][case % 7] * sa.min(sb);
        let pose = Pose::new(across * (out + by) + direction * (2.0 * size), q);
        let what = format!("case {case}: {a:?} {b:?} by {by}");
        let hit = check_cast::<D3>(&a, direction * (4.0 * size), &b, &pose, size, &what);
        if hit {
            hits += 1
        } else {
            misses += 1
        }
        // What passes beside by more than the coordinates can tell is a miss.
        assert!(!hit || by < 1e-4 * size, "{what}: hit");
    }
    assert!(hits > 60 && misses > 300, "{hits} {misses}");
}

#[test]
fn casts_in_the_plane_hit_what_they_touch_at_all_sizes() {
    let mut random = Random::new(85);
    let shape = |kind: u64, s: f32| match kind % 5 {
        0 => Shape2::circle(0.5 * s),
        1 => Shape2::rectangle(s, 0.7 * s),
        2 => Shape2::capsule(Vec2::ZERO, Vec2::X * s, 0.3 * s),
        3 => Shape2::rectangle(s, 1e-2 * s),
        _ => Shape2::polygon(&[Vec2::ZERO, Vec2::X * s, Vec2::new(0.3, 0.9) * s]).unwrap(),
    };
    let (mut hits, mut misses) = (0, 0);
    for case in 0..cases(1_500) {
        let power = |r: &mut Random| [1e-4, 1e-2, 1.0, 1e2, 1e4][r.bits() as usize % 5];
        let (sa, sb) = (power(&mut random), power(&mut random));
        let (a, b) = (shape(random.bits(), sa), shape(random.bits(), sb));
        let size = sa.max(sb);
        let q = Rot2::from_angle(random.range(-3.0, 3.0));
        let across = Rot2::from_angle(random.range(-3.0, 3.0)).rotate(Vec2::X);
        let reach = |s: &Shape2, d: Vec2| s.support(d).unwrap().dot(d) + s.rounding();
        let out = reach(&a, across) + reach(&b, RotOps::<D2>::rotate_inv(q, -across));
        let by = [-1e-2, -1e-3, 0.0, 1e-3, 1e-2][case % 5] * sa.min(sb);
        let pose = Pose::<D2>::new(across * (out + by) + across.perp() * (2.0 * size), q);
        let what = format!("case {case}: {a:?} {b:?} by {by}");
        let hit = check_cast::<D2>(&a, across.perp() * (4.0 * size), &b, &pose, size, &what);
        if hit {
            hits += 1
        } else {
            misses += 1
        }
        assert!(!hit || by < 1e-4 * size, "{what}: hit");
    }
    assert!(hits > 150 && misses > 300, "{hits} {misses}");
}

#[test]
fn rays_meet_shapes_of_all_sizes() {
    let mut random = Random::new(86);
    let mut hits = 0;
    for case in 0..cases(3_000) {
        let size = [1e-4, 1e-2, 1.0, 1e2, 1e4][case % 5];
        let s = shape(case / 5 % (KINDS - 1), size);
        let origin = random.direction() * (2.0 * size);
        let target = s.support(random.direction()).unwrap() * 0.5;
        let ray = LocalRay { origin, direction: target - origin, max: 3.0 };
        let Some(hit) = s.ray_cast(&ray) else { continue };
        hits += 1;
        let what = format!("case {case}: {s:?} {ray:?} {hit:?}");
        assert!((hit.normal.length() - 1.0).abs() < 1e-3 && hit.t.is_finite(), "{what}");
        let at = origin + ray.direction * hit.t;
        let point = Pose::<D3>::at(at);
        let d = topple::distance::point_shape::<D3>(point.position, &s, &Pose::IDENTITY).unwrap().distance;
        assert!(d.abs() < 1e-4 * size, "{what}: {d} off the surface");
    }
    assert!(hits > 1_500, "{hits}");
}
