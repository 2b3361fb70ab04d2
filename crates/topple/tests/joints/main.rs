//! Joints against formulas: free and locked degrees of freedom, limits, motors, springs, reactions, life in the world.

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

mod acting; // motors, springs and limits together, parts switched off, levers
mod analytic; // pendulum, double pendulum, top, chain, bridge, reactions
mod creeping; // what is driven slowly does not sleep
mod determinism; // threads, widths, snapshots
mod freedoms; // each kind along and about each axis
mod input; // what is refused
mod kinds; // each kind: what is free, what is locked
mod life; // sleeping, waking, breaking, removal, random operations
mod loads; // limits, motors and servos against loads; reactions and events
mod motors; // motors, servos, springs, limits
mod nets; // springs that meet: chains, nets, stars
mod stars; // bodies with many joints; cones and twists under compact bodies
mod support;
mod vehicles; // wheels
mod whirling; // what turns for long without load
