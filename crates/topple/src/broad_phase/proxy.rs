//! The boxes the broad phase works on, one per shape.

use crate::math::*;
use crate::shape::Filter;

/// A pair of proxies: the smaller index in the high half, so that keys sort by it first.
pub type PairKey = u64;

/// How the body of a proxy moves: decides which pairs matter, and which tree a proxy belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyKind {
    /// The slot is free, or its body is disabled.
    #[default]
    None,
    /// Static body: never moves by itself, never pairs with another static or kinematic one.
    Static,
    /// Kinematic body: moves, is not pushed.
    Kinematic,
    /// Dynamic body.
    Dynamic,
}

/// What broad phases know of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy<D: Dim> {
    /// Box of the shape, fattened so that small motions change nothing.
    pub fat: Aabb<D>,
    /// Slot of the body; proxies of one body never pair.
    pub body: u32,
    /// How the body moves.
    pub kind: ProxyKind,
    /// Which pairs the user allows.
    pub filter: Filter,
    /// Sensors pair with everything that passes their filter but other sensors.
    pub is_sensor: bool,
}

impl<D: Dim> Default for Proxy<D> {
    fn default() -> Self {
        Self {
            fat: Aabb::default(),
            body: u32::MAX,
            kind: ProxyKind::None,
            filter: Filter::default(),
            is_sensor: false,
        }
    }
}

/// All proxies, at the index of their shape. Slots without a live shape have [`ProxyKind::None`].
#[derive(Clone, Debug, Default)]
pub struct Proxies<D: Dim> {
    pub(crate) slots: Vec<Proxy<D>>,
    /// How many are kinematic.
    kinematic: u32,
}

impl<D: Dim> Proxies<D> {
    /// Proxies for tests and for use without a world; slot i gets the i-th one.
    pub fn from_slots(slots: Vec<Proxy<D>>) -> Self {
        let kinematic = slots.iter().filter(|proxy| proxy.kind == ProxyKind::Kinematic).count() as u32;
        Self { slots, kinematic }
    }

    /// Replaces the proxy at `index`.
    pub(crate) fn set(&mut self, index: u32, proxy: Proxy<D>) {
        let old = core::mem::replace(&mut self.slots[index as usize], proxy);
        self.kinematic += u32::from(proxy.kind == ProxyKind::Kinematic);
        self.kinematic -= u32::from(old.kind == ProxyKind::Kinematic);
    }

    /// How many belong to kinematic bodies.
    pub(crate) fn kinematic_count(&self) -> u32 {
        self.kinematic
    }

    /// All slots, free ones included.
    #[inline]
    pub fn slots(&self) -> &[Proxy<D>] {
        &self.slots
    }

    /// All slots, to move boxes where there is no world. The broad phase must be told which.
    #[inline]
    pub fn slots_mut(&mut self) -> &mut [Proxy<D>] {
        &mut self.slots
    }

    /// The proxy at `index`.
    #[inline]
    pub fn get(&self, index: u32) -> &Proxy<D> {
        &self.slots[index as usize]
    }

    /// Live proxies with their index, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Proxy<D>)> {
        self.slots.iter().enumerate().filter(|(_, p)| p.kind != ProxyKind::None).map(|(i, p)| (i as u32, p))
    }

    /// True if a and b may be a pair whatever their boxes: different bodies, at least one dynamic (a sensor also
    /// notices kinematic bodies), filters agree.
    #[inline]
    pub fn may_pair(&self, a: u32, b: u32) -> bool {
        let (p, q) = (self.get(a), self.get(b));
        if p.kind == ProxyKind::None || q.kind == ProxyKind::None || p.body == q.body {
            return false;
        }
        if p.is_sensor && q.is_sensor {
            return false;
        }
        let dynamic = p.kind == ProxyKind::Dynamic || q.kind == ProxyKind::Dynamic;
        let sensed = (p.is_sensor || q.is_sensor)
            && (p.kind == ProxyKind::Kinematic || q.kind == ProxyKind::Kinematic);
        (dynamic || sensed) && p.filter.allows(&q.filter)
    }

    /// True if a and b are a pair: [`Self::may_pair`], and their fat boxes overlap.
    #[inline]
    pub fn is_pair(&self, a: u32, b: u32) -> bool {
        self.get(a).fat.overlaps(&self.get(b).fat) && self.may_pair(a, b)
    }

    /// The key of a pair, the same in both orders.
    #[inline]
    pub fn key(a: u32, b: u32) -> PairKey {
        u64::from(a.min(b)) << 32 | u64::from(a.max(b))
    }

    /// The two proxies of a key, smaller index first.
    #[inline]
    pub fn split(key: PairKey) -> (u32, u32) {
        ((key >> 32) as u32, key as u32)
    }
}
