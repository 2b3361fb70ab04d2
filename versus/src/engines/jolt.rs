//! Jolt through joltc: default physics settings, one collision step per step, capacities sized to the scene.
//!
//! One thread runs every job where it is queued, as Jolt's own single-threaded job system does (joltc's thread pool cannot
//! be created without workers). More threads use Jolt's thread pool; the caller works too, so `threads - 1` are started.

use crate::engine::{
    BodyDef, BodyKey, Counts, D3, Engine, JointDef, JointKind, Kind, Shape3, State, Unsupported, WorldDef,
};
use glam::{Quat, Vec3};
use oxijolt_sys::*;
use std::ffi::c_void;
use std::ptr;

const STATIC_LAYER: u32 = 0;
const MOVING_LAYER: u32 = 1;
const GHOST_LAYER: u32 = 2;
const LAYERS: u32 = 3;

/// Jolt's default rounding of convex shapes [m]; the rounding is taken out of the shape, its size stays.
const CONVEX_RADIUS: f32 = 0.05;

/// More parts than any ragdoll of the scenes has.
const GROUP_PARTS: u32 = 32;

/// A Jolt physics system with its job system.
pub struct Jolt {
    system: *mut JPH_PhysicsSystem,
    interface: *mut JPH_BodyInterface,
    jobs: *mut JPH_JobSystem,
    temp: *mut JPH_TempAllocator,
    /// Which parts of one assembly do not collide: Jolt's constraints do not filter, its groups do.
    group_filter: *mut JPH_GroupFilterTable,
    groups: Vec<Option<(u32, u32)>>,
    bodies: Vec<JPH_BodyID>,
    sleeping: bool,
}

impl Jolt {
    /// An empty world.
    pub fn new(def: &WorldDef<D3>) -> Self {
        let count = def.body_count as u32;
        // SAFETY: called from one thread, before any other use of Jolt; settings are filled by Jolt or here.
        unsafe {
            assert!(JPH_Init(), "Jolt did not start");
            let broad_layers = JPH_BroadPhaseLayerInterfaceTable_Create(LAYERS, 2);
            JPH_BroadPhaseLayerInterfaceTable_MapObjectToBroadPhaseLayer(broad_layers, STATIC_LAYER, 0);
            JPH_BroadPhaseLayerInterfaceTable_MapObjectToBroadPhaseLayer(broad_layers, MOVING_LAYER, 1);
            JPH_BroadPhaseLayerInterfaceTable_MapObjectToBroadPhaseLayer(broad_layers, GHOST_LAYER, 1);
            let pairs = JPH_ObjectLayerPairFilterTable_Create(LAYERS);
            JPH_ObjectLayerPairFilterTable_EnableCollision(pairs, STATIC_LAYER, MOVING_LAYER);
            JPH_ObjectLayerPairFilterTable_EnableCollision(pairs, MOVING_LAYER, MOVING_LAYER);
            let settings = JPH_PhysicsSystemSettings {
                maxBodies: count + 1024,
                numBodyMutexes: 0,
                maxBodyPairs: (count * 16).max(65_536),
                maxContactConstraints: (count * 10).max(20_480),
                _padding: 0,
                broadPhaseLayerInterface: broad_layers,
                objectLayerPairFilter: pairs,
                objectVsBroadPhaseLayerFilter: JPH_ObjectVsBroadPhaseLayerFilterTable_Create(
                    broad_layers,
                    2,
                    pairs,
                    LAYERS,
                ),
            };
            let system = JPH_PhysicsSystem_Create(&settings);
            JPH_PhysicsSystem_SetGravity(system, &vector(def.gravity));
            Self {
                system,
                interface: JPH_PhysicsSystem_GetBodyInterfaceNoLock(system),
                jobs: job_system(def.threads),
                temp: JPH_TempAllocator_Create(32 * 1024 * 1024 + count * 16 * 1024),
                group_filter: JPH_GroupFilterTable_Create(GROUP_PARTS),
                groups: Vec::new(),
                bodies: Vec::new(),
                sleeping: def.sleeping,
            }
        }
    }

