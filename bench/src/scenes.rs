//! Boxes in motion, to be asked for their pairs: what the broad phase sees of a world.

use crate::random::Random;
use topple::Filter;
use topple::broad_phase::{Proxies, Proxy, ProxyKind};
use topple::math::*;

/// How much larger than the body a box is, on every side [m].
const MARGIN: Real = 0.1;
const DT: Real = 1.0 / 60.0;
/// How far bodies in a pile tremble in a step [m].
const TREMBLE: Real = 0.05;

/// Bodies of one box each, in a room that they do not leave.
#[derive(Clone)]
pub(crate) struct Scene<D: Dim> {
    pub(crate) proxies: Proxies<D>,
    position: Vec<D::Vec>,
    velocity: Vec<D::Vec>,
    half: Vec<Real>,
    room: Real,
    /// Bodies turn back now and then, lest their crowds dissolve.
    crowds: bool,
    /// One in so many bodies trembles in a step; the others lie still. Zero: all fly.
    tremble: usize,
    /// Who flies: what sleeps is not even looked at, as in a world.
    awake: Vec<u32>,
    random: Random,
    /// Whose box changed in the last step, ascending.
    pub(crate) moved: Vec<u32>,
}

/// The scenes by name, in the order of the tables.
pub(crate) const SCENES: [&str; 8] = [
    "gas",
    "gas, 40 % moving",
    "pile, 30 % moving",
    "pile, 2 % moving",
    "one big, many small",
    "clusters",
    "convoy",
    "100 moving, the rest asleep",
];

impl<D: Dim> Scene<D> {
    /// A scene of [`SCENES`] by number.
    pub(crate) fn make(which: usize, count: usize) -> Self {
        match which {
            0 => Self::new(count, 2.0, 6.0),
            1 => Self::new(count, 2.0, 6.0).with_speed(|i| if i % 5 < 2 { 1.0 } else { 0.0 }),
            2 => Self { tremble: 3, ..Self::new(count, 1.0, 0.0) },
            3 => Self { tremble: 50, ..Self::new(count, 1.0, 0.0) },
            4 => Self::new(count, 2.0, 6.0).with_big(),
            5 => Self::clusters(count),
            6 => Self::convoy(count),
            _ => {
                let stride = (count / 100).max(1);
                Self::new(count, 1.5, 6.0).with_speed(move |i| if i % stride == 0 { 1.0 } else { 0.0 })
            }
        }
    }

    /// `spacing` [m] between bodies of 1 m, speeds up to `speed` [m/s].
    fn new(count: usize, spacing: Real, speed: Real) -> Self {
        let side = (1..).find(|s: &usize| s.pow(D::N as u32) >= count).unwrap_or(1);
        let mut random = Random(7);
        let mut order: Vec<usize> = (0..count).collect();
        // In a gas, numbers of bodies say nothing about where they are; a pile was built in some order.
        for i in (1..count).rev().filter(|_| spacing > 1.0) {
            order.swap(i, random.below(i + 1));
        }
        let position: Vec<_> = order
            .iter()
            .map(|&i| {
                let mut p = D::Vec::ZERO;
                (0..D::N).for_each(|axis| p.set(axis, (i / side.pow(axis as u32) % side) as Real * spacing));
                p + random.vector::<D>(-0.2, 0.2) * (spacing - 1.0)
            })
            .collect();
        let velocity = (0..count).map(|_| random.vector::<D>(-speed, speed)).collect();
        let mut scene = Self {
            proxies: Proxies::default(),
            position,
            velocity,
            half: vec![0.5; count],
            room: side as Real * spacing,
            crowds: false,
            tremble: 0,
            awake: (0..count as u32).collect(),
            random,
            moved: Vec::new(),
        };
        scene.dress();
        scene
    }

    /// Gives all bodies their boxes.
    fn dress(&mut self) {
        let proxy = |i: usize| Proxy {
            fat: self.tight(i).grown(MARGIN),
            body: i as u32,
            kind: ProxyKind::Dynamic,
            filter: Filter::default(),
            is_sensor: false,
        };
        self.proxies = Proxies::from_slots((0..self.position.len()).map(proxy).collect());
    }

    fn with_speed(mut self, factor: impl Fn(usize) -> Real) -> Self {
        self.velocity.iter_mut().enumerate().for_each(|(i, v)| *v = *v * factor(i));
        self.awake.retain(|&i| self.velocity[i as usize] != D::Vec::ZERO);
        self
    }

    /// One body becomes a fifth of the room in size.
    fn with_big(mut self) -> Self {
        self.half[0] = self.room * 0.1;
        self.dress();
        self
    }

    /// Crowds of a hundred, far apart.
    fn clusters(count: usize) -> Self {
        let mut scene = Self::new(count, 2.0, 2.0);
        let crowds = count.div_ceil(100);
        let side = (1..).find(|s: &usize| s.pow(D::N as u32) >= crowds).unwrap_or(1);
        let (gap, reach) = (60.0, if D::N == 2 { 9.0 } else { 4.0 });
        for i in 0..count {
            let crowd = scene.random.below(crowds);
            let mut p = scene.random.vector::<D>(-reach, reach);
            for axis in 0..D::N {
                p.set(axis, p.get(axis) + (crowd / side.pow(axis as u32) % side) as Real * gap);
            }
            scene.position[i] = p;
        }
        (scene.room, scene.crowds) = (Real::INFINITY, true);
        scene.dress();
        scene
    }

    /// One row that drives along itself, everybody about as fast as the others: motion as coherent as it gets.
    fn convoy(count: usize) -> Self {
        let mut scene = Self::new(count, 2.0, 0.0);
        for i in 0..count {
            scene.position[i] = D::Vec::axis(0) * (2.0 * i as Real - count as Real);
            scene.velocity[i] = D::Vec::axis(0) * (6.0 + scene.random.between(-0.05, 0.05));
        }
        scene.room = Real::INFINITY;
        scene.dress();
        scene
    }

    fn tight(&self, i: usize) -> Aabb<D> {
        Aabb::around(self.position[i].into(), D::Vec::splat(self.half[i]))
    }

    /// Moves the bodies and lists whose box changed.
    pub(crate) fn step(&mut self) {
        self.moved.clear();
        for k in 0..self.awake.len() {
            let i = self.awake[k] as usize;
            if self.tremble > 0 {
                if self.random.below(self.tremble) == 0 {
                    self.position[i] += self.random.vector::<D>(-TREMBLE, TREMBLE);
                    self.proxies.set_box(i as u32, self.tight(i).grown(MARGIN));
                    self.moved.push(i as u32);
                }
                continue;
            }
            let v = self.velocity[i];
            self.position[i] += v * DT;
            for axis in 0..D::N {
                let p = self.position[i].get(axis);
                let outside = self.room.is_finite()
                    && (p < 0.0 && v.get(axis) < 0.0 || p > self.room && v.get(axis) > 0.0);
                if outside || self.crowds && self.random.below(60) == 0 {
                    self.velocity[i].set(axis, -v.get(axis));
                }
            }
            let tight = self.tight(i);
            if !self.proxies.get(i as u32).fat.contains(&tight) {
                self.proxies.set_box(i as u32, tight.grown(MARGIN));
                self.moved.push(i as u32);
            }
        }
    }
}
