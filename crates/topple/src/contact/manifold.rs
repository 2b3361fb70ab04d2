//! The hot part of a contact: geometry in the bodies' frames, impulses, mixed material.

use crate::body::NONE;
use crate::broad_phase::PairKey;
use crate::math::*;
use crate::narrow_phase::PairCache;

/// State bits of a contact.
pub(crate) mod flags {
    /// The manifold has points: the solver sees the contact.
    pub(crate) const TOUCHING: u16 = 1;
    /// One of the shapes is a sensor: reported, not solved.
    pub(crate) const SENSOR: u16 = 2;
    /// Both shapes allow the contact to be kept while they hardly move.
    pub(crate) const KEEPS: u16 = 4;
    /// `kept` is the relative place of the last full update.
    pub(crate) const HAS_KEPT: u16 = 8;
    /// A shape wants the pre-solve hook.
    pub(crate) const PRE_SOLVE: u16 = 16;
    /// Set by the update: the fat boxes no longer overlap.
    pub(crate) const APART: u16 = 32;
    /// The pre-solve hook refused the contact in this step.
    pub(crate) const REFUSED: u16 = 64;
    /// A shape wants an event for every step of touch.
    pub(crate) const PERSIST_EVENTS: u16 = 128;
    /// A shape wants hits reported.
    pub(crate) const HIT_EVENTS: u16 = 256;
    /// Was touching before the update.
    pub(crate) const WAS_TOUCHING: u16 = 512;
    /// Was solid before the update.
    pub(crate) const WAS_SOLID: u16 = 1024;
    /// A surface of the pair moves (conveyor).
    pub(crate) const SURFACE: u16 = 2048;
    /// One of the shapes has children (mesh, height field, chain): the pair can have several parts.
    pub(crate) const COMPOSITE: u16 = 4096;
    /// A further part of a pair: follows its head, is not in the pair table, reports no touches.
    pub(crate) const PART: u16 = 8192;
    /// Set by the update: computed anew in this step, not kept.
    pub(crate) const FRESH: u16 = 16384;
    /// A surface of the pair has a grain.
    pub(crate) const GRAIN: u16 = 32768;
}

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint<D: Dim> {
    /// The point in the centre-of-mass frame of body a [m]; in that of body b: [`Contact::local_b`].
    pub local_a: D::Vec,
    /// Separation when the contact was last computed [m]; where it stands now follows from the anchors.
    pub base_separation: Real,
    /// Impulse along the normal over the last sub-step [N·s], ≥ 0: the start value of the next one.
    pub normal_impulse: Real,
    /// Slow mean of `normal_impulse` [N·s]: the load that the contact has got used to.
    pub load: Real,
    /// Names the pair of features that touch.
    pub id: u32,
}

/// Geometry and impulses of a touching pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Manifold<D: Dim> {
    /// Number of points; 0: not touching.
    pub count: u32,
    /// Unit vector from a to b, in the centre-of-mass frame of body a.
    pub local_normal: D::Vec,
    /// The points; only the first `count` are used.
    pub points: D::PerPoint<ContactPoint<D>>,
    /// Friction impulse of the whole manifold, world frame [N·s], on b.
    pub friction_impulse: D::Vec,
    /// Friction impulse about the normal [N·m·s], on b (3D).
    pub twist_impulse: Real,
    /// Impulse of rolling resistance, world frame [N·m·s], on b.
    pub rolling_impulse: D::Ang,
}

impl<D: Dim> Manifold<D> {
    /// The points in use.
    #[inline]
    pub fn points(&self) -> &[ContactPoint<D>] {
        &self.points.as_ref()[..self.count as usize]
    }

    /// Forgets what was borne: the next step starts from nothing.
    pub(crate) fn clear_impulses(&mut self) {
        self.points_mut().iter_mut().for_each(|p| (p.normal_impulse, p.load) = (0.0, 0.0));
        self.friction_impulse = D::Vec::ZERO;
        self.twist_impulse = 0.0;
        self.rolling_impulse = D::Ang::ZERO;
    }

    /// The points in use.
    #[inline]
    pub fn points_mut(&mut self) -> &mut [ContactPoint<D>] {
        &mut self.points.as_mut()[..self.count as usize]
    }
}

/// The grain of a contact: friction along it differs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grain<D: Dim> {
    /// Unit vector along the grain, world frame; zero: none.
    pub direction: D::Vec,
    /// Factor on friction along it (no unit).
    pub factor: Real,
}

