//! Joints and springs as lines: rods and ropes straight, springs as coils, rails of sliders, pins of hinges.
//!
//! They are as thick as the picture asks for, not as anything in the world.

use super::image::light;
use topple::joint::Limits;
use topple::math::{PointOps, RotOps, VecOps};
use topple::{JointKind, JointView, Vec3};
use topple_scene::lower::Space;
use topple_scene::run::Run;

/// Turns of a drawn coil.
const COILS: usize = 8;
/// Points of one turn.
const POINTS: usize = 8;
/// Radius of a coil, in thicknesses of a line.
const COIL: f32 = 5.0;
/// Length of a rail without limits, and of half a cross, in thicknesses.
const RAIL: f32 = 30.0;
/// More springs than these are drawn straight: their coils could not be told apart.
const MANY: usize = 400;

const ROD: [f64; 3] = [0.24, 0.26, 0.30];
const ROPE: [f64; 3] = [0.45, 0.36, 0.24];
const SPRING: [f64; 3] = [0.30, 0.42, 0.55];
const RAIL_COLOUR: [f64; 3] = [0.55, 0.57, 0.60];
const MOUSE: [f64; 3] = [0.80, 0.25, 0.20];

/// A line through points of the world; one point is a dot.
#[derive(Clone, Debug)]
pub(crate) struct Stroke {
    pub points: Vec<Vec3>,
    /// Linear light.
    pub colour: Vec3,
}

fn vec3<D: Space>(point: D::Point) -> Vec3 {
    let [x, y, z] = D::point_out(point).map(|value| value as f32);
    Vec3::new(x, y, z)
}

/// Everything that joins bodies, drawn with lines of this thickness [m].
pub(crate) fn strokes<D: Space>(run: &Run<D>, thickness: f32) -> Vec<Stroke> {
    let joints = || run.joints.iter().filter_map(|info| run.world.joint(info.id).ok());
    let springs = run.springs();
    let coiled = joints().filter(is_spring).count() + springs.len() <= MANY;
    let mut list = Vec::new();
    for joint in joints() {
        add_joint(&mut list, &joint, thickness, coiled);
    }
    for [a, b] in springs {
        let end = |p: [f64; 3]| Vec3::new(p[0] as f32, p[1] as f32, p[2] as f32);
        list.push(coil::<D>(end(a), end(b), thickness, coiled));
    }
    list.retain(|stroke| stroke.points.iter().all(|point| point.is_finite()));
    list
}

fn is_spring<D: Space>(joint: &JointView<'_, D>) -> bool {
    matches!(joint.kind(), JointKind::Spring(_))
        || matches!(joint.kind(), JointKind::Distance(d) if d.spring.is_some())
}

fn add_joint<D: Space>(list: &mut Vec<Stroke>, joint: &JointView<'_, D>, thickness: f32, coiled: bool) {
    let [frame_a, frame_b] = joint.frames();
    let [a, b] = [vec3::<D>(frame_a.position), vec3::<D>(frame_b.position)];
    let mut line = |points: Vec<Vec3>, colour: [f64; 3]| list.push(Stroke { points, colour: light(colour) });
    match *joint.kind() {
        _ if is_spring(joint) => list.push(coil::<D>(a, b, thickness, coiled)),
        JointKind::Distance(distance) => {
            line(vec![a, b], if distance.min == distance.max { ROD } else { ROPE });
        }
        JointKind::Slider(slider) => {
            let axis = frame_a.rotation.rotate(D::Vec::axis(0));
            let axis = vec3::<D>(D::Point::from_vec(axis));
            let free = Limits::new(-RAIL * thickness, RAIL * thickness);
            let reach = slider.limits.unwrap_or(free);
            line(vec![a + axis * reach.lower, a + axis * reach.upper], RAIL_COLOUR);
            line(vec![b], ROD);
        }
        JointKind::Mouse(mouse) => {
            line(vec![b, vec3::<D>(mouse.target)], MOUSE);
        }
        JointKind::Wheel(_) => line(vec![a, b], ROD),
        JointKind::Motor(_) | JointKind::Fixed => {}
        _ => line(vec![a], ROD),
    }
}

/// A spring: a zigzag in the plane, a helix in space.
fn coil<D: Space>(a: Vec3, b: Vec3, thickness: f32, coiled: bool) -> Stroke {
    let colour = light(SPRING);
    let along = b - a;
    let length = along.length();
    // Hooks at both ends; none of it if there is no room.
    let radius = COIL * thickness;
    if !coiled || length < 4.0 * radius {
        return Stroke { points: vec![a, b], colour };
    }
    let unit = along / length;
    let (side, other) = if D::N == 2 {
        (Vec3::new(-unit.y, unit.x, 0.0), Vec3::ZERO)
    } else {
        let across = if unit.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
        let side = unit.cross(across).normalize_or(Vec3::X);
        (side, unit.cross(side))
    };
    let turns = if D::N == 2 { 2 } else { POINTS };
    let hook = radius.min(0.15 * length);
    let mut points = vec![a, a + unit * hook];
    for index in 0..COILS * turns {
        let share = (index as f32 + 0.5) / (COILS * turns) as f32;
        let angle = core::f32::consts::TAU * (index as f32 + 0.5) / turns as f32;
        let (sin, cos) = topple::math::sin_cos(angle.rem_euclid(core::f32::consts::TAU));
        let out =
            if D::N == 2 { side * (radius * sin.signum()) } else { (side * sin + other * cos) * radius };
        points.push(a + unit * (hook + share * (length - 2.0 * hook)) + out);
    }
    points.extend([b - unit * hook, b]);
    Stroke { points, colour }
}
