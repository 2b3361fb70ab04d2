//! What the language promises, promise by promise.

use topple_scene::model::{Action, Moment, Scene, Schedule, Shape};
use topple_scene::{Expander, Options, limits::Limits, load};

use crate::support::{faults, good};

fn with(text: &str, overrides: &[(&str, &str)]) -> topple_scene::Loaded {
    let overrides = overrides.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    load(text, Options { overrides, ..Options::default() })
}

fn centres(scene: &Scene) -> Vec<[f64; 3]> {
    scene.bodies.iter().map(|body| body.pose.position).collect()
}

#[test]
fn a_file_without_world_is_a_seed_scene() {
    let scene = good("sphere { radius 1 mass 2 centre 1,2,3 }");
    assert_eq!(scene.world.dimension, 3);
    assert!(!scene.world.sleeping);
    let material = &scene.bodies[0].parts[0].material;
    assert_eq!((material.elastic, material.friction), (1.0, 0.0));
    assert!(faults("sphere { radius 1 centre 1,2,3 }").contains("'sphere' needs 'mass'"));
    assert!(faults("world { } sphere { radius 1 }").is_empty());
}

#[test]
fn a_file_with_world_has_the_library_defaults() {
    let scene = good("sphere { radius 1 } world { }");
    let material = &scene.bodies[0].parts[0].material;
    assert_eq!((material.density, material.elastic, material.friction), (1.0, 0.0, 0.5));
    let scene = good("world { defaults seed } sphere { radius 1 }");
    assert_eq!(scene.bodies[0].parts[0].material.elastic, 1.0);
}

#[test]
fn an_empty_file_is_an_empty_world() {
    assert!(good("").bodies.is_empty());
    assert!(good("// nothing\n# at all").bodies.is_empty());
}

#[test]
fn names_are_case_sensitive() {
    assert!(faults("Sphere { radius 1 mass 1 centre 0,0,0 }").contains("there is no declaration 'Sphere'"));
    assert!(faults("wall { normal 0,1,0 toorig 0 }").contains("no parameter 'toorig'"));
}

#[test]
fn walls_are_normalised_planes() {
    let scene = good("wall { normal 0,10,0 toOrig -2 }");
    assert_eq!(scene.bodies[0].parts[0].shape, Shape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: -2.0 });
}

#[test]
fn a_faulty_declaration_is_skipped_and_the_rest_stays() {
    let loaded = load(
        "sphere { radius 1 mass 1 centre 0,0,0 } sphere { radius 1 } sphere { radius 2 mass 1 centre 0,0,0 }",
        Options::default(),
    );
    assert_eq!(loaded.scene.bodies.len(), 2);
    assert_eq!(loaded.diagnostics.errors(), 2);
}

#[test]
fn overrides_reach_parameters_and_settings() {
    let text = "world { dimension 2 dt 1/60 } param n = 3 repeat i in 0..n { circle { radius 1 } }";
    assert_eq!(good(text).bodies.len(), 3);
    let loaded = with(
        text,
        &[
            ("n", "5"),
            ("dt", "0.01s"),
            ("solver", "soft-step"),
            ("broadPhase", "sort-and-sweep"),
            ("gravity", "0,-1"),
        ],
    );
    assert!(loaded.diagnostics.is_empty(), "{}", loaded.report(false));
    assert_eq!(loaded.scene.bodies.len(), 5);
    assert_eq!(loaded.scene.world.dt, 0.01);
    assert_eq!(loaded.scene.world.solver.as_deref(), Some("soft-step"));
    assert_eq!(loaded.scene.world.broad_phase.as_deref(), Some("sort-and-sweep"));
    assert!(with(text, &[("m", "5")]).report(false).contains("no parameter or setting 'm'"));
    assert!(with(text, &[("n", "5 6")]).report(false).contains("a single value"));
    let seed = with("sphere { radius 1 mass 1 centre 0,0,0 }", &[("dt", "0.5"), ("world.friction", "1")]);
    assert_eq!((seed.scene.world.dt, seed.scene.world.elastic, seed.scene.world.friction), (0.5, 1.0, 1.0));
    assert!(!seed.scene.world.declared);
}

#[test]
fn a_parameter_out_of_range_is_refused() {
    let text = "param n = 3 in 1..10 repeat i in 0..n { wall { normal 0,1,0 toOrig i } }";
    assert!(with(text, &[("n", "11")]).report(false).contains("must be between 1 and 10"));
}

