//! From lists of vertices and triangles to a mesh: checks, welding, neighbours.

use super::{DEGENERATE_HEIGHT, Degenerate, MAX_MESH_TRIANGLES, MeshData, MeshMass, MeshOptions, mass};
use crate::Error;
use crate::distance::Wide;
use crate::math::*;
use crate::shape::Mass;
use crate::shape::bvh::StaticBvh;
use crate::shape::composite::Lean;
use crate::shape::d3::triangle;
use crate::shape::forks::Forks;

fn refuse(reason: impl Into<String>) -> Error {
    Error::degenerate("mesh", reason)
}

/// Checks the input and builds the mesh.
pub(super) fn mesh(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    options: MeshOptions,
) -> Result<MeshData, Error> {
    check(vertices, triangles, &options)?;
    let (vertices, triangles) = weld(vertices, triangles);
    let is_flat = |t: &[u32; 3]| normal_of(&vertices, t).is_none();
    if options.degenerate == Degenerate::Refuse
        && let Some(index) = triangles.iter().position(is_flat)
    {
        return Err(refuse(format!("triangle {index} has no area; Degenerate::Drop leaves such out")));
    }
    let (flat, sound): (Vec<_>, Vec<_>) = triangles.into_iter().partition(|t| is_flat(t));
    assemble(vertices, sound, flat, options)
}

/// Builds a mesh from what one had when it was saved: welded and sorted already.
pub(super) fn restored(
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    degenerate: Vec<[u32; 3]>,
    options: MeshOptions,
) -> Result<MeshData, Error> {
    check(&vertices, &triangles, &options)?;
    if let Some(index) = triangles.iter().position(|t| normal_of(&vertices, t).is_none()) {
        return Err(refuse(format!("triangle {index} has no area")));
    }
    assemble(vertices, triangles, degenerate, options)
}

fn check(vertices: &[Vec3], triangles: &[[u32; 3]], options: &MeshOptions) -> Result<(), Error> {
    if triangles.is_empty() {
        return Err(refuse("has no triangles"));
    }
    if triangles.len() > MAX_MESH_TRIANGLES {
        return Err(refuse(format!(
            "has {} triangles, but at most {MAX_MESH_TRIANGLES} fit",
            triangles.len()
        )));
    }
    if let Some(index) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(refuse(format!("vertex {index} is {:?}, but must be finite", vertices[index])));
    }
    for (index, triangle) in triangles.iter().enumerate() {
        if let Some(&wrong) = triangle.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(refuse(format!(
                "triangle {index} names vertex {wrong}, but there are {} vertices",
                vertices.len()
            )));
        }
    }
    if let MeshMass::Given(mass) = &options.mass {
        mass.validate()?;
    }
    Ok(())
}

/// One vertex per place, unused ones left out; the order of the first appearance in the list of vertices is kept.
fn weld(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut is_used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&v| is_used[v as usize] = true);
    // Adding zero turns −0 into +0: the same place.
    let place = |v: u32| (vertices[v as usize] + Vec3::ZERO).to_array().map(Real::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).filter(|&v| is_used[v as usize]).collect();
    order.sort_unstable_by_key(|&v| (place(v), v));
    let mut first = vec![u32::MAX; vertices.len()];
    for i in 0..order.len() {
        let same = i > 0 && place(order[i]) == place(order[i - 1]);
        first[order[i] as usize] = if same { first[order[i - 1] as usize] } else { order[i] };
    }
    let mut number = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    for v in 0..vertices.len() {
        if first[v] as usize == v {
            number[v] = kept.len() as u32;
            kept.push(vertices[v]);
        }
    }
    let renamed = triangles.iter().map(|t| t.map(|v| number[first[v as usize] as usize])).collect();
    (kept, renamed)
}

/// Unit normal; None for a degenerate triangle.
fn normal_of(vertices: &[Vec3], triangle: &[u32; 3]) -> Option<Wide> {
    let [a, b, c] = triangle.map(|v| Wide::of(vertices[v as usize]));
    let cross = (b - a).cross(c - a);
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    // Twice the area is longest side times height.
    if cross.length() > DEGENERATE_HEIGHT * longest { cross.unit() } else { None }
}

