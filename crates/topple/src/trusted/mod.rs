//! All `unsafe` of the engine, but for that of the thread pool (`exec/`). The rest of the crate is compiled with
//! `#![deny(unsafe_code)]`, and nothing here can be misused from there: each function is safe whatever its callers do, or panics.
//!
//! The arguments, one per file:
//! - [`pieces`]: arrays cut into blocks, a block per piece of work. Blocks of one cut do not overlap, and an
//!   [`Executor`](crate::exec::Executor) promises to run every piece once: so nobody else has what a piece gets.
//! - [`owned`]: items in no order, each of which belongs to one place of a list. Who owns an item is looked up in an array that cannot
//!   change meanwhile, so an item has one owner; and a piece gets the items of its own block of places alone.
//! - [`four`]: four numbers in a register of a processor that surely has it.
//! - [`memory`]: memory that is zero, memory that begins with a cache line, and asking for it ahead.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four;
mod memory;
mod owned;
mod pieces;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use four::F4;
pub(crate) use memory::{Lines, fit_zeroed, prefetch, prefetch_end};
pub(crate) use owned::{Mine, Owned, Owners};
pub(crate) use pieces::{Each, in_pieces};
