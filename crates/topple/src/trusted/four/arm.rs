//! NEON, part of every 64-bit ARM processor that this is built for.

use core::arch::aarch64::*;

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F4(float32x4_t);

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($this:ident $(, $other:ident)*) = $value:expr;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(self $(, $other: Self)*) -> Self {
            $(let $other = $other.0;)*
            let $this = self.0;
            // SAFETY: every such processor has NEON.
            Self(unsafe { $value })
        })*
    };
}

impl F4 {
    operations! {
        add(a, b) = vaddq_f32(a, b);
        sub(a, b) = vsubq_f32(a, b);
        mul(a, b) = vmulq_f32(a, b);
        div(a, b) = vdivq_f32(a, b);
        /// `self > other ? self : other`: the processor's own maximum treats zeros and what is no number differently.
        max(a, b) = vbslq_f32(vcgtq_f32(a, b), a, b);
        /// `self < other ? self : other`.
        min(a, b) = vbslq_f32(vcltq_f32(a, b), a, b);
        sqrt(a) = vsqrtq_f32(a);
        /// All bits of the lanes in which self > other, and so on.
        greater(a, b) = vreinterpretq_f32_u32(vcgtq_f32(a, b));
        at_most(a, b) = vreinterpretq_f32_u32(vcleq_f32(a, b));
        equal(a, b) = vreinterpretq_f32_u32(vceqq_f32(a, b));
        and(a, b) = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
        or(a, b) = vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
        xor(a, b) = vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
        /// The bits that `other` has not.
        without(a, b) = vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
        /// self 0, self 1, other 0, other 1.
        low_pairs(a, b) = vcombine_f32(vget_low_f32(a), vget_low_f32(b));
        /// self 2, self 3, other 2, other 3.
        high_pairs(a, b) = vcombine_f32(vget_high_f32(a), vget_high_f32(b));
        /// self 0, other 0, self 1, other 1.
        interleave_low(a, b) = vzip1q_f32(a, b);
        /// self 2, other 2, self 3, other 3.
        interleave_high(a, b) = vzip2q_f32(a, b);
    }

    #[inline(always)]
    pub(crate) fn new(numbers: [f32; 4]) -> Self {
        Self::load(&numbers)
    }

    #[inline(always)]
    pub(crate) fn splat(x: f32) -> Self {
        // SAFETY: every such processor has NEON.
        Self(unsafe { vdupq_n_f32(x) })
    }

    #[inline(always)]
    pub(crate) fn load(from: &[f32; 4]) -> Self {
        // SAFETY: NEON; four numbers, anywhere.
        Self(unsafe { vld1q_f32(from.as_ptr()) })
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f32; 4]) {
        // SAFETY: NEON; four numbers, anywhere.
        unsafe { vst1q_f32(to.as_mut_ptr(), self.0) }
    }

    /// The highest bit of lane i as bit i.
    #[inline(always)]
    pub(crate) fn signs(self) -> u32 {
        let weights = [1_u32, 2, 4, 8];
        // SAFETY: NEON; four numbers, anywhere.
        unsafe {
            let signs = vshrq_n_u32::<31>(vreinterpretq_u32_f32(self.0));
            vaddvq_u32(vmulq_u32(signs, vld1q_u32(weights.as_ptr())))
        }
    }

    /// All bits of lane i if bit i is set.
    #[inline(always)]
    pub(crate) fn mask(bits: u8) -> Self {
        let lanes = [1_u32, 2, 4, 8];
        // SAFETY: NEON; four numbers, anywhere.
        unsafe {
            let set = vtstq_u32(vdupq_n_u32(u32::from(bits)), vld1q_u32(lanes.as_ptr()));
            Self(vreinterpretq_f32_u32(set))
        }
    }
}
