//! When a pair of shapes has to be stopped, and what is left to the solver.
//!
//! Contacts exist from the speculative distance on, and the solver keeps such pairs apart by itself: a body that slides over
//! a floor, however fast, is none of our business. So the question is not when two surfaces meet but whether one would
//! get *deep* into the other: sliding, rolling and grazing do not. Where it would, the body is stopped when the surfaces
//! meet, at half the speculative distance, for a contact to take over in the next step. If they are that close from
//! the start, the contact has had its say and was not enough: another corner comes swinging in, say. Then the body stops
//! turning where it gets deep, and slides on.

use super::front::Front;
use super::sweep::{Impact, Mover, Search, TOLERANCE};
use crate::Settings;
use crate::math::*;
use crate::shape::ShapeOps;

/// Depth that is never passed, as a share of the inner radius (no unit): the middle stays on its side. Less would be a nicer
/// picture, but costs motion: bodies that topple or roll fast would be held up at every touch.
const DEEPEST: Real = 0.75;
/// What is as deep as that already must not get deeper by more than this share of the inner radius (no unit), and by the less the deeper it is: never as deep as its inner
/// radius, however many steps it takes.
const LEAST_DEEPER: Real = 0.01;
/// What counts as left of the way to there at least (no unit), so that what is on its way out is told from what is not.
const LEAST_LEFT: Real = 0.01;

/// What swings in stops at the first of these shares (no unit) of its way at which it is not too deep. The rest is within reach of a contact.
const SWINGS: [Real; 4] = [0.9375, 0.875, 0.75, 0.5];

/// How far the middle of a solid mesh stays away from what it flies at, as a share of its inner radius (no unit). More than for other
/// shapes: triangles on the far side of a thin wall do not push the mesh back.
const CLEARANCE: Real = 0.6;

/// Distance at which bodies are stopped, as a share of the speculative distance (no unit).
const STOP_AT: Real = 0.5;
/// The same as a share of the inner radius (no unit), where the speculative distance is next to nothing.
const LEAST_STOP: Real = 0.005;
/// The same as a share of the distance from the origin (no unit): eight roundings of an f32 position.
const STOP_OF_PLACE: Real = 5e-7;

/// Distances of a pair [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    /// Where bodies are stopped.
    target: Real,
    /// Up to where the solver takes care of a pair.
    near: Real,
    /// Inner radius of the thinner shape.
    size: Real,
    /// What rounding of the places may add to a depth.
    rounding: Real,
    /// How far the one that moves stays away from the other because it has no thickness.
    pub(super) skin: Real,
}

/// Where a pair has to be stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop<D: Dim> {
    /// When, in steps (no unit).
    pub t: Real,
    /// Unit vector from a to b then, if they were close from the start: the body may slide on across it.
    pub slide: Option<D::Vec>,
}

impl Margins {
    /// For a pair whose thinner shape has inner radius `size` [m], `place` from the origin [m].
    pub(super) fn new<D: Dim>(settings: &Settings<D>, size: Real, place: Real) -> Self {
        let speculative = settings.speculative * settings.slop_for(size);
        let rounding = STOP_OF_PLACE * place;
        let target = (STOP_AT * speculative).max(LEAST_STOP * size).max(rounding);
        // A body that was stopped is within the tolerance of the target, and must count as near from then on.
        let near = speculative.max((1.0 + 2.0 * TOLERANCE) * target);
        Self { target, near, size, rounding, skin: 0.0 }
    }

    /// The same for a pair of which one shape is thinner than that: inner radius `size` [m].
    pub(super) fn of_thinner(self, size: Real) -> Self {
        Self { size: self.size.min(size), ..self }
    }

    /// The same for a shape that counts as thicker by `skin` [m].
    pub(super) fn with_skin(self, skin: Real) -> Self {
        Self { skin, ..self }
    }

    /// Distance up to which the solver takes care of a pair [m].
    pub(super) fn near(&self) -> Real {
        self.near
    }

    /// Depth that is never passed, with what it may be passed by in a step [m].
    pub(super) fn most(&self) -> Real {
        (DEEPEST + LEAST_DEEPER) * self.size
    }

    /// How far the middle of a solid that is made of triangles stays away from what it flies at [m].
    fn clearance(&self) -> Real {
        CLEARANCE * self.size
    }

