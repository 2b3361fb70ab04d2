//! What drives a slow island on: joints whose motor runs or whose spring is on its way, and belts.
//!
//! Slow bodies fall asleep, so whatever moves them slowly on purpose would stop for good. Asked when an island is about to fall asleep, of the state
//! of that moment alone, for every part of a joint that acts, with the speed Ċ along it and the error C (see `joint/rows.rs`):
//! - a **motor** with a wanted speed runs if it reaches half of it, or moves faster than [`CREEP`] of the sleep threshold. If not it is stalled, at
//!   a limit, a wall or the bound of its force, and lets its island sleep. A brake, whose wanted speed is 0, never keeps anything awake;
//! - a **spring**, also that of a servo, is on its way if it has more than [`WAY`] to go. By itself it takes the time T = max(1/ω, 2·ζ/ω), or √(m/k) and
//!   c/k, so that is |Ċ|·T. What something else slows down, a bound of its force or drag, goes on for longer than that: it is on its way as long as it gets
//!   nearer to its rest by more than `CREEP`, and C is more than `WAY`;
//! - a **belt** is a motor between two surfaces.
//!
//! Turns count by the way of the surface: times the extent of the body.

use super::World;
use crate::body::{BodyKind, NONE};
use crate::contact::{NO_COLOR, flags};
use crate::joint::{Law, Row, RowSink};
use crate::math::*;

/// Share of the sleep threshold above which something moves (no unit): 1 mm/s with the usual one. What presses against a wall shakes by less than a hundredth of that.
const CREEP: Real = 0.02;
/// Share of the wanted speed that a motor reaches if it runs (no unit), however slow that is.
const RUNNING: Real = 0.5;
/// Ways shorter than the sleep threshold covers in this time do not matter [s]: 2.5 mm with the usual one. Springs above 3.2 Hz have less to go as soon
/// as their bodies are slow.
const WAY: Real = 0.05;

/// Looks at the parts of a joint that act.
struct Acting<D: Dim> {
    motions: [crate::Motion<D>; 2],
    /// Sleep threshold along lines [m/s], and about axes [rad/s]: the smaller one of the bodies.
    limits: [Real; 2],
    /// Mass that the joint moves [kg]: no less than it feels.
    mass: Real,
    /// Something is on its way.
    is_found: bool,
}

fn length<const M: usize>(x: &[Real; M]) -> Real {
    x.iter().map(|x| x * x).sum::<Real>().sqrt()
}

/// True if something with this speed does what a motor of the wanted speed wants.
fn is_running(speed: Real, wanted: Real, limit: Real) -> bool {
    wanted > 0.0 && speed > (RUNNING * wanted).min(CREEP * limit)
}

impl<D: Dim> RowSink<D> for Acting<D> {
    fn block<const M: usize>(
        &mut self,
        _: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    ) {
        let [a, b] = &self.motions;
        let speeds: [Real; M] =
            rows.map(|row| row.d.dot(b.linear - a.linear) + row.b.dot(b.angular) - row.a.dot(a.angular));
        let limit = self.limits[usize::from(rows[0].d == D::Vec::ZERO)];
        let (speed, way) = (length(&speeds), WAY * limit);
        let time = match law {
            Law::Hard | Law::Limit => return,
            Law::Motor { max, .. } => {
                self.is_found |= max > 0.0 && is_running(speed, length(&drift), limit);
                return;
            }
            Law::Tuned { hertz, damping, .. } => {
                (2.0 * damping).max(1.0) / (2.0 * core::f32::consts::PI * hertz)
            }
            // A damper does not drive.
            Law::Spring { k, .. } if k <= 0.0 => return,
            Law::Spring { k, c } => (c / k).max((self.mass / k).sqrt()),
        };
        let nears = (0..M).map(|i| error[i] * speeds[i]).sum::<Real>() < 0.0;
        self.is_found |= speed * time > way || nears && speed > CREEP * limit && length(&error) > way;
    }
}

impl<D: Dim> World<D> {
    /// True if a joint or a belt moves an island on, however slowly. Asked when it is about to fall asleep.
    pub(crate) fn is_driven_on(&self, island: u32) -> bool {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let record = &self.bodies.records[body];
            let mut joints = self.joints.of_body(record.first_joint);
            let mut contacts = self.contacts.of_body(record.first_contact);
            if joints.any(|(joint, _)| self.is_acting(joint))
                || contacts.any(|(contact, _)| self.is_belt(contact))
            {
                return true;
            }
            body = record.island_next;
        }
        false
    }

    /// Sleep thresholds of the bodies of a pair, the smaller one along lines [m/s] and about axes [rad/s].
    fn rest_limits(&self, bodies: [u32; 2]) -> [Real; 2] {
        let mut limits = [Real::INFINITY; 2];
        for body in bodies.into_iter().filter(|&body| self.bodies.records[body].kind == BodyKind::Dynamic) {
            let core = &self.bodies.cores[body as usize];
            limits[0] = limits[0].min(core.sleep_speed);
            if core.extent > 0.0 {
                limits[1] = limits[1].min(core.sleep_speed / core.extent);
            }
        }
        limits
    }

    /// True if a motor of a joint runs, or a spring is on its way.
    fn is_acting(&self, index: u32) -> bool {
        let joint = &self.joints.hot[index as usize];
        if self.joints.records[index].color == NO_COLOR || joint.only_holds() {
            return false;
        }
        let [a, b] = joint.bodies.map(|body| self.bodies.places[body as usize]);
        let motions = joint.bodies.map(|body| self.bodies.cores[body as usize].motion);
        let inv_mass: Real = joint.bodies.iter().map(|&body| self.bodies.cores[body as usize].inv_mass).sum();
        let between = b.position - a.position;
        let sight = joint.sight(
            [a.rotation, b.rotation],
            b.position,
            between,
            motions.map(|motion| motion.linear),
            motions.map(|motion| motion.angular),
            0.0,
        );
        let mut acting = Acting {
            motions,
            limits: self.rest_limits(joint.bodies),
            mass: if inv_mass > 0.0 { 1.0 / inv_mass } else { 0.0 },
            is_found: false,
        };
        joint.visit(&sight, &mut acting);
        acting.is_found
    }

    /// True if one surface of a contact runs and takes the body on the other one along.
    fn is_belt(&self, index: u32) -> bool {
        let contact = &self.contacts.hot[index as usize];
        if contact.flags & flags::SURFACE == 0 || !contact.is_solid() {
            return false;
        }
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let [a, b] = contact.bodies.map(|body| self.bodies.cores[body as usize].motion);
        let normal = contact.normal(places[0].rotation);
        let along = |v: D::Vec| (v - normal * v.dot(normal)).length();
        let row = contact.row(0, &places[0], &places[1]);
        let speed = along(b.seen_from(row.r_b).linear - a.seen_from(row.r_a).linear);
        is_running(speed, along(contact.surface_velocity), self.rest_limits(contact.bodies)[0])
    }
}
