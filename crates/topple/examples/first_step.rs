//! The first step of a large pyramid beside its later ones, stage by stage: pair creation, cold trees, contacts from scratch.
//!
//! `first_step [dimension] [base] [rounds] [later steps] [threads]`; a base of 0 is a field of 5 000 boxes side by side. Minima of the rounds for the first step, medians for later ones.
//!
//! `first_step fresh [dimension] [base] [threads] [processes]`: every world in a process of its own, with memory that nobody has
//! written yet, as a program meets it. Medians over the processes; the later step of each is its median of steps 100 to 200.
use std::sync::Arc;
use std::time::Instant;
use topple::exec::Pool;
use topple::world::STAGES;
use topple::*;

fn arg(i: usize, default: usize) -> usize {
    std::env::args().nth(i).and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> Result<(), Error> {
    match std::env::args().nth(1).as_deref() {
        Some("fresh") => {
            processes();
            return Ok(());
        }
        Some("once") => {
            let pool = Arc::new(Pool::new(arg(4, 1)));
            let base = arg(3, 20);
            return if arg(2, 3) == 2 { once(&pool, || flat(base)) } else { once(&pool, || square(base)) };
        }
        _ => {}
    }
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

/// Creation, the first step stage by stage and in all, and the median of steps 100 to 200, of one world [ms], and the growth of the
/// resident memory [MiB]: one line of numbers.
fn once<D: Dim>(pool: &Arc<Pool>, make: impl Fn() -> Result<World<D>, Error>) -> Result<(), Error> {
    let before = resident();
    let start = Instant::now();
    let mut world = make()?;
    let creation = start.elapsed();
    world.set_executor(pool.clone());
    let mut total = |count: usize| {
        let one = |_| {
            world.step();
            world.profile().total
        };
        let mut times: Vec<_> = (0..count).map(one).collect();
        times.sort();
        (times[count / 2], STAGES.map(|(stage, _)| world.profile().stage(stage)))
    };
    let (first, stages) = total(1);
    total(FIRST_LATER - 1);
    let (later, _) = total(LATER);
    let times = [creation].into_iter().chain(stages).chain([first, later]);
    times.for_each(|time| print!("{} ", time.as_secs_f64() * 1e3));
    println!("{}", resident() - before);
    Ok(())
}

/// Resident memory of this process [MiB]; NaN where the system does not tell.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    number.map_or(f64::NAN, |kib| kib / 1024.0)
}

/// Steps that are told of as later ones: which is the first, and how many.
const FIRST_LATER: usize = 100;
const LATER: usize = 101;

/// Runs this program again and again, once for every world.
fn processes() {
    let program = std::env::current_exe().expect("this program has a path");
    let (dimension, base, threads, count) = (arg(2, 3), arg(3, 20), arg(4, 1), arg(5, 15));
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..count {
        let mut command = std::process::Command::new(&program);
        command.arg("once").args([dimension, base, threads].map(|number| number.to_string()));
        let output = command.output().expect("the program runs").stdout;
        let text = String::from_utf8_lossy(&output);
        let mut row: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [.., first, later, _] = row[..] else { continue };
        row.push(first / later);
        columns.resize(row.len(), Vec::new());
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    let names = ["creation"].into_iter().chain(STAGES.map(|(_, name)| name));
    let names = names.chain(["first step", "later step", "memory [MiB]", "ratio"]);
    println!("{:<12} {:>9} {:>9}", "[ms]", "median", "least");
    for (name, mut column) in names.zip(columns) {
        column.sort_by(f64::total_cmp);
        println!("{name:<12} {:>9.3} {:>9.3}", column[column.len() / 2], column[0]);
    }
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
