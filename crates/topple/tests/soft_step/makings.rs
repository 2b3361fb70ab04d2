//! What random worlds are made of: every shape, every kind of joint, and numbers that are the same everywhere.

use topple::joint::*;
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{Shape2, Shape3};

/// Numbers that look random and are the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
    /// True once in `times` on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
    /// In [low, high).
    pub(crate) fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.below(1 << 20) as Real / (1 << 20) as Real
    }
    /// One of these.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// What a dimension adds.
pub(crate) trait Making: Dim {
    /// Every shape that can move, one of them at random. About half a metre.
    fn moving(random: &mut Random) -> Self::Shape;
    /// Grounds: the first holds everything, the others lie on it and are met on the way.
    fn grounds() -> Vec<Self::Shape>;
    /// A box or square with this edge.
    fn cube(size: Real) -> Self::Shape;
    /// A spin with components below `size`, about all axes there are.
    fn spin(random: &mut Random, size: Real) -> Self::Ang;

    /// A vector with components below `size`, along all axes there are.
    fn vector(random: &mut Random, size: Real) -> Self::Vec {
        let mut v = Self::Vec::ZERO;
        (0..Self::N).for_each(|axis| v.set(axis, random.within(-size, size)));
        v
    }
    /// A point at most `width` from the y axis and up to `height` above the ground.
    fn place(random: &mut Random, width: Real, height: Real) -> Self::Point {
        let mut v = Self::vector(random, width);
        v.set(1, random.within(0.3, height));
        Self::Point::from_vec(v)
    }
    /// Places of the boxes of a pyramid, edge 1 m, beside everything else.
    fn pyramid() -> Vec<Self::Point> {
        let base = if Self::N == 3 { 14 } else { 45 };
        let mut places = Vec::new();
        for layer in 0..base {
            let count: usize = base - layer;
            let along = |i: usize| (i as Real - 0.5 * (count - 1) as Real) * 1.05;
            for i in 0..count.pow(Self::N as u32 - 1) {
                let mut v = Self::Vec::ZERO;
                v.set(Self::N - 1, along(i / count));
                v.set(0, 60.0 + along(i % count));
                v.set(1, 0.5 + layer as Real);
                places.push(Self::Point::from_vec(v));
            }
        }
        places
    }
    /// The point (x, y) or (x, y, 0).
    fn at(x: Real, y: Real) -> Self::Point {
        let mut v = Self::Vec::ZERO;
        v.set(0, x);
        v.set(1, y);
        Self::Point::from_vec(v)
    }
}

impl Making for D2 {
    fn moving(random: &mut Random) -> Shape2 {
        let (a, b) = (random.within(0.2, 0.7), random.within(0.2, 0.7));
        let corners = |count: usize| {
            let corner = |i: usize| {
                let (sin, cos) = sin_cos(i as Real * core::f32::consts::TAU / count as Real);
                Vec2::new(cos * a, sin * b) * 0.7
            };
            (0..count).map(corner).collect::<Vec<_>>()
        };
        match random.below(7) {
            0 => Shape2::circle(0.5 * a),
            1 => Shape2::rectangle(a, b),
            2 => Shape2::rounded_rectangle(a, b, 0.05),
            3 => Shape2::polygon(&corners(3)).unwrap(),
            4 => Shape2::polygon(&corners(7)).unwrap(),
            5 => Shape2::rounded_polygon(&corners(5), 0.05).unwrap(),
            _ => Shape2::capsule(Vec2::X * -0.5 * a, Vec2::X * 0.5 * a, 0.3 * b),
        }
    }
    fn grounds() -> Vec<Shape2> {
        let hills = (0..9).map(|i| 0.3 * (i % 3) as Real).collect::<Vec<_>>();
        let edge = [Vec2::new(9.0, 0.0), Vec2::new(8.0, 1.0), Vec2::new(7.0, 0.0)];
        vec![
            Shape2::half_plane(Vec2::Y, 0.0),
            Shape2::height_field(4.0, &hills).unwrap(),
            Shape2::chain(&edge).unwrap(),
            Shape2::segment(Vec2::new(-7.0, 0.0), Vec2::new(-6.0, 1.0)),
        ]
    }
    fn cube(size: Real) -> Shape2 {
        Shape2::rectangle(size, size)
    }
    fn spin(random: &mut Random, size: Real) -> Real {
        random.within(-size, size)
    }
}

