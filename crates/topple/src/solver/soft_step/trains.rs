//! Trains: free bodies that touch one behind the other, struck at an end without restitution. They go on together.
//!
//! The sub-steps stop one approach after the other, and repeat in the next one what they did (`velocities.rs`), as if a blow were a load. For two
//! bodies the contact takes the repetition back. In a row it is passed on before it is taken back, and what has parted is not pulled together: the
//! last of five balls left at 1.5 times the common speed. So a blow on a train is solved before the sub-steps, as bounces are (`impacts.rs`): impulses
//! that push, such that no surfaces approach faster than they may, all contacts of the train in turns until nothing changes. That is
//! Moreau's impact law for restitution 0 [Moreau1988]: momentum is kept, and energy never grows, after any number of rounds.
//!
//! **Gaps.** Surfaces a gap s apart may approach by s per step and sub-step, so that no sub-step has a blow to stop; the rest comes in the next
//! steps, from a gap a fifth as wide each. It begins before the meeting and ends after it.
//!
//! What is found overlapping has met before: contacts are made two centimetres ahead, and a fast body goes further in a step. All bodies are
//! put where they would be if the blow had come in time, so the overlap is gone and need not be pushed out, which would part them again.
//!
//! **What is a train.** From the two bodies that meet, on along the blow to whatever touches or is reached within the step. If that ends at something
//! that does not move, all stop. The sub-steps find that too, for slow blows; of fast ones the repetition throws back: a box that fell on another one on the ground left it
//! at an eighth of its speed. So those that are [`HARD`] are solved here as well, if what stops them is in line with the last body: what leans is turned. What ends at a joint is left to the sub-steps, and so is what has many contacts: heaps, towers and walls;
//! large islands are not even looked at. What stands on the ground takes its contacts there with it, with friction. Two bodies that meet face to face, and touch nothing
//! else, are a train too: of several points the sub-steps leave 1 to 3 % of the blow.

use super::coupling::{Member, POINTS, Train, velocity};
use super::impacts::{REST_STEPS, is_head_on};
use super::joined::{ContactRow, Joined, MOST_ROWS, dot, wide};
use super::pack::Packed;
use super::rows::{FrictionRow, NO_CONTACT, Row, WIDTH};
use crate::body::{BodyProps, BodyState};
use crate::math::*;
use crate::store::room;
use crate::trusted::Ends;

/// Cosine of the angle up to which a contact lies along a blow (no unit).
const ALONG: Real = 0.5;
/// Share of `Settings::restitution_threshold` below which an approach is no blow (no unit): what is left to the sub-steps stays as a difference
/// between the speeds of a train.
pub(super) const SLOWEST_BLOW: Real = 0.125;
/// Approaches this many times as fast as what acceleration makes until a body counts as at rest are hard (no unit): some 1 m/s for what falls, at 60 steps per second.
const HARD: Real = 3.0;
/// Share of a body's answer to a blow, compared with that of its mass, above which the blow turns it rather than moves it on (no unit). Then there is no train to speak of:
/// dominoes topple each other.
const OFF_CENTRE: Real = 0.25;
/// Contacts of a train at most: the time to solve them grows with the cube of their number. A row of ten on the ground has 19.
const MOST_LINKS: usize = 24;
/// Blows of a step at most, some 0.1 ms each: with more none is looked at. What flies about in one crowd has more to do with heaps.
const MOST_BLOWS: usize = 16;

/// Contacts and bodies of trains; lives from step to step to keep its memory.
#[derive(Debug, Default)]
pub(super) struct Trains {
    /// Where the contacts of each slot begin in `touches`; one more than slots.
    starts: Vec<u32>,
    touches: Vec<Touch>,
    /// The contacts of the train that is looked at.
    chosen: Vec<Touch>,
    train: Train,
}

/// A lane of a row.
pub(super) type Touch = (u32, u8);

