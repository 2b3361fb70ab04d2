//! Large numbers, where all pairs are out of reach: against a grid by counting, and between numbers of threads.

use crate::harness::{Random, World, half_space, proxy};
use std::collections::BTreeSet;
use topple::broad_phase::{BroadPhase, BroadPhaseBvh, PairKey, Proxies, Proxy, ProxyKind};
use topple::math::*;
use topple::{D2, D3, Dim};

fn bvh<D: Dim>() -> Box<dyn BroadPhase<D>> {
    Box::new(BroadPhaseBvh::default())
}

/// Boxes on a square grid that overlap their neighbours along the axes and diagonals: the number of pairs is known.
fn grid<D: Dim>(side: usize) {
    let mut world = World::<D>::with_threads(bvh::<D>, 2);
    let cell = |x: usize, y: usize| {
        let mut center = D::Vec::ZERO;
        center.set(0, x as Real);
        center.set(1, y as Real);
        Aabb::<D>::around(center.into(), D::Vec::splat(0.52))
    };
    let all = (0..side * side).map(|i| proxy(i as u32, ProxyKind::Dynamic, cell(i % side, i / side)));
    world.insert_all(all);
    let expected = 2 * side * (side - 1) + 2 * (side - 1) * (side - 1);
    assert_eq!(world.find_pairs().len(), expected);
    let before = world.reported;
    // Nothing moved: nothing to say.
    world.find_pairs();
    assert_eq!(world.reported, before);
    // One moved: its own pairs only.
    world.shift((side + 1) as u32, D::Vec::splat(0.01));
    assert_eq!(world.find_pairs().len(), expected);
    assert_eq!(world.reported, before + 8);
}

#[test]
fn two_hundred_thousand_bodies_2d() {
    grid::<D2>(447);
}

/// Bodies along a side of the lattice: 58³ are nearly 200 000.
const SIDE: usize = 58;

/// Pairs of the first `count` boxes, none of them more than 1.1 m wide and all within the lattice, by sorting them into cells; and those
/// of the last two, which are large, one by one.
fn pairs_by_cells(slots: &[Proxy<D3>], count: usize) -> BTreeSet<PairKey> {
    let proxies = Proxies::<D3>::from_slots(slots.to_vec());
    // Centres of boxes that overlap are less than 1.1 m apart: in this cell or the next.
    const CELL: Real = 1.1;
    let across = (SIDE as Real / CELL) as i32 + 3;
    let cell = |i: usize| {
        let c = (slots[i].fat.min.to_vec() + slots[i].fat.max.to_vec()) * (0.5 / CELL);
        [0, 1, 2].map(|k| c[k] as i32 + 1)
    };
    let at = |c: [i32; 3]| ((c[2] * across + c[1]) * across + c[0]) as usize;
    let mut cells = vec![Vec::new(); (across * across * across) as usize];
    (0..count).for_each(|i| cells[at(cell(i))].push(i as u32));
    let mut found = BTreeSet::new();
    for i in 0..count {
        let c = cell(i);
        for k in 0..27 {
            let near = at([c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1]);
            let others = cells[near].iter().filter(|&&j| i < j as usize && proxies.is_pair(i as u32, j));
            found.extend(others.map(|&j| Proxies::<D3>::key(i as u32, j)));
        }
    }
    for large in count..slots.len() {
        let all = (0..large).filter(|&i| proxies.is_pair(i as u32, large as u32));
        found.extend(all.map(|i| Proxies::<D3>::key(i as u32, large as u32)));
    }
    found
}

/// A lattice of rods that overlap the next along x, every tenth static, on a plane and within one huge box; then a hundredth of them
/// is somewhere else.
#[test]
fn two_hundred_thousand_bodies_3d() {
    let count = SIDE * SIDE * SIDE;
    let center =
        |i: usize| Vec3::new((i % SIDE) as Real, (i / SIDE % SIDE) as Real, (i / SIDE / SIDE) as Real);
    let half = Vec3::new(0.52, 0.3, 0.3);
    let mut slots: Vec<Proxy<D3>> = (0..count)
        .map(|i| {
            let kind = if i % 10 == 3 { ProxyKind::Static } else { ProxyKind::Dynamic };
            proxy(i as u32, kind, Aabb::around(center(i).into(), half))
        })
        .collect();
    slots.push(proxy(count as u32, ProxyKind::Static, half_space(0.1)));
    let middle = Vec3::splat(0.5 * SIDE as Real);
    // All but the outermost layers.
    let huge = Aabb::around(middle.into(), Vec3::splat(0.5 * SIDE as Real - 2.0));
    slots.push(proxy(count as u32 + 1, ProxyKind::Dynamic, huge));
    let mut world = World::<D3>::with_threads(bvh::<D3>, 2);
    world.insert_all(slots.iter().copied());
    let expected = pairs_by_cells(&slots, count);
    assert!(expected.len() > 300_000, "{}", expected.len());
    assert!(world.find_pairs() == expected, "the pairs of the lattice");
    let before = world.reported;
    world.find_pairs();
    assert_eq!(world.reported, before, "nothing moved, nothing to say");
    let mut random = Random(23);
    for _ in 0..count / 100 {
        let index = random.below(count);
        let to = random.point::<D3>(0.0, (SIDE - 1) as Real);
        let fat = Aabb::around(to, half);
        slots[index].fat = fat;
        world.move_to(index as u32, fat);
    }
    let expected = pairs_by_cells(&slots, count);
    assert!(world.find_pairs() == expected, "the pairs after the teleports");
    assert!(world.reported - before < 20 * count / 100, "{} pairs reported anew", world.reported - before);
}

