//! Approximate convex decomposition: a solid cut into boxes until the hull of every piece is nearly the piece.
//!
//! The piece whose hull adds most is cut by the best of a few planes across the axes, until all are good enough or
//! there are as many as wanted: the plan of [Mamou2009], with cuts of the exact surface instead of clusters of triangles. The
//! volume of a piece is counted in sample points, its hull is that of the clipped surface: every hull holds all of its piece.

use crate::Surface;
use topple::math::PointOps;
use topple::shape::ShapeOps;
use topple::shape::d3::MeshData;
use topple::shape::{Composite, d3::MAX_HULL_VERTICES};
use topple::{Error, Real, Shape3, Vec3};

/// How finely a solid is decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposeOptions {
    /// Most pieces. Default 16.
    pub max_parts: usize,
    /// Volume that the hull of a piece may add, as a share of the whole volume (dimensionless). Default 0.01.
    pub tolerance: Real,
    /// Most vertices of a hull, from 8 to 255. Default 64.
    pub max_vertices: usize,
    /// Sample points by which volumes are compared. Default 20 000.
    pub samples: usize,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { max_parts: 16, tolerance: 0.01, max_vertices: 64, samples: 20_000 }
    }
}

/// Planes tried along each axis.
const CUTS: usize = 7;
/// Vertices of the hulls by which cuts are compared. Fewer would miss so much of a round piece that it seemed convex.
const TRIAL_VERTICES: usize = 64;
/// Weight of uneven halves against the volume that hulls add (dimensionless). The first cut of a ring gains nothing, whatever
/// it is; then the middle is best.
const UNEVENNESS: Real = 0.05;
/// Pieces are cut across an axis along which they have at least this share of their longest extent.
const LONG_ENOUGH: Real = 0.5;
/// Pieces with fewer sample points than this are not cut any more.
const FEW_SAMPLES: usize = 16;
/// Most sample points that are allowed.
const MAX_SAMPLES: usize = 10_000_000;

/// Convex hulls that together fill about the volume that `surface` encloses, in its frame. Refuses surfaces that enclose none.
pub fn decompose(surface: &Surface, options: &DecomposeOptions) -> Result<Vec<Shape3>, Error> {
    check(options)?;
    let mesh = MeshData::new(&surface.vertices, &surface.triangles)?;
    if !mesh.is_solid() {
        return Err(Error::degenerate("mesh", "encloses no volume: only a solid can be decomposed"));
    }
    let solid = Solid { mesh: &mesh, vertices: options.max_vertices };
    let samples = solid.samples(options.samples);
    let volume = mesh.mass(1.0).mass;
    let weight = volume / samples.len().max(1) as Real;
    let bounds = mesh.bounds();
    let whole = Region { low: bounds.min.to_vec(), high: bounds.max.to_vec() };
    let triangles = (0..mesh.triangles().len() as u32).collect();
    let mut open = vec![Piece::new(&solid, whole, triangles, samples, weight)];
    let mut done = Vec::new();
    while let Some(index) = worst(&open) {
        let piece = open.swap_remove(index);
        let is_full = open.len() + done.len() + 1 >= options.max_parts;
        // Counting is uncertain by the points near the surface, half of which might as well be outside.
        let uncertain = 0.5 * weight * square(cube_root(piece.samples.len() as Real));
        let is_fine =
            piece.excess <= options.tolerance * volume + uncertain || piece.samples.len() < FEW_SAMPLES;
        match if is_full || is_fine { None } else { piece.best_cut(&solid, weight) } {
            Some((axis, at)) => open.extend(piece.cut(&solid, axis, at, weight)),
            None => done.push(piece),
        }
    }
    let hulls: Vec<Shape3> = done.iter().filter_map(|piece| solid.hull(piece, solid.vertices)).collect();
    if hulls.is_empty() {
        return Err(Error::degenerate("mesh", "is too thin to be decomposed"));
    }
    Ok(hulls)
}

