//! Things that stand: towers, pyramids, heavy on light, walls, cards.

use crate::{Case, Found, awake, case};
use topple::math::*;
use topple::*;

/// Boxes of both dimensions by the same words.
pub(crate) trait Boxes: Dim {
    /// A box with the given edges; the third is ignored in the plane.
    fn cuboid(edges: [f32; 3]) -> ShapeDef<Self>;
    /// A ball.
    fn ball(radius: f32) -> ShapeDef<Self>;
}

impl Boxes for D2 {
    fn cuboid(edges: [f32; 3]) -> ShapeDef<D2> {
        Shape2::rectangle(edges[0], edges[1]).into()
    }
    fn ball(radius: f32) -> ShapeDef<D2> {
        Shape2::circle(radius).into()
    }
}

impl Boxes for D3 {
    fn cuboid(edges: [f32; 3]) -> ShapeDef<D3> {
        Shape3::cuboid(edges[0], edges[1], edges[2]).into()
    }
    fn ball(radius: f32) -> ShapeDef<D3> {
        Shape3::sphere(radius).into()
    }
}

/// The point with these coordinates.
pub(crate) fn point<D: Dim>(at: [f32; 3]) -> D::Point {
    let mut v = D::Vec::ZERO;
    (0..D::N).for_each(|i| v.set(i, at[i]));
    D::Point::ORIGIN + v
}

/// A world with a floor whose top is y = 0.
pub(crate) fn floor<D: Boxes>() -> World<D> {
    let mut world = awake::<D>();
    let def = BodyDef::fixed(point::<D>([0.0, -1.0, 0.0]));
    world.create_body_with(def, [D::cuboid([500.0, 2.0, 500.0])]).expect("a floor");
    world
}

/// A dynamic body with one shape.
pub(crate) fn put<D: Dim>(world: &mut World<D>, at: [f32; 3], shape: ShapeDef<D>) -> BodyId {
    world.create_body_with(BodyDef::dynamic(point::<D>(at)), [shape]).expect("a body")
}

fn place<D: Dim>(world: &World<D>, id: BodyId) -> D::Point {
    world.body(id).map_or(D::Point::ORIGIN, |body| body.position())
}

/// Steps the world and says how far the body ended from its start [m].
fn moved<D: Dim>(world: &mut World<D>, id: BodyId, steps: usize) -> f32 {
    let start = place(world, id);
    (0..steps).for_each(|_| world.step());
    (place(world, id) - start).length()
}

fn tower<D: Boxes>(count: usize, steps: usize) -> Found {
    let mut world = floor::<D>();
    let mut top = None;
    for i in 0..count {
        top = Some(put(&mut world, [0.0, 0.5 + i as f32, 0.0], D::cuboid([1.0; 3])));
    }
    let moved = top.map_or(0.0, |top| moved(&mut world, top, steps));
    Found::new(format!("top {moved:.3} m from its start"), moved < 0.2)
}

/// Restitutions that must not matter to what rests.
pub(crate) const BOUNCY: [f32; 3] = [0.1, 0.5, 1.0];

/// Towers of `count` and one more box of another density, with restitution: how far the top got at worst.
fn bouncy_tower<D: Boxes>(count: usize, density: f32, steps: usize) -> Found {
    let mut worst = 0.0_f32;
    let text = BOUNCY.map(|e| {
        let mut world = floor::<D>();
        let shape = |density: f32| D::cuboid([1.0; 3]).restitution(e).density(density);
        for i in 0..count {
            put(&mut world, [0.0, 0.5 + i as f32, 0.0], shape(1.0));
        }
        let top = put(&mut world, [0.0, 0.5 + count as f32, 0.0], shape(density));
        let moved = moved(&mut world, top, steps);
        worst = worst.max(moved);
        format!("e = {e}: {moved:.3} m")
    });
    Found::new(format!("top from its start {}", text.join(", ")), worst < 0.001)
}

