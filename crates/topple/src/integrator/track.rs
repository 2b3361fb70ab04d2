//! What the schemes beyond Euler carry from call to call, and from step to step.
//!
//! A scheme decides the whole free motion of a sub-step in `integrate_velocities`: the velocities at its end, which the
//! constraints then work on, and the place at its end. `integrate_positions` asks whether anything has pushed the body since:
//! if not, it goes to that place; if so, it moves with the velocity that the constraints left it, x += h·v. So a body in free
//! flight has the full order of the scheme, and a body in contact moves as under `semi-implicit-euler`.
//!
//! Places and velocities are f32 in the world. So that a million steps do not add up a million roundings, a tracker remembers
//! what was rounded off, together with the rounded values; it counts only if those are still exactly there.

use super::flight::{Flight, Frame, Push, narrow_ang, narrow_rot, turned, wide_ang, wide_rot};
use super::matrix;
use crate::body::{AwakeBodies, BodyBlock, BodyProps, BodyState};
use crate::distance::Wide;
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// The motion of a body in double precision during a solve. Made and read by the integrators.
#[derive(Clone, Copy, Debug)]
pub struct Track<D: Dim> {
    pub(super) frame: Frame,
    pub(super) now: Flight,
    /// Where the scheme wants to be at the end of the sub-step.
    pub(super) next: Flight,
    /// A state to evaluate forces at.
    pub(super) stage: Flight,
    /// Forces there.
    pub(super) push: Push,
    /// Sums of schemes with several stages: of velocities, turns, accelerations, rates of turning.
    pub(super) sums: Sums,
    /// What was last written to the state and the orientation.
    sent: BodyState<D>,
    sent_rotation: D::Rot,
}

/// Weighted sums over the stages of a scheme.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub v: Wide,
    pub q: [f64; 4],
    pub a: Wide,
    pub rate: Wide,
}

impl<D: Dim> Track<D> {
    /// Takes over whatever has changed since the last call.
    fn listen(&mut self, state: &BodyState<D>, rotation: D::Rot) {
        if state.v != self.sent.v {
            self.now.v = Wide::of(state.v);
        }
        if state.w != self.sent.w {
            self.now.w = wide_ang::<D>(state.w);
        }
        if state.dp != self.sent.dp {
            self.now.p = Wide::of(state.dp);
        }
        if rotation != self.sent_rotation {
            self.now.q = wide_rot::<D>(rotation);
        }
        (self.sent, self.sent_rotation) = (*state, rotation);
    }

    /// Writes velocities out.
    fn send_velocity(&mut self, state: &mut BodyState<D>) {
        (state.v, state.w) = (self.next.v.narrow(), narrow_ang::<D>(self.next.w));
        self.sent = *state;
    }
}

/// Takes over the states of a block before a scheme looks at them.
pub(super) fn listen<D: Dim>(block: &mut BodyBlock<'_, D>) {
    let states = block.states.iter().zip(block.rotations.iter());
    for (track, (state, &rotation)) in block.tracks.iter_mut().zip(states) {
        track.listen(state, rotation);
        (track.next, track.stage, track.push) = (track.now, track.now, Push::default());
    }
}

/// Asks the generators, if there are any, for the forces at the stages of all tracks, `ahead` [s] into the sub-step.
pub(super) fn feel<D: Dim>(
    block: &mut BodyBlock<'_, D>,
    forces: &mut Option<&mut Forces<'_, D>>,
    ahead: f64,
) {
    let Some(forces) = forces else { return };
    let (mut states, mut rotations) = forces.take_room();
    states.clear();
    rotations.clear();
    for track in block.tracks.iter() {
        let stage = &track.stage;
        let (v, w) = (stage.v.narrow(), narrow_ang::<D>(stage.w));
        states.push(BodyState { v, w, dp: stage.p.narrow(), ..BodyState::default() });
        rotations.push(narrow_rot::<D>(stage.q));
    }
    forces.evaluate(&states, &rotations, ahead as Real);
    for (track, props) in block.tracks.iter_mut().zip(block.props) {
        track.push = Push {
            force: Wide::of(forces.force(props.body)),
            torque: wide_ang::<D>(forces.torque(props.body)),
        };
    }
    forces.give_room(states, rotations);
}

