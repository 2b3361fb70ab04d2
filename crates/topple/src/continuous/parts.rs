//! Shapes made of many convex ones: meshes, height fields, chains. Each child in the way is a pair of its own, because a body
//! may rest on one triangle and fly at the next. Children are met from their front side only, as in contacts.

use super::front::Front;
use super::impact::{Margins, Stop, core_time, may_get_deep, meeting_before, stop_time};
use super::sweep::{Mover, Sweep};
use crate::math::*;
use crate::shape::{LocalRay, ShapeOps, ShapeRecord};

/// Where a has to stop before b, both carried along by their sweeps, in `range` (in steps, no unit).
pub(super) fn stop_shapes<D: Dim>(
    [a, b]: [&ShapeRecord<D>; 2],
    [sweep_a, sweep_b]: [&Sweep<D>; 2],
    margins: Margins,
    range: [Real; 2],
) -> Option<Stop<D>> {
    let mut first = None;
    match (a.shape.composite(), b.shape.composite()) {
        (None, None) => {
            let a = mover(&a.shape, a, sweep_a).with_skin(margins.skin);
            let b = mover(&b.shape, b, sweep_b);
            return if may_get_deep(&a, &b, margins, range) {
                stop_time(&a, &b, None, margins, range)
            } else {
                None
            };
        }
        (None, Some(children)) => {
            let moving = mover(&a.shape, a, sweep_a).with_skin(margins.skin);
            let bounds = bounds_seen([a, b], [sweep_a, sweep_b], range);
            let start = place(b, sweep_b, range[0]).relative(place(a, sweep_a, range[0]));
            let middle = start.transform(a.shape.middle()).to_vec();
            let way = Way::new(&moving, start, [a, b], [sweep_a, sweep_b], range);
            children.visit(&bounds, &mut |index| {
                let child = children.child(index);
                let normal = children.normal(index);
                // Children are met from their front side only, and not by what does not get deep below them.
                let is_met = child.support(normal).is_none_or(|on_child| {
                    let is_deep = |way: &Way<'_, D>| {
                        way.depth_below(normal, on_child, way.reach) >= margins.allowed()
                            && way.depth_below(normal, on_child, way.reach_against(normal))
                                >= margins.allowed()
                    };
                    normal.dot(middle - on_child) >= 0.0 && way.as_ref().is_none_or(is_deep)
                });
                if is_met {
                    let front = Front { surface: children, index, near: margins.near(), is_skin: false };
                    let found = stop_time(&moving, &mover(&child, b, sweep_b), Some(front), margins, range);
                    keep_first(&mut first, found);
                }
            });
        }
        (Some(children), None) => {
            let other = mover(&b.shape, b, sweep_b);
            let bounds = bounds_seen([b, a], [sweep_b, sweep_a], range);
            children.visit(&bounds, &mut |index| {
                let child = children.child(index);
                let moving = mover(&child, a, sweep_a).with_skin(margins.skin);
                let found = stop_time(&moving, &other, None, margins, range);
                keep_first(&mut first, found);
            });
            keep_first(&mut first, stop_core(a, sweep_a, &other, margins, range, &bounds));
        }
        (Some(children_a), Some(children_b)) => {
            let bounds = bounds_seen([a, b], [sweep_a, sweep_b], range);
            let start = place(b, sweep_b, range[0]).relative(place(a, sweep_a, range[0]));
            let middle = start.transform(a.shape.mass(1.0).center).to_vec();
            children_b.visit(&bounds, &mut |j| {
                let child_b = children_b.child(j);
                let other = mover(&child_b, b, sweep_b);
                let (normal, on_child) = (children_b.normal(j), child_b.support(children_b.normal(j)));
                let is_before = |p: D::Vec| on_child.is_none_or(|on_child| normal.dot(p - on_child) >= 0.0);
                let is_ahead = is_before(middle);
                // Of a solid, which may be one of many in a floor, the true depth counts: its sides end at those of its neighbours.
                let front = Front { surface: children_b, index: j, near: margins.near(), is_skin: true };
                let front = (!children_b.is_closed()).then_some(front);
                children_a.visit(&children_a.bounds(), &mut |i| {
                    let child_a = children_a.child(i);
                    // What has come through is on its way back, and must not be held by the far side of a wall, or behind it.
                    let own = start.transform(child_a.middle()).to_vec();
                    let is_back = || {
                        let ray = LocalRay { origin: middle, direction: own - middle, max: 1.0 };
                        b.shape.ray_cast(&ray).is_some()
                    };
                    if is_before(own) && (is_ahead || !is_back()) {
                        let moving = mover(&child_a, a, sweep_a).with_skin(margins.skin);
                        keep_first(&mut first, stop_time(&moving, &other, front, margins, range));
                    }
                });
                if is_ahead {
                    let all = children_a.bounds();
                    keep_first(&mut first, stop_core(a, sweep_a, &other, margins, range, &all));
                }
            });
            // Of two, the middle of the thinner one is what gets through: that of the other one passes beside it.
            // Those that have one are finite.
            if b.size < a.size {
                let margins = margins.of_thinner(b.size);
                let middle = start.inverse_transform(D::Point::from_vec(b.shape.mass(1.0).center));
                children_a.visit(&bounds_seen([b, a], [sweep_b, sweep_a], range), &mut |i| {
                    let (child, normal) = (children_a.child(i), children_a.normal(i));
                    if child.support(normal).is_none_or(|on_child| normal.dot(middle - on_child) >= 0.0) {
                        let other = mover(&child, a, sweep_a);
                        let found = stop_core(b, sweep_b, &other, margins, range, &children_b.bounds());
                        let found = found.map(|stop| Stop { slide: stop.slide.map(|n| -n), ..stop });
                        keep_first(&mut first, found);
                    }
                });
            }
        }
    }
    first
}