/// A tower of 30 boxes that falls by 0.3 m onto the floor, with restitution: the energy that it gains at most, and where its top ends.
fn dropped_tower<D: Boxes>() -> Found {
    let mut holds = true;
    let text = BOUNCY[..2].iter().map(|&e| {
        let mut world = floor::<D>();
        let shape = || D::cuboid([1.0; 3]).restitution(e).density(1.0);
        let ids: Vec<_> = (0..30).map(|i| put(&mut world, [0.0, 0.8 + i as f32, 0.0], shape())).collect();
        let energy = |world: &World<D>| -> f64 {
            let bodies = ids.iter().filter_map(|&id| world.body(id).ok());
            bodies
                .map(|body| {
                    let height = (body.position() - D::Point::ORIGIN).get(1);
                    f64::from(body.kinetic_energy()) + 9.8 * f64::from(body.mass() * height)
                })
                .sum()
        };
        let (start, mut most) = (energy(&world), 0.0_f64);
        for _ in 0..1200 {
            world.step();
            most = most.max(energy(&world) - start);
        }
        let off = (place(&world, ids[29]) - point::<D>([0.0, 29.5, 0.0])).length();
        holds &= most < 0.001 * start && off < 0.01;
        format!("e = {e}: gains {:.3} %, top ends {:.1} mm off", 100.0 * most / start, 1e3 * off)
    });
    let text = text.collect::<Vec<_>>().join("; ");
    Found::new(text, holds)
}

/// Boxes of 1 m with `gap` metres between neighbours of a row.
fn pyramid<D: Boxes>(base: usize, gap: f32, steps: usize) -> f32 {
    let mut world = floor::<D>();
    let mut top = None;
    for level in 0..base {
        let side = base - level;
        let at = |i: usize| (i as f32 - (side - 1) as f32 * 0.5) * (1.0 + gap);
        for i in 0..side {
            for k in 0..if D::N == 2 { 1 } else { side } {
                let z = if D::N == 2 { 0.0 } else { at(k) };
                top = Some(put(&mut world, [at(i), 0.5 + level as f32, z], D::cuboid([1.0; 3])));
            }
        }
    }
    top.map_or(0.0, |top| moved(&mut world, top, steps))
}

/// One whose top may be 0.2 m from its start.
fn pyramid_case<D: Boxes>(base: usize, gap: f32, steps: usize) -> Found {
    let moved = pyramid::<D>(base, gap, steps);
    Found::new(format!("top {moved:.3} m from its start"), moved < 0.2)
}

/// The same in the plane with several gaps.
fn gaps<const N: usize>(gaps: [f32; N]) -> Found {
    let moved = gaps.map(|gap| pyramid::<D2>(100, gap, 10_000));
    let text = gaps.iter().zip(&moved).map(|(gap, moved)| format!("{gap} m: {moved:.3} m"));
    Found::new(text.collect::<Vec<_>>().join(", "), moved.iter().all(|&moved| moved < 0.2))
}

/// Towers of 60 boxes, 2 m apart on one slab that lies on the ground or stands on three posts. The worst top counts.
fn towers<D: Boxes>(towers: usize, posts: usize, steps: usize) -> Found {
    let mut world = floor::<D>();
    let width = 2.0 * towers as f32;
    let low = if posts > 0 { 1.0 } else { 0.0 };
    for i in 0..posts {
        let x = (i as f32 / (posts - 1) as f32 - 0.5) * (width - 1.0);
        put(&mut world, [x, 0.5, 0.0], D::cuboid([1.0; 3]));
    }
    put(&mut world, [0.0, low + 0.5, 0.0], D::cuboid([width, 1.0, 1.0]));
    let mut tops = Vec::new();
    for tower in 0..towers {
        let x = 2.0 * tower as f32 + 1.0 - 0.5 * width;
        let boxes = (0..60).map(|i| put(&mut world, [x, low + 1.5 + i as f32, 0.0], D::cuboid([1.0; 3])));
        tops.extend(boxes.last());
    }
    let starts: Vec<_> = tops.iter().map(|&top| place(&world, top)).collect();
    (0..steps).for_each(|_| world.step());
    let moved = tops.iter().zip(&starts).map(|(&top, &start)| (place(&world, top) - start).length());
    let worst = moved.fold(0.0, f32::max);
    Found::new(format!("worst top {worst:.3} m from its start"), worst < 0.2)
}

