//! Bytes in, bytes out: the little-endian codec of snapshots, and the hash of the state.
//!
//! Written by hand rather than derived: the format is part of the product (versioned, small, the same on every
//! platform), and reading must never trust a length or an index.

use crate::Error;
use crate::math::*;

/// Appends values to a buffer.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
    /// What was written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }
    /// Two bytes.
    pub fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }
    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }
    /// A small number in few bytes: seven bits each, lowest first.
    pub fn var(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }
    /// An index or `u32::MAX` for none, small.
    pub fn link(&mut self, value: u32) {
        self.var(value.wrapping_add(1));
    }
    /// Eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }
    /// The exact bits of a number, in whatever unit it has.
    pub fn real(&mut self, value: Real) {
        self.u32(value.to_bits());
    }
    /// A flag.
    pub fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }
    /// Length, then bytes.
    pub fn blob(&mut self, value: &[u8]) {
        self.u32(value.len() as u32);
        self.bytes.extend_from_slice(value);
    }
    /// Length, then UTF-8.
    pub fn text(&mut self, value: &str) {
        self.blob(value.as_bytes());
    }
    /// A number that is usually near `*last`, in few bytes; it becomes `*last`.
    pub fn near(&mut self, value: u32, last: &mut u32) {
        let change = value.wrapping_sub(*last) as i32;
        // Small changes in both directions become small numbers.
        self.var((change << 1 ^ change >> 31) as u32);
        *last = value;
    }
    /// A list of numbers, small if neighbours are near each other.
    pub fn vars(&mut self, values: &[u32]) {
        self.u32(values.len() as u32);
        let mut last = 0;
        for &value in values {
            self.near(value, &mut last);
        }
    }
    /// Anything with a [`Codec`].
    pub fn put<T: Codec>(&mut self, value: &T) {
        value.encode(self);
    }
}

/// Reads values back, refusing anything that does not fit.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
    /// True if everything was read.
    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
    /// The error for a value that cannot be right.
    pub fn damaged(&self, what: &str) -> Error {
        Error::Snapshot { reason: format!("damaged at byte {} ({what})", self.at) }
    }
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| Error::Snapshot {
            reason: format!("ends too early, at byte {}", self.bytes.len()),
        })?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }
    /// One byte.
    pub fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }
    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    /// A small number.
    pub fn var(&mut self) -> Result<u32, Error> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| self.damaged("number"));
            }
        }
        Err(self.damaged("number"))
    }
    /// An index below `limit`, or `u32::MAX` for none.
    pub fn link(&mut self, limit: usize) -> Result<u32, Error> {
        let value = self.var()?.wrapping_sub(1);
        if value == u32::MAX || (value as usize) < limit { Ok(value) } else { Err(self.damaged("link")) }
    }
    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// A number, any bits, in the unit it was written in.
    pub fn real(&mut self) -> Result<Real, Error> {
        Ok(Real::from_bits(self.u32()?))
    }
    /// A flag.
    pub fn bool(&mut self) -> Result<bool, Error> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.damaged("flag")),
        }
    }
    /// A list length, refused if the rest of the input could not hold that many items of `item_bytes`.
    pub fn length(&mut self, item_bytes: usize) -> Result<usize, Error> {
        let length = self.u32()? as usize;
        if length.saturating_mul(item_bytes.max(1)) > self.bytes.len() - self.at {
            return Err(self.damaged("length"));
        }
        Ok(length)
    }
    /// Bytes with their length.
    pub fn blob(&mut self) -> Result<&'a [u8], Error> {
        let length = self.length(1)?;
        self.take(length)
    }
    /// UTF-8 text.
    pub fn text(&mut self) -> Result<&'a str, Error> {
        let bytes = self.blob()?;
        core::str::from_utf8(bytes).map_err(|_| self.damaged("text"))
    }
    /// What [`Writer::near`] wrote.
    pub fn near(&mut self, last: &mut u32) -> Result<u32, Error> {
        let change = self.var()?;
        *last = last.wrapping_add(change >> 1 ^ (change & 1).wrapping_neg());
        Ok(*last)
    }
    /// A list of numbers, each below `limit`.
    pub fn vars(&mut self, limit: usize) -> Result<Vec<u32>, Error> {
        let length = self.length(1)?;
        let mut last = 0;
        let mut next = || {
            let value = self.near(&mut last)?;
            if (value as usize) < limit { Ok(value) } else { Err(self.damaged("index")) }
        };
        (0..length).map(|_| next()).collect()
    }
    /// A small number below `limit`.
    pub fn index(&mut self, limit: usize) -> Result<u32, Error> {
        let value = self.var()?;
        if (value as usize) < limit { Ok(value) } else { Err(self.damaged("index")) }
    }
    /// Anything with a [`Codec`].
    pub fn get<T: Codec>(&mut self) -> Result<T, Error> {
        T::decode(self)
    }
}

