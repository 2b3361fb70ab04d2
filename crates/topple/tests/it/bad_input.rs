//! Everything a caller can get wrong: a typed error that names the field, the value and what is allowed, and nothing changed.

use crate::support::*;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{
    BodyDef, BodyId, BodyKind, ContactId, Drag, Error, Filter, Mass, Material, Motion, Settings, Shape2,
    Shape3, ShapeDef, ShapeId, World,
};

const WRONG: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];

/// A world with something of everything in it.
fn scene<D: TestDim>() -> (World<D>, BodyId, BodyId, ShapeId) {
    let mut world = World::<D>::new();
    let floor = add_floor(&mut world, 0.5);
    let cube = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    add_body(&mut world, 0.1, 1.5, D::ball(0.5));
    (0..5).for_each(|_| world.step());
    let shape = world.body(cube).unwrap().shapes().next().unwrap();
    (world, floor, cube, shape)
}

/// Does something wrong: it must be refused with all of `words` in the message, and leave no trace in the state.
#[track_caller]
fn refused<D: TestDim, T>(
    world: &mut World<D>,
    words: &[&str],
    act: impl FnOnce(&mut World<D>) -> Result<T, Error>,
) {
    let (hash, bytes) = (world.state_hash(), world.snapshot());
    let Err(error) = act(world) else { panic!("was not refused: {words:?}") };
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "'{word}' is missing in: {text}");
    }
    assert_eq!(world.state_hash(), hash, "the state changed: {text}");
    assert_eq!(world.snapshot(), bytes, "something changed: {text}");
}

/// Vectors with one wrong component each.
fn wrong_vectors<D: TestDim>() -> Vec<D::Vec> {
    let mut out = Vec::new();
    for axis in 0..D::N {
        for wrong in WRONG {
            let mut v = D::vec(1.0, 2.0);
            v.set(axis, wrong);
            out.push(v);
        }
    }
    out
}

fn body_definitions<D: TestDim>() {
    let (mut world, ..) = scene::<D>();
    let base = || BodyDef::<D>::dynamic(D::point(0.0, 5.0));
    let create = |def: BodyDef<D>| move |world: &mut World<D>| world.create_body(def);
    for v in wrong_vectors::<D>() {
        let bad = BodyDef { position: D::Point::from_vec(v), ..base() };
        refused(&mut world, &["BodyDef.position", "finite"], create(bad.clone()));
        refused(&mut world, &["BodyDef.position"], |w| {
            w.create_body_with(bad, [ShapeDef::new(D::ball(1.0))])
        });
        refused(&mut world, &["linear_velocity", "finite"], create(BodyDef { linear_velocity: v, ..base() }));
    }
    for wrong in WRONG {
        let value = &format!("{wrong:?}")[..];
        refused(
            &mut world,
            &["angular_velocity", value],
            create(BodyDef { angular_velocity: D::spin(wrong), ..base() }),
        );
        refused(&mut world, &["gravity_scale", value], create(BodyDef { gravity_scale: wrong, ..base() }));
        refused(
            &mut world,
            &["BodyDef.sleep_speed", value],
            create(BodyDef { sleep_speed: Some(wrong), ..base() }),
        );
        let rotation = D::turn(wrong);
        refused(&mut world, &["BodyDef.rotation"], create(BodyDef { rotation, ..base() }));
    }
    refused(
        &mut world,
        &["sleep_speed", "-1", "at least 0"],
        create(BodyDef { sleep_speed: Some(-1.0), ..base() }),
    );
    for wrong in [-1.0, Real::NAN, Real::INFINITY] {
        let drags = [
            ("Drag.linear", Drag { linear: wrong, ..Drag::default() }),
            ("Drag.quadratic", Drag { quadratic: wrong, ..Drag::default() }),
            ("Drag.angular_linear", Drag { angular_linear: wrong, ..Drag::default() }),
            ("Drag.angular_quadratic", Drag { angular_quadratic: wrong, ..Drag::default() }),
        ];
        for (field, drag) in drags {
            refused(&mut world, &[field, "at least 0"], create(BodyDef { drag, ..base() }));
        }
    }
    let good = Mass::<D> { mass: 1.0, ..D::ball(1.0).mass_for_test() };
    for wrong in [0.0, -2.0, Real::NAN, Real::INFINITY, 1e-42] {
        let mass = Some(Mass { mass: wrong, ..good });
        refused(&mut world, &["ass"], create(BodyDef { mass, ..base() }));
    }
    for v in wrong_vectors::<D>() {
        let mass = Some(Mass { center: v, ..good });
        refused(&mut world, &["Mass.center", "finite"], create(BodyDef { mass, ..base() }));
    }
    for factor in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        let mass = Some(Mass { inertia: good.inertia.scaled(factor), ..good });
        refused(&mut world, &["Mass.inertia", "positive"], create(BodyDef { mass, ..base() }));
    }
}