/// A heavy slab on light boxes, two on three. Says by how much it sank, as a share of the height.
fn heavy_on_five<D: Boxes>() -> Found {
    let mut worst = 0.0_f32;
    let text = (3..=6).map(|power| {
        let mut world = floor::<D>();
        for level in 0..2 {
            let count = 3 - level;
            for i in 0..count {
                let x = i as f32 - 0.5 * (count - 1) as f32;
                put(&mut world, [x, 0.5 + level as f32, 0.0], D::cuboid([1.0; 3]).density(1.0));
            }
        }
        let slab = D::cuboid([2.0, 1.0, 1.0]).density(0.5 * 10.0_f32.powi(power));
        let top = put(&mut world, [0.0, 2.5, 0.0], slab);
        let sunk = moved(&mut world, top, 3600) / 2.5;
        worst = worst.max(sunk);
        format!("1:10^{power} {:.2} %", 100.0 * sunk)
    });
    let text = text.collect::<Vec<_>>().join(", ");
    Found::new(text, worst < 0.02)
}

/// A heavy box on ten light ones. Says by how much the top sank, as a share of the height.
fn heavy<D: Boxes>(ratio: f32, steps: usize) -> f32 {
    let mut world = floor::<D>();
    for i in 0..10 {
        put(&mut world, [0.0, 0.5 + i as f32, 0.0], D::cuboid([1.0; 3]).density(1.0));
    }
    let top = put(&mut world, [0.0, 10.5, 0.0], D::cuboid([1.0; 3]).density(ratio));
    moved(&mut world, top, steps) / 10.5
}

fn heavy_case<D: Boxes>(ratio: f32) -> Found {
    let sunk = heavy::<D>(ratio, 3600);
    Found::new(format!("{:.2} % of the height", 100.0 * sunk), sunk < 0.02)
}

fn heavy_table<D: Boxes>() -> Found {
    let text = (1..=6).map(|power| {
        let sunk = heavy::<D>(10.0_f32.powi(power), 600);
        if sunk < 0.05 {
            format!("1:10^{power} {:.2} %", 100.0 * sunk)
        } else {
            format!("1:10^{power} falls")
        }
    });
    Found::figure(text.collect::<Vec<_>>().join(", "))
}

/// Blocks of the given length and height, each as far out over the one below as `share` of the limit allows. How far the top moves, in
/// lengths: within 20 s, or until it has fallen.
fn overhang<D: Boxes>(count: usize, (length, height): (f32, f32), share: f32) -> f32 {
    let mut world = floor::<D>();
    // From the top down: the k-th block from the top may stand out by 1/(2k).
    let mut x = vec![0.0_f32; count + 1];
    for k in 1..=count {
        x[k] = x[k - 1] - share * 0.5 * length / k as f32;
    }
    let mut top = None;
    // A table under the last block, whose edge is where the last offset is counted from.
    let (edge, table) = (x[count], D::cuboid([length; 3]));
    let at = BodyDef::fixed(point::<D>([edge, 0.5 * length, 0.0]));
    world.create_body_with(at, [table]).expect("a table");
    for k in (0..count).rev() {
        let y = length + height * (0.5 + (count - 1 - k) as f32);
        top = Some(put(&mut world, [x[k], y, 0.0], D::cuboid([length, height, 0.5 * length])));
    }
    let Some(top) = top else { return 0.0 };
    let start = place(&world, top);
    let mut moved = 0.0;
    for _ in 0..20 {
        (0..60).for_each(|_| world.step());
        moved = (place(&world, top) - start).length() / length;
        if moved > FALLEN {
            break;
        }
    }
    moved
}

/// An overhang whose top has moved by so many lengths has fallen.
const FALLEN: f32 = 0.1;

/// Stacks of 2 to 12 and of 16 and 20 blocks of 0.1 to 10 m, a tenth to three tenths as high.
fn overhang_case<D: Boxes>() -> Found {
    let (mut most, mut stood, mut runs) = (0.0_f32, Vec::new(), 0);
    for length in [0.1, 0.3, 1.0, 1.5, 2.5, 4.0, 6.0, 10.0] {
        for flatness in [0.1, 0.2, 0.3] {
            for count in (2..=12).chain([16, 20]) {
                let size = (length, flatness * length);
                runs += 1;
                most = most.max(overhang::<D>(count, size, 0.98));
                if overhang::<D>(count, size, 1.02) <= FALLEN {
                    stood.push(format!("{count} of {length} m × {flatness}"));
                }
            }
        }
    }
    let text = format!(
        "{runs} stacks; 98 %: at most {:.2} % of a length; 102 %: {} stand {}",
        100.0 * most,
        stood.len(),
        stood.join(", ")
    );
    Found::new(text, most < 0.01 && stood.is_empty())
}

