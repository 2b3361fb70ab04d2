//! The boxes the broad phase works on, one per shape.

use crate::math::*;
use crate::shape::Filter;
use crate::store::room;
use crate::trusted::prefetch;

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

/// What decides nearly every pair, in four bytes: the body, and two flags.
///
/// PERF: neighbours in space are anywhere in memory. Whole proxies of 100 000 bodies are 5.6 MB in 3D, and to look up the two of a
/// pair was an eighth of the search; these are 0.4 MB.
#[derive(Clone, Copy, Debug)]
struct Tag(u32);

impl Tag {
    /// Live, no sensor, the default filter, and the body fits. All else is asked of the proxy itself.
    const COMMON: u32 = 1 << 31;
    /// Dynamic.
    const DYNAMIC: u32 = 1 << 30;
    /// The slot of the body.
    const BODY: u32 = Self::DYNAMIC - 1;

    fn of<D: Dim>(proxy: &Proxy<D>) -> Self {
        let is_common = proxy.kind != ProxyKind::None
            && !proxy.is_sensor
            && proxy.filter == Filter::default()
            && proxy.body <= Self::BODY;
        let flag = |holds: bool, flag: u32| if holds { flag } else { 0 };
        Self(
            proxy.body & Self::BODY
                | flag(is_common, Self::COMMON)
                | flag(proxy.kind == ProxyKind::Dynamic, Self::DYNAMIC),
        )
    }
}

/// All proxies, at the index of their shape. Slots without a live shape have [`ProxyKind::None`].
#[derive(Clone, Debug, Default)]
pub struct Proxies<D: Dim> {
    slots: Vec<Proxy<D>>,
    /// One for every slot.
    tags: Vec<Tag>,
    /// How many are kinematic.
    kinematic: u32,
}

impl<D: Dim> Proxies<D> {
    /// Proxies for tests and for use without a world; slot i gets the i-th one.
    pub fn from_slots(slots: Vec<Proxy<D>>) -> Self {
        let kinematic = slots.iter().filter(|proxy| proxy.kind == ProxyKind::Kinematic).count() as u32;
        let tags = slots.iter().map(Tag::of).collect();
        Self { slots, tags, kinematic }
    }

    /// Replaces the proxy at `index`.
    pub(crate) fn set(&mut self, index: u32, proxy: Proxy<D>) {
        let at = index as usize;
        let old = core::mem::replace(&mut self.slots[at], proxy);
        self.tags[at] = Tag::of(&proxy);
        self.kinematic += u32::from(proxy.kind == ProxyKind::Kinematic);
        self.kinematic -= u32::from(old.kind == ProxyKind::Kinematic);
    }

    /// At least `count` slots; new ones are free.
    pub(crate) fn make_room(&mut self, count: usize) {
        if self.slots.len() < count {
            let free = Proxy::default();
            room::fit(&mut self.tags, count, Tag::of(&free));
            room::fit(&mut self.slots, count, free);
        }
    }

    /// Another filter for the proxy at `index`.
    pub(crate) fn set_filter(&mut self, index: u32, filter: Filter) {
        let proxy = &mut self.slots[index as usize];
        proxy.filter = filter;
        self.tags[index as usize] = Tag::of(proxy);
    }

    /// Another box for the proxy at `index`. The broad phase must be told.
    #[inline]
    pub fn set_box(&mut self, index: u32, fat: Aabb<D>) {
        self.slots[index as usize].fat = fat;
    }

    /// All slots, to be given other boxes. Nothing else of them may change.
    pub(crate) fn boxes_mut(&mut self) -> &mut [Proxy<D>] {
        &mut self.slots
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
        let (Tag(s), Tag(t)) = (self.tags[a as usize], self.tags[b as usize]);
        if s & t & Tag::COMMON != 0 {
            return (s | t) & Tag::DYNAMIC != 0 && (s ^ t) & Tag::BODY != 0;
        }
        self.may_pair_uncommon(a, b)
    }

    /// [`Self::may_pair`] by all that is known of the two.
    fn may_pair_uncommon(&self, a: u32, b: u32) -> bool {
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

    /// Tells the processor that [`Self::may_pair`] will be asked about this one.
    #[inline(always)]
    pub(crate) fn prefetch_pair(&self, index: u32) {
        prefetch(&self.tags, index as usize);
    }

    /// Tells the processor that the box of this one will be needed.
    #[inline(always)]
    pub(crate) fn prefetch_box(&self, index: u32) {
        prefetch(&self.slots, index as usize);
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
