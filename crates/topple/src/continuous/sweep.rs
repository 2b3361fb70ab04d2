//! How bodies move within a step, and when two shapes on the way meet.
//!
//! Conservative advancement [Mirtich1996b], with turning bounded as in [Zhang2006]: the slab between the closest points of two shapes, across the direction from one to the other, can
//! shrink no faster than the bodies approach along it plus what turning adds, at most the angular speed times the
//! distance from the centre. Going ahead by the time that takes can never overshoot, so what is found is the *first*
//! meeting, whatever the shapes do in between.

use super::front::Front;
use crate::distance::{Wide, separation};
use crate::math::*;
use crate::shape::ShapeOps;

/// Motion of a body within a step: at constant rates up to a moment, and at other rates, mostly none, from then on. Time
/// is counted in steps, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep<D: Dim> {
    /// Place at the start; the position is what the body turns about, its centre of mass.
    pub start: Pose<D>,
    /// Way per step [m].
    pub translation: D::Vec,
    /// Rotation vector per step, world frame [rad].
    pub turn: D::Ang,
    /// When these rates end, in steps (no unit); 1 or above: not in this step.
    pub stop: Real,
    /// Way per step after that [m].
    pub translation_after: D::Vec,
    /// Rotation vector per step after that [rad].
    pub turn_after: D::Ang,
    /// From what goes straight to the position, at the start, world frame [m]. Zero unless the body is taken along by one that turns: then it goes about the
    /// centre of that one, on an arc.
    pub arm: D::Vec,
}

impl<D: Dim> Sweep<D> {
    /// A body that stays at `place`.
    pub fn still(place: Pose<D>) -> Self {
        Self::moving(place, D::Vec::ZERO, D::Ang::ZERO)
    }

    /// A body that moves by `translation` [m] and turns by `turn` [rad] in the step.
    pub fn moving(start: Pose<D>, translation: D::Vec, turn: D::Ang) -> Self {
        Self {
            start,
            translation,
            turn,
            stop: 1.0,
            translation_after: D::Vec::ZERO,
            turn_after: D::Ang::ZERO,
            arm: D::Vec::ZERO,
        }
    }

    /// A body that goes along with another one as if stuck to it: it moves by `translation` [m] and `turn` [rad] per step like that one, about a point from which it is `arm` [m] away, and is at
    /// `place` at time `t` (in steps, no unit).
    pub(super) fn carried(place: Pose<D>, translation: D::Vec, turn: D::Ang, arm: D::Vec, t: Real) -> Self {
        let back = Self { arm, ..Self::moving(place, -translation, -turn) };
        let start = back.at(t);
        Self { arm: back.arm_at(t), ..Self::moving(start, translation, turn) }
    }

    /// From `start` to `end`. `turned` [rad] says how often it goes round on the way, which the end alone does not show.
    pub fn between(start: Pose<D>, end: Pose<D>, turned: D::Ang) -> Self {
        let shortest = end.rotation.then_after(start.rotation.inverse()).to_ang();
        let (length, way) = (shortest.length(), turned.length());
        let mut turn = shortest;
        if way > core::f32::consts::FRAC_PI_2 {
            let axis = if length > SMALL_ANGLE { shortest * (1.0 / length) } else { turned * (1.0 / way) };
            let round = 2.0 * core::f32::consts::PI;
            turn = axis * (length + round * ((turned.dot(axis) - length) / round).round());
        }
        Self::moving(start, end.position - start.position, turn)
    }

    /// Place at time `t` (in steps, no unit).
    pub fn at(&self, t: Real) -> Pose<D> {
        let first = t.min(self.stop);
        let mut pose = moved(self.start, self.translation * first, self.turn * first);
        if t > self.stop {
            let rest = t - self.stop;
            pose = moved(pose, self.translation_after * rest, self.turn_after * rest);
        }
        if self.arm != D::Vec::ZERO {
            pose.position += self.arm_at(t) - self.arm;
        }
        pose
    }

    /// From what goes straight to the position at time `t` [m].
    fn arm_at(&self, t: Real) -> D::Vec {
        let first = t.min(self.stop);
        let arm = D::Rot::from_ang(self.turn * first).rotate(self.arm);
        if t > self.stop { D::Rot::from_ang(self.turn_after * (t - self.stop)).rotate(arm) } else { arm }
    }

    /// What goes straight while the body turns about it, at time `t`.
    pub(super) fn pivot(&self, t: Real) -> D::Point {
        let position = self.at(t).position;
        if self.arm == D::Vec::ZERO { position } else { position - self.arm_at(t) }
    }