fn assemble(
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    degenerate: Vec<[u32; 3]>,
    options: MeshOptions,
) -> Result<MeshData, Error> {
    if triangles.is_empty() {
        return Err(refuse("has only triangles without area"));
    }
    let edges = Edges::new(&triangles, &degenerate);
    let wide: Vec<Wide> = triangles.iter().map(|t| normal_of(&vertices, t).unwrap_or(Wide::ZERO)).collect();
    let normals: Vec<Vec3> = wide.iter().map(|n| n.narrow()).collect();
    let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
    let mut leans = vec![[Lean::OPEN; 3]; triangles.len()];
    for (index, lean) in leans.iter_mut().enumerate() {
        let out = triangle::outwards(corners(&triangles[index]), normals[index]);
        for k in 0..3 {
            lean[k] = match edges.neighbor(index, k) {
                Neighbor::None => Lean::OPEN,
                Neighbor::Flat => Lean::NONE,
                Neighbor::Triangle(other) => Lean::towards(normals[index], out[k], normals[other]),
            };
        }
    }
    let boxes: Vec<Aabb<D3>> = triangles.iter().map(|t| triangle::bounds(corners(t))).collect();
    let bvh = StaticBvh::new(&boxes);
    let forks = Forks::new(&bvh, &boxes);
    let (exact, area) = mass::integrate(triangles.iter().chain(&degenerate).map(corners));
    let is_solid = edges.is_closed && exact.mass > 0.0 && exact.center.is_finite();
    let unit = match options.mass {
        _ if !is_solid => Mass::ZERO,
        MeshMass::Exact => exact,
        MeshMass::BoundingBox => mass::of_box(&bvh.bounds()),
        MeshMass::Given(mass) => mass,
    };
    let half = bvh.bounds().size().min_element() * 0.5;
    let inner_radius = if is_solid { (3.0 * exact.mass / area).min(half) } else { Real::INFINITY };
    Ok(MeshData {
        vertices,
        triangles,
        degenerate,
        normals,
        leans,
        bvh,
        forks,
        is_solid,
        options,
        unit,
        inner_radius,
    })
}

/// What lies beyond an edge.
enum Neighbor {
    /// Nothing, or several triangles.
    None,
    /// A triangle without area: whatever is beyond it goes on in the same plane, as far as anybody can tell.
    Flat,
    Triangle(usize),
}

/// Every edge of every triangle, sorted by its two ends.
struct Edges {
    /// Across edge k of triangle i, at 3 i + k: the triangle, or one of the marks below.
    beyond: Vec<u32>,
    sound: usize,
    is_closed: bool,
}

const NOBODY: u32 = u32::MAX;

impl Edges {
    fn new(triangles: &[[u32; 3]], degenerate: &[[u32; 3]]) -> Self {
        // (lower end, higher end, runs downwards, 3 · triangle + edge)
        let mut list = Vec::with_capacity(3 * (triangles.len() + degenerate.len()));
        for (index, t) in triangles.iter().chain(degenerate).enumerate() {
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                // An edge between a vertex and itself is no edge; what collapses cancels with its own other side.
                if p != q {
                    list.push((p.min(q), p.max(q), p > q, (3 * index + k) as u32));
                }
            }
        }
        list.sort_unstable();
        let mut edges = Self {
            beyond: vec![NOBODY; 3 * (triangles.len() + degenerate.len())],
            sound: triangles.len(),
            is_closed: true,
        };
        for group in list.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let down = group.iter().filter(|e| e.2).count();
            edges.is_closed &= 2 * down == group.len();
            if let [(.., false, first), (.., true, second)] = *group {
                edges.beyond[first as usize] = second / 3;
                edges.beyond[second as usize] = first / 3;
            }
        }
        edges
    }

    fn neighbor(&self, triangle: usize, edge: usize) -> Neighbor {
        match self.beyond[3 * triangle + edge] {
            NOBODY => Neighbor::None,
            other if (other as usize) < self.sound => Neighbor::Triangle(other as usize),
            _ => Neighbor::Flat,
        }
    }
}
