//! What the passes cost: operations and bytes of a row, for benchmarks that ask how near the solver is to what the machine can do.
//!
//! The numbers of operations are those of the source (each addition, multiplication, division, root, comparison, choice, maximum
//! or minimum of a lane is one); a test counts them. Bytes are what a pass moves if nothing of it is left in the cache from the
//! pass before: the row, the packed bodies, and back whatever cache line was written to.

use super::SolverSoftStep;
use super::pack::Packed;
use super::rows::{FrictionRow, Point, Row, WIDTH};
use super::step::SoftDim;
use crate::body::{BodyProps, BodyState};
use crate::math::*;
use crate::trusted::Ends;

/// A cache line [bytes].
const LINE: usize = 64;

/// Work of one pass for one contact with all its points, or of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassCost {
    /// Operations on single numbers.
    pub flops: usize,
    /// Bytes read.
    pub read: usize,
    /// Bytes written back.
    pub written: usize,
}

/// Work of a sub-step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubstepCost {
    /// Points of a full contact.
    pub points: usize,
    /// The biased pass, per contact.
    pub solve: PassCost,
    /// The relaxing pass, per contact.
    pub relax: PassCost,
    /// Both integrations, per body. Operations are not counted: they belong to the integrator.
    pub bodies: PassCost,
    /// Bytes of the rows of a contact.
    pub row_bytes: usize,
    /// Bytes of a body in all arrays that the sub-steps touch.
    pub body_bytes: usize,
}

impl<D: Dim> SolverSoftStep<D> {
    /// What a sub-step costs for every contact and body.
    pub fn cost() -> SubstepCost {
        <D as SoftDim>::cost()
    }
}

/// The same for the sizes of a dimension; see `rows.rs`.
pub(super) fn cost<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>() -> SubstepCost {
    let row = size_of::<Row<N, A, P>>() + size_of::<Ends>();
    let friction = size_of::<FrictionRow<A, T, K, P>>();
    let packed = size_of::<Packed<S>>();
    // The impulses of a point are alone in their line.
    debug_assert!(size_of::<Point<A>>() >= LINE);
    let impulses = P * LINE;
    let friction_impulses = (T + K) * LINE;
    // State, orientation, packed form, whitening and the velocities of the last sub-step; constants are read only.
    let changing = size_of::<BodyState<D>>() + size_of::<D::Rot>() + packed + 6 * size_of::<f32>();
    let constant = size_of::<BodyProps<D>>() + 6 * size_of::<f32>();
    SubstepCost {
        points: P,
        solve: PassCost {
            flops: normals_flops(N, A, P, true) + friction_flops(N, A, P, T, K),
            read: (row + friction) / WIDTH + 2 * packed,
            written: (impulses + friction_impulses) / WIDTH + 2 * packed,
        },
        relax: PassCost {
            flops: normals_flops(N, A, P, false),
            read: row / WIDTH + 2 * packed,
            written: impulses / WIDTH + 2 * packed,
        },
        bodies: PassCost { flops: 0, read: 2 * (changing + constant), written: 2 * changing },
        row_bytes: (row + friction) / WIDTH,
        body_bytes: changing + constant,
    }
}

const fn dot(m: usize) -> usize {
    2 * m - 1
}

/// Operations of `normals::solve_normals` per lane, for more than one point.
const fn normals_flops(n: usize, a: usize, points: usize, bias: bool) -> usize {
    // 1/m of both, and the choice of the softness; Δp and v along the normal.
    let start = 1 + 2 + 2 * (n + dot(n));
    // Separation and approach speed; gap, its sign, the least change; the change wanted.
    let geometry = 2 * (2 * dot(a) + 1) + 2 + 1;
    let law = 3 + if bias { 13 } else { 4 };
    let between = points * (points - 1) / 2 * (2 * dot(a) + 4);
    // A sweep per mirror order, and the mean of all.
    let orders = if points == 2 { 2 } else { 4 };
    let sweep = 1 + 2 * (points - 1) + points * (points - 1);
    let sweeps = orders * sweep + (orders - 1) * 2 * points;
    let spins = points * 2 * a + a * (2 * (points - 1) + 4);
    let apply = points + spins + (points - 1) + 3 + 4 * n;
    start + points * (geometry + law) + between + sweeps + apply
}

