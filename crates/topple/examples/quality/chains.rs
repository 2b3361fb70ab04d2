//! Chains with heavy ends.

use crate::stacks::{Boxes, point};
use crate::{Case, Found, awake, case};
use topple::joint::Ball;
use topple::math::*;
use topple::*;

/// Radius of the ball at the end [m].
const BALL: f32 = 0.25;

/// A chain of `links` links of 0.5 m, the last one a ball `ratio` times as heavy as a link, if that is more; hanging, or let go from the side.
/// Where the links `collide`, it may meet itself.
fn chain<D: Boxes>(links: usize, ratio: f32, (swings, collides): (bool, bool), steps: usize) -> (f32, f32) {
    let mut world = awake::<D>();
    let along = |d: f32| if swings { [d, 0.0, 0.0] } else { [0.0, -d, 0.0] };
    let edges = if swings { [0.4, 0.2, 0.2] } else { [0.2, 0.4, 0.2] };
    let hook = BodyDef::fixed(point::<D>([0.0; 3]));
    let mut last = world.create_body_with(hook, [D::cuboid([0.01; 3])]).expect("a hook");
    let mut joints = Vec::new();
    for i in 1..=links {
        let mut shape = D::cuboid(edges).density(1000.0);
        if i == links && ratio > 1.0 {
            let pi = core::f32::consts::PI;
            let volumes = if D::N == 2 {
                pi * BALL.powi(2) / (edges[0] * edges[1])
            } else {
                4.0 / 3.0 * pi * BALL.powi(3) / (edges[0] * edges[1] * edges[2])
            };
            shape = D::ball(BALL).density(1000.0 * ratio / volumes);
        }
        if !collides {
            shape.filter.mask = 0;
        }
        let def = BodyDef::dynamic(point::<D>(along(0.5 * i as f32)));
        let link = world.create_body_with(def, [shape]).expect("a link");
        let anchor = Pose::at(point::<D>(along(0.5 * i as f32 - 0.25)));
        let def =
            JointDef::at(&world, last, link, JointKind::Ball(Ball::default()), anchor).expect("a joint");
        joints.push(world.create_joint(def).expect("a joint"));
        last = link;
    }
    let full = 0.5 * links as f32;
    let stretch = |world: &World<D>| -> f32 {
        let gaps = joints.iter().filter_map(|&id| world.joint(id).ok()).map(|joint| {
            let [a, b] = joint.anchors();
            (b - a).length()
        });
        gaps.sum::<f32>() / full
    };
    let mut worst = 0.0_f32;
    for _ in 0..steps {
        world.step();
        worst = worst.max(stretch(&world));
    }
    (stretch(&world), worst)
}

fn rest<D: Boxes>(links: usize, ratio: f32, limit: f32) -> Found {
    let (end, worst) = chain::<D>(links, ratio, (false, false), 600);
    Found::new(format!("{:.3} % at the end, {:.3} % at worst", 100.0 * end, 100.0 * worst), end < limit)
}

fn swing<D: Boxes>(links: usize, ratio: f32, collides: bool, limit: f32) -> Found {
    let (_, worst) = chain::<D>(links, ratio, (true, collides), 900);
    Found::new(format!("{:.3} % at worst", 100.0 * worst), worst < limit)
}

fn table<D: Boxes>() -> Found {
    let text = (1..=6).map(|power| {
        let (_, worst) = chain::<D>(20, 10.0_f32.powi(power), (true, false), 300);
        format!("1:10^{power} {:.2} %", 100.0 * worst)
    });
    Found::figure(text.collect::<Vec<_>>().join(", "))
}

pub(crate) fn cases() -> Vec<Case> {
    let (hanging, swinging) = ("hanging, stretch below 1 %", "swinging, stretch below 3 %");
    vec![
        case("chain of 100, ball 1 000 times heavier, 3D", hanging, || rest::<D3>(100, 1000.0, 0.01)),
        case("chain of 100, ball 1 000 times heavier, 2D", hanging, || rest::<D2>(100, 1000.0, 0.01)),
        case("chain of 100 let go, ball 1 000 times heavier, 3D", swinging, || {
            swing::<D3>(100, 1000.0, false, 0.03)
        }),
        case("chain of 100 let go, ball 1 000 times heavier, 2D", swinging, || {
            swing::<D2>(100, 1000.0, false, 0.03)
        }),
        case("chain of 100 that meets itself, ball 1 000 times heavier, 3D", swinging, || {
            swing::<D3>(100, 1000.0, true, 0.03)
        }),
        case("chain of 100 that meets itself, ball 1 000 times heavier, 2D", swinging, || {
            swing::<D2>(100, 1000.0, true, 0.03)
        }),
        case("chain of 100 like links, 3D", "hanging, stretch below 0.1 %", || rest::<D3>(100, 1.0, 0.001)),
        case("chain of 100 like links, 2D", "hanging, stretch below 0.1 %", || rest::<D2>(100, 1.0, 0.001)),
        case("chain of 100 like links let go, 3D", swinging, || swing::<D3>(100, 1.0, false, 0.03)),
        case("chain of 100 like links let go, 2D", swinging, || swing::<D2>(100, 1.0, false, 0.03)),
        case("pendulum of 50 links, 50 000 : 1, 3D", "stays together (10 %)", || {
            swing::<D3>(50, 50_000.0, false, 0.1)
        }),
        case("pendulum of 50 links, 50 000 : 1, 2D", "stays together (10 %)", || {
            swing::<D2>(50, 50_000.0, false, 0.1)
        }),
        case("mass ratios of a chain of 20 let go, 3D", "figures: largest stretch in 5 s", table::<D3>),
        case("mass ratios of a chain of 20 let go, 2D", "figures: largest stretch in 5 s", table::<D2>),
    ]
}
