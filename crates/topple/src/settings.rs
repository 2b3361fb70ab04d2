//! Every tunable of the engine, in one place, with unit and default.
//!
//! Lengths that only make sense relative to the size of things (slop, margins) are given as a share of the *size* of
//! the smaller shape of a pair (its inner radius) with an upper bound, because real dominoes are 7 mm thick and real
//! houses are not.

use crate::Error;
use crate::math::*;
use crate::shape::{Mixing, ShapeDef};

/// Strength of gravity unless set, and what weights are measured with where there is none [m/s²].
const STANDARD_GRAVITY: Real = 9.8;

macro_rules! settings {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr, $kind:ident($($arg:expr),*), $unit:literal;)*) => {
        /// Settings of a world. Plain data; [`crate::World::set_settings`] checks them.
        ///
        /// ```
        /// use topple::Settings2;
        /// let calm = Settings2 { substeps: 8, ..Settings2::default() };
        /// assert!(calm.validate().is_ok());
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings<D: Dim> {
            /// Acceleration by gravity [m/s²]. Default −9.8 along y.
            pub gravity: D::Vec,
            $($(#[doc = $doc])* #[doc = concat!("Unit: ", $unit, ". Default `", stringify!($default), "`.")] pub $name: $type,)*
        }

        impl<D: Dim> Default for Settings<D> {
            fn default() -> Self {
                let mut gravity = D::Vec::ZERO;
                gravity.set(1, -STANDARD_GRAVITY);
                Self { gravity, $($name: $default,)* }
            }
        }

        impl<D: Dim> Settings<D> {
            /// Ok, or the first setting with an impossible value.
            pub fn validate(&self) -> Result<(), Error> {
                if !self.gravity.is_finite() {
                    return Err(Error::invalid("Settings.gravity", self.gravity, "finite"));
                }
                $(check::$kind(concat!("Settings.", stringify!($name)), self.$name, $($arg),*)?;)*
                Ok(())
            }

            /// Sets one setting from text, by its name: a number, `true`/`false`, the name of a mixing rule, or for
            /// `gravity` numbers with commas. Changes nothing if the name or the value is wrong.
            pub fn set_by_name(&mut self, name: &str, value: &str) -> Result<(), Error> {
                let mut changed = self.clone();
                match name {
                    "gravity" => changed.gravity = text::vector::<D>(value)?,
                    $(stringify!($name) => changed.$name = text::Setting::parse(concat!("Settings.", stringify!($name)), value)?,)*
                    _ => return Err(text::unknown(name, Self::info().iter().map(|s| s.name))),
                }
                changed.validate()?;
                *self = changed;
                Ok(())
            }

            /// Name, unit, default and meaning of every setting, for lists and reference pages.
            pub fn info() -> Vec<SettingInfo> {
                let d = Self::default();
                vec![
                    SettingInfo { name: "gravity", unit: "m/s²", default: text::show_vector::<D>(d.gravity),
                        doc: "Acceleration by gravity.".into(), value: SettingValue::Vector, allowed: "finite".into() },
                    $(SettingInfo { name: stringify!($name), unit: $unit, default: text::Setting::show(&d.$name),
                        doc: concat!($($doc, " "),*).trim().into(), value: <$type as text::Setting>::VALUE,
                        allowed: allowed::$kind($($arg),*) },)*
                ]
            }

            /// The value of one setting as text, by its name.
            pub fn get_by_name(&self, name: &str) -> Result<String, Error> {
                match name {
                    "gravity" => Ok(text::show_vector::<D>(self.gravity)),
                    $(stringify!($name) => Ok(text::Setting::show(&self.$name)),)*
                    _ => Err(text::unknown(name, Self::info().iter().map(|s| s.name))),
                }
            }
        }
    };
}

/// Description of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    /// Name in code, scene files and flags.
    pub name: &'static str,
    /// Unit; `1` for numbers without one.
    pub unit: &'static str,
    /// Default value as text.
    pub default: String,
    /// What it does.
    pub doc: String,
    /// What it holds.
    pub value: SettingValue,
    /// Which values are allowed, in words; empty if all are.
    pub allowed: String,
}

/// What a setting holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A number.
    Number,
    /// A whole number.
    Count,
    /// True or false.
    Flag,
    /// A rule of [`Mixing`].
    Mixing,
    /// Numbers, one per axis.
    Vector,
}

