//! What a contact keeps from step to step: ids, number of points, normal.

use crate::shapes::prism;
use crate::support::*;
use core::f32::consts::{FRAC_PI_2, FRAC_PI_4};
use topple::math::*;
use topple::narrow_phase::{CollideJob, LocalManifold, PairCache};
use topple::shape::ShapeOps;
use topple::{BodyDef, Shape3, ShapeDef, World3};

const SLOP: f32 = 5e-3;
const MARGIN: f32 = 0.02;

fn ids(m: &LocalManifold<D3>) -> Vec<u32> {
    let mut ids: Vec<u32> = m.points().iter().map(|p| p.id).collect();
    ids.sort_unstable();
    ids
}

fn hull_of(shape: &Shape3) -> Shape3 {
    Shape3::hull(&shape.vertices()).unwrap()
}

/// Shapes with their upper face at y = 0.5, 10 m across.
fn grounds() -> Vec<Shape3> {
    let slab = Shape3::cuboid(10.0, 1.0, 10.0);
    vec![
        slab.clone(),
        hull_of(&slab),
        Shape3::rounded_cuboid(10.0, 1.0, 10.0, 0.1),
        Shape3::plane(Vec3::Y, 0.5),
        Shape3::cylinder(1.0, 5.0),
    ]
}

/// For all grounds and algorithms: `count` points with constant ids and the normal up, over steps of `pose`.
fn keeps(brick: &Shape3, count: usize, steps: usize, pose: impl Fn(usize, &mut Random) -> Pose<D3>) {
    for ground in grounds() {
        for algorithm in ALGORITHMS {
            let mut random = Random::new(111);
            let mut cache = PairCache::default();
            let mut first: Option<Vec<u32>> = None;
            for step in 0..steps {
                let pose = pose(step, &mut random);
                let m = collide_counted(
                    &CollideJob { a: &ground, b: brick, b_in_a: pose, margin: MARGIN, slop: SLOP, algorithm },
                    &mut cache,
                )
                .0;
                let what =
                    || format!("{algorithm:?}, step {step}: {} on {}: {m:?}", brick.kind(), ground.kind());
                assert_eq!(m.points().len(), count, "{}", what());
                assert!(m.normal.y > 0.999_99, "{}", what());
                let now = ids(&m);
                assert_eq!(&now, first.get_or_insert_with(|| now.clone()), "{}", what());
            }
        }
    }
}

#[test]
fn ids_persist_over_six_metres_of_sliding() {
    let bricks = [
        Shape3::cuboid(1.0, 1.0, 1.0),
        Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.1),
        hull_of(&Shape3::cuboid(1.0, 1.0, 1.0)),
        Shape3::cylinder(1.0, 0.5),
        Shape3::cone(1.0, 0.5),
    ];
    for brick in &bricks {
        keeps(brick, 4, 500, |step, random| {
            let x = -3.0 + 12e-3 * step as f32;
            let at = Vec3::new(x, 1.0 + random.range(-2e-3, 1e-3), 0.2);
            Pose::new(at, Quat::from_ang(random.vec(5e-4) * Vec3::new(1.0, 0.1, 1.0)))
        });
    }
}

#[test]
fn a_box_on_its_edge_and_on_its_corner_keeps_its_ids() {
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    // Half-way: both faces at the edge are as good, and the last one stays.
    let edge = Quat::from_ang(Vec3::Z * FRAC_PI_4);
    let height = |q: Quat| -cube.support(q.rotate_inv(-Vec3::Y)).map_or(0.0, |p| q.rotate(p).y);
    for brick in [&cube, &hull_of(&cube)] {
        keeps(brick, 2, 300, |_, random| {
            let shake = Quat::from_ang(random.vec(2e-3));
            Pose::new(Vec3::Y * (0.5 + height(edge) - 1e-3) + random.vec(2e-4), shake * edge)
        });
        let corner = Quat::from_ang(Vec3::Z * 0.6) * Quat::from_ang(Vec3::X * 0.7);
        keeps(brick, 1, 300, |_, random| {
            let shake = Quat::from_ang(random.vec(2e-3));
            Pose::new(Vec3::Y * (0.5 + height(corner) - 2e-3) + random.vec(5e-4), shake * corner)
        });
    }
}

