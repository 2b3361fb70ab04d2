//! Seeded random shapes and poses, and short forms of the calls under test.

use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

/// A small generator (PCG-like): the same numbers on every platform.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = ((self.0 >> 18) ^ self.0) >> 27;
        (x as u32).rotate_right((self.0 >> 59) as u32)
    }
    pub(crate) fn unit(&mut self) -> Real {
        (self.bits() >> 8) as Real / 16_777_216.0
    }
    pub(crate) fn range(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.bits() % n
    }
    /// Uniform in the square of half size `r`.
    pub(crate) fn vec(&mut self, r: Real) -> Vec2 {
        Vec2::new(self.range(-r, r), self.range(-r, r))
    }
    pub(crate) fn rotation(&mut self) -> Rot2 {
        // Often aligned: parallel edges are the interesting case.
        match self.below(4) {
            0 => [
                Rot2 { cos: 1.0, sin: 0.0 },
                Rot2 { cos: 0.0, sin: 1.0 },
                Rot2 { cos: -1.0, sin: 0.0 },
                Rot2 { cos: 0.0, sin: -1.0 },
            ][self.below(4) as usize],
            1 => Rot2::from_angle(self.range(-1e-3, 1e-3)),
            _ => Rot2::from_angle(self.range(-3.2, 3.2)),
        }
    }
}

/// Kinds that [`random_shape`] makes.
pub(crate) const KINDS: u32 = 8;

/// A shape of about `size` [m]: circle, rectangle, rounded rectangle, polygon, rounded polygon, capsule, segment,
/// half-plane.
pub(crate) fn random_shape(random: &mut Random, kind: u32, size: Real) -> Shape2 {
    let length = |random: &mut Random| size * random.range(0.1, 1.0);
    match kind % KINDS {
        0 => Shape2::circle(length(random)),
        1 => Shape2::rectangle(length(random), length(random)),
        2 => inflated(length(random), length(random), 0.3 * length(random)),
        3 => random_polygon(random, size, 0.0),
        4 => {
            let radius = 0.3 * length(random);
            random_polygon(random, size, radius)
        }
        5 => {
            let (a, b) = random_ends(random, size);
            Shape2::capsule(a, b, 0.3 * length(random))
        }
        6 => {
            let (a, b) = random_ends(random, size);
            Shape2::segment(a, b)
        }
        _ => {
            let normal = random.rotation().rotate(Vec2::Y);
            Shape2::half_plane(normal, random.range(-size, size))
        }
    }
}

fn random_ends(random: &mut Random, size: Real) -> (Vec2, Vec2) {
    let a = random.vec(size);
    (a, a + random.rotation().rotate(Vec2::X) * (size * random.range(0.1, 1.0)))
}

pub(crate) fn random_polygon(random: &mut Random, size: Real, radius: Real) -> Shape2 {
    let center = random.vec(0.5 * size);
    loop {
        let points: Vec<Vec2> = (0..3 + random.below(9)).map(|_| center + random.vec(0.7 * size)).collect();
        // Needles are tested on their own; here the tolerances are those of ordinary shapes.
        match Shape2::rounded_polygon(&points, radius) {
            Ok(shape) if shape.inner_radius() > 0.02 * size => return shape,
            _ => {}
        }
    }
}

pub(crate) const SLOP: Real = 1e-6;

/// Every way to compute a contact.
pub(crate) const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Auto, Algorithm::Sat, Algorithm::SeparatingPlanes, Algorithm::Gjk];

pub(crate) fn collide(a: &Shape2, b: &Shape2, b_in_a: Pose<D2>, margin: Real) -> LocalManifold<D2> {
    collide_by(Algorithm::Auto, a, b, b_in_a, margin)
}

pub(crate) fn collide_by(
    algorithm: Algorithm,
    a: &Shape2,
    b: &Shape2,
    b_in_a: Pose<D2>,
    margin: Real,
) -> LocalManifold<D2> {
    collide_cached_by(algorithm, a, b, b_in_a, margin, SLOP, &mut PairCache::default())
}

pub(crate) fn collide_cached(
    a: &Shape2,
    b: &Shape2,
    b_in_a: Pose<D2>,
    margin: Real,
    slop: Real,
    cache: &mut PairCache,
) -> LocalManifold<D2> {
    collide_cached_by(Algorithm::Auto, a, b, b_in_a, margin, slop, cache)
}

pub(crate) fn collide_cached_by(
    algorithm: Algorithm,
    a: &Shape2,
    b: &Shape2,
    b_in_a: Pose<D2>,
    margin: Real,
    slop: Real,
    cache: &mut PairCache,
) -> LocalManifold<D2> {
    let mut out = LocalManifold::default();
    let job = CollideJob { a, b, b_in_a, margin, slop, algorithm };
    let mut counters = NarrowCounters::default();
    Shape2::collide(&job, cache, &mut counters, &mut out);
    // Each algorithm does its own work and no other's.
    let bounded = |s: &Shape2| !matches!(s, Shape2::HalfPlane { .. });
    if algorithm == Algorithm::Gjk && bounded(a) && bounded(b) {
        assert_eq!(counters.axes, 0, "{counters:?}");
    } else {
        assert!(counters.gjk_iterations + counters.epa_iterations == 0, "{counters:?}");
    }
    out
}

/// The smallest separation of a manifold; infinity if there is none.
pub(crate) fn deepest(manifold: &LocalManifold<D2>) -> Real {
    manifold.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
}

/// Fails if the manifold breaks a promise that holds for every pair.
pub(crate) fn check_promises(manifold: &LocalManifold<D2>, margin: Real, what: &str) {
    if manifold.is_empty() {
        return;
    }
    assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "{what}: normal {}", manifold.normal);
    for p in manifold.points() {
        assert!(p.position.is_finite() && p.separation.is_finite(), "{what}: {p:?}");
        assert!(p.separation <= margin, "{what}: {} beyond the margin {margin}", p.separation);
    }
    if let [p, q] = manifold.points() {
        assert_ne!(p.id, q.id, "{what}: ids");
    }
}

/// A rectangle of the given core sizes, inflated by `radius` on all sides.
pub(crate) fn inflated(width: f32, height: f32, radius: f32) -> Shape2 {
    Shape2::Rectangle { half: Vec2::new(0.5 * width, 0.5 * height), radius }
}
