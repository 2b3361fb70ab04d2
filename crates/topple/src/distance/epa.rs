//! Depth of two overlapping cores in space: the expanding polytope algorithm.
//!
//! A polytope inside B − A grows where its surface is closest to the origin, until the closest face cannot be pushed
//! out any more: that face is part of the surface of B − A, and its distance is the depth. Everything is on
//! the stack; whatever goes wrong numerically, the best face so far is the answer.

use super::cores::{CoreDistance, Cores, Vertex};
use super::gjk::Simplex;
use super::wide::Wide;
use crate::math::*;

const MAX_VERTICES: usize = 64;
/// A closed surface of triangles has 2·vertices − 4 faces; while it grows, the old ones are there as well.
const MAX_FACES: usize = 3 * MAX_VERTICES;
const MAX_HORIZON: usize = 64;
/// Shares of the depth and of the size of B − A by which a face may still be pushed out when the search ends (no unit): the normal
/// of a curved surface is off by the square root of twice that over the radius, less than 0.1° where it is unique. Both are
/// near what the f32 of the input is worth.
const DEPTH_TOLERANCE: f64 = 3e-7;
const SIZE_TOLERANCE: f64 = 5e-8;
/// Share of the size of B − A that counts as no extent at all (no unit): cores are f32, so this is pure rounding.
pub(super) const NOTHING: f64 = 1e-10;
/// Sine of the smallest angle that a triangle with a usable normal has (no unit).
const SLIVER: f64 = 1e-12;
/// Height above a face that counts as in its plane, as a share of the size of B − A (no unit): a few roundings of f64.
const IN_PLANE: f64 = 1e-13;
/// Triangles of one flat side: difference of their distances as a share of the size of B − A, and 1 − cosine
/// of the angle between their normals (no unit); both are what rounding of f32 corners makes of one plane.
const SAME_SIDE_DISTANCE: f64 = 1e-7;
const SAME_SIDE_ANGLE: f64 = 1e-9;

/// How much worse directions beside the last answer count, as a share of the depth (no unit). Below 1, so that the best direction still
/// belongs to a face; large enough that a circle of equal directions is refined at one place only.
const PULL: f64 = 0.05;
/// Change of the direction at which the answer stands still [rad]: a hundredth of a degree.
const SETTLED: f64 = 2e-4;
const MAX_ROUNDS: usize = 12;
/// Faces from which the search goes on, and the cosine below which they are different ones (no unit; 20°).
const STARTS: usize = 4;
const DIFFERENT: f64 = 0.94;
/// How much the corners opposite to the near one look back, as a tangent (no unit): nearly those of a regular tetrahedron.
const BACK: f64 = 0.35;
/// Sine of 60° (no unit).
const SIXTY: f64 = 0.866;
/// Largest ratio of two steps from which their sum is foretold (no unit), and the farthest way that is foretold (no unit; half a
/// radian).
const MAX_RATIO: f64 = 0.98;
const MAX_LEAP: f64 = 0.5;

/// True if pushing a face out by `advance` no longer matters: depth and size of B − A decide [m].
#[inline]
pub(super) fn is_done(advance: f64, depth: f64, size: f64) -> bool {
    advance <= DEPTH_TOLERANCE * depth.abs() + SIZE_TOLERANCE * size
}

/// How near to the surface of B − A the closest face has to be [m], and what then finds the axis from the direction of that face. It counts if
/// the overlap along it is no deeper than along that direction, so that no other axis is better by more than what the face lacks.
pub(crate) type Shortcut<'a> = (f64, &'a mut dyn FnMut(Wide) -> Option<CoreDistance>);

#[derive(Clone, Copy, Default)]
struct Face {
    corners: [u16; 3],
    normal: Wide,
    /// Distance of the origin below the face; negative if it is outside.
    distance: f64,
}

struct Polytope {
    vertices: [Vertex; MAX_VERTICES],
    vertex_count: usize,
    faces: [Face; MAX_FACES],
    face_count: usize,
    /// Largest coordinate of a vertex: what rounding is relative to.
    size: f64,
    /// A direction that is preferred, and by how much [m]: faces count as farther by that times 1 − cosine.
    pull: (Wide, f64),
    iterations: u32,
}