impl Making for D3 {
    fn moving(random: &mut Random) -> Shape3 {
        let [a, b, c] = [0; 3].map(|_| random.within(0.2, 0.7));
        let points =
            [Vec3::X * a, Vec3::X * -a, Vec3::Y * b, Vec3::Y * -b, Vec3::Z * c, Vec3::new(-a, -b, -c)];
        let points = points.map(|p| p * 0.7);
        match random.below(11) {
            0 => Shape3::sphere(0.5 * a),
            1 => Shape3::cuboid(a, b, c),
            2 => Shape3::rounded_cuboid(a, b, c, 0.05),
            3 => Shape3::capsule(Vec3::X * -0.5 * a, Vec3::Y * 0.5 * b, 0.3 * c),
            4 => Shape3::cylinder(a, 0.5 * b),
            5 => Shape3::rounded_cylinder(a, 0.5 * b, 0.05),
            6 => Shape3::cone(a, 0.5 * b),
            7 => Shape3::rounded_cone(a, 0.5 * b, 0.05),
            8 => Shape3::hull(&points).unwrap(),
            9 => Shape3::rounded_hull(&points, 0.05).unwrap(),
            _ => {
                let surface = generate::torus(0.3 + 0.2 * a, 0.15, 8, 5).unwrap();
                Shape3::mesh(&surface.vertices, &surface.triangles).unwrap()
            }
        }
    }
    fn grounds() -> Vec<Shape3> {
        let hills = (0..25).map(|i| 0.3 * (i % 3) as Real).collect::<Vec<_>>();
        let ramp = [Vec3::new(4.0, 0.0, -3.0), Vec3::new(4.0, 0.0, 3.0), Vec3::new(7.0, 2.0, 0.0)];
        let ring = generate::torus(1.0, 0.4, 12, 6).unwrap();
        vec![
            Shape3::plane(Vec3::Y, 0.0),
            Shape3::height_field(Vec2::new(4.0, 4.0), 5, &hills).unwrap(),
            Shape3::triangle(ramp[0], ramp[1], ramp[2]),
            Shape3::mesh(&ring.vertices, &ring.triangles).unwrap(),
        ]
    }
    fn cube(size: Real) -> Shape3 {
        Shape3::cuboid(size, size, size)
    }
    fn spin(random: &mut Random, size: Real) -> Vec3 {
        Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
    }
}

/// A joint of any kind, with or without each of the things that it can have.
pub(crate) fn any_joint<D: Making>(random: &mut Random) -> JointKind<D> {
    let limits = random.pick(&[None, Some(Limits::new(-0.3, 0.6)), Some(Limits::new(0.0, 0.2))]);
    let max = random.pick(&[0.5, 20.0, Real::INFINITY]);
    let motor = match random.below(3) {
        0 => None,
        1 => Some(Motor::Velocity { speed: random.within(-4.0, 4.0), max }),
        _ => Some(Motor::Position { target: random.within(-0.5, 0.5), hertz: 3.0, damping: 0.7, max }),
    };
    let spring = random.pick(&[None, Some(Spring { rest: 0.2, hertz: 2.0, damping: 0.3 })]);
    match random.below(9) {
        0 if D::N == 3 => JointKind::Ball(Ball { cone: random.pick(&[None, Some(0.5)]), twist: limits }),
        0 => JointKind::Ball(Ball::default()),
        1 => JointKind::Hinge(Hinge { limits, motor, spring }),
        2 => JointKind::Slider(Slider { limits, motor, spring }),
        3 => JointKind::Fixed,
        4 => {
            let (min, max) = random.pick(&[(0.8, 0.8), (0.0, 1.0), (0.5, Real::INFINITY)]);
            JointKind::Distance(Distance { min, max, spring })
        }
        5 => JointKind::Spring(SpringDamper { stiffness: 30.0, damping: 0.5, rest_length: 0.7 }),
        6 => {
            let steering = if D::N == 3 { random.within(-0.3, 0.3) } else { 0.0 };
            JointKind::Wheel(Wheel { limits, motor, steering, ..Wheel::default() })
        }
        7 => JointKind::Motor(Drive {
            velocity: D::vector(random, 1.0),
            spin: D::spin(random, 1.0),
            hertz: random.pick(&[0.0, 2.0]),
            max_force: 20.0,
            max_torque: 5.0,
            ..Drive::default()
        }),
        _ => {
            let target = D::place(random, 3.0, 4.0);
            JointKind::Mouse(Mouse { max_force: 30.0, ..Mouse::to(target) })
        }
    }
}