settings! {
    /// Time that one step advances.
    dt: Real = 1.0 / 60.0, within(1e-6, 1.0), "s";
    /// Sub-steps per step of solvers that use them.
    substeps: u32 = 4, count(1, 1000), "1";
    /// Iterations per step of solvers that iterate instead.
    iterations: u32 = 10, count(1, 10_000), "1";

    /// Let bodies at rest fall asleep.
    sleeping: bool = true, flag(), "1";
    /// A body slower than this, everywhere on its surface, is at rest; small bodies: see `sleep_rate`.
    sleep_speed: Real = 0.05, not_negative(), "m/s";
    /// The same for small bodies, as body sizes per second: the smaller of both limits counts.
    sleep_rate: Real = 0.1, not_negative(), "1/s";
    /// Share of its history in the speed that a body is judged by: new = bias·old + (1 − bias)·speed, in every step. So a
    /// body that stops for a moment (at the top of its path, at the turn of a swing) is not at rest yet. Capped at ten times the
    /// limit; a body that wakes starts at twice the limit. 0 judges the speed of the moment.
    sleep_bias: Real = 0.0, within(0.0, 0.999), "1";
    /// Time at rest before an island falls asleep.
    sleep_time: Real = 0.5, not_negative(), "s";
    /// A sleeping body is woken by a touch faster than this; gentler ones treat it as a wall.
    wake_speed: Real = 0.1, not_negative(), "m/s";
    /// A sleeping body is woken by a push above this share of its weight (of its mass times 9.8 m/s² without gravity).
    wake_load: Real = 0.1, not_negative(), "1";
    /// Pairs that come into being where no body is awake (created asleep, say) get their contact at once, with its events, and nothing
    /// wakes by it. False: when one of them wakes.
    sleeping_contacts: bool = false, flag(), "1";

    /// Overlap that counts as nothing, as a share of the size of the smaller shape.
    slop: Real = 0.01, within(0.0, 0.5), "1";
    /// Upper bound of the slop.
    max_slop: Real = 0.005, not_negative(), "m";
    /// Contacts are made this many slops before the shapes touch.
    speculative: Real = 4.0, not_negative(), "slop";
    /// A contact is kept without computing it again while its bodies move less than this many slops against each other.
    /// 0 computes every contact in every step.
    recycling: Real = 10.0, not_negative(), "slop";
    /// Bounding boxes are fattened by this share of the size of the body, unless it goes farther than that in a step.
    box_margin: Real = 0.125, within(0.0, 10.0), "1";
    /// Upper bound of the fattening.
    max_box_margin: Real = 0.05, not_negative(), "m";
    /// Bounding boxes hold a shape in any orientation: quick to compute and unchanged when a body only turns, but
    /// larger, so that there are more pairs. False: boxes are as tight as they can be.
    rotation_invariant_boxes: bool = false, flag(), "1";

    /// The narrow phase `sat` looks for separating planes as YUKSEL does: when the last one fails, the other kind (face, edge)
    /// first; faces of the larger body before those of the smaller; any plane that separates ends the search.
    separating_planes: bool = false, flag(), "1";

    /// Start from the impulses of the last step (contact caching).
    warm_starting: bool = true, flag(), "1";
    /// Keep several contact points per pair; false keeps only the deepest.
    multiple_contacts: bool = true, flag(), "1";
    /// Bounce at all.
    restitution: bool = true, flag(), "1";
    /// Surfaces bounce that meet faster than this and what load and acceleration make in two steps together: 0.35 m/s for a body that falls at 9.8 m/s²
    /// with 60 steps per second. What rests by this measure stands as if it had no restitution.
    restitution_threshold: Real = 0.02, not_negative(), "m/s";
    /// Friction at all.
    friction: bool = true, flag(), "1";
    /// How the friction of two shapes is combined unless they say otherwise.
    friction_mixing: Mixing = Mixing::Geometric, mixing(), "1";
    /// How the restitution of two shapes is combined unless they say otherwise.
    restitution_mixing: Mixing = Mixing::Max, mixing(), "1";
    /// Density of shapes made by `shape_def`; in 2D kg/m².
    default_density: Real = 1.0, not_negative(), "kg/m³";
    /// Friction of shapes made by `shape_def`.
    default_friction: Real = 0.5, not_negative(), "1";
    /// Restitution of shapes made by `shape_def`.
    default_restitution: Real = 0.0, not_negative(), "1";

    /// Stiffness of soft contacts as a frequency; limited to an eighth of the sub-step rate.
    contact_hertz: Real = 30.0, positive(), "Hz";
    /// Damping of soft contacts; 1 is critical.
    contact_damping: Real = 10.0, positive(), "1";
    /// Overlap is pushed out at most this fast.
    push_speed: Real = 3.0, positive(), "m/s";
    /// Stiffness of joints as a frequency; limited to a quarter of the sub-step rate.
    joint_hertz: Real = 60.0, positive(), "Hz";
    /// Damping of joints; 1 is critical.
    joint_damping: Real = 2.0, not_negative(), "1";
    /// Largest speed at which a joint closes the gap between its anchors. Joints that contradict each other, or whose bodies were
    /// torn apart, would else throw them.
    joint_push_speed: Real = 40.0, positive(), "m/s";
    /// Groups of bodies in which a contact or joint carries more than this many times the weight of the lighter body get finer
    /// sub-steps. For columns that stand straight it is 1.5 times as much, of bodies of 1 m; those of smaller ones need less, since they
    /// sink by more for their size, and so do low ones that are about to tip.
    refine_load: Real = 8.0, positive(), "1";
    /// At most this many times finer (`soft-step`); 1 leaves all groups alike. 64 holds towers of 60, chains with a heavy end and
    /// arches (`crates/topple/examples/quality`).
    max_refinement: u32 = 64, count(1, 1024), "1";
    /// Refined groups in which each body stands on others are solved by statics while nothing slides or tips (`soft-step`): loads are found at
    /// once, whatever the height and the ratio of masses, and cheaper than by sweeps. `max_refinement` 1 turns it off too: nothing is refined then.
    statics: bool = true, flag(), "1";
    /// Joints of chains and trees that bear much are solved all at once (`soft-step`): those of a body that is more than `refine_load` times as
    /// heavy as the one it is joined to, and long ones by `direct_load`. False: small steps hold what they can. `max_refinement` 1 turns it
    /// off too.
    direct_joints: bool = true, flag(), "1";
    /// A chain or tree of like bodies that touches nothing is solved all at once if a joint pulls with more than this many
    /// times the weight of its lighter body, and the whole weighs more than that.
    direct_load: Real = 20.0, positive(), "1";
    /// Heaps that are put together at rest sink into themselves less: contacts that bear more than four weights take this share of it for granted.
    settling: Real = 0.95, within(0.0, 1.0), "1";
    /// How fast they do.
    settling_rate: Real = 0.18, not_negative(), "1/s";
    /// Groups that the step gave energy it does not have are slowed down again, by as much: refined ones of uneven bodies, and elastic bodies
    /// on joints, which also get back what was lost. False: what the solver makes of them stays, to study it.
    keep_energy: bool = true, flag(), "1";
    /// Share of the overlap removed per step by solvers with position bias.
    baumgarte: Real = 0.2, within(0.0, 1.0), "1";

    /// Fast bodies are stopped where they first meet a static one, and bullets where they meet anything, instead of passing
    /// through it within a step.
    continuous: bool = true, flag(), "1";

    /// Let spinning bodies precess (3D).
    gyroscopic: bool = true, flag(), "1";
    /// Orientations are advanced as matrices, R + h·(w × R) brought back to a rotation by Gram–Schmidt, column by column: first order,
    /// to study beside the default, which turns by the exponential. In 2D the matrix is (cos, sin) and the last step its
    /// normalisation.
    matrix_rotation: bool = false, flag(), "1";
    /// Forces on a body are clamped to this: the user's and those of generators together, not gravity.
    max_force: Real = Real::MAX, positive(), "N";
    /// Torques on a body are clamped to this, in the same way.
    max_torque: Real = Real::MAX, positive(), "N·m";
    /// Speeds are clamped to this.
    max_speed: Real = 4000.0, positive(), "m/s";
    /// Rotation per sub-step is clamped to this, whatever drives a body, motors among it; elastic bodies: see `max_elastic_spin`. What the user
    /// sets holds until the next step.
    max_spin: Real = 0.25 * core::f32::consts::PI, within(1e-3, 3.0), "rad";
    /// The same for bodies with restitution and without joints, if it is more. Clamping costs them energy: a box of 0.17 m that is hit at
    /// 10 m/s turns by up to 1.5 rad. Beyond half a turn nobody could tell which way a body turns.
    max_elastic_spin: Real = 3.0, within(1e-3, 3.0), "rad";
    /// Impacts faster than this are reported as hits by shapes that ask for it.
    hit_speed: Real = 1.0, not_negative(), "m/s";
}

