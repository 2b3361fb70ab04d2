//! Scene → text → scene gives the same scene, bit by bit.

use proptest::prelude::*;
use topple_scene::model::force::Law;
use topple_scene::model::geometry::{normalize, normalize_rotation};
use topple_scene::model::{
    Body, BodyKind, Camera, Defaults, Drive, Expectation, Filter, Force, ForceKind, Ignore, Joint, JointKind,
    Light, Locks, Look, Material, MeshForm, Moment, Motor, Overload, Part, Pose, Query, Scene, Setting,
    Shape, Soft, Spring, Target, Vec3, Window, World,
};
use topple_scene::span::Span;
use topple_scene::{FileLoader, Loader, Options, Surface, ast, load, print};

use crate::support::{crate_root, load_file, scenes};

/// Gives a tetrahedron for the file of random meshes, and finds those of the corpus.
struct Tetrahedra;

impl Loader for Tetrahedra {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
        Err(String::from("no includes here"))
    }

    fn mesh(&mut self, path: &str, _: &str, limits: &topple_mesh::Limits) -> Result<Surface, String> {
        let from = crate_root().join("tests/data/ok/x").display().to_string();
        if path == "a b.obj" { Ok(tetrahedron()) } else { FileLoader::default().mesh(path, &from, limits) }
    }
}

fn tetrahedron() -> Surface {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    Surface {
        vertices: corners.map(topple::Vec3::from).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    }
}

/// What the printer wrote loads to the same scene.
fn assert_round_trip(scene: &Scene) {
    let text = print::scene(scene);
    let loaded = load(&text, Options { loader: Some(&mut Tetrahedra), ..Options::default() });
    assert!(loaded.diagnostics.is_empty(), "{text}\n{}", loaded.report(false));
    let mut again = loaded.scene;
    again.world.declared = scene.world.declared;
    assert_eq!(&again, scene, "{text}");
}

#[test]
fn the_corpus_survives_printing() {
    for path in scenes("ok") {
        assert_round_trip(&load_file(&path).scene);
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e3..1e3, -1e-7..1e-7, Just(0.0), (-100i32..100).prop_map(f64::from)]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![1e-6..1e3, (1i32..50).prop_map(f64::from), Just(1e-9), Just(1e20)]
}

fn vector(dimension: u8) -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(move |[x, y, z]| [x, y, if dimension == 2 { 0.0 } else { z }])
}

fn lengths(dimension: u8) -> impl Strategy<Value = Vec3> {
    [positive(), positive(), positive()]
        .prop_map(move |[x, y, z]| [x, y, if dimension == 2 { 0.0 } else { z }])
}

fn direction(dimension: u8) -> impl Strategy<Value = Vec3> {
    vector(dimension).prop_map(|v| if v == [0.0; 3] { [0.0, 1.0, 0.0] } else { normalize(v) })
}

fn spin(dimension: u8) -> impl Strategy<Value = Vec3> {
    vector(3).prop_map(move |v| if dimension == 2 { [0.0, 0.0, v[2]] } else { v })
}

fn pose(dimension: u8) -> impl Strategy<Value = Pose> {
    (vector(dimension), [number(), number(), number(), number()], number()).prop_map(
        move |(position, q, angle)| {
            if dimension == 2 {
                Pose { position, angle, ..Pose::IDENTITY }
            } else {
                Pose {
                    position,
                    rotation: normalize_rotation(q).unwrap_or(Pose::IDENTITY.rotation),
                    angle: 0.0,
                }
            }
        },
    )
}

