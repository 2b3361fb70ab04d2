//! The constraint graph: touching contacts and joints, coloured so that constraints of one colour share no body.
//!
//! Greedy and persistent: a constraint takes the first colour in which both bodies are free, when it comes into being,
//! and keeps it. Pairs of two dynamic bodies fill the colours from the front. Pairs with a static partner fill from the
//! back, because what is solved later wins: the ground holds. Constraints that fit in no colour, and those of bodies
//! locked along some axes only (the wide rows do not know such masses), go to the serial overflow, solved first.
//!
//! DETERMINISM: colours depend on the order in which constraints come and go, which follows sorted keys; they are part
//! of snapshots.

use crate::store::BitSet;

/// Not in the graph.
pub(crate) const NO_COLOR: u8 = u8::MAX;
/// Number of colours; the overflow has this number.
pub(crate) const COLOR_COUNT: usize = 24;
/// Colours that pairs of two dynamic bodies may take; the last ones are kept for static partners.
const DYNAMIC_COLORS: usize = 20;

/// Constraints that share no dynamic body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Color {
    /// Dynamic bodies in use, by stable index.
    pub(crate) bodies: BitSet,
    /// Contacts, by index.
    pub contacts: Vec<u32>,
    /// Joints, by index.
    pub joints: Vec<u32>,
}

/// All colours and the overflow.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintGraph {
    /// Colours, in solving order; the last entry is the serial overflow, which is solved first.
    pub(crate) colors: Vec<Color>,
}

impl Default for ConstraintGraph {
    fn default() -> Self {
        Self { colors: vec![Color::default(); COLOR_COUNT + 1] }
    }
}

impl ConstraintGraph {
    /// The colours in solving order. Constraints of one colour may be solved in any order or at once.
    pub fn colors(&self) -> &[Color] {
        &self.colors[..COLOR_COUNT]
    }

    /// Constraints that must be solved one after the other, before the colours.
    pub fn overflow(&self) -> &Color {
        &self.colors[COLOR_COUNT]
    }

    /// Number of contacts in the graph.
    pub fn contact_count(&self) -> usize {
        self.colors.iter().map(|c| c.contacts.len()).sum()
    }

    /// Number of joints in the graph.
    pub fn joint_count(&self) -> usize {
        self.colors.iter().map(|c| c.joints.len()).sum()
    }

    /// A colour for a constraint between dynamic bodies (`None`: that side is not moved by solvers).
    pub(crate) fn pick_color(&mut self, a: Option<u32>, b: Option<u32>, serial: bool) -> u8 {
        let free = |color: &Color| {
            !a.is_some_and(|i| color.bodies.contains(i)) && !b.is_some_and(|i| color.bodies.contains(i))
        };
        let found = if serial {
            None
        } else if a.is_some() && b.is_some() {
            self.colors[..DYNAMIC_COLORS].iter().position(free)
        } else {
            self.colors[..COLOR_COUNT].iter().rposition(free)
        };
        let picked = found.unwrap_or(COLOR_COUNT);
        if picked < COLOR_COUNT {
            [a, b].into_iter().flatten().for_each(|i| self.colors[picked].bodies.insert(i));
        }
        picked as u8
    }

    /// Frees the bodies of a constraint that leaves `color`.
    pub(crate) fn release(&mut self, color: u8, a: Option<u32>, b: Option<u32>) {
        let color = color as usize;
        if color < COLOR_COUNT {
            [a, b].into_iter().flatten().for_each(|i| self.colors[color].bodies.remove(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_has_a_body_twice_and_static_partners_come_last() {
        let mut graph = ConstraintGraph::default();
        assert_eq!(graph.pick_color(Some(1), Some(2), false), 0);
        assert_eq!(graph.pick_color(Some(2), Some(3), false), 1);
        assert_eq!(graph.pick_color(Some(4), Some(3), false), 0);
        assert_eq!(graph.pick_color(Some(1), None, false) as usize, COLOR_COUNT - 1);
        assert_eq!(graph.pick_color(None, Some(1), false) as usize, COLOR_COUNT - 2);
        graph.release(0, Some(1), Some(2));
        assert_eq!(graph.pick_color(Some(1), Some(5), false), 0);
        assert_eq!(graph.pick_color(Some(8), Some(9), true) as usize, COLOR_COUNT);
        for hub in 0..40 {
            graph.pick_color(Some(100), Some(200 + hub), false);
        }
        assert!(graph.colors[COLOR_COUNT].bodies.iter().next().is_none(), "overflow has no bits");
    }
}
