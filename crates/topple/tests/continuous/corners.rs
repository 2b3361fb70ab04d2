//! Sharp bodies in the concave corners of one chain, mesh or height field. Their tips give way into a floor by tenths of a millimetre, and so get below the foot of the wall that
//! stands on it.

use crate::support::Random;
use topple::math::*;
use topple::{BodyDef, Shape2, Shape3, ShapeDef, World};

/// The middle of a body may be this far behind the surface of a slope while it is pushed out [m].
const DEEP: Real = 0.01;

/// What the bodies are thrown at.
struct Arena<D: Dim> {
    name: &'static str,
    shape: D::Shape,
    /// Height of a place above the surface, negative outside [m].
    height: fn(D::Vec) -> Real,
}

/// Where the middle of a body was when it was outside, if it ever was.
fn throw<D: Dim>(
    arena: &Arena<D>,
    narrow_phase: &str,
    (shape, friction): (&D::Shape, Real),
    def: BodyDef<D>,
    steps: usize,
) -> Option<(usize, D::Vec)> {
    let mut world = World::<D>::new();
    world.set_narrow_phase_by_name(narrow_phase).unwrap();
    let part = |shape: &D::Shape| ShapeDef::<D>::new(shape.clone()).friction(friction);
    world.create_body_with(BodyDef::<D>::fixed(D::Vec::ZERO), [part(&arena.shape)]).unwrap();
    let body = world.create_body_with(def, [part(shape)]).unwrap();
    (0..steps).find_map(|step| {
        world.step();
        let center = PointOps::<D>::to_vec(world.body(body).unwrap().center());
        ((arena.height)(center) < 0.0).then_some((step, center))
    })
}

/// Wedges 10 cm long, lying on the floor 2 m before a wall, pushed against it.
fn wedges_stop<D: Dim>(arenas: &[Arena<D>], wedge: impl Fn(Real) -> D::Shape) {
    for arena in arenas {
        for narrow_phase in ["auto", "sat", "gjk"] {
            for (height, speed) in
                [0.002, 0.005, 0.01].into_iter().flat_map(|h| (2..42).map(move |v| (h, v as Real)))
            {
                let mut def = BodyDef::<D>::dynamic(D::Vec::axis(0) * -2.0);
                def.linear_velocity = D::Vec::axis(0) * speed;
                let out = throw(arena, narrow_phase, (&wedge(height), 0.5), def, 120);
                assert!(
                    out.is_none(),
                    "{} by {narrow_phase}, {height} m high at {speed} m/s: {out:?}",
                    arena.name
                );
            }
        }
    }
}

#[test]
fn wedges_stop_at_the_wall_of_a_chain() {
    let chain = Shape2::chain(&[Vec2::new(0.0, 5.0), Vec2::new(0.0, 0.0), Vec2::new(-40.0, 0.0)]).unwrap();
    // Four to one, from x = 0 on.
    let mut heights = [0.0; 41];
    heights[20..].iter_mut().enumerate().for_each(|(i, y)| *y = 4.0 * i as Real);
    let slope = Shape2::height_field(40.0, &heights).unwrap();
    let arenas = [
        Arena::<D2> { name: "chain", shape: chain, height: |p| (-p.x).min(p.y) },
        Arena::<D2> {
            name: "height field",
            shape: slope,
            height: |p| (DEEP + p.y).min((p.y - 4.0 * p.x) + 4.0 * DEEP),
        },
    ];
    wedges_stop(&arenas, |h| {
        Shape2::polygon(&[Vec2::new(0.0, 0.0), Vec2::new(0.1, 0.0), Vec2::new(0.02, h)]).unwrap()
    });
}

