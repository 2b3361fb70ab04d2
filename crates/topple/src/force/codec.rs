//! Generators as bytes.

use super::{
    Anchor, Attraction, Buoyancy, Charge, Explosion, GeneratorKind, GeneratorRecord, Motor, PairLaw,
    PointGravity, Scope, Spring, Thruster, UniformGravity, Vortex, Wind,
};
use crate::Error;
use crate::math::*;
use crate::store::{BodyId, Reader, Writer};

/// Marks a generator of the user's own.
const OWN: u8 = 255;

impl<D: Dim> GeneratorRecord<D> {
    pub(crate) fn save(&self, out: &mut Writer) {
        out.bool(self.is_enabled);
        out.text(&self.name);
        out.u64(self.user_data);
        self.kind.save(out);
    }

    pub(crate) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let (is_enabled, name, user_data) = (input.bool()?, input.text()?.into(), input.u64()?);
        let kind = GeneratorKind::load(input)?;
        let refuse =
            |error: Error| Error::Snapshot { reason: format!("holds an impossible generator: {error}") };
        kind.validate().map_err(refuse)?;
        Ok(Self { kind, is_enabled, name, user_data })
    }
}

fn save_body(id: BodyId, out: &mut Writer) {
    out.u64(id.to_bits());
}

fn load_body(input: &mut Reader<'_>) -> Result<BodyId, Error> {
    Ok(BodyId::from_bits(input.u64()?))
}

fn save_option<T>(value: Option<T>, out: &mut Writer, save: impl FnOnce(T, &mut Writer)) {
    out.bool(value.is_some());
    if let Some(value) = value {
        save(value, out);
    }
}

fn load_option<T>(
    input: &mut Reader<'_>,
    load: impl FnOnce(&mut Reader<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if input.bool()? { load(input).map(Some) } else { Ok(None) }
}

fn save_reals(values: &[Real], out: &mut Writer) {
    values.iter().for_each(|&value| out.real(value));
}

impl<D: Dim> Anchor<D> {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::World(point) => {
                out.u8(0);
                out.put(point);
            }
            Self::Body { body, local } => {
                out.u8(1);
                save_body(*body, out);
                out.put(local);
            }
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        match input.u8()? {
            0 => Ok(Self::World(input.get()?)),
            1 => Ok(Self::Body { body: load_body(input)?, local: input.get()? }),
            _ => Err(input.damaged("anchor of a generator")),
        }
    }
}

impl<D: Dim> Scope<D> {
    fn save(&self, out: &mut Writer) {
        save_option(self.bodies.as_ref(), out, |bodies, out| {
            out.u32(bodies.len() as u32);
            bodies.iter().for_each(|&id| save_body(id, out));
        });
        save_option(self.region.as_ref(), out, |region, out| out.put(region));
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let bodies = load_option(input, |input| {
            let count = input.length(8)?;
            (0..count).map(|_| load_body(input)).collect()
        })?;
        Ok(Self { bodies, region: load_option(input, |input| input.get())? })
    }
}