fn shape(dimension: u8) -> BoxedStrategy<Shape> {
    let ball = positive().prop_map(|radius| Shape::Ball { radius });
    let cuboid = (lengths(dimension), prop_oneof![Just(0.0), positive()])
        .prop_map(|(size, rounding)| Shape::Cuboid { size, rounding });
    let capsule = (vector(dimension), positive(), positive()).prop_map(|(from, length, radius)| {
        Shape::Capsule { from, to: [from[0] + length + 1.0, from[1], from[2]], radius }
    });
    if dimension == 2 {
        let hull = (positive(), positive()).prop_map(|(x, y)| Shape::Hull {
            points: vec![[0.0; 3], [x, 0.0, 0.0], [0.0, y, 0.0]],
            rounding: 0.0,
        });
        let chain = (prop::collection::vec(vector(2), 2..6), any::<bool>()).prop_map(|(points, closed)| {
            Shape::Chain {
                beyond: (!closed && points.len() > 3).then(|| [points[0], points[1]]),
                points,
                closed,
            }
        });
        let field = prop::collection::vec(number(), 2..9).prop_map(|heights| Shape::HeightField {
            columns: heights.len() as u32,
            size: [2.5, 0.0],
            heights,
        });
        let segment = vector(2).prop_map(|from| Shape::Segment { from, to: [from[0] + 1.0, from[1], 0.0] });
        let plane = (direction(2), number()).prop_map(|(normal, offset)| Shape::HalfSpace { normal, offset });
        prop_oneof![ball, cuboid, capsule, hull, chain, field, segment, plane].boxed()
    } else {
        let cylinder = (positive(), positive()).prop_map(|(radius, height)| Shape::Cylinder {
            radius,
            height,
            rounding: 0.0,
        });
        let cone = (positive(), positive()).prop_map(|(radius, height)| Shape::Cone {
            radius,
            height,
            rounding: 0.1 * radius,
        });
        let hull = prop::collection::vec(vector(3), 4..7)
            .prop_map(|points| Shape::Hull { rounding: if points.len() > 4 { 0.5 } else { 0.0 }, points });
        let triangle = [vector(3), vector(3), vector(3)].prop_map(|corners| Shape::Triangle { corners });
        let plane = (direction(3), number()).prop_map(|(normal, offset)| Shape::HalfSpace { normal, offset });
        let form = prop_oneof![
            Just(MeshForm::Triangles),
            Just(MeshForm::Hull),
            (1u32..256).prop_map(MeshForm::Pieces)
        ];
        let mesh = (positive(), form).prop_map(|(scale, form)| Shape::Mesh {
            file: "a b.obj".into(),
            surface: tetrahedron().into(),
            scale,
            form,
        });
        let field = (2u32..4, 2u32..4, positive()).prop_map(|(rows, columns, size)| Shape::HeightField {
            columns,
            size: [size, size * 2.0],
            heights: (0..rows * columns).map(|index| f64::from(index) / 3.0).collect(),
        });
        prop_oneof![ball, cuboid, capsule, cylinder, cone, hull, plane, triangle, mesh, field].boxed()
    }
}

fn part(dimension: u8) -> impl Strategy<Value = Part> {
    let material = ([positive(), positive(), positive()], prop::option::of(positive()), vector(dimension))
        .prop_map(move |([density, friction, rolling], static_friction, surface_velocity)| Material {
            density,
            elastic: 0.25,
            friction,
            static_friction,
            rolling_friction: rolling,
            spinning_friction: 0.0,
            surface_velocity,
            grain: if dimension == 3 && friction > 1.0 { surface_velocity } else { [0.0; 3] },
            grain_friction: if dimension == 3 { density } else { 1.0 },
            friction_mixing: (friction > 1.0).then(|| "min".into()),
            elastic_mixing: (density > 1.0).then(|| "product".into()),
        });
    let filter = (any::<u32>(), any::<u32>(), -100i32..100, any::<bool>())
        .prop_map(|(category, mask, group, sensor)| Filter { category, mask, group, sensor });
    let look = ([0.0..1.0, 0.0..1.0, 0.0..1.0], any::<bool>()).prop_map(|(colour, hidden)| Look {
        colour: hidden.then_some(colour),
        texture: hidden.then(|| "wood.png".into()),
        hidden,
    });
    (shape(dimension), pose(dimension), material, filter, look).prop_map(
        |(shape, pose, material, filter, look)| {
            let pose = if matches!(shape, Shape::HalfSpace { .. }) { Pose::IDENTITY } else { pose };
            Part { shape, pose, material, filter, look, span: Span::default() }
        },
    )
}

