//! Each method by its own algorithm, shown by its counters: lattices for every size, ends that pass each other, first sorts.

use crate::counters::{counter, look};
use crate::harness::{Random, World, proxy};
use topple::broad_phase::{BroadPhase, BroadPhaseSortAndSweep, FirstSort, Proxies, ProxyKind};
use topple::math::*;

fn with_method<D: Dim>(name: &str) -> World<D> {
    let &(_, _, make) = topple::broad_phase::all::<D>().iter().find(|entry| entry.0 == name).unwrap();
    World::<D>::new(make)
}

/// A box of half size `half` at `x` along `axis` and `y` along the next one.
fn at<D: Dim>(axis: usize, x: Real, y: Real, half: Real) -> Aabb<D> {
    let mut center = D::Vec::ZERO;
    center.set(axis, x);
    center.set((axis + 1) % D::N, y);
    Aabb::around(center.into(), D::Vec::splat(half))
}

/// A row of bodies of every size from 1 m on, each twice as large as the one before, and a small one that moves at their
/// beginning, `offset` from the origin: what the method counts for it, as cells and boxes.
fn mover_among_sizes<D: Dim>(name: &str, sizes: u32, offset: Real) -> (u64, u64) {
    /// Members of each size: more than the cells around a body.
    const MEMBERS: u32 = 200;
    let mut world = with_method::<D>(name);
    let rows = (0..sizes * MEMBERS).map(|i| {
        let size = (1_u32 << (i / MEMBERS)) as Real;
        let x = offset + (i % MEMBERS) as Real * 4.0 * size;
        proxy(i + 1, ProxyKind::Dynamic, at::<D>(0, x, 4.0 * size, 0.45 * size))
    });
    world.insert_all(rows);
    let mover = world.insert(proxy(0, ProxyKind::Dynamic, at::<D>(0, offset, 0.0, 0.45)));
    world.find_pairs();
    look(&mut world);
    world.shift(mover, D::Vec::axis(0) * 0.25);
    world.find_pairs();
    let counters = look(&mut world);
    (counter(&counters, "cells visited"), counter(&counters, "boxes tested"))
}

/// A hash has a lattice for every size: whoever moves looks into a few cells of each, wherever it is, and so meets few boxes. A grid has
/// one size of cells, which the small ones crowd.
fn hash_has_a_lattice_for_every_size<D: Dim>() {
    let around = 4_u64.pow(D::N as u32);
    let (alone, _) = mover_among_sizes::<D>("hash", 1, 0.0);
    assert!(alone >= 1 && alone <= around, "{alone} cells of one lattice");
    let mut last = alone;
    for sizes in 2..=9 {
        let (cells, boxes) = mover_among_sizes::<D>("hash", sizes, 0.0);
        assert!(
            cells > last && cells <= last + around,
            "{sizes} sizes: {cells} cells after {last}: one lattice more"
        );
        assert!(boxes <= 4 * u64::from(sizes), "{sizes} sizes: {boxes} boxes tested");
        last = cells;
    }
    let (far, boxes) = mover_among_sizes::<D>("hash", 9, 65_536.0);
    assert!(far <= 9 * around && boxes <= 36, "{far} cells and {boxes} boxes far from the origin");
    let (_, crowded) = mover_among_sizes::<D>("grid", 9, 0.0);
    let (_, boxes) = mover_among_sizes::<D>("hash", 9, 0.0);
    assert!(crowded > 4 * boxes.max(1), "the grid tests {crowded} boxes, the hash {boxes}");
}

#[test]
fn hash_has_a_lattice_for_every_size_2d() {
    hash_has_a_lattice_for_every_size::<D2>();
}
#[test]
fn hash_has_a_lattice_for_every_size_3d() {
    hash_has_a_lattice_for_every_size::<D3>();
}

/// A gas of `count` boxes in a cube of `extent` [m].
fn gas<D: Dim>(count: u32, extent: Real, random: &mut Random) -> World<D> {
    let mut world = with_method::<D>("sort-and-sweep");
    let boxes: Vec<_> = (0..count)
        .map(|i| {
            // In steps of a power of two, so that common motion rounds nothing.
            let mut center = random.vector::<D>(0.0, extent);
            (0..D::N).for_each(|axis| center.set(axis, (center.get(axis) * 1024.0).floor() / 1024.0));
            let fat = Aabb::around(center.into(), D::Vec::splat(0.5));
            proxy(i, ProxyKind::Dynamic, fat)
        })
        .collect();
    world.insert_all(boxes);
    world.find_pairs();
    look(&mut world);
    world
}

