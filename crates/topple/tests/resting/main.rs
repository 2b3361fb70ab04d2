//! Contacts that last: what lies still keeps its points, what is round rolls evenly, what stands keeps standing.

use topple::math::*;
use topple::{BodyDef, BodyDef3, BodyId, Material, Shape2, Shape3, ShapeDef, ShapeDef3, World, World3};

/// Boxes and floors of both dimensions.
trait Boxes: Dim {
    fn cube() -> Self::Shape;
    fn slab() -> Self::Shape;
    fn up(height: f32) -> Self::Point;
}

impl Boxes for D2 {
    fn cube() -> Shape2 {
        Shape2::rectangle(1.0, 1.0)
    }
    fn slab() -> Shape2 {
        Shape2::rectangle(20.0, 2.0)
    }
    fn up(height: f32) -> Point2 {
        Point2::new(0.0, height)
    }
}

impl Boxes for D3 {
    fn cube() -> Shape3 {
        Shape3::cuboid(1.0, 1.0, 1.0)
    }
    fn slab() -> Shape3 {
        Shape3::cuboid(20.0, 2.0, 20.0)
    }
    fn up(height: f32) -> Point3 {
        Point3::new(0.0, height, 0.0)
    }
}

fn box_keeps_its_points<D: Boxes>() {
    let mut world = World::<D>::new();
    let mut settings = world.settings().clone();
    settings.sleeping = false;
    // Computed in every step: ids must not hang on recycling.
    settings.recycling = 0.0;
    world.set_settings(settings).unwrap();
    world.create_body_with(BodyDef::<D>::fixed(D::up(-1.0)), [ShapeDef::new(D::slab())]).unwrap();
    let below = world.create_body_with(BodyDef::dynamic(D::up(0.5)), [ShapeDef::new(D::cube())]).unwrap();
    world.create_body_with(BodyDef::dynamic(D::up(1.5)), [ShapeDef::new(D::cube())]).unwrap();
    let ids = |world: &World<D>| {
        let contacts = world.contacts_of(below).unwrap();
        let mut all: Vec<_> = contacts
            .filter(|c| c.is_touching())
            .map(|c| (c.shapes(), c.points().map(|(.., id)| id).collect::<Vec<_>>()))
            .collect();
        all.sort();
        all
    };
    (0..30).for_each(|_| world.step());
    let first = ids(&world);
    assert_eq!(first.len(), 2, "on the slab and under the other box");
    assert!(first.iter().all(|(_, points)| points.len() == D::MAX_POINTS), "full manifolds: {first:?}");
    for step in 0..1000 {
        world.step();
        assert_eq!(ids(&world), first, "step {step}");
    }
}

#[test]
fn box_on_box_keeps_its_points_for_a_thousand_steps_2d() {
    box_keeps_its_points::<D2>();
}

#[test]
fn box_on_box_keeps_its_points_for_a_thousand_steps_3d() {
    box_keeps_its_points::<D3>();
}

fn floor() -> World3 {
    let mut world = World3::new();
    let mut settings = world.settings().clone();
    settings.sleeping = false;
    world.set_settings(settings).unwrap();
    world.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 40.0)]).unwrap();
    world
}

fn height(world: &World3, body: BodyId) -> f32 {
    world.body(body).unwrap().position().y
}

#[test]
fn a_cylinder_rolls_evenly_on_its_side() {
    let mut world = floor();
    // On its side: the axis of the shape (y) points along z.
    let lying = Quat::from_xyzw(core::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, core::f32::consts::FRAC_1_SQRT_2);
    let def = BodyDef3 {
        rotation: lying,
        linear_velocity: Vec3::new(2.0, 0.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, -4.0),
        ..BodyDef3::dynamic([-20.0, 0.5, 0.0])
    };
    let cylinder = world.create_body_with(def, [Shape3::cylinder(2.0, 0.5)]).unwrap();
    (0..30).for_each(|_| world.step());
    for step in 0..600 {
        world.step();
        let body = world.body(cylinder).unwrap();
        assert!((body.position().y - 0.5).abs() < 2e-3, "height {} in step {step}", body.position().y);
        let v = body.linear_velocity();
        assert!((v.x - 2.0).abs() < 0.03, "speed {} in step {step}", v.x);
        assert!(v.y.abs() < 0.02 && v.z.abs() < 0.02, "sideways {v} in step {step}");
    }
}

