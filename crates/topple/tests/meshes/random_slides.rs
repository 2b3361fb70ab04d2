//! Random bodies, put down on random floors of tiles and pushed: nobody notices where one tile ends and the next begins.
//!
//! Every floor is laid from pieces that are level and touch each other. A body of a random kind, size and yaw comes to rest on it without friction, is pushed in a random
//! direction, and has to keep its height and its speed. With `TOPPLE_LONG_TESTS` in the environment ten times as many run.

use crate::support::{Random, box_surface, mesh};
use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef3, Shape3, ShapeDef3, World3};

/// Heights may change by this much [m].
const HEIGHT: Real = 1e-3;
/// Share of the speed that may be lost or gained.
const LOSS: Real = 1e-3;
/// Length of the way at most [m].
const WAY: Real = 6.0;
/// Steps at least and at most.
const STEPS: [usize; 2] = [24, 240];
/// Steps in which a body comes to rest before it is pushed, at least and at most.
const REST: [usize; 2] = [60, 300];
/// Slower than this a body is at rest [rad/s].
const QUIET: Real = 2e-3;
/// Slowest and fastest push [m/s].
const SPEEDS: [Real; 2] = [0.3, 20.0];
/// Runs per floor and narrow phase.
const RUNS: u64 = 4;

const NARROW_PHASES: [&str; 3] = ["auto", "sat", "gjk"];

/// What a floor is made of. All but the first three are bodies of their own, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Floor {
    Mesh,
    Field,
    /// Cubes in one body.
    Voxels,
    Boxes,
    /// Rows of boxes of random length and thickness.
    Bricks,
    /// Cubes, each turned about an axis by quarters of a turn.
    Turned,
    Triangles,
    /// Open meshes of one to three cells along each side.
    Sheets,
    /// Closed meshes, each a cube.
    Solids,
    /// Closed meshes of different length, thickness and subdivision.
    SolidBricks,
}

const FLOORS: [Floor; 10] = [
    Floor::Mesh,
    Floor::Field,
    Floor::Voxels,
    Floor::Boxes,
    Floor::Bricks,
    Floor::Turned,
    Floor::Triangles,
    Floor::Sheets,
    Floor::Solids,
    Floor::SolidBricks,
];

/// One run.
#[derive(Clone, Copy, Debug)]
struct Course {
    floor: Floor,
    seed: u64,
    /// Width of a tile [m].
    tile: Real,
    /// Of the floor about the vertical [rad].
    turn: Real,
    /// Of the way, seen from the floor, and of the body about the vertical [rad].
    angles: [Real; 2],
    /// [m/s]
    speed: Real,
    /// Of the body about the vertical [rad/s].
    spin: Real,
    steps: usize,
}

