//! Motions with a known answer.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, D2, D3, JointDef, World};

/// Complete elliptic integral K(k), by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    core::f64::consts::FRAC_PI_2 / a
}

/// A rod of length 1 and mass 2, hung at its end with amplitude `start`: T = 4·√(I/(m·g·d))·K(sin(θ₀/2)).
fn pendulum<D: TestDim>(start: f32, kind: JointKind<D>, seconds: f32) {
    let (m, d, i) = (2.0, 0.5, 2.0 / 12.0);
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let (s, c) = sin_cos(start);
    let rod = body(&mut world, d * s, -d * c, m, i);
    let frame = Pose { position: at::<D>(0.0, 0.0), rotation: D::hinge_frame() };
    let joint = world.create_joint(JointDef::at(&world, wall, rod, kind, frame).unwrap()).unwrap();
    let before = energy(&world);
    let floor = -f64::from(m * G * d);
    let (mut angles, mut worst) = (Vec::new(), 0.0_f32);
    for _ in 0..(seconds * 60.0) as u32 {
        world.step();
        let center = world.body(rod).unwrap().center().to_vec();
        angles.push(atan2(center.get(0), -center.get(1)));
        worst = worst.max(gap(&world, joint));
    }
    let inertia = f64::from(i + m * d * d);
    let omega = (f64::from(m * G * d) / inertia).sqrt();
    let expected = 4.0 / omega * elliptic_k(f64::from(sin_cos(0.5 * start).0));
    let got = period(&angles, 1.0 / 60.0);
    let drift = (energy(&world) - before) / (before - floor);
    println!("pendulum {}D {start} rad: T {got} ({expected}), gap {worst}, energy {drift:+.5}", D::N);
    near("period of the pendulum [s]", got, expected as f32, 0.005);
    assert!(worst < 1e-3, "the anchors part by {worst} m");
    assert!(drift.abs() < 0.05, "energy drifts by {drift}");
}

#[test]
fn pendulum_2d() {
    pendulum::<D2>(0.1, JointKind::Hinge(Hinge::default()), 20.0);
    pendulum::<D2>(1.5, JointKind::Ball(Ball::default()), 20.0);
    pendulum::<D2>(2.8, JointKind::Hinge(Hinge::default()), 20.0);
}

#[test]
fn pendulum_3d() {
    pendulum::<D3>(0.1, JointKind::Hinge(Hinge::default()), 20.0);
    pendulum::<D3>(1.5, JointKind::Ball(Ball::default()), 20.0);
    pendulum::<D3>(2.8, JointKind::Hinge(Hinge::default()), 20.0);
}