    /// Depth up to which nobody is stopped [m].
    pub(super) fn allowed(&self) -> Real {
        DEEPEST * self.size
    }
}

/// False if a and b cannot get deep into each other in [`from`, `to`] (in steps, no unit), as far as one axis tells: the gap along it is never larger than the distance, and
/// an overlap along it never smaller than the depth. The axis is that of the larger shape along which the other one is farthest outside of its box.
///
/// PERF: most pairs whose bounds overlap end here, for a tenth of what a look costs.
pub(super) fn may_get_deep<D: Dim>(
    a: &Mover<'_, D>,
    b: &Mover<'_, D>,
    margins: Margins,
    [from, to]: [Real; 2],
) -> bool {
    if a.sweep.lasts(from).min(b.sweep.lasts(from)) < to {
        return true;
    }
    let normal = if a.reach > b.reach { outward(a, b, from) } else { outward(b, a, from).map(|n| -n) };
    let search = Search::new(a, b);
    let Some((gap, normal)) = normal.and_then(|normal| Some((search.gap(from, normal)?, normal))) else {
        return true;
    };
    let closing = search.closing(from, normal).max(0.0) * (to - from);
    // What is deeper than that is taken for deep. Not a number is no answer.
    let is_safe = gap - closing > -(1.0 - TOLERANCE) * margins.allowed();
    !is_safe
}

/// Unit vector, world frame, from the box of `large` in its own frame to the middle of `small`, across one of its sides. None if the box has no end.
fn outward<D: Dim>(large: &Mover<'_, D>, small: &Mover<'_, D>, t: Real) -> Option<D::Vec> {
    let frame = large.pose(t);
    let bounds = large.shape.aabb(&Pose::IDENTITY);
    let middle = frame.inverse_transform(small.pose(t).transform(small.shape.middle()));
    let (above, below) = (middle - bounds.max.to_vec(), bounds.min.to_vec() - middle);
    let (mut farthest, mut normal) = (Real::NEG_INFINITY, None);
    for axis in 0..D::N {
        for (outside, side) in [(above.get(axis), 1.0), (below.get(axis), -1.0)] {
            if outside > farthest {
                (farthest, normal) = (outside, Some(D::Vec::axis(axis) * side));
            }
        }
    }
    Some(frame.rotation.rotate(normal?))
}

/// When a, which must not get through b, has to be stopped, in [`from`, `to`] (in steps, no unit); None if it need not. `front`: that of b, if it is a child of a surface.
pub(super) fn stop_time<D: Dim>(
    a: &Mover<'_, D>,
    b: &Mover<'_, D>,
    front: Option<Front<'_, D>>,
    margins: Margins,
    [from, to]: [Real; 2],
) -> Option<Stop<D>> {
    let mut search = Search::new(a, b).at_front(front);
    let start = search.look(from)?;
    let (distance, normal) = (start.0 as Real, start.1);
    // What is below the plane of a child, and beside it still, is as deep as that. What touches it was asked already.
    let is_near = distance <= margins.near;
    let below = if is_near { None } else { search.below(from, start) };
    let below = below.map_or(0.0, |(gap, _)| -gap as Real);
    if below >= margins.size {
        // It reaches far below and stands beside the surface, say: that child is met like anything else.
        return stop_time(a, b, None, margins, [from, to]);
    }
    let depth = below.max(-distance).max(0.0);
    // Slivers are as thin as the roundings of their places: those do not put them inside.
    let is_lost = depth >= margins.size + margins.rounding;
    if is_lost && front.is_none_or(|front| front.surface.is_closed()) {
        // So deep inside there is no side to keep to. Of a surface it is known; of a solid that is one of many in a floor, the side of its neighbour is no side to keep to.
        return None;
    }
    let held = if is_lost { hold_middle(a, b, margins, [from, to]) } else { None };
    let deeper = margins.allowed() - depth;
    let left = (margins.size - depth) / (margins.size - margins.allowed());
    let least = LEAST_DEEPER * margins.size * left.clamp(LEAST_LEFT, 1.0);
    if deeper <= least {
        // Out, or across, it may go.
        let Some(deep) = search.first_after(start, [from, to], -(depth + least), TOLERANCE * least) else {
            return held;
        };
        let limit = depth.max(margins.allowed() + least);
        let (t, normal) = search.swing([from, deep.t], limit).unwrap_or((from, normal));
        return held.filter(|held| held.t < t).or(Some(Stop { t, slide: Some(normal) }));
    }
    let deep = search.first_after(start, [from, to], -(depth + deeper), TOLERANCE * deeper)?;
    if is_near {
        return Some(Stop { t: deep.t, slide: Some(deep.normal) });
    }
    let met = search.first_after(start, [from, deep.t], margins.target, TOLERANCE * margins.target);
    Some(Stop { t: met.map_or(deep.t, |impact| impact.t), slide: None })
}