#[test]
fn cylinders_and_cones_stand() {
    let mut world = floor();
    let cylinder =
        world.create_body_with(BodyDef3::dynamic([0.0, 1.0, 0.0]), [Shape3::cylinder(2.0, 0.5)]).unwrap();
    let cone = world.create_body_with(BodyDef3::dynamic([5.0, 1.0, 0.0]), [Shape3::cone(2.0, 0.8)]).unwrap();
    let start = height(&world, cone);
    for step in 0..600 {
        world.step();
        assert!(
            (height(&world, cylinder) - 1.0).abs() < 5e-3,
            "cylinder at {} in step {step}",
            height(&world, cylinder)
        );
        assert!(
            (height(&world, cone) - start).abs() < 5e-3,
            "cone at {} in step {step}",
            height(&world, cone)
        );
    }
    for body in [cylinder, cone] {
        let body = world.body(body).unwrap();
        let up = RotOps::<D3>::rotate(body.rotation(), Vec3::Y);
        assert!(up.y > 0.9999, "upright: {up}");
        assert!(body.linear_velocity().length() < 0.01 && body.angular_velocity().length() < 0.01);
    }
}

#[test]
fn crossed_cylinders_rest_on_each_other() {
    let mut world = floor();
    let lying = |x: f32, z: f32| RotOps::<D3>::from_ang(Vec3::new(x, 0.0, z));
    let quarter = core::f32::consts::FRAC_PI_2;
    let rough = |shape: Shape3| ShapeDef3 {
        material: Material { rolling_friction: 0.2, ..Material::default() },
        ..shape.into()
    };
    for x in [-0.8, 0.8] {
        let def = BodyDef3 { rotation: lying(quarter, 0.0), ..BodyDef3::dynamic([x, 0.3, 0.0]) };
        world.create_body_with(def, [rough(Shape3::cylinder(2.0, 0.3))]).unwrap();
    }
    let def = BodyDef3 { rotation: lying(0.0, quarter), ..BodyDef3::dynamic([0.0, 0.9, 0.0]) };
    let top = world.create_body_with(def, [rough(Shape3::cylinder(3.0, 0.3))]).unwrap();
    (0..300).for_each(|_| world.step());
    assert!((height(&world, top) - 0.9).abs() < 0.02, "the upper one lies at {}", height(&world, top));
}

#[test]
fn crossed_rods_lie_on_each_other() {
    let mut world = floor();
    // Five layers of two rods, 4 m long and 0.1 m thick, each layer across the one below, a little askew.
    let mut rods = Vec::new();
    for layer in 0..5 {
        for side in [-0.8, 0.8] {
            let height = 0.05 + 0.1 * layer as f32;
            let (place, shape) = if layer % 2 == 0 {
                ([0.0, height, side], Shape3::cuboid(4.0, 0.1, 0.1))
            } else {
                ([side, height, 0.0], Shape3::cuboid(0.1, 0.1, 4.0))
            };
            let tilt = RotOps::<D3>::from_ang(Vec3::new(3e-4, 5e-4, 1e-3));
            let def = BodyDef3 { rotation: tilt, ..BodyDef3::dynamic(place) };
            rods.push((world.create_body_with(def, [shape]).unwrap(), height));
        }
    }
    (0..300).for_each(|_| world.step());
    for (rod, start) in rods {
        assert!(
            (height(&world, rod) - start).abs() < 0.005,
            "a rod at {start} lies at {}",
            height(&world, rod)
        );
    }
}
