//! What a stopped body is joined to waits with it.
//!
//! A body that meets something in its way loses the rest of its motion in this step, three quarters of its inner radius at least. If the others of a ragdoll
//! went on, the joint between them would be torn open by as much within one step, however many sub-steps there are: they have been taken already.
//! So all that joints hold to it by points (sliders, wheels, ropes and springs let things part) stop at the same moment, where the joints still fit, and the blow is solved for all of them in the next step.
//!
//! Only at blows: what touches from the start slides on and is held up step by step, and the others would be with it. Everybody stops on the way that was found safe
//! for it, so nothing gets through anything by waiting.

use super::{FastBody, Scene};
use crate::body::{AwakeBodies, NO_SLOT};
use crate::joint::Joint;
use crate::math::*;

/// Most bodies that wait for one. More of them are a net or a bridge, which somebody strikes in every other step: it would be in slow motion.
const MOST_WAITING: usize = 24;

/// Joints that gape by more than this share of the size of the struck body are torn already, by others that contradict them: there is nothing to keep whole (no unit).
const TORN: Real = 0.5;

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
        let is_struck = body.is_changed && !body.is_touching && body.waiting == 0.0;
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
        let common = common_acceleration(awake, members);
        for &member in members.iter() {
            let slot = awake.slot(member);
            if slot == NO_SLOT || !awake.props[slot as usize].is_dynamic {
                continue;
            }
            match fast[..listed].binary_search_by_key(&slot, |body| body.slot) {
                Ok(at) => {
                    fast[at].find_sweep(scene, awake);
                    fast[at].wait_from(first, common);
                }
                Err(_) => {
                    let mut body = FastBody::new(scene, awake, slot);
                    body.find_sweep(scene, awake);
                    body.wait_from(first, common);
                    fast.push(body);
                }
            }
        }
    }
    if fast.len() > listed {
        fast.sort_unstable_by_key(|body| body.slot);
    }
}

/// All bodies that are held to `body` by joints, itself among them. False if there are too many, or no others; if something else holds them, which may move on; or if their joints are more than a tree,
/// or torn: those may contradict each other, and what they throw about would wait in every step, and get faster on the spot.
fn find_members<D: Dim>(scene: &Scene<'_, D>, body: u32, members: &mut Vec<u32>) -> bool {
    members.clear();
    members.push(body);
    let most = TORN * scene.bodies.cores[body as usize].extent;
    // Each joint between two bodies is met twice.
    let (mut next, mut halves) = (0, 0);
    while next < members.len() {
        let first = scene.bodies.records[members[next]].first_joint;
        for (index, side) in scene.joints.of_body(first) {
            let joint = &scene.joints.hot[index as usize];
            if !joint.holds_point() {
                continue;
            }
            if !scene.joints.records[index].is_linked || gap_of(scene, joint) > most {
                return false;
            }
            halves += 1;
            let other = joint.bodies[1 - side];
            if !members.contains(&other) {
                members.push(other);
            }
            if members.len() > MOST_WAITING {
                return false;
            }
        }
        next += 1;
    }
    members.len() > 1 && halves < 2 * members.len()
}

/// Acceleration of the centre of mass by gravity and forces [m/s²].
fn common_acceleration<D: Dim>(awake: &AwakeBodies<D>, members: &[u32]) -> D::Vec {
    let (mut force, mut mass) = (D::Vec::ZERO, 0.0);
    for &member in members {
        let props = awake.props.get(awake.slot(member) as usize);
        if let Some(props) = props.filter(|props| props.inv_mass > 0.0) {
            mass += 1.0 / props.inv_mass;
            force += props.acceleration * (1.0 / props.inv_mass);
        }
    }
    force * if mass > 0.0 { 1.0 / mass } else { 0.0 }
}

/// How far the anchors of a joint are apart at the start of the step [m].
fn gap_of<D: Dim>(scene: &Scene<'_, D>, joint: &Joint<D>) -> Real {
    let [a, b] = [0, 1].map(|side| {
        let place = &scene.bodies.places[joint.bodies[side] as usize];
        (place.position, place.rotation.rotate(joint.frames[side].position.to_vec()))
    });
    (b.0 - a.0 + b.1 - a.1).length()
}
