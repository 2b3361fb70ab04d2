//! The separating axes of two hulls or boxes: faces, and pairs of edges whose arcs cross on the Gauss map (the sphere of normals), after
//! Gregorius (2013).
//!
//! Most of them need no look. Along a unit vector n the gap is at most n·(c − p) − r, where p is a point of one hull that is
//! farthest along n and c the middle of a ball of radius r inside the other. For a face that is one dot product instead of one
//! per corner; for an edge it is bounded over the whole arc of its normals, which leaves a few edges of each hull to be
//! paired. What cannot beat the best so far is left out, and nothing else: the answer is that of the search over all.

use super::{NO_CROSS_SQUARED, SECOND_FACE, stays};
use crate::math::*;
use crate::narrow_phase::{NarrowCounters, PairCache};
use crate::shape::d3::{EdgeLine, HullFace, HullView};

pub(super) const FACE_A: u32 = 32;
pub(super) const FACE_B: u32 = 33;
pub(super) const EDGES: u32 = 34;
/// Blocks of four edges of the largest hull: 255 corners have at most 3·255 − 6 edges.
const MAX_BLOCKS: usize = 190;
/// Share of the lengths in a bound that rounding may take (no unit).
const BOUND_SLACK: Real = 1e-5;

/// Two hulls, b placed in the frame of a.
pub(super) struct Pair<'a> {
    pub a: HullView<'a>,
    pub b: HullView<'a>,
    /// Rotation of b in the frame of a, as columns.
    pub r: Mat3,
    pub t: Vec3,
}

/// An axis that separates, or overlaps least: its kind, the features, and the gap.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub kind: u32,
    /// Face or edge of a, and of b. Of a face contact the second one is the face that lies on it.
    pub i: usize,
    pub j: usize,
    pub gap: Real,
}

impl Axis {
    /// True if both are the same face, whatever lies on it, or the same two edges.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && (self.kind == FACE_B || self.i == other.i)
            && (self.kind == FACE_A || self.j == other.j)
    }

    /// Finds the face that lies on the face of this axis: that of `last` time, if it still does nearly as well as the best.
    pub(super) fn lay(&mut self, pair: &Pair<'_>, last: Option<Self>) {
        let normal = pair.face_normal(self);
        let (view, d) = if self.kind == FACE_A { (&pair.b, -pair.to_b(normal)) } else { (&pair.a, normal) };
        let of = |axis: &Self| if self.kind == FACE_A { axis.j } else { axis.i };
        let mut face = view.face_along(d);
        if let Some(last) = last.filter(|l| l.is_same(self)).map(|l| of(&l))
            && let Some(old) = view.faces.get(last)
            && stays(old.normal.dot(d), view.faces[face].normal.dot(d))
        {
            face = last;
        }
        if self.kind == FACE_A { self.j = face } else { self.i = face }
    }
}

impl Pair<'_> {
    pub(super) fn to_b(&self, v: Vec3) -> Vec3 {
        self.r.transpose() * v
    }

    /// Gap between a face of a and the hull b.
    fn face_a_gap(&self, face: &HullFace) -> Real {
        face.normal.dot(self.t) + self.b.lowest(self.to_b(face.normal)) - face.offset
    }

    /// Gap between a face of b and the hull a.
    fn face_b_gap(&self, face: &HullFace) -> Real {
        let n = self.r * face.normal;
        self.a.lowest(n) - n.dot(self.t) - face.offset
    }

    /// Normal of the face of an axis, from a to b.
    pub(super) fn face_normal(&self, axis: &Axis) -> Vec3 {
        if axis.kind == FACE_A {
            self.a.faces[axis.i].normal
        } else {
            -(self.r * self.b.faces[axis.j].normal)
        }
    }

    /// Middle of b in the frame of a, and the other way round.
    fn centers(&self) -> (Vec3, Vec3) {
        (self.r * self.b.center + self.t, self.to_b(self.a.center - self.t))
    }

    /// Gap along any unit axis from a to b.
    pub(super) fn gap(&self, n: Vec3) -> Real {
        n.dot(self.t) + self.b.lowest(self.to_b(n)) + self.a.lowest(-n)
    }

    /// Edge `j` of b in the frame of a: start, direction.
    pub(super) fn edge_b(&self, j: usize) -> (Vec3, Vec3) {
        let line = &self.b.lines[j];
        (self.r * line.start + self.t, self.r * line.along)
    }

    /// True if the edges of this axis are one of the pairs that can be closest: their arcs cross.
    fn is_crossing(&self, axis: &Axis) -> bool {
        let [c, d] = self.b.lines[axis.j].normals.map(|n| -(self.r * n));
        let crossings = self.a.blocks[axis.i / 4].crossings(c, d, self.edge_b(axis.j).1);
        crossings >> (axis.i % 4) & 1 == 1
    }

    /// The gap of a remembered axis; None if the cache holds none for these hulls.
    pub(super) fn cached(&self, cache: &PairCache) -> Option<Axis> {
        let (i, j) = ((cache.a >> 16) as usize, (cache.a & 0xFFFF) as usize);
        let kind = cache.kind & 0xFF;
        let gap = match kind {
            FACE_A => self.face_a_gap(self.a.faces.get(i)?),
            FACE_B => self.face_b_gap(self.b.faces.get(j)?),
            EDGES if i < self.a.lines.len() && j < self.b.lines.len() => {
                self.gap(edge_normal(&self.a.lines[i], self.edge_b(j).1)?)
            }
            _ => return None,
        };
        Some(Axis { kind, i, j, gap })
    }
}

