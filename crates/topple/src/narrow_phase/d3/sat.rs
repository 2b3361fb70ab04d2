//! Any two bounded convex shapes by separating axes alone: the way of `sat` for pairs that are not two polyhedra.
//!
//! Candidates are the normals of faces, the common normals of edges that can touch each other (by their arcs on the sphere of
//! normals), and, if the cores are apart, the way between the nearest corners and edges. Each is measured with the true
//! shapes, so that no candidate can claim more than there is. Rims are polygons at first; the best few axes are then
//! improved, looking at the rim closer and closer where they touch it. Points come from the patches that face each other, as
//! for all convex shapes (`convex.rs`).
//!
//! Cache: as in `convex.rs`.

use super::convex::{self, AXIS, Last};
use super::solid::{Edge, Solid};
use crate::distance::{CoreDistance, Cores, Wide};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::shape::{Shape3, ShapeOps};

/// Squared sine below which two edges have no common normal (no unit).
const NO_CROSS_SQUARED: f64 = 1e-12;
/// Axes that are improved in turn, because the polygons in the rims cannot tell which of them is the best.
const CANDIDATES: usize = 6;
/// Cosine below which two axes are different ones (no unit; 25°).
const DIFFERENT: f64 = 0.9;
/// Share of the size by which the best axis of the polygons may be wrong (no unit): two times 1 − cos of half a step.
const POLYGON_ERROR: f64 = 0.07;
/// tan of a quarter of the first step when looking closer, π/48, and how often it is made smaller by which factor (no unit): down to
/// a hundredth of a degree, and slowly enough that the best axis does not leave the view.
const FIRST_STEP: f64 = 0.065_543_5;
const CLOSER: usize = 22;
/// Gaps that differ by less than this share of the size are the same (no unit).
const SAME_GAP: f64 = 1e-9;
const SMALLER: f64 = 0.7;

/// What an axis was found by.
#[derive(Clone, Copy)]
enum Source {
    FaceA,
    FaceB,
    Edges([Wide; 2], [Wide; 2]),
    Points(Wide, Wide),
}

impl Source {
    fn is_face(&self) -> bool {
        matches!(self, Self::FaceA | Self::FaceB)
    }
}

#[derive(Clone, Copy)]
struct Axis {
    gap: f64,
    normal: Wide,
    source: Source,
}

/// The search for an axis of largest gap.
struct Search<'a, 'b> {
    cores: &'a Cores<'b, D3>,
    /// An axis that separates by more than this ends the search [m].
    limit: f64,
    /// The best axes so far, in descending order, all of different directions.
    best: [Option<Axis>; CANDIDATES],
    /// The best axis of earlier searches.
    known: Option<Axis>,
    axes: u64,
}

impl Search<'_, '_> {
    fn gap(&self) -> f64 {
        self.best[0].map_or(f64::NEG_INFINITY, |axis| axis.gap)
    }

    fn is_separated(&self) -> bool {
        self.gap() > self.limit
    }

