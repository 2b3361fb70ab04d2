//! Colours of bodies: the scene's, or a palette that stays the same for the same body.

use super::image::light;
use topple::Vec3;
use topple_scene::model::Look;

/// Colours of bodies that the scene gives none; calm, told apart by hue and by brightness.
const PALETTE: [[f64; 3]; 10] = [
    [0.27, 0.47, 0.69],
    [0.91, 0.56, 0.26],
    [0.42, 0.65, 0.44],
    [0.81, 0.36, 0.36],
    [0.58, 0.48, 0.72],
    [0.93, 0.78, 0.40],
    [0.38, 0.67, 0.70],
    [0.85, 0.56, 0.65],
    [0.62, 0.50, 0.38],
    [0.55, 0.62, 0.71],
];
const STATIC: [f64; 3] = [0.66, 0.67, 0.68];
const FLOOR: [f64; 3] = [0.80, 0.80, 0.78];

/// A colour for a number. Scattered, because counted through, rows of ten bodies would have one colour.
fn pick(index: usize) -> usize {
    let scattered = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (scattered >> 32) as usize % PALETTE.len()
}

/// Colour of a shape of the body with number `index`.
pub(crate) fn body(look: Option<&Look>, index: usize, is_static: bool) -> Vec3 {
    match look.and_then(|look| look.colour) {
        Some(colour) => light(colour),
        None if is_static => light(STATIC),
        None => light(PALETTE[pick(index)]),
    }
}

/// Colour of a plane.
pub(crate) fn plane(look: Option<&Look>) -> Vec3 {
    light(look.and_then(|look| look.colour).unwrap_or(FLOOR))
}
