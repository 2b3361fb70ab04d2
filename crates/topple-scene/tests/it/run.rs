//! Scenes that run: bodies fall as they should, the director does its part, expectations tell the truth.

use topple_scene::model::Query;
use topple_scene::run::Simulation;
use topple_scene::{FileLoader, Options, load};

use crate::support::{load_file, of, run, scenes};

fn passed(simulation: &mut Simulation) -> Vec<Option<bool>> {
    simulation.outcomes(true).iter().map(|outcome| outcome.passed).collect()
}

#[test]
fn a_ball_falls_as_a_ball_does() {
    for text in [
        "world { frames 60 } sphere ball { radius 0.5 centre 0,100,0 }",
        "world { dimension 2 frames 60 } circle ball { radius 0.5 centre 0,100 }",
        "sphere ball { radius 0.5 mass 3 centre 0,100,0 }",
    ] {
        let simulation = run(text);
        let fallen = 100.0 - of(&simulation, "y", "ball");
        assert!((fallen - 4.9).abs() < 0.1, "{fallen} m in one second: {text}");
    }
}

#[test]
fn seed_spheres_bounce_back() {
    let mut simulation = run("sphere ball { radius 0.5 mass 1 centre 0,3,0 } wall { normal 0,1,0 toOrig 0 }
         expect by 3s \"it comes back up\" { y(ball) > 2.5 and vy(ball) > 0 }");
    assert_eq!(passed(&mut simulation), [Some(true)]);
}