/// Mass of a shape without a world.
trait MassForTest<D: Dim> {
    fn mass_for_test(&self) -> Mass<D>;
}
impl<D: Dim, S: topple::shape::ShapeOps<D>> MassForTest<D> for S {
    fn mass_for_test(&self) -> Mass<D> {
        self.mass(1.0)
    }
}

#[test]
fn body_definitions_2d() {
    body_definitions::<D2>();
}
#[test]
fn body_definitions_3d() {
    body_definitions::<D3>();
}

fn shape_definitions<D: TestDim>() {
    let (mut world, floor, cube, shape) = scene::<D>();
    let base = || ShapeDef::<D>::new(D::ball(0.5));
    let add = |def: ShapeDef<D>| move |world: &mut World<D>| world.add_shape(cube, def);
    for v in wrong_vectors::<D>() {
        refused(&mut world, &["ShapeDef.local", "finite"], add(base().at(Pose::at(D::Point::from_vec(v)))));
        let material = Material { surface_velocity: v, ..Material::default() };
        refused(&mut world, &["surface_velocity", "finite"], add(ShapeDef { material, ..base() }));
        refused(&mut world, &["surface_velocity"], |w| w.set_material(shape, material));
    }
    for wrong in [-1.0, Real::NAN, Real::INFINITY] {
        let value = &format!("{wrong:?}")[..];
        refused(&mut world, &["density", value, "at least 0"], add(base().density(wrong)));
        refused(&mut world, &["density", value, "at least 0"], |w| w.set_density(shape, wrong));
        let m = Material::<D>::default();
        let materials = [
            ("Material.friction", Material { friction: wrong, ..m }),
            ("Material.static_friction", Material { static_friction: wrong, ..m }),
            ("Material.restitution", Material { restitution: wrong, ..m }),
            ("Material.rolling_friction", Material { rolling_friction: wrong, ..m }),
            ("Material.spinning_friction", Material { spinning_friction: wrong, ..m }),
        ];
        for (field, material) in materials {
            refused(&mut world, &[field, value], add(ShapeDef { material, ..base() }));
            refused(&mut world, &[field, value], |w| w.set_material(shape, material));
        }
    }
    for wrong in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        refused(&mut world, &["adius"], add(ShapeDef::new(D::ball(wrong))));
        refused(&mut world, &["must be"], add(ShapeDef::new(D::block(wrong, 1.0))));
        refused(&mut world, &["must be"], add(ShapeDef::new(D::block(1.0, wrong))));
        refused(&mut world, &["adius"], add(ShapeDef::new(D::capsule(1.0, wrong))));
        refused(&mut world, &["must be"], |w| {
            w.create_body_with(BodyDef::dynamic(D::point(0.0, 0.0)), [base(), ShapeDef::new(D::ball(wrong))])
        });
    }
    // What no single field shows: a mass that overflows, or that cannot be divided by.
    refused(&mut world, &["mass of the body"], add(base().density(3e38).at(Pose::at(D::point(1e17, 0.0)))));
    refused(&mut world, &["mass of the body"], add(ShapeDef::new(D::ball(1e10)).density(1e30)));
    refused(&mut world, &["mass of the body"], |w| {
        let speck = ShapeDef::new(D::ball(0.1)).density(1e-36);
        w.create_body_with(BodyDef::dynamic(D::point(0.0, 0.0)), [speck])
    });
    // What is so large that squares of lengths overflow, also in questions.
    for wrong in [1e19, 1e30, Real::MAX] {
        refused(&mut world, &["shape", "1e18"], |w| w.add_shape(floor, ShapeDef::new(D::ball(wrong))));
        refused(&mut world, &["shape", "1e18"], |w| {
            w.add_shape(floor, ShapeDef::new(D::half_space(0.0, 1.0, wrong)))
        });
        let (ball, filter) = (D::ball(wrong), QueryFilter::default());
        refused(&mut world, &["shape", "1e18"], |w| w.overlap_shape(&ball, &Pose::IDENTITY, &filter));
        refused(&mut world, &["shape", "1e18"], |w| w.closest_shape(&ball, &Pose::IDENTITY, 1.0, &filter));
    }
    // Planes do not move.
    let plane = || ShapeDef::<D>::new(D::half_space(0.0, 1.0, 0.0));
    refused(&mut world, &["not possible", "planes"], add(plane()));
    refused(&mut world, &["not possible"], |w| {
        w.create_body_with(BodyDef::dynamic(D::point(0.0, 0.0)), [plane()])
    });
    refused(&mut world, &["not possible", "plane"], |w| w.set_kind(floor, BodyKind::Dynamic));
}

