//! What a contender has to be able to do: one trait, `Engine<D>`, used as `Engine<D2>` and `Engine<D3>`.
//!
//! Everything an engine is told comes through the plain records of this file, in SI units, radians, y up. Nothing here
//! knows a particular engine. Next: `scenes/` fills these records, `engines/` hands them to one engine each.

use glam::{Quat, Vec2, Vec3};

/// The dimension of a scene. Keeps one copy of loading, measuring and drawing for both.
pub trait Dim: Copy + 'static {
    /// Positions and linear velocities.
    type Vec: Copy + Default + std::fmt::Debug;
    /// Orientation.
    type Rot: Copy + Default + std::fmt::Debug;
    /// Angular velocity [rad/s].
    type Ang: Copy + Default + std::fmt::Debug;
    /// A convex shape or a mesh.
    type Geometry: Clone + std::fmt::Debug;
    /// Does everything lie in the plane z = 0.
    const PLANAR: bool;

    /// The vector in space; 2D lies in the plane z = 0.
    fn vec3(v: Self::Vec) -> Vec3;
    /// The orientation in space; a 2D angle turns about z.
    fn quat(r: Self::Rot) -> Quat;
    /// The angular velocity in space.
    fn ang3(w: Self::Ang) -> Vec3;
    /// Points and rounding radius of the shape; `None` for a mesh.
    fn core(geometry: &Self::Geometry) -> Option<Core>;
    /// Volume (3D, [m³]) or area (2D, [m²]).
    fn volume(geometry: &Self::Geometry) -> f32;
}

/// A convex shape as the sum of a point set's hull and a ball: enough for overlap tests and drawing.
#[derive(Clone, Debug)]
pub struct Core {
    /// Corner points, shape frame [m].
    pub points: Vec<Vec3>,
    /// Rounding radius [m].
    pub radius: f32,
}

/// Two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct D2;

/// Three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct D3;

/// Shapes of the plane.
#[derive(Clone, Debug)]
pub enum Shape2 {
    /// Radius [m].
    Circle(f32),
    /// Half extents [m].
    Box(Vec2),
    /// Half length of the inner segment along y, and radius [m].
    Capsule(f32, f32),
    /// Convex, counter-clockwise, at most eight corners (Box2D's limit) [m].
    Polygon(Vec<Vec2>),
}

/// Shapes of space.
#[derive(Clone, Debug)]
pub enum Shape3 {
    /// Radius [m].
    Sphere(f32),
    /// Half extents [m].
    Box(Vec3),
    /// Half length of the inner segment along y, and radius [m].
    Capsule(f32, f32),
    /// Half height along y, and radius [m].
    Cylinder(f32, f32),
    /// Corner points of a convex hull, centred near the origin [m].
    Hull(Vec<Vec3>),
    /// Triangle mesh, static only.
    Mesh(std::sync::Arc<Mesh>),
}

/// An indexed triangle mesh; counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Vertices [m].
    pub vertices: Vec<Vec3>,
    /// Three vertex indices per triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// How a body is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Never moves.
    Static,
    /// Moves with the velocity it was given, whatever it hits.
    Kinematic,
    /// Moved by forces and contacts.
    Dynamic,
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct Part<D: Dim> {
    /// The geometry, in its own frame.
    pub geometry: D::Geometry,
    /// Its place in the body's frame [m].
    pub offset: D::Vec,
    /// Its orientation in the body's frame.
    pub rotation: D::Rot,
}

/// A body to create. Friction and restitution are one value per scene on purpose: engines mix the two values of a pair
/// differently (mean, geometric mean, maximum), equal values mix to themselves in all of them.
#[derive(Clone, Debug)]
pub struct BodyDef<D: Dim> {
    /// How it is moved.
    pub kind: Kind,
    /// Position of the body's frame, world [m].
    pub position: D::Vec,
    /// Orientation of the body's frame.
    pub rotation: D::Rot,
    /// Velocity [m/s], world frame.
    pub velocity: D::Vec,
    /// Angular velocity [rad/s], world frame.
    pub spin: D::Ang,
    /// Shapes, at least one.
    pub parts: Vec<Part<D>>,
    /// Density [kg/m³ or kg/m²] of all parts.
    pub density: f32,
    /// Coulomb coefficient, dimensionless.
    pub friction: f32,
    /// Coefficient of restitution, dimensionless.
    pub restitution: f32,
    /// Ask for continuous collision against moving bodies too, where the engine has a switch for it.
    pub bullet: bool,
    /// Collides with nothing (bodies of a joint grid).
    pub ghost: bool,
    /// Assembly and part number, for engines that filter jointed pairs by group rather than by joint.
    pub group: Option<(u32, u32)>,
    /// The step before which the body is created; 0 is the start.
    pub spawn_step: u32,
}

