//! Bodies of several convex shapes against brute force over the pairs of their parts: contacts, distances, rays and shape casts.
//!
//! What a compound is asked for is a minimum over its parts, so the world must give exactly the least of what the functions for two
//! convex shapes say of each. Where the parts are is computed here, in f64, from the places of the bodies and of the parts on them.

use crate::support::Random;
use topple::distance::{Closest, closest_points, shape_cast};
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, BodyId, Locks, Pose, Settings, Shape2, Shape3, ShapeDef, ShapeId, World};

/// Compounds that are tried against every kind of other body.
const CASES: usize = 24;
/// Rays and casts at each of them.
const SHOTS: usize = 12;
/// Signed distances at which the other body is put [m].
const WANTED: [Real; 8] = [0.3, 0.02, 0.004, 0.001, -0.001, -0.003, -0.008, -0.02];
/// Places of parts in f32 against those in f64, coordinates being some metres [m].
const ROUNDING: Real = 2e-5;
/// Separations of contacts may differ from the depth along the shortest way by this many slops: axes are kept, and faces preferred, within one.
const SLOPS: Real = 1.5;
/// Agreement of casts, as a share of the way: a bound on the search changes the last digits of where it ends.
const CAST: Real = 1e-4;

/// What the test needs of a dimension.
trait Parts: Dim {
    /// Number of kinds, of which those from `SOLID` on have no volume.
    const KINDS: usize;
    const SOLID: usize;
    /// A convex shape of a kind, at most about a metre wide.
    fn part(kind: usize, random: &mut Random) -> Self::Shape;
    /// The place of a pose seen from another one, in f64.
    fn placed(body: &Pose<Self>, local: &Pose<Self>) -> Pose<Self>;
}

fn size(random: &mut Random) -> Real {
    0.2 + 0.4 * random.next()
}

impl Parts for D2 {
    const KINDS: usize = 7;
    const SOLID: usize = 5;

    fn part(kind: usize, random: &mut Random) -> Shape2 {
        match kind {
            0 => Shape2::circle(0.5 * size(random)),
            1 => Shape2::rectangle(size(random), size(random)),
            2 => Shape2::capsule(Vec2::new(-0.2, 0.1), random.vector::<D2>(0.8), 0.4 * size(random)),
            3 => {
                let corners: Vec<Vec2> = (0..7).map(|_| random.vector::<D2>(1.0)).collect();
                Shape2::polygon(&corners).unwrap()
            }
            4 => Shape2::rounded_rectangle(size(random) + 0.2, size(random) + 0.2, 0.1),
            5 => Shape2::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, random.next())),
            _ => Shape2::half_plane(Vec2::Y, 0.0),
        }
    }

    fn placed(body: &Pose<D2>, local: &Pose<D2>) -> Pose<D2> {
        let [a, b] = [body.rotation, local.rotation].map(|r| (f64::from(r.cos), f64::from(r.sin)));
        let (x, y) = (f64::from(local.position.x), f64::from(local.position.y));
        let at =
            [f64::from(body.position.x) + a.0 * x - a.1 * y, f64::from(body.position.y) + a.1 * x + a.0 * y];
        let rotation = Rot2 { cos: (a.0 * b.0 - a.1 * b.1) as Real, sin: (a.1 * b.0 + a.0 * b.1) as Real };
        Pose { position: at.map(|x| x as Real).into(), rotation }
    }
}

impl Parts for D3 {
    const KINDS: usize = 9;
    const SOLID: usize = 7;

    fn part(kind: usize, random: &mut Random) -> Shape3 {
        match kind {
            0 => Shape3::sphere(0.5 * size(random)),
            1 => Shape3::cuboid(size(random), size(random), size(random)),
            2 => Shape3::capsule(Vec3::new(-0.2, 0.1, 0.0), random.vector::<D3>(0.8), 0.4 * size(random)),
            3 => {
                let corners: Vec<Vec3> = (0..12).map(|_| random.vector::<D3>(1.0)).collect();
                Shape3::hull(&corners).unwrap()
            }
            4 => Shape3::rounded_cuboid(size(random) + 0.2, size(random) + 0.2, 0.5, 0.1),
            5 => Shape3::cylinder(size(random), 0.5 * size(random)),
            6 => Shape3::cone(size(random), 0.5 * size(random)),
            7 => Shape3::triangle(
                Vec3::new(-0.5, 0.0, -0.4),
                Vec3::new(0.5, 0.1, -0.4),
                random.vector::<D3>(1.0),
            ),
            _ => Shape3::plane(Vec3::Y, 0.0),
        }
    }

