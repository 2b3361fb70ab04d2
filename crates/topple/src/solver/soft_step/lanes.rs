//! Eight numbers at once: the arithmetic of the wide rows.
//!
//! The rows always hold eight lanes. How many the hardware does in one instruction is chosen at run time: eight with
//! AVX2, four with SSE2, or one by one. Every operation is the plain IEEE one, `max` and `min` included (spelled out to
//! behave as the hardware does for equal zeros), no operation is fused, and lanes never mix: all widths give the same bits.

/// Eight numbers in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct F8(pub(crate) [f32; 8]);

/// Which instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdWidth {
    /// One lane at a time: the reference, and the fallback of unknown processors (where the compiler may still vectorise).
    Scalar,
    /// Four lanes (x86-64 baseline).
    Four,
    /// Eight lanes (AVX2).
    Eight,
}

impl SimdWidth {
    /// The widest that this machine has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") { Self::Eight } else { Self::Four }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Self::Scalar
        }
    }

    /// True if this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Four => cfg!(target_arch = "x86_64"),
            Self::Eight => Self::best() == Self::Eight,
        }
    }
}

/// Eight numbers in registers.
pub(crate) trait Lanes: Copy {
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

    /// For each of eight rows of `S` floats, the four floats at `offset`: lane i of result k is float k of row i.
    fn gather4<const S: usize>(rows: [&[f32; S]; 8], offset: usize) -> [Self; 4];

    /// The reverse: the four floats at `offset` of row i become lane i of each value, for lanes whose bit is set.
    ///
    /// # Safety
    /// Rows of set lanes are valid, distinct, and used by nobody else.
    unsafe fn scatter4<const S: usize>(values: [Self; 4], rows: [*mut [f32; S]; 8], offset: usize, mask: u8);
}

