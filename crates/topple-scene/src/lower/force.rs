//! Force generators of a scene as generators of the engine.

use topple::force::{
    Anchor, Attraction, Buoyancy, Charge, Explosion, ForceBody, ForceField, Generator, GeneratorKind, Motor,
    PairLaw, PointGravity, Scope, Spring, Thruster, UniformGravity, Varies, Vortex, Wind,
};
use topple::math::VecOps;
use topple::store::{Reader, Writer};
use topple::{Aabb, BodyId, Error, Real, World};

use super::Space;
use crate::model::force::Law;
use crate::model::{Force, ForceKind, Vec3};

/// The bodies of a generator, by id.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Those it acts on; None: all there will ever be.
    pub on: Option<Vec<BodyId>>,
    /// The first body of a spring.
    pub a: Option<BodyId>,
    /// The second body of a spring, the centre of a point, the carrier of a motor.
    pub other: Option<BodyId>,
}

/// A place on a body as it stands now, or in the world; without a place the centre of mass, or the origin.
fn anchor<D: Space>(world: &World<D>, body: Option<BodyId>, at: Option<Vec3>) -> Result<Anchor<D>, Error> {
    let Some(id) = body else { return Ok(Anchor::World(D::point(at.unwrap_or([0.0; 3])))) };
    let view = world.body(id)?;
    let local = match at {
        Some(at) => view.to_local(D::point(at)),
        None => view.local_center(),
    };
    Ok(Anchor::Body { body: id, local })
}

/// Where an anchor is now; the origin for a body that is gone.
pub fn anchor_place<D: Space>(world: &World<D>, anchor: &Anchor<D>) -> Vec3 {
    match anchor {
        Anchor::World(point) => D::point_out(*point),
        Anchor::Body { body, local } => {
            world.body(*body).map_or([0.0; 3], |body| D::point_out(body.to_world(*local)))
        }
    }
}

/// The generators that one of the scene stands for: one for a field or a spring, one per body for motors and thrust.
pub fn generators<D: Space>(
    world: &World<D>,
    force: &Force,
    bodies: &Bodies,
) -> Result<Vec<GeneratorKind<D>>, Error> {
    let real = |value: f64| value as Real;
    let corner = |corner: Vec3| {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|axis| v.set(axis, corner[axis] as Real));
        <D::Point as topple::math::PointOps<D>>::from_vec(v)
    };
    let region = force.region.map(|[low, high]| Aabb { min: corner(low), max: corner(high) });
    let scope = Scope { bodies: bodies.on.clone(), region };
    let each = |make: &dyn Fn(BodyId) -> GeneratorKind<D>| {
        bodies.on.iter().flatten().map(|id| make(*id)).collect::<Vec<_>>()
    };
    Ok(match &force.kind {
        ForceKind::Gravity { acceleration } => {
            vec![UniformGravity { acceleration: D::vec(*acceleration), scope }.into()]
        }
        ForceKind::Point { at, strength, exponent, softening, .. } => {
            let center = anchor(world, bodies.other, *at)?;
            let (strength, softening) = (real(*strength), real(*softening));
            vec![PointGravity { center, strength, exponent: *exponent, softening, scope }.into()]
        }
        ForceKind::Spring { at_a, at_b, length, stiffness, damping, bungee, .. } => {
            let (a, b) = (anchor(world, bodies.a, *at_a)?, anchor(world, bodies.other, *at_b)?);
            let placed = || {
                let [a, b] = [&a, &b].map(|end| D::point(anchor_place(world, end)));
                (b - a).length()
            };
            let rest_length = length.map_or_else(placed, real);
            let (stiffness, damping) = (real(*stiffness), real(*damping));
            vec![Spring { a, b, stiffness, damping, rest_length, pulls_only: *bungee }.into()]
        }
        ForceKind::Attraction { law, by_mass, softening, range } => {
            let law = match *law {
                Law::Power { strength, exponent } => PairLaw::Power { strength: real(strength), exponent },
                Law::LennardJones { depth, distance } => {
                    PairLaw::LennardJones { depth: real(depth), distance: real(distance) }
                }
            };
            let charge = if *by_mass { Charge::Mass } else { Charge::One };
            let range = range.map_or(Real::INFINITY, real);
            vec![Attraction { law, charge, softening: real(*softening), range, scope }.into()]
        }
        ForceKind::Motor { torque, local, free_speed, .. } => each(&|body| {
            let (torque, free_speed) = (D::ang(*torque), free_speed.map(real));
            Motor { body, torque, is_local: *local, reaction: bodies.other, free_speed }.into()
        }),
        ForceKind::Thrust { force, at, local } => each(&|body| {
            Thruster { body, force: D::vec(*force), point: D::vec(*at), is_local: *local }.into()
        }),
        ForceKind::Wind { velocity, density, drag, lift } => {
            let [density, drag, lift] = [*density, *drag, *lift].map(real);
            vec![Wind { velocity: D::vec(*velocity), density, drag, lift, scope }.into()]
        }
        ForceKind::Drag { linear, quadratic, angular } => {
            let rates = [*linear, *quadratic, *angular].map(real);
            vec![GeneratorKind::Own(Box::new(Resistance { rates, bodies: bodies.on.clone() }))]
        }
        ForceKind::Buoyancy { level, normal, density, drag, spin_drag, flow } => {
            let [offset, density, drag, spin_drag] = [*level, *density, *drag, *spin_drag].map(real);
            let (normal, flow) = (D::vec(*normal), D::vec(*flow));
            vec![Buoyancy { normal, offset, density, flow, drag, spin_drag, scope }.into()]
        }
        ForceKind::Explosion { at, radius, pressure, duration } => {
            let [radius, pressure, duration] = [*radius, *pressure, *duration].map(real);
            vec![Explosion { center: D::point(*at), pressure, radius, duration, scope }.into()]
        }
        ForceKind::Vortex { at, axis, radius, swirl, pull, lift } => {
            let [radius, swirl, pull, lift] = [*radius, *swirl, *pull, *lift].map(real);
            let (center, axis) = (D::point(*at), D::ang(*axis));
            vec![Vortex { center, axis, swirl, pull, lift, radius, scope }.into()]
        }
    })
}

