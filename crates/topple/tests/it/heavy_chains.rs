//! Chains of any joints with a heavy end: they keep together, and never lift their load from rest.

use crate::support::*;
use topple::joint::{Ball, Distance, Hinge, JointDim, Limits, Motor, Slider, Spring};
use topple::math::*;
use topple::{BodyDef, BodyId, JointDef, JointId, JointKind, Pose, ShapeDef, World};

/// Length of a link [m].
const LINK: Real = 0.5;
/// Chains of 100 links with an end 1 000 times heavier, and of 50 with one 50 000 times heavier.
const CASES: [(usize, Real); 2] = [(100, 1e3), (50, 5e4)];

/// What the links of a chain are joined by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// From centre to centre.
    Rods,
    Ropes,
    /// From tip to tip.
    TiedRopes,
    /// Hinges that turn by 0.1 rad at most.
    Limits,
    /// Hinges with friction: motors that want to stand, of 0.1 N·m.
    Friction,
    Springs,
    /// Ball joint, rod, limited hinge, rope in turns.
    All,
}

struct Chain<D: TestDim> {
    world: World<D>,
    links: Vec<BodyId>,
    /// With the distance of their anchors, and whether it may be less.
    joints: Vec<(JointId, Real, bool)>,
}

/// A chain that hangs at `angle` from the vertical [rad]; its last body has `ratio` times the mass of the others.
fn chain<D: TestDim + JointDim>(by: By, count: usize, ratio: Real, angle: Real) -> Chain<D> {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let mut last = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
    let (sin, cos) = topple::math::sin_cos(angle);
    let at = |way: Real| D::point(sin * way, -cos * way);
    let rotation = D::turn(angle - core::f32::consts::FRAC_PI_2);
    let volume = if D::N == 2 { 0.4 * 0.1 } else { 0.4 * 0.1 * 0.1 };
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for i in 0..=count {
        let (top, middle) = (i as Real * LINK, (i as Real + 0.5) * LINK);
        let mass = if i == count { ratio } else { 1.0 };
        let mut shape = ShapeDef::new(D::block(0.4, 0.1)).density(mass / volume);
        shape.filter.mask = 0;
        let mut def = BodyDef::dynamic(at(middle));
        def.rotation = rotation;
        let link = world.create_body_with(def, [shape]).unwrap();
        // Hinges turn about z: in space that is the x axis of their frames.
        let axis = if D::N == 3 { D::frame_along(D::Vec::axis(D::N - 1)) } else { rotation };
        let frame = Pose { position: at(top), rotation: axis };
        let tip = if by == By::TiedRopes { 0.2 } else { 0.0 };
        let ends = [if i == 0 { at(0.0) } else { at(middle - LINK + tip) }, at(middle - tip)];
        let now = match by {
            By::All => [By::Rods, By::Springs, By::Limits, By::Ropes][i % 4],
            by => by,
        };
        let hinge = |hinge| JointDef::at(&world, last, link, JointKind::Hinge(hinge), frame).unwrap();
        let def = match now {
            By::Rods => JointDef::rod(&world, last, link, ends[0], ends[1]).unwrap(),
            By::Ropes | By::TiedRopes => JointDef::rope(&world, last, link, ends[0], ends[1]).unwrap(),
            By::Limits => hinge(Hinge { limits: Some(Limits::new(-0.1, 0.1)), ..Hinge::default() }),
            By::Friction => {
                hinge(Hinge { motor: Some(Motor::Velocity { speed: 0.0, max: 0.1 }), ..Hinge::default() })
            }
            _ => hinge(Hinge {
                spring: Some(Spring { rest: 0.0, hertz: 1.0, damping: 0.5 }),
                ..Hinge::default()
            }),
        };
        let joint = world.create_joint(def).unwrap();
        let [a, b] = world.joint(joint).unwrap().anchors();
        joints.push((joint, (b - a).length(), matches!(now, By::Ropes | By::TiedRopes)));
        links.push(link);
        last = link;
    }
    Chain { world, links, joints }
}

impl<D: TestDim> Chain<D> {
    /// By how much all joints together are too long, as a share of the chain.
    fn stretch(&self) -> Real {
        let gaps = self.joints.iter().map(|&(joint, length, is_rope)| {
            let [a, b] = self.world.joint(joint).unwrap().anchors();
            let gap = (b - a).length() - length;
            if is_rope { gap.max(0.0) } else { gap.abs() }
        });
        gaps.sum::<Real>() / (self.joints.len() as Real * LINK)
    }