/// Operations of `kernel::solve_friction` per lane, where nothing slides.
const fn friction_flops(n: usize, a: usize, points: usize, t: usize, k: usize) -> usize {
    let load = points;
    let twist = k * (2 * dot(a) + 1 + 2 * points + 2 + 3 + 1 + 2 + 4 * a + 8);
    // The last four: whether the normal is level.
    let tangents = if n == 2 { 1 } else { 2 + 2 + 2 + 4 + 1 + 2 + 3 + 1 + 4 };
    let slip = n + t * (dot(n) + 2 * dot(a) + 1 + 2);
    let solve = if t == 1 { 2 + 2 } else { 2 * 4 + 4 };
    let limit = 2 + 1 + 3;
    let apply = t * (2 + 2 + 2 + 4 * n + 4 * a);
    load + twist + tangents + slip + solve + limit + apply
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::soft_step::kernel::{PassParams, Side, solve_friction};
    use crate::solver::soft_step::lanes::{F8, Lanes};
    use crate::solver::soft_step::normals::solve_normals;
    use crate::solver::soft_step::softness::Softness;
    use crate::trusted::F4;
    use core::cell::Cell;

    thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

    /// One lane that counts what is done to it.
    #[derive(Clone, Copy)]
    struct Counting(f32);

    fn counted<R>(result: R) -> R {
        COUNT.set(COUNT.get() + 1);
        result
    }

    impl Lanes for Counting {
        type Mask = bool;
        fn splat(x: f32) -> Self {
            Self(x)
        }
        fn load(from: &F8) -> Self {
            Self(from.0[0])
        }
        fn store(self, to: &mut F8) {
            to.0[0] = self.0;
        }
        fn add(self, other: Self) -> Self {
            counted(Self(self.0 + other.0))
        }
        fn sub(self, other: Self) -> Self {
            counted(Self(self.0 - other.0))
        }
        fn mul(self, other: Self) -> Self {
            counted(Self(self.0 * other.0))
        }
        fn div(self, other: Self) -> Self {
            counted(Self(self.0 / other.0))
        }
        fn sqrt(self) -> Self {
            counted(Self(self.0.sqrt()))
        }
        fn max(self, other: Self) -> Self {
            counted(Self(self.0.max(other.0)))
        }
        fn min(self, other: Self) -> Self {
            counted(Self(self.0.min(other.0)))
        }
        fn greater(self, other: Self) -> bool {
            counted(self.0 > other.0)
        }
        fn select(mask: bool, a: Self, b: Self) -> Self {
            counted(if mask { a } else { b })
        }
        fn any(mask: bool) -> bool {
            mask
        }
        fn mask(bits: u8) -> bool {
            bits & 1 == 1
        }
        fn columns(rows: [&[f32; 4]; 8]) -> [Self; 4] {
            rows[0].map(Self)
        }
        fn rows(values: [Self; 4]) -> [F4; 8] {
            [F4::new(values.map(|value| value.0)); 8]
        }
    }

    fn check<
        D: Dim,
        const N: usize,
        const A: usize,
        const P: usize,
        const T: usize,
        const K: usize,
        const S: usize,
    >() {
        let side = || {
            let one = Counting(1.0);
            Side { v: [one; N], u: [one; A], p: [one; N], t: [one; A] }
        };
        let mut row = Row::<N, A, P> { count: P as u8, ..Row::default() };
        let mut friction = FrictionRow::<A, T, K, P>::default();
        let soft = [Softness { rate: 1.0, mass_scale: 0.5 }; 2];
        let params = PassParams { soft, inv_h: 1.0, push_speed: 1.0 };
        let run = |work: &mut dyn FnMut()| {
            COUNT.set(0);
            work();
            COUNT.get()
        };
        let cost = cost::<D, N, A, P, T, K, S>();
        let bias = run(&mut || {
            solve_normals::<Counting, N, A, P, true>(&mut row, &mut side(), &mut side(), params);
            solve_friction::<Counting, N, A, P, T, K>(&row, &mut friction, &mut side(), &mut side());
        });
        assert_eq!(cost.solve.flops, bias, "biased pass");
        let relax = run(&mut || {
            solve_normals::<Counting, N, A, P, false>(&mut row, &mut side(), &mut side(), params);
        });
        assert_eq!(cost.relax.flops, relax, "relaxing pass");
        assert!(cost.relax.read < cost.solve.read && cost.points == P);
    }

    #[test]
    fn operations_are_counted_right() {
        check::<D2, 2, 1, 2, 1, 0, 8>();
        check::<D3, 3, 3, 4, 2, 1, 16>();
    }
}