#[test]
fn shape_definitions_2d() {
    shape_definitions::<D2>();
}
#[test]
fn shape_definitions_3d() {
    shape_definitions::<D3>();
}

#[test]
fn degenerate_geometry() {
    let line = [Vec2::ZERO, Vec2::X, Vec2::X * 2.0];
    for points in [&line[..], &line[..2], &[], &[Vec2::ZERO; 5], &[Vec2::NAN, Vec2::X, Vec2::Y]] {
        assert!(Shape2::polygon(points).is_err(), "{points:?}");
    }
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z];
    for points in [&flat[..], &flat[..3], &[], &[Vec3::ZERO; 9], &[Vec3::NAN, Vec3::X, Vec3::Y, Vec3::Z]] {
        assert!(Shape3::hull(points).is_err(), "{points:?}");
    }
    let mut world = World::<D3>::new();
    for shape in
        [Shape3::plane(Vec3::ZERO, 0.0), Shape3::plane(Vec3::Y, Real::NAN), Shape3::plane(Vec3::NAN, 0.0)]
    {
        assert!(world.create_body_with(BodyDef::fixed([0.0; 3]), [shape]).is_err());
    }
    assert_eq!(world.body_count(), 0);
    let mut world = World::<D2>::new();
    for (shape, field) in [
        (Shape2::half_plane(Vec2::ZERO, 0.0), "HalfPlane.normal"),
        (Shape2::half_plane(Vec2::NAN, 0.0), "HalfPlane.normal"),
        (Shape2::half_plane(Vec2::Y, Real::NAN), "HalfPlane.offset"),
    ] {
        let error = world.create_body_with(BodyDef::fixed([0.0, 0.0]), [shape]).unwrap_err();
        assert!(matches!(error, Error::InvalidValue { field: found, .. } if found == field), "{error}");
    }
    assert_eq!(world.body_count(), 0);
    // A rectangle without height is a segment if it does not move, and nothing at all if it should.
    let mut world = World::<D2>::new();
    let flat = || Shape2::rectangle(4.0, 0.0);
    let ground = world.create_body_with(BodyDef::fixed([0.0, 0.0]), [flat()]).unwrap();
    let shape = world.body(ground).unwrap().shapes().next().unwrap();
    assert!(matches!(world.shape(shape).unwrap().geometry(), Shape2::Segment { .. }));
    assert!(world.create_body_with(BodyDef::dynamic([0.0, 0.0]), [flat()]).is_err());
    let ball = add_body(&mut world, 0.5, 1.0, D2::ball(0.5));
    run(&mut world, 2.0);
    assert_close("a ball lies on it", world.body(ball).unwrap().position().y, 0.5, 0.02, "m");
}