    fn offer(&mut self, normal: Wide, source: Source) {
        self.axes += 1;
        let new = Axis { gap: self.cores.gap(normal), normal, source };
        // In the place of one of the same direction, or of the worst. Faces hide no edges: the axis of a face is exact, that of
        // an edge of a polygon may improve.
        let same = |old: &Option<Axis>| {
            old.is_none_or(|old| {
                old.normal.dot(normal) > DIFFERENT && old.source.is_face() == source.is_face()
            })
        };
        let slot = self.best.iter().position(same).unwrap_or(CANDIDATES - 1);
        if self.best[slot].is_none_or(|old| new.gap > old.gap) {
            self.best[slot] = Some(new);
            let mut k = slot;
            while k > 0 && self.best[k - 1].is_none_or(|before| before.gap < new.gap) {
                self.best.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    fn faces(&mut self, solid: &Solid<'_>, of_b: bool) {
        for i in 0..solid.face_count() {
            let normal = solid.face(i);
            if of_b {
                self.offer(-normal, Source::FaceB);
            } else {
                self.offer(normal, Source::FaceA);
            }
            if self.is_separated() {
                return;
            }
        }
    }

    fn edges(&mut self, a: &Solid<'_>, b: &Solid<'_>) {
        for i in 0..a.edge_count() {
            let Some(edge) = a.edge(i) else { continue };
            for j in 0..b.edge_count() {
                let Some(other) = b.edge(j) else { continue };
                self.edge_pair(&edge, &other);
                if self.is_separated() {
                    return;
                }
            }
        }
    }

    #[inline]
    fn edge_pair(&mut self, a: &Edge, b: &Edge) {
        let cross = a.along.cross(b.along);
        if cross.length_squared() <= NO_CROSS_SQUARED {
            return;
        }
        let Some(n) = cross.unit() else { return };
        for n in [n, -n] {
            if a.faces(n) && b.faces(-n) {
                self.offer(n, Source::Edges(a.ends, b.ends));
            }
        }
    }

    /// The way between the nearest corners and edges of cores that are apart: between inner points of faces and of edges
    /// that cross it is one of the other axes.
    fn corners(&mut self, a: &Solid<'_>, b: &Solid<'_>) {
        let known =
            [self.known, self.best[0]].into_iter().flatten().reduce(|x, y| if y.gap > x.gap { y } else { x });
        let Some(axis) = known.filter(|axis| axis.gap > 0.0) else { return };
        // Points that are nearer to each other than the limit are not farther than the rest of it behind the planes that
        // touch the cores along the axis.
        let n = axis.normal;
        let highest = self.cores.support(-n).a.dot(n);
        let room = self.limit - axis.gap + ROOM_SLACK * (self.limit.abs() + highest.abs());
        let (over, under) = (highest - room, highest + axis.gap + room);
        let mut nearest = (f64::INFINITY, Wide::ZERO, Wide::ZERO);
        for i in 0..a.point_count() {
            let p = a.point(i);
            if p.dot(n) < over {
                continue;
            }
            for j in 0..b.point_count() {
                take(&mut nearest, p, b.point(j));
            }
            for j in 0..b.edge_count() {
                let Some(edge) = b.edge(j) else { continue };
                if edge.ends[0].dot(n).min(edge.ends[1].dot(n)) <= under {
                    take(&mut nearest, p, foot(&edge, p));
                }
            }
        }
        for j in 0..b.point_count() {
            let q = b.point(j);
            if q.dot(n) > under {
                continue;
            }
            for i in 0..a.edge_count() {
                let Some(edge) = a.edge(i) else { continue };
                if edge.ends[0].dot(n).max(edge.ends[1].dot(n)) >= over {
                    take(&mut nearest, foot(&edge, q), q);
                }
            }
        }
        let (_, p, q) = nearest;
        if let Some(n) = (q - p).unit() {
            self.offer(n, Source::Points(p, q));
        }
    }

    /// All axes of two solids. With `planes`, edges or faces and the faces of one body or the other come first as told.
    fn all(&mut self, a: &Solid<'_>, b: &Solid<'_>, order: Order) {
        if order.edges_first {
            self.edges(a, b);
        }
        for of_b in [order.b_first, !order.b_first] {
            if !self.is_separated() {
                self.faces(if of_b { b } else { a }, of_b);
            }
        }
        if !order.edges_first && !self.is_separated() {
            self.edges(a, b);
        }
        if !self.is_separated() {
            self.corners(a, b);
        }
    }
}

/// Share of the lengths in a comparison of heights that rounding may take (no unit).
const ROOM_SLACK: f64 = 1e-6;

/// In which order axes are looked at.
#[derive(Clone, Copy, Default)]
struct Order {
    edges_first: bool,
    b_first: bool,
}

fn take(nearest: &mut (f64, Wide, Wide), p: Wide, q: Wide) {
    let distance = (q - p).length_squared();
    if distance < nearest.0 {
        *nearest = (distance, p, q);
    }
}

/// Point of an edge closest to `p`.
fn foot(edge: &Edge, p: Wide) -> Wide {
    let [start, end] = edge.ends;
    let along = end - start;
    let t = (p - start).dot(along) / along.length_squared();
    start + along * t.clamp(0.0, 1.0)
}

/// Contact by separating axes, with the last one first.
pub(super) fn collide(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let Some(cores) = Cores::<D3>::new(job.a, job.b, &job.b_in_a) else { return };
    let limit = limit(job);
    let is_known = Last::is_known(cache);
    if is_known {
        counters.axes += 1;
        if cores.gap(convex::unpack(cache.a)) > limit {
            counters.cache_hits += 1;
            return;
        }
    }
    counters.computed += 1;
    let mut order = Order::default();
    if job.algorithm == Algorithm::SeparatingPlanes {
        order.edges_first = is_known && Last::recall(cache).kind != AXIS;
        order.b_first = job.is_b_larger();
    }
    let Some(found) = measure(&cores, limit, order, job, counters) else { return };
    if found.distance > limit {
        *cache = PairCache {
            kind: AXIS,
            a: convex::pack(found.normal),
            b: u32::MAX,
            value: found.distance as Real,
        };
        return;
    }
    let last = convex::manifold(&cores, &found, Last::recall(cache).on(ground), job, out);
    *cache = last.remember(Wide::of(out.normal), found.distance as Real);
}

/// The same without a cache, for shapes whose cores are known to be apart.
pub(super) fn collide_apart(
    job: &CollideJob<'_, D3>,
    last: Last,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) -> Last {
    let Some(cores) = Cores::<D3>::new(job.a, job.b, &job.b_in_a) else { return last };
    let limit = limit(job);
    match measure(&cores, limit, Order::default(), job, counters) {
        Some(found) if found.distance <= limit => convex::manifold(&cores, &found, last, job, out),
        _ => Last::first(job),
    }
}

/// Distance of the cores up to which there is a contact [m].
fn limit(job: &CollideJob<'_, D3>) -> f64 {
    f64::from(job.margin) + f64::from(job.a.rounding()) + f64::from(job.b.rounding())
}

/// Signed distance of the cores, or that of any axis that separates them by more than `limit`.
fn measure(
    cores: &Cores<'_, D3>,
    limit: f64,
    order: Order,
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
) -> Option<CoreDistance> {
    let (mut room_a, mut room_b) = (None, None);
    let mut a = Solid::new(job.a, &Pose::IDENTITY, &mut room_a)?;
    let mut b = Solid::new(job.b, &job.b_in_a, &mut room_b)?;
    let mut search = Search { cores, limit, best: [None; CANDIDATES], known: None, axes: 0 };
    search.all(&a, &b, order);
    let mut best = search.best[0].unwrap_or_else(|| coincident(cores));
    if (a.is_curved() || b.is_curved()) && !search.is_separated() {
        // The polygons stand for the rims of the curved ones.
        let reach =
            |shape: &Shape3, is_curved: bool| if is_curved { shape.farthest_from(Vec3::ZERO) } else { 0.0 };
        let size = f64::from(reach(job.a, a.is_curved()).max(reach(job.b, b.is_curved())));
        let least = best.gap - POLYGON_ERROR * size;
        for start in search.best.into_iter().flatten().filter(|axis| axis.gap >= least) {
            let (mut t, mut at) = (FIRST_STEP, start.normal);
            for _ in 0..CLOSER {
                a.look_along(at, t);
                b.look_along(-at, t);
                // Every look by itself: an axis of coarser polygons may be better than those in view and yet look past
                // the best.
                let mut closer =
                    Search { cores, limit, best: [None; CANDIDATES], known: Some(best), axes: 0 };
                closer.all(&a, &b, order);
                search.axes += closer.axes;
                let Some(axis) = closer.best[0] else { break };
                // Of equal ones the closest look: the edges of a coarse polygon may have the right normal at the wrong place.
                if axis.gap >= best.gap - SAME_GAP * size {
                    best = axis;
                }
                if axis.gap > limit {
                    break;
                }
                // Caps have no azimuth to look along: edges and points are followed by their like.
                let like = |axis: &&Axis| axis.source.is_face() == start.source.is_face();
                at = closer.best.iter().flatten().find(like).unwrap_or(&axis).normal;
                t *= SMALLER;
            }
        }
    }
    counters.axes += search.axes;
    let n = best.normal;
    let support = cores.support(-n);
    let (on_a, on_b) = match best.source {
        Source::FaceA => (support.b - n * best.gap, support.b),
        Source::FaceB => (support.a, support.a + n * best.gap),
        Source::Edges(p, q) => {
            let [s, t] = crate::distance::closest_lines(p, q);
            (p[0] + (p[1] - p[0]) * s, q[0] + (q[1] - q[0]) * t)
        }
        Source::Points(p, q) => (p, q),
    };
    Some(CoreDistance { distance: best.gap, normal: n, on_a, on_b, iterations: [0, 0] })
}

/// Two points or two segments on one line, which have no axis of their own: towards b, or across it, or upwards.
fn coincident(cores: &Cores<'_, D3>) -> Axis {
    let up = Wide::new(0.0, 1.0, 0.0);
    let n = cores.guess().unit().unwrap_or(up);
    let (along, across) = (cores.gap(n), n.across().unit().unwrap_or(up));
    let (gap, normal) = if along >= 0.0 { (along, n) } else { (cores.gap(across), across) };
    Axis { gap, normal, source: Source::FaceA }
}
