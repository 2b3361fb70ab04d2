//! Eight numbers at once: the arithmetic of the wide rows.
//!
//! The rows always hold eight lanes. How many the hardware does in one instruction is chosen at run time: eight with AVX2, four
//! with SSE2 or NEON, or one by one. Every operation is the plain IEEE one, `max` and `min` included (spelled out to behave as the
//! hardware does for equal zeros), no operation is fused, and lanes never mix: all widths give the same bits.
//!
//! **Why it is sound.** Kernels are written for any [`Lanes`] and handed to [`SimdWidth::run`]. The type with eight lanes is known to
//! this file alone, which names it in one place: behind the question whether the processor has AVX2. So wherever it is used, the
//! processor has it. Memory is reached by reference.

use super::four::F4;

/// Eight numbers in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct F8(pub(crate) [f32; 8]);

impl F8 {
    /// Its halves.
    #[inline(always)]
    fn halves(&self) -> [&[f32; 4]; 2] {
        let (low, high) = self.0.split_at(4);
        [low.first_chunk().expect("four"), high.first_chunk().expect("four")]
    }
}

/// Which instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdWidth {
    /// One lane at a time: the reference.
    Scalar,
    /// Four lanes: SSE2 on x86-64, NEON on 64-bit ARM, elsewhere whatever the compiler makes of them.
    Four,
    /// Eight lanes (AVX2).
    Eight,
}

/// Something to do with eight lanes, whatever they are made of.
pub(crate) trait Kernel {
    type Output;

    /// Does it. Must be `inline(always)`, as everything that it calls with lanes: otherwise it is compiled for less than the
    /// processor has, and slow.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl SimdWidth {
    /// The widest that this machine has.
    pub fn best() -> Self {
        if Self::Eight.is_available() { Self::Eight } else { Self::Four }
    }

    /// True if this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Four => true,
            #[cfg(target_arch = "x86_64")]
            Self::Eight => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Eight => false,
        }
    }

    /// Runs a kernel with this many lanes at a time; with four where the machine has not as many.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        if self == Self::Scalar { kernel.run::<Scalar>() } else { self.run_wide(kernel) }
    }

    /// The same, but with four where one is asked for: for kernels that would take too long to build a third time.
    #[inline]
    pub(crate) fn run_wide<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if self == Self::Eight && self.is_available() {
            // SAFETY: the processor has AVX2.
            return unsafe { eight::run(kernel) };
        }
        kernel.run::<Four>()
    }
}

/// Eight numbers in registers.
pub(crate) trait Lanes: Copy {
    /// Worth kernels of its own for every case.
    const IS_WIDEST: bool = false;
    /// Result of a comparison, one flag per lane.
    type Mask: Copy;
    fn splat(x: f32) -> Self;
    fn load(from: &F8) -> Self;
    fn store(self, to: &mut F8);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// `self < other ? self : other`.
    fn min(self, other: Self) -> Self;
    fn greater(self, other: Self) -> Self::Mask;
    /// `mask ? a : b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// True if the flag of some lane is set.
    fn any(mask: Self::Mask) -> bool;
    /// Lane i has bit i of `bits`.
    fn mask(bits: u8) -> Self::Mask;

    /// Lane i of result k is number k of row i.
    fn columns(rows: [&[f32; 4]; 8]) -> [Self; 4];

    /// The reverse: number k of row i is lane i of value k.
    fn rows(values: [Self; 4]) -> [F4; 8];

    /// For each of eight rows of `S` floats, the four floats at `offset`: lane i of result k is float k of row i.
    #[inline(always)]
    fn gather4<const S: usize>(rows: [&[f32; S]; 8], offset: usize) -> [Self; 4] {
        Self::columns(rows.map(|row| row[offset..].first_chunk().expect("four floats")))
    }
}

/// One lane after the other: the reference for tests. Its operations are calls: inlined, eight times everything, it would take most of the time
/// to build the engine.
#[derive(Clone, Copy)]
pub(crate) struct Scalar([f32; 8]);