#[test]
fn a_rolling_cylinder_keeps_its_ids() {
    let lying = Quat::from_ang(Vec3::Z * FRAC_PI_2);
    for rounding in [0.0, 0.1] {
        keeps(&Shape3::rounded_cylinder(1.0, 0.4, rounding), 2, 400, |step, _| {
            let angle = 0.02 * step as f32;
            let at = Vec3::new(0.0, 0.899, 0.4 * angle - 2.0);
            Pose::new(at, RotOps::<D3>::then_after(Quat::from_ang(Vec3::X * angle), lying))
        });
    }
}

#[test]
fn a_box_that_slides_over_the_edge_changes_its_ids_once_at_most() {
    let slab = Shape3::cuboid(2.0, 1.0, 2.0);
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    for (ground, brick) in
        [(slab.clone(), cube.clone()), (hull_of(&slab), hull_of(&cube)), (slab.clone(), hull_of(&cube))]
    {
        for algorithm in ALGORITHMS {
            let mut cache = PairCache::default();
            let (mut last, mut changes) = (Vec::new(), 0);
            for step in 0..140 {
                let pose = Pose::at([0.01 * step as f32, 0.999, 0.05]);
                let m = collide_counted(
                    &CollideJob {
                        a: &ground,
                        b: &brick,
                        b_in_a: pose,
                        margin: MARGIN,
                        slop: SLOP,
                        algorithm,
                    },
                    &mut cache,
                )
                .0;
                let what = format!("{algorithm:?} step {step}: {m:?}");
                assert_eq!(m.points().len(), 4, "{what}");
                assert!(m.normal.y > 0.999_99, "{what}");
                let now = ids(&m);
                if !last.is_empty() && now != last {
                    changes += 1;
                    // Two corners stay on the ground: they stay who they are.
                    assert!(now.iter().filter(|id| last.contains(id)).count() >= 2, "{what} after {last:?}");
                }
                last = now;
            }
            assert!(changes <= 1, "{algorithm:?}: {changes} changes");
        }
    }
}

#[test]
fn eight_candidates_are_reduced_to_the_same_four() {
    let half = Vec3::splat(0.5);
    let cube = Shape3::Box { half, radius: 0.0 };
    let pairs = [
        (cube.clone(), cube.clone()),
        (hull_of(&cube), cube.clone()),
        (hull_of(&cube), hull_of(&cube)),
        (Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.1), Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.1)),
        (Shape3::cuboid(1.6, 1.0, 1.6), Shape3::rounded_hull(&prism(8), 0.1).unwrap()),
    ];
    for (a, b) in &pairs {
        let reach = |s: &Shape3, d: Vec3| s.support(d).unwrap().dot(d) + s.rounding();
        let height = reach(a, Vec3::Y) + reach(b, -Vec3::Y) - 0.002;
        for algorithm in ALGORITHMS {
            let mut random = Random::new(112);
            let mut cache = PairCache::default();
            let mut first = None;
            for step in 0..1_000 {
                let turn = Quat::from_ang(random.vec(5e-4)) * Quat::from_ang(Vec3::Y * FRAC_PI_4);
                let pose = Pose::new(Vec3::Y * height + random.vec(3e-4), turn);
                let m = collide_counted(
                    &CollideJob { a, b, b_in_a: pose, margin: MARGIN, slop: SLOP, algorithm },
                    &mut cache,
                )
                .0;
                let what = format!("{algorithm:?} {} {} step {step}: {m:?}", a.kind(), b.kind());
                assert_eq!(m.points().len(), 4, "{what}");
                let now = ids(&m);
                assert_eq!(&now, first.get_or_insert_with(|| now.clone()), "{what}");
            }
        }
    }
}

/// Largest gap over the axes of faces, and over those of edges.
fn face_and_edge_gaps(a: &Polytope, b: &Polytope) -> [f64; 2] {
    let best = |axes: Vec<V>| axes.into_iter().fold(f64::NEG_INFINITY, |m, n| m.max(gap(a, b, n)));
    let faces = a.normals.iter().copied().chain(b.normals.iter().map(|&n| scale(n, -1.0)));
    let crossed = a.edges.iter().flat_map(|&e| b.edges.iter().map(move |&f| cross(e, f)));
    let unit = crossed.filter(|&n| length(n) > 0.1).map(|n| scale(n, 1.0 / length(n)));
    [best(faces.collect()), best(unit.flat_map(|n| [n, scale(n, -1.0)]).collect())]
}

