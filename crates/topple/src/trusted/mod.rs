//! All `unsafe` of the engine. The rest of the crate is compiled with `#![deny(unsafe_code)]`, and nothing here can be misused from there: each function is safe whatever its callers do, or panics.
//!
//! The arguments, one per file:
//! - `exec/`: what runs pieces of work, and the pool of threads that does so on borrowed data: `exec/pool/desk.rs` has the argument.
//! - `pieces.rs`: arrays cut into blocks, a block per piece of work. Blocks of one cut do not overlap, and an
//!   [`Executor`](crate::exec::Executor) promises to run every piece once: so nobody else has what a piece gets.
//! - `owned.rs`: items in no order, each of which belongs to one place of a list. Who owns an item is looked up in an array that cannot
//!   change meanwhile, so an item has one owner; and a piece gets the items of its own block of places alone.
//! - `crowd.rs`: bodies on which rows of constraints act at the same time. Before they do, every lane of every row is looked at: no
//!   body is written by one row and touched by another.
//! - `stages.rs`: the same arrays cut in one way after the other. A stage has one cut, and stages do not overlap.
//! - `lanes.rs`: eight numbers at once. The type that needs AVX2 has no name outside of that file, which uses it after having asked for AVX2.
//! - `four/`: four numbers in a register of a processor that surely has it.
//! - `memory.rs`: memory that is zero, memory that begins with a cache line, and asking for it ahead.

mod crowd;
pub mod exec;
mod four;
pub(crate) mod lanes;
mod memory;
mod owned;
mod pieces;
mod stages;

pub(crate) use crowd::{Batch, Checks, Crowd, Ends, Floats};
pub(crate) use four::F4;
pub(crate) use memory::{Lines, prefetch, prefetch_end, prefetch_whole};
pub(crate) use owned::{Mine, Owned, Owners};
pub(crate) use pieces::{Each, Order, extend_in_pieces, in_order, in_pieces};
pub(crate) use stages::{Alike, Arrays, Cut, Job, Part, run_stages};
