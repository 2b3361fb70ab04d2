//! From the checked scene to a world of the engine: settings, methods, bodies.
//!
//! Every function here changes one thing and says what the engine refused, so that the caller can report it at the place
//! where it was written.

pub mod force;
mod joint;
mod mesh;
mod space;

use topple::math::InertiaOps;
use topple::shape::ShapeOps;
use topple::{BodyDef, BodyId, Drag, Filter, Locks, Mass, Material, Mixing, Real, ShapeDef, World};

pub use joint::{change_joint, joint};
pub use mesh::Meshes;
pub use space::Space;

use crate::model::{self, Setting, Vec3};
use crate::schema;
use crate::schema::world::engine_setting;

/// Settings that are a property of each body in the engine.
pub(crate) const DRAG: [&str; 3] = ["linearDrag", "quadraticDrag", "angularDrag"];

fn setting_text(value: &Setting) -> String {
    match value {
        Setting::Flag(flag) => flag.to_string(),
        // As the engine's number: the shortest text of an f64 may round differently.
        Setting::Number(number) => (*number as Real).to_string(),
        Setting::Text(text) => text.to_string(),
        Setting::Vector(values) => {
            values.iter().map(|value| (*value as Real).to_string()).collect::<Vec<_>>().join(",")
        }
    }
}

/// Whether the engine takes a value for one of its settings; its reason if not.
pub(crate) fn check_setting(key: &str, value: &Setting) -> Result<(), String> {
    let Some(name) = engine_setting(key) else { return Ok(()) };
    let mut settings = topple::Settings3::default();
    settings.set_by_name(name, &setting_text(value)).map_err(|error| error.to_string())
}

/// Changes one setting of a running world, by its key in scene files.
pub fn apply_setting<D: Space>(world: &mut World<D>, key: &str, value: &Setting) -> Result<(), String> {
    let text = |error: topple::Error| error.to_string();
    match key {
        "integrator" => return world.set_integrator_by_name(&setting_text(value)).map_err(text),
        "broadPhase" => return world.set_broad_phase_by_name(&setting_text(value)).map_err(text),
        "narrowPhase" => return world.set_narrow_phase_by_name(&setting_text(value)).map_err(text),
        "solver" => return world.set_solver_by_name(&setting_text(value)).map_err(text),
        _ => {}
    }
    let name = engine_setting(key).ok_or_else(|| format!("there is no setting '{key}'"))?;
    let mut settings = world.settings().clone();
    settings.set_by_name(name, &setting_text(value)).map_err(text)?;
    world.set_settings(settings).map_err(text)
}

