//! Quantities of a whole world: energy, momentum, the deepest overlap. Sums in double precision, in order of id.

use serde::Serialize;
use topple::{BodyKind, World};
use topple_scene::lower::Space;

/// Energy of the dynamic bodies [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    pub kinetic: f64,
    /// In gravity, zero at the origin, and under force generators that have one.
    pub potential: f64,
}

impl Energy {
    /// Both together [J].
    pub(crate) fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// What is conserved, or should be.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Momentum {
    /// [kg·m/s], one component per axis.
    pub linear: Vec<f64>,
    /// About the origin [kg·m²/s]; in 2D one component.
    pub angular: Vec<f64>,
}

/// Energy now.
pub(crate) fn energy<D: Space>(world: &World<D>) -> Energy {
    let gravity = D::vec_out(world.settings().gravity);
    let mut energy = Energy::default();
    for body in moving(world) {
        let center = D::point_out(body.center());
        let fall: f64 = (0..3).map(|axis| gravity[axis] * center[axis]).sum();
        energy.kinetic += f64::from(body.kinetic_energy());
        energy.potential -= f64::from(body.mass()) * f64::from(body.gravity_scale()) * fall;
    }
    energy.potential += f64::from(world.generator_energy());
    energy
}

/// Momentum now.
pub(crate) fn momentum<D: Space>(world: &World<D>) -> Momentum {
    let mut linear = [0.0; 3];
    let mut angular = [0.0; 3];
    for body in moving(world) {
        let r = D::point_out(body.center());
        let p = D::vec_out(body.momentum());
        let spin = D::ang_out(body.angular_momentum());
        let orbit = [r[1] * p[2] - r[2] * p[1], r[2] * p[0] - r[0] * p[2], r[0] * p[1] - r[1] * p[0]];
        for axis in 0..3 {
            linear[axis] += p[axis];
            angular[axis] += orbit[axis] + spin[axis];
        }
    }
    let angular = if D::N == 2 { vec![angular[2]] } else { angular.to_vec() };
    Momentum { linear: linear[..D::N].to_vec(), angular }
}

/// Deepest overlap of two shapes that push each other [m]; 0 if none overlaps.
pub(crate) fn deepest<D: Space>(world: &World<D>) -> f32 {
    let touching = world.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor());
    touching.fold(0.0, |deepest, contact| {
        contact.points().fold(deepest, |deepest, (_, separation, ..)| deepest.max(-separation))
    })
}

/// Bodies with a mass that matters.
fn moving<D: Space>(world: &World<D>) -> impl Iterator<Item = topple::Body<'_, D>> {
    let bodies = world.body_ids().filter_map(|id| world.body(id).ok());
    bodies.filter(|body| body.kind() == BodyKind::Dynamic && body.is_enabled())
}