    /// Way per step of a point of the body at time `t`, looking ahead [m].
    pub(super) fn way_of(&self, point: D::Point, t: Real) -> D::Vec {
        let (v, w) = self.rates(t);
        v + D::cross_ang(w, point - self.pivot(t))
    }

    /// True if the body goes along with another one as if stuck to it, from time `t` on: nothing between the two changes.
    pub(super) fn goes_with(&self, other: &Self, t: Real) -> bool {
        let lasts = self.lasts(t);
        let is_alike = self.rates(t) == other.rates(t)
            && lasts == other.lasts(t)
            && (lasts >= 1.0 || self.rates(lasts) == other.rates(lasts));
        let turns = || self.rates(t).1 != D::Ang::ZERO || self.rates(lasts).1 != D::Ang::ZERO;
        let is_about_the_same = || {
            let (mine, its) = (self.pivot(t), other.pivot(t));
            let place = mine.to_vec().length() + self.arm.length() + self.translation.length();
            (mine - its).length() <= PIVOT_ROUNDING * place
        };
        is_alike && (!turns() || is_about_the_same())
    }

    /// Way of what goes straight [m] and rotation [rad] per step at time `t`, looking ahead.
    pub fn rates(&self, t: Real) -> (D::Vec, D::Ang) {
        if t < self.stop { (self.translation, self.turn) } else { (self.translation_after, self.turn_after) }
    }

    /// Until when the rates at time `t` last, at most 1 (in steps, no unit).
    pub(crate) fn lasts(&self, t: Real) -> Real {
        if t < self.stop { self.stop.min(1.0) } else { 1.0 }
    }
}

fn moved<D: Dim>(pose: Pose<D>, way: D::Vec, turn: D::Ang) -> Pose<D> {
    if turn == D::Ang::ZERO {
        return Pose { position: pose.position + way, rotation: pose.rotation };
    }
    let rotation = D::Rot::from_ang(turn).then_after(pose.rotation).normalized();
    Pose { position: pose.position + way, rotation }
}

/// First moment at which two moving shapes are within the wanted distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact<D: Dim> {
    /// When, in steps (no unit).
    pub t: Real,
    /// Distance of the surfaces then [m]; negative if they overlap at the start.
    pub distance: Real,
    /// Unit vector from a to b then, world frame.
    pub normal: D::Vec,
}

/// The first moment in [0, `max`] at which shapes a and b, carried along by their sweeps, come within `target` of each other
/// [m], to within a quarter of it: never later than that, and rotation included. Shapes that start closer meet at 0. None if
/// they do not meet, or are not convex.
///
/// ```
/// use topple::continuous::{Sweep, time_of_impact};
/// use topple::{D2, Pose2, Shape2, Vec2};
/// let (bar, wall) = (Shape2::rectangle(4.0, 0.1), Shape2::segment(Vec2::new(1.0, 1.0), Vec2::new(1.0, 9.0)));
/// // A bar that turns by a right angle about its middle meets the lower end of a wall half-way, at 45°.
/// let turning = Sweep::<D2>::moving(Pose2::IDENTITY, Vec2::ZERO, std::f32::consts::FRAC_PI_2);
/// let still = Sweep::still(Pose2::IDENTITY);
/// let impact = time_of_impact::<D2>(&bar, &turning, &wall, &still, 1.0, 0.001).unwrap();
/// assert!((impact.t - 0.5).abs() < 0.05);
/// ```
pub fn time_of_impact<D: Dim>(
    a: &D::Shape,
    sweep_a: &Sweep<D>,
    b: &D::Shape,
    sweep_b: &Sweep<D>,
    max: Real,
    target: Real,
) -> Option<Impact<D>> {
    let a = Mover::new(a, Pose::IDENTITY, sweep_a);
    let b = Mover::new(b, Pose::IDENTITY, sweep_b);
    Search::new(&a, &b).first([0.0, max], target, TOLERANCE * target)
}

/// A meeting is found to within this share of the target distance (no unit).
pub(super) const TOLERANCE: Real = 0.25;

/// Looks at a pair until the answer is "from here on it is not safe". Head-on approaches take 2 to 5, rods that whirl
/// about close to a wall run into the limit.
const MAX_LOOKS: usize = 96;

/// Two bodies turn about the same point if it is the same to within this share of its distance from the origin (no unit): sixteen roundings of an f32.
const PIVOT_ROUNDING: Real = 16.0 * Real::EPSILON;