fn changes_of_bodies<D: TestDim>() {
    let (mut world, floor, cube, _) = scene::<D>();
    for v in wrong_vectors::<D>() {
        let p = D::Point::from_vec(v);
        let (ok, at) = (D::vec(1.0, 0.0), D::point(0.0, 1.0));
        refused(&mut world, &["pose", "finite"], |w| w.body_mut(cube)?.set_position(p));
        refused(&mut world, &["pose", "finite"], |w| w.body_mut(cube)?.set_pose(Pose::at(p)));
        refused(&mut world, &["velocity", "finite"], |w| w.body_mut(cube)?.set_linear_velocity(v));
        refused(&mut world, &["force", "finite"], |w| w.body_mut(cube)?.apply_force(v));
        refused(&mut world, &["force", "finite"], |w| w.body_mut(cube)?.apply_force_at(v, at));
        refused(&mut world, &["point", "finite"], |w| w.body_mut(cube)?.apply_force_at(ok, p));
        refused(&mut world, &["point", "finite"], |w| w.body_mut(cube)?.apply_force_at_local(ok, v));
        refused(&mut world, &["impulse", "finite"], |w| w.body_mut(cube)?.apply_impulse(v));
        refused(&mut world, &["impulse", "finite"], |w| w.body_mut(cube)?.apply_impulse_at(v, at));
        refused(&mut world, &["point", "finite"], |w| w.body_mut(cube)?.apply_impulse_at(ok, p));
        refused(&mut world, &["point", "finite"], |w| w.body_mut(cube)?.apply_impulse_at_local(ok, v));
    }
    for wrong in WRONG {
        refused(&mut world, &["pose", "unit"], |w| w.body_mut(cube)?.set_rotation(D::turn(wrong)));
        refused(&mut world, &["velocity"], |w| w.body_mut(cube)?.set_angular_velocity(D::spin(wrong)));
        refused(&mut world, &["torque", "finite"], |w| w.body_mut(cube)?.apply_torque(D::spin(wrong)));
        refused(&mut world, &["impulse", "finite"], |w| {
            w.body_mut(cube)?.apply_angular_impulse(D::spin(wrong))
        });
        refused(&mut world, &["gravity_scale"], |w| w.body_mut(cube)?.set_gravity_scale(wrong));
        refused(&mut world, &["sleep_speed"], |w| w.body_mut(cube)?.set_sleep(true, Some(wrong)));
        refused(&mut world, &["Drag.linear"], |w| {
            w.body_mut(cube)?.set_drag(Drag { linear: wrong, ..Drag::default() })
        });
        let mass = Mass::<D> { mass: wrong, ..Mass::ZERO };
        refused(&mut world, &["Mass.mass"], |w| w.body_mut(cube)?.set_mass(Some(mass)));
    }
    refused(&mut world, &["sleep_speed", "-0.5"], |w| w.body_mut(cube)?.set_sleep(true, Some(-0.5)));
    refused(&mut world, &["Mass.inertia"], |w| {
        w.body_mut(cube)?.set_mass(Some(Mass { mass: 1.0, ..Mass::ZERO }))
    });
    // Static bodies have no velocity, and only dynamic ones are pushed.
    let motion = Motion { linear: D::vec(1.0, 0.0), angular: D::spin(1.0) };
    refused(&mut world, &["velocity", "static"], |w| w.body_mut(floor)?.set_motion(motion));
    refused(&mut world, &["force", "not dynamic"], |w| w.body_mut(floor)?.apply_force(D::vec(1.0, 0.0)));
    refused(&mut world, &["not dynamic"], |w| w.body_mut(floor)?.apply_impulse(D::vec(1.0, 0.0)));
    refused(&mut world, &["not dynamic"], |w| w.body_mut(floor)?.apply_torque(D::spin(1.0)));
    refused(&mut world, &["not dynamic"], |w| w.body_mut(floor)?.apply_angular_impulse(D::spin(1.0)));
    // Sums that overflow.
    world.body_mut(cube).unwrap().apply_force(D::vec(3e38, 0.0)).unwrap();
    refused(&mut world, &["force", "finite"], |w| w.body_mut(cube)?.apply_force(D::vec(3e38, 0.0)));
    refused(&mut world, &["force", "finite"], |w| {
        w.body_mut(cube)?.apply_force_at_local(D::vec(1e38, 0.0), D::vec(0.0, 1e9))
    });
    world.body_mut(cube).unwrap().set_linear_velocity(D::vec(3e38, 0.0)).unwrap();
    refused(&mut world, &["impulse", "finite"], |w| w.body_mut(cube)?.apply_impulse(D::vec(3e38, 0.0)));
    refused(&mut world, &["impulse", "finite"], |w| w.body_mut(cube)?.apply_angular_impulse(D::spin(3e38)));
}

#[test]
fn changes_of_bodies_2d() {
    changes_of_bodies::<D2>();
}
#[test]
fn changes_of_bodies_3d() {
    changes_of_bodies::<D3>();
}

