//! Surfaces by formula: for tests, scenes and whoever needs something to throw.
//!
//! ```
//! use topple::{Shape3, shape::d3::mesh::generate};
//! let ring = generate::torus(1.0, 0.25, 48, 24)?;
//! let shape = Shape3::mesh(&ring.vertices, &ring.triangles)?;
//! # Ok::<(), topple::Error>(())
//! ```

use super::implicit::{Blob, polygonise};
use crate::Error;
use crate::error::{finite, positive};
use crate::math::*;
use core::f32::consts::TAU;
use std::collections::BTreeMap;

/// Vertices and triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corner points [m].
    pub vertices: Vec<Vec3>,
    /// Numbers of vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// Most parts along one direction of a generated surface.
const MAX_PARTS: u32 = 4096;

fn parts(field: &'static str, value: u32, least: u32) -> Result<(), Error> {
    if (least..=MAX_PARTS).contains(&value) {
        return Ok(());
    }
    Err(Error::InvalidRange {
        field,
        value: value.to_string(),
        allowed: format!("from {least} to {MAX_PARTS}"),
    })
}

/// A ring about the y axis: `radius` from the axis to the middle of the tube [m], `tube` the tube's radius [m], in
/// `around` by `across` quadrilaterals.
pub fn torus(radius: Real, tube: Real, around: u32, across: u32) -> Result<Surface, Error> {
    positive("torus.tube", tube)?;
    finite("torus.radius", radius)?;
    if radius <= tube {
        return Err(Error::invalid("torus.radius", radius, "above the radius of the tube"));
    }
    parts("torus.around", around, 3)?;
    parts("torus.across", across, 3)?;
    let mut surface = Surface::default();
    for i in 0..around {
        let (s, c) = sin_cos(TAU * i as Real / around as Real);
        for j in 0..across {
            let (v, u) = sin_cos(TAU * j as Real / across as Real);
            let r = radius + tube * u;
            surface.vertices.push(Vec3::new(r * c, tube * v, r * s));
        }
    }
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
            surface.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    Ok(surface)
}

