//! The first step of a large pyramid, many times: pair creation, cold trees, contacts from scratch.
use std::time::Instant;
use topple::*;

fn main() -> Result<(), Error> {
    let base = 20;
    let mut stages = [0.0; 7];
    let rounds = 20;
    let (mut create, mut second) = (0.0, 0.0);
    for _ in 0..rounds {
        let t = Instant::now();
        let mut w = World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() })?;
        w.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)])?;
        for i in 0..base {
            for j in 0..base - i {
                for k in 0..base - i {
                    let f = |j: usize| (j as f32 - (base - i) as f32 * 0.5 + 0.5) * 1.1;
                    let at = [f(j), 0.5 + i as f32, f(k)];
                    w.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(1.0, 1.0, 1.0)])?;
                }
            }
        }
        create += t.elapsed().as_secs_f64() * 1e3;
        w.step();
        for (i, (s, _)) in topple::world::STAGES.iter().enumerate() {
            stages[i] += w.profile().stage(*s).as_secs_f64() * 1e3;
        }
        w.step();
        second += w.profile().total.as_secs_f64() * 1e3;
    }
    print!("create {:.2}  ", create / f64::from(rounds));
    for (i, (_, n)) in topple::world::STAGES.iter().enumerate() {
        print!("{n} {:.2}  ", stages[i] / f64::from(rounds));
    }
    println!("second step {:.2} ms", second / f64::from(rounds));
    Ok(())
}