/// What a joint leaves free. Axes are in the frame of body `a`; jointed bodies start unrotated, so it is the world's too.
#[derive(Clone, Copy, Debug)]
pub enum JointKind {
    /// A common point: pin in 2D, ball in 3D.
    Ball,
    /// Turning about one axis between two angles [rad] (3D only; a 2D pin with limits is not needed by any scene).
    Hinge {
        /// Unit axis.
        axis: Vec3,
        /// Lowest and highest angle [rad]; 0 is the pose at creation.
        limits: Option<(f32, f32)>,
    },
    /// A ball whose axis stays in a cone, with limited twist.
    Cone {
        /// Unit axis of the cone and of the twist.
        axis: Vec3,
        /// Half opening of the cone [rad].
        swing: f32,
        /// Twist either way [rad].
        twist: f32,
    },
}

/// A joint between two bodies of the scene. Jointed bodies do not collide with each other.
#[derive(Clone, Copy, Debug)]
pub struct JointDef<D: Dim> {
    /// What is left free.
    pub kind: JointKind,
    /// Index of the first body in the scene.
    pub a: usize,
    /// Index of the second body in the scene.
    pub b: usize,
    /// Anchor in the frame of `a` [m].
    pub anchor_a: D::Vec,
    /// Anchor in the frame of `b` [m].
    pub anchor_b: D::Vec,
}

/// What an engine is created with.
#[derive(Clone, Copy, Debug)]
pub struct WorldDef<D: Dim> {
    /// Gravity [m/s²].
    pub gravity: D::Vec,
    /// May bodies fall asleep.
    pub sleeping: bool,
    /// Threads that work in a step, the caller's included.
    pub threads: usize,
    /// Bodies expected, for engines with fixed capacities.
    #[allow(dead_code, reason = "not every set of features has such an engine")]
    pub body_count: usize,
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct State<D: Dim> {
    /// Position of the body's frame [m].
    pub position: D::Vec,
    /// Orientation of the body's frame.
    pub rotation: D::Rot,
    /// Velocity of the centre of mass [m/s].
    pub velocity: D::Vec,
    /// Angular velocity [rad/s].
    pub spin: D::Ang,
}

/// A body of an engine: index into the adapter's own table, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyKey(pub u32);

/// The engine has no such feature; the row says n/a with this reason.
#[derive(Clone, Debug)]
pub struct Unsupported(pub String);

/// Numbers an engine reports about itself; `None` where it does not.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Bodies in the world.
    pub bodies: usize,
    /// Bodies that are awake.
    pub awake: Option<usize>,
    /// Touching contact pairs, or what comes nearest.
    pub contacts: Option<usize>,
}

/// One contender in one dimension.
pub trait Engine<D: Dim> {
    /// Creates a body.
    ///
    /// # Errors
    /// If the engine lacks the shape.
    fn add_body(&mut self, def: &BodyDef<D>) -> Result<BodyKey, Unsupported>;
    /// Creates a joint between two existing bodies.
    ///
    /// # Errors
    /// If the engine lacks the joint.
    fn add_joint(&mut self, def: &JointDef<D>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported>;
    /// Removes a body and its shapes.
    fn remove_body(&mut self, body: BodyKey);
    /// Called once after the scene is built: what the engine's manual asks for at that point.
    fn built(&mut self) {}
    /// One step of `dt` [s], with the engine's own default sub-steps or iterations.
    fn step(&mut self, dt: f32);
    /// Where a body is.
    fn state(&self, body: BodyKey) -> State<D>;
    /// Mass [kg] as the engine has it; 0 for bodies without one.
    fn mass(&self, body: BodyKey) -> f32;
    /// Friction and restitution as the engine has them.
    fn material(&self, body: BodyKey) -> (f32, f32);
    /// Gravity [m/s²] as the engine has it.
    fn gravity(&self) -> D::Vec;
    /// Fraction of `translation` at the nearest hit.
    fn cast_ray(&self, origin: D::Vec, translation: D::Vec) -> Option<f32>;
    /// Numbers about the world.
    fn counts(&self) -> Counts;
}

impl<D: Dim> BodyDef<D> {
    /// A dynamic body of one shape; friction 0.5, restitution 0, density 1000 kg/m³ (kg/m²), at rest.
    pub fn dynamic(position: D::Vec, geometry: D::Geometry) -> Self {
        Self {
            kind: Kind::Dynamic,
            position,
            rotation: D::Rot::default(),
            velocity: D::Vec::default(),
            spin: D::Ang::default(),
            parts: vec![Part::at_origin(geometry)],
            density: 1000.0,
            friction: 0.5,
            restitution: 0.0,
            bullet: false,
            ghost: false,
            group: None,
            spawn_step: 0,
        }
    }

    /// A static body of one shape.
    pub fn fixed(position: D::Vec, geometry: D::Geometry) -> Self {
        Self { kind: Kind::Static, ..Self::dynamic(position, geometry) }
    }

