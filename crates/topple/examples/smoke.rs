use topple::*;
fn run(name: &str, f: impl Fn(&mut Settings2)) -> Result<(), Error> {
    let mut s = Settings2::default();
    f(&mut s);
    let mut w = World2::with_settings(s)?;
    w.create_body_with(BodyDef2::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)?])?;
    let mut ids = vec![];
    for i in 0..10 {
        ids.push(
            w.create_body_with(BodyDef2::dynamic([0.0, 0.5 + i as f32]), [Shape2::rectangle(1.0, 1.0)])?,
        );
    }
    print!("{name}: ");
    for s in 0..600 {
        w.step();
        if s % 50 == 0 {
            print!(
                "{} {:.3},{:.3} ",
                w.awake_count(),
                w.body(ids[9])?.position().x,
                w.body(ids[9])?.position().y
            );
        }
    }
    println!();
    Ok(())
}
fn main() -> Result<(), Error> {
    run("default", |_| {})?;
    run("norecycle", |s| s.recycling = 0.0)?;
    run("nowarm", |s| s.warm_starting = false)?;
    run("it50", |s| s.iterations = 50)?;
    run("nofric", |s| s.friction = false)?;
    run("beta0.1", |s| s.baumgarte = 0.1)?;
    run("beta0", |s| s.baumgarte = 0.0)?;
    Ok(())
}
