//! Rays and points against a mesh.

use super::MeshData;
use crate::distance::Wide;
use crate::math::*;
use crate::shape::composite::{BOX_ROUNDING, Composite};
use crate::shape::d3::triangle::{self, Crossing};
use crate::shape::{LocalRay, LocalRayHit};

/// Direction in which [`MeshData::contains`] looks: askew to everything that people build.
const ASKEW: Vec3 = Vec3::new(0.359_17, 0.824_53, 0.437_11);

impl MeshData {
    /// True if `p` is inside a solid mesh: the surface winds around it. Meshes that are not solid contain nothing.
    pub fn contains(&self, p: Vec3) -> bool {
        if !self.is_solid || !p.is_finite() || !self.bounds().contains_point(p.into()) {
            return false;
        }
        let ray = LocalRay { origin: p, direction: ASKEW, max: Real::INFINITY };
        let mut winding = 0;
        let grow = Vec3::splat(BOX_ROUNDING * self.bounds().size().max_element());
        self.visit_ray(&ray, grow, &mut |index, max| {
            let corners = self.corners(index).map(|v| Wide::of(v) - Wide::of(p));
            winding += triangle::winding(corners, self.triangles[index as usize], Wide::of(ASKEW));
            max
        });
        winding > 0
    }

    /// First hit of a ray, from either side. A ray that starts inside a solid mesh hits at once, with zero normal.
    pub(crate) fn ray_cast(&self, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
        // Of a solid mesh the first crossing tells whether the start is inside, however far it is.
        let reach = if self.is_solid { Real::INFINITY } else { ray.max };
        let mut best: Option<(u32, Crossing)> = None;
        let search = LocalRay { max: reach, ..*ray };
        let grow = Vec3::splat(BOX_ROUNDING * self.bounds().size().max_element());
        self.visit_ray(&search, grow, &mut |index, max| {
            let Some(hit) = triangle::crossing(self.corners(index), &LocalRay { max, ..*ray }) else {
                return max;
            };
            let better = |(i, b): &(u32, Crossing)| hit.t < b.t || (hit.t == b.t && index < *i);
            if best.as_ref().is_none_or(better) {
                best = Some((index, hit));
            }
            hit.t.min(max)
        });
        let (index, hit) = best?;
        if self.is_solid && !hit.is_front {
            return Some(LocalRayHit { t: 0.0, normal: Vec3::ZERO });
        }
        let normal = self.normals[index as usize];
        (hit.t <= ray.max)
            .then(|| LocalRayHit { t: hit.t, normal: if hit.is_front { normal } else { -normal } })
    }
}
