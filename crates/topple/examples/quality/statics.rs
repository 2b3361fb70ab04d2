//! Arches, dominoes, the tilted grid.

use crate::stacks::{BOUNCY, Boxes, floor, point, put};
use crate::{Case, Found, awake, case};
use topple::joint::Ball;
use topple::math::*;
use topple::*;

/// Prisms over a polygon of the plane: the polygon itself, or a block of 2 m depth.
trait Prisms: Boxes {
    fn prism(corners: &[Vec2]) -> ShapeDef<Self>;
}

impl Prisms for D2 {
    fn prism(corners: &[Vec2]) -> ShapeDef<D2> {
        Shape2::polygon(corners).expect("a voussoir").into()
    }
}

impl Prisms for D3 {
    fn prism(corners: &[Vec2]) -> ShapeDef<D3> {
        let ends = [-1.0, 1.0].into_iter();
        let points: Vec<Vec3> =
            ends.flat_map(|z| corners.iter().map(move |corner| Vec3::new(corner.x, corner.y, z))).collect();
        Shape3::hull(&points).expect("a voussoir").into()
    }
}

/// A semicircular arch of 27 voussoirs with centreline radius 10 m. True if it stands 60 s.
fn arch<D: Prisms>(thickness_share: f32, restitution: f32) -> (f32, bool) {
    let mut world = floor::<D>();
    let (radius, count) = (10.0_f32, 27);
    let (inner, outer) = (radius * (1.0 - 0.5 * thickness_share), radius * (1.0 + 0.5 * thickness_share));
    let mut keystone = None;
    for i in 0..count {
        let angle = |k: usize| core::f32::consts::PI * k as f32 / count as f32;
        let (a, b) = (angle(i), angle(i + 1));
        let corner = |r: f32, t: f32| {
            let (sin, cos) = sin_cos(t);
            Vec2::new(r * cos, r * sin)
        };
        let corners = [corner(inner, a), corner(outer, a), corner(outer, b), corner(inner, b)];
        let middle = corners.iter().fold(Vec2::ZERO, |sum, &c| sum + c) * 0.25;
        let shape = D::prism(&corners.map(|c| c - middle)).friction(1.0).restitution(restitution);
        let id = put(&mut world, [middle.x, middle.y, 0.0], shape);
        if i == count / 2 {
            keystone = Some((id, middle.y));
        }
    }
    (0..3600).for_each(|_| world.step());
    let Some((id, start)) = keystone else { return (0.0, false) };
    let sunk = world.body(id).map_or(0.0, |body| start - body.position().to_vec().get(1));
    (sunk, sunk.abs() < 0.5)
}

fn arch_case<D: Prisms>() -> Found {
    let (thick, stands) = arch::<D>(0.12, 0.0);
    let (thin, still) = arch::<D>(0.09, 0.0);
    Found::new(format!("t/R 0.12: keystone sank {thick:.3} m; 0.09: {thin:.2} m"), stands && !still)
}

fn bouncy_arch<D: Prisms>() -> Found {
    let found = BOUNCY.map(|e| (e, arch::<D>(0.12, e)));
    let text = found.map(|(e, (sunk, _))| format!("e = {e}: {sunk:.3} m")).join(", ");
    Found::new(format!("keystone sank {text}"), found.iter().all(|(_, (sunk, _))| sunk.abs() < 0.01))
}

