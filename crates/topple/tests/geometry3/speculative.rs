//! Points before the touch: shapes that are apart by less than the margin, in every way in which solids can meet.

use crate::shapes::{cloud, prism, samples};
use crate::support::*;
use core::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use topple::Shape3;
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::LocalManifold;
use topple::shape::ShapeOps;

/// Shapes are about a metre large, so that 1e-4 m is 1e-4 of the size.
const TOLERANCE: f32 = 1e-4;
const MARGIN: f32 = 0.02;
/// Far below the tolerance: within the slop a contact may take a flatter face, or another of its lowest points.
const SLOP: f32 = 2e-5;
/// Gaps as shares of the margin.
const GAPS: [f32; 4] = [0.1, 0.4, 0.7, 0.9];

/// A shape, turned so that some feature of it is at the bottom (or at the top), with a name.
type Turned = (&'static str, Shape3, Quat);

fn turn(v: Vec3) -> Quat {
    Quat::from_ang(v)
}

fn hull_of(shape: &Shape3, radius: f32) -> Shape3 {
    Shape3::rounded_hull(&shape.vertices(), radius).unwrap()
}

/// A triangular prism along z.
fn roof(radius: f32) -> Shape3 {
    let points: Vec<Vec3> = [(-0.5, -0.3), (0.5, -0.3), (0.0, 0.3)]
        .into_iter()
        .flat_map(|(x, y)| [Vec3::new(x, y, -0.6), Vec3::new(x, y, 0.6)])
        .collect();
    Shape3::rounded_hull(&points, radius).unwrap()
}

/// Shapes with a flat face of a metre or more on top.
fn tables() -> Vec<Turned> {
    let slab = Shape3::cuboid(3.0, 0.5, 3.0);
    vec![
        ("plane", Shape3::plane(Vec3::Y, 0.2), Quat::IDENTITY),
        ("box", slab.clone(), turn(Vec3::Y * 0.2)),
        ("hull", hull_of(&slab, 0.0), turn(Vec3::X * FRAC_PI_2 * 2.0)),
        ("rounded box", Shape3::rounded_cuboid(3.0, 0.5, 3.0, 0.1), turn(Vec3::Y * 0.7)),
        ("rounded hull", hull_of(&slab, 0.1), turn(Vec3::Y * 0.4)),
        ("cylinder", Shape3::cylinder(0.5, 1.8), turn(Vec3::Y)),
        ("rounded cylinder", Shape3::rounded_cylinder(0.5, 1.8, 0.1), Quat::IDENTITY),
        ("cone", Shape3::cone(0.8, 1.8), turn(Vec3::Z * PI)),
        ("rounded cone", Shape3::rounded_cone(0.8, 1.8, 0.1), turn(Vec3::X * PI)),
    ]
}

/// Shapes with a flat face below that fits on a table.
fn blocks() -> Vec<Turned> {
    vec![
        ("box", Shape3::cuboid(0.9, 0.6, 0.8), turn(Vec3::Y * 0.3)),
        ("hull", Shape3::hull(&prism(6)).unwrap(), turn(Vec3::Y * 0.3)),
        ("rounded box", Shape3::rounded_cuboid(0.9, 0.6, 0.8, 0.1), turn(Vec3::Y * 1.1)),
        ("rounded hull", Shape3::rounded_hull(&prism(5), 0.1).unwrap(), Quat::IDENTITY),
        ("roof", roof(0.0), turn(Vec3::Y * 2.0)),
        ("cylinder", Shape3::cylinder(0.7, 0.5), turn(Vec3::X * PI)),
        ("rounded cylinder", Shape3::rounded_cylinder(0.9, 0.5, 0.1), Quat::IDENTITY),
        ("cone", Shape3::cone(0.7, 0.5), Quat::IDENTITY),
        ("rounded cone", Shape3::rounded_cone(0.7, 0.5, 0.1), turn(Vec3::Y)),
    ]
}

/// Shapes with a corner, an apex, a rim or a round side below: they meet a face in one point.
fn tips() -> Vec<Turned> {
    let corner = Quat::from_ang(Vec3::Z * 0.5) * Quat::from_ang(Vec3::X * 0.6);
    let tilt = turn(Vec3::new(0.5, 0.2, 0.1));
    vec![
        ("box corner", Shape3::cuboid(0.9, 0.6, 0.8), corner),
        ("hull corner", Shape3::hull(&cloud(7, 14)).unwrap(), corner),
        ("rounded box corner", Shape3::rounded_cuboid(0.9, 0.6, 0.8, 0.1), corner),
        ("rounded hull corner", Shape3::rounded_hull(&cloud(8, 10), 0.1).unwrap(), corner),
        ("apex", Shape3::cone(0.7, 0.5), turn(Vec3::Z * (PI - 0.2))),
        ("rounded apex", Shape3::rounded_cone(0.7, 0.5, 0.1), turn(Vec3::Z * (PI - 0.2))),
        ("cylinder rim", Shape3::cylinder(0.7, 0.5), tilt),
        ("rounded cylinder rim", Shape3::rounded_cylinder(0.9, 0.5, 0.1), tilt),
        ("cone rim", Shape3::cone(0.7, 0.5), tilt),
        ("rounded cone rim", Shape3::rounded_cone(0.7, 0.5, 0.1), tilt),
        ("sphere", Shape3::sphere(0.5), tilt),
    ]
}

/// Shapes with a straight edge or a line of their side below, along z (`flip` false), and above otherwise.
fn ridges(flip: bool) -> Vec<Turned> {
    let over = if flip { turn(Vec3::Z * PI) } else { Quat::IDENTITY };
    let lying = turn(Vec3::X * FRAC_PI_2);
    // The side of a cone of height 0.9 and radius 0.4, brought down to the horizontal.
    let slope = turn(Vec3::X * (-FRAC_PI_2 - atan2(0.4, 0.9)));
    let list = [
        ("box edge", Shape3::cuboid(0.7, 0.7, 1.2), turn(Vec3::Z * (FRAC_PI_4 + 0.1))),
        ("hull edge", roof(0.0), turn(Vec3::Z * PI)),
        ("rounded box edge", Shape3::rounded_cuboid(0.7, 0.7, 1.2, 0.1), turn(Vec3::Z * FRAC_PI_4)),
        ("rounded hull edge", roof(0.1), turn(Vec3::Z * (PI + 0.1))),
        ("cylinder side", Shape3::cylinder(1.2, 0.4), lying),
        ("rounded cylinder side", Shape3::rounded_cylinder(1.2, 0.4, 0.1), lying),
        ("cone side", Shape3::cone(0.9, 0.4), slope),
        ("rounded cone side", Shape3::rounded_cone(0.9, 0.4, 0.1), slope),
        ("capsule side", Shape3::capsule_y(0.8, 0.3), lying),
    ];
    list.into_iter().map(|(name, shape, q)| (name, shape, over * q)).collect()
}

/// How far a turned shape reaches along `up` from its origin.
fn reach(shape: &Shape3, q: Quat, up: Vec3) -> f64 {
    if let Shape3::Plane { offset, .. } = shape {
        return f64::from(*offset);
    }
    let core = shape.support(q.rotate_inv(up)).unwrap();
    dot(turn_wide(q, core), wide(up)) + f64::from(shape.rounding())
}

fn turn_wide(q: Quat, v: Vec3) -> V {
    crate::support::turn(q, wide(v))
}

/// Puts `b` above `a` with a gap and calls `check` for all algorithms, both orders and several orientations of the whole, with the
/// manifold turned so that y is up from a to b.
fn above(a: &Turned, b: &Turned, offset: Vec3, mut check: impl FnMut(&LocalManifold<D3>, f32, &str)) {
    let mut random = Random::new(71);
    for share in GAPS {
        let gap = share * MARGIN;
        let height = reach(&a.1, a.2, Vec3::Y) + reach(&b.1, b.2, -Vec3::Y);
        let at = Vec3::Y * (height as f32 + gap) + offset;
        let (pose_a, pose_b) = (Pose::new(Vec3::ZERO, a.2), Pose::new(at, b.2));
        for algorithm in ALGORITHMS {
            let what = format!("{algorithm:?}: {} over {}, gap {gap}", b.0, a.0);
            let mut m = collide_by(algorithm, &a.1, &b.1, pose_a.relative(pose_b), MARGIN, SLOP);
            m.normal = a.2.rotate(m.normal);
            check(&m, gap, &format!("{what}: {m:?}"));
            // A motion of both, for poses without any symmetry left; and the other order.
            let motion = Pose::<D3>::new(random.vec(1.0), random.rotation());
            let (ma, mb) = (motion.compose(pose_a), motion.compose(pose_b));
            let mut m = collide_by(algorithm, &b.1, &a.1, mb.relative(ma), MARGIN, SLOP);
            m.normal = -b.2.rotate(m.normal);
            check(&m, gap, &format!("{what}, swapped: {m:?}"));
        }
    }
}

/// The manifold is there, its closest point is `gap` away, and the normal points up to within 0.1°.
fn check_gap(m: &LocalManifold<D3>, gap: f32, what: &str) {
    assert!(!m.is_empty(), "{what}: nothing");
    assert!((deepest(m) - gap).abs() < TOLERANCE, "{what}");
    let angle = angle_deg(m.normal, [0.0, 1.0, 0.0]);
    assert!(angle < 0.1, "{what}: normal off by {angle} degrees");
}

#[test]
fn faces_over_faces_have_all_their_points() {
    for a in tables() {
        for b in blocks() {
            above(&a, &b, Vec3::new(0.1, 0.0, -0.05), |m, gap, what| {
                check_gap(m, gap, what);
                assert_eq!(m.points().len(), 4, "{what}");
                assert!(m.points().iter().all(|p| (p.separation - gap).abs() < TOLERANCE), "{what}");
            });
        }
    }
}

#[test]
fn corners_and_rims_over_faces_have_a_point() {
    for a in tables() {
        for b in tips() {
            above(&a, &b, Vec3::new(0.1, 0.0, -0.05), check_gap);
        }
    }
}

#[test]
fn edges_and_sides_over_faces_have_two_points() {
    for a in tables() {
        for b in ridges(false) {
            above(&a, &b, Vec3::new(0.1, 0.0, -0.05), |m, gap, what| {
                check_gap(m, gap, what);
                assert_eq!(m.points().len(), 2, "{what}");
            });
        }
    }
}

#[test]
fn crossing_edges_and_sides_have_a_point() {
    for a in ridges(true) {
        for mut b in ridges(false) {
            for angle in [FRAC_PI_2, 0.7] {
                let q = b.2;
                b.2 = turn(Vec3::Y * angle) * b.2;
                above(&a, &b, Vec3::new(0.02, 0.0, -0.03), check_gap);
                b.2 = q;
            }
        }
    }
}

#[test]
fn round_sides_along_each_other_have_two_points() {
    let round =
        |list: Vec<Turned>| list.into_iter().filter(|s| s.0.contains("cylinder") || s.0.contains("capsule"));
    for a in round(ridges(true)) {
        for b in round(ridges(false)) {
            above(&a, &b, Vec3::Z * 0.1, |m, gap, what| {
                check_gap(m, gap, what);
                assert_eq!(m.points().len(), 2, "{what}");
            });
        }
    }
}

/// How two shapes that are apart are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meeting {
    /// One of the points is inside a flat face, or on a smooth side, of its shape.
    Face,
    /// Inner points of two edges that cross.
    Edges,
    /// A corner against an edge or a corner.
    Corner,
}