/// A ball of the given radius [m]: an icosahedron whose faces are cut in four `rounds` times (at most 7).
pub fn icosphere(radius: Real, rounds: u32) -> Result<Surface, Error> {
    positive("icosphere.radius", radius)?;
    if rounds > 7 {
        return Err(Error::invalid("icosphere.rounds", rounds, "at most 7"));
    }
    // Corners of three golden rectangles.
    let corners = [(-1.0, GOLDEN), (1.0, GOLDEN), (-1.0, -GOLDEN), (1.0, -GOLDEN)];
    let mut vertices: Vec<Vec3> = Vec::new();
    vertices.extend(corners.map(|(x, y)| Vec3::new(x, y, 0.0)));
    vertices.extend(corners.map(|(y, z)| Vec3::new(0.0, y, z)));
    vertices.extend(corners.map(|(z, x)| Vec3::new(x, 0.0, z)));
    let mut triangles = Vec::new();
    // Faces are the triples of corners at edge length 2 from each other, outwards by their normal.
    for a in 0..12_u32 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|i| vertices[i as usize]);
                let near = |x: Vec3, y: Vec3| is_near(x.distance(y), 2.0, EDGE_TOLERANCE);
                if near(p, q) && near(q, r) && near(r, p) {
                    let outwards = (q - p).cross(r - p).dot(p) > 0.0;
                    triangles.push(if outwards { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    let mut surface = Surface { vertices, triangles };
    for _ in 0..rounds {
        surface = cut_in_four(&surface);
    }
    surface.vertices.iter_mut().for_each(|v| *v = v.normalize_or(Vec3::Y) * radius);
    Ok(surface)
}

/// The golden ratio (dimensionless).
const GOLDEN: Real = 1.618_034;
/// How far edges of the icosahedron may be from their length of 2; all other distances are above 3.
const EDGE_TOLERANCE: Real = 0.01;

fn cut_in_four(surface: &Surface) -> Surface {
    let mut vertices = surface.vertices.clone();
    let mut middles = BTreeMap::new();
    let mut middle = |p: u32, q: u32| {
        *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
            let between = (vertices[p as usize] + vertices[q as usize]) * 0.5;
            // On the sphere at once: later rounds then cut even triangles.
            vertices.push(between.normalize_or(Vec3::Y) * vertices[p as usize].length());
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::with_capacity(4 * surface.triangles.len());
    for &[a, b, c] in &surface.triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Surface { vertices, triangles }
}

/// An open surface over a rectangle about the origin: `size` along x and z [m], `cells` along each, the height at (x, z)
/// [m] from `height`. Front side up.
pub fn terrain(size: Vec2, cells: [u32; 2], height: impl Fn(Real, Real) -> Real) -> Result<Surface, Error> {
    positive("terrain.size.x", size.x)?;
    positive("terrain.size.y", size.y)?;
    parts("terrain.cells[0]", cells[0], 1)?;
    parts("terrain.cells[1]", cells[1], 1)?;
    let mut surface = Surface::default();
    for k in 0..=cells[1] {
        for i in 0..=cells[0] {
            let x = size.x * (i as Real / cells[0] as Real - 0.5);
            let z = size.y * (k as Real / cells[1] as Real - 0.5);
            let y = height(x, z);
            finite("terrain.height", y)?;
            surface.vertices.push(Vec3::new(x, y, z));
        }
    }
    let row = cells[0] + 1;
    for k in 0..cells[1] {
        for i in 0..cells[0] {
            let a = k * row + i;
            let (b, c, d) = (a + 1, a + row, a + row + 1);
            surface.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    Ok(surface)
}

/// A sitting animal with long ears, about one metre tall: a closed surface without symmetry but left and right, neither
/// convex nor round. `cells` along its height, from 8 to 128; 32 give some 5 000 triangles.
pub fn animal(cells: u32) -> Result<Surface, Error> {
    if !(8..=128).contains(&cells) {
        return Err(Error::invalid("animal.cells", cells, "from 8 to 128"));
    }
    let blob = |(a, b, radius): (Vec3, Vec3, Real)| Blob { a, b, radius };
    let mut blobs: Vec<Blob> = MIDDLE.map(blob).to_vec();
    for side in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0)] {
        blobs.extend(RIGHT.map(|(a, b, radius)| blob((a * side, b * side, radius))));
    }
    let bounds = Aabb::<D3> { min: ROOM[0].into(), max: ROOM[1].into() };
    Ok(polygonise(&blobs, &bounds, bounds.size().y / cells as Real))
}

/// Body, chest, head, snout and tail of the animal: segment and reach [m].
const MIDDLE: [(Vec3, Vec3, Real); 5] = [
    (Vec3::new(0.0, 0.30, -0.12), Vec3::new(0.0, 0.32, 0.06), 0.42),
    (Vec3::new(0.0, 0.34, 0.12), Vec3::new(0.0, 0.42, 0.14), 0.30),
    (Vec3::new(0.0, 0.62, 0.20), Vec3::new(0.0, 0.62, 0.22), 0.28),
    (Vec3::new(0.0, 0.57, 0.32), Vec3::new(0.0, 0.56, 0.36), 0.17),
    (Vec3::new(0.0, 0.26, -0.40), Vec3::new(0.0, 0.30, -0.44), 0.18),
];
/// Ear, fore leg, hind leg and cheek of its right side [m].
const RIGHT: [(Vec3, Vec3, Real); 4] = [
    (Vec3::new(0.07, 0.76, 0.16), Vec3::new(0.14, 1.02, 0.06), 0.13),
    (Vec3::new(0.11, 0.10, 0.22), Vec3::new(0.10, 0.32, 0.16), 0.15),
    (Vec3::new(0.20, 0.12, -0.16), Vec3::new(0.18, 0.10, 0.10), 0.18),
    (Vec3::new(0.08, 0.57, 0.28), Vec3::new(0.07, 0.60, 0.24), 0.16),
];
/// Lowest and highest corner of the room the animal sits in [m].
const ROOM: [Vec3; 2] = [Vec3::new(-0.66, -0.24, -0.80), Vec3::new(0.66, 1.24, 0.68)];
