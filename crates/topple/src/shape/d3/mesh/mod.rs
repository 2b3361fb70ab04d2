//! Triangle meshes: shared geometry of static bodies and, if they enclose a volume, of bodies that move.
//!
//! Triangles are seen counter-clockwise from their front side, and only that side touches. `build.rs` checks the input,
//! welds vertices and finds the neighbours; `mass.rs` integrates; `query.rs` answers rays and points; `generate.rs` makes
//! surfaces by formula. The contacts are in `narrow_phase/composite.rs` and `narrow_phase/d3/probe.rs`.

mod build;
pub mod generate;
mod implicit;
mod mass;
mod query;

use super::triangle;
use crate::Error;
use crate::math::*;
use crate::shape::bvh::StaticBvh;
use crate::shape::composite::{Composite, Lean, box_distance, inverse_of, lowest_in_box, ray_entry};
use crate::shape::forks::Forks;
use crate::shape::{LocalRay, Mass};
use crate::store::{Reader, Writer};

/// Most triangles a mesh can have.
pub const MAX_MESH_TRIANGLES: usize = 1 << 26;

/// A triangle whose height is below this share of its longest side has no normal to speak of (dimensionless): it is
/// degenerate. Coordinates are good to about a tenth of this.
pub const DEGENERATE_HEIGHT: f64 = 1e-6;

/// Where mass, centre and inertia of a mesh come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MeshMass {
    /// Exact integration over the enclosed volume. Meshes that enclose none have no mass.
    #[default]
    Exact,
    /// As if the bounding box of the mesh were filled: a rough, quick answer.
    BoundingBox,
    /// Given for density 1: mass [kg per kg/m³], centre [m], inertia about the centre [kg·m² per kg/m³].
    Given(Mass<D3>),
}

/// What to do with triangles that have no area; see [`DEGENERATE_HEIGHT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Degenerate {
    /// They are left out of contacts and queries; [`MeshData::dropped`] tells how many. They still count for the question
    /// whether the mesh is closed.
    #[default]
    Drop,
    /// The first one is an error.
    Refuse,
}

/// How a mesh is made from its triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshOptions {
    /// Where the mass comes from. Default: exact integration.
    pub mass: MeshMass,
    /// What happens to triangles without area. Default: dropped.
    pub degenerate: Degenerate,
}

/// A triangle mesh, checked and ready for queries.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshData {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Triangles without area, kept for snapshots: they decide whether the mesh is closed.
    degenerate: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    leans: Vec<[Lean; 3]>,
    bvh: StaticBvh<D3>,
    forks: Forks,
    is_solid: bool,
    options: MeshOptions,
    /// Mass properties for density 1.
    unit: Mass<D3>,
    /// Size that margins scale with [m]; infinite for open meshes.
    inner_radius: Real,
}

impl MeshData {
    /// A mesh with default options. See [`Self::with_options`].
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, Error> {
        Self::with_options(vertices, triangles, MeshOptions::default())
    }

    /// A mesh of triangles that name three vertices [m] each, counter-clockwise seen from outside.
    ///
    /// Vertices at exactly the same place become one; unused ones are left out. Refuses: no triangle at all (or only
    /// degenerate ones), coordinates that are not finite, numbers of vertices that do not exist.
    pub fn with_options(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        options: MeshOptions,
    ) -> Result<Self, Error> {
        build::mesh(vertices, triangles, options)
    }

    /// Corner points [m].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles as numbers of vertices, without the degenerate ones.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Outward unit normals, one per triangle.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// Corners of triangle `index` [m].
    #[inline]
    pub fn corners(&self, index: u32) -> [Vec3; 3] {
        self.triangles[index as usize].map(|v| self.vertices[v as usize])
    }

    /// Number of degenerate triangles that were left out.
    pub fn dropped(&self) -> usize {
        self.degenerate.len()
    }

    /// True if the mesh encloses a volume: without gaps, and with its front sides outwards. Only such meshes can be
    /// dynamic.
    pub fn is_solid(&self) -> bool {
        self.is_solid
    }

    /// How it was made.
    pub fn options(&self) -> MeshOptions {
        self.options
    }

    /// Mass properties for `density` [kg/m³]; zero for meshes that are not solid.
    pub fn mass(&self, density: Real) -> Mass<D3> {
        Mass {
            mass: self.unit.mass * density,
            center: self.unit.center,
            inertia: self.unit.inertia.scaled(density),
        }
    }

