//! Nothing gets through a wall, however thin, at whatever speed and angle.

use crate::support::*;
use topple::distance::closest_points;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::world::ShapeView;
use topple::{BodyDef, BodyId, ShapeDef, World};

/// Bodies per wall, and walls per dimension: ten thousand bodies in each, and ten times as many in a long run.
const BODIES: usize = 50;
const GROUPS: usize = 200;
const STEPS: usize = 30;

/// Slowest and fastest bodies [m/s]: the latter the settings' own limit.
const SPEEDS: [Real; 2] = [1.0, 1000.0];
/// Fastest spin [rad/s]: about a whole turn per step.
const SPIN: Real = 400.0;

/// Where bodies are stopped, as the guide says: no deeper than this share of the inner radius (no unit), and the slop.
const DEEPEST: Real = 0.75;

/// A wall, and bodies that fly at it.
struct Range<D: Dim> {
    world: World<D>,
    /// Middle of the wall; y points to the side of the bodies.
    wall: Pose<D>,
    /// Half of the wall's thickness [m].
    top: Real,
    /// Half of the wall's width [m].
    half: Real,
    /// The wall is made of tiles, segments or triangles.
    is_net: bool,
    /// Number of bodies that make the wall; they come first.
    walls: usize,
    bodies: Vec<BodyId>,
    name: String,
}

/// A wall at a random place and angle, in one piece or in tiles, and `BODIES` bodies of all shapes before it, fast and spinning,
/// towards it. Settings untouched.
fn shooting_range<D: Kit>(group: usize) -> Range<D> {
    let mut random = Random(0x9E37_79B9 * (group as u64 + 1));
    let mut world = World::<D>::new();
    let kind = (group / 2) % D::WALLS;
    let is_tiled = group % 2 == 1 && D::wall(kind, TILE).1.half_space().is_none();
    let angle = 3.1 * random.unit();
    let rotation = D::Rot::from_ang(random.turn::<D>(angle));
    let wall = Pose::<D> { position: D::Point::from_vec(random.direction::<D>(20.0)), rotation };
    let mut name = D::wall(kind, WIDTH).0.to_string();
    let mut half = 0.5 * WIDTH;
    if is_tiled {
        name += " in tiles";
        half = TILE * (TILES as Real + 0.5);
        for offset in tiles::<D>() {
            let place = wall.transform(offset);
            let def = BodyDef { rotation, ..BodyDef::fixed(place) };
            world.create_body_with(def, [ShapeDef::new(D::wall(kind, TILE).1)]).unwrap();
        }
    } else {
        let def = BodyDef { rotation, ..BodyDef::fixed(wall.position) };
        world.create_body_with(def, [ShapeDef::new(D::wall(kind, WIDTH).1)]).unwrap();
    }
    let normal = rotation.rotate(D::Vec::axis(1));
    let mut bodies = Vec::new();
    for i in 0..BODIES {
        let size = random.scale(0.02, 1.5);
        let across = |v: D::Vec| v - normal * v.dot(normal);
        let aside = across(random.direction::<D>(i as Real * 0.5));
        let height = size + random.range(0.0, 8.0);
        let speed = random.scale(SPEEDS[0], SPEEDS[1]);
        // From head-on to two degrees from parallel.
        let along = across(random.direction::<D>(1.0)).normalize_or(rotation.rotate(D::Vec::axis(0)));
        let down = random.range(0.03, 1.0);
        let velocity = (along * (1.0 - down * down).sqrt() - normal * down) * speed;
        let mut def = thrown::<D>(wall.position.to_vec() + normal * height + aside, velocity);
        def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
        def.angular_velocity = random.turn::<D>(1.0) * (SPIN * random.unit() * random.unit());
        def.is_bullet = i % 7 == 0;
        let shapes = D::body((i + group) % D::BODIES, size);
        bodies.push(world.create_body_with(def, only_walls(shapes)).unwrap());
    }
    let is_net = is_tiled || D::wall(kind, TILE).1.composite().is_some();
    let walls = world.body_ids().count() - BODIES;
    Range { world, wall, top: D::wall(kind, TILE).2, half, is_net, walls, bodies, name }
}

/// Places of tiles in the frame of the wall.
fn tiles<D: Dim>() -> Vec<D::Vec> {
    let row = -TILES..=TILES;
    let place = |i: i32, k: i32| {
        let mut offset = D::Vec::axis(0) * (i as Real * TILE);
        if D::N == 3 {
            offset.set(2, k as Real * TILE);
        }
        offset
    };
    if D::N == 2 {
        row.map(|i| place(i, 0)).collect()
    } else {
        row.clone().flat_map(|i| row.clone().map(move |k| (i, k))).map(|(i, k)| place(i, k)).collect()
    }
}

impl<D: Kit> Range<D> {
    /// How much of the wall there is around the place `p`, given in its frame [m]; negative beside it.
    fn within(&self, p: D::Vec) -> Real {
        (0..D::N)
            .filter(|&axis| axis != 1)
            .fold(self.half, |room, axis| room.min(self.half - p.get(axis).abs()))
    }

