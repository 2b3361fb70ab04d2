//! Large numbers, where all pairs are out of reach: against a grid by counting, and between numbers of threads.

use crate::harness::{Random, World, proxy};
use topple::broad_phase::{BroadPhase, BroadPhaseBvh, ProxyKind};
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

#[test]
fn two_hundred_thousand_bodies_3d() {
    grid::<D3>(447);
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