/// What trains are found in.
pub(super) struct TrainScene<
    'a,
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
> {
    pub(super) rows: &'a [Row<N, A, P>],
    pub(super) friction: &'a [FrictionRow<A, T, K, P>],
    pub(super) ends: &'a [Ends],
    pub(super) props: &'a [BodyProps<D>],
    pub(super) joined: &'a Joined,
    /// Length of the step [s].
    pub(super) dt: Real,
    /// Time within which surfaces have to meet [s]: the step, and the sub-step that its last relaxing pass looks ahead.
    pub(super) reach: Real,
    /// Slower approaches are left to the sub-steps [m/s].
    pub(super) threshold: Real,
    /// Length of the step that small steps are part of [s].
    pub(super) usual_dt: Real,
}

impl<D: Dim, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>
    TrainScene<'_, D, N, A, P, T, K>
{
    fn normal(&self, (row, lane): Touch) -> [Real; 3] {
        let n = &self.rows[row as usize].n;
        core::array::from_fn(|i| if i < N { n[i].0[lane as usize] } else { 0.0 })
    }

    pub(super) fn slots(&self, (row, lane): Touch) -> [u32; 2] {
        self.ends[row as usize].slots.map(|slots| slots[lane as usize])
    }

    fn moves(&self, slot: u32) -> bool {
        self.props.get(slot as usize).is_some_and(|props| props.is_dynamic)
    }

    /// Points of a contact, by number.
    pub(super) fn points(&self, (row, lane): Touch) -> impl Iterator<Item = usize> + '_ {
        let row = &self.rows[row as usize];
        (0..row.count as usize).filter(move |&i| row.points[i].mass.0[lane as usize] > 0.0)
    }

    /// Smallest gap of a contact [m].
    fn gap(&self, touch: Touch) -> Real {
        let points = &self.rows[touch.0 as usize].points;
        self.points(touch).map(|i| points[i].s0.0[touch.1 as usize]).fold(Real::INFINITY, Real::min)
    }

    /// True if a blow at the contact moves both bodies on rather than turns them: the middle of its points lies in line with their centres of mass.
    fn is_central(&self, touch: Touch) -> bool {
        let (row, lane) = (&self.rows[touch.0 as usize], touch.1 as usize);
        let count = self.points(touch).count() as Real;
        let turns = |of: &dyn Fn(usize, usize) -> Real, inv_mass: Real| {
            let mean = |k: usize| self.points(touch).map(|i| of(i, k)).sum::<Real>() / count;
            // Levers are whitened: their squares compare with 1/m.
            (0..A).map(|k| mean(k) * mean(k)).sum::<Real>() > OFF_CENTRE * inv_mass
        };
        !turns(&|i, k| row.points[i].ja[k].0[lane], row.inv_ma.0[lane])
            && !turns(&|i, k| row.points[i].jb[k].0[lane], row.inv_mb.0[lane])
    }

    /// True if two bodies that nothing else touches go on together: both move, head-on. With one point the sub-steps are exact, with several they end before
    /// these have converged.
    fn is_pair<const S: usize>(&self, touch: Touch, bodies: &[Packed<S>]) -> bool {
        let slots = self.slots(touch);
        let [a, b] = slots.map(|slot| &bodies[slot as usize].0);
        let n: [Real; N] = core::array::from_fn(|i| self.rows[touch.0 as usize].n[i].0[touch.1 as usize]);
        slots.into_iter().all(|slot| self.moves(slot))
            && self.points(touch).count() > 1
            && is_head_on(&n, &core::array::from_fn(|i| a[i] - b[i]))
    }

    /// The rows of a contact: points first, then tangents.
    pub(super) fn rows_of(&self, (row, lane): Touch) -> [ContactRow; MOST_ROWS] {
        let (at, lane) = (row as usize, lane as usize);
        let (row, friction) = (&self.rows[at], &self.friction[at]);
        let mut out = [ContactRow::default(); MOST_ROWS];
        let n: [Real; N] = core::array::from_fn(|i| row.n[i].0[lane]);
        let of = |d: &[Real; N], ja: &[super::lanes::F8; A], jb: &[super::lanes::F8; A]| ContactRow {
            sides: [
                wide(d, &core::array::from_fn::<Real, A, _>(|k| ja[k].0[lane]), -1.0),
                wide(d, &core::array::from_fn::<Real, A, _>(|k| jb[k].0[lane]), 1.0),
            ],
        };
        for i in self.points((at as u32, lane as u8)) {
            out[i] = of(&n, &row.points[i].ja, &row.points[i].jb);
        }
        let mut normal = D::Vec::ZERO;
        (0..N).for_each(|i| normal.set(i, n[i]));
        let basis = D::tangent_basis(normal);
        for k in 0..T {
            let tangent: [Real; N] = core::array::from_fn(|i| basis[k].get(i));
            out[POINTS + k] = of(&tangent, &friction.ja[k], &friction.jb[k]);
        }
        out
    }

    /// How fast a contact approaches where it does so fastest, by the velocities of now [m/s].
    fn approach<const S: usize>(&self, touch: Touch, bodies: &[Packed<S>]) -> Real {
        let velocities = self.slots(touch).map(|slot| velocity::<N, A, S>(&bodies[slot as usize]));
        let rows = self.rows_of(touch);
        let speed = |i: usize| (0..2).map(|side| dot(&rows[i].sides[side], &velocities[side])).sum::<f64>();
        self.points(touch).map(|i| -speed(i) as Real).fold(0.0, Real::max)
    }

    /// How a contact is struck by the velocities of now. None if that is no blow on a train.
    fn blow<const S: usize>(&self, touch: Touch, bodies: &[Packed<S>]) -> Option<Blow> {
        if self.joined.has(self.slots(touch)) {
            return None;
        }
        let approach = self.approach(touch, bodies);
        let n = self.normal(touch);
        let pull = |slot: u32| {
            let of = |p: &BodyProps<D>| (0..N).map(|i| n[i] * p.acceleration.get(i)).sum::<Real>();
            self.props.get(slot as usize).map_or(0.0, of)
        };
        let [a, b] = self.slots(touch).map(pull);
        let rest = self.threshold + REST_STEPS * self.dt * (a - b).max(0.0);
        let gap = self.gap(touch);
        if approach <= rest || gap >= approach * self.reach || !self.is_central(touch) {
            return None;
        }
        let late = (-gap / approach).clamp(0.0, self.dt);
        let pulled = self.threshold + REST_STEPS * self.usual_dt * a.abs().max(b.abs());
        Some(Blow { speed: approach, late, is_hard: approach > HARD * pulled })
    }
}