    /// Energy over the weight of the end [m].
    fn energy(&self) -> f64 {
        let of = |&link: &BodyId| {
            let body = self.world.body(link).unwrap();
            let height = f64::from(body.center().to_vec().get(1));
            f64::from(body.kinetic_energy()) + 9.8 * f64::from(body.mass()) * height
        };
        let end = self.world.body(self.links[self.links.len() - 1]).unwrap().mass();
        self.links.iter().map(of).sum::<f64>() / (9.8 * f64::from(end))
    }

    fn end(&self) -> Real {
        self.world.body(self.links[self.links.len() - 1]).unwrap().center().to_vec().get(1)
    }
}

fn hangs_still<D: TestDim + JointDim>(by: By) {
    for (count, ratio) in CASES {
        let mut chain = chain::<D>(by, count, ratio, 0.0);
        let (before, height) = (chain.energy(), chain.end());
        let (mut most, mut highest) = (0.0_f64, Real::NEG_INFINITY);
        for _ in 0..180 {
            chain.world.step();
            (most, highest) = (most.max(chain.energy() - before), highest.max(chain.end()));
        }
        let name = format!("{by:?}, {count} links, 1 : {ratio}");
        assert!(chain.stretch() < 0.001, "{name}: stretched by {}", chain.stretch());
        assert!(highest - height < 1e-3, "{name}: the load rose by {} m", highest - height);
        assert!(most < 0.01, "{name}: gained {most} m");
    }
}

fn swings<D: TestDim + JointDim>(by: By) {
    for (count, ratio) in CASES {
        let mut chain = chain::<D>(by, count, ratio, 1.57);
        let before = chain.energy();
        let (mut most, mut widest, mut lowest) = (0.0_f64, 0.0_f32, 0.0_f32);
        for _ in 0..240 {
            chain.world.step();
            (most, widest) = (most.max(chain.energy() - before), widest.max(chain.stretch()));
            lowest = lowest.min(chain.end());
        }
        let name = format!("{by:?}, {count} links, 1 : {ratio}");
        assert!(widest < 0.005, "{name}: stretched by {widest}");
        assert!(most < 0.005 * f64::from(count as Real * LINK), "{name}: gained {most} m");
        // The hinges with limits bend by 0.1 rad each.
        let depth = if by == By::Limits { 0.6 } else { 0.95 };
        assert!(lowest < -depth * count as Real * LINK, "{name}: came down to {lowest} m");
    }
}

macro_rules! both {
    ($($test:ident, $by:ident;)*) => {
        $(mod $test {
            use super::*;
            #[test]
            fn hang_still_2d() {
                hangs_still::<D2>(By::$by);
            }
            #[test]
            fn hang_still_3d() {
                hangs_still::<D3>(By::$by);
            }
            #[test]
            fn swing_2d() {
                swings::<D2>(By::$by);
            }
            #[test]
            fn swing_3d() {
                swings::<D3>(By::$by);
            }
        })*
    };
}

both! {
    rods, Rods;
    ropes, Ropes;
    tied_ropes, TiedRopes;
    limited_hinges, Limits;
    hinges_with_friction, Friction;
    hinges_with_springs, Springs;
    all_in_turns, All;
}

/// Light ropes and links that fall slack under a load from above, and snap tight: nothing is gained.
fn snaps_tight<D: TestDim + JointDim>() {
    for by in [By::Ropes, By::Rods, By::All] {
        for (count, ratio) in [(10, 1e3), (50, 5e4)] {
            let mut chain = chain::<D>(by, count, ratio, 2.5);
            let before = chain.energy();
            let (mut most, mut widest) = (0.0_f64, 0.0_f32);
            for _ in 0..300 {
                chain.world.step();
                (most, widest) = (most.max(chain.energy() - before), widest.max(chain.stretch()));
            }
            assert!(most < 0.01, "{by:?}, 1 : {ratio}: gained {most} m");
            assert!(widest < 0.03, "{by:?}, 1 : {ratio}: stretched by {widest}");
        }
    }
}

#[test]
fn what_snaps_tight_gains_nothing_2d() {
    snaps_tight::<D2>();
}
#[test]
fn what_snaps_tight_gains_nothing_3d() {
    snaps_tight::<D3>();
}

/// Limits hold under a swing that would bend the chain much more.
fn limits_hold<D: TestDim + JointDim>() {
    let mut chain = chain::<D>(By::Limits, 10, 1e3, 1.57);
    let mut largest: Real = 0.0;
    for _ in 0..240 {
        chain.world.step();
        let angles = chain.joints.iter().map(|&(joint, ..)| chain.world.joint(joint).unwrap().angle().abs());
        largest = angles.fold(largest, Real::max);
    }
    assert!((0.099..0.12).contains(&largest), "turned by {largest} rad");
}

