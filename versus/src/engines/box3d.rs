//! Box3D through its C interface: default world, four sub-steps (the number its manual and its benchmarks use).
//!
//! Two or more threads use Box3D's own scheduler: a world definition with `workerCount > 1` and no task callbacks makes it
//! start its own threads.

use crate::engine::{
    BodyDef, BodyKey, Counts, D3, Engine, JointDef, JointKind, Kind, Shape3, State, Unsupported, WorldDef,
};
use boxddd_sys::ffi as b3;
use glam::{Quat, Vec3};

const SUB_STEPS: i32 = 4;

/// A Box3D world, the ids of our bodies, and the meshes it only borrows.
pub struct Box3d {
    world: b3::b3WorldId,
    bodies: Vec<b3::b3BodyId>,
    meshes: Vec<*mut b3::b3MeshData>,
}

impl Box3d {
    /// An empty world.
    pub fn new(def: &WorldDef<D3>) -> Self {
        // SAFETY: a plain C call without preconditions; the definition is filled by the library itself.
        let world = unsafe {
            let mut world_def = b3::b3DefaultWorldDef();
            world_def.gravity = vector(def.gravity);
            world_def.enableSleep = def.sleeping;
            world_def.workerCount = def.threads as u32;
            b3::b3CreateWorld(&world_def)
        };
        Self { world, bodies: Vec::new(), meshes: Vec::new() }
    }

    fn id(&self, body: BodyKey) -> b3::b3BodyId {
        self.bodies[body.0 as usize]
    }

    fn first_shape(&self, body: BodyKey) -> b3::b3ShapeId {
        // SAFETY: the body exists and has at least one shape, so exactly one id is written.
        unsafe {
            let mut shape = std::mem::zeroed();
            b3::b3Body_GetShapes(self.id(body), &mut shape, 1);
            shape
        }
    }

    /// # Safety
    /// `body` must be a live body of this world.
    unsafe fn add_shape(
        &mut self,
        body: b3::b3BodyId,
        def: &b3::b3ShapeDef,
        shape: &Shape3,
        at: b3::b3Transform,
    ) -> Result<(), Unsupported> {
        let one = vector(Vec3::ONE);
        let (offset, turn) = (vec3(at.p), quat(at.q));
        // SAFETY: all pointers are to live locals or to hulls and meshes created here.
        unsafe {
            match shape {
                Shape3::Sphere(radius) => {
                    b3::b3CreateSphereShape(body, def, &b3::b3Sphere { center: at.p, radius: *radius });
                }
                Shape3::Box(h) => {
                    let hull = b3::b3MakeBoxHull(h.x, h.y, h.z);
                    if offset == Vec3::ZERO && turn == Quat::IDENTITY {
                        b3::b3CreateHullShape(body, def, &hull.base);
                    } else {
                        b3::b3CreateTransformedHullShape(body, def, &hull.base, at, one);
                    }
                }
                Shape3::Capsule(half, radius) => {
                    let end = turn * Vec3::new(0.0, *half, 0.0);
                    let (center1, center2) = (vector(offset - end), vector(offset + end));
                    b3::b3CreateCapsuleShape(body, def, &b3::b3Capsule { center1, center2, radius: *radius });
                }
                Shape3::Cylinder(..) => return Err(Unsupported("Box3D has no cylinder".into())),
                Shape3::Hull(points) => {
                    let points: Vec<b3::b3Vec3> = points.iter().map(|p| vector(*p)).collect();
                    let hull = b3::b3CreateHull(points.as_ptr(), points.len() as i32, points.len() as i32);
                    if hull.is_null() {
                        return Err(Unsupported("Box3D refused the hull".into()));
                    }
                    b3::b3CreateTransformedHullShape(body, def, hull, at, one);
                    b3::b3DestroyHull(hull);
                }
                Shape3::Mesh(mesh) => {
                    let mut vertices: Vec<b3::b3Vec3> = mesh.vertices.iter().map(|p| vector(*p)).collect();
                    let mut indices: Vec<i32> = mesh.triangles.iter().flatten().map(|&i| i as i32).collect();
                    let mesh_def = b3::b3MeshDef {
                        vertices: vertices.as_mut_ptr(),
                        indices: indices.as_mut_ptr(),
                        materialIndices: std::ptr::null_mut(),
                        weldTolerance: 0.0,
                        vertexCount: vertices.len() as i32,
                        triangleCount: mesh.triangles.len() as i32,
                        weldVertices: false,
                        useMedianSplit: false,
                        identifyEdges: true,
                    };
                    let data = b3::b3CreateMesh(&mesh_def, std::ptr::null_mut(), 0);
                    if data.is_null() {
                        return Err(Unsupported("Box3D refused the mesh".into()));
                    }
                    b3::b3CreateMeshShape(body, def, data, one);
                    // The shape keeps the pointer, so the mesh lives as long as the world.
                    self.meshes.push(data);
                }
            }
        }
        Ok(())
    }
}

