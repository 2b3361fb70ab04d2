//! Broad phase: from fat boxes to the pairs whose boxes overlap.
//!
//! **In**: [`Proxies`], one per shape, whose fat boxes the world owns, and the list of those that changed. **Out**: pair
//! keys, any order, duplicates allowed: the world sorts them, so that the state is the same under every method.
//! **Must report** every overlapping pair ([`Proxies::is_pair`]) in which at least one proxy is in `moved`; may report
//! other overlapping pairs; must not report pairs that do not overlap. Pairs that end are found by the world itself.
//! **To add a method**: implement [`BroadPhase`], add it to [`all`]; it then is part of `tests/broad_phase` and of
//! `tests/it/conformance/broad_phase.rs`.

mod all_pairs;
mod bsp;
mod bvh;
mod cells;
mod grid;
mod hash;
mod proxy;
mod search;
mod sort_and_sweep;
mod spheres;
mod tree;

pub use all_pairs::BroadPhaseAllPairs;
pub use bsp::BroadPhaseBsp;
pub use bvh::BroadPhaseBvh;
pub use grid::BroadPhaseGrid;
pub use hash::BroadPhaseHash;
pub use proxy::{PairKey, Proxies, Proxy, ProxyKind};
pub use sort_and_sweep::{BroadPhaseSortAndSweep, FirstSort};
pub use spheres::BroadPhaseSpheres;
pub use tree::BroadPhaseTree;

use crate::Error;
use crate::exec::Executor;
use crate::math::*;
use crate::store::{Reader, Writer};

/// Makes a broad phase.
pub type MakeBroadPhase<D> = fn() -> Box<dyn BroadPhase<D>>;

/// Every method: name, one line on what it is, how to make one. The first one is the default.
pub fn all<D: Dim>() -> &'static [(&'static str, &'static str, MakeBroadPhase<D>)] {
    &[
        ("bvh", "bounding volume hierarchies for what stands and what moves", || {
            Box::<BroadPhaseBvh<D>>::default()
        }),
        ("all-pairs", "every box against every other; the quadratic reference", || {
            Box::<BroadPhaseAllPairs>::default()
        }),
        ("spheres", "every sphere against every other, boxes where spheres meet", || {
            Box::<BroadPhaseSpheres<D>>::default()
        }),
        ("sort-and-sweep", "ends of boxes in order along all axes; pairs change when ends pass", || {
            Box::<BroadPhaseSortAndSweep<D>>::default()
        }),
        ("sort-and-sweep-insertion", "the same, first sorted by insertion, in quadratic time", || {
            Box::new(BroadPhaseSortAndSweep::<D>::new(FirstSort::Insertion))
        }),
        ("grid", "a uniform grid over the occupied world", || Box::<BroadPhaseGrid<D>>::default()),
        ("hash", "spatial hashes, one lattice of cells for every size", || {
            Box::<BroadPhaseHash<D>>::default()
        }),
        ("tree", "a loose quadtree or octree", || Box::<BroadPhaseTree<D>>::default()),
        ("bsp", "a tree of planes that part space", || Box::<BroadPhaseBsp<D>>::default()),
    ]
}

/// A method of finding overlapping pairs.
pub trait BroadPhase<D: Dim>: Send + Sync {
    /// Name in scene files, flags and profiles.
    fn name(&self) -> &'static str;

    /// Forgets everything and takes in all live proxies. Called when the method is put into a world and after a restore.
    fn attach(&mut self, proxies: &Proxies<D>);

    /// A proxy came into being between steps (it will also be in the next `moved`).
    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32);

    /// A proxy is about to be removed; its box is still readable.
    fn remove(&mut self, proxies: &Proxies<D>, proxy: u32);

    /// The boxes of `moved` (ascending, live, without duplicates) changed. Called before [`Self::find_pairs`] and
    /// whenever queries must see the change.
    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], executor: &dyn Executor);

    /// Pushes pairs; see the module head for which. `moved` is as in [`Self::update`], and covers every change since
    /// the last call.
    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    );

    /// Calls `visit` for every live proxy whose fat box overlaps `bounds`, until it returns false. Any order.
    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        for (index, proxy) in proxies.iter() {
            if proxy.fat.overlaps(bounds) && !visit(index) {
                return;
            }
        }
    }

    /// The same for static proxies. Others may be among them, so [`Self::query`] will do; methods that keep static proxies apart
    /// are faster.
    fn query_static(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        self.query(proxies, bounds, visit);
    }

    /// Calls `visit` for proxies whose fat box, grown by `grow` [m] on every side, the ray from `origin` [m] meets, `direction`
    /// [m] being its way per unit of the parameter: at a parameter below the current maximum, which starts at `max` and
    /// becomes what `visit` returns. Any order; nearer ones first pays.
    fn ray(
        &self,
        proxies: &Proxies<D>,
        origin: D::Point,
        direction: D::Vec,
        max: Real,
        grow: D::Vec,
        visit: &mut dyn FnMut(u32, Real) -> Real,
    ) {
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        let mut max = max;
        for (index, proxy) in proxies.iter() {
            let fat = Aabb::<D> { min: proxy.fat.min - grow, max: proxy.fat.max + grow };
            if fat.ray(origin, inv, max).is_some() {
                max = visit(index, max);
            }
        }
    }

    /// What the method counted since it was last asked, as (name, value): nodes visited, swaps, cells.
    fn counters(&mut self, _out: &mut Vec<(&'static str, u64)>) {}

    /// Writes state that cannot be rebuilt from the proxies. Most methods have none.
    fn save(&self, _out: &mut Writer) {}

    /// Reads what [`Self::save`] wrote; [`Self::attach`] was called before.
    fn load(&mut self, _input: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}
