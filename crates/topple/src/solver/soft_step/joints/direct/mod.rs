//! The joints of a group that bears much, all at once.
//!
//! Sweeps carry a load through a chain one joint at a time, so a long or heavy chain stretches. Here the impulses x of all hard
//! rows of a group come from one linear system, A·x = −(Ċ + e + r·C) with A = J·M⁻¹·Jᵀ, by elimination along the joints
//! (`order.rs`, `factor.rs`): exact, and linear in their number for chains and trees [Baraff1996]. What only acts (springs,
//! motors, limits) goes before it, joint by joint, as in `single.rs`.
//!
//! Nothing is started from the last impulses: what they did, and what extrapolation repeats of it, is taken out first.
//!
//! **Tension turns light links.** The pull p of a joint at the lever r turns its body back to where it points: a torque of
//! stiffness p·r about the axes across r. Light links under a heavy end would vibrate faster than the sub-steps can
//! follow, and explode [Andrews2017]. With the inertia I + κ·h²·k in place of I their frequency is at most 1/(√κ·h) and
//! the sub-step h is stable for κ > 1/4, whatever the load. It is a term of the light links only, and where they
//! are resolved it is small.

mod factor;
mod order;

use super::single::SingleRow;
use super::{JointPass, JointScene};
use crate::joint::{Answer, Law, MAX_ROWS, Pair, PassLaw, Row, RowSink};
use crate::math::*;
use crate::solver::soft_step::pack::{Packed, Whitening, plain_spin, whiten_spin};
use factor::{Block, Factor};
use order::{GROUND, Order};

/// κ of the head: some more than a quarter, because tension changes within a sub-step.
const TENSION_INERTIA: Real = 1.0;
/// Share of the vibration between two links that a sub-step takes, at most (no unit).
const TENSION_DAMPING: Real = 0.1;
/// Compliance as a share of each diagonal entry (no unit): so little that 10⁶ times the weight of a link does not show.
const COMPLIANCE: f64 = 1e-10;
/// The same for groups with closed loops, whose rows may depend on each other: the load is then shared, and rounding errors in
/// the direction that nothing can move in do not become impulses.
const LOOP_COMPLIANCE: f64 = 1e-5;
/// Most hard rows of a joint.
const MOST: usize = 6;
/// Numbers of a body's velocity: linear, then angular; the plane uses three.
const WIDE: usize = 6;

/// Hard rows of one joint at the moment.
#[derive(Clone, Debug)]
struct Link {
    /// Slots of the bodies that answer, or GROUND.
    ends: [u32; 2],
    count: usize,
    /// Which of the joint's impulses.
    at: [u8; MOST],
    /// Is a row along a line, not about an axis.
    is_linear: [bool; MOST],
    /// Jacobian of each side and row, with signs.
    jacobian: [[[f64; WIDE]; MOST]; 2],
    /// M⁻¹·Jᵀ of each side and row.
    answer: [[[f64; WIDE]; MOST]; 2],
    /// Error C [m or rad] and drift of Ċ [m/s or rad/s].
    error: [f64; MOST],
    drift: [f64; MOST],
    /// (1 − s)/s of joints that are soft by themselves.
    softness: f64,
    /// What tension adds to the inertia of either body, as a point mass at the lever of b [kg].
    tension: Real,
    /// Ċ by what moves but does not answer [m/s or rad/s].
    ground_speed: [f64; MOST],
}

impl Link {
    const NONE: Self = Self {
        ends: [GROUND; 2],
        count: 0,
        at: [0; MOST],
        is_linear: [false; MOST],
        jacobian: [[[0.0; WIDE]; MOST]; 2],
        answer: [[[0.0; WIDE]; MOST]; 2],
        error: [0.0; MOST],
        drift: [0.0; MOST],
        softness: 0.0,
        tension: 0.0,
        ground_speed: [0.0; MOST],
    };

    /// Ċ of each row.
    fn speed(&self, bodies: &[Body]) -> [f64; MOST] {
        let mut speed = [0.0; MOST];
        for side in (0..2).filter(|&side| self.ends[side] != GROUND) {
            let v = &bodies[self.ends[side] as usize].v;
            for i in 0..self.count {
                speed[i] += dot(&self.jacobian[side][i], v);
            }
        }
        speed
    }
}

/// A body of the group.
#[derive(Clone, Copy, Debug)]
struct Body {
    v: [f64; WIDE],
    /// What the joints did to it in this sub-step.
    done: [f64; WIDE],
    inv_mass: [f64; 3],
    /// Inverse inertia with tension.
    inv_inertia: [[f64; 3]; 3],
    /// Some joint holds it.
    is_end: bool,
}

