//! What every solver must do, with its own tolerances. (The closed-form cases in `analytic.rs`, the clouds in
//! `conservation.rs` and the piles in `stacking.rs` also run for every solver of the registry.)

use crate::examples::custom_solver::Penalty;
use crate::support::*;
use std::sync::Arc;
use topple::exec::Pool;
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// Puts a method into a world.
type Install<D> = Box<dyn Fn(&mut World<D>)>;

/// A solver and how well it does.
struct Candidate<D: Dim> {
    name: &'static str,
    install: Install<D>,
    /// How far resting bodies may sink or creep [m].
    rest: Real,
    /// Highest stack of boxes it holds.
    stack: usize,
}

/// Every method of the registry with the tolerances all share unless said otherwise, and the example's own.
fn all<D: Dim>() -> Vec<Candidate<D>> {
    let registered = methods::<D>("solver").into_iter().map(|name| Candidate::<D> {
        name,
        install: Box::new(move |world| world.set_solver_by_name(name).unwrap()),
        rest: 0.012,
        stack: 8,
    });
    let own = Candidate::<D> {
        name: "my-penalty",
        install: Box::new(|world| world.set_solver(Penalty::default())),
        rest: 0.03,
        stack: 3,
    };
    registered.chain([own]).collect()
}

fn fresh<D: Dim>(candidate: &Candidate<D>) -> World<D> {
    let mut world = World::new();
    (candidate.install)(&mut world);
    assert_eq!(world.methods().solver(), candidate.name);
    world
}

fn every_solver<D: TestDim>() {
    for candidate in all::<D>() {
        let name = candidate.name;
        // Empty and still worlds.
        let mut world = fresh(&candidate);
        world.step();
        add_floor(&mut world, 0.5);
        world.step();

        // Free bodies advance by the whole step.
        let def = BodyDef {
            linear_velocity: D::vec(3.0, 0.0),
            gravity_scale: 0.0,
            ..BodyDef::dynamic(D::point(0.0, 50.0))
        };
        let free = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
        run(&mut world, 1.0);
        assert_near(name, world.body(free).unwrap().position().to_vec(), D::vec(3.0, 50.0), 1e-3, "m");

        // A stack stands, its floor carries it, and nothing creeps.
        let mut world = fresh(&candidate);
        add_floor(&mut world, 0.5);
        let boxes: Vec<_> =
            (0..candidate.stack).map(|i| add_body(&mut world, 0.0, 0.5 + i as Real, D::cube(1.0))).collect();
        run(&mut world, 4.0);
        for (i, &id) in boxes.iter().enumerate() {
            let tolerance = candidate.rest * (i + 1) as Real;
            let expected = D::vec(0.0, 0.5 + i as Real);
            assert_near(
                format!("{name}: box {i}"),
                world.body(id).unwrap().position().to_vec(),
                expected,
                tolerance,
                "m",
            );
        }

        // Heavy on light: ten to one, it holds.
        let mut world = fresh(&candidate);
        add_floor(&mut world, 0.5);
        add_body(&mut world, 0.0, 0.5, D::cube(1.0));
        let heavy = add_shaped(&mut world, 0.0, 1.5, ShapeDef::new(D::cube(1.0)).density(10.0));
        run(&mut world, 3.0);
        let height = world.body(heavy).unwrap().position().to_vec().get(1);
        assert_close(format!("{name}: heavy on light"), height, 1.5, 5.0 * candidate.rest, "m");

        // Overlapping from the start: pushed apart, not blown apart.
        let mut world = fresh(&candidate);
        weightless(&mut world);
        add_body(&mut world, 0.0, 0.0, D::ball(0.5));
        add_body(&mut world, 0.6, 0.0, D::ball(0.5));
        let mut fastest: Real = 0.0;
        for _ in 0..120 {
            world.step();
            for id in world.body_ids() {
                fastest = fastest.max(world.body(id).unwrap().linear_velocity().length());
            }
        }
        assert!(deepest_overlap(&world) < 0.05, "{name}: still {} m deep", deepest_overlap(&world));
        assert!(fastest < 12.0, "{name}: blown apart at {fastest} m/s");

        // Threads change nothing.
        let hash = |threads: usize| {
            let mut world = fresh(&candidate);
            world.set_executor(Arc::new(Pool::new(threads)));
            heap(&mut world, 5);
            (0..90).for_each(|_| world.step());
            world.state_hash()
        };
        assert_eq!(hash(1), hash(3), "{name}");
    }
}

#[test]
fn every_solver_2d() {
    every_solver::<D2>();
}
#[test]
fn every_solver_3d() {
    every_solver::<D3>();
}