fn body(dimension: u8) -> impl Strategy<Value = Body> {
    let parts = prop::collection::vec(part(dimension), 1..4);
    let numbers = (number(), positive(), positive()).prop_map(|(a, b, c)| [a, b, c]);
    let flags = [any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()];
    (parts, pose(dimension), vector(dimension), spin(dimension), numbers, flags, 0u8..3, any::<[bool; 6]>())
        .prop_map(move |(mut parts, pose, velocity, angular_velocity, numbers, flags, kind, locked)| {
            let ground = parts.iter().any(|part| part.shape.is_ground());
            if parts.len() == 1 && flags[0] {
                parts[0].pose = Pose::IDENTITY;
            }
            let kind = match kind {
                0 if !ground => BodyKind::Dynamic,
                1 => BodyKind::Kinematic,
                _ => BodyKind::Static,
            };
            // A static body with a velocity is a warning.
            let still = kind == BodyKind::Static;
            // A wall alone has no motion to write down.
            let wall = parts.len() == 1 && matches!(parts[0].shape, Shape::HalfSpace { .. });
            let plain = wall && still;
            Body {
                name: None,
                group: flags[4].then(|| "some.group[3]".into()),
                kind,
                pose: if plain { Pose::IDENTITY } else { pose },
                velocity: if still { [0.0; 3] } else { velocity },
                angular_velocity: if still { [0.0; 3] } else { angular_velocity },
                mass: (flags[1] && !plain).then_some(numbers[1]),
                inertia: (flags[2] && !plain).then(|| {
                    let moment = numbers[2];
                    if dimension == 2 { [0.0, 0.0, moment] } else { [moment, moment * 2.0, 1.0] }
                }),
                mass_centre: (flags[3] && !plain).then_some(velocity),
                inertia_from_bounds: flags[2] && !plain,
                locks: if plain {
                    Locks::default()
                } else {
                    Locks {
                        linear: [locked[0], locked[1], locked[2]],
                        angular: [locked[3], locked[4], locked[5]],
                    }
                },
                gravity_scale: if plain { 1.0 } else { numbers[0] },
                linear_drag: if plain { 0.0 } else { numbers[1] },
                angular_drag: if plain { 0.0 } else { numbers[2] },
                bullet: flags[1] && !plain,
                asleep: flags[2] && !plain,
                sleepless: flags[3] && !plain,
                parts,
                span: Span::default(),
            }
        })
}

fn joint_kind(dimension: u8) -> impl Strategy<Value = JointKind> {
    let axis = direction(dimension);
    let z = move |axis: Vec3| if dimension == 2 { [0.0, 0.0, 1.0] } else { axis };
    let firm =
        || (positive(), positive()).prop_map(|(frequency, damping_ratio)| Soft { frequency, damping_ratio });
    let spring = prop::option::of((number(), firm()))
        .prop_map(|spring| spring.map(|(rest, soft)| Spring { rest, soft }));
    let drive = prop_oneof![
        number().prop_map(Drive::Speed),
        (number(), firm()).prop_map(|(target, soft)| Drive::Target(target, soft)),
    ];
    let motor = prop::option::of((drive, prop::option::of(positive())))
        .prop_map(|motor| motor.map(|(drive, strength)| Motor { drive, strength }));
    let limits = prop::option::of((number(), positive())).prop_map(|limits| limits.map(|(a, b)| [a, a + b]));
    let length = prop::option::of(positive());
    let numbers = (positive(), vector(dimension), spin(dimension), firm());
    (0u8..11, axis, spring, motor, limits, length, numbers).prop_map(
        move |(kind, axis, spring, motor, limits, length, (x, v, w, firm))| match kind {
            0 => JointKind::Ball {
                axis: z(axis),
                cone_limit: if dimension == 3 { length.map(|length| length.min(3.0)) } else { None },
                twist_limits: if dimension == 3 { limits } else { None },
            },
            1 => JointKind::Hinge { axis: z(axis), limits, motor, spring },
            2 => JointKind::Slider { axis, limits, motor, spring },
            3 => JointKind::Fixed,
            4 => JointKind::Distance {
                length: length.filter(|_| limits.is_none()),
                limits,
                soft: spring.map(|spring| spring.soft),
            },
            5 => JointKind::Spring { length, stiffness: x, damping: 0.0 },
            6 => JointKind::Rope { length },
            7 => JointKind::Wheel {
                axis,
                // At right angles to the suspension, or it would be refused.
                axle: z(normalize([-axis[1] - axis[2], axis[0], axis[0]])),
                limits,
                motor,
                spring,
                steering: if dimension == 3 { x } else { 0.0 },
            },
            8 => JointKind::Gear { ratio: -x, axis_a: z(axis), axis_b: z(axis) },
            9 => JointKind::Motor {
                velocity: length.map(|_| v),
                angular_velocity: Some(w),
                offset: spring.map(|_| v),
                turn: limits.and(spring).map(|_| w),
                soft: spring.map(|spring| spring.soft),
                max_force: length,
                max_torque: None,
            },
            _ => JointKind::Mouse { target: v, max_force: length, soft: firm },
        },
    )
}