/// Depth of the overlap, from the simplex at which GJK stopped.
pub(super) fn depth<D: Dim>(
    cores: &Cores<'_, D>,
    simplex: &Simplex,
    shortcut: Option<Shortcut<'_>>,
) -> CoreDistance {
    let mut polytope = Polytope::new();
    if let Err(flat) = start(cores, simplex, &mut polytope) {
        return flat;
    }
    if let Some((near, finish)) = shortcut
        && let Some(face) = polytope.grow_to(cores, near)
    {
        let outer = polytope.outer_answer(cores, face);
        if let Some(mut found) = finish(outer.normal).filter(|found| found.distance >= outer.distance) {
            found.iterations[1] = polytope.iterations;
            return found;
        }
    }
    let (best, is_exact) = polytope.grow(cores);
    if !is_exact {
        return settle(cores, &polytope, best);
    }
    CoreDistance { iterations: [0, polytope.iterations], ..polytope.answer(best) }
}

/// True if the cores overlap by at least `depth` [m] along every direction, as they do by more along the unit vector `near` from a to b; and the
/// iterations. False also where that could not be told.
pub(crate) fn overlaps_by<D: Dim>(cores: &Cores<'_, D>, near: Wide, depth: f64) -> (bool, u32) {
    let u = near.across().unit().unwrap_or(Wide::ZERO);
    let v = near.cross(u);
    // A point on the side that is near, and three around the opposite one.
    let back = near * BACK;
    let ways = [-near, back + u, back - u * 0.5 + v * SIXTY, back - u * 0.5 - v * SIXTY];
    let corners = ways.map(|way| cores.support(way));
    let mut polytope = Polytope::new();
    polytope.size = corners.iter().fold(0.0, |size, corner| corner.w.reach().max(size));
    let is_there = polytope.tetrahedron(corners).is_some() && polytope.grow_until(cores, depth);
    (is_there, polytope.iterations)
}

/// The axis near the unit vector `near` from a to b along which the cores overlap least, if they do, and others by no less than `pull`
/// times 1 − cosine [m]. For cores with flat sides; None if nothing is found there.
pub(crate) fn depth_near<D: Dim>(cores: &Cores<'_, D>, near: Wide, pull: f64) -> Option<CoreDistance> {
    let mut simplex = Simplex { count: 1, ..Simplex::default() };
    simplex.vertices[0] = cores.support(-near);
    simplex.weights[0] = 1.0;
    let mut polytope = Polytope::new();
    start(cores, &simplex, &mut polytope).ok()?;
    polytope.pull = (-near, pull);
    let (best, is_exact) = polytope.grow(cores);
    let found = CoreDistance { iterations: [0, polytope.iterations], ..polytope.answer(best) };
    (is_exact && found.distance <= 0.0).then_some(found)
}

/// The answer where the polytope ran out of room: about the common axis of round shapes, say, many directions are as good or nearly
/// so, and all of them were looked at. Every face bounds the depth from above too, by the supports along its normal: the search goes on
/// from the face that is closest, and from those of the lowest bounds.
#[cold]
fn settle<D: Dim>(cores: &Cores<'_, D>, full: &Polytope, closest: usize) -> CoreDistance {
    let mut found = full.outer_answer(cores, closest);
    let mut iterations = full.iterations + settle_from(cores, full, closest, &mut found);
    let mut bounds = [0.0; MAX_FACES];
    for (bound, face) in bounds.iter_mut().zip(&full.faces[..full.face_count]) {
        *bound = cores.support(face.normal).w.dot(face.normal);
        iterations += 1;
    }
    let mut seen = [full.faces[closest].normal; STARTS];
    for k in 1..STARTS {
        let is_new = |i: &usize| seen[..k].iter().all(|n| n.dot(full.faces[*i].normal) < DIFFERENT);
        let lower = |i: usize, j: usize| if bounds[j] < bounds[i] { j } else { i };
        let Some(start) = (0..full.face_count).filter(is_new).reduce(lower) else { break };
        seen[k] = full.faces[start].normal;
        iterations += settle_from(cores, full, start, &mut found);
    }
    found.iterations[1] = iterations;
    found
}

