//! What is its own mirror image stays so: the points of a contact have no order of rank.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef3, Settings3, Shape3, World, World3};

/// A box, and a tower of three of different weight, dropped flat: they do not turn and do not go aside, not by a bit.
fn what_lands_flat_does_not_turn<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    let boxes: Vec<_> = [1.3, 3.0, 4.1, 5.2]
        .into_iter()
        .zip([1.0, 0.75, 0.5, 0.25])
        .map(|(height, size)| add_body(&mut world, 0.0, height, D::cube(size)))
        .collect();
    run(&mut world, 3.0);
    for id in boxes {
        let body = world.body(id).unwrap();
        let at = body.position().to_vec();
        for axis in (0..D::N).filter(|&axis| axis != 1) {
            assert_eq!(at.get(axis), 0.0, "{id:?} went aside along axis {axis}");
        }
        assert_eq!(body.rotation(), D::Rot::IDENTITY, "{id:?} turned");
    }
}

#[test]
fn what_lands_flat_does_not_turn_2d() {
    what_lands_flat_does_not_turn::<D2>();
}
#[test]
fn what_lands_flat_does_not_turn_3d() {
    what_lands_flat_does_not_turn::<D3>();
}

/// A sheet of cubes at 45° to the floor, aligned with the horizontal axis `across` (x or z), collapses, on edges and faces and each other.
/// Nothing pushes along that axis.
fn a_sheet_that_collapses_stays_in_its_columns(across: Vec3, down: Vec3, tilt: Quat) {
    for dt in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 300.0] {
        let mut world =
            World3::with_settings(Settings3 { dt, sleeping: false, ..Settings3::default() }).unwrap();
        let floor = BodyDef3::fixed([0.0, -1.0, 0.0]);
        world.create_body_with(floor, [Shape3::cuboid(100.0, 2.0, 100.0)]).unwrap();
        let mut cubes = Vec::new();
        for (row, column) in (0..8).flat_map(|row| [(row, -0.75), (row, 0.75)]) {
            let at = across * column + Vec3::new(0.0, 0.8, 0.0) + tilt * (down * 1.5 * row as Real);
            let def = BodyDef3 { rotation: tilt, ..BodyDef3::dynamic(at.to_array()) };
            cubes.push((world.create_body_with(def, [Shape3::cuboid(1.0, 1.0, 1.0)]).unwrap(), column));
        }
        run(&mut world, 3.0);
        for (id, column) in cubes {
            let aside = world.body(id).unwrap().position().to_vec().dot(across);
            // Not even a rounding error: each blow would make tens of times as much of it.
            assert_eq!(aside, column, "{id:?} left its column with steps of {dt} s");
        }
    }
}

/// 45° in radians, as cubes of the sheet are turned.
const TILT: Real = core::f32::consts::FRAC_PI_4;

#[test]
fn a_sheet_along_x_stays_in_its_columns() {
    a_sheet_that_collapses_stays_in_its_columns(Vec3::X, Vec3::Z, Quat::from_rotation_x(-TILT));
}

/// The frame that friction is solved in was no mirror image of itself for normals in the plane of x and y.
#[test]
fn a_sheet_along_z_stays_in_its_columns() {
    a_sheet_that_collapses_stays_in_its_columns(Vec3::Z, Vec3::X, Quat::from_rotation_z(TILT));
}
