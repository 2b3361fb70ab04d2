//! Bodies that slide without friction over neighbouring separate bodies do not notice where one ends: bricks, tiles of every kind, level,
//! tilted, and far from the origin.

use crate::support::{flat_chain, flat_field, flat_mesh};
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Shape2, Shape3, ShapeDef, World};

/// Heights may change by this much [m].
const HEIGHT: Real = 1e-3;
/// Share of the speed that may be lost or gained.
const LOSS: Real = 1e-3;
/// Speeds to try [m/s].
const SPEEDS: [Real; 3] = [1.0, 6.0, 20.0];
/// Pieces of floor are squares of this size [m].
const TILE: Real = 1.5;
/// Pieces along x to either side, and rows along z to either side.
const COLUMNS: i32 = 12;
const ROWS: i32 = 3;
/// Thickness of solid pieces [m].
const THICK: Real = 0.5;
const STEPS: usize = 60;

/// Where the floor is: its frame, y out of it.
#[derive(Clone, Copy, Debug)]
struct Site<D: Dim> {
    frame: Pose<D>,
}

impl<D: Dim> Site<D> {
    /// Level at the origin; tilted by 20° (down along x); a kilometre away.
    fn all() -> [(&'static str, Self); 3] {
        let mut tilt = D::Ang::ZERO;
        tilt.set(D::ANGULAR - 1, -20.0_f32.to_radians());
        let mut far = D::Vec::ZERO;
        (0..D::N).for_each(|axis| far.set(axis, 1000.0 / (D::N as Real).sqrt()));
        let tilted = Pose { position: D::Point::ORIGIN, rotation: D::Rot::from_ang(tilt) };
        [
            ("level", Self { frame: Pose::IDENTITY }),
            ("tilted", Self { frame: tilted }),
            ("far away", Self { frame: Pose::at(D::Point::from_vec(far)) }),
        ]
    }

    fn def(&self, kind: BodyKind, at: D::Vec) -> BodyDef<D> {
        let def = BodyDef { kind, ..BodyDef::fixed(self.frame.transform(at)) };
        BodyDef { rotation: self.frame.rotation, ..def }
    }

    fn put(&self, world: &mut World<D>, kind: BodyKind, shape: D::Shape, at: D::Vec) -> BodyId {
        world.create_body_with(self.def(kind, at), [ShapeDef::new(shape).friction(0.0)]).unwrap()
    }
}

/// Middles of the pieces.
fn places<D: Dim>() -> Vec<D::Vec> {
    let rows = if D::N == 3 { -ROWS..=ROWS } else { 0..=0 };
    let place = |(i, k): (i32, i32)| {
        let mut at = D::Vec::axis(0) * (i as Real * TILE);
        if D::N == 3 {
            at.set(2, k as Real * TILE);
        }
        at
    };
    (-COLUMNS..=COLUMNS).flat_map(|i| rows.clone().map(move |k| (i, k))).map(place).collect()
}

/// A floor is built in a world; what it returns are bricks, which may move a little.
type Floor<'a, D> = &'a dyn Fn(&mut World<D>, &Site<D>) -> Vec<BodyId>;

/// How far any of `bodies` moved along `up` since `before` [m].
fn moved<D: Dim>(world: &World<D>, bodies: &[BodyId], up: D::Vec, before: &[D::Point]) -> Real {
    let ways =
        bodies.iter().zip(before).map(|(&id, &old)| (world.body(id).unwrap().position() - old).dot(up).abs());
    ways.fold(0.0, Real::max)
}

/// Slides a body along x, and askew, at every speed; checks its height above the floor and its speed against free motion down the slope.
fn slides<D: Dim>(name: &str, site: &Site<D>, floor: Floor<'_, D>, shape: &D::Shape, rest: Real) {
    for (trial, speed) in SPEEDS.into_iter().enumerate() {
        let mut world = World::<D>::new();
        let bricks = floor(&mut world, site);
        let mut start = D::Vec::axis(0) * (-0.5 * speed - 0.3) + D::Vec::axis(1) * rest;
        let mut along = D::Vec::axis(0);
        if D::N == 3 {
            start.set(2, 0.4);
            along.set(2, [0.0, 0.17, -0.23][trial]);
        }
        let mut def = site.def(BodyKind::Dynamic, start);
        def.can_sleep = false;
        let body = world.create_body_with(def, [ShapeDef::new(shape.clone()).friction(0.0)]).unwrap();
        // Held by its foot until it has settled: falling onto the floor is another matter.
        let up = site.frame.rotation.rotate(D::Vec::axis(1));
        let gravity = world.settings().gravity;
        let level = up * gravity.dot(up);
        let mut settings = world.settings().clone();
        settings.gravity = level;
        world.set_settings(settings.clone()).unwrap();
        for _ in 0..60 {
            world.step();
        }
        settings.gravity = gravity;
        // Bricks would all slide down against their frame: for them gravity stays square to the floor.
        let pull = if bricks.is_empty() { gravity - level } else { D::Vec::ZERO };
        settings.gravity = level + pull;
        let dt = settings.dt;
        world.set_settings(settings).unwrap();
        let mut velocity = site.frame.rotation.rotate(along) * speed;
        world.body_mut(body).unwrap().set_linear_velocity(velocity).unwrap();
        let height =
            |world: &World<D>| site.frame.inverse_transform(world.body(body).unwrap().position()).get(1);
        let at_start = height(&world);
        let before: Vec<_> = bricks.iter().map(|&id| world.body(id).unwrap().position()).collect();
        for step in 0..STEPS {
            world.step();
            velocity += pull * dt;
            let allowed = HEIGHT + moved(&world, &bricks, up, &before);
            let now = height(&world);
            assert!(
                (now - at_start).abs() <= allowed,
                "{name} at {speed} m/s, step {step}: height {now} m after {at_start} m, allowed {allowed} m"
            );
            let v = world.body(body).unwrap().linear_velocity();
            let share = v.dot(velocity) / velocity.length_squared();
            assert!(
                (share - 1.0).abs() <= LOSS,
                "{name} at {speed} m/s, step {step}: {v:?} instead of {velocity:?}"
            );
        }
        let sunk = moved(&world, &bricks, up, &before);
        assert!(sunk < 2.0 * HEIGHT, "{name}: bricks moved by {sunk} m");
    }
}

fn on_3d(ground: &str, floor: Floor<'_, D3>) {
    let lying = Shape3::capsule(Vec3::new(-0.4, 0.0, 0.0), Vec3::new(0.4, 0.0, 0.0), 0.25);
    let shapes = [
        ("box", Shape3::cuboid(0.8, 0.5, 0.6), 0.25),
        ("sphere", Shape3::sphere(0.4), 0.4),
        ("capsule", lying, 0.25),
    ];
    for (place, site) in Site::all() {
        for (name, shape, rest) in &shapes {
            slides::<D3>(&format!("{name} on {ground}, {place}"), &site, floor, shape, *rest);
        }
    }
}

fn on_2d(ground: &str, floor: Floor<'_, D2>) {
    let shapes = [
        ("rectangle", Shape2::rectangle(0.8, 0.5), 0.25),
        ("circle", Shape2::circle(0.4), 0.4),
        ("capsule", Shape2::capsule(Vec2::new(-0.4, 0.0), Vec2::new(0.4, 0.0), 0.25), 0.25),
    ];
    for (place, site) in Site::all() {
        for (name, shape, rest) in &shapes {
            slides::<D2>(&format!("{name} on {ground}, {place}"), &site, floor, shape, *rest);
        }
    }
}

/// Tiles of the shapes that `tile` makes, each on a body of its own, with its depth below the floor.
fn tiles<D: Dim>(
    world: &mut World<D>,
    site: &Site<D>,
    kind: BodyKind,
    tile: &dyn Fn(usize) -> (D::Shape, Real),
) {
    for (i, at) in places::<D>().into_iter().enumerate() {
        let (shape, depth) = tile(i);
        site.put(world, kind, shape, at - D::Vec::axis(1) * depth);
    }
}

fn block3() -> (Shape3, Real) {
    (Shape3::cuboid(TILE, THICK, TILE), 0.5 * THICK)
}

fn block2() -> (Shape2, Real) {
    (Shape2::rectangle(TILE, THICK), 0.5 * THICK)
}

#[test]
fn boxes() {
    on_3d("boxes", &|world, site| {
        tiles(world, site, BodyKind::Static, &|_| block3());
        Vec::new()
    });
    on_2d("rectangles", &|world, site| {
        tiles(world, site, BodyKind::Static, &|_| block2());
        Vec::new()
    });
}

#[test]
fn kinematic_tiles() {
    on_3d("kinematic boxes", &|world, site| {
        tiles(world, site, BodyKind::Kinematic, &|_| block3());
        Vec::new()
    });
    on_2d("kinematic rectangles", &|world, site| {
        tiles(world, site, BodyKind::Kinematic, &|_| block2());
        Vec::new()
    });
}

#[test]
fn mesh_beside_mesh() {
    on_3d("meshes", &|world, site| {
        tiles(world, site, BodyKind::Static, &|_| (flat_mesh(2, 0.5 * TILE), 0.0));
        Vec::new()
    });
    on_2d("chains", &|world, site| {
        tiles(world, site, BodyKind::Static, &|_| (flat_chain(2, 0.5 * TILE), 0.0));
        Vec::new()
    });
}

#[test]
fn mesh_beside_box() {
    on_3d("meshes and boxes", &|world, site| {
        let tile = |i: usize| if i.is_multiple_of(2) { (flat_mesh(2, 0.5 * TILE), 0.0) } else { block3() };
        tiles(world, site, BodyKind::Static, &tile);
        Vec::new()
    });
    on_2d("chains and rectangles", &|world, site| {
        let tile = |i: usize| if i.is_multiple_of(2) { (flat_chain(2, 0.5 * TILE), 0.0) } else { block2() };
        tiles(world, site, BodyKind::Static, &tile);
        Vec::new()
    });
}

#[test]
fn height_field_tiles() {
    on_3d("height fields", &|world, site| {
        tiles(world, site, BodyKind::Static, &|_| (flat_field(3, TILE / 3.0), 0.0));
        Vec::new()
    });
    on_2d("height fields", &|world, site| {
        let field = || Shape2::height_field(TILE, &[0.0; 4]).unwrap();
        tiles(world, site, BodyKind::Static, &|_| (field(), 0.0));
        Vec::new()
    });
}

/// All pieces on one body.
fn in_one_body<D: Dim>(world: &mut World<D>, site: &Site<D>, (shape, depth): (D::Shape, Real)) {
    let down = D::Vec::axis(1) * depth;
    let piece = |at: D::Vec| {
        ShapeDef::<D>::new(shape.clone()).friction(0.0).at(Pose::at(D::Point::from_vec(at - down)))
    };
    world
        .create_body_with(site.def(BodyKind::Static, D::Vec::ZERO), places::<D>().into_iter().map(piece))
        .unwrap();
}

#[test]
fn one_body_of_many_boxes() {
    on_3d("a body of boxes", &|world, site| {
        in_one_body(world, site, block3());
        Vec::new()
    });
    on_2d("a body of rectangles", &|world, site| {
        in_one_body(world, site, block2());
        Vec::new()
    });
}

#[test]
fn height_field_beside_box() {
    on_3d("height fields and boxes", &|world, site| {
        let field = || (flat_field(3, TILE / 3.0), 0.0);
        tiles(world, site, BodyKind::Static, &|i| if i.is_multiple_of(2) { field() } else { block3() });
        Vec::new()
    });
    on_2d("height fields and rectangles", &|world, site| {
        let field = || (Shape2::height_field(TILE, &[0.0; 4]).unwrap(), 0.0);
        tiles(world, site, BodyKind::Static, &|i| if i.is_multiple_of(2) { field() } else { block2() });
        Vec::new()
    });
}

/// Heavy bricks side by side on a slab, held by a frame. They rest on their slop; the frame has no play.
fn bricks<D: Dim>(
    world: &mut World<D>,
    site: &Site<D>,
    (shape, depth): (D::Shape, Real),
    slab: D::Shape,
    rims: &[(D::Shape, D::Vec)],
    is_awake: bool,
) -> Vec<BodyId> {
    site.put(world, BodyKind::Static, slab, D::Vec::axis(1) * (-2.0 * depth - 0.5));
    for (rim, at) in rims {
        site.put(world, BodyKind::Static, rim.clone(), *at - D::Vec::axis(1) * depth);
    }
    let brick = ShapeDef::<D> { density: 2e4, ..ShapeDef::new(shape).friction(0.0) };
    let mut made = Vec::new();
    for at in places::<D>() {
        let mut def = site.def(BodyKind::Dynamic, at - D::Vec::axis(1) * depth);
        (def.can_sleep, def.is_awake) = (!is_awake, is_awake);
        made.push(world.create_body_with(def, [brick.clone()]).unwrap());
    }
    made
}

fn bricks3(world: &mut World<D3>, site: &Site<D3>, is_awake: bool) -> Vec<BodyId> {
    let (x, z) = (TILE * (COLUMNS as Real + 0.5), TILE * (ROWS as Real + 0.5));
    let slab = Shape3::cuboid(2.0 * x + 2.0, 1.0, 2.0 * z + 2.0);
    let rim_x = Shape3::cuboid(1.0, 0.5 * THICK, 2.0 * z);
    let rim_z = Shape3::cuboid(2.0 * x, 0.5 * THICK, 1.0);
    let rims = [
        (rim_x.clone(), Vec3::X * (x + 0.5)),
        (rim_x, Vec3::X * -(x + 0.5)),
        (rim_z.clone(), Vec3::Z * (z + 0.5)),
        (rim_z, Vec3::Z * -(z + 0.5)),
    ];
    bricks(world, site, block3(), slab, &rims, is_awake)
}

fn bricks2(world: &mut World<D2>, site: &Site<D2>, is_awake: bool) -> Vec<BodyId> {
    let x = TILE * (COLUMNS as Real + 0.5);
    let rim = Shape2::rectangle(1.0, 0.5 * THICK);
    let rims = [(rim.clone(), Vec2::X * (x + 0.5)), (rim, Vec2::X * -(x + 0.5))];
    bricks(world, site, block2(), Shape2::rectangle(2.0 * x + 2.0, 1.0), &rims, is_awake)
}

#[test]
fn bricks_awake() {
    on_3d("bricks", &|world, site| bricks3(world, site, true));
    on_2d("bricks", &|world, site| bricks2(world, site, true));
}

#[test]
fn bricks_asleep() {
    on_3d("sleeping bricks", &|world, site| bricks3(world, site, false));
    on_2d("sleeping bricks", &|world, site| bricks2(world, site, false));
}
