//! Force generators as text.

use std::fmt::Write as _;

use super::scene::{Printer, targets};
use crate::model::force::Law;
use crate::model::{Force, ForceKind, Target};

impl Printer<'_> {
    pub(super) fn force(&mut self, force: &Force) {
        let word = match &force.kind {
            ForceKind::Gravity { .. } => "gravity",
            ForceKind::Point { .. } => "point",
            ForceKind::Spring { .. } => "spring",
            ForceKind::Attraction { .. } => "attraction",
            ForceKind::Motor { .. } => "motor",
            ForceKind::Thrust { .. } => "thrust",
            ForceKind::Wind { .. } => "wind",
            ForceKind::Drag { .. } => "drag",
            ForceKind::Buoyancy { .. } => "buoyancy",
            ForceKind::Explosion { .. } => "explosion",
            ForceKind::Vortex { .. } => "vortex",
        };
        let _ = write!(self.out, "force {word}");
        if let Some(name) = &force.name {
            let _ = write!(self.out, " \"{name}\"");
        }
        self.out.push_str(" {");
        if !force.on.is_empty() && force.on != [Target::All] {
            let _ = write!(self.out, " on {}", targets(&force.on));
        }
        if let Some([low, high]) = force.region {
            // A corner is open as a whole or not at all.
            self.optional_vector("low", Some(low).filter(|low| low[0].is_finite()));
            self.optional_vector("high", Some(high).filter(|high| high[0].is_finite()));
        }
        self.force_kind(&force.kind);
        self.out.push_str(" }\n");
    }

    fn force_kind(&mut self, kind: &ForceKind) {
        match kind {
            ForceKind::Gravity { acceleration } => self.vector("acceleration", *acceleration),
            ForceKind::Point { at, from, strength, exponent, softening } => {
                self.optional_vector("at", *at);
                self.text("from", from.as_deref());
                self.number("strength", *strength);
                self.number("exponent", f64::from(*exponent));
                self.number("softening", *softening);
            }
            ForceKind::Spring { a, b, at_a, at_b, length, stiffness, damping, bungee } => {
                self.text("a", Some(a));
                self.text("b", b.as_deref());
                self.optional_vector("atA", *at_a);
                self.optional_vector("atB", *at_b);
                self.optional("length", *length);
                self.number("stiffness", *stiffness);
                self.number("damping", *damping);
                self.flag("bungee", *bungee);
            }
            ForceKind::Attraction { law, by_mass, softening, range } => {
                match law {
                    Law::Power { strength, exponent } => {
                        self.number("strength", *strength);
                        self.number("exponent", f64::from(*exponent));
                    }
                    Law::LennardJones { depth, distance } => {
                        self.number("depth", *depth);
                        self.number("distance", *distance);
                    }
                }
                self.word(if *by_mass { "charge mass" } else { "charge one" });
                self.number("softening", *softening);
                self.optional("range", *range);
            }
            ForceKind::Motor { torque, local, carrier, free_speed } => {
                self.spin("torque", *torque);
                self.flag("local", *local);
                self.text("carrier", carrier.as_deref());
                self.optional("freeSpeed", *free_speed);
            }
            ForceKind::Thrust { force, at, local } => {
                self.vector("force", *force);
                self.vector("at", *at);
                self.word(if *local { "local on" } else { "local off" });
            }
            ForceKind::Wind { velocity, density, drag, lift } => {
                self.vector("velocity", *velocity);
                self.number("density", *density);
                self.number("drag", *drag);
                self.number("lift", *lift);
            }
            ForceKind::Drag { linear, quadratic, angular } => {
                self.number("linear", *linear);
                self.number("quadratic", *quadratic);
                self.number("angular", *angular);
            }
            ForceKind::Buoyancy { level, normal, density, drag, spin_drag, flow } => {
                self.number("level", *level);
                self.vector("normal", *normal);
                self.number("density", *density);
                self.number("drag", *drag);
                self.number("spinDrag", *spin_drag);
                self.vector("flow", *flow);
            }
            ForceKind::Explosion { at, radius, pressure, duration } => {
                self.vector("at", *at);
                self.number("radius", *radius);
                self.number("pressure", *pressure);
                self.number("duration", *duration);
            }
            ForceKind::Vortex { at, axis, radius, swirl, pull, lift } => {
                self.vector("at", *at);
                self.axis("axis", *axis, false);
                self.number("radius", *radius);
                self.number("swirl", *swirl);
                self.number("pull", *pull);
                if self.dimension == 3 {
                    self.number("lift", *lift);
                }
            }
        }
    }
}
