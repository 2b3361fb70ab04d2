//! Pieces that several scenes share: empty specs, floors, boxes of walls, and a small random generator.

use super::Spec;
use crate::engine::{BodyDef, D2, D3, Part, Shape2, Shape3};
use glam::{Quat, Vec2, Vec3};

/// Gravity of the engine's conventions [m/s²].
pub const GRAVITY: f32 = 9.8;

/// Step of the engine's conventions [s].
pub const DT: f32 = 1.0 / 60.0;

/// Anywhere but below the floors of this file [m].
const ABOVE_FLOOR: [Vec3; 2] = [Vec3::new(-1e6, -1.0, -1e6), Vec3::splat(1e6)];

/// An empty scene of the plane, gravity down, no sleeping.
pub fn empty2() -> Spec<D2> {
    let gravity = Vec2::new(0.0, -GRAVITY);
    Spec { gravity, dt: DT, sleeping: false, bodies: Vec::new(), joints: Vec::new(), bounds: ABOVE_FLOOR }
}

/// An empty scene of space, gravity down, no sleeping.
pub fn empty3() -> Spec<D3> {
    let gravity = Vec3::new(0.0, -GRAVITY, 0.0);
    Spec { gravity, dt: DT, sleeping: false, bodies: Vec::new(), joints: Vec::new(), bounds: ABOVE_FLOOR }
}

/// A floor whose top is y = 0, `half` wide to either side [m].
pub fn floor2(half: f32) -> BodyDef<D2> {
    BodyDef::fixed(Vec2::new(0.0, -1.0), Shape2::Box(Vec2::new(half, 1.0)))
}

/// A floor whose top is y = 0, `half` wide to every side [m].
pub fn floor3(half: f32) -> BodyDef<D3> {
    BodyDef::fixed(Vec3::new(0.0, -1.0, 0.0), Shape3::Box(Vec3::new(half, 1.0, half)))
}

/// Four walls around a rectangle of half extents `h` about the origin, one metre thick [m].
pub fn frame2(h: Vec2) -> Vec<Part<D2>> {
    [(Vec2::X, h.x, h.y), (Vec2::Y, h.y, h.x)]
        .into_iter()
        .flat_map(|(axis, distance, length)| {
            let across = axis.perp().abs();
            let shape = Shape2::Box(axis * 0.5 + across * (length + 1.0));
            [1.0, -1.0].map(|side| Part::at(axis * side * (distance + 0.5), shape.clone()))
        })
        .collect()
}

/// Six walls around a cuboid of half extents `h` about the origin, `thick` metres thick.
pub fn shell3(h: Vec3, thick: f32) -> Vec<Part<D3>> {
    (0..3)
        .flat_map(|axis| {
            let normal = Vec3::AXES[axis];
            let mut half = h + Vec3::splat(thick);
            half[axis] = thick * 0.5;
            [1.0, -1.0].map(|side| Part::at(normal * side * (h[axis] + thick * 0.5), Shape3::Box(half)))
        })
        .collect()
}

/// A body made of the parts, static, at `position`.
pub fn fixed3(position: Vec3, parts: Vec<Part<D3>>) -> BodyDef<D3> {
    BodyDef { parts, ..BodyDef::fixed(position, Shape3::Sphere(1.0)) }
}

/// A body made of the parts, static, at `position`.
pub fn fixed2(position: Vec2, parts: Vec<Part<D2>>) -> BodyDef<D2> {
    BodyDef { parts, ..BodyDef::fixed(position, Shape2::Circle(1.0)) }
}

/// PCG-XSH-RR: small, and the same numbers on every platform.
pub struct Random(u64);

impl Random {
    /// A stream per seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x853C_49E6_748F_EA9B);
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let shifted = ((old >> 18 ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 8) as f32 / (1 << 24) as f32
    }

    /// A direction, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// An orientation.
    pub fn rotation(&mut self) -> Quat {
        let axis = self.direction();
        Quat::from_axis_angle(axis, self.range(0.0, std::f32::consts::TAU))
    }
}