/// Range checks, one per kind of setting.
mod check {
    use super::{Error, Mixing, Real};
    pub(super) use crate::error::{not_negative, positive};

    pub(super) fn within(field: &'static str, value: Real, low: Real, high: Real) -> Result<(), Error> {
        if value.is_finite() && value >= low && value <= high {
            return Ok(());
        }
        let allowed = format!("from {low} to {high}");
        Err(Error::InvalidRange { field, value: value.to_string(), allowed })
    }

    pub(super) fn count(field: &'static str, value: u32, low: u32, high: u32) -> Result<(), Error> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(Error::InvalidRange { field, value: value.to_string(), allowed: format!("from {low} to {high}") })
    }

    pub(super) fn flag(_field: &'static str, _value: bool) -> Result<(), Error> {
        Ok(())
    }

    pub(super) fn mixing(_field: &'static str, _value: Mixing) -> Result<(), Error> {
        Ok(())
    }
}

/// What the range checks allow, in words, one per kind of setting.
mod allowed {
    use super::Real;

    pub(super) fn within(low: Real, high: Real) -> String {
        format!("from {low} to {high}")
    }

    pub(super) fn count(low: u32, high: u32) -> String {
        format!("from {low} to {high}")
    }

    pub(super) fn not_negative() -> String {
        "at least 0".into()
    }

