//! Four numbers in a register, where every processor of the kind has such registers: x86-64 (SSE2) and 64-bit ARM (NEON).
//!
//! **Why it is sound.** The instructions are part of the processor whenever this compiles, and memory is reached by reference to
//! arrays of four alone.
//!
//! DETERMINISM: every operation is the plain one of IEEE 754, lane by lane, and the same on both: a test compares them with
//! numbers one by one. Larger and smaller are spelled out: `a > b ? a : b` and `a < b ? a : b`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use arm::F4;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::F4;

impl F4 {
    /// The lanes of `a` where those of the mask are set, else those of `b`. A mask has all bits of a lane, or none.
    #[inline(always)]
    pub(crate) fn select(self, a: Self, b: Self) -> Self {
        self.and(a).or(b.without(self))
    }

    /// Rows become columns.
    #[inline(always)]
    pub(crate) fn transpose([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        let (a, b) = (r0.interleave_low(r1), r0.interleave_high(r1));
        let (c, d) = (r2.interleave_low(r3), r2.interleave_high(r3));
        [a.low_pairs(c), a.high_pairs(c), b.low_pairs(d), b.high_pairs(d)]
    }

    /// The numbers.
    #[inline(always)]
    pub(crate) fn floats(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        self.store(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros of both signs, tiny, huge, and what is no number.
    const KINDS: [f32; 8] = [1.5, -2.25, 0.0, -0.0, 1e-40, 3e38, f32::INFINITY, f32::NAN];

    #[test]
    fn every_lane_does_what_a_number_does() {
        let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        let all_bits = |is: bool| if is { u32::MAX } else { 0 };
        for (i, &x) in KINDS.iter().enumerate() {
            for (j, &y) in KINDS.iter().enumerate() {
                let (a, b) = ([x, KINDS[(i + 3) % 8], 7.0, y], [y, KINDS[(j + 5) % 8], x, -3.5]);
                let (p, q) = (F4::load(&a), F4::load(&b));
                let check = |wide: F4, plain: fn(f32, f32) -> f32| {
                    let wide = wide.floats().map(bits);
                    assert_eq!(wide, core::array::from_fn(|k| bits(plain(a[k], b[k]))), "{a:?} {b:?}");
                };
                check(p.add(q), |a, b| a + b);
                check(p.sub(q), |a, b| a - b);
                check(p.mul(q), |a, b| a * b);
                check(p.div(q), |a, b| a / b);
                check(p.max(q), |a, b| if a > b { a } else { b });
                check(p.min(q), |a, b| if a < b { a } else { b });
                check(p.sqrt(), |a, _| a.sqrt());
                check(p.greater(q).select(p, q), |a, b| if a > b { a } else { b });
                let exactly = |wide: F4, plain: &dyn Fn(usize) -> u32| {
                    assert_eq!(wide.floats().map(f32::to_bits), core::array::from_fn(plain), "{a:?} {b:?}");
                };
                exactly(p.greater(q), &|k| all_bits(a[k] > b[k]));
                exactly(p.at_most(q), &|k| all_bits(a[k] <= b[k]));
                exactly(p.equal(q), &|k| all_bits(a[k] == b[k]));
                exactly(p.and(q), &|k| a[k].to_bits() & b[k].to_bits());
                exactly(p.or(q), &|k| a[k].to_bits() | b[k].to_bits());
                exactly(p.xor(q), &|k| a[k].to_bits() ^ b[k].to_bits());
                exactly(p.without(q), &|k| a[k].to_bits() & !b[k].to_bits());
                let signs = (0..4).fold(0, |sum, k| sum | u32::from(a[k].is_sign_negative()) << k);
                assert_eq!(p.signs(), signs);
            }
        }
    }

    #[test]
    fn lanes_go_where_they_should() {
        let (a, b) = (F4::new([0.0, 1.0, 2.0, 3.0]), F4::new([4.0, 5.0, 6.0, 7.0]));
        assert_eq!(a.low_pairs(b).floats(), [0.0, 1.0, 4.0, 5.0]);
        assert_eq!(a.high_pairs(b).floats(), [2.0, 3.0, 6.0, 7.0]);
        assert_eq!(a.interleave_low(b).floats(), [0.0, 4.0, 1.0, 5.0]);
        assert_eq!(a.interleave_high(b).floats(), [2.0, 6.0, 3.0, 7.0]);
        assert_eq!(F4::splat(2.0).floats(), [2.0; 4]);
        let rows: [F4; 4] = core::array::from_fn(|i| F4::new(core::array::from_fn(|k| (10 * i + k) as f32)));
        for (k, column) in F4::transpose(rows).into_iter().enumerate() {
            assert_eq!(column.floats(), core::array::from_fn(|i| (10 * i + k) as f32));
        }
        for bits in 0..16_u8 {
            let mask = F4::mask(bits).floats().map(f32::to_bits);
            assert_eq!(mask, core::array::from_fn(|k| if bits >> k & 1 == 1 { u32::MAX } else { 0 }));
        }
    }
}