/// Smaller polytopes look at the neighbours of a face only: a pull towards the last answer ([`PULL`]) makes all others a little deeper.
/// Where the best one is not that answer, the next comes closer to it, and from three in a row it is seen where they lead.
/// Improves `found` and returns the iterations.
fn settle_from<D: Dim>(cores: &Cores<'_, D>, full: &Polytope, face: usize, found: &mut CoreDistance) -> u32 {
    let mut corners = full.faces[face].corners.map(|c| full.vertices[usize::from(c)]);
    let mut center = full.faces[face].normal;
    let mut iterations = 0;
    let mut last_step: Option<Wide> = None;
    for _ in 0..MAX_ROUNDS {
        let mut near = Polytope::new();
        near.size = full.size;
        near.pull = (center, PULL * found.distance.abs());
        let [p, q, r] = corners;
        if near.tetrahedron([p, q, r, cores.support(-center)]).is_none() {
            break;
        }
        let (best, _) = near.grow(cores);
        iterations += near.iterations;
        let Face { normal, corners: of_best, .. } = near.faces[best];
        corners = of_best.map(|c| near.vertices[usize::from(c)]);
        let next = near.outer_answer(cores, best);
        if next.distance > found.distance {
            *found = next;
        }
        let step = normal - center;
        if step.length() <= SETTLED {
            break;
        }
        // Steps that shrink by the same factor add up to a geometric series.
        center = normal;
        if let Some(last) = last_step.take() {
            let ratio = (step.dot(last) / last.length_squared()).clamp(0.0, MAX_RATIO);
            let rest = step * (ratio / (1.0 - ratio));
            let rest = rest * (MAX_LEAP / rest.length().max(MAX_LEAP));
            center = (normal + rest).unit().unwrap_or(normal);
        } else {
            last_step = Some(step);
        }
    }
    iterations
}

impl Polytope {
    fn new() -> Self {
        Self {
            vertices: [Vertex::default(); MAX_VERTICES],
            vertex_count: 0,
            faces: [Face::default(); MAX_FACES],
            face_count: 0,
            size: 0.0,
            pull: (Wide::ZERO, 0.0),
            iterations: 0,
        }
    }