/// Towers of 5 to 14 small boxes. How far the worst top moves, in boxes.
fn small_towers<D: Boxes>(size: f32) -> Found {
    let mut worst = (0.0_f32, 0);
    for count in 5..=14 {
        let mut world = floor::<D>();
        let at = |i: usize| [0.0, size * (0.5 + i as f32), 0.0];
        let ids: Vec<_> = (0..count).map(|i| put(&mut world, at(i), D::cuboid([size; 3]))).collect();
        let moved = moved(&mut world, ids[count - 1], 1200) / size;
        worst = if moved > worst.0 { (moved, count) } else { worst };
    }
    let text = format!("worst top {:.2} % of a box from its start, of {}", 100.0 * worst.0, worst.1);
    Found::new(text, worst.0 < 0.02)
}

/// Ten boxes of 1 kg fall asleep, then something heavy is put on them, straight or 5 cm aside.
fn heavy_on_sleepers<D: Boxes>() -> Found {
    let mut holds = true;
    let text = [1e3_f32, 1e4, 1e5].map(|ratio| {
        let (mut sunk, mut speed) = (0.0_f32, 0.0_f32);
        for (aside, gap) in [(0.0, 0.0), (0.05, 0.0), (0.0, 0.005), (0.05, 0.005)] {
            let mut world = floor::<D>();
            world.set_settings(Settings::default()).expect("default settings");
            let shape = |density: f32| D::cuboid([1.0; 3]).density(density);
            let mut ids: Vec<_> =
                (0..10).map(|i| put(&mut world, [0.0, 0.5 + i as f32, 0.0], shape(1.0))).collect();
            (0..300).for_each(|_| world.step());
            let y = (place(&world, ids[9]) - D::Point::ORIGIN).get(1) + 1.0;
            let top = put(&mut world, [aside, y + gap, 0.0], shape(ratio));
            ids.push(top);
            for _ in 0..1800 {
                world.step();
                let speeds = ids.iter().filter_map(|&id| world.body(id).ok());
                speed = speeds.map(|body| body.linear_velocity().length()).fold(speed, f32::max);
            }
            sunk = sunk.max((place(&world, top) - point::<D>([aside, y, 0.0])).length() / y);
        }
        holds &= sunk < 0.02 && speed < 1.0;
        format!("1:{ratio} {:.2} %, {speed:.2} m/s", 100.0 * sunk)
    });
    Found::new(text.join("; "), holds)
}

/// Towers that have sunk for a while, and one more box put on top: how far that one rises above its place, in boxes, and how fast.
fn one_more<D: Boxes>() -> Found {
    let (mut high, mut speed) = (0.0_f32, 0.0_f32);
    for size in [1.0_f32, 0.1] {
        for (count, settle) in (3..=13).flat_map(|count| [5, 20, 60, 600].map(|settle| (count, settle))) {
            let mut world = floor::<D>();
            let at = |i: usize| [0.0, size * (0.5 + i as f32), 0.0];
            let ids: Vec<_> = (0..count).map(|i| put(&mut world, at(i), D::cuboid([size; 3]))).collect();
            (0..settle).for_each(|_| world.step());
            let y = (place(&world, ids[count - 1]) - D::Point::ORIGIN).get(1) + size;
            let top = put(&mut world, [0.0, y, 0.0], D::cuboid([size; 3]));
            for _ in 0..300 {
                world.step();
                let Ok(body) = world.body(top) else { continue };
                high = high.max(((body.position() - D::Point::ORIGIN).get(1) - at(count)[1]) / size);
                speed = speed.max(body.linear_velocity().get(1));
            }
        }
    }
    let text = format!("rises {:.2} % of a box above its place, at {:.0} mm/s", 100.0 * high, 1e3 * speed);
    Found::new(text, high < 0.01 && speed < 0.3)
}

