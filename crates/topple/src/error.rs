//! Errors are values: what was wrong, where, and what would have been right.

use crate::store::IdText;

/// Why a call was refused. Nothing in the world changes when a call returns one of these.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number or vector outside of what its field allows.
    #[error("{field} is {value}, but must be {allowed}")]
    InvalidValue {
        /// The field, as the caller wrote it: `BodyDef.position`.
        field: &'static str,
        /// What was given.
        value: String,
        /// What the field takes.
        allowed: &'static str,
    },
    /// A number outside of the range of its field.
    #[error("{field} is {value}, but must be {allowed}")]
    InvalidRange {
        /// The field: `Settings.dt`.
        field: &'static str,
        /// What was given.
        value: String,
        /// What the field takes.
        allowed: String,
    },
    /// An id whose object was removed, or that belongs to another world.
    #[error("{kind} {id} does not exist (removed, or from another world)")]
    StaleId {
        /// What the id names: `body`, `shape`, `joint`, `contact`.
        kind: &'static str,
        /// The id.
        id: IdText,
    },
    /// A name that is not in its registry.
    #[error("there is no {kind} named '{name}'; known: {known}")]
    UnknownName {
        /// What was looked up: `solver`, `broad phase`, `setting`.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names that exist, comma separated.
        known: String,
    },
    /// Geometry that encloses nothing or cannot be built.
    #[error("{shape}: {reason}")]
    DegenerateShape {
        /// The kind of shape.
        shape: &'static str,
        /// Why it cannot be built.
        reason: String,
    },
    /// An operation that this kind of body or shape does not have.
    #[error("{what} is not possible: {reason}")]
    NotPossible {
        /// What was asked for.
        what: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// A snapshot that is not one, is damaged, or was written by another version.
    #[error("snapshot refused: {reason}")]
    Snapshot {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// Shorthand for [`Error::InvalidValue`].
    pub fn invalid(field: &'static str, value: impl core::fmt::Debug, allowed: &'static str) -> Self {
        Self::InvalidValue { field, value: format!("{value:?}"), allowed }
    }

    /// Shorthand for [`Error::DegenerateShape`].
    pub fn degenerate(shape: &'static str, reason: impl Into<String>) -> Self {
        Self::DegenerateShape { shape, reason: reason.into() }
    }
}

/// Checks that `value` is finite and above zero.
pub(crate) fn positive(field: &'static str, value: crate::Real) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(Error::invalid(field, value, "finite and above 0"))
    }
}

/// Checks that `value` is finite and not below zero.
pub(crate) fn not_negative(field: &'static str, value: crate::Real) -> Result<(), Error> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(Error::invalid(field, value, "finite and at least 0"))
    }
}

/// Checks that `value` is finite.
pub(crate) fn finite(field: &'static str, value: crate::Real) -> Result<(), Error> {
    if value.is_finite() { Ok(()) } else { Err(Error::invalid(field, value, "finite")) }
}