impl Course {
    fn new(floor: Floor, seed: u64) -> (Self, Random) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ floor as u64);
        (0..4).for_each(|_| _ = random.next());
        let tile = [0.2, 0.37, 0.5, 1.0][(4.0 * random.next()) as usize];
        // Few are at right angles to the tiles: those meet a whole row at once.
        let is_straight = random.next() < 0.25;
        let angle = core::f32::consts::TAU * random.next();
        let angle = if is_straight { 0.0 } else { angle };
        let pace = random.next();
        let speed = SPEEDS[0] * (1.0 - pace) * (1.0 - pace) + SPEEDS[1] * pace * pace * pace + pace;
        let steps = ((60.0 * WAY / speed) as usize).clamp(STEPS[0], STEPS[1]);
        let spin = if random.next() < 0.3 { 2.0 * random.next() - 1.0 } else { 0.0 };
        let turn = if random.next() < 0.5 { 0.0 } else { 6.0 * random.next() };
        let yaw = if random.next() < 0.25 { 0.0 } else { 6.0 * random.next() };
        (Self { floor, seed, tile, turn, angles: [angle, yaw], speed, spin, steps }, random)
    }

    fn direction(&self) -> Vec3 {
        let (s, c) = sin_cos(self.angles[0]);
        Vec3::new(c, 0.0, s)
    }

    /// Length of the way [m].
    fn length(&self) -> Real {
        self.speed * self.steps as Real / 60.0
    }

    /// True for what is near the way, in the frame of the floor.
    fn is_near(&self, at: Vec3) -> bool {
        let along = at.dot(self.direction()).clamp(0.0, self.length());
        (at - self.direction() * along).length() < 1.3 + self.tile
    }

    fn lay(&self, world: &mut World3, random: &mut Random) {
        let (width, count) = (self.tile, ((self.length() + 3.0) / self.tile) as i32 + 1);
        let rotation = Quat::from_rotation_y(self.turn);
        let put = |world: &mut World3, shape: Shape3, at: Vec3, own: Quat| {
            let mut def = BodyDef3::fixed(rotation * at);
            def.rotation = rotation * own;
            world.create_body_with(def, [ShapeDef3::new(shape).friction(0.0)]).unwrap();
        };
        if matches!(self.floor, Floor::Mesh | Floor::Field) {
            let size = Vec2::splat(2.0 * count as Real * width);
            let cells = 2 * count as u32;
            let shape = if self.floor == Floor::Mesh {
                mesh(&generate::terrain(size, [cells; 2], |_, _| 0.0).unwrap())
            } else {
                let heights = vec![0.0; ((cells + 1) * (cells + 1)) as usize];
                Shape3::height_field(size, cells + 1, &heights).unwrap()
            };
            return put(world, shape, Vec3::ZERO, Quat::IDENTITY);
        }
        if matches!(self.floor, Floor::Bricks | Floor::SolidBricks) {
            for row in -count..=count {
                let z = row as Real * width;
                let mut x = -(count as Real) * width;
                while x < count as Real * width {
                    let size = Vec3::new(width * (0.5 + random.next()), 0.1 + 0.3 * random.next(), width);
                    let at = Vec3::new(x + 0.5 * size.x, -0.5 * size.y, z);
                    x += size.x;
                    if !self.is_near(at) {
                        continue;
                    }
                    let shape = if self.floor == Floor::Bricks {
                        Shape3::cuboid(size.x, size.y, size.z)
                    } else {
                        mesh(&fine_box(size, 1 + (3.0 * random.next()) as u32))
                    };
                    put(world, shape, at, Quat::IDENTITY);
                }
            }
            return;
        }
        let mut voxels = Vec::new();
        for (i, k) in (-count..=count).flat_map(|i| (-count..=count).map(move |k| (i, k))) {
            let at = Vec3::new(i as Real * width, 0.0, k as Real * width);
            if !self.is_near(at) {
                continue;
            }
            let below = at - Vec3::Y * (0.5 * width);
            match self.floor {
                Floor::Boxes => put(world, Shape3::cuboid(width, width, width), below, Quat::IDENTITY),
                Floor::Voxels => voxels.push(
                    ShapeDef3::new(Shape3::cuboid(width, width, width))
                        .friction(0.0)
                        .at(Pose::at(Point3::from_vec(below))),
                ),
                Floor::Turned => {
                    let quarters = core::f32::consts::FRAC_PI_2 * ((4.0 * random.next()) as i32) as Real;
                    let own = match (3.0 * random.next()) as i32 {
                        0 => Quat::from_rotation_x(quarters),
                        1 => Quat::from_rotation_y(quarters),
                        _ => Quat::from_rotation_z(quarters),
                    };
                    put(world, Shape3::cuboid(width, width, width), below, own);
                }
                Floor::Triangles => {
                    let corner = |x: Real, z: Real| Vec3::new(0.5 * width * x, 0.0, 0.5 * width * z);
                    let lower = Shape3::triangle(corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, -1.0));
                    let upper = Shape3::triangle(corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0));
                    put(world, lower, at, Quat::IDENTITY);
                    put(world, upper, at, Quat::IDENTITY);
                }
                Floor::Sheets => {
                    let cells = 1 + (i * 7 + k * 3).rem_euclid(3) as u32;
                    let tile = generate::terrain(Vec2::splat(width), [cells; 2], |_, _| 0.0).unwrap();
                    put(world, mesh(&tile), at, Quat::IDENTITY);
                }
                _ => put(world, mesh(&box_surface(Vec3::splat(width), Vec3::ZERO)), below, Quat::IDENTITY),
            }
        }
        if !voxels.is_empty() {
            let mut def = BodyDef3::fixed(Vec3::ZERO);
            def.rotation = rotation;
            world.create_body_with(def, voxels).unwrap();
        }
    }

    /// What went wrong, if anything did.
    fn run(
        &self,
        narrow_phase: &str,
        (name, shape, lying): (&str, Shape3, Quat),
        random: &mut Random,
    ) -> Option<String> {
        let mut world = World3::new();
        world.set_narrow_phase_by_name(narrow_phase).unwrap();
        self.lay(&mut world, random);
        let turn = Quat::from_rotation_y(self.turn);
        let rotation = turn * Quat::from_rotation_y(self.angles[1]) * lying;
        // The box of a mesh is wider than the mesh, if that is turned.
        let lowest = match shape.composite() {
            Some(_) => shape.vertices().iter().fold(0.0, |y: Real, &v| y.min((rotation * v).y)),
            None => shape.aabb(&Pose { position: Point3::ORIGIN, rotation }).min.y,
        };
        let mut def = BodyDef3::dynamic(turn * Vec3::new(0.03, -lowest, 0.02));
        (def.can_sleep, def.rotation) = (false, rotation);
        let body = world.create_body_with(def, [ShapeDef3::new(shape).friction(0.0)]).unwrap();
        (0..REST[0]).for_each(|_| world.step());
        let is_quiet = |world: &World3| world.body(body).unwrap().angular_velocity().length() < QUIET;
        for _ in REST[0]..REST[1] {
            if is_quiet(&world) {
                break;
            }
            world.step();
        }
        let velocity = turn * self.direction() * self.speed;
        let mut view = world.body_mut(body).unwrap();
        view.set_linear_velocity(velocity).unwrap();
        view.set_angular_velocity(Vec3::Y * self.spin).unwrap();
        let height = world.body(body).unwrap().position().y;
        let (mut worst, mut lifted, mut when) = (0.0, 0.0, 0);
        for step in 0..self.steps {
            world.step();
            let view = world.body(body).unwrap();
            let lost = view.linear_velocity().dot(velocity) / velocity.length_squared() - 1.0;
            let rise = view.position().y - height;
            if (lost.abs() > LOSS || rise.abs() > HEIGHT) && when == 0 {
                when = step + 1;
            }
            worst = if lost.abs() > Real::abs(worst) { lost } else { worst };
            lifted = if rise.abs() > Real::abs(lifted) { rise } else { lifted };
        }
        (when > 0).then(|| {
            format!(
                "{name} by {narrow_phase} on {:?} {}: {:.3} % of its speed, {:.2} mm, from step {when} of {} on; tile {} m, {:.3} m/s, spin {:.2} rad/s",
                self.floor, self.seed, 100.0 * worst, 1e3 * lifted, self.steps, self.tile, self.speed, self.spin
            )
        })
    }
}

