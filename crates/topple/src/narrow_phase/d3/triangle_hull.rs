//! A triangle of a mesh or height field against a hull or box: separating axes in the frame of the hull, of which only those may win that the triangle
//! allows. What leans over an edge further than the neighbour does is the neighbour's business, and the triangle's own normal is always allowed.

use super::patch::{self, Patch, PatchJob};
use super::probe::{Face, Probe};
use super::triangle::{DEEP, LONG_WAY, NEARLY_FLAT, SHALLOW, deepest, lowest_of, nearest};
use crate::math::*;
use crate::narrow_phase::{LocalManifold, NarrowCounters};
use crate::shape::d3::{HullView, triangle};
use crate::shape::{Composite, ShapeOps};
use crate::trusted::F4;

/// First bit of ids of edge contacts.
const EDGE_ID: u32 = 1 << 31;

impl<C: Composite<D3>> Probe<'_, C> {
    /// A hull or box: separating axes in the frame of the hull.
    pub(super) fn hull(
        &self,
        face: &Face,
        hull: HullView<'_>,
        radius: Real,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D3>,
    ) {
        let limit = self.job.margin + radius;
        let slop = self.job.slop;
        let to_hull = self.rotation.transpose();
        let corners = face.corners.map(|p| to_hull * (p - self.position));
        let normal = to_hull * face.normal;
        let mut least = Real::INFINITY;
        for v in hull.vertices {
            let x = v.dot(normal);
            least = if x < least { x } else { least };
        }
        counters.axes += 1;
        let own_gap = least - normal.dot(corners[0]);
        let mut best = Axis { gap: own_gap, normal, kind: Kind::Triangle };
        if best.gap > limit {
            return;
        }
        // The shortest way out, allowed or not.
        let mut least = own_gap;
        // Normals in the frame of a, as the triangle knows them.
        let allows = |n: Vec3| n.dot(normal) >= 0.0 && self.shape.allows(face.index, self.rotation * n);
        // A triangle that lies nearly flat on a floor is carried by it, whatever its neighbours in the same plane do: a face of many
        // triangles that rocks would otherwise rest on one half of them only.
        let carries = |n: Vec3| self.is_floor && n.dot(normal) > NEARLY_FLAT || allows(n);
        // PERF: most triangles that are near are parted in the direction to them, and need no look at all faces.
        let way = triangle::closest(corners, hull.center).0 - hull.center;
        let mut farthest = Real::NEG_INFINITY;
        for v in hull.vertices {
            let x = v.dot(way);
            farthest = if x > farthest { x } else { farthest };
        }
        counters.axes += 1;
        if lowest_of(corners, way) - farthest > limit * way.length() {
            return;
        }
        let [xs, ys, zs] = [
            corners.map(|p| F4::splat(p.x)),
            corners.map(|p| F4::splat(p.y)),
            corners.map(|p| F4::splat(p.z)),
        ];
        for (block, faces) in hull.faces.chunks(4).enumerate() {
            // Four faces at once. The last ones of a block that is not full are that of its first again.
            let rows = [0, 1, 2, 3].map(|k| {
                let f = faces.get(k).unwrap_or(&faces[0]);
                F4::new([f.normal.x, f.normal.y, f.normal.z, f.offset])
            });
            let [nx, ny, nz, offset] = F4::transpose(rows);
            let along = [0, 1, 2].map(|k| xs[k].mul(nx).add(ys[k].mul(ny)).add(zs[k].mul(nz)));
            let gaps = along[0].min(along[1]).min(along[2]).sub(offset);
            counters.axes += faces.len() as u64;
            if gaps.greater(F4::splat(limit)).signs() != 0 {
                return;
            }
            let x = gaps.floats();
            least = x.iter().fold(least, |least, &gap| least.max(gap));
            if gaps.greater(F4::splat(best.gap)).signs() == 0 {
                continue;
            }
            for (k, (f, &gap)) in faces.iter().zip(&x).enumerate() {
                // Hysteresis: the triangle's own normal unless the other is clearly better.
                let bonus = if matches!(best.kind, Kind::Triangle) { slop } else { 0.0 };
                if gap > best.gap + bonus && carries(-f.normal) {
                    best = Axis { gap, normal: -f.normal, kind: Kind::Hull(4 * block + k) };
                }
            }
        }
        if matches!(best.kind, Kind::Triangle) && best.gap > -SHALLOW * slop && radius == 0.0 {
            // The lowest point of the hull is over the triangle and hardly below: no edge knows better.
            self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out);
            if deepest(out) <= best.gap + slop {
                return self.place(face, &best, out);
            }
            out.clear();
        }
        for k in 0..3 {
            // Nothing pushes over an edge beyond which the surface goes on or rises.
            if !self.shape.is_ridge(face.index, k) {
                continue;
            }
            let (p, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
            let outwards = along.cross(normal);
            for (j, (block, lines)) in hull.blocks.iter().zip(hull.lines.chunks(4)).enumerate() {
                let x = block.normals_along(along);
                // The arc of the hull's edge on the sphere of normals must cross the plane across the triangle's edge.
                let product = F4::load(&x[0]).mul(F4::load(&x[1]));
                let mut crossed = F4::splat(0.0).greater(product).signs();
                while crossed != 0 {
                    let m = crossed.trailing_zeros() as usize;
                    crossed &= crossed - 1;
                    // A block that is not full ends with nothing.
                    let Some(line) = lines.get(m) else { break };
                    let x = [x[0][m], x[1][m]];
                    let crossing = line.normals[0] * x[1].abs() + line.normals[1] * x[0].abs();
                    // From the triangle outwards, over this edge, to the front.
                    if crossing.dot(outwards) > 0.0 || crossing.dot(normal) > 0.0 {
                        continue;
                    }
                    counters.axes += 1;
                    let n = -crossing.normalize_or(-normal);
                    let gap = n.dot(line.start - p);
                    if gap > limit {
                        return;
                    }
                    if gap <= best.gap + slop || !allows(n) {
                        continue;
                    }
                    // Edges that cross, not lines that meet beyond their ends: those are an axis only among all axes, and
                    // some were not allowed.
                    let [p, q] = nearest([p, p + along], [line.start, line.start + line.along]);
                    if (q - p - n * gap).length_squared() <= slop * slop {
                        let id = (3 * (4 * j + m) + k) as u32;
                        best = Axis { gap, normal: n, kind: Kind::Edges(p, q, id) };
                    }
                }
            }
        }
        if radius > 0.0 && best.gap > 0.0 {
            // Rounded and the cores are apart: a corner may be closest, which no axis here knows.
            return self.any(face, counters, out);
        }
        if best.gap < -DEEP * slop
            && least > LONG_WAY * best.gap
            && !self.shape.is_ground()
            && !self.is_blocked(face, short_way(corners, hull))
        {
            // A skin that looks past the hull, as the flank of a spike that has pierced it: whoever allows the short way pushes.
            self.is_lost.set(true);
            return;
        }
        match best.kind {
            Kind::Triangle => self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out),
            Kind::Hull(i) => {
                self.clip(corners, normal, hull, i, &best, radius, out);
                if out.is_empty() {
                    // The face looks past the triangle.
                    best = Axis { gap: own_gap, normal, kind: Kind::Triangle };
                    self.clip(corners, normal, hull, hull.face_along(-normal), &best, radius, out);
                }
            }
            Kind::Edges(p, q, id) => {
                if self.is_body && best.normal.dot(normal) > NEARLY_FLAT {
                    // A face that lies on the ground and leans by a little. Its deepest corner is over the next tile, so that the crossing of two edges
                    // seemed better than both faces, but does not bear it alone.
                    let flat = Axis { kind: Kind::Triangle, ..best };
                    self.clip(corners, normal, hull, hull.face_along(-best.normal), &flat, radius, out);
                    if deepest(out) <= best.gap - radius + slop {
                        return self.place(face, &best, out);
                    }
                    out.clear();
                }
                out.normal = best.normal;
                let mid = (p + q) * 0.5 - best.normal * (0.5 * radius);
                out.push(mid, best.gap - radius, EDGE_ID | id);
            }
        }
        if out.is_empty() {
            self.is_lost.set(true);
        }
        self.place(face, &best, out);
    }

    /// True if `way`, unit vector in the frame of the hull, leads out of a triangle into another one near the hull.
    fn is_blocked(&self, face: &Face, way: Vec3) -> bool {
        let bounds = self.job.b.aabb(&self.job.b_in_a).grown(self.job.margin);
        self.shape.is_blocked(face.index, self.rotation * way, &bounds, self.job.slop)
    }

    /// Takes a result back from the frame of the hull.
    fn place(&self, face: &Face, axis: &Axis, out: &mut LocalManifold<D3>) {
        let is_own = matches!(axis.kind, Kind::Triangle);
        out.normal = if is_own { face.normal } else { self.rotation * out.normal };
        for point in out.points_mut() {
            point.position = self.rotation * point.position + self.position;
        }
    }

    /// Clips the triangle and face `i` of the hull against each other, in the frame of the hull.
    fn clip(
        &self,
        corners: [Vec3; 3],
        normal: Vec3,
        hull: HullView<'_>,
        i: usize,
        axis: &Axis,
        radius: Real,
        out: &mut LocalManifold<D3>,
    ) {
        let face = &hull.faces[i];
        let job = PatchJob {
            normal: axis.normal,
            radii: [0.0, radius],
            margin: self.job.margin,
            slop: self.job.slop,
            lead: self.job.slop,
            is_witness_sure: true,
            used: u32::MAX,
            feature: (i as u32).wrapping_mul(19),
            reference_is_b: matches!(axis.kind, Kind::Hull(_)),
        };
        let a = Patch { points: &corners, normal, cap: None };
        let count = usize::from(face.count);
        if count <= 16 {
            let mut points = [Vec3::ZERO; 16];
            for (slot, v) in points.iter_mut().zip(hull.corners(face)) {
                *slot = hull.vertices[v];
            }
            patch::contact::<19>(
                a,
                Patch { points: &points[..count], normal: face.normal, cap: None },
                None,
                &job,
                out,
            );
        } else {
            let mut points = [Vec3::ZERO; 256];
            for (slot, v) in points.iter_mut().zip(hull.corners(face)) {
                *slot = hull.vertices[v];
            }
            let b = Patch { points: &points[..count.min(256)], normal: face.normal, cap: None };
            patch::contact::<260>(a, b, None, &job, out);
        }
    }
}

/// The direction to the side of the hull that the corners of a triangle reach least far behind, unit vector from the triangle to the hull.
fn short_way(corners: [Vec3; 3], hull: HullView<'_>) -> Vec3 {
    let gap = |i: usize| lowest_of(corners, hull.faces[i].normal) - hull.faces[i].offset;
    let first = (0..hull.faces.len()).reduce(|best, i| if gap(i) > gap(best) { i } else { best });
    first.map_or(Vec3::ZERO, |i| -hull.faces[i].normal)
}

/// A direction along which triangle and hull are apart, or overlap least, from the triangle to the hull.
struct Axis {
    gap: Real,
    normal: Vec3,
    kind: Kind,
}

enum Kind {
    /// The triangle's own normal.
    Triangle,
    /// Face of the hull.
    Hull(usize),
    /// Crossing edges: the closest points of the triangle's and the hull's, and which edges.
    Edges(Vec3, Vec3, u32),
}
