//! Planes: infinite, but paired with what is near them alone.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyKind, ShapeDef, World};

fn pairs<D: Dim>(world: &World<D>) -> usize {
    world.contacts().count()
}

/// A stack on a plane, level or tilted with its gravity: the lowest box pairs with it, the others do not, and all rest.
fn stacks_pair_with_their_ground<D: TestDim>() {
    for angle in [0.0, 0.4] {
        let mut world = World::<D>::new();
        let up = D::turn(angle).rotate(D::vec(0.0, 1.0));
        adjust(&mut world, |s| s.gravity = up * -9.8);
        let plane = ShapeDef::new(D::half_space(up.get(0), up.get(1), 0.0));
        world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [plane]).unwrap();
        for i in 0..10 {
            let at = D::Point::from_vec(up * (0.5 + i as Real));
            let def = BodyDef { rotation: D::turn(angle), ..BodyDef::dynamic(at) };
            world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
        }
        world.step();
        // Boxes that are turned reach farther than they are high.
        let most = if angle == 0.0 { 10 } else { 20 };
        assert!((10..=most).contains(&pairs(&world)), "{} pairs at {angle} rad", pairs(&world));
        run(&mut world, 3.0);
        assert_eq!(world.awake_count(), 0, "the stack rests at {angle} rad");
    }
}

#[test]
fn stacks_pair_with_their_ground_2d() {
    stacks_pair_with_their_ground::<D2>();
}
#[test]
fn stacks_pair_with_their_ground_3d() {
    stacks_pair_with_their_ground::<D3>();
}

/// The pair comes when the body falls to the plane, goes when it is thrown up, and comes back; it comes too when the plane is moved to the
/// body, by hand or by its own motion, asleep or not.
fn pairs_with_planes_come_and_go<D: TestDim>() {
    for (x, y) in [(0.0, 1.0), (0.28, 0.96)] {
        let mut world = World::<D>::new();
        let plane = ShapeDef::new(D::half_space(x, y, 0.0));
        let ground = world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [plane]).unwrap();
        let ball = add_body(&mut world, 0.0, 3.0, D::ball(0.5));
        world.step();
        assert_eq!(pairs(&world), 0, "far away");
        run(&mut world, 1.0);
        assert_eq!(pairs(&world), 1, "it has landed");
        world.body_mut(ball).unwrap().set_linear_velocity(D::vec(0.0, 8.0)).unwrap();
        run(&mut world, 0.5);
        assert_eq!(pairs(&world), 0, "it flies");
        run(&mut world, 2.0);
        assert_eq!(pairs(&world), 1, "it has landed again");

        let def = BodyDef { is_awake: false, ..BodyDef::dynamic(D::point(0.0, 50.0)) };
        let sleeper = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
        world.step();
        assert_eq!(pairs(&world), 1, "the sleeper is far away");
        world.body_mut(ground).unwrap().set_position(D::point(0.0, 49.48)).unwrap();
        world.step();
        assert!(world.body(sleeper).unwrap().is_awake(), "the ground came to the sleeper");
        run(&mut world, 0.5);
        let over = |world: &World<D>, id| {
            let at = world.body(id).unwrap().position() - world.body(ground).unwrap().position();
            at.dot(D::vec(x, y))
        };
        assert_close("it lies on the ground", over(&world, sleeper), 0.5, 0.02, "m");

        world.set_kind(ground, BodyKind::Kinematic).unwrap();
        world.body_mut(ground).unwrap().set_linear_velocity(D::vec(0.0, 2.0)).unwrap();
        let above = add_body(&mut world, 0.0, 52.0, D::cube(1.0));
        world.body_mut(above).unwrap().set_gravity_scale(0.0).unwrap();
        run(&mut world, 3.0);
        assert!(over(&world, above) > 0.45, "the plane lifts what was above it: {}", over(&world, above));
    }
}

#[test]
fn pairs_with_planes_come_and_go_2d() {
    pairs_with_planes_come_and_go::<D2>();
}
#[test]
fn pairs_with_planes_come_and_go_3d() {
    pairs_with_planes_come_and_go::<D3>();
}