    /// One step. Bodies that have left the wall sideways are forgotten; of the others none may be behind, nor any shape deeper than
    /// promised. Returns how many were stopped.
    fn step(&mut self, step: usize) -> u32 {
        let see = |world: &World<D>, wall: &Pose<D>, id: BodyId| {
            wall.inverse_transform(world.body(id).unwrap().center())
        };
        let before: Vec<_> = self.bodies.iter().map(|&id| see(&self.world, &self.wall, id)).collect();
        self.world.step();
        let mut stay = Vec::new();
        for (&id, before) in self.bodies.iter().zip(before) {
            let body = self.world.body(id).unwrap();
            let now = self.wall.inverse_transform(body.center());
            let text = || {
                format!(
                    "{}: {id:?} after step {step} at {now:?} of the wall, before at {before:?}",
                    self.name
                )
            };
            if now.get(1) < 0.0 {
                // Where the middle went through the plane: beside the wall is not through it.
                let share = before.get(1) / (before.get(1) - now.get(1));
                let crossed = before + (now - before) * share;
                assert!(self.within(crossed) < ROOM, "got through: {}", text());
            }
            if self.within(now) < ROOM {
                continue;
            }
            for shape in body.shapes() {
                let view = self.world.shape(shape).unwrap();
                let (depth, inner) = (self.depth(&view), inner_radius::<D>(view.geometry()));
                let settings = self.world.settings();
                let allowed = DEEPEST * inner + (settings.slop * inner).min(settings.max_slop) + ROUNDING
                    // Of a mesh the middle is watched as if it were a ball.
                    + view.geometry().composite().map_or(0.0, |_| view.geometry().farthest_from(D::Vec::ZERO) - 0.9 * inner);
                assert!(
                    depth <= allowed,
                    "{} of inner radius {inner} is {depth} m deep: {}",
                    view.geometry().kind(),
                    text()
                );
            }
            stay.push(id);
        }
        self.bodies = stay;
        assert!(self.world.events().fault.is_empty());
        self.world.profile().counters.stopped
    }

    /// How deep a shape is in the wall [m]: below its surface, or, where that is in pieces (tiles, triangles, segments), as the shortest way out of
    /// any of them: a spike that comes through a fine net is no deeper than it is thick.
    fn depth(&self, view: &ShapeView<'_, D>) -> Real {
        let depth = self.top - self.lowest(view);
        if depth <= 0.0 || !self.is_net {
            return depth;
        }
        let bounds = view.aabb();
        let walls = self
            .world
            .body_ids()
            .take(self.walls)
            .flat_map(|id| self.world.body(id).unwrap().shapes().collect::<Vec<_>>());
        let walls =
            walls.map(|shape| self.world.shape(shape).unwrap()).filter(|wall| wall.aabb().overlaps(&bounds));
        let depths = walls.map(|wall| {
            let closest = closest_points::<D>(view.geometry(), &view.pose(), wall.geometry(), &wall.pose());
            -closest.unwrap().distance
        });
        depths.fold(Real::NEG_INFINITY, Real::max)
    }

    /// Height of the lowest point of a shape above the middle of the wall [m].
    fn lowest(&self, view: &ShapeView<'_, D>) -> Real {
        let (shape, pose) = (view.geometry(), self.wall.relative(view.pose()));
        let down = pose.rotation.rotate_inv(-D::Vec::axis(1));
        let points = shape.support(down).map_or_else(|| shape.vertices(), |point| vec![point]);
        let heights = points.iter().map(|&p| pose.transform(p).to_vec().get(1));
        heights.fold(Real::INFINITY, Real::min) - shape.rounding()
    }
}

/// Bodies closer to the end of a wall than this have left it [m]: more than their reach.
const ROOM: Real = 3.0;
/// Positions some hundred metres from the origin are known to this [m].
const ROUNDING: Real = 1e-4;

/// Inner radius of a shape as continuous collision sees it [m]: shapes that enclose nothing have a twentieth of their reach.
fn inner_radius<D: Dim>(shape: &D::Shape) -> Real {
    let inner = shape.inner_radius();
    if inner.is_finite() { inner } else { 0.05 * shape.farthest_from(D::Vec::ZERO) }
}

fn nothing_passes_walls<D: Kit>() {
    let mut stopped = 0;
    let groups = cases(GROUPS);
    for group in 0..groups {
        let mut range = shooting_range::<D>(group);
        for step in 0..STEPS {
            stopped += range.step(step);
        }
    }
    let bodies = (groups * BODIES) as u32;
    assert!(stopped > bodies / 4, "{stopped} stops of {bodies} bodies: the range shoots past the walls");
}

#[test]
fn nothing_passes_walls_2d() {
    nothing_passes_walls::<D2>();
}
#[test]
fn nothing_passes_walls_3d() {
    nothing_passes_walls::<D3>();
}

