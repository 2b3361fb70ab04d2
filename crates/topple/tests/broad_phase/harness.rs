//! A world of boxes that keeps its pairs as the engine does and checks each answer of a broad phase.

use std::collections::BTreeSet;
use topple::broad_phase::{BroadPhase, PairKey, Proxies, Proxy, ProxyKind};
use topple::exec::{Executor, Pool, Serial};
use topple::math::*;
use topple::{Dim, Filter};

/// Makes a broad phase.
pub(crate) type Method<D> = fn() -> Box<dyn BroadPhase<D>>;

/// SplitMix64.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }
    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        (self.bits() >> 40) as Real / (1 << 24) as Real
    }
    pub(crate) fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }
    pub(crate) fn vector<D: Dim>(&mut self, low: Real, high: Real) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, self.between(low, high)));
        v
    }
    pub(crate) fn point<D: Dim>(&mut self, low: Real, high: Real) -> D::Point {
        self.vector::<D>(low, high).into()
    }
}

/// A proxy of body `body`.
pub(crate) fn proxy<D: Dim>(body: u32, kind: ProxyKind, fat: Aabb<D>) -> Proxy<D> {
    Proxy { fat, body, kind, filter: Filter::default(), is_sensor: false }
}

/// Everything below the height `top` along axis 1: the box of a plane.
pub(crate) fn half_space<D: Dim>(top: Real) -> Aabb<D> {
    let mut bounds = Aabb::<D>::infinite();
    let mut max = bounds.max.to_vec();
    max.set(1, top);
    bounds.max = max.into();
    bounds
}

/// See the module head.
pub(crate) struct World<D: Dim> {
    pub(crate) proxies: Vec<Proxy<D>>,
    free: Vec<u32>,
    pub(crate) pairs: BTreeSet<PairKey>,
    pub(crate) moved: BTreeSet<u32>,
    pub(crate) method: Box<dyn BroadPhase<D>>,
    executor: Box<dyn Executor>,
    pub(crate) reported: usize,
}

impl<D: Dim> World<D> {
    pub(crate) fn new(method: Method<D>) -> Self {
        Self {
            proxies: Vec::new(),
            free: Vec::new(),
            pairs: BTreeSet::new(),
            moved: BTreeSet::new(),
            method: method(),
            executor: Box::new(Serial),
            reported: 0,
        }
    }

    pub(crate) fn with_threads(method: Method<D>, threads: usize) -> Self {
        Self { executor: Box::new(Pool::new(threads)), ..Self::new(method) }
    }

    fn view(&self) -> Proxies<D> {
        Proxies::from_slots(self.proxies.clone())
    }

    pub(crate) fn live(&self) -> Vec<u32> {
        self.view().iter().map(|(index, _)| index).collect()
    }

    pub(crate) fn insert(&mut self, proxy: Proxy<D>) -> u32 {
        let index = self.free.pop().unwrap_or(self.proxies.len() as u32);
        if index as usize == self.proxies.len() {
            self.proxies.push(proxy);
        } else {
            self.proxies[index as usize] = proxy;
        }
        let view = self.view();
        self.method.insert(&view, index);
        self.moved.insert(index);
        index
    }

    /// As many as you like at once: one copy of the proxies instead of one each.
    pub(crate) fn insert_all(&mut self, new: impl IntoIterator<Item = Proxy<D>>) {
        let first = self.proxies.len();
        self.proxies.extend(new);
        let view = self.view();
        for index in first..self.proxies.len() {
            self.method.insert(&view, index as u32);
            self.moved.insert(index as u32);
        }
    }

    pub(crate) fn remove(&mut self, index: u32) {
        let view = self.view();
        self.method.remove(&view, index);
        self.proxies[index as usize] = Proxy::default();
        self.forget(index);
        self.moved.remove(&index);
        self.free.push(index);
    }

    fn forget(&mut self, index: u32) {
        self.pairs.retain(|&key| {
            let (a, b) = Proxies::<D>::split(key);
            a != index && b != index
        });
    }

    /// Any change of a proxy but its box.
    pub(crate) fn change(&mut self, index: u32, change: impl FnOnce(&mut Proxy<D>)) {
        let view = self.view();
        self.method.remove(&view, index);
        self.forget(index);
        change(&mut self.proxies[index as usize]);
        let view = self.view();
        self.method.insert(&view, index);
        self.moved.insert(index);
    }

    pub(crate) fn move_to(&mut self, index: u32, fat: Aabb<D>) {
        self.proxies[index as usize].fat = fat;
        self.moved.insert(index);
    }

    pub(crate) fn shift(&mut self, index: u32, by: D::Vec) {
        let fat = self.proxies[index as usize].fat;
        self.move_to(index, Aabb { min: fat.min + by, max: fat.max + by });
    }

    /// Makes queries see what moved, before the step.
    pub(crate) fn update(&mut self) {
        let (view, moved) = (self.view(), self.moved_list());
        self.method.update(&view, &moved, &*self.executor);
    }

