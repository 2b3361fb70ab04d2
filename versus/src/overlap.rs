//! How deep two convex shapes overlap, measured the same way for every engine.
//!
//! Asking each engine for its own contact depths would let an engine with sloppy contacts look good. So the harness takes the
//! poses an engine reports and measures overlaps itself: separating axes for polytopes (exact), Gilbert's algorithm for the
//! distance between the cores of rounded shapes. Slow and plain; it runs once after the timed part.

use crate::engine::Core;
use crate::hull;
use glam::{Quat, Vec3};
use std::collections::HashMap;

/// A convex shape placed in the world.
#[derive(Clone, Debug)]
pub struct Placed {
    points: Vec<Vec3>,
    radius: f32,
    axes: hull::Axes,
    low: Vec3,
    high: Vec3,
}

impl Placed {
    /// Places a core with its axes.
    pub fn new(core: &Core, axes: &hull::Axes, position: Vec3, rotation: Quat) -> Self {
        let points: Vec<Vec3> = core.points.iter().map(|p| position + rotation * *p).collect();
        let low = points.iter().copied().reduce(Vec3::min).unwrap_or(position) - Vec3::splat(core.radius);
        let high = points.iter().copied().reduce(Vec3::max).unwrap_or(position) + Vec3::splat(core.radius);
        let turn = |directions: &[Vec3]| directions.iter().map(|d| rotation * *d).collect();
        let axes = hull::Axes { normals: turn(&axes.normals), edges: turn(&axes.edges) };
        Self { points, radius: core.radius, axes, low, high }
    }

