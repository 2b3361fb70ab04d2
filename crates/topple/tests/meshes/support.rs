//! Grounds to slide and rest on.

use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{Shape2, Shape3};

/// A flat mesh at height 0, `cells` by `cells` squares of `cell` metres.
pub(crate) fn flat_mesh(cells: u32, cell: Real) -> Shape3 {
    let size = Vec2::splat(cells as Real * cell);
    let ground = generate::terrain(size, [cells; 2], |_, _| 0.0).unwrap();
    Shape3::mesh(&ground.vertices, &ground.triangles).unwrap()
}

/// A flat height field at height 0.
pub(crate) fn flat_field(cells: u32, cell: Real) -> Shape3 {
    let count = (cells + 1) * (cells + 1);
    Shape3::height_field(Vec2::splat(cells as Real * cell), cells + 1, &vec![0.0; count as usize]).unwrap()
}

/// A flat chain at height 0, from right to left.
pub(crate) fn flat_chain(cells: u32, cell: Real) -> Shape2 {
    let half = 0.5 * cells as Real * cell;
    let vertices: Vec<Vec2> = (0..=cells).map(|i| Vec2::new(half - i as Real * cell, 0.0)).collect();
    Shape2::chain(&vertices).unwrap()
}

/// A seeded stream of numbers in [0, 1).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as Real / (1 << 24) as Real
    }

    /// A vector with components in [−size/2, size/2).
    pub(crate) fn vector<D: Dim>(&mut self, size: Real) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, (self.next() - 0.5) * size));
        v
    }

    pub(crate) fn pose<D: Dim>(&mut self, size: Real) -> Pose<D> {
        let mut turn = D::Ang::ZERO;
        (0..D::ANGULAR).for_each(|i| turn.set(i, self.next() * 3.0));
        Pose { position: D::Point::from_vec(self.vector::<D>(size)), rotation: D::Rot::from_ang(turn) }
    }
}

/// A box of full sizes `size` about `center` as twelve triangles.
pub(crate) fn box_surface(size: Vec3, center: Vec3) -> generate::Surface {
    let corner = |i: usize| {
        let pick = |bit: usize| if i & bit == 0 { -0.5 } else { 0.5 };
        center + Vec3::new(pick(1), pick(2), pick(4)) * size
    };
    let faces: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    generate::Surface {
        vertices: (0..8).map(corner).collect(),
        triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

pub(crate) fn mesh(surface: &generate::Surface) -> Shape3 {
    Shape3::mesh(&surface.vertices, &surface.triangles).unwrap()
}

/// A closed surface with bumps and dents: an icosphere whose vertices move in and out.
pub(crate) fn bumpy(random: &mut Random, rounds: u32) -> generate::Surface {
    let mut surface = generate::icosphere(1.0, rounds).unwrap();
    let waves: Vec<(Vec3, Real)> = (0..4).map(|_| (random.vector::<D3>(6.0), 0.3 * random.next())).collect();
    for v in &mut surface.vertices {
        let bump: Real = waves.iter().map(|(k, a)| a * sin_cos(k.dot(*v)).0).sum();
        *v *= 1.0 + 0.5 * bump;
    }
    surface
}

/// Rolling hills of the given size and number of cells.
pub(crate) fn hills(size: Real, cells: u32) -> generate::Surface {
    let height =
        |x: Real, z: Real| 0.8 * sin_cos(0.7 * x).0 * sin_cos(0.6 * z).1 + 0.2 * sin_cos(2.0 * x + z).0;
    generate::terrain(Vec2::splat(size), [cells; 2], height).unwrap()
}