/// The limit cycle of a row of dominoes that turn about their front edge, lean on each other without friction and lose
/// what an inelastic hit takes: angle of each as a function of the next one's, one degree of freedom [vanLeeuwen2010].
/// Speed of the wave [m/s].
fn domino_reference(height: f64, thickness: f64, gap: f64) -> f64 {
    let pitch = gap + thickness;
    let inertia = (height * height + thickness * thickness) / 3.0;
    // Angle of the one behind: h·sin(b − f) = (s + d)·cos f − d.
    let behind = |f: f64| f + ((pitch * f.cos() - thickness) / height).asin();
    let train = |front: f64| {
        let mut angles = vec![front];
        while angles.len() < 40 {
            let last = angles[angles.len() - 1];
            angles.push(behind(last));
        }
        angles
    };
    let energy = |front: f64| -> f64 {
        train(front).iter().map(|t| 0.5 * 9.8 * (height * t.cos() + thickness * t.sin())).sum()
    };
    let step = 1e-5;
    let effective = |front: f64| -> f64 {
        let (low, high) = (train(front - step), train(front + step));
        low.iter().zip(&high).map(|(l, h)| inertia * ((h - l) / (2.0 * step)).powi(2)).sum()
    };
    let reach = (gap / height).asin();
    let (mut spin, mut time) = (1.0_f64, 0.0);
    for _ in 0..60 {
        // From upright to touching the next one, by energy.
        let start = 0.5 * effective(0.0) * spin * spin + energy(0.0);
        time = 0.0;
        let pieces = 200;
        let mut last = spin;
        for k in 0..pieces {
            let (a, b) = (reach * k as f64 / pieces as f64, reach * (k + 1) as f64 / pieces as f64);
            last = (2.0 * (start - energy(b)) / effective(b)).max(1e-9).sqrt();
            let middle = 0.5 * (a + b);
            time += (b - a) / (2.0 * (start - energy(middle)) / effective(middle)).max(1e-9).sqrt();
        }
        // The hit: the next one joins, and the old front follows it with slope c.
        let c = (behind(step) - behind(0.0)) / step;
        let old = effective(reach);
        spin = old * last * c / (old * c * c + inertia);
    }
    pitch / time
}

/// The same row in the engine: hinged at the front edge, frictionless. Speed between two of them [m/s].
fn domino_wave([height, thickness, gap]: [f32; 3], sleeping: bool) -> f32 {
    let mut world = awake::<D2>();
    world.set_settings(Settings2 { sleeping, ..world.settings().clone() }).expect("valid settings");
    let slab = D2::cuboid([200.0, 2.0, 0.0]).friction(0.0);
    let ground = BodyDef2::fixed(point::<D2>([0.0, -1.0, 0.0]));
    let ground = world.create_body_with(ground, [slab]).expect("the ground");
    // A long way: a wave may fall into the rhythm of the steps after a while.
    let (pitch, count) = (gap + thickness, 160);
    let mut ids = Vec::new();
    for i in 0..count {
        let x = i as f32 * pitch;
        let mut def = BodyDef2::dynamic(point::<D2>([x - 0.5 * thickness, 0.5 * height, 0.0]));
        if i == 0 {
            def.angular_velocity = -8.0 * (0.48 / height).sqrt();
        }
        let shape = D2::cuboid([thickness, height, 0.0]).friction(0.0);
        let id = world.create_body_with(def, [shape]).expect("a domino");
        let pivot = Pose::at(point::<D2>([x, 0.0, 0.0]));
        let kind = JointKind::Ball(Ball::default());
        let mut joint = JointDef::at(&world, ground, id, kind, pivot).expect("a hinge");
        joint.collide_connected = true;
        world.create_joint(joint).expect("a hinge");
        ids.push(id);
    }
    let (mut times, mut before) = ([None; 2], [0.0; 2]);
    for step in 0..6000 {
        world.step();
        for (k, i) in [30, 150].into_iter().enumerate() {
            let leans = world.body(ids[i]).map_or(0.0, |body| -body.rotation().angle());
            if times[k].is_none() && leans > 0.05 {
                times[k] = Some(step as f32 + (0.05 - before[k]) / (leans - before[k]));
            }
            before[k] = leans;
        }
        if let [Some(first), Some(last)] = times {
            return 120.0 * pitch * 60.0 / (last - first);
        }
    }
    0.0
}

fn domino_case(domino: [f32; 3], sleeping: bool) -> Found {
    let [height, thickness, gap] = domino.map(f64::from);
    let right = domino_reference(height, thickness, gap) as f32;
    let found = domino_wave(domino, sleeping);
    let off = found / right - 1.0;
    Found::new(format!("{found:.3} m/s, theory {right:.3} m/s ({:+.1} %)", 100.0 * off), off.abs() < 0.05)
}