impl<D: Dim> GeneratorKind<D> {
    /// Writes the law and its parameters; of the user's own, its name and what it writes itself.
    pub(crate) fn save(&self, out: &mut Writer) {
        match self {
            Self::UniformGravity(law) => {
                out.u8(0);
                out.put(&law.acceleration);
                law.scope.save(out);
            }
            Self::PointGravity(law) => {
                out.u8(1);
                law.center.save(out);
                save_reals(&[law.strength, law.softening], out);
                out.u32(law.exponent as u32);
                law.scope.save(out);
            }
            Self::Attraction(law) => {
                out.u8(2);
                match law.law {
                    PairLaw::Power { strength, exponent } => {
                        out.u8(0);
                        out.real(strength);
                        out.u32(exponent as u32);
                    }
                    PairLaw::LennardJones { depth, distance } => {
                        out.u8(1);
                        save_reals(&[depth, distance], out);
                    }
                }
                out.bool(law.charge == Charge::Mass);
                save_reals(&[law.softening, law.range], out);
                law.scope.save(out);
            }
            Self::Spring(law) => {
                out.u8(3);
                law.a.save(out);
                law.b.save(out);
                save_reals(&[law.stiffness, law.damping, law.rest_length], out);
                out.bool(law.pulls_only);
            }
            Self::Motor(law) => {
                out.u8(4);
                save_body(law.body, out);
                out.put(&law.torque);
                out.bool(law.is_local);
                save_option(law.reaction, out, save_body);
                save_option(law.free_speed, out, |speed, out| out.real(speed));
            }
            Self::Thruster(law) => {
                out.u8(5);
                save_body(law.body, out);
                out.put(&law.force);
                out.put(&law.point);
                out.bool(law.is_local);
            }
            Self::Wind(law) => {
                out.u8(6);
                out.put(&law.velocity);
                save_reals(&[law.density, law.drag, law.lift], out);
                law.scope.save(out);
            }
            Self::Buoyancy(law) => {
                out.u8(7);
                out.put(&law.normal);
                out.put(&law.flow);
                save_reals(&[law.offset, law.density, law.drag, law.spin_drag], out);
                law.scope.save(out);
            }
            Self::Explosion(law) => {
                out.u8(8);
                out.put(&law.center);
                save_reals(&[law.pressure, law.radius, law.duration], out);
                law.scope.save(out);
            }
            Self::Vortex(law) => {
                out.u8(9);
                out.put(&law.center);
                out.put(&law.axis);
                save_reals(&[law.swirl, law.pull, law.lift, law.radius], out);
                law.scope.save(out);
            }
            Self::Own(own) => {
                out.u8(OWN);
                out.text(own.name());
                let mut bytes = Writer::default();
                own.save(&mut bytes);
                out.blob(bytes.bytes());
            }
            Self::Absent { name, bytes } => {
                out.u8(OWN);
                out.text(name);
                out.blob(bytes);
            }
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(match input.u8()? {
            0 => UniformGravity { acceleration: input.get()?, scope: Scope::load(input)? }.into(),
            1 => PointGravity {
                center: Anchor::load(input)?,
                strength: input.real()?,
                softening: input.real()?,
                exponent: input.u32()? as i32,
                scope: Scope::load(input)?,
            }
            .into(),
            2 => Attraction {
                law: match input.u8()? {
                    0 => PairLaw::Power { strength: input.real()?, exponent: input.u32()? as i32 },
                    1 => PairLaw::LennardJones { depth: input.real()?, distance: input.real()? },
                    _ => return Err(input.damaged("law of attraction")),
                },
                charge: if input.bool()? { Charge::Mass } else { Charge::One },
                softening: input.real()?,
                range: input.real()?,
                scope: Scope::load(input)?,
            }
            .into(),
            3 => Spring {
                a: Anchor::load(input)?,
                b: Anchor::load(input)?,
                stiffness: input.real()?,
                damping: input.real()?,
                rest_length: input.real()?,
                pulls_only: input.bool()?,
            }
            .into(),
            4 => Motor {
                body: load_body(input)?,
                torque: input.get()?,
                is_local: input.bool()?,
                reaction: load_option(input, load_body)?,
                free_speed: load_option(input, |input| input.real())?,
            }
            .into(),
            5 => Thruster {
                body: load_body(input)?,
                force: input.get()?,
                point: input.get()?,
                is_local: input.bool()?,
            }
            .into(),
            6 => Wind {
                velocity: input.get()?,
                density: input.real()?,
                drag: input.real()?,
                lift: input.real()?,
                scope: Scope::load(input)?,
            }
            .into(),
            7 => Buoyancy {
                normal: input.get()?,
                flow: input.get()?,
                offset: input.real()?,
                density: input.real()?,
                drag: input.real()?,
                spin_drag: input.real()?,
                scope: Scope::load(input)?,
            }
            .into(),
            8 => Explosion {
                center: input.get()?,
                pressure: input.real()?,
                radius: input.real()?,
                duration: input.real()?,
                scope: Scope::load(input)?,
            }
            .into(),
            9 => Vortex {
                center: input.get()?,
                axis: input.get()?,
                swirl: input.real()?,
                pull: input.real()?,
                lift: input.real()?,
                radius: input.real()?,
                scope: Scope::load(input)?,
            }
            .into(),
            OWN => Self::Absent { name: input.text()?.into(), bytes: input.blob()?.to_vec() },
            _ => return Err(input.damaged("kind of generator")),
        })
    }
}
