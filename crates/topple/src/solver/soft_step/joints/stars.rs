//! Bodies that bear many joints: which they are. How their joints are solved is said in `hub.rs`.
//!
//! A sweep solves one joint after the other, and the next sub-step starts from all impulses of the last: with the sweep G of a pass, which takes
//! a velocity v to G·v, the velocities of sub-steps follow v'' = G·(2·v' − v). An eigenvalue g of G becomes the roots of z² − 2·g·z + g: none is larger than 1 as long
//! as g is real and positive, but some is as soon as g is complex and near to 1. Sweeps in one order have complex eigenvalues, and the nearer to 1 the more joints pull at one light
//! body, each of which finds only that body and its own load to move. From six joints on (of like bodies) something grows, at rest, whatever the length of the sub-step: ten
//! pendulums of 1 kg under a beam of 1 kg threw each other away. So where the shares of a body in its joints sum up to more than `CROWDED`, they are solved at once.

use super::JointScene;
use super::crowding::Crowding;
use super::hub::Arm;
use super::single::SingleRow;
use crate::body::NO_SLOT;
use crate::joint::{Answer, Joint, JointKind};
use crate::math::*;
use crate::solver::SolverContext;
use crate::store::room;
use core::ops::Range;

/// Sum of the shares of a body in its joints above which they are solved at once (no unit). Each is below one for what can move. Stars are stable up to about 5.5;
/// nets and grids of like bodies have 2 to 3, limbs on a trunk less.
const CROWDED: Real = 4.0;
/// So many joints are needed for that.
const LEAST_JOINTS: u16 = 5;

/// The joints of one body, each with another partner.
#[derive(Clone, Debug)]
pub(super) struct Star {
    /// Slot of the body.
    pub(super) hub: u32,
    pub(super) rows: Range<usize>,
}

/// A joint that belongs to a star: sorted, they are in the order in which they are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    hub: u32,
    /// How many joints before it lead to the same partner: those are other stars, because partners of one must not be coupled.
    layer: u32,
    partner: u32,
    /// Place in the order of the colours.
    order: u32,
    joint: u32,
}

/// Lives from step to step to keep its memory.
#[derive(Debug)]
pub(crate) struct Stars<D: Dim> {
    pub(super) rows: Vec<SingleRow<D>>,
    /// What a pass knows of each.
    pub(super) arms: Vec<Arm<D>>,
    pub(super) stars: Vec<Star>,
    members: Vec<Member>,
    /// Joints of each body, and the sums of its shares in them.
    counts: Vec<u16>,
    sums: Vec<Real>,
    /// Joints that belong to a star; empty without.
    taken: Vec<bool>,
}

impl<D: Dim> Default for Stars<D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            arms: Vec::new(),
            stars: Vec::new(),
            members: Vec::new(),
            counts: Vec::new(),
            sums: Vec::new(),
            taken: Vec::new(),
        }
    }
}

