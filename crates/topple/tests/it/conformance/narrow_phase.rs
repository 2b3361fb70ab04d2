//! What every narrow phase must find, seen through a world: the same contact in either order of the pair, wherever the pair
//! stands and however it is turned, and near to what the default finds.

use crate::examples::custom_narrow_phase::BallsByHand;
use crate::support::*;
use std::any::Any;
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// Normal from the first shape to the second, and the smallest separation.
type Found<D> = Option<(<D as Dim>::Vec, Real)>;

/// Puts a method into a world.
type Install<D> = Box<dyn Fn(&mut World<D>)>;

/// Every method of the registry, and in the plane the example's own.
fn all<D: Dim>() -> Vec<(&'static str, Install<D>)> {
    let registered = methods::<D>("narrow phase").into_iter().map(|name| {
        let install: Install<D> = Box::new(move |world| world.set_narrow_phase_by_name(name).unwrap());
        (name, install)
    });
    let own: Install<D> = Box::new(|world| {
        if let Some(world) = (world as &mut dyn Any).downcast_mut::<World<D2>>() {
            world.set_narrow_phase(BallsByHand);
        }
    });
    registered.chain([("balls-by-hand", own)]).collect()
}

/// The contact of two shapes after one step at the given places. The step is so short that nothing moves.
fn contact<D: TestDim>(
    install: &Install<D>,
    shapes: [&D::Shape; 2],
    places: [Pose<D>; 2],
    swap: bool,
) -> Found<D> {
    let mut world = World::<D>::new();
    install(&mut world);
    weightless(&mut world);
    adjust(&mut world, |s| s.dt = 1e-6);
    let order = if swap { [1, 0] } else { [0, 1] };
    let ids = order.map(|i| {
        let def = BodyDef { rotation: places[i].rotation, ..BodyDef::dynamic(places[i].position) };
        world.create_body_with(def, [ShapeDef::new(shapes[i].clone())]).unwrap()
    });
    world.step();
    let contact = world.contacts().find(|contact| contact.is_touching())?;
    assert_eq!(contact.bodies(), ids);
    let sign = if swap { -1.0 } else { 1.0 };
    let separation = contact.points().map(|point| point.1).fold(Real::MAX, Real::min);
    Some((contact.normal() * sign, separation))
}

fn every_narrow_phase<D: TestDim>() {
    let shapes = [D::ball(0.5), D::cube(1.0), D::capsule(0.8, 0.3), D::block(1.6, 0.6)];
    let default = &all::<D>()[0].1;
    let mut random = Random(5);
    let mut found = 0;
    for _ in 0..120 {
        let mut pick = || &shapes[(random.unit() * 3.99) as usize];
        let pair = [pick(), pick()];
        let mut place = |spread: Real| Pose::<D> {
            position: D::point(random.between(-spread, spread), random.between(-spread, spread)),
            rotation: D::turn(random.between(-3.0, 3.0)),
        };
        let places = [place(0.0), place(1.0)];
        let motion = place(3.0);
        let moved = places.map(|place| motion.compose(place));
        let expected = contact::<D>(default, pair, places, false);
        for (name, install) in all::<D>() {
            let plain = contact::<D>(&install, pair, places, false);
            let swapped = contact::<D>(&install, pair, places, true);
            let elsewhere = contact::<D>(&install, pair, moved, false);
            let back = elsewhere.map(|(normal, separation)| (motion.rotation.rotate_inv(normal), separation));
            for (what, other) in [("swapped", swapped), ("moved", back), ("default", expected)] {
                match (plain, other) {
                    (Some((_, a)), Some((_, b))) => {
                        // Deep overlaps may be resolved along another axis of the same depth; the depth must agree.
                        assert_close(format!("{name}, {what}: {pair:?}"), b, a, 2e-3, "m");
                        found += 1;
                    }
                    // At the edge of the margin rounding decides whether there is a contact.
                    (a, b) => assert!(
                        a.or(b).is_none_or(|(_, s)| s > 0.0),
                        "{name}, {what}: {a:?} or {b:?}, {pair:?}"
                    ),
                }
                if let (Some((n, a)), Some((m, _))) = (plain, other)
                    && a > -0.05
                {
                    assert!(n.dot(m) > 0.99, "{name}, {what}: normals {n:?} and {m:?} at {a} m, {pair:?}");
                }
            }
            if let Some((n, _)) = plain {
                assert_close(name, n.length(), 1.0, 1e-4, "");
                // From the first to the second: the normal has a part along the line of the centres.
                assert!(n.dot(places[1].position - places[0].position) > -0.05, "{name}: {n:?}");
            }
        }
    }
    assert!(found > 100, "only {found} comparisons");
}

#[test]
fn every_narrow_phase_2d() {
    every_narrow_phase::<D2>();
}
#[test]
fn every_narrow_phase_3d() {
    every_narrow_phase::<D3>();
}
