//! Rows: eight contacts of one colour side by side, split by what each pass touches.
//!
//! Sizes of a dimension: `N` axes, `A` angular axes, `P` points, `T` tangents, `K` twist rows (0 or 1), `S` floats of
//! packed body state. In the plane 2, 1, 2, 1, 0, 8; in space 3, 3, 4, 2, 1, 16.

use super::lanes::F8;

/// Contacts side by side.
pub(crate) const WIDTH: usize = 8;
/// Row lanes without a contact.
pub(crate) const NO_CONTACT: u32 = u32::MAX;

/// One point of eight contacts: what the biased and the relaxing pass read.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Point<const A: usize> {
    /// Whitened angular Jacobian of a: Lᵀ(r_a × n).
    pub ja: [F8; A],
    /// Whitened angular Jacobian of b.
    pub jb: [F8; A],
    /// 1/K [kg]; 0 in lanes without this point.
    pub mass: F8,
    /// Separation at the start of the step [m], from where the contact would press with nothing: a settled load moves that outwards.
    pub s0: F8,
    /// Accumulated impulse [N·s].
    pub lambda: F8,
    /// What of the settled load `s0` does not hold [N·s]: softness acts on what differs from it.
    pub load: F8,
}

/// The normal directions of eight contacts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Row<const N: usize, const A: usize, const P: usize> {
    /// Lanes whose body a is dynamic: only those answer to impulses. Lanes in which both bodies are have
    /// the softness of a free pair, the others that of the ground.
    pub write_a: u8,
    /// Lanes whose body b is dynamic.
    pub write_b: u8,
    /// Most points of any lane.
    pub count: u8,
    /// Some lane may bounce: see `impacts.rs`.
    pub bounces: bool,
    /// Lanes with rolling resistance; see `rolling.rs`.
    pub rolls: u8,
    /// Lanes whose surface has a grain: their friction is done one by one, see `rolling.rs`.
    pub grains: u8,
    /// Lanes with a body that turns far in the step; see `turning.rs`.
    pub turns: u8,
    /// Lanes without restitution whose bodies approach and may strike a train; see `trains.rs`.
    pub meets: u8,
    /// Lanes without restitution that approach something which does not move, with several points; see `landings.rs`.
    pub lands: u8,
    /// Those, and others of their kind that overlap by more than half the slop.
    pub settles: u8,
    /// Normal from a to b.
    pub n: [F8; N],
    /// 1/m of a [1/kg].
    pub inv_ma: F8,
    /// 1/m of b [1/kg].
    pub inv_mb: F8,
    /// The points.
    pub points: [Point<A>; P],
}

/// Friction of eight contacts, one block per manifold, at the centre of its points. The relaxing pass does not touch it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct FrictionRow<const A: usize, const T: usize, const K: usize, const P: usize> {
    /// Whitened angular Jacobians of a, per tangent.
    pub ja: [[F8; A]; T],
    /// Whitened angular Jacobians of b, per tangent.
    pub jb: [[F8; A]; T],
    /// Inverse of the 1×1 or symmetric 2×2 matrix K: entries 11, 12, 22.
    pub mass: [F8; 3],
    /// Accumulated impulses [N·s].
    pub lambda: [F8; T],
    /// Slip that the surfaces want [m/s]: velocity of conveyor belts.
    pub target: [F8; T],
    /// Coefficient of sliding friction.
    pub mu: F8,
    /// Coefficient of sticking friction.
    pub mu_static: F8,
    /// Friction about the normal.
    pub twist: [Twist<A, P>; K],
}

/// Friction about the normal (3D).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Twist<const A: usize, const P: usize> {
    /// Lᵀn of a.
    pub ja: [F8; A],
    /// Lᵀn of b.
    pub jb: [F8; A],
    /// 1/K.
    pub mass: F8,
    /// Accumulated impulse [N·m·s].
    pub lambda: F8,
    /// Lever arm of each point: μ·|r_i − c| plus spinning friction [m].
    pub lever: [F8; P],
}

/// What only preparation, impacts and storing need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColdRow {
    /// The contacts, or NO_CONTACT.
    pub contacts: [u32; WIDTH],
    /// Restitution (no unit).
    pub restitution: F8,
    /// Lanes whose levers are those of when the surfaces met: two balls that are deep in each other, see `narrow_phase/way_in.rs`.
    pub in_time: u8,
}

impl<const N: usize, const A: usize, const P: usize> Default for Row<N, A, P> {
    fn default() -> Self {
        Self {
            write_a: 0,
            write_b: 0,
            count: 0,
            bounces: false,
            rolls: 0,
            grains: 0,
            turns: 0,
            meets: 0,
            lands: 0,
            settles: 0,
            n: [F8::default(); N],
            inv_ma: F8::default(),
            inv_mb: F8::default(),
            points: [blank(); P],
        }
    }
}

fn blank<const A: usize>() -> Point<A> {
    let zero = F8::default();
    Point { ja: [zero; A], jb: [zero; A], mass: zero, s0: zero, lambda: zero, load: zero }
}

impl<const A: usize, const T: usize, const K: usize, const P: usize> Default for FrictionRow<A, T, K, P> {
    fn default() -> Self {
        let zero = F8::default();
        let twist = Twist { ja: [zero; A], jb: [zero; A], mass: zero, lambda: zero, lever: [zero; P] };
        Self {
            ja: [[zero; A]; T],
            jb: [[zero; A]; T],
            mass: [zero; 3],
            lambda: [zero; T],
            target: [zero; T],
            mu: zero,
            mu_static: zero,
            twist: [twist; K],
        }
    }
}

impl Default for ColdRow {
    fn default() -> Self {
        let zero = F8::default();
        Self { contacts: [NO_CONTACT; WIDTH], restitution: zero, in_time: 0 }
    }
}