impl Scalar {
    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(core::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Scalar {
    type Mask = [bool; 8];
    #[inline(never)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(never)]
    fn load(from: &F8) -> Self {
        Self(from.0)
    }
    #[inline(never)]
    fn store(self, to: &mut F8) {
        to.0 = self.0;
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.map2(other, |a, b| a + b)
    }
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.map2(other, |a, b| a - b)
    }
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        self.map2(other, |a, b| a * b)
    }
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        self.map2(other, |a, b| a / b)
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(never)]
    fn max(self, other: Self) -> Self {
        self.map2(other, |a, b| if a > b { a } else { b })
    }
    #[inline(never)]
    fn min(self, other: Self) -> Self {
        self.map2(other, |a, b| if a < b { a } else { b })
    }
    #[inline(never)]
    fn greater(self, other: Self) -> Self::Mask {
        core::array::from_fn(|i| self.0[i] > other.0[i])
    }
    #[inline(never)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Self(core::array::from_fn(|i| if mask[i] { a.0[i] } else { b.0[i] }))
    }
    #[inline(never)]
    fn any(mask: Self::Mask) -> bool {
        mask.contains(&true)
    }
    #[inline(never)]
    fn mask(bits: u8) -> Self::Mask {
        core::array::from_fn(|i| bits >> i & 1 == 1)
    }
    #[inline(never)]
    fn columns(rows: [&[f32; 4]; 8]) -> [Self; 4] {
        core::array::from_fn(|k| Self(rows.map(|row| row[k])))
    }
    #[inline(never)]
    fn rows(values: [Self; 4]) -> [F4; 8] {
        core::array::from_fn(|i| F4::new(values.map(|value| value.0[i])))
    }
}

/// Two times four lanes.
#[derive(Clone, Copy)]
pub(crate) struct Four([F4; 2]);

impl Four {
    #[inline(always)]
    fn both(self, other: Self, f: impl Fn(F4, F4) -> F4) -> Self {
        Self([f(self.0[0], other.0[0]), f(self.0[1], other.0[1])])
    }
}

impl Lanes for Four {
    type Mask = [F4; 2];
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([F4::splat(x); 2])
    }
    #[inline(always)]
    fn load(from: &F8) -> Self {
        Self(from.halves().map(F4::load))
    }
    #[inline(always)]
    fn store(self, to: &mut F8) {
        let (low, high) = to.0.split_at_mut(4);
        self.0[0].store(low.first_chunk_mut().expect("four"));
        self.0[1].store(high.first_chunk_mut().expect("four"));
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.both(other, F4::add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.both(other, F4::sub)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.both(other, F4::mul)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.both(other, F4::div)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(F4::sqrt))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.both(other, F4::max)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.both(other, F4::min)
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        self.both(other, F4::greater).0
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Self([mask[0].select(a.0[0], b.0[0]), mask[1].select(a.0[1], b.0[1])])
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask[0].or(mask[1]).signs() != 0
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::Mask {
        [F4::mask(bits & 15), F4::mask(bits >> 4)]
    }
    #[inline(always)]
    fn columns(rows: [&[f32; 4]; 8]) -> [Self; 4] {
        let low = F4::transpose(core::array::from_fn(|i| F4::load(rows[i])));
        let high = F4::transpose(core::array::from_fn(|i| F4::load(rows[i + 4])));
        core::array::from_fn(|k| Self([low[k], high[k]]))
    }
    #[inline(always)]
    fn rows(values: [Self; 4]) -> [F4; 8] {
        let low = F4::transpose(values.map(|value| value.0[0]));
        let high = F4::transpose(values.map(|value| value.0[1]));
        core::array::from_fn(|i| if i < 4 { low[i] } else { high[i - 4] })
    }
}

#[cfg(target_arch = "x86_64")]
mod eight {
    use super::{F4, F8, Kernel, Lanes};
    use core::arch::x86_64::*;

    /// Eight lanes. Private: no value, and no kernel for it, without AVX2.
    #[derive(Clone, Copy)]
    pub(super) struct Eight(__m256);

