//! Bodies merged and taken apart: momentum, angular momentum and centre of mass stay. Shapes that come and go on living bodies.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Error, JointDef, Material, ShapeDef, World};

/// Mass, centre of mass, momentum and angular momentum about the origin of some bodies.
fn totals<D: Dim>(world: &World<D>, bodies: &[BodyId]) -> (Real, D::Vec, D::Vec, D::Ang) {
    let (mut mass, mut first, mut momentum, mut angular) = (0.0, D::Vec::ZERO, D::Vec::ZERO, D::Ang::ZERO);
    for &id in bodies {
        let body = world.body(id).unwrap();
        mass += body.mass();
        first += body.center().to_vec() * body.mass();
        momentum += body.momentum();
        angular += D::cross(body.center().to_vec(), body.momentum()) + body.angular_momentum();
    }
    (mass, first * (1.0 / mass), momentum, angular)
}

fn assert_same<D: Dim>(
    what: &str,
    got: (Real, D::Vec, D::Vec, D::Ang),
    expected: (Real, D::Vec, D::Vec, D::Ang),
) {
    assert_close(format!("{what}: mass"), got.0, expected.0, 1e-5, "kg");
    assert_near(format!("{what}: centre"), got.1, expected.1, 1e-5, "m");
    assert_near(format!("{what}: momentum"), got.2, expected.2, 2e-5, "kg·m/s");
    assert!(
        (got.3 - expected.3).length() < 5e-5,
        "{what}: angular momentum {:?} and {:?}",
        got.3,
        expected.3
    );
}

fn two<D: TestDim>(world: &mut World<D>, own_mass: bool) -> [BodyId; 2] {
    let def = BodyDef {
        rotation: D::turn(0.4),
        linear_velocity: D::vec(1.0, 2.0),
        angular_velocity: D::spin(0.7),
        ..BodyDef::dynamic(D::point(0.5, 1.0))
    };
    let a = world.create_body_with(def, [ShapeDef::new(D::block(2.0, 1.0))]).unwrap();
    let offset = Pose::at(D::point(0.3, 0.0));
    let mass = own_mass.then(|| topple::shape::ShapeOps::mass(&D::cube(1.0), 3.0));
    let def = BodyDef {
        rotation: D::turn(-1.1),
        linear_velocity: D::vec(-2.0, 0.5),
        angular_velocity: D::spin(-0.3),
        mass,
        name: "guest".into(),
        user_data: 7,
        ..BodyDef::dynamic(D::point(2.5, 2.0))
    };
    let shapes =
        [ShapeDef::new(D::ball(0.4)).density(2.0).at(offset), ShapeDef::new(D::cube(0.5)).friction(0.9)];
    let b = world.create_body_with(def, shapes).unwrap();
    [a, b]
}

fn merging_and_unmerging_keep_what_must_be_kept<D: TestDim>() {
    for own_mass in [false, true] {
        let mut world = World::<D>::new();
        weightless(&mut world);
        let [a, b] = two(&mut world, own_mass);
        let before = totals(&world, &[a, b]);
        let shapes: Vec<_> = world.body(b).unwrap().shapes().collect();
        let places: Vec<_> = shapes.iter().map(|&id| world.shape(id).unwrap().pose()).collect();
        let part = world.merge(a, b).unwrap();
        assert!(!world.contains_body(b));
        assert_same::<D>("merged", totals(&world, &[a]), before);
        for (&id, place) in shapes.iter().zip(&places) {
            let shape = world.shape(id).unwrap();
            assert_eq!(shape.body(), a);
            assert_near(
                "a shape stays where it is",
                shape.pose().position.to_vec(),
                place.position.to_vec(),
                1e-5,
                "m",
            );
        }
        assert_eq!(world.shape(shapes[1]).unwrap().material().friction, 0.9, "materials go along");
        run(&mut world, 0.5);
        let moving = totals(&world, &[a]);
        let (spin, at) = (world.body(a).unwrap().angular_velocity(), world.shape(shapes[0]).unwrap().pose());
        let rigid = world.body(a).unwrap().velocity_at(at.position);
        let c = world.unmerge(a, part).unwrap();
        assert_same::<D>("taken apart", totals(&world, &[a, c]), moving);
        let guest = world.body(c).unwrap();
        assert_eq!((guest.name(), guest.user_data(), guest.shapes().count()), ("guest", 7, 2));
        assert_eq!(guest.angular_velocity(), spin);
        assert_near("moves on", guest.velocity_at(at.position), rigid, 1e-5, "m/s");
        assert_near(
            "stays",
            world.shape(shapes[0]).unwrap().pose().position.to_vec(),
            at.position.to_vec(),
            1e-5,
            "m",
        );
        assert_close("host", world.body(a).unwrap().mass(), 2.0, 1e-5, "kg");
        run(&mut world, 0.5);
    }
}