/// True if the surface about `p`, with outward normal `n`, is flat or smooth: no edge within 0.03 m.
fn is_flat(shape: &Shape3, p: Vec3, n: Vec3) -> bool {
    let u = n.any_orthonormal_vector();
    let v = n.cross(u);
    (0..8).all(|k| {
        let (s, c) = sin_cos(k as f32 * FRAC_PI_4);
        shape.contains(p + (u * c + v * s) * 0.03 - n * 2e-3)
    })
}

/// Direction of the edge of a polyhedron that holds `p` as an inner point.
fn edge_at(shape: &Shape3, p: Vec3) -> Option<Vec3> {
    let hull;
    let data = match shape {
        Shape3::Hull { data, radius: 0.0 } => data,
        Shape3::Box { radius: 0.0, .. } => {
            hull = hull_of(shape, 0.0);
            let Shape3::Hull { data, .. } = &hull else { return None };
            data
        }
        _ => return None,
    };
    data.edges().iter().find_map(|e| {
        let [a, b] = e.vertices.map(|i| data.vertices()[usize::from(i)]);
        let along = (b - a) / a.distance(b);
        let t = (p - a).dot(along);
        let off = (p - a - along * t).length();
        (off < 1e-4 && t > 0.03 && t < a.distance(b) - 0.03).then_some(along)
    })
}

