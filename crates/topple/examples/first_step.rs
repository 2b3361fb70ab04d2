//! The first step of a large pyramid beside its later ones, stage by stage: pair creation, cold trees, contacts from scratch.
//!
//! `first_step [dimension] [base] [rounds] [later steps] [threads]`; a base of 0 is a field of 5 000 boxes side by side. Minima of the rounds for the first step, medians for later ones.
use std::sync::Arc;
use topple::exec::Pool;
use topple::world::STAGES;
use topple::*;

fn main() -> Result<(), Error> {
    let arg = |i: usize, default: usize| {
        std::env::args().nth(i).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (base, rounds, later, threads) = (arg(2, 20), arg(3, 10), arg(4, 20), arg(5, 1));
    let pool = Arc::new(Pool::new(threads));
    if arg(1, 3) == 2 {
        run(&pool, rounds, later, || flat(base))
    } else {
        run(&pool, rounds, later, || square(base))
    }
}

fn flat(base: usize) -> Result<World2, Error> {
    let mut world = World2::with_settings(Settings2 { sleeping: false, ..Settings2::default() })?;
    world.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(400.0, 2.0)])?;
    for row in 0..base {
        for i in 0..base - row {
            let x = (i as f32 - (base - row) as f32 * 0.5 + 0.5) * 1.05;
            world
                .create_body_with(BodyDef2::dynamic([x, 0.5 + row as f32]), [Shape2::rectangle(1.0, 1.0)])?;
        }
    }
    Ok(world)
}

fn square(base: usize) -> Result<World3, Error> {
    let mut world = World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() })?;
    world.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)])?;
    for i in 0..if base == 0 { 5000 } else { 0 } {
        let at = [(i % 70) as f32 * 2.0, 0.5, (i / 70) as f32 * 2.0];
        world.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(1.0, 1.0, 1.0)])?;
    }
    for layer in 0..base {
        let along = |i: usize| (i as f32 - (base - layer) as f32 * 0.5 + 0.5) * 1.05;
        for i in 0..(base - layer) * (base - layer) {
            let at = [along(i % (base - layer)), 0.5 + layer as f32, along(i / (base - layer))];
            world.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(1.0, 1.0, 1.0)])?;
        }
    }
    Ok(world)
}

fn run<D: Dim>(
    pool: &Arc<Pool>,
    rounds: usize,
    later: usize,
    make: impl Fn() -> Result<World<D>, Error>,
) -> Result<(), Error> {
    // Per stage, and the whole step at the end [ms].
    let mut first = [f64::INFINITY; STAGES.len() + 1];
    let mut rest = vec![Vec::new(); STAGES.len() + 1];
    for _ in 0..rounds {
        let mut world = make()?;
        world.set_executor(pool.clone());
        let step = |world: &mut World<D>| {
            world.step();
            let profile = world.profile();
            let mut times = STAGES.map(|(stage, _)| profile.stage(stage)).to_vec();
            times.push(profile.total);
            times.into_iter().map(|time| time.as_secs_f64() * 1e3).collect::<Vec<_>>()
        };
        for (best, time) in first.iter_mut().zip(step(&mut world)) {
            *best = best.min(time);
        }
        for _ in 0..later {
            for (list, time) in rest.iter_mut().zip(step(&mut world)) {
                list.push(time);
            }
        }
    }
    let names = STAGES.map(|(_, name)| name).into_iter().chain(["total"]);
    println!("{:<12} {:>9} {:>9} {:>9}", "stage [ms]", "first", "median", "least");
    for ((name, first), mut rest) in names.zip(first).zip(rest) {
        rest.sort_by(f64::total_cmp);
        let (median, least) = (rest.get(rest.len() / 2), rest.first());
        println!(
            "{name:<12} {first:>9.3} {:>9.3} {:>9.3}",
            median.copied().unwrap_or_default(),
            least.copied().unwrap_or_default()
        );
    }
    Ok(())
}
