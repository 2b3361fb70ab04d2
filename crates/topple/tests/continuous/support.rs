//! Random bodies and walls for both dimensions.

use topple::math::*;
use topple::{BodyDef, Filter, Settings, Shape2, Shape3, ShapeDef, World};

/// A small generator with good low bits: the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as Real / (1_u64 << 24) as Real
    }
    /// In [low, high).
    pub(crate) fn range(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }
    /// One of 0..count.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        ((self.unit() * count as Real) as usize).min(count - 1)
    }
    /// Between low and high, as likely in each factor of two.
    pub(crate) fn scale(&mut self, low: Real, high: Real) -> Real {
        let steps = self.range(0.0, 64.0) as i32;
        let factor = (high / low).sqrt().sqrt().sqrt().sqrt().sqrt().sqrt();
        (0..steps).fold(low, |x, _| x * factor)
    }
    /// A vector of the given length in any direction.
    pub(crate) fn direction<D: Dim>(&mut self, length: Real) -> D::Vec {
        loop {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|axis| v.set(axis, self.range(-1.0, 1.0)));
            let l = v.length();
            if l > 0.1 && l < 1.0 {
                return v * (length / l);
            }
        }
    }
    /// A rotation vector of the given length.
    pub(crate) fn turn<D: Dim>(&mut self, length: Real) -> D::Ang {
        let mut w = D::Ang::ZERO;
        (0..D::ANGULAR).for_each(|axis| w.set(axis, self.range(-1.0, 1.0)));
        let l = w.length().max(1e-3);
        w * (length / l)
    }
}

