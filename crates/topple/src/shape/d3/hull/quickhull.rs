//! Convex hull of points: quickhull on triangles in f64, then triangles in one plane merged to polygons.
//!
//! A tolerance of a few units in the last place of the input decides what counts as flat. Points that lie within it
//! *above* a face are left out; faces that lie within it *below* a new point are rebuilt from that point, so that
//! grids of points in one plane (the usual input) never leave slivers behind.

use crate::Error;
use crate::distance::Wide;
use crate::math::*;

/// Distance from a plane that counts as on it, relative to the size of the cloud: f32 input has 24 bits.
const FLAT: f64 = 2e-6;
/// Extent in the thinnest direction below which a cloud encloses nothing, relative to its size.
const THIN: f64 = 1e-5;
/// How far below a face a new point still sees it, in tolerances; tried in this order. Faces in one plane with the point count
/// as seen: they are rebuilt as part of the fan. Where that tears the horizon (thin wedges have faces within the
/// tolerance on both sides), strictly, then only what is clear.
const SEEN_FROM: [f64; 5] = [1.0, 1e-3, 0.0, -1e-3, -0.5];

/// A polyhedron as vertices and loops of vertex numbers, counter-clockwise seen from outside.
pub(super) struct Loops {
    pub vertices: Vec<Vec3>,
    pub faces: Vec<Vec<u16>>,
}

struct Triangle {
    corners: [usize; 3],
    /// Triangle across the edge from corner k to corner k + 1.
    neighbors: [usize; 3],
    normal: Wide,
    offset: f64,
    /// Points outside of this triangle that no other one has taken.
    outside: Vec<usize>,
    is_alive: bool,
}

impl Triangle {
    fn height(&self, p: Wide) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

fn degenerate(reason: impl Into<String>) -> Error {
    Error::degenerate("hull", reason)
}

/// Tolerances to try, in units of [`FLAT`]: a cloud whose faces are flat to within a hair of one may not merge cleanly.
const ATTEMPTS: [f64; 5] = [1.0, 0.25, 4.0, 16.0, 64.0];

/// Polyhedra that `accept` can build from the hull of `points`, its faces merged where they are coplanar.
pub(super) fn hull<T>(
    points: &[Vec3],
    max_vertices: usize,
    accept: impl Fn(Loops) -> Option<T>,
) -> Result<T, Error> {
    if let Some(bad) = points.iter().find(|p| !p.is_finite()) {
        return Err(Error::invalid("Hull.points", bad, "finite"));
    }
    if points.len() < 4 {
        return Err(degenerate(format!("{} points given, at least 4 are needed", points.len())));
    }
    let wide: Vec<Wide> = points.iter().map(|&p| Wide::of(p)).collect();
    for factor in ATTEMPTS {
        let mut builder = Builder::start(&wide)?;
        builder.tolerance = factor * FLAT * builder.size;
        builder.grow();
        if let Some(found) = builder.merge(points, max_vertices)?.and_then(&accept) {
            return Ok(found);
        }
    }
    Err(degenerate("the points are too close to flat"))
}

struct Builder<'a> {
    points: &'a [Wide],
    triangles: Vec<Triangle>,
    size: f64,
    tolerance: f64,
}

