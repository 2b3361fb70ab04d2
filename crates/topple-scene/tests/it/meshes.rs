//! Meshes, height fields and chains in the world that is built from a scene.

use topple_scene::run::Simulation;
use topple_scene::{FileLoader, Loader, Options, Surface, load};

use crate::support::{crate_root, of, run};

/// Finds the meshes of the corpus.
struct Corpus;

impl Loader for Corpus {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
        Err(String::from("no includes here"))
    }

    fn mesh(&mut self, path: &str, _: &str, limits: &topple_mesh::Limits) -> Result<Surface, String> {
        let from = crate_root().join("tests/data/ok/meshes/x").display().to_string();
        FileLoader::default().mesh(path, &from, limits)
    }
}

fn run_with_meshes(text: &str) -> Simulation {
    let loaded = load(text, Options { loader: Some(&mut Corpus), ..Options::default() });
    assert!(loaded.diagnostics.is_empty(), "{}", loaded.report(false));
    let mut simulation = Simulation::new(&loaded.scene);
    let report = simulation.diagnostics().iter().map(|found| found.message.clone()).collect::<Vec<_>>();
    assert!(report.is_empty(), "{report:?}");
    simulation.run(loaded.scene.frames().unwrap_or(60));
    simulation
}

#[test]
fn a_closed_mesh_falls_and_rests_in_every_form() {
    // The file is a cube from -1 to 1.
    for form in ["", "convex", "decompose maxPieces 4"] {
        let simulation = run_with_meshes(&format!(
            "world {{ duration 3s }} mesh floor {{ file \"cube.obj\" static scale 5 centre 0,-5,0 }}
             mesh crate {{ file \"cube.obj\" centre 0,2,0 density 3 {form} }}"
        ));
        assert!((of(&simulation, "mass", "crate") - 24.0).abs() < 1e-3, "{form}");
        assert!(
            (of(&simulation, "y", "crate") - 1.0).abs() < 0.02,
            "{form}: {}",
            of(&simulation, "y", "crate")
        );
    }
}

#[test]
fn mass_of_a_mesh_is_integrated_boxed_or_given() {
    let simulation = run_with_meshes(
        "world { gravity 0,0,0 frames 1 }
         mesh exact { file \"block.stl\" }
         mesh boxed { file \"block.stl\" centre 50,0,0 massFrom bounds }
         mesh given { file \"block.stl\" centre 100,0,0 mass 7 inertia 1,2,3 massCentre 0.1,0.1,0.1 }",
    );
    // A tetrahedron fills a sixth of its box.
    let (exact, boxed) = (of(&simulation, "mass", "exact"), of(&simulation, "mass", "boxed"));
    assert!((boxed / exact - 6.0).abs() < 1e-4, "{exact} {boxed}");
    assert!((of(&simulation, "mass", "given") - 7.0).abs() < 1e-6);
    assert!((of(&simulation, "x", "given") - 100.1).abs() < 1e-4);
}

#[test]
fn an_event_adds_a_mesh_that_was_read_before() {
    let simulation = run_with_meshes(
        "world { gravity 0,0,0 frames 60 } at 30 steps { mesh late { file \"cube.obj\" vel 1,0,0 } }",
    );
    assert!((of(&simulation, "x", "late") - 0.5).abs() < 0.02);
}

#[test]
fn an_open_mesh_that_should_move_is_refused_with_its_place() {
    let text = "world { } mesh { file \"open.obj\" } sphere s { radius 1 }";
    let loaded = load(text, Options { loader: Some(&mut Corpus), ..Options::default() });
    let simulation = Simulation::new(&loaded.scene);
    let found: Vec<_> = simulation.diagnostics().iter().collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("not closed"), "{}", found[0].message);
    assert_eq!(found[0].span.start, 10);
    assert!(of(&simulation, "mass", "s") > 0.0);
}

#[test]
fn bodies_rest_on_height_fields_in_both_dimensions() {
    let simulation = run("world { duration 4s }
         heightfield { heights [for z in 0..9: for x in 0..9: ((x - 4)^2 + (z - 4)^2)/8] columns 9 size 8,8 }
         sphere ball { radius 0.5 centre 1.5,4,1 }");
    assert!(of(&simulation, "y", "ball") < 0.75, "{}", of(&simulation, "y", "ball"));
    assert!(of(&simulation, "y", "ball") > 0.4);
    let simulation = run("world { dimension 2 duration 6s friction 0.3 }
         heightfield { heights [for x in 0..9: (x - 4)^2/8] size 8 }
         box crate { size 0.5,0.5 centre 2,3 angularDrag 1 }");
    assert!(of(&simulation, "y", "crate") > 0.2 && of(&simulation, "y", "crate") < 1.2);
}

#[test]
fn a_chain_holds_on_its_right_side_only() {
    let simulation = run("world { dimension 2 duration 2s }
         chain { points [5,0; 0,0; -5,0] before 9,0 after -9,0 }
         circle above { radius 0.2 centre 0,1 } circle below { radius 0.2 centre 1,-1 vel 0,6 }");
    assert!((of(&simulation, "y", "above") - 0.2).abs() < 0.01);
    assert!(of(&simulation, "y", "below") > 0.0, "it came through from behind and rests on it");
}
