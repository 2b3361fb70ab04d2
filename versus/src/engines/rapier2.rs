//! Rapier in 2D, through its `PhysicsWorld` façade, integration parameters untouched.

use crate::engine::{
    BodyDef, BodyKey, Counts, D2, Engine, JointDef, JointKind, Kind, Shape2, State, Unsupported, WorldDef,
};
use glam::Vec2;
use rapier2d::prelude::*;

/// A Rapier world and the handles of our bodies.
pub struct Rapier2 {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    can_sleep: bool,
}

impl Rapier2 {
    /// An empty world.
    pub fn new(def: &WorldDef<D2>) -> Self {
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

impl Engine<D2> for Rapier2 {
    fn add_body(&mut self, def: &BodyDef<D2>) -> Result<BodyKey, Unsupported> {
        let builder = match def.kind {
            Kind::Static => RigidBodyBuilder::fixed(),
            Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
            Kind::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let body = builder
            .pose(pose(def.position, def.rotation))
            .linvel(vector(def.velocity))
            .angvel(def.spin)
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

    fn add_joint(&mut self, def: &JointDef<D2>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        let joint: GenericJoint = match def.kind {
            JointKind::Ball => RevoluteJointBuilder::new()
                .local_anchor1(vector(def.anchor_a))
                .local_anchor2(vector(def.anchor_b))
                .contacts_enabled(false)
                .into(),
            _ => return Err(Unsupported("a joint of space in the plane".into())),
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

    fn state(&self, body: BodyKey) -> State<D2> {
        let body = self.body(body);
        State {
            position: Vec2::from_array(body.translation().to_array()),
            rotation: body.rotation().angle(),
            velocity: Vec2::from_array(body.linvel().to_array()),
            spin: body.angvel(),
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

    fn gravity(&self) -> Vec2 {
        Vec2::from_array(self.world.gravity.to_array())
    }

    fn cast_ray(&self, origin: Vec2, translation: Vec2) -> Option<f32> {
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

fn vector(v: Vec2) -> Vector {
    Vector::from_array(v.to_array())
}

fn pose(position: Vec2, angle: f32) -> Pose {
    Pose::from_parts(vector(position), Rotation::new(angle))
}

fn collider(shape: &Shape2) -> Result<ColliderBuilder, Unsupported> {
    Ok(match shape {
        Shape2::Circle(r) => ColliderBuilder::ball(*r),
        Shape2::Box(h) => ColliderBuilder::cuboid(h.x, h.y),
        Shape2::Capsule(half, r) => ColliderBuilder::capsule_y(*half, *r),
        Shape2::Polygon(points) => {
            let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
            ColliderBuilder::convex_hull(&points)
                .ok_or_else(|| Unsupported("Rapier refused the polygon".into()))?
        }
    })
}
