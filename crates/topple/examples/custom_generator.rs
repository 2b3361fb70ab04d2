//! A force generator of one's own: a tide that swings all bodies to and fro.
//! `cargo run --example custom_generator`
//!
//! A generator is asked for forces in every sub-step, at the places and velocities of that moment. What decides its forces,
//! parameters and state, goes into snapshots through `save` and `load`.

use topple::force::{ForceField, Generator, GeneratorKind, Varies};
use topple::math::*;
use topple::store::{Reader, Writer};
use topple::{BodyDef, Error, Shape2, World, World2};

/// An acceleration that swings: F = m·strength·cos(2π·t / period).
pub struct Tide<D: Dim> {
    /// Largest acceleration [m/s²].
    pub strength: D::Vec,
    /// Time of one swing [s].
    pub period: Real,
    /// Steps so far: a state, to show that it is kept.
    pub applied: u64,
}

impl<D: Dim> Generator<D> for Tide<D> {
    fn name(&self) -> &'static str {
        "tide"
    }

    fn apply(&self, field: &mut ForceField<'_, D>) {
        // The phase in f64, and the engine's own cosine: the same bits everywhere, after hours too.
        let turns = field.time() / f64::from(self.period);
        let angle = (turns - turns.floor()) as Real * core::f32::consts::TAU;
        let (_, swing) = sin_cos(angle);
        for i in 0..field.target_count() {
            let body = field.target(i);
            field.push(body.id, self.strength * (swing * body.mass));
        }
    }

    fn varies(&self) -> Varies {
        Varies::WithTime
    }

    fn end_step(&mut self, _dt: Real) -> bool {
        self.applied += 1;
        true
    }

    fn save(&self, out: &mut Writer) {
        out.put(&self.strength);
        out.real(self.period);
        out.u64(self.applied);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        self.strength = input.get()?;
        self.period = input.real()?;
        self.applied = input.u64()?;
        Ok(())
    }
}

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world: World2 = World::new();
    world.set_settings(topple::Settings2 { gravity: Vec2::ZERO, ..world.settings().clone() })?;
    let float = world.create_body_with(BodyDef::dynamic([0.0, 0.0]), [Shape2::circle(0.5)])?;
    let tide =
        world.add_own_generator(Tide::<D2> { strength: Vec2::new(2.0, 0.0), period: 4.0, applied: 0 })?;
    for _ in 0..120 {
        world.step();
    }
    // After half a swing x = (2·strength/ω²), with ω = 2π/4 s.
    let x = world.body(float)?.position().x;
    println!("after half a swing the float is at {x:.3} m");
    let omega = core::f32::consts::FRAC_PI_2;
    assert!((x - 4.0 / (omega * omega)).abs() < 0.02, "{x}");

    // A snapshot keeps its name and what it saved; whoever restores the world puts the code back.
    let mut copy = World2::restore(&world.snapshot())?;
    assert!(matches!(copy.generator(tide)?, GeneratorKind::Absent { name, .. } if name == "tide"));
    copy.attach_generator(tide, Tide::<D2> { strength: Vec2::ZERO, period: 1.0, applied: 0 })?;
    world.step();
    copy.step();
    assert_eq!(copy.state_hash(), world.state_hash());
    Ok(())
}