/// Small ones of these heights, sleeping on: how far off.
fn small_dominoes(heights: &[f32]) -> Found {
    let (mut text, mut worst) = (Vec::new(), 0.0_f32);
    for height in heights {
        let size = [48.0, 7.0, 18.0].map(|share| height * share / 48.0);
        let [height, thickness, gap] = size.map(f64::from);
        let off = domino_wave(size, true) / domino_reference(height, thickness, gap) as f32 - 1.0;
        text.push(format!("{height:.3} m: {:+.1} %", 100.0 * off));
        worst = worst.max(off.abs());
    }
    Found::new(text.join(", "), worst < 0.05)
}

/// The horizontal axis that a tilted sheet of cubes lies along: its rows do, and its mirror image along it is itself.
#[derive(Clone, Copy)]
enum Along {
    X,
    Z,
}

impl Along {
    /// Direction of the rows and that of the columns, before the tilt, and the tilt.
    fn frame(self) -> (Vec3, Vec3, Quat) {
        match self {
            Self::X => (Vec3::X, Vec3::Z, Quat::from_rotation_x(-core::f32::consts::FRAC_PI_4)),
            Self::Z => (Vec3::Z, Vec3::X, Quat::from_rotation_z(core::f32::consts::FRAC_PI_4)),
        }
    }
}

/// A sheet of cubes tilted by 45° that collapses. Mean sideways motion [m], bodies lost.
fn grid(along: Along, side: usize, dt: f32, density: f32, friction: f32) -> (f32, usize) {
    let mut settings = Settings3 { sleeping: false, ..Settings3::default() };
    settings.dt = dt;
    let mut world = World3::with_settings(settings).expect("valid settings");
    let slab = BodyDef3::fixed(point::<D3>([0.0, -1.0, 0.0]));
    world
        .create_body_with(
            slab,
            [D3::cuboid([16.0 * side as f32, 2.0, 16.0 * side as f32]).friction(friction)],
        )
        .expect("a floor");
    let (row, column, tilt) = along.frame();
    let mut ids = Vec::new();
    for i in 0..side * side {
        let across = ((i % side) as f32 - (side - 1) as f32 * 0.5) * 1.5;
        let at = row * across + Vec3::Y * 0.8 + tilt * (column * ((i / side) as f32 * 1.5));
        let mut def = BodyDef3::dynamic(point::<D3>(at.to_array()));
        def.rotation = tilt;
        ids.push((
            world
                .create_body_with(def, [D3::cuboid([1.0; 3]).density(density).friction(friction)])
                .expect("a cube"),
            across,
        ));
    }
    (0..(5.0 / dt).round() as usize).for_each(|_| world.step());
    let (mut sum, mut lost) = (0.0, 0);
    for &(id, across) in &ids {
        let Ok(body) = world.body(id) else {
            lost += 1;
            continue;
        };
        let at = body.position().to_vec();
        sum += (at.dot(row) - across).abs();
        lost += usize::from(at.y < -0.5 || !at.is_finite());
    }
    (sum / ids.len() as f32, lost)
}

/// Well below half of what the best other engine gets at any size, 4 mm [m]: `docs/benchmarks/grid45.md`.
const MOST_SIDEWAYS: f32 = 0.001;

/// Densities [kg/m³] and friction (no unit) of the cubes: 1 000 and 0.5 are those of `docs/benchmarks/grid45.md`. Some of them decide how the last cubes are found.
const CUBES: [(f32, f32); 6] =
    [(1.0, 0.5), (2.5, 0.5), (1000.0, 0.5), (1000.0, 0.2), (1000.0, 0.8), (7800.0, 0.5)];

fn grid_case(along: Along, dt: f32, density: f32) -> Found {
    let runs = [6, 20, 40, 80].map(|side| (format!("{}", side * side), grid(along, side, dt, density, 0.5)));
    grids(&runs)
}