    fn moved_list(&self) -> Vec<u32> {
        self.moved.iter().copied().collect()
    }

    /// One step: the pairs that still hold and the reported ones must be all there are.
    pub(crate) fn step(&mut self) {
        let found = self.find_pairs();
        let proxies = self.view();
        let mut expected = BTreeSet::new();
        let count = self.proxies.len() as u32;
        for a in 0..count {
            expected
                .extend((a + 1..count).filter(|&b| proxies.is_pair(a, b)).map(|b| Proxies::<D>::key(a, b)));
        }
        assert!(found == expected, "{}: {}", self.method.name(), difference::<D>(&found, &expected));
    }

    /// A step without the check.
    pub(crate) fn find_pairs(&mut self) -> BTreeSet<PairKey> {
        let (proxies, moved) = (self.view(), self.moved_list());
        self.method.update(&proxies, &moved, &*self.executor);
        let mut out = Vec::new();
        self.method.find_pairs(&proxies, &moved, &*self.executor, &mut out);
        for &key in &out {
            let (a, b) = Proxies::<D>::split(key);
            assert!(a < b && proxies.is_pair(a, b), "{}: no pair: {a}, {b}", self.method.name());
        }
        self.reported += out.len();
        self.pairs.retain(|&key| {
            let (a, b) = Proxies::<D>::split(key);
            proxies.is_pair(a, b)
        });
        self.pairs.extend(out);
        self.moved.clear();
        self.pairs.clone()
    }

    /// A box query must visit exactly the live proxies that overlap.
    pub(crate) fn check_query(&self, bounds: &Aabb<D>) {
        let proxies = self.view();
        let mut found = Vec::new();
        self.method.query(&proxies, bounds, &mut |index| {
            found.push(index);
            true
        });
        found.sort_unstable();
        let expected: Vec<_> =
            proxies.iter().filter(|(_, p)| p.fat.overlaps(bounds)).map(|(index, _)| index).collect();
        assert_eq!(found, expected, "{}: query {bounds:?}", self.method.name());
        // Stops when told to.
        let mut visits = 0;
        self.method.query(&proxies, bounds, &mut |_| {
            visits += 1;
            visits < 2
        });
        assert_eq!(visits, expected.len().min(2));
    }

    /// A ray must visit exactly the boxes it meets, and find the nearest one when the maximum shrinks.
    pub(crate) fn check_ray(&self, origin: D::Point, direction: D::Vec, max: Real, grow: D::Vec) {
        let proxies = self.view();
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        let entry = |index: u32, max: Real| {
            let fat = proxies.get(index).fat;
            let grown = Aabb::<D> { min: fat.min - grow, max: fat.max + grow };
            grown.ray(origin, inv, max).map(|(enter, _)| enter)
        };
        let expected: Vec<_> = proxies.iter().map(|(i, _)| i).filter(|&i| entry(i, max).is_some()).collect();
        let mut found = Vec::new();
        self.method.ray(&proxies, origin, direction, max, grow, &mut |index, max| {
            found.push(index);
            max
        });
        found.sort_unstable();
        assert_eq!(found, expected, "{}: ray {origin:?} {direction:?} {max}", self.method.name());

        let nearest = expected.iter().filter_map(|&i| entry(i, max)).fold(Real::INFINITY, Real::min);
        let mut best = Real::INFINITY;
        self.method.ray(&proxies, origin, direction, max, grow, &mut |index, max| {
            let enter = entry(index, max).expect("visited boxes are met before the maximum");
            best = best.min(enter);
            max.min(enter)
        });
        assert_eq!(best, nearest, "{}", self.method.name());
    }

    /// Some questions of each kind.
    pub(crate) fn ask(&self, random: &mut Random, reach: Real) {
        for _ in 0..3 {
            let center = random.point::<D>(-reach, reach);
            let half = random.vector::<D>(0.0, reach * 0.5);
            self.check_query(&Aabb::around(center, half));
            let mut direction = random.vector::<D>(-1.0, 1.0);
            if random.below(3) == 0 {
                direction.set(random.below(D::N), 0.0);
            }
            let max = random.between(0.0, 3.0 * reach);
            let grow = if random.below(2) == 0 { D::Vec::ZERO } else { random.vector::<D>(0.0, 1.0) };
            self.check_ray(center, direction, max, grow);
        }
        self.check_query(&Aabb::infinite());
    }
}

fn difference<D: Dim>(found: &BTreeSet<PairKey>, expected: &BTreeSet<PairKey>) -> String {
    let show = |keys: Vec<&PairKey>| {
        keys.iter().take(5).map(|&&key| format!("{:?} ", Proxies::<D>::split(key))).collect::<String>()
    };
    let missing: Vec<_> = expected.difference(found).collect();
    let surplus: Vec<_> = found.difference(expected).collect();
    format!(
        "{} missing: {}; {} surplus: {}",
        missing.len(),
        show(missing.clone()),
        surplus.len(),
        show(surplus)
    )
}

/// How many random cases to try: as many as usual, or as `PROPTEST_CASES` says.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}
