//! The same bits with any number of threads, any width of instructions, and across snapshots.

use crate::life::kinds;
use crate::support::*;
use std::sync::Arc;
use topple::exec::Pool;
use topple::joint::*;
use topple::math::*;
use topple::solver::{SimdWidth, SolverSoftStep};
use topple::{BodyDef, BodyKind, D2, D3, JointDef, Settings, World};

/// A net of balls, a pile of blocks, and a joint of every kind, swinging over a floor.
fn scene<D: TestDim>() -> World<D> {
    let mut world = World::<D>::new();
    let floor = world.create_body_with(BodyDef::fixed(at::<D>(0.0, -6.0)), [D::floor()]).unwrap();
    let wall = ground(&mut world);
    let mut above = [wall; 12];
    for row in 0..8 {
        let mut left = None;
        for (column, above) in above.iter_mut().enumerate() {
            let (x, y) = (column as f32 * 0.5 - 3.0, -0.5 * row as f32);
            let knot = world.create_body_with(BodyDef::dynamic(at::<D>(x, y)), [D::ball(0.15)]).unwrap();
            join(&mut world, *above, knot, x, y + 0.25, JointKind::Ball(Ball::default()));
            if let Some(left) = left {
                let kind = JointKind::Distance(Distance { max: 0.6, ..Distance::default() });
                world.create_joint(JointDef::new(left, knot, kind)).unwrap();
            }
            (*above, left) = (knot, Some(knot));
        }
    }
    for (i, kind) in kinds::<D>().into_iter().chain(more_kinds()).enumerate() {
        let x = i as f32 * 1.1 + 5.0;
        let bob = world.create_body_with(BodyDef::dynamic(at::<D>(x, 0.0)), [D::block(0.6, 0.3)]).unwrap();
        join(&mut world, wall, bob, x - 0.3, 0.0, kind);
        let other = world.create_body_with(BodyDef::dynamic(at::<D>(x, -1.0)), [D::block(0.6, 0.3)]).unwrap();
        join(&mut world, bob, other, x - 0.3, -0.5, kind);
    }
    for i in 0..40 {
        let (x, y) = ((i % 8) as f32 * 0.7 - 2.0, -5.0 + (i / 8) as f32 * 0.6);
        world.create_body_with(BodyDef::dynamic(at::<D>(x, y)), [D::block(0.5, 0.5)]).unwrap();
    }
    let _ = floor;
    world
}

/// What `kinds` leaves out: springs, servos, rods, nothing at all.
fn more_kinds<D: TestDim>() -> Vec<JointKind<D>> {
    let spring = Some(Spring { rest: 0.2, hertz: 3.0, damping: 0.2 });
    let servo = Some(Motor::Position { target: -0.4, hertz: 3.0, damping: 1.0, max: 4.0 });
    vec![
        JointKind::Ball(Ball::default()),
        JointKind::Hinge(Hinge::default()),
        JointKind::Hinge(Hinge { limits: None, motor: servo, spring }),
        JointKind::Slider(Slider::default()),
        JointKind::Distance(Distance { min: 0.7, max: 0.7, spring: None }),
        JointKind::Distance(Distance { min: 0.7, max: 0.7, spring }),
        JointKind::Distance(Distance { min: 0.0, max: 0.5, spring }),
    ]
}