#[test]
fn constants_may_be_used_before_they_are_written() {
    let scene = good("world { dt h } sphere { radius r } const r = 2*s const s = 3cm const h = 0.5s");
    assert_eq!(scene.bodies[0].parts[0].shape, Shape::Ball { radius: 0.06 });
    assert_eq!(scene.world.dt, 0.5);
}

#[test]
fn arithmetic_is_the_usual() {
    let value =
        |text: &str| good(&format!("const v = {text} wall {{ normal 0,1,0 toOrig v }}")).bodies[0].clone();
    let offset = |text: &str| match value(text).parts[0].shape {
        Shape::HalfSpace { offset, .. } => offset,
        _ => f64::NAN,
    };
    assert_eq!(offset("1 + 2*3"), 7.0);
    assert_eq!(offset("-2^2"), -4.0);
    assert_eq!(offset("2^3^2"), 512.0);
    assert_eq!(offset("2^-1"), 0.5);
    assert_eq!(offset("10 - 3 - 2"), 5.0);
    assert_eq!(offset("mod(-1, 3)"), 2.0);
    assert_eq!(offset("if(1 < 2 and not (2 < 1), 5, 1/0)"), 5.0);
    assert_eq!(offset("length((3,4,0))"), 5.0);
    assert_eq!(offset("dot((1,2,3), (1,2,3)) + y((4,5,6))"), 19.0);
    assert_eq!(offset("sin(90deg) + max(1,2,3)"), 4.0);
    assert_eq!(offset("50% + 1"), 1.5);
    assert!((offset("72km/h / 2m/s * 1") - 10.0).abs() < 1e-12);
}

#[test]
fn units_convert_and_are_checked() {
    let scene = good("world { } sphere { radius 5cm mass 200g vel 36km/h,0,0 angvel 0,60rpm,0 }");
    assert_eq!(scene.bodies[0].mass, Some(0.2));
    assert!((scene.bodies[0].velocity[0] - 10.0).abs() < 1e-12);
    assert!((scene.bodies[0].angular_velocity[1] - std::f64::consts::TAU).abs() < 1e-12);
    assert!(faults("world { } sphere { radius 5kg }").contains("found a mass"));
    // Formulas with plain numbers are not refused.
    assert!(faults("world { } const h = 5m sphere { radius 1 vel 0, sqrt(2*9.8*h), 0 }").is_empty());
    assert!(faults("world { dimension 2 } circle { radius 1 density 5kg/m^2 }").is_empty());
}

#[test]
fn ranges_count_what_a_person_counts() {
    let count = |range: &str| {
        good(&format!("world {{ }} repeat x in {range} {{ sphere {{ radius 1 }} }}")).bodies.len()
    };
    assert_eq!(count("0..10"), 10);
    assert_eq!(count("0..=10"), 11);
    assert_eq!(count("0..1 step 0.1"), 10);
    assert_eq!(count("0..=1 step 0.1"), 11);
    assert_eq!(count("10..0 step -2"), 5);
    assert_eq!(count("5..5"), 0);
    assert_eq!(count("5..1"), 0);
}

const RANDOM: &str = "sphere a { radius 1 centre uniform(), gauss(), dice(100) }
repeat i in 0..3 { sphere { radius 0.5 centre uniform(-5, 5), 0, i } }";

#[test]
fn random_numbers_do_not_change_when_something_else_does() {
    let base = centres(&good(&format!("world {{ }} {RANDOM}")));
    let before = centres(&good(&format!(
        "world {{ }} sphere {{ radius uniform(1,2) centre uniform(),0,0 }} {RANDOM}"
    )));
    assert_eq!(before[1..], base[..]);
    let longer = centres(&good(&format!("world {{ }} {}", RANDOM.replace("0..3", "0..5"))));
    assert_eq!(longer[..4], base[..]);
    let coloured = centres(&good(&format!(
        "world {{ }} {}",
        RANDOM.replace("radius 0.5", "colour red radius uniform(1,2)")
    )));
    assert_eq!(coloured[0], base[0]);
    let reordered = RANDOM.replace(
        "radius 1 centre uniform(), gauss(), dice(100)",
        "centre uniform(), gauss(), dice(100) radius 1",
    );
    assert_eq!(centres(&good(&format!("world {{ }} {reordered}"))), base);
    let constant = centres(&good(&format!("world {{ }} const c = uniform() {RANDOM}")));
    assert_eq!(constant, base);
    let seeded = centres(&good(&format!("world {{ seed 1 }} {RANDOM}")));
    assert_ne!(seeded[0][0], base[0][0]);
}

