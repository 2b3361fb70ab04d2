//! The passes over a group.

use super::DirectRun;
use super::factor::Factor;
use super::link::{Body, Collect, Link, WIDE, dot, narrow, wide};
use super::order::{GROUND, Order};
use crate::joint::{Answer, NO_LENGTH};
use crate::math::*;
use crate::solver::soft_step::joints::JointScene;
use crate::solver::soft_step::joints::single::SingleRow;
use crate::solver::soft_step::pack::{plain_spin, whiten_spin};

/// κ of the head: some more than a quarter, because tension changes within a sub-step.
const TENSION_INERTIA: Real = 1.0;
/// Share of the vibration between two links that a sub-step takes, at most (no unit).
const TENSION_DAMPING: Real = 0.4;
/// Pulls that grow by more than this within a pass are looked at again (no unit).
const JERK: Real = 2.0;
/// But only where tension is more than this share of a body's own inertia (no unit).
const LIGHT: Real = 0.25;
/// How often, at most.
const MOST_ATTEMPTS: u32 = 4;
/// Compliance as a share of each diagonal entry (no unit): so little that 10⁶ times the weight of a link does not show.
const COMPLIANCE: f64 = 1e-10;

/// Links of up to `M` rows, their bodies, and the factored matrix.
#[derive(Debug)]
pub(super) struct Group<D: Dim, const M: usize> {
    links: Vec<Link<M>>,
    bodies: Vec<Body>,
    /// The same before a pass.
    saved: Vec<Body>,
    /// Pull of each joint on its body b, by which tension is judged [N·s].
    pulls: Vec<D::Vec>,
    /// Inertia of tension of each body.
    tension: Vec<D::Inertia>,
    factor: Factor<M>,
    /// The factor is that of where the bodies are.
    is_factored: bool,
}

impl<D: Dim, const M: usize> Default for Group<D, M> {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            bodies: Vec::new(),
            saved: Vec::new(),
            pulls: Vec::new(),
            tension: Vec::new(),
            factor: Factor::default(),
            is_factored: false,
        }
    }
}

impl<D: Dim, const M: usize> Group<D, M> {
    /// Before the first pass of a step.
    pub(super) fn prepare(&mut self, rows: &[SingleRow<D>], scene: &JointScene<'_, D>) {
        self.is_factored = false;
        self.links.clear();
        self.pulls.clear();
        self.bodies.clear();
        self.bodies.resize(scene.props.len(), Body::NONE);
        for row in rows {
            let softness = if row.joint.softness.is_some() { (1.0 - row.scale) / row.scale } else { 0.0 };
            let ends = row.dynamic_ends();
            self.pulls.push(row.joint.push * scene.warm);
            self.links.push(Link::new(ends, f64::from(softness)));
            for end in ends.into_iter().filter(|&end| end != GROUND) {
                self.bodies[end as usize].is_end = true;
            }
        }
    }

    /// One pass: with bias, or the relaxing one.
    #[inline(always)]
    pub(super) fn run<const S: usize>(
        &mut self,
        rows: &mut [SingleRow<D>],
        order: &Order,
        mut run: DirectRun<'_, D, S>,
        is_biased: bool,
    ) {
        self.load(&run, is_biased);
        for (index, row) in rows.iter_mut().enumerate() {
            self.look(&run, row, index, is_biased);
        }
        // Where the relaxing pass stands the next sub-step begins: its factor serves both.
        if !(is_biased && self.is_factored) {
            self.weigh(rows, run.scene);
            self.assemble(order);
        }
        self.is_factored = !is_biased;
        let push_speed = is_biased.then_some(run.scene.settings.joint_push_speed);
        self.saved.clone_from(&self.bodies);
        for attempt in 0.. {
            if is_biased {
                self.damp(rows);
            }
            self.solve(rows, order, push_speed);
            if !self.is_jerked(rows, order, run.scene.h) || attempt == MOST_ATTEMPTS {
                break;
            }
            // A chain that snaps tight: once more with the inertia of the pull that was found.
            self.bodies.clone_from(&self.saved);
            self.weigh(rows, run.scene);
            self.assemble(order);
        }
        self.record(rows, order);
        self.hand_back(rows, &mut run, is_biased);
    }

    /// Takes the velocities over. At the start of a sub-step what joints did in the last one is taken out of them.
    #[inline(always)]
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

