//! Box2D v3 through its C interface: default world, four sub-steps (the number its manual and its benchmarks use).
//!
//! Two or more threads use Box2D's own scheduler: a world definition with `workerCount > 1` and no task callbacks makes it
//! start its own threads.

use crate::engine::{
    BodyDef, BodyKey, Counts, D2, Engine, JointDef, JointKind, Kind, Shape2, State, Unsupported, WorldDef,
};
use boxdd_sys::ffi as b2;
use glam::Vec2;

const SUB_STEPS: i32 = 4;

/// A Box2D world and the ids of our bodies.
pub struct Box2d {
    world: b2::b2WorldId,
    bodies: Vec<b2::b2BodyId>,
}

impl Box2d {
    /// An empty world.
    pub fn new(def: &WorldDef<D2>) -> Self {
        // SAFETY: a plain C call without preconditions; the definition is filled by the library itself.
        let world = unsafe {
            let mut world_def = b2::b2DefaultWorldDef();
            world_def.gravity = vector(def.gravity);
            world_def.enableSleep = def.sleeping;
            world_def.workerCount = def.threads as i32;
            b2::b2CreateWorld(&world_def)
        };
        Self { world, bodies: Vec::new() }
    }

    fn id(&self, body: BodyKey) -> b2::b2BodyId {
        self.bodies[body.0 as usize]
    }

    fn first_shape(&self, body: BodyKey) -> b2::b2ShapeId {
        // SAFETY: the body exists and has at least one shape, so exactly one id is written.
        unsafe {
            let mut shape = std::mem::zeroed();
            b2::b2Body_GetShapes(self.id(body), &mut shape, 1);
            shape
        }
    }
}

/// # Safety
/// `body` must be a live body.
unsafe fn add_shape(
    body: b2::b2BodyId,
    def: &b2::b2ShapeDef,
    shape: &Shape2,
    offset: Vec2,
    angle: f32,
) -> Result<(), Unsupported> {
    // SAFETY: all pointers are to live locals.
    unsafe {
        match shape {
            Shape2::Circle(radius) => {
                b2::b2CreateCircleShape(body, def, &b2::b2Circle { center: vector(offset), radius: *radius });
            }
            Shape2::Box(h) => {
                let polygon = match offset == Vec2::ZERO && angle == 0.0 {
                    true => b2::b2MakeBox(h.x, h.y),
                    false => b2::b2MakeOffsetBox(h.x, h.y, vector(offset), rotation(angle)),
                };
                b2::b2CreatePolygonShape(body, def, &polygon);
            }
            Shape2::Capsule(half, radius) => {
                let end = Vec2::from_angle(angle).rotate(Vec2::new(0.0, *half));
                let (center1, center2) = (vector(offset - end), vector(offset + end));
                b2::b2CreateCapsuleShape(body, def, &b2::b2Capsule { center1, center2, radius: *radius });
            }
            Shape2::Polygon(points) => {
                let points: Vec<b2::b2Vec2> = points.iter().map(|p| vector(*p)).collect();
                let hull = b2::b2ComputeHull(points.as_ptr(), points.len() as i32);
                if hull.count == 0 {
                    return Err(Unsupported("Box2D refused the polygon".into()));
                }
                let polygon = b2::b2MakeOffsetPolygon(&hull, vector(offset), rotation(angle));
                b2::b2CreatePolygonShape(body, def, &polygon);
            }
        }
    }
    Ok(())
}

impl Engine<D2> for Box2d {
    fn add_body(&mut self, def: &BodyDef<D2>) -> Result<BodyKey, Unsupported> {
        // SAFETY: definitions come from the library's own defaults; ids are of this world.
        unsafe {
            let mut body_def = b2::b2DefaultBodyDef();
            body_def.type_ = match def.kind {
                Kind::Static => b2::b2BodyType_b2_staticBody,
                Kind::Kinematic => b2::b2BodyType_b2_kinematicBody,
                Kind::Dynamic => b2::b2BodyType_b2_dynamicBody,
            };
            body_def.position = vector(def.position);
            body_def.rotation = rotation(def.rotation);
            body_def.linearVelocity = vector(def.velocity);
            body_def.angularVelocity = def.spin;
            body_def.isBullet = def.bullet;
            let body = b2::b2CreateBody(self.world, &body_def);
            self.bodies.push(body);

            let mut shape_def = b2::b2DefaultShapeDef();
            shape_def.density = def.density;
            shape_def.material.friction = def.friction;
            shape_def.material.restitution = def.restitution;
            if def.ghost {
                shape_def.filter.maskBits = 0;
            }
            // One mass update for all shapes of a compound instead of one per shape.
            let many = def.parts.len() > 1;
            shape_def.updateBodyMass = !many;
            for part in &def.parts {
                add_shape(body, &shape_def, &part.geometry, part.offset, part.rotation)?;
            }
            if many {
                b2::b2Body_ApplyMassFromShapes(body);
            }
        }
        Ok(BodyKey(self.bodies.len() as u32 - 1))
    }