/// A box as a closed mesh of `cells` by `cells` squares on each side.
fn fine_box(size: Vec3, cells: u32) -> generate::Surface {
    let mut fine = generate::Surface { vertices: Vec::new(), triangles: Vec::new() };
    let n = cells as usize + 1;
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let first = fine.vertices.len();
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (i, k) in (0..n).flat_map(|i| (0..n).map(move |k| (i, k))) {
                let mut at = [0.0; 3];
                at[axis] = 0.5 * sign;
                at[u] = i as Real / cells as Real - 0.5;
                at[v] = k as Real / cells as Real - 0.5;
                fine.vertices.push(Vec3::from_array(at) * size);
            }
            for (i, k) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |k| (i, k))) {
                let [a, b, c, d] = [i * n + k, (i + 1) * n + k, (i + 1) * n + k + 1, i * n + k + 1]
                    .map(|x| (first + x) as u32);
                let quads = if sign > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                fine.triangles.extend(quads);
            }
        }
    }
    weld(fine)
}

/// The same with one vertex per place.
fn weld(surface: generate::Surface) -> generate::Surface {
    let mut vertices: Vec<Vec3> = Vec::new();
    let to: Vec<u32> = surface
        .vertices
        .iter()
        .map(|&v| {
            let known = vertices.iter().position(|&w| w == v);
            known.unwrap_or_else(|| {
                vertices.push(v);
                vertices.len() - 1
            }) as u32
        })
        .collect();
    let triangles = surface.triangles.iter().map(|t| t.map(|i| to[i as usize])).collect();
    generate::Surface { vertices, triangles }
}