impl<'a> Builder<'a> {
    /// A first tetrahedron, as large as is easily found.
    fn start(points: &'a [Wide]) -> Result<Self, Error> {
        let farthest = |measure: &dyn Fn(Wide) -> f64| {
            (1..points.len())
                .fold(0, |best, i| if measure(points[i]) > measure(points[best]) { i } else { best })
        };
        // The longest of the three extents, then the point farthest from its line, then from the plane.
        let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0)];
        let spans = axes.map(|d| (farthest(&|p| -p.dot(d)), farthest(&|p| p.dot(d))));
        let span = |k: usize| (points[spans[k].1] - points[spans[k].0]).dot(axes[k]);
        let longest = (1..3).fold(0, |best, k| if span(k) > span(best) { k } else { best });
        let size = span(longest);
        if size <= 0.0 {
            return Err(degenerate("all points coincide"));
        }
        let (a, b) = spans[longest];
        let line = points[b] - points[a];
        let c = farthest(&|p| (p - points[a]).cross(line).length());
        if (points[c] - points[a]).cross(line).length() <= THIN * size * line.length() {
            return Err(degenerate("all points lie on one line"));
        }
        let normal = line.cross(points[c] - points[a]);
        let normal = normal * (1.0 / normal.length());
        let d = farthest(&|p| (p - points[a]).dot(normal).abs());
        let height = (points[d] - points[a]).dot(normal);
        if height.abs() <= THIN * size {
            return Err(degenerate("all points lie in one plane"));
        }
        let [a, b] = if height > 0.0 { [b, a] } else { [a, b] };
        let mut builder = Self { points, triangles: Vec::new(), size, tolerance: 0.0 };
        let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let neighbors = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (corners, neighbors) in faces.into_iter().zip(neighbors) {
            let triangle = builder.triangle(corners, neighbors);
            builder.triangles.push(triangle.ok_or_else(|| degenerate("the points do not enclose a volume"))?);
        }
        builder.distribute((0..points.len()).collect());
        Ok(builder)
    }

    fn triangle(&self, corners: [usize; 3], neighbors: [usize; 3]) -> Option<Triangle> {
        let [a, b, c] = corners.map(|i| self.points[i]);
        let normal = (b - a).cross(c - a).unit()?;
        // The plane through the middle: fair to all three corners of a long triangle.
        let offset = normal.dot(a + b + c) / 3.0;
        Some(Triangle { corners, neighbors, normal, offset, outside: Vec::new(), is_alive: true })
    }

    /// Gives each point to the triangle that it is farthest outside of. All triangles are asked, not only new ones: a
    /// point may have been outside of several.
    fn distribute(&mut self, points: Vec<usize>) {
        for i in points {
            let p = self.points[i];
            let mut best = (usize::MAX, self.tolerance);
            for (k, triangle) in self.triangles.iter().enumerate() {
                let height = triangle.height(p);
                if triangle.is_alive && height > best.1 {
                    best = (k, height);
                }
            }
            if best.0 != usize::MAX {
                self.triangles[best.0].outside.push(i);
            }
        }
    }

    /// Adds the farthest outside point until none is left.
    fn grow(&mut self) {
        loop {
            let mut best: Option<(usize, usize, f64)> = None;
            for (k, triangle) in self.triangles.iter().enumerate().filter(|(_, t)| t.is_alive) {
                for &i in &triangle.outside {
                    let height = triangle.height(self.points[i]);
                    if height > best.map_or(self.tolerance, |b| b.2) {
                        best = Some((k, i, height));
                    }
                }
            }
            let Some((seen, point, _)) = best else { return };
            let added = SEEN_FROM.iter().any(|f| self.add(point, seen, f * self.tolerance));
            if !added {
                self.triangles[seen].outside.retain(|&i| i != point);
            }
        }
    }

    /// Replaces the triangles that `point` sees, starting from `seen`, by a fan from it; triangles up to `slack` in front
    /// of it count as seen. False if they have no simple border.
    fn add(&mut self, point: usize, seen: usize, slack: f64) -> bool {
        let p = self.points[point];
        let mut visible = vec![seen];
        let mut is_visible = vec![false; self.triangles.len()];
        is_visible[seen] = true;
        let mut at = 0;
        while at < visible.len() {
            for n in self.triangles[visible[at]].neighbors {
                if !is_visible[n] && self.triangles[n].height(p) > -slack {
                    is_visible[n] = true;
                    visible.push(n);
                }
            }
            at += 1;
        }
        // Border edges with the triangle behind them, ordered to a loop.
        let mut border = Vec::new();
        for &t in &visible {
            let triangle = &self.triangles[t];
            for k in 0..3 {
                let n = triangle.neighbors[k];
                if !is_visible[n] {
                    border.push((triangle.corners[k], triangle.corners[(k + 1) % 3], n));
                }
            }
        }
        for k in 1..border.len() {
            let end = border[k - 1].1;
            let Some(next) = (k..border.len()).find(|&j| border[j].0 == end) else { return false };
            border.swap(k, next);
        }
        if border.len() < 3 || border[border.len() - 1].1 != border[0].0 {
            return false;
        }
        // Each vertex once: a loop that touches itself would tear the surface.
        for k in 1..border.len() {
            if border[..k].iter().any(|e| e.0 == border[k].0) {
                return false;
            }
        }
        let first = self.triangles.len();
        let count = border.len();
        let mut fan = Vec::with_capacity(count);
        for (k, &(a, b, behind)) in border.iter().enumerate() {
            let neighbors = [behind, first + (k + 1) % count, first + (k + count - 1) % count];
            let Some(triangle) = self.triangle([a, b, point], neighbors) else { return false };
            fan.push(triangle);
        }
        // Corners that go under must be inside of what replaces them; at the tip of a thin spike they might not be.
        for i in visible.iter().flat_map(|&t| self.triangles[t].corners) {
            let on_border = border.iter().any(|e| e.0 == i);
            if !on_border && fan.iter().any(|t| t.height(self.points[i]) > self.tolerance) {
                return false;
            }
        }
        self.triangles.extend(fan);
        for (k, &(a, b, behind)) in border.iter().enumerate() {
            let other = &mut self.triangles[behind];
            for j in 0..3 {
                if other.corners[j] == b && other.corners[(j + 1) % 3] == a {
                    other.neighbors[j] = first + k;
                }
            }
        }
        let mut orphans = Vec::new();
        for t in visible {
            self.triangles[t].is_alive = false;
            orphans.append(&mut self.triangles[t].outside);
        }
        orphans.retain(|&i| i != point);
        self.distribute(orphans);
        true
    }

    /// Merges triangles of one plane, drops vertices that are no corners, and numbers what is left. None if a merged
    /// face is no polygon.
    fn merge(&self, points: &[Vec3], max_vertices: usize) -> Result<Option<Loops>, Error> {
        let alive: Vec<usize> = (0..self.triangles.len()).filter(|&t| self.triangles[t].is_alive).collect();
        let area = |t: usize| {
            let [a, b, c] = self.triangles[t].corners.map(|i| self.points[i]);
            (b - a).cross(c - a).length()
        };
        // From large to small, so that the plane of a face is that of its best triangle.
        let mut order = alive;
        order.sort_by(|&s, &t| area(t).total_cmp(&area(s)).then(s.cmp(&t)));
        let mut face_of = vec![usize::MAX; self.triangles.len()];
        let mut faces: Vec<Vec<usize>> = Vec::new();
        for &seed in &order {
            if face_of[seed] != usize::MAX {
                continue;
            }
            let plane = &self.triangles[seed];
            let face = faces.len();
            face_of[seed] = face;
            let mut members = vec![seed];
            let mut at = 0;
            while at < members.len() {
                for n in self.triangles[members[at]].neighbors {
                    let flat = |i: usize| plane.height(self.points[i]).abs() <= 2.0 * self.tolerance;
                    if face_of[n] == usize::MAX && self.triangles[n].corners.into_iter().all(flat) {
                        face_of[n] = face;
                        members.push(n);
                    }
                }
                at += 1;
            }
            faces.push(members);
        }
        let mut loops = Vec::new();
        for (face, members) in faces.iter().enumerate() {
            let Some(border) = self.border(face, members, &face_of) else { return Ok(None) };
            loops.push(border);
        }
        let uses = drop_flat_corners(&mut loops, self.points, 2.0 * self.tolerance);
        let total = uses.iter().filter(|&&n| n > 0).count();
        if total > max_vertices {
            return Err(degenerate(format!(
                "the hull has {total} vertices, the limit is {max_vertices}; use fewer points"
            )));
        }
        let mut number = vec![u16::MAX; self.points.len()];
        let mut vertices = Vec::new();
        for i in (0..uses.len()).filter(|&i| uses[i] > 0) {
            number[i] = vertices.len() as u16;
            vertices.push(points[i]);
        }
        let faces = loops.into_iter().map(|l| l.into_iter().map(|i| number[i]).collect()).collect();
        Ok(Some(Loops { vertices, faces }))
    }

    /// The border of a merged face as a loop of points.
    fn border(&self, face: usize, members: &[usize], face_of: &[usize]) -> Option<Vec<usize>> {
        let mut edges = Vec::new();
        for &t in members {
            let triangle = &self.triangles[t];
            for k in 0..3 {
                if face_of[triangle.neighbors[k]] != face {
                    edges.push((triangle.corners[k], triangle.corners[(k + 1) % 3]));
                }
            }
        }
        for k in 1..edges.len() {
            let end = edges[k - 1].1;
            let next = (k..edges.len()).find(|&j| edges[j].0 == end);
            edges.swap(k, next?);
        }
        match edges.as_slice() {
            [first, .., last] if last.1 == first.0 => Some(edges.into_iter().map(|e| e.0).collect()),
            _ => None,
        }
    }
}