/// The face of largest gap; the first that separates by more than `limit` ends the search.
pub(super) fn best_face(
    pair: &Pair<'_>,
    cached: Option<Axis>,
    is_b_first: bool,
    slop: Real,
    limit: Real,
    counters: &mut NarrowCounters,
) -> Axis {
    let (b_in_a, a_in_b) = pair.centers();
    let bound = |face: &HullFace, center: Vec3, inner: Real| {
        let x = face.normal.dot(center);
        x - face.offset - inner + BOUND_SLACK * (x.abs() + face.offset.abs() + inner)
    };
    let bound_a = |face: &HullFace| bound(face, b_in_a, pair.b.inner);
    let bound_b = |face: &HullFace| bound(face, a_in_b, pair.a.inner);
    // Hysteresis: the cached face, then those of the first hull, win unless clearly worse.
    let cached = cached.filter(|c| c.kind != EDGES);
    let lead = |kind: u32, index: usize| {
        let same = |c: Axis| c.kind == kind && index == if kind == FACE_A { c.i } else { c.j };
        let bonus = if cached.is_some_and(same) { 0.5 * slop } else { 0.0 };
        bonus - if (kind == FACE_B) == is_b_first { 0.0 } else { SECOND_FACE * slop }
    };
    // A good face to begin with: that of last time, or the one with most room for the other hull.
    let seed = cached.unwrap_or_else(|| {
        counters.axes += 1;
        let widest = |faces: &[HullFace], bound: &dyn Fn(&HullFace) -> Real| {
            let bounds = faces.iter().map(bound).enumerate();
            bounds.fold((0, Real::NEG_INFINITY), |best, new| if new.1 > best.1 { new } else { best })
        };
        let (i, of_a) = widest(pair.a.faces, &bound_a);
        let (j, of_b) = widest(pair.b.faces, &bound_b);
        if of_a >= of_b {
            Axis { kind: FACE_A, i, j: 0, gap: pair.face_a_gap(&pair.a.faces[i]) }
        } else {
            Axis { kind: FACE_B, i: 0, j, gap: pair.face_b_gap(&pair.b.faces[j]) }
        }
    });
    if seed.gap > limit {
        return seed;
    }
    let least = seed.gap + lead(seed.kind, if seed.kind == FACE_A { seed.i } else { seed.j });
    let mut best = seed;
    let mut best_score = Real::NEG_INFINITY;
    for of_b in [is_b_first, !is_b_first] {
        let (kind, faces, center, inner) = match of_b {
            true => (FACE_B, pair.b.faces, a_in_b, pair.a.inner),
            false => (FACE_A, pair.a.faces, b_in_a, pair.b.inner),
        };
        // PERF: nearly all faces end at their bound, so all that is the same for them is taken out of it. As |offset| ≤ |x| + |x − offset| and |x| ≤ |c|, a face is
        // left out if y + s·|y| < least, with y = x − offset, and that is so exactly if y is below a limit.
        let slack = BOUND_SLACK * (2.0 * center.length() + inner) - inner;
        let lowest = |enough: Real, lead: Real| {
            let least = enough - lead - slack;
            least / (1.0 + BOUND_SLACK.copysign(least))
        };
        let last = cached.filter(|c| c.kind == kind).map(|c| if of_b { c.j } else { c.i });
        let (last, of_last) = last.map_or((usize::MAX, 0.0), |last| (last, lead(kind, last)));
        let of_others = lead(kind, usize::MAX);
        let mut low = lowest(least.max(best_score), of_others);
        for (k, face) in faces.iter().enumerate() {
            if face.normal.dot(center) - face.offset < low && k != last {
                continue;
            }
            let lead = if k == last { of_last } else { of_others };
            counters.axes += 1;
            let gap = if of_b { pair.face_b_gap(face) } else { pair.face_a_gap(face) };
            let (i, j) = if of_b { (0, k) } else { (k, 0) };
            let axis = Axis { kind, i, j, gap };
            if gap > limit {
                return axis;
            }
            if gap + lead > best_score {
                (best, best_score) = (axis, gap + lead);
                low = lowest(least.max(best_score), of_others);
            }
        }
    }
    best
}