    /// Size that margins scale with [m]: thrice the volume over the surface (a ball's radius, half the edge of a cube), at
    /// most half of the smallest extent; infinite for meshes that are not solid.
    pub(crate) fn inner_radius(&self) -> Real {
        self.inner_radius
    }

    /// Edge directions outwards: across edge `k` (from corner k to k + 1), in the plane of the triangle, unit.
    #[inline]
    fn outwards(&self, index: u32) -> [Vec3; 3] {
        let [a, b, c] = self.corners(index);
        let n = self.normals[index as usize];
        triangle::outwards([a, b, c], n)
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.vertices.len() as u32);
        self.vertices.iter().for_each(|v| out.put(v));
        for list in [&self.triangles, &self.degenerate] {
            out.u32(list.len() as u32);
            list.iter().flatten().for_each(|&v| out.var(v));
        }
        match &self.options.mass {
            MeshMass::Exact => out.u8(0),
            MeshMass::BoundingBox => out.u8(1),
            MeshMass::Given(mass) => {
                out.u8(2);
                out.real(mass.mass);
                out.put(&mass.center);
                out.put(&mass.inertia);
            }
        }
        out.bool(self.options.degenerate == Degenerate::Refuse);
    }

    pub(super) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let count = input.length(12)?;
        let vertices = (0..count).map(|_| input.get()).collect::<Result<Vec<Vec3>, _>>()?;
        let mut lists = [Vec::new(), Vec::new()];
        for list in &mut lists {
            for _ in 0..input.length(3)? {
                list.push([input.index(count)?, input.index(count)?, input.index(count)?]);
            }
        }
        let mass = match input.u8()? {
            0 => MeshMass::Exact,
            1 => MeshMass::BoundingBox,
            2 => MeshMass::Given(Mass { mass: input.real()?, center: input.get()?, inertia: input.get()? }),
            _ => return Err(input.damaged("mass of a mesh")),
        };
        let degenerate = if input.bool()? { Degenerate::Refuse } else { Degenerate::Drop };
        let [sound, flat] = lists;
        build::restored(vertices, sound, flat, MeshOptions { mass, degenerate })
            .map_err(|error| input.damaged(&error.to_string()))
    }
}

impl Composite<D3> for MeshData {
    fn child_count(&self) -> u32 {
        self.triangles.len() as u32
    }

    #[inline]
    fn child(&self, index: u32) -> super::Shape3 {
        let [a, b, c] = self.corners(index);
        super::Shape3::Triangle { a, b, c }
    }

    #[inline]
    fn child_bounds(&self, index: u32) -> Aabb<D3> {
        triangle::bounds(self.corners(index))
    }

    #[inline]
    fn normal(&self, index: u32) -> Vec3 {
        self.normals[index as usize]
    }

    #[inline]
    fn allows(&self, index: u32, direction: Vec3) -> bool {
        let n = self.normals[index as usize];
        let leans = &self.leans[index as usize];
        self.outwards(index).iter().zip(leans).all(|(&out, lean)| lean.allows(n, out, direction))
    }

    #[inline]
    fn is_ridge(&self, index: u32, edge: usize) -> bool {
        self.leans[index as usize][edge] != Lean::NONE
    }

    fn bounds(&self) -> Aabb<D3> {
        self.bvh.bounds()
    }

    fn is_closed(&self) -> bool {
        self.is_solid
    }

    fn visit(&self, bounds: &Aabb<D3>, visit: &mut dyn FnMut(u32)) {
        self.forks.visit(bounds, visit);
    }

    fn visit_below(&self, normal: Vec3, offset: Real, visit: &mut dyn FnMut(u32)) {
        self.bvh.walk(|node| lowest_in_box(node, normal) <= offset, visit);
    }

    fn visit_ray(&self, ray: &LocalRay<D3>, grow: Vec3, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let inverse = inverse_of::<D3>(ray.direction);
        self.bvh.search(ray.max, |node| ray_entry(node, ray, inverse, grow), visit);
    }

    fn visit_near(&self, bounds: &Aabb<D3>, limit: Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        self.bvh.search(limit, |node| box_distance(node, bounds), visit);
    }
}
