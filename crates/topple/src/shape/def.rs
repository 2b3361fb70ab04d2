//! Creation input of a shape: geometry, place on the body, material, filter.

use super::ShapeOps;
use crate::Error;
use crate::error::{finite, not_negative};
use crate::math::*;

/// Everything needed to attach a shape to a body. Fill in what differs from the default. The defaults here are fixed; those of a
/// world (`Settings::default_density` and its like) are filled in by [`crate::World::shape_def`].
///
/// ```
/// use topple::{ShapeDef2, Shape2, Material};
/// let ice = ShapeDef2 { material: Material { friction: 0.02, ..Material::default() }, ..Shape2::circle(0.5).into() };
/// assert_eq!(ice.density, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDef<D: Dim> {
    /// The geometry.
    pub shape: D::Shape,
    /// Place of the shape on its body.
    pub local: Pose<D>,
    /// Density [kg/m³, in 2D kg/m²]; 0 adds no mass. Default 1.
    pub density: Real,
    /// Friction, restitution and the like.
    pub material: Material<D>,
    /// What it collides with.
    pub filter: Filter,
    /// A sensor reports overlaps as events and is never pushed. Default false.
    pub is_sensor: bool,
    /// Report an event for every step a contact of this shape persists while a body of it is awake. Default false: the
    /// contact list has them.
    pub persist_events: bool,
    /// Report hits faster than `Settings::hit_speed` with point, normal and impulse. Default false.
    pub hit_events: bool,
    /// Call the pre-solve hook for contacts of this shape. Default false, so that the hook costs only where wanted.
    pub pre_solve: bool,
    /// For the user alone; kept in snapshots. Default 0.
    pub user_data: u64,
}

impl<D: Dim> ShapeDef<D> {
    /// The given geometry at the body's origin, everything else at its default, whatever a world's settings say.
    pub fn new(shape: D::Shape) -> Self {
        Self {
            shape,
            local: Pose::IDENTITY,
            density: 1.0,
            material: Material::default(),
            filter: Filter::default(),
            is_sensor: false,
            persist_events: false,
            hit_events: false,
            pre_solve: false,
            user_data: 0,
        }
    }

    /// The same with another local pose.
    #[must_use]
    pub fn at(mut self, local: Pose<D>) -> Self {
        self.local = local;
        self
    }

    /// The same with another density [kg/m³, in 2D kg/m²].
    #[must_use]
    pub fn density(mut self, density: Real) -> Self {
        self.density = density;
        self
    }

    /// The same with another friction coefficient (no unit).
    #[must_use]
    pub fn friction(mut self, friction: Real) -> Self {
        self.material.friction = friction;
        self
    }

    /// The same with another restitution (no unit).
    #[must_use]
    pub fn restitution(mut self, restitution: Real) -> Self {
        self.material.restitution = restitution;
        self
    }

    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        check_shape::<D>(&self.shape)?;
        self.local.check("ShapeDef.local")?;
        not_negative("ShapeDef.density", self.density)?;
        self.material.validate()
    }
}

/// Ok if a shape is possible, and no part of it so far from its origin that squares of lengths are beyond f32.
pub(crate) fn check_shape<D: Dim>(shape: &D::Shape) -> Result<(), Error> {
    shape.validate()?;
    let corners = match shape.half_space() {
        Some((normal, offset)) => [normal * offset; 2],
        None => {
            let bounds = shape.aabb(&Pose::IDENTITY);
            [bounds.min.to_vec(), bounds.max.to_vec()]
        }
    };
    match corners.iter().find(|&&corner| !is_within_reach::<D>(corner)) {
        Some(corner) => Err(Error::invalid("shape", corner, "within 1e18 m of its origin")),
        None => Ok(()),
    }
}

impl From<super::Shape2> for ShapeDef<D2> {
    fn from(shape: super::Shape2) -> Self {
        Self::new(shape)
    }
}

impl From<super::Shape3> for ShapeDef<D3> {
    fn from(shape: super::Shape3) -> Self {
        Self::new(shape)
    }
}

