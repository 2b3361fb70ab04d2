//! A solver of one's own: springs and dampers at the contact points (the penalty method), in small sub-steps.
//! `cargo run --example custom_solver`
//!
//! A solver is called once per step. It must advance the awake bodies by the step, calling the integrator, and may push
//! them; it leaves in the contacts the impulses of its last sub-step, which forces and hit events are read from, and the same in the
//! joints.
//!
//! Complete: contacts with friction, conveyor belts and restitution, joints of every kind with limits, motors, springs and
//! reactions, force generators (through the integrator). Left out: rolling and spinning resistance, grain, and warm starting, of which
//! springs have no need.

use topple::body::NO_SLOT;
use topple::joint::{Answer, MAX_ROWS, Pair, PassLaw};
use topple::math::*;
use topple::solver::{Solver, SolverContext};
use topple::{BodyDef, Error, JointDef, ShapeDef, World, World2};

/// Springs at contact points. Simple and springy: good for soft things, poor for tall stacks.
pub struct Penalty {
    /// Sub-steps per step.
    pub substeps: u32,
    /// Stiffness as a frequency times the sub-step; above about 0.5 it explodes.
    pub stiffness: Real,
    /// Damping; 1 is critical.
    pub damping: Real,
    /// Times that the joints are gone through in every sub-step.
    pub sweeps: u32,
}

impl Default for Penalty {
    fn default() -> Self {
        Self { substeps: 16, stiffness: 0.3, damping: 0.7, sweeps: 4 }
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
        let normal = contact.normal(places[0].rotation);
        let count = contact.manifold.count as usize;
        for i in 0..count {
            let row = contact.row(i, &places[0], &places[1]);
            let mut impulse = 0.0;
            if row.separation < 0.0 {
                let bodies = slots.map(|slot| context.body(slot));
                let arms = [row.r_a, row.r_b];
                let velocity = |side: usize| bodies[side].0.v + D::cross_ang(bodies[side].0.w, arms[side]);
                let slip = velocity(1) - velocity(0);
                // The mass of the point, and that which its spring feels: the points of the contact share it.
                let answer = |side: usize| {
                    let (arm, props) = (D::cross(arms[side], normal), &bodies[side].1);
                    props.linear_response(normal).dot(normal) + arm.dot(props.inv_inertia.apply(arm))
                };
                let whole = 1.0 / (answer(0) + answer(1)).max(1e-12);
                let mass = whole / count as Real;
                let speed = slip.dot(normal);
                let settings = context.settings;
                let is_bouncy = settings.restitution && contact.restitution > 0.0;
                impulse = if is_bouncy && speed.abs() > settings.restitution_threshold {
                    // Newton's impact: what closes in is thrown back at once, what flies apart is left alone. A spring
                    // would give back more than it took, for it meets bodies that are in the other one already.
                    (-(1.0 + contact.restitution) * whole * speed).max(0.0)
                } else {
                    let rate = self.stiffness / h;
                    // A deep overlap from the start is pushed out at the speed of the settings, not blown apart.
                    let depth = (-row.separation).min(settings.push_speed / rate);
                    (mass * h * (rate * rate * depth - 2.0 * self.damping * rate * speed)).max(0.0)
                };
                // Coulomb: against the slip, up to the friction cone, and never more than stops it.
                let along = slip + contact.surface_velocity - normal * speed;
                let sliding = along.length();
                let needed = 0.5 * mass * sliding;
                let rub = if !settings.friction {
                    0.0
                } else if needed <= contact.static_friction * impulse {
                    needed
                } else {
                    contact.friction * impulse
                };
                let friction = along * if sliding > 0.0 { -rub / sliding } else { 0.0 };
                let total = normal * impulse + friction;
                context.push(slots[0], -total, -D::cross(row.r_a, total));
                context.push(slots[1], total, D::cross(row.r_b, total));
            }
            context.contacts[index as usize].manifold.points_mut()[i].normal_impulse = impulse;
        }
    }

