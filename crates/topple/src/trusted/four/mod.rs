//! Four numbers in a register, where every processor of the kind has such registers: x86-64 (SSE2) and 64-bit ARM (NEON). Elsewhere
//! an array, of which the compiler makes what it can.
//!
//! **Why it is sound.** The instructions are part of the processor whenever this compiles, and memory is reached by reference to
//! arrays of four alone.
//!
//! DETERMINISM: every operation is the plain one of IEEE 754, lane by lane: a test compares the registers with `plain.rs`. Larger and smaller are spelled out: `a > b ? a : b` and `a < b ? a : b`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use arm::F4;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use plain::F4;
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
    fn registers_do_what_numbers_do() {
        let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        macro_rules! compare {
            ($bits:expr, $a:expr, $b:expr, $($name:ident($($other:ident)?)),*) => {
                $({
                    let (p, plain_p) = (F4::load(&$a), plain::F4::load(&$a));
                    $(let ($other, plain_q) = (F4::load(&$b), plain::F4::load(&$b));)?
                    let (mut wide, mut plain) = ([0.0; 4], [0.0; 4]);
                    p.$name($($other)?).store(&mut wide);
                    plain_p.$name($({ let _ = $other; plain_q })?).store(&mut plain);
                    let name = stringify!($name);
                    assert_eq!(wide.map($bits), plain.map($bits), "{name} of {:?} {:?}", $a, $b);
                })*
            };
        }
        for (i, &x) in KINDS.iter().enumerate() {
            for (j, &y) in KINDS.iter().enumerate() {
                let (a, b) = ([x, KINDS[(i + 3) % 8], 7.0, y], [y, KINDS[(j + 5) % 8], x, -3.5]);
                compare!(bits, a, b, add(q), sub(q), mul(q), div(q), max(q), min(q), sqrt());
                compare!(f32::to_bits, a, b, greater(q), at_most(q), equal(q), and(q), or(q), xor(q));
                compare!(f32::to_bits, a, b, without(q), low_pairs(q), high_pairs(q), interleave_low(q));
                compare!(f32::to_bits, a, b, interleave_high(q));
                assert_eq!(F4::load(&a).signs(), plain::F4::load(&a).signs());
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
