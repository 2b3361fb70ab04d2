//! What acts along the freedom of a joint: parts switched off.

use crate::support::*;
use topple::joint::*;
use topple::{D2, D3, JointId, World};

/// An arm on a hinge, with a load a hundred times heavier at its end: small steps.
fn loaded_arm<D: TestDim>(kind: Hinge) -> (World<D>, JointId) {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let arm = body(&mut world, 0.5, 0.0, 1.0, 0.1);
    let load = body(&mut world, 1.0, 0.0, 100.0, 10.0);
    let joint = hinge(&mut world, wall, arm, 0.0, 0.0, kind);
    join(&mut world, arm, load, 1.0, 0.0, JointKind::Ball(Ball::default()));
    (world, joint)
}

/// What is switched off leaves nothing behind: stored impulses stay finite, and it starts anew when it is switched on.
fn switched_off<D: TestDim>() {
    let limits = Some(Limits::new(-0.1, 0.1));
    let motor = Some(Motor::Velocity { speed: 0.0, max: 3.0 });
    let spring = Some(Spring { rest: 0.0, hertz: 2.0, damping: 0.5 });
    for (motor, spring) in [(motor, None), (None, spring)] {
        let what = format!("{motor:?}, {spring:?}, {}D", D::N);
        let (mut world, joint) = loaded_arm::<D>(Hinge { limits, motor, spring });
        run(&mut world, 0.25);
        world
            .joint_mut(joint)
            .unwrap()
            .set_kind(JointKind::Hinge(Hinge { limits, ..Hinge::default() }))
            .unwrap();
        run(&mut world, 5.0);
        let again = World::<D>::restore(&world.snapshot()).unwrap();
        assert_eq!(again.state_hash(), world.state_hash(), "{what}");
        let before = energy(&world);
        world.joint_mut(joint).unwrap().set_kind(JointKind::Hinge(Hinge { limits, motor, spring })).unwrap();
        run(&mut world, 0.25);
        assert!(energy(&world) < before + 1.0, "{what}: {before} J, then {} J", energy(&world));
    }
}

#[test]
fn what_is_switched_off_leaves_nothing_2d() {
    switched_off::<D2>();
}

#[test]
fn what_is_switched_off_leaves_nothing_3d() {
    switched_off::<D3>();
}
