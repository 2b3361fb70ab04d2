//! The axis of last time brought up to date, for cylinders against cylinders and boxes.
//!
//! The gap of two cores along a unit vector n is g(n) = n·w with w = q − p, p and q the supporting points. Its maxima are the
//! separating axes, and there w is parallel to n. Which features touch decides how free n still is: a flat face fixes it, an edge
//! or the side line of a cylinder keeps it at right angles to itself, a rim bends with it. With M the sum of the derivatives of the
//! supporting points (a rim of radius r gives r/s · t tᵀ, t its tangent, s the sine between n and the axis; a side gives r · t tᵀ),
//! the step of Newton's method across n is (M + g)⁻¹ w.
//!
//! A result is only given if it is proven: p and q lie on both shapes, q − p along n, and nothing sticks out further. That
//! makes n a maximum among its neighbours. Apart, it is then the only one; for overlaps as shallow as those of bodies at
//! rest, another can be better by no more than the overlap, and by half a slop if it is that of a flat face. Of deeper ones a polytope in B − A has to show that no direction is better
//! by more than a slop, which takes some five of its steps instead of the dozen that find the axis. Where the features changed, those along the direction to which the old ones led are tried next.
//! What is left goes to the search over all directions, which hands over here when it is near enough: the last digits are Newton's.

use super::RESTING;
use crate::distance::{CoreDistance, Cores, Wide, overlaps_by};
use crate::math::*;
use crate::narrow_phase::{CollideJob, NarrowCounters};
use crate::shape::Shape3;

/// Cosine between an axis and a line or face below which the feature is tried first (no unit; 3°). Bodies turn by less in a step.
const NEAR: f64 = 0.05;
/// Cosine above which an axis is nearly the normal of a cap (no unit; 3°).
const NEAR_CAP: f64 = 0.9986;
/// Steps of Newton's method: two or three are needed, more means that the features changed.
const MAX_STEPS: usize = 6;
/// Longest step that is taken [rad].
const MAX_STEP: f64 = 0.3;
/// Step at which the axis has arrived [rad].
const ARRIVED: f64 = 1e-7;
/// Step of Newton's method after which the axis has arrived [rad]: the next would be about its square.
const SETTLED: f64 = 1e-5;
/// How often features are looked for anew where those of the last axis lead.
const MAX_ROUNDS: usize = 3;
/// Squared sine below which two lines count as parallel (no unit).
const PARALLEL_SQUARED: f64 = 1e-10;
/// Error of a gap that rounding may leave, as a share of the size of the pair (no unit): sizes and supporting points are f32.
const ROUNDING: f64 = 2e-6;
/// How much less the shapes may overlap along the normal of one of their flat faces than along the axis that is followed, in slops.
const OTHER_AXIS: f64 = 0.5;
/// How much less deep overlaps may be along any other axis than along the one that is followed, in slops.
const OTHER_AXIS_DEEP: f64 = 1.0;
/// Share of the slop by which a feature may lean and still count as lying on a face (no unit).
const FLUSH: f64 = 0.1;

/// A shape that can be followed, in the frame of a.
struct Solid {
    axes: [Wide; 3],
    center: Wide,
    form: Form,
}

enum Form {
    Box([f64; 3]),
    /// About its second axis.
    Cylinder {
        half: f64,
        radius: f64,
    },
}

/// What supports a shape along a direction.
#[derive(Clone, Copy)]
enum Feature {
    Point(Wide),
    /// Middle, unit direction, half length, and how far the surface is from the line.
    Line(Wide, Wide, f64, f64),
    /// Middle of the rim, unit axis, radius.
    Rim(Wide, Wide, f64),
    /// Number of the axis, and its sign.
    Flat(usize, f64),
}

/// A flat face.
enum Region {
    Disc(Wide, f64),
    /// Middle, two unit vectors, half sizes.
    Rectangle(Wide, [Wide; 2], [f64; 2]),
}

