//! What every integrator must do, whatever its order.

use crate::examples::custom_integrator::Windy;
use crate::support::*;
use topple::math::*;
use topple::{BodyDef, Locks, ShapeDef, World};

/// Puts a method into a world.
type Install<D> = Box<dyn Fn(&mut World<D>)>;

/// Every method of the registry, and the example's own in still air.
fn all<D: Dim>() -> Vec<(&'static str, Install<D>)> {
    let registered = methods::<D>("integrator").into_iter().map(|name| {
        let install: Install<D> = Box::new(move |world| world.set_integrator_by_name(name).unwrap());
        (name, install)
    });
    let own: Install<D> = Box::new(|world| world.set_integrator(Windy { wind: D::Vec::ZERO, rate: 0.0 }));
    registered.chain([("windy", own)]).collect()
}

/// Height after one second of fall from rest, at the given step.
fn fall<D: TestDim>(install: &Install<D>, dt: Real) -> Real {
    let mut world = World::<D>::new();
    install(&mut world);
    adjust(&mut world, |s| s.dt = dt);
    let body = add_body(&mut world, 0.0, 10.0, D::ball(0.5));
    run(&mut world, 1.0);
    world.body(body).unwrap().position().to_vec().get(1)
}

fn every_integrator<D: TestDim>() {
    for (name, install) in all::<D>() {
        // Free flight is uniform; kinematic bodies go where they are told; locks hold; turns add up.
        let mut world = World::<D>::new();
        install(&mut world);
        let (v, w) = (D::vec(1.0, -2.0), D::spin(0.5));
        let mut place = |def: BodyDef<D>| world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
        let base =
            BodyDef { linear_velocity: v, angular_velocity: w, ..BodyDef::dynamic(D::point(0.0, 0.0)) };
        let free = place(BodyDef { gravity_scale: 0.0, ..base.clone() });
        let kinematic = place(BodyDef {
            position: D::point(20.0, 0.0),
            kind: topple::BodyKind::Kinematic,
            ..base.clone()
        });
        let pinned = place(BodyDef { position: D::point(40.0, 0.0), locks: Locks::PINNED, ..base.clone() });
        let upright = place(BodyDef { position: D::point(60.0, 0.0), locks: Locks::ROTATION, ..base });
        run(&mut world, 1.0);
        let body = world.body(free).unwrap();
        assert_near(name, body.position().to_vec(), v, 1e-4, "m");
        assert_close(name, D::about_z(body.rotation().to_ang()), 0.5, 1e-3, "rad");
        let body = world.body(kinematic).unwrap();
        assert_near(name, body.position() - D::point(20.0, 0.0), v, 1e-4, "m");
        assert_eq!(body.linear_velocity(), v, "{name}: not pulled by gravity");
        assert_near(name, world.body(pinned).unwrap().position().to_vec(), D::vec(40.0, 0.0), 1e-5, "m");
        assert_eq!(world.body(upright).unwrap().rotation(), D::Rot::IDENTITY, "{name}");

        // It converges: the error of the fall shrinks at least in proportion to the step, or is rounding alone.
        let exact = 10.0 - 4.9;
        let (coarse, fine) =
            ((fall(&install, 1.0 / 30.0) - exact).abs(), (fall(&install, 1.0 / 120.0) - exact).abs());
        assert!(
            coarse < 0.2 && (fine < 0.3 * coarse || fine < 2e-4),
            "{name}: errors {coarse} m and {fine} m"
        );
    }
}

#[test]
fn every_integrator_2d() {
    every_integrator::<D2>();
}
#[test]
fn every_integrator_3d() {
    every_integrator::<D3>();
}