fn force_kind(dimension: u8) -> impl Strategy<Value = ForceKind> {
    let named = prop::option::of(Just("body1".into()));
    let numbers = (positive(), number(), -8i32..=8, any::<bool>());
    (0u8..11, vector(dimension), spin(dimension), direction(dimension), numbers, named).prop_map(
        move |(kind, v, w, axis, (x, y, exponent, flag), named)| match kind {
            0 => ForceKind::Gravity { acceleration: v },
            1 => ForceKind::Point {
                at: (named.is_none() || flag).then_some(v),
                from: named,
                strength: y,
                exponent,
                softening: x,
            },
            2 => ForceKind::Attraction {
                law: if flag {
                    Law::Power { strength: y, exponent }
                } else {
                    Law::LennardJones { depth: x, distance: x }
                },
                by_mass: !flag,
                softening: x,
                range: named.map(|_| x),
            },
            3 => ForceKind::Motor { torque: w, local: flag, free_speed: Some(x), carrier: named },
            4 => ForceKind::Thrust { force: v, at: v, local: flag },
            5 => ForceKind::Wind { velocity: v, density: x, drag: 0.5, lift: y },
            6 => ForceKind::Drag { linear: x, quadratic: x, angular: 0.0 },
            7 => ForceKind::Buoyancy { level: y, normal: axis, density: x, drag: x, spin_drag: x, flow: v },
            8 => ForceKind::Explosion { at: v, radius: x, pressure: y, duration: x },
            9 => ForceKind::Spring {
                a: "body0".into(),
                b: named,
                at_a: flag.then_some(v),
                at_b: Some(v),
                length: Some(x),
                stiffness: x,
                damping: 0.0,
                bungee: flag,
            },
            _ => ForceKind::Vortex {
                at: v,
                axis: if dimension == 2 { [0.0, 0.0, 1.0] } else { axis },
                radius: x,
                swirl: y,
                pull: y,
                lift: if dimension == 2 { 0.0 } else { x },
            },
        },
    )
}

/// A formula in which something is live at every level, so that nothing is computed away.
fn query() -> impl Strategy<Value = Query> {
    let leaf = prop_oneof![
        Just(Query::Quantity("energy", Vec::new())),
        Just(Query::Quantity("y", vec![Target::Named("body0".into())])),
        Just(Query::Quantity("distance", vec![Target::Named("body0".into()), Target::Named("body1".into())])),
        Just(Query::Reduce("max", Box::new(Query::Quantity("speed", vec![Target::All])))),
    ];
    let operator = prop_oneof![
        Just(ast::Binary::Add),
        Just(ast::Binary::Subtract),
        Just(ast::Binary::Divide),
        Just(ast::Binary::Power),
        Just(ast::Binary::Less),
        Just(ast::Binary::NotEqual),
        Just(ast::Binary::And),
        Just(ast::Binary::Or),
    ];
    leaf.prop_recursive(4, 16, 3, move |inner| {
        prop_oneof![
            (operator.clone(), inner.clone(), number()).prop_map(|(operator, left, right)| Query::Binary(
                operator,
                Box::new((left, Query::Number(right)))
            )),
            (operator.clone(), inner.clone(), inner.clone())
                .prop_map(|(operator, left, right)| Query::Binary(operator, Box::new((left, right)))),
            inner.clone().prop_map(|of| Query::Unary(ast::Unary::Minus, Box::new(of))),
            inner.clone().prop_map(|of| Query::Unary(ast::Unary::Not, Box::new(of))),
            inner.clone().prop_map(|of| Query::Start(Box::new(of))),
            inner.clone().prop_map(|of| Query::Call("abs", vec![of])),
            (inner.clone(), inner, positive(), any::<bool>()).prop_map(
                |(left, right, tolerance, relative)| {
                    Query::Within { sides: Box::new((left, right)), tolerance, relative }
                }
            ),
        ]
    })
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![
        positive().prop_map(|time| Moment::Time(time.min(1e9))),
        (0u64..10_000).prop_map(Moment::Steps)
    ]
}