/// The edge pair of largest gap among those that can be closest; None if there is none with a gap of more than `least`. The
/// remembered pair, if it is still one of them, leaves out what is worse.
pub(super) fn best_edge(
    pair: &Pair<'_>,
    cached: Option<Axis>,
    least: Real,
    limit: Real,
    counters: &mut NarrowCounters,
) -> Option<Axis> {
    let cached = cached.filter(|c| c.kind == EDGES && c.gap > least && pair.is_crossing(c));
    let least = cached.map_or(least, |c| c.gap);
    let (b_in_a, a_in_b) = pair.centers();
    let near_a = Near::new(&pair.a, b_in_a, pair.b.inner, least);
    if near_a.blocks().is_empty() {
        return None;
    }
    let near_b = Near::new(&pair.b, a_in_b, pair.a.inner, least);
    let mut best: Option<Axis> = None;
    for &(kb, mut of_b) in near_b.blocks() {
        while of_b != 0 {
            let j = 4 * usize::from(kb) + of_b.trailing_zeros() as usize;
            of_b &= of_b - 1;
            let (pb, db) = pair.edge_b(j);
            // Normals of the faces of −b in the frame of a.
            let [c, d] = pair.b.lines[j].normals.map(|n| -(pair.r * n));
            for &(ka, of_a) in near_a.blocks() {
                let mut crossing = u32::from(of_a) & pair.a.blocks[usize::from(ka)].crossings(c, d, db);
                while crossing != 0 {
                    let i = 4 * usize::from(ka) + crossing.trailing_zeros() as usize;
                    crossing &= crossing - 1;
                    let line = &pair.a.lines[i];
                    counters.axes += 1;
                    let Some(normal) = edge_normal(line, db) else { continue };
                    let gap = normal.dot(pb - line.start);
                    if best.is_none_or(|b| gap > b.gap) {
                        best = Some(Axis { kind: EDGES, i, j, gap });
                        if gap > limit {
                            return best;
                        }
                    }
                }
            }
        }
    }
    best
}

/// Edges of a hull that can have a normal along which another hull is far enough away: blocks of four by number, with a bit for
/// each of their edges.
struct Near {
    blocks: [(u8, u8); MAX_BLOCKS],
    count: usize,
}

impl Near {
    /// The other hull has a ball of radius `inner` about `center` inside, and is to be apart by more than `least`.
    fn new(hull: &HullView<'_>, center: Vec3, inner: Real, least: Real) -> Self {
        let reach = least + inner - BOUND_SLACK * (center.abs().max_element() + inner + least.abs());
        let mut near = Self { blocks: [(0, 0); MAX_BLOCKS], count: 0 };
        for (k, block) in hull.blocks.iter().enumerate() {
            // The last block may have fewer edges.
            let left = hull.lines.len() - (4 * k).min(hull.lines.len());
            let bits = block.near(center, reach) & ((1 << left.min(4)) - 1);
            near.blocks[near.count] = (k as u8, bits as u8);
            near.count += usize::from(bits != 0);
        }
        near
    }

    fn blocks(&self) -> &[(u8, u8)] {
        &self.blocks[..self.count]
    }
}