/// Three bodies in a row become one and come apart in another order; on the floor, with contacts.
fn compounds_live_in_a_world<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let bodies = [0.0, 1.0, 2.0].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    run(&mut world, 1.5);
    assert_eq!(world.sleeping_count(), 3);
    let first = world.merge(bodies[0], bodies[1]).unwrap();
    let second = world.merge(bodies[0], bodies[2]).unwrap();
    run(&mut world, 1.5);
    let body = world.body(bodies[0]).unwrap();
    assert_near("lies still", body.center().to_vec(), D::vec(1.0, 0.5), 0.02, "m");
    assert_eq!(world.sleeping_count(), 1);
    // Lifted at one end as one piece.
    world.body_mut(bodies[0]).unwrap().apply_impulse(D::vec(0.0, 9.0)).unwrap();
    run(&mut world, 0.3);
    assert!(world.body(bodies[0]).unwrap().center().to_vec().get(1) > 0.8);
    let b = world.unmerge(bodies[0], first).unwrap();
    let c = world.unmerge(bodies[0], second).unwrap();
    run(&mut world, 2.0);
    for (id, x) in [(bodies[0], 0.0), (b, 1.0), (c, 2.0)] {
        assert_near(
            "back on the floor",
            world.body(id).unwrap().center().to_vec(),
            D::vec(x, 0.5),
            0.05,
            "m",
        );
    }
    let copy = World::<D>::restore(&world.snapshot()).unwrap();
    assert_eq!(copy.state_hash(), world.state_hash());
}

fn wrong_merges_change_nothing<D: TestDim>() {
    let mut world = World::<D>::new();
    let floor = add_floor(&mut world, 0.6);
    let [a, b, c] = [0.0, 3.0, 6.0].map(|x| add_body(&mut world, x, 2.0, D::cube(1.0)));
    let joint = JointDef::ball(&world, b, c, D::point(4.5, 2.0)).unwrap();
    world.create_joint(joint).unwrap();
    let gone = add_body(&mut world, 20.0, 2.0, D::cube(1.0));
    world.remove_body(gone).unwrap();
    let before = world.snapshot();
    assert!(matches!(world.merge(a, a), Err(Error::NotPossible { .. })));
    assert!(matches!(world.merge(a, floor), Err(Error::NotPossible { .. })));
    assert!(matches!(world.merge(a, b), Err(Error::NotPossible { .. })), "joints");
    assert!(matches!(world.merge(a, gone), Err(Error::StaleId { .. })));
    assert!(world.snapshot() == before);
    // A body with joints takes others in, and keeps them.
    let part = world.merge(b, a).unwrap();
    run(&mut world, 0.1);
    let whole = world.snapshot();
    let mut stolen = part.clone();
    stolen.shapes = world.body(c).unwrap().shapes().collect();
    assert!(matches!(world.unmerge(b, stolen), Err(Error::NotPossible { .. })));
    let mut doubled = part.clone();
    doubled.shapes.push(part.shapes[0]);
    assert!(world.unmerge(b, doubled).is_err());
    let mut all = part.clone();
    all.shapes = world.body(b).unwrap().shapes().collect();
    assert!(matches!(world.unmerge(b, all), Err(Error::NotPossible { .. })), "nothing left");
    assert!(world.snapshot() == whole);
    world.unmerge(b, part).unwrap();
    run(&mut world, 0.5);
}