    /// Mass [kg] by the scene's numbers, whatever an engine makes of them.
    pub fn mass(&self) -> f32 {
        match self.kind {
            Kind::Dynamic => self.parts.iter().map(|p| D::volume(&p.geometry)).sum::<f32>() * self.density,
            _ => 0.0,
        }
    }
}

impl<D: Dim> Part<D> {
    /// A shape at the body's origin.
    pub fn at_origin(geometry: D::Geometry) -> Self {
        Self { geometry, offset: D::Vec::default(), rotation: D::Rot::default() }
    }

    /// A shape moved in the body's frame [m].
    pub fn at(offset: D::Vec, geometry: D::Geometry) -> Self {
        Self { geometry, offset, rotation: D::Rot::default() }
    }
}

impl Dim for D2 {
    type Vec = Vec2;
    type Rot = f32;
    type Ang = f32;
    type Geometry = Shape2;
    const PLANAR: bool = true;

    fn vec3(v: Vec2) -> Vec3 {
        v.extend(0.0)
    }

    fn quat(angle: f32) -> Quat {
        Quat::from_rotation_z(angle)
    }

    fn ang3(w: f32) -> Vec3 {
        Vec3::new(0.0, 0.0, w)
    }

    fn core(shape: &Shape2) -> Option<Core> {
        let (points, radius) = match shape {
            Shape2::Circle(r) => (vec![Vec3::ZERO], *r),
            Shape2::Box(h) => (box_corners2(*h).iter().map(|p| p.extend(0.0)).collect(), 0.0),
            Shape2::Capsule(half, r) => (vec![Vec3::Y * *half, Vec3::Y * -*half], *r),
            Shape2::Polygon(points) => (points.iter().map(|p| p.extend(0.0)).collect(), 0.0),
        };
        Some(Core { points, radius })
    }

    fn volume(shape: &Shape2) -> f32 {
        use std::f32::consts::PI;
        match shape {
            Shape2::Circle(r) => PI * r * r,
            Shape2::Box(h) => 4.0 * h.x * h.y,
            Shape2::Capsule(half, r) => PI * r * r + 4.0 * half * r,
            Shape2::Polygon(points) => polygon_area(points),
        }
    }
}

impl Dim for D3 {
    type Vec = Vec3;
    type Rot = Quat;
    type Ang = Vec3;
    type Geometry = Shape3;
    const PLANAR: bool = false;

    fn vec3(v: Vec3) -> Vec3 {
        v
    }

    fn quat(q: Quat) -> Quat {
        q
    }

    fn ang3(w: Vec3) -> Vec3 {
        w
    }

    fn core(shape: &Shape3) -> Option<Core> {
        let (points, radius) = match shape {
            Shape3::Sphere(r) => (vec![Vec3::ZERO], *r),
            Shape3::Box(h) => (box_corners3(*h).to_vec(), 0.0),
            Shape3::Capsule(half, r) => (vec![Vec3::Y * *half, Vec3::Y * -*half], *r),
            Shape3::Cylinder(half, r) => (prism(*half, *r, 24), 0.0),
            Shape3::Hull(points) => (points.clone(), 0.0),
            Shape3::Mesh(_) => return None,
        };
        Some(Core { points, radius })
    }

    fn volume(shape: &Shape3) -> f32 {
        use std::f32::consts::PI;
        match shape {
            Shape3::Sphere(r) => 4.0 / 3.0 * PI * r * r * r,
            Shape3::Box(h) => 8.0 * h.x * h.y * h.z,
            Shape3::Capsule(half, r) => PI * r * r * (2.0 * half + 4.0 / 3.0 * r),
            Shape3::Cylinder(half, r) => PI * r * r * 2.0 * half,
            Shape3::Hull(points) => crate::hull::volume(points),
            Shape3::Mesh(_) => 0.0,
        }
    }
}

/// Corners of a rectangle, counter-clockwise.
pub fn box_corners2(h: Vec2) -> [Vec2; 4] {
    [Vec2::new(-h.x, -h.y), Vec2::new(h.x, -h.y), Vec2::new(h.x, h.y), Vec2::new(-h.x, h.y)]
}

/// Corners of a cuboid; bit 0, 1, 2 of the index choose the sign of x, y, z.
pub fn box_corners3(h: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(h.x * sign(0), h.y * sign(1), h.z * sign(2))
    })
}

/// Corners of a regular prism along y inscribed in a cylinder.
fn prism(half: f32, radius: f32, sides: usize) -> Vec<Vec3> {
    (0..sides)
        .flat_map(|i| {
            let (s, c) = (i as f32 / sides as f32 * std::f32::consts::TAU).sin_cos();
            [Vec3::new(c * radius, half, s * radius), Vec3::new(c * radius, -half, s * radius)]
        })
        .collect()
}

/// Area by the shoelace formula [m²].
fn polygon_area(points: &[Vec2]) -> f32 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f32>() * 0.5
}