/// The largest grid with other cubes.
fn grid_of_others(along: Along, dt: f32) -> Found {
    let name = |density: f32, friction: f32| format!("{density} kg/m³ with friction {friction}");
    let runs =
        CUBES.map(|(density, friction)| (name(density, friction), grid(along, 80, dt, density, friction)));
    grids(&runs)
}

/// Names of runs, with mean sideways motion [m] and bodies lost.
fn grids(runs: &[(String, (f32, usize))]) -> Found {
    let text: Vec<_> =
        runs.iter().map(|(name, (mean, _))| format!("{name}: {:.3} mm", 1000.0 * mean)).collect();
    let lost: usize = runs.iter().map(|(_, (_, lost))| lost).sum();
    let holds = lost == 0 && runs.iter().all(|(_, (mean, _))| *mean < MOST_SIDEWAYS);
    Found::new(format!("mean sideways {}; {lost} lost", text.join(", ")), holds)
}

pub(crate) fn cases() -> Vec<Case> {
    let asked = "none lost, mean sideways below 1 mm";
    vec![
        case("masonry arch of 27, 2D", "stands at t/R 0.12, falls at 0.09", arch_case::<D2>),
        case("masonry arch of 27, 3D", "stands at t/R 0.12, falls at 0.09", arch_case::<D3>),
        case("masonry arch of 27 with restitution, 2D", "keystone within 10 mm", bouncy_arch::<D2>),
        case("masonry arch of 27 with restitution, 3D", "keystone within 10 mm", bouncy_arch::<D3>),
        case("domino wave on hinges, 0.48 m high, 0.18 m apart", "within 5 % of the leaning chain", || {
            domino_case([0.48, 0.07, 0.18], false)
        }),
        case("domino wave on hinges, 0.96 m high, 0.5 m apart", "within 5 % of the leaning chain", || {
            domino_case([0.96, 0.1, 0.5], false)
        }),
        case("domino wave on hinges, 0.48 m high, sleeping on", "within 5 % of the leaning chain", || {
            domino_case([0.48, 0.07, 0.18], true)
        }),
        case("domino wave on hinges, 0.96 m high, sleeping on", "within 5 % of the leaning chain", || {
            domino_case([0.96, 0.1, 0.5], true)
        }),
        case("domino wave on hinges, small ones, sleeping on", "within 5 % of the leaning chain", || {
            small_dominoes(&[0.048, 0.08, 0.09, 0.1, 0.12, 0.24])
        }),
        case("grid of cubes at 45°, dt 1/30", asked, || grid_case(Along::X, 1.0 / 30.0, 1.0)),
        case("grid of cubes at 45°, dt 1/300", asked, || grid_case(Along::X, 1.0 / 300.0, 1.0)),
        case("grid of cubes of 1 t at 45°, dt 1/30", asked, || grid_case(Along::X, 1.0 / 30.0, 1000.0)),
        case("grid of cubes of 1 t at 45°, dt 1/300", asked, || grid_case(Along::X, 1.0 / 300.0, 1000.0)),
        case("grid of 6400 other cubes at 45°, dt 1/30", asked, || grid_of_others(Along::X, 1.0 / 30.0)),
        case("grid of cubes at 45° along z, dt 1/30", asked, || grid_case(Along::Z, 1.0 / 30.0, 1.0)),
        case("grid of cubes at 45° along z, dt 1/300", asked, || grid_case(Along::Z, 1.0 / 300.0, 1.0)),
        case("grid of cubes of 1 t at 45° along z, dt 1/30", asked, || {
            grid_case(Along::Z, 1.0 / 30.0, 1000.0)
        }),
        case("grid of cubes of 1 t at 45° along z, dt 1/300", asked, || {
            grid_case(Along::Z, 1.0 / 300.0, 1000.0)
        }),
        case("grid of 6400 other cubes at 45° along z, dt 1/30", asked, || {
            grid_of_others(Along::Z, 1.0 / 30.0)
        }),
    ]
}
