//! Random numbers, f64 vectors and brute-force references.

use topple::Shape3;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::shape::d3::HullData;

/// A small generator with a fixed sequence (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
    pub(crate) fn vec(&mut self, reach: f32) -> Vec3 {
        Vec3::new(self.range(-reach, reach), self.range(-reach, reach), self.range(-reach, reach))
    }
    pub(crate) fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vec(1.0);
            let l = v.length();
            if l > 0.1 && l < 1.0 {
                return v / l;
            }
        }
    }
    pub(crate) fn rotation(&mut self) -> Quat {
        let q = Quat::from_xyzw(
            self.range(-1.0, 1.0),
            self.range(-1.0, 1.0),
            self.range(-1.0, 1.0),
            self.range(-1.0, 1.0),
        );
        if q.length() < 0.1 { self.rotation() } else { RotOps::<D3>::normalized(q) }
    }
    pub(crate) fn pose(&mut self, reach: f32) -> Pose<D3> {
        Pose::new(self.vec(reach), self.rotation())
    }
}

/// Vectors in f64, as arrays.
pub(crate) type V = [f64; 3];
pub(crate) fn wide(v: Vec3) -> V {
    [f64::from(v.x), f64::from(v.y), f64::from(v.z)]
}
pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale(a: V, s: f64) -> V {
    a.map(|x| x * s)
}
pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}
/// The pose applied in f64, with the quaternion normalised.
pub(crate) fn place(pose: &Pose<D3>, v: V) -> V {
    add(wide(pose.position.to_vec()), turn(pose.rotation, v))
}
pub(crate) fn turn(q: Quat, v: V) -> V {
    let (u, w) = ([f64::from(q.x), f64::from(q.y), f64::from(q.z)], f64::from(q.w));
    let n = dot(u, u) + w * w;
    let t = scale(cross(u, v), 2.0);
    add(v, scale(add(scale(t, w), cross(u, t)), 1.0 / n))
}

/// A convex polytope in f64: corners, face normals, edge directions.
#[derive(Clone, Debug)]
pub(crate) struct Polytope {
    pub(crate) corners: Vec<V>,
    pub(crate) normals: Vec<V>,
    pub(crate) edges: Vec<V>,
}

impl Polytope {
    pub(crate) fn cuboid(half: Vec3) -> Self {
        let h = wide(half);
        let corners = (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 0 { -h[k] } else { h[k] })).collect();
        let axes = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let normals = axes.iter().flat_map(|&a| [a, scale(a, -1.0)]).collect();
        Self { corners, normals, edges: axes }
    }

    /// The polyhedron of a hull, its normals recomputed from the corners.
    pub(crate) fn hull(data: &HullData) -> Self {
        let corners: Vec<V> = data.vertices().iter().map(|&v| wide(v)).collect();
        let at = |i: u16| corners[usize::from(i)];
        let normals = data
            .faces()
            .iter()
            .map(|f| {
                let first = usize::from(f.first);
                let edges = &data.half_edges()[first..first + usize::from(f.count)];
                let origin = at(edges[0].vertex);
                let sum = edges.windows(2).fold([0.0; 3], |n, e| {
                    add(n, cross(sub(at(e[0].vertex), origin), sub(at(e[1].vertex), origin)))
                });
                scale(sum, 1.0 / length(sum))
            })
            .collect();
        let edges = data.edges().iter().map(|e| sub(at(e.vertices[1]), at(e.vertices[0]))).collect();
        let unit = |v: V| scale(v, 1.0 / length(v));
        let edges: Vec<V> = Vec::into_iter(edges).map(unit).collect();
        Self { corners, normals, edges }
    }

    pub(crate) fn placed(&self, pose: &Pose<D3>) -> Self {
        let turned = |list: &[V]| list.iter().map(|&v| turn(pose.rotation, v)).collect();
        Self {
            corners: self.corners.iter().map(|&v| place(pose, v)).collect(),
            normals: turned(&self.normals),
            edges: turned(&self.edges),
        }
    }

    /// Smallest and largest coordinate along `n`.
    pub(crate) fn span(&self, n: V) -> (f64, f64) {
        self.corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &c| {
            let x = dot(c, n);
            (low.min(x), high.max(x))
        })
    }
}

/// Gap of b above a along `n`; negative where they overlap.
pub(crate) fn gap(a: &Polytope, b: &Polytope, n: V) -> f64 {
    b.span(n).0 - a.span(n).1
}

/// Largest gap over all face normals and edge cross products, its axis, and the largest gap over the axes that differ
/// from it by more than a degree.
pub(crate) fn brute_force(a: &Polytope, b: &Polytope) -> (f64, V, f64) {
    let mut axes: Vec<V> = a.normals.clone();
    axes.extend(b.normals.iter().map(|&n| scale(n, -1.0)));
    for &ea in &a.edges {
        for &eb in &b.edges {
            let n = cross(ea, eb);
            let l = length(n);
            if l > 1e-7 {
                axes.push(scale(n, 1.0 / l));
                axes.push(scale(n, -1.0 / l));
            }
        }
    }
    let gaps: Vec<f64> = axes.iter().map(|&n| gap(a, b, n)).collect();
    let best = (0..axes.len()).max_by(|&i, &j| gaps[i].total_cmp(&gaps[j])).unwrap();
    let other = (0..axes.len())
        .filter(|&i| dot(axes[i], axes[best]) < 0.99985)
        .fold(f64::NEG_INFINITY, |m, i| m.max(gaps[i]));
    (gaps[best], axes[best], other)
}