/// Joints to a static wall are solved eight at a time, those to a kinematic body one by one: both find the same motion. Not
/// the same bits, because the wide rows are whitened.
fn lanes_agree_with_single_joints<D: TestDim>() {
    let swing = |kind: JointKind<D>, wall: BodyKind| {
        let mut world =
            World::<D>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
        let wall = world.create_body(BodyDef { kind: wall, ..BodyDef::fixed(at::<D>(0.0, 0.0)) }).unwrap();
        let bob = body(&mut world, 0.6, 0.1, 2.0, 0.1);
        let id = join(&mut world, wall, bob, 0.1, 0.0, kind);
        (0..60)
            .map(|_| {
                world.step();
                let joint = world.joint(id).unwrap();
                (world.body(bob).unwrap().center().to_vec(), joint.force(), D::z_of(joint.torque()))
            })
            .collect::<Vec<_>>()
    };
    for kind in kinds::<D>().into_iter().chain(more_kinds()) {
        let (wide, single) = (swing(kind, BodyKind::Static), swing(kind, BodyKind::Kinematic));
        for (step, (a, b)) in wide.iter().zip(&single).enumerate() {
            let distance = (a.0 - b.0).length();
            assert!(distance < 1e-3, "{kind:?}: places part by {distance} m at step {step}");
        }
        let ([.., a], [.., b]) = (&wide[..], &single[..]) else { unreachable!("sixty steps") };
        let scale = a.1.length().max(20.0);
        assert!((a.1 - b.1).length() < 0.05 * scale, "{kind:?}: forces {:?} and {:?}", a.1, b.1);
        assert!((a.2 - b.2).abs() < 0.05 * scale, "{kind:?}: torques {} and {}", a.2, b.2);
    }
}

#[test]
fn lanes_agree_with_single_joints_2d() {
    lanes_agree_with_single_joints::<D2>();
}

#[test]
fn lanes_agree_with_single_joints_3d() {
    lanes_agree_with_single_joints::<D3>();
}

fn same_bits<D: TestDim>() {
    let hashes = |mut world: World<D>| {
        (0..90)
            .map(|_| {
                world.step();
                world.state_hash()
            })
            .collect::<Vec<_>>()
    };
    let expected = hashes(scene());
    for threads in [2, 4, 8] {
        let mut world = scene::<D>();
        world.set_executor(Arc::new(Pool::new(threads)));
        assert_eq!(hashes(world), expected, "{threads} threads");
    }
    for width in [SimdWidth::Scalar, SimdWidth::Four, SimdWidth::Eight] {
        let mut world = scene::<D>();
        world.set_solver(SolverSoftStep::with_width(width));
        assert_eq!(hashes(world), expected, "{width:?}");
    }
}

#[test]
fn same_bits_2d() {
    same_bits::<D2>();
}

#[test]
fn same_bits_3d() {
    same_bits::<D3>();
}

fn snapshots<D: TestDim>(solver: &str) {
    let mut world = scene::<D>();
    world.set_solver_by_name(solver).unwrap();
    run(&mut world, 0.7);
    let saved = world.snapshot();
    let mut copy = World::<D>::restore(&saved).unwrap();
    assert_eq!(copy.snapshot(), saved, "a restored world saves the same bytes");
    for id in world.joint_ids() {
        let (ours, theirs) = (world.joint(id).unwrap(), copy.joint(id).unwrap());
        assert_eq!(ours.kind(), theirs.kind());
        assert_eq!((ours.force(), ours.torque()), (theirs.force(), theirs.torque()));
    }
    for _ in 0..60 {
        world.step();
        copy.step();
        assert_eq!(copy.state_hash(), world.state_hash());
    }
}

#[test]
fn snapshots_2d() {
    snapshots::<D2>("soft-step");
    snapshots::<D2>("baumgarte");
}

#[test]
fn snapshots_3d() {
    snapshots::<D3>("soft-step");
    snapshots::<D3>("baumgarte");
}

/// After the last joint is gone, slots stay free; a restored world can fill them again.
#[test]
fn restored_world_without_joints_takes_new_ones() {
    let mut world = World::<D2>::new();
    let wall = ground(&mut world);
    let bob = body(&mut world, 1.0, 0.0, 1.0, 0.1);
    let joints = [0, 1, 2].map(|_| join(&mut world, wall, bob, 0.0, 0.0, JointKind::Ball(Ball::default())));
    joints.iter().for_each(|&joint| world.remove_joint(joint).unwrap());
    let mut copy = World::<D2>::restore(&world.snapshot()).unwrap();
    let [a, b] =
        [&mut world, &mut copy].map(|w| join(w, wall, bob, 0.0, 0.0, JointKind::Ball(Ball::default())));
    assert_eq!(a, b);
    run(&mut copy, 0.1);
}