/// A shape that is added moves the centre and the mass; the velocity of every material point stays. Removing reverses it.
fn shapes_come_and_go_on_living_bodies<D: TestDim>() {
    let mut world = World::<D>::new();
    weightless(&mut world);
    let def = BodyDef {
        linear_velocity: D::vec(1.0, 0.0),
        angular_velocity: D::spin(2.0),
        ..BodyDef::dynamic(D::point(0.0, 0.0))
    };
    let body = world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
    let mark = D::point(0.2, 0.3);
    let v = world.body(body).unwrap().velocity_at(mark);
    let arm = ShapeDef::new(D::cube(1.0)).at(Pose::at(D::point(2.0, 0.0)));
    let arm = ShapeDef { material: Material { friction: 0.1, ..Material::default() }, ..arm };
    let shape = world.add_shape(body, arm).unwrap();
    let view = world.body(body).unwrap();
    assert_close("mass", view.mass(), 2.0, 1e-5, "kg");
    assert_near("centre", view.center().to_vec(), D::vec(1.0, 0.0), 1e-5, "m");
    assert_near("motion", view.velocity_at(mark), v, 1e-5, "m/s");
    // About z: two cubes of 1/6 each, 1 m from the centre.
    assert_close(
        "inertia",
        D::about_z(view.inertia().apply(D::spin(1.0))),
        2.0 * (1.0 / 6.0 + 1.0),
        1e-4,
        "kg·m²",
    );
    world.remove_shape(shape).unwrap();
    let view = world.body(body).unwrap();
    assert_close("mass", view.mass(), 1.0, 1e-5, "kg");
    assert_near("centre", view.center().to_vec(), D::Vec::ZERO, 1e-5, "m");
    assert_near("motion", view.velocity_at(mark), v, 1e-5, "m/s");

    // On the floor: a leg that is taken away lets the table down on that side; each shape has its own friction.
    let mut world = World::<D>::new();
    add_floor(&mut world, 1.0);
    let leg = |x: Real, friction: Real| {
        ShapeDef::new(D::cube(0.5)).at(Pose::at(D::point(x, -0.5))).friction(friction)
    };
    let table = world.create_body_with(
        BodyDef::dynamic(D::point(0.0, 0.75)),
        [ShapeDef::new(D::block(4.0, 0.5)), leg(-1.5, 0.25), leg(1.5, 1.0)],
    );
    let table = table.unwrap();
    run(&mut world, 1.0);
    let frictions: Vec<_> =
        world.contacts_of(table).unwrap().filter(|c| c.is_touching()).map(|c| c.material().0).collect();
    assert_eq!(frictions.len(), 2);
    assert!(frictions.contains(&0.5) && frictions.contains(&1.0), "{frictions:?}");
    let legs: Vec<_> = world.body(table).unwrap().shapes().collect();
    world.remove_shape(legs[2]).unwrap();
    run(&mut world, 2.0);
    let tilt = D::about_z(world.body(table).unwrap().rotation().to_ang());
    assert!(tilt < -0.1, "it leans to the right: {tilt} rad");
}

/// Parts are public and can be edited: what would be impossible is refused, and the world stays as it was.
fn edited_parts_are_refused<D: TestDim>() {
    let mut world = World::<D>::new();
    let [a, b] = [0.0, 1.0].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    let part = world.merge(a, b).unwrap();
    world.body_mut(a).unwrap().set_linear_velocity(D::vec(1.0, 0.0)).unwrap();
    let edits: [fn(&mut topple::Part<D>); 6] = [
        |part| part.def.is_enabled = false,
        |part| part.def.kind = BodyKind::Static,
        |part| part.def.kind = BodyKind::Kinematic,
        |part| part.local.position = D::point(1e38, 0.0),
        |part| part.local.position = D::point(Real::NAN, 0.0),
        |part| part.mass.mass = -5.0,
    ];
    for (which, edit) in edits.iter().enumerate() {
        let mut edited = part.clone();
        edit(&mut edited);
        let before = world.snapshot();
        assert!(world.unmerge(a, edited).is_err(), "edit {which}");
        assert!(world.snapshot() == before, "edit {which} left a trace");
    }
    world.unmerge(a, part).unwrap();
}