    fn placed(body: &Pose<D3>, local: &Pose<D3>) -> Pose<D3> {
        let p = [local.position.x, local.position.y, local.position.z].map(f64::from);
        let at = crate::oracle::placed(p, body).map(|x| x as Real);
        let [a, b] = [body.rotation, local.rotation].map(|q| [q.x, q.y, q.z, q.w].map(f64::from));
        let turned = [
            a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
        ];
        let [x, y, z, w] = turned.map(|c| c as Real);
        Pose { position: at.into(), rotation: Quat::from_xyzw(x, y, z, w) }
    }
}

/// A body as the reference knows it: its parts, and where they are on it.
struct Compound<D: Dim> {
    parts: Vec<(D::Shape, Pose<D>)>,
}

impl<D: Parts> Compound<D> {
    fn new(kinds: &[usize], random: &mut Random) -> Self {
        let parts = kinds.iter().map(|&kind| (D::part(kind, random), random.pose::<D>(1.2)));
        Self { parts: parts.collect() }
    }

    /// Two to eight parts with a volume.
    fn random(random: &mut Random) -> Self {
        let count = 2 + (random.next() * 7.0) as usize;
        let kinds: Vec<usize> = (0..count).map(|_| (random.next() * D::SOLID as Real) as usize).collect();
        Self::new(&kinds, random)
    }

    /// The parts of the body at a place.
    fn at(&self, body: &Pose<D>) -> Vec<(&D::Shape, Pose<D>)> {
        self.parts.iter().map(|(shape, local)| (shape, D::placed(body, local))).collect()
    }

    fn add_to(&self, world: &mut World<D>, def: BodyDef<D>) -> (BodyId, Vec<ShapeId>) {
        let body = world.create_body(def).unwrap();
        let add = |(shape, local): &(D::Shape, Pose<D>)| {
            world.add_shape(body, ShapeDef::new(shape.clone()).at(*local)).unwrap()
        };
        (body, self.parts.iter().map(add).collect())
    }
}

/// The closest pair of parts: numbers of both and what the function for two convex shapes says of them.
fn nearest<D: Dim>(a: &[(&D::Shape, Pose<D>)], b: &[(&D::Shape, Pose<D>)]) -> (usize, usize, Closest<D>) {
    let mut best: Option<(usize, usize, Closest<D>)> = None;
    for (i, (shape_a, pose_a)) in a.iter().enumerate() {
        for (j, (shape_b, pose_b)) in b.iter().enumerate() {
            let found = closest_points::<D>(shape_a, pose_a, shape_b, pose_b).unwrap();
            if best.as_ref().is_none_or(|(.., old)| found.distance < old.distance) {
                best = Some((i, j, found));
            }
        }
    }
    best.unwrap()
}

/// Two bodies that nothing can move, in a world of their own.
struct Scene<D: Dim> {
    world: World<D>,
    a: (BodyId, Vec<ShapeId>),
    b: (BodyId, Vec<ShapeId>),
    /// Parts of both in the world, as the reference sees them.
    parts: [Vec<(D::Shape, Pose<D>)>; 2],
}

fn views<D: Dim>(parts: &[(D::Shape, Pose<D>)]) -> Vec<(&D::Shape, Pose<D>)> {
    parts.iter().map(|(shape, pose)| (shape, *pose)).collect()
}