/// Resistance by numbers: F = −(linear + quadratic·|v|)·v, M = −angular·w.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resistance {
    /// Linear [N s/m], quadratic [N s²/m²], angular [N m s].
    rates: [Real; 3],
    /// These only; None: all.
    bodies: Option<Vec<BodyId>>,
}

impl Resistance {
    /// Its name in snapshots.
    pub const NAME: &'static str = "drag";
}

impl<D: Space> Generator<D> for Resistance {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn apply(&self, field: &mut ForceField<'_, D>) {
        let [linear, quadratic, angular] = self.rates;
        let resist = |field: &mut ForceField<'_, D>, body: ForceBody<D>| {
            field.push(body.id, body.velocity * -(linear + quadratic * body.velocity.length()));
            field.turn(body.id, body.spin * -angular);
        };
        match &self.bodies {
            Some(bodies) => {
                for id in bodies {
                    if let Some(body) = field.body(*id) {
                        resist(field, body);
                    }
                }
            }
            None => {
                for index in 0..field.target_count() {
                    let body = field.target(index);
                    resist(field, body);
                }
            }
        }
    }

    fn varies(&self) -> Varies {
        Varies::Never
    }

    fn forget(&mut self, body: BodyId) -> bool {
        if let Some(bodies) = &mut self.bodies {
            bodies.retain(|id| *id != body);
        }
        true
    }

    fn save(&self, out: &mut Writer) {
        self.rates.iter().for_each(|rate| out.real(*rate));
        // One more than there are: 0 means all.
        out.u64(self.bodies.as_ref().map_or(0, |bodies| bodies.len() as u64 + 1));
        self.bodies.iter().flatten().for_each(|id| out.u64(id.to_bits()));
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        for rate in &mut self.rates {
            *rate = input.real()?;
        }
        self.bodies = match input.u64()? {
            0 => None,
            count => Some((1..count).map(|_| input.u64().map(BodyId::from_bits)).collect::<Result<_, _>>()?),
        };
        Ok(())
    }
}
