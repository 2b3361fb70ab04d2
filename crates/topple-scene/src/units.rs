//! Unit suffixes. Every quantity is SI inside; a suffix is a factor and a physical dimension.
//!
//! The dimension is carried only as far as it is certain: a plain number fits everywhere, and multiplying
//! by a plain number makes the result plain again, because `2 * 9.8 * h` is not a length. So `radius 5kg` and
//! `5cm + 3s` are caught, and no formula that a person would write is refused.

/// Exponents of metre, kilogram, second and radian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Metres.
    pub m: i8,
    /// Kilograms.
    pub kg: i8,
    /// Seconds.
    pub s: i8,
    /// Radians.
    pub rad: i8,
}

/// Shorthand for the tables.
pub(crate) const fn dim(m: i8, kg: i8, s: i8, rad: i8) -> Dimension {
    Dimension { m, kg, s, rad }
}

impl Dimension {
    /// A pure number.
    pub const NONE: Self = dim(0, 0, 0, 0);
    /// Length [m].
    pub const LENGTH: Self = dim(1, 0, 0, 0);
    /// Mass [kg].
    pub const MASS: Self = dim(0, 1, 0, 0);
    /// Time [s].
    pub const TIME: Self = dim(0, 0, 1, 0);
    /// Angle [rad].
    pub const ANGLE: Self = dim(0, 0, 0, 1);

    /// Product of two quantities.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        self.combine(other, 1)
    }

    /// Quotient of two quantities.
    #[must_use]
    pub fn per(self, other: Self) -> Self {
        self.combine(other, -1)
    }

    /// Integer power.
    #[must_use]
    pub fn power(self, exponent: i8) -> Self {
        Self::NONE.combine(self, exponent)
    }

    fn combine(self, other: Self, factor: i8) -> Self {
        let add = |a: i8, b: i8| a.saturating_add(b.saturating_mul(factor));
        dim(add(self.m, other.m), add(self.kg, other.kg), add(self.s, other.s), add(self.rad, other.rad))
    }

    /// Whether a value of dimension `found` may stand where `self` is wanted. Radians are numbers, so they may
    /// be missing, but a number of turns is not a frequency.
    #[must_use]
    pub fn accepts(self, found: Self) -> bool {
        (self.m, self.kg, self.s) == (found.m, found.kg, found.s) && (found.rad == self.rad || found.rad == 0)
    }

    /// Name for messages: `a length [m]`.
    #[must_use]
    pub fn describe(self) -> String {
        let named = [
            (Self::NONE, "a plain number"),
            (Self::LENGTH, "a length [m]"),
            (Self::MASS, "a mass [kg]"),
            (Self::TIME, "a time [s]"),
            (Self::ANGLE, "an angle [rad]"),
            (dim(1, 0, -1, 0), "a speed [m/s]"),
            (dim(1, 0, -2, 0), "an acceleration [m/s^2]"),
            (dim(0, 0, -1, 1), "an angular speed [rad/s]"),
            (dim(0, 0, -1, 0), "a frequency [Hz]"),
            (dim(1, 1, -2, 0), "a force [N]"),
            (dim(2, 1, -2, 0), "an energy or torque [N m]"),
            (dim(1, 1, -1, 0), "an impulse [N s]"),
        ];
        named
            .iter()
            .find(|(dimension, _)| *dimension == self)
            .map_or_else(|| format!("a quantity in {}", self.symbol()), |(_, name)| (*name).to_string())
    }

    /// `kg/m^3`, empty for a number.
    #[must_use]
    pub fn symbol(self) -> String {
        let parts = [("kg", self.kg), ("m", self.m), ("rad", self.rad), ("s", self.s)];
        let write = |sign: i8| {
            let part = |&(name, exponent): &(&str, i8)| match exponent.saturating_mul(sign) {
                1 => Some(name.to_string()),
                power if power > 1 => Some(format!("{name}^{power}")),
                _ => None,
            };
            parts.iter().filter_map(part).collect::<Vec<_>>().join(" ")
        };
        let (above, below) = (write(1), write(-1));
        match (above.is_empty(), below.is_empty()) {
            (_, true) => above,
            (true, false) => format!("1/{below}"),
            (false, false) => format!("{above}/{below}"),
        }
    }
}

/// A suffix that may be glued to a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// As written.
    pub name: &'static str,
    /// Factor to SI.
    pub factor: f64,
    /// What it measures.
    pub dimension: Dimension,
}

