//! Topple, in both dimensions through one adapter: default settings and methods.
//!
//! What the engine does not have yet is answered with `Unsupported`, so that its rows say n/a instead of lying.

use crate::engine::{
    BodyDef, BodyKey, Counts, D2, D3, Dim, Engine, JointDef, JointKind, Kind, Shape2, Shape3, State,
    Unsupported, WorldDef,
};
use std::sync::Arc;
use topple::exec::Pool;
use topple::joint::{Ball, Hinge, Limits};
use topple::world::{QueryFilter, Ray};
use topple::{Point2, Point3, Rot2, Settings};

/// How the harness's dimension maps to Topple's. Vectors are the same types; points, angles and shapes are not.
pub trait Bridge:
    Dim<Vec = <Self::Theirs as topple::Dim>::Vec, Ang = <Self::Theirs as topple::Dim>::Ang>
{
    /// Topple's dimension.
    type Theirs: topple::Dim;
    /// Orientation to Topple.
    fn to_rot(r: Self::Rot) -> <Self::Theirs as topple::Dim>::Rot;
    /// Orientation from Topple.
    fn from_rot(r: <Self::Theirs as topple::Dim>::Rot) -> Self::Rot;
    /// Position from Topple.
    fn from_point(p: <Self::Theirs as topple::Dim>::Point) -> Self::Vec;
    /// The orientation that turns x to the axis; nothing to turn in the plane.
    fn from_x_to(axis: glam::Vec3) -> Self::Rot;
    /// Shape to Topple.
    fn to_shape(shape: &Self::Geometry) -> Result<<Self::Theirs as topple::Dim>::Shape, Unsupported>;
}

/// A Topple world and the ids of our bodies.
pub struct Topple<D: Bridge> {
    world: topple::World<D::Theirs>,
    bodies: Vec<topple::BodyId>,
}

impl<D: Bridge> Topple<D> {
    /// An empty world.
    pub fn new(def: &WorldDef<D>) -> Self {
        Self::with_settings(def, Settings::default())
    }

    /// An empty world in which all groups of bodies are solved alike, however much they bear.
    pub fn unrefined(def: &WorldDef<D>) -> Self {
        Self::with_settings(def, Settings { max_refinement: 1, ..Settings::default() })
    }

    fn with_settings(def: &WorldDef<D>, settings: Settings<D::Theirs>) -> Self {
        let settings = Settings { gravity: def.gravity, sleeping: def.sleeping, ..settings };
        let mut world = topple::World::with_settings(settings).expect("the scenes' settings are possible");
        if def.threads > 1 {
            world.set_executor(Arc::new(Pool::new(def.threads)));
        }
        Self { world, bodies: Vec::new() }
    }

    fn body(&self, key: BodyKey) -> topple::Body<'_, D::Theirs> {
        self.world.body(self.bodies[key.0 as usize]).expect("the harness asks for bodies that exist")
    }
}

impl<D: Bridge> Engine<D> for Topple<D> {
    fn add_body(&mut self, def: &BodyDef<D>) -> Result<BodyKey, Unsupported> {
        let body = topple::BodyDef {
            kind: match def.kind {
                Kind::Static => topple::BodyKind::Static,
                Kind::Kinematic => topple::BodyKind::Kinematic,
                Kind::Dynamic => topple::BodyKind::Dynamic,
            },
            position: def.position.into(),
            rotation: D::to_rot(def.rotation),
            linear_velocity: def.velocity,
            angular_velocity: def.spin,
            is_bullet: def.bullet,
            ..topple::BodyDef::default()
        };
        let shapes = def.parts.iter().map(|part| {
            let mut shape = topple::ShapeDef::new(D::to_shape(&part.geometry)?)
                .at(topple::Pose::new(part.offset, D::to_rot(part.rotation)))
                .density(def.density)
                .friction(def.friction)
                .restitution(def.restitution);
            if def.ghost {
                shape.filter.mask = 0;
            }
            Ok(shape)
        });
        let shapes = shapes.collect::<Result<Vec<_>, Unsupported>>()?;
        let id = self.world.create_body_with(body, shapes).map_err(refused)?;
        self.bodies.push(id);
        Ok(BodyKey(self.bodies.len() as u32 - 1))
    }

    fn add_joint(&mut self, def: &JointDef<D>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        let (kind, axis) = match def.kind {
            JointKind::Ball => (topple::JointKind::Ball(Ball::default()), None),
            JointKind::Hinge { axis, limits } => {
                let limits = limits.map(|(low, high)| Limits::new(low, high));
                (topple::JointKind::Hinge(Hinge { limits, ..Hinge::default() }), Some(axis))
            }
            JointKind::Cone { axis, swing, twist } => {
                let ball = Ball { cone: Some(swing), twist: Some(Limits::new(-twist, twist)) };
                (topple::JointKind::Ball(ball), Some(axis))
            }
        };
        // Hinge axis, cone and twist are all about x of the joint frame.
        let turn = D::to_rot(axis.map_or_else(D::Rot::default, D::from_x_to));
        let joint = topple::JointDef {
            local_a: topple::Pose::new(def.anchor_a, turn),
            local_b: topple::Pose::new(def.anchor_b, turn),
            ..topple::JointDef::new(self.bodies[a.0 as usize], self.bodies[b.0 as usize], kind)
        };
        self.world.create_joint(joint).map(|_| ()).map_err(refused)
    }

