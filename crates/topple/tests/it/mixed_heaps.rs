//! Heaps of unequal bodies share their loads and take the usual steps; what is very heavy and lies on a few light ones does not.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// A point of the plane or of space.
fn at<D: TestDim>([x, y, z]: [Real; 3]) -> D::Point {
    let mut at = D::vec(x, y);
    if D::N == 3 {
        at.set(2, z);
    }
    D::Point::from_vec(at)
}

/// A floor with walls around, `half` from the middle, that never sleeps.
fn bin<D: TestDim>(half: Real) -> World<D> {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    add_floor(&mut world, 0.6);
    for side in [-1.0, 1.0] {
        let reach = side * (half + 20.0);
        for place in [[reach, 15.0, 0.0], [0.0, 15.0, reach]].into_iter().take(D::N - 1) {
            let wall = BodyDef::fixed(at::<D>(place));
            world.create_body_with(wall, [ShapeDef::new(D::cube(40.0))]).unwrap();
        }
    }
    world
}

/// Drops bodies of radii between `low` and `high` in rows. Mass of the heaviest over that of the lightest.
fn pour<D: TestDim>(
    world: &mut World<D>,
    count: usize,
    (half, floor): (Real, Real),
    (low, high): (Real, Real),
    shape: impl Fn(Real) -> D::Shape,
) -> Real {
    let pitch = 2.6 * high;
    let across = ((2.0 * half - 0.1) / pitch) as usize;
    let layer = across.pow(D::N as u32 - 1);
    let mut random = Random(11);
    let (mut lightest, mut heaviest) = (Real::INFINITY, 0.0_f32);
    for i in 0..count {
        let side = |k: usize| (k as Real + 0.5) * pitch - half;
        let (x, z) = (side(i % layer % across), side(i % layer / across));
        // As many small ones as large ones, by and large.
        let size = low + (high - low) * random.unit();
        // Askew, and not one above the other: boxes would stand in columns.
        let shift = if (i / layer).is_multiple_of(2) { 0.15 } else { -0.15 } * pitch;
        let [x, z] = [x, z].map(|along| along + shift + random.between(-0.04, 0.04) * high);
        let place = at::<D>([x, floor + high + pitch * (i / layer) as Real, z]);
        let def = BodyDef { rotation: D::turn(random.between(-3.0, 3.0)), ..BodyDef::dynamic(place) };
        let id = world.create_body_with(def, [ShapeDef::new(shape(size))]).unwrap();
        let mass = world.body(id).unwrap().mass();
        (lightest, heaviest) = (lightest.min(mass), heaviest.max(mass));
    }
    heaviest / lightest
}

/// Once all have come down nothing is refined but for `most` bodies, and before that a few that happen to be one on the other.
fn pays_nothing<D: Dim>(name: &str, mut world: World<D>, most: u32) {
    const DOWN: u32 = 150; // steps
    const ON_THE_WAY: u32 = 32; // bodies
    for step in 0..DOWN + 300 {
        world.step();
        let counters = world.profile().counters;
        let (refined, times) = (counters.refined, counters.refinement);
        let allowed = if step < DOWN { ON_THE_WAY } else { most };
        assert!(
            refined <= allowed,
            "{name}, step {step}: {refined} bodies, {times} times finer; allowed {allowed}"
        );
    }
}

/// A light ball at the bottom of a heap bears many times its weight, by contacts with several others. All of the heap took small steps
/// for it, up to 64 times finer, and for as long as it lay there.
fn heaps_of_unequal_bodies_pay_nothing<D: TestDim>() {
    let half = D::pick(4.0, 2.5);
    // Radii for masses up to 5, 11 and 100 times those of the lightest.
    let hundred = D::pick(0.045, 0.097);
    for (low, most) in [(D::pick(0.2, 0.26), 6.0), (D::pick(0.135, 0.2), 12.0), (hundred, 101.0)] {
        let mut balls = bin::<D>(half);
        let ratio = pour(&mut balls, 120, (half, 0.0), (low, 0.45), D::ball);
        assert!(ratio > 0.5 * most && ratio < most, "1:{ratio}");
        pays_nothing(&format!("balls, 1:{ratio}"), balls, 0);
        let mut boxes = bin::<D>(half);
        pour(&mut boxes, 120, (half, 0.0), (low, 0.45), |radius| D::cube(1.6 * radius));
        // A few boxes of a corner may stand one on the other for a while: that is a column.
        pays_nothing(&format!("boxes, 1:{ratio}"), boxes, 8);
    }
}

/// What is heavy and lies below bears nothing: a heap on a block that outweighs all of it.
fn heaps_on_something_heavy_pay_nothing<D: TestDim>() {
    let mut world = bin::<D>(2.0);
    add_shaped(&mut world, 0.0, 1.95, ShapeDef::new(D::cube(3.9)).density(1000.0));
    pour(&mut world, 60, (2.0, 3.9), (0.15, 0.45), D::ball);
    pays_nothing("on a block", world, 0);
}

/// One very heavy thing on a few light ones is another matter.
fn heavy_on_a_small_heap_is_refined<D: TestDim>() {
    for ratio in [100.0, 1e3] {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| (s.sleeping, s.statics) = (false, false));
        add_floor(&mut world, 0.6);
        for (y, places) in [(0.5, &[-1.0, 0.0, 1.0][..]), (1.5, &[-0.5, 0.5])] {
            for &x in places {
                add_body(&mut world, x, y, D::cube(1.0));
            }
        }
        let slab = ShapeDef::new(D::block(2.0, 1.0)).density(0.5 * ratio);
        let slab = add_shaped(&mut world, 0.0, 2.5, slab);
        run(&mut world, 5.0);
        assert_eq!(world.profile().counters.refined, 6, "1:{ratio}");
        let height = world.body(slab).unwrap().position().to_vec().get(1);
        assert_close(format!("1:{ratio}"), height, 2.5, 0.02 * 2.5, "m");
    }
}

