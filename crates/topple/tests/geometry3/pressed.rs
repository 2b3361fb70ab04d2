//! Boxes and hulls pressed together nearly face to face: the axis of least overlap is that of two edges, but they carry each other
//! with their faces, and a single point would let them sink into each other.

use crate::support::*;
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::{LocalManifold, PairCache};
use topple::shape::ShapeOps;
use topple::{BodyDef, Shape3, ShapeDef, World3};

/// A slab below and a block on it, the block pressed in by `depth` of its height, tilted by `tilt` degrees about a horizontal
/// axis at `azimuth` and turned by `spin`, both in radians, and standing out over the slab by `out` of its width.
fn pressed(size: Vec3, depth: f32, tilt: f32, azimuth: f32, spin: f32, out: f32) -> (Vec3, Pose<D3>) {
    let slab = Vec3::new(0.7, 0.3, 0.9);
    let (sin, cos) = sin_cos(azimuth);
    let axis = Vec3::new(cos, 0.0, sin);
    let turn = Quat::from_ang(axis * tilt.to_radians()) * Quat::from_ang(Vec3::Y * spin);
    let at = Vec3::new(slab.x + size.x * (2.0 * out - 1.0), slab.y + size.y * (1.0 - 2.0 * depth), 0.1);
    (slab, Pose::new(at, turn))
}

/// Runs `check` over depths, tilts, azimuths, turns and overhangs.
fn for_all(mut check: impl FnMut(Vec3, Vec3, Pose<D3>, String)) {
    let mut random = Random::new(91);
    for size in [Vec3::splat(0.4), Vec3::new(0.5, 0.3, 0.4), Vec3::new(0.2, 0.2, 1.0)] {
        for depth in [0.001, 0.01, 0.03, 0.1, 0.2, 0.3] {
            for tilt in [0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0] {
                for _ in 0..40 {
                    let (azimuth, spin) = (random.range(0.0, 6.3), random.range(0.0, 6.3));
                    let out = random.range(0.0, 0.4);
                    let (slab, pose) = pressed(size, depth, tilt, azimuth, spin, out);
                    let what = format!(
                        "size {size:?}, depth {depth}, tilt {tilt}, azimuth {azimuth}, spin {spin}, out {out}"
                    );
                    check(slab, size, pose, what);
                }
            }
        }
    }
}

/// How many of the points of a contact a tilt can leave: those that the tilt lifts off are none.
fn check_pressed(m: &LocalManifold<D3>, what: &str) -> bool {
    assert!(m.normal.y > 0.9, "normal {:?} to the side: {what}", m.normal);
    m.points().len() >= 3
}

#[test]
fn boxes_pressed_nearly_face_to_face_keep_their_points() {
    let sharp = |half: Vec3| Shape3::Box { half, radius: 0.0 };
    let hull = |half: Vec3| Shape3::hull(&sharp(half).vertices()).unwrap();
    let (mut few, mut all) = ([0; 4], 0);
    for_all(|slab, size, pose, what| {
        // Where the tilt lifts one side out, fewer points remain: both ends have to be in.
        let lowest = lift(size, &pose) - slab.y;
        if lowest > 0.0 || depth_along_y(slab, size, &pose) > 0.45 * size.y {
            return;
        }
        all += 1;
        for (k, algorithm) in ALGORITHMS.into_iter().enumerate() {
            for (a, b) in [(sharp(slab), sharp(size)), (hull(slab), sharp(size)), (hull(slab), hull(size))] {
                let m = collide_by(algorithm, &a, &b, pose, 0.02, 5e-3);
                if !check_pressed(&m, &what) {
                    few[k] += 1;
                    println!("{algorithm:?} {} {}: {} points, {what}", a.kind(), b.kind(), m.points().len());
                }
            }
        }
    });
    println!("{few:?} of {all}");
    assert!(all > 500, "{all}");
    assert_eq!(few, [0; 4]);
}

