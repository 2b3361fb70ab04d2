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
            print!(
                "| {s} x{} top {t:.3} worst {worst:.3} E {e:.2e} pen {deepest:.4} ",
                w.profile().counters.refinement
            );
        }
    }
    println!();
}

fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1200);
    let which = std::env::args().nth(2).unwrap_or("all".into());
    let e = |n: &str, d: f32| std::env::var(n).map_or(d, |x| x.parse().unwrap());
    let s2 = || {
        World2::with_settings(Settings2 {
            sleeping: false,
            substeps: e("SUB", 4.0) as u32,
            contact_hertz: e("HZ", 30.0),
            max_refinement: e("REF", 64.0) as u32,
            contact_damping: e("ZETA", 10.0),
            push_speed: e("PUSH", 3.0),
            ..Settings2::default()
        })
        .unwrap()
    };
    let s3 = || {
        World3::with_settings(Settings3 {
            sleeping: false,
            substeps: e("SUB", 4.0) as u32,
            contact_hertz: e("HZ", 30.0),
            max_refinement: e("REF", 64.0) as u32,
            contact_damping: e("ZETA", 10.0),
            push_speed: e("PUSH", 3.0),
            ..Settings3::default()
        })
        .unwrap()
    };
    if which == "all" || which == "t2" {
        let mut w = s2();
        w.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(400.0, 2.0)]).unwrap();
        let ids = (0..e("N", 60.0) as usize)
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
        let ids = (0..e("N", 60.0) as usize)
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

    if which.starts_with('c') {
        use topple::{joint::Ball, math::*};
        let links: usize = which[1..].split('x').next().unwrap().parse().unwrap();
        let ratio: f32 = which.split('x').nth(1).unwrap().parse().unwrap();
        let swing = which.split('x').nth(2).is_some();
        let mut w = World3::with_settings(Settings3 {
            sleeping: false,
            substeps: e("SUB", 4.0) as u32,
            joint_hertz: e("JHZ", 60.0),
            max_refinement: e("REF", 64.0) as u32,
            joint_damping: e("JZ", 2.0),
            ..Settings3::default()
        })
        .unwrap();
        let dir = if swing { [1.0f32, 0.0, 0.0] } else { [0.0, -1.0, 0.0] };
        let at = |d: f32| [dir[0] * d, dir[1] * d, dir[2] * d];
        let size = if swing { [0.4, 0.2, 0.2] } else { [0.2, 0.4, 0.2] };
        let mut last = w
            .create_body_with(BodyDef3::fixed([0.0; 3]), [ShapeDef3::from(Shape3::cuboid(0.01, 0.01, 0.01))])
            .unwrap();
        let mut ids = vec![];
        for i in 1..=links {
            let id = w
                .create_body_with(
                    BodyDef3::dynamic(at(0.5 * i as f32)),
                    [ShapeDef3::from(Shape3::cuboid(size[0], size[1], size[2])).density(if i == links {
                        1000.0 * ratio
                    } else {
                        1000.0
                    })],
                )
                .unwrap();
            let p = at(0.5 * i as f32 - 0.25);
            let def =
                JointDef::at(&w, last, id, JointKind::Ball(Ball::default()), Pose::<D3>::at(Point3::from(p)))
                    .unwrap();
            w.create_joint(def).unwrap();
            last = id;
            ids.push(id);
        }
        let full = 0.5 * links as f32;
        let mut worst = 0.0f32;
        for s in 1..=steps {
            w.step();
            let mut len = 0.0;
            let mut prev = w.body(ids[0]).unwrap().position();
            len += (prev - Point3::from([0.0; 3])).length();
            for id in &ids[1..] {
                let p = w.body(*id).unwrap().position();
                len += (p - prev).length();
                prev = p;
            }
            worst = worst.max(len / full - 1.0);
            if s % (steps / 6) == 0 {
                print!(
                    "| {s} x{} stretch {:.4} worst {:.4} ",
                    w.profile().counters.refinement,
                    len / full - 1.0,
                    worst
                );
            }
        }
        println!();
    }

    if which.starts_with('g') {
        // g<dim>x<rms>x<gravity>
        let parts: Vec<f32> = which[1..].split('x').map(|x| x.parse().unwrap()).collect();
        if parts[0] == 2.0 {
            gas::<D2>(parts[1], parts[2], steps)
        } else {
            gas::<D3>(parts[1], parts[2], steps)
        }
    }
}

