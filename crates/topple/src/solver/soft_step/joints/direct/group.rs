//! The passes over a group: velocities in, impulses of all its rows at once, velocities out.
//!
//! ```text
//! 1. take out what the joints did in the last sub-step and extrapolation repeated: nothing is started from
//! 2. rows at the moment: J, C, drift e; inertia with tension, I + κ·h²·k                          link.rs, tension.rs
//! 3. A = J·M⁻¹·Jᵀ + compliance, factored along the joints                                         factor.rs
//! 4. A·x = −(Ċ + e): speeds;  A·y = −C/h: gaps, whose speed the next relaxing pass takes out again
//! 5. if a pull has grown, its inertia of tension was too small: again from 2
//!    if a limit or rope would have to pull, or gives way: it changes sides, and again from 3      axis.rs
//! ```
//!
//! Speeds and gaps share the factor, and the relaxing pass of a sub-step stands where the biased pass of the next one does, so there is one factor per sub-step. What tension and its
//! damping are is said at the head of `direct/mod.rs`.

use super::DirectRun;
use super::axis::Axes;
use super::collect::Collect;
use super::factor::{Factor, solve, times};
use super::link::{Body, Link, NO_IMPULSE, WIDE, dot, narrow, wide};
use super::order::{GROUND, Order};
use crate::joint::{Answer, Held, JointKind};
use crate::math::*;
use crate::solver::soft_step::joints::JointScene;
use crate::solver::soft_step::joints::single::SingleRow;
use crate::solver::soft_step::pack::{plain_spin, whiten_spin};

/// κ of the head: some more than a quarter, because tension changes within a sub-step.
const TENSION_INERTIA: Real = 1.0;
/// Groups in steps this many times finer do without: their sub-steps resolve a pull of a million weights. They are small because
/// something touches, and contacts know the own inertia only: projections that are orthogonal for different inertias gain energy
/// in turns (no unit).
const RESOLVED: Real = 8.0;
/// How often, at most.
const MOST_ATTEMPTS: u32 = 4;
/// How often what acts is guessed anew within a pass, at most; in the second half nothing that was let go is taken up again, so that it ends.
const MOST_TRIALS: u32 = 16;
/// How far closing a gap may turn a body within a sub-step, at most [rad].
const MOST_TURN: f64 = 0.1;
/// Compliance as a share of each diagonal entry (no unit): so little that 10⁶ times the weight of a link does not show.
const COMPLIANCE: f64 = 1e-10;

/// Links of up to `M` rows, their bodies, and the factored matrix.
#[derive(Debug)]
pub(super) struct Group<D: Dim, const M: usize> {
    pub(super) links: Vec<Link<M>>,
    /// What acts in them.
    axes: Vec<Axes>,
    pub(super) bodies: Vec<Body>,
    /// Before a pass: their velocities and what the joints did to them.
    saved: Vec<[[f64; WIDE]; 2]>,
    /// Pull of each joint in this pass and the ones before it in the sub-step, by which tension is judged [N·s].
    pub(super) pulls: Vec<Real>,
    /// κ of the head: none where small steps resolve what light links do.
    pub(super) kappa: Real,
    pub(super) factor: Factor<M>,
    /// Right-hand side, and then impulses, of what closes gaps.
    closing: Vec<[f64; M]>,
    /// Some joint does more than hold points: rows may be soft, or left out.
    has_axes: bool,
    /// A pass has been run in this step.
    is_begun: bool,
    /// The factor is that of where the bodies are.
    is_factored: bool,
    dimension: core::marker::PhantomData<D>,
}

impl<D: Dim, const M: usize> Default for Group<D, M> {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            axes: Vec::new(),
            bodies: Vec::new(),
            saved: Vec::new(),
            pulls: Vec::new(),
            kappa: 0.0,
            factor: Factor::default(),
            closing: Vec::new(),
            has_axes: false,
            is_begun: false,
            is_factored: false,
            dimension: core::marker::PhantomData,
        }
    }
}