/// What differs between the dimensions.
pub(crate) trait Kit: Dim {
    /// Bodies of about the given size, as shapes on one body: every kind, and a compound.
    fn body(kind: usize, size: Real) -> Vec<ShapeDef<Self>>;
    /// Number of kinds of bodies.
    const BODIES: usize;
    /// The first ones have inner radii of their own: all but meshes.
    const SHOTS: usize;
    /// The first ones are convex: nothing flies through them.
    const CONVEX: usize;
    /// A wall about the plane y = 0 of its frame, of the given width [m], its name, and half its thickness [m].
    fn wall(kind: usize, width: Real) -> (&'static str, Self::Shape, Real);
    /// Number of kinds of walls.
    const WALLS: usize;
    /// A ball.
    fn ball(radius: Real) -> Self::Shape;
    /// A box of the given full width, height (and depth like the width).
    fn block(width: Real, height: Real) -> Self::Shape;
    /// A plate of the given length and thickness, two thirds as wide as long, in one of several ways.
    fn plate(kind: usize, length: Real, thickness: Real) -> Vec<ShapeDef<Self>>;
    /// Number of kinds of plates.
    const PLATES: usize;
    /// A rotation that brings y to `n`, roughly: exact enough to measure sides with the rotated y.
    fn facing(angle: Real) -> Self::Rot;
}

fn at<D: Dim>(shape: impl Into<ShapeDef<D>>, offset: D::Vec) -> ShapeDef<D> {
    shape.into().at(Pose::at(D::Point::from_vec(offset)))
}

impl Kit for D2 {
    const BODIES: usize = 8;
    const SHOTS: usize = 8;
    const CONVEX: usize = 6;
    fn body(kind: usize, size: Real) -> Vec<ShapeDef<D2>> {
        let s = size;
        match kind {
            0 => vec![Shape2::circle(0.5 * s).into()],
            1 => vec![Shape2::rectangle(s, s).into()],
            2 => vec![Shape2::rectangle(s, 0.1 * s).into()],
            3 => vec![Shape2::capsule(Vec2::new(-0.4 * s, 0.0), Vec2::new(0.4 * s, 0.1 * s), 0.1 * s).into()],
            4 => {
                let corners =
                    [Vec2::new(0.0, 0.6 * s), Vec2::new(-0.5 * s, -0.3 * s), Vec2::new(0.5 * s, -0.3 * s)];
                vec![Shape2::polygon(&corners).unwrap().into()]
            }
            5 => vec![Shape2::rounded_rectangle(s, 0.5 * s, 0.1 * s).into()],
            6 => vec![
                at(Shape2::circle(0.2 * s), Vec2::X * (0.4 * s)),
                at(Shape2::circle(0.2 * s), Vec2::X * (-0.4 * s)),
            ],
            _ => vec![
                at(Shape2::rectangle(0.2 * s, s), Vec2::X * (0.4 * s)),
                Shape2::rectangle(s, 0.2 * s).into(),
            ],
        }
    }
    const WALLS: usize = 8;
    fn wall(kind: usize, width: Real) -> (&'static str, Shape2, Real) {
        let end = Vec2::new(0.5 * width, 0.0);
        match kind {
            0 => ("segment", Shape2::segment(-end, end), 0.0),
            1 => ("half-plane", Shape2::half_plane(Vec2::Y, 0.0), 0.0),
            2 => ("rectangle of 0.1 mm", Shape2::rectangle(width, 1e-4), 5e-5),
            3 => ("rectangle of 1 cm", Shape2::rectangle(width, 0.01), 5e-3),
            4 => ("capsule of 1 mm", Shape2::capsule(-end, end, 5e-4), 5e-4),
            5 => {
                // From right to left: solid below.
                let points: Vec<_> = (0..81).map(|i| end * (1.0 - i as Real / 40.0)).collect();
                ("chain", Shape2::chain(&points).unwrap(), 0.0)
            }
            6 => ("height field", Shape2::height_field(width, &[0.0; 81]).unwrap(), 0.0),
            _ => ("flat rectangle", Shape2::rectangle(width, 0.0), 0.0),
        }
    }
    fn ball(radius: Real) -> Shape2 {
        Shape2::circle(radius)
    }
    fn block(width: Real, height: Real) -> Shape2 {
        Shape2::rectangle(width, height)
    }
    const PLATES: usize = 4;
    fn plate(kind: usize, length: Real, thickness: Real) -> Vec<ShapeDef<D2>> {
        let (l, t) = (length, thickness);
        match kind {
            0 => vec![Shape2::rectangle(l, t).into()],
            1 => [-0.25, 0.25].map(|x| at(Shape2::rectangle(0.5 * l, t), Vec2::X * (x * l))).into(),
            2 => vec![Shape2::rounded_rectangle(l, t, 0.2 * t).into()],
            _ => vec![Shape2::capsule(Vec2::X * (0.5 * (t - l)), Vec2::X * (0.5 * (l - t)), 0.5 * t).into()],
        }
    }
    fn facing(angle: Real) -> Rot2 {
        Rot2::from_angle(angle)
    }
}

impl Kit for D3 {
    const BODIES: usize = 11;
    const SHOTS: usize = 9;
    const CONVEX: usize = 8;
    fn body(kind: usize, size: Real) -> Vec<ShapeDef<D3>> {
        let s = size;
        match kind {
            0 => vec![Shape3::sphere(0.5 * s).into()],
            1 => vec![Shape3::cuboid(s, s, s).into()],
            2 => vec![Shape3::cuboid(s, 0.1 * s, 0.3 * s).into()],
            3 => vec![Shape3::capsule_y(0.8 * s, 0.1 * s).into()],
            4 => vec![Shape3::cylinder(0.4 * s, 0.5 * s).into()],
            5 => vec![Shape3::cone(s, 0.4 * s).into()],
            6 => {
                let corners = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(-0.6, -0.7, -0.5)].map(|v| v * (0.6 * s));
                vec![Shape3::hull(&corners).unwrap().into()]
            }
            7 => vec![Shape3::rounded_cuboid(s, 0.5 * s, 0.6 * s, 0.1 * s).into()],
            8 => vec![
                at(Shape3::cuboid(0.2 * s, s, 0.2 * s), Vec3::X * (0.4 * s)),
                Shape3::sphere(0.2 * s).into(),
            ],
            9 => vec![closed_mesh(0.5 * s).into()],
            _ => vec![
                at(closed_mesh(0.3 * s), Vec3::X * (0.4 * s)),
                at(Shape3::capsule_y(0.5 * s, 0.1 * s), Vec3::X * (-0.2 * s)),
                at(Shape3::cuboid(0.8 * s, 0.1 * s, 0.1 * s), Vec3::Y * (0.2 * s)),
            ],
        }
    }
    const WALLS: usize = 7;
    fn wall(kind: usize, width: Real) -> (&'static str, Shape3, Real) {
        let half = 0.5 * width;
        let corner = |x: Real, z: Real| Vec3::new(half * x, 0.0, half * z);
        match kind {
            0 => ("plane", Shape3::plane(Vec3::Y, 0.0), 0.0),
            1 => ("box of 0.1 mm", Shape3::cuboid(width, 1e-4, width), 5e-5),
            2 => ("box of 1 µm", Shape3::cuboid(width, 1e-6, width), 5e-7),
            3 => {
                let corners =
                    [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), Vec3::ZERO];
                // Four triangles about the middle, fronts up.
                let triangles = [[4, 1, 0], [4, 2, 1], [4, 3, 2], [4, 0, 3]];
                ("mesh", Shape3::mesh(&corners, &triangles).unwrap(), 0.0)
            }
            4 => {
                ("height field", Shape3::height_field(Vec2::splat(width), 21, &[0.0; 21 * 21]).unwrap(), 0.0)
            }
            // So large that the square of the given width is inside.
            5 => {
                ("triangle", Shape3::triangle(corner(-1.0, 3.0), corner(3.0, -1.0), corner(-1.0, -1.0)), 0.0)
            }
            _ => ("box of 1 cm", Shape3::cuboid(width, 0.01, width), 5e-3),
        }
    }
    fn ball(radius: Real) -> Shape3 {
        Shape3::sphere(radius)
    }
    fn block(width: Real, height: Real) -> Shape3 {
        Shape3::cuboid(width, height, width)
    }
    const PLATES: usize = 4;
    fn plate(kind: usize, length: Real, thickness: Real) -> Vec<ShapeDef<D3>> {
        let (l, t, w) = (length, thickness, length / 1.5);
        match kind {
            0 => vec![Shape3::cuboid(l, t, w).into()],
            1 => [-0.25, 0.25].map(|x| at(Shape3::cuboid(0.5 * l, t, w), Vec3::X * (x * l))).into(),
            2 => vec![Shape3::rounded_cuboid(l, t, w, 0.2 * t).into()],
            _ => vec![Shape3::cylinder(t, 0.5 * l).into()],
        }
    }
    fn facing(angle: Real) -> Quat {
        Quat::from_rotation_x(angle) * Quat::from_rotation_z(0.7 * angle)
    }
}

