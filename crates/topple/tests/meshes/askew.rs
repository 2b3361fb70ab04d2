//! Bodies that slide askew, turned and for long over floors of tiles, in ways that once made them trip.

use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef, Shape2, Shape3, ShapeDef, World};

/// Heights may change by this much [m].
const HEIGHT: Real = 1e-3;
/// Share of the speed that may be lost or gained.
const LOSS: Real = 1e-3;

/// What a floor is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tiles {
    /// Boxes of a metre in height.
    Boxes,
    /// Cubes in one body.
    Voxels,
    /// Meshes, of one to three cells along each side.
    Meshes,
}

/// A way over a floor.
#[derive(Clone, Copy, Debug)]
struct Course {
    tiles: Tiles,
    /// Width of a tile [m].
    width: Real,
    /// Of the body [m/s].
    speed: Real,
    /// Of its way in the plane of the floor, and of the body about the vertical [rad].
    angles: [Real; 2],
    steps: usize,
}

impl Course {
    fn direction(&self) -> Vec3 {
        let (s, c) = sin_cos(self.angles[0]);
        Vec3::new(c, 0.0, s)
    }

    /// Tiles near the way.
    fn lay(&self, world: &mut World<D3>) {
        let (width, direction) = (self.width, self.direction());
        let length = self.speed * self.steps as Real / 60.0;
        let count = ((length + 4.0) / width) as i32 + 1;
        let mut voxels = Vec::new();
        for (i, k) in (-count..=count).flat_map(|i| (-count..=count).map(move |k| (i, k))) {
            let at = Vec3::new(i as Real * width, 0.0, k as Real * width);
            let along = at.dot(direction);
            if along < -2.0 || along > length + 2.0 || (at - direction * along).length() > 1.5 + width {
                continue;
            }
            let (shape, below) = match self.tiles {
                Tiles::Boxes => (Shape3::cuboid(width, 1.0, width), 0.5),
                Tiles::Voxels => (Shape3::cuboid(width, width, width), 0.5 * width),
                Tiles::Meshes => {
                    let cells = 1 + (i * 7 + k * 3).rem_euclid(3) as u32;
                    let tile = generate::terrain(Vec2::splat(width), [cells; 2], |_, _| 0.0).unwrap();
                    (Shape3::mesh(&tile.vertices, &tile.triangles).unwrap(), 0.0)
                }
            };
            let (shape, at) =
                (ShapeDef::<D3>::new(shape).friction(0.0), Point3::from_vec(at - Vec3::Y * below));
            if self.tiles == Tiles::Voxels {
                voxels.push(shape.at(Pose::at(at)));
            } else {
                world.create_body_with(BodyDef::fixed(at), [shape]).unwrap();
            }
        }
        if !voxels.is_empty() {
            world.create_body_with(BodyDef::fixed(Point3::ORIGIN), voxels).unwrap();
        }
    }

    /// Lets a body come to rest, pushes it, and follows it. Its middle is at the height `rest` [m].
    fn slide(&self, narrow_phase: &str, shape: Shape3, rest: Real) {
        let mut world = World::<D3>::new();
        world.set_narrow_phase_by_name(narrow_phase).unwrap();
        self.lay(&mut world);
        let mut def = BodyDef::<D3>::dynamic([0.03, rest, 0.02]);
        (def.can_sleep, def.rotation) = (false, Quat::from_rotation_y(self.angles[1]));
        let body = world.create_body_with(def, [ShapeDef::new(shape).friction(0.0)]).unwrap();
        (0..60).for_each(|_| world.step());
        let velocity = self.direction() * self.speed;
        world.body_mut(body).unwrap().set_linear_velocity(velocity).unwrap();
        let height = world.body(body).unwrap().position().y;
        for step in 0..self.steps {
            world.step();
            let view = world.body(body).unwrap();
            let share = view.linear_velocity().dot(velocity) / velocity.length_squared();
            let rise = view.position().y - height;
            let is_kept = rise.abs() <= HEIGHT && (share - 1.0).abs() <= LOSS;
            assert!(is_kept, "{self:?} by {narrow_phase}, step {step}: up {rise} m, {share} of the speed");
        }
    }
}

/// A frustum with seven sides, which stands on its wider end.
fn frustum(size: Real) -> Shape3 {
    let corner = |i: usize| {
        let (s, c) = sin_cos(i as Real * 0.8976);
        [Vec3::new(c, -0.4, s) * (0.4 * size), Vec3::new(0.6 * c, 0.4, 0.6 * s) * (0.4 * size)]
    };
    Shape3::hull(&(0..7).flat_map(corner).collect::<Vec<_>>()).unwrap()
}

fn capsule(size: Real) -> Shape3 {
    Shape3::capsule(Vec3::X * (-0.4 * size), Vec3::X * (0.4 * size), 0.25 * size)
}