/// Gives a body its own inertia.
fn set_inertia<D: Dim>(body: &mut Body, inv_inertia: D::Inertia) {
    let own = inv_inertia.inverse();
    body.lightness = 0.0;
    for axis in 0..D::ANGULAR {
        let mut unit = D::Ang::ZERO;
        unit.set(axis, 1.0);
        let (inverse, own) = (inv_inertia.apply(unit), own.apply(unit));
        body.lightness = body.lightness.max(inverse.get(axis));
        for i in 0..D::ANGULAR {
            body.own_inverse[i][axis] = f64::from(inverse.get(i));
            body.own[i][axis] = f64::from(own.get(i));
        }
    }
}

impl<D: Dim, const M: usize> Group<D, M> {
    /// Before the first pass of a step.
    pub(super) fn prepare(&mut self, rows: &[SingleRow<D>], scene: &JointScene<'_, D>) {
        (self.is_factored, self.is_begun) = (false, false);
        self.has_axes = rows.iter().any(|row| !row.joint.only_holds());
        self.links.clear();
        self.axes.clear();
        self.axes.resize(rows.len(), [None; 2]);
        self.pulls.clear();
        self.bodies.clear();
        self.bodies.resize(scene.props.len(), Body::NONE);
        self.kappa = if scene.refinement > RESOLVED { 0.0 } else { TENSION_INERTIA };
        for row in rows {
            let softness = if row.joint.softness.is_some() { (1.0 - row.scale) / row.scale } else { 0.0 };
            let ends = row.dynamic_ends();
            // The pull of the last sub-step, not the mean that the joint reports: tension is that of this moment.
            self.pulls.push(row.joint.last_pull());
            self.links.push(Link::new(ends, f64::from(softness)));
            for end in ends.into_iter().filter(|&end| end != GROUND) {
                self.bodies[end as usize].is_end = true;
            }
        }
        for (slot, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.is_end) {
            let props = &scene.props[slot];
            let answer = Answer::<D>::of(props);
            set_inertia::<D>(body, props.inv_inertia);
            for axis in 0..D::N {
                let is_free = answer.locks >> axis & 1 == 0;
                body.inv_mass[axis] = if is_free { f64::from(answer.inv_mass) } else { 0.0 };
            }
        }
    }

    fn save(&mut self) {
        self.saved.clear();
        self.saved.extend(self.bodies.iter().map(|body| [body.v, body.done]));
    }