/// Limits the speeds of the end of the sub-step and writes velocities out.
pub(super) fn send<D: Dim>(block: &mut BodyBlock<'_, D>, h: Real) {
    let max_speed = f64::from(block.settings.max_speed);
    let bodies = block.tracks.iter_mut().zip(block.states.iter_mut()).zip(block.props);
    for ((track, state), props) in bodies.filter(|(_, props)| props.is_dynamic) {
        if block.settings.matrix_rotation {
            // Whatever turn the scheme found for the sub-step, as a matrix; the angular momentum at its end stays.
            let turning = track.frame.turning(track.next.q, track.next.w);
            let turn = matrix::turn_between(track.now.q, track.next.q);
            track.next.q = matrix::turned(track.now.q, turn);
            track.next.w = track.frame.spin(track.next.q, turning);
        }
        let (speed, spin) = (track.next.v.length(), track.next.w.length());
        if speed > max_speed {
            track.next.v = track.next.v * (max_speed / speed);
        }
        let max_spin = f64::from(props.max_spin(block.settings) / h);
        if spin > max_spin {
            track.next.w = track.next.w * (max_spin / spin);
        }
        track.send_velocity(state);
        debug_assert!(props.is_dynamic);
    }
}

/// The second half of a sub-step, the same for all schemes: bodies that nothing pushed go where the scheme wants them.
pub(super) fn integrate_positions<D: Dim>(block: &mut BodyBlock<'_, D>, h: Real) {
    let states = block.states.iter_mut().zip(block.rotations.iter_mut());
    let step = f64::from(h);
    for ((track, (state, rotation)), props) in block.tracks.iter_mut().zip(states).zip(block.props) {
        let is_pushed = state.v != track.sent.v || state.w != track.sent.w;
        let is_moved = state.dp != track.sent.dp || *rotation != track.sent_rotation;
        state.dr += state.w * h;
        if is_pushed || is_moved || !props.is_dynamic {
            track.listen(state, *rotation);
            track.now.p = track.now.p + track.now.v * step;
            let turn = track.now.w * step;
            track.now.q = if block.settings.matrix_rotation {
                matrix::turned(track.now.q, turn)
            } else {
                turned(track.now.q, turn)
            };
        } else {
            track.now = track.next;
        }
        state.dp = track.now.p.narrow();
        *rotation = narrow_rot::<D>(track.now.q);
        (track.sent, track.sent_rotation) = (*state, *rotation);
    }
}

/// What was rounded off at the end of a step.
#[derive(Clone, Copy, Debug)]
struct Memory<D: Dim> {
    body: u32,
    /// The rounded values.
    place: Pose<D>,
    v: D::Vec,
    w: D::Ang,
    /// The exact ones; the place relative to the rounded one.
    exact: Flight,
}

/// Remembers the exact motion of the awake bodies from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker<D: Dim> {
    /// In order of body.
    memories: Vec<Memory<D>>,
}

impl<D: Dim> Tracker<D> {
    /// Makes the tracks of a step.
    pub(super) fn begin(&self, bodies: &mut AwakeBodies<D>, settings: &Settings<D>) {
        bodies.tracks.clear();
        for slot in 0..bodies.len() {
            let (state, rotation, props) = (bodies.states[slot], bodies.rotations[slot], &bodies.props[slot]);
            let place = Pose { position: bodies.centers[slot], rotation };
            let memory = self.memories.binary_search_by_key(&props.body, |memory| memory.body).ok();
            let memory = memory.map(|i| &self.memories[i]);
            let known = memory.filter(|m| m.place == place && m.v == state.v && m.w == state.w);
            let plain = || Flight {
                p: Wide::ZERO,
                q: wide_rot::<D>(rotation),
                v: Wide::of(state.v),
                w: wide_ang::<D>(state.w),
            };
            let now = known.map_or_else(plain, |memory| memory.exact);
            bodies.tracks.push(Track {
                frame: Frame::of::<D>(props, rotation, settings),
                now,
                next: now,
                stage: now,
                push: Push::default(),
                sums: Sums::default(),
                sent: state,
                sent_rotation: rotation,
            });
        }
    }