    fn id(&self, body: BodyKey) -> JPH_BodyID {
        self.bodies[body.0 as usize]
    }

    /// The body's own record; valid while no other thread changes the world.
    fn body(&self, key: BodyKey) -> *mut JPH_Body {
        // SAFETY: the body is alive and nothing else runs.
        unsafe { JPH_PhysicsSystem_GetBodyPtr(self.system, self.id(key)).cast_mut() }
    }
}

/// Runs a job at once, on the thread that queued it.
unsafe extern "C" fn run_now(_context: *mut c_void, job: JPH_JobFunction, argument: *mut c_void) {
    if let Some(job) = job {
        // SAFETY: Jolt hands out a matching function and argument.
        unsafe { job(argument) }
    }
}

unsafe extern "C" fn run_all_now(
    context: *mut c_void,
    job: JPH_JobFunction,
    arguments: *mut *mut c_void,
    count: u32,
) {
    for i in 0..count as usize {
        // SAFETY: `arguments` holds `count` entries.
        unsafe { run_now(context, job, *arguments.add(i)) }
    }
}

/// # Safety
/// Jolt must have been initialised.
unsafe fn job_system(threads: usize) -> *mut JPH_JobSystem {
    // SAFETY: the configurations are complete; zero means Jolt's default.
    unsafe {
        if threads <= 1 {
            JPH_JobSystemCallback_Create(&JPH_JobSystemConfig {
                context: ptr::null_mut(),
                queueJob: Some(run_now),
                queueJobs: Some(run_all_now),
                maxConcurrency: 1,
                maxBarriers: 0,
            })
        } else {
            let config =
                JobSystemThreadPoolConfig { maxJobs: 0, maxBarriers: 0, numThreads: threads as i32 - 1 };
            JPH_JobSystemThreadPool_Create(&config)
        }
    }
}

/// A shape with one reference, to be released by the caller.
///
/// # Safety
/// Jolt must have been initialised.
unsafe fn make_shape(shape: &Shape3, density: f32) -> Result<*mut JPH_Shape, Unsupported> {
    // SAFETY: the settings objects are created and destroyed here; pointers are to live locals.
    unsafe {
        let convex: *mut JPH_ConvexShape = match shape {
            Shape3::Sphere(radius) => JPH_SphereShape_Create(*radius).cast(),
            Shape3::Box(h) => {
                JPH_BoxShape_Create(&vector(*h), CONVEX_RADIUS.min(h.min_element() * 0.5)).cast()
            }
            Shape3::Capsule(half, radius) => JPH_CapsuleShape_Create(*half, *radius).cast(),
            Shape3::Cylinder(half, radius) => {
                let settings = JPH_CylinderShapeSettings_Create(
                    *half,
                    *radius,
                    CONVEX_RADIUS.min(half.min(*radius) * 0.5),
                );
                let shape = JPH_CylinderShapeSettings_CreateShape(settings);
                JPH_ShapeSettings_Destroy(settings.cast());
                shape.cast()
            }
            Shape3::Hull(points) => {
                let points: Vec<JPH_Vec3> = points.iter().map(|p| vector(*p)).collect();
                let settings =
                    JPH_ConvexHullShapeSettings_Create(points.as_ptr(), points.len() as u32, CONVEX_RADIUS);
                let shape = JPH_ConvexHullShapeSettings_CreateShape(settings);
                JPH_ShapeSettings_Destroy(settings.cast());
                shape.cast()
            }
            Shape3::Mesh(mesh) => {
                let vertices: Vec<JPH_Vec3> = mesh.vertices.iter().map(|p| vector(*p)).collect();
                let triangle = |t: &[u32; 3]| JPH_IndexedTriangle {
                    i1: t[0],
                    i2: t[1],
                    i3: t[2],
                    materialIndex: 0,
                    userData: 0,
                };
                let triangles: Vec<JPH_IndexedTriangle> = mesh.triangles.iter().map(triangle).collect();
                let settings = JPH_MeshShapeSettings_Create2(
                    vertices.as_ptr(),
                    vertices.len() as u32,
                    triangles.as_ptr(),
                    triangles.len() as u32,
                );
                let shape = JPH_MeshShapeSettings_CreateShape(settings);
                JPH_ShapeSettings_Destroy(settings.cast());
                return match shape.is_null() {
                    true => Err(Unsupported("Jolt refused the mesh".into())),
                    false => Ok(shape.cast()),
                };
            }
        };
        if convex.is_null() {
            return Err(Unsupported("Jolt refused the shape".into()));
        }
        JPH_ConvexShape_SetDensity(convex, density);
        Ok(convex.cast())
    }
}