fn check(options: &DecomposeOptions) -> Result<(), Error> {
    if options.max_parts == 0 {
        return Err(Error::invalid("DecomposeOptions.max_parts", options.max_parts, "at least 1"));
    }
    if !(options.tolerance.is_finite() && options.tolerance >= 0.0) {
        return Err(Error::invalid("DecomposeOptions.tolerance", options.tolerance, "finite and at least 0"));
    }
    if !(8..=MAX_HULL_VERTICES).contains(&options.max_vertices) {
        return Err(Error::invalid("DecomposeOptions.max_vertices", options.max_vertices, "from 8 to 255"));
    }
    if !(100..=MAX_SAMPLES).contains(&options.samples) {
        return Err(Error::invalid("DecomposeOptions.samples", options.samples, "from 100 to 10 000 000"));
    }
    Ok(())
}

/// Number of the piece whose hull adds most.
fn worst(pieces: &[Piece]) -> Option<usize> {
    (0..pieces.len()).max_by(|&i, &j| pieces[i].excess.total_cmp(&pieces[j].excess).then(j.cmp(&i)))
}

/// A box across the axes.
#[derive(Clone, Copy)]
struct Region {
    low: Vec3,
    high: Vec3,
}

impl Region {
    /// The two halves on either side of a plane across `axis`.
    fn halves(&self, axis: usize, at: Real) -> [Self; 2] {
        let (mut below, mut above) = (*self, *self);
        below.high[axis] = at;
        above.low[axis] = at;
        [below, above]
    }
}

/// What is inside a region.
struct Piece {
    region: Region,
    /// Triangles that reach into the region.
    triangles: Vec<u32>,
    samples: Vec<Vec3>,
    /// Extreme points.
    points: Vec<Vec3>,
    /// Volume that the hull has beyond the piece [m³].
    excess: Real,
}

impl Piece {
    fn new(solid: &Solid<'_>, region: Region, triangles: Vec<u32>, samples: Vec<Vec3>, weight: Real) -> Self {
        let mut piece = Self { region, triangles, samples, points: Vec::new(), excess: 0.0 };
        piece.points = solid.points(&mut piece.triangles, &region);
        let volume = weight * piece.samples.len() as Real;
        // Without a hull the piece would be lost: as bad as a hull of twice its volume.
        let hull = solid.hull(&piece, TRIAL_VERTICES).map_or(2.0 * volume, |hull| hull.mass(1.0).mass);
        piece.excess = (hull - volume).max(0.0);
        piece
    }

    fn cut(&self, solid: &Solid<'_>, axis: usize, at: Real, weight: Real) -> [Self; 2] {
        let [below, above] = self.region.halves(axis, at);
        let (low, high): (Vec<Vec3>, Vec<Vec3>) = self.samples.iter().partition(|p| p[axis] <= at);
        [
            Self::new(solid, below, self.triangles.clone(), low, weight),
            Self::new(solid, above, self.triangles.clone(), high, weight),
        ]
    }

    /// Places to cut across an axis: evenly spread ones, and some where the surface has corners.
    fn candidates(&self, axis: usize) -> Vec<Real> {
        let mut places: Vec<Real> = self.points.iter().map(|p| p[axis]).collect();
        places.sort_unstable_by(Real::total_cmp);
        places.dedup();
        let (Some(&low), Some(&high)) = (places.first(), places.last()) else { return places };
        let even = (1..=CUTS).map(|k| low + (high - low) * (k as Real / (CUTS + 1) as Real));
        let step = places.len().div_ceil(CUTS + 1).max(1);
        let mut all: Vec<Real> = places.iter().copied().step_by(step).chain(even).collect();
        all.retain(|&at| at > low && at < high);
        all
    }

    /// Axis and place of the cut after which the hulls add least; None if there is nothing to cut.
    fn best_cut(&self, solid: &Solid<'_>, weight: Real) -> Option<(usize, Real)> {
        let mut best = None;
        let mut least = Real::INFINITY;
        let low = self.points.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
        let high = self.points.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
        let longest = (high - low).max_element();
        for axis in 0..3 {
            // Slices get thinner hulls, but never better ones.
            if high[axis] - low[axis] < LONG_ENOUGH * longest {
                continue;
            }
            for at in self.candidates(axis) {
                let halves = self.cut(solid, axis, at, weight);
                if halves.iter().any(|half| half.samples.is_empty()) {
                    continue;
                }
                let [low, high] = halves.each_ref().map(|half| half.samples.len() as Real);
                let cost = halves[0].excess + halves[1].excess + UNEVENNESS * weight * (low - high).abs();
                if cost < least {
                    (least, best) = (cost, Some((axis, at)));
                }
            }
        }
        best
    }
}