/// Number of random cases: ten times as many with `TOPPLE_LONG_TESTS` in the environment, for a run that may take its time.
pub(crate) fn cases(usual: usize) -> usize {
    if std::env::var_os("TOPPLE_LONG_TESTS").is_some() { 10 * usual } else { usual }
}

/// Every way to compute a contact.
pub(crate) const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Auto, Algorithm::Sat, Algorithm::SeparatingPlanes, Algorithm::Gjk];

/// A collision with nothing cached.
pub(crate) fn collide(a: &Shape3, b: &Shape3, b_in_a: Pose<D3>, margin: f32, slop: f32) -> LocalManifold<D3> {
    collide_cached(a, b, b_in_a, margin, slop, &mut PairCache::default())
}

pub(crate) fn collide_by(
    algorithm: Algorithm,
    a: &Shape3,
    b: &Shape3,
    b_in_a: Pose<D3>,
    margin: f32,
    slop: f32,
) -> LocalManifold<D3> {
    collide_cached_by(algorithm, a, b, b_in_a, margin, slop, &mut PairCache::default())
}

pub(crate) fn collide_cached(
    a: &Shape3,
    b: &Shape3,
    b_in_a: Pose<D3>,
    margin: f32,
    slop: f32,
    cache: &mut PairCache,
) -> LocalManifold<D3> {
    collide_cached_by(Algorithm::Auto, a, b, b_in_a, margin, slop, cache)
}

pub(crate) fn collide_cached_by(
    algorithm: Algorithm,
    a: &Shape3,
    b: &Shape3,
    b_in_a: Pose<D3>,
    margin: f32,
    slop: f32,
    cache: &mut PairCache,
) -> LocalManifold<D3> {
    let job = CollideJob { a, b, b_in_a, margin, slop, algorithm };
    let (out, counters) = collide_counted(&job, cache);
    check_sane(&out, margin, &format!("{algorithm:?} {a:?} {b:?} {b_in_a:?}"));
    // Each algorithm does its own work and no other's.
    let is_plane = [a, b].iter().any(|s| matches!(s, Shape3::Plane { .. }));
    match algorithm {
        Algorithm::Auto => {}
        Algorithm::Gjk if !is_plane => assert_eq!(counters.axes, 0, "{counters:?}"),
        _ => {
            let others = counters.gjk_iterations + counters.epa_iterations;
            assert!(
                others == 0 && counters.axes > 0,
                "{algorithm:?} {} {}: {counters:?}",
                a.kind(),
                b.kind()
            );
        }
    }
    out
}

/// A collision and what it took; without the texts and checks of [`collide_cached_by`], for loops of many steps.
pub(crate) fn collide_counted(
    job: &CollideJob<'_, D3>,
    cache: &mut PairCache,
) -> (LocalManifold<D3>, NarrowCounters) {
    let (mut out, mut counters) = (LocalManifold::default(), NarrowCounters::default());
    Shape3::collide(job, cache, &mut counters, &mut out);
    check_sane(&out, job.margin, job.a.kind());
    (out, counters)
}

/// Compares a contact of sharp polyhedra, with a margin of 0.05, with what [`brute_force`] found: the depth to within 1e-4, and
/// the normal to within 0.1° where it is unique, that is where every axis that differs by more than a degree overlaps by 1e-4 more.
pub(crate) fn check_overlap(m: &LocalManifold<D3>, expected: f64, axis: V, other: f64, what: &str) {
    let got = f64::from(deepest(m));
    if expected > 0.0501 {
        assert!(m.is_empty(), "{what}: contact at a distance of {expected}");
    } else if expected > 0.0 {
        // Apart: the gap of the axes that are looked at is a gap, but may be less than the distance.
        assert!(got >= -1e-4, "{what}");
    } else {
        assert!((got - expected).abs() < 1e-4, "{what}: {got} instead of {expected}");
        let angle = angle_deg(m.normal, axis);
        assert!(angle < 0.1 || expected - other <= 1e-4, "{what}: normal off by {angle} degrees");
    }
}

/// What holds for every manifold.
pub(crate) fn check_sane(m: &LocalManifold<D3>, margin: f32, what: &str) {
    if m.is_empty() {
        return;
    }
    assert!((m.normal.length() - 1.0).abs() < 1e-4, "normal {:?} of {what}", m.normal);
    for (i, p) in m.points().iter().enumerate() {
        assert!(p.position.is_finite() && p.separation.is_finite(), "{p:?} of {what}");
        assert!(p.separation <= margin, "{p:?} beyond the margin {margin} of {what}");
        assert!(m.points()[..i].iter().all(|q| q.id != p.id), "ids twice in {m:?} of {what}");
    }
}

/// Smallest separation of a manifold; infinite without points.
pub(crate) fn deepest(m: &LocalManifold<D3>) -> f32 {
    m.points().iter().fold(f32::INFINITY, |d, p| d.min(p.separation))
}

/// The second shape seen from the first, the other way round.
pub(crate) fn inverse(pose: &Pose<D3>) -> Pose<D3> {
    pose.relative(Pose::IDENTITY)
}

pub(crate) fn angle_deg(a: Vec3, b: V) -> f64 {
    length(cross(wide(a), b)).atan2(dot(wide(a), b)).to_degrees()
}