/// The joints of a group.
#[derive(Debug)]
pub(super) struct Direct<D: Dim> {
    rows: Vec<SingleRow<D>>,
    links: Vec<Link>,
    bodies: Vec<Body>,
    /// Inertia of tension of each body.
    tension: Vec<D::Inertia>,
    order: Order,
    /// Blocks of three rows if no joint has more, of six otherwise.
    three: Factor<3>,
    six: Factor<6>,
    /// The factor is that of where the bodies are.
    is_factored: bool,
}

impl<D: Dim> Default for Direct<D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            links: Vec::new(),
            bodies: Vec::new(),
            tension: Vec::new(),
            order: Order::default(),
            three: Factor::default(),
            six: Factor::default(),
            is_factored: false,
        }
    }
}

#[inline]
fn dot(a: &[f64; WIDE], b: &[f64; WIDE]) -> f64 {
    let mut sum = 0.0;
    for i in 0..WIDE {
        sum += a[i] * b[i];
    }
    sum
}

/// Linear, then angular numbers.
#[inline]
fn wide<D: Dim>(linear: D::Vec, angular: D::Ang) -> [f64; WIDE] {
    let mut out = [0.0; WIDE];
    (0..D::N).for_each(|i| out[i] = f64::from(linear.get(i)));
    (0..D::ANGULAR).for_each(|i| out[D::N + i] = f64::from(angular.get(i)));
    out
}

/// The reverse of [`wide`].
#[inline]
fn narrow<D: Dim>(v: &[f64; WIDE]) -> (D::Vec, D::Ang) {
    let (mut linear, mut angular) = (D::Vec::ZERO, D::Ang::ZERO);
    (0..D::N).for_each(|i| linear.set(i, v[i] as Real));
    (0..D::ANGULAR).for_each(|i| angular.set(i, v[D::N + i] as Real));
    (linear, angular)
}

/// Takes the hard rows, and notes whether there are others.
struct Collect<'a> {
    link: &'a mut Link,
    acts: bool,
}

impl<D: Dim> RowSink<D> for Collect<'_> {
    #[inline]
    fn block<const M: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    ) {
        if law != Law::Hard {
            self.acts = true;
            return;
        }
        let link = &mut *self.link;
        for i in 0..M {
            let to = link.count + i;
            link.at[to] = (at + i) as u8;
            link.is_linear[to] = rows[i].d != D::Vec::ZERO;
            link.jacobian[0][to] = wide::<D>(-rows[i].d, -rows[i].a);
            link.jacobian[1][to] = wide::<D>(rows[i].d, rows[i].b);
            (link.error[to], link.drift[to]) = (f64::from(error[i]), f64::from(drift[i]));
        }
        link.count += M;
    }
}

/// Solves what is not hard.
struct Act<'a, D: Dim> {
    pair: &'a mut Pair<D>,
    pass: &'a PassLaw,
    impulses: &'a mut [Real; MAX_ROWS],
}

impl<D: Dim> RowSink<D> for Act<'_, D> {
    #[inline]
    fn block<const M: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    ) {
        if law != Law::Hard {
            self.pair.solve(self.pass, law, &rows, &error, &drift, self.impulses, at);
        }
    }
}

/// What a pass works on.
pub(super) struct DirectRun<'a, D: Dim, const S: usize> {
    pub bodies: &'a mut [Packed<S>],
    pub rotations: &'a [D::Rot],
    pub whitenings: &'a [Whitening],
    pub scene: &'a JointScene<'a, D>,
}

impl<D: Dim> Direct<D> {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn add(&mut self, row: SingleRow<D>) {
        self.rows.push(row);
    }

    /// Prepares all joints. False if they cannot be solved this way: too many are coupled to each other.
    pub(super) fn prepare(&mut self, scene: &JointScene<'_, D>) -> bool {
        self.rows.iter_mut().for_each(|row| row.prepare(scene));
        self.order.update(self.rows.iter().map(SingleRow::dynamic_ends), scene.props.len());
        if self.order.is_wide {
            return false;
        }
        self.is_factored = false;
        self.links.clear();
        for row in &self.rows {
            let softness = if row.joint.softness.is_some() { (1.0 - row.scale) / row.scale } else { 0.0 };
            let ends = row.dynamic_ends();
            self.links.push(Link { ends, softness: f64::from(softness), ..Link::NONE });
        }
        let none = Body {
            v: [0.0; WIDE],
            done: [0.0; WIDE],
            inv_mass: [0.0; 3],
            inv_inertia: [[0.0; 3]; 3],
            is_end: false,
        };
        self.bodies.clear();
        self.bodies.resize(scene.props.len(), none);
        for link in &self.links {
            for &end in link.ends.iter().filter(|&&end| end != GROUND) {
                self.bodies[end as usize].is_end = true;
            }
        }
        true
    }