/// Everything in one place: every pair, once.
fn one_place<D: Dim>() {
    let count = 2_000_usize;
    let mut random = Random(24);
    let slots: Vec<_> = (0..count)
        .map(|i| {
            // Boxes of all sizes about one point, some of them points themselves.
            let half = D::Vec::splat(if i % 50 == 0 { 0.0 } else { random.between(1e-4, 10.0) });
            proxy(i as u32, ProxyKind::Dynamic, Aabb::<D>::around(D::Vec::ZERO.into(), half))
        })
        .collect();
    let proxies = Proxies::<D>::from_slots(slots);
    let moved: Vec<u32> = (0..count as u32).collect();
    let mut tree = BroadPhaseBvh::<D>::default();
    tree.attach(&proxies);
    tree.update(&proxies, &moved, &topple::exec::Serial);
    let mut found = Vec::new();
    tree.find_pairs(&proxies, &moved, &topple::exec::Serial, &mut found);
    assert_eq!(found.len(), count * (count - 1) / 2);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count * (count - 1) / 2, "each once");
    tree.validate();
}

#[test]
fn two_thousand_in_one_place_2d() {
    one_place::<D2>();
}

#[test]
fn two_thousand_in_one_place_3d() {
    one_place::<D3>();
}

fn gas<D: Dim>() {
    let mut worlds: Vec<_> = [1, 2, 5].map(|threads| World::<D>::with_threads(bvh::<D>, threads)).into();
    let mut random = Random(21);
    let reach = if D::N == 2 { 40.0 } else { 10.0 };
    let all: Vec<_> = (0..5000)
        .map(|i| {
            let fat = Aabb::<D>::around(random.point::<D>(-reach, reach), D::Vec::splat(0.4));
            proxy(i, if i % 10 == 0 { ProxyKind::Static } else { ProxyKind::Dynamic }, fat)
        })
        .collect();
    worlds.iter_mut().for_each(|world| world.insert_all(all.iter().copied()));
    for step in 0..12 {
        let share = [1, 2, 20][step % 3];
        for index in 0..5000 {
            if random.below(share) == 0 {
                let by = random.vector::<D>(-0.3, 0.3);
                worlds.iter_mut().for_each(|world| world.shift(index, by));
            }
        }
        let found: Vec<_> = worlds.iter_mut().map(World::find_pairs).collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "step {step}");
        if step % 6 == 5 {
            worlds[0].step();
        }
        // Not only the set: the very same reports.
        assert!(worlds.windows(2).all(|pair| pair[0].reported == pair[1].reported));
    }
}

#[test]
fn threads_do_not_show_2d() {
    gas::<D2>();
}

#[test]
fn threads_do_not_show_3d() {
    gas::<D3>();
}

/// The structure itself, which the pairs alone would not show to be damaged.
fn sound<D: Dim>() {
    let mut random = Random(22);
    let mut tree = BroadPhaseBvh::<D>::default();
    let mut slots: Vec<_> = (0..400)
        .map(|i| {
            let fat = Aabb::<D>::around(random.point::<D>(-8.0, 8.0), D::Vec::splat(0.4));
            proxy(i, if i % 5 == 0 { ProxyKind::Static } else { ProxyKind::Dynamic }, fat)
        })
        .collect();
    let view = |slots: &[_]| topple::broad_phase::Proxies::<D>::from_slots(slots.to_vec());
    tree.attach(&view(&slots));
    tree.validate();
    for round in 0..200 {
        let mut moved = Vec::new();
        for index in 0..400_u32 {
            let fat = &mut slots[index as usize].fat;
            let by = match random.below(if round % 20 < 10 { 2 } else { 60 }) {
                0 => random.vector::<D>(-0.2, 0.2),
                1 if round % 3 == 0 => random.vector::<D>(-9.0, 9.0),
                _ => continue,
            };
            *fat = Aabb { min: fat.min + by, max: fat.max + by };
            moved.push(index);
        }
        let index = random.below(400) as u32;
        tree.remove(&view(&slots), index);
        tree.validate();
        tree.insert(&view(&slots), index);
        tree.validate();
        if !moved.contains(&index) {
            moved.push(index);
            moved.sort_unstable();
        }
        let proxies = view(&slots);
        tree.update(&proxies, &moved, &topple::exec::Serial);
        tree.validate();
        tree.find_pairs(&proxies, &moved, &topple::exec::Serial, &mut Vec::new());
        tree.validate();
    }
}

#[test]
fn the_tree_stays_a_tree_2d() {
    sound::<D2>();
}

#[test]
fn the_tree_stays_a_tree_3d() {
    sound::<D3>();
}
