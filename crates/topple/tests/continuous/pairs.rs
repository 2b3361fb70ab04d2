//! Bullets against bullets and against sleeping bodies, off-centre too: no shape gets deeper into another than the guide promises, nor
//! did on the way.

use crate::support::*;
use topple::distance::closest_points;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{BodyId, Settings, World};

/// Pairs per dimension and kind of target; ten times as many in a long run.
const PAIRS: usize = 2000;
const STEPS: usize = 8;
/// Pairs per world, in lanes: far from the origin positions are coarse.
const BATCH: usize = 50;
/// Distance between lanes [m].
const LANE: Real = 12.0;
/// Places looked at on the way of a step. At 800 m/s, small bodies are between two of them by less than their promise only where
/// they are about to be deeper at the next.
const SAMPLES: usize = 48;
/// Where bodies are stopped, as the guide says: this share of the inner radius of the thinner one (no unit), and the slop.
const DEEPEST: Real = 0.75;
/// How much deeper bodies may get that are as deep as that already and slow by then, less than a quarter of their inner radius per step: they are
/// left to their contacts. As a share of the inner radius (no unit).
const SLOW: Real = 0.2;

/// Angle per step up to which a body is looked at on its way too [rad].
const STRAIGHT: Real = 0.5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Bullet,
    Asleep,
}

/// Where a body was, as poses of its centre of mass.
fn place<D: Dim>(world: &World<D>, id: BodyId) -> Pose<D> {
    let body = world.body(id).unwrap();
    Pose { position: body.center(), rotation: body.rotation() }
}

/// Between two poses.
fn between<D: Dim>(a: &Pose<D>, b: &Pose<D>, t: Real) -> Pose<D> {
    let turn = b.rotation.then_after(a.rotation.inverse()).to_ang();
    Pose {
        position: a.position + (b.position - a.position) * t,
        rotation: D::Rot::from_ang(turn * t).then_after(a.rotation),
    }
}

/// How much deeper than promised the shapes of two bodies got on the way from the first to the second poses, at most [m].
fn excess<D: Dim>(world: &World<D>, ids: [BodyId; 2], from: [Pose<D>; 2], to: [Pose<D>; 2]) -> Real {
    let bodies = ids.map(|id| world.body(id).unwrap());
    let mut worst = Real::NEG_INFINITY;
    for a in bodies[0].shapes() {
        for b in bodies[1].shapes() {
            let views = [a, b].map(|shape| world.shape(shape).unwrap());
            let inner = views[0].geometry().inner_radius().min(views[1].geometry().inner_radius());
            let settings = world.settings();
            let slop = (settings.slop * inner).min(settings.max_slop);
            let local = [0, 1].map(|i| place(world, ids[i]).relative(views[i].pose()));
            // What turns much may have left the straight way between its poses, by turning first and sliding on then: only its end is known.
            let spins = |i: usize| {
                to[i].rotation.then_after(from[i].rotation.inverse()).to_ang().length() > STRAIGHT
                    || bodies[i].angular_velocity().length() * settings.dt > STRAIGHT
            };
            let first = if spins(0) || spins(1) { SAMPLES } else { 0 };
            for sample in first..=SAMPLES {
                let t = sample as Real / SAMPLES as Real;
                let [at_a, at_b] = [0, 1].map(|i| between(&from[i], &to[i], t).compose(local[i]));
                let reach = [0, 1].map(|i| views[i].geometry().farthest_from(D::Vec::ZERO));
                if (at_a.position - at_b.position).length() > reach[0] + reach[1] {
                    continue;
                }
                let closest = closest_points::<D>(views[0].geometry(), &at_a, views[1].geometry(), &at_b);
                let depth = -closest.unwrap().distance;
                worst = worst.max(depth - (DEEPEST + SLOW) * inner - slop);
            }
        }
    }
    worst
}