const fn unit(name: &'static str, factor: f64, dimension: Dimension) -> Unit {
    Unit { name, factor, dimension }
}

const TAU: f64 = std::f64::consts::TAU;

/// Every known suffix. `%` is one of them: `5%` is 0.05.
pub const UNITS: &[Unit] = &[
    unit("m", 1.0, Dimension::LENGTH),
    unit("km", 1e3, Dimension::LENGTH),
    unit("dm", 0.1, Dimension::LENGTH),
    unit("cm", 0.01, Dimension::LENGTH),
    unit("mm", 0.001, Dimension::LENGTH),
    unit("um", 1e-6, Dimension::LENGTH),
    unit("in", 0.0254, Dimension::LENGTH),
    unit("ft", 0.3048, Dimension::LENGTH),
    unit("kg", 1.0, Dimension::MASS),
    unit("g", 0.001, Dimension::MASS),
    unit("mg", 1e-6, Dimension::MASS),
    unit("t", 1e3, Dimension::MASS),
    unit("lb", 0.453_592_37, Dimension::MASS),
    unit("s", 1.0, Dimension::TIME),
    unit("ms", 0.001, Dimension::TIME),
    unit("us", 1e-6, Dimension::TIME),
    unit("min", 60.0, Dimension::TIME),
    unit("h", 3600.0, Dimension::TIME),
    unit("rad", 1.0, Dimension::ANGLE),
    unit("deg", TAU / 360.0, Dimension::ANGLE),
    unit("turn", TAU, Dimension::ANGLE),
    unit("rpm", TAU / 60.0, dim(0, 0, -1, 1)),
    unit("Hz", 1.0, dim(0, 0, -1, 0)),
    unit("kHz", 1e3, dim(0, 0, -1, 0)),
    unit("N", 1.0, dim(1, 1, -2, 0)),
    unit("kN", 1e3, dim(1, 1, -2, 0)),
    unit("MN", 1e6, dim(1, 1, -2, 0)),
    unit("Nm", 1.0, dim(2, 1, -2, 0)),
    unit("Ns", 1.0, dim(1, 1, -1, 0)),
    unit("J", 1.0, dim(2, 1, -2, 0)),
    unit("kJ", 1e3, dim(2, 1, -2, 0)),
    unit("W", 1.0, dim(2, 1, -3, 0)),
    unit("Pa", 1.0, dim(-1, 1, -2, 0)),
    unit("kPa", 1e3, dim(-1, 1, -2, 0)),
    unit("l", 0.001, dim(3, 0, 0, 0)),
    unit("%", 0.01, Dimension::NONE),
];

/// Finds a unit by its exact name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name)
}

/// Factor and dimension of a suffix such as `m`, `m/s^2` or `kg/m^3`; the first part that is no unit as error.
pub fn parse_suffix(text: &str) -> Result<(f64, Dimension), &str> {
    let mut factor = 1.0;
    let mut dimension = Dimension::NONE;
    for (index, part) in text.split('/').enumerate() {
        let (name, power) = part
            .split_once('^')
            .map_or((part, 1), |(name, digits)| (name, digits.parse::<i8>().unwrap_or(1)));
        let unit = find(name).ok_or(name)?;
        // Repeated multiplication, not `powi`: the same bits everywhere.
        for _ in 0..power {
            if index == 0 {
                factor *= unit.factor;
            } else {
                factor /= unit.factor;
            }
        }
        let part = unit.dimension.power(power);
        dimension = if index == 0 { part } else { dimension.per(part) };
    }
    Ok((factor, dimension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compound_suffixes_multiply_out() {
        assert_eq!(parse_suffix("m/s^2"), Ok((1.0, dim(1, 0, -2, 0))));
        let (factor, dimension) = parse_suffix("g/cm^3").unwrap();
        assert!((factor - 1000.0).abs() < 1e-9);
        assert_eq!(dimension, dim(-3, 1, 0, 0));
        assert_eq!(parse_suffix("m/x"), Err("x"));
    }

    #[test]
    fn an_angular_speed_is_no_frequency() {
        assert!(!dim(0, 0, -1, 0).accepts(dim(0, 0, -1, 1)));
        assert!(dim(0, 0, -1, 1).accepts(dim(0, 0, -1, 0)));
    }

    #[test]
    fn symbols_read_like_units() {
        assert_eq!(dim(-3, 1, 0, 0).symbol(), "kg/m^3");
        assert_eq!(dim(0, 0, -1, 0).symbol(), "1/s");
    }
}
