//! Depth of two overlapping cores in the plane: the expanding polygon. See `epa.rs`.

use super::cores::{CoreDistance, Cores, Vertex};
use super::epa::{NOTHING, is_done};
use super::gjk::Simplex;
use super::wide::Wide;
use crate::math::*;

const MAX_VERTICES: usize = 64;

/// Depth of the overlap, from the simplex at which GJK stopped.
pub(super) fn depth<D: Dim>(cores: &Cores<'_, D>, simplex: &Simplex) -> CoreDistance {
    let mut polygon = [Vertex::default(); MAX_VERTICES];
    let mut count = match start(cores, simplex, &mut polygon) {
        Ok(()) => 3,
        Err(flat) => return flat,
    };
    let size = polygon[..3].iter().fold(0.0_f64, |m, v| m.max(v.w.reach()));
    let mut iterations = 0;
    loop {
        let (edge, normal, distance) = closest(&polygon[..count]);
        iterations += 1;
        let vertex = cores.support(normal);
        let advance = vertex.w.dot(normal) - distance;
        if is_done(advance, distance, size) || iterations as usize >= MAX_VERTICES - 3 {
            let (p, q) = (polygon[edge], polygon[(edge + 1) % count]);
            let d = q.w - p.w;
            let t = (-p.w.dot(d) / d.length_squared()).clamp(0.0, 1.0);
            return CoreDistance {
                distance: -distance,
                normal: -normal,
                on_a: p.a * (1.0 - t) + q.a * t,
                on_b: p.b * (1.0 - t) + q.b * t,
                iterations: [0, iterations],
            };
        }
        insert(&mut polygon, &mut count, edge, vertex);
    }
}

/// Puts `vertex`, which is outside of edge number `edge`, between the two ends of it, and takes out those of its neighbours that are no corners any more.
///
/// Support points of an edge that is nearly square to the direction are known to the rounding of f32 only: the one that was found first may be inside the
/// true edge, and the next one lies in line with it and beyond. The polygon would fold back on itself there, with an edge that faces the wrong way.
fn insert(polygon: &mut [Vertex; MAX_VERTICES], count: &mut usize, edge: usize, vertex: Vertex) {
    let mut at = edge + 1;
    polygon.copy_within(at..*count, at + 1);
    polygon[at] = vertex;
    *count += 1;
    // How to get from the new vertex to the neighbour on one side and to the next one behind it; counter-clockwise if the sign is positive.
    for (near, sign) in [(1, 1.0), (-1, -1.0)] {
        while *count > 3 {
            let index = |steps: isize| (at as isize + steps).rem_euclid(*count as isize) as usize;
            let (i, j) = (index(near), index(2 * near));
            let turn = area(&vertex, &polygon[i], &polygon[j]) * sign;
            if turn > 0.0 {
                break;
            }
            polygon.copy_within(i + 1..*count, i);
            *count -= 1;
            at -= usize::from(i < at);
        }
    }
}

/// Twice the area of a triangle of B − A, positive if it is counter-clockwise [m²].
fn area(p: &Vertex, q: &Vertex, r: &Vertex) -> f64 {
    (q.w - p.w).cross(r.w - p.w).z
}

/// Edge whose line is closest to the origin, its outward normal, and the distance (negative: the origin is outside).
fn closest(polygon: &[Vertex]) -> (usize, Wide, f64) {
    let mut best = (0, Wide::new(0.0, 1.0, 0.0), f64::INFINITY);
    for i in 0..polygon.len() {
        let (p, q) = (polygon[i].w, polygon[(i + 1) % polygon.len()].w);
        // Counter-clockwise: the outside is to the right of the edge.
        let Some(normal) = Wide::new(q.y - p.y, p.x - q.x, 0.0).unit() else { continue };
        let distance = normal.dot(p);
        if distance < best.2 {
            best = (i, normal, distance);
        }
    }
    best
}

/// A first triangle, counter-clockwise. If B − A has no area, the answer at once: depth 0 across it.
fn start<D: Dim>(
    cores: &Cores<'_, D>,
    simplex: &Simplex,
    polygon: &mut [Vertex; MAX_VERTICES],
) -> Result<(), CoreDistance> {
    let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0)];
    let around = axes.map(|d| [cores.support(d), cores.support(-d)]);
    let size = around.iter().flatten().fold(0.0_f64, |m, v| m.max(v.w.reach()));
    let nothing = NOTHING * size;
    let flat = |normal: Wide| {
        let sum: f64 = simplex.weights[..simplex.count].iter().sum();
        let at = |i: usize| if sum > 0.0 { simplex.weights[i] / sum } else { 1.0 / simplex.count as f64 };
        let mix = |pick: fn(&Vertex) -> Wide| {
            (0..simplex.count).fold(Wide::ZERO, |p, i| p + pick(&simplex.vertices[i]) * at(i))
        };
        CoreDistance {
            distance: 0.0,
            normal: normal.unit().unwrap_or(axes[1]),
            on_a: mix(|x| x.a),
            on_b: mix(|x| x.b),
            iterations: [0, 0],
        }
    };
    let mut v = [simplex.vertices[0], simplex.vertices[1], simplex.vertices[2]];
    let mut count = simplex.count.min(3);
    if count == 3 && area(&v[0], &v[1], &v[2]).abs() <= nothing * size {
        count = 2;
    }
    if count >= 2 && (v[1].w - v[0].w).length() <= nothing {
        count = 1;
    }
    if count == 1 {
        let far = around.iter().flatten().fold(v[0], |best, x| {
            if (x.w - v[0].w).length() > (best.w - v[0].w).length() { *x } else { best }
        });
        if (far.w - v[0].w).length() <= nothing {
            return Err(flat(cores.guess()));
        }
        v[1] = far;
        count = 2;
    }
    if count == 2 {
        let line = v[1].w - v[0].w;
        let n = Wide::new(line.y, -line.x, 0.0);
        let (p, q) = (cores.support(n), cores.support(-n));
        v[2] = if area(&v[0], &v[1], &p).abs() >= area(&v[0], &v[1], &q).abs() { p } else { q };
        if area(&v[0], &v[1], &v[2]).abs() <= nothing * line.length() {
            return Err(flat(if n.dot(cores.guess()) < 0.0 { -n } else { n }));
        }
    }
    if area(&v[0], &v[1], &v[2]) < 0.0 {
        v.swap(0, 1);
    }
    polygon[..3].copy_from_slice(&v);
    Ok(())
}