    /// One pass over all joints.
    pub(super) fn run<const S: usize>(&mut self, mut run: DirectRun<'_, D, S>, pass: JointPass) {
        if pass == JointPass::WarmStart {
            return;
        }
        let is_biased = pass == JointPass::Solve;
        self.load(&run, is_biased);
        for index in 0..self.rows.len() {
            self.look(&run, index, is_biased);
        }
        let most = self.links.iter().map(|link| link.count).max().unwrap_or(0);
        // Where the last pass stood the next sub-step begins: its factor serves both.
        let is_factored = core::mem::replace(&mut self.is_factored, !is_biased);
        if !(is_factored && is_biased) {
            self.weigh(run.scene);
        }
        if is_biased {
            self.damp();
        }
        let push_speed = f64::from(run.scene.settings.joint_push_speed);
        let pull = |row: &SingleRow<D>, link: &Link, i: usize| {
            let pull = f64::from(row.rate / row.scale) * link.error[i];
            link.drift[i] + if link.is_linear[i] { pull.clamp(-push_speed, push_speed) } else { pull }
        };
        let wants =
            |row: &SingleRow<D>, link: &Link, i: usize| if is_biased { pull(row, link, i) } else { 0.0 };
        let Self { rows, links, bodies, order, three, six, .. } = self;
        if most <= 3 {
            if !(is_factored && is_biased) {
                assemble(three, order, links);
            }
            solve(three, order, links, rows, bodies, &wants);
        } else {
            if !(is_factored && is_biased) {
                assemble(six, order, links);
            }
            solve(six, order, links, rows, bodies, &wants);
        }
        self.hand_back(&mut run, is_biased);
    }

    /// Takes the velocities over. At the start of a sub-step what joints did in the last one is taken out of them.
    fn load<const S: usize>(&mut self, run: &DirectRun<'_, D, S>, is_biased: bool) {
        for (slot, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.is_end) {
            let (v, u) = run.bodies[slot].velocity::<D>();
            body.v = wide::<D>(v, plain_spin::<D>(&run.whitenings[slot], u));
            if is_biased {
                (0..WIDE).for_each(|i| body.v[i] -= body.done[i]);
                body.done = [0.0; WIDE];
            }
        }
    }