    /// Holds a joint together for the time `h`: all its rows, from scratch, as often as `sweeps` says.
    fn hold<D: Dim>(&self, context: &mut SolverContext<'_, D>, order: &[u32], h: Real) {
        let pass = PassLaw {
            h,
            rate: context.settings.baumgarte / h,
            scale: 1.0,
            push_speed: context.settings.joint_push_speed,
            max_speed: context.settings.max_speed,
            beside: 0.0,
            is_biased: true,
        };
        for sweep in 0..self.sweeps {
            for &index in order {
                let slots = context.joints[index as usize].bodies.map(|body| context.bodies.slot(body));
                let bodies = context.joints[index as usize].bodies;
                let [a, b] = [0, 1].map(|side| place(context, bodies[side], slots[side]));
                let states = slots.map(|slot| context.body(slot));
                let joint = &mut context.joints[index as usize];
                let between = b.position - a.position;
                let still = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2]);
                let sight = joint.sight([a.rotation, b.rotation], b.position, between, still.0, still.1, 0.0);
                if sweep == 0 {
                    joint.impulses = [0.0; MAX_ROWS];
                }
                let answers = [Answer::of(&states[0].1), Answer::of(&states[1].1)];
                let (v, w) = (states.map(|body| body.0.v), states.map(|body| body.0.w));
                let mut pair = Pair::new(v, w, answers);
                joint.solve(&sight, &mut pair, &pass);
                if sweep + 1 == self.sweeps {
                    // What the user reads as the reaction: about the anchor of b, the mean of all sub-steps.
                    let ((push, turn), share) = (joint.effect(&sight, &answers), 1.0 / self.substeps as Real);
                    joint.push += push * share;
                    joint.turn += (turn[1] - D::cross(sight.r[1], push)) * share;
                }
                context.push(slots[0], -pair.pushed, -pair.turned[0]);
                context.push(slots[1], pair.pushed, pair.turned[1]);
            }
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
        let joints: Vec<u32> = context.joint_order().collect();
        for &index in &joints {
            let joint = &mut context.joints[index as usize];
            (joint.push, joint.turn) = (D::Vec::ZERO, D::Ang::ZERO);
        }
        for _ in 0..self.substeps {
            context.integrate_velocities(h);
            for &index in &order {
                self.push(context, index, h);
            }
            self.hold(context, &joints, h);
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
    // A ball without weight that bounces, and a pendulum, away from the boxes.
    let bouncy = ShapeDef::new(topple::Shape2::circle(0.1)).restitution(0.5);
    let thrown =
        BodyDef { linear_velocity: Vec2::Y * -2.0, gravity_scale: 0.0, ..BodyDef::dynamic([5.0, 1.1]) };
    let ball = world.create_body_with(thrown, [bouncy])?;
    let bob = world.create_body_with(BodyDef::dynamic([-4.0, 3.0]), [topple::Shape2::circle(0.2)])?;
    let ceiling = world.create_body(BodyDef::fixed([-5.0, 3.0]))?;
    world.create_joint(JointDef::ball(&world, ceiling, bob, [-5.0, 3.0])?)?;
    let mut longest = 0.0_f32;
    for _ in 0..300 {
        world.step();
        longest = longest.max((world.body(bob)?.position() - Point2::new(-5.0, 3.0)).length());
    }
    let rebound = world.body(ball)?.linear_velocity().y;
    println!("thrown down at 2 m/s with restitution 0.5: comes back at {rebound:.4} m/s");
    assert!((rebound - 1.0).abs() < 1e-3, "it bounces");
    println!("pendulum of 1 m: at most {longest:.4} m");
    assert!((longest - 1.0).abs() < 0.01, "the joint holds");
    for (i, &id) in boxes.iter().enumerate() {
        let body = world.body(id)?;
        println!("box {i} rests at {:.4} m", body.position().y);
        assert!((body.position().y - (0.5 + i as f32)).abs() < 0.02, "it stands");
        assert!(body.linear_velocity().length() < 0.05, "and is still");
    }
    Ok(())
}