#[test]
fn limits_hold_2d() {
    limits_hold::<D2>();
}
#[test]
fn limits_hold_3d() {
    limits_hold::<D3>();
}

/// A light arm with a heavy bob, level, on a hinge or a slider with something that acts in it: 20 kg at the end of 1 kg.
fn arm<D: TestDim + JointDim>(kind: JointKind<D>, is_direct: bool) -> (World<D>, BodyId) {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| (s.sleeping, s.direct_joints) = (false, is_direct));
    if !is_direct {
        // The reference: so fine that what sweeps leave does not count.
        adjust(&mut world, |s| (s.substeps, s.max_refinement) = (64, 1));
    }
    let hook = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
    let volume = if D::N == 2 { 0.4 * 0.1 } else { 0.4 * 0.1 * 0.1 };
    let mut body = |x: Real, mass: Real| {
        let mut shape = ShapeDef::new(D::block(0.4, 0.1)).density(mass / volume);
        shape.filter.mask = 0;
        world.create_body_with(BodyDef::dynamic(D::point(x, 0.0)), [shape]).unwrap()
    };
    let (link, bob) = (body(0.25, 1.0), body(0.75, 20.0));
    // The x axis of the frame is the axis of a hinge in space.
    let rotation = match (&kind, D::N) {
        (JointKind::Hinge(_), 3) => D::frame_along(D::Vec::axis(D::N - 1)),
        (JointKind::Slider(_), _) => D::frame_along(D::Vec::axis(1)),
        _ => D::Rot::IDENTITY,
    };
    let frame = Pose { position: D::point(0.0, 0.0), rotation };
    let joint = match kind {
        JointKind::Distance(distance) => {
            let ends = [D::point(0.0, 1.0), D::point(0.25, 0.0)];
            let mut def = JointDef::rope(&world, hook, link, ends[0], ends[1]).unwrap();
            def.kind = JointKind::Distance(distance);
            def
        }
        kind => JointDef::at(&world, hook, link, kind, frame).unwrap(),
    };
    world.create_joint(joint).unwrap();
    let weld = JointDef::at(&world, link, bob, JointKind::Fixed, Pose::at(D::point(0.5, 0.0))).unwrap();
    world.create_joint(weld).unwrap();
    (world, bob)
}

/// Springs, motors, servos and limits do the same at once as in many fine sweeps.
fn acts_alike<D: TestDim + JointDim>() {
    let hinge = |hinge: Hinge| JointKind::Hinge(hinge);
    let motor = |speed, max| hinge(Hinge { motor: Some(Motor::Velocity { speed, max }), ..Hinge::default() });
    let servo = |max| {
        hinge(Hinge {
            motor: Some(Motor::Position { target: 0.3, hertz: 3.0, damping: 0.7, max }),
            ..Hinge::default()
        })
    };
    let spring = Spring { rest: 0.0, hertz: 2.0, damping: 0.2 };
    let mut kinds = vec![
        (motor(1.0, 1e4), "a strong motor"),
        (motor(1.0, 100.0), "a weak motor"),
        (servo(1e4), "a strong servo"),
        (servo(140.0), "a weak servo"),
        (hinge(Hinge { limits: Some(Limits::new(-0.3, 0.3)), ..Hinge::default() }), "limits"),
        (hinge(Hinge { spring: Some(spring), ..Hinge::default() }), "a spring"),
        (
            hinge(Hinge {
                spring: Some(spring),
                limits: Some(Limits::new(-0.2, 0.2)),
                motor: Some(Motor::Velocity { speed: -1.0, max: 50.0 }),
            }),
            "all of them",
        ),
        (JointKind::Slider(Slider { spring: Some(spring), ..Slider::default() }), "a slider with a spring"),
        (
            JointKind::Slider(Slider { limits: Some(Limits::new(-0.5, 0.2)), ..Slider::default() }),
            "a slider with limits",
        ),
        (
            JointKind::Slider(Slider {
                motor: Some(Motor::Velocity { speed: 0.5, max: 1e4 }),
                limits: Some(Limits::new(-0.5, 0.4)),
                ..Slider::default()
            }),
            "a lift",
        ),
    ];
    if D::N == 3 {
        kinds.push((JointKind::Ball(Ball { cone: Some(0.4), twist: None }), "a cone"));
        let twist = Some(Limits::new(-0.1, 0.1));
        kinds.push((JointKind::Ball(Ball { cone: Some(0.4), twist }), "a cone and a twist"));
    }
    let soft = Spring { rest: 0.9, hertz: 2.0, damping: 0.3 };
    kinds
        .push((JointKind::Distance(Distance { spring: Some(soft), ..Distance::default() }), "a long spring"));
    for (kind, name) in kinds {
        let mut at_once = 0;
        let [a, b] = [true, false].map(|is_direct| {
            let (mut world, bob) = arm::<D>(kind, is_direct);
            for _ in 0..60 {
                world.step();
                at_once = at_once.max(world.profile().counters.at_once);
            }
            let early = world.body(bob).unwrap().center().to_vec();
            (0..120).for_each(|_| world.step());
            (early, world.body(bob).unwrap().center().to_vec())
        });
        assert_eq!(at_once, 2, "{name}: joints solved at once");
        // Where the reference itself gives way by so much.
        let is_soft = ["a slider", "a lift", "a long", "a cone"].iter().any(|start| name.starts_with(start));
        let limit = if is_soft { 0.08 } else { 0.03 };
        assert!((a.0 - b.0).length() < limit, "{name}: after 1 s at {:?} and {:?}", a.0, b.0);
        assert!((a.1 - b.1).length() < 2.0 * limit, "{name}: after 3 s at {:?} and {:?}", a.1, b.1);
    }
}