/// Where a has to be stopped so that its middle stays on its side of b, whatever of a is on the other.
fn hold_middle<D: Dim>(
    a: &Mover<'_, D>,
    b: &Mover<'_, D>,
    margins: Margins,
    range: [Real; 2],
) -> Option<Stop<D>> {
    let (point, middle) = (D::Shape::point(), Pose::at(D::Point::from_vec(a.shape.middle())));
    let core = Mover::new(&point, a.local.compose(middle), a.sweep);
    let deep = core_time(&core, b, margins, range)?;
    Some(Stop { t: deep.t, slide: Some(deep.normal) })
}

impl<D: Dim> Search<'_, D> {
    /// How far a pair that is as deep as it may be can go on in [`from`, `deep`] (in steps, no unit) without being deeper than `limit` [m] at the end. It can if what gets
    /// deep at last is another corner than the one that is deep now: a plate that landed on one edge swings about it, and would hang in the air if it were stopped at once.
    /// The time and the direction to b then; None if it gets deeper from the start.
    fn swing(&mut self, [from, deep]: [Real; 2], limit: Real) -> Option<(Real, D::Vec)> {
        SWINGS.iter().find_map(|share| {
            let t = from + share * (deep - from);
            let (distance, normal) = self.look(t)?;
            (-distance as Real <= limit).then_some((t, normal))
        })
    }
}

/// When the middle `core` of a solid comes closer to b than that of a ball of its inner radius may, in `range` (in steps, no
/// unit); None if it does not. One that is closer already must not get any closer.
pub(super) fn core_time<D: Dim>(
    core: &Mover<'_, D>,
    b: &Mover<'_, D>,
    margins: Margins,
    range: [Real; 2],
) -> Option<Impact<D>> {
    let mut search = Search::new(core, b);
    let start = search.look(range[0])?;
    let distance = start.0 as Real;
    let least = LEAST_DEEPER * margins.size;
    let target = margins.clearance().min(distance - least);
    // With its middle inside of something it has no side to keep to.
    if target <= 0.0 { None } else { search.first_after(start, range, target, TOLERANCE * least) }
}

