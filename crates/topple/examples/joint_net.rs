//! A net of ball joints: what a joint costs per step. `cargo run --release --example joint_net`

use std::time::Instant;
use topple::{BodyDef, D2, D3, Dim, JointDef, JointKind, Pose, Settings, World, joint::Ball, math::*};

fn net<D: Dim>(size: usize, mass: topple::Mass<D>) {
    let mut world = World::<D>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
    let at = |x: f32, y: f32| {
        let mut v = D::Vec::ZERO;
        v.set(0, x);
        v.set(1, y);
        D::Point::from_vec(v)
    };
    let mut above = vec![None; size];
    for row in 0..size {
        let mut left = None;
        for (column, above) in above.iter_mut().enumerate() {
            let (x, y) = (column as f32, -(row as f32));
            let def = if row == 0 && column % 10 == 0 {
                BodyDef::fixed(at(x, y))
            } else {
                BodyDef::dynamic(at(x, y))
            };
            let knot = world.create_body(BodyDef { mass: Some(mass), ..def }).unwrap();
            for (other, x, y) in [(*above, x, y + 0.5), (left, x - 0.5, y)] {
                let Some(other) = other else { continue };
                let kind = JointKind::Ball(Ball::default());
                let def = JointDef::at(&world, other, knot, kind, Pose::at(at(x, y))).unwrap();
                world.create_joint(def).unwrap();
            }
            (*above, left) = (Some(knot), Some(knot));
        }
    }
    (0..30).for_each(|_| world.step());
    let start = Instant::now();
    (0..100).for_each(|_| world.step());
    let step = start.elapsed().as_secs_f64() / 100.0;
    let joints = world.profile().counters.joints;
    println!(
        "{}D: {joints} joints, {:.3} ms per step, {:.0} ns per joint",
        D::N,
        step * 1e3,
        step * 1e9 / f64::from(joints)
    );
}

fn main() {
    net::<D2>(70, topple::Mass { mass: 1.0, center: Vec2::ZERO, inertia: 0.1 });
    let inertia = SymMat3::from_diagonal(Vec3::splat(0.1));
    net::<D3>(70, topple::Mass { mass: 1.0, center: Vec3::ZERO, inertia });
}
