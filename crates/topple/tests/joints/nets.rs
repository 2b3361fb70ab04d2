//! Springs that meet: chains, nets and stars of them, however stiff or damped. And lone ones, which keep their energy.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, D2, D3, JointDef, World};

/// Knots 1 m apart, `width` in a row, with small random velocities; springs between those for which `are_tied` holds.
fn net<D: TestDim>(
    (count, width): (usize, usize),
    are_tied: impl Fn(usize, usize, f32) -> bool,
    kind: impl Fn(f32, f32) -> JointKind<D>,
) -> (World<D>, Vec<BodyId>) {
    let mut world = weightless::<D>();
    let place = |i: usize| D::xy((i % width) as f32, (i / width) as f32);
    let knots: Vec<BodyId> = (0..count)
        .map(|i| {
            let mut def = BodyDef::dynamic(D::Point::from_vec(place(i)));
            def.linear_velocity = D::xy((i * 7919 % 13) as f32 - 6.0, (i * 104_729 % 11) as f32 - 5.0) * 0.1;
            let mut shape = D::ball(0.1);
            shape.filter.mask = 0;
            world.create_body_with(def, [shape]).unwrap()
        })
        .collect();
    let mass = world.body(knots[0]).unwrap().mass();
    for i in 0..count {
        for j in i + 1..count {
            let length = (place(j) - place(i)).length();
            if are_tied(i, j, length) {
                let anchors = [place(i), place(j)].map(D::Point::from_vec);
                let def = JointDef::between(&world, knots[i], knots[j], anchors, kind(mass, length)).unwrap();
                world.create_joint(def).unwrap();
            }
        }
    }
    (world, knots)
}

/// A spring between two knots: by its constants, or by its frequency and damping ratio.
fn spring<D: TestDim>(
    is_tuned: bool,
    (hertz, damping): (f32, f32),
) -> impl Fn(f32, f32) -> JointKind<D> + Copy {
    move |mass, length| {
        let omega = core::f32::consts::TAU * hertz;
        // Two knots feel half the mass of one.
        let (stiffness, c) = (0.5 * mass * omega * omega, mass * omega * damping);
        match is_tuned {
            true => JointKind::Distance(Distance {
                min: 0.0,
                max: f32::INFINITY,
                spring: Some(Spring { rest: length, hertz, damping }),
            }),
            false => JointKind::Spring(SpringDamper { stiffness, damping: c, rest_length: length }),
        }
    }
}

fn nets_do_not_explode<D: TestDim>() {
    for law in [(12.0, 0.0), (30.0, 0.0), (60.0, 0.0), (200.0, 0.0), (200.0, 1.0), (1e4, 0.0), (5.0, 1e3)] {
        for is_tuned in [false, true] {
            let kind = spring::<D>(is_tuned, law);
            let nets = [
                ("chain", net((40, 40), |_, _, length| length < 1.1, kind)),
                ("net", net((144, 12), |_, _, length| length < 1.5, kind)),
                ("star", net((30, 30), |i, _, _| i == 0, kind)),
                ("all with all", net((20, 5), |_, _, _| true, kind)),
            ];
            for (name, (mut world, knots)) in nets {
                for step in 0..180 {
                    world.step();
                    for &knot in &knots {
                        let speed = world.body(knot).unwrap().linear_velocity().length();
                        assert!(
                            speed < 2.0,
                            "{name} of {law:?}, tuned {is_tuned}: {speed} m/s at step {step}"
                        );
                    }
                }
            }
        }
    }
}

/// Twenty springs side by side are one of twenty times the stiffness.
fn springs_side_by_side_add_up<D: TestDim>() {
    for (count, hertz) in [(1, 4.0), (20, 1.0), (20, 20.0), (100, 12.0)] {
        let mut world = World::<D>::new();
        let hook = world.create_body(BodyDef::fixed(at::<D>(0.0, 0.0))).unwrap();
        let body = world.create_body_with(BodyDef::dynamic(at::<D>(0.0, -1.0)), [D::ball(0.1)]).unwrap();
        let (mass, omega) = (world.body(body).unwrap().mass(), core::f32::consts::TAU * hertz);
        let stiffness = mass * omega * omega;
        for _ in 0..count {
            let law = SpringDamper { stiffness, damping: 0.1 * mass * omega, rest_length: 1.0 };
            let anchors = [at::<D>(0.0, 0.0), at::<D>(0.0, -1.0)];
            let def = JointDef::between(&world, hook, body, anchors, JointKind::Spring(law)).unwrap();
            world.create_joint(def).unwrap();
        }
        for _ in 0..1200 {
            world.step();
            assert!(world.events().fault.is_empty(), "{count} springs of {hertz} Hz");
        }
        let sag = -1.0 - world.body(body).unwrap().position().to_vec().get(1);
        // What they cannot hold within a sub-step they give way to: never more than that.
        let expected = G / (count as f32 * omega * omega);
        let most = expected.max(G / (6.0 * 240.0 * 240.0) * 1.5);
        assert!(
            sag > 0.98 * expected && sag < 1.02 * most,
            "{count} of {hertz} Hz: {sag} m, {expected} m by formula"
        );
    }
}

/// Without damping, what the sub-steps resolve (12 Hz of 240) keeps its energy: five periods.
fn undamped_springs_keep_their_energy<D: TestDim>() {
    for hertz in [1.0, 4.0, 8.0, 10.0, 12.0] {
        for is_tuned in [false, true] {
            let (mut world, knots) = net((2, 2), |_, _, _| true, spring::<D>(is_tuned, (hertz, 0.0)));
            for (side, &knot) in knots.iter().enumerate() {
                let speed = side as f32 - 0.5;
                world.body_mut(knot).unwrap().set_linear_velocity(D::xy(speed, 0.0)).unwrap();
            }
            let omega = core::f32::consts::TAU * hertz;
            let strength = |world: &World<D>| {
                let [a, b] = [knots[0], knots[1]].map(|knot| world.body(knot).unwrap());
                let way = omega * ((b.position() - a.position()).length() - 1.0);
                let speed = (b.linear_velocity() - a.linear_velocity()).length();
                (way * way + speed * speed).sqrt()
            };
            let (before, steps) = (strength(&world), (300.0 / hertz) as usize);
            (0..steps).for_each(|_| world.step());
            // The mean over some steps: what the sub-steps keep is a slightly tilted ellipse.
            let mean = (0..60).map(|_| (world.step(), strength(&world)).1).sum::<f32>() / 60.0;
            let left = mean / before;
            assert!(
                (left - 1.0).abs() < 0.02,
                "{hertz} Hz, tuned {is_tuned}: {left} of the amplitude is left"
            );
        }
    }
}

both! {
    nets_do_not_explode, nets_do_not_explode_2d, nets_do_not_explode_3d;
    springs_side_by_side_add_up, springs_side_by_side_add_up_2d, springs_side_by_side_add_up_3d;
    undamped_springs_keep_their_energy, undamped_springs_keep_their_energy_2d, undamped_springs_keep_their_energy_3d;
}