impl<D: Parts> Scene<D> {
    /// `b` is put beside `a` at a signed distance; it is fixed unless it `moves`.
    fn new(a: &Compound<D>, b: &Compound<D>, wanted: Real, moves: bool, random: &mut Random) -> Self {
        let place_a = random.pose::<D>(4.0);
        let mut place_b = random.pose::<D>(0.0);
        place_b.position = place_a.position + random.vector::<D>(2.0).normalize_or(D::Vec::axis(1)) * 4.0;
        // Again and again: which parts are nearest changes on the way. A half-space may have to come from the other side.
        for _ in 0..40 {
            let (.., closest) = nearest::<D>(&a.at(&place_a), &b.at(&place_b));
            place_b.position = place_b.position - closest.normal * (closest.distance - wanted);
        }
        let mut world = World::<D>::new();
        world.set_settings(Settings { gravity: D::Vec::ZERO, ..Settings::default() }).unwrap();
        let locks = Locks { translation: [true; 3], rotation: [true; 3] };
        let def = |place: &Pose<D>, moves: bool| {
            let def = if moves { BodyDef::dynamic(place.position) } else { BodyDef::fixed(place.position) };
            BodyDef { rotation: place.rotation, locks, ..def }
        };
        let ids = (a.add_to(&mut world, def(&place_a, true)), b.add_to(&mut world, def(&place_b, moves)));
        let parts = [(a, place_a), (b, place_b)].map(|(compound, place)| {
            compound.at(&place).into_iter().map(|(shape, pose)| (shape.clone(), pose)).collect()
        });
        Self { world, a: ids.0, b: ids.1, parts }
    }

    /// The filter that sees body a alone.
    fn only_a(&self) -> QueryFilter {
        QueryFilter { ignore: Some(self.b.0), ..QueryFilter::default() }
    }

    /// Parts stand where the bodies and their places on them say.
    fn check_places(&self) {
        for (ids, parts) in [&self.a.1, &self.b.1].into_iter().zip(&self.parts) {
            for (&id, (_, pose)) in ids.iter().zip(parts) {
                let got = self.world.shape(id).unwrap().pose();
                let turn = got.rotation.inverse().then_after(pose.rotation).to_ang().length();
                let away = (got.position - pose.position).length();
                assert!(away < ROUNDING && turn < 1e-3, "{got:?} instead of {pose:?}");
            }
        }
    }

    /// The distance from every part of b to a is the least over the parts of a, and its own.
    fn check_distances(&self) {
        let [all_a, all_b] = [views::<D>(&self.parts[0]), views::<D>(&self.parts[1])];
        for (j, part) in all_b.iter().enumerate() {
            let (.., least) = nearest::<D>(&all_a, &[*part]);
            let pairs = self
                .a
                .1
                .iter()
                .map(|&id| (self.world.distance(self.b.1[j], id).unwrap().unwrap().distance, id));
            let exact = pairs.min_by(|x, y| x.partial_cmp(y).unwrap()).unwrap();
            assert!((exact.0 - least.distance).abs() < ROUNDING, "{exact:?} instead of {least:?}");
            if part.0.half_space().is_some() {
                // Nobody can be asked what is nearest to something without bounds.
                continue;
            }
            let (pose, reach) = (self.world.shape(self.b.1[j]).unwrap().pose(), 50.0);
            let found = self.world.closest_shape(part.0, &pose, reach, &self.only_a()).unwrap();
            let (hit, found) = found.expect("something is near");
            // Exactly the least of what the world itself says of the pairs.
            assert_eq!((found.distance, hit.shape), exact);
        }
    }