    /// Starts with a tetrahedron; None if it is flat.
    fn tetrahedron(&mut self, mut v: [Vertex; 4]) -> Option<()> {
        if volume(&v) > 0.0 {
            v.swap(0, 1);
        }
        self.vertices[..4].copy_from_slice(&v);
        self.vertex_count = 4;
        for corners in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
            self.faces[self.face_count] = self.face(corners)?;
            self.face_count += 1;
        }
        Some(())
    }

    /// Grows until the closest face is on the surface of B − A, or there is no room. Returns that face, and true if it is.
    fn grow<D: Dim>(&mut self, cores: &Cores<'_, D>) -> (usize, bool) {
        let mut best = self.closest();
        while self.vertex_count < MAX_VERTICES {
            self.iterations += 1;
            let face = self.faces[best];
            let vertex = cores.support(face.normal);
            let advance = vertex.w.dot(face.normal) - face.distance;
            if is_done(advance, face.distance, self.size) {
                return (best, true);
            }
            if !self.expand(vertex, best) {
                break;
            }
            best = self.closest();
        }
        (best, false)
    }

    /// Grows until the closest face is as far as `depth`: true if all of B − A reaches so far, false if it does not along some direction, or
    /// there is no room.
    fn grow_until<D: Dim>(&mut self, cores: &Cores<'_, D>, depth: f64) -> bool {
        while self.vertex_count < MAX_VERTICES {
            let best = self.closest();
            let face = self.faces[best];
            if face.distance >= depth {
                return true;
            }
            self.iterations += 1;
            let vertex = cores.support(face.normal);
            if vertex.w.dot(face.normal) < depth || !self.expand(vertex, best) {
                return false;
            }
        }
        false
    }

    /// Grows until the closest face is `near` the surface of B − A, by so much [m], and tells which one that is.
    fn grow_to<D: Dim>(&mut self, cores: &Cores<'_, D>, near: f64) -> Option<usize> {
        while self.vertex_count < MAX_VERTICES / 2 {
            let best = self.closest();
            let face = self.faces[best];
            self.iterations += 1;
            let vertex = cores.support(face.normal);
            if vertex.w.dot(face.normal) - face.distance <= near {
                return Some(best);
            }
            if !self.expand(vertex, best) {
                return None;
            }
        }
        None
    }

    /// The closest face, with the pull.
    fn closest(&self) -> usize {
        let faces = &self.faces[..self.face_count];
        let (center, pull) = self.pull;
        if pull > 0.0 {
            let score = |f: &Face| f.distance + pull * (1.0 - f.normal.dot(center));
            let scores = faces.iter().map(score).enumerate();
            return scores.fold((0, f64::INFINITY), |best, new| if new.1 < best.1 { new } else { best }).0;
        }
        (1..faces.len()).fold(0, |best, i| if faces[i].distance < faces[best].distance { i } else { best })
    }

    /// The answer of a face that is inside B − A by what is left: along its normal the overlap is what the supports say.
    fn outer_answer<D: Dim>(&self, cores: &Cores<'_, D>, face: usize) -> CoreDistance {
        let mut found = self.answer(face);
        let Face { normal, distance, .. } = self.faces[face];
        let rest = (cores.support(normal).w.dot(normal) - distance).max(0.0);
        found.distance -= rest;
        found.on_a = found.on_a - normal * (0.5 * rest);
        found.on_b = found.on_b + normal * (0.5 * rest);
        found
    }

    /// The face through three vertices, seen from outside counter-clockwise; None if it has no area.
    fn face(&self, corners: [u16; 3]) -> Option<Face> {
        let [p, q, r] = corners.map(|c| self.vertices[usize::from(c)].w);
        let cross = (q - p).cross(r - p);
        // Relative to the longest edges: slivers have no direction worth using.
        let scale = (q - p).length_squared().max((r - p).length_squared());
        if cross.length() <= SLIVER * scale {
            return None;
        }
        let normal = cross.unit()?;
        Some(Face { corners, normal, distance: normal.dot(p) })
    }

    /// Adds a vertex in front of face `seen` and replaces all faces it sees. False if that is not possible; the polytope
    /// is then unchanged.
    fn expand(&mut self, vertex: Vertex, seen: usize) -> bool {
        let mut horizon = [(0_u16, 0_u16); MAX_HORIZON];
        let mut count = 0;
        let mut visible = [false; MAX_FACES];
        let slack = IN_PLANE * self.size;
        for i in 0..self.face_count {
            let face = &self.faces[i];
            if i != seen && vertex.w.dot(face.normal) - face.distance <= slack {
                continue;
            }
            visible[i] = true;
            for k in 0..3 {
                let edge = (face.corners[k], face.corners[(k + 1) % 3]);
                // An edge between two visible faces is met once in each direction and vanishes.
                if let Some(j) = horizon[..count].iter().position(|&(p, q)| (q, p) == edge) {
                    count -= 1;
                    horizon[j] = horizon[count];
                } else if count < MAX_HORIZON {
                    horizon[count] = edge;
                    count += 1;
                } else {
                    return false;
                }
            }
        }
        if count < 3 || self.face_count + count > MAX_FACES {
            return false;
        }
        let index = self.vertex_count as u16;
        self.vertices[self.vertex_count] = vertex;
        // Behind the old faces first, so that a failure changes nothing.
        for (k, &(p, q)) in horizon[..count].iter().enumerate() {
            let Some(face) = self.face([p, q, index]) else { return false };
            self.faces[self.face_count + k] = face;
        }
        self.vertex_count += 1;
        self.size = self.size.max(vertex.w.reach());
        let mut end = 0;
        for i in 0..self.face_count + count {
            if !visible[i] {
                self.faces[end] = self.faces[i];
                end += 1;
            }
        }
        self.face_count = end;
        true
    }

    fn answer(&self, face: usize) -> CoreDistance {
        let face = &self.faces[face];
        let foot = face.normal * face.distance;
        // Weights of the foot of the origin in the corners of a face; negative outside.
        let weights = |face: &Face| {
            let [p, q, r] = face.corners.map(|c| self.vertices[usize::from(c)].w - foot);
            let area = |x: Wide, y: Wide| x.cross(y).dot(face.normal);
            let areas = [area(q, r), area(r, p), area(p, q)];
            let sum = areas[0] + areas[1] + areas[2];
            areas.map(|x| if sum > 0.0 { x / sum } else { f64::NEG_INFINITY })
        };
        // A flat side of B − A is made of several triangles, all at the same distance: the one that holds the foot.
        let lowest = |w: &[f64; 3]| w[0].min(w[1]).min(w[2]);
        let (mut best, mut best_weights) = (face, weights(face));
        for other in &self.faces[..self.face_count] {
            if other.distance - face.distance <= SAME_SIDE_DISTANCE * self.size
                && other.normal.dot(face.normal) > 1.0 - SAME_SIDE_ANGLE
            {
                let found = weights(other);
                if lowest(&found) > lowest(&best_weights) {
                    (best, best_weights) = (other, found);
                }
            }
        }
        let kept = best_weights.map(|w| w.max(0.0));
        let sum = kept[0] + kept[1] + kept[2];
        let [wp, wq, wr] = if sum > 0.0 { kept.map(|w| w / sum) } else { [1.0, 0.0, 0.0] };
        let [p, q, r] = best.corners.map(|c| self.vertices[usize::from(c)]);
        CoreDistance {
            distance: -face.distance,
            normal: -face.normal,
            on_a: p.a * wp + q.a * wq + r.a * wr,
            on_b: p.b * wp + q.b * wq + r.b * wr,
            iterations: [0, 0],
        }
    }
}

