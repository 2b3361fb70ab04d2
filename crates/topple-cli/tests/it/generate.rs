//! Every generator gives a scene without findings that does what it expects of itself.

use crate::support::Bench;

fn names(bench: &Bench) -> Vec<String> {
    let json = bench.json("list scenes --json");
    let generators = json["generators"].as_array().unwrap();
    generators.iter().map(|known| known["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn every_generated_scene_is_fine_and_passes_its_own_test() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("all")).unwrap();
    for name in names(&bench) {
        bench.write(&format!("all/{name}.scene"), bench.good(&format!("generate {name}")));
        let checked = bench.good(&format!("check all/{name}.scene"));
        assert!(checked.contains("fine"), "{checked}");
    }
    bench.good("test all");
}

#[test]
fn size_seed_and_parameters_change_the_scene() {
    let bench = Bench::new();
    let bodies = |arguments: &str| {
        bench.write("x.scene", bench.good(&format!("generate {arguments}")));
        bench.json("run x.scene -n 1 --json")
    };
    assert_eq!(bodies("tower -n 3")["bodies"], 4);
    assert_eq!(bodies("pyramid-2d -n 4")["bodies"], 11);
    assert_eq!(bodies("pyramid-3d -n 2")["bodies"], 6);
    assert_eq!(bodies("grid45 -n 2")["bodies"], 9);
    assert_eq!(rain(&bench), 5 + 10);
    assert_eq!(bodies("brownian-gas -n 30")["bodies"], 66);
    assert_eq!(bodies("cylinder-pyramid -n 4 --set rows=2")["bodies"], 10);
    assert_ne!(bodies("tower --seed 5")["hash"], bodies("tower --seed 6")["hash"]);
    assert_eq!(bodies("tower --seed 5")["hash"], bodies("tower --seed 5")["hash"]);
}

/// Bodies after ten drops have come, walls included.
fn rain(bench: &Bench) -> u64 {
    bench.write("rain.scene", bench.good("generate rain -n 10"));
    bench.json("run rain.scene --json")["bodies"].as_u64().unwrap()
}
