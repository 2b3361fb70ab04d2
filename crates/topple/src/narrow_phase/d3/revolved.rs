//! Spheres against cylinders and cones in closed form: everything is decided in the half plane through the axis and the centre of
//! the sphere, where the outline of the other shape is a convex polygon. In f64, so that a centre just outside has a normal too.

use super::push_core_point;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold};

/// A straight piece of an outline in the half plane (distance from the axis, height): both ends [m], unit normal outwards.
pub(super) struct Side {
    ends: [[f64; 2]; 2],
    normal: [f64; 2],
}

/// Bottom, side and top of a cylinder.
pub(super) fn cylinder_profile(half: f64, radius: f64) -> [Side; 3] {
    [
        Side { ends: [[0.0, -half], [radius, -half]], normal: [0.0, -1.0] },
        Side { ends: [[radius, -half], [radius, half]], normal: [1.0, 0.0] },
        Side { ends: [[radius, half], [0.0, half]], normal: [0.0, 1.0] },
    ]
}

/// Bottom and side of a cone.
pub(super) fn cone_profile(half: f64, radius: f64) -> [Side; 2] {
    let length = (4.0 * half * half + radius * radius).sqrt();
    let slope = if length > 0.0 { [2.0 * half / length, radius / length] } else { [0.0, 1.0] };
    [
        Side { ends: [[0.0, -half], [radius, -half]], normal: [0.0, -1.0] },
        Side { ends: [[radius, -half], [0.0, half]], normal: slope },
    ]
}

/// Signed distance of the point `p` of the half plane from an outline, and the unit normal there.
fn nearest(profile: &[Side], p: [f64; 2]) -> (f64, [f64; 2]) {
    let mut inside = (f64::NEG_INFINITY, [0.0, 1.0]);
    let mut outside = (f64::INFINITY, [0.0, 1.0]);
    for side in profile {
        let [start, end] = side.ends;
        let from = [p[0] - start[0], p[1] - start[1]];
        let height = from[0] * side.normal[0] + from[1] * side.normal[1];
        if height > inside.0 {
            inside = (height, side.normal);
        }
        let along = [end[0] - start[0], end[1] - start[1]];
        let t = from[0] * along[0] + from[1] * along[1];
        let is_over = t >= 0.0 && t <= along[0] * along[0] + along[1] * along[1];
        let corner = if t < 0.0 { start } else { end };
        let away = [p[0] - corner[0], p[1] - corner[1]];
        let length = (away[0] * away[0] + away[1] * away[1]).sqrt();
        let found = match (is_over, length > 0.0) {
            (true, _) => (height.abs(), side.normal),
            (false, true) => (length, [away[0] / length, away[1] / length]),
            (false, false) => (0.0, side.normal),
        };
        if found.0 < outside.0 {
            outside = found;
        }
    }
    if inside.0 <= 0.0 { inside } else { outside }
}

/// A body of revolution about the y axis, with the outline of its core, against a sphere. `radii`: rounding and radius of the sphere [m].
pub(super) fn revolved_sphere(
    profile: &[Side],
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let center = job.b_in_a.position.to_vec();
    let (x, z) = (f64::from(center.x), f64::from(center.z));
    let from_axis = (x * x + z * z).sqrt();
    let (gap, [across, up]) = nearest(profile, [from_axis, f64::from(center.y)]);
    // On the axis every way to the side is as good.
    let (cos, sin) = if from_axis > 0.0 { (x / from_axis, z / from_axis) } else { (1.0, 0.0) };
    let gap = gap as Real;
    out.normal = Vec3::new((across * cos) as Real, up as Real, (across * sin) as Real);
    push_core_point(out, center - out.normal * gap, gap, radii, job.margin, 0);
}
