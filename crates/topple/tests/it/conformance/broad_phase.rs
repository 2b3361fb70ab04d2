//! Every broad phase leads to the same state as all pairs, bit for bit, whatever happens to the world in between. (The
//! methods themselves, without a world, are compared in `tests/broad_phase`.)

use crate::examples::custom_broad_phase::SweepX;
use crate::support::*;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, Filter, ShapeDef, World};

/// Puts a method into a world.
type Install<D> = Box<dyn Fn(&mut World<D>)>;

/// Every method of the registry, and the example's own.
fn all<D: Dim>() -> Vec<(&'static str, Install<D>)> {
    let registered = methods::<D>("broad phase").into_iter().map(|name| {
        let install: Install<D> = Box::new(move |world| world.set_broad_phase_by_name(name).unwrap());
        (name, install)
    });
    let own: Install<D> = Box::new(|world| world.set_broad_phase(SweepX::default()));
    registered.chain([("sweep-x", own)]).collect()
}

/// A restless world: things come, go, jump, change sides.
fn disturb<D: TestDim>(world: &mut World<D>, step: usize, random: &mut Random) {
    let ids: Vec<_> = world.body_ids().skip(1).collect();
    let mut any = || ids[(random.unit() * ids.len() as Real) as usize % ids.len()];
    let (jumper, victim, changed) = (any(), any(), any());
    match step % 7 {
        0 => world
            .body_mut(jumper)
            .unwrap()
            .set_position(D::point(random.between(-6.0, 6.0), random.between(1.0, 9.0)))
            .unwrap(),
        2 => world.remove_body(victim).unwrap(),
        4 => {
            let shape = world.body(changed).unwrap().shapes().next().unwrap();
            let mask = if step.is_multiple_of(2) { 0 } else { u64::MAX };
            world.set_filter(shape, Filter { mask, ..Filter::default() }).unwrap();
        }
        5 => {
            let enabled = world.body(changed).unwrap().is_enabled();
            world.set_enabled(changed, !enabled).unwrap();
        }
        _ => {
            let kind = if step.is_multiple_of(3) { BodyDef::kinematic } else { BodyDef::dynamic };
            let def = BodyDef {
                linear_velocity: D::vec(0.5, 0.0),
                ..kind(D::point(random.between(-6.0, 6.0), 8.0))
            };
            let shape =
                ShapeDef { is_sensor: step.is_multiple_of(11), ..ShapeDef::new(D::capsule(0.5, 0.3)) };
            world.create_body_with(def, [shape]).unwrap();
        }
    }
}

fn same_state<D: TestDim>() {
    let run = |install: &Install<D>| {
        let mut world = World::<D>::new();
        install(&mut world);
        heap(&mut world, 6);
        let mut random = Random(11);
        let mut out = Vec::new();
        for step in 0..200 {
            disturb(&mut world, step, &mut random);
            world.step();
            let ray = Ray::<D>::between(D::point(-9.0, 0.7), D::point(9.0, 0.2 * (step % 9) as Real));
            let hits = world.cast_ray_all(&ray, &QueryFilter::default()).unwrap().len();
            out.push((world.state_hash(), world.contacts().count(), hits));
        }
        out
    };
    let methods = all::<D>();
    let reference = methods.iter().find(|(name, _)| *name == "all-pairs").unwrap();
    let expected = run(&reference.1);
    for (name, install) in &methods {
        let got = run(install);
        let first = got.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(first, None, "{name} parts from all-pairs: {:?}", first.map(|i| (got[i], expected[i])));
    }
}

#[test]
fn same_state_2d() {
    same_state::<D2>();
}
#[test]
fn same_state_3d() {
    same_state::<D3>();
}
