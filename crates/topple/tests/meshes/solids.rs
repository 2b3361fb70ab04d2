//! Contacts of solids made of triangles, with each other, with ground and with convex bodies, against brute force over all triangles in
//! f64 (`oracle.rs`): grazing, deep, and one wholly inside the other.

use crate::oracle::{Solid, V, add, length, placed, sub, wide};
use crate::support::{Random, box_surface, bumpy, mesh};
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

/// What a contact may be wrong by, in slops. A part is looked at twice only from five slops on (`DEEP` of the narrow phase), so that what is less deep may
/// look past the other shape by as much; patches are cut off a slop beyond their edges, which at the tip of a triangle as sharp as those of the plank is fourteen slops, and as much again for those of the other shape.
const DEPTH: f64 = 5.0;
const FREE: f64 = 2.0;
const PLACE: f64 = 3.0;
const PLACE_AT_TIPS: f64 = 28.0;
/// Poses of every pair at every depth.
const CASES: usize = 16;
/// Depth up to which a contact is asked for its points and for being the short way [m].
const SHALLOW: Real = 0.05;
/// Pushes after which two solids must be apart.
const PUSHES: usize = 24;

/// What was found out about the contacts of many poses.
#[derive(Debug, Default)]
struct Tally {
    overlaps: usize,
    /// Not apart after the push that the contact asks for.
    not_free: usize,
    /// Deeper than one and a half times the shortest way.
    long: usize,
    /// Never apart, or without a contact while they still overlap, however often pushed.
    stuck: usize,
}

/// Looks at one pose.
fn judge(
    (name_a, a): (&str, &Shape3),
    (name_b, b): (&str, &Shape3),
    pose: Pose<D3>,
    depth: Real,
    tally: &mut Tally,
) {
    let slop = f64::from(SLOP);
    let (solid_a, solid_b) = (Solid::new(a, &Pose::IDENTITY), Solid::new(b, &pose));
    if !solid_a.overlaps(&solid_b, [0.0; 3]) {
        return;
    }
    tally.overlaps += 1;
    for is_swapped in [false, true] {
        let found = contact(a, b, pose, is_swapped);
        let what =
            || format!("{name_a} and {name_b}, {depth} m deep, {pose:?}, swapped {is_swapped}: {found:?}");
        let Some(found) = &found else { panic!("no contact: {}", what()) };
        let got = found.depth();
        assert!((length(found.normal) - 1.0).abs() < 1e-4, "{}", what());
        assert!(got > -slop, "it does not push: {}", what());
        // Moved by less than that, along the normal, they still overlap.
        let still = add([0.0; 3], found.normal, (got - DEPTH * slop).max(0.0));
        assert!(solid_a.overlaps(&solid_b, still), "deeper than they are: {}", what());
        tally.not_free +=
            usize::from(solid_a.overlaps(&solid_b, add([0.0; 3], found.normal, got + FREE * slop)));
        tally.long += usize::from(got > 1.5 * f64::from(depth) + DEPTH * slop);
        if depth <= SHALLOW {
            let has_tips =
                name_a.contains("plank") || name_b.contains("plank") || name_b == "hull" || name_a == "hull";
            let place = if has_tips { PLACE_AT_TIPS } else { PLACE } * slop;
            for (p, separation) in &found.points {
                // Half-way between the surfaces, as far as those are apart.
                let outside = solid_a.distance(*p).max(solid_b.distance(*p));
                assert!(outside <= place + separation.max(0.0), "a point {outside} m outside: {}", what());
            }
        }
        let mut place = pose;
        let mut normal = found.normal;
        let is_done =
            (0..PUSHES).any(|_| match contact(a, b, place, is_swapped).filter(|found| found.depth() > 0.0) {
                Some(found) => {
                    normal = found.normal;
                    place = moved(&place, add([0.0; 3], normal, found.depth() + 0.1 * slop));
                    false
                }
                None => true,
            });
        let left = Solid::new(b, &place);
        tally.stuck += usize::from(!is_done || solid_a.overlaps(&left, add([0.0; 3], normal, DEPTH * slop)));
    }
}

/// All pairs of solids of which one at least is made of triangles, at the given depths.
fn tally_of(depths: &[Real], is_taken: impl Fn(bool, bool) -> bool) -> Tally {
    let mut random = Random(17);
    let list = solids();
    let mut tally = Tally::default();
    for &depth in depths {
        for (name_a, a, convex_a) in &list {
            for (name_b, b, convex_b) in &list {
                if a.composite().is_none() && b.composite().is_none() || !is_taken(*convex_a, *convex_b) {
                    continue;
                }
                for _ in 0..CASES {
                    let pose = at_depth(a, b, depth, &mut random);
                    judge((name_a, a), (name_b, b), pose, depth, &mut tally);
                }
            }
        }
    }
    tally
}