    fn check_rays(&self, random: &mut Random) -> usize {
        let mut hits = 0;
        for _ in 0..SHOTS {
            let target = self.parts[0][(random.next() * self.parts[0].len() as Real) as usize].1.position;
            let from = target + random.vector::<D>(2.0).normalize_or(D::Vec::axis(0)) * 3.0;
            let to = target + random.vector::<D>(1.0);
            let ray = Ray { origin: from, direction: to - from, max: 1.0 + random.next() };
            let cast = |shape: &D::Shape, pose: &Pose<D>| {
                let local = LocalRay {
                    origin: pose.inverse_transform(ray.origin),
                    direction: pose.rotation.rotate_inv(ray.direction),
                    max: ray.max,
                };
                shape.ray_cast(&local).map(|hit| hit.t)
            };
            let got = self.world.cast_ray(&ray, &self.only_a()).unwrap();
            let world_pose = |id: ShapeId| self.world.shape(id).unwrap().pose();
            let of_world = self
                .a
                .1
                .iter()
                .zip(&self.parts[0])
                .filter_map(|(&id, (shape, _))| cast(shape, &world_pose(id)).map(|t| (t, id)));
            let exact = of_world.min_by(|x, y| x.partial_cmp(y).unwrap());
            assert_eq!(got.map(|hit| (hit.t, hit.shape)), exact);
            // The same from places in f64, unless the ray grazes something.
            let least = self.parts[0].iter().filter_map(|(shape, pose)| cast(shape, pose));
            let least = least.min_by(Real::total_cmp);
            if let (Some((t, _)), Some(least)) = (exact, least) {
                hits += 1;
                let deviates = (t - least).abs() * ray.direction.length();
                let normal = got.map_or(D::Vec::ZERO, |hit| hit.normal);
                let steep = normal.dot(ray.direction).abs() > 0.3 * ray.direction.length();
                assert!(deviates < 10.0 * ROUNDING || !steep || t == 0.0, "{t} instead of {least}");
            }
        }
        hits
    }

    /// Every part of b thrown at a: the first of all is what brute force over the pairs finds.
    fn check_casts(&self, random: &mut Random) -> usize {
        let mut hits = 0;
        for _ in 0..SHOTS / 4 {
            let (target, start) = (self.parts[0][0].1.position, self.parts[1][0].1.position);
            let way = (target - start) + random.vector::<D>(1.0);
            let (mut got, mut least): (Option<Real>, Option<Real>) = (None, None);
            let keep = |best: &mut Option<Real>, t: Real| *best = Some(best.map_or(t, |old| old.min(t)));
            for (shape, pose) in &self.parts[1] {
                if shape.half_space().is_some() {
                    return 0;
                }
                let hit = self.world.cast_shape(shape, pose, way, &self.only_a()).unwrap();
                hit.into_iter().for_each(|hit| keep(&mut got, hit.t));
                for (other, place) in &self.parts[0] {
                    let hit = shape_cast::<D>(shape, pose, way, other, place, 1.0, 0.0);
                    hit.into_iter().for_each(|hit| keep(&mut least, hit.t));
                }
            }
            match (got, least) {
                (Some(got), Some(least)) => assert!((got - least).abs() < CAST, "{got} instead of {least}"),
                (got, least) => {
                    // Only what is missed by a hair may be seen in one way and not in the other.
                    let last = got.or(least).unwrap_or(1.0);
                    assert!(got == least || last > 1.0 - CAST, "{got:?} instead of {least:?}");
                }
            }
            hits += usize::from(got.is_some());
        }
        hits
    }
}

/// What became of the pairs of parts that touch.
#[derive(Debug, Default)]
struct Tally {
    touching: usize,
    /// Left out, because another part covers the place: a seam inside of a body pushes nobody.
    covered: usize,
    hits: usize,
}