/// Edges of the hull and of a tile in one plane were as good as their faces up to rounding, were taken, and touched nothing: the tile under the hull
/// was lost for a step, and the next one in its way was not covered by it.
#[test]
fn hulls_do_not_lose_the_boxes_under_them() {
    for (tiles, size, speed, angles) in [
        (Tiles::Boxes, 1.029_631_1, 1.671_860_9, [1.242_711, 1.440_915_7]),
        (Tiles::Boxes, 1.242_925_6, 3.545_773_5, [1.622_122_6, 3.199_641_5]),
        (Tiles::Voxels, 1.394_779_7, 1.189_891_7, [4.782_728_7, 5.709_699_6]),
    ] {
        let course = Course { tiles, width: 0.2, speed, angles, steps: 100 };
        for narrow_phase in ["auto", "sat", "gjk"] {
            course.slide(narrow_phase, frustum(size), 0.16 * size);
        }
    }
}

/// Of the points on a face and on the border beside it, the normal was that of which came first.
#[test]
fn capsules_do_not_trip_where_meshes_of_other_subdivisions_meet() {
    for (size, width, speed, angles, steps) in [
        (0.6, 0.37, 5.0, [2.1, 2.3], 200),
        (1.0, 0.37, 5.0, [2.1, 2.3], 200),
        (0.713_009_8, 0.37, 1.170_944_3, [6.028_042, 2.272_185], 200),
        (1.459_148_9, 1.0, 4.102_043_6, [1.693_367_8, 3.080_533], 280),
    ] {
        let course = Course { tiles: Tiles::Meshes, width, speed, angles, steps };
        course.slide("auto", capsule(size), 0.25 * size);
    }
}

/// A border that pushes aside had points on its triangle too, which no neighbour covers.
#[test]
fn cubes_do_not_trip_over_the_borders_of_meshes_by_closest_points() {
    for (size, width, speed, angles) in [
        (0.947_068_15, 0.37, 1.135_840_3, [6.082_536_7, 1.236_400_4]),
        (0.474_842_28, 0.2, 1.661_490_7, [5.133_274, 3.680_967]),
        (1.199_529, 0.2, 3.904_441, [4.176_594_3, 5.153_344]),
    ] {
        let course = Course { tiles: Tiles::Meshes, width, speed, angles, steps: 300 };
        course.slide("gjk", Shape3::cuboid(size, size, size), 0.5 * size);
    }
}

/// The middle of a cone that is wider than a tile was taken to be on its rim, where no triangle under it faces it.
#[test]
fn cones_stay_on_meshes_that_are_smaller() {
    for (half, radius) in [(0.25, 0.4), (0.4, 0.25)] {
        for (width, speed, angles) in [(0.75, 10.522_044, [3.682_26, 5.446_456_4]), (0.4, 3.0, [2.3, 1.0])] {
            let course = Course { tiles: Tiles::Meshes, width, speed, angles, steps: 120 };
            course.slide("auto", Shape3::cone(2.0 * half, radius), half);
        }
    }
}

/// The normal of a cone that leans by rounding is not that of the box below it.
#[test]
fn cones_lose_nothing_on_boxes() {
    let size = 0.543_114_8;
    let course = Course {
        tiles: Tiles::Boxes,
        width: 1.0,
        speed: 0.607_032_24,
        angles: [3.955_515, 1.982_386_8],
        steps: 360,
    };
    for narrow_phase in ["auto", "sat", "gjk"] {
        course.slide(narrow_phase, Shape3::cone(0.5 * size, 0.4 * size), 0.25 * size);
    }
}

/// Over the joint of two squares a circle touches both in one point, where rounding alone told which of them rises above the other: none was left.
#[test]
fn circles_stay_on_turned_squares() {
    for (size, width, speed) in [(0.911_745_6, 0.75, 2.328_825_7), (0.5, 1.0, 3.2)] {
        for turn in 0..4_i32 {
            let mut world = World::<D2>::new();
            for i in -60..60_i32 {
                let mut def = BodyDef::<D2>::fixed([i as Real * width, -0.5 * width]);
                let quarters = (i * turn + i * i).rem_euclid(4);
                def.rotation = Rot2::from_angle(core::f32::consts::FRAC_PI_2 * quarters as Real);
                let square = Shape2::rectangle(width, width);
                world.create_body_with(def, [ShapeDef::new(square).friction(0.0)]).unwrap();
            }
            let mut def = BodyDef::<D2>::dynamic([0.03, 0.4 * size]);
            def.can_sleep = false;
            let circle = ShapeDef::new(Shape2::circle(0.4 * size)).friction(0.0);
            let body = world.create_body_with(def, [circle]).unwrap();
            (0..60).for_each(|_| world.step());
            world.body_mut(body).unwrap().set_linear_velocity(Vec2::X * speed).unwrap();
            let height = world.body(body).unwrap().position().y;
            for step in 0..600 {
                world.step();
                let rise = world.body(body).unwrap().position().y - height;
                assert!(rise.abs() <= HEIGHT, "{size}, {width}, turn {turn}, step {step}: up {rise} m");
            }
        }
    }
}
