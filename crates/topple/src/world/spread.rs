//! The points of a contact as a surface that bears: what it can take, and how it tilts.

use super::World;
use crate::body::BodyProps;
use crate::contact::Contact;
use crate::math::*;

/// Points of a contact lie in a line if the smaller of their two extents is less than this share of the larger, squared (no unit).
const FLAT: Real = 1e-4;

/// Part of a turn about the axis `n`; none in the plane, where contacts do not twist.
pub(super) fn about<D: Dim>(turn: D::Ang, n: D::Vec) -> Real {
    if D::N == 2 { 0.0 } else { (0..3).map(|k| turn.get(k) * n.get(k)).sum() }
}
/// The points of a contact, seen from its middle.
#[derive(Debug)]
pub(super) struct Spread<D: Dim> {
    /// From below to the body, unit vector.
    pub normal: D::Vec,
    /// From the centres of mass of the body and of the one below to the middle of the points [m].
    pub levers: [D::Vec; 2],
    pub count: usize,
    /// Along the two tangents [m]; the second is zero in the plane.
    places: [[Real; 2]; 4],
    pub separations: [Real; 4],
    tangents: [D::Vec; 2],
    /// Inverse of Σ p·pᵀ over the places: entries 11, 12, 22 [1/m²].
    inverse: [Real; 3],
    /// How far the bodies have slid since the contact was computed [m].
    pub parted: Real,
}

impl<D: Dim> Spread<D> {
    /// None if the points are in a line (one point in the plane), or farther apart than the slop.
    pub(super) fn of(contact: &Contact<D>, world: &World<D>, side: usize) -> Option<Self> {
        let [a, b] = contact.bodies.map(|body| &world.bodies.places[body as usize]);
        let count = contact.manifold.count as usize;
        let share = 1.0 / count as Real;
        let sign = if side == 1 { 1.0 } else { -1.0 };
        let normal = contact.normal(a.rotation) * sign;
        let tangents = D::tangent_basis(normal);
        let mut spread = Self {
            normal,
            levers: [D::Vec::ZERO; 2],
            count,
            places: [[0.0; 2]; 4],
            separations: [0.0; 4],
            tangents,
            inverse: [0.0; 3],
            parted: 0.0,
        };
        let mut anchors = [D::Vec::ZERO; 4];
        for i in 0..count {
            let row = contact.row(i, a, b);
            let own = if side == 1 { [row.r_b, row.r_a] } else { [row.r_a, row.r_b] };
            (0..2).for_each(|k| spread.levers[k] += own[k] * share);
            anchors[i] = own[0];
            spread.separations[i] = row.separation;
            if row.separation.abs() > contact.slop {
                return None;
            }
            let apart = (b.position - a.position) + (row.r_b - row.r_a);
            let along = apart - normal * apart.dot(normal);
            spread.parted = spread.parted.max(along.length());
        }
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for i in 0..count {
            let [x, y] = tangents.map(|tangent| (anchors[i] - spread.levers[0]).dot(tangent));
            spread.places[i] = [x, y];
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        spread.inverse = if D::N == 2 {
            if xx <= 0.0 {
                return None;
            }
            [1.0 / xx, 0.0, 0.0]
        } else {
            let determinant = xx * yy - xy * xy;
            if determinant <= FLAT * (xx + yy) * (xx + yy) {
                return None;
            }
            [yy / determinant, -xy / determinant, xx / determinant]
        };
        Some(spread)
    }

    /// Speed along the normal that an impulse at a point gives to a body on one side (0 above, 1 below) at that point [1/kg].
    pub(super) fn answer(&self, point: usize, side: usize, props: &BodyProps<D>) -> Real {
        let [x, y] = self.places[point];
        let lever = self.levers[side] + self.tangents[0] * x + self.tangents[1] * y;
        let arm = D::cross(lever, self.normal);
        props.inv_mass + arm.dot(props.inv_inertia.apply(arm))
    }

    /// Slopes of the straight line whose moments about the middle are `moments`.
    fn slopes(&self, [x, y]: [Real; 2]) -> [Real; 2] {
        let [a, b, c] = self.inverse;
        [a * x + b * y, b * x + c * y]
    }

    /// The motion along the normal that comes nearest to `wanted` at the points: of the middle, and turn.
    pub(super) fn fit(&self, wanted: &[Real; 4]) -> (Real, D::Ang) {
        let (mut rise, mut moments) = (0.0, [0.0; 2]);
        for (value, place) in wanted[..self.count].iter().zip(&self.places) {
            rise += value / self.count as Real;
            (0..2).for_each(|k| moments[k] += value * place[k]);
        }
        let slopes = self.slopes(moments);
        let [x, y] = self.tangents.map(|tangent| D::cross(tangent, self.normal));
        (rise, x * slopes[0] + y * slopes[1])
    }

    /// Spreads what a contact has to do over its points: impulse [N·s] and, about their middle, turn [N·m·s], on the body above. The
    /// impulse of each point, or None if it cannot do it.
    pub(super) fn bear(
        &self,
        contact: &Contact<D>,
        has_friction: bool,
        (force, couple): (D::Vec, D::Ang),
    ) -> Option<[Real; 4]> {
        let push = force.dot(self.normal);
        let along = force - self.normal * push;
        let moments = self.tangents.map(|tangent| couple.dot(D::cross(tangent, self.normal)));
        let slopes = self.slopes(moments);
        let (friction, spinning) =
            if has_friction { (contact.friction, contact.spinning) } else { (0.0, 0.0) };
        let (mut points, mut most_twist) = ([0.0; 4], spinning * push);
        for i in 0..self.count {
            let [x, y] = self.places[i];
            let press = push / self.count as Real + slopes[0] * x + slopes[1] * y;
            if press.is_nan() || press < 0.0 {
                return None;
            }
            most_twist += friction * press * (x * x + y * y).sqrt();
            points[i] = press;
        }
        let twist = about::<D>(couple, self.normal).abs();
        let holds = along.length_squared() <= friction * friction * push * push && twist <= most_twist;
        holds.then_some(points)
    }
}
