//! One shape of every kind by number, for worlds with everything in them.

use topple::math::*;
use topple::{Shape2, Shape3};

/// Shapes of both dimensions by number; any number will do.
pub(crate) trait Shapes: Dim {
    /// One that moves, about `size` [m] across.
    fn shape(number: u8, size: Real) -> Self::Shape;
    /// One to be stood on, `size` [m] wide.
    fn terrain(number: u8, size: Real) -> Self::Shape;
    /// A half-space.
    fn plane(tilt: Real, offset: Real) -> Self::Shape;
    /// A rotation by about `angle` [rad].
    fn turn(angle: Real) -> Self::Rot;
}

/// Hills and dales between 0 and 1, over and over.
fn bump(i: u32) -> Real {
    Real::from((i * 7 % 5) as u8) / 5.0
}

impl Shapes for D2 {
    fn shape(number: u8, size: Real) -> Shape2 {
        let corners = [Vec2::ZERO, Vec2::new(size, 0.1 * size), Vec2::new(0.3 * size, 0.8 * size)];
        match number % 6 {
            0 => Shape2::circle(0.5 * size),
            1 => Shape2::rectangle(size, 0.7 * size),
            2 => Shape2::capsule(Vec2::ZERO, Vec2::new(size, 0.2 * size), 0.3 * size),
            3 => Shape2::polygon(&corners).unwrap(),
            4 => Shape2::rounded_rectangle(0.8 * size, 0.5 * size, 0.1 * size),
            _ => Shape2::rounded_polygon(&corners, 0.2 * size).unwrap(),
        }
    }

    fn terrain(number: u8, size: Real) -> Shape2 {
        // From right to left: solid below.
        let floor: Vec<_> = (0..6)
            .map(|i| Vec2::new((0.5 - Real::from(i as u8) / 5.0) * size, 0.1 * size * bump(i)))
            .collect();
        let heights: Vec<_> = (0..7).map(|i| 0.1 * size * bump(i)).collect();
        let ring = [(-0.5, -0.4), (0.5, -0.5), (0.4, 0.5), (-0.5, 0.4)].map(|(x, y)| Vec2::new(x, y) * size);
        match number % 4 {
            0 => Shape2::chain(&floor).unwrap(),
            1 => Shape2::height_field(size, &heights).unwrap(),
            2 => Shape2::chain_loop(&ring).unwrap(),
            _ => Shape2::segment(Vec2::new(-0.5 * size, 0.0), Vec2::new(0.5 * size, 0.1 * size)),
        }
    }

    fn plane(tilt: Real, offset: Real) -> Shape2 {
        Shape2::half_plane(Vec2::new(tilt, 1.0), offset)
    }

    fn turn(angle: Real) -> Rot2 {
        Rot2::from_angle(angle)
    }
}

impl Shapes for D3 {
    fn shape(number: u8, size: Real) -> Shape3 {
        let corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (0.1, 0.9, 0.0), (0.2, 0.1, 1.0)]
            .map(|(x, y, z)| Vec3::new(x, y, z) * size);
        match number % 8 {
            0 => Shape3::sphere(0.5 * size),
            1 => Shape3::cuboid(size, 0.7 * size, 0.8 * size),
            2 => Shape3::cylinder(size, 0.4 * size),
            3 => Shape3::capsule(Vec3::ZERO, Vec3::new(size, 0.2 * size, 0.1 * size), 0.3 * size),
            4 => Shape3::cone(size, 0.4 * size),
            5 => Shape3::hull(&corners).unwrap(),
            6 => Shape3::rounded_cuboid(0.8 * size, 0.5 * size, 0.6 * size, 0.1 * size),
            // Closed, so that it has a mass.
            _ => Shape3::mesh(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).unwrap(),
        }
    }

    fn terrain(number: u8, size: Real) -> Shape3 {
        const SIDE: u32 = 4;
        let height = |i: u32| 0.1 * size * bump(i);
        let along = |i: u32| (Real::from(i as u8) / Real::from(SIDE as u8 - 1) - 0.5) * size;
        let corners: Vec<_> =
            (0..SIDE * SIDE).map(|i| Vec3::new(along(i % SIDE), height(i), along(i / SIDE))).collect();
        let cells = (0..SIDE * SIDE).filter(|i| i % SIDE + 1 < SIDE && i / SIDE + 1 < SIDE);
        let sheet: Vec<_> =
            cells.flat_map(|i| [[i, i + SIDE, i + 1], [i + 1, i + SIDE, i + SIDE + 1]]).collect();
        let heights: Vec<_> = (0..SIDE * SIDE).map(height).collect();
        match number % 3 {
            0 => Shape3::mesh(&corners, &sheet).unwrap(),
            1 => Shape3::height_field(Vec2::splat(size), SIDE, &heights).unwrap(),
            _ => Shape3::triangle(corners[0], corners[12], corners[3]),
        }
    }

    fn plane(tilt: Real, offset: Real) -> Shape3 {
        Shape3::plane(Vec3::new(tilt, 1.0, -0.5 * tilt).normalize(), offset)
    }

    fn turn(angle: Real) -> Quat {
        Quat::from_axis_angle(Vec3::new(2.0, -1.0, 2.0) / 3.0, angle)
    }
}