/// A blow on a train.
#[derive(Clone, Copy)]
struct Blow {
    /// [m/s]
    speed: Real,
    /// How long ago the surfaces met that are found overlapping [s].
    late: Real,
    /// See [`HARD`].
    is_hard: bool,
}

fn cosine(a: &[Real; 3], b: &[Real; 3]) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Trains {
    /// Lets all trains go on together that are struck. Rows know their lanes that approach.
    pub(super) fn run<
        D: Dim,
        const N: usize,
        const A: usize,
        const P: usize,
        const T: usize,
        const K: usize,
        const S: usize,
    >(
        &mut self,
        scene: &TrainScene<'_, D, N, A, P, T, K>,
        bodies: &mut [Packed<S>],
        states: &mut [BodyState<D>],
    ) {
        let struck = || {
            let rows = scene.rows.iter().enumerate().filter(|(_, row)| row.meets != 0);
            rows.flat_map(move |(at, row)| {
                let meets = row.meets;
                (0..WIDTH as u8).filter(move |lane| meets >> lane & 1 == 1).map(move |lane| (at as u32, lane))
            })
        };
        // All or none: what is its own mirror image stays so.
        let blows = struck().filter(|&touch| scene.blow(touch, bodies).is_some()).take(MOST_BLOWS + 1);
        if !(1..=MOST_BLOWS).contains(&blows.count()) {
            return;
        }
        self.list(scene);
        for touch in struck() {
            // What an earlier train took along may have stopped.
            let Some(blow) = scene.blow(touch, bodies) else { continue };
            if let Some(is_stopped) = self.couple(scene, bodies, touch, blow) {
                // What takes small steps bears much, and so does the blow.
                let is_light = scene.usual_dt == scene.dt;
                self.train.strike(f64::from(blow.speed), is_light, is_stopped);
                self.train.leave::<D, N, A, S>(bodies, states, (blow.speed, blow.late));
            }
        }
    }

    /// Lists the contacts of each slot.
    fn list<D: Dim, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        &mut self,
        scene: &TrainScene<'_, D, N, A, P, T, K>,
    ) {
        let count = scene.props.len();
        room::fit(&mut self.starts, count + 2, 0);
        self.starts.fill(0);
        let lanes = || {
            let rows = scene.ends.iter().zip(scene.rows).enumerate();
            rows.flat_map(|(at, (ends, row))| {
                (0..WIDTH).filter(move |&lane| row.points[0].mass.0[lane] > 0.0 && row.count > 0).flat_map(
                    move |lane| {
                        let slots = ends.slots.map(|slots| slots[lane] as usize);
                        slots.into_iter().map(move |slot| (slot, (at as u32, lane as u8)))
                    },
                )
            })
            .filter(|&(slot, _)| slot < count)
        };
        lanes().for_each(|(slot, _)| self.starts[slot + 2] += 1);
        (2..self.starts.len()).for_each(|i| self.starts[i] += self.starts[i - 1]);
        let total = self.starts[count + 1] as usize;
        room::fit(&mut self.touches, total, (NO_CONTACT, 0));
        for (slot, touch) in lanes() {
            let next = &mut self.starts[slot + 1];
            self.touches[*next as usize] = touch;
            *next += 1;
        }
    }

    /// Finds the train that a blow strikes at the contact `first`: whether it is stopped at its end. None if there is none.
    fn couple<
        D: Dim,
        const N: usize,
        const A: usize,
        const P: usize,
        const T: usize,
        const K: usize,
        const S: usize,
    >(
        &mut self,
        scene: &TrainScene<'_, D, N, A, P, T, K>,
        bodies: &[Packed<S>],
        first: Touch,
        Blow { speed, late, is_hard }: Blow,
    ) -> Option<bool> {
        let reach = scene.reach + late;
        let train = &mut self.train;
        train.bodies.clear();
        train.links.clear();
        let n = scene.normal(first);
        let [a, b] = scene.slots(first);
        train.add_body::<D, N, A, S>(scene.props, bodies, a, Some(n.map(|x| -x)));
        train.add_body::<D, N, A, S>(scene.props, bodies, b, Some(n));
        self.chosen.clear();
        self.chosen.push(first);
        let (mut next, mut moving, mut is_stopped) = (0, 1, false);
        while next < train.bodies.len() {
            let Member { slot, way, .. } = train.bodies[next];
            next += 1;
            let Some(way) = way.filter(|_| scene.moves(slot)) else { continue };
            if scene.joined.has([slot; 2]) {
                return None;
            }
            let range = self.starts[slot as usize] as usize..self.starts[slot as usize + 1] as usize;
            for &touch in &self.touches[range] {
                if touch == first || scene.gap(touch) >= speed * reach {
                    continue;
                }
                let slots = scene.slots(touch);
                let side = usize::from(slots[0] == slot);
                let sign = if side == 1 { 1.0 } else { -1.0 };
                let out = scene.normal(touch).map(|x| sign * x);
                let (other, is_along) = (slots[side], cosine(&out, &way) > ALONG);
                let is_new = !train.bodies.iter().any(|member| member.slot == other && member.way.is_some());
                match (scene.moves(other), is_along) {
                    (false, true) if !(is_hard && scene.is_central(touch)) => return None,
                    (true, false) if is_new => continue,
                    _ if self.chosen.len() == MOST_LINKS => return None,
                    (true, true) if is_new => {
                        train.add_body::<D, N, A, S>(scene.props, bodies, other, Some(out));
                        moving += 1;
                    }
                    (false, _) => {
                        train.add_body::<D, N, A, S>(scene.props, bodies, other, None);
                        is_stopped |= is_along && scene.moves(a) && scene.moves(b);
                    }
                    _ => {}
                }
                if !self.chosen.contains(&touch) {
                    self.chosen.push(touch);
                }
            }
        }
        let is_pair = self.chosen.len() == 1 && scene.is_pair(first, bodies);
        let is_train = moving > 1 || is_pair || is_stopped;
        if is_train {
            self.chosen.iter().for_each(|&touch| train.add_link(scene, touch, reach));
        }
        is_train.then_some(is_stopped)
    }
}
