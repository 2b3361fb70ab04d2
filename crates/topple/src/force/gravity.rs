//! Fields of acceleration, and bodies that attract or repel each other.

use super::{Anchor, ForceField, Scope};
use crate::Error;
use crate::error::{finite, not_negative, positive};
use crate::math::*;

/// Exponents of laws of distance that are allowed: beyond, f32 has no room for them.
const EXPONENTS: core::ops::RangeInclusive<i32> = -8..=8;

/// The same acceleration on every body: F = m·a.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformGravity<D: Dim> {
    /// Acceleration [m/s²].
    pub acceleration: D::Vec,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> UniformGravity<D> {
    pub(super) const NAME: &'static str = "uniform-gravity";

    /// On all bodies.
    pub fn new(acceleration: D::Vec) -> Self {
        Self { acceleration, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.acceleration.is_finite() {
            return Err(Error::invalid("UniformGravity.acceleration", self.acceleration, "finite"));
        }
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        for i in 0..self.scope.count(field) {
            if let Some(body) = self.scope.pick(field, i) {
                field.push(body.id, self.acceleration * body.mass);
            }
        }
    }

    pub(super) fn energy(&self, field: &ForceField<'_, D>) -> Real {
        self.scope.members(field).map(|body| -body.mass * self.acceleration.dot(body.center.to_vec())).sum()
    }
}

/// A pull towards a point: F = m·strength·s^exponent, with s = √(distance² + softening²). If the point is on a dynamic
/// body, that body is pulled back.
#[derive(Clone, Debug, PartialEq)]
pub struct PointGravity<D: Dim> {
    /// Where it pulls to.
    pub center: Anchor<D>,
    /// Acceleration at a distance of 1 m [m/s² · m^−exponent]; negative pushes away. For gravity, G·M.
    pub strength: Real,
    /// Exponent of the distance. Default −2.
    pub exponent: i32,
    /// Keeps the pull finite at the point [m]. Default 0; there the pull is then none.
    pub softening: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> PointGravity<D> {
    pub(super) const NAME: &'static str = "point-gravity";

    /// Inverse square, on all bodies.
    pub fn new(center: Anchor<D>, strength: Real) -> Self {
        Self { center, strength, exponent: -2, softening: 0.0, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        self.center.validate("PointGravity.center")?;
        finite("PointGravity.strength", self.strength)?;
        check_exponent("PointGravity.exponent", self.exponent)?;
        not_negative("PointGravity.softening", self.softening)?;
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        let Some((center, _, source)) = self.center.find(field) else { return };
        let law = PairLaw::Power { strength: self.strength, exponent: self.exponent };
        for i in 0..self.scope.count(field) {
            let Some(body) = self.scope.pick(field, i) else { continue };
            if source.is_some_and(|source| source.id == body.id) {
                continue;
            }
            let pull = law.pull::<D>(center - body.center, self.softening) * body.mass;
            field.push(body.id, pull);
            if let Some(source) = &source {
                field.push_at(source, -pull, center);
            }
        }
    }

    pub(super) fn energy(&self, field: &ForceField<'_, D>) -> Option<Real> {
        let (center, _, source) = self.center.find(field)?;
        let law = PairLaw::Power { strength: self.strength, exponent: self.exponent };
        let others =
            self.scope.members(field).filter(|body| source.is_none_or(|source| source.id != body.id));
        others
            .map(|body| Some(body.mass * law.potential((center - body.center).length(), self.softening)?))
            .sum()
    }
}

/// What two bodies feel of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairLaw {
    /// F = strength·s^exponent, s = √(distance² + softening²); positive attracts.
    Power {
        /// Force between unit charges at 1 m [N]; for gravity, G.
        strength: Real,
        /// Exponent of the distance; −2 for gravity and for electric charges.
        exponent: i32,
    },
    /// Repulsion near by, attraction farther out: U = 4·depth·((σ/s)¹² − (σ/s)⁶) [J].
    LennardJones {
        /// Depth of the well [J].
        depth: Real,
        /// Distance σ at which the energy is zero [m].
        distance: Real,
    },
}

impl PairLaw {
    fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Power { strength, exponent } => {
                finite("PairLaw.strength", *strength)?;
                check_exponent("PairLaw.exponent", *exponent)
            }
            Self::LennardJones { depth, distance } => {
                not_negative("PairLaw.depth", *depth)?;
                positive("PairLaw.distance", *distance)
            }
        }
    }

    /// Force on a body whose partner stands at `r` from it, for unit charges.
    pub(super) fn pull<D: Dim>(&self, r: D::Vec, softening: Real) -> D::Vec {
        // In f64: the square of a small distance leaves the range of f32.
        let d2 = (0..D::N).map(|i| f64::from(r.get(i)) * f64::from(r.get(i))).sum::<f64>();
        let s2 = d2 + f64::from(softening) * f64::from(softening);
        if d2 == 0.0 {
            return D::Vec::ZERO;
        }
        // The force over the distance, as a factor on r.
        let rate = match *self {
            Self::Power { strength, exponent } => f64::from(strength) * power(s2.sqrt(), exponent - 1),
            Self::LennardJones { depth, distance } => {
                let q = power(f64::from(distance) * f64::from(distance) / s2, 3);
                24.0 * f64::from(depth) * (q - 2.0 * q * q) / s2
            }
        };
        let mut force = D::Vec::ZERO;
        (0..D::N).for_each(|i| force.set(i, (f64::from(r.get(i)) * rate) as Real));
        force
    }

    /// Energy at a distance [m], zero far away; None where it has no closed form here (exponent −1: a logarithm).
    pub(super) fn potential(&self, distance: Real, softening: Real) -> Option<Real> {
        let s =
            (f64::from(distance) * f64::from(distance) + f64::from(softening) * f64::from(softening)).sqrt();
        match *self {
            Self::Power { exponent: -1, .. } => None,
            Self::Power { strength, exponent } => {
                Some((f64::from(strength) * power(s, exponent + 1) / f64::from(exponent + 1)) as Real)
            }
            Self::LennardJones { depth, distance } => {
                let q = power(f64::from(distance) / s, 6);
                Some((4.0 * f64::from(depth) * (q * q - q)) as Real)
            }
        }
    }
}