/// Shoots pairs at each other. Returns how many got deeper than promised and how many were stopped.
fn shoot<D: Kit>(target: Target, is_bullet: bool, batch: usize) -> (usize, usize) {
    let mut random = Random(0x9E37_79B9 * (2 * batch as u64 + if target == Target::Bullet { 1 } else { 2 }));
    let settings = Settings { gravity: D::Vec::ZERO, ..Settings::default() };
    let mut world = World::<D>::with_settings(settings).unwrap();
    let dt = world.settings().dt;
    let mut pairs = Vec::new();
    for i in 0..BATCH {
        let (size, other) = (random.scale(0.05, 1.0), random.scale(0.05, 1.0));
        let speed = random.scale(20.0, 400.0);
        // They meet within the first steps, at any moment of one.
        let closing = if target == Target::Bullet { 2.0 * speed } else { speed };
        let gap = size + other + closing * dt * random.range(0.1, 3.0);
        let middle = D::Vec::axis(1) * ((i as Real - 0.5 * BATCH as Real) * LANE);
        let aside = 0.5 * random.unit() * size.min(other);
        let mut offset = random.direction::<D>(aside);
        offset.set(0, 0.0);
        let mut make = |place: D::Vec, velocity: Real, kind: usize, size: Real, is_bullet: bool| {
            let mut def = thrown::<D>(place, D::Vec::axis(0) * velocity);
            def.is_bullet = is_bullet;
            def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
            if velocity == 0.0 {
                def.is_awake = false;
            } else {
                def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 30.0);
            }
            world.create_body_with(def, D::body(kind, size)).unwrap()
        };
        let number = batch * BATCH + i;
        let kinds = [number % D::SHOTS, (number / D::SHOTS) % D::SHOTS];
        let a = make(middle - D::Vec::axis(0) * (0.5 * gap), speed, kinds[0], size, is_bullet);
        let back = if target == Target::Bullet { -speed } else { 0.0 };
        let b = make(
            middle + D::Vec::axis(0) * (0.5 * gap) + offset,
            back,
            kinds[1],
            other,
            is_bullet && target == Target::Bullet,
        );
        pairs.push(([a, b], kinds));
    }
    let (mut passed, mut stopped) = (0, 0);
    for step in 0..STEPS {
        let from: Vec<_> = pairs.iter().map(|(ids, _)| ids.map(|id| place(&world, id))).collect();
        if step == 0 && target == Target::Asleep {
            assert!(pairs.iter().all(|(ids, _)| !world.body(ids[1]).unwrap().is_awake()));
        }
        world.step();
        stopped += world.profile().counters.stopped as usize;
        pairs = pairs
            .into_iter()
            .zip(from)
            .filter(|((ids, kinds), from)| {
                let to = ids.map(|id| place(&world, id));
                let excess = excess::<D>(&world, *ids, *from, to);
                assert!(
                    !is_bullet || excess <= 0.0,
                    "{target:?}, batch {batch}, step {step}, kinds {kinds:?}: {excess} m too deep"
                );
                passed += usize::from(excess > 0.0);
                excess <= 0.0
            })
            .map(|(pair, _)| pair)
            .collect();
    }
    (passed, stopped)
}

fn bullets_keep_the_promise<D: Kit>() {
    for target in [Target::Bullet, Target::Asleep] {
        let stopped: usize = (0..cases(PAIRS) / BATCH).map(|batch| shoot::<D>(target, true, batch).1).sum();
        assert!(stopped > cases(PAIRS) / 2, "{target:?}: {stopped} stops");
        // To see that the test can fail.
        let passed: usize = (0..10).map(|batch| shoot::<D>(target, false, batch).0).sum();
        assert!(passed > 10 * BATCH / 4, "{target:?}: only {passed} ordinary bodies got through");
    }
}

#[test]
fn bullets_keep_the_promise_2d() {
    bullets_keep_the_promise::<D2>();
}
#[test]
fn bullets_keep_the_promise_3d() {
    bullets_keep_the_promise::<D3>();
}
