//! L·D·Lᵀ of a symmetric matrix of blocks, and its solution. In double precision: heavy things on light chains make the
//! matrix as ill-conditioned as the ratio of the masses.

use super::order::Order;

/// A square block, by rows.
pub(super) type Block<const M: usize> = [[f64; M]; M];

/// Pivots below this share of their diagonal entry belong to rows that depend on others (no unit).
const DEPENDENT: f64 = 1e-12;

/// The factor, in the layout of an [`Order`].
#[derive(Debug)]
pub(super) struct Factor<const M: usize> {
    /// Diagonal of each column; after factoring its inverse.
    pub diagonal: Vec<Block<M>>,
    /// Couplings; after factoring the blocks of L.
    pub couplings: Vec<Block<M>>,
    /// Right-hand side of each column; after solving the solution.
    pub values: Vec<[f64; M]>,
}

impl<const M: usize> Default for Factor<M> {
    fn default() -> Self {
        Self { diagonal: Vec::new(), couplings: Vec::new(), values: Vec::new() }
    }
}

impl<const M: usize> Factor<M> {
    /// Zeroes, in the layout of the order.
    #[inline(always)]
    pub(super) fn clear(&mut self, order: &Order) {
        self.diagonal.clear();
        self.diagonal.resize(order.links.len(), [[0.0; M]; M]);
        self.couplings.clear();
        self.couplings.resize(order.rows.len(), [[0.0; M]; M]);
        self.values.clear();
        self.values.resize(order.links.len(), [0.0; M]);
    }

    /// Factors what was filled in.
    #[inline(always)]
    pub(super) fn factor(&mut self, order: &Order) {
        let Self { diagonal, couplings, .. } = self;
        let mut target = order.targets.iter();
        for column in 0..order.links.len() {
            let inverse = inverse(&diagonal[column]);
            diagonal[column] = inverse;
            let (from, to) = (order.starts[column] as usize, order.starts[column + 1] as usize);
            for i in from..to {
                let l = product(&couplings[i], &inverse);
                // What came before in this column is L already.
                for j in from..i {
                    let goal = *target.next().expect("one for each pair") as usize;
                    // Row i of the product with the plain coupling of j: L_i·B_jᵀ = B_i·L_jᵀ.
                    let (plain, l_j) = (couplings[i], couplings[j]);
                    subtract_transposed(&mut couplings[goal], &plain, &l_j);
                }
                let goal = *target.next().expect("one for each row") as usize;
                let plain = couplings[i];
                subtract_transposed(&mut diagonal[goal], &l, &plain);
                couplings[i] = l;
            }
        }
    }
}

/// Solves for all of `sets`, each with one entry per column: right-hand sides before, solutions after.
///
/// PERF: every number waits for the one before it, so two sets take hardly longer than one.
#[inline(always)]
pub(super) fn solve<const M: usize, const K: usize>(
    order: &Order,
    diagonal: &[Block<M>],
    couplings: &[Block<M>],
    sets: [&mut Vec<[f64; M]>; K],
) {
    for column in 0..order.links.len() {
        for i in order.starts[column] as usize..order.starts[column + 1] as usize {
            let (l, row) = (&couplings[i], order.rows[i] as usize);
            for k in 0..K {
                let y = sets[k][column];
                let to = &mut sets[k][row];
                for r in 0..M {
                    for c in 0..M {
                        to[r] -= l[r][c] * y[c];
                    }
                }
            }
        }
    }
    for column in (0..order.links.len()).rev() {
        let mut x = [[0.0; M]; K];
        for k in 0..K {
            let y = sets[k][column];
            for r in 0..M {
                for c in 0..M {
                    x[k][r] += diagonal[column][r][c] * y[c];
                }
            }
        }
        for i in order.starts[column] as usize..order.starts[column + 1] as usize {
            let (l, row) = (&couplings[i], order.rows[i] as usize);
            for k in 0..K {
                let later = &sets[k][row];
                for r in 0..M {
                    for c in 0..M {
                        x[k][c] -= l[r][c] * later[r];
                    }
                }
            }
        }
        for k in 0..K {
            sets[k][column] = x[k];
        }
    }
}

/// a·b.
#[inline(always)]
fn product<const M: usize>(a: &Block<M>, b: &Block<M>) -> Block<M> {
    let mut out = [[0.0; M]; M];
    for r in 0..M {
        for i in 0..M {
            for c in 0..M {
                out[r][c] += a[r][i] * b[i][c];
            }
        }
    }
    out
}

/// to −= a·bᵀ.
#[inline(always)]
fn subtract_transposed<const M: usize>(to: &mut Block<M>, a: &Block<M>, b: &Block<M>) {
    for r in 0..M {
        for c in 0..M {
            let mut sum = 0.0;
            for i in 0..M {
                sum += a[r][i] * b[c][i];
            }
            to[r][c] -= sum;
        }
    }
}

/// Matrix times vector.
#[inline(always)]
pub(super) fn times(matrix: &[[f64; 3]; 3], v: &[f64; 3]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for i in 0..3 {
        out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
    }
    out
}

