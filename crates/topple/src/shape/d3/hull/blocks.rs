//! Corners and edges four at a time, component by component, for the searches that run over all of them.
//!
//! DETERMINISM: the operations are those of the plain search in the same order, lane by lane, so the answers have the same bits.

use super::EdgeLine;
use crate::math::*;
use crate::trusted::F4;

/// Three components of four vectors.
type Rows = [[Real; 4]; 3];

/// Four corners. Places without a corner repeat the last one, which changes no extreme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CornerBlock(Rows);

/// Four edges. Places without an edge are zero, which passes no test of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LineBlock {
    start: Rows,
    along: Rows,
    normals: [Rows; 2],
    /// Cosine between the two normals.
    cos: [Real; 4],
    /// One over the squared length [1/m²]; 0 for an edge without length.
    inverse_square: [Real; 4],
}

impl CornerBlock {
    /// Of one to four corners [m].
    pub(super) fn new(corners: &[Vec3]) -> Self {
        Self(core::array::from_fn(|axis| core::array::from_fn(|k| corners[k.min(corners.len() - 1)][axis])))
    }

    /// Smallest coordinate of the corners along `n` [m].
    #[inline]
    pub(super) fn lowest(blocks: &[Self], n: Vec3) -> Real {
        let n = splat(n);
        let low = blocks.iter().fold(F4::splat(Real::INFINITY), |low, block| dot(&block.0, n).min(low));
        least(low)
    }

    /// Number of the farthest corner along `d`, the first of several; 0 if none is.
    #[inline]
    pub(super) fn farthest(blocks: &[Self], d: Vec3) -> usize {
        let d = splat(d);
        let (mut reach, mut at) = (F4::splat(Real::NEG_INFINITY), F4::splat(0.0));
        for (k, block) in blocks.iter().enumerate() {
            let x = dot(&block.0, d);
            let is_farther = x.greater(reach);
            reach = is_farther.select(x, reach);
            at = is_farther.select(F4::splat(k as Real), at);
        }
        let (reach, at) = (reach.floats(), at.floats());
        let number = |lane: usize| 4 * at[lane] as usize + lane;
        (1..4)
            .fold((number(0), reach[0]), |best, lane| {
                let is_better = reach[lane] > best.1 || (reach[lane] == best.1 && number(lane) < best.0);
                if is_better { (number(lane), reach[lane]) } else { best }
            })
            .0
    }

    /// Least and greatest coordinates of the turned corners [m].
    #[inline]
    pub(super) fn bounds(blocks: &[Self], rotation: Mat3) -> [Vec3; 2] {
        let rows = rotation.transpose();
        let axes = [splat(rows.x_axis), splat(rows.y_axis), splat(rows.z_axis)];
        let mut low = [F4::splat(Real::INFINITY); 3];
        let mut high = [F4::splat(Real::NEG_INFINITY); 3];
        for block in blocks {
            for k in 0..3 {
                let x = dot(&block.0, axes[k]);
                low[k] = x.min(low[k]);
                high[k] = x.max(high[k]);
            }
        }
        [Vec3::from_array(low.map(least)), Vec3::from_array(high.map(greatest))]
    }
}

impl LineBlock {
    /// Of one to four edges.
    pub(super) fn new(lines: &[EdgeLine]) -> Self {
        let mut block = Self::default();
        for (k, line) in lines.iter().take(4).enumerate() {
            block.cos[k] = line.normals[0].dot(line.normals[1]);
            let square = line.along.length_squared();
            block.inverse_square[k] = if square > 0.0 { 1.0 / square } else { 0.0 };
            for axis in 0..3 {
                block.start[axis][k] = line.start[axis];
                block.along[axis][k] = line.along[axis];
                block.normals[0][axis][k] = line.normals[0][axis];
                block.normals[1][axis][k] = line.normals[1][axis];
            }
        }
        block
    }

