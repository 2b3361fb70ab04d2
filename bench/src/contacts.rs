//! What the contact of one pair costs: computed from nothing, with the cache of a step ago, or kept as it is.

use crate::clock::cpu;
use crate::random::Random;
use crate::report::{Page, is_wanted, number};
use std::hint::black_box;
use topple::distance::shape_cast;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::world::Stage;
use topple::{BodyDef, Settings, Shape2, Shape3, ShapeDef, World};

/// Places per pair and way to lie.
const PLACES: usize = 200;
const ROUNDS: usize = 12;
/// How deep shapes overlap: half of the overlap that counts as nothing at this size [m].
const DEPTH: Real = 0.0025;
/// How far and how much shapes move between two looks: a slow step [m, rad].
const STIR: Real = 0.001;
/// Steps until the contacts of a resting world are all kept, and steps that are measured.
const SETTLE: usize = 5;
const STEPS: usize = 60;

trait Shapes: Dim {
    fn all() -> Vec<(&'static str, Self::Shape)>;
}

impl Shapes for D2 {
    fn all() -> Vec<(&'static str, Shape2)> {
        let corner = |i: usize| Vec2::from_angle(i as Real * core::f32::consts::TAU / 8.0) * 0.5;
        let octagon: Vec<Vec2> = (0..8).map(corner).collect();
        vec![
            ("half-plane", Shape2::half_plane(Vec2::Y, 0.0)),
            ("circle", Shape2::circle(0.5)),
            ("capsule", Shape2::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.3)),
            ("segment", Shape2::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0))),
            ("rectangle", Shape2::rectangle(1.0, 0.8)),
            ("rounded rectangle", Shape2::rounded_rectangle(1.0, 0.8, 0.1)),
            ("polygon of 8", Shape2::polygon(&octagon).expect("convex")),
            ("rounded polygon of 8", Shape2::rounded_polygon(&octagon, 0.1).expect("convex")),
        ]
    }
}

impl Shapes for D3 {
    fn all() -> Vec<(&'static str, Shape3)> {
        let mut random = Random(5);
        let mut points = |count: usize| -> Vec<Vec3> {
            (0..count).map(|_| random.vector::<D3>(-1.0, 1.0).normalize_or(Vec3::Y) * 0.6).collect()
        };
        vec![
            ("plane", Shape3::plane(Vec3::Y, 0.0)),
            ("sphere", Shape3::sphere(0.5)),
            ("capsule", Shape3::capsule_y(1.0, 0.3)),
            ("box", Shape3::cuboid(1.0, 0.8, 0.9)),
            ("rounded box", Shape3::rounded_cuboid(1.0, 0.8, 0.9, 0.1)),
            ("cylinder", Shape3::cylinder(1.0, 0.5)),
            ("rounded cylinder", Shape3::rounded_cylinder(1.0, 0.5, 0.1)),
            ("cone", Shape3::cone(1.0, 0.5)),
            ("rounded cone", Shape3::rounded_cone(1.0, 0.5, 0.1)),
            ("hull of 8", Shape3::hull(&points(8)).expect("in general position")),
            ("rounded hull of 8", Shape3::rounded_hull(&points(8), 0.1).expect("in general position")),
            ("hull of 32", Shape3::hull(&points(32)).expect("in general position")),
        ]
    }
}

/// Where b is in the frame of a, and where it is a step later.
struct Place<D: Dim> {
    first: Pose<D>,
    next: Pose<D>,
}

/// Places in which the shapes just touch: any orientation, or `upright`, as things come to rest on each other.
fn places<D: Dim>(a: &D::Shape, b: &D::Shape, upright: bool, random: &mut Random) -> Vec<Place<D>> {
    let mut out = Vec::new();
    let is_plane = a.support(D::Vec::axis(0)).is_none();
    for _ in 0..PLACES * 10 {
        if out.len() == PLACES {
            break;
        }
        let up = upright || is_plane;
        let direction =
            if up { D::Vec::axis(1) } else { random.vector::<D>(-1.0, 1.0).normalize_or(D::Vec::axis(0)) };
        let mut turn = D::Ang::ZERO;
        if upright {
            // About the vertical, which in the plane means not at all.
            (1..D::ANGULAR.min(2)).for_each(|i| turn.set(i, random.between(-3.0, 3.0)));
        }
        let rotation = if upright { D::Rot::from_ang(turn) } else { random.rotation::<D>() };
        let aside = if upright { random.vector::<D>(-0.2, 0.2) } else { D::Vec::ZERO };
        let reach = 5.0;
        let start = Pose::<D> { position: D::Point::from_vec(direction * reach + aside), rotation };
        let way = direction * -(2.0 * reach);
        let Some(hit) = shape_cast::<D>(b, &start, way, a, &Pose::IDENTITY, 1.0, 0.0) else { continue };
        let place = |stir: Real, random: &mut Random| {
            let mut turn = D::Ang::ZERO;
            (0..D::ANGULAR).for_each(|i| turn.set(i, stir * random.between(-1.0, 1.0)));
            let at = start.position + way * hit.t - direction * DEPTH;
            Pose::<D> {
                position: at + random.vector::<D>(-stir, stir),
                rotation: D::Rot::from_ang(turn).then_after(rotation),
            }
        };
        out.push(Place { first: place(0.0, random), next: place(STIR, random) });
    }
    out
}