/// Dominoes that have fallen lie on each other and on the ground. They were taken for an arch: the longer the row, the more small steps.
fn fallen_dominoes_pay_nothing<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    add_floor(&mut world, 0.6);
    let (width, height, count) = (0.07, 0.48, 40);
    let dominoes: Vec<_> = (0..count)
        .map(|i| add_body(&mut world, 0.25 * i as Real, 0.5 * height, D::block(width, height)))
        .collect();
    // Tipped past its balance, on its lower edge.
    let tilt = D::turn(-0.3);
    let corner = tilt.rotate(D::vec(0.5 * width, -0.5 * height));
    let mut first = world.body_mut(dominoes[0]).unwrap();
    first.set_pose(Pose { position: D::point(0.0, -corner.get(1)), rotation: tilt }).unwrap();
    let mut refined = 0;
    for _ in 0..700 {
        world.step();
        refined = refined.max(world.profile().counters.refined);
    }
    let last = world.body(dominoes[count - 1]).unwrap().position().to_vec().get(1);
    assert!(last < 0.3 * height, "the last one is still at {last} m");
    assert_eq!(refined, 0);
}

/// Fastest body in the last five of thirty seconds [m/s], and how far the energy rose after the tenth, as a share of that at the start: discs, boxes and capsules
/// of about half a metre and the given densities [kg/m³], dropped into a shaft.
fn unrest<D: TestDim>(seed: u64, densities: &[Real]) -> (Real, f64) {
    let (half, across) = (6.0, 7);
    let mut world = bin::<D>(half);
    let mut random = Random(seed);
    let mut ids = Vec::new();
    for i in 0..D::pick(150, 100) {
        let (row, deep) = D::pick((i / across, 0), (i / (3 * across), i / across % 3));
        let place = [
            ((i % across) as Real - 3.0) * 1.6 + random.between(-0.1, 0.1),
            1.2 + 1.7 * row as Real,
            (deep as Real - 1.0) * 1.8,
        ];
        let mut size = || random.between(0.3, 1.2);
        let (width, height) = (size(), size());
        let shape = match i % 3 {
            0 => D::block(width, height),
            1 => D::ball(0.5 * width),
            _ => D::capsule(0.6 * width, 0.25 * width),
        };
        let density = densities[(random.unit() * densities.len() as Real) as usize % densities.len()];
        let mut def = BodyDef::dynamic(at::<D>(place));
        def.linear_velocity = D::vec(random.between(-1.5, 1.5), random.between(-1.5, 1.5));
        let shape = ShapeDef::new(shape).density(density).friction(random.unit());
        ids.push(world.create_body_with(def, [shape]).unwrap());
    }
    let energy = |world: &World<D>| -> f64 {
        let of = |&id| {
            let body = world.body(id).unwrap();
            f64::from(body.kinetic_energy())
                + 9.8 * f64::from(body.mass() * (1.0 + body.center().to_vec().get(1)))
        };
        ids.iter().map(of).sum()
    };
    let start = energy(&world);
    let (mut least, mut rise, mut fastest) = (start, 0.0_f64, 0.0);
    for step in 0..1800 {
        world.step();
        let now = energy(&world);
        least = least.min(now);
        // What is crushed while all come down is pushed out again.
        if step >= 600 {
            rise = rise.max(now - least);
        } else {
            least = now;
        }
        if step >= 1500 {
            let speed = |&id| world.body(id).unwrap().linear_velocity().length();
            fastest = ids.iter().map(speed).fold(fastest, Real::max);
        }
    }
    (fastest, rise / start)
}

/// What fell together takes no load for granted. Where it did, it was lifted all the time and slipped now and then, like bodies at 2 m/s and unequal ones at up to 25.
/// By the median: single heaps tell little, since something light slips out from under something heavy now and then.
fn heaps_that_fell_come_to_rest<D: TestDim>() {
    let unequal = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4];
    // Balls and capsules in space roll on for long.
    for (densities, most) in [(&[1.0][..], (D::pick(0.05, 0.5), 5e-5)), (&unequal[..], (0.5, 2e-4))] {
        let (mut speeds, mut rises): (Vec<_>, Vec<_>) =
            (1..=9).map(|seed| unrest::<D>(seed, densities)).unzip();
        speeds.sort_by(Real::total_cmp);
        rises.sort_by(f64::total_cmp);
        let median = (speeds[speeds.len() / 2], rises[rises.len() / 2]);
        assert!(
            median.0 < most.0 && median.1 < most.1,
            "{densities:?}: {median:?} m/s and of the energy, allowed {most:?}"
        );
    }
}

both! {
    heaps_that_fell_come_to_rest, heaps_that_fell_come_to_rest_2d, heaps_that_fell_come_to_rest_3d;
    fallen_dominoes_pay_nothing, fallen_dominoes_pay_nothing_2d, fallen_dominoes_pay_nothing_3d;
    heaps_of_unequal_bodies_pay_nothing, heaps_of_unequal_bodies_pay_nothing_2d, heaps_of_unequal_bodies_pay_nothing_3d;
    heaps_on_something_heavy_pay_nothing, heaps_on_something_heavy_pay_nothing_2d, heaps_on_something_heavy_pay_nothing_3d;
    heavy_on_a_small_heap_is_refined, heavy_on_a_small_heap_is_refined_2d, heavy_on_a_small_heap_is_refined_3d;
}