/// Inverse of a symmetric positive semi-definite block; rows that depend on others get none.
#[inline(always)]
pub(super) fn inverse<const M: usize>(k: &Block<M>) -> Block<M> {
    let mut l = [[0.0; M]; M];
    let (mut pivots, mut inverses) = ([0.0; M], [0.0; M]);
    for j in 0..M {
        let mut pivot = k[j][j];
        for i in 0..j {
            pivot -= l[j][i] * l[j][i] * pivots[i];
        }
        if pivot > DEPENDENT * k[j][j] {
            (pivots[j], inverses[j]) = (pivot, 1.0 / pivot);
        }
        for r in j + 1..M {
            let mut entry = k[r][j];
            for i in 0..j {
                entry -= l[r][i] * l[j][i] * pivots[i];
            }
            l[r][j] = entry * inverses[j];
        }
    }
    // L⁻¹, unit lower triangular.
    let mut back = [[0.0; M]; M];
    for c in 0..M {
        back[c][c] = 1.0;
        for r in c + 1..M {
            let mut sum = 0.0;
            for i in c..r {
                sum += l[r][i] * back[i][c];
            }
            back[r][c] = -sum;
        }
    }
    // K⁻¹ = L⁻ᵀ·D⁻¹·L⁻¹.
    let mut out = [[0.0; M]; M];
    for r in 0..M {
        for c in 0..=r {
            let mut sum = 0.0;
            for i in r..M {
                sum += back[i][r] * inverses[i] * back[i][c];
            }
            (out[r][c], out[c][r]) = (sum, sum);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::order::GROUND;
    use super::*;

    /// A small generator of numbers in (−1, 1).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        }
    }

    /// Links with random Jacobians between bodies of six numbers: the sparse solution is that of the dense matrix.
    fn solves<const M: usize>(ends: &[[u32; 2]], bodies: usize) {
        let mut random = Random(7);
        let mut jacobians = Vec::new();
        for _ in ends {
            let row: [[[f64; 6]; M]; 2] =
                core::array::from_fn(|_| core::array::from_fn(|_| core::array::from_fn(|_| random.next())));
            jacobians.push(row);
        }
        let mut order = Order::default();
        order.update(ends.iter().copied(), bodies);
        assert!(!order.is_refused);
        let entry = |i: usize, j: usize| -> Block<M> {
            let mut block = [[0.0; M]; M];
            for (a, &body) in ends[i].iter().enumerate() {
                for (b, &other) in ends[j].iter().enumerate() {
                    if body == GROUND || body != other {
                        continue;
                    }
                    for r in 0..M {
                        for c in 0..M {
                            block[r][c] +=
                                (0..6).map(|k| jacobians[i][a][r][k] * jacobians[j][b][c][k]).sum::<f64>();
                        }
                    }
                }
            }
            if i == j {
                (0..M).for_each(|r| block[r][r] += 0.01);
            }
            block
        };
        let mut factor = Factor::<M>::default();
        factor.clear(&order);
        for (column, &link) in order.links.iter().enumerate() {
            factor.diagonal[column] = entry(link as usize, link as usize);
        }
        for &(at, [row, column]) in &order.couplings {
            factor.couplings[at as usize] = entry(row as usize, column as usize);
        }
        let x: Vec<[f64; M]> = ends.iter().map(|_| core::array::from_fn(|_| random.next())).collect();
        for (column, &link) in order.links.iter().enumerate() {
            for j in 0..ends.len() {
                let block = entry(link as usize, j);
                for r in 0..M {
                    factor.values[column][r] += (0..M).map(|c| block[r][c] * x[j][c]).sum::<f64>();
                }
            }
        }
        factor.factor(&order);
        let mut twice = factor.values.clone();
        twice.iter_mut().flatten().for_each(|value| *value *= 2.0);
        solve(&order, &factor.diagonal, &factor.couplings, [&mut factor.values, &mut twice]);
        for (column, &link) in order.links.iter().enumerate() {
            for r in 0..M {
                let error = (factor.values[column][r] - x[link as usize][r]).abs();
                assert!(error < 1e-8, "row {r} of link {link} is off by {error}");
                assert_eq!(twice[column][r], 2.0 * factor.values[column][r]);
            }
        }
    }

    #[test]
    fn sparse_solutions_are_those_of_the_dense_matrix() {
        let chain: Vec<[u32; 2]> = (0..20).map(|i| [if i == 0 { GROUND } else { i - 1 }, i]).collect();
        let tree: Vec<[u32; 2]> = (1..30).map(|i| [(i - 1) / 3, i]).collect();
        let star: Vec<[u32; 2]> = (1..10).map(|i| [0, i]).chain([[0, GROUND]]).collect();
        for (ends, bodies) in [(&chain, 20), (&tree, 30), (&star, 10)] {
            solves::<3>(ends, bodies);
            solves::<6>(ends, bodies);
        }
    }

    #[test]
    fn chains_stay_narrow_and_hubs_and_loops_are_refused() {
        let mut order = Order::default();
        order.update((0..100).map(|i| [if i == 0 { GROUND } else { i - 1 }, i]), 100);
        assert_eq!((order.rows.len(), order.is_refused), (99, false));
        order.update((1..60).map(|i| [0, i]), 60);
        assert!(order.is_refused);
        order.update([[0, 1], [1, 2], [2, 0]].into_iter(), 3);
        assert!(order.is_refused);
        order.update([[0, 1], [GROUND, 0], [1, GROUND]].into_iter(), 2);
        assert!(order.is_refused);
    }

    #[test]
    fn dependent_rows_get_nothing() {
        let k = [[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 4.0]];
        let inverse = inverse(&k);
        assert_eq!(inverse, [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.25]]);
    }
}