#[test]
fn random_pairs_that_are_nearly_touching_have_points() {
    let mut random = Random::new(72);
    let shapes = samples();
    let mut seen = [0; 3];
    let mut empty = [0; 3];
    for case in 0..cases(3_000) {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        let (q, direction) = (random.rotation(), random.direction());
        let gap = random.range(0.1, 0.9) * MARGIN;
        let (mut near, mut far) = (0.0_f32, 6.0_f32);
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            let d = closest_points::<D3>(a, &Pose::IDENTITY, b, &Pose::new(direction * middle, q)).unwrap();
            if d.distance < gap { near = middle } else { far = middle }
        }
        let pose = Pose::new(direction * far, q);
        let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
        let (pa, pb) = (c.point_a.to_vec(), pose.inverse_transform(c.point_b));
        let nb = q.rotate_inv(-c.normal);
        let meeting = if is_flat(a, pa, c.normal) || is_flat(b, pb, nb) {
            Meeting::Face
        } else if let (Some(ea), Some(eb)) = (edge_at(a, pa), edge_at(b, pb))
            && ea.cross(q.rotate(eb)).length() > 0.05
        {
            Meeting::Edges
        } else {
            Meeting::Corner
        };
        seen[meeting as usize] += 1;
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, a, b, pose, MARGIN, SLOP);
            let what =
                format!("case {case}: {algorithm:?} {meeting:?} {} {} {c:?} {m:?}", a.kind(), b.kind());
            if m.is_empty() {
                empty[meeting as usize] += 1;
                assert!(meeting == Meeting::Corner && !(edgeless(a) || edgeless(b)), "{what}: nothing");
                continue;
            }
            if meeting == Meeting::Corner {
                continue;
            }
            // These are up to 1.8 m large.
            assert!((deepest(&m) - c.distance).abs() < 1.8 * TOLERANCE, "{what}");
            // Along an axis at an angle to the shortest way the gap is its cosine: within the slop a face may be taken instead.
            let angle = angle_deg(m.normal, wide(c.normal));
            let lost = f64::from(c.distance) * (1.0 - angle.to_radians().cos());
            assert!(angle < 0.1 || lost < f64::from(SLOP), "{what}: normal off by {angle} degrees");
        }
    }
    println!("{seen:?} {empty:?}");
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// Shapes whose contacts come from their closest points: all that are not sharp polyhedra.
fn edgeless(shape: &Shape3) -> bool {
    shape.rounding() > 0.0 || !matches!(shape, Shape3::Box { .. } | Shape3::Hull { .. })
}
