//! The byte form of shapes of the plane: a tag, then the fields.

use super::{ChainData, HeightFieldData2, MAX_POLYGON_VERTICES, PolygonData, Shape2};
use crate::Error;
use crate::math::*;
use crate::store::{Reader, Writer};
use std::sync::Arc;

// Part of the snapshot format: never renumber.
const CIRCLE: u8 = 0;
const RECTANGLE: u8 = 1;
const POLYGON: u8 = 2;
const CAPSULE: u8 = 3;
const SEGMENT: u8 = 4;
const HALF_PLANE: u8 = 5;
const CHAIN: u8 = 6;
const HEIGHT_FIELD: u8 = 7;

pub(super) fn save(shape: &Shape2, out: &mut Writer) {
    match shape {
        Shape2::Circle { radius } => {
            out.u8(CIRCLE);
            out.real(*radius);
        }
        Shape2::Rectangle { half, radius } => {
            out.u8(RECTANGLE);
            out.put(half);
            out.real(*radius);
        }
        Shape2::Polygon { data, radius } => {
            out.u8(POLYGON);
            out.u32(data.vertices().len() as u32);
            data.vertices().iter().for_each(|v| out.put(v));
            out.real(*radius);
        }
        Shape2::Capsule { a, b, radius } => {
            out.u8(CAPSULE);
            out.put(a);
            out.put(b);
            out.real(*radius);
        }
        Shape2::Segment { a, b } => {
            out.u8(SEGMENT);
            out.put(a);
            out.put(b);
        }
        Shape2::HalfPlane { normal, offset } => {
            out.u8(HALF_PLANE);
            out.put(normal);
            out.real(*offset);
        }
        Shape2::Chain { data } => {
            out.u8(CHAIN);
            data.save(out);
        }
        Shape2::HeightField { data } => {
            out.u8(HEIGHT_FIELD);
            data.save(out);
        }
    }
}

pub(super) fn load(input: &mut Reader<'_>) -> Result<Shape2, Error> {
    Ok(match input.u8()? {
        CIRCLE => Shape2::Circle { radius: input.real()? },
        RECTANGLE => Shape2::Rectangle { half: input.get()?, radius: input.real()? },
        POLYGON => {
            let count = input.length(8)?;
            if count > MAX_POLYGON_VERTICES {
                return Err(input.damaged("polygon corners"));
            }
            let corners = (0..count).map(|_| input.get::<Vec2>()).collect::<Result<Vec<_>, _>>()?;
            let data = PolygonData::from_saved(corners).ok_or_else(|| input.damaged("polygon corners"))?;
            Shape2::Polygon { data: Arc::new(data), radius: input.real()? }
        }
        CAPSULE => Shape2::Capsule { a: input.get()?, b: input.get()?, radius: input.real()? },
        SEGMENT => Shape2::Segment { a: input.get()?, b: input.get()? },
        HALF_PLANE => Shape2::HalfPlane { normal: input.get()?, offset: input.real()? },
        CHAIN => Shape2::Chain { data: Arc::new(ChainData::load(input)?) },
        HEIGHT_FIELD => Shape2::HeightField { data: Arc::new(HeightFieldData2::load(input)?) },
        _ => return Err(input.damaged("kind of shape")),
    })
}