    fn restore(&mut self) {
        for (body, saved) in self.bodies.iter_mut().zip(&self.saved) {
            [body.v, body.done] = *saved;
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
        let mut is_same = true;
        for (index, row) in rows.iter_mut().enumerate() {
            is_same &= self.look(&run, row, index, is_biased);
        }
        // Where the relaxing pass stands the next sub-step begins: its factor serves both.
        if !(is_biased && self.is_factored && is_same) {
            self.weigh(rows, run.scene);
            self.assemble(order);
        }
        (self.is_factored, self.is_begun) = (!is_biased, true);
        self.save();
        let (mut jerks, mut trials) = (0, 0);
        loop {
            self.carry();
            if is_biased {
                self.damp(rows);
            }
            self.solve(rows, order, run.scene, is_biased);
            // A chain that snaps tight: once more with the inertia of the pull that was found.
            let is_jerked = self.is_jerked(rows, order, run.scene.h) && jerks < MOST_ATTEMPTS;
            let is_wrong = self.has_axes
                && trials < MOST_TRIALS
                && self.correct(rows, order, run.scene, (is_biased, trials < MOST_TRIALS / 2));
            if !is_jerked && !is_wrong {
                break;
            }
            (jerks, trials) = (jerks + u32::from(is_jerked), trials + u32::from(is_wrong));
            self.restore();
            if is_jerked {
                self.weigh(rows, run.scene);
            }
            self.assemble(order);
        }
        if !self.is_finite() {
            // Whatever the cause, what was finite stays so.
            self.restore();
            self.factor.values.fill([0.0; M]);
        }
        self.record(rows, order, is_biased);
        self.hand_back(rows, &mut run, is_biased);
    }

    /// Takes the velocities over. At the start of a sub-step what joints did in the last one is taken out of them.
    #[inline(always)]
    fn load<const S: usize>(&mut self, run: &DirectRun<'_, D, S>, is_biased: bool) {
        for (slot, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.is_end) {
            let (v, u) = run.bodies[slot].velocity::<D>();
            let rotation = run.rotations[slot];
            body.carried = body.tension;
            body.v = wide::<D>(v, plain_spin::<D>(&run.turning.whitening(slot), u));
            if !is_biased && run.turning.has(slot) {
                // It has turned: what was done is an angular impulse, not a change of its spin.
                let done: [f64; 3] = core::array::from_fn(|i| body.done[WIDE - 3 + i]);
                let impulse = times(&body.own, &done);
                set_inertia::<D>(body, run.turning.inv_inertia(slot, rotation));
                body.done[WIDE - 3..].copy_from_slice(&times(&body.own_inverse, &impulse));
            }
            if is_biased {
                (0..WIDE).for_each(|i| body.v[i] -= body.done[i]);
                body.done = [0.0; WIDE];
            }
        }
    }

    /// Looks at one joint. False if its rows are solved in another way than before.
    #[inline(always)]
    fn look<const S: usize>(
        &mut self,
        run: &DirectRun<'_, D, S>,
        row: &mut SingleRow<D>,
        index: usize,
        is_biased: bool,
    ) -> bool {
        let (link, axes) = (&mut self.links[index], &mut self.axes[index]);
        let count = run.turning.len();
        let slots = row.slots.map(|slot| slot as usize);
        let mut rotations = row.rotations;
        let (mut v, mut w, mut moved) = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2], [D::Vec::ZERO; 2]);
        for side in (0..2).filter(|&side| slots[side] < count) {
            rotations[side] = run.rotations[slots[side]];
            moved[side] = run.bodies[slots[side]].displacement::<D>();
            (v[side], w[side]) = if link.ends[side] == GROUND {
                let (v, u) = run.bodies[slots[side]].velocity::<D>();
                (v, plain_spin::<D>(&run.turning.whitening(slots[side]), u))
            } else {
                narrow::<D>(&self.bodies[slots[side]].v)
            };
        }
        let (center_b, between) = (row.center_b + moved[1], row.between + (moved[1] - moved[0]));
        let h = run.scene.h;
        link.count = 0;
        // PERF: a ball needs little of what there is to see, and most are balls.
        row.levers = if row.joint.is_plain_ball() {
            let sight = row.joint.point_sight(rotations, center_b, between, v, w, h);
            link.set_point::<D>(sight.r, sight.d, sight.point_drift());
            sight.r
        } else {
            let sight = row.joint.sight(rotations, center_b, between, v, w, h);
            *axes = [None; 2];
            let pass = row.law(h, is_biased);
            let held = Held::none();
            row.joint.visit(&sight, &mut Collect { link, axes, pass, answer: &row.answer, held });
            if link.count > 0 && matches!(row.joint.kind, JointKind::Distance(_)) {
                // A rod leaves its spring nothing to do.
                *axes = [None; 2];
            }
            link.add_axes(axes);
            if matches!(row.joint.kind, JointKind::Distance(_)) {
                link.add_across::<D>(sight.d, sight.r);
            }
            sight.r
        };
        link.ground_speed = [0.0; M];
        for side in (0..2).filter(|&side| link.ends[side] == GROUND && slots[side] < count) {
            // Kinematic bodies move, but do not answer.
            let v = wide::<D>(v[side], w[side]);
            (0..link.count).for_each(|i| link.ground_speed[i] += dot(&link.jacobian[side][i], &v));
        }
        let mut is_same = true;
        for axis in axes.iter_mut().flatten() {
            axis.guess(&row.joint.impulses, is_biased);
            is_same &= !axis.set(link, f64::from(h), is_biased);
        }
        if link.line < Real::INFINITY {
            link.carried = if self.is_begun { link.across } else { Real::INFINITY };
            link.before = link.speed(&self.bodies);
        }
        if is_biased {
            row.joint.impulses = row.joint.impulses.map(|_| 0.0);
            (row.pushed, row.turned) = (D::Vec::ZERO, [D::Ang::ZERO; 2]);
        }
        is_same
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
            let l = run.turning.whitening(slot);
            run.bodies[slot].set_velocity::<D>(v, whiten_spin::<D>(&l, w));
        }
        if is_biased {
            return;
        }
        for row in rows {
            row.sum_up(row.levers[1]);
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
            if self.has_axes {
                link.mask(link, block);
            }
            if link.softness > 0.0 {
                block.iter_mut().flatten().for_each(|entry| *entry *= 1.0 + link.softness);
            }
            for i in 0..M {
                block[i][i] = match i < link.count && link.is_active[i] {
                    true => block[i][i] * (1.0 + COMPLIANCE) + link.compliance[i],
                    false => 1.0,
                };
            }
        }
        for &(at, [row, column]) in &order.couplings {
            let (row, column) = (&links[row as usize], &links[column as usize]);
            let block = &mut factor.couplings[at as usize];
            *block = row.coupling(column);
            if self.has_axes {
                row.mask(column, block);
            }
        }
        factor.factor(order);
    }

    /// Finds the impulses of all rows that leave no speed between the anchors, and applies them. With `gaps` those that close gaps too.
    #[inline(always)]
    fn solve(&mut self, rows: &[SingleRow<D>], order: &Order, scene: &JointScene<'_, D>, gaps: bool) {
        if self.has_axes {
            self.push_known();
        }
        let Self { links, factor, bodies, .. } = self;
        for (column, &index) in order.links.iter().enumerate() {
            let link = &links[index as usize];
            factor.values[column] = link.speed(bodies).map(|speed| -speed);
            if self.has_axes {
                for i in 0..link.count {
                    let value = &mut factor.values[column][i];
                    *value = if link.is_active[i] { *value + link.target[i] } else { 0.0 };
                }
            }
        }
        if gaps {
            self.want_closed(rows, order, scene);
            let [values, closing] = [&mut self.factor.values, &mut self.closing];
            solve(order, &self.factor.diagonal, &self.factor.couplings, [values, closing]);
        } else {
            let values = &mut self.factor.values;
            solve(order, &self.factor.diagonal, &self.factor.couplings, [values]);
        }
        let Self { links, factor, bodies, closing, .. } = self;
        for (column, &index) in order.links.iter().enumerate() {
            let link = &links[index as usize];
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                let body = &mut bodies[link.ends[side] as usize];
                body.push(&link.change(side, &factor.values[column]));
                if gaps {
                    let change = link.change(side, &closing[column]);
                    (0..WIDE).for_each(|k| body.closing[k] += change[k]);
                }
            }
        }
        if gaps {
            self.close(f64::from(scene.h));
        }
        if self.has_axes {
            for (column, &index) in order.links.iter().enumerate() {
                let link = &self.links[index as usize];
                for i in (0..link.count).filter(|&i| !link.is_active[i]) {
                    self.factor.values[column][i] = link.known[i];
                }
            }
        }
    }

    /// Impulses that are known before anything is solved.
    fn push_known(&mut self) {
        let Self { links, bodies, .. } = self;
        for link in links.iter().filter(|link| link.acts) {
            let x: [f64; M] =
                core::array::from_fn(
                    |i| if i < link.count && !link.is_active[i] { link.known[i] } else { 0.0 },
                );
            if x == [0.0; M] {
                continue;
            }
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                bodies[link.ends[side] as usize].push(&link.change(side, &x));
            }
        }
    }

    /// Looks at what acts; true if something has to act in another way than was assumed.
    fn correct(
        &mut self,
        rows: &[SingleRow<D>],
        order: &Order,
        scene: &JointScene<'_, D>,
        (is_biased, may_add): (bool, bool),
    ) -> bool {
        let (h, most) = (f64::from(scene.h), f64::from(scene.settings.joint_push_speed));
        let Self { links, axes, factor, bodies, .. } = self;
        let mut is_wrong = false;
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row) = (&mut links[index as usize], &rows[index as usize]);
            if !link.acts {
                continue;
            }
            let speed = link.speed(bodies);
            for axis in axes[index as usize].iter_mut().flatten() {
                let found = (speed[axis.row], factor.values[column][axis.row]);
                let opening = (f64::from(row.rate / row.scale), most);
                if axis.correct(found, h, is_biased, may_add, opening) {
                    is_wrong = true;
                    axis.set(link, h, is_biased);
                }
            }
        }
        is_wrong
    }

    /// The speeds that close the gaps.
    #[inline(always)]
    fn want_closed(&mut self, rows: &[SingleRow<D>], order: &Order, scene: &JointScene<'_, D>) {
        let Self { links, closing, .. } = self;
        let most = f64::from(scene.settings.joint_push_speed);
        closing.clear();
        closing.extend(order.links.iter().map(|&index| {
            let (link, row) = (&links[index as usize], &rows[index as usize]);
            let rate = f64::from(row.rate / row.scale);
            let mut wanted = [0.0; M];
            for i in (0..link.count).filter(|&i| link.is_active[i]) {
                let pull = rate * link.error[i];
                wanted[i] = link.drift[i] + if link.is_linear[i] { pull.clamp(-most, most) } else { pull };
            }
            wanted.map(|speed| -speed)
        }));
    }

    /// Adds what closes the gaps to what was found. Light links between heavy bodies that are almost straight close a gap by turning fast: as much
    /// as they can turn before the linear rows are worth nothing, and the rest later.
    #[inline(always)]
    fn close(&mut self, h: f64) {
        let turn = |body: &Body| body.closing[D::N..D::N + D::ANGULAR].iter().map(|w| w * w).sum::<f64>();
        let fastest = self.bodies.iter().map(turn).fold(0.0, f64::max).sqrt() * h;
        let share = if fastest > MOST_TURN { MOST_TURN / fastest } else { 1.0 };
        for body in &mut self.bodies {
            let change = core::mem::take(&mut body.closing).map(|v| share * v);
            body.push(&change);
        }
        for (x, closing) in self.factor.values.iter_mut().zip(&self.closing) {
            (0..M).for_each(|i| x[i] += share * closing[i]);
        }
    }

    /// True if all that was found is.
    #[inline(always)]
    fn is_finite(&self) -> bool {
        let is_narrow = |v: &f64| v.abs() <= f64::from(Real::MAX);
        self.factor.values.iter().flatten().all(&is_narrow)
            && self.bodies.iter().all(|body| body.v.iter().all(is_narrow))
    }

    /// Adds what was found to the impulses of the joints.
    #[inline(always)]
    fn record(&self, rows: &mut [SingleRow<D>], order: &Order, is_biased: bool) {
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row) = (&self.links[index as usize], &mut rows[index as usize]);
            let x = &self.factor.values[column];
            for i in (0..link.count).filter(|&i| (link.at[i] as usize) < NO_IMPULSE) {
                row.joint.impulses[link.at[i] as usize] += x[i] as Real;
            }
            if link.acts {
                let speed = link.speed(&self.bodies);
                for axis in self.axes[index as usize].iter().flatten() {
                    let new = axis.impulses(speed[axis.row], x[axis.row], is_biased);
                    for (at, new) in axis.at.into_iter().zip(new).filter(|&(at, _)| at < u8::MAX) {
                        row.joint.impulses[at as usize] = new as Real;
                    }
                }
            }
            let [(_, turn_a), (push, turn_b)] = [0, 1].map(|side| link.effect::<D>(side, x));
            row.pushed += push;
            row.turned[0] -= turn_a;
            row.turned[1] += turn_b;
        }
    }
}