#[test]
fn equal_declarations_draw_different_numbers() {
    let sphere = "sphere { radius 1 centre uniform(), 0, 0 }\n";
    let text = format!(
        "world {{ }} {} repeat i in 0..2 {{ {sphere} }} repeat i in 0..2 {{ {sphere} }}",
        sphere.repeat(3)
    );
    let mut x: Vec<_> = centres(&good(&text)).iter().map(|centre| centre[0]).collect();
    x.sort_by(f64::total_cmp);
    x.dedup();
    assert_eq!(x.len(), 7);
    let placed = "world { } template t { sphere { radius 1 centre uniform(), 0, 0 } } place t; place t; place t { at 0,1,0 }";
    let mut x: Vec<_> = centres(&good(placed)).iter().map(|centre| centre[0]).collect();
    x.sort_by(f64::total_cmp);
    x.dedup();
    assert_eq!(x.len(), 3);
}

#[test]
fn random_numbers_have_their_distribution() {
    let scene =
        good("world { } repeat i in 0..4000 { sphere { radius 1 centre uniform(), gauss(3, 2), dice(6) } }");
    let mean = |index: usize| centres(&scene).iter().map(|centre| centre[index]).sum::<f64>() / 4000.0;
    let spread = centres(&scene).iter().map(|centre| (centre[1] - 3.0).powi(2)).sum::<f64>() / 4000.0;
    assert!((mean(0) - 0.5).abs() < 0.02, "{}", mean(0));
    assert!((mean(1) - 3.0).abs() < 0.1, "{}", mean(1));
    assert!((spread - 4.0).abs() < 0.3, "{spread}");
    assert!((mean(2) - 2.5).abs() < 0.1, "{}", mean(2));
}

#[test]
fn groups_place_what_they_hold() {
    let scene = good(
        "world { dimension 2 } group g { at 10,0 angle 90deg
           group h { at 1,0 box b { size 1,1 centre 1,0 angle 0.5 vel 1,0 } } }",
    );
    let body = &scene.bodies[0];
    assert_eq!(body.name.as_deref(), Some("g.h.b"));
    let [x, y, _] = body.pose.position;
    assert!((x - 10.0).abs() < 1e-12 && (y - 2.0).abs() < 1e-12, "{x} {y}");
    assert!((body.pose.angle - (std::f64::consts::FRAC_PI_2 + 0.5)).abs() < 1e-12);
    assert!((body.velocity[1] - 1.0).abs() < 1e-12);
}

#[test]
fn references_look_from_the_inside_out() {
    let scene = good(
        "world { dimension 2 } circle hub { radius 1 }
         repeat k in 0..2 { group arm { circle hub { radius 1 } circle tip { radius 1 }
           joint fixed { a hub b tip } } joint fixed { a hub b arm.tip } }",
    );
    let pairs: Vec<_> =
        scene.joints.iter().map(|joint| (joint.a.as_str(), joint.b.as_deref().unwrap())).collect();
    assert_eq!(
        pairs,
        [
            ("arm[0].hub", "arm[0].tip"),
            ("hub", "arm[0].tip"),
            ("arm[1].hub", "arm[1].tip"),
            ("hub", "arm[1].tip"),
        ]
    );
}

#[test]
fn flags_take_conditions() {
    let scene = good("world { } repeat i in 0..3 { sphere { radius 1 static (i == 1) } }");
    let still: Vec<_> =
        scene.bodies.iter().map(|body| body.kind == topple_scene::model::BodyKind::Static).collect();
    assert_eq!(still, [false, true, false]);
}

#[test]
fn events_expand_when_they_fire() {
    let scene = good(
        "world { dimension 2 seed 3 } const r = 0.25 circle ball { radius 1 }
         every 20 steps as k from 0 steps { circle drop { radius r centre uniform(-5,5), k } }
         at 2s { push ball { impulse 0,3 } remove drop; stop }",
    );
    let mut expander = Expander::new(&scene, Limits::default());
    let rain = &scene.events[0];
    let mut names = Vec::new();
    let mut places = Vec::new();
    for occurrence in 0..3 {
        let fired = expander.fire(rain, occurrence);
        assert!(fired.diagnostics.is_empty());
        let [Action::AddBody(body)] = fired.actions.as_slice() else { panic!("{:?}", fired.actions) };
        names.push(body.name.clone().unwrap());
        places.push(body.pose.position[0]);
    }
    assert_eq!(names, ["drop[0]", "drop[1]", "drop[2]"]);
    assert!(places[0] != places[1] && places[1] != places[2]);
    let fired = expander.fire(&scene.events[1], 0);
    assert_eq!(fired.actions.len(), 3);
    // The same again, from the start: the same numbers.
    let again = Expander::new(&scene, Limits::default()).fire(rain, 0);
    assert!(matches!(&again.actions[0], Action::AddBody(body) if body.pose.position[0] == places[0]));
}

