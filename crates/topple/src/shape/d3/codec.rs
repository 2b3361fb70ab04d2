//! Bytes of the shapes of the space: a tag, then the fields in the order of the variant.

use super::Shape3;
use crate::Error;
use crate::store::{Reader, Writer};

const SPHERE: u8 = 0;
const BOX: u8 = 1;
const CAPSULE: u8 = 2;
const PLANE: u8 = 3;

pub(super) fn save(shape: &Shape3, out: &mut Writer) {
    match shape {
        Shape3::Sphere { radius } => {
            out.u8(SPHERE);
            out.real(*radius);
        }
        Shape3::Box { half, radius } => {
            out.u8(BOX);
            out.put(half);
            out.real(*radius);
        }
        Shape3::Capsule { a, b, radius } => {
            out.u8(CAPSULE);
            out.put(a);
            out.put(b);
            out.real(*radius);
        }
        Shape3::Plane { normal, offset } => {
            out.u8(PLANE);
            out.put(normal);
            out.real(*offset);
        }
    }
}

pub(super) fn load(input: &mut Reader<'_>) -> Result<Shape3, Error> {
    Ok(match input.u8()? {
        SPHERE => Shape3::Sphere { radius: input.real()? },
        BOX => Shape3::Box { half: input.get()?, radius: input.real()? },
        CAPSULE => Shape3::Capsule { a: input.get()?, b: input.get()?, radius: input.real()? },
        PLANE => Shape3::Plane { normal: input.get()?, offset: input.real()? },
        _ => return Err(input.damaged("kind of shape")),
    })
}
