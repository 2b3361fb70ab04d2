//! Narrow phase: from two shapes and their relative pose to contact points, normal and separation.
//!
//! **In**: pairs of shapes with poses, last step's cache. **Out**: a [`LocalManifold`] per pair. **Writes**: only the
//! contacts it is given. **Order**: contacts are independent; any order and any number of threads give the same result.
//! **Cost**: linear in the pairs. **To add a method**: implement [`NarrowPhase`], pass the conformance suite in
//! `tests/it/conformance/narrow_phase.rs`. Geometry of the pairs: `d2/` and `d3/`, one file per family of pairs.

mod batch;
pub(crate) mod composite;
pub mod d2;
pub mod d3;
mod manifold;
mod methods;
mod parts;
mod way_in;

pub use batch::{ContactBatch, PairTask};
pub(crate) use batch::{PairSource, reaches_plane, write};
pub use composite::{MAX_PARTS, Parts};
pub use manifold::{LocalManifold, LocalPoint, MAX_LOCAL_POINTS};
pub use methods::{NarrowPhaseAuto, NarrowPhaseGjk, NarrowPhaseSat};
pub(crate) use way_in::bring_back;

use crate::Error;
use crate::math::*;
use crate::store::{Reader, Writer};

/// A method of computing contacts.
pub trait NarrowPhase<D: Dim>: Send + Sync {
    /// Name in scene files, flags and profiles.
    fn name(&self) -> &'static str;

    /// The contact functions that jobs ask for, those of the children of meshes, height fields and chains included.
    fn algorithm(&self) -> Algorithm {
        Algorithm::Auto
    }

    /// Brings every contact of the batch up to date. Called for several batches at once from different threads.
    fn update(&self, batch: &mut ContactBatch<'_, D>);

    /// Writes state that lives from step to step; what belongs to a pair lives in its [`PairCache`]. Most methods have
    /// none.
    fn save(&self, _out: &mut Writer) {}

    /// Reads what [`Self::save`] wrote.
    fn load(&mut self, _input: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Which contact functions are used. All of them give the same contacts, up to their tolerances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Whichever is quickest for the pair.
    #[default]
    Auto,
    /// Separating axes for every pair of convex shapes.
    Sat,
    /// The same, looking for separating planes in the order of [Yuksel2007]: after a face the edges and the other way
    /// round, faces of the larger body first, and the first plane that separates will do.
    SeparatingPlanes,
    /// Closest points by GJK and EPA for every pair of bounded convex shapes.
    Gjk,
}

impl Algorithm {
    /// True for separating axes in any order.
    #[inline]
    pub fn is_sat(self) -> bool {
        matches!(self, Self::Sat | Self::SeparatingPlanes)
    }
}

/// One pair to collide, in the frame of shape a.
#[derive(Clone, Copy, Debug)]
pub struct CollideJob<'a, D: Dim> {
    /// First shape, at the origin of the frame.
    pub a: &'a D::Shape,
    /// Second shape.
    pub b: &'a D::Shape,
    /// Pose of b in the frame of a.
    pub b_in_a: Pose<D>,
    /// Points closer than this are contacts, so that fast bodies are stopped in time [m]. At least 0.
    pub margin: Real,
    /// Length that counts as nothing for this pair [m]: hysteresis between axes, merging of points.
    pub slop: Real,
    /// Which contact functions to use.
    pub algorithm: Algorithm,
}

impl<D: Dim> CollideJob<'_, D> {
    /// The same pair with the roles swapped.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let r = self.b_in_a.rotation.inverse();
        let position = D::Point::from_vec(-r.rotate(self.b_in_a.position.to_vec()));
        Self { a: self.b, b: self.a, b_in_a: Pose { position, rotation: r }, ..*self }
    }

    /// True if b is larger than a, by volume (2D: area): planes on the larger body last longer.
    pub(crate) fn is_b_larger(&self) -> bool {
        let size = |shape: &D::Shape| crate::shape::ShapeOps::mass(shape, 1.0).mass;
        size(self.b) > size(self.a)
    }
}

/// What a contact function remembers of a pair from one step to the next. Each function gives the fields its own
/// meaning; all zero means "nothing known". A function that finds a cache it does not understand ignores it. The two highest bits of
/// `kind` are the world's, and stay: they tell which shape is ground, that is, cannot be pushed while the other can.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairCache {
    /// Which kind of feature or simplex is remembered; 0: none.
    pub kind: u32,
    /// Feature of shape a, or packed vertex indices.
    pub a: u32,
    /// Feature of shape b, or packed vertex indices.
    pub b: u32,
    /// A length, usually the separation when the feature was found [m].
    pub value: Real,
}

impl PairCache {
    /// Bit of `kind`: a cannot be pushed, b can.
    pub(crate) const ON_A: u32 = 1 << 30;
    /// Bit of `kind`: b cannot be pushed, a can.
    pub(crate) const ON_B: u32 = 1 << 31;
    /// Bit of `kind`: a is a mesh, height field or chain that cannot be pushed, b is convex and can.
    pub(crate) const ON_SURFACE: u32 = 1 << 29;
    /// What follows from the bodies and their shapes.
    pub(crate) const GIVEN: u32 = Self::GROUND | Self::ON_SURFACE;
    /// Both bits of the ground.
    pub(crate) const GROUND: u32 = Self::ON_A | Self::ON_B;

    /// Which shape is the ground.
    #[inline]
    pub(crate) fn ground(&self) -> Option<Side> {
        match self.kind & Self::GROUND {
            Self::ON_A => Some(Side::A),
            Self::ON_B => Some(Side::B),
            _ => None,
        }
    }

    /// Takes the bits of the ground out, for functions that do not know them; [`Self::lie_on`] puts them back.
    #[inline]
    pub(crate) fn take_ground(&mut self) -> Option<Side> {
        let ground = self.ground();
        self.kind &= !Self::GROUND;
        ground
    }

    /// Notes which shape is the ground.
    #[inline]
    pub(crate) fn lie_on(&mut self, ground: Option<Side>) {
        let bits = ground.map_or(0, |side| if side == Side::A { Self::ON_A } else { Self::ON_B });
        self.kind = self.kind & !Self::GROUND | bits;
    }
}

/// One of the two shapes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }
}

/// How much work the narrow phase did. Added up over threads; only sums, so the order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NarrowCounters {
    /// Pairs whose contact was computed from the geometry.
    pub computed: u64,
    /// Pairs whose contact was kept because the bodies hardly moved against each other.
    pub recycled: u64,
    /// Pairs answered from the cached axis or feature alone.
    pub cache_hits: u64,
    /// Separating axes tested.
    pub axes: u64,
    /// GJK iterations.
    pub gjk_iterations: u64,
    /// EPA iterations.
    pub epa_iterations: u64,
}

impl NarrowCounters {
    /// Adds the work of another thread.
    pub fn add(&mut self, other: &Self) {
        self.computed += other.computed;
        self.recycled += other.recycled;
        self.cache_hits += other.cache_hits;
        self.axes += other.axes;
        self.gjk_iterations += other.gjk_iterations;
        self.epa_iterations += other.epa_iterations;
    }
}