/// A prism or frustum over a regular polygon, as corners: the lower ring, then the upper one.
fn rings(sides: usize, radii: [Real; 2], height: Real) -> Vec<Vec3> {
    let ring = |radius: Real, y: Real| {
        (0..sides).map(move |i| {
            let (s, c) = sin_cos(core::f32::consts::TAU * i as Real / sides as Real);
            Vec3::new(radius * c, y, radius * s)
        })
    };
    ring(radii[0], -0.5 * height).chain(ring(radii[1], 0.5 * height)).collect()
}

/// The same as a closed mesh.
fn drum(sides: usize, radii: [Real; 2], height: Real) -> Shape3 {
    let vertices = rings(sides, radii, height);
    let mut triangles = Vec::new();
    let n = sides as u32;
    for i in 0..n {
        let (p, q) = (i, (i + 1) % n);
        triangles.extend([[p, p + n, q], [q, p + n, q + n]]);
        if i > 0 && i + 1 < n {
            triangles.extend([[0, p, q], [n, q + n, p + n]]);
        }
    }
    Shape3::mesh(&vertices, &triangles).unwrap()
}

/// A tetrahedron that stands on a face, as a closed mesh.
fn tetrahedron(size: Real) -> Shape3 {
    let mut vertices = rings(3, [size, 0.0], 0.8 * size);
    vertices.truncate(4);
    Shape3::mesh(&vertices, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).unwrap()
}

/// A ball of triangles on the one that is nearest to its middle: from any other it might roll on to that.
fn ball(size: Real, rounds: u32) -> (Shape3, Quat) {
    let surface = generate::icosphere(size, rounds).unwrap();
    let faces = surface.triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
        let normal = (b - a).cross(c - a).normalize();
        (normal.dot(a), normal)
    });
    let (_, normal) = faces.min_by(|x, y| x.0.total_cmp(&y.0)).unwrap();
    (mesh(&surface), Quat::from_rotation_arc(normal, -Vec3::Y))
}

/// A bridge on two feet, as a closed mesh.
fn bridge(size: Real) -> Shape3 {
    let outline: [[Real; 2]; 8] = [
        [-0.5, -0.3],
        [-0.3, -0.3],
        [-0.3, 0.0],
        [0.3, 0.0],
        [0.3, -0.3],
        [0.5, -0.3],
        [0.5, 0.3],
        [-0.5, 0.3],
    ];
    let at = |z: Real| outline.iter().map(move |[x, y]| Vec3::new(*x, *y, z) * size);
    let vertices: Vec<Vec3> = at(-0.35).chain(at(0.35)).collect();
    let caps = [[0, 1, 2], [0, 2, 7], [2, 3, 7], [3, 6, 7], [3, 4, 5], [3, 5, 6]];
    let sides = (0..8).flat_map(|i| {
        let (p, q) = (i, (i + 1) % 8);
        [[p, q, p + 8], [q, q + 8, p + 8]]
    });
    let triangles: Vec<[u32; 3]> =
        caps.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + 8, b + 8, c + 8]]).chain(sides).collect();
    Shape3::mesh(&vertices, &triangles).unwrap()
}