/// Ids of removed things, and numbers that never were ids.
fn stale_ids<D: TestDim>() {
    let (mut world, _, cube, shape) = scene::<D>();
    let contact = world.contacts_of(cube).unwrap().next().unwrap().id();
    world.remove_body(cube).unwrap();
    // The slots are used again, by others.
    add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    world.step();
    let all = |id: BodyId, shape: ShapeId, contact: ContactId, world: &mut World<D>| {
        refused(world, &["body", "does not exist"], |w| w.body(id).map(|b| b.mass()));
        refused(world, &["body"], |w| w.body_mut(id).map(|mut b| b.wake()));
        refused(world, &["body"], |w| w.remove_body(id));
        refused(world, &["body"], |w| w.set_kind(id, BodyKind::Static));
        refused(world, &["body"], |w| w.set_enabled(id, false));
        refused(world, &["body"], |w| w.wake(id));
        refused(world, &["body"], |w| w.contacts_of(id).map(|c| c.count()));
        refused(world, &["body"], |w| w.add_shape(id, ShapeDef::new(D::ball(1.0))));
        refused(world, &["shape", "does not exist"], |w| w.shape(shape).map(|s| s.density()));
        refused(world, &["shape"], |w| w.remove_shape(shape));
        refused(world, &["shape"], |w| w.set_material(shape, Material::default()));
        refused(world, &["shape"], |w| w.set_density(shape, 1.0));
        refused(world, &["shape"], |w| w.set_filter(shape, Filter::default()));
        refused(world, &["shape"], |w| w.set_shape_user_data(shape, 1));
        refused(world, &["contact", "does not exist"], |w| w.contact(contact).map(|c| c.is_touching()));
        assert!(!world.contains_body(id));
    };
    all(cube, shape, contact, &mut world);
    for bits in [u64::MAX, 0xFFFF_FFFF, 77 << 32, 12345] {
        all(BodyId::from_bits(bits), ShapeId::from_bits(bits), ContactId::from_bits(bits), &mut world);
    }
    let id = world.body_ids().next().unwrap();
    assert_eq!(BodyId::from_bits(id.to_bits()), id);
}

#[test]
fn stale_ids_2d() {
    stale_ids::<D2>();
}
#[test]
fn stale_ids_3d() {
    stale_ids::<D3>();
}

fn names_and_settings<D: TestDim>() {
    let (mut world, ..) = scene::<D>();
    for name in ["", "nonsense", "BVH", "bvh "] {
        refused(&mut world, &["broad phase", "all-pairs"], |w| w.set_broad_phase_by_name(name));
        refused(&mut world, &["integrator", "semi-implicit-euler"], |w| w.set_integrator_by_name(name));
        refused(&mut world, &["narrow phase", "auto"], |w| w.set_narrow_phase_by_name(name));
        refused(&mut world, &["solver", "baumgarte"], |w| w.set_solver_by_name(name));
        let mut settings = world.settings().clone();
        assert!(settings.set_by_name(name, "1").unwrap_err().to_string().contains("gravity"));
        assert!(settings.get_by_name(name).is_err());
    }
    for v in wrong_vectors::<D>() {
        let settings = Settings { gravity: v, ..Settings::default() };
        refused(&mut world, &["Settings.gravity", "finite"], |w| w.set_settings(settings.clone()));
        assert!(World::with_settings(settings).is_err());
    }
    // Every number among the settings refuses what it cannot be, by name.
    for info in Settings::<D>::info() {
        let mut settings = world.settings().clone();
        for wrong in ["NaN", "inf", "-inf", "", "x", "-1e30"] {
            if info.name == "gravity" && wrong == "-1e30" {
                continue;
            }
            let error = settings.set_by_name(info.name, wrong).unwrap_err().to_string();
            assert!(error.contains(info.name) && error.contains("must be"), "{}: {error}", info.name);
        }
        assert_eq!(&settings, world.settings(), "{}", info.name);
    }
    for wrong in [0.0, -1.0, Real::NAN, 2.0] {
        let settings = Settings { dt: wrong, ..Settings::default() };
        refused(&mut world, &["Settings.dt", "from"], |w| w.set_settings(settings));
    }
    let settings = Settings { substeps: 0, ..Settings::default() };
    refused(&mut world, &["Settings.substeps", "0"], |w| w.set_settings(settings));
}

#[test]
fn names_and_settings_2d() {
    names_and_settings::<D2>();
}
#[test]
fn names_and_settings_3d() {
    names_and_settings::<D3>();
}

