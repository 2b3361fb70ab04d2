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
const WHITE: [f64; 3] = [1.0; 3];

/// A colour for a number. Scattered, because counted through, rows of ten bodies would have one colour.
fn pick(index: usize) -> usize {
    let scattered = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (scattered >> 32) as usize % PALETTE.len()
}

/// How bodies of a scene are coloured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    /// The scene gives colours, so what is white is meant to be.
    coloured: bool,
}

impl Palette {
    /// Looks through all looks of a scene.
    pub(crate) fn new<'a>(looks: impl IntoIterator<Item = &'a Look>) -> Self {
        Self { coloured: looks.into_iter().any(|look| look.colour != WHITE) }
    }

    /// Colour of a shape of the body with number `index`.
    pub(crate) fn body(self, look: Option<&Look>, index: usize, is_static: bool) -> Vec3 {
        match look {
            Some(look) if look.colour != WHITE || (self.coloured && !is_static) => light(look.colour),
            _ if is_static => light(STATIC),
            _ => light(PALETTE[pick(index)]),
        }
    }

    /// Colour of a plane.
    pub(crate) fn plane(look: Option<&Look>) -> Vec3 {
        match look {
            Some(look) if look.colour != WHITE => light(look.colour),
            _ => light(FLOOR),
        }
    }
}