/// Levels of three blocks, crosswise.
fn jenga(levels: usize) -> Found {
    let mut world = floor::<D3>();
    let mut top = None;
    for level in 0..levels {
        for i in 0..3 {
            let off = (i as f32 - 1.0) * 0.26;
            let y = 0.075 + 0.15 * level as f32;
            let (at, edges) = if level % 2 == 0 {
                ([off, y, 0.0], [0.25, 0.15, 0.75])
            } else {
                ([0.0, y, off], [0.75, 0.15, 0.25])
            };
            top = Some(put(&mut world, at, D3::cuboid(edges).friction(0.6)));
        }
    }
    let moved = top.map_or(0.0, |top| moved(&mut world, top, 3000));
    Found::new(format!("top moved {:.1} mm", 1e3 * moved), moved < 0.05)
}

/// Ten discs, or ten boxes, one on the other.
fn column(shape: ShapeDef2) -> Found {
    let mut world = floor::<D2>();
    let mut top = None;
    for i in 0..10 {
        top = Some(put(&mut world, [0.0, 0.5 + i as f32, 0.0], shape.clone().friction(0.6)));
    }
    let moved = top.map_or(0.0, |top| moved(&mut world, top, 3000));
    Found::new(format!("top moved {:.1} mm", 1e3 * moved), moved < 0.05)
}

/// Cards leaning on each other in pairs, with a flat card over every gap.
fn cards(levels: usize) -> Found {
    let mut world = floor::<D2>();
    let (length, thickness, lean) = (1.0_f32, 0.02_f32, 0.45_f32);
    let (sin, cos) = sin_cos(lean);
    let mut ids = Vec::new();
    let half_width = 0.5 * (length * sin + thickness * cos);
    let height = length * cos + thickness * sin;
    for level in 0..levels {
        let tents = levels - level;
        let base = level as f32 * (height + thickness);
        for tent in 0..tents {
            let x = (tent as f32 - (tents - 1) as f32 * 0.5) * 4.0 * half_width;
            for side in [-1.0_f32, 1.0] {
                let mut def =
                    BodyDef2::dynamic(point::<D2>([x + side * half_width, base + 0.5 * height, 0.0]));
                def.rotation = Rot2::from_angle(side * lean);
                let shape = D2::cuboid([thickness, length, 0.0]).friction(0.8);
                ids.push(world.create_body_with(def, [shape]).expect("a card"));
            }
        }
        for gap in 0..tents.saturating_sub(1) {
            let x = (gap as f32 - (tents - 2) as f32 * 0.5) * 4.0 * half_width;
            let y = base + height + 0.5 * thickness;
            let shape = D2::cuboid([4.0 * half_width * 0.98, thickness, 0.0]).friction(0.8);
            ids.push(put(&mut world, [x, y, 0.0], shape));
        }
    }
    let starts: Vec<_> = ids.iter().map(|&id| place(&world, id)).collect();
    (0..3000).for_each(|_| world.step());
    let worst = ids.iter().zip(&starts).map(|(&id, &start)| (place(&world, id) - start).length());
    let worst = worst.fold(0.0_f32, f32::max);
    Found::new(format!("worst card moved {:.0} mm", 1e3 * worst), worst < 0.15)
}