    fn near(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    fn support(&self, direction: Vec3) -> f32 {
        self.points.iter().map(|p| p.dot(direction)).fold(f32::MIN, f32::max)
    }

    fn farthest(&self, direction: Vec3) -> Vec3 {
        let by = |a: &&Vec3, b: &&Vec3| a.dot(direction).total_cmp(&b.dot(direction));
        *self.points.iter().max_by(by).expect("a core has points")
    }
}

/// Separating axes of a core, in its own frame.
pub fn axes_of(core: &Core, planar: bool) -> hull::Axes {
    match core.points.len() {
        0 | 1 => hull::Axes::default(),
        2 => {
            let along = (core.points[1] - core.points[0]).normalize_or_zero();
            let normals = if planar { vec![along.cross(Vec3::Z)] } else { Vec::new() };
            hull::Axes { normals, edges: vec![along] }
        }
        _ if planar => {
            let next = core.points.iter().cycle().skip(1);
            let normal = |(a, b): (&Vec3, &Vec3)| (*b - *a).cross(Vec3::Z).normalize_or_zero();
            hull::Axes { normals: core.points.iter().zip(next).map(normal).collect(), edges: vec![Vec3::Z] }
        }
        _ => hull::axes(&core.points),
    }
}

/// Depth of the overlap [m]; negative if the shapes are apart (then only a lower bound of the gap).
pub fn depth(a: &Placed, b: &Placed) -> f32 {
    let radius = a.radius + b.radius;
    let along_axes = separation(a, b);
    // Every gap along a direction is a lower bound of the distance. The axes give the exact one if a face is involved,
    // the walk below if only edges and corners are.
    let gap = if radius > 0.0 { along_axes.max(core_distance(a, b)) } else { along_axes };
    // Two balls with one centre have no direction at all.
    if gap == f32::MIN { radius } else { radius - gap }
}

/// Largest gap along any candidate axis; negative if the cores overlap.
fn separation(a: &Placed, b: &Placed) -> f32 {
    let gap = |axis: Vec3| (-b.support(-axis) - a.support(axis)).max(-a.support(-axis) - b.support(axis));
    let crossed = a.axes.edges.iter().flat_map(|u| b.axes.edges.iter().map(move |v| u.cross(*v)));
    let crossed = crossed.filter(|axis| axis.length_squared() > 1e-6).map(Vec3::normalize);
    let faces = a.axes.normals.iter().chain(&b.axes.normals).copied();
    faces.chain(crossed).map(gap).fold(f32::MIN, f32::max)
}

/// Lower bound of the distance between two cores [m] by Gilbert's algorithm: walk towards the origin in the difference of
/// the two sets. The bound is the largest gap seen along the way; the walk itself zigzags and closes in slowly.
fn core_distance(a: &Placed, b: &Placed) -> f32 {
    let mut nearest = a.points[0] - b.points[0];
    let mut bound = f32::MIN;
    for _ in 0..100 {
        let length = nearest.length();
        let towards = a.farthest(-nearest) - b.farthest(nearest);
        if length > 1e-6 {
            bound = bound.max(nearest.dot(towards) / length);
        }
        let step = towards - nearest;
        if length - bound < 1e-5 || step.length_squared() < 1e-12 {
            break;
        }
        nearest += step * (-nearest.dot(step) / step.length_squared()).clamp(0.0, 1.0);
    }
    bound
}

/// A body's shapes in the world, with what decides whether two bodies may touch at all.
pub struct Item {
    /// Index of the body in the scene.
    pub body: usize,
    /// Does it move.
    pub moving: bool,
    /// Its shapes.
    pub shapes: Vec<Placed>,
}

/// Depths [m] of all overlaps between different bodies, except pairs that `skip` names.
pub fn all_depths(items: &[Item], skip: impl Fn(usize, usize) -> bool) -> Vec<f32> {
    let mut depths = Vec::new();
    let mut test = |a: &Item, b: &Item| {
        if skip(a.body, b.body) {
            return;
        }
        for (s, t) in a.shapes.iter().flat_map(|s| b.shapes.iter().map(move |t| (s, t))) {
            if s.near(t) {
                let depth = depth(s, t);
                if depth > 0.0 {
                    depths.push(depth);
                }
            }
        }
    };
    // Moving bodies are of one size in a scene, give or take: a uniform grid finds their pairs. Still ones are few and large.
    let (moving, still): (Vec<&Item>, Vec<&Item>) = items.iter().partition(|item| item.moving);
    let size = |item: &Item| item.shapes.iter().map(|s| (s.high - s.low).max_element()).fold(0.0, f32::max);
    let sizes: Vec<f32> = moving.iter().map(|item| size(item)).collect();
    let mut sorted = sizes.clone();
    sorted.sort_by(f32::total_cmp);
    let cell = sorted.get(sorted.len() * 9 / 10).copied().unwrap_or(1.0).max(1e-3) * 1.01;
    let mut grid: HashMap<[i32; 3], Vec<usize>> = HashMap::new();
    let mut large = Vec::new();
    for (i, item) in moving.iter().enumerate() {
        if sizes[i] > cell {
            large.push(i);
            continue;
        }
        for shape in &item.shapes {
            let (low, high) = ((shape.low / cell).floor().as_ivec3(), (shape.high / cell).floor().as_ivec3());
            for (x, y, z) in cells(low, high) {
                let entry = grid.entry([x, y, z]).or_default();
                if entry.last() != Some(&i) {
                    entry.push(i);
                }
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for members in grid.values() {
        for (n, &i) in members.iter().enumerate() {
            pairs.extend(members[..n].iter().map(|&j| (j.min(i), j.max(i))));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    for (i, j) in pairs {
        test(moving[i], moving[j]);
    }
    for (n, &i) in large.iter().enumerate() {
        for (j, item) in moving.iter().enumerate() {
            if j != i && !large[..n].contains(&j) {
                test(moving[i], item);
            }
        }
    }
    for a in &moving {
        for b in &still {
            test(a, b);
        }
    }
    depths
}

fn cells(low: glam::IVec3, high: glam::IVec3) -> impl Iterator<Item = (i32, i32, i32)> {
    (low.x..=high.x)
        .flat_map(move |x| (low.y..=high.y).flat_map(move |y| (low.z..=high.z).map(move |z| (x, y, z))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{D2, D3, Dim, Shape2, Shape3};
    use glam::Vec2;

    fn place<D: Dim>(shape: &D::Geometry, position: Vec3, rotation: Quat) -> Placed {
        let core = D::core(shape).expect("convex");
        Placed::new(&core, &axes_of(&core, D::PLANAR), position, rotation)
    }

    #[test]
    fn box_in_box_depth_is_along_the_shortest_way_out() {
        let cube = Shape3::Box(Vec3::splat(0.5));
        let a = place::<D3>(&cube, Vec3::ZERO, Quat::IDENTITY);
        let b = place::<D3>(&cube, Vec3::new(0.1, 0.97, 0.0), Quat::IDENTITY);
        assert!((depth(&a, &b) - 0.03).abs() < 1e-5, "expected 0.03 m, got {}", depth(&a, &b));
    }

    #[test]
    fn crossed_edges_need_the_edge_axes() {
        // Two cubes standing on edges at right angles, touching edge to edge with 0.02 m overlap.
        let cube = Shape3::Box(Vec3::splat(0.5));
        let quarter = std::f32::consts::FRAC_PI_4;
        let apart = 2.0 * 0.5 * 2_f32.sqrt() - 0.02;
        let a = place::<D3>(&cube, Vec3::ZERO, Quat::from_rotation_x(quarter));
        let b = place::<D3>(&cube, Vec3::new(0.0, apart, 0.0), Quat::from_rotation_z(quarter));
        assert!((depth(&a, &b) - 0.02).abs() < 1e-4, "expected 0.02 m, got {}", depth(&a, &b));
    }

    #[test]
    fn sphere_on_box_and_capsule_beside_sphere() {
        let cube = place::<D3>(&Shape3::Box(Vec3::splat(0.5)), Vec3::ZERO, Quat::IDENTITY);
        let ball = place::<D3>(&Shape3::Sphere(0.4), Vec3::new(0.2, 0.85, 0.1), Quat::IDENTITY);
        assert!((depth(&cube, &ball) - 0.05).abs() < 1e-3, "expected 0.05 m, got {}", depth(&cube, &ball));
        let rod = place::<D3>(&Shape3::Capsule(1.0, 0.25), Vec3::new(0.6, 0.85, 0.1), Quat::IDENTITY);
        assert!((depth(&rod, &ball) - 0.25).abs() < 1e-3, "expected 0.25 m, got {}", depth(&rod, &ball));
    }

    #[test]
    fn planar_shapes_use_planar_axes() {
        let square = Shape2::Box(Vec2::splat(0.5));
        let a = place::<D2>(&square, Vec3::ZERO, Quat::IDENTITY);
        let b = place::<D2>(&square, Vec3::new(0.99, 0.3, 0.0), Quat::IDENTITY);
        assert!((depth(&a, &b) - 0.01).abs() < 1e-5, "expected 0.01 m, got {}", depth(&a, &b));
        let disc = place::<D2>(&Shape2::Circle(0.5), Vec3::new(0.0, 0.98, 0.0), Quat::IDENTITY);
        assert!((depth(&a, &disc) - 0.02).abs() < 1e-3, "expected 0.02 m, got {}", depth(&a, &disc));
    }

    #[test]
    fn the_grid_finds_what_testing_every_pair_finds() {
        let cube = Shape3::Box(Vec3::splat(0.5));
        let items: Vec<Item> = (0..125)
            .map(|i| {
                let cell = Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i / 25) as f32);
                let shapes = vec![place::<D3>(&cube, cell * 0.9, Quat::IDENTITY)];
                Item { body: i, moving: true, shapes }
            })
            .collect();
        let found = all_depths(&items, |_, _| false).len();
        let mut expected = 0;
        for i in 0..items.len() {
            for j in 0..i {
                expected += (depth(&items[i].shapes[0], &items[j].shapes[0]) > 0.0) as usize;
            }
        }
        assert_eq!(found, expected);
    }
}
