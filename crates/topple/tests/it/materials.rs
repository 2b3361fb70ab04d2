//! Friction of every kind against its formula, under every solver; conveyors; how two surfaces mix.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, Material, Mixing, Settings, Shape3, ShapeDef, World, World3};

/// Gravity of the tests [m/s²].
const G: Real = 9.8;

fn with<D: Dim>(shape: D::Shape, material: Material<D>) -> ShapeDef<D> {
    ShapeDef { material, ..ShapeDef::new(shape) }
}

/// A block on a floor, both of the given surface, at rest.
fn block_on_floor<D: TestDim>(solver: &str, material: Material<D>) -> (World<D>, BodyId) {
    let mut world = world_with_solver::<D>(solver);
    adjust(&mut world, |s| s.sleeping = false);
    let floor = with(D::half_space(0.0, 1.0, 0.0), material);
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [floor]).unwrap();
    let block = add_shaped(&mut world, 0.0, 0.25, with(D::block(1.0, 0.5), material));
    run(&mut world, 0.5);
    (world, block)
}

/// Pushed with less than μs·m·g it stays; with more it goes, and then slides at μ. (A sudden push may break it loose a little
/// early: what it takes to stop the first jerk counts too.)
fn sticks_and_slips<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let material = Material { friction: 0.3, static_friction: 0.6, ..Material::default() };
        let (mut world, block) = block_on_floor::<D>(solver, material);
        let m = world.body(block).unwrap().mass();
        let push = |world: &mut World<D>, share: Real, steps: usize| {
            for _ in 0..steps {
                world.body_mut(block).unwrap().apply_force(D::vec(share * m * G, 0.0)).unwrap();
                world.step();
            }
            world.body(block).unwrap().linear_velocity().get(0)
        };
        // Harder and harder, slowly: it lets go at the static limit, well above the sliding one.
        let mut share = 0.0;
        while push(&mut world, share, 1) < 0.05 {
            share += 1e-3;
            assert!(share < 0.8, "{solver}: it never lets go");
        }
        assert_close(format!("{solver}: lets go at"), share, 0.6, 0.04, "m·g");
        let v = push(&mut world, 0.65, 30);
        assert!(v > 0.3, "{solver}: it sticks at {v} m/s above the threshold");
        // It slides now: the same push as before keeps it going, faster and faster by (0.55 − 0.3)·g.
        let faster = push(&mut world, 0.55, 30) - v;
        assert_close(format!("{solver}: sliding"), faster, 0.25 * G * 0.5, 0.12 * G * 0.5, "m/s");
        // Without a push it stops in v/(μ·g).
        let v = world.body(block).unwrap().linear_velocity().get(0);
        let time = v / (0.3 * G);
        run(&mut world, 0.8 * time);
        assert!(world.body(block).unwrap().linear_velocity().get(0) > 0.05 * v, "{solver}");
        run(&mut world, 0.4 * time);
        assert!(world.body(block).unwrap().linear_velocity().get(0).abs() < 0.02, "{solver}");
    }
}

/// A block comes up to the speed of a belt at μ·g, and keeps it.
fn conveyors_carry<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        adjust(&mut world, |s| s.sleeping = false);
        let belt = Material { friction: 0.4, surface_velocity: D::vec(2.0, 0.0), ..Material::default() };
        let floor = with(D::half_space(0.0, 1.0, 0.0), belt);
        world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [floor]).unwrap();
        let plain = Material { friction: 0.4, ..Material::default() };
        let block = add_shaped(&mut world, 0.0, 0.25, with(D::block(1.0, 0.5), plain));
        run(&mut world, 0.25);
        let v = world.body(block).unwrap().linear_velocity().get(0);
        assert_close(format!("{solver}: on the way"), v, 0.25 * 0.4 * G, 0.15, "m/s");
        run(&mut world, 1.0);
        let v = world.body(block).unwrap().linear_velocity().get(0);
        assert_close(format!("{solver}: carried"), v, 2.0, 0.02, "m/s");
    }
}

/// Rolling resistance with the lever c·r slows a rolling ball with c·g/(1 + I/(m·r²)).
fn rolling_slows<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        adjust(&mut world, |s| s.sleeping = false);
        let surface = Material { friction: 0.8, rolling_friction: 0.05, ..Material::default() };
        let floor = with(D::half_space(0.0, 1.0, 0.0), surface);
        world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [floor]).unwrap();
        let ball = add_shaped(&mut world, 0.0, 0.5, with(D::ball(0.5), surface));
        run(&mut world, 0.2);
        let motion = topple::Motion { linear: D::vec(3.0, 0.0), angular: D::spin(-6.0) };
        world.body_mut(ball).unwrap().set_motion(motion).unwrap();
        run(&mut world, 2.0);
        let v = world.body(ball).unwrap().linear_velocity().get(0);
        let expected = 3.0 - 2.0 * 0.05 * G * D::ROLLING;
        assert_close(solver, v, expected, 0.06, "m/s");
        run(&mut world, 8.0);
        let v = world.body(ball).unwrap().linear_velocity().get(0);
        assert!(v.abs() < 0.01, "{solver}: it comes to rest, {v} m/s");
    }
}