/// A first tetrahedron around or near the origin. If B − A has no volume (two segments, say), the answer at once: depth
/// 0 across it.
fn start<D: Dim>(
    cores: &Cores<'_, D>,
    simplex: &Simplex,
    polytope: &mut Polytope,
) -> Result<(), CoreDistance> {
    let mut v: [Vertex; 4] = simplex.vertices;
    let mut count = simplex.count.min(4);
    let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0)];
    let size =
        axes.iter().fold(0.0_f64, |m, &d| m.max(cores.support(d).w.reach()).max(cores.support(-d).w.reach()));
    let nothing = NOTHING * size;
    let flat = |normal: Wide| {
        let weights = |pick: fn(&Vertex) -> Wide| {
            let sum: f64 = simplex.weights[..simplex.count].iter().sum();
            let at = |i: usize| if sum > 0.0 { simplex.weights[i] / sum } else { 1.0 / simplex.count as f64 };
            (0..simplex.count).fold(Wide::ZERO, |p, i| p + pick(&simplex.vertices[i]) * at(i))
        };
        CoreDistance {
            distance: 0.0,
            normal: normal.unit().unwrap_or(axes[1]),
            on_a: weights(|x| x.a),
            on_b: weights(|x| x.b),
            iterations: [0, 0],
        }
    };
    if count == 4 && volume(&v).abs() <= nothing * size * size {
        count = 3;
    }
    if count >= 3 && (v[1].w - v[0].w).cross(v[2].w - v[0].w).length() <= nothing * size {
        count = 2;
    }
    if count >= 2 && (v[1].w - v[0].w).length() <= nothing {
        count = 1;
    }
    if count == 1 {
        let other = axes.iter().flat_map(|&d| [d, -d]).map(|d| cores.support(d));
        let Some(far) = farthest(other, |x| (x.w - v[0].w).length()) else { return Err(flat(axes[1])) };
        if (far.w - v[0].w).length() <= nothing {
            return Err(flat(cores.guess()));
        }
        v[1] = far;
        count = 2;
    }
    if count == 2 {
        let line = v[1].w - v[0].w;
        let d1 = line.across();
        let d2 = line.cross(d1);
        let area = |x: &Vertex| (x.w - v[0].w).cross(line).length();
        let other = [d1, -d1, d2, -d2].map(|d| cores.support(d));
        let Some(far) = farthest(other.into_iter(), area) else { return Err(flat(d1)) };
        if area(&far) <= nothing * line.length() {
            return Err(flat(d1));
        }
        v[2] = far;
        count = 3;
    }
    if count == 3 {
        let n = (v[1].w - v[0].w).cross(v[2].w - v[0].w);
        let height = |x: &Vertex| (x.w - v[0].w).dot(n).abs();
        let Some(far) = farthest([n, -n].map(|d| cores.support(d)).into_iter(), height) else {
            return Err(flat(n));
        };
        if height(&far) <= nothing * n.length() {
            // Towards b where that is a direction; otherwise either side is as good.
            return Err(flat(if n.dot(cores.guess()) < 0.0 { -n } else { n }));
        }
        v[3] = far;
    }
    polytope.size = size;
    polytope.tetrahedron(v).ok_or_else(|| flat(cores.guess()))
}

/// Six times the volume of a tetrahedron; negative if the face 0 1 2 turns its outside away from corner 3.
fn volume(v: &[Vertex; 4]) -> f64 {
    (v[1].w - v[0].w).cross(v[2].w - v[0].w).dot(v[3].w - v[0].w)
}

fn farthest(candidates: impl Iterator<Item = Vertex>, measure: impl Fn(&Vertex) -> f64) -> Option<Vertex> {
    candidates.reduce(|best, x| if measure(&x) > measure(&best) { x } else { best })
}
