//! Cells of equal size with proxies in them, and the way of a ray through them: what `grid` and `hash` share.
//!
//! A proxy is in the one cell that holds the middle of its box, and is no larger than the cell. So it reaches half a cell
//! beyond, at most, and whoever asks for a box asks for all cells within half a cell of it.

use super::search::{BoxRay, middle};
use crate::math::*;

/// Room for the rounding of coordinates, relative to them, and of a cell [1].
const ROUNDING: f64 = 1e-12;

/// Coordinates of a cell; the third is 0 in the plane.
pub(super) type Cell = [i64; 3];

/// A lattice of cubic cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    /// Where cell 0 starts [m].
    pub(super) origin: [f64; 3],
    /// Edge of a cell [m].
    pub(super) size: f64,
}

impl Lattice {
    #[inline]
    fn coordinate(&self, axis: usize, x: f64) -> i64 {
        // Saturates where the number is too large, which keeps the order.
        ((x - self.origin[axis]) / self.size).floor() as i64
    }

    /// The cell of the middle of a box.
    #[inline]
    pub(super) fn cell_of<D: Dim>(&self, bounds: &Aabb<D>) -> Cell {
        let mut cell = [0; 3];
        for axis in 0..D::N {
            cell[axis] = self.coordinate(axis, middle(bounds, axis));
        }
        cell
    }

    /// How far beyond `x` a middle may be whose box reaches `x`.
    #[inline]
    fn reach(&self, x: f64) -> f64 {
        0.5 * self.size * (1.0 + ROUNDING) + ROUNDING * x.abs()
    }

    /// First and last cell, along every axis, with proxies that may overlap `bounds`; kept within `first` and `last`.
    #[inline]
    pub(super) fn around<D: Dim>(&self, bounds: &Aabb<D>, first: Cell, last: Cell) -> (Cell, Cell) {
        let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for axis in 0..D::N {
            let (a, b) = (f64::from(min.get(axis)), f64::from(max.get(axis)));
            low[axis] = self.coordinate(axis, a - self.reach(a));
            high[axis] = self.coordinate(axis, b + self.reach(b));
        }
        (clamp(low, first, last), clamp(high, first, last))
    }

    /// Calls `visit` for ranges of cells (first, last) that hold all proxies that the ray meets before `max`, no cell twice,
    /// nearer ones first. The cells are those from `first` to `last`; with `open`, those at the border hold all beyond it. `visit` returns
    /// the new maximum.
    pub(super) fn march<D: Dim>(
        &self,
        ray: &BoxRay<D>,
        max: &mut Real,
        first: Cell,
        last: Cell,
        open: bool,
        visit: &mut dyn FnMut(Cell, Cell, Real) -> Real,
    ) {
        let get = |v: D::Vec, axis: usize| f64::from(v.get(axis));
        let main = (1..D::N).fold(0, |best, axis| {
            if ray.direction.get(axis).abs() > ray.direction.get(best).abs() { axis } else { best }
        });
        let (o, d) = (get(ray.origin.to_vec(), main), get(ray.direction, main));
        // One slab of cells across the main axis after the other.
        let count = last[main] - first[main] + 1;
        for step in 0..count {
            let k = if d < 0.0 { last[main] - step } else { first[main] + step };
            let mut slab =
                [self.origin[main] + k as f64 * self.size, self.origin[main] + (k + 1) as f64 * self.size];
            let room = slab.map(|x| self.reach(x) + get(ray.grow, main) + ROUNDING * (x.abs() + o.abs()));
            slab = [slab[0] - room[0], slab[1] + room[1]];
            if open && k == first[main] {
                slab[0] = f64::NEG_INFINITY;
            }
            if open && k == last[main] {
                slab[1] = f64::INFINITY;
            }
            let (mut enter, mut leave) = ((slab[0] - o) / d, (slab[1] - o) / d);
            if d < 0.0 {
                (enter, leave) = (leave, enter);
            }
            if d == 0.0 {
                (enter, leave) = if slab[0] <= o && o <= slab[1] { (0.0, f64::INFINITY) } else { (1.0, 0.0) };
            }
            let (enter, leave) = (enter.max(0.0), leave.min(f64::from(*max)));
            if enter > leave {
                continue;
            }
            let (mut low, mut high) = ([0; 3], [0; 3]);
            for axis in 0..D::N {
                let (o, d) = (get(ray.origin.to_vec(), axis), get(ray.direction, axis));
                // 0 · ∞ has no value.
                let at = |t: f64| if d == 0.0 { o } else { o + d * t };
                let (a, b) = if d < 0.0 { (at(leave), at(enter)) } else { (at(enter), at(leave)) };
                let room = |x: f64| self.reach(x) + get(ray.grow, axis) + ROUNDING * (x.abs() + o.abs());
                low[axis] = self.coordinate(axis, a - room(a));
                high[axis] = self.coordinate(axis, b + room(b));
            }
            (low[main], high[main]) = (k, k);
            if !open && (0..D::N).any(|axis| high[axis] < first[axis] || low[axis] > last[axis]) {
                continue;
            }
            *max = visit(clamp(low, first, last), clamp(high, first, last), *max);
        }
    }
}

/// Component by component into a range.
#[inline]
fn clamp(cell: Cell, first: Cell, last: Cell) -> Cell {
    core::array::from_fn(|axis| cell[axis].clamp(first[axis], last[axis]))
}

/// Calls `visit` for every cell of a range until it returns false. False if it did.
#[inline]
pub(super) fn each_cell(low: Cell, high: Cell, mut visit: impl FnMut(Cell) -> bool) -> bool {
    for z in low[2]..=high[2] {
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                if !visit([x, y, z]) {
                    return false;
                }
            }
        }
    }
    true
}

/// Lists of proxies through the proxies themselves: each knows the next and the one before, the first knows its list.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    next: Vec<u32>,
    prev: Vec<u32>,
}

/// End of a chain.
pub(super) const END: u32 = u32::MAX;

impl Chains {
    pub(super) fn resize(&mut self, slots: usize) {
        if self.next.len() < slots {
            self.next.resize(slots, END);
            self.prev.resize(slots, END);
        }
    }

    #[inline]
    pub(super) fn push(&mut self, head: &mut u32, proxy: u32) {
        self.next[proxy as usize] = *head;
        self.prev[proxy as usize] = END;
        if *head != END {
            self.prev[*head as usize] = proxy;
        }
        *head = proxy;
    }

    #[inline]
    pub(super) fn take(&mut self, head: &mut u32, proxy: u32) {
        let (prev, next) = (self.prev[proxy as usize], self.next[proxy as usize]);
        if prev == END {
            *head = next;
        } else {
            self.next[prev as usize] = next;
        }
        if next != END {
            self.prev[next as usize] = prev;
        }
    }

    #[inline]
    pub(super) fn next(&self, proxy: u32) -> u32 {
        self.next[proxy as usize]
    }
}
