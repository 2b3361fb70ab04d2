//! Same hash for all widths and thread counts.
use std::sync::Arc;
use topple::exec::Pool;
use topple::solver::{SimdWidth, SolverSoftStep};
use topple::*;

// Random worlds, and what they are made of.
mod makings;
mod random_worlds;
mod spinners;

fn scene3(width: SimdWidth, threads: usize) -> u64 {
    let mut w = World3::new();
    w.set_solver(SolverSoftStep::with_width(width));
    w.set_executor(Arc::new(Pool::new(threads)));
    w.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), [Shape3::plane(Vec3::Y, 0.0)]).unwrap();
    let mut seed = 1_u32;
    let mut rnd = || {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 8) as f32 / 16777216.0
    };
    for i in 0..300 {
        let p = [rnd() * 6.0, 1.0 + i as f32 * 0.15, rnd() * 6.0];
        let shape: Shape3 = match i % 3 {
            0 => Shape3::cuboid(0.6, 0.8, 1.0),
            1 => Shape3::sphere(0.4),
            _ => Shape3::capsule_y(0.6, 0.3),
        };
        let def = ShapeDef3::from(shape).restitution(if i % 5 == 0 { 0.7 } else { 0.0 });
        let def = ShapeDef3 {
            material: Material { rolling_friction: if i % 3 == 1 { 0.1 } else { 0.0 }, ..def.material },
            ..def
        };
        w.create_body_with(BodyDef3::dynamic(p), [def]).unwrap();
    }
    add_loads3(&mut w);
    let (mut at_once, mut standing) = (0, 0);
    for _ in 0..240 {
        w.step();
        at_once += w.profile().counters.at_once;
        standing += w.profile().counters.standing;
    }
    assert!(at_once > 0 && standing > 0, "chains at once {at_once}, towers by statics {standing}");
    w.state_hash()
}

/// Beside the heap: a chain with a heavy end, let go, and a tower that stands.
fn add_loads3(w: &mut World3) {
    let mut last = w.create_body(BodyDef3::fixed([40.0, 30.0, 0.0])).unwrap();
    for i in 0..20 {
        let density = if i == 19 { 1000.0 } else { 1.0 };
        let at = [40.5 + 0.5 * i as f32, 30.0, 0.0];
        let shape = ShapeDef3::from(Shape3::sphere(0.2)).density(density);
        let next = w.create_body_with(BodyDef3::dynamic(at), [shape]).unwrap();
        let pivot = Pose::at([40.0 + 0.5 * i as f32, 30.0, 0.0]);
        let kind = JointKind::Ball(joint::Ball::default());
        w.create_joint(JointDef::at(w, last, next, kind, pivot).unwrap()).unwrap();
        last = next;
    }
    for i in 0..20 {
        let at = [-20.0, 0.45 + 0.9 * i as f32, 0.0];
        w.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(0.9, 0.9, 0.9)]).unwrap();
    }
}

fn scene2(width: SimdWidth, threads: usize) -> u64 {
    let mut w = World2::new();
    w.set_solver(SolverSoftStep::with_width(width));
    w.set_executor(Arc::new(Pool::new(threads)));
    w.create_body_with(BodyDef2::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)]).unwrap();
    for i in 0..300 {
        let p = [(i % 20) as f32 * 1.1 + 0.01 * (i / 20) as f32, 1.0 + (i / 20) as f32 * 1.1];
        let shape = if i % 3 == 0 { Shape2::circle(0.5) } else { Shape2::rectangle(1.0, 0.8) };
        let def = ShapeDef2::from(shape).restitution(if i % 5 == 0 { 0.7 } else { 0.0 });
        let def = ShapeDef2 {
            material: Material { rolling_friction: if i % 3 == 0 { 0.1 } else { 0.0 }, ..def.material },
            ..def
        };
        w.create_body_with(BodyDef2::dynamic(p), [def]).unwrap();
    }
    add_loads2(&mut w);
    let (mut at_once, mut standing) = (0, 0);
    for _ in 0..240 {
        w.step();
        at_once += w.profile().counters.at_once;
        standing += w.profile().counters.standing;
    }
    assert!(at_once > 0 && standing > 0, "chains at once {at_once}, towers by statics {standing}");
    w.state_hash()
}

/// Beside the heap: a chain with a heavy end, let go, and a tower that stands.
fn add_loads2(w: &mut World2) {
    let mut last = w.create_body(BodyDef2::fixed([40.0, 30.0])).unwrap();
    for i in 0..20 {
        let density = if i == 19 { 1000.0 } else { 1.0 };
        let at = [40.5 + 0.5 * i as f32, 30.0];
        let shape = ShapeDef2::from(Shape2::circle(0.2)).density(density);
        let next = w.create_body_with(BodyDef2::dynamic(at), [shape]).unwrap();
        let pivot = Pose::at([40.0 + 0.5 * i as f32, 30.0]);
        let kind = JointKind::Ball(joint::Ball::default());
        w.create_joint(JointDef::at(w, last, next, kind, pivot).unwrap()).unwrap();
        last = next;
    }
    for i in 0..20 {
        let at = [-20.0, 0.45 + 0.9 * i as f32];
        w.create_body_with(BodyDef2::dynamic(at), [Shape2::rectangle(0.9, 0.9)]).unwrap();
    }
}

#[test]
fn every_width_and_thread_count_gives_the_same_state() {
    let (two, three) = (scene2(SimdWidth::Scalar, 1), scene3(SimdWidth::Scalar, 1));
    for width in [SimdWidth::Scalar, SimdWidth::Four, SimdWidth::Eight] {
        for threads in [1, 2, 4, 8] {
            assert_eq!(scene2(width, threads), two, "2D, {width:?}, {threads} threads");
            assert_eq!(scene3(width, threads), three, "3D, {width:?}, {threads} threads");
        }
    }
}