/// Where a solid mesh has to stop before something convex for the sake of its middle. Triangles are thin: each of them slips through a wall
/// that is thin too without ever being deep in it. So the middle keeps its distance, like that of a ball. Meshes whose middle is
/// outside of them, rings say, have only their triangles. `bounds` are those of `other` on the way, in the frame of the mesh.
fn stop_core<D: Dim>(
    mesh: &ShapeRecord<D>,
    sweep: &Sweep<D>,
    other: &Mover<'_, D>,
    margins: Margins,
    range: [Real; 2],
    bounds: &Aabb<D>,
) -> Option<Stop<D>> {
    let children = mesh.shape.composite()?;
    let middle = mesh.shape.mass(1.0).center;
    if !mesh.shape.is_solid() || !mesh.shape.contains(middle) {
        return None;
    }
    let (point, local) = (D::Shape::point(), mesh.from_center.compose(Pose::at(D::Point::from_vec(middle))));
    let deep = core_time(&Mover::new(&point, local, sweep), other, margins, range)?;
    let (mut first, mut is_near) = (deep.t, false);
    children.visit(bounds, &mut |index| {
        let child = children.child(index);
        let found = meeting_before(&mover(&child, mesh, sweep), other, margins, [range[0], deep.t]);
        if let Some((t, near)) = found {
            first = first.min(t);
            is_near |= near;
        }
    });
    if is_near {
        return Some(Stop { t: deep.t, slide: Some(deep.normal) });
    }
    Some(Stop { t: first, slide: None })
}

/// Way of the middle of a moving body in the frame of a shape that stands still, and how far its own shape reaches around it.
struct Way<'a, D: Dim> {
    corners: [D::Vec; 3],
    shape: &'a D::Shape,
    /// Place of the shape at the start.
    start: Pose<D>,
    reach: Real,
    /// How far turning takes any of its points [m].
    turned: Real,
}