/// An empty world with the settings and methods of a scene; what the engine refused, by key.
pub fn world<D: Space>(scene: &model::World) -> (World<D>, Vec<(&'static str, String)>) {
    let mut world = World::<D>::new();
    let mut refused = Vec::new();
    let mut apply = |world: &mut World<D>, key: &str, value: &Setting| {
        if let Err(reason) = apply_setting(world, key, value) {
            // The keys of a scene come from the table; an unknown one has no row.
            refused.push((
                schema::kind("world").and_then(|world| world.param(key)).map_or("", |row| row.name),
                reason,
            ));
        }
    };
    let gravity = Setting::Vector(scene.gravity[..D::N].to_vec());
    apply(&mut world, "gravity", &gravity);
    apply(&mut world, "dt", &Setting::Number(scene.dt));
    apply(&mut world, "substeps", &Setting::Text(scene.substeps.to_string().into()));
    apply(&mut world, "sleeping", &Setting::Flag(scene.sleeping));
    apply(&mut world, "density", &Setting::Number(scene.density));
    apply(&mut world, "friction", &Setting::Number(scene.friction));
    apply(&mut world, "elastic", &Setting::Number(scene.elastic));
    let methods = [
        ("integrator", &scene.integrator),
        ("broadPhase", &scene.broad_phase),
        ("narrowPhase", &scene.narrow_phase),
        ("solver", &scene.solver),
    ];
    for (key, name) in methods {
        if let Some(name) = name {
            apply(&mut world, key, &Setting::Text(name.clone()));
        }
    }
    for (key, value) in &scene.settings {
        if !DRAG.contains(&key.as_str()) {
            apply(&mut world, key, value);
        }
    }
    (world, refused)
}

/// Drag that the world gives to every body: linear, quadratic, angular.
pub(crate) fn world_drag(scene: &model::World) -> Vec3 {
    DRAG.map(|key| match scene.settings.get(key) {
        Some(Setting::Number(number)) => *number,
        _ => 0.0,
    })
}

/// Adds a body; `tag` is kept as its user data. Its id, and for each of its shapes the part of the scene it belongs to.
pub fn body<D: Space>(
    world: &mut World<D>,
    meshes: &mut Meshes,
    body: &model::Body,
    drag: Vec3,
    tag: u64,
) -> Result<(BodyId, Vec<usize>), String> {
    let mut shapes: Vec<ShapeDef<D>> = Vec::new();
    let mut parts = Vec::new();
    for (index, part) in body.parts.iter().enumerate() {
        for shape in D::shapes(&part.shape, meshes, body.inertia_from_bounds)? {
            shapes.push(shape_def(part, shape));
            parts.push(index);
        }
    }
    let kind = match body.kind {
        model::BodyKind::Dynamic => topple::BodyKind::Dynamic,
        model::BodyKind::Kinematic => topple::BodyKind::Kinematic,
        model::BodyKind::Static => topple::BodyKind::Static,
    };
    // In 2D the engine's only rotation lock is its first.
    let angular = body.locks.angular;
    let rotation = if D::N == 2 { [angular[2]; 3] } else { angular };
    let def = BodyDef::<D> {
        kind,
        position: D::point(body.pose.position),
        rotation: D::rot(&body.pose),
        linear_velocity: D::vec(body.velocity),
        angular_velocity: D::ang(body.angular_velocity),
        mass: mass(body, &shapes),
        locks: Locks { translation: body.locks.linear, rotation },
        gravity_scale: body.gravity_scale as Real,
        drag: Drag {
            linear: (body.linear_drag + drag[0]) as Real,
            quadratic: drag[1] as Real,
            angular_linear: (body.angular_drag + drag[2]) as Real,
            angular_quadratic: 0.0,
        },
        can_sleep: !body.sleepless,
        is_awake: !body.asleep,
        is_bullet: body.bullet,
        name: body.name.as_ref().map_or_else(String::new, ToString::to_string),
        user_data: tag,
        ..BodyDef::default()
    };
    let id = world.create_body_with(def, shapes).map_err(|error| error.to_string())?;
    Ok((id, parts))
}

fn shape_def<D: Space>(part: &model::Part, shape: D::Shape) -> ShapeDef<D> {
    let material = &part.material;
    ShapeDef {
        local: D::pose(&part.pose),
        density: material.density as Real,
        material: Material {
            friction: material.friction as Real,
            static_friction: material.static_friction.unwrap_or(0.0) as Real,
            restitution: material.elastic as Real,
            rolling_friction: material.rolling_friction as Real,
            spinning_friction: material.spinning_friction as Real,
            surface_velocity: D::vec(material.surface_velocity),
            grain: D::vec(material.grain),
            grain_friction: material.grain_friction as Real,
            friction_mixing: mixing(material.friction_mixing.as_deref()),
            restitution_mixing: mixing(material.elastic_mixing.as_deref()),
        },
        filter: Filter {
            category: u64::from(part.filter.category),
            // All 32 bits mean everything.
            mask: if part.filter.mask == u32::MAX { u64::MAX } else { u64::from(part.filter.mask) },
            group: part.filter.group,
        },
        is_sensor: part.filter.sensor,
        ..ShapeDef::new(shape)
    }
}

fn mixing(name: Option<&str>) -> Option<Mixing> {
    let found = Mixing::NAMES.iter().find(|(known, _)| Some(*known) == name);
    found.map(|(_, rule)| *rule)
}

/// Mass properties where the scene says more than densities.
fn mass<D: Space>(body: &model::Body, shapes: &[ShapeDef<D>]) -> Option<Mass<D>> {
    let given = body.mass.is_some()
        || body.inertia.is_some()
        || body.mass_centre.is_some()
        || body.inertia_from_bounds;
    if !given || body.kind != model::BodyKind::Dynamic {
        return None;
    }
    let solid = shapes.iter().filter(|shape| shape.shape.is_solid() && !shape.is_sensor);
    let mut total =
        solid.map(|shape| shape.shape.mass(shape.density).placed(&shape.local)).fold(Mass::ZERO, Mass::plus);
    let wanted = body.mass.map_or(total.mass, |mass| mass as Real);
    if total.mass > 0.0 {
        total.inertia = total.inertia.scaled(wanted / total.mass);
    }
    if total.mass == 0.0 || body.inertia_from_bounds {
        total.inertia = D::inertia(bounds_inertia(shapes, f64::from(wanted)));
    }
    total.mass = wanted;
    if let Some(moments) = body.inertia {
        total.inertia = D::inertia(moments);
    }
    if let Some(centre) = body.mass_centre {
        total.center = D::vec(centre);
    }
    Some(total)
}

/// Moments of a solid box around all shapes.
fn bounds_inertia<D: Space>(shapes: &[ShapeDef<D>], mass: f64) -> Vec3 {
    let mut low = [f64::MAX; 3];
    let mut high = [f64::MIN; 3];
    for shape in shapes {
        let bounds = shape.shape.aabb(&shape.local);
        let (min, max) = (D::point_out(bounds.min), D::point_out(bounds.max));
        for axis in 0..3 {
            low[axis] = low[axis].min(min[axis]);
            high[axis] = high[axis].max(max[axis]);
        }
    }
    let squares = [0, 1, 2].map(|axis| (high[axis] - low[axis]).max(0.0) * (high[axis] - low[axis]).max(0.0));
    let [x, y, z] = squares;
    [y + z, x + z, x + y].map(|sum| mass * sum / 12.0)
}
