//! The awake bodies as solvers and integrators see them: dense, in the order of their list, with the forces that act on them.

use super::{World, finalize};
use crate::Settings;
use crate::body::{AwakeBodies, Bodies, BodyProps, BodySet, BodyState, NONE};
use crate::island::Islands;
use crate::math::*;
use crate::store::room;
use crate::trusted::in_pieces;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bodies per piece. A constant: the cut must not depend on the number of threads.
const BLOCK: usize = 128;

/// Collects the awake bodies into the hot arrays, with the forces that act on them. Bodies whose velocity would not stay
/// finite leave the simulation before their neighbours feel it; then the arrays are wrong and false is returned.
pub(super) fn gather<D: Dim>(world: &mut World<D>) -> bool {
    let World { bodies, islands, settings, scratch, executor, .. } = world;
    let AwakeBodies { states, rotations, props, centers, tracks, slots } = &mut scratch.awake;
    tracks.clear();
    // Slots of bodies that are not awake read as "absent" from the list's own back references.
    let awake = bodies.set(BodySet::Awake);
    slots.clear();
    slots.extend_from_slice(awake.positions());
    let awake = awake.as_slice();
    room::fit(states, awake.len(), BodyState::default());
    room::fit(rotations, awake.len(), D::Rot::IDENTITY);
    room::fit(props, awake.len(), BodyProps::default());
    room::fit(centers, awake.len(), D::Point::ORIGIN);
    let is_finite = AtomicBool::new(true);
    let has_sprung = AtomicBool::new(false);
    {
        let (bodies, islands, settings) = (&*bodies, &*islands, &*settings);
        let arrays = (&mut *states, &mut *props, rotations, centers);
        in_pieces(&**executor, BLOCK, arrays, |piece, (states, props, rotations, centers)| {
            let awake = &awake[piece * BLOCK..];
            let arrays = states.iter_mut().zip(props).zip(rotations).zip(centers);
            for ((((state, prop), rotation), center), &body) in arrays.zip(awake) {
                (*state, *prop) = gather_body(bodies, islands, settings, body);
                let place = &bodies.places[body as usize];
                if prop.is_sprung {
                    has_sprung.store(true, Ordering::Relaxed);
                }
                if !stays_finite(state, prop, settings) {
                    // Any of them, whoever comes first: the same in every order.
                    is_finite.store(false, Ordering::Relaxed);
                }
                (*rotation, *center) = (place.rotation, place.position);
            }
        });
    }
    scratch.has_sprung = has_sprung.into_inner();
    if is_finite.into_inner() {
        return true;
    }
    scratch.members.clear();
    for (state, prop) in states.iter().zip(props.iter()) {
        if !stays_finite(state, prop, settings) {
            scratch.members.push(prop.body);
        }
    }
    let faults = core::mem::take(&mut scratch.members);
    for &body in &faults {
        world.bodies.cores[body as usize].load = crate::body::Load::ZERO;
        finalize::quarantine(world, body);
    }
    false
}

/// One awake body as solvers see it.
fn gather_body<D: Dim>(
    bodies: &Bodies<D>,
    islands: &Islands,
    settings: &Settings<D>,
    body: u32,
) -> (BodyState<D>, BodyProps<D>) {
    let core = &bodies.cores[body as usize];
    let record = &bodies.records[body];
    let is_dynamic = record.kind == crate::BodyKind::Dynamic;
    let mut prop = BodyProps::<D> {
        body,
        is_dynamic,
        locks: core.locks,
        is_bullet: record.is_bullet,
        extent: core.extent,
        thickness: core.thickness,
        ..BodyProps::default()
    };
    if is_dynamic {
        let locks = crate::Locks::from_bits(core.locks);
        prop.inv_mass = core.inv_mass;
        prop.load_limit = super::refine::load_limit(settings, islands, record.island);
        prop.inertia = core.inertia;
        prop.is_gyroscopic = core.is_gyroscopic;
        prop.is_joined = record.first_joint != NONE;
        prop.is_elastic = core.is_elastic && !prop.is_joined;
        prop.is_sprung = core.is_elastic && prop.is_joined;
        let rotation = bodies.places[body as usize].rotation;
        prop.inv_inertia = core.inv_inertia.rotated(rotation).without_axes(locks.rotation);
        prop.drag = core.drag;
        let gravity = if core.inv_mass > 0.0 { settings.gravity * core.gravity_scale } else { D::Vec::ZERO };
        let load = core.load.clamped(settings);
        prop.acceleration = gravity + load.force * core.inv_mass;
        for axis in (0..D::N).filter(|&i| locks.translation[i]) {
            prop.acceleration.set(axis, 0.0);
        }
        prop.angular_acceleration = prop.inv_inertia.apply(load.torque);
    }
    let state = BodyState { v: core.motion.linear, w: core.motion.angular, ..BodyState::default() };
    (state, prop)
}

/// True if a dynamic body has a finite velocity at the end of the step, as far as forces are concerned.
fn stays_finite<D: Dim>(state: &BodyState<D>, prop: &BodyProps<D>, settings: &Settings<D>) -> bool {
    let v = state.v + prop.acceleration * settings.dt;
    let w = state.w + prop.angular_acceleration * settings.dt;
    !prop.is_dynamic || (v.is_finite() && w.is_finite())
}