#[test]
fn the_normal_stays_where_a_face_and_an_edge_axis_are_equal() {
    let mut random = Random::new(113);
    let (mut ties, mut flips) = (0, Vec::new());
    for case in 0..1_500 {
        let half = |r: &mut Random| Vec3::new(r.range(0.3, 0.8), r.range(0.3, 0.8), r.range(0.3, 0.8));
        let (ha, hb) = (half(&mut random), half(&mut random));
        let (start, way, q) = (random.vec(1.2), random.vec(0.6), random.rotation());
        let (pa, pb) = (Polytope::cuboid(ha), Polytope::cuboid(hb));
        let at = |t: f32| Pose::new(start + way * t, q);
        let gaps = |t: f32| face_and_edge_gaps(&pa, &pb.placed(&at(t)));
        // On the way one kind of axis takes over from the other: there they are equal.
        let lead = |t: f32| gaps(t)[0] - gaps(t)[1];
        let Some(k) = (0..20).find(|&k| lead(k as f32 / 20.0) * lead((k + 1) as f32 / 20.0) < 0.0) else {
            continue;
        };
        let (mut low, mut high) = (k as f32 / 20.0, (k + 1) as f32 / 20.0);
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if lead(low) * lead(middle) < 0.0 { high = middle } else { low = middle }
        }
        let depth = -gaps(low)[0];
        if !(0.005..0.1).contains(&depth) {
            continue;
        }
        ties += 1;
        let sharp = |half: Vec3| Shape3::Box { half, radius: 0.0 };
        for (a, b) in [(sharp(ha), sharp(hb)), (hull_of(&sharp(ha)), hull_of(&sharp(hb)))] {
            for algorithm in ALGORITHMS {
                let mut cache = PairCache::default();
                let mut first = None;
                for _ in 0..30 {
                    let shake = Pose::new(at(low).position.to_vec() + random.vec(5e-4), q);
                    let m = collide_counted(
                        &CollideJob { a: &a, b: &b, b_in_a: shake, margin: MARGIN, slop: SLOP, algorithm },
                        &mut cache,
                    )
                    .0;
                    let n = *first.get_or_insert(m.normal);
                    if n.distance(m.normal) > 2e-2 {
                        flips.push(format!(
                            "case {case}: {algorithm:?} {}: {n} became {}",
                            a.kind(),
                            m.normal
                        ));
                        break;
                    }
                }
            }
        }
    }
    flips.iter().take(8).for_each(|f| println!("{f}"));
    println!("{} flips in {ties} ties", flips.len());
    assert!(ties > 30, "{ties}");
    assert!(flips.is_empty());
}

/// A world with one body on a slab: contacts kept and contacts computed in 30 steps after the first `wait` ones.
fn kept_and_computed(shape: Shape3, at: Vec3, turn: Quat, spin: Vec3, wait: usize) -> [u64; 2] {
    let mut world = World3::new();
    let slab = BodyDef::fixed([0.0, -0.5, 0.0]);
    world.create_body_with(slab, [ShapeDef::new(Shape3::cuboid(20.0, 1.0, 20.0))]).unwrap();
    let body = BodyDef { rotation: turn, angular_velocity: spin, can_sleep: false, ..BodyDef::dynamic(at) };
    world.create_body_with(body, [ShapeDef::new(shape)]).unwrap();
    let mut sum = [0, 0];
    for step in 0..wait + 30 {
        world.step();
        let narrow = world.profile().narrow;
        if step >= wait {
            sum = [sum[0] + narrow.recycled, sum[1] + narrow.computed];
        }
    }
    sum
}

#[test]
fn contacts_of_caps_are_kept_and_those_of_what_rolls_are_not() {
    let up = Quat::IDENTITY;
    for shape in [Shape3::cylinder(1.0, 0.4), Shape3::cone(1.0, 0.4), Shape3::rounded_cylinder(1.0, 0.4, 0.1)]
    {
        let kind = shape.kind();
        let [kept, computed] = kept_and_computed(shape, Vec3::Y * 0.5, up, Vec3::ZERO, 60);
        assert_eq!((kept, computed), (30, 0), "{kind}");
    }
    let lying = Quat::from_ang(Vec3::Z * FRAC_PI_2);
    let [kept, computed] =
        kept_and_computed(Shape3::cylinder(1.0, 0.4), Vec3::Y * 0.4, lying, Vec3::X * 2.0, 60);
    assert_eq!((kept, computed), (0, 30), "a cylinder on its side");
    // A coin that wobbles touches with another point of its rim in every step.
    let tilted = Quat::from_ang(Vec3::Z * 0.3);
    let [kept, computed] =
        kept_and_computed(Shape3::cylinder(0.1, 0.5), Vec3::Y * 0.25, tilted, Vec3::Y * 12.0, 0);
    assert!(4 * kept < computed && computed > 15, "a coin: {kept} {computed}");
}