/// Normal of an edge of a and a direction of b, on the side of the faces of a; None if they are parallel.
pub(super) fn edge_normal(line: &EdgeLine, db: Vec3) -> Option<Vec3> {
    let cross = line.along.cross(db);
    let l2 = cross.length_squared();
    if l2 < NO_CROSS_SQUARED * line.along.length_squared() * db.length_squared() || l2 <= 0.0 {
        return None;
    }
    let unit = cross * (1.0 / l2.sqrt());
    Some(if unit.dot(line.normals[0] + line.normals[1]) < 0.0 { -unit } else { unit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape3;
    use crate::shape::d3::{BoxHull, HullData};

    /// A fixed sequence of numbers between −1 and 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> Real {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as Real / (1 << 23) as Real - 1.0
        }
        fn vec(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    /// The search over all faces.
    fn plain_face(pair: &Pair<'_>, slop: Real) -> Axis {
        let mut best = Axis { kind: FACE_A, i: 0, j: 0, gap: Real::NEG_INFINITY };
        for (i, face) in pair.a.faces.iter().enumerate() {
            let gap = pair.face_a_gap(face);
            if gap > best.gap {
                best = Axis { kind: FACE_A, i, j: 0, gap };
            }
        }
        let mut score = best.gap;
        for (j, face) in pair.b.faces.iter().enumerate() {
            let gap = pair.face_b_gap(face);
            if gap - SECOND_FACE * slop > score {
                (best, score) = (Axis { kind: FACE_B, i: 0, j, gap }, gap - SECOND_FACE * slop);
            }
        }
        best
    }

    /// The search over all pairs of edges whose arcs cross.
    fn plain_edge(pair: &Pair<'_>) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        for j in 0..pair.b.lines.len() {
            let (pb, db) = pair.edge_b(j);
            let [c, d] = pair.b.lines[j].normals.map(|n| -(pair.r * n));
            for (i, line) in pair.a.lines.iter().enumerate() {
                let (cba, dba) = (c.dot(line.along), d.dot(line.along));
                let (adc, bdc) = (line.normals[0].dot(db), line.normals[1].dot(db));
                let Some(normal) = edge_normal(line, db) else { continue };
                let gap = normal.dot(pb - line.start);
                let crosses = cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
                if crosses && best.is_none_or(|b| gap > b.gap) {
                    best = Some(Axis { kind: EDGES, i, j, gap });
                }
            }
        }
        best
    }

    fn hull(random: &mut Random, case: usize) -> HullData {
        let squash = [Vec3::ONE, Vec3::new(1.0, 0.1, 0.6), Vec3::new(0.05, 1.0, 0.05)][case % 3];
        let aside = if case % 4 == 3 { Vec3::new(3.0, -1.0, 2.0) } else { Vec3::ZERO };
        let points: Vec<Vec3> = (0..5 + case % 30).map(|_| random.vec() * squash + aside).collect();
        let Ok(Shape3::Hull { data, .. }) = Shape3::hull(&points) else { return hull(random, case) };
        (*data).clone()
    }

    /// The answer of the search with bounds is that of the search over all, from far apart to nested, whatever was known before.
    #[test]
    fn bounds_leave_nothing_out() {
        let slop = 1e-3;
        let mut random = Random(7);
        let (mut edges, mut looked, mut all) = (0, 0, 0);
        for case in 0..3_000 {
            let (a, b) = (hull(&mut random, case), hull(&mut random, case / 3));
            let flat = BoxHull::new(Vec3::new(0.8, 0.5, 0.02 + random.next().abs()));
            let b = if case % 5 == 0 { flat.view() } else { b.view() };
            let q = Quat::from_xyzw(random.next(), random.next(), random.next(), random.next());
            let apart = [0.2, 1.0, 2.0][case % 3];
            let t = a.center() + random.vec() * apart;
            let r = Mat3::from_quat(RotOps::<D3>::normalized(q));
            let pair = Pair { a: a.view(), b, r, t: t - r * b.center };
            let (mut counters, mut other) = (NarrowCounters::default(), NarrowCounters::default());
            let expected = plain_face(&pair, slop);
            let face = best_face(&pair, None, false, slop, Real::INFINITY, &mut counters);
            let key = |x: &Axis| (x.kind, x.i, x.j, x.gap.to_bits());
            assert_eq!(key(&face), key(&expected), "case {case}: face {} {}", face.gap, expected.gap);
            // Beginning with another face, that of last time, changes nothing but the hysteresis: none at a slop of 0.
            let last = Axis { kind: FACE_A, i: case % pair.a.faces.len(), j: 0, gap: 0.0 };
            let gap = pair.face_a_gap(&pair.a.faces[last.i]);
            let sharp =
                best_face(&pair, Some(Axis { gap, ..last }), false, 0.0, Real::INFINITY, &mut counters);
            assert_eq!(key(&sharp), key(&plain_face(&pair, 0.0)), "case {case}");
            let axes = counters.axes;
            let expected = plain_edge(&pair).filter(|e| e.gap > face.gap);
            let edge = best_edge(&pair, None, face.gap, Real::INFINITY, &mut counters);
            let edge = edge.filter(|e| e.gap > face.gap);
            assert_eq!(
                edge.map(|e| key(&e)),
                expected.map(|e| key(&e)),
                "case {case}: edges over {}",
                face.gap
            );
            // Nor does a remembered pair, right or wrong.
            let (i, j) = (case % pair.a.lines.len(), case % pair.b.lines.len());
            let wrong = PairCache { kind: EDGES, a: (i as u32) << 16 | j as u32, ..PairCache::default() };
            let right = edge.map(|e| PairCache { a: (e.i as u32) << 16 | e.j as u32, ..wrong });
            for cache in right.into_iter().chain([wrong]) {
                let again = best_edge(&pair, pair.cached(&cache), face.gap, Real::INFINITY, &mut other);
                let again = again.filter(|e| e.gap > face.gap);
                assert_eq!(again.map(|e| key(&e)), edge.map(|e| key(&e)), "case {case}");
            }
            edges += u32::from(edge.is_some());
            looked += counters.axes - axes;
            all += (pair.a.lines.len() * pair.b.lines.len()) as u64;
        }
        assert!(edges > 300, "{edges}");
        assert!(looked * 20 < all, "{looked} of {all}");
    }
}
