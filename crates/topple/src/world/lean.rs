//! How near to tipping a column stands, and how far soft contacts let it lean.
//!
//! What is above a contact tips when its centre of mass is beyond the edge of the points. A soft contact that bears all of it at that
//! edge gives way there by M·g·(1/m_a + 1/m_b)/ω², which tilts it by that over the width; tilts add up on the way up, and
//! shift the centre of mass by its height above the contact times the tilt. A balance that is within reach of this is
//! decided by the softness of contacts instead of by statics, so it is refined whatever its height (`refine.rs`).

use super::World;
use super::structure::Step;
use crate::body::NONE;
use crate::math::*;

/// How much more a point at the edge gives way than its bodies would without turning (no unit).
const AT_EDGE: Real = 1.25;
/// A column is at its limit if its lean, this many times over, would tip it (no unit): leaning puts more load on the edge. With 5,
/// straight columns of boxes of 1 m are from nine on, of 0.3 m from six on; with 8, from eight and from five on, and ordinary stacks paid for it. With 2,
/// four blocks at 98 % of the harmonic limit fell.
const REACH: Real = 5.0;
/// Whatever its size, a column is at its limit if the centre of mass of what is above a contact is nearer to the edge than this share
/// of the width (no unit): all of the weight is borne at the edge there, and it turns what it presses down. Blocks at 98 % of the
/// harmonic limit are at 0.01 to 0.02, and fell; stacks of five at 96 % stand without help.
const EDGE: Real = 0.04;

/// A column on the ground in which each body stands on one other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lean {
    /// Sum of the tilts of all contacts, for contacts that give way by 1 m under the weight of the lighter body [1/m].
    tilt: Real,
    /// Tilt that would tip it [rad], by way of the height of the centre of mass over its distance to the edge.
    least: Real,
    /// Distance of the centre of mass of what is above a contact from the edge of its points, over their width, at least (no unit).
    share: Real,
}

impl Lean {
    /// None if an island is anything else, or stands on points and edges.
    pub(super) fn of<D: Dim>(world: &World<D>, island: u32) -> Option<Self> {
        let mut body = world.islands.slots[island].head;
        let mut step = loop {
            if body == NONE {
                return None;
            }
            let step = world.only_below(body)?;
            if !step.has_above {
                break step;
            }
            body = world.bodies.records[body].island_next;
        };
        let up = world.settings.gravity * (-1.0 / world.settings.weight_scale());
        let tangents = D::tangent_basis(up);
        let top = world.bodies.places[body as usize].position;
        let mut lean = Self { tilt: 0.0, least: Real::INFINITY, share: Real::INFINITY };
        let (mut mass, mut moment, mut count) = (0.0, D::Vec::ZERO, 0);
        loop {
            let inv_mass = world.bodies.cores[body as usize].inv_mass;
            mass += 1.0 / inv_mass;
            moment += (world.bodies.places[body as usize].position - top) * (1.0 / inv_mass);
            count += 1;
            let Step { below, contact, .. } = step;
            let hot = &world.contacts.hot[contact as usize];
            let [a, b] = hot.bodies.map(|body| &world.bodies.places[body as usize]);
            let from = (a.position - top) - moment * (1.0 / mass);
            let points = hot.manifold.count as usize;
            let (mut places, mut height) = ([[0.0; 2]; MOST_POINTS], 0.0);
            for (i, place) in places[..points].iter_mut().enumerate() {
                let at = from + hot.row(i, a, b).r_a;
                *place = tangents.map(|tangent| at.dot(tangent));
                height -= at.dot(up) / points as Real;
            }
            let (margin, width) = edge_of::<D>(&places[..points])?;
            let inv_masses = hot.bodies.map(|body| world.bodies.cores[body as usize].inv_mass);
            lean.tilt += AT_EDGE * mass * (inv_masses[0] + inv_masses[1]) / width;
            lean.share = lean.share.min(margin / width);
            if height > 0.0 {
                lean.least = lean.least.min(margin / height);
            }
            if world.bodies.cores[below as usize].inv_mass == 0.0 {
                break;
            }
            step = world.only_below(below)?;
            if !step.has_above {
                return None;
            }
            body = below;
        }
        (count == world.islands.slots[island].count).then_some(lean)
    }

    /// True if it stands, and the lean of contacts that give way by `give` [m] under the weight of the lighter body could tip it.
    pub(super) fn is_tight(&self, give: Real, swing: Real) -> bool {
        let is_near = self.share < EDGE * swing;
        self.least > 0.0 && (is_near || self.least < REACH * swing * give * self.tilt)
    }
}

/// Most points of a contact.
const MOST_POINTS: usize = 4;

/// Least distance of the origin from an edge of the points [m], negative outside, and how wide the points are from there [m]. None if
/// they are in a line (one point in the plane).
fn edge_of<D: Dim>(points: &[[Real; 2]]) -> Option<(Real, Real)> {
    if D::N == 2 {
        let low = points.iter().map(|p| p[0]).fold(Real::INFINITY, Real::min);
        let high = points.iter().map(|p| p[0]).fold(Real::NEG_INFINITY, Real::max);
        return (high > low).then(|| (high.min(-low), high - low));
    }
    let mut nearest: Option<(Real, Real)> = None;
    for (i, p) in points.iter().enumerate() {
        for q in &points[i + 1..] {
            let along = [q[0] - p[0], q[1] - p[1]];
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            // From the line through both, to the left.
            let aside = |r: [Real; 2]| (along[0] * (r[1] - p[1]) - along[1] * (r[0] - p[0])) / length;
            let low = points.iter().map(|&r| aside(r)).fold(0.0, Real::min);
            let high = points.iter().map(|&r| aside(r)).fold(0.0, Real::max);
            // An edge has all others on one side.
            let (inside, width) =
                if high > -low { (aside([0.0; 2]), high) } else { (-aside([0.0; 2]), -low) };
            if low.min(0.0).abs().min(high) > ON_LINE * width || width <= ON_LINE * length {
                continue;
            }
            if nearest.is_none_or(|(margin, _)| inside < margin) {
                nearest = Some((inside, width));
            }
        }
    }
    nearest
}

/// What is nearer to a line than this share of the width is on it (no unit).
const ON_LINE: Real = 0.01;
