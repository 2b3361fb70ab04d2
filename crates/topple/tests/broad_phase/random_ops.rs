//! Random histories that shrink: any order of operations, any numbers.

use crate::harness::{Method, Random, World, cases, half_space, proxy};
use crate::methods;
use proptest::prelude::*;
use topple::broad_phase::ProxyKind;
use topple::math::*;
use topple::{D2, D3, Dim};

#[derive(Clone, Debug)]
enum Op {
    Insert { kind: u8, place: [i8; 3], size: u8 },
    InsertMany { count: u8, reach: u8 },
    Plane { kind: u8, top: i8 },
    Remove(u8),
    Shift(u8, [i8; 3]),
    ShiftAll([i8; 3]),
    Teleport(u8, [i8; 3]),
    Kind(u8, u8),
    Update,
    Ask(u8),
    Step,
}

fn op() -> impl Strategy<Value = Op> {
    let place = any::<[i8; 3]>();
    prop_oneof![
        6 => (any::<u8>(), place, any::<u8>()).prop_map(|(kind, place, size)| Op::Insert { kind, place, size }),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(count, reach)| Op::InsertMany { count: count % 60, reach }),
        1 => (any::<u8>(), any::<i8>()).prop_map(|(kind, top)| Op::Plane { kind, top }),
        3 => any::<u8>().prop_map(Op::Remove),
        8 => (any::<u8>(), place).prop_map(|(who, by)| Op::Shift(who, by)),
        2 => place.prop_map(Op::ShiftAll),
        2 => (any::<u8>(), place).prop_map(|(who, to)| Op::Teleport(who, to)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(who, kind)| Op::Kind(who, kind)),
        1 => Just(Op::Update),
        2 => any::<u8>().prop_map(Op::Ask),
        6 => Just(Op::Step),
    ]
}

/// Eighths, so that boxes often touch exactly.
fn vector<D: Dim>(numbers: [i8; 3], scale: Real) -> D::Vec {
    let mut v = D::Vec::ZERO;
    (0..D::N).for_each(|i| v.set(i, Real::from(numbers[i]) * scale));
    v
}

fn kind(number: u8, may_be_dynamic: bool) -> ProxyKind {
    match number % 4 {
        0 => ProxyKind::Static,
        1 => ProxyKind::Kinematic,
        _ if may_be_dynamic => ProxyKind::Dynamic,
        _ => ProxyKind::Static,
    }
}

fn play<D: Dim>(method: Method<D>, ops: &[Op]) {
    let mut world = World::<D>::new(method);
    let mut body = 0;
    for op in ops {
        let live = world.live();
        let pick = |who: u8| live.get(usize::from(who) % live.len().max(1)).copied();
        body += 1;
        match *op {
            Op::Insert { kind: k, place, size } => {
                let half = D::Vec::splat(Real::from(size / 16) * 0.125);
                let fat = Aabb::around(vector::<D>(place, 0.125).into(), half);
                // Now and then a second shape on the last body.
                world.insert(proxy(body / 2 * 2, kind(k, true), fat));
            }
            Op::InsertMany { count, reach } => {
                let mut random = Random(body.into());
                for i in 0..u32::from(count) {
                    let center = random.point::<D>(-Real::from(reach) / 16.0, Real::from(reach) / 16.0);
                    let fat = Aabb::around(center, random.vector::<D>(0.0, 1.0));
                    world.insert(proxy(body * 1000 + i, ProxyKind::Dynamic, fat));
                }
            }
            Op::Plane { kind: k, top } => {
                world.insert(proxy(body, kind(k, false), half_space(Real::from(top) / 8.0)));
            }
            Op::Remove(who) => {
                pick(who).into_iter().for_each(|index| world.remove(index));
            }
            Op::Shift(who, by) => {
                pick(who).into_iter().for_each(|index| world.shift(index, vector::<D>(by, 0.01)));
            }
            Op::ShiftAll(by) => {
                for (i, &index) in live.iter().enumerate() {
                    world.shift(index, vector::<D>(by, if i % 2 == 0 { 0.01 } else { -0.005 }));
                }
            }
            Op::Teleport(who, to) => {
                let fat = Aabb::around(vector::<D>(to, 1.0).into(), D::Vec::splat(0.5));
                pick(who).into_iter().for_each(|index| world.move_to(index, fat));
            }
            Op::Kind(who, k) => {
                if let Some(index) = pick(who) {
                    let finite = world.proxies[index as usize].fat.is_finite();
                    world.change(index, |p| p.kind = kind(k, finite));
                }
            }
            Op::Update => world.update(),
            Op::Ask(seed) => {
                world.update();
                world.ask(&mut Random(seed.into()), 16.0);
            }
            Op::Step => world.step(),
        }
    }
    world.step();
    world.ask(&mut Random(0), 16.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history_2d(ops in prop::collection::vec(op(), 1..60)) {
        methods::<D2>().into_iter().for_each(|method| play(method, &ops));
    }

    #[test]
    fn any_history_3d(ops in prop::collection::vec(op(), 1..60)) {
        methods::<D3>().into_iter().for_each(|method| play(method, &ops));
    }
}
