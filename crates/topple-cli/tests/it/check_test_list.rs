//! `check`, `test` and `list`.

use crate::support::{Bench, STACK, code, stdout};

#[test]
fn check_says_what_it_saw() {
    let bench = Bench::new();
    bench.write("a.scene", STACK);
    assert_eq!(bench.good("check a.scene"), "a.scene: fine (2D, 7 bodies, 1 expectation)\n");
    assert_eq!(bench.good("check a.scene --quiet"), "");
}

#[test]
fn a_failed_expectation_shows_expected_and_found() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("scenes/deep")).unwrap();
    bench.write("scenes/good.scene", STACK);
    let fall =
        "world { }\nsphere ball { radius 1  centre 0,5,0 }\nexpect after 1s \"it floats\" { y(ball) > 4 }";
    bench.write("scenes/deep/fall.scene", fall);
    let output = bench.topple("test scenes");
    let text = stdout(&output);
    assert_eq!(code(&output), 1);
    assert!(text.contains("ok     scenes/good.scene"), "{text}");
    assert!(text.contains("FAILED scenes/deep/fall.scene"), "{text}");
    assert!(text.contains("fall.scene:3: it floats"), "{text}");
    assert!(text.contains("expected  y(\"ball\") > 4") || text.contains("expected  y(ball) > 4"), "{text}");
    assert!(text.contains("found     0.0"), "{text}");
    assert!(text.contains("2 scenes with 2 expectations"), "{text}");
}

#[test]
fn test_as_json() {
    let bench = Bench::new();
    bench.write("good.scene", STACK);
    let json = bench.json("test good.scene --json --threads 2");
    assert_eq!(json["failed"], 0);
    assert_eq!(json["scenes"][0]["expectations"][0]["passed"], true);
    assert_eq!(json["scenes"][0]["steps"], 60);
}

#[test]
fn a_scene_with_errors_fails_its_test() {
    let bench = Bench::new();
    bench.write("bad.scene", "world { }\nsphere { raduis 1 }\nexpect finally { bodies == 1 }");
    let output = bench.topple("test bad.scene");
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("the scene has errors"), "{}", stdout(&output));
}

#[test]
fn lists_name_methods_settings_and_scenes() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("scenes")).unwrap();
    bench.write("scenes/stack.scene", STACK);
    let json = bench.json("list --json");
    let solvers = json["methods"]["solver"].as_array().unwrap();
    assert!(solvers.iter().any(|solver| solver["name"] == "soft-step" && solver["default"] == true));
    for stage in ["integrator", "broad_phase", "narrow_phase"] {
        assert!(!json["methods"][stage].as_array().unwrap().is_empty());
    }
    assert!(json["settings"].as_array().unwrap().iter().any(|setting| setting["name"] == "substeps"));
    assert_eq!(json["scenes"][0]["title"], "Stack");
    assert!(json["generators"].as_array().unwrap().len() >= 12);
    let text = bench.good("list methods");
    assert!(text.contains("*soft-step") && !text.contains("substeps"));
    assert!(bench.good("list settings").contains("substeps"));
}
