//! Worlds with one joint, and comparisons that say what they compare.

use topple::joint::{JointKind, *};
use topple::math::*;
use topple::shape::Mass;
use topple::{BodyDef, BodyId, D2, D3, Dim, JointDef, JointId, Settings, Shape2, Shape3, ShapeDef, World};

pub(crate) const G: f32 = 9.8;

/// What the tests need of a dimension beyond `Dim`.
pub(crate) trait TestDim: Dim {
    /// The vector (x, y) or (x, y, 0).
    fn xy(x: f32, y: f32) -> Self::Vec;
    /// Rotation about z, the only axis of the plane.
    fn about_z(w: f32) -> Self::Ang;
    /// The component about z.
    fn z_of(w: Self::Ang) -> f32;
    /// A body of mass m and moments of inertia i about all axes.
    fn mass(m: f32, i: f32) -> Mass<Self>;
    /// A frame whose hinge axis is z.
    fn hinge_frame() -> Self::Rot;
    /// A turn about no axis in particular.
    fn tilted() -> Self::Rot;
    /// Circle or sphere.
    fn ball(radius: f32) -> ShapeDef<Self>;
    /// Box with these edges; in space as deep as high.
    fn block(width: f32, height: f32) -> ShapeDef<Self>;
    /// Everything below y = 0.
    fn floor() -> ShapeDef<Self>;
}

impl TestDim for D2 {
    fn xy(x: f32, y: f32) -> Vec2 {
        Vec2::new(x, y)
    }
    fn about_z(w: f32) -> f32 {
        w
    }
    fn z_of(w: f32) -> f32 {
        w
    }
    fn mass(m: f32, i: f32) -> Mass<D2> {
        Mass { mass: m, center: Vec2::ZERO, inertia: i }
    }
    fn hinge_frame() -> Rot2 {
        Rot2::default()
    }
    fn tilted() -> Rot2 {
        RotOps::<D2>::from_ang(0.6)
    }
    fn ball(radius: f32) -> ShapeDef<D2> {
        Shape2::circle(radius).into()
    }
    fn block(width: f32, height: f32) -> ShapeDef<D2> {
        Shape2::rectangle(width, height).into()
    }
    fn floor() -> ShapeDef<D2> {
        Shape2::half_plane(Vec2::Y, 0.0).into()
    }
}

impl TestDim for D3 {
    fn xy(x: f32, y: f32) -> Vec3 {
        Vec3::new(x, y, 0.0)
    }
    fn about_z(w: f32) -> Vec3 {
        Vec3::Z * w
    }
    fn z_of(w: Vec3) -> f32 {
        w.z
    }
    fn mass(m: f32, i: f32) -> Mass<D3> {
        Mass { mass: m, center: Vec3::ZERO, inertia: SymMat3::from_diagonal(Vec3::splat(i)) }
    }
    fn hinge_frame() -> Quat {
        // x to z: a quarter turn about −y.
        RotOps::<D3>::from_ang(Vec3::Y * -core::f32::consts::FRAC_PI_2)
    }
    fn tilted() -> Quat {
        RotOps::<D3>::from_ang(Vec3::new(0.4, -0.7, 0.5))
    }
    fn ball(radius: f32) -> ShapeDef<D3> {
        Shape3::sphere(radius).into()
    }
    fn block(width: f32, height: f32) -> ShapeDef<D3> {
        Shape3::cuboid(width, height, height).into()
    }
    fn floor() -> ShapeDef<D3> {
        Shape3::plane(Vec3::Y, 0.0).into()
    }
}

/// A world without sleep.
pub(crate) fn world<D: Dim>() -> World<D> {
    World::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap()
}

/// The same without gravity.
pub(crate) fn weightless<D: Dim>() -> World<D> {
    let settings = Settings { sleeping: false, gravity: D::Vec::ZERO, ..Settings::default() };
    World::with_settings(settings).unwrap()
}

/// The point (x, y) or (x, y, 0).
pub(crate) fn at<D: TestDim>(x: f32, y: f32) -> D::Point {
    D::Point::from_vec(D::xy(x, y))
}

/// A static body at the origin.
pub(crate) fn ground<D: TestDim>(world: &mut World<D>) -> BodyId {
    world.create_body(BodyDef::fixed(at::<D>(0.0, 0.0))).unwrap()
}

/// A body of mass m and inertia i without shapes.
pub(crate) fn body<D: TestDim>(world: &mut World<D>, x: f32, y: f32, m: f32, i: f32) -> BodyId {
    let def = BodyDef { mass: Some(D::mass(m, i)), ..BodyDef::dynamic(at::<D>(x, y)) };
    world.create_body(def).unwrap()
}

/// A joint whose frames coincide at (x, y), not turned.
pub(crate) fn join<D: TestDim>(
    world: &mut World<D>,
    a: BodyId,
    b: BodyId,
    x: f32,
    y: f32,
    kind: JointKind<D>,
) -> JointId {
    let def = JointDef::at(world, a, b, kind, Pose::at(at::<D>(x, y))).unwrap();
    world.create_joint(def).unwrap()
}

/// A hinge about z at (x, y).
pub(crate) fn hinge<D: TestDim>(
    world: &mut World<D>,
    a: BodyId,
    b: BodyId,
    x: f32,
    y: f32,
    kind: Hinge,
) -> JointId {
    let frame = Pose { position: at::<D>(x, y), rotation: D::hinge_frame() };
    let def = JointDef::at(world, a, b, JointKind::Hinge(kind), frame).unwrap();
    world.create_joint(def).unwrap()
}

/// Steps for the given time.
pub(crate) fn run<D: Dim>(world: &mut World<D>, seconds: f32) {
    let steps = (seconds / world.settings().dt).round() as u32;
    (0..steps).for_each(|_| world.step());
}

/// Distance of the anchors [m].
pub(crate) fn gap<D: Dim>(world: &World<D>, joint: JointId) -> f32 {
    world.joint(joint).unwrap().length()
}

/// Panics unless `got` is within `tolerance` of `expected`.
#[track_caller]
pub(crate) fn close(what: &str, got: f32, expected: f32, tolerance: f32) {
    assert!((got - expected).abs() <= tolerance, "{what}: got {got}, expected {expected} ± {tolerance}");
}

/// Panics unless `got` is within the share `tolerance` of `expected`.
#[track_caller]
pub(crate) fn near(what: &str, got: f32, expected: f32, tolerance: f32) {
    close(what, got, expected, tolerance * expected.abs());
}

/// Kinetic energy plus m·g·y of all bodies [J].
pub(crate) fn energy<D: Dim>(world: &World<D>) -> f64 {
    let g = world.settings().gravity;
    let ids = world.body_ids().collect::<Vec<_>>();
    let sum = ids.iter().map(|&id| {
        let body = world.body(id).unwrap();
        let potential = -g.dot(body.center().to_vec()) * body.mass();
        f64::from(body.kinetic_energy()) + f64::from(potential)
    });
    sum.sum()
}

/// Mean time between upward zero crossings of a signal sampled every `dt`, interpolated [s].
pub(crate) fn period(samples: &[f32], dt: f32) -> f32 {
    let mut crossings = Vec::new();
    for (i, pair) in samples.windows(2).enumerate() {
        if pair[0] < 0.0 && pair[1] >= 0.0 {
            crossings.push((i as f32 + pair[0] / (pair[0] - pair[1])) * dt);
        }
    }
    assert!(crossings.len() >= 2, "the signal does not oscillate");
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f32
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 32 bits.
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
    /// Below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }
    /// In [low, high).
    pub(crate) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() % 10_000) as f32 / 10_000.0
    }
}