#[test]
fn what_acts_does_the_same_at_once_2d() {
    acts_alike::<D2>();
}
#[test]
fn what_acts_does_the_same_at_once_3d() {
    acts_alike::<D3>();
}

/// A chain of all joints in mid-swing goes on after a restore as if nothing had happened.
#[test]
fn restored_chains_swing_on() {
    let mut chain = chain::<D3>(By::All, 20, 1e3, 2.0);
    (0..100).for_each(|_| chain.world.step());
    let mut copy = World::<D3>::restore(&chain.world.snapshot()).unwrap();
    for _ in 0..60 {
        chain.world.step();
        copy.step();
        assert_eq!(chain.world.state_hash(), copy.state_hash());
    }
}

/// A platform on two chains of ten links, which are not solved at once: its joints get as stiff as they have to be before they bear it, not while they do.
fn platforms_hang<D: TestDim + JointDim>() {
    for by in [By::Rods, By::Ropes, By::Limits] {
        let (count, ratio) = (10, 1e3);
        let mut world = World::<D>::new();
        adjust(&mut world, |s| s.sleeping = false);
        let size: Real = if D::N == 2 { 4.0 * 0.5 } else { 4.0 * 0.5 * 0.5 };
        let bottom = -(count as Real) * LINK;
        let shape = ShapeDef::new(D::block(4.0, 0.5)).density(ratio / size);
        let def = BodyDef::dynamic(D::point(0.0, bottom - 0.25));
        let platform = world.create_body_with(def, [shape]).unwrap();
        let volume = if D::N == 2 { 0.1 * 0.1 } else { 0.1 * 0.1 * 0.1 };
        for x in [-1.5, 1.5] {
            let mut last = world.create_body(BodyDef::fixed(D::point(x, 0.0))).unwrap();
            let mut from = D::point(x, 0.0);
            for i in 0..=count {
                let top = D::point(x, -(i as Real) * LINK);
                let (link, to) = if i == count {
                    (platform, top)
                } else {
                    let at = D::point(x, -(i as Real + 0.5) * LINK);
                    let shape = ShapeDef::new(D::cube(0.1)).density(1.0 / volume);
                    (world.create_body_with(BodyDef::dynamic(at), [shape]).unwrap(), at)
                };
                let def = match by {
                    By::Rods => JointDef::rod(&world, last, link, from, to).unwrap(),
                    By::Ropes => JointDef::rope(&world, last, link, from, to).unwrap(),
                    _ => {
                        let hinge = Hinge { limits: Some(Limits::new(-1.0, 1.0)), ..Hinge::default() };
                        JointDef::at(&world, last, link, JointKind::Hinge(hinge), Pose::at(top)).unwrap()
                    }
                };
                world.create_joint(def).unwrap();
                (last, from) = (link, to);
            }
        }
        let height = |world: &World<D>| world.body(platform).unwrap().center().to_vec().get(1);
        let start = height(&world);
        let (mut highest, mut lowest) = (start, start);
        for _ in 0..180 {
            world.step();
            (highest, lowest) = (highest.max(height(&world)), lowest.min(height(&world)));
        }
        assert!(highest - start < 1e-3, "{by:?}: rose by {} m", highest - start);
        assert!(start - lowest < 0.03, "{by:?}: sank by {} m", start - lowest);
    }
}

#[test]
fn platforms_on_two_chains_do_not_rise_2d() {
    platforms_hang::<D2>();
}
#[test]
fn platforms_on_two_chains_do_not_rise_3d() {
    platforms_hang::<D3>();
}