fn check_exponent(field: &'static str, exponent: i32) -> Result<(), Error> {
    if EXPONENTS.contains(&exponent) {
        return Ok(());
    }
    Err(Error::invalid(field, exponent, "from -8 to 8"))
}

/// x to an integer power by repeated multiplication: the same bits everywhere.
fn power(x: f64, exponent: i32) -> f64 {
    let product = (0..exponent.unsigned_abs()).fold(1.0, |product, _| product * x);
    if exponent < 0 { 1.0 / product } else { product }
}

/// What a body has of the quantity that attracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charge {
    /// Its mass [kg]: gravity.
    #[default]
    Mass,
    /// One, for every body the same.
    One,
}

/// Every body in scope attracts every other, asleep or not: F = law(distance)·q_a·q_b on both, opposite. Cost grows with
/// the square of their number.
#[derive(Clone, Debug, PartialEq)]
pub struct Attraction<D: Dim> {
    /// Force over distance.
    pub law: PairLaw,
    /// What each body brings.
    pub charge: Charge,
    /// Keeps the force finite between bodies at the same place [m]. Default 0; there the force is then none.
    pub softening: Real,
    /// No force beyond this distance [m]. Default infinite.
    pub range: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> Attraction<D> {
    pub(super) const NAME: &'static str = "attraction";

    /// Gravity between all bodies with the constant `g` [N·m²/kg²].
    pub fn gravity(g: Real) -> Self {
        let law = PairLaw::Power { strength: g, exponent: -2 };
        Self { law, charge: Charge::Mass, softening: 0.0, range: Real::INFINITY, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        self.law.validate()?;
        not_negative("Attraction.softening", self.softening)?;
        if self.range.is_nan() || self.range < 0.0 {
            return Err(Error::invalid("Attraction.range", self.range, "at least 0"));
        }
        self.scope.validate()
    }

    /// Calls `visit` for each pair in range, with places and indices and the product of the charges.
    fn each_pair<'a>(
        &self,
        field: &mut ForceField<'a, D>,
        mut visit: impl FnMut(&mut ForceField<'a, D>, [u32; 2], D::Vec, Real),
    ) {
        let mut members = core::mem::take(&mut field.room.members);
        members.clear();
        let charge = |mass: Real| match self.charge {
            Charge::Mass => mass,
            Charge::One => 1.0,
        };
        match &self.scope.bodies {
            Some(list) => {
                let bodies = list.iter().filter_map(|&id| field.body(id)).filter(|b| b.is_dynamic);
                members.extend(bodies.map(|b| (b.center, charge(b.mass), b.id.index())));
            }
            None => members.extend(field.dynamic_bodies().map(|b| (b.center, charge(b.mass), b.id.index()))),
        }
        if let Some(region) = &self.scope.region {
            let (low, high) = (region.min.to_vec(), region.max.to_vec());
            members.retain(|(p, ..)| {
                (0..D::N).all(|i| low.get(i) <= p.to_vec().get(i) && p.to_vec().get(i) <= high.get(i))
            });
        }
        for (i, &(p, q, a)) in members.iter().enumerate() {
            let is_mine = field.is_target(a);
            if field.part.is_some() && !is_mine {
                // Pairs of which one is pushed are met from that one.
                continue;
            }
            let first = if field.part.is_some() { 0 } else { i + 1 };
            for (k, &(other, charge, b)) in members.iter().enumerate().skip(first) {
                if k == i || k < i && field.is_target(b) {
                    continue;
                }
                let r = other - p;
                if r.length() <= self.range {
                    visit(field, [a, b], r, q * charge);
                }
            }
        }
        field.room.members = members;
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        self.each_pair(field, |field, [a, b], r, charge| {
            let pull = self.law.pull::<D>(r, self.softening) * charge;
            // By index: the members were live a moment ago, and sleepers among them attract without being moved.
            let [to_a, to_b] = [field.is_target(a), field.is_target(b)];
            if to_a {
                field.loads[a as usize].force += pull;
            }
            if to_b {
                field.loads[b as usize].force -= pull;
            }
        });
    }

    pub(super) fn energy(&self, field: &mut ForceField<'_, D>) -> Option<Real> {
        let mut sum = Some(0.0);
        self.each_pair(field, |_, _, r, charge| {
            let part = self.law.potential(r.length(), self.softening);
            sum = sum.zip(part).map(|(sum, part)| sum + part * charge);
        });
        sum
    }
}