/// A contact as narrow phases write it and solvers read it. In the order of its use: what decides whether a contact is kept comes
/// first, within 60 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Contact<D: Dim> {
    pub(crate) flags: u16,
    /// Computed while no body of it was awake (`Settings::sleeping_contacts`): the step after one wakes treats it as new.
    pub(crate) is_found_asleep: bool,
    /// Deep, and the normal is the way the shapes came in by, not the shortest way out; it stays until they are out.
    pub(crate) is_held: bool,
    /// Bodies a and b, by stable index.
    pub bodies: [u32; 2],
    /// Shapes a and b, by stable index: what cannot be pushed before what can, otherwise the smaller index first.
    pub shapes: [u32; 2],
    /// Place of b as seen from a at the last full update, or, of two balls that are held, the one where their anchors coincide. The anchors on b follow from it.
    pub(crate) kept: Pose<D>,
    /// Overlap that counts as nothing [m].
    pub slop: Real,
    /// The next part of the pair, or NONE. The first one, its head, is in the pair table.
    pub(crate) next_part: u32,
    /// Where they touch.
    pub manifold: Manifold<D>,
    /// Mixed coefficient of sliding friction (no unit).
    pub friction: Real,
    /// Mixed coefficient of sticking friction, at least `friction` (no unit).
    pub static_friction: Real,
    /// Mixed restitution (no unit).
    pub restitution: Real,
    /// Lever arm of rolling resistance [m].
    pub rolling: Real,
    /// Lever arm of spinning resistance [m].
    pub spinning: Real,
    /// Velocity of surface b relative to surface a, beyond the motion of the bodies, world frame [m/s].
    pub surface_velocity: D::Vec,
    /// What the contact function remembers.
    pub(crate) cache: PairCache,
}

impl<D: Dim> Contact<D> {
    /// A contact without points between two shapes of two bodies.
    #[inline(always)]
    pub(crate) fn new(bodies: [u32; 2], shapes: [u32; 2], flags: u16) -> Self {
        Self {
            bodies,
            shapes,
            manifold: Manifold::default(),
            friction: 0.0,
            static_friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
            spinning: 0.0,
            surface_velocity: D::Vec::ZERO,
            slop: 0.0,
            cache: PairCache::default(),
            kept: Pose::IDENTITY,
            next_part: NONE,
            flags,
            is_found_asleep: false,
            is_held: false,
        }
    }

    /// True if the manifold has points.
    #[inline]
    pub fn is_touching(&self) -> bool {
        self.flags & flags::TOUCHING != 0
    }

    /// True if the solver must resolve it: touching, no sensor, not refused by the hook.
    #[inline]
    pub fn is_solid(&self) -> bool {
        self.flags & (flags::TOUCHING | flags::SENSOR | flags::REFUSED) == flags::TOUCHING
    }

    /// True if friction depends on the direction; see `SolverContext::grains`.
    #[inline]
    pub fn has_grain(&self) -> bool {
        D::N == 3 && self.flags & flags::GRAIN != 0
    }

    /// True if a shape of the pair is a sensor.
    #[inline]
    pub fn is_sensor(&self) -> bool {
        self.flags & flags::SENSOR != 0
    }

    /// True for a further part of a pair with a mesh, height field or chain.
    #[inline]
    pub fn is_part(&self) -> bool {
        self.flags & flags::PART != 0
    }

    /// Key of the pair, whichever of its shapes comes first.
    pub fn key(&self) -> PairKey {
        let [a, b] = self.shapes;
        u64::from(a.min(b)) << 32 | u64::from(a.max(b))
    }

    /// The unit normal in the world frame, from a to b, for body a turned by `rotation_a`.
    #[inline]
    pub fn normal(&self, rotation_a: D::Rot) -> D::Vec {
        rotation_a.rotate(self.manifold.local_normal)
    }

    /// A point of this contact in the centre-of-mass frame of body b [m]. It coincided with the one on a when the contact was
    /// computed, so it follows from that one, and is not stored.
    #[inline]
    pub fn local_b(&self, point: &ContactPoint<D>) -> D::Vec {
        self.kept.inverse_transform(D::Point::from_vec(point.local_a))
    }

    /// Point `i` in the world frame for the bodies at the given places (centres of mass).
    #[inline]
    pub fn row(&self, i: usize, a: &Pose<D>, b: &Pose<D>) -> PointRow<D> {
        let point = &self.manifold.points.as_ref()[i];
        let r_a = a.rotation.rotate(point.local_a);
        let r_b = b.rotation.rotate(self.local_b(point));
        let normal = self.normal(a.rotation);
        // The anchors coincided when the contact was computed; how far they have parted since changes the separation.
        let gap = (b.position - a.position) + (r_b - r_a);
        PointRow { r_a, r_b, separation: point.base_separation + gap.dot(normal) }
    }
}

/// A contact point in the world frame at given places of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointRow<D: Dim> {
    /// From the centre of mass of a to the point [m].
    pub r_a: D::Vec,
    /// From the centre of mass of b to the point [m].
    pub r_b: D::Vec,
    /// Distance of the surfaces along the normal [m]; negative: overlap.
    pub separation: Real,
}
