//! Number by number: what the registers do, and what runs where no processor is known to have them.

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F4([f32; 4]);

#[cfg_attr(test, allow(dead_code))]
impl F4 {
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(core::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn bits(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        self.each(other, |a, b| f32::from_bits(f(a.to_bits(), b.to_bits())))
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(f32, f32) -> bool) -> Self {
        self.each(other, |a, b| f32::from_bits(if f(a, b) { u32::MAX } else { 0 }))
    }

    #[inline(always)]
    pub(crate) fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    #[inline(always)]
    pub(crate) fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }

    #[inline(always)]
    pub(crate) fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }

    #[inline(always)]
    pub(crate) fn div(self, other: Self) -> Self {
        self.each(other, |a, b| a / b)
    }

    /// `self > other ? self : other`.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.each(other, |a, b| if a > b { a } else { b })
    }

    /// `self < other ? self : other`.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.each(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    /// All bits of the lanes in which self > other, and so on.
    #[inline(always)]
    pub(crate) fn greater(self, other: Self) -> Self {
        self.compare(other, |a, b| a > b)
    }

    #[inline(always)]
    pub(crate) fn at_most(self, other: Self) -> Self {
        self.compare(other, |a, b| a <= b)
    }

    #[inline(always)]
    pub(crate) fn equal(self, other: Self) -> Self {
        self.compare(other, |a, b| a == b)
    }

    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
        self.bits(other, |a, b| a & b)
    }

    #[inline(always)]
    pub(crate) fn or(self, other: Self) -> Self {
        self.bits(other, |a, b| a | b)
    }

    #[inline(always)]
    pub(crate) fn xor(self, other: Self) -> Self {
        self.bits(other, |a, b| a ^ b)
    }

    /// The bits that `other` has not.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        self.bits(other, |a, b| a & !b)
    }

    /// self 0, self 1, other 0, other 1.
    #[inline(always)]
    pub(crate) fn low_pairs(self, other: Self) -> Self {
        Self([self.0[0], self.0[1], other.0[0], other.0[1]])
    }

    /// self 2, self 3, other 2, other 3.
    #[inline(always)]
    pub(crate) fn high_pairs(self, other: Self) -> Self {
        Self([self.0[2], self.0[3], other.0[2], other.0[3]])
    }

    /// self 0, other 0, self 1, other 1.
    #[inline(always)]
    pub(crate) fn interleave_low(self, other: Self) -> Self {
        Self([self.0[0], other.0[0], self.0[1], other.0[1]])
    }

    /// self 2, other 2, self 3, other 3.
    #[inline(always)]
    pub(crate) fn interleave_high(self, other: Self) -> Self {
        Self([self.0[2], other.0[2], self.0[3], other.0[3]])
    }

    #[inline(always)]
    pub(crate) fn new(numbers: [f32; 4]) -> Self {
        Self(numbers)
    }

    #[inline(always)]
    pub(crate) fn splat(x: f32) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    pub(crate) fn load(from: &[f32; 4]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f32; 4]) {
        *to = self.0;
    }

    /// The highest bit of lane i as bit i.
    #[inline(always)]
    pub(crate) fn signs(self) -> u32 {
        (0..4).fold(0, |sum, i| sum | u32::from(self.0[i].is_sign_negative()) << i)
    }

    /// All bits of lane i if bit i is set.
    #[inline(always)]
    pub(crate) fn mask(bits: u8) -> Self {
        Self(core::array::from_fn(|i| f32::from_bits(if bits >> i & 1 == 1 { u32::MAX } else { 0 })))
    }
}