impl Solid {
    fn new(shape: &Shape3, axes: [Wide; 3], center: Wide) -> Option<Self> {
        let form = match shape {
            Shape3::Box { half, .. } => Form::Box([half.x, half.y, half.z].map(f64::from)),
            Shape3::Cylinder { half_height, radius, .. } => {
                Form::Cylinder { half: f64::from(*half_height), radius: f64::from(*radius) }
            }
            _ => return None,
        };
        Some(Self { axes, center, form })
    }

    /// Largest distance from the centre along an axis, for tolerances.
    fn size(&self) -> f64 {
        match &self.form {
            Form::Box(half) => half[0].max(half[1]).max(half[2]),
            Form::Cylinder { half, radius } => half.max(*radius),
        }
    }

    /// Features that may support the shape along unit vectors near `n`, the most special first.
    fn features(&self, n: Wide) -> [Option<Feature>; 3] {
        match &self.form {
            Form::Cylinder { half, radius } => {
                let axis = self.axes[1];
                let c = n.dot(axis);
                let sign = if c < 0.0 { -1.0 } else { 1.0 };
                let rim = Some(Feature::Rim(self.center + axis * (sign * half), axis, *radius));
                if c.abs() > NEAR_CAP {
                    [Some(Feature::Flat(1, sign)), rim, None]
                } else if c.abs() < NEAR {
                    [Some(Feature::Line(self.center, axis, *half, *radius)), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Form::Box(half) => {
                let along = self.axes.map(|axis| n.dot(axis));
                let sign = along.map(|c| if c < 0.0 { -1.0 } else { 1.0 });
                let at = |k: usize| self.axes[k] * (sign[k] * half[k]);
                let corner = self.center + at(0) + at(1) + at(2);
                let least =
                    (1..3).fold(0, |best, k| if along[k].abs() < along[best].abs() { k } else { best });
                let most =
                    (1..3).fold(0, |best, k| if along[k].abs() > along[best].abs() { k } else { best });
                let edge = Some(Feature::Line(corner - at(least), self.axes[least], half[least], 0.0));
                let corner = Some(Feature::Point(corner));
                if (0..3).all(|k| k == most || along[k].abs() < NEAR) {
                    [Some(Feature::Flat(most, sign[most])), edge, corner]
                } else if along[least].abs() < NEAR {
                    [edge, corner, None]
                } else {
                    [corner, None, None]
                }
            }
        }
    }

    /// Half of the length of the shape along a unit vector.
    fn half_along(&self, n: Wide) -> f64 {
        let along = self.axes.map(|axis| n.dot(axis).abs());
        match &self.form {
            Form::Box(half) => half[0] * along[0] + half[1] * along[1] + half[2] * along[2],
            Form::Cylinder { half, radius } => {
                half * along[1] + radius * (1.0 - along[1] * along[1]).max(0.0).sqrt()
            }
        }
    }

    /// The normals of the flat faces, each for both sides.
    fn flat_axes(&self) -> &[Wide] {
        match &self.form {
            Form::Box(_) => &self.axes,
            Form::Cylinder { .. } => &self.axes[1..2],
        }
    }

    fn region(&self, axis: usize, sign: f64) -> Region {
        match &self.form {
            Form::Cylinder { half, radius } => {
                Region::Disc(self.center + self.axes[1] * (sign * half), *radius)
            }
            Form::Box(half) => {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let middle = self.center + self.axes[axis] * (sign * half[axis]);
                Region::Rectangle(middle, [self.axes[u], self.axes[v]], [half[u], half[v]])
            }
        }
    }
}

impl Region {
    /// True if the line from `p` to `q`, seen along `n`, passes over the region.
    fn is_under(&self, p: Wide, q: Wide, n: Wide) -> bool {
        let flat = |v: Wide| v - n * v.dot(n);
        match self {
            Self::Disc(middle, radius) => {
                let (start, along) = (flat(p - *middle), flat(q - p));
                let length = along.length_squared();
                let s = if length > 0.0 { (-start.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
                (start + along * s).length_squared() <= radius * radius
            }
            Self::Rectangle(middle, axes, half) => {
                let (mut low, mut high) = (0.0_f64, 1.0_f64);
                for k in 0..2 {
                    let (x, d) = ((p - *middle).dot(axes[k]), (q - p).dot(axes[k]));
                    if d == 0.0 {
                        if x.abs() > half[k] {
                            return false;
                        }
                        continue;
                    }
                    let (s, t) = ((-half[k] - x) / d, (half[k] - x) / d);
                    (low, high) = (low.max(s.min(t)), high.min(s.max(t)));
                }
                low <= high
            }
        }
    }

    /// True if a disc about `p`, parallel to the region, passes over it.
    fn is_under_disc(&self, p: Wide, radius: f64) -> bool {
        match self {
            Self::Disc(middle, own) => {
                // Their planes are parallel and nearly the same: what is between them counts for nothing.
                (p - *middle).length_squared() <= (own + radius) * (own + radius)
            }
            Self::Rectangle(middle, axes, half) => {
                let out = |k: usize| ((p - *middle).dot(axes[k]).abs() - half[k]).max(0.0);
                out(0) * out(0) + out(1) * out(1) <= radius * radius
            }
        }
    }
}

impl<'a, 'b> Followed<'a, 'b> {
    /// None for shapes that are not followed.
    pub(super) fn new(cores: &'a Cores<'b, D3>, job: &CollideJob<'_, D3>) -> Option<Self> {
        let (x, y, z) = (Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0));
        let a = Solid::new(job.a, [x, y, z], Wide::ZERO)?;
        let b = Solid::new(job.b, *cores.axes(), cores.guess())?;
        let flush = FLUSH * f64::from(job.slop);
        // Where rounding is coarser than the slop, a tiny shape on a huge one, nothing can be proven, and the search decides.
        let tolerance = (ROUNDING * (a.size() + b.size() + b.center.reach())).min(flush);
        Some(Self { cores, tolerance, flush, slop: f64::from(job.slop), a, b })
    }

    /// The axis near the unit vector `guess` along which the two cores are farthest apart, or overlap least; None if it cannot be
    /// proven to be one.
    pub(super) fn track(&self, guess: Wide, counters: &mut NarrowCounters) -> Option<CoreDistance> {
        let mut found = self.near(guess, counters)?;
        // A neighbour of last time's axis, but one in quite another direction may have become the better one.
        if found.distance < 0.0 && self.best_flat() > found.distance + OTHER_AXIS * self.slop {
            return None;
        }
        if found.distance < -f64::from(RESTING) * self.slop {
            let least = -found.distance - OTHER_AXIS_DEEP * self.slop;
            let (is_least, iterations) = overlaps_by(self.cores, found.normal, least);
            counters.epa_iterations += u64::from(iterations);
            found.iterations[1] = iterations;
            return is_least.then_some(found);
        }
        Some(found)
    }

    /// The same, however deep.
    pub(super) fn near(&self, guess: Wide, counters: &mut NarrowCounters) -> Option<CoreDistance> {
        let mut guess = guess;
        for _ in 0..MAX_ROUNDS {
            let mut best = (self.cores.gap(guess), None);
            if let Some(found) = self.among_features(guess, &mut best, counters) {
                return Some(found);
            }
            guess = best.1?;
        }
        None
    }

    /// The axis of the features that support the shapes along directions near `guess`. If it is not that of any of them, `best` becomes the direction that they lead to
    /// if the gap there is larger [m]: other features are there.
    fn among_features(
        &self,
        guess: Wide,
        best: &mut (f64, Option<Wide>),
        counters: &mut NarrowCounters,
    ) -> Option<CoreDistance> {
        let (of_a, of_b) = (self.a.features(guess), self.b.features(-guess));
        // The most special pair first, then one by one the more general ones.
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let (Some(fa), Some(fb)) = (of_a[i], of_b[j]) else { continue };
            counters.axes += 1;
            let mut way = guess;
            if let Some(found) = self.solve(fa, fb, &mut way) {
                return Some(found);
            }
            if way != guess {
                let gap = self.cores.gap(way);
                if gap > best.0 + self.tolerance {
                    *best = (gap, Some(way));
                }
            }
        }
        None
    }
}

/// Two shapes whose axis can be followed.
pub(super) struct Followed<'a, 'b> {
    cores: &'a Cores<'b, D3>,
    a: Solid,
    b: Solid,
    /// Difference of gaps that counts as none [m].
    tolerance: f64,
    /// Difference of heights over a face that counts as none [m].
    flush: f64,
    /// [m].
    slop: f64,
}

impl Followed<'_, '_> {
    /// The largest gap along the normal of a flat face [m].
    fn best_flat(&self) -> f64 {
        let gap = |&n: &Wide| {
            let between = (self.b.center - self.a.center).dot(n).abs();
            between - self.a.half_along(n) - self.b.half_along(n)
        };
        let axes = self.a.flat_axes().iter().chain(self.b.flat_axes());
        axes.map(gap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The axis of two features; if there is none, `guess` becomes the direction to which the search came.
    fn solve(&self, fa: Feature, fb: Feature, guess: &mut Wide) -> Option<CoreDistance> {
        match (fa, fb) {
            (Feature::Flat(axis, sign), other) => {
                let up = self.a.axes[axis] * sign;
                let found = self.flat(&self.a, axis, up, &self.b, false);
                found.or_else(|| self.line_over_rim(&self.a, up, other, false))
            }
            (other, Feature::Flat(axis, sign)) => {
                let up = self.b.axes[axis] * sign;
                let found = self.flat(&self.b, axis, up, &self.a, true);
                found.or_else(|| self.line_over_rim(&self.b, up, other, true))
            }
            (Feature::Line(p, d, ha, ra), Feature::Line(q, e, hb, rb)) => {
                self.lines([p, q], [d, e], [ha, hb], [ra, rb], *guess)
            }
            (Feature::Line(p, d, half, radius), other) => self.line(p, d, half, radius, other, guess, false),
            (other, Feature::Line(p, d, half, radius)) => self.line(p, d, half, radius, other, guess, true),
            (Feature::Rim(..), Feature::Rim(..)) => self.rims(fa, fb, guess),
            // A corner against a rim or a corner: of cores that overlap never the best axis.
            _ => None,
        }
    }

    /// The answer for an axis and points on both cores, if it is proven: nothing may be closer than the points.
    fn proven(&self, n: Wide, on_a: Wide, on_b: Wide) -> Option<CoreDistance> {
        let w = on_b - on_a;
        let distance = w.dot(n);
        let is_along = (w - n * distance).length_squared() <= self.tolerance * self.tolerance;
        let is_best = || self.cores.gap(n) >= distance - self.tolerance;
        (is_along && is_best()).then_some(CoreDistance {
            distance,
            normal: n,
            on_a,
            on_b,
            iterations: [0, 0],
        })
    }

    /// The face of `own` with the outward normal `up`, and whatever of `other` is lowest over it.
    fn flat(&self, own: &Solid, axis: usize, up: Wide, other: &Solid, flip: bool) -> Option<CoreDistance> {
        let n = if flip { -up } else { up };
        let support = self.cores.support(-n);
        let distance = support.w.dot(n);
        let region = own.region(axis, if up.dot(own.axes[axis]) < 0.0 { -1.0 } else { 1.0 });
        let lowest = if flip { support.a } else { support.b };
        let is_over = region.is_under(lowest, lowest, up)
            || match &other.form {
                Form::Box(_) => false,
                Form::Cylinder { half, radius } => {
                    let c = up.dot(other.axes[1]);
                    let up_side = if c > 0.0 { -1.0 } else { 1.0 };
                    if c.abs() * 2.0 * half <= self.flush {
                        // Lying on its side: the whole line.
                        region.is_under(lowest, lowest - other.axes[1] * (2.0 * up_side * half), up)
                    } else if (1.0 - c * c).max(0.0).sqrt() * 2.0 * radius <= self.flush {
                        region.is_under_disc(other.center + other.axes[1] * (up_side * half), *radius)
                    } else {
                        false
                    }
                }
            };
        let (on_a, on_b) =
            if flip { (support.a, support.a + n * distance) } else { (support.b - n * distance, support.b) };
        is_over.then_some(CoreDistance { distance, normal: n, on_a, on_b, iterations: [0, 0] })
    }

    /// A line that crosses the rim of the cap of `own` with the outward normal `up`, and leans over it by little: n is at right angles to the line and to the rim where that
    /// crosses it, at the lower end. The rim as seen along n turns with n much faster there than Newton's method would have it.
    fn line_over_rim(&self, own: &Solid, up: Wide, other: Feature, flip: bool) -> Option<CoreDistance> {
        let (Form::Cylinder { half, radius: rim }, Feature::Line(middle, d, half_line, radius)) =
            (&own.form, other)
        else {
            return None;
        };
        let top = own.center + up * *half;
        // Downwards.
        let d = if d.dot(up) > 0.0 { -d } else { d };
        let mut n = (up - d * up.dot(d)).unit()?;
        for _ in 0..MAX_STEPS {
            // Down to the plane of the cap along n.
            let fall = 1.0 / n.dot(up);
            let flat = |v: Wide| v - n * (v.dot(up) * fall);
            let (from, along) = (flat(middle - n * radius - top), flat(d));
            let (l, m) = (along.length_squared(), from.dot(along));
            let root = m * m - l * (from.length_squared() - rim * rim);
            if root < 0.0 {
                return None;
            }
            let out = (from + along * ((root.sqrt() - m) / l)).unit()?;
            let next = up.cross(out).cross(d).unit()?;
            let next = if next.dot(up) < 0.0 { -next } else { next };
            let step = (next - n).length();
            n = next;
            if step < ARRIVED {
                let on_rim = top + out * *rim;
                let s = (on_rim - middle).dot(d);
                if s.abs() > half_line {
                    return None;
                }
                let on_line = middle + d * s - n * radius;
                return if flip { self.proven(-n, on_line, on_rim) } else { self.proven(n, on_rim, on_line) };
            }
        }
        None
    }

    /// Two lines: across both. Side by side, away from each other.
    fn lines(
        &self,
        middle: [Wide; 2],
        along: [Wide; 2],
        half: [f64; 2],
        radius: [f64; 2],
        guess: Wide,
    ) -> Option<CoreDistance> {
        let cross = along[0].cross(along[1]);
        let between = middle[1] - middle[0];
        if cross.length_squared() < PARALLEL_SQUARED {
            // The stretch that both have in common, and its middle.
            let away = between - along[0] * between.dot(along[0]);
            let n = away.unit()?;
            let n = if n.dot(guess) < 0.0 { -n } else { n };
            let offset = between.dot(along[0]);
            let (low, high) = ((-half[0]).max(offset - half[1]), half[0].min(offset + half[1]));
            if low > high {
                return None;
            }
            let at = middle[0] + along[0] * (0.5 * (low + high));
            return self.proven(n, at + n * radius[0], at + away - n * radius[1]);
        }
        let n = cross.unit()?;
        let n = if n.dot(guess) < 0.0 { -n } else { n };
        // Where the lines cross, seen along n: s·d − t·e = between across n.
        let det = cross.length_squared();
        let s = between.cross(along[1]).dot(cross) / det;
        let t = between.cross(along[0]).dot(cross) / det;
        if s.abs() > half[0] || t.abs() > half[1] {
            return None;
        }
        self.proven(n, middle[0] + along[0] * s + n * radius[0], middle[1] + along[1] * t - n * radius[1])
    }

    /// A line with the direction `d` against a corner or a rim of the other shape: n turns about the line. `n` points away from
    /// the line; with `flip` the line is that of b.
    #[expect(clippy::too_many_arguments, reason = "the parts of a line")]
    fn line(
        &self,
        middle: Wide,
        d: Wide,
        half: f64,
        radius: f64,
        other: Feature,
        guess: &mut Wide,
        flip: bool,
    ) -> Option<CoreDistance> {
        let towards = if flip { -*guess } else { *guess };
        let mut n = (towards - d * towards.dot(d)).unit()?;
        let mut at = support(&other, -n)?;
        let mut is_there = false;
        for _ in 0..MAX_STEPS {
            let turn = d.cross(n);
            let w = at.0 - middle;
            let gap = w.dot(n) - radius;
            let stiffness = radius + at.1.map_or(0.0, |(k, t)| k * t.dot(turn) * t.dot(turn)) + gap;
            if stiffness <= 0.0 {
                return None;
            }
            let step = (w.dot(turn) / stiffness).clamp(-MAX_STEP, MAX_STEP);
            n = (n + turn * step).unit()?;
            *guess = if flip { -n } else { n };
            at = support(&other, -n)?;
            if step.abs() < SETTLED {
                is_there = true;
                break;
            }
        }
        let s = (at.0 - middle).dot(d);
        if !is_there || s.abs() > half {
            return None;
        }
        let on_line = middle + d * s + n * radius;
        if flip { self.proven(-n, at.0, on_line) } else { self.proven(n, on_line, at.0) }
    }

    /// Two rims: n turns both ways.
    fn rims(&self, fa: Feature, fb: Feature, guess: &mut Wide) -> Option<CoreDistance> {
        let mut n = *guess;
        for _ in 0..MAX_STEPS {
            let ((p, ka), (q, kb)) = (support(&fa, n)?, support(&fb, -n)?);
            let ((ka, ta), (kb, tb)) = (ka?, kb?);
            let w = q - p;
            let gap = w.dot(n);
            // In the plane across n, along the tangent of the first rim and at right angles to it.
            let (u, v) = (ta, n.cross(ta));
            let (x, y) = (tb.dot(u), tb.dot(v));
            let (m00, m01, m11) = (ka + kb * x * x + gap, kb * x * y, kb * y * y + gap);
            let det = m00 * m11 - m01 * m01;
            if m00 <= 0.0 || det <= 0.0 {
                return None;
            }
            let (wu, wv) = (w.dot(u), w.dot(v));
            let (su, sv) = ((m11 * wu - m01 * wv) / det, (m00 * wv - m01 * wu) / det);
            let step = su.abs().max(sv.abs());
            let scale = if step > MAX_STEP { MAX_STEP / step } else { 1.0 };
            n = (n + (u * su + v * sv) * scale).unit()?;
            *guess = n;
            if step < SETTLED {
                return self.proven(n, support(&fa, n)?.0, support(&fb, -n)?.0);
            }
        }
        None
    }
}

/// Supporting point of a corner or rim along the unit vector `n`, and how it moves: by a factor, along a tangent.
#[inline]
fn support(feature: &Feature, n: Wide) -> Option<(Wide, Option<(f64, Wide)>)> {
    match feature {
        Feature::Point(p) => Some((*p, None)),
        Feature::Rim(middle, axis, radius) => {
            let out = n - *axis * n.dot(*axis);
            let sine = out.length();
            if sine < ARRIVED {
                return None;
            }
            let out = out * (1.0 / sine);
            Some((*middle + out * *radius, Some((radius / sine, axis.cross(out)))))
        }
        Feature::Line(..) | Feature::Flat(..) => None,
    }
}
