//! The cold record of a body.

use super::{BodyDef, BodyKind, BodySet, Locks};
use crate::math::*;
use crate::shape::Mass;

/// "No index": end of a list, not in an island.
pub(crate) const NONE: u32 = u32::MAX;

/// Who a body is and what hangs on it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyRecord<D: Dim> {
    /// How it moves.
    pub kind: BodyKind,
    /// Which list of the world it is in.
    pub set: BodySet,
    /// Mass in the body's frame; zero for bodies without any.
    pub mass: Mass<D>,
    /// The user gave the mass: shapes do not change it.
    pub has_own_mass: bool,
    /// Locked axes.
    pub locks: Locks,
    /// May fall asleep.
    pub can_sleep: bool,
    /// Own sleep threshold [m/s].
    pub sleep_speed: Option<Real>,
    /// Swept against moving bodies too.
    pub is_bullet: bool,
    /// Taken out because its state was not finite.
    pub is_quarantined: bool,
    /// Shapes, in order of attachment.
    pub shapes: Vec<u32>,
    /// First edge (2·contact + side) of the list of contacts.
    pub first_contact: u32,
    /// Number of contacts in that list.
    pub contact_count: u32,
    /// First edge (2·joint + side) of the list of joints.
    pub first_joint: u32,
    /// Island, or NONE.
    pub island: u32,
    /// Body before it in the island's list.
    pub island_prev: u32,
    /// Body after it in the island's list.
    pub island_next: u32,
    /// Name; empty: none.
    pub name: String,
    /// The user's.
    pub user_data: u64,
}

impl<D: Dim> BodyRecord<D> {
    pub(crate) fn new(def: &BodyDef<D>) -> Self {
        Self {
            kind: def.kind,
            set: BodySet::Disabled,
            mass: def.mass.unwrap_or(Mass::ZERO),
            has_own_mass: def.mass.is_some(),
            locks: def.locks,
            can_sleep: def.can_sleep,
            sleep_speed: def.sleep_speed,
            is_bullet: def.is_bullet,
            is_quarantined: false,
            shapes: Vec::new(),
            first_contact: NONE,
            contact_count: 0,
            first_joint: NONE,
            island: NONE,
            island_prev: NONE,
            island_next: NONE,
            name: def.name.clone(),
            user_data: def.user_data,
        }
    }
}