fn window() -> impl Strategy<Value = Window> {
    prop_oneof![
        Just(Window::Always),
        Just(Window::Finally),
        moment().prop_map(Window::After),
        moment().prop_map(Window::By),
        (moment(), prop::option::of(moment())).prop_map(|(from, until)| Window::From(from, until)),
    ]
}

fn world(dimension: u8) -> impl Strategy<Value = World> {
    (vector(dimension), 1e-6..1.0, 1u32..100, 0u64..1 << 53, any::<[bool; 4]>()).prop_map(
        move |(gravity, dt, substeps, seed, flags)| {
            let base = if flags[0] { World::seed() } else { World::default() };
            let mut world = World {
                declared: true,
                dimension,
                gravity,
                dt,
                substeps,
                seed,
                defaults: if flags[0] { Defaults::Seed } else { Defaults::Library },
                solver: flags[1].then(|| "baumgarte".into()),
                sleeping: flags[2],
                frames: flags[3].then_some(600),
                title: flags[3].then(|| "a title; with { things }".into()),
                ..base
            };
            world.settings.insert("warmStarting".into(), Setting::Flag(flags[1]));
            world.settings.insert("contactHertz".into(), Setting::Number(100.0 * dt));
            world.settings.insert("frictionMixing".into(), Setting::Text("max".into()));
            world
        },
    )
}

fn scene() -> impl Strategy<Value = Scene> {
    (2u8..=3).prop_flat_map(|dimension| {
        let joints = (joint_kind(dimension), prop::option::of(vector(dimension)), any::<bool>());
        let expectations = (window(), prop::collection::vec(query(), 1..3));
        (
            world(dimension),
            prop::collection::vec(body(dimension), 2..5),
            prop::collection::vec(joints, 0..4),
            prop::collection::vec(force_kind(dimension), 0..3),
            prop::collection::vec(expectations, 0..3),
            vector(dimension),
        )
            .prop_map(move |(world, bodies, joints, forces, expectations, v)| {
                assemble(world, bodies, joints, forces, expectations, v)
            })
    })
}

fn assemble(
    world: World,
    mut bodies: Vec<Body>,
    joints: Vec<(JointKind, Option<Vec3>, bool)>,
    forces: Vec<ForceKind>,
    expectations: Vec<(Window, Vec<Query>)>,
    v: Vec3,
) -> Scene {
    for (index, body) in bodies.iter_mut().enumerate() {
        body.name = Some(format!("body{index}").into());
    }
    let joint = |(kind, at, flag): (JointKind, Option<Vec3>, bool)| {
        let is_mouse = matches!(kind, JointKind::Mouse { .. });
        let is_gear = matches!(kind, JointKind::Gear { .. });
        let at = at.filter(|_| !is_gear);
        Joint {
            name: None,
            a: "body0".into(),
            b: (flag || is_gear || at.is_none()).then(|| "body1".into()),
            at_a: at,
            // A mouse has one place on its body.
            at_b: at.filter(|_| flag || is_mouse || at.is_some()),
            collide: flag,
            hold: at
                .filter(|_| {
                    flag && !is_mouse && !matches!(kind, JointKind::Motor { .. } | JointKind::Spring { .. })
                })
                .map(|_| Soft { frequency: 20.0, damping_ratio: 0.5 }),
            overload: Overload { force: at.map(|_| 5.0), torque: None, breaks: flag && at.is_some() },
            kind,
            span: Span::default(),
        }
    };
    let on = vec![Target::Named("body0".into()), Target::Named("body1".into())];
    let force = |kind| {
        let is_spring = matches!(kind, ForceKind::Spring { .. });
        // These have no box to act in.
        let anywhere = is_spring
            || matches!(kind, ForceKind::Motor { .. } | ForceKind::Thrust { .. } | ForceKind::Drag { .. });
        Force {
            name: None,
            on: if is_spring { Vec::new() } else { on.clone() },
            region: (!anywhere && v[0] > 0.0).then_some([[f64::NEG_INFINITY; 3], v]),
            kind,
            span: Span::default(),
        }
    };
    let expectation = |(window, conditions): (_, Vec<_>)| Expectation {
        window,
        about: Some("what is expected".into()),
        places: vec![Span::default(); conditions.len()],
        conditions,
        span: Span::default(),
    };
    let three = world.dimension == 3;
    let camera = Camera {
        name: Some("eye".into()),
        at: Some(v),
        target: three.then_some(v),
        up: [0.0, 1.0, 0.0],
        fov: if three { 1.0 } else { std::f64::consts::FRAC_PI_4 },
        height: Some(3.0),
        orthographic: three,
        follow: Some("body0".into()),
    };
    Scene {
        world,
        bodies,
        joints: joints.into_iter().map(joint).collect(),
        forces: forces.into_iter().map(force).collect(),
        ignores: vec![Ignore { a: "body0".into(), b: "body1".into(), span: Span::default() }],
        cameras: vec![camera],
        lights: vec![Light {
            direction: None,
            at: Some(v),
            colour: [1.0; 3],
            intensity: 2.0,
            shadows: false,
        }],
        expectations: expectations.into_iter().map(expectation).collect(),
        ..Scene::default()
    }
}