/// Drops points in the middle of an edge between two faces, and faces that keep fewer than three corners (slivers
/// along an edge), until nothing changes. Returns how many faces use each point.
fn drop_flat_corners(loops: &mut Vec<Vec<usize>>, points: &[Wide], tolerance: f64) -> Vec<u32> {
    loop {
        let mut uses = vec![0_u32; points.len()];
        loops.iter().flatten().for_each(|&i| uses[i] += 1);
        let mut flat = vec![false; points.len()];
        for l in loops.iter() {
            for k in 0..l.len() {
                // Between two faces only, and on the line. At the rim of a thin plate the first does not give the second.
                let (before, i, after) = (l[(k + l.len() - 1) % l.len()], l[k], l[(k + 1) % l.len()]);
                let (line, at) = (points[after] - points[before], points[i] - points[before]);
                let aside = line.cross(at).length() <= tolerance * line.length();
                flat[i] |= uses[i] < 3 && aside && !flat[before];
            }
        }
        let corners: usize = loops.iter().map(Vec::len).sum();
        loops.iter_mut().for_each(|l| l.retain(|&i| !flat[i]));
        loops.retain(|l| l.len() >= 3);
        if loops.iter().map(Vec::len).sum::<usize>() == corners {
            return uses;
        }
    }
}
