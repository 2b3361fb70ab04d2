//! From manifolds to rows, and from rows back to manifolds.

use super::lanes::F8;
use super::pack::{Whiten, Whitening, whiten_jacobian};
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row};
use crate::body::{BodyProps, BodyState, NO_SLOT};
use crate::contact::Contact;
use crate::math::*;

/// Softness of a contact for sub-steps of length h: see the head of `kernel.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// massScale·biasRate [1/s].
    pub rate: Real,
    /// massScale.
    pub mass_scale: Real,
}

impl Softness {
    /// From frequency [Hz] and damping ratio.
    pub(crate) fn new(hertz: Real, damping: Real, h: Real) -> Self {
        let omega = 2.0 * core::f32::consts::PI * hertz;
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let mass_scale = a2 / (1.0 + a2);
        Self { rate: mass_scale * omega / a1, mass_scale }
    }
}

/// What preparation reads; shared by all threads.
pub(crate) struct Scene<'a, D: Dim> {
    pub settings: &'a crate::Settings<D>,
    pub states: &'a [BodyState<D>],
    pub props: &'a [BodyProps<D>],
    pub whitenings: &'a [Whitening],
    pub slots: &'a [u32],
    pub places: &'a [Pose<D>],
    /// Softness between two moving bodies, and against the ground.
    pub soft: [Softness; 2],
}

/// One body of a contact.
struct Half<D: Dim> {
    place: Pose<D>,
    state: BodyState<D>,
    inv_mass: Real,
    whitening: Whitening,
    slot: u32,
    is_dynamic: bool,
    props: BodyProps<D>,
}