    pub(super) fn positive() -> String {
        "above 0".into()
    }

    pub(super) fn flag() -> String {
        String::new()
    }

    pub(super) fn mixing() -> String {
        String::new()
    }
}

/// Settings to and from text.
mod text {
    use super::{Dim, Error, Mixing, Real, SettingValue, VecOps};

    pub(super) trait Setting: Sized {
        const VALUE: SettingValue;
        fn parse(field: &'static str, text: &str) -> Result<Self, Error>;
        fn show(&self) -> String;
    }

    impl Setting for Real {
        const VALUE: SettingValue = SettingValue::Number;

        fn parse(field: &'static str, text: &str) -> Result<Self, Error> {
            text.trim().parse().map_err(|_| Error::invalid(field, text, "a number"))
        }
        fn show(&self) -> String {
            self.to_string()
        }
    }

    impl Setting for u32 {
        const VALUE: SettingValue = SettingValue::Count;

        fn parse(field: &'static str, text: &str) -> Result<Self, Error> {
            text.trim().parse().map_err(|_| Error::invalid(field, text, "a whole number, at least 0"))
        }
        fn show(&self) -> String {
            self.to_string()
        }
    }

    impl Setting for bool {
        const VALUE: SettingValue = SettingValue::Flag;

        fn parse(field: &'static str, text: &str) -> Result<Self, Error> {
            match text.trim() {
                "true" | "on" | "yes" | "1" => Ok(true),
                "false" | "off" | "no" | "0" => Ok(false),
                _ => Err(Error::invalid(field, text, "true or false")),
            }
        }
        fn show(&self) -> String {
            self.to_string()
        }
    }

    impl Setting for Mixing {
        const VALUE: SettingValue = SettingValue::Mixing;

        fn parse(field: &'static str, text: &str) -> Result<Self, Error> {
            let found = Mixing::NAMES.iter().find(|(name, _)| *name == text.trim());
            found
                .map(|&(_, rule)| rule)
                .ok_or_else(|| Error::invalid(field, text, "one of mean, geometric, min, product, max"))
        }
        fn show(&self) -> String {
            let found = Mixing::NAMES.iter().find(|(_, rule)| rule == self);
            found.map_or("?", |(name, _)| name).to_string()
        }
    }