#[test]
fn schedules_fall_on_steps() {
    let steps = |schedule: &Schedule, dt: f64| {
        (0..200)
            .filter_map(|step| schedule.occurrence(step, dt).map(|count| (step, count)))
            .collect::<Vec<_>>()
    };
    let every = Schedule::Every {
        period: Moment::Steps(60),
        from: Moment::Steps(0),
        until: Some(Moment::Steps(150)),
    };
    assert_eq!(steps(&every, 0.1), [(0, 0), (60, 1), (120, 2)]);
    let at = Schedule::At(Moment::Time(1.0));
    assert_eq!(steps(&at, 1.0 / 60.0), [(60, 0)]);
    // Three times in ten steps, without drift.
    let odd = Schedule::Every {
        period: Moment::Time(1.0 / 3.0),
        from: Moment::Time(0.0),
        until: Some(Moment::Time(1.0)),
    };
    assert_eq!(steps(&odd, 0.1), [(0, 0), (4, 1), (7, 2), (10, 3)]);
}

#[test]
fn all_faults_of_a_declaration_are_listed() {
    let found = faults("sphere { radius -1 mass 0 centre 1,2 vel 3 elastic -1 colour 2,0,0 shade 1 }");
    assert_eq!(found.lines().count(), 7, "{found}");
}

#[test]
fn the_world_is_faulty_but_its_dimension_counts() {
    let loaded =
        load("world { dimension 2 solvr \"xpbd\" gravity 0,-1 } circle { radius 1 }", Options::default());
    assert_eq!(loaded.diagnostics.errors(), 1);
    assert_eq!(loaded.scene.bodies.len(), 1);
    assert_eq!(loaded.scene.world.gravity, [0.0, -9.8, 0.0]);
}

#[test]
fn names_may_be_words_of_the_language() {
    let scene = good(
        "world { dimension 2 } circle light { radius 1 } template post { circle c { radius 1 } }
         place post light2 { at 3,0 } place post camera { at 6,0 } joint hinge stop { a light  b camera.c  at 1,1 }
         force wind world { velocity 1,0 }",
    );
    assert_eq!(scene.joints[0].name.as_deref(), Some("stop"));
    assert_eq!(scene.forces[0].name.as_deref(), Some("world"));
}

#[test]
fn names_of_methods_need_no_quotes() {
    let scene = good(
        "world { solver soft-step  broadPhase: sort-and-sweep-insertion integrator semi-implicit-euler narrowPhase gjk }
         at 1s { set { broadPhase all-pairs } }",
    );
    assert_eq!(scene.world.solver.as_deref(), Some("soft-step"));
    assert_eq!(scene.world.broad_phase.as_deref(), Some("sort-and-sweep-insertion"));
    assert_eq!(scene.world.integrator.as_deref(), Some("semi-implicit-euler"));
    assert_eq!(scene.world.narrow_phase.as_deref(), Some("gjk"));
    // Elsewhere a hyphen subtracts.
    let scene = good("const soft = 3 const step = 1 wall { normal 0,1,0 toOrig soft-step }");
    assert!(matches!(scene.bodies[0].parts[0].shape, Shape::HalfSpace { offset: 2.0, .. }));
    // A constant may hold the name, in quotes.
    let scene = good("param method = \"soft-step\" world { solver method }");
    assert_eq!(scene.world.solver.as_deref(), Some("soft-step"));
    for (text, told) in [
        ("world { solver soft-stp }", "did you mean 'soft-step'?"),
        ("world { solver \"softstep\" }", "did you mean 'soft-step'?"),
        ("world { solver soft - step }", "write it without spaces: soft-step"),
        ("world { solver 5 }", "one of soft-step"),
        ("param method = soft-step world { solver method }", "write it in quotes: \"soft-step\""),
        (
            "param method = sort-and-sweep world { broadPhase method }",
            "write it in quotes: \"sort-and-sweep\"",
        ),
        ("at 1s { set { solver sft-step } }", "did you mean 'soft-step'?"),
    ] {
        let loaded = load(text, Options::default());
        assert_eq!(loaded.diagnostics.errors(), 1, "{}", loaded.report(false));
        assert!(loaded.report(false).contains(told), "{}", loaded.report(false));
    }
    let loaded = with("world { }", &[("solver", "soft-stp")]);
    assert!(loaded.report(false).contains("did you mean 'soft-step'?"), "{}", loaded.report(false));
}
