//! Generators of a scene are the engine's: against formulas, for bodies that come later, removed by name, kept in saved worlds.

use topple::World3;
use topple_scene::run::Simulation;

use crate::support::{good, of, run};

/// Speed is good to this where the formula is exact but for the order of the scheme [m/s].
const CLOSE: f64 = 0.01;

#[test]
fn fields_of_force_follow_their_formulas() {
    let simulation = run("world { gravity 0,0,0 frames 60 sleeping off }
         sphere up { radius 0.5 centre 0,0,0 } sphere blown { radius 0.5 density 100 centre 0,100,0 }
         sphere pulled { radius 0.5 centre 0,200,0 } sphere far { radius 0.5 centre 0,300,0 }
         sphere spun { radius 0.5 centre 0,400,0 } sphere swirled { radius 0.5 centre 1,500,0 }
         sphere slow { radius 0.5 mass 1 centre 0,600,0 vel 1,0,0 } sphere rocket { radius 0.5 mass 2 centre 0,700,0 }
         sphere out { radius 0.5 centre 0,800,0 }
         force gravity { on up, out acceleration 0,2,0 high 900,700,900 }
         force wind { on blown velocity 0,0,10 }
         force spring { a pulled atB 0,205,0 length 0 stiffness 0.5 }
         force explosion { on far at -2,300,0 radius 4 pressure 6 duration 0.5s }
         force motor { on spun torque 0,0.01,0 }
         force vortex { on swirled at 0,500,0 axis 0,1,0 radius 2 swirl 3 lift 1 }
         force drag { on slow linear 2 }
         force thrust { on rocket force 0,0,3 }");
    assert!((of(&simulation, "vy", "up") - 2.0).abs() < CLOSE);
    assert_eq!(of(&simulation, "vy", "out"), 0.0);
    // ½·1.2·10²·π·r² against the mass, nearly constant while it is slow.
    let area = std::f64::consts::PI * 0.25;
    let push = 60.0 * area / (100.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.125);
    assert!((of(&simulation, "vz", "blown") - push).abs() < 0.2 * push, "{}", of(&simulation, "vz", "blown"));
    let omega = (0.5 / (4.0 / 3.0 * std::f64::consts::PI * 0.125_f64)).sqrt();
    assert!((of(&simulation, "vy", "pulled") - 5.0 * omega * omega.sin()).abs() < 0.02);
    assert!(of(&simulation, "vx", "far") > 0.5);
    // M·t / (2/5·m·r²).
    let inertia = 0.4 * (4.0 / 3.0 * std::f64::consts::PI * 0.125) * 0.25;
    assert!((of(&simulation, "spin", "spun") - 0.01 / inertia).abs() < 0.01 * 0.01 / inertia);
    assert!(of(&simulation, "vz", "swirled") < -0.3 && of(&simulation, "vy", "swirled") > 0.1);
    assert!((of(&simulation, "vx", "slow") - (-2.0_f64).exp()).abs() < CLOSE);
    assert!((of(&simulation, "vz", "rocket") - 1.5).abs() < CLOSE);
}

#[test]
fn bodies_that_come_later_feel_what_they_are_meant_to() {
    let simulation = run("world { gravity 0,0,0 frames 60 sleeping off }
         group g { sphere early { radius 0.1 } }
         force gravity { on g acceleration 0,1,0 } force thrust { on g force 1,0,0 }
         at 30 steps { sphere late { radius 0.1 mass 1 centre 5,0,0 memberOf \"g\" } sphere other { radius 0.1 centre 9,0,0 } }");
    assert!((of(&simulation, "vy", "g.early") - 1.0).abs() < CLOSE);
    assert!((of(&simulation, "vy", "late") - 0.5).abs() < CLOSE);
    assert!((of(&simulation, "vx", "late") - 0.5).abs() < CLOSE);
    assert_eq!(of(&simulation, "vy", "other"), 0.0);
}

#[test]
fn a_generator_is_removed_by_its_name() {
    let simulation = run("world { gravity 0,0,0 frames 60 sleeping off } sphere a { radius 0.1 mass 1 }
         force gravity pull { acceleration 0,1,0 } force motor turn { on a torque 0,1,0 }
         at 30 steps { remove pull; remove turn; }");
    assert!((of(&simulation, "vy", "a") - 0.5).abs() < CLOSE);
    let Simulation::Three(run) = &simulation else { panic!("3D") };
    assert_eq!(run.world.generator_count(), 0);
}

#[test]
fn energy_counts_forces_that_have_a_potential() {
    let simulation = run("world { dimension 2 gravity 0,0 integrator verlet frames 600 sleeping off }
         circle planet { radius 0.1 mass 2 centre 3,0 vel 0,1 } circle moon { radius 0.01 mass 0.01 centre 3.5,0 vel 0,3 }
         force point { strength 3 } force attraction { strength 1 }
         expect always { energy == start(energy) within 0.5%; potentialEnergy < 0 }");
    let mut simulation = simulation;
    for outcome in simulation.outcomes(true) {
        assert_eq!(outcome.passed, Some(true), "{outcome:?}");
    }
}

#[test]
fn all_generators_are_part_of_snapshot_and_hash() {
    let text = "world { sleeping off } sphere a { radius 0.5 centre 0,1,0 } sphere b { radius 0.5 centre 3,1,0 }
         force point { at 0,9,0 strength 5 } force spring { a a b b stiffness 2 } force attraction { strength 2 }
         force motor { on a torque 0,0.1,0 } force thrust { on b force 0,0.2,0.3 } force wind { velocity 1,2,3 }
         force drag { linear 0.1 angular 0.01 } force drag { on a quadratic 0.1 }
         force buoyancy { level 1 } force vortex { radius 9 swirl 1 } force gravity { acceleration 0,0,1 }
         force explosion { at 0,-1,0 radius 9 pressure 3 duration 0.5s }";
    let scene = good(text);
    let mut whole = Simulation::new(&scene);
    whole.run(40);
    let mut half = Simulation::new(&scene);
    half.run(15);
    let (Simulation::Three(half), mut rest) = (half, Simulation::new(&scene)) else { panic!("3D") };
    let Simulation::Three(run) = &mut rest else { panic!("3D") };
    run.adopt(World3::restore(&half.world.snapshot()).expect("a snapshot")).expect("known generators");
    assert_eq!(run.world.state_hash(), half.world.state_hash());
    for _ in 0..25 {
        run.world.step();
    }
    assert_eq!(rest.hash(), whole.hash());
    let weaker = Simulation::new(&good(&text.replace("linear 0.1", "linear 0.2")));
    assert_ne!(weaker.hash(), Simulation::new(&scene).hash());
}

#[test]
fn surfaces_have_every_field_of_the_engine() {
    let simulation = Simulation::new(&good(
        "world { frictionMixing max elasticMixing min }
         material belt { friction 0.8 staticFriction 1.1 rollingFriction 0.01 spinningFriction 2mm
             surfaceVelocity 1,0,0 grain 1,0,0 grainFriction 0.1 frictionMixing min elasticMixing product elastic 0.3 }
         body { box { size 1,1,1 material belt } sphere { radius 1 centre 2,0,0 material belt friction 0.1 frictionMixing mean } }",
    ));
    let Simulation::Three(run) = &simulation else { panic!("3D") };
    let shapes: Vec<_> = run.world.body(run.bodies[0].id).expect("there").shapes().collect();
    let of = |index: usize| run.world.shape(shapes[index]).expect("there").material();
    let wanted = topple::Material::<topple::D3> {
        friction: 0.8,
        static_friction: 1.1,
        restitution: 0.3,
        rolling_friction: 0.01,
        spinning_friction: 0.002,
        surface_velocity: topple::Vec3::X,
        grain: topple::Vec3::X,
        grain_friction: 0.1,
        friction_mixing: Some(topple::Mixing::Min),
        restitution_mixing: Some(topple::Mixing::Product),
    };
    assert_eq!(of(0), wanted);
    assert_eq!(
        of(1),
        topple::Material::<topple::D3> {
            friction: 0.1,
            friction_mixing: Some(topple::Mixing::Mean),
            ..wanted
        }
    );
    assert_eq!(run.world.settings().friction_mixing, topple::Mixing::Max);
}