    fn add_joint(&mut self, def: &JointDef<D2>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        let JointKind::Ball = def.kind else {
            return Err(Unsupported("a joint of space in the plane".into()));
        };
        let frame = |anchor: Vec2| b2::b2Transform { p: vector(anchor), q: rotation(0.0) };
        // SAFETY: the definition comes from the library's own defaults; both bodies are alive.
        unsafe {
            let mut joint = b2::b2DefaultRevoluteJointDef();
            joint.base.bodyIdA = self.id(a);
            joint.base.bodyIdB = self.id(b);
            joint.base.localFrameA = frame(def.anchor_a);
            joint.base.localFrameB = frame(def.anchor_b);
            joint.base.collideConnected = false;
            b2::b2CreateRevoluteJoint(self.world, &joint);
        }
        Ok(())
    }

    fn remove_body(&mut self, body: BodyKey) {
        // SAFETY: the harness removes each body once.
        unsafe { b2::b2DestroyBody(self.id(body)) }
    }

    fn step(&mut self, dt: f32) {
        // SAFETY: the world is alive.
        unsafe { b2::b2World_Step(self.world, dt, SUB_STEPS) }
    }

    fn state(&self, body: BodyKey) -> State<D2> {
        let id = self.id(body);
        // SAFETY: the body is alive.
        unsafe {
            let turn = b2::b2Body_GetRotation(id);
            State {
                position: vec2(b2::b2Body_GetPosition(id)),
                rotation: turn.s.atan2(turn.c),
                velocity: vec2(b2::b2Body_GetLinearVelocity(id)),
                spin: b2::b2Body_GetAngularVelocity(id),
            }
        }
    }

    fn mass(&self, body: BodyKey) -> f32 {
        // SAFETY: the body is alive.
        unsafe { b2::b2Body_GetMass(self.id(body)) }
    }

    fn material(&self, body: BodyKey) -> (f32, f32) {
        let shape = self.first_shape(body);
        // SAFETY: the shape is alive.
        unsafe { (b2::b2Shape_GetFriction(shape), b2::b2Shape_GetRestitution(shape)) }
    }

    fn gravity(&self) -> Vec2 {
        // SAFETY: the world is alive.
        unsafe { vec2(b2::b2World_GetGravity(self.world)) }
    }

    fn cast_ray(&self, origin: Vec2, translation: Vec2) -> Option<f32> {
        // SAFETY: the world is alive.
        let result = unsafe {
            let filter = b2::b2DefaultQueryFilter();
            b2::b2World_CastRayClosest(self.world, vector(origin), vector(translation), filter)
        };
        result.hit.then_some(result.fraction)
    }

    fn counts(&self) -> Counts {
        // SAFETY: the world is alive.
        unsafe {
            let counters = b2::b2World_GetCounters(self.world);
            Counts {
                bodies: counters.bodyCount as usize,
                awake: Some(b2::b2World_GetAwakeBodyCount(self.world) as usize),
                contacts: Some(counters.contactCount as usize),
            }
        }
    }
}

impl Drop for Box2d {
    fn drop(&mut self) {
        // SAFETY: the world is alive and dropped once.
        unsafe { b2::b2DestroyWorld(self.world) }
    }
}

/// Version and the settings in use.
pub fn version() -> String {
    // SAFETY: no preconditions.
    let v = unsafe { b2::b2GetVersion() };
    format!("Box2D {}.{}.{} (boxdd-sys 0.6.0, AVX2), {SUB_STEPS} sub-steps", v.major, v.minor, v.revision)
}

fn vector(v: Vec2) -> b2::b2Vec2 {
    b2::b2Vec2 { x: v.x, y: v.y }
}

fn vec2(v: b2::b2Vec2) -> Vec2 {
    Vec2::new(v.x, v.y)
}

fn rotation(angle: f32) -> b2::b2Rot {
    let (s, c) = angle.sin_cos();
    b2::b2Rot { c, s }
}
