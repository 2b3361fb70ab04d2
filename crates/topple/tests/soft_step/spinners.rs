//! Bodies that turn far within a step, among many that do not: the same on all machines, and nothing to those beside them.

use super::*;

/// Planks and capsules that fall on a floor, in pairs held by joints. Every seventh pair is thrown far from the others with the spin
/// `spin` [rad/s]; returns the world and the bodies that were not.
fn mixture(spin: f32) -> (World3, Vec<BodyId>) {
    let mut w = World3::new();
    w.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), [Shape3::plane(Vec3::Y, 0.0)]).unwrap();
    let mut others = Vec::new();
    for i in 0..160 {
        let is_thrown = i % 7 == 3;
        let x = if is_thrown { 60.0 } else { 0.0 } + (i % 5) as f32 * 0.9;
        let place = Vec3::new(x, 0.6 + (i / 25) as f32 * 0.7, (i / 5 % 5) as f32 * 0.9);
        let ends = [0.0, 0.35].map(|up| {
            let shape = if i % 2 == 0 { Shape3::cuboid(0.5, 0.1, 0.3) } else { Shape3::capsule_y(0.3, 0.1) };
            let material =
                Material { rolling_friction: if i % 3 == 0 { 0.02 } else { 0.0 }, ..<_>::default() };
            let def = BodyDef3 {
                angular_velocity: if is_thrown {
                    Vec3::new(spin, 0.3 * spin, -0.2 * spin)
                } else {
                    Vec3::ZERO
                },
                ..BodyDef3::dynamic(place + Vec3::Y * up)
            };
            w.create_body_with(def, [ShapeDef3 { material, ..shape.into() }]).unwrap()
        });
        let kind = match i % 3 {
            0 => JointKind::Ball(joint::Ball::default()),
            1 => JointKind::Hinge(joint::Hinge::default()),
            _ => JointKind::Fixed,
        };
        let pivot = Pose::at(place + Vec3::Y * 0.18);
        w.create_joint(JointDef::at(&w, ends[0], ends[1], kind, pivot).unwrap()).unwrap();
        if !is_thrown {
            others.extend(ends);
        }
    }
    (w, others)
}

/// Their list is cut into the pieces of the threads.
#[test]
fn spinners_are_the_same_for_every_width_and_thread_count() {
    let run = |width: SimdWidth, threads: usize| {
        let (mut w, _) = mixture(70.0);
        w.set_solver(SolverSoftStep::with_width(width));
        w.set_executor(Arc::new(Pool::new(threads)));
        (0..90).for_each(|_| w.step());
        w.state_hash()
    };
    let expected = run(SimdWidth::Scalar, 1);
    for width in [SimdWidth::Scalar, SimdWidth::Four, SimdWidth::Eight] {
        for threads in [1, 2, 4, 8] {
            assert_eq!(run(width, threads), expected, "{width:?}, {threads} threads");
        }
    }
}

/// They share pieces, rows and lanes with the others, whose inertia is that of the start of the step.
#[test]
fn spinners_change_no_bit_of_what_is_far_from_them() {
    let run = |spin: f32| {
        let (mut w, others) = mixture(spin);
        (0..120).for_each(|_| w.step());
        let state = |&id: &BodyId| {
            let body = w.body(id).unwrap();
            (body.pose(), body.linear_velocity(), body.angular_velocity())
        };
        others.iter().map(state).collect::<Vec<_>>()
    };
    let (still, spinning) = (run(0.0), run(70.0));
    for (i, (still, spinning)) in still.iter().zip(&spinning).enumerate() {
        assert_eq!(still, spinning, "body {i} of those that do not spin");
    }
}