/// How often a time that proves too long is halved.
const TRIES: usize = 3;

/// Cosine of the angle up to which a direction counts as that of a half-space (no unit).
const ALIGNED: Real = 1.0 - 1e-6;

/// A shape on a moving body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover<'a, D: Dim> {
    pub shape: &'a D::Shape,
    /// Place of the shape relative to what the body turns about.
    pub local: Pose<D>,
    pub sweep: &'a Sweep<D>,
    /// Largest distance of the shape without its rounding from what the body turns about [m], be that aside of it; infinite for half-spaces.
    pub reach: Real,
    /// How far it stays away from others because it has no thickness [m].
    pub skin: Real,
}

impl<'a, D: Dim> Mover<'a, D> {
    pub(super) fn new(shape: &'a D::Shape, local: Pose<D>, sweep: &'a Sweep<D>) -> Self {
        // A ball looks the same however it turns: its rounding does not count.
        let reach = shape.farthest_from(local.inverse_transform(D::Point::ORIGIN)) - shape.rounding();
        let aside = if sweep.arm == D::Vec::ZERO { 0.0 } else { sweep.arm.length() };
        Self { shape, local, sweep, reach: reach.max(0.0) + aside, skin: 0.0 }
    }

    /// The same, thicker by `skin` [m].
    pub(super) fn with_skin(self, skin: Real) -> Self {
        Self { skin, ..self }
    }

    pub(super) fn pose(&self, t: Real) -> Pose<D> {
        self.sweep.at(t).compose(self.local)
    }
}

/// The search for the first meeting of a and b.
pub(super) struct Search<'a, D: Dim> {
    pub a: &'a Mover<'a, D>,
    pub b: &'a Mover<'a, D>,
    /// Direction in which the last look found b, in the frame of a.
    pub(super) guess: Option<Wide>,
    /// The front of b, if that is a child of a surface.
    pub(super) front: Option<Front<'a, D>>,
}

impl<'a, D: Dim> Search<'a, D> {
    pub(super) fn new(a: &'a Mover<'a, D>, b: &'a Mover<'a, D>) -> Self {
        Self { a, b, guess: None, front: None }
    }

    /// The same for a child of a surface.
    pub(super) fn at_front(self, front: Option<Front<'a, D>>) -> Self {
        Self { front, ..self }
    }

    /// Distance [m], negative where they overlap, and direction from a to b at time `t`. None for pairs that have none. Of a child of a surface, which touches and
    /// would be left by a way that its neighbours close: along its normal.
    pub(super) fn look(&mut self, t: Real) -> Option<(f64, D::Vec)> {
        let (a, b) = (self.a, self.b);
        let (distance, normal) = separation::<D>(a.shape, &a.pose(t), b.shape, &b.pose(t), &mut self.guess)?;
        let found = (distance - f64::from(a.skin + b.skin), normal);
        match self.front {
            Some(front) if found.0 <= f64::from(front.near) => Some(self.over(t, found).unwrap_or(found)),
            _ => Some(self.through(t, found).unwrap_or(found)),
        }
    }

    /// The first moment in [`from`, `to`] at which they are `target` apart [m], or up to `tolerance` [m] farther. Negative
    /// targets are depths: the depth of an overlap grows no faster than a gap shrinks.
    pub(super) fn first(&mut self, range: [Real; 2], target: Real, tolerance: Real) -> Option<Impact<D>> {
        let start = self.look(range[0])?;
        self.first_after(start, range, target, tolerance)
    }