impl Engine<D3> for Jolt {
    fn add_body(&mut self, def: &BodyDef<D3>) -> Result<BodyKey, Unsupported> {
        // SAFETY: every object made here is released here; the body keeps its own reference to the shape.
        unsafe {
            let single = def.parts.len() == 1
                && def.parts[0].offset == Vec3::ZERO
                && def.parts[0].rotation == Quat::IDENTITY;
            let shape = if single {
                make_shape(&def.parts[0].geometry, def.density)?
            } else {
                let settings = JPH_StaticCompoundShapeSettings_Create();
                for part in &def.parts {
                    let child = make_shape(&part.geometry, def.density)?;
                    let (offset, turn) = (vector(part.offset), quaternion(part.rotation));
                    JPH_CompoundShapeSettings_AddShape2(settings.cast(), &offset, &turn, child, 0);
                    JPH_Shape_Destroy(child);
                }
                let shape = JPH_StaticCompoundShape_Create(settings);
                JPH_ShapeSettings_Destroy(settings.cast());
                shape.cast()
            };
            let (motion, mut layer) = match def.kind {
                Kind::Static => (JPH_MotionType_Static, STATIC_LAYER),
                Kind::Kinematic => (JPH_MotionType_Kinematic, MOVING_LAYER),
                Kind::Dynamic => (JPH_MotionType_Dynamic, MOVING_LAYER),
            };
            if def.ghost {
                layer = GHOST_LAYER;
            }
            let (position, rotation) = (vector(def.position), quaternion(def.rotation));
            let settings = JPH_BodyCreationSettings_Create3(shape, &position, &rotation, motion, layer);
            JPH_BodyCreationSettings_SetLinearVelocity(settings, &vector(def.velocity));
            JPH_BodyCreationSettings_SetAngularVelocity(settings, &vector(def.spin));
            JPH_BodyCreationSettings_SetFriction(settings, def.friction);
            JPH_BodyCreationSettings_SetRestitution(settings, def.restitution);
            // Jolt damps by default, the others do not: drag belongs to the scene, and the scenes have none.
            JPH_BodyCreationSettings_SetLinearDamping(settings, 0.0);
            JPH_BodyCreationSettings_SetAngularDamping(settings, 0.0);
            JPH_BodyCreationSettings_SetAllowSleeping(settings, self.sleeping);
            if def.bullet {
                JPH_BodyCreationSettings_SetMotionQuality(settings, JPH_MotionQuality_LinearCast);
            }
            if let Some((group, part)) = def.group {
                let group = JPH_CollisionGroup {
                    groupFilter: self.group_filter.cast(),
                    groupID: group,
                    subGroupID: part,
                };
                JPH_BodyCreationSettings_SetCollisionGroup(settings, &group);
            }
            let activation = match def.kind {
                Kind::Static => JPH_Activation_DontActivate,
                _ => JPH_Activation_Activate,
            };
            let id = JPH_BodyInterface_CreateAndAddBody(self.interface, settings, activation);
            JPH_BodyCreationSettings_Destroy(settings);
            JPH_Shape_Destroy(shape);
            self.bodies.push(id);
            self.groups.push(def.group);
        }
        Ok(BodyKey(self.bodies.len() as u32 - 1))
    }