    /// Remembers what the world is about to round off.
    pub(super) fn end(&mut self, bodies: &mut AwakeBodies<D>) {
        self.memories.clear();
        for slot in 0..bodies.tracks.len() {
            let (state, rotation) = (bodies.states[slot], bodies.rotations[slot]);
            let position = bodies.center(slot);
            let track = &mut bodies.tracks[slot];
            track.listen(&state, rotation);
            let mut exact = track.now;
            let moved = Wide::of(position.to_vec()) - Wide::of(bodies.centers[slot].to_vec());
            exact.p = exact.p - moved;
            if is_sound(&exact) {
                let place = Pose { position, rotation };
                let body = bodies.props[slot].body;
                self.memories.push(Memory { body, place, v: state.v, w: state.w, exact });
            }
        }
        self.memories.sort_unstable_by_key(|memory| memory.body);
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.memories.len() as u32);
        for memory in &self.memories {
            out.var(memory.body);
            out.put(&memory.place);
            out.put(&memory.v);
            out.put(&memory.w);
            let Flight { p, q, v, w } = memory.exact;
            let parts = [p.x, p.y, p.z, q[0], q[1], q[2], q[3], v.x, v.y, v.z, w.x, w.y, w.z];
            parts.iter().for_each(|x| out.u64(x.to_bits()));
        }
    }

    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        self.memories.clear();
        for _ in 0..input.length(13 * 8)? {
            let body = input.var()?;
            let (place, v, w) = (input.get()?, input.get()?, input.get()?);
            let mut parts = [0.0; 13];
            for part in &mut parts {
                *part = f64::from_bits(input.u64()?);
            }
            let at = |i: usize| Wide::new(parts[i], parts[i + 1], parts[i + 2]);
            let q = [parts[3], parts[4], parts[5], parts[6]];
            let exact = Flight { p: at(0), q, v: at(7), w: at(10) };
            let in_order = self.memories.last().is_none_or(|last| last.body < body);
            if !is_sound(&exact) || !in_order {
                return Err(input.damaged("motion that an integrator remembers"));
            }
            self.memories.push(Memory { body, place, v, w, exact });
        }
        Ok(())
    }
}

/// True if a motion is worth remembering: numbers, and an orientation.
fn is_sound(flight: &Flight) -> bool {
    let length = flight.q.iter().map(|x| x * x).sum::<f64>();
    flight.is_finite() && (length - 1.0).abs() <= f64::from(UNIT_TOLERANCE)
}

impl<D: Dim> Default for Track<D> {
    fn default() -> Self {
        Self {
            frame: Frame::of::<D>(&BodyProps::default(), D::Rot::IDENTITY, &Settings::default()),
            now: Flight::REST,
            next: Flight::REST,
            stage: Flight::REST,
            push: Push::default(),
            sums: Sums::default(),
            sent: BodyState::default(),
            sent_rotation: D::Rot::IDENTITY,
        }
    }
}

/// The parts of [`super::Integrator`] that all schemes with tracks have in common.
macro_rules! tracked {
    () => {
        fn integrate_velocities(&self, block: &mut BodyBlock<'_, D>, h: Real) {
            advance(block, None, h);
        }

        fn integrate_velocities_under(
            &self,
            block: &mut BodyBlock<'_, D>,
            forces: &mut Forces<'_, D>,
            h: Real,
        ) {
            advance(block, Some(forces), h);
        }

        fn integrate_positions(&self, block: &mut BodyBlock<'_, D>, h: Real) {
            track::integrate_positions(block, h);
        }

        fn begin_step(&mut self, bodies: &mut AwakeBodies<D>, settings: &Settings<D>) {
            self.tracker.begin(bodies, settings);
        }

        fn end_step(&mut self, bodies: &mut AwakeBodies<D>) {
            self.tracker.end(bodies);
        }

        fn save(&self, out: &mut Writer) {
            self.tracker.save(out);
        }

        fn load(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
            self.tracker.load(input)
        }
    };
}

pub(super) use tracked;
