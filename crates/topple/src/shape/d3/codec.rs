//! Bytes of the shapes of the space: a tag, then the fields in the order of the variant.

use super::{HeightFieldData, HullData, MeshData, Shape3};
use crate::Error;
use crate::store::{Reader, Writer};
use std::sync::Arc;

const SPHERE: u8 = 0;
const BOX: u8 = 1;
const CAPSULE: u8 = 2;
const PLANE: u8 = 3;
const CYLINDER: u8 = 4;
const CONE: u8 = 5;
const HULL: u8 = 6;
const TRIANGLE: u8 = 7;
const MESH: u8 = 8;
const HEIGHT_FIELD: u8 = 9;

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
        Shape3::Cylinder { half_height, radius, rounding }
        | Shape3::Cone { half_height, radius, rounding } => {
            out.u8(if matches!(shape, Shape3::Cone { .. }) { CONE } else { CYLINDER });
            out.real(*half_height);
            out.real(*radius);
            out.real(*rounding);
        }
        Shape3::Hull { data, radius } => {
            out.u8(HULL);
            out.real(*radius);
            data.save(out);
        }
        Shape3::Triangle { a, b, c } => {
            out.u8(TRIANGLE);
            [a, b, c].into_iter().for_each(|v| out.put(v));
        }
        Shape3::Mesh { data } => {
            out.u8(MESH);
            data.save(out);
        }
        Shape3::HeightField { data } => {
            out.u8(HEIGHT_FIELD);
            data.save(out);
        }
    }
}

pub(super) fn load(input: &mut Reader<'_>) -> Result<Shape3, Error> {
    Ok(match input.u8()? {
        SPHERE => Shape3::Sphere { radius: input.real()? },
        BOX => Shape3::Box { half: input.get()?, radius: input.real()? },
        CAPSULE => Shape3::Capsule { a: input.get()?, b: input.get()?, radius: input.real()? },
        PLANE => Shape3::Plane { normal: input.get()?, offset: input.real()? },
        CYLINDER => {
            Shape3::Cylinder { half_height: input.real()?, radius: input.real()?, rounding: input.real()? }
        }
        CONE => Shape3::Cone { half_height: input.real()?, radius: input.real()?, rounding: input.real()? },
        HULL => {
            let radius = input.real()?;
            Shape3::Hull { data: Arc::new(HullData::load(input)?), radius }
        }
        TRIANGLE => Shape3::Triangle { a: input.get()?, b: input.get()?, c: input.get()? },
        MESH => Shape3::Mesh { data: Arc::new(MeshData::load(input)?) },
        HEIGHT_FIELD => Shape3::HeightField { data: Arc::new(HeightFieldData::load(input)?) },
        _ => return Err(input.damaged("kind of shape")),
    })
}