    fn add_joint(&mut self, def: &JointDef<D3>, a: BodyKey, b: BodyKey) -> Result<(), Unsupported> {
        if let (Some((group_a, part_a)), Some((group_b, part_b))) =
            (self.groups[a.0 as usize], self.groups[b.0 as usize])
            && group_a == group_b
        {
            // SAFETY: part numbers are below GROUP_PARTS.
            unsafe { JPH_GroupFilterTable_DisableCollision(self.group_filter, part_a, part_b) }
        }
        // World space at creation: jointed bodies start unrotated, anchors are from the body's origin, not its centre.
        let state = self.state(a);
        let point1 = vector(state.position + state.rotation * def.anchor_a);
        let state = self.state(b);
        let point2 = vector(state.position + state.rotation * def.anchor_b);
        let (body_a, body_b) = (self.body(a), self.body(b));
        // SAFETY: both bodies are alive; the settings are complete; the system takes its own reference.
        unsafe {
            let constraint: *mut JPH_Constraint = match def.kind {
                JointKind::Ball => {
                    let mut settings = std::mem::zeroed();
                    JPH_PointConstraintSettings_Init(&mut settings);
                    settings.space = JPH_ConstraintSpace_WorldSpace;
                    (settings.point1, settings.point2) = (point1, point2);
                    JPH_PointConstraint_Create(&settings, body_a, body_b).cast()
                }
                JointKind::Hinge { axis, limits } => {
                    let mut settings = std::mem::zeroed();
                    JPH_HingeConstraintSettings_Init(&mut settings);
                    settings.space = JPH_ConstraintSpace_WorldSpace;
                    (settings.point1, settings.point2) = (point1, point2);
                    let normal = vector(axis.any_orthonormal_vector());
                    (settings.hingeAxis1, settings.hingeAxis2) = (vector(axis), vector(axis));
                    (settings.normalAxis1, settings.normalAxis2) = (normal, normal);
                    if let Some((low, high)) = limits {
                        (settings.limitsMin, settings.limitsMax) = (low, high);
                    }
                    JPH_HingeConstraint_Create(&settings, body_a, body_b).cast()
                }
                JointKind::Cone { axis, swing, twist } => {
                    let mut settings = std::mem::zeroed();
                    JPH_SwingTwistConstraintSettings_Init(&mut settings);
                    settings.space = JPH_ConstraintSpace_WorldSpace;
                    (settings.position1, settings.position2) = (point1, point2);
                    let plane = vector(axis.any_orthonormal_vector());
                    (settings.twistAxis1, settings.twistAxis2) = (vector(axis), vector(axis));
                    (settings.planeAxis1, settings.planeAxis2) = (plane, plane);
                    (settings.normalHalfConeAngle, settings.planeHalfConeAngle) = (swing, swing);
                    (settings.twistMinAngle, settings.twistMaxAngle) = (-twist, twist);
                    JPH_SwingTwistConstraint_Create(&settings, body_a, body_b).cast()
                }
            };
            JPH_PhysicsSystem_AddConstraint(self.system, constraint);
            JPH_Constraint_Destroy(constraint);
        }
        Ok(())
    }

    fn remove_body(&mut self, body: BodyKey) {
        // SAFETY: the harness removes each body once, and only bodies without joints.
        unsafe { JPH_BodyInterface_RemoveAndDestroyBody(self.interface, self.id(body)) }
    }

    fn built(&mut self) {
        // SAFETY: no step is running.
        unsafe { JPH_PhysicsSystem_OptimizeBroadPhase(self.system) }
    }