/// ns per pair from nothing, and with the cache of the place before.
fn kernel<D: Dim>(a: &D::Shape, b: &D::Shape, places: &[Place<D>]) -> [f64; 2] {
    let slop = Settings::<D>::default().max_slop;
    let margin = Settings::<D>::default().speculative * slop;
    let mut caches = vec![PairCache::default(); places.len()];
    let mut counters = NarrowCounters::default();
    let mut out = LocalManifold::<D>::default();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let mut pass = |later: bool, caches: &mut [PairCache]| {
            for (place, cache) in places.iter().zip(caches) {
                let b_in_a = if later { place.next } else { place.first };
                let job = CollideJob { a, b, b_in_a, margin, slop, algorithm: Algorithm::Auto };
                D::Shape::collide(black_box(&job), cache, &mut counters, &mut out);
                black_box(&out);
            }
        };
        // The same places both times: only what is known of them differs.
        caches.fill(PairCache::default());
        let ((), cold) = cpu(|| pass(true, &mut caches));
        caches.fill(PairCache::default());
        pass(false, &mut caches);
        let ((), cached) = cpu(|| pass(true, &mut caches));
        best = [best[0].min(cold), best[1].min(cached)];
    }
    best.map(|time| time / places.len().max(1) as f64)
}

/// ns per pair of a world whose contacts are all kept, with a fixed or a moving body below; None if this pair is always computed.
fn kept<D: Dim>(a: &D::Shape, b: &D::Shape, places: &[Place<D>], is_fixed: bool) -> Option<f64> {
    let settings = Settings::<D> { gravity: D::Vec::ZERO, sleeping: false, ..Settings::default() };
    let mut world = World::with_settings(settings).ok()?;
    for (i, place) in places.iter().enumerate() {
        let away = D::Vec::axis(0) * (i as Real * 10.0);
        let at = D::Point::from_vec(away);
        let bottom = if is_fixed { BodyDef::<D>::fixed(at) } else { BodyDef::<D>::dynamic(at) };
        let top =
            BodyDef { rotation: place.first.rotation, ..BodyDef::<D>::dynamic(place.first.position + away) };
        if a.support(D::Vec::axis(0)).is_some() || i == 0 {
            world.create_body_with(bottom, [ShapeDef::new(a.clone())]).ok()?;
        }
        world.create_body_with(top, [ShapeDef::new(b.clone())]).ok()?;
    }
    (0..SETTLE).for_each(|_| world.step());
    let mut best = f64::INFINITY;
    for _ in 0..STEPS {
        world.step();
        let pairs = world.contacts().count() as u64;
        let profile = world.profile();
        if pairs > 0 && profile.narrow.recycled == pairs {
            best = best.min(profile.stage(Stage::Contacts).as_secs_f64() * 1e9 / pairs as f64);
        }
    }
    best.is_finite().then_some(best)
}

fn table<D: Shapes>(page: &mut Page, title: &str) {
    page.head(
        title,
        &[
            "pair",
            "tumbling, cold",
            "tumbling, cached",
            "resting, cold",
            "resting, cached",
            "kept on a fixed body",
            "kept on a moving body",
        ],
    );
    let shapes = D::all();
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            if !a.collides_with(b)
                || !b.can_move()
                || b.mass(1.0).mass <= 0.0 && !b.is_solid() && !a.is_solid()
            {
                continue;
            }
            if !is_wanted(&format!("{name_a}, {name_b}, {}D", D::N)) {
                continue;
            }
            let mut random = Random(23);
            let tumbling = kernel::<D>(a, b, &places::<D>(a, b, false, &mut random));
            let resting_places = places::<D>(a, b, true, &mut random);
            let resting = kernel::<D>(a, b, &resting_places);
            let keep = |is_fixed: bool| {
                let time = kept::<D>(a, b, &resting_places, is_fixed);
                time.filter(|_| is_fixed || a.can_move()).map_or_else(|| "–".into(), number)
            };
            let [cold, cached] = tumbling.map(number);
            let [flat_cold, flat_cached] = resting.map(number);
            page.row(&[
                format!("{name_a}, {name_b}"),
                cold,
                cached,
                flat_cold,
                flat_cached,
                keep(true),
                keep(false),
            ]);
        }
    }
}

/// Prints and writes the tables.
pub(crate) fn run() -> std::io::Result<()> {
    let mut page = Page::new(
        "contacts",
        "Contacts",
        "Nanoseconds per pair for every pair of convex shapes that touch. *Tumbling*: any orientation. *Resting*: upright, one on top of
the other. *Cold*: nothing known of the pair. *Cached*: the same places, with what was known a slow step ago. *Kept*: the bodies hardly moved, and the
contact is recycled, in a world, all costs of the stage included; a dash means that the pair rolls and is computed in every step, or that the lower shape
cannot move.",
    );
    table::<D2>(&mut page, "In the plane");
    table::<D3>(&mut page, "In space");
    page.write()
}