/// Height of the highest corner of the lower face of a box.
fn lift(half: Vec3, pose: &Pose<D3>) -> f32 {
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    corners.into_iter().fold(f32::NEG_INFINITY, |high, (x, z)| {
        high.max(pose.transform(half * Vec3::new(x, -1.0, z)).to_vec().y)
    })
}

/// How deep the lowest corner of the box is below the top of the slab.
fn depth_along_y(slab: Vec3, half: Vec3, pose: &Pose<D3>) -> f32 {
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    slab.y
        - corners.into_iter().fold(f32::INFINITY, |low, (x, z)| {
            low.min(pose.transform(half * Vec3::new(x, -1.0, z)).to_vec().y)
        })
}

#[test]
fn a_box_that_rocks_while_pressed_in_keeps_its_normal() {
    let sharp = |half: Vec3| Shape3::Box { half, radius: 0.0 };
    for algorithm in ALGORITHMS {
        let mut random = Random::new(92);
        let mut cache = PairCache::default();
        let mut last: Option<Vec3> = None;
        for step in 0..2_000 {
            let (azimuth, spin) = (random.range(0.0, 6.3), 0.4 + random.range(0.0, 0.02));
            let (slab, pose) = pressed(Vec3::splat(0.4), 0.1, random.range(0.0, 3.0), azimuth, spin, 0.2);
            let m = collide_cached_by(
                algorithm,
                &sharp(slab),
                &sharp(Vec3::splat(0.4)),
                pose,
                0.02,
                5e-3,
                &mut cache,
            );
            assert!(m.points().len() >= 3, "{algorithm:?} step {step}: {m:?}");
            // Tilts by 3° either way: no two normals differ by more than that, twice.
            let turned = last.map_or(1.0, |n| n.dot(m.normal));
            assert!(turned > 0.99, "{algorithm:?} step {step}: the normal turned by {turned}, {m:?}");
            last = Some(m.normal);
        }
    }
}

/// Three boxes on a floor, the second pressed into the first nearly face to face and the third, twenty times as heavy, on top: they
/// part, whatever the tilt, instead of sinking into each other.
#[test]
fn boxes_that_start_deep_in_each_other_part_under_load() {
    let mut random = Random::new(93);
    let half = Vec3::new(0.45, 0.3, 0.35);
    let mut worst = 0.0_f32;
    for case in 0..24 {
        let mut world = World3::new();
        let floor = ShapeDef::from(Shape3::plane(Vec3::Y, 0.0));
        world.create_body_with(BodyDef::fixed([0.0, 0.0, 0.0]), [floor]).unwrap();
        let depth = random.range(0.05, 0.3);
        let axis = Vec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0));
        let tilt = axis.normalize_or(Vec3::X) * random.range(0.1_f32, 6.0).to_radians();
        let turn = Quat::from_ang(tilt) * Quat::from_ang(Vec3::Y * random.range(0.0, 6.3));
        let out = Vec3::new(random.range(-0.25, 0.25), 0.0, random.range(-0.2, 0.2));
        let shape = || Shape3::Box { half, radius: 0.0 };
        let mut add = |at: Vec3, rotation: Quat, density: f32| {
            let def = BodyDef { rotation, ..BodyDef::dynamic(at) };
            world.create_body_with(def, [ShapeDef::from(shape()).density(density)]).unwrap()
        };
        let second = 3.0 * half.y - 2.0 * half.y * depth;
        let ids = [
            add(Vec3::Y * half.y, Quat::IDENTITY, 1000.0),
            add(Vec3::Y * second + out, turn, 1000.0),
            add(Vec3::Y * (second + 2.0 * half.y + 0.05), Quat::IDENTITY, 20_000.0),
        ];
        for _ in 0..120 {
            world.step();
        }
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            let pose = |k: usize| world.body(ids[k]).unwrap().pose();
            let d = closest_points::<D3>(&shape(), &pose(i), &shape(), &pose(j)).unwrap().distance;
            worst = worst.min(d);
            assert!(d > -0.03, "case {case}: boxes {i} and {j} are {} m deep in each other", -d);
        }
    }
    println!("deepest overlap {worst} m");
}