#[test]
fn expectations_tell_pass_and_fail_apart() {
    let mut simulation = run("world { dimension 2 } box floor { static size 20,1 centre 0,-0.5 }
         repeat i in 0..3 { box brick { size 1,1 centre 0, 0.5 + i } }
         expect after 2s \"it stands\" { y(brick[2]) > 2.4; speed(brick) < 0.1; tilt(brick) < 1deg }
         expect always { y(all) > -0.1; penetration < 0.05 }
         expect finally { energy == start(energy) within 5%; count(y(all) > 1) == 2; mean(x(brick)) == 0 within 1mm }
         expect after 1s { y(brick) > 1 }
         expect by 1s { y(brick[0]) > 5 }
         expect from 1s until 2s { touching(brick[0], floor) == 1; distance(brick[0], brick[2]) == 2 within 2% }");
    let outcomes = simulation.outcomes(true);
    let results: Vec<_> = outcomes.iter().map(|outcome| outcome.passed == Some(true)).collect();
    assert_eq!(
        results,
        [true, true, true, true, true, true, true, true, false, false, true, true],
        "{outcomes:#?}"
    );
    assert!(outcomes[8].found.contains("against 1"), "{}", outcomes[8].found);
}

#[test]
fn the_director_adds_pushes_changes_and_stops() {
    let simulation = run("world { dimension 2 frames 400 gravity 0,0 } circle ball { radius 0.5 mass 2 }
         every 20 steps as k from 0 steps until 100 steps { circle drop { radius 0.1 centre 10 + k, 0 } }
         at 10 steps { push ball { impulse 4,0 } }
         at 1s { remove drop[0]; set { gravity 0,-1 } change drop { gravityScale 0 colour red } }
         when steps >= 181 { stop }");
    assert!((of(&simulation, "vx", "ball") - 2.0).abs() < 1e-5);
    assert!(of(&simulation, "vy", "ball") < -1.5);
    assert!(of(&simulation, "vy", "drop[1]").abs() < 1e-6);
    assert_eq!(of(&simulation, "exists", "drop[0]"), 0.0);
    assert_eq!(simulation.value(&Query::Quantity("bodies", vec![])), [6.0]);
    assert_eq!(simulation.steps(), 181);
}

#[test]
fn ignored_pairs_pass_through_each_other() {
    let simulation = run(
        "world { frames 120 } box a { static size 4,1,4 } sphere b { radius 0.2 centre 0,2,0 } ignore { a a b b }",
    );
    assert!(of(&simulation, "y", "b") < -1.0);
}

#[test]
fn given_masses_hold() {
    let simulation = run("world { frames 1 } sphere a { radius 1 mass 7 } body b { mass 3 centre 9,0,0 sphere { radius 1 } box { size 1,1,1 centre 2,0,0 } }
         sphere c { radius 1 density 2 centre 20,0,0 }");
    assert!((of(&simulation, "mass", "a") - 7.0).abs() < 1e-5);
    assert!((of(&simulation, "mass", "b") - 3.0).abs() < 1e-5);
    assert!((of(&simulation, "mass", "c") - 8.37758).abs() < 1e-3);
}

#[test]
fn the_same_scene_gives_the_same_hash() {
    let text = "world { dimension 2 seed 4 frames 90 } box floor { static size 40,1 centre 0,-0.5 }
         repeat i in 0..20 { circle { radius uniform(0.2,0.5) centre uniform(-2,2), 1 + i } }
         every 10 steps { box { size 0.4,0.4 centre uniform(-2,2), 12 } }";
    assert_eq!(run(text).hash(), run(text).hash());
    assert_ne!(run(text).hash(), run(&text.replace("seed 4", "seed 5")).hash());
}

#[test]
fn the_corpus_runs() {
    for path in scenes("ok") {
        let mut simulation = Simulation::new(&load_file(&path).scene);
        simulation.run(30);
        assert!(simulation.is_stopped() || simulation.steps() == 30, "{}", path.display());
    }
}

#[test]
fn what_the_engine_refuses_is_said_and_the_rest_runs() {
    let loaded = topple_scene::load(
        "world { } sphere a { radius 1 } sphere b { radius 1 mass 1e-50 }",
        Options::default(),
    );
    let mut simulation = Simulation::new(&loaded.scene);
    assert!(simulation.diagnostics().errors() > 0);
    assert_eq!(simulation.run(5), 5);
}

#[test]
fn the_guide_tells_the_truth() {
    let guide =
        std::fs::read_to_string(crate::support::crate_root().join("../../docs/guide/scene-language.md"));
    let guide = guide.expect("the guide is readable");
    let snippets: Vec<&str> =
        guide.split("```scene\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    assert!(snippets.len() >= 8);
    for snippet in snippets {
        let name = crate::support::crate_root().join("tests/data/ok/guide.scene").display().to_string();
        let mut loader = FileLoader::default();
        let loaded = load(snippet, Options { name, loader: Some(&mut loader), ..Options::default() });
        assert!(loaded.diagnostics.is_empty(), "{}", loaded.report(false));
        let scene = loaded.scene;
        let mut simulation = Simulation::new(&scene);
        assert_eq!(simulation.diagnostics().errors(), 0, "{snippet}");
        let windows = scene.expectations.iter().map(|expectation| expectation.window);
        let last = windows.filter_map(|window| window.last(scene.world.dt)).max().unwrap_or(0);
        simulation.run(scene.frames().unwrap_or(120).max(last));
        for outcome in simulation.outcomes(true) {
            assert_eq!(outcome.passed, Some(true), "{snippet}\n{outcome:#?}");
        }
    }
}

#[test]
fn what_is_expected_of_nobody_fails() {
    let mut simulation = run("world { gravity 0,0,0 frames 20 } sphere a { radius 1 } sphere gone { radius 1 centre 9,0,0 }
         at 5 steps { remove gone; }
         when x(late) < 100 { stop; }
         at 1000 steps { sphere late { radius 1 } }
         expect finally { x(gone) < 100; min(x(gone)) < 100; mean(x(gone)) > -100; count(x(gone) > 0) == 0; not exists(gone); x(a) == 0 }");
    assert_eq!(simulation.steps(), 20);
    assert_eq!(passed(&mut simulation), [false, false, false, true, true, true].map(Some));
}

#[test]
fn every_few_steps_is_every_few_steps() {
    let simulation = run("world { gravity 0,0,0 frames 61 sleeping off } sphere a { radius 1 mass 1 }
         every 10 steps { push a { impulse 1,0,0 } }
         every 7 steps as k from 3 steps until 40 steps { sphere b { radius 0.1 centre 5 + k,5,0 } }");
    assert!((of(&simulation, "vx", "a") - 6.0).abs() < 1e-4);
    assert_eq!(simulation.value(&Query::Quantity("bodies", vec![])), [7.0]);
}

#[test]
fn merged_bodies_move_as_one_and_come_off_again() {
    for (dimension, shape, at) in [(2, "box", ["0,0", "1,0"]), (3, "sphere", ["0,0,0", "1,0,0"])] {
        let size = if dimension == 2 { "size 1,1" } else { "radius 0.5" };
        let zero = &"0,0,0"[..2 * dimension - 1];
        let text = format!(
            "world {{ dimension {dimension}  gravity {zero}  frames 30 }}
             {shape} truck {{ {size}  mass 2  centre {}  colour red }}
             {shape} load {{ {size}  mass 1  centre {}  colour blue }}
             ignore {{ a truck  b load }}
             force thrust {{ on load  force 3{} }}
             at 0s {{ merge truck {{ part load }} }}
             at 10 steps {{ change truck {{ vel 3{} }} }}
             at 20 steps {{ unmerge load }}
             expect after 5 steps {{ exists(load) == 0; exists(truck) == 1; mass(truck) == 3 within 1%; bodies == 1 }}
             expect after 20 steps \"nothing pushes a part\" {{ vx(truck) == 3 within 1% }}
             expect finally {{ exists(load) == 1; mass(truck) == 2 within 1%; bodies == 2 }}
             expect finally \"it moves on as the whole did, and is pushed again\" {{
                vx(truck) == 3 within 1%; vx(load) == 3 + 3 * 10 / 60 within 1%; distance(truck, load) < 1.1 }}",
            at[0],
            at[1],
            &zero[1..],
            &zero[1..],
        );
        let mut simulation = run(&text);
        let outcomes = simulation.outcomes(true);
        let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.passed != Some(true)).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(simulation.diagnostics().is_empty());
        let looks = |run: &dyn Fn(usize) -> Vec<Option<[f64; 3]>>| [run(0), run(1)];
        let colours = match &simulation {
            Simulation::Two(run) => {
                looks(&|index| run.bodies[index].looks.iter().map(|look| look.colour).collect())
            }
            Simulation::Three(run) => {
                looks(&|index| run.bodies[index].looks.iter().map(|look| look.colour).collect())
            }
        };
        assert_eq!(colours.each_ref().map(Vec::len), [1, 1]);
        assert_ne!(colours[0], colours[1]);
    }
}

#[test]
fn what_cannot_be_merged_is_told_where_it_is_written() {
    let simulation =
        run("world { dimension 2 frames 10 } circle a { radius 1 } circle b { radius 1 centre 5,0 static }
         at 1 steps { merge a { part b } }
         at 2 steps { unmerge b }");
    let found: Vec<_> =
        simulation.diagnostics().iter().map(|found| (found.span.start > 0, found.message.clone())).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(placed, _)| *placed), "{found:?}");
    assert!(found[0].1.contains("not dynamic"), "{found:?}");
}

#[test]
fn failed_conditions_name_the_bodies_in_few_digits() {
    let mut simulation = run("world { dimension 2 gravity 0,0 frames 1 }
         repeat i in 0..5 { circle ball { radius 0.1 centre i, i / 3 } }
         expect finally { y(ball) < 1 }
         expect finally { x(ball[0]) == 0 and y(ball[1]) > 1 }
         expect finally { y(ball[1]) == 0.3333333 }");
    let found: Vec<_> = simulation.outcomes(true).into_iter().map(|outcome| outcome.found).collect();
    assert_eq!(found[0], "1 (ball[3]), 1.33333 (ball[4]) against 1");
    assert_eq!(found[1], "0.333333 against 1");
    assert!(found[2].starts_with("0.33333334"), "{}", found[2]);
}

/// Density, friction and restitution of every shape, and those that the engine gives to shapes of its own: body by body.
fn materials(simulation: &Simulation) -> Vec<[f32; 3]> {
    match simulation {
        Simulation::Two(run) => materials_in(&run.world, topple::Shape2::circle(1.0)),
        Simulation::Three(run) => materials_in(&run.world, topple::Shape3::sphere(1.0)),
    }
}

fn materials_in<D: topple::Dim>(world: &topple::World<D>, shape: D::Shape) -> Vec<[f32; 3]> {
    let made = world.shape_def(shape);
    let shapes = world.shape_ids().map(|id| {
        let shape = world.shape(id).expect("the world has it");
        [shape.density(), shape.material().friction, shape.material().restitution]
    });
    shapes.chain([[made.density, made.material.friction, made.material.restitution]]).collect()
}

#[test]
fn the_defaults_of_a_world_are_those_of_its_shapes_and_of_the_engine() {
    for (dimension, shape) in [(2, "circle"), (3, "sphere")] {
        let body = |more: &str| format!("{shape} {{ radius 0.5 {more} }}");
        let scene = |world: &str| {
            let bodies = body("") + &body("density 3 friction 0.2 elastic 0.9");
            materials(&run(&format!("world {{ dimension {dimension} frames 0 {world} }} {bodies}")))
        };
        let own = [3.0, 0.2, 0.9];
        assert_eq!(scene(""), [[1.0, 0.5, 0.0], own, [1.0, 0.5, 0.0]], "the library's");
        let set = [7.0, 0.25, 0.5];
        assert_eq!(scene("density 7 friction 0.25 elastic 0.5"), [set, own, set]);
        assert_eq!(scene("density 7"), [[7.0, 0.5, 0.0], own, [7.0, 0.5, 0.0]], "one of them");
        assert_eq!(scene("defaults \"seed\""), [[1.0, 0.0, 1.0], own, [1.0, 0.0, 1.0]], "the seed's");
    }
}
