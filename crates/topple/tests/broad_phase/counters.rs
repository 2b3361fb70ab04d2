//! Counters show that the methods do what they claim.

use crate::harness::{Random, World, proxy};
use topple::broad_phase::{BroadPhaseSortAndSweep, ProxyKind};
use topple::math::*;
use topple::narrow_phase::NarrowCounters;
use topple::{BodyDef, Settings, Shape3, ShapeDef};

type Counters = Vec<(&'static str, u64)>;

/// The value of a counter since the last look at it.
pub(crate) fn counter(counters: &Counters, name: &str) -> u64 {
    let found = counters.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no counter '{name}' in {counters:?}")).1
}

pub(crate) fn look<D: Dim>(world: &mut World<D>) -> Counters {
    let mut counters = Vec::new();
    world.method.counters(&mut counters);
    counters
}

/// A world of boxes on a grid that do not touch, with the method of that name.
pub(crate) fn grid<D: Dim>(name: &str, side: usize, kind: ProxyKind) -> World<D> {
    let &(_, _, make) = topple::broad_phase::all::<D>().iter().find(|entry| entry.0 == name).unwrap();
    let mut world = World::<D>::new(make);
    let place = |i: usize| {
        let mut center = D::Vec::ZERO;
        center.set(0, (i % side) as Real * 2.0);
        center.set(1, (i / side) as Real * 2.0);
        Aabb::<D>::around(center.into(), D::Vec::splat(0.5))
    };
    world.insert_all((0..side * side).map(|i| proxy(i as u32, kind, place(i))));
    world.find_pairs();
    look(&mut world);
    world
}

/// One body that moves among n: about log n nodes and boxes, not n. Refits: not more than the way to the root.
fn few_nodes_for_one_body<D: Dim>() {
    let mut last = 0;
    for side in [10, 30, 100] {
        let mut world = grid::<D>("bvh", side, ProxyKind::Dynamic);
        let middle = (side * side / 2 + side / 2) as u32;
        world.shift(middle, D::Vec::axis(0) * 0.3);
        world.find_pairs();
        let counters = look(&mut world);
        let log = (side * side).ilog2() as u64 + 1;
        let (visited, tested) = (counter(&counters, "nodes visited"), counter(&counters, "boxes tested"));
        let refitted = counter(&counters, "nodes refitted");
        assert!(visited > 0 && visited <= 4 * log, "{side}²: {visited} nodes visited, log n is {log}");
        // On the way up one box per node, on the way down two.
        assert!(tested >= visited && tested <= 8 * log, "{side}²: {tested} boxes tested, log n is {log}");
        assert!(refitted <= 2 * log, "{side}²: {refitted} nodes refitted, log n is {log}");
        assert_eq!(counter(&counters, "leaves rebuilt"), 0);
        assert!(visited >= last / 2, "more bodies, not fewer nodes");
        last = visited;
    }
}

#[test]
fn bvh_looks_at_few_nodes_for_one_body_2d() {
    few_nodes_for_one_body::<D2>();
}

#[test]
fn bvh_looks_at_few_nodes_for_one_body_3d() {
    few_nodes_for_one_body::<D3>();
}

/// What does not move costs nothing, whatever the method, but for the reference, which is honest about its cost.
fn rest_is_free<D: Dim>() {
    for &(name, ..) in topple::broad_phase::all::<D>() {
        for kind in [ProxyKind::Static, ProxyKind::Dynamic] {
            let mut world = grid::<D>(name, 20, kind);
            world.find_pairs();
            let counters = look(&mut world);
            assert!(counters.iter().all(|&(_, value)| value == 0), "{name}, {kind:?}: {counters:?}");
        }
    }
}

#[test]
fn rest_is_free_2d() {
    rest_is_free::<D2>();
}

#[test]
fn rest_is_free_3d() {
    rest_is_free::<D3>();
}

/// When all move a little, all inner nodes are refitted once, and the tree is built anew only now and then.
fn dense_motion_refits<D: Dim>() {
    let side = 30;
    let mut world = grid::<D>("bvh", side, ProxyKind::Dynamic);
    let leaves = (side * side) as u64;
    let mut random = Random(3);
    let (mut refitted, mut rebuilt) = (0, 0);
    let steps = 40;
    for _ in 0..steps {
        for index in 0..leaves as u32 {
            world.shift(index, random.vector::<D>(-0.05, 0.05));
        }
        world.find_pairs();
        let counters = look(&mut world);
        refitted += counter(&counters, "nodes refitted");
        rebuilt += counter(&counters, "leaves rebuilt");
        assert!(counter(&counters, "nodes refitted") < leaves, "{counters:?}");
    }
    assert!(refitted > steps * leaves / 2, "{refitted} nodes refitted");
    assert!(rebuilt > 0 && rebuilt <= steps * leaves / 4, "{rebuilt} leaves rebuilt");
}

#[test]
fn bvh_refits_more_than_it_builds_2d() {
    dense_motion_refits::<D2>();
}

#[test]
fn bvh_refits_more_than_it_builds_3d() {
    dense_motion_refits::<D3>();
}

/// One body moves a little among n: what the method of that name counts, by number of bodies.
fn one_mover<D: Dim>(name: &str, side: usize) -> Counters {
    let mut world = grid::<D>(name, side, ProxyKind::Dynamic);
    world.shift((side * side / 2 + side / 2) as u32, D::Vec::axis(0) * 0.3);
    world.find_pairs();
    look(&mut world)
}

/// The quadratic methods look at everything, the others at what is near.
fn near_or_all<D: Dim>() {
    let neighbors = 3_u64.pow(D::N as u32);
    for side in [10, 30, 100] {
        let n = (side * side) as u64;
        let log = u64::from(n.ilog2()) + 1;
        let of = |name: &str, what: &str| counter(&one_mover::<D>(name, side), what);
        assert_eq!(of("all-pairs", "boxes tested"), n * (n - 1) / 2);
        assert_eq!(of("spheres", "spheres tested"), n);
        assert!(of("spheres", "boxes tested") <= neighbors, "{}", of("spheres", "boxes tested"));
        for name in ["grid", "hash"] {
            let (cells, boxes) = (of(name, "cells visited"), of(name, "boxes tested"));
            // Along each axis the box and half a cell on both sides: three cells, four where borders are touched.
            assert!(cells > 0 && cells <= 4_u64.pow(D::N as u32), "{name} {side}²: {cells} cells visited");
            assert!(boxes > 0 && boxes <= 2 * neighbors, "{name} {side}²: {boxes} boxes tested");
        }
        // A loose cube of the tree reaches into all its neighbours, on every level.
        let nodes = of("tree", "nodes visited");
        assert!(nodes > log / D::N as u64 && nodes <= log * neighbors, "tree {side}²: {nodes} nodes visited");
        assert!(of("tree", "boxes tested") <= 2 * neighbors);
        let nodes = of("bsp", "nodes visited");
        assert!(nodes > log / 2 && nodes <= 16 * log, "bsp {side}²: {nodes} nodes visited");
        // Leaves of up to eight boxes, in each part that was cut on the way down.
        assert!(of("bsp", "boxes tested") <= 24 * log, "bsp {side}²: {} boxes", of("bsp", "boxes tested"));
        assert_eq!(of("bsp", "leaves parted"), 0);
        // Along x, the ends of a whole column lie together: these are passed, and no others.
        let swaps = of("sort-and-sweep", "swaps");
        assert!(swaps > 0 && swaps <= 4 * side as u64, "{side}²: {swaps} swaps");
    }
}

#[test]
fn methods_look_at_what_is_near_or_at_all_2d() {
    near_or_all::<D2>();
}

#[test]
fn methods_look_at_what_is_near_or_at_all_3d() {
    near_or_all::<D3>();
}

/// Ends that pass: one swap for a pair that begins, one for a pair that ends, none for what stays in order.
fn swaps<D: Dim>() {
    let mut world = World::<D>::new(|| Box::<BroadPhaseSortAndSweep<D>>::default());
    let at = |x: Real, other: Real| {
        let mut center = D::Vec::splat(other);
        center.set(0, x);
        Aabb::<D>::around(center.into(), D::Vec::splat(0.5))
    };
    let first = world.insert(proxy(0, ProxyKind::Dynamic, at(0.0, 0.0)));
    world.insert(proxy(1, ProxyKind::Dynamic, at(2.0, 0.25)));
    assert!(world.find_pairs().is_empty());
    assert_eq!(counter(&look(&mut world), "swaps"), 0, "the first sort is not by insertion");
    for (x, pairs, swaps) in [(0.5, 0, 0), (1.25, 1, 1), (1.5, 1, 0), (0.9, 0, 1)] {
        world.move_to(first, at(x, 0.0));
        assert_eq!(world.find_pairs().len(), pairs, "at {x}");
        assert_eq!(counter(&look(&mut world), "swaps"), swaps, "at {x}");
    }
}

#[test]
fn sort_and_sweep_counts_what_passes_2d() {
    swaps::<D2>();
}

#[test]
fn sort_and_sweep_counts_what_passes_3d() {
    swaps::<D3>();
}

/// A pair of bodies that touch, without gravity; the counters of the first step and of a later one, at rest.
fn narrow(a: Shape3, b: Shape3, gap: Real) -> [NarrowCounters; 2] {
    let settings = Settings::<D3> { gravity: Vec3::ZERO, sleeping: false, ..Settings::default() };
    let mut world = topple::World3::with_settings(settings).unwrap();
    world.create_body_with(BodyDef::fixed([0.0, 0.0, 0.0]), [ShapeDef::new(a)]).unwrap();
    world.create_body_with(BodyDef::dynamic([0.0, 1.0 + gap, 0.0]), [ShapeDef::new(b)]).unwrap();
    world.step();
    let first = world.profile().narrow;
    (0..10).for_each(|_| world.step());
    [first, world.profile().narrow]
}

#[test]
fn narrow_counters_tell_the_methods_apart() {
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    // Boxes: 15 axes from nothing, none when the contact is kept.
    let [first, later] = narrow(cube.clone(), cube.clone(), 0.0);
    assert_eq!((first.computed, first.recycled, first.gjk_iterations), (1, 0, 0), "{first:?}");
    assert_eq!(first.axes, 15, "{first:?}");
    assert_eq!(later, NarrowCounters { recycled: 1, ..NarrowCounters::default() });
    // Spheres: a closed form, along the one axis between their centres, and never kept, because they roll.
    let ball = Shape3::sphere(0.5);
    for counters in narrow(ball.clone(), ball, 0.0) {
        assert_eq!(counters, NarrowCounters { computed: 1, axes: 1, ..NarrowCounters::default() });
    }
    // Cylinders: GJK when apart, EPA when they overlap.
    let can = Shape3::cylinder(1.0, 0.5);
    let [apart, _] = narrow(can.clone(), can.clone(), 0.01);
    assert!(apart.gjk_iterations > 0 && apart.epa_iterations == 0, "{apart:?}");
    let [overlapping, _] = narrow(can.clone(), can, -0.01);
    assert!(overlapping.gjk_iterations > 0 && overlapping.epa_iterations > 0, "{overlapping:?}");
    // Hulls: axes of faces and edges, no iterations. Of the 10 faces and 81 pairs of edges most are left out by bounds.
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.0, 0.6]];
    let wedge: Vec<Vec3> =
        corners.iter().flat_map(|&[x, z]| [Vec3::new(x, -0.5, z), Vec3::new(x, 0.5, z)]).collect();
    let wedge = Shape3::hull(&wedge).unwrap();
    let [first, later] = narrow(wedge.clone(), wedge, 0.0);
    assert!((1..10).contains(&first.axes) && first.gjk_iterations == 0 && first.computed == 1, "{first:?}");
    assert_eq!((later.recycled, later.axes), (1, 0), "{later:?}");
}