impl<D: Whiten> Scene<'_, D> {
    #[inline]
    fn half(&self, body: u32) -> Half<D> {
        let place = self.places[body as usize];
        let slot = self.slots.get(body as usize).copied().unwrap_or(NO_SLOT);
        if slot == NO_SLOT {
            return Half {
                place,
                state: BodyState::default(),
                inv_mass: 0.0,
                whitening: [0.0; 6],
                slot: self.states.len() as u32,
                is_dynamic: false,
                props: BodyProps::default(),
            };
        }
        let props = self.props[slot as usize];
        Half {
            place,
            state: self.states[slot as usize],
            inv_mass: props.inv_mass,
            whitening: self.whitenings[slot as usize],
            slot,
            is_dynamic: props.is_dynamic,
            props,
        }
    }

    /// Fills lane `lane` with a contact.
    pub(crate) fn prepare_lane<
        const N: usize,
        const A: usize,
        const P: usize,
        const T: usize,
        const K: usize,
    >(
        &self,
        contact: &Contact<D>,
        lane: usize,
        row: &mut Row<N, A, P>,
        friction: &mut FrictionRow<A, T, K, P>,
        cold: &mut ColdRow<P>,
    ) {
        let settings = self.settings;
        let [a, b] = contact.bodies.map(|body| self.half(body));
        let n = contact.normal(a.place.rotation);
        row.a[lane] = a.slot;
        row.b[lane] = b.slot;
        row.write_a |= u8::from(a.is_dynamic) << lane;
        row.write_b |= u8::from(b.is_dynamic) << lane;
        (0..N).for_each(|i| row.n[i].0[lane] = n.get(i));
        row.inv_ma.0[lane] = a.inv_mass;
        row.inv_mb.0[lane] = b.inv_mass;
        row.turn_a.0[lane] = if a.is_dynamic { 1.0 } else { 0.0 };
        row.turn_b.0[lane] = if b.is_dynamic { 1.0 } else { 0.0 };
        // What stands on the ground is held twice as stiffly: a mild form of shock propagation.
        let soft = self.soft[usize::from(!(a.is_dynamic && b.is_dynamic))];
        row.rate.0[lane] = soft.rate;
        row.soft.0[lane] = soft.mass_scale;
        let count = contact.manifold.count as usize;
        row.count = row.count.max(count as u8);

        // Velocity change of the pair along d per unit impulse there; locked axes do not answer.
        let linear = |d: D::Vec| a.props.linear_response(d).dot(d) + b.props.linear_response(d).dot(d);
        let turning = |half: &Half<D>, j: [f32; 3], k: [f32; 3]| {
            if half.is_dynamic { j[0] * k[0] + j[1] * k[1] + j[2] * k[2] } else { 0.0 }
        };
        let along_normal = linear(n);
        let warm = if settings.warm_starting { 1.0 } else { 0.0 };
        let bounces = settings.restitution && contact.restitution > 0.0;
        let (mut center_a, mut center_b, mut weights) = (D::Vec::ZERO, D::Vec::ZERO, 0.0);
        let mut anchors = D::PerPoint::<D::Vec>::default();
        for (i, stored) in contact.manifold.points().iter().enumerate() {
            let at = contact.row(i, &a.place, &b.place);
            let ja = whiten_jacobian::<D>(&a.whitening, D::cross(at.r_a, n));
            let jb = whiten_jacobian::<D>(&b.whitening, D::cross(at.r_b, n));
            let k = along_normal + turning(&a, ja, ja) + turning(&b, jb, jb);
            let point = &mut row.points[i];
            (0..A).for_each(|x| point.ja[x].0[lane] = ja[x]);
            (0..A).for_each(|x| point.jb[x].0[lane] = jb[x]);
            point.mass.0[lane] = if k > 0.0 { 1.0 / k } else { 0.0 };
            point.s0.0[lane] = at.separation;
            point.lambda.0[lane] = warm * stored.normal_impulse;
            if bounces {
                let v_a = a.state.v + D::cross_ang(a.state.w, at.r_a);
                let v_b = b.state.v + D::cross_ang(b.state.w, at.r_b);
                let approach = (v_a - v_b).dot(n);
                let fast = approach > settings.restitution_threshold;
                cold.rebound[i].0[lane] = if fast { contact.restitution * approach } else { 0.0 };
                row.bounces |= fast;
            }
            // The centre of friction moves smoothly as points come and go: a point counts fully when it touches, not at
            // all at twice the speculative distance.
            let distance = (settings.speculative * contact.slop).max(1e-9);
            let weight = (2.0 - at.separation / distance).clamp(1e-3, 1.0);
            center_a += at.r_a * weight;
            center_b += at.r_b * weight;
            weights += weight;
            anchors.as_mut()[i] = at.r_a;
        }
        let inv = 1.0 / weights;
        self.prepare_friction(
            contact,
            lane,
            friction,
            n,
            &a,
            &b,
            center_a * inv,
            center_b * inv,
            &anchors,
            &linear,
            &turning,
        );
    }

    #[inline]
    #[expect(clippy::type_complexity, reason = "the two closures are the mass of the pair")]
    fn prepare_friction<const A: usize, const P: usize, const T: usize, const K: usize>(
        &self,
        contact: &Contact<D>,
        lane: usize,
        friction: &mut FrictionRow<A, T, K, P>,
        n: D::Vec,
        a: &Half<D>,
        b: &Half<D>,
        center_a: D::Vec,
        center_b: D::Vec,
        anchors: &D::PerPoint<D::Vec>,
        linear: &dyn Fn(D::Vec) -> Real,
        turning: &dyn Fn(&Half<D>, [f32; 3], [f32; 3]) -> Real,
    ) {
        let settings = self.settings;
        let manifold = &contact.manifold;
        let on = if settings.friction { 1.0 } else { 0.0 };
        let warm = if settings.warm_starting { on } else { 0.0 };
        let tangents = D::tangent_basis(n);
        let mut j = [([0.0; 3], [0.0; 3]); 2];
        for k in 0..T {
            let t = tangents[k];
            j[k] = (
                whiten_jacobian::<D>(&a.whitening, D::cross(center_a, t)),
                whiten_jacobian::<D>(&b.whitening, D::cross(center_b, t)),
            );
            (0..A).for_each(|x| friction.ja[k][x].0[lane] = j[k].0[x]);
            (0..A).for_each(|x| friction.jb[k][x].0[lane] = j[k].1[x]);
            friction.lambda[k].0[lane] = warm * manifold.friction_impulse.dot(t);
            friction.target[k].0[lane] = contact.surface_velocity.dot(t);
        }
        let angular = |x: usize, y: usize| turning(a, j[x].0, j[y].0) + turning(b, j[x].1, j[y].1);
        let k11 = linear(tangents[0]) + angular(0, 0);
        let masses = if T == 1 {
            [if k11 > 0.0 { 1.0 / k11 } else { 0.0 }, 0.0, 0.0]
        } else {
            let k22 = linear(tangents[1]) + angular(1, 1);
            let k12 = angular(0, 1);
            let det = k11 * k22 - k12 * k12;
            let inv = if det > 0.0 { 1.0 / det } else { 0.0 };
            [k22 * inv, -k12 * inv, k11 * inv]
        };
        (0..3).for_each(|i| friction.mass[i].0[lane] = masses[i]);
        friction.mu.0[lane] = on * contact.friction;
        friction.mu_static.0[lane] = on * contact.static_friction;
        for twist in &mut friction.twist {
            let ja = whiten_jacobian::<D>(&a.whitening, normal_axis::<D>(n));
            let jb = whiten_jacobian::<D>(&b.whitening, normal_axis::<D>(n));
            let k = turning(a, ja, ja) + turning(b, jb, jb);
            (0..A).for_each(|x| twist.ja[x].0[lane] = ja[x]);
            (0..A).for_each(|x| twist.jb[x].0[lane] = jb[x]);
            twist.mass.0[lane] = if k > 0.0 { 1.0 / k } else { 0.0 };
            twist.lambda.0[lane] = warm * manifold.twist_impulse;
            for i in 0..manifold.count as usize {
                let arm = (anchors.as_ref()[i] - center_a).length();
                twist.lever[i].0[lane] = on * (contact.friction * arm + contact.spinning);
            }
        }
    }
}

