//! `semi-implicit-euler`, the default: v += h·a, then x += h·v with the new velocity.
//!
//! First order, symplectic: the energy of an oscillator stays bounded. Under constant gravity it gives exactly
//! x_n = x_0 + v_0·t + ½·g·t·(t + h). The gyroscopic torque is solved implicitly, drag too, so both are stable at any h.

use super::flight::{narrow_rot, wide_ang, wide_rot};
use super::{Integrator, matrix};
use crate::body::{BodyBlock, BodyProps, BodyState};
use crate::math::*;

/// Semi-implicit (symplectic) Euler.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegratorSemiImplicitEuler;

impl<D: Dim> Integrator<D> for IntegratorSemiImplicitEuler {
    fn name(&self) -> &'static str {
        "semi-implicit-euler"
    }

    fn integrate_velocities(&self, block: &mut BodyBlock<'_, D>, h: Real) {
        let settings = block.settings;
        let bodies = block.states.iter_mut().zip(block.props).zip(block.rotations.iter());
        for ((state, props), &rotation) in bodies {
            if !props.is_dynamic {
                continue;
            }
            state.v += props.acceleration * h;
            state.w += props.angular_acceleration * h;
            if settings.gyroscopic && props.is_gyroscopic && props.locks >> 3 == 0 {
                state.w = props.inertia.gyroscopic(rotation, state.w, h);
            }
            apply_drag(state, props, h);
            clamp_speed(state, settings.max_speed);
            if let Some(w) = props.clamped_spin(state.w, settings, h) {
                state.w = w;
            }
        }
    }

    fn integrate_positions(&self, block: &mut BodyBlock<'_, D>, h: Real) {
        if block.settings.matrix_rotation {
            return integrate_matrices(block, h);
        }
        for (state, rotation) in block.states.iter_mut().zip(block.rotations.iter_mut()) {
            state.dp += state.v * h;
            let turn = state.w * h;
            state.dr += turn;
            *rotation = rotation.integrate(turn);
        }
    }
}

/// The same with orientations as matrices.
fn integrate_matrices<D: Dim>(block: &mut BodyBlock<'_, D>, h: Real) {
    for (state, rotation) in block.states.iter_mut().zip(block.rotations.iter_mut()) {
        state.dp += state.v * h;
        let turn = state.w * h;
        state.dr += turn;
        *rotation = narrow_rot::<D>(matrix::turned(wide_rot::<D>(*rotation), wide_ang::<D>(turn)));
    }
}

/// Air resistance, implicit in the velocity: never reverses the motion.
#[inline]
fn apply_drag<D: Dim>(state: &mut BodyState<D>, props: &BodyProps<D>, h: Real) {
    let drag = &props.drag;
    if drag.linear != 0.0 || drag.quadratic != 0.0 {
        state.v = state.v * (1.0 / (1.0 + h * (drag.linear + drag.quadratic * state.v.length())));
    }
    if drag.angular_linear != 0.0 || drag.angular_quadratic != 0.0 {
        let rate = drag.angular_linear + drag.angular_quadratic * state.w.length();
        state.w = state.w * (1.0 / (1.0 + h * rate));
    }
}

/// Keeps speeds within what contacts can be found at.
#[inline]
fn clamp_speed<D: Dim>(state: &mut BodyState<D>, max_speed: Real) {
    let speed2 = state.v.length_squared();
    if speed2 > max_speed * max_speed {
        // Scaled first: the square of an absurd speed leaves the range of f32.
        let unit = state.v * (1.0 / state.v.abs().max_component());
        state.v = unit * (max_speed / unit.length());
    }
}