/// One lane after the other. On x86-64, which always has four lanes, this is the reference for tests and its operations are
/// calls: inlined, eight times everything, it would take most of the time to build the engine. Elsewhere it is what runs, and
/// the compiler makes vectors of it.
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
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn load(from: &F8) -> Self {
        Self(from.0)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn store(self, to: &mut F8) {
        to.0 = self.0;
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn add(self, other: Self) -> Self {
        self.map2(other, |a, b| a + b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn sub(self, other: Self) -> Self {
        self.map2(other, |a, b| a - b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn mul(self, other: Self) -> Self {
        self.map2(other, |a, b| a * b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn div(self, other: Self) -> Self {
        self.map2(other, |a, b| a / b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn max(self, other: Self) -> Self {
        self.map2(other, |a, b| if a > b { a } else { b })
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn min(self, other: Self) -> Self {
        self.map2(other, |a, b| if a < b { a } else { b })
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn greater(self, other: Self) -> Self::Mask {
        core::array::from_fn(|i| self.0[i] > other.0[i])
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Self(core::array::from_fn(|i| if mask[i] { a.0[i] } else { b.0[i] }))
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn any(mask: Self::Mask) -> bool {
        mask.contains(&true)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn mask(bits: u8) -> Self::Mask {
        core::array::from_fn(|i| bits >> i & 1 == 1)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn gather4<const S: usize>(rows: [&[f32; S]; 8], offset: usize) -> [Self; 4] {
        core::array::from_fn(|k| Self(core::array::from_fn(|i| rows[i][offset + k])))
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    unsafe fn scatter4<const S: usize>(values: [Self; 4], rows: [*mut [f32; S]; 8], offset: usize, mask: u8) {
        for i in (0..8).filter(|i| mask >> i & 1 == 1) {
            for (k, value) in values.iter().enumerate() {
                // SAFETY: the caller says that rows of set lanes are valid and ours.
                unsafe { (&mut *rows[i])[offset + k] = value.0[i] };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Eight, Four};

/// SSE2 and AVX2. The methods are `inline(always)` and end up in functions that enable the features; see `run` in `mod.rs`.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{F8, Lanes};
    use core::arch::x86_64::*;

    /// Two times four lanes.
    #[derive(Clone, Copy)]
    pub(crate) struct Four([__m128; 2]);

    /// Eight lanes.
    #[derive(Clone, Copy)]
    pub(crate) struct Eight(__m256);

    macro_rules! four_op {
        ($($name:ident => $intrinsic:ident),*) => {
            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: SSE2 is part of every x86-64.
                Self(unsafe { [$intrinsic(self.0[0], other.0[0]), $intrinsic(self.0[1], other.0[1])] })
            })*
        };
    }

    macro_rules! eight_op {
        ($($name:ident => $intrinsic:ident),*) => {
            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: values of this type exist only in functions entered after AVX2 was detected.
                Self(unsafe { $intrinsic(self.0, other.0) })
            })*
        };
    }

    /// Transposes four rows of four.
    #[inline(always)]
    fn transpose4(r: [__m128; 4]) -> [__m128; 4] {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe {
            let a = _mm_unpacklo_ps(r[0], r[1]);
            let b = _mm_unpackhi_ps(r[0], r[1]);
            let c = _mm_unpacklo_ps(r[2], r[3]);
            let d = _mm_unpackhi_ps(r[2], r[3]);
            [_mm_movelh_ps(a, c), _mm_movehl_ps(c, a), _mm_movelh_ps(b, d), _mm_movehl_ps(d, b)]
        }
    }

    /// Transposes four rows of four in each half.
    #[inline(always)]
    fn transpose4x2(r: [__m256; 4]) -> [__m256; 4] {
        // SAFETY: only used by `Eight`.
        unsafe {
            let a = _mm256_unpacklo_ps(r[0], r[1]);
            let b = _mm256_unpackhi_ps(r[0], r[1]);
            let c = _mm256_unpacklo_ps(r[2], r[3]);
            let d = _mm256_unpackhi_ps(r[2], r[3]);
            [
                _mm256_shuffle_ps::<0x44>(a, c),
                _mm256_shuffle_ps::<0xEE>(a, c),
                _mm256_shuffle_ps::<0x44>(b, d),
                _mm256_shuffle_ps::<0xEE>(b, d),
            ]
        }
    }

    /// Four floats of a row.
    #[inline(always)]
    fn load4<const S: usize>(row: &[f32; S], offset: usize) -> __m128 {
        debug_assert!(offset + 4 <= S);
        // SAFETY: within the row: every caller passes a constant offset with offset + 4 ≤ S.
        unsafe { _mm_loadu_ps(row.as_ptr().add(offset)) }
    }

    /// Writes four floats of a row.
    ///
    /// # Safety
    /// `row` is valid and ours; offset + 4 ≤ S.
    #[inline(always)]
    unsafe fn store4<const S: usize>(row: *mut [f32; S], offset: usize, value: __m128) {
        // SAFETY: by the caller.
        unsafe { _mm_storeu_ps(row.cast::<f32>().add(offset), value) }
    }

    impl Lanes for Four {
        type Mask = [__m128; 2];
        four_op!(add => _mm_add_ps, sub => _mm_sub_ps, mul => _mm_mul_ps, div => _mm_div_ps, max => _mm_max_ps, min => _mm_min_ps);
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: SSE2 is part of every x86-64; the same below.
            Self(unsafe { [_mm_set1_ps(x); 2] })
        }
        #[inline(always)]
        fn load(from: &F8) -> Self {
            // SAFETY: eight aligned floats.
            Self(unsafe { [_mm_load_ps(from.0.as_ptr()), _mm_load_ps(from.0.as_ptr().add(4))] })
        }
        #[inline(always)]
        fn store(self, to: &mut F8) {
            let p = to.0.as_mut_ptr();
            // SAFETY: eight aligned floats.
            unsafe {
                _mm_store_ps(p, self.0[0]);
                _mm_store_ps(p.add(4), self.0[1]);
            }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: SSE2.
            Self(unsafe { [_mm_sqrt_ps(self.0[0]), _mm_sqrt_ps(self.0[1])] })
        }
        #[inline(always)]
        fn greater(self, other: Self) -> Self::Mask {
            // SAFETY: SSE2.
            unsafe { [_mm_cmpgt_ps(self.0[0], other.0[0]), _mm_cmpgt_ps(self.0[1], other.0[1])] }
        }
        #[inline(always)]
        fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
            // SAFETY: SSE2.
            Self(core::array::from_fn(|i| unsafe {
                _mm_or_ps(_mm_and_ps(mask[i], a.0[i]), _mm_andnot_ps(mask[i], b.0[i]))
            }))
        }
        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            // SAFETY: SSE2.
            unsafe { _mm_movemask_ps(_mm_or_ps(mask[0], mask[1])) != 0 }
        }
        #[inline(always)]
        fn mask(bits: u8) -> Self::Mask {
            // SAFETY: SSE2.
            unsafe {
                let all = _mm_set1_epi32(i32::from(bits));
                [_mm_setr_epi32(1, 2, 4, 8), _mm_setr_epi32(16, 32, 64, 128)]
                    .map(|lane| _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(all, lane), lane)))
            }
        }
        #[inline(always)]
        fn gather4<const S: usize>(rows: [&[f32; S]; 8], offset: usize) -> [Self; 4] {
            let low = transpose4(core::array::from_fn(|i| load4(rows[i], offset)));
            let high = transpose4(core::array::from_fn(|i| load4(rows[i + 4], offset)));
            core::array::from_fn(|k| Self([low[k], high[k]]))
        }
        #[inline(always)]
        unsafe fn scatter4<const S: usize>(
            values: [Self; 4],
            rows: [*mut [f32; S]; 8],
            offset: usize,
            mask: u8,
        ) {
            for half in 0..2 {
                let out = transpose4(core::array::from_fn(|k| values[k].0[half]));
                for (i, value) in out.into_iter().enumerate() {
                    let lane = half * 4 + i;
                    if mask >> lane & 1 == 1 {
                        // SAFETY: the caller says that rows of set lanes are valid and ours.
                        unsafe { store4(rows[lane], offset, value) };
                    }
                }
            }
        }
    }

    impl Lanes for Eight {
        type Mask = __m256;
        eight_op!(add => _mm256_add_ps, sub => _mm256_sub_ps, mul => _mm256_mul_ps, div => _mm256_div_ps, max => _mm256_max_ps, min => _mm256_min_ps);
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: AVX2 was detected before this type is used; the same below.
            Self(unsafe { _mm256_set1_ps(x) })
        }
        #[inline(always)]
        fn load(from: &F8) -> Self {
            // SAFETY: eight aligned floats.
            Self(unsafe { _mm256_load_ps(from.0.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut F8) {
            // SAFETY: eight aligned floats.
            unsafe { _mm256_store_ps(to.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: AVX2.
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }
        #[inline(always)]
        fn greater(self, other: Self) -> Self::Mask {
            // SAFETY: AVX2.
            unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
            // SAFETY: AVX2.
            Self(unsafe { _mm256_blendv_ps(b.0, a.0, mask) })
        }
        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            // SAFETY: AVX2.
            unsafe { _mm256_movemask_ps(mask) != 0 }
        }
        #[inline(always)]
        fn mask(bits: u8) -> Self::Mask {
            // SAFETY: AVX2.
            unsafe {
                let lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let all = _mm256_set1_epi32(i32::from(bits));
                _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, lane), lane))
            }
        }
        #[inline(always)]
        fn gather4<const S: usize>(rows: [&[f32; S]; 8], offset: usize) -> [Self; 4] {
            // SAFETY: AVX2.
            let pairs = core::array::from_fn(|i| unsafe {
                let low = _mm256_castps128_ps256(load4(rows[i], offset));
                _mm256_insertf128_ps::<1>(low, load4(rows[i + 4], offset))
            });
            transpose4x2(pairs).map(Self)
        }
        #[inline(always)]
        unsafe fn scatter4<const S: usize>(
            values: [Self; 4],
            rows: [*mut [f32; S]; 8],
            offset: usize,
            mask: u8,
        ) {
            let out = transpose4x2(values.map(|v| v.0));
            for (i, pair) in out.into_iter().enumerate() {
                // SAFETY: AVX2; the caller says that rows of set lanes are valid and ours.
                unsafe {
                    if mask >> i & 1 == 1 {
                        store4(rows[i], offset, _mm256_castps256_ps128(pair));
                    }
                    if mask >> (i + 4) & 1 == 1 {
                        store4(rows[i + 4], offset, _mm256_extractf128_ps::<1>(pair));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<L: Lanes>() {
        let a = F8([1.5, -2.0, 0.0, -0.0, 1e-40, 3e38, -7.25, 0.1]);
        let b = F8([0.3, 5.0, -0.0, 0.0, 1.0, 3e38, -7.25, -0.2]);
        let wide = |f: fn(L, L) -> L| {
            let mut out = F8::default();
            f(L::load(&a), L::load(&b)).store(&mut out);
            out.0.map(f32::to_bits)
        };
        let plain = |f: fn(Scalar, Scalar) -> Scalar| {
            let mut out = F8::default();
            f(Scalar::load(&a), Scalar::load(&b)).store(&mut out);
            out.0.map(f32::to_bits)
        };
        assert_eq!(wide(L::add), plain(Scalar::add));
        assert_eq!(wide(L::sub), plain(Scalar::sub));
        assert_eq!(wide(L::mul), plain(Scalar::mul));
        assert_eq!(wide(L::max), plain(Scalar::max));
        assert_eq!(wide(L::min), plain(Scalar::min));
        assert_eq!(
            wide(|a, b| L::select(a.greater(b), a, b)),
            plain(|a, b| Scalar::select(a.greater(b), a, b))
        );
        assert_eq!(wide(|a, _| a.mul(a).sqrt()), plain(|a, _| a.mul(a).sqrt()));
        assert!(L::any(L::load(&a).greater(L::load(&b))), "lane 0");
        assert!(!L::any(L::splat(1.0).greater(L::splat(1.0))));
        (0..8).for_each(|i| {
            let mut one = F8::default();
            one.0[i] = 1.0;
            assert!(L::any(L::load(&one).greater(L::splat(0.0))), "lane {i}");
        });
        for bits in 0..=u8::MAX {
            let mut out = F8::default();
            L::select(L::mask(bits), L::splat(1.0), L::splat(2.0)).store(&mut out);
            assert_eq!(
                out.0,
                core::array::from_fn(|i| if bits >> i & 1 == 1 { 1.0 } else { 2.0 }),
                "{bits:08b}"
            );
        }
        let mut rows: [[f32; 8]; 8] = core::array::from_fn(|i| core::array::from_fn(|k| (10 * i + k) as f32));
        let values = L::gather4(core::array::from_fn(|i| &rows[i]), 4);
        for (k, value) in values.into_iter().enumerate() {
            let mut out = F8::default();
            value.store(&mut out);
            assert_eq!(out.0, core::array::from_fn(|i| (10 * i + 4 + k) as f32));
        }
        let start = rows.as_mut_ptr();
        // SAFETY: eight distinct rows of the array above.
        unsafe { L::scatter4(values, core::array::from_fn(|i| start.add(i)), 0, 0b1010_0101) };
        for (i, row) in rows.iter().enumerate() {
            let moved = 0b1010_0101 >> i & 1 == 1;
            assert_eq!(row[0], (10 * i) as f32 + if moved { 4.0 } else { 0.0 });
        }
    }

    #[test]
    fn all_widths_give_the_same_bits() {
        check::<Scalar>();
        #[cfg(target_arch = "x86_64")]
        {
            check::<Four>();
            if SimdWidth::Eight.is_available() {
                check::<Eight>();
            }
        }
    }
}
