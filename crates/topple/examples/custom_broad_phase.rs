//! A broad phase of one's own: sort all boxes along x, sweep over them.
//! `cargo run --example custom_broad_phase`
//!
//! The world owns the boxes and tells the method what changed. The method reports pairs in any order; the world sorts
//! them, so every broad phase leads to the same state, bit for bit.

use topple::broad_phase::{BroadPhase, PairKey, Proxies};
use topple::exec::Executor;
use topple::math::*;
use topple::{BodyDef3, Error, Shape3, World3};

/// Sorts by the left end of the boxes in every step.
#[derive(Default)]
pub struct SweepX {
    order: Vec<u32>,
    tested: u64,
}

impl<D: Dim> BroadPhase<D> for SweepX {
    fn name(&self) -> &'static str {
        "sweep-x"
    }

    // Nothing is remembered but the order, which is brought up to date when pairs are searched.
    fn attach(&mut self, proxies: &Proxies<D>) {
        self.order.clear();
        self.order.extend(proxies.iter().map(|(index, _)| index));
    }

    fn insert(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.order.push(proxy);
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.order.retain(|&other| other != proxy);
    }

    fn update(&mut self, _proxies: &Proxies<D>, _moved: &[u32], _executor: &dyn Executor) {}

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        if moved.is_empty() {
            return;
        }
        let left = |index: u32| proxies.get(index).fat.min.to_vec().get(0);
        let right = |index: u32| proxies.get(index).fat.max.to_vec().get(0);
        // Nearly sorted from the last time; planes begin at minus infinity and meet everybody.
        self.order.sort_by(|&a, &b| left(a).total_cmp(&left(b)));
        for (at, &a) in self.order.iter().enumerate() {
            for &b in self.order[at + 1..].iter().take_while(|&&b| left(b) <= right(a)) {
                self.tested += 1;
                // Overlap in all axes, different bodies, filters agree.
                if proxies.is_pair(a, b) {
                    out.push(Proxies::<D>::key(a, b));
                }
            }
        }
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        out.push(("boxes tested", std::mem::take(&mut self.tested)));
    }
}

fn build() -> Result<World3, Error> {
    let mut world = World3::new();
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [Shape3::plane(Vec3::Y, 0.0)])?;
    for i in 0..60 {
        let place = [0.7 * (i % 8) as f32, 1.0 + 0.8 * (i / 8) as f32, 0.1 * (i % 3) as f32];
        world.create_body_with(BodyDef3::dynamic(place), [Shape3::sphere(0.4)])?;
    }
    Ok(world)
}

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let (mut usual, mut mine) = (build()?, build()?);
    mine.set_broad_phase(SweepX::default());
    for _ in 0..200 {
        usual.step();
        mine.step();
    }
    println!("{} pairs; {:?}", mine.profile().counters.pairs, mine.profile().broad);
    assert_eq!(mine.state_hash(), usual.state_hash(), "the same pairs, the same motion");
    Ok(())
}