#[test]
fn wedges_stop_at_the_wall_of_a_mesh() {
    let side = |z: Real| [Vec3::new(-20.0, 0.0, z), Vec3::new(0.0, 0.0, z), Vec3::new(0.0, 4.0, z)];
    let corners: Vec<Vec3> = side(-10.0).into_iter().zip(side(10.0)).flat_map(|(p, q)| [p, q]).collect();
    let mesh = Shape3::mesh(&corners, &[[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]).unwrap();
    let arenas = [Arena::<D3> { name: "mesh", shape: mesh, height: |p| (-p.x).min(p.y) }];
    wedges_stop(&arenas, |h| {
        Shape3::hull(&[
            Vec3::new(0.0, 0.0, -0.03),
            Vec3::new(0.0, 0.0, 0.03),
            Vec3::new(0.1, 0.0, 0.0),
            Vec3::new(0.02, h, 0.0),
        ])
        .unwrap()
    });
}

/// Half the width of a room, and half its height [m].
const HALF: Real = 2.0;

/// Triangles, tetrahedra, cones and plates thrown about in a room of one chain or mesh: 200, or 5 000 with `TOPPLE_LONG_TESTS` set.
fn rooms_hold<D: Dim>(room: &Arena<D>, shape: impl Fn(&mut Random, Real, Real) -> Option<D::Shape>) {
    let count = if std::env::var_os("TOPPLE_LONG_TESTS").is_some() { 5000 } else { 200 };
    let mut random = Random(0x5EED_C0DE);
    let mut out = Vec::new();
    for throw_number in 0..count {
        let narrow_phase = ["auto", "sat", "gjk"][throw_number % 3];
        let (size, flat) = (random.scale(0.025, 1.0), random.scale(0.03, 1.0));
        let Some(shape) = shape(&mut random, size, flat) else { continue };
        let mut def = BodyDef::<D>::dynamic(D::Vec::axis(0) * random.range(-0.5, 0.5));
        def.linear_velocity = random.direction::<D>(1.0) * random.scale(0.5, 30.0);
        (0..D::ANGULAR).for_each(|axis| def.angular_velocity.set(axis, random.range(-10.0, 10.0)));
        let friction = random.unit();
        if let Some(place) = throw(room, narrow_phase, (&shape, friction), def, 400) {
            out.push(format!("throw {throw_number} by {narrow_phase}, {shape:?}: {place:?}"));
        }
    }
    assert!(out.is_empty(), "{} of {count} out of {}: {out:#?}", out.len(), room.name);
}

#[test]
fn rooms_of_a_chain_hold_what_is_sharp() {
    let corners = [(-HALF, -HALF), (-HALF, HALF), (HALF, HALF), (HALF, -HALF)].map(|(x, y)| Vec2::new(x, y));
    let shape = Shape2::chain_loop(&corners).unwrap();
    let room = Arena::<D2> { name: "a chain", shape, height: |p| HALF - p.x.abs().max(p.y.abs()) };
    rooms_hold(&room, |random, size, flat| {
        let points =
            [0, 1, 2].map(|_| Vec2::new(random.range(-size, size), random.range(-size, size) * flat));
        Shape2::polygon(&points).ok()
    });
}

#[test]
fn rooms_of_a_mesh_hold_what_is_sharp() {
    let corner = |i: u32| {
        Vec3::new(1.0, 0.0, 0.0) * (2 * (i & 1)) as Real
            + Vec3::new(0.0, 1.0, 0.0) * (i & 2) as Real
            + Vec3::new(0.0, 0.0, 0.5) * (i & 4) as Real
    };
    let corners: Vec<Vec3> = (0..8).map(|i| (corner(i) - Vec3::splat(1.0)) * HALF).collect();
    // Fronts inside.
    let triangles: Vec<[u32; 3]> =
        [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]]
            .into_iter()
            .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
    let shape = Shape3::mesh(&corners, &triangles).unwrap();
    let height = |p: Vec3| HALF - p.abs().max_element();
    let room = Arena::<D3> { name: "a mesh", shape, height };
    rooms_hold(&room, |random, size, flat| match random.pick(4) {
        0 => Some(Shape3::cone(size, 0.5 * size * flat)),
        1 => Some(Shape3::cuboid(size, size * flat, 0.7 * size)),
        _ => {
            let points = [0; 4].map(|_| {
                let [x, y, z] = [0; 3].map(|_| random.range(-size, size));
                Vec3::new(x, y * flat, z)
            });
            Shape3::hull(&points).ok()
        }
    });
}

/// A triangle with one corner rounded by many: their mean is not its middle.
#[test]
fn polygons_with_crowded_corners_stay_on_a_chain() {
    let chain = Shape2::chain(&[Vec2::new(20.0, 0.0), Vec2::new(-20.0, 0.0)]).unwrap();
    let floor = Arena::<D2> { name: "a flat chain", shape: chain, height: |p| p.y };
    let mut corners = vec![Vec2::new(-0.2, -0.1), Vec2::new(0.0, 0.2)];
    corners.extend((0..16).map(|i| {
        let angle = -1.5 + 2.0 * i as Real / 15.0;
        let (sin, cos) = sin_cos(angle);
        Vec2::new(0.17 + 0.02 * cos, -0.08 + 0.02 * sin)
    }));
    let shape = Shape2::polygon(&corners).unwrap();
    for (speed, turn) in (1..20).flat_map(|v| (0..12).map(move |turn| (v as Real, 0.5 * turn as Real))) {
        let mut def = BodyDef::<D2>::dynamic([0.0, 0.5]);
        (def.linear_velocity, def.rotation) = (Vec2::new(0.0, -speed), Rot2::from_ang(turn));
        let out = throw(&floor, "auto", (&shape, 0.5), def, 120);
        assert!(out.is_none(), "at {speed} m/s, turned by {turn} rad: {out:?}");
    }
}

/// Wedges slide on into a shallow valley of a chain.
#[test]
fn wedges_slide_up_a_slope() {
    let (sin, cos) = sin_cos(5.0_f32.to_radians());
    let ends = [Vec2::new(20.0 * cos, 20.0 * sin), Vec2::ZERO, Vec2::new(-20.0, 0.0)];
    let wedge = [Vec2::new(-0.15, -0.045), Vec2::new(0.15, -0.045), Vec2::new(-0.09, 0.045)];
    for speed in [2.0, 8.0, 16.0, 32.0] {
        let mut world = World::<D2>::new();
        let part = |shape: Shape2| ShapeDef::<D2>::new(shape).friction(0.0);
        world
            .create_body_with(BodyDef::<D2>::fixed([0.0; 2]), [part(Shape2::chain(&ends).unwrap())])
            .unwrap();
        let mut def = BodyDef::<D2>::dynamic([-0.95, 0.046]);
        def.linear_velocity = Vec2::new(speed, 0.0);
        let body = world.create_body_with(def, [part(Shape2::polygon(&wedge).unwrap())]).unwrap();
        let steps = (120.0 / speed) as usize;
        (0..steps).for_each(|_| world.step());
        let way = world.body(body).unwrap().position().x + 0.95;
        let free = speed * steps as Real / 60.0;
        assert!(way > 0.8 * free, "{speed} m/s: {way} m in {steps} steps, not {free} m");
    }
}
