//! What the tests of both dimensions share.

use std::fmt::Display;
use topple::math::*;
use topple::{BodyDef, BodyId, Drag, Methods, Settings, ShapeDef, World};

/// A dimension with the shapes that the generic tests need. Two-dimensional arguments lie in the plane z = 0.
pub trait TestDim: Dim {
    /// Share of g·sin θ at which a solid ball (disc) rolls down a slope: 1 / (1 + I / (m·r²)).
    const ROLLING: Real;
    /// A solid ball or disc.
    fn ball(radius: Real) -> Self::Shape;
    /// A box or rectangle with the given full width and height (and depth like the height).
    fn block(width: Real, height: Real) -> Self::Shape;
    /// A capsule of the given length between the centres, along x.
    fn capsule(length: Real, radius: Real) -> Self::Shape;
    /// Everything below a plane with this normal through the point `offset`·normal.
    fn half_space(x: Real, y: Real, offset: Real) -> Self::Shape;
    /// (x, y) or (x, y, 0).
    fn vec(x: Real, y: Real) -> Self::Vec;
    /// A spin about z.
    fn spin(w: Real) -> Self::Ang;
    /// Component of an angular quantity about z.
    fn about_z(w: Self::Ang) -> Real;
    /// The golden hash that belongs to this dimension.
    fn pick<T>(flat: T, spatial: T) -> T;

    /// A cube or square.
    fn cube(size: Real) -> Self::Shape {
        Self::block(size, size)
    }
    /// A turn about z [rad].
    fn turn(angle: Real) -> Self::Rot {
        Self::Rot::from_ang(Self::spin(angle))
    }
    /// The point (x, y) or (x, y, 0).
    fn point(x: Real, y: Real) -> Self::Point {
        Self::Point::from_vec(Self::vec(x, y))
    }
}

impl TestDim for D2 {
    const ROLLING: Real = 2.0 / 3.0;
    fn ball(radius: Real) -> topple::Shape2 {
        topple::Shape2::circle(radius)
    }
    fn block(width: Real, height: Real) -> topple::Shape2 {
        topple::Shape2::rectangle(width, height)
    }
    fn capsule(length: Real, radius: Real) -> topple::Shape2 {
        topple::Shape2::capsule(Vec2::X * (-0.5 * length), Vec2::X * (0.5 * length), radius)
    }
    fn half_space(x: Real, y: Real, offset: Real) -> topple::Shape2 {
        topple::Shape2::half_plane(Vec2::new(x, y), offset)
    }
    fn vec(x: Real, y: Real) -> Vec2 {
        Vec2::new(x, y)
    }
    fn spin(w: Real) -> Real {
        w
    }
    fn about_z(w: Real) -> Real {
        w
    }
    fn pick<T>(flat: T, _spatial: T) -> T {
        flat
    }
}

impl TestDim for D3 {
    const ROLLING: Real = 5.0 / 7.0;
    fn ball(radius: Real) -> topple::Shape3 {
        topple::Shape3::sphere(radius)
    }
    fn block(width: Real, height: Real) -> topple::Shape3 {
        topple::Shape3::cuboid(width, height, height)
    }
    fn capsule(length: Real, radius: Real) -> topple::Shape3 {
        topple::Shape3::capsule(Vec3::X * (-0.5 * length), Vec3::X * (0.5 * length), radius)
    }
    fn half_space(x: Real, y: Real, offset: Real) -> topple::Shape3 {
        topple::Shape3::plane(Vec3::new(x, y, 0.0), offset)
    }
    fn vec(x: Real, y: Real) -> Vec3 {
        Vec3::new(x, y, 0.0)
    }
    fn spin(w: Real) -> Vec3 {
        Vec3::Z * w
    }
    fn about_z(w: Vec3) -> Real {
        w.z
    }
    fn pick<T>(_flat: T, spatial: T) -> T {
        spatial
    }
}

/// Names of all methods of one stage, the default first.
pub fn methods<D: Dim>(stage: &str) -> Vec<&'static str> {
    let all = Methods::<D>::all().into_iter();
    let names: Vec<_> = all.filter(|method| method.stage == stage).map(|method| method.name).collect();
    assert!(!names.is_empty(), "there is a stage named {stage}");
    names
}

/// A world with the given solver.
pub fn world_with_solver<D: Dim>(solver: &str) -> World<D> {
    let mut world = World::new();
    world.set_solver_by_name(solver).unwrap();
    world
}

/// Changes settings in place; the change must be a possible one.
pub fn adjust<D: Dim>(world: &mut World<D>, change: impl FnOnce(&mut Settings<D>)) {
    let mut settings = world.settings().clone();
    change(&mut settings);
    world.set_settings(settings).unwrap();
}

