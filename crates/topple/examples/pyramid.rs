//! Pyramids of boxes in both dimensions: time per step and how they stand.
use std::time::Instant;
use topple::*;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let base: usize = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(20);
    let steps: usize = args.get(3).and_then(|a| a.parse().ok()).unwrap_or(300);
    let threads: usize = args.get(4).and_then(|a| a.parse().ok()).unwrap_or(1);
    let pool = std::sync::Arc::new(topple::exec::Pool::new(threads));
    if args.get(1).map(String::as_str) == Some("2") {
        let mut w = World2::with_settings(Settings2 { sleeping: false, ..Settings2::default() })?;
        w.set_executor(pool);
        w.create_body_with(BodyDef2::fixed([0.0, -1.0]), [ShapeDef2::from(Shape2::rectangle(400.0, 2.0))])?;
        let mut top = None;
        for i in 0..base {
            for j in 0..base - i {
                let x = (j as f32 - (base - i) as f32 * 0.5 + 0.5) * 1.1;
                top = Some(w.create_body_with(
                    BodyDef2::dynamic([x, 0.5 + i as f32]),
                    [Shape2::rectangle(1.0, 1.0)],
                )?);
            }
        }
        run(&mut w, top.unwrap(), steps, |p| (p.x, p.y))?;
    } else {
        let mut w = World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() })?;
        w.set_executor(pool);
        w.create_body_with(
            BodyDef3::fixed([0.0, -1.0, 0.0]),
            [ShapeDef3::from(Shape3::cuboid(400.0, 2.0, 400.0))],
        )?;
        let mut top = None;
        for i in 0..base {
            for j in 0..base - i {
                for k in 0..base - i {
                    let f = |j: usize| (j as f32 - (base - i) as f32 * 0.5 + 0.5) * 1.1;
                    top = Some(w.create_body_with(
                        BodyDef3::dynamic([f(j), 0.5 + i as f32, f(k)]),
                        [Shape3::cuboid(1.0, 1.0, 1.0)],
                    )?);
                }
            }
        }
        run(&mut w, top.unwrap(), steps, |p| (p.x, p.y))?;
    }
    Ok(())
}

fn run<D: Dim>(
    w: &mut World<D>,
    top: BodyId,
    steps: usize,
    xy: impl Fn(D::Point) -> (f32, f32),
) -> Result<(), Error> {
    let t = Instant::now();
    w.step();
    println!("first step {:.2} ms", t.elapsed().as_secs_f64() * 1e3);
    let mut times = vec![];
    let mut stages = [0.0; topple::world::STAGES.len()];
    for _ in 1..steps {
        let t = Instant::now();
        w.step();
        times.push(t.elapsed().as_secs_f64() * 1e3);
        for (i, (s, _)) in topple::world::STAGES.iter().enumerate() {
            stages[i] += w.profile().stage(*s).as_secs_f64() * 1e3;
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "bodies {} median {:.3} min {:.3} ms  hash {:016x} top {:?}",
        w.body_count(),
        times[times.len() / 2],
        times[0],
        w.state_hash(),
        xy(w.body(top)?.position())
    );
    for (i, (_, n)) in topple::world::STAGES.iter().enumerate() {
        print!("{n} {:.3}  ", stages[i] / (steps - 1) as f64);
    }
    println!("\n{:?}\n{:?}", w.profile().counters, w.profile().narrow);
    Ok(())
}