pub(crate) fn cases() -> Vec<Case> {
    let near = "top within 0.2 m after 10 000 steps";
    vec![
        case("tower of 60 boxes, 2D", near, || tower::<D2>(60, 10_000)),
        case("tower of 60 boxes, 3D", near, || tower::<D3>(60, 10_000)),
        case("tower of 60 with restitution, 2D", "top within 1 mm, 10 000 steps", || {
            bouncy_tower::<D2>(59, 1.0, 10_000)
        }),
        case("tower of 60 with restitution, 3D", "top within 1 mm, 10 000 steps", || {
            bouncy_tower::<D3>(59, 1.0, 10_000)
        }),
        case("1 000 kg on ten of 1 kg with restitution, 2D", "top within 1 mm, 60 s", || {
            bouncy_tower::<D2>(10, 1000.0, 3600)
        }),
        case("1 000 kg on ten of 1 kg with restitution, 3D", "top within 1 mm, 60 s", || {
            bouncy_tower::<D3>(10, 1000.0, 3600)
        }),
        case("tower of 30 dropped with restitution, 2D", "gains nothing, stands", dropped_tower::<D2>),
        case("tower of 30 dropped with restitution, 3D", "gains nothing, stands", dropped_tower::<D3>),
        case("eight towers of 60 on one slab, 2D", near, || towers::<D2>(8, 0, 10_000)),
        case("eight towers of 60 on one slab, 3D", near, || towers::<D3>(8, 0, 10_000)),
        case("eight towers of 60 on a slab on three posts, 2D", near, || towers::<D2>(8, 3, 10_000)),
        case("eight towers of 60 on a slab on three posts, 3D", near, || towers::<D3>(8, 3, 10_000)),
        case("pyramid of base 100, 2D", near, || pyramid_case::<D2>(100, 0.1, 10_000)),
        case("pyramid of base 100, touching sides, 2D", near, || pyramid_case::<D2>(100, 0.0, 10_000)),
        case("pyramid of base 100, gaps of 1 mm to half a box, 2D", near, || {
            gaps([0.001, 0.02, 0.05, 0.25, 0.4, 0.5])
        }),
        case("pyramid of base 20, 3D", "top within 0.2 m after 3 000 steps", || {
            pyramid_case::<D3>(20, 0.1, 3000)
        }),
        case("pyramid of base 30, 3D", near, || pyramid_case::<D3>(30, 0.1, 10_000)),
        case("1 000 kg on ten boxes of 1 kg, 3D", "60 s, height within 2 %", || heavy_case::<D3>(1000.0)),
        case("1 000 kg on ten boxes of 1 kg, 2D", "60 s, height within 2 %", || heavy_case::<D2>(1000.0)),
        case("heavy slab on two boxes on three, 3D", "60 s, height within 2 %", heavy_on_five::<D3>),
        case("heavy slab on two boxes on three, 2D", "60 s, height within 2 %", heavy_on_five::<D2>),
        case("mass ratios of a stack, 3D", "figures: sunk after 10 s", heavy_table::<D3>),
        case(
            "overhanging stacks of 2 to 20, 0.1 to 10 m, 2D",
            "stand at 98 % of the limit within 1 %, fall at 102 %",
            overhang_case::<D2>,
        ),
        case(
            "overhanging stacks of 2 to 20, 0.1 to 10 m, 3D",
            "stand at 98 % of the limit within 1 %, fall at 102 %",
            overhang_case::<D3>,
        ),
        case("low towers of boxes of 5 cm, 2D", "5 to 14: top within 2 % of a box, 20 s", || {
            small_towers::<D2>(0.05)
        }),
        case("low towers of boxes of 5 cm, 3D", "5 to 14: top within 2 % of a box, 20 s", || {
            small_towers::<D3>(0.05)
        }),
        case("low towers of boxes of 10 cm, 2D", "5 to 14: top within 2 % of a box, 20 s", || {
            small_towers::<D2>(0.1)
        }),
        case("low towers of boxes of 10 cm, 3D", "5 to 14: top within 2 % of a box, 20 s", || {
            small_towers::<D3>(0.1)
        }),
        case(
            "heavy on ten boxes asleep, 2D",
            "30 s, height within 2 %, below 1 m/s",
            heavy_on_sleepers::<D2>,
        ),
        case(
            "heavy on ten boxes asleep, 3D",
            "30 s, height within 2 %, below 1 m/s",
            heavy_on_sleepers::<D3>,
        ),
        case("one more box on a tower, 2D", "rises by 1 % of a box and 0.3 m/s at most", one_more::<D2>),
        case("one more box on a tower, 3D", "rises by 1 % of a box and 0.3 m/s at most", one_more::<D3>),
        case("jenga, 18 levels", "3 000 steps, top within 50 mm", || jenga(18)),
        case("house of cards, 4 levels", "3 000 steps, stands", || cards(4)),
        case("tower of ten circles", "3 000 steps, stands", || column(D2::ball(0.5))),
        case("tower of ten squares", "3 000 steps, stands", || column(D2::cuboid([1.0; 3]))),
    ]
}