/// A ball that spins about the vertical stops after I·w/(lever·m·g).
#[test]
fn spinning_stops_in_time_3d() {
    for solver in methods::<D3>("solver") {
        let mut world = world_with_solver::<D3>(solver);
        adjust(&mut world, |s| s.sleeping = false);
        let surface = Material { spinning_friction: 0.02, ..Material::default() };
        let floor = with::<D3>(Shape3::plane(Vec3::Y, 0.0), surface);
        world.create_body_with(BodyDef::fixed([0.0, 0.0, 0.0]), [floor]).unwrap();
        let ball = add_shaped(&mut world, 0.0, 0.5, with(Shape3::sphere(0.5), surface));
        run(&mut world, 0.2);
        world.body_mut(ball).unwrap().set_angular_velocity(Vec3::Y * 4.0).unwrap();
        // I/m = 0.4·r² = 0.1 m², lever 0.02 m: w falls by 1.96 rad/s².
        run(&mut world, 1.0);
        let w = world.body(ball).unwrap().angular_velocity().y;
        assert_close(solver, w, 4.0 - 1.96, 0.06, "rad/s");
        run(&mut world, 1.2);
        let w = world.body(ball).unwrap().angular_velocity().y;
        assert!(w.abs() < 0.01, "{solver}: stopped, {w} rad/s");
    }
}

/// A slab on a floor whose grain runs along x turned by `turn` about y, friction `along` times 0.5 along it.
fn slab_on_grain(solver: &str, along: Real, turn: Real) -> (World3, BodyId) {
    let mut world = world_with_solver::<D3>(solver);
    adjust(&mut world, |s| s.sleeping = false);
    let (s, c) = sin_cos(turn);
    let grain = Vec3::new(c, 0.0, -s) * 3.0;
    let surface = Material { friction: 0.5, grain, grain_friction: along, ..Material::default() };
    let plain = Material { friction: 0.5, ..Material::default() };
    let floor = with::<D3>(Shape3::cuboid(100.0, 2.0, 100.0), surface);
    world.create_body_with(BodyDef::fixed([0.0, -1.0, 0.0]), [floor]).unwrap();
    let slab = add_shaped(&mut world, 0.0, 0.1, with(Shape3::cuboid(1.0, 0.2, 1.0), plain));
    run(&mut world, 0.3);
    (world, slab)
}

/// Along and across the grain it is slowed by the friction of that direction; at an angle by the normal of the ellipse.
#[test]
fn grain_slows_by_direction_3d() {
    for solver in methods::<D3>("solver") {
        for (turn, along) in [(0.0, 0.2), (0.6, 0.2), (0.3, 1.6)] {
            let (s, c) = sin_cos(turn);
            let (g, a) = (Vec3::new(c, 0.0, -s), Vec3::new(s, 0.0, c));
            for angle in [0.0, 0.5 * core::f32::consts::PI, 0.8] {
                let what = format!("{solver}: grain {turn}, factor {along}, thrown at {angle}");
                let (mut world, slab) = slab_on_grain(solver, along, turn);
                let (sin, cos) = sin_cos(angle);
                let v0 = (g * cos + a * sin) * 4.0;
                world.body_mut(slab).unwrap().set_linear_velocity(v0).unwrap();
                let time = 0.25;
                run(&mut world, time);
                // dv/dt = −μ·g·(f²·v_g, v_a)/√(f²·v_g² + v_a²), by many small steps.
                let (mut x, mut y) = (4.0 * cos, 4.0 * sin);
                for _ in 0..2000 {
                    let size = (along * along * x * x + y * y).sqrt().max(1e-6);
                    let rate = 0.5 * G * time / 2000.0 / size;
                    (x, y) = (x - rate * along * along * x, y - rate * y);
                }
                let v = world.body(slab).unwrap().linear_velocity();
                assert_close(format!("{what}, along"), v.dot(g), x, 0.06, "m/s");
                assert_close(format!("{what}, across"), v.dot(a), y, 0.06, "m/s");
            }
        }
    }
}

/// On a slope that plain friction would hold, things slide down along the grain only; across it they stay.
#[test]
fn grain_lets_go_along_and_holds_across_3d() {
    for solver in methods::<D3>("solver") {
        for (turn, slides) in [(0.0, true), (0.5 * core::f32::consts::PI, false)] {
            let (mut world, slab) = slab_on_grain(solver, 0.1, turn);
            // A pull of 0.3·g along x: above 0.05, below 0.5.
            adjust(&mut world, |settings: &mut Settings<D3>| settings.gravity = Vec3::new(0.3 * G, -G, 0.0));
            run(&mut world, 1.0);
            let v = world.body(slab).unwrap().linear_velocity().x;
            let expected = if slides { (0.3 - 0.05) * G } else { 0.0 };
            assert_close(format!("{solver}, turned {turn}"), v, expected, 0.06, "m/s");
        }
    }
}

