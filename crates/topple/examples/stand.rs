//! How pyramids and towers stand.
use topple::*;

fn stats<D: Dim>(w: &World<D>, start: &[D::Point], ids: &[BodyId]) -> (f32, f32, f32) {
    use topple::math::*;
    let mut e = 0.0;
    let mut worst = 0.0_f32;
    for (i, id) in ids.iter().enumerate() {
        let b = w.body(*id).unwrap();
        e += b.kinetic_energy();
        worst = worst.max((b.position() - start[i]).length());
    }
    let last = ids.len() - 1;
    let top = (w.body(ids[last]).unwrap().position() - start[last]).length();
    (top, worst, e)
}

fn run<D: Dim>(name: &str, mut w: World<D>, ids: Vec<BodyId>, steps: usize) {
    let start: Vec<_> = ids.iter().map(|id| w.body(*id).unwrap().position()).collect();
    print!("{name}: ");
    for s in 1..=steps {
        w.step();
        if s % (steps / 6) == 0 {
            let (t, worst, e) = stats(&w, &start, &ids);
            let deepest = w
                .contacts()
                .flat_map(|c| c.points().map(|p| p.1).collect::<Vec<_>>())
                .fold(0.0_f32, f32::min);
            print!("| {s} top {t:.3} worst {worst:.3} E {e:.2e} pen {deepest:.4} ");
        }
    }
    println!();
}

fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1200);
    let which = std::env::args().nth(2).unwrap_or("all".into());
    let s2 = || World2::with_settings(Settings2 { sleeping: false, ..Settings2::default() }).unwrap();
    let s3 = || World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() }).unwrap();
    if which == "all" || which == "t2" {
        let mut w = s2();
        w.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(400.0, 2.0)]).unwrap();
        let ids = (0..60)
            .map(|i| {
                w.create_body_with(BodyDef2::dynamic([0.0, 0.5 + i as f32]), [Shape2::rectangle(1.0, 1.0)])
                    .unwrap()
            })
            .collect();
        run("tower2 60", w, ids, steps);
    }
    if which == "all" || which == "t3" {
        let mut w = s3();
        w.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)]).unwrap();
        let ids = (0..60)
            .map(|i| {
                w.create_body_with(
                    BodyDef3::dynamic([0.0, 0.5 + i as f32, 0.0]),
                    [Shape3::cuboid(1.0, 1.0, 1.0)],
                )
                .unwrap()
            })
            .collect();
        run("tower3 60", w, ids, steps);
    }
    if which == "all" || which == "p2" {
        let mut w = s2();
        w.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(400.0, 2.0)]).unwrap();
        let mut ids = vec![];
        for i in 0..100 {
            for j in 0..100 - i {
                let x = (j as f32 - (100 - i) as f32 * 0.5 + 0.5) * 1.1;
                ids.push(
                    w.create_body_with(BodyDef2::dynamic([x, 0.5 + i as f32]), [Shape2::rectangle(1.0, 1.0)])
                        .unwrap(),
                );
            }
        }
        run("pyramid2 100", w, ids, steps);
    }
    if which == "all" || which == "p3" {
        let mut w = s3();
        w.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)]).unwrap();
        let mut ids = vec![];
        for i in 0..20 {
            for j in 0..20 - i {
                for k in 0..20 - i {
                    let f = |j: usize| (j as f32 - (20 - i) as f32 * 0.5 + 0.5) * 1.1;
                    ids.push(
                        w.create_body_with(
                            BodyDef3::dynamic([f(j), 0.5 + i as f32, f(k)]),
                            [Shape3::cuboid(1.0, 1.0, 1.0)],
                        )
                        .unwrap(),
                    );
                }
            }
        }
        run("pyramid3 20", w, ids, steps);
    }
    if which == "all" || which == "m" {
        let mut w = s3();
        w.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)]).unwrap();
        let ids = (0..11)
            .map(|i| {
                w.create_body_with(
                    BodyDef3::dynamic([0.0, 0.5 + i as f32, 0.0]),
                    [ShapeDef3::from(Shape3::cuboid(1.0, 1.0, 1.0)).density(if i == 10 {
                        1000.0
                    } else {
                        1.0
                    })],
                )
                .unwrap()
            })
            .collect();
        run("heavy3 1000kg on 10", w, ids, steps);
    }
}