    fn step(&mut self, dt: f32) {
        // SAFETY: allocator and job system are this world's own.
        let error = unsafe { JPH_PhysicsSystem_Update2(self.system, dt, 1, self.temp, self.jobs) };
        assert!(
            error == JPH_PhysicsUpdateError_None,
            "Jolt ran out of a fixed capacity (error bits {error})"
        );
    }

    fn state(&self, body: BodyKey) -> State<D3> {
        let id = self.id(body);
        let (mut position, mut rotation) = (vector(Vec3::ZERO), quaternion(Quat::IDENTITY));
        let (mut velocity, mut spin) = (vector(Vec3::ZERO), vector(Vec3::ZERO));
        // SAFETY: the body is alive; results go to live locals.
        unsafe {
            JPH_BodyInterface_GetPositionAndRotation(self.interface, id, &mut position, &mut rotation);
            JPH_BodyInterface_GetLinearAndAngularVelocity(self.interface, id, &mut velocity, &mut spin);
        }
        State {
            position: vec3(position),
            rotation: Quat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
            velocity: vec3(velocity),
            spin: vec3(spin),
        }
    }

    fn mass(&self, body: BodyKey) -> f32 {
        let body = self.body(body);
        // SAFETY: only dynamic bodies have the mass that is read.
        unsafe {
            match JPH_Body_GetMotionType(body) == JPH_MotionType_Dynamic {
                true => {
                    1.0 / JPH_MotionProperties_GetInverseMassUnchecked(JPH_Body_GetMotionProperties(body))
                }
                false => 0.0,
            }
        }
    }

    fn material(&self, body: BodyKey) -> (f32, f32) {
        // SAFETY: the body is alive.
        unsafe {
            let friction = JPH_BodyInterface_GetFriction(self.interface, self.id(body));
            (friction, JPH_BodyInterface_GetRestitution(self.interface, self.id(body)))
        }
    }

    fn gravity(&self) -> Vec3 {
        let mut gravity = vector(Vec3::ZERO);
        // SAFETY: the result goes to a live local.
        unsafe { JPH_PhysicsSystem_GetGravity(self.system, &mut gravity) }
        vec3(gravity)
    }

    fn cast_ray(&self, origin: Vec3, translation: Vec3) -> Option<f32> {
        // SAFETY: null filters mean none; the result goes to a live local.
        unsafe {
            let query = JPH_PhysicsSystem_GetNarrowPhaseQueryNoLock(self.system);
            let mut hit: JPH_RayCastResult = std::mem::zeroed();
            let (origin, translation) = (vector(origin), vector(translation));
            JPH_NarrowPhaseQuery_CastRay(
                query,
                &origin,
                &translation,
                &mut hit,
                ptr::null(),
                ptr::null(),
                ptr::null(),
            )
            .then_some(hit.fraction)
        }
    }

    fn counts(&self) -> Counts {
        // SAFETY: the system is alive.
        unsafe {
            Counts {
                bodies: JPH_PhysicsSystem_GetNumBodies(self.system) as usize,
                awake: Some(JPH_PhysicsSystem_GetNumActiveBodies(self.system, JPH_BodyType_Rigid) as usize),
                contacts: None,
            }
        }
    }
}

impl Drop for Jolt {
    fn drop(&mut self) {
        // SAFETY: the system also deletes the three layer filters it was given.
        unsafe {
            JPH_PhysicsSystem_Destroy(self.system);
            JPH_JobSystem_Destroy(self.jobs);
            JPH_TempAllocator_Destroy(self.temp);
        }
    }
}

/// Version and the settings in use.
pub fn version() -> String {
    "Jolt 5.6.0 (oxijolt-sys 1.5.0), 1 collision step, 10 velocity and 2 position iterations".into()
}

fn vector(v: Vec3) -> JPH_Vec3 {
    JPH_Vec3 { x: v.x, y: v.y, z: v.z }
}

fn vec3(v: JPH_Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

fn quaternion(q: Quat) -> JPH_Quat {
    JPH_Quat { x: q.x, y: q.y, z: q.z, w: q.w }
}