/// A grain survives a snapshot, turns with its body, and a factor of 1 is no grain.
#[test]
fn grain_is_kept_and_turns_with_its_body_3d() {
    let (mut world, slab) = slab_on_grain("soft-step", 0.1, 0.4);
    world.body_mut(slab).unwrap().set_linear_velocity(Vec3::new(3.0, 0.0, 1.0)).unwrap();
    run(&mut world, 0.1);
    let bytes = world.snapshot();
    let mut copy = World3::restore(&bytes).unwrap();
    assert!(copy.snapshot() == bytes);
    for _ in 0..30 {
        world.step();
        copy.step();
        assert_eq!(copy.state_hash(), world.state_hash());
    }
    // The grain on the slab: turned a quarter, it glides the other way.
    for (turn, glides) in [(0.0, true), (0.5 * core::f32::consts::PI, false)] {
        let mut world = World3::new();
        let floor = ShapeDef::from(Shape3::plane(Vec3::Y, 0.0)).friction(0.5);
        world.create_body_with(BodyDef::fixed([0.0, 0.0, 0.0]), [floor]).unwrap();
        let skate = Material { friction: 0.5, grain: Vec3::X, grain_friction: 0.02, ..Material::default() };
        let rotation = RotOps::<D3>::from_ang(Vec3::Y * turn);
        let def = BodyDef { rotation, ..BodyDef::dynamic([0.0, 0.1, 0.0]) };
        let slab = world.create_body_with(def, [with::<D3>(Shape3::cuboid(1.0, 0.2, 1.0), skate)]).unwrap();
        run(&mut world, 0.2);
        world.body_mut(slab).unwrap().set_linear_velocity(Vec3::X * 2.0).unwrap();
        run(&mut world, 0.5);
        let v = world.body(slab).unwrap().linear_velocity().x;
        assert!(if glides { v > 1.9 } else { v.abs() < 0.01 }, "turned {turn}: {v} m/s");
    }
}

/// Friction of the contact of a block on a floor under given rules.
fn mixed<D: TestDim>(world: Mixing, rules: [Option<Mixing>; 2]) -> (Real, Real) {
    let mut w = World::<D>::new();
    adjust(&mut w, |s| (s.friction_mixing, s.restitution_mixing) = (world, world));
    let surface = |friction: Real, rule: Option<Mixing>| Material {
        friction,
        restitution: friction,
        friction_mixing: rule,
        restitution_mixing: rule,
        ..Material::default()
    };
    let floor = with(D::half_space(0.0, 1.0, 0.0), surface(0.2, rules[0]));
    w.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [floor]).unwrap();
    add_shaped(&mut w, 0.0, 0.25, with(D::block(1.0, 0.5), surface(0.8, rules[1])));
    w.step();
    let contact = w.contacts().next().unwrap();
    contact.material()
}

/// Every rule, of the world and of the shapes: a shape's own counts before the world's, the later of two in the list wins.
fn rules_of_mixing<D: TestDim>() {
    let value = |rule: Mixing| match rule {
        Mixing::Mean => 0.5,
        Mixing::Geometric => 0.4,
        Mixing::Min => 0.2,
        Mixing::Product => 0.16,
        Mixing::Max => 0.8,
    };
    let rules = Mixing::NAMES.map(|(_, rule)| rule);
    for (i, &rule) in rules.iter().enumerate() {
        let close = |got: (Real, Real), expected: Real| {
            assert_close(format!("{rule:?}"), got.0, expected, 1e-6, "1");
            assert_close(format!("{rule:?}"), got.1, expected, 1e-6, "1");
        };
        close(mixed::<D>(rule, [None, None]), value(rule));
        for (j, &other) in rules.iter().enumerate() {
            close(mixed::<D>(other, [Some(rule), None]), value(rule));
            close(mixed::<D>(other, [None, Some(rule)]), value(rule));
            close(mixed::<D>(Mixing::Mean, [Some(rule), Some(other)]), value(rules[i.max(j)]));
        }
    }
}

#[test]
fn sticks_and_slips_2d() {
    sticks_and_slips::<D2>();
}
#[test]
fn sticks_and_slips_3d() {
    sticks_and_slips::<D3>();
}
#[test]
fn conveyors_carry_2d() {
    conveyors_carry::<D2>();
}
#[test]
fn conveyors_carry_3d() {
    conveyors_carry::<D3>();
}
#[test]
fn rolling_slows_2d() {
    rolling_slows::<D2>();
}
#[test]
fn rolling_slows_3d() {
    rolling_slows::<D3>();
}
#[test]
fn rules_of_mixing_2d() {
    rules_of_mixing::<D2>();
}
#[test]
fn rules_of_mixing_3d() {
    rules_of_mixing::<D3>();
}