    /// Which of the edges have a normal along which `center` is farther away than `reach` [m], as bits. A distance counts
    /// whatever its sign: at a reach below 0 every arc of normals that looks towards the centre will do.
    #[inline]
    pub(crate) fn near(&self, center: Vec3, reach: Real) -> u32 {
        let reach_squared = F4::splat(if reach > 0.0 { reach * reach } else { 0.0 });
        let (reach, zero) = (F4::splat(reach), F4::splat(0.0));
        let c = splat(center);
        let u: [F4; 3] = core::array::from_fn(|k| c[k].sub(F4::load(&self.start[k])));
        let [x, y] = [dot(&self.normals[0], u), dot(&self.normals[1], u)];
        let along = dot(&self.along, u);
        let square = u[0].mul(u[0]).add(u[1].mul(u[1])).add(u[2].mul(u[2]));
        // Between the normals of the faces the largest n·u is at u seen along the edge, if that is between them.
        let cos = F4::load(&self.cos);
        let is_end = x.greater(reach).or(y.greater(reach));
        let is_between = y.sub(cos.mul(x)).greater(zero).and(x.sub(cos.mul(y)).greater(zero));
        let across = square.sub(along.mul(along).mul(F4::load(&self.inverse_square)));
        is_end.or(is_between.and(reach_squared.at_most(across))).signs()
    }

    /// Components of the normals of the faces to the left and to the right of each edge along `d`.
    #[inline]
    pub(crate) fn normals_along(&self, d: Vec3) -> [[Real; 4]; 2] {
        let d = splat(d);
        [dot(&self.normals[0], d).floats(), dot(&self.normals[1], d).floats()]
    }

    /// Which of the edges have arcs on the Gauss map that cross the arc from `c` to `d` of an edge along `along`, as
    /// bits. Two arcs cross if each separates the ends of the other, on the same half of the sphere.
    #[inline]
    pub(crate) fn crossings(&self, c: Vec3, d: Vec3, along: Vec3) -> u32 {
        let (cba, dba) = (dot(&self.along, splat(c)), dot(&self.along, splat(d)));
        let along = splat(along);
        let (adc, bdc) = (dot(&self.normals[0], along), dot(&self.normals[1], along));
        let zero = F4::splat(0.0);
        let same_half = zero.sub(cba.mul(bdc));
        // Crossing if all three products are negative.
        let worst = cba.mul(dba).max(adc.mul(bdc)).max(same_half);
        zero.greater(worst).signs()
    }
}

#[inline(always)]
fn splat(v: Vec3) -> [F4; 3] {
    [F4::splat(v.x), F4::splat(v.y), F4::splat(v.z)]
}

/// Four dot products, summed in the order of [`Vec3::dot`].
#[inline(always)]
fn dot(v: &Rows, u: [F4; 3]) -> F4 {
    let [x, y, z] = [F4::load(&v[0]).mul(u[0]), F4::load(&v[1]).mul(u[1]), F4::load(&v[2]).mul(u[2])];
    x.add(y).add(z)
}

fn least(lanes: F4) -> Real {
    lanes.floats().into_iter().fold(Real::INFINITY, |a, b| if b < a { b } else { a })
}

fn greatest(lanes: F4) -> Real {
    lanes.floats().into_iter().fold(Real::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any number of corners, some of them equally far: what a plain search finds.
    #[test]
    fn extremes_are_those_of_a_plain_search() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            // Few values, so that many tie.
            ((state >> 28) as Real - 7.5) * 0.3
        };
        for count in 1..40 {
            let corners: Vec<Vec3> = (0..count).map(|_| Vec3::new(next(), next(), next())).collect();
            let blocks: Vec<CornerBlock> = corners.chunks(4).map(CornerBlock::new).collect();
            for _ in 0..20 {
                let d = Vec3::new(next(), next(), next());
                let (mut far, mut low) = (0, Real::INFINITY);
                for (i, p) in corners.iter().enumerate() {
                    far = if p.dot(d) > corners[far].dot(d) { i } else { far };
                    low = low.min(p.dot(d));
                }
                assert_eq!(CornerBlock::farthest(&blocks, d), far, "{count} corners along {d}");
                assert_eq!(CornerBlock::lowest(&blocks, d), low);
                let turn = Mat3::from_quat(RotOps::<D3>::normalized(Quat::from_xyzw(d.x, d.y, d.z, 1.0)));
                let [min, max] = CornerBlock::bounds(&blocks, turn);
                for &p in &corners {
                    let p = turn * p;
                    assert!(
                        (min - Vec3::splat(1e-5)).cmple(p).all() && (max + Vec3::splat(1e-5)).cmpge(p).all()
                    );
                }
                let width = corners.iter().map(|&p| (turn * p).x).fold(Real::NEG_INFINITY, Real::max);
                assert!((max.x - width).abs() < 1e-5, "{} against {width}", max.x);
            }
        }
    }
}