    /// The same, if the look at the beginning is known.
    pub(super) fn first_after(
        &mut self,
        start: (f64, D::Vec),
        [from, to]: [Real; 2],
        target: Real,
        tolerance: Real,
    ) -> Option<Impact<D>> {
        let mut t = from;
        let mut found = None;
        let mut known = Some(start);
        for _ in 0..MAX_LOOKS {
            let (distance, normal) = known.take().or_else(|| self.look(t))?;
            let excess = distance - f64::from(target);
            if target < 0.0
                && excess < f64::from(-tolerance)
                && let Some(Impact { t: safe, .. }) = found
                && safe < 0.5 * (safe + t)
                && self.is_cornered(t)
            {
                // What comes over a child from beside it gets deep faster than it moves: back.
                t = 0.5 * (safe + t);
                continue;
            }
            found = Some(Impact { t, distance: distance as Real, normal });
            if excess <= f64::from(tolerance) {
                return found;
            }
            // Until when the bodies keep their rates, and whether the gap can close before.
            let (sweep_a, sweep_b) = (self.a.sweep, self.b.sweep);
            let lasts = sweep_a.lasts(t).min(sweep_b.lasts(t)).min(to);
            // What is below the plane of a child by more, or may be by then, is so deep as soon as it touches the child.
            let mut target = target;
            if let Some(front) = self.front.filter(|front| distance > f64::from(front.near))
                && let Some((gap, down)) = self.below(t, (distance, normal))
                && gap - f64::from(self.closing(t, down).max(0.0) * (lasts - t)) <= f64::from(target)
            {
                target = target.max(0.5 * front.near);
            }
            let excess = distance - f64::from(target);
            let closing = f64::from(self.closing(t, normal));
            let safe = if closing > 0.0 { excess / closing } else { f64::INFINITY };
            let is_safe = safe >= f64::from(lasts - t);
            let ahead = if is_safe { lasts } else { self.ahead([t, lasts], normal, target) };
            if ahead >= lasts {
                if lasts >= to {
                    return None;
                }
                t = lasts;
                continue;
            }
            // At least one representable number ahead: at the end of the digits the distance is what it is.
            let next = ((f64::from(t) + safe) as Real).max(ahead);
            if next <= t {
                return found;
            }
            t = next;
        }
        // Too slow to be worth more looks: up to here it is safe.
        found
    }

    /// A moment in [`t`, `lasts`] up to which the gap along `normal` stays larger than `target` [m]; `t` if that is not known.
    ///
    /// What turns close to a surface does not get closer by as much as its farthest point moves. Each point goes on a circle, so between two moments the gap is no
    /// smaller than the smaller of its values there, less an eighth of the bend of the circle times the time squared. Two values tell more than the rate if the
    /// gap is small: the time won grows with its root.
    fn ahead(&self, [t, lasts]: [Real; 2], normal: D::Vec, target: Real) -> Real {
        let bend = |mover: &Mover<'_, D>| {
            let w = mover.sweep.rates(t).1;
            if w == D::Ang::ZERO { 0.0 } else { w.dot(w) * mover.reach }
        };
        let bend = bend(self.a) + bend(self.b);
        let Some(now) = self.gap(t, normal).map(|gap| gap - target) else { return t };
        if now <= 0.0 || bend <= 0.0 || !bend.is_finite() {
            return t;
        }
        let mut time = (8.0 * now / bend).sqrt().min(lasts - t);
        for _ in 0..TRIES {
            let then = self.gap(t + time, normal).map_or(0.0, |gap| gap - target);
            if now.min(then) >= bend * time * time / 8.0 {
                return if time < lasts - t { t + time } else { lasts };
            }
            time *= 0.5;
        }
        t
    }

    /// Gap along `normal`, from a to b, at time `t` [m]: no larger than their distance. None if one of them has no end that way.
    pub(super) fn gap(&self, t: Real, normal: D::Vec) -> Option<Real> {
        let (a, b) = (self.a.pose(t), self.b.pose(t));
        let between = b.position - a.position;
        let reach = |shape: &D::Shape, pose: &Pose<D>, normal: D::Vec| {
            let local = pose.rotation.inverse().rotate(normal);
            if let Some((facing, offset)) = shape.half_space() {
                return (facing.dot(local) > ALIGNED).then_some(offset);
            }
            Some(shape.support(local)?.dot(local) + shape.rounding())
        };
        let reaches = reach(self.a.shape, &a, normal)? + reach(self.b.shape, &b, -normal)?;
        // What rounding may have added far from each other.
        let slack = 4.0 * Real::EPSILON * between.length();
        Some(between.dot(normal) - reaches - (self.a.skin + self.b.skin) - slack)
    }

    /// Upper bound of the rate at which the gap along `normal` closes at time `t` [m per step].
    pub(super) fn closing(&self, t: Real, normal: D::Vec) -> Real {
        let ((v_a, w_a), (v_b, w_b)) = (self.a.sweep.rates(t), self.b.sweep.rates(t));
        let mut closing = (v_a - v_b).dot(normal);
        if w_a != D::Ang::ZERO {
            closing += w_a.length() * self.a.reach;
        }
        if w_b != D::Ang::ZERO {
            // Of a half-space that turns only the part counts that a can get to.
            let apart = || {
                let way = (v_a - v_b).length() + self.a.reach + self.a.shape.rounding();
                (self.a.sweep.at(t).position - self.b.sweep.at(t).position).length() + way
            };
            closing += w_b.length() * if self.b.reach.is_finite() { self.b.reach } else { apart() };
        }
        closing
    }
}