/// Sort and sweep does as much as passes: nothing where all move alike, along any axis; where each moves a little on its own, as many swaps
/// as theory says, in proportion to the way: N²/L · E|Δ| / 2 along each axis, N = 2n ends on a length L, Δ the motion of one end against another, here δ · 2/3
/// on average.
fn swaps_follow_the_motion<D: Dim>() {
    const COUNT: u32 = 1000;
    const EXTENT: Real = 100.0;
    let mut random = Random(8);
    let mut world = gas::<D>(COUNT, EXTENT, &mut random);
    let convoy = |world: &mut World<D>, way: D::Vec| {
        (0..COUNT).for_each(|i| world.shift(i, way));
        world.find_pairs();
        let counters = look(world);
        (counter(&counters, "swaps"), counter(&counters, "boxes tested"))
    };
    for axis in 0..D::N {
        let done = convoy(&mut world, D::Vec::axis(axis) * 128.0);
        assert_eq!(done, (0, 0), "a convoy along axis {axis}");
    }
    let ends = 2.0 * f64::from(COUNT);
    for way in [0.025, 0.05, 0.1] {
        let mut world = gas::<D>(COUNT, EXTENT, &mut random);
        for i in 0..COUNT {
            world.shift(i, random.vector::<D>(-way, way));
        }
        world.find_pairs();
        let swaps = counter(&look(&mut world), "swaps") as f64;
        let expected = D::N as f64 * ends * ends / f64::from(EXTENT) * f64::from(way) / 3.0;
        let ratio = swaps / expected;
        assert!((0.85..1.15).contains(&ratio), "{way} m: {swaps} swaps, {expected} expected");
    }
}

#[test]
fn swaps_follow_the_motion_2d() {
    swaps_follow_the_motion::<D2>();
}
#[test]
fn swaps_follow_the_motion_3d() {
    swaps_follow_the_motion::<D3>();
}

/// Ends are in order along every axis: whoever passes others along one of them swaps its two ends with both of theirs, and nothing along the
/// other axes.
fn every_axis_is_sorted<D: Dim>() {
    for axis in 0..D::N {
        let mut world = with_method::<D>("sort-and-sweep");
        let row = (0..20).map(|i| proxy(i, ProxyKind::Dynamic, at::<D>(axis, 2.0 * i as Real, 0.0, 0.25)));
        world.insert_all(row);
        world.find_pairs();
        look(&mut world);
        // Into the middle of the gap behind the next few of them.
        for (way, passed) in [(3.0, 1), (6.0, 3), (14.0, 7), (-4.0, 2)] {
            world.shift(0, D::Vec::axis(axis) * way);
            assert!(world.find_pairs().is_empty());
            assert_eq!(counter(&look(&mut world), "swaps"), 4 * passed, "axis {axis}, {way} m");
        }
    }
}

#[test]
fn every_axis_is_sorted_2d() {
    every_axis_is_sorted::<D2>();
}
#[test]
fn every_axis_is_sorted_3d() {
    every_axis_is_sorted::<D3>();
}

/// By insertion the first sort takes about n² swaps along each axis, as the seed says; in n log n none. Both begin with the same pairs.
fn first_sorts<D: Dim>() {
    let first = |sort: FirstSort, count: u32| {
        let mut random = Random(5);
        let mut method = BroadPhaseSortAndSweep::<D>::new(sort);
        let fat = |random: &mut Random| Aabb::around(random.point::<D>(0.0, 1000.0), D::Vec::splat(0.5));
        let slots = (0..count).map(|i| proxy(i, ProxyKind::Dynamic, fat(&mut random))).collect();
        method.attach(&Proxies::from_slots(slots));
        let mut counters = Vec::new();
        BroadPhase::<D>::counters(&mut method, &mut counters);
        counter(&counters, "swaps") as f64
    };
    assert_eq!(first(FirstSort::Merge, 500), 0.0);
    for n in [100, 200, 400] {
        // 2n ends along each axis, each of which passes half of those before it.
        let ratio = first(FirstSort::Insertion, n) / (D::N as f64 * f64::from(n) * f64::from(n));
        assert!((0.8..1.2).contains(&ratio), "{n} bodies: {ratio} of n² swaps along each axis");
    }
}

#[test]
fn first_sorts_2d() {
    first_sorts::<D2>();
}
#[test]
fn first_sorts_3d() {
    first_sorts::<D3>();
}
