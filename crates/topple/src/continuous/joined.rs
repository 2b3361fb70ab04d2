//! What a stopped body is joined to waits with it.
//!
//! A body that meets something in its way loses the rest of its motion in this step, three quarters of its inner radius at least. If the others of a ragdoll
//! went on, the joint between them would be torn open by as much within one step, however many sub-steps there are: they have been taken already.
//! So all of them stop at the same moment, where the joints still fit, and the blow is solved for all of them in the next step.
//!
//! Only at blows: what touches from the start slides on and is held up step by step, and the others would be with it. Everybody stops on the way that was found safe
//! for it, so nothing gets through anything by waiting.

use super::{FastBody, Scene};
use crate::body::{AwakeBodies, NO_SLOT};
use crate::math::*;

/// Most bodies that wait for one. More of them are a net or a bridge, which somebody strikes in every other step: it would be in slow motion.
const MOST_WAITING: usize = 24;

/// Buffers that live from step to step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Bodies of one tree of joints, in the order in which they are found.
    members: Vec<u32>,
}

/// Lets everything wait that is joined to a body which met something. Bodies that are not listed are added to the list, which stays in order of slots.
pub(super) fn hold_joined<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &mut Vec<FastBody<D>>,
    scratch: &mut Scratch,
) {
    let listed = fast.len();
    for index in 0..listed {
        let body = &fast[index];
        let is_struck = body.is_changed && !body.is_touching && !body.is_waiting;
        if !is_struck || !awake.props[body.slot as usize].is_joined {
            continue;
        }
        let members = &mut scratch.members;
        if !find_members(scene, body.body, members) {
            continue;
        }
        let place = |slot: u32| fast[..listed].binary_search_by_key(&slot, |body| body.slot);
        // The first one to meet something counts for all.
        let mut first: Real = 1.0;
        for &member in members.iter() {
            if let Ok(at) = place(awake.slot(member))
                && fast[at].is_changed
                && !fast[at].is_touching
            {
                first = first.min(fast[at].sweep.stop);
            }
        }
        for &member in members.iter() {
            let slot = awake.slot(member);
            if slot == NO_SLOT || !awake.props[slot as usize].is_dynamic {
                continue;
            }
            match fast[..listed].binary_search_by_key(&slot, |body| body.slot) {
                Ok(at) => {
                    fast[at].find_sweep(scene, awake);
                    fast[at].wait_from(first);
                }
                Err(_) => {
                    let mut body = FastBody::new(scene, awake, slot);
                    body.find_sweep(scene, awake);
                    body.wait_from(first);
                    fast.push(body);
                }
            }
        }
    }
    if fast.len() > listed {
        fast.sort_unstable_by_key(|body| body.slot);
    }
}

/// All bodies that are held to `body` by joints, itself among them. False if there are too many, or no others.
fn find_members<D: Dim>(scene: &Scene<'_, D>, body: u32, members: &mut Vec<u32>) -> bool {
    members.clear();
    members.push(body);
    let mut next = 0;
    while next < members.len() {
        let first = scene.bodies.records[members[next]].first_joint;
        for (index, side) in scene.joints.of_body(first) {
            let joint = &scene.joints.hot[index as usize];
            let other = joint.bodies[1 - side];
            if !scene.joints.records[index].is_linked || !joint.holds_place() || members.contains(&other) {
                continue;
            }
            if members.len() == MOST_WAITING {
                return false;
            }
            members.push(other);
        }
        next += 1;
    }
    members.len() > 1
}