/// Numbers that overflow in the result of a change are refused before it.
fn overflows_are_refused<D: TestDim>() {
    let mut world = World::<D>::new();
    let [a, b] = [0.0, 1.0].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    for id in [a, b] {
        world.body_mut(id).unwrap().set_linear_velocity(D::vec(3e38, 0.0)).unwrap();
    }
    let before = world.snapshot();
    assert!(world.merge(a, b).is_err());
    assert!(world.snapshot() == before, "merging left a trace");

    // A centre of mass that moves 5 m away, at this spin.
    let mut world = World::<D>::new();
    let body = add_body(&mut world, 0.0, 0.0, D::ball(0.5));
    world.body_mut(body).unwrap().set_angular_velocity(D::spin(3e38)).unwrap();
    let before = world.snapshot();
    let far = ShapeDef::new(D::ball(0.5)).at(Pose::at(D::point(10.0, 0.0)));
    assert!(world.add_shape(body, far.clone()).is_err());
    let mass = topple::Mass { center: D::vec(10.0, 0.0), ..world.body(body).unwrap().mass_properties() };
    assert!(world.body_mut(body).unwrap().set_mass(Some(mass)).is_err());
    let def = BodyDef { angular_velocity: D::spin(3e38), ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    assert!(world.create_body_with(def, [far]).is_err());
    assert!(world.snapshot() == before, "a change left a trace");

    // What is left has no inverse mass: in 2D r² and in 3D r³ must underflow.
    let mut world = World::<D>::new();
    let tiny = D::pick(1e-20, 1e-15);
    let shapes = [0.5, tiny].map(|radius| ShapeDef::new(D::ball(radius)));
    let body = world.create_body_with(BodyDef::dynamic(D::point(0.0, 1.0)), shapes).unwrap();
    let first = world.body(body).unwrap().shapes().next().unwrap();
    let before = world.snapshot();
    assert!(world.remove_shape(first).is_err());
    assert!(world.snapshot() == before, "removing left a trace");
    world.step();
}

/// Points merged to a rod, which has no inertia about its axis: a snapshot of it is taken back.
fn merged_points_are_restored<D: TestDim>() {
    let mut world = World::<D>::new();
    let [a, b] = [0.0, 1.0].map(|x| world.create_body(BodyDef::dynamic(D::point(x, 0.0))).unwrap());
    world.merge(a, b).unwrap();
    for _ in 0..3 {
        let copy = World::<D>::restore(&world.snapshot()).unwrap();
        assert_eq!(copy.state_hash(), world.state_hash());
        world.step();
    }
}

#[test]
fn merging_and_unmerging_keep_what_must_be_kept_2d() {
    merging_and_unmerging_keep_what_must_be_kept::<D2>();
}
#[test]
fn merging_and_unmerging_keep_what_must_be_kept_3d() {
    merging_and_unmerging_keep_what_must_be_kept::<D3>();
}
#[test]
fn compounds_live_in_a_world_2d() {
    compounds_live_in_a_world::<D2>();
}
#[test]
fn compounds_live_in_a_world_3d() {
    compounds_live_in_a_world::<D3>();
}
#[test]
fn wrong_merges_change_nothing_2d() {
    wrong_merges_change_nothing::<D2>();
}
#[test]
fn wrong_merges_change_nothing_3d() {
    wrong_merges_change_nothing::<D3>();
}
#[test]
fn shapes_come_and_go_on_living_bodies_2d() {
    shapes_come_and_go_on_living_bodies::<D2>();
}
#[test]
fn shapes_come_and_go_on_living_bodies_3d() {
    shapes_come_and_go_on_living_bodies::<D3>();
}
#[test]
fn edited_parts_are_refused_2d() {
    edited_parts_are_refused::<D2>();
}
#[test]
fn edited_parts_are_refused_3d() {
    edited_parts_are_refused::<D3>();
}
#[test]
fn overflows_are_refused_2d() {
    overflows_are_refused::<D2>();
}
#[test]
fn overflows_are_refused_3d() {
    overflows_are_refused::<D3>();
}
#[test]
fn merged_points_are_restored_2d() {
    merged_points_are_restored::<D2>();
}
#[test]
fn merged_points_are_restored_3d() {
    merged_points_are_restored::<D3>();
}