    /// Looks at one joint: its hard rows, and what acts.
    fn look<const S: usize>(&mut self, run: &DirectRun<'_, D, S>, index: usize, is_biased: bool) {
        let (row, link) = (&mut self.rows[index], &mut self.links[index]);
        let count = run.whitenings.len();
        let slots = row.slots.map(|slot| slot as usize);
        let mut rotations = row.rotations;
        let (mut v, mut w, mut moved) = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2], [D::Vec::ZERO; 2]);
        for side in (0..2).filter(|&side| slots[side] < count) {
            rotations[side] = run.rotations[slots[side]];
            moved[side] = run.bodies[slots[side]].displacement::<D>();
            (v[side], w[side]) = if link.ends[side] == GROUND {
                let (v, u) = run.bodies[slots[side]].velocity::<D>();
                (v, plain_spin::<D>(&run.whitenings[slots[side]], u))
            } else {
                narrow::<D>(&self.bodies[slots[side]].v)
            };
        }
        let (center_b, between) = (row.center_b + moved[1], row.between + (moved[1] - moved[0]));
        let h = run.scene.h;
        let sight = row.joint.sight(rotations, center_b, between, v, w, h);
        row.levers = sight.r;
        link.count = 0;
        let mut collect = Collect { link, acts: false };
        row.joint.visit(&sight, &mut collect);
        row.acts = collect.acts;
        link.ground_speed = core::array::from_fn(|_| 0.0);
        for side in (0..2).filter(|&side| link.ends[side] == GROUND && slots[side] < count) {
            // Kinematic bodies move, but do not answer.
            let v = wide::<D>(v[side], w[side]);
            (0..link.count).for_each(|i| link.ground_speed[i] += dot(&link.jacobian[side][i], &v));
        }
        if is_biased {
            (0..link.count).for_each(|i| row.joint.impulses[link.at[i] as usize] = 0.0);
            (row.pushed, row.turned) = (D::Vec::ZERO, [D::Ang::ZERO; 2]);
        }
        if !row.acts {
            return;
        }
        let mut pair = Pair::new(v, w, row.answer);
        if is_biased {
            let (push, turn) = row.joint.effect(&sight);
            pair.apply(push, turn);
        }
        let law = PassLaw { h, rate: row.rate, scale: row.scale, push_speed: row.push_speed, is_biased };
        let mut impulses = row.joint.impulses;
        row.joint.visit(&sight, &mut Act { pair: &mut pair, pass: &law, impulses: &mut impulses });
        row.joint.impulses = impulses;
        row.pushed += pair.pushed;
        for side in 0..2 {
            row.turned[side] += pair.turned[side];
            if link.ends[side] != GROUND {
                let body = &mut self.bodies[slots[side]];
                let change = wide::<D>(pair.v[side] - v[side], pair.w[side] - w[side]);
                for i in 0..WIDE {
                    body.v[i] += change[i];
                    body.done[i] += change[i];
                }
            }
        }
    }

    /// How the bodies answer, with the inertia of tension: see the head.
    fn weigh(&mut self, scene: &JointScene<'_, D>) {
        let mut tension = core::mem::take(&mut self.tension);
        tension.clear();
        tension.resize(self.bodies.len(), D::Inertia::ZERO);
        for (row, link) in self.rows.iter().zip(&mut self.links) {
            link.tension = Real::INFINITY;
            // In the first sub-step that of the last step.
            let push = if row.pushed == D::Vec::ZERO { row.joint.push * scene.warm } else { row.pushed };
            for (side, r) in row.levers.into_iter().enumerate() {
                let pull = if side == 0 { -push.dot(r) } else { push.dot(r) };
                let length2 = r.length_squared();
                let is_pulled = link.ends[side] != GROUND && pull > 0.0 && length2 > 0.0;
                let share = if is_pulled { TENSION_INERTIA * scene.h * pull / length2 } else { 0.0 };
                link.tension = link.tension.min(share);
                if is_pulled {
                    let sum = &mut tension[link.ends[side] as usize];
                    *sum = sum.plus(D::Inertia::of_point(share, r));
                }
            }
        }
        for (slot, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.is_end) {
            let props = &scene.props[slot];
            let answer = Answer::<D>::of(props);
            let is_turning_free = props.locks >> 3 == 0;
            let inverse = if is_turning_free && tension[slot] != D::Inertia::ZERO {
                props.inv_inertia.inverse().plus(tension[slot]).inverse()
            } else {
                props.inv_inertia
            };
            for axis in 0..D::ANGULAR {
                let mut unit = D::Ang::ZERO;
                unit.set(axis, 1.0);
                let column = inverse.apply(unit);
                (0..D::ANGULAR).for_each(|i| body.inv_inertia[i][axis] = f64::from(column.get(i)));
            }
            for axis in 0..D::N {
                let is_free = answer.locks >> axis & 1 == 0;
                body.inv_mass[axis] = if is_free { f64::from(answer.inv_mass) } else { 0.0 };
            }
        }
        self.tension = tension;
        for link in &mut self.links {
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                let body = &self.bodies[link.ends[side] as usize];
                for i in 0..link.count {
                    let (j, out) = (&link.jacobian[side][i], &mut link.answer[side][i]);
                    for axis in 0..D::N {
                        out[axis] = body.inv_mass[axis] * j[axis];
                    }
                    for axis in 0..D::ANGULAR {
                        let turn = (0..D::ANGULAR).map(|k| body.inv_inertia[axis][k] * j[D::N + k]);
                        out[D::N + axis] = turn.sum();
                    }
                }
            }
        }
    }

    /// Takes some of the vibration of light links that the sub-steps do not resolve: see the head.
    fn damp(&mut self) {
        for (row, link) in self.rows.iter().zip(&self.links) {
            if link.tension <= 0.0 || link.ends.contains(&GROUND) {
                continue;
            }
            let [a, b] = link.ends.map(|end| end as usize);
            let spin = narrow::<D>(&self.bodies[b].v).1 - narrow::<D>(&self.bodies[a].v).1;
            let turn = D::Inertia::of_point(link.tension * TENSION_DAMPING, row.levers[1]).apply(spin);
            for (slot, sign) in [(a, 1.0), (b, -1.0)] {
                let body = &mut self.bodies[slot];
                for axis in 0..D::ANGULAR {
                    let change: f64 =
                        (0..D::ANGULAR).map(|k| body.inv_inertia[axis][k] * f64::from(turn.get(k))).sum();
                    body.v[D::N + axis] += sign * change;
                    body.done[D::N + axis] += sign * change;
                }
            }
        }
    }

    /// Velocities back to the packed bodies, and what the joints did to the joints.
    fn hand_back<const S: usize>(&mut self, run: &mut DirectRun<'_, D, S>, is_biased: bool) {
        for (slot, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_end) {
            let (v, w) = narrow::<D>(&body.v);
            run.bodies[slot].set_velocity::<D>(v, whiten_spin::<D>(&run.whitenings[slot], w));
        }
        if is_biased {
            return;
        }
        for row in &mut self.rows {
            let turn = row.turned[1] - D::cross(row.levers[1], row.pushed);
            (row.joint.push, row.joint.turn) = (row.pushed, turn);
            let [push, twist] = row.joint.peak;
            row.joint.peak = [push.max(row.pushed.length()), twist.max(turn.length())];
        }
    }

    /// The joints, with their impulses.
    pub(super) fn rows(&self) -> &[SingleRow<D>] {
        &self.rows
    }
}