impl<D: Dim> Stars<D> {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.arms.clear();
        self.stars.clear();
        self.members.clear();
        self.taken.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stars.is_empty()
    }

    /// The joints, with their impulses.
    pub(super) fn rows(&self) -> &[SingleRow<D>] {
        &self.rows
    }

    /// True if a joint belongs to a star.
    #[inline]
    pub(super) fn has(&self, joint: u32) -> bool {
        self.taken.get(joint as usize).is_some_and(|&is_taken| is_taken)
    }

    /// Finds the stars among the joints of a step.
    pub(super) fn find(&mut self, context: &SolverContext<'_, D>, scene: &JointScene<'_, D>) {
        let (colors, overflow) = (context.graph.colors(), &context.graph.overflow().joints);
        // No body is twice in a colour, so one of many joints needs many of them.
        let used = colors.iter().filter(|color| !color.joints.is_empty()).count();
        if used + overflow.len() < usize::from(LEAST_JOINTS) {
            return;
        }
        let lists = || colors.iter().map(|color| &color.joints).chain([overflow]).flatten();
        let slots = |joint: &Joint<D>| joint.bodies.map(|body| scene.slot(body));
        self.counts.clear();
        room::fit(&mut self.counts, scene.props.len(), 0);
        let mut most = 0;
        for &index in lists() {
            for slot in slots(&context.joints[index as usize]) {
                if let Some(count) = self.counts.get_mut(slot as usize) {
                    *count = count.saturating_add(1);
                    most = most.max(*count);
                }
            }
        }
        if most >= LEAST_JOINTS {
            self.collect(lists().copied(), context, scene);
        }
    }

    /// The same, when some body has many joints.
    #[cold]
    fn collect(
        &mut self,
        indices: impl Iterator<Item = u32> + Clone,
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
    ) {
        let count_of = |counts: &[u16], slot: u32| counts.get(slot as usize).map_or(0, |&count| count);
        self.sums.clear();
        room::fit(&mut self.sums, scene.props.len(), 0.0);
        for index in indices.clone() {
            let joint = &context.joints[index as usize];
            let slots = joint.bodies.map(|body| scene.slot(body));
            if !holds(joint) || slots.iter().all(|&slot| count_of(&self.counts, slot) < LEAST_JOINTS) {
                continue;
            }
            let shares = shares(joint, scene);
            for (slot, share) in slots.into_iter().zip(shares) {
                if let Some(sum) = self.sums.get_mut(slot as usize) {
                    *sum += share;
                }
            }
        }
        for (order, index) in indices.enumerate() {
            let joint = &context.joints[index as usize];
            let slots = joint.bodies.map(|body| scene.slot(body));
            if !holds(joint) || !context.takes(joint.bodies) {
                continue;
            }
            let crowd = slots.map(|slot| match scene.props.get(slot as usize) {
                Some(props) if props.is_dynamic => self.sums[slot as usize],
                _ => 0.0,
            });
            let side = usize::from(crowd[1] > crowd[0]);
            if crowd[side] <= CROWDED {
                continue;
            }
            // What does not move, or not every way, is all one: joints with it may contradict each other.
            let partner = match scene.props.get(slots[1 - side] as usize) {
                Some(props) if props.is_dynamic && props.locks == 0 => slots[1 - side],
                _ => NO_SLOT,
            };
            let member = Member { hub: slots[side], layer: 0, partner, order: order as u32, joint: index };
            room::push(&mut self.members, member);
        }
        if self.members.is_empty() {
            return;
        }
        self.members.sort_unstable();
        for i in 1..self.members.len() {
            let before = self.members[i - 1];
            let member = &mut self.members[i];
            if (before.hub, before.partner) == (member.hub, member.partner) {
                member.layer = before.layer + 1;
            }
        }
        self.members.sort_unstable_by_key(|member| (member.hub, member.layer, member.order));
        room::fit(&mut self.taken, context.joints.len(), false);
        let mut last = None;
        for member in &self.members {
            let at = self.rows.len();
            room::push(
                &mut self.rows,
                SingleRow::blank(member.joint, &context.joints[member.joint as usize]),
            );
            room::push(&mut self.arms, Arm::default());
            self.taken[member.joint as usize] = true;
            match self.stars.last_mut() {
                Some(star) if last == Some((member.hub, member.layer)) => star.rows.end = at + 1,
                _ => room::push(&mut self.stars, Star { hub: member.hub, rows: at..at + 1 }),
            }
            last = Some((member.hub, member.layer));
        }
    }

    /// Fills the rows at the start of the step.
    pub(super) fn prepare(&mut self, scene: &JointScene<'_, D>, crowding: &Crowding) {
        self.rows.iter_mut().for_each(|row| row.prepare(scene, crowding));
    }
}

/// True for joints with rows that hold.
fn holds<D: Dim>(joint: &Joint<D>) -> bool {
    match &joint.kind {
        JointKind::Ball(_)
        | JointKind::Hinge(_)
        | JointKind::Slider(_)
        | JointKind::Fixed
        | JointKind::Wheel(_) => true,
        JointKind::Distance(distance) => distance.min > 0.0 || distance.max < Real::INFINITY,
        JointKind::Spring(_) | JointKind::Motor(_) | JointKind::Mouse(_) => false,
    }
}

/// Largest share of each body in what a joint moves, over the axes of the world: of the answer of its anchor, and of its turning if that is held.
fn shares<D: Dim>(joint: &Joint<D>, scene: &JointScene<'_, D>) -> [Real; 2] {
    let turns = matches!(joint.kind, JointKind::Fixed | JointKind::Slider(_))
        || D::N == 3 && matches!(joint.kind, JointKind::Hinge(_) | JointKind::Wheel(_));
    let sides = [0, 1].map(|side| {
        let props = scene.props.get(scene.slot(joint.bodies[side]) as usize);
        let arm = joint.frames[side].position.to_vec();
        let lever = scene.places[joint.bodies[side] as usize].rotation.rotate(arm);
        (props.map_or(Answer::default(), Answer::of), lever)
    });
    let mut most = [0.0_f32; 2];
    let mut compare = |[a, b]: [Real; 2]| {
        if a + b > 0.0 {
            most = [most[0].max(a / (a + b)), most[1].max(b / (a + b))];
        }
    };
    for axis in (0..D::N).map(D::Vec::axis) {
        compare(sides.map(|(answer, lever)| {
            let turn = D::cross(lever, axis);
            answer.inv_mass + turn.dot(answer.inv_inertia.apply(turn))
        }));
    }
    for i in (0..D::ANGULAR).filter(|_| turns) {
        let mut axis = D::Ang::ZERO;
        axis.set(i, 1.0);
        compare(sides.map(|(answer, _)| axis.dot(answer.inv_inertia.apply(axis))));
    }
    most
}