/// Expressions in which `i` and `c` are known.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(String::from("i")),
        Just(String::from("c")),
        Just(String::from("pi")),
        (-20i32..20).prop_map(|number| number.to_string()),
        (0u32..500).prop_map(|number| format!("{}cm", f64::from(number) / 7.0)),
        Just(String::from("uniform(-1, 1)")),
        Just(String::from("gauss()")),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "-", "*"]), inner.clone())
                .prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if({a} < {b}, {a}, ({b})^2)")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("max({a}, {b})")),
        ]
    })
}

/// Statements, nested; most are sound.
fn statements() -> impl Strategy<Value = String> {
    let e = expression;
    let leaf = prop_oneof![
        (e(), e()).prop_map(|(x, y)| format!("circle {{ radius 1 centre {x}, {y} }}\n")),
        (e(), e()).prop_map(|(x, y)| format!("box {{ size 1,abs({x})+1 angle {y} static (i > 1) }}\n")),
        (e(), e()).prop_map(|(x, y)| format!("place post {{ at {x}, 0 h abs({y}) + 1 }}\n")),
        e().prop_map(|x| format!("body {{ vel {x}, 1 repeat k in 0..2 {{ circle {{ radius 1 centre k, {x} }} }} }}\n")),
        e().prop_map(|x| format!("polygon {{ points [0,0; 1,0; for k in 0..2: k, {x} + 30] friction 0.1 }}\n")),
        e().prop_map(|x| format!("at 2s {{ push hub {{ impulse {x}, 0 }} circle {{ radius 1 centre {x}, uniform() }} }}\n")),
        e().prop_map(|x| {
            format!("every 10 steps as k until 1s {{ const d = {x} box {{ size 1,1 centre k*d, c }} remove hub }}\n")
        }),
        e().prop_map(|x| format!("when y(hub) < {x} and not (time > 3) {{ change hub {{ colour red }} stop }}\n")),
        e().prop_map(|x| format!("expect after 1s {{ y(hub) > {x}; abs(vx(all)) == {x} within 3% }}\n")),
        e().prop_map(|x| format!("force wind {{ on hub velocity {x}, 1 }}\n")),
        e().prop_map(|x| format!("joint rope {{ a hub atB {x}, 2 }}\n")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let block = prop::collection::vec(inner, 1..3).prop_map(|items| items.concat());
        prop_oneof![
            (block.clone(), 0u32..3).prop_map(|(block, n)| format!("repeat i in 0..{n} {{\n{block}}}\n")),
            (block.clone(), expression())
                .prop_map(|(block, x)| format!("group {{ at {x}, 1 angle 0.5\n{block}}}\n")),
            (block.clone(), 0u32..1000).prop_map(|(block, n)| format!("group g{n} {{\n{block}}}\n")),
            (block.clone(), block, expression())
                .prop_map(|(a, b, x)| format!("if {x} > 0 {{\n{a}}} else {{\n{b}}}\n")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_sound_program_survives_printing(items in prop::collection::vec(statements(), 1..6)) {
        let text = format!(
            "world {{ dimension 2 seed 5 }}\nparam i = 1\nconst c = 2.5\n\
             template post {{ param h = 1 box {{ size 1,h centre 0,c }} }}\ncircle hub {{ radius 1 }}\n{}",
            items.concat()
        );
        let loaded = topple_scene::load(&text, topple_scene::Options::default());
        // Faulty ones are thrown away; proptest complains if that is more than about half.
        prop_assume!(loaded.diagnostics.errors() == 0);
        assert_round_trip(&loaded.scene);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_scene_survives_printing(scene in scene()) {
        assert_round_trip(&scene);
    }
}