/// Surface of a shape. The two materials of a contact are mixed by [`Mixing`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material<D: Dim> {
    /// Coulomb coefficient while sliding (no unit, ≥ 0). Default 0.5.
    pub friction: Real,
    /// Coulomb coefficient while sticking (no unit). Used where it exceeds `friction`. Default 0: the same.
    pub static_friction: Real,
    /// Share of the approach speed that comes back (no unit, ≥ 0; above 1 adds energy). Default 0.
    pub restitution: Real,
    /// Resistance to rolling, as a lever arm relative to the shape's radius (no unit, ≥ 0). Default 0.
    pub rolling_friction: Real,
    /// Resistance to spinning about the normal, as a lever arm [m], ≥ 0; on top of the friction of the contact area.
    /// Default 0.
    pub spinning_friction: Real,
    /// Velocity of the surface relative to the body, in the shape's frame [m/s]: a conveyor belt. Default 0.
    pub surface_velocity: D::Vec,
    /// Direction of the grain of the surface, in the shape's frame (its length does not matter; no unit): along it friction is
    /// `grain_friction` times what it is across. A skate, a ski, a wheel that is not modelled. If both surfaces of a contact have
    /// a grain, the one with the smaller factor counts. No meaning in 2D, where there is one direction only. Default 0: none.
    pub grain: D::Vec,
    /// Factor on friction along the grain, sliding and sticking (no unit), ≥ 0. Default 1.
    pub grain_friction: Real,
    /// How this friction is combined with the other shape's. The stricter of both rules counts ([`Mixing`] order).
    /// None: the world's rule.
    pub friction_mixing: Option<Mixing>,
    /// The same for restitution.
    pub restitution_mixing: Option<Mixing>,
}

impl<D: Dim> Default for Material<D> {
    fn default() -> Self {
        Self {
            friction: 0.5,
            static_friction: 0.0,
            restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            surface_velocity: D::Vec::ZERO,
            grain: D::Vec::ZERO,
            grain_friction: 1.0,
            friction_mixing: None,
            restitution_mixing: None,
        }
    }
}

impl<D: Dim> Material<D> {
    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        not_negative("Material.friction", self.friction)?;
        not_negative("Material.static_friction", self.static_friction)?;
        not_negative("Material.restitution", self.restitution)?;
        not_negative("Material.rolling_friction", self.rolling_friction)?;
        not_negative("Material.spinning_friction", self.spinning_friction)?;
        for axis in 0..D::N {
            finite("Material.surface_velocity", self.surface_velocity.get(axis))?;
            finite("Material.grain", self.grain.get(axis))?;
        }
        not_negative("Material.grain_friction", self.grain_friction)
    }

    /// True if friction along the grain differs from that across.
    pub(crate) fn has_grain(&self) -> bool {
        self.grain != D::Vec::ZERO && self.grain_friction != 1.0
    }
}

/// How two coefficients become one. Where two shapes ask for different rules, the later in this list wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mixing {
    /// (a + b) / 2.
    Mean,
    /// √(a·b).
    #[default]
    Geometric,
    /// The smaller one.
    Min,
    /// a·b.
    Product,
    /// The larger one.
    Max,
}

impl Mixing {
    /// Every rule with its name in scene files.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("mean", Self::Mean),
        ("geometric", Self::Geometric),
        ("min", Self::Min),
        ("product", Self::Product),
        ("max", Self::Max),
    ];

    /// The two coefficients combined (no unit).
    #[inline]
    pub fn mix(self, a: Real, b: Real) -> Real {
        match self {
            Self::Mean => 0.5 * (a + b),
            Self::Geometric => (a * b).sqrt(),
            Self::Min => a.min(b),
            Self::Product => a * b,
            Self::Max => a.max(b),
        }
    }

    /// The rule for a pair: the later of the shapes' own rules, or the world's.
    #[inline]
    pub fn pick(a: Option<Self>, b: Option<Self>, world: Self) -> Self {
        a.max(b).unwrap_or(world)
    }
}

/// What a shape collides with.
///
/// Two shapes collide if each one's `category` meets the other's `mask`. Equal non-zero groups override that: a positive
/// group always collides, a negative one never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// What the shape is, as bits. Default 1.
    pub category: u64,
    /// Categories it collides with. Default all.
    pub mask: u64,
    /// Shapes of one group always (> 0) or never (< 0) collide with each other. Default 0: no group.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { category: 1, mask: u64::MAX, group: 0 }
    }
}

impl Filter {
    /// True if the two filters let the pair collide.
    #[inline]
    pub fn allows(&self, other: &Self) -> bool {
        if self.group != 0 && self.group == other.group {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_override_masks() {
        let a = Filter { category: 1, mask: 2, group: -3 };
        let b = Filter { category: 2, mask: 1, group: 0 };
        assert!(a.allows(&b) && b.allows(&a));
        assert!(!a.allows(&Filter { group: -3, ..b }));
        assert!(Filter { mask: 0, group: 4, ..a }.allows(&Filter { group: 4, ..b }));
        assert!(!a.allows(&Filter { category: 4, ..b }));
    }

    #[test]
    fn stricter_mixing_rule_wins() {
        assert_eq!(Mixing::pick(Some(Mixing::Min), Some(Mixing::Max), Mixing::Mean), Mixing::Max);
        assert_eq!(Mixing::pick(None, Some(Mixing::Min), Mixing::Max), Mixing::Min);
        assert_eq!(Mixing::pick(None, None, Mixing::Product), Mixing::Product);
        assert_eq!(Mixing::Geometric.mix(0.25, 1.0), 0.5);
    }
}