    /// Runs a kernel with eight lanes, compiled for AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Eight>()
    }

    macro_rules! operations {
        ($($name:ident => $intrinsic:ident),*) => {
            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module head.
                Self(unsafe { $intrinsic(self.0, other.0) })
            })*
        };
    }

    impl Eight {
        #[inline(always)]
        fn of(low: &[f32; 4], high: &[f32; 4]) -> Self {
            let (low, high) = (F4::load(low), F4::load(high));
            // SAFETY: see the module head.
            Self(unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low.0), high.0) })
        }

        #[inline(always)]
        fn low(self) -> F4 {
            // SAFETY: see the module head.
            F4(unsafe { _mm256_castps256_ps128(self.0) })
        }

        #[inline(always)]
        fn high(self) -> F4 {
            // SAFETY: see the module head.
            F4(unsafe { _mm256_extractf128_ps::<1>(self.0) })
        }
    }

    /// Transposes four rows of four in each half.
    #[inline(always)]
    fn transpose(r: [Eight; 4]) -> [Eight; 4] {
        let r = [r[0].0, r[1].0, r[2].0, r[3].0];
        // SAFETY: see the module head.
        unsafe {
            let a = _mm256_unpacklo_ps(r[0], r[1]);
            let b = _mm256_unpackhi_ps(r[0], r[1]);
            let c = _mm256_unpacklo_ps(r[2], r[3]);
            let d = _mm256_unpackhi_ps(r[2], r[3]);
            [
                Eight(_mm256_shuffle_ps::<0x44>(a, c)),
                Eight(_mm256_shuffle_ps::<0xEE>(a, c)),
                Eight(_mm256_shuffle_ps::<0x44>(b, d)),
                Eight(_mm256_shuffle_ps::<0xEE>(b, d)),
            ]
        }
    }

    impl Lanes for Eight {
        const IS_WIDEST: bool = true;
        type Mask = __m256;
        operations!(
            add => _mm256_add_ps, sub => _mm256_sub_ps, mul => _mm256_mul_ps,
            div => _mm256_div_ps, max => _mm256_max_ps, min => _mm256_min_ps
        );
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: see the module head.
            Self(unsafe { _mm256_set1_ps(x) })
        }
        #[inline(always)]
        fn load(from: &F8) -> Self {
            // SAFETY: AVX2; eight aligned numbers.
            Self(unsafe { _mm256_load_ps(from.0.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut F8) {
            // SAFETY: AVX2; eight aligned numbers.
            unsafe { _mm256_store_ps(to.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see the module head.
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }
        #[inline(always)]
        fn greater(self, other: Self) -> Self::Mask {
            // SAFETY: see the module head.
            unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
            // SAFETY: see the module head.
            Self(unsafe { _mm256_blendv_ps(b.0, a.0, mask) })
        }
        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            // SAFETY: see the module head.
            unsafe { _mm256_movemask_ps(mask) != 0 }
        }
        #[inline(always)]
        fn mask(bits: u8) -> Self::Mask {
            // SAFETY: see the module head.
            unsafe {
                let lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let all = _mm256_set1_epi32(i32::from(bits));
                _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, lane), lane))
            }
        }
        #[inline(always)]
        fn columns(rows: [&[f32; 4]; 8]) -> [Self; 4] {
            let [a, b, c, d, e, f, g, h] = rows;
            transpose([Self::of(a, e), Self::of(b, f), Self::of(c, g), Self::of(d, h)])
        }
        #[inline(always)]
        fn rows(values: [Self; 4]) -> [F4; 8] {
            let [a, b, c, d] = transpose(values);
            [a.low(), b.low(), c.low(), d.low(), a.high(), b.high(), c.high(), d.high()]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that lanes can do, with the bits that come out.
    struct All;

    impl Kernel for All {
        type Output = Vec<[u32; 8]>;

        fn run<L: Lanes>(self) -> Self::Output {
            let a = F8([1.5, -2.0, 0.0, -0.0, 1e-40, 3e38, -7.25, 0.1]);
            let b = F8([0.3, 5.0, -0.0, 0.0, 1.0, 3e38, -7.25, -0.2]);
            let mut found = Vec::new();
            let mut note = |value: L| {
                let mut out = F8::default();
                value.store(&mut out);
                // The sign of what is no number is nobody's business.
                found.push(out.0.map(|x| if x.is_nan() { f32::NAN } else { x }.to_bits()));
            };
            let (p, q) = (L::load(&a), L::load(&b));
            [p.add(q), p.sub(q), p.mul(q), p.div(q), p.max(q), p.min(q)].into_iter().for_each(&mut note);
            note(L::select(p.greater(q), p, q));
            note(p.mul(p).sqrt());
            (0..=u8::MAX).for_each(|bits| note(L::select(L::mask(bits), L::splat(1.0), L::splat(2.0))));
            let rows: [[f32; 8]; 8] = core::array::from_fn(|i| core::array::from_fn(|k| (10 * i + k) as f32));
            let values = L::gather4(rows.each_ref(), 3);
            values.into_iter().for_each(&mut note);
            for (i, row) in L::rows(values).into_iter().enumerate() {
                assert_eq!(row.floats(), rows[i][3..7], "there and back");
            }
            assert!(L::any(p.greater(q)), "lane 0");
            assert!(!L::any(p.greater(p)));
            (0..8).for_each(|i| assert!(L::any(L::mask(1 << i)), "lane {i}"));
            found
        }
    }

    #[test]
    fn all_widths_give_the_same_bits() {
        let reference = SimdWidth::Scalar.run(All);
        assert_eq!(reference[0][0], 1.8_f32.to_bits());
        assert_eq!(reference[8 + 0b101], [1.0, 2.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0].map(f32::to_bits));
        for (k, column) in reference[8 + 256..].iter().enumerate() {
            assert_eq!(*column, core::array::from_fn(|i| ((10 * i + 3 + k) as f32).to_bits()));
        }
        for width in [SimdWidth::Four, SimdWidth::Eight] {
            assert_eq!(width.run(All), reference, "{width:?}");
            assert_eq!(width.run_wide(All), reference, "{width:?}");
        }
    }
}