struct Solid<'a> {
    mesh: &'a MeshData,
    vertices: usize,
}

impl Solid<'_> {
    /// About `count` points of a grid that lie inside.
    fn samples(&self, count: usize) -> Vec<Vec3> {
        let bounds = self.mesh.bounds();
        let (low, size) = (bounds.min.to_vec(), bounds.size());
        let share = self.mesh.mass(1.0).mass / (size.x * size.y * size.z);
        let cell = cube_root(size.x * size.y * size.z * share.max(Real::EPSILON) / count as Real);
        let along = |axis: usize| ((size[axis] / cell) as usize).clamp(1, MAX_SAMPLES);
        let counts = [along(0), along(1), along(2)];
        let place =
            |i: usize, axis: usize| low[axis] + size[axis] * ((i as Real + 0.5) / counts[axis] as Real);
        let mut inside = Vec::new();
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    let p = Vec3::new(place(i, 0), place(j, 1), place(k, 2));
                    if self.mesh.contains(p) {
                        inside.push(p);
                    }
                }
            }
        }
        inside
    }

    /// Corners of what is inside the region: of the clipped triangles, and of the region itself. Triangles that do not
    /// reach into it are taken off the list.
    fn points(&self, triangles: &mut Vec<u32>, region: &Region) -> Vec<Vec3> {
        let mut points = Vec::new();
        let (mut polygon, mut spare) = (Vec::new(), Vec::new());
        triangles.retain(|&index| {
            polygon.clear();
            polygon.extend(self.mesh.corners(index));
            for axis in 0..3 {
                clip(&mut polygon, &mut spare, |p| region.low[axis] - p[axis]);
                clip(&mut polygon, &mut spare, |p| p[axis] - region.high[axis]);
            }
            points.extend_from_slice(&polygon);
            !polygon.is_empty()
        });
        for corner in 0..8 {
            let pick =
                |axis: usize| if corner >> axis & 1 == 0 { region.low[axis] } else { region.high[axis] };
            let p = Vec3::new(pick(0), pick(1), pick(2));
            if self.mesh.contains(p) {
                points.push(p);
            }
        }
        points
    }

    /// The hull of the points of a piece that are farthest in `count` directions; None without volume.
    fn hull(&self, piece: &Piece, count: usize) -> Option<Shape3> {
        let mut chosen: Vec<usize> = (0..count)
            .filter_map(|k| {
                let d = direction(k, count);
                (0..piece.points.len())
                    .max_by(|&i, &j| piece.points[i].dot(d).total_cmp(&piece.points[j].dot(d)))
            })
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        let points: Vec<Vec3> = chosen.into_iter().map(|i| piece.points[i]).collect();
        Shape3::hull(&points).ok()
    }
}

fn square(x: Real) -> Real {
    x * x
}

/// ∛x by Newton: the same bits on every platform, unlike the library's.
fn cube_root(x: Real) -> Real {
    let mut root = x.sqrt().max(Real::MIN_POSITIVE);
    for _ in 0..100 {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}

/// Direction `k` of `count`, spread evenly: a spiral over the sphere in golden steps, after the diagonals of a cube, which
/// find the corners of whatever was cut across the axes.
fn direction(k: usize, count: usize) -> Vec3 {
    if k < 8 {
        let pick = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        return Vec3::new(pick(0), pick(1), pick(2));
    }
    /// π (3 − √5): the golden angle [rad].
    const GOLDEN_ANGLE: Real = 2.399_963_1;
    let y = 1.0 - 2.0 * ((k - 8) as Real + 0.5) / (count - 8).max(1) as Real;
    let r = (1.0 - y * y).max(0.0).sqrt();
    let (s, c) = topple::math::sin_cos(GOLDEN_ANGLE * k as Real % core::f32::consts::TAU);
    Vec3::new(r * c, y, r * s)
}

/// Keeps the part of a polygon where `outside` is not positive.
fn clip(polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>, outside: impl Fn(Vec3) -> Real) {
    spare.clear();
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (dp, dq) = (outside(p), outside(q));
        if dp <= 0.0 {
            spare.push(p);
        }
        if (dp <= 0.0) != (dq <= 0.0) {
            spare.push(p + (q - p) * (dp / (dp - dq)));
        }
    }
    core::mem::swap(polygon, spare);
}