impl Engine<D3> for Box3d {
    fn add_body(&mut self, def: &BodyDef<D3>) -> Result<BodyKey, Unsupported> {
        // SAFETY: definitions come from the library's own defaults; ids are of this world.
        unsafe {
            let mut body_def = b3::b3DefaultBodyDef();
            body_def.type_ = match def.kind {
                Kind::Static => b3::b3BodyType_b3_staticBody,
                Kind::Kinematic => b3::b3BodyType_b3_kinematicBody,
                Kind::Dynamic => b3::b3BodyType_b3_dynamicBody,
            };
            body_def.position = vector(def.position);
            body_def.rotation = quaternion(def.rotation);
            body_def.linearVelocity = vector(def.velocity);
            body_def.angularVelocity = vector(def.spin);
            body_def.isBullet = def.bullet;
            let body = b3::b3CreateBody(self.world, &body_def);
            self.bodies.push(body);

            let mut shape_def = b3::b3DefaultShapeDef();
            shape_def.density = def.density;
            shape_def.baseMaterial.friction = def.friction;
            shape_def.baseMaterial.restitution = def.restitution;
            if def.ghost {
                shape_def.filter.maskBits = 0;
            }
            // One mass update for all shapes of a compound instead of one per shape.
            let many = def.parts.len() > 1;
            shape_def.updateBodyMass = !many;
            for part in &def.parts {
                let at = b3::b3Transform { p: vector(part.offset), q: quaternion(part.rotation) };
                self.add_shape(body, &shape_def, &part.geometry, at)?;
            }
            if many {
                b3::b3Body_ApplyMassFromShapes(body);
            }
        }
        Ok(BodyKey(self.bodies.len() as u32 - 1))
    }

    fn add_joint(&mut self, def: &JointDef<D3>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        let axis = match def.kind {
            JointKind::Ball => Vec3::Z,
            JointKind::Hinge { axis, .. } | JointKind::Cone { axis, .. } => axis,
        };
        // Hinge axis, cone and twist are all about z of the joint frame.
        let turn = quaternion(Quat::from_rotation_arc(Vec3::Z, axis));
        let frame = |anchor: Vec3| b3::b3Transform { p: vector(anchor), q: turn };
        let attach = |base: &mut b3::b3JointDef| {
            base.bodyIdA = self.id(a);
            base.bodyIdB = self.id(b);
            base.localFrameA = frame(def.anchor_a);
            base.localFrameB = frame(def.anchor_b);
            base.collideConnected = false;
        };
        // SAFETY: definitions come from the library's own defaults; both bodies are alive.
        unsafe {
            match def.kind {
                JointKind::Ball | JointKind::Cone { .. } => {
                    let mut joint = b3::b3DefaultSphericalJointDef();
                    attach(&mut joint.base);
                    if let JointKind::Cone { swing, twist, .. } = def.kind {
                        (joint.enableConeLimit, joint.coneAngle) = (true, swing);
                        (joint.enableTwistLimit, joint.lowerTwistAngle) = (true, -twist);
                        joint.upperTwistAngle = twist;
                    }
                    b3::b3CreateSphericalJoint(self.world, &joint);
                }
                JointKind::Hinge { limits, .. } => {
                    let mut joint = b3::b3DefaultRevoluteJointDef();
                    attach(&mut joint.base);
                    if let Some((low, high)) = limits {
                        (joint.enableLimit, joint.lowerAngle, joint.upperAngle) = (true, low, high);
                    }
                    b3::b3CreateRevoluteJoint(self.world, &joint);
                }
            }
        }
        Ok(())
    }