trait Ball: Dim {
    fn ball(r: f32) -> ShapeDef<Self>;
    fn slab(half: &[f32]) -> ShapeDef<Self>;
}
impl Ball for D2 {
    fn ball(r: f32) -> ShapeDef<D2> {
        Shape2::circle(r).into()
    }
    fn slab(h: &[f32]) -> ShapeDef<D2> {
        Shape2::rectangle(2.0 * h[0], 2.0 * h[1]).into()
    }
}
impl Ball for D3 {
    fn ball(r: f32) -> ShapeDef<D3> {
        Shape3::sphere(r).into()
    }
    fn slab(h: &[f32]) -> ShapeDef<D3> {
        Shape3::cuboid(2.0 * h[0], 2.0 * h[1], 2.0 * h[2]).into()
    }
}

fn gas<D: Ball>(rms: f32, gravity: f32, steps: usize) {
    use topple::math::*;
    let mut settings = Settings::<D> { sleeping: false, ..Settings::default() };
    settings.gravity = D::Vec::ZERO;
    settings.gravity.set(1, -gravity);
    let mut w = World::<D>::with_settings(settings).unwrap();
    let r = 0.1f32;
    let n = if D::N == 2 { 2000usize } else { 2000 };
    let vol =
        if D::N == 2 { core::f32::consts::PI * r * r } else { 4.0 / 3.0 * core::f32::consts::PI * r * r * r };
    let side = (n as f32 * vol / 0.05).powf(1.0 / D::N as f32);
    for axis in 0..D::N {
        for sign in [-1.0f32, 1.0] {
            let mut half = [side; 3];
            half[axis] = 0.5;
            let mut c = D::Vec::ZERO;
            c.set(axis, sign * (side * 0.5 + 0.5));
            w.create_body_with(
                BodyDef { kind: BodyKind::Static, position: D::Point::ORIGIN + c, ..BodyDef::default() },
                [D::slab(&half).friction(0.0).restitution(1.0)],
            )
            .unwrap();
        }
    }
    let mut seed = 12345u64;
    let mut rnd = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 40) as f32 / (1u64 << 24) as f32
    };
    let per = (n as f32).powf(1.0 / D::N as f32).ceil() as usize;
    let mut ids = vec![];
    for i in 0..n {
        let mut c = D::Vec::ZERO;
        let mut k = i;
        for axis in 0..D::N {
            c.set(axis, ((k % per) as f32 + 0.5) / per as f32 * side - side * 0.5);
            k /= per;
        }
        let mut v = D::Vec::ZERO;
        for axis in 0..D::N {
            let g: f32 = (0..12).map(|_| rnd()).sum::<f32>() - 6.0;
            v.set(axis, g * rms / (D::N as f32).sqrt());
        }
        let id = w
            .create_body_with(
                BodyDef {
                    kind: BodyKind::Dynamic,
                    position: D::Point::ORIGIN + c,
                    linear_velocity: v,
                    ..BodyDef::default()
                },
                [D::ball(r).friction(0.0).restitution(1.0)],
            )
            .unwrap();
        ids.push(id);
    }
    let energy = |w: &World<D>| -> f64 {
        ids.iter()
            .map(|id| {
                let b = w.body(*id).unwrap();
                b.kinetic_energy() as f64
                    + b.mass() as f64
                        * gravity as f64
                        * ((b.position() - D::Point::ORIGIN).get(1) + side * 0.5) as f64
            })
            .sum()
    };
    let e0 = energy(&w);
    print!("gas{}D rms {rms} g {gravity}: ", D::N);
    for s in 1..=steps {
        w.step();
        if s % (steps / 6) == 0 {
            print!("{s}: {:+.2}%  ", (energy(&w) / e0 - 1.0) * 100.0);
        }
    }
    println!();
}