/// A value with a byte form.
pub trait Codec: Sized {
    /// Appends the value.
    fn encode(&self, out: &mut Writer);
    /// Reads one back.
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error>;
}

macro_rules! codec_reals {
    ($type:ty, $n:literal, |$v:ident| $to:expr, |$a:ident| $from:expr) => {
        impl Codec for $type {
            fn encode(&self, out: &mut Writer) {
                let $v = self;
                let parts: [Real; $n] = $to;
                parts.iter().for_each(|&x| out.real(x));
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
                let mut $a = [0.0; $n];
                for x in &mut $a {
                    *x = input.real()?;
                }
                Ok($from)
            }
        }
    };
}

codec_reals!(Real, 1, |v| [*v], |a| a[0]);
codec_reals!(Vec2, 2, |v| [v.x, v.y], |a| Vec2::new(a[0], a[1]));
codec_reals!(Vec3, 3, |v| [v.x, v.y, v.z], |a| Vec3::new(a[0], a[1], a[2]));
codec_reals!(Point2, 2, |v| [v.x, v.y], |a| Point2::new(a[0], a[1]));
codec_reals!(Point3, 3, |v| [v.x, v.y, v.z], |a| Point3::new(a[0], a[1], a[2]));
codec_reals!(Rot2, 2, |v| [v.cos, v.sin], |a| Rot2 { cos: a[0], sin: a[1] });
codec_reals!(Quat, 4, |v| [v.x, v.y, v.z, v.w], |a| Quat::from_xyzw(a[0], a[1], a[2], a[3]));
codec_reals!(SymMat3, 6, |v| [v.diagonal.x, v.diagonal.y, v.diagonal.z, v.off.x, v.off.y, v.off.z], |a| {
    SymMat3 { diagonal: Vec3::new(a[0], a[1], a[2]), off: Vec3::new(a[3], a[4], a[5]) }
});

impl<D: Dim> Codec for Pose<D> {
    fn encode(&self, out: &mut Writer) {
        out.put(&self.position);
        out.put(&self.rotation);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { position: input.get()?, rotation: input.get()? })
    }
}

impl<D: Dim> Codec for Aabb<D> {
    fn encode(&self, out: &mut Writer) {
        out.put(&self.min);
        out.put(&self.max);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { min: input.get()?, max: input.get()? })
    }
}

/// A 64-bit hash of a byte stream: the same everywhere, not meant against attackers.
#[derive(Clone, Debug)]
pub struct StateHasher {
    state: u64,
}

impl Default for StateHasher {
    fn default() -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15 }
    }
}

impl StateHasher {
    /// Mixes one 64-bit word in.
    pub fn word(&mut self, word: u64) {
        // Multiply and fold: every input bit reaches every output bit after two words.
        let product = u128::from(self.state ^ word) * 0xD6E8_FEB8_6659_FD93_u128;
        self.state = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(23);
    }

    /// Mixes bytes in, eight at a time; the length counts.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    /// The hash of everything mixed in so far.
    pub fn finish(&self) -> u64 {
        let mut h = self.state;
        h ^= h >> 32;
        h = h.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        h ^ (h >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_lengths_are_not_trusted() {
        let mut out = Writer::default();
        out.put(&Vec3::new(1.0, -0.0, Real::MIN_POSITIVE));
        out.text("höhe");
        out.vars(&[1, 300]);
        let far = [u32::MAX, 0, u32::MAX - 1, 1 << 31, 5];
        let mut last = 7;
        far.iter().for_each(|&value| out.near(value, &mut last));
        let bytes = out.into_bytes();
        let mut input = Reader::new(&bytes);
        assert_eq!(input.get::<Vec3>().unwrap().x, 1.0);
        assert_eq!(input.text().unwrap(), "höhe");
        assert!(input.clone().vars(300).is_err(), "index above the limit");
        assert_eq!(input.vars(301).unwrap(), [1, 300]);
        let mut last = 7;
        far.iter().for_each(|&value| assert_eq!(input.near(&mut last).unwrap(), value));
        assert!(input.is_at_end() && input.u8().is_err());
        assert!(Reader::new(&[255, 255, 255, 255]).blob().is_err(), "length beyond the end");
    }

    #[test]
    fn hash_sees_every_bit_and_the_length() {
        let hash = |bytes: &[u8]| {
            let mut h = StateHasher::default();
            h.bytes(bytes);
            h.finish()
        };
        let base = hash(&[0; 16]);
        for bit in 0..128 {
            let mut bytes = [0_u8; 16];
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(hash(&bytes), base, "bit {bit}");
        }
        assert_ne!(hash(&[0; 15]), base);
    }
}
