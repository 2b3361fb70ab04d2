//! SSE2, part of every x86-64.

use core::arch::x86_64::*;

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F4(pub(in crate::trusted) __m128);

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($this:ident $(, $other:ident)*) = $value:expr;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(self $(, $other: Self)*) -> Self {
            $(let $other = $other.0;)*
            let $this = self.0;
            // SAFETY: every x86-64 has SSE2.
            Self(unsafe { $value })
        })*
    };
}

impl F4 {
    operations! {
        add(a, b) = _mm_add_ps(a, b);
        sub(a, b) = _mm_sub_ps(a, b);
        mul(a, b) = _mm_mul_ps(a, b);
        div(a, b) = _mm_div_ps(a, b);
        /// `self > other ? self : other`.
        max(a, b) = _mm_max_ps(a, b);
        /// `self < other ? self : other`.
        min(a, b) = _mm_min_ps(a, b);
        sqrt(a) = _mm_sqrt_ps(a);
        /// All bits of the lanes in which self > other, and so on.
        greater(a, b) = _mm_cmpgt_ps(a, b);
        at_most(a, b) = _mm_cmple_ps(a, b);
        equal(a, b) = _mm_cmpeq_ps(a, b);
        and(a, b) = _mm_and_ps(a, b);
        or(a, b) = _mm_or_ps(a, b);
        xor(a, b) = _mm_xor_ps(a, b);
        /// The bits that `other` has not.
        without(a, b) = _mm_andnot_ps(b, a);
        /// self 0, self 1, other 0, other 1.
        low_pairs(a, b) = _mm_movelh_ps(a, b);
        /// self 2, self 3, other 2, other 3.
        high_pairs(a, b) = _mm_movehl_ps(b, a);
        /// self 0, other 0, self 1, other 1.
        interleave_low(a, b) = _mm_unpacklo_ps(a, b);
        /// self 2, other 2, self 3, other 3.
        interleave_high(a, b) = _mm_unpackhi_ps(a, b);
    }

    #[inline(always)]
    pub(crate) fn new([a, b, c, d]: [f32; 4]) -> Self {
        // SAFETY: every x86-64 has SSE2.
        Self(unsafe { _mm_setr_ps(a, b, c, d) })
    }

    #[inline(always)]
    pub(crate) fn splat(x: f32) -> Self {
        // SAFETY: every x86-64 has SSE2.
        Self(unsafe { _mm_set1_ps(x) })
    }

    #[inline(always)]
    pub(crate) fn load(from: &[f32; 4]) -> Self {
        // SAFETY: SSE2; four numbers, anywhere.
        Self(unsafe { _mm_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f32; 4]) {
        // SAFETY: SSE2; four numbers, anywhere.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    /// The highest bit of lane i as bit i.
    #[inline(always)]
    pub(crate) fn signs(self) -> u32 {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_movemask_ps(self.0) as u32 }
    }

    /// All bits of lane i if bit i is set.
    #[inline(always)]
    pub(crate) fn mask(bits: u8) -> Self {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let (all, lane) = (_mm_set1_epi32(i32::from(bits)), _mm_setr_epi32(1, 2, 4, 8));
            Self(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(all, lane), lane)))
        }
    }
}