    /// Looks at one joint.
    #[inline(always)]
    fn look<const S: usize>(
        &mut self,
        run: &DirectRun<'_, D, S>,
        row: &mut SingleRow<D>,
        index: usize,
        is_biased: bool,
    ) {
        let link = &mut self.links[index];
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
        let sight = if row.joint.is_plain_ball() {
            row.joint.point_sight(rotations, center_b, between, v, w, h)
        } else {
            row.joint.sight(rotations, center_b, between, v, w, h)
        };
        row.levers = sight.r;
        link.count = 0;
        row.joint.visit(&sight, &mut Collect(link));
        link.ground_speed = [0.0; M];
        for side in (0..2).filter(|&side| link.ends[side] == GROUND && slots[side] < count) {
            // Kinematic bodies move, but do not answer.
            let v = wide::<D>(v[side], w[side]);
            (0..link.count).for_each(|i| link.ground_speed[i] += dot(&link.jacobian[side][i], &v));
        }
        if is_biased {
            (0..link.count).for_each(|i| row.joint.impulses[link.at[i] as usize] = 0.0);
            (row.pushed, row.turned) = (D::Vec::ZERO, [D::Ang::ZERO; 2]);
        }
    }

    /// How the bodies answer, with the inertia of tension: see the head.
    #[inline(always)]
    fn weigh(&mut self, rows: &[SingleRow<D>], scene: &JointScene<'_, D>) {
        let mut tension = core::mem::take(&mut self.tension);
        tension.clear();
        tension.resize(self.bodies.len(), D::Inertia::ZERO);
        self.bodies.iter_mut().for_each(|body| body.tension = 0.0);
        for ((row, link), pull) in rows.iter().zip(&mut self.links).zip(&self.pulls) {
            let strength = TENSION_INERTIA * scene.h * pull.length();
            link.tension = Real::INFINITY;
            for (side, r) in row.levers.into_iter().enumerate() {
                let length = r.length();
                link.tension = link.tension.min(strength * length);
                if link.ends[side] != GROUND && length > NO_LENGTH {
                    let sum = &mut tension[link.ends[side] as usize];
                    *sum = sum.plus(D::Inertia::of_point(strength / length, r));
                    self.bodies[link.ends[side] as usize].tension += strength * length;
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
            body.lightness = 0.0;
            for axis in 0..D::ANGULAR {
                let mut unit = D::Ang::ZERO;
                unit.set(axis, 1.0);
                body.lightness = body.lightness.max(props.inv_inertia.apply(unit).get(axis));
                let column = inverse.apply(unit);
                (0..D::ANGULAR).for_each(|i| body.inv_inertia[i][axis] = f64::from(column.get(i)));
            }
            for axis in 0..D::N {
                let is_free = answer.locks >> axis & 1 == 0;
                body.inv_mass[axis] = if is_free { f64::from(answer.inv_mass) } else { 0.0 };
            }
        }
        self.tension = tension;
    }

    /// M⁻¹·Jᵀ of all rows.
    #[inline(always)]
    fn answer(&mut self) {
        for link in &mut self.links {
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                let body = &self.bodies[link.ends[side] as usize];
                for i in 0..link.count {
                    let (j, out) = (&link.jacobian[side][i], &mut link.answer[side][i]);
                    for axis in 0..D::N {
                        out[axis] = body.inv_mass[axis] * f64::from(j[axis]);
                    }
                    for axis in 0..D::ANGULAR {
                        let turn =
                            (0..D::ANGULAR).map(|k| body.inv_inertia[axis][k] * f64::from(j[D::N + k]));
                        out[D::N + axis] = turn.sum();
                    }
                }
            }
        }
    }

    /// Takes some of the vibration of light links that the sub-steps do not resolve: see the head.
    #[inline(always)]
    fn damp(&mut self, rows: &[SingleRow<D>]) {
        for (row, link) in rows.iter().zip(&self.links) {
            let length2 = row.levers[1].length_squared();
            if link.tension <= 0.0 || link.ends.contains(&GROUND) || length2 <= NO_LENGTH * NO_LENGTH {
                continue;
            }
            let [a, b] = link.ends.map(|end| end as usize);
            // Next to nothing for what the sub-steps resolve.
            let fast = link.tension * self.bodies[a].lightness.max(self.bodies[b].lightness);
            let share = TENSION_DAMPING * link.tension * fast / (1.0 + fast);
            let spin = narrow::<D>(&self.bodies[b].v).1 - narrow::<D>(&self.bodies[a].v).1;
            let turn = D::Inertia::of_point(share / length2, row.levers[1]).apply(spin);
            for (slot, sign) in [(a, 1.0), (b, -1.0)] {
                let body = &mut self.bodies[slot];
                let mut change = [0.0; WIDE];
                for axis in 0..D::ANGULAR {
                    let turned = (0..D::ANGULAR).map(|k| body.inv_inertia[axis][k] * f64::from(turn.get(k)));
                    change[D::N + axis] = sign * turned.sum::<f64>();
                }
                body.push(&change);
            }
        }
    }

    /// Velocities back to the packed bodies, and what the joints did to the joints.
    #[inline(always)]
    fn hand_back<const S: usize>(
        &self,
        rows: &mut [SingleRow<D>],
        run: &mut DirectRun<'_, D, S>,
        is_biased: bool,
    ) {
        for (slot, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_end) {
            let (v, w) = narrow::<D>(&body.v);
            run.bodies[slot].set_velocity::<D>(v, whiten_spin::<D>(&run.whitenings[slot], w));
        }
        if is_biased {
            return;
        }
        for row in rows {
            let turn = row.turned[1] - D::cross(row.levers[1], row.pushed);
            (row.joint.push, row.joint.turn) = (row.pushed, turn);
            let [push, twist] = row.joint.peak;
            row.joint.peak = [push.max(row.pushed.length()), twist.max(turn.length())];
        }
    }

    /// Fills A in and factors it.
    #[inline(always)]
    fn assemble(&mut self, order: &Order) {
        self.answer();
        let Self { links, factor, .. } = self;
        factor.clear(order);
        for (column, &index) in order.links.iter().enumerate() {
            let link = &links[index as usize];
            let block = &mut factor.diagonal[column];
            *block = link.coupling(link);
            if link.softness > 0.0 {
                block.iter_mut().flatten().for_each(|entry| *entry *= 1.0 + link.softness);
            }
            for i in 0..M {
                block[i][i] = if i < link.count { block[i][i] * (1.0 + COMPLIANCE) } else { 1.0 };
            }
        }
        for &(at, [row, column]) in &order.couplings {
            factor.couplings[at as usize] = links[row as usize].coupling(&links[column as usize]);
        }
        factor.factor(order);
    }

    /// Finds the impulses of all rows and applies them. With bias if there is a speed at which gaps are closed at most [m/s].
    #[inline(always)]
    fn solve(&mut self, rows: &mut [SingleRow<D>], order: &Order, push_speed: Option<Real>) {
        let Self { links, factor, bodies, .. } = self;
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row) = (&links[index as usize], &rows[index as usize]);
            let mut wanted = link.speed(bodies);
            if let Some(most) = push_speed {
                let (rate, most) = (f64::from(row.rate / row.scale), f64::from(most));
                for i in 0..link.count {
                    let pull = rate * link.error[i];
                    wanted[i] +=
                        link.drift[i] + if link.is_linear[i] { pull.clamp(-most, most) } else { pull };
                }
            }
            factor.values[column] = wanted.map(|speed| -speed);
        }
        factor.solve(order);
        for (column, &index) in order.links.iter().enumerate() {
            let (link, x) = (&links[index as usize], &factor.values[column]);
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                let answer = &link.answer[side];
                let change = core::array::from_fn(|k| (0..M).map(|i| answer[i][k] * x[i]).sum());
                bodies[link.ends[side] as usize].push(&change);
            }
        }
    }

    /// Notes the pulls that were found. True if they are much more than the inertia counted on.
    #[inline(always)]
    fn is_jerked(&mut self, rows: &[SingleRow<D>], order: &Order, h: Real) -> bool {
        let Self { links, factor, bodies, pulls, .. } = self;
        bodies.iter_mut().for_each(|body| body.found = 0.0);
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row, x) = (&links[index as usize], &rows[index as usize], &factor.values[column]);
            let pull = row.pushed + link.effect::<D>(1, x).0;
            pulls[index as usize] = pull;
            let strength = TENSION_INERTIA * h * pull.length();
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                bodies[link.ends[side] as usize].found += strength * row.levers[side].length();
            }
        }
        bodies.iter().any(|body| body.found > JERK * body.tension && body.found * body.lightness > LIGHT)
    }

    /// Adds what was found to the impulses of the joints.
    #[inline(always)]
    fn record(&self, rows: &mut [SingleRow<D>], order: &Order) {
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row) = (&self.links[index as usize], &mut rows[index as usize]);
            let x = &self.factor.values[column];
            (0..link.count).for_each(|i| row.joint.impulses[link.at[i] as usize] += x[i] as Real);
            let [(_, turn_a), (push, turn_b)] = [0, 1].map(|side| link.effect::<D>(side, x));
            row.pushed += push;
            row.turned[0] -= turn_a;
            row.turned[1] += turn_b;
        }
    }
}
