//! Rapier in 3D, through its `PhysicsWorld` façade, integration parameters untouched.

use crate::engine::{
    BodyDef, BodyKey, Counts, D3, Engine, JointDef, JointKind, Kind, Shape3, State, Unsupported, WorldDef,
};
use glam::{Quat, Vec3};
use rapier3d::prelude::*;

/// A Rapier world and the handles of our bodies.
pub struct Rapier3 {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    can_sleep: bool,
}

impl Rapier3 {
    /// An empty world.
    pub fn new(def: &WorldDef<D3>) -> Self {
        #[allow(unused_mut)]
        let mut world = PhysicsWorld { gravity: vector(def.gravity), ..PhysicsWorld::default() };
        #[cfg(feature = "rapier-parallel")]
        world.configure_thread_pool(def.threads).expect("Rapier's thread pool");
        Self { world, bodies: Vec::new(), can_sleep: def.sleeping }
    }

    fn body(&self, key: BodyKey) -> &RigidBody {
        &self.world.bodies[self.bodies[key.0 as usize]]
    }

    fn first_collider(&self, key: BodyKey) -> &Collider {
        &self.world.colliders[self.body(key).colliders()[0]]
    }
}

impl Engine<D3> for Rapier3 {
    fn add_body(&mut self, def: &BodyDef<D3>) -> Result<BodyKey, Unsupported> {
        let builder = match def.kind {
            Kind::Static => RigidBodyBuilder::fixed(),
            Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
            Kind::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let body = builder
            .pose(pose(def.position, def.rotation))
            .linvel(vector(def.velocity))
            .angvel(vector(def.spin))
            .can_sleep(self.can_sleep)
            .ccd_enabled(def.bullet);
        let handle = self.world.insert_body(body);
        for part in &def.parts {
            let mut collider = collider(&part.geometry)?
                .position(pose(part.offset, part.rotation))
                .density(def.density)
                .friction(def.friction)
                .restitution(def.restitution);
            if def.ghost {
                collider = collider.collision_groups(InteractionGroups::none());
            }
            self.world.insert_collider(collider, Some(handle));
        }
        self.bodies.push(handle);
        Ok(BodyKey(self.bodies.len() as u32 - 1))
    }

    fn add_joint(&mut self, def: &JointDef<D3>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        // Rapier's free or limited axis is x of the joint frame.
        let frame = |anchor: Vec3, axis: Vec3| pose(anchor, Quat::from_rotation_arc(Vec3::X, axis));
        let joint: GenericJoint = match def.kind {
            JointKind::Ball => SphericalJointBuilder::new()
                .local_anchor1(vector(def.anchor_a))
                .local_anchor2(vector(def.anchor_b))
                .contacts_enabled(false)
                .into(),
            JointKind::Hinge { axis, limits } => {
                let mut joint = RevoluteJointBuilder::new(vector(axis))
                    .local_anchor1(vector(def.anchor_a))
                    .local_anchor2(vector(def.anchor_b))
                    .contacts_enabled(false);
                if let Some((low, high)) = limits {
                    joint = joint.limits([low, high]);
                }
                joint.into()
            }
            JointKind::Cone { axis, swing, twist } => SphericalJointBuilder::new()
                .local_frame1(frame(def.anchor_a, axis))
                .local_frame2(frame(def.anchor_b, axis))
                .limits(JointAxis::AngX, [-twist, twist])
                .limits(JointAxis::AngY, [-swing, swing])
                .limits(JointAxis::AngZ, [-swing, swing])
                .contacts_enabled(false)
                .into(),
        };
        let (a, b) = (self.bodies[a.0 as usize], self.bodies[b.0 as usize]);
        self.world.insert_impulse_joint(a, b, joint);
        Ok(())
    }

    fn remove_body(&mut self, body: BodyKey) {
        self.world.remove_body(self.bodies[body.0 as usize]);
    }

    fn step(&mut self, dt: f32) {
        self.world.integration_parameters.dt = dt;
        self.world.step();
    }

    fn state(&self, body: BodyKey) -> State<D3> {
        let body = self.body(body);
        State {
            position: Vec3::from_array(body.translation().to_array()),
            rotation: Quat::from_array(body.rotation().to_array()),
            velocity: Vec3::from_array(body.linvel().to_array()),
            spin: Vec3::from_array(body.angvel().to_array()),
        }
    }

    fn mass(&self, body: BodyKey) -> f32 {
        // The body's own figure is only filled in by the next step; its colliders know it at once.
        let body = self.body(body);
        match body.is_dynamic() {
            true => body.colliders().iter().map(|&c| self.world.colliders[c].mass()).sum(),
            false => 0.0,
        }
    }

    fn material(&self, body: BodyKey) -> (f32, f32) {
        let collider = self.first_collider(body);
        (collider.friction(), collider.restitution())
    }

    fn gravity(&self) -> Vec3 {
        Vec3::from_array(self.world.gravity.to_array())
    }

    fn cast_ray(&self, origin: Vec3, translation: Vec3) -> Option<f32> {
        let ray = Ray::new(vector(origin), vector(translation));
        self.world.cast_ray(&ray, 1.0, true, QueryFilter::default()).map(|(_, fraction)| fraction)
    }

    fn counts(&self) -> Counts {
        Counts {
            bodies: self.world.bodies.len(),
            awake: Some(self.world.active_bodies().count()),
            contacts: Some(self.world.contact_pairs().filter(|pair| pair.has_any_active_contact()).count()),
        }
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn pose(position: Vec3, rotation: Quat) -> Pose {
    Pose::from_parts(vector(position), Rotation::from_array(rotation.to_array()))
}

fn collider(shape: &Shape3) -> Result<ColliderBuilder, Unsupported> {
    Ok(match shape {
        Shape3::Sphere(r) => ColliderBuilder::ball(*r),
        Shape3::Box(h) => ColliderBuilder::cuboid(h.x, h.y, h.z),
        Shape3::Capsule(half, r) => ColliderBuilder::capsule_y(*half, *r),
        Shape3::Cylinder(half, r) => ColliderBuilder::cylinder(*half, *r),
        Shape3::Hull(points) => {
            let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
            ColliderBuilder::convex_hull(&points)
                .ok_or_else(|| Unsupported("Rapier refused the hull".into()))?
        }
        Shape3::Mesh(mesh) => {
            let vertices = mesh.vertices.iter().map(|p| vector(*p)).collect();
            ColliderBuilder::trimesh(vertices, mesh.triangles.clone())
                .map_err(|error| Unsupported(format!("Rapier refused the mesh: {error}")))?
        }
    })
}
