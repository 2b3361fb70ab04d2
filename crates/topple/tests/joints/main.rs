//! Joints against formulas: free and locked degrees of freedom, limits, motors, springs, reactions, life in the world.

mod analytic; // pendulum, double pendulum, top, chain, bridge
mod support;
