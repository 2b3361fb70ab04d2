//! Contacts that are kept while the bodies hardly move: they say what a computed contact would say.

use crate::support::*;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::{BodyDef, BodyId, ShapeDef, World};

/// A kept separation is off by less than this share of the slop ...
const SEPARATION: Real = 0.2;
/// ... and a kept normal by less than this angle [rad].
const NORMAL: Real = 0.02;

/// A static slab and a block on it that moves slowly; what the pair has to say is compared with a contact computed on the spot.
struct Scene<D: TestDim> {
    world: World<D>,
    slab: BodyId,
    block: BodyId,
    shapes: [D::Shape; 2],
}

fn scene<D: TestDim>(recycling: bool, block: D::Shape, velocity: D::Vec, spin: Real) -> Scene<D> {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| {
        s.sleeping = false;
        if !recycling {
            s.recycling = 0.0;
        }
    });
    let shapes = [D::block(20.0, 1.0), block];
    let [slab, block] = shapes.clone();
    let slab = ShapeDef::new(slab).friction(0.0);
    let slab = world.create_body_with(BodyDef::fixed(D::point(0.0, -0.5)), [slab]).unwrap();
    let def = BodyDef {
        linear_velocity: velocity,
        angular_velocity: D::spin(spin),
        ..BodyDef::dynamic(D::point(0.0, 0.499))
    };
    let block = world.create_body_with(def, [ShapeDef::new(block).friction(0.0)]).unwrap();
    Scene { world, slab, block, shapes }
}

impl<D: TestDim> Scene<D> {
    /// Depth [m] and normal of the pair, kept and computed; None while apart.
    fn kept_and_computed(&self) -> Option<[(Real, D::Vec); 2]> {
        let contact = self.world.contacts().find(|c| c.is_touching())?;
        assert_eq!(contact.bodies(), [self.slab, self.block]);
        let kept = contact.points().fold(Real::INFINITY, |low, p| low.min(p.1));
        let [a, b] = contact.bodies().map(|body| self.world.body(body).unwrap().pose());
        let slop = slop(&self.world);
        let job = CollideJob {
            a: &self.shapes[0],
            b: &self.shapes[1],
            b_in_a: a.relative(b),
            margin: self.world.settings().speculative * slop,
            slop,
            algorithm: Algorithm::Auto,
        };
        let mut out = LocalManifold::default();
        D::Shape::collide(&job, &mut PairCache::default(), &mut NarrowCounters::default(), &mut out);
        let computed = out.points().iter().fold(Real::INFINITY, |low, p| low.min(p.separation));
        Some([(kept, contact.normal()), (computed, a.rotation.rotate(out.normal))])
    }
}

/// Slop of bodies of a metre.
fn slop<D: Dim>(world: &World<D>) -> Real {
    (world.settings().slop * 0.5).min(world.settings().max_slop)
}

/// Kept contacts agree with computed ones while the block slides or rocks, and are kept at all.
fn kept_contacts_are_true<D: TestDim>() {
    let blocks = [("cube", D::cube(1.0)), ("plank", D::block(2.0, 1.0))];
    for (name, shape) in blocks {
        // Slow sliding; rocking on the spot; both.
        for (way, velocity, spin) in [("slides", 0.05, 0.0), ("rocks", 0.0, 0.15), ("both", 0.02, 0.1)] {
            let mut scene = scene::<D>(true, shape.clone(), D::vec(velocity, 0.0), spin);
            let (mut recycled, mut compared) = (0, 0);
            for step in 0..120 {
                if spin != 0.0 && step % 40 == 20 {
                    let turn = if step % 80 == 20 { -spin } else { spin };
                    scene.world.body_mut(scene.block).unwrap().set_angular_velocity(D::spin(turn)).unwrap();
                }
                scene.world.step();
                let was_kept = scene.world.profile().narrow.recycled > 0;
                recycled += u32::from(was_kept);
                let Some([kept, computed]) = scene.kept_and_computed() else { continue };
                if !was_kept || computed.0 == Real::INFINITY {
                    continue;
                }
                compared += 1;
                let what = format!("{name} {way} step {step}: kept {kept:?}, computed {computed:?}");
                assert!((kept.0 - computed.0).abs() < SEPARATION * slop(&scene.world), "{what}");
                assert!((kept.1 - computed.1).length() < NORMAL, "{what}");
            }
            assert!(recycled > 60 && compared > 60, "{name} {way}: {recycled} kept, {compared} compared");
        }
    }
}

#[test]
fn kept_contacts_are_true_2d() {
    kept_contacts_are_true::<D2>();
}
#[test]
fn kept_contacts_are_true_3d() {
    kept_contacts_are_true::<D3>();
}

/// The same world without recycling ends where the one with it does.
fn recycling_does_not_show<D: TestDim>() {
    let end = |recycling: bool| {
        let mut scene = scene::<D>(recycling, D::cube(1.0), D::vec(0.05, 0.0), 0.02);
        let mut kept = 0;
        for _ in 0..240 {
            scene.world.step();
            kept += scene.world.profile().narrow.recycled;
        }
        let limit = slop(&scene.world);
        (scene.world.body(scene.block).unwrap().position().to_vec(), kept, limit)
    };
    let ((with, kept, slop), (without, none, _)) = (end(true), end(false));
    assert!(kept > 120 && none == 0, "{kept} kept, {none} kept without recycling");
    assert_near("place of the block", with, without, 0.5 * slop, "m");
}

#[test]
fn recycling_does_not_show_2d() {
    recycling_does_not_show::<D2>();
}
#[test]
fn recycling_does_not_show_3d() {
    recycling_does_not_show::<D3>();
}

/// A pair at rest in the plane: computed once, then kept, without an axis or an iteration.
#[test]
fn a_pair_at_rest_is_computed_once_2d() {
    let mut scene = scene::<D2>(true, D2::cube(1.0), Vec2::ZERO, 0.0);
    scene.world.step();
    let first = scene.world.profile().narrow;
    assert_eq!((first.computed, first.recycled), (1, 0), "{first:?}");
    assert!(first.axes > 0, "{first:?}");
    for _ in 0..20 {
        scene.world.step();
        let later = scene.world.profile().narrow;
        assert_eq!(later, NarrowCounters { recycled: 1, ..NarrowCounters::default() });
    }
}
