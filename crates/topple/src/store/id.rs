//! Generational ids: an index into a slot array and the generation of what lives there.
//!
//! An id counts in the world that gave it, and in worlds restored from its snapshots. It carries no mark of that world: given to
//! another one it is stale, or names whatever lives in the same slot with the same generation there. That is safe, and wrong: whoever
//! has several worlds keeps their ids apart.

use core::fmt;

/// Index and generation, without the kind of object. Ids print as `7v2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RawId {
    /// Slot.
    pub index: u32,
    /// How often the slot had been used before.
    pub generation: u32,
}

impl fmt::Debug for RawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

/// An id as text, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdText(pub RawId);

impl fmt::Display for IdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) RawId);

        impl $name {
            /// The word for this kind of object in messages.
            pub const KIND: &'static str = $kind;

            /// Slot number, for indexing arrays beside the world. Reused after removal.
            pub fn index(self) -> u32 {
                self.0.index
            }

            /// Generation of the slot.
            pub fn generation(self) -> u32 {
                self.0.generation
            }

            /// Both halves as one number, for storage outside.
            pub fn to_bits(self) -> u64 {
                u64::from(self.0.generation) << 32 | u64::from(self.0.index)
            }

            /// The id that [`Self::to_bits`] came from. Any number is safe: an id that names nothing is a stale id.
            pub fn from_bits(bits: u64) -> Self {
                Self(RawId { index: bits as u32, generation: (bits >> 32) as u32 })
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl From<$name> for RawId {
            fn from(id: $name) -> RawId {
                id.0
            }
        }
    };
}

id_type!(
    /// Names a body. Stays valid until the body is removed; then it is stale for good.
    ///
    /// It counts in the world that gave it, and in worlds restored from its snapshots. Another world knows nothing of that: there it
    /// is stale, or names the body that lives in the same slot. Nothing breaks, but the wrong body moves. The same holds for all ids.
    ///
    /// ```
    /// use topple::{BodyDef2, World2};
    /// let (mut a, mut b) = (World2::new(), World2::new());
    /// let first = a.create_body(BodyDef2::default())?;
    /// let second = a.create_body(BodyDef2::default())?;
    /// let other = b.create_body(BodyDef2::default())?;
    /// assert_eq!(first, other, "the first body of both worlds");
    /// assert!(b.body(second).is_err(), "stale there");
    /// assert!(World2::restore(&a.snapshot())?.contains_body(second));
    /// # Ok::<(), topple::Error>(())
    /// ```
    BodyId, "body"
);
id_type!(
    /// Names a shape on a body.
    ShapeId, "shape"
);
id_type!(
    /// Names a contact: a pair of shapes whose fat boxes overlap.
    ContactId, "contact"
);
id_type!(
    /// Names a joint.
    JointId, "joint"
);
id_type!(
    /// Names a force generator.
    GeneratorId, "generator"
);