/// Up to 25 slops: every overlap is found, nothing is claimed that is not there, and of convex solids the one push that the contact asks for parts them.
#[test]
fn shallow_contacts_are_what_brute_force_finds() {
    let tally = tally_of(&[0.001, 0.004, 0.02, SHALLOW], |a, b| a && b);
    assert!(tally.overlaps > 1000, "{tally:?}");
    assert!(tally.not_free * 25 < tally.overlaps && tally.long * 50 < tally.overlaps, "{tally:?}");
    assert!(tally.stuck * 50 < tally.overlaps, "{tally:?}");
    let tally = tally_of(&[0.001, 0.004, 0.02, SHALLOW], |a, b| !(a && b));
    assert!(tally.overlaps > 1000, "{tally:?}");
    assert!(tally.long * 50 < tally.overlaps && tally.stuck * 50 < tally.overlaps, "{tally:?}");
}

/// Deeper than 50 slops, down to half of the bodies.
#[test]
fn deep_solids_find_their_way_out() {
    let tally = tally_of(&[0.15, 0.3], |_, _| true);
    assert!(tally.overlaps > 1000, "{tally:?}");
    assert!(tally.stuck * 20 < tally.overlaps, "{tally:?}");
}

/// One wholly inside the other, where no surface touches any: the way out is found all the same.
#[test]
fn what_is_wholly_inside_comes_out() {
    let mut random = Random(23);
    let large = [
        ("large cube", mesh(&box_surface(Vec3::splat(3.0), Vec3::ZERO))),
        ("large ball", mesh(&generate::icosphere(2.0, 2).unwrap())),
        ("large ring", mesh(&generate::torus(3.0, 1.4, 20, 12).unwrap())),
    ];
    let (mut tally, mut inside) = (Tally::default(), 0);
    for (name_a, a) in &large {
        for (name_b, b, _) in &solids() {
            for _ in 0..CASES {
                let mut pose = random.pose::<D3>(3.0);
                if *name_a == "large ring" {
                    pose.position.x += 3.0;
                }
                let (solid_a, solid_b) = (Solid::new(a, &Pose::IDENTITY), Solid::new(b, &pose));
                if !solid_b.triangles.iter().flatten().all(|p| solid_a.contains(*p)) {
                    continue;
                }
                inside += 1;
                judge((name_a, a), (name_b, b), pose, 4.0, &mut tally);
            }
        }
    }
    assert!(inside > 80 && tally.stuck * 20 < inside, "{inside} inside, {tally:?}");
}

/// Ground of triangles: height fields and open terrain, solid below. Bodies that are sunk come up, at most as deep as they are.
#[test]
fn what_is_sunk_into_ground_comes_up() {
    let mut random = Random(29);
    let heights: Vec<Real> = (0..81).map(|i| 0.12 * sin_cos(0.9 * i as Real).0).collect();
    let field = Shape3::height_field(Vec2::splat(6.0), 9, &heights).unwrap();
    let mut met = 0;
    for (name, shape, _) in &solids() {
        for case in 0..3 * CASES {
            let wanted = [0.004, 0.02, 0.06][case % 3];
            let mut pose = random.pose::<D3>(2.0);
            pose.position.y = 4.0;
            // Down to the ground, and a little deeper.
            let ground = Solid::new(&field, &Pose::IDENTITY);
            let (mut low, mut high) = (0.0, 4.0);
            for _ in 0..24 {
                let middle = 0.5 * (low + high);
                let body = Solid::new(
                    shape,
                    &Pose { position: [pose.position.x, middle, pose.position.z].into(), ..pose },
                );
                if ground.overlaps(&body, [0.0; 3]) { low = middle } else { high = middle }
            }
            pose.position.y = high - wanted;
            let body = Solid::new(shape, &pose);
            for is_swapped in [false, true] {
                let found = contact(&field, shape, pose, is_swapped);
                let what = || format!("{name}, {wanted} m deep, {pose:?}, swapped {is_swapped}: {found:?}");
                let Some(found) = &found else { panic!("no contact: {}", what()) };
                assert!(found.normal[1] > 0.0, "ground pushes down: {}", what());
                let slop = f64::from(SLOP);
                let still = add([0.0; 3], found.normal, (found.depth() - DEPTH * slop).max(0.0));
                assert!(ground.overlaps(&body, still), "deeper than it is: {}", what());
                met += 1;
            }
        }
    }
    assert!(met > 500, "{met}");
}