    fn remove_body(&mut self, body: BodyKey) {
        // SAFETY: the harness removes each body once.
        unsafe { b3::b3DestroyBody(self.id(body)) }
    }

    fn step(&mut self, dt: f32) {
        // SAFETY: the world is alive.
        unsafe { b3::b3World_Step(self.world, dt, SUB_STEPS) }
    }

    fn state(&self, body: BodyKey) -> State<D3> {
        let id = self.id(body);
        // SAFETY: the body is alive.
        unsafe {
            State {
                position: vec3(b3::b3Body_GetPosition(id)),
                rotation: quat(b3::b3Body_GetRotation(id)),
                velocity: vec3(b3::b3Body_GetLinearVelocity(id)),
                spin: vec3(b3::b3Body_GetAngularVelocity(id)),
            }
        }
    }

    fn mass(&self, body: BodyKey) -> f32 {
        // SAFETY: the body is alive.
        unsafe { b3::b3Body_GetMass(self.id(body)) }
    }

    fn material(&self, body: BodyKey) -> (f32, f32) {
        let shape = self.first_shape(body);
        // SAFETY: the shape is alive.
        unsafe { (b3::b3Shape_GetFriction(shape), b3::b3Shape_GetRestitution(shape)) }
    }

    fn gravity(&self) -> Vec3 {
        // SAFETY: the world is alive.
        unsafe { vec3(b3::b3World_GetGravity(self.world)) }
    }

    fn cast_ray(&self, origin: Vec3, translation: Vec3) -> Option<f32> {
        // SAFETY: the world is alive.
        let result = unsafe {
            let filter = b3::b3DefaultQueryFilter();
            b3::b3World_CastRayClosest(self.world, vector(origin), vector(translation), filter)
        };
        result.hit.then_some(result.fraction)
    }

    fn counts(&self) -> Counts {
        // SAFETY: the world is alive.
        unsafe {
            let counters = b3::b3World_GetCounters(self.world);
            Counts {
                bodies: counters.bodyCount as usize,
                awake: Some(b3::b3World_GetAwakeBodyCount(self.world) as usize),
                contacts: Some(counters.contactCount as usize),
            }
        }
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: the world goes first, then the meshes that its shapes pointed to.
        unsafe {
            b3::b3DestroyWorld(self.world);
            for &mesh in &self.meshes {
                b3::b3DestroyMesh(mesh);
            }
        }
    }
}

/// Version and the settings in use.
pub fn version() -> String {
    // SAFETY: no preconditions.
    let v = unsafe { b3::b3GetVersion() };
    format!("Box3D {}.{}.{} (boxddd-sys 0.4.0), {SUB_STEPS} sub-steps", v.major, v.minor, v.revision)
}

fn vector(v: Vec3) -> b3::b3Vec3 {
    b3::b3Vec3 { x: v.x, y: v.y, z: v.z }
}

fn vec3(v: b3::b3Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

fn quaternion(q: Quat) -> b3::b3Quat {
    b3::b3Quat { v: b3::b3Vec3 { x: q.x, y: q.y, z: q.z }, s: q.w }
}

fn quat(q: b3::b3Quat) -> Quat {
    Quat::from_xyzw(q.v.x, q.v.y, q.v.z, q.s)
}