    fn remove_body(&mut self, body: BodyKey) {
        self.world.remove_body(self.bodies[body.0 as usize]).expect("the harness removes each body once");
    }

    fn step(&mut self, dt: f32) {
        if self.world.settings().dt != dt {
            let settings = Settings { dt, ..self.world.settings().clone() };
            self.world.set_settings(settings).expect("the scenes' steps are possible");
        }
        self.world.step();
    }

    fn state(&self, body: BodyKey) -> State<D> {
        let body = self.body(body);
        State {
            position: D::from_point(body.position()),
            rotation: D::from_rot(body.rotation()),
            velocity: body.linear_velocity(),
            spin: body.angular_velocity(),
        }
    }

    fn mass(&self, body: BodyKey) -> f32 {
        match self.body(body).kind() {
            topple::BodyKind::Dynamic => self.body(body).mass(),
            _ => 0.0,
        }
    }

    fn material(&self, body: BodyKey) -> (f32, f32) {
        let shape = self.body(body).shapes().next().expect("every body has a shape");
        let material = self.world.shape(shape).expect("it exists").material();
        (material.friction, material.restitution)
    }

    fn gravity(&self) -> D::Vec {
        self.world.settings().gravity
    }

    fn cast_ray(&self, origin: D::Vec, translation: D::Vec) -> Option<f32> {
        let ray = Ray { origin: origin.into(), direction: translation, max: 1.0 };
        let hit = self.world.cast_ray(&ray, &QueryFilter::default()).expect("the harness's rays are finite");
        hit.map(|hit| hit.t)
    }

    fn counts(&self) -> Counts {
        let counters = &self.world.profile().counters;
        Counts {
            bodies: self.world.body_count(),
            awake: Some(counters.awake as usize),
            contacts: Some(counters.contacts as usize),
        }
    }
}

fn refused(error: topple::Error) -> Unsupported {
    Unsupported(format!("Topple: {error}"))
}

/// Version and the settings in use.
pub fn version() -> String {
    let world = topple::World3::new();
    let (settings, methods) = (world.settings(), world.methods());
    format!(
        "Topple {}, {} / {} / {} / {}, {} sub-steps or {} iterations; release",
        env!("CARGO_PKG_VERSION"),
        methods.integrator(),
        methods.broad_phase(),
        methods.narrow_phase(),
        methods.solver(),
        settings.substeps,
        settings.iterations,
    )
}

impl Bridge for D2 {
    type Theirs = topple::D2;

    fn to_rot(angle: f32) -> Rot2 {
        Rot2::from_angle(angle)
    }

    fn from_rot(r: Rot2) -> f32 {
        r.angle()
    }

    fn from_point(p: Point2) -> glam::Vec2 {
        glam::Vec2::new(p.x, p.y)
    }

    fn from_x_to(_axis: glam::Vec3) -> f32 {
        0.0
    }

    fn to_shape(shape: &Shape2) -> Result<topple::Shape2, Unsupported> {
        use topple::Shape2 as Theirs;
        Ok(match shape {
            Shape2::Circle(radius) => Theirs::circle(*radius),
            Shape2::Box(h) => Theirs::rectangle(2.0 * h.x, 2.0 * h.y),
            Shape2::Capsule(half, radius) => {
                Theirs::capsule(glam::Vec2::new(0.0, *half), glam::Vec2::new(0.0, -half), *radius)
            }
            Shape2::Polygon(points) => Theirs::polygon(points).map_err(refused)?,
        })
    }
}

impl Bridge for D3 {
    type Theirs = topple::D3;

    fn to_rot(q: glam::Quat) -> topple::Quat {
        q
    }

    fn from_rot(q: topple::Quat) -> glam::Quat {
        q
    }

    fn from_point(p: Point3) -> glam::Vec3 {
        glam::Vec3::new(p.x, p.y, p.z)
    }

    fn from_x_to(axis: glam::Vec3) -> glam::Quat {
        glam::Quat::from_rotation_arc(glam::Vec3::X, axis)
    }

    fn to_shape(shape: &Shape3) -> Result<topple::Shape3, Unsupported> {
        use topple::Shape3 as Theirs;
        Ok(match shape {
            Shape3::Sphere(radius) => Theirs::sphere(*radius),
            Shape3::Box(h) => Theirs::cuboid(2.0 * h.x, 2.0 * h.y, 2.0 * h.z),
            Shape3::Capsule(half, radius) => {
                Theirs::capsule(glam::Vec3::new(0.0, *half, 0.0), glam::Vec3::new(0.0, -half, 0.0), *radius)
            }
            Shape3::Cylinder(half, radius) => Theirs::cylinder(2.0 * half, *radius),
            Shape3::Hull(points) => Theirs::hull(points).map_err(refused)?,
            Shape3::Mesh(mesh) => Theirs::mesh(&mesh.vertices, &mesh.triangles).map_err(refused)?,
        })
    }
}