/// When the surfaces of a and b meet before time `deep`, at which their bodies are as deep in each other as they may: the time, and whether they are
/// close from the start.
pub(super) fn meeting_before<D: Dim>(
    a: &Mover<'_, D>,
    b: &Mover<'_, D>,
    margins: Margins,
    [from, deep]: [Real; 2],
) -> Option<(Real, bool)> {
    let mut search = Search::new(a, b);
    let start = search.look(from)?;
    if start.0 as Real <= margins.near {
        return Some((from, true));
    }
    let met = search.first_after(start, [from, deep], margins.target, TOLERANCE * margins.target)?;
    Some((met.t, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuous::Sweep;
    use crate::shape::{Shape2, Shape3};

    /// Numbers in [−1, 1), the same in every run.
    struct Random(u32);

    impl Random {
        fn next(&mut self) -> Real {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) as Real / (1 << 23) as Real - 1.0
        }

        fn vector<D: Dim>(&mut self, size: Real) -> D::Vec {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|i| v.set(i, self.next() * size));
            v
        }

        fn angle<D: Dim>(&mut self, size: Real) -> D::Ang {
            let mut w = D::Ang::ZERO;
            (0..D::ANGULAR).for_each(|i| w.set(i, self.next() * size));
            w
        }

        fn sweep<D: Dim>(&mut self, turn: Real) -> Sweep<D> {
            let rotation = D::Rot::from_ang(self.angle::<D>(3.0));
            let start = Pose { position: D::Point::from_vec(self.vector::<D>(1.5)), rotation };
            Sweep::moving(start, self.vector::<D>(2.0), self.angle::<D>(turn))
        }
    }

    /// Pairs that one axis tells not to get deep do not, at any of many moments on their ways.
    fn what_one_axis_excludes_does_not_happen<D: Dim>(shapes: &[D::Shape]) {
        const MOMENTS: usize = 40;
        let mut random = Random(7);
        let (mut excluded, mut left) = (0, 0);
        for round in 0..3000 {
            let [a, b] = [round % shapes.len(), round / shapes.len() % shapes.len()].map(|i| &shapes[i]);
            let turn = [0.0, 0.1, 2.0][round % 3];
            let sweeps = [random.sweep::<D>(turn), random.sweep::<D>(turn)];
            let local = Pose { position: D::Point::from_vec(random.vector::<D>(0.2)), ..Pose::IDENTITY };
            let a = Mover::new(a, local, &sweeps[0]);
            let b = Mover::new(b, Pose::IDENTITY, &sweeps[1]);
            let size = a.shape.inner_radius().min(b.shape.inner_radius());
            let margins = Margins::new(&Settings::<D>::default(), size, 3.0);
            if may_get_deep(&a, &b, margins, [0.0, 1.0]) {
                left += 1;
                continue;
            }
            excluded += 1;
            let mut search = Search::new(&a, &b);
            for moment in 0..=MOMENTS {
                let t = moment as Real / MOMENTS as Real;
                let distance = search.look(t).unwrap().0 as Real;
                assert!(-distance < margins.allowed(), "round {round}, t = {t}: {distance} m");
            }
        }
        assert!(excluded > 500 && left > 300, "{excluded} pairs excluded, {left} left");
    }

    #[test]
    fn what_one_axis_excludes_does_not_happen_2d() {
        what_one_axis_excludes_does_not_happen::<D2>(&[
            Shape2::circle(0.3),
            Shape2::rectangle(0.2, 1.5),
            Shape2::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.2), 0.1),
        ]);
    }

    #[test]
    fn what_one_axis_excludes_does_not_happen_3d() {
        what_one_axis_excludes_does_not_happen::<D3>(&[
            Shape3::sphere(0.3),
            Shape3::cuboid(0.2, 1.5, 1.0),
            Shape3::capsule(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.2, 0.0), 0.1),
            Shape3::cylinder(0.6, 0.4),
        ]);
    }

    /// The tip of a knife that the floor gives way to slips below the end of the slope before it: it is stopped before it is below the slope.
    #[test]
    fn tips_do_not_slip_below_the_end_of_a_slope() {
        for turn in [5.0_f32, 10.0, 30.0, 60.0] {
            let (sin, cos) = sin_cos(turn.to_radians());
            let ends = [Vec2::new(2.0 * cos, 2.0 * sin), Vec2::ZERO, Vec2::new(-1.0, 0.0)];
            let chain = Shape2::chain(&ends).unwrap();
            let knife = [Vec2::new(-0.05, -0.001), Vec2::new(0.05, -0.001), Vec2::new(-0.03, 0.001)];
            let knife = Shape2::polygon(&knife).unwrap();
            let (surface, still) = (chain.composite().unwrap(), Sweep::<D2>::still(Pose::IDENTITY));
            let slope = surface.child(0);
            let margins = Margins::new(&Settings::<D2>::default(), knife.inner_radius(), 0.1);
            let front = Front { surface, index: 0, near: margins.near(), is_skin: false };
            for turn in [0.0, -0.001] {
                let start = Pose { position: Point2::new(-0.064, 0.001 - 0.000_24), ..Pose::IDENTITY };
                let sweep = Sweep::<D2>::moving(start, Vec2::new(0.033, 0.0), turn);
                let a = Mover::new(&knife, Pose::IDENTITY, &sweep);
                let b = Mover::new(&slope, Pose::IDENTITY, &still);
                let stop = stop_time(&a, &b, Some(front), margins, [0.0, 1.0]);
                assert!(stop.is_some(), "slope of {sin}, turning by {turn} rad");
            }
        }
    }
}
