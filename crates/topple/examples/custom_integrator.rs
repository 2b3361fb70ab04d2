//! An integrator of one's own: semi-implicit Euler in a wind that drags every body along.
//! `cargo run --example custom_integrator`
//!
//! A solver calls an integrator for blocks of awake bodies: velocities first, then contacts act on them, then positions.
//! The block has the states to change and, for each body, what stays constant over the step.

use topple::body::BodyBlock;
use topple::integrator::Integrator;
use topple::math::*;
use topple::{BodyDef, Error, ShapeDef, World, World2};

/// Semi-implicit Euler with wind: dv/dt = a + rate·(wind − v).
pub struct Windy<D: Dim> {
    /// Velocity of the air [m/s].
    pub wind: D::Vec,
    /// How fast bodies take it on [1/s].
    pub rate: Real,
}

impl<D: Dim> Integrator<D> for Windy<D> {
    fn name(&self) -> &'static str {
        "windy"
    }

    fn integrate_velocities(&self, block: &mut BodyBlock<'_, D>, h: Real) {
        for (state, props) in block.states.iter_mut().zip(block.props) {
            // Kinematic bodies keep the velocity that the user gave them; pinned ones have no mass to blow at.
            if !props.is_dynamic {
                continue;
            }
            state.v += props.acceleration * h;
            state.w += props.angular_acceleration * h;
            if props.inv_mass > 0.0 {
                // Implicit in v: stable for any rate. Locked axes do not answer.
                let share = self.rate * h / (1.0 + self.rate * h);
                state.v += props.linear_response((self.wind - state.v) * (share / props.inv_mass));
            }
        }
    }

    fn integrate_positions(&self, block: &mut BodyBlock<'_, D>, h: Real) {
        for (state, rotation) in block.states.iter_mut().zip(block.rotations.iter_mut()) {
            state.dp += state.v * h;
            state.dr += state.w * h;
            *rotation = rotation.integrate(state.w * h);
        }
    }
}

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world: World2 = World::new();
    world.set_integrator(Windy::<D2> { wind: Vec2::new(6.0, 0.0), rate: 0.5 });
    let leaf = world
        .create_body_with(BodyDef::dynamic([0.0, 100.0]), [ShapeDef::new(topple::Shape2::circle(0.1))])?;
    for _ in 0..600 {
        world.step();
    }
    let v = world.body(leaf)?.linear_velocity();
    println!("after 10 s the leaf flies at {v}");
    assert_eq!(world.methods().integrator(), "windy");
    // Sideways as the wind, downwards at g / rate.
    assert!((v.x - 6.0).abs() < 0.1 && (v.y + 9.8 / 0.5).abs() < 0.3, "{v}");
    Ok(())
}