fn questions<D: TestDim>() {
    let (mut world, ..) = scene::<D>();
    let filter = QueryFilter::default();
    let ray = Ray::<D>::between(D::point(0.0, 5.0), D::point(0.0, -5.0));
    let mut rays = vec![
        ("Ray.direction", Ray { direction: D::Vec::ZERO, ..ray }),
        ("Ray.max", Ray { max: -1.0, ..ray }),
        ("Ray.max", Ray { max: Real::NAN, ..ray }),
    ];
    for v in wrong_vectors::<D>() {
        rays.push(("Ray.direction", Ray { direction: v, ..ray }));
        rays.push(("Ray.origin", Ray { origin: D::Point::from_vec(v), ..ray }));
        refused(&mut world, &["point", "finite"], |w| w.shapes_at(D::Point::from_vec(v), &filter));
    }
    for (field, ray) in rays {
        refused(&mut world, &[field], |w| w.cast_ray(&ray, &filter));
        refused(&mut world, &[field], |w| w.cast_ray_all(&ray, &filter));
        refused(&mut world, &[field], |w| w.cast_ray_any(&ray, &filter));
    }
    let upside_down = Aabb::<D> { min: D::point(1.0, 1.0), max: D::point(0.0, 0.0) };
    refused(&mut world, &["box", "ordered"], |w| w.shapes_in_box(&upside_down, &filter));
    let nan = Aabb::<D> { min: D::point(Real::NAN, 0.0), max: D::point(1.0, 1.0) };
    refused(&mut world, &["box"], |w| w.shapes_in_box(&nan, &filter));
    // Extreme but possible questions have answers.
    assert!(world.cast_ray(&Ray { max: Real::INFINITY, ..ray }, &filter).unwrap().is_some());
    assert!(world.shapes_at(D::point(1e38, -1e38), &filter).is_ok());
    assert!(!world.shapes_in_box(&Aabb::infinite(), &filter).unwrap().is_empty());
}

#[test]
fn questions_2d() {
    questions::<D2>();
}
#[test]
fn questions_3d() {
    questions::<D3>();
}

/// Extreme but finite places, speeds and sizes: no panic, and what does not stay finite is taken out.
fn extremes<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.5);
        let numbers = [1e-20, 1e-6, 1e3, 1e10, 1e20, 1e37];
        for &at in &numbers {
            for &size in &numbers[..4] {
                let def = BodyDef {
                    linear_velocity: D::vec(at, -at),
                    angular_velocity: D::spin(size),
                    ..BodyDef::dynamic(D::point(at, -0.5 * at))
                };
                for shape in [D::ball(size), D::cube(size), D::capsule(size, size)] {
                    // Too small or too heavy ones are refused; the others must run.
                    let _ = world.create_body_with(def.clone(), [ShapeDef::new(shape)]);
                }
            }
        }
        assert!(world.body_count() > 20);
        for _ in 0..20 {
            world.step();
            let bytes = world.snapshot();
            assert!(World::<D>::restore(&bytes).is_ok());
        }
    }
}

#[test]
fn extremes_2d() {
    extremes::<D2>();
}
#[test]
fn extremes_3d() {
    extremes::<D3>();
}

/// Places have an end, long before sums of them overflow: what stands beyond it is refused.
fn places_have_an_end<D: TestDim>() {
    let far = D::point(2e18, 0.0);
    let (mut world, _, cube, _) = scene::<D>();
    refused(&mut world, &["BodyDef.position", "1e18"], |w| w.create_body(BodyDef::dynamic(far)));
    let shape = ShapeDef::<D>::new(D::ball(1.0)).at(Pose::at(far));
    refused(&mut world, &["ShapeDef.local", "1e18"], |w| w.add_shape(cube, shape));
    let mass = Mass { center: far.to_vec(), ..D::ball(1.0).mass_for_test() };
    refused(&mut world, &["Mass.center", "1e18"], |w| w.body_mut(cube)?.set_mass(Some(mass)));
    refused(&mut world, &["pose", "1e18"], |w| w.body_mut(cube)?.set_pose(Pose::at(far)));
}

#[test]
fn places_have_an_end_2d() {
    places_have_an_end::<D2>();
}
#[test]
fn places_have_an_end_3d() {
    places_have_an_end::<D3>();
}
