//! Rows of a contact as plain sequential solvers use them: Jacobians, effective masses, start velocities.
//!
//! For a direction d at anchors r_a, r_b: Ċ = d·(v_b + w_b×r_b − v_a − w_a×r_a), and the answer of the pair to a unit
//! impulse is K = d·M_a⁻¹d + d·M_b⁻¹d + (r_a×d)·I_a⁻¹(r_a×d) + (r_b×d)·I_b⁻¹(r_b×d).

use super::SolverContext;
use crate::body::BodyProps;
use crate::math::*;

/// One point: the normal direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NormalRow<D: Dim> {
    /// From the centre of a to the point [m].
    pub r_a: D::Vec,
    /// From the centre of b to the point [m].
    pub r_b: D::Vec,
    /// Separation at the start of the step [m].
    pub separation: Real,
    /// 1/K along the normal [kg].
    pub normal_mass: Real,
    /// 1/K along the tangents [kg].
    pub tangent_mass: [Real; 2],
    /// Velocity along the normal before the solve [m/s]; negative: approaching.
    pub start_speed: Real,
    /// Accumulated normal impulse [N·s].
    pub impulse: Real,
    /// Accumulated tangent impulses [N·s].
    pub tangent_impulse: [Real; 2],
}

/// A contact with its points in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow<D: Dim> {
    /// Index of the contact.
    pub contact: u32,
    /// Slots of the bodies.
    pub slots: [u32; 2],
    /// Unit normal, from a to b, world frame.
    pub normal: D::Vec,
    /// Tangent directions, unit vectors; in 2D the second is zero.
    pub tangents: [D::Vec; 2],
    /// The points; the first `count` are used.
    pub points: D::PerPoint<NormalRow<D>>,
    /// Number of points.
    pub count: usize,
    /// Accumulated impulse of rolling resistance on b [N·m·s].
    pub rolling_impulse: D::Ang,
    /// Accumulated impulse of friction about the normal on b [N·m·s] (3D).
    pub twist_impulse: Real,
}

/// Rows of the contact with the given index, for bodies at the start of the step.
pub fn prepare_contact<D: Dim>(context: &SolverContext<'_, D>, index: u32) -> ContactRow<D> {
    let contact = &context.contacts[index as usize];
    let slots = context.slots(contact);
    let (place_a, place_b) = (context.place(contact.bodies[0]), context.place(contact.bodies[1]));
    let normal = contact.normal(place_a.rotation);
    let tangents = D::tangent_basis(normal);
    let [(state_a, props_a), (state_b, props_b)] = slots.map(|slot| context.body(slot));
    let mut points = D::PerPoint::<NormalRow<D>>::default();
    let count = contact.manifold.count as usize;
    for (i, row) in points.as_mut()[..count].iter_mut().enumerate() {
        let at = contact.row(i, place_a, place_b);
        let mass = |d: D::Vec| {
            let k = answer(&props_a, at.r_a, d) + answer(&props_b, at.r_b, d);
            if k > 0.0 { 1.0 / k } else { 0.0 }
        };
        let speed_a = state_a.v + D::cross_ang(state_a.w, at.r_a);
        let speed_b = state_b.v + D::cross_ang(state_b.w, at.r_b);
        let stored = &contact.manifold.points()[i];
        *row = NormalRow {
            r_a: at.r_a,
            r_b: at.r_b,
            separation: at.separation,
            normal_mass: mass(normal),
            tangent_mass: tangents.map(mass),
            start_speed: (speed_b - speed_a).dot(normal),
            impulse: stored.normal_impulse,
            tangent_impulse: [0.0; 2],
        };
    }
    let (rolling_impulse, twist_impulse) = (contact.manifold.rolling_impulse, contact.manifold.twist_impulse);
    ContactRow { contact: index, slots, normal, tangents, points, count, rolling_impulse, twist_impulse }
}

/// Velocity of the anchor along `d` per unit impulse along `d` there.
#[inline]
fn answer<D: Dim>(props: &BodyProps<D>, r: D::Vec, d: D::Vec) -> Real {
    answer_to(props, r, d, d)
}

/// Velocity of the anchor along `d` per unit impulse along `e` there.
#[inline]
pub(super) fn answer_to<D: Dim>(props: &BodyProps<D>, r: D::Vec, d: D::Vec, e: D::Vec) -> Real {
    if !props.is_dynamic {
        return 0.0;
    }
    props.linear_response(e).dot(d) + D::cross(r, d).dot(props.inv_inertia.apply(D::cross(r, e)))
}