    pub(super) fn vector<D: Dim>(text: &str) -> Result<D::Vec, Error> {
        let refuse = || Error::invalid("Settings.gravity", text, "numbers with commas, one per axis");
        let parts: Vec<Real> =
            text.split(',').map(|p| p.trim().parse().map_err(|_| refuse())).collect::<Result<_, _>>()?;
        if parts.len() != D::N {
            return Err(refuse());
        }
        let mut v = D::Vec::ZERO;
        parts.iter().enumerate().for_each(|(i, &x)| v.set(i, x));
        Ok(v)
    }

    pub(super) fn show_vector<D: Dim>(v: D::Vec) -> String {
        (0..D::N).map(|i| v.get(i).to_string()).collect::<Vec<_>>().join(",")
    }

    pub(super) fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> Error {
        let known = known.collect::<Vec<_>>().join(", ");
        Error::UnknownName { kind: "setting", name: name.into(), known }
    }
}

impl<D: Dim> Settings<D> {
    /// A shape with the default density, friction and restitution of these settings; everything else as [`ShapeDef::new`] has it.
    ///
    /// ```
    /// use topple::{Settings2, Shape2};
    /// let ice = Settings2 { default_friction: 0.02, default_density: 900.0, ..Settings2::default() };
    /// let block = ice.shape_def(Shape2::rectangle(1.0, 1.0));
    /// assert_eq!((block.density, block.material.friction), (900.0, 0.02));
    /// ```
    pub fn shape_def(&self, shape: D::Shape) -> ShapeDef<D> {
        let mut def = ShapeDef::new(shape);
        def.density = self.default_density;
        def.material.friction = self.default_friction;
        def.material.restitution = self.default_restitution;
        def
    }

    /// Overlap that counts as nothing for a shape or pair of inner radius `size` [m].
    #[inline]
    pub(crate) fn slop_for(&self, size: Real) -> Real {
        (self.slop * size).min(self.max_slop)
    }

    /// True if bodies that rest under the other settings may move under these: by gravity, by friction, or because contacts and joints
    /// come to rest elsewhere. Restitution is not among them, since nothing approaches anything where all rests; nor are steps
    /// and sub-steps, which hosts change all the time.
    pub(crate) fn moves_what_rests(&self, other: &Self) -> bool {
        let forces = |s: &Self| (s.friction, s.friction_mixing, s.max_force, s.max_torque);
        let softness = |s: &Self| [s.contact_hertz, s.contact_damping, s.joint_hertz, s.joint_damping];
        let geometry = |s: &Self| (s.slop, s.max_slop, s.multiple_contacts);
        self.gravity != other.gravity
            || forces(self) != forces(other)
            || softness(self) != softness(other)
            || geometry(self) != geometry(other)
    }

    /// Strength of gravity for thresholds that compare with weight [m/s²].
    pub(crate) fn weight_scale(&self) -> Real {
        let g = self.gravity.length();
        if g > 0.0 { g } else { STANDARD_GRAVITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_go_to_text_and_back() {
        let mut changed = Settings::<D2>::default();
        changed.set_by_name("gravity", "0, -1.5").unwrap();
        changed.set_by_name("friction_mixing", "min").unwrap();
        changed.set_by_name("sleeping", "off").unwrap();
        changed.set_by_name("substeps", "7").unwrap();
        let mut copy = Settings::<D2>::default();
        for info in Settings::<D2>::info() {
            copy.set_by_name(info.name, &changed.get_by_name(info.name).unwrap()).unwrap();
            assert!(!info.doc.is_empty() && !info.unit.is_empty(), "{} is documented", info.name);
        }
        assert_eq!(copy, changed);
    }

    #[test]
    fn a_wrong_setting_changes_nothing_and_says_what_is_allowed() {
        let mut settings = Settings::<D3>::default();
        for (name, value) in [
            ("dt", "0"),
            ("dt", "abc"),
            ("substeps", "-1"),
            ("gravity", "1,2"),
            ("gravity", "NaN,0,0"),
            ("friction_mixing", "sum"),
            ("sleeping", "maybe"),
            ("slopp", "1"),
            ("push_speed", "inf"),
        ] {
            let error = settings.set_by_name(name, value).unwrap_err().to_string();
            assert!(error.contains("must be") || error.contains("no setting named"), "{error}");
        }
        assert_eq!(settings, Settings::default());
    }
}
