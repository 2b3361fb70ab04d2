//! Containers the engine is built from: generational ids, slot maps, index lists with back references, bit sets, and
//! the byte codec of snapshots. Nothing here knows physics.

mod bitset;
mod codec;
mod id;
mod index_list;
mod pair_sort;
mod pair_table;
pub(crate) mod room;
mod slots;

pub use bitset::BitSet;
pub use codec::{Codec, Reader, StateHasher, Writer};
pub use id::{BodyId, ContactId, GeneratorId, IdText, JointId, RawId, ShapeId};
pub use index_list::IndexList;
pub(crate) use pair_sort::sort_pairs;
pub(crate) use pair_table::PairTable;
pub use slots::Slots;
