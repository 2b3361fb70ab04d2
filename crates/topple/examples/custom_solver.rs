//! A solver of one's own: springs and dampers at the contact points (the penalty method), in small sub-steps.
//! `cargo run --example custom_solver`
//!
//! A solver is called once per step. It must advance the awake bodies by the step, calling the integrator, and may push
//! them; it leaves in the contacts the impulses of its last sub-step, which forces and hit events are read from.

use topple::body::NO_SLOT;
use topple::math::*;
use topple::solver::{Solver, SolverContext};
use topple::{BodyDef, Error, ShapeDef, World, World2};

/// Springs at contact points. Simple and springy: good for soft things, poor for tall stacks.
pub struct Penalty {
    /// Sub-steps per step.
    pub substeps: u32,
    /// Stiffness as a frequency times the sub-step; above about 0.5 it explodes.
    pub stiffness: Real,
    /// Damping; 1 is critical.
    pub damping: Real,
}

impl Default for Penalty {
    fn default() -> Self {
        Self { substeps: 16, stiffness: 0.3, damping: 0.7 }
    }
}

/// Place of a body now: moved within the step if it is awake, where it stands otherwise.
fn place<D: Dim>(context: &SolverContext<'_, D>, body: u32, slot: u32) -> Pose<D> {
    if slot == NO_SLOT {
        return *context.place(body);
    }
    Pose { position: context.bodies.center(slot as usize), rotation: context.bodies.rotations[slot as usize] }
}

impl Penalty {
    /// Pushes the two bodies of a contact apart, and rubs them against each other, for the time `h`.
    fn push<D: Dim>(&self, context: &mut SolverContext<'_, D>, index: u32, h: Real) {
        let contact = context.contacts[index as usize];
        let slots = context.slots(&contact);
        let places = [0, 1].map(|side| place(context, contact.bodies[side], slots[side]));
        let bodies = slots.map(|slot| context.body(slot));
        let normal = contact.normal(places[0].rotation);
        let count = contact.manifold.count as usize;
        for i in 0..count {
            let row = contact.row(i, &places[0], &places[1]);
            let mut impulse = 0.0;
            if row.separation < 0.0 {
                let arms = [row.r_a, row.r_b];
                let velocity = |side: usize| bodies[side].0.v + D::cross_ang(bodies[side].0.w, arms[side]);
                let slip = velocity(1) - velocity(0);
                // The mass that the spring feels, shared by the points of the contact.
                let answer = |side: usize| {
                    let (arm, props) = (D::cross(arms[side], normal), &bodies[side].1);
                    props.linear_response(normal).dot(normal) + arm.dot(props.inv_inertia.apply(arm))
                };
                let mass = 1.0 / ((answer(0) + answer(1)) * count as Real).max(1e-12);
                let rate = self.stiffness / h;
                // A deep overlap from the start is pushed out at the speed of the settings, not blown apart.
                let depth = (-row.separation).min(context.settings.push_speed / rate);
                let pull = rate * rate * depth - 2.0 * self.damping * rate * slip.dot(normal);
                impulse = (mass * h * pull).max(0.0);
                // Coulomb: against the slip, up to the friction cone, and never more than stops it.
                let along = slip + contact.surface_velocity - normal * slip.dot(normal);
                let speed = along.length();
                let rub = (contact.friction * impulse).min(0.5 * mass * speed);
                let friction = along * if speed > 0.0 { -rub / speed } else { 0.0 };
                let total = normal * impulse + friction;
                context.push(slots[0], -total, -D::cross(row.r_a, total));
                context.push(slots[1], total, D::cross(row.r_b, total));
            }
            context.contacts[index as usize].manifold.points_mut()[i].normal_impulse = impulse;
        }
    }
}

impl<D: Dim> Solver<D> for Penalty {
    fn name(&self) -> &'static str {
        "my-penalty"
    }

    fn solve(&mut self, context: &mut SolverContext<'_, D>) {
        let h = context.dt / self.substeps as Real;
        context.impulse_time = h;
        let order: Vec<u32> = context.contact_order().collect();
        for _ in 0..self.substeps {
            context.integrate_velocities(h);
            for &index in &order {
                self.push(context, index, h);
            }
            context.integrate_positions(h);
        }
    }
}

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world: World2 = World::new();
    world.set_solver(Penalty::default());
    let ground = topple::Shape2::half_plane(Vec2::Y, 0.0);
    world.create_body_with(BodyDef::fixed([0.0, 0.0]), [ShapeDef::new(ground)])?;
    let boxes: Vec<_> = (0..3)
        .map(|i| {
            let shape = ShapeDef::new(topple::Shape2::rectangle(1.0, 1.0));
            world.create_body_with(BodyDef::dynamic([0.0, 0.6 + 1.1 * i as f32]), [shape])
        })
        .collect::<Result<_, _>>()?;
    for _ in 0..300 {
        world.step();
    }
    for (i, &id) in boxes.iter().enumerate() {
        let body = world.body(id)?;
        println!("box {i} rests at {:.4} m", body.position().y);
        assert!((body.position().y - (0.5 + i as f32)).abs() < 0.02, "it stands");
        assert!(body.linear_velocity().length() < 0.05, "and is still");
    }
    Ok(())
}