/// Fills A in and factors it.
fn assemble<const M: usize>(factor: &mut Factor<M>, order: &Order, links: &[Link]) {
    factor.clear(order);
    // Closed loops leave more rows than there are directions to move in.
    let compliance = if order.has_loops { LOOP_COMPLIANCE } else { COMPLIANCE };
    for (column, &index) in order.links.iter().enumerate() {
        let link = &links[index as usize];
        let block = &mut factor.diagonal[column];
        *block = coupling(link, link);
        for i in 0..M {
            if i < link.count {
                block[i][i] *= 1.0 + compliance;
            } else {
                block[i][i] = 1.0;
            }
        }
        if link.softness > 0.0 {
            block[..link.count].iter_mut().for_each(|row| {
                row[..link.count].iter_mut().for_each(|entry| *entry *= 1.0 + link.softness);
            });
        }
    }
    for &(at, [row, column]) in &order.couplings {
        factor.couplings[at as usize] = coupling(&links[row as usize], &links[column as usize]);
    }
    factor.factor(order);
}

/// J_a·M⁻¹·J_bᵀ over the bodies that both have.
#[inline]
fn coupling<const M: usize>(a: &Link, b: &Link) -> Block<M> {
    let mut block = [[0.0; M]; M];
    for side in 0..2 {
        for other in 0..2 {
            if a.ends[side] == GROUND || a.ends[side] != b.ends[other] {
                continue;
            }
            for r in 0..a.count.min(M) {
                for c in 0..b.count.min(M) {
                    block[r][c] += dot(&a.jacobian[side][r], &b.answer[other][c]);
                }
            }
        }
    }
    block
}

/// Finds the impulses of all rows and applies them. `wants`: the speed that each row should lose besides its own.
fn solve<D: Dim, const M: usize>(
    factor: &mut Factor<M>,
    order: &Order,
    links: &[Link],
    rows: &mut [SingleRow<D>],
    bodies: &mut [Body],
    wants: &dyn Fn(&SingleRow<D>, &Link, usize) -> f64,
) {
    for (column, &index) in order.links.iter().enumerate() {
        let (link, row) = (&links[index as usize], &rows[index as usize]);
        let speed = link.speed(bodies);
        factor.values[column] = core::array::from_fn(|i| {
            if i < link.count { -(speed[i] + link.ground_speed[i] + wants(row, link, i)) } else { 0.0 }
        });
    }
    factor.solve(order);
    for (column, &index) in order.links.iter().enumerate() {
        let (link, row) = (&links[index as usize], &mut rows[index as usize]);
        let x = &factor.values[column];
        // What it does to b, and to a with the other sign.
        let mut sums = [[0.0; WIDE]; 2];
        for i in 0..link.count.min(M) {
            row.joint.impulses[link.at[i] as usize] += x[i] as Real;
            for side in 0..2 {
                (0..WIDE).for_each(|k| sums[side][k] += link.jacobian[side][i][k] * x[i]);
                if link.ends[side] != GROUND {
                    let body = &mut bodies[link.ends[side] as usize];
                    for k in 0..WIDE {
                        let change = link.answer[side][i][k] * x[i];
                        body.v[k] += change;
                        body.done[k] += change;
                    }
                }
            }
        }
        let ((push, turn_b), (_, turn_a)) = (narrow::<D>(&sums[1]), narrow::<D>(&sums[0]));
        row.pushed += push;
        row.turned[0] -= turn_a;
        row.turned[1] += turn_b;
    }
}
