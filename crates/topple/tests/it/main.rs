//! The tests of the whole engine, in one binary. Each claim is one generic text, run in both dimensions.
#![allow(unreachable_pub, reason = "the examples are modules here, and programs of their own elsewhere")]

/// The tests of generic claims: claim, its name in the plane, its name in space. Before the modules, which use it.
macro_rules! both {
    ($($claim:ident, $plane:ident, $space:ident;)*) => {$(
        #[test]
        fn $plane() {
            $claim::<D2>();
        }
        #[test]
        fn $space() {
            $claim::<D3>();
        }
    )*};
}

// Closed-form mechanics: falling, throwing, hitting, sliding, rolling, spinning.
mod analytic;
// The same for the default solver, at 60 Hz, within what it promises.
mod defaults;
// Momentum, angular momentum and energy of whole worlds.
mod conservation;
// Orders, invariants and drift of the integrators; life with contacts and joints.
mod integrators;
// Bounces: small ones, of joined bodies, of rows of balls.
mod impacts;
// Elastic bodies on joints that fall, whirl and bounce.
mod elastic_joints;
// Force generators against their formulas, awake and asleep, saved and restored.
mod generators;
mod heavy_chains;
// Shapes in water and wind: volumes, centroids, areas.
mod fluids;
// Friction of every kind, conveyors, and how two surfaces mix.
mod materials;
// Bodies merged and taken apart; shapes that come and go.
mod compounds;
// Long and flat bodies that turn by radians per step.
mod spinning;
// Piles at rest: they stand, carry their weight and fall asleep.
mod stacking;
mod statics;
mod stiff_chains;
// Pyramids and walls that are put together at rest.
mod walls;
// Heavy things on light ones: small steps for those who need them.
mod small_steps;
// Which are not thrown by them.
mod passive;
// Heaps of unequal bodies, which do without.
mod mixed_heaps;
// Heavy trunks with light arms.
mod ragdolls;
// Columns that are low, small, asleep or still growing.
mod low_towers;
// What is found deep in something goes back the way it came in.
mod way_in;
// What is its own mirror image stays so.
mod symmetry;
// What a step reports, and the functions of the user that it calls.
mod events;
// Rays, points and boxes asked of a world.
mod queries;
// Settings against their formulas, and what a solver of one's own leaves behind.
mod settings;
// What falls asleep, and what wakes it.
mod sleeping;
mod sliding;
// Supports that go or set off, joints that change, thresholds.
mod waking;
// Contacts that are kept, against computed ones.
mod recycling;
// The same bits: again, in other builds, on threads, after a restore, with stages swapped.
mod determinism;
// The whole state as bytes; damaged bytes are refused.
mod snapshot;
mod snapshot_joints;
// Everything a caller can get wrong: a typed error, and nothing changed.
mod bad_input;
// Random histories of a world.
mod random_operations;
// Creating and removing costs what there is to create and remove.
mod linear;
// Timers and counters.
mod planes;
mod profile;
// The examples run as tests.
mod examples;

// One suite per stage, passed by every method of the registry and by the examples' own.
mod conformance {
    mod broad_phase;
    mod integrator;
    mod narrow_phase;
    mod solver;
}

// One file per fault that was found and fixed.
mod regression {
    mod found_while_proving_the_core;
}

mod support;
