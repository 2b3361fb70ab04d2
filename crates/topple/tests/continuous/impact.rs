//! The moment of impact against brute force.

use crate::support::*;
use topple::continuous::{Sweep, time_of_impact};
use topple::distance::closest_points;
use topple::math::*;

/// Places looked at by brute force.
const SAMPLES: usize = 2000;

fn random_sweep<D: Kit>(random: &mut Random, start: D::Vec) -> Sweep<D> {
    let rotation = D::Rot::from_ang(random.turn::<D>(3.0));
    let pose = Pose { position: D::Point::from_vec(start), rotation };
    let (far, angle) = (random.range(0.5, 5.0), random.range(-3.0, 3.0));
    // Towards the middle, more or less.
    let way = random.direction::<D>(1.0) - start;
    Sweep::moving(pose, way * (far / way.length()), random.turn::<D>(angle))
}

/// Never later than the truth, and never earlier than where the shapes come within a quarter more than the target. The motion may
/// end early, and both may move and turn.
fn impact_is_the_first_one<D: Kit>() {
    let mut random = Random(21);
    let (mut hits, mut misses) = (0, 0);
    for trial in 0..400 {
        let shape = |random: &mut Random| {
            let kind = [0, 1, 2, 3, 4, 5][random.pick(6)];
            D::body(kind, random.range(0.3, 1.5)).remove(0).shape
        };
        let (a, b) = (shape(&mut random), shape(&mut random));
        let (mut sweep_a, sweep_b) = (
            random_sweep::<D>(&mut random, D::Vec::axis(0) * -1.5),
            random_sweep::<D>(&mut random, D::Vec::axis(0) * 1.5),
        );
        if trial % 4 == 0 {
            sweep_a.stop = random.unit();
            sweep_a.translation_after = random.direction::<D>(2.0);
        }
        let target = 0.02;
        let distance =
            |t: Real| closest_points::<D>(&a, &sweep_a.at(t), &b, &sweep_b.at(t)).unwrap().distance;
        let truth = (0..=SAMPLES).map(|i| i as Real / SAMPLES as Real).find(|&t| distance(t) <= target);
        let found = time_of_impact::<D>(&a, &sweep_a, &b, &sweep_b, 1.0, target);
        match (truth, found) {
            (Some(truth), Some(found)) => {
                hits += 1;
                assert!(found.t <= truth + 1e-4, "trial {trial}: found at {}, really at {truth}", found.t);
                // Whirling shapes that pass closely may end the search early, but only while they are close.
                let there = distance(found.t);
                let allowed = 1.3 * target;
                assert!(
                    there <= allowed,
                    "trial {trial}: found at {} where they are {there} m apart",
                    found.t
                );
                assert!((found.distance - there).abs() < 1e-4);
            }
            (None, Some(found)) => {
                let there = distance(found.t);
                assert!(there <= 1.3 * target, "trial {trial}: nothing there at {}: {there} m", found.t);
            }
            (Some(truth), None) => panic!("trial {trial}: missed the impact at {truth}"),
            (None, None) => misses += 1,
        }
    }
    assert!(hits > 80 && misses > 80, "{hits} hits, {misses} misses");
}

#[test]
fn impact_is_the_first_one_2d() {
    impact_is_the_first_one::<D2>();
}
#[test]
fn impact_is_the_first_one_3d() {
    impact_is_the_first_one::<D3>();
}

/// A ball that only moves: the closed form.
#[test]
fn a_ball_meets_a_plane_when_it_should() {
    let (ball, floor) = (D3::ball(0.5), topple::Shape3::plane(Vec3::Y, 0.0));
    let sweep =
        Sweep::<D3>::moving(Pose::at([0.0, 10.0, 0.0]), Vec3::new(3.0, -19.0, 0.0), Vec3::new(9.0, 2.0, 1.0));
    let found =
        time_of_impact::<D3>(&ball, &sweep, &floor, &Sweep::still(Pose::IDENTITY), 1.0, 0.01).unwrap();
    assert!((found.t - 9.49 / 19.0).abs() < 2e-4, "{found:?}");
    assert!(found.normal.y < -0.999);
}

/// A whole turn within a step is one: the end of the motion alone does not show it.
#[test]
fn whole_turns_are_not_lost() {
    let start = Pose::<D2>::IDENTITY;
    for turns in [-3.0, -1.0, 1.0, 2.0_f32] {
        let angle = turns * 2.0 * core::f32::consts::PI + 0.3;
        let end = Pose::<D2>::new([1.0, 0.0], Rot2::from_angle(angle));
        let sweep = Sweep::between(start, end, angle);
        assert!((sweep.turn - angle).abs() < 1e-4, "{} instead of {angle}", sweep.turn);
        let spatial = Sweep::<D3>::between(
            Pose::IDENTITY,
            Pose { position: Point3::ORIGIN, rotation: RotOps::<D3>::from_ang(Vec3::Y * angle) },
            Vec3::Y * angle,
        );
        assert!((spatial.turn - Vec3::Y * angle).length() < 1e-3, "{} instead of {angle}", spatial.turn);
    }
}