impl<D: Parts> Scene<D> {
    /// Contacts of the pairs of parts after one step, in which nothing can move.
    fn check_contacts(&mut self, tally: &mut Tally) {
        self.world.step();
        let settings = self.world.settings();
        let slop = |part: &D::Shape| (settings.slop * part.inner_radius()).min(settings.max_slop);
        let farthest = settings.speculative * settings.max_slop;
        let mut is_touched = false;
        let contacts: Vec<_> = self.world.contacts().filter(|contact| contact.is_touching()).collect();
        for contact in &contacts {
            let bodies = contact.bodies();
            assert!(
                bodies.contains(&self.a.0) && bodies.contains(&self.b.0),
                "parts of one body do not touch"
            );
            is_touched |= contact.points().any(|(_, separation, ..)| separation < 0.0);
        }
        let [all_a, all_b] = [views::<D>(&self.parts[0]), views::<D>(&self.parts[1])];
        for (i, (shape_a, pose_a)) in all_a.iter().enumerate() {
            for (j, (shape_b, pose_b)) in all_b.iter().enumerate() {
                let expected = closest_points::<D>(shape_a, pose_a, shape_b, pose_b).unwrap();
                let tolerance = SLOPS * slop(shape_a).max(slop(shape_b)) + ROUNDING;
                let ids = [self.a.1[i], self.b.1[j]];
                let what =
                    || format!("{shape_a:?} at {pose_a:?} and {shape_b:?} at {pose_b:?}: {expected:?}");
                let mut of_pair =
                    contacts.iter().filter(|contact| ids.iter().all(|id| contact.shapes().contains(id)));
                let Some(contact) = of_pair.next() else {
                    if expected.distance <= 0.0 {
                        tally.touching += 1;
                        tally.covered += 1;
                        let near = |parts: &[(&D::Shape, Pose<D>)], own: usize, at: D::Point| {
                            parts.iter().enumerate().filter(|(k, _)| *k != own).any(|(_, (shape, pose))| {
                                let found = topple::distance::point_shape::<D>(at, shape, pose);
                                found.is_some_and(|found| {
                                    found.distance <= 2.0 * tolerance - expected.distance
                                })
                            })
                        };
                        let is_seam = near(&all_a, i, expected.point_a) || near(&all_b, j, expected.point_b);
                        assert!(is_seam, "no contact of {}", what());
                    }
                    continue;
                };
                assert!(of_pair.next().is_none(), "two contacts of {}", what());
                assert!(expected.distance <= farthest + tolerance, "touch from afar: {}", what());
                tally.touching += usize::from(expected.distance <= 0.0);
                // From a to b.
                let side = if contact.shapes()[0] == ids[0] { 1.0 } else { -1.0 };
                let normal = contact.normal() * side;
                let deepest =
                    contact.points().fold(Real::INFINITY, |d, (_, separation, ..)| d.min(separation));
                let got = format!("{deepest} m along {normal:?}");
                assert!((normal.length() - 1.0).abs() < 1e-4, "{got} of {}", what());
                assert!(deepest <= expected.distance + tolerance, "{got} of {}", what());
                assert!(deepest >= expected.distance.min(0.0) - tolerance, "{got} of {}", what());
                // Moved so far along the normal, they just touch.
                let moved = Pose { position: pose_b.position - normal * deepest, ..*pose_b };
                let after = closest_points::<D>(shape_a, pose_a, shape_b, &moved).unwrap();
                assert!(after.distance >= -tolerance, "{got} leaves {after:?} of {}", what());
            }
        }
        let (.., least) = nearest::<D>(&all_a, &all_b);
        assert!(is_touched || least.distance >= -ROUNDING, "nothing pushes: {least:?}");
    }
}

fn compounds_are_the_least_over_their_parts<D: Parts>() {
    let mut random = Random(31);
    let mut tally = Tally::default();
    let mut cases = 0;
    for kind in 0..=D::KINDS {
        for case in 0..CASES {
            let a = Compound::<D>::random(&mut random);
            // Every kind of convex shape by itself, and other compounds.
            let b = match kind == D::KINDS {
                true => Compound::random(&mut random),
                false => Compound::new(&[kind], &mut random),
            };
            let moves = (kind < D::SOLID || kind == D::KINDS) && case % 2 == 0;
            let mut scene = Scene::new(&a, &b, WANTED[case % WANTED.len()], moves, &mut random);
            scene.check_places();
            scene.check_distances();
            tally.hits += scene.check_rays(&mut random) + scene.check_casts(&mut random);
            scene.check_contacts(&mut tally);
            cases += 1;
        }
    }
    assert!(tally.hits > 5 * cases, "rays and casts met something: {tally:?} of {cases}");
    assert!(tally.touching > cases / 2 && tally.covered * 4 < tally.touching, "{tally:?} of {cases}");
}

#[test]
fn compounds_are_the_least_over_their_parts_2d() {
    compounds_are_the_least_over_their_parts::<D2>();
}

#[test]
fn compounds_are_the_least_over_their_parts_3d() {
    compounds_are_the_least_over_their_parts::<D3>();
}