/// Convex bodies, and solids of triangles, of sizes from 15 cm to a metre.
fn body(is_mesh: bool, random: &mut Random) -> (&'static str, Shape3, Quat) {
    let size = 0.15 + 0.85 * random.next() * random.next();
    let lying = Quat::IDENTITY;
    let kind = (8.0 * random.next()) as i32;
    let flat = 0.3 + random.next();
    if is_mesh {
        return match kind {
            0 => ("mesh box", mesh(&box_surface(Vec3::new(1.0, flat, 0.7) * size, Vec3::ZERO)), lying),
            1 => ("fine mesh box", mesh(&fine_box(Vec3::new(1.0, flat, 0.7) * size, 3)), lying),
            2 => ("tetrahedron", tetrahedron(0.6 * size), lying),
            3 => ("drum", drum(7, [0.5 * size, 0.35 * size], flat * size), lying),
            4 => ("wide drum", drum(12, [0.5 * size; 2], 0.5 * flat * size), lying),
            5 => ("bridge", bridge(size), lying),
            6 => {
                let (shape, lying) = ball(0.5 * size, 1);
                ("coarse ball", shape, lying)
            }
            _ => {
                let (shape, lying) = ball(0.5 * size, 2);
                ("fine ball", shape, lying)
            }
        };
    }
    match kind {
        0 => ("ball", Shape3::sphere(0.5 * size), lying),
        1 => ("box", Shape3::cuboid(size, flat * size, 0.7 * size), lying),
        2 => {
            let half = Vec3::X * (0.4 * size);
            ("capsule", Shape3::capsule(-half, half, 0.25 * size), lying)
        }
        3 => {
            let corners = rings(7, [0.5 * size, 0.35 * size], flat * size);
            ("hull", Shape3::hull(&corners).unwrap(), lying)
        }
        4 => ("cylinder", Shape3::cylinder(flat * size, 0.5 * size), lying),
        5 | 6 => ("cone", Shape3::cone(flat * size, 0.5 * size), lying),
        _ => ("rounded box", Shape3::rounded_cuboid(size, 0.6 * size, 0.7 * size, 0.05 * size), lying),
    }
}

fn runs() -> u64 {
    if std::env::var_os("TOPPLE_LONG_TESTS").is_some() { 10 * RUNS } else { RUNS }
}

fn all(is_mesh: bool) {
    let mut off = Vec::new();
    let mut count = 0;
    for floor in FLOORS {
        for narrow_phase in NARROW_PHASES {
            for seed in 0..runs() {
                let (course, mut random) = Course::new(floor, seed);
                let body = body(is_mesh, &mut random);
                off.extend(course.run(narrow_phase, body, &mut random));
                count += 1;
            }
        }
    }
    assert!(off.is_empty(), "{} of {count} runs are off:\n{}", off.len(), off.join("\n"));
}

#[test]
fn convex_bodies_slide_over_random_floors() {
    all(false);
}

#[test]
fn solids_of_triangles_slide_over_random_floors() {
    all(true);
}

/// Runs that were off among ten times as many.
#[test]
fn runs_that_were_off_are_not() {
    for (floor, seed, is_mesh) in [
        (Floor::Triangles, 37, true),
        (Floor::Turned, 39, false),
        (Floor::Mesh, 7, true),
        (Floor::Sheets, 37, true),
    ] {
        for narrow_phase in NARROW_PHASES {
            let (course, mut random) = Course::new(floor, seed);
            let body = body(is_mesh, &mut random);
            let off = course.run(narrow_phase, body, &mut random);
            assert!(off.is_none(), "{}", off.unwrap_or_default());
        }
    }
}