/// A ball of triangles.
pub(crate) fn closed_mesh(radius: Real) -> Shape3 {
    let surface = topple::shape::d3::mesh::generate::icosphere(radius, 1).unwrap();
    Shape3::mesh(&surface.vertices, &surface.triangles).unwrap()
}

/// Number of random cases: ten times as many with `TOPPLE_LONG_TESTS` in the environment, for a run that may take its time.
pub(crate) fn cases(usual: usize) -> usize {
    if std::env::var_os("TOPPLE_LONG_TESTS").is_some() { 10 * usual } else { usual }
}

/// Width of a wall in one piece, of a tile [m], and tiles on each side of the middle one.
pub(crate) const WIDTH: Real = 800.0;
pub(crate) const TILE: Real = 10.0;
pub(crate) const TILES: i32 = 6;

/// Makes the shapes of a body collide with walls only: bodies 2, walls 1.
pub(crate) fn only_walls<D: Dim>(mut shapes: Vec<ShapeDef<D>>) -> Vec<ShapeDef<D>> {
    shapes.iter_mut().for_each(|shape| shape.filter = Filter { category: 2, mask: 1, ..Filter::default() });
    shapes
}

/// An empty world without gravity or sleep.
pub(crate) fn weightless<D: Dim>() -> World<D> {
    let mut world = World::with_settings(Settings { continuous: true, ..Settings::default() }).unwrap();
    let mut settings = world.settings().clone();
    settings.gravity = D::Vec::ZERO;
    settings.sleeping = false;
    world.set_settings(settings).unwrap();
    world
}

/// A dynamic body at `position` with the given velocity.
pub(crate) fn thrown<D: Dim>(position: D::Vec, velocity: D::Vec) -> BodyDef<D> {
    BodyDef { linear_velocity: velocity, ..BodyDef::dynamic(D::Point::from_vec(position)) }
}