/// No gravity.
pub fn weightless<D: Dim>(world: &mut World<D>) {
    adjust(world, |s| s.gravity = D::Vec::ZERO);
}

/// The ground: everything below y = 0, with the given friction.
pub fn add_floor<D: TestDim>(world: &mut World<D>, friction: Real) -> BodyId {
    let shape = ShapeDef::new(D::half_space(0.0, 1.0, 0.0)).friction(friction);
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [shape]).unwrap()
}

/// A dynamic body at (x, y) with one shape.
pub fn add_body<D: TestDim>(world: &mut World<D>, x: Real, y: Real, shape: D::Shape) -> BodyId {
    add_shaped(world, x, y, ShapeDef::new(shape))
}

/// A dynamic body at (x, y) with one shape and its surface.
pub fn add_shaped<D: TestDim>(world: &mut World<D>, x: Real, y: Real, shape: ShapeDef<D>) -> BodyId {
    world.create_body_with(BodyDef::dynamic(D::point(x, y)), [shape]).unwrap()
}

/// A heap with a bit of everything: a floor, a wall of boxes, balls and capsules falling on it.
pub fn heap<D: TestDim>(world: &mut World<D>, rows: usize) {
    add_floor(world, 0.6);
    for row in 0..rows {
        for column in 0..rows - row {
            let x = (column as Real - 0.5 * (rows - row) as Real) * 1.05;
            add_body(world, x, 0.5 + row as Real, D::cube(1.0));
        }
    }
    for i in 0..rows {
        let x = i as Real * 0.9 - 0.4 * rows as Real;
        // Round things would roll on for ever.
        let drag = Drag { linear: 0.3, angular_linear: 1.0, ..Drag::default() };
        let mut drop = |x: Real, y: Real, shape: D::Shape| {
            let def = BodyDef { drag, ..BodyDef::dynamic(D::point(x, y)) };
            world.create_body_with(def, [ShapeDef::new(shape).restitution(0.3)]).unwrap();
        };
        drop(x, rows as Real + 2.0, D::ball(0.4));
        drop(-x * 0.7, rows as Real + 4.0, D::capsule(0.8, 0.25));
    }
}

/// Steps for a time [s].
pub fn run<D: Dim>(world: &mut World<D>, seconds: Real) {
    for _ in 0..(seconds / world.settings().dt).round() as usize {
        world.step();
    }
}

/// Fails with expected, got, tolerance and unit unless the two numbers are close.
#[track_caller]
pub fn assert_close(what: impl Display, got: Real, expected: Real, tolerance: Real, unit: &str) {
    let error = (got - expected).abs();
    assert!(
        error <= tolerance,
        "{what}: got {got} {unit}, expected {expected} {unit}, off by {error:e}, allowed {tolerance:e}"
    );
}

/// The same for vectors, by the length of the difference.
#[track_caller]
pub fn assert_near<V: VecOps>(what: impl Display, got: V, expected: V, tolerance: Real, unit: &str) {
    let error = (got - expected).length();
    assert!(
        error <= tolerance,
        "{what}: got {got:?} {unit}, expected {expected:?} {unit}, off by {error:e}, allowed {tolerance:e}"
    );
}

/// Sum of the momenta [kg·m/s].
pub fn momentum<D: Dim>(world: &World<D>) -> D::Vec {
    world.body_ids().fold(D::Vec::ZERO, |sum, id| sum + world.body(id).unwrap().momentum())
}

/// Sum of the angular momenta about the origin [kg·m²/s].
pub fn angular_momentum<D: Dim>(world: &World<D>) -> D::Ang {
    world.body_ids().fold(D::Ang::ZERO, |sum, id| {
        let body = world.body(id).unwrap();
        sum + body.angular_momentum() + D::cross(body.center().to_vec(), body.momentum())
    })
}

/// Sum of the kinetic energies [J].
pub fn kinetic_energy<D: Dim>(world: &World<D>) -> Real {
    world.body_ids().map(|id| world.body(id).unwrap().kinetic_energy()).sum()
}

/// Deepest overlap of any contact [m], 0 if none.
pub fn deepest_overlap<D: Dim>(world: &World<D>) -> Real {
    let solid = world.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor());
    solid.map(|contact| contact.points().fold(0.0, |m: Real, p| m.max(-p.1))).fold(0.0, Real::max)
}

/// A small generator of pseudo-random numbers, the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// The next number in [0, 1).
    pub fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as Real / (1_u64 << 24) as Real
    }

    /// The next number in [low, high).
    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }
}
