//! Floors of tiles, each a body of its own. What lies on one of them, or is sunk into it a little, goes on to the next as if the plane of the floor went on: it does not meet the side of that.
//!
//! Only asked where something would be stopped. What is below the plane that bears a body is left by the way along the normal of that plane, if by no shorter one: it is never deeper in it than below the plane. What reaches so far below the plane that it would be stopped there, spikes through a thin net of tiles, is left to the tiles.

use super::sweep::{Mover, Sweep};
use super::{FastBody, Margins, Scene, Stop, impact, query_standing, stands};
use crate::body::AwakeBodies;
use crate::math::*;
use crate::shape::{Placed, ShapeOps};

/// How far something may stand above the plane that bears a body and be part of the floor, as a share of the distance at which it touches (no unit).
const LEVEL: Real = 0.1;

/// How far inside of a face it is asked whether something covers it, in distances at which it touches (no unit): more than a tip sinks into the next tile.
const INSIDE: Real = 4.0;

/// The stop of a convex shape of a body before the plane that bears it at time `from`, in place of that before the shape `other`, if that is nowhere above the plane. None if
/// no plane bears the body there.
pub(super) fn stop_at_floor<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    body: &FastBody<D>,
    [own, other]: [u32; 2],
    margins: Margins,
    from: Real,
) -> Option<Option<Stop<D>>> {
    let record = &scene.shapes[own];
    if record.shape.composite().is_some() {
        return None;
    }
    let place = |index: u32| {
        let record = &scene.shapes[index];
        let pose = scene.bodies.places[record.body as usize].compose(record.from_center);
        Placed::<D> { shape: &record.shape, pose }
    };
    let own_place =
        Placed::<D> { shape: &record.shape, pose: body.sweep.at(from).compose(record.from_center) };
    let (middle, near) = (own_place.middle(), margins.near());
    let bounds = record.shape.aabb(&own_place.pose).grown(near);
    let other = place(other);
    // The side of a tile in a row is no plane that bears anything: the next row covers it.
    let is_free = |at: D::Vec, normal: D::Vec| {
        let mut free = true;
        let here = Aabb { min: middle + at, max: middle + at }.grown(2.0 * near);
        query_standing(scene, &here, &mut |tile| {
            free = !stands(scene, awake, tile) || !place(tile).covers(at, normal, middle, near);
            free
        });
        free
    };
    let mut found: Option<(u32, D::Vec, Real)> = None;
    query_standing(scene, &bounds, &mut |tile| {
        if !stands(scene, awake, tile)
            || !(scene.may_touch)(own, tile)
            || found.is_some_and(|(known, ..)| known < tile)
        {
            return true;
        }
        let placed = place(tile);
        for way in placed.sides(middle) {
            let Some(face) = placed.face(way, middle, record.reach) else { continue };
            // The middle is in front of it, and the lowest point at it or a little below.
            if face.height >= 0.0 || !other.is_below(&face, middle, LEVEL * near) {
                continue;
            }
            let Some(lowest) = own_place.lowest(&face, middle) else { continue };
            let (height, at) = (face.height_of(lowest), face.onto(lowest));
            if height <= near
                && height >= -margins.most()
                && placed.reaches(middle + at, face.normal, near)
                && is_free(placed.inwards(at, face.normal, middle, INSIDE * near), face.normal)
            {
                found = Some((tile, face.normal, face.height));
                break;
            }
        }
        true
    });
    let (_, normal, height) = found?;
    let plane = D::Shape::below(normal);
    let still = Sweep::still(Pose::at(middle + normal * height));
    let moving = Mover::new(&record.shape, record.from_center, &body.sweep).with_skin(margins.skin);
    Some(impact::stop_time(&moving, &Mover::new(&plane, Pose::IDENTITY, &still), None, margins, [from, 1.0]))
}