/// The normal as an axis of rotation (3D only; the plane has no twist).
fn normal_axis<D: Dim>(n: D::Vec) -> D::Ang {
    let mut axis = D::Ang::ZERO;
    if D::ANGULAR == 3 {
        (0..3).for_each(|i| axis.set(i, n.get(i)));
    }
    axis
}

/// Writes the impulses of lane `lane` back to its contact.
pub(crate) fn store_lane<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
>(
    contact: &mut Contact<D>,
    lane: usize,
    row: &Row<N, A, P>,
    friction: &FrictionRow<A, T, K, P>,
) {
    let at = |x: &F8| x.0[lane];
    let mut n = D::Vec::ZERO;
    (0..N).for_each(|i| n.set(i, at(&row.n[i])));
    let tangents = D::tangent_basis(n);
    let manifold = &mut contact.manifold;
    for (point, stored) in row.points.iter().zip(manifold.points_mut()) {
        stored.normal_impulse = at(&point.lambda);
    }
    manifold.friction_impulse = D::Vec::ZERO;
    for k in 0..T {
        manifold.friction_impulse += tangents[k] * at(&friction.lambda[k]);
    }
    for twist in &friction.twist {
        manifold.twist_impulse = at(&twist.lambda);
    }
}

/// Cuts a list of contacts into rows of eight.
pub(crate) fn fill_rows<const P: usize>(contacts: &[u32], cold: &mut Vec<ColdRow<P>>, lanes: usize) {
    for chunk in contacts.chunks(lanes) {
        let mut row = ColdRow::default();
        row.contacts[..chunk.len()].copy_from_slice(chunk);
        debug_assert!(chunk.iter().all(|&c| c != NO_CONTACT));
        cold.push(row);
    }
}