/// Bodies that hang on each other: chains thrown at a wall.
fn chains_do_not_pass<D: Kit>() {
    let mut random = Random(3);
    let mut world = weightless::<D>();
    let wall = BodyDef::fixed(D::Point::ORIGIN);
    world.create_body_with(wall, [ShapeDef::new(D::wall(1, WIDTH).1)]).unwrap();
    for i in 0..60 {
        let speed = random.scale(5.0, 400.0);
        let mut last = None;
        for link in 0..4 {
            let place = D::Vec::axis(0) * (i as Real * 3.0 + link as Real * 0.3) + D::Vec::axis(1) * 2.0;
            let aside = random.direction::<D>(0.3);
            let mut def = thrown::<D>(place, (aside - D::Vec::axis(1)) * speed);
            def.is_bullet = i % 2 == 0;
            let body = world.create_body_with(def, only_walls(D::body(i % D::CONVEX, 0.2))).unwrap();
            if let Some(last) = last {
                let anchor = D::Point::from_vec(place - D::Vec::axis(0) * 0.15);
                let joint = topple::JointDef::<D>::ball(&world, last, body, anchor).unwrap();
                world.create_joint(joint).unwrap();
            }
            last = Some(body);
        }
    }
    for step in 0..60 {
        world.step();
        for id in world.body_ids().skip(1) {
            let height = world.body(id).unwrap().center().to_vec().get(1);
            assert!(height > 0.0, "{id:?} is at {height} m after step {step}");
        }
    }
}

#[test]
fn chains_do_not_pass_2d() {
    chains_do_not_pass::<D2>();
}
#[test]
fn chains_do_not_pass_3d() {
    chains_do_not_pass::<D3>();
}

/// The same without continuous collision, to see that the test can fail.
fn without_it_they_pass<D: Kit>() {
    let mut passed = 0;
    for group in 0..10 {
        let Range { mut world, wall, bodies, .. } = shooting_range::<D>(2 * group);
        let mut settings = world.settings().clone();
        settings.continuous = false;
        world.set_settings(settings).unwrap();
        (0..STEPS).for_each(|_| world.step());
        let behind = |id| wall.inverse_transform(world.body(id).unwrap().center()).get(1) < 0.0;
        passed += bodies.into_iter().filter(|&id| behind(id)).count();
    }
    assert!(passed > 10 * BODIES / 4, "{passed}");
}

#[test]
fn without_it_they_pass_2d() {
    without_it_they_pass::<D2>();
}
#[test]
fn without_it_they_pass_3d() {
    without_it_they_pass::<D3>();
}

/// Into the edge between two thin walls, at which both push: nothing gets through either of them, bodies of triangles neither. In sharper
/// edges than 60° contacts squeeze things through: see the guide.
fn nothing_passes_the_edge_of_two_walls<D: Kit>() {
    const SHOTS: usize = 40;
    const LENGTH: Real = 40.0;
    let mut random = Random(21);
    for degrees in [60.0_f32, 90.0, 140.0] {
        let half = 0.5 * degrees.to_radians();
        let (sin, cos) = sin_cos(half);
        let mut world = weightless::<D>();
        let mut inwards = Vec::new();
        for side in [1.0, -1.0] {
            let along = D::Vec::axis(0) * (side * sin) + D::Vec::axis(1) * cos;
            inwards.push(D::Vec::axis(0) * (-side * cos) + D::Vec::axis(1) * sin);
            let mut turn = D::Ang::ZERO;
            // x of the wall to its direction.
            turn.set(D::ANGULAR - 1, core::f32::consts::FRAC_PI_2 - side * half);
            let place = D::Point::from_vec(along * (0.5 * LENGTH));
            let def = BodyDef { rotation: D::Rot::from_ang(turn), ..BodyDef::fixed(place) };
            world.create_body_with(def, [ShapeDef::new(D::block(LENGTH, 1e-4))]).unwrap();
        }
        let mut bodies = Vec::new();
        for i in 0..SHOTS * D::BODIES {
            let size = random.scale(0.1, 1.0);
            let mut place = D::Vec::axis(1) * (size / sin + random.range(1.0, 6.0));
            if D::N == 3 {
                place.set(2, random.range(-8.0, 8.0));
            }
            let mut velocity = D::Vec::axis(1) * -random.scale(2.0, 400.0);
            velocity.set(0, velocity.get(1) * random.range(-0.3, 0.3) * sin);
            let mut def = thrown::<D>(place, velocity);
            def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
            def.angular_velocity = random.turn::<D>(1.0) * (60.0 * random.unit());
            bodies.push(world.create_body_with(def, only_walls(D::body(i % D::BODIES, size))).unwrap());
        }
        for step in 0..40 {
            world.step();
            for (i, &id) in bodies.iter().enumerate() {
                let place = world.body(id).unwrap().center().to_vec();
                // What slid along a wall beyond its end is free.
                let is_in = place.length() > 0.45 * LENGTH || inwards.iter().all(|n| n.dot(place) > 0.0);
                assert!(is_in, "{degrees}°, step {step}, kind {}: at {place:?}", i % D::BODIES);
            }
        }
    }
}

#[test]
fn nothing_passes_the_edge_of_two_walls_2d() {
    nothing_passes_the_edge_of_two_walls::<D2>();
}
#[test]
fn nothing_passes_the_edge_of_two_walls_3d() {
    nothing_passes_the_edge_of_two_walls::<D3>();
}