impl<'a, D: Dim> Way<'a, D> {
    fn new(
        moving: &Mover<'a, D>,
        start: Pose<D>,
        [a, b]: [&ShapeRecord<D>; 2],
        [sweep_a, sweep_b]: [&Sweep<D>; 2],
        [from, to]: [Real; 2],
    ) -> Option<Self> {
        let is_still =
            (sweep_b.translation, sweep_b.turn) == (D::Vec::ZERO, D::Ang::ZERO) && sweep_b.stop >= 1.0;
        let is_straight = sweep_a.arm == D::Vec::ZERO;
        let frame = place(b, sweep_b, 0.0);
        let at = |t: Real| frame.inverse_transform(sweep_a.at(t).position);
        let bend = sweep_a.stop.clamp(from, to);
        let angle = sweep_a.turn.length() * (bend - from) + sweep_a.turn_after.length() * (to - bend);
        (is_still && is_straight).then(|| Self {
            corners: [at(from), at(bend), at(to)],
            shape: moving.shape,
            start,
            reach: moving.reach + a.shape.rounding(),
            turned: angle * moving.reach,
        })
    }

    /// How far any point of a shape that reaches so far around its middle can get below the plane through a point on the way [m].
    fn depth_below(&self, normal: D::Vec, point: D::Vec, reach: Real) -> Real {
        let heights = self.corners.map(|corner| normal.dot(corner - point));
        reach - heights[0].min(heights[1]).min(heights[2])
    }

    /// How far the shape ever reaches from its middle against `normal` [m]: as far as at the start, and as turning adds.
    fn reach_against(&self, normal: D::Vec) -> Real {
        let Some(lowest) = self.shape.support(self.start.rotation.rotate_inv(-normal)) else {
            return self.reach;
        };
        let at = self.start.transform(lowest).to_vec();
        let now = normal.dot(self.corners[0] - at) + self.shape.rounding();
        self.reach.min(now + self.turned)
    }
}

/// A shape, or a child of it, on its body.
fn mover<'a, D: Dim>(shape: &'a D::Shape, record: &ShapeRecord<D>, sweep: &'a Sweep<D>) -> Mover<'a, D> {
    Mover::new(shape, record.from_center, sweep)
}

/// The earlier of two; of equal ones the one that was there.
fn keep_first<D: Dim>(first: &mut Option<Stop<D>>, found: Option<Stop<D>>) {
    if let Some(stop) = found
        && first.is_none_or(|old| stop.t < old.t)
    {
        *first = Some(stop);
    }
}

/// Place of a shape at time `t`.
fn place<D: Dim>(shape: &ShapeRecord<D>, sweep: &Sweep<D>, t: Real) -> Pose<D> {
    sweep.at(t).compose(shape.from_center)
}

/// Bounds of a on its way, in the frame of b, which moves as well.
fn bounds_seen<D: Dim>(
    [a, b]: [&ShapeRecord<D>; 2],
    [sweep_a, sweep_b]: [&Sweep<D>; 2],
    [from, to]: [Real; 2],
) -> Aabb<D> {
    let mut bounds = Aabb::nothing();
    let mut apart: Real = 0.0;
    for t in [from, sweep_a.stop.clamp(from, to), sweep_b.stop.clamp(from, to), to] {
        let seen = place(b, sweep_b, t).relative(place(a, sweep_a, t));
        bounds = bounds.union(&a.shape.aabb(&seen));
        apart = apart.max(seen.position.to_vec().length());
    }
    // Points of what turns go on arcs, and seen from something that turns, straight ways are bent: by at most an eighth of the largest acceleration, w²·r
    // for the turning of a about its own middle and w²·r + 2·w·v for that of b.
    let turn = |sweep: &Sweep<D>| sweep.turn.length().max(sweep.turn_after.length());
    let (w_a, w_b) = (turn(sweep_a), turn(sweep_b));
    if w_a + w_b > 0.0 {
        let reach = a.shape.farthest_from(D::Vec::ZERO) + a.from_center.position.to_vec().length();
        let reach = if reach.is_finite() { reach } else { 0.0 } + sweep_a.arm.length();
        let apart = apart + sweep_b.arm.length();
        let way = (sweep_a.translation - sweep_b.translation).length();
        let whole = w_a + w_b;
        bounds = bounds.grown((whole * whole * reach + w_b * w_b * apart + 2.0 * w_b * way) / 8.0);
    }
    bounds
}
