//! Contacts of solids made of triangles, with each other, with ground and with convex bodies, against brute force over all triangles in
//! f64 (`oracle.rs`): grazing, deep, and one wholly inside the other.

use crate::oracle::{Solid, V, add, dot, length, placed, sub, wide};
use crate::support::{Random, box_surface, bumpy, hills, mesh};
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate;
use topple::{Pose, Shape3};

/// Lengths that contacts treat as nothing, and how far they look ahead [m].
const SLOP: Real = 0.002;
const MARGIN: Real = 0.01;

/// Solid shapes about a metre wide, and whether they are convex.
fn solids() -> Vec<(&'static str, Shape3, bool)> {
    let rock: Vec<Vec3> = {
        let mut random = Random(2);
        (0..24).map(|_| random.vector::<D3>(0.8)).collect()
    };
    vec![
        ("cube of triangles", mesh(&box_surface(Vec3::ONE, Vec3::ZERO)), true),
        ("plank of triangles", mesh(&box_surface(Vec3::new(1.4, 0.2, 0.5), Vec3::ZERO)), true),
        ("ball of triangles", mesh(&generate::icosphere(0.5, 1).unwrap()), true),
        ("ring", mesh(&generate::torus(0.5, 0.2, 12, 6).unwrap()), false),
        ("bumpy ball", mesh(&bumpy(&mut Random(4), 1)), false),
        ("box", Shape3::cuboid(0.9, 0.6, 0.7), true),
        ("hull", Shape3::hull(&rock).unwrap(), true),
    ]
}

/// A contact in the frame of a: unit normal to b, and points with their separations [m].
#[derive(Debug)]
struct Found {
    normal: V,
    points: Vec<(V, f64)>,
}

impl Found {
    /// How deep the deepest point is [m].
    fn depth(&self) -> f64 {
        self.points.iter().fold(f64::NEG_INFINITY, |d, p| d.max(-p.1))
    }
}

/// The contact with the deepest point, computed in the order a, b or b, a; None if there is none.
fn contact(a: &Shape3, b: &Shape3, pose: Pose<D3>, is_swapped: bool) -> Option<Found> {
    let (first, second, b_in_a) =
        if is_swapped { (b, a, pose.relative(Pose::IDENTITY)) } else { (a, b, pose) };
    let job =
        CollideJob { a: first, b: second, b_in_a, margin: MARGIN, slop: SLOP, algorithm: Algorithm::Auto };
    let mut out = LocalManifold::<D3>::default();
    Shape3::collide(&job, &mut PairCache::default(), &mut NarrowCounters::default(), &mut out);
    if out.is_empty() {
        return None;
    }
    let points = out.points().iter().map(|p| (wide(p.position), f64::from(p.separation)));
    if !is_swapped {
        return Some(Found { normal: wide(out.normal), points: points.collect() });
    }
    let normal = sub(placed(wide(out.normal), &pose), placed([0.0; 3], &pose));
    Some(Found {
        normal: sub([0.0; 3], normal),
        points: points.map(|(p, s)| (placed(p, &pose), s)).collect(),
    })
}

fn moved(pose: &Pose<D3>, way: V) -> Pose<D3> {
    let way = Vec3::new(way[0] as Real, way[1] as Real, way[2] as Real);
    Pose { position: pose.position + way, rotation: pose.rotation }
}

/// b at a random angle beside a, brought to the given depth along the shortest way.
fn at_depth(a: &Shape3, b: &Shape3, depth: Real, random: &mut Random) -> Pose<D3> {
    let mut pose = random.pose::<D3>(0.0);
    let away = random.vector::<D3>(2.0).normalize_or(Vec3::Y);
    pose.position = (away * 3.0).into();
    // Twice: what is nearest changes on the way.
    for gap in [0.05, -depth] {
        let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
        pose.position = pose.position - c.normal * (c.distance - gap);
    }
    pose
}

#[test]
fn probe() {
    let mut random = Random(17);
    let list = solids();
    for depth in [0.001, 0.004, 0.02, 0.05, 0.15, 0.3, 0.6] {
        for (name_a, a, convex_a) in &list {
            for (name_b, b, convex_b) in &list {
                if a.composite().is_none() && b.composite().is_none() {
                    continue;
                }
                let (mut stuck, mut lost) = (0, 0);
                let (mut n, mut none, mut over, mut under, mut off, mut long) = (0, 0, 0, 0, 0, 0);
                let (mut worst_over, mut worst_off, mut worst_long) = (0.0_f64, 0.0_f64, 0.0_f64);
                for _ in 0..20 {
                    let pose = at_depth(a, b, depth, &mut random);
                    let (sa, sb) = (Solid::new(a, &Pose::IDENTITY), Solid::new(b, &pose));
                    if !sa.overlaps(&sb, [0.0; 3]) {
                        continue;
                    }
                    n += 1;
                    let Some(found) = contact(a, b, pose, false) else {
                        none += 1;
                        continue;
                    };
                    let d = found.depth();
                    if d > f64::from(SLOP)
                        && !sa.overlaps(&sb, add([0.0; 3], found.normal, d - f64::from(SLOP)))
                    {
                        over += 1;
                        // How much?
                        let mut e = d;
                        while e > 0.0 && !sa.overlaps(&sb, add([0.0; 3], found.normal, e)) {
                            e -= f64::from(SLOP);
                        }
                        worst_over = worst_over.max(d - e);
                    }
                    if *convex_a
                        && *convex_b
                        && sa.overlaps(&sb, add([0.0; 3], found.normal, d + f64::from(SLOP)))
                    {
                        under += 1;
                    }
                    if d > f64::from(depth) * 1.5 + f64::from(SLOP) {
                        long += 1;
                        worst_long = worst_long.max(d / f64::from(depth));
                    }
                    let mut place = pose;
                    let mut free = false;
                    for _ in 0..24 {
                        let Some(found) = contact(a, b, place, false).filter(|f| f.depth() > 0.0) else {
                            free = true;
                            break;
                        };
                        place =
                            moved(&place, add([0.0; 3], found.normal, found.depth() + 0.1 * f64::from(SLOP)));
                    }
                    if !free {
                        stuck += 1;
                    } else if sa.overlaps(&Solid::new(b, &place), [0.0; 3]) {
                        lost += 1;
                    }
                    for (p, _) in found.points.iter().filter(|p| p.1 < 0.0) {
                        let out = sa.distance(*p).max(sb.distance(*p));
                        if out > f64::from(SLOP) {
                            off += 1;
                            worst_off = worst_off.max(out);
                        }
                    }
                }
                if none + over + under + off + long + stuck + lost > 0 {
                    println!(
                        "{depth}: {name_a} / {name_b}: {n} overlap, none {none}, over {over} ({worst_over:.4}), not freed {under}, points off {off} ({worst_off:.4}), long {long} ({worst_long:.1}), stuck {stuck}, lost {lost}"
                    );
                }
            }
        }
    }
    let _ = (dot([0.0; 3], [0.0; 3]), length([0.0; 3]), hills(1.0, 2), moved(&Pose::IDENTITY, [0.0; 3]));
}
