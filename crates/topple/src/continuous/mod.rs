//! Continuous collision: bodies that are fast for their size do not pass through what is in their way. Between the solver
//! and `finalize`, on the motion that the solver found.
//!
//! In: the places at the start of the step and the motion in it. Out: bodies that are stopped early keep their velocity, gravity's share in what is missing apart, but
//! lose the rest of their motion in this step; the contact follows in the next one.
//!
//! - Every dynamic body that moves by more than a quarter of its inner radius is swept against static bodies, and every one that is deep in one, however slow.
//! - Bullets are swept against everything, each other included (`bullets/`).
//! - What holds to a stopped body by joints waits with it (`joined.rs`).
//! - All others cost one comparison.
//!
//! The guarantee: no body gets through a static shape, nor a bullet through any shape, be it without thickness. It is stopped before it is deeper than
//! three quarters of its inner radius; what is that deep and slow by then is left to its contacts. Rotation is included. See
//! `impact.rs` for when a body is stopped, `sweep.rs` for how the moment is found.

mod bullets;
mod floor;
mod front;
mod impact;
mod joined;
mod parts;
mod sweep;

pub use sweep::{Impact, Sweep, time_of_impact};

use crate::Settings;
use crate::body::{AwakeBodies, Bodies, NO_SLOT};
use crate::broad_phase::{BroadPhase, Proxies, ProxyKind};
use crate::exec::Executor;
use crate::joint::Joints;
use crate::math::*;
use crate::shape::{ShapeOps, ShapeRecord};
use crate::store::Slots;
use crate::trusted::{Each, extend_in_pieces, in_pieces};
use impact::{Margins, Stop};
use parts::stop_shapes;

/// A body is fast if its surface moves by more than this share of its inner radius in a step (no unit). Slower ones cannot
/// get their middle to the other side of anything before a contact pushes them back.
const FAST: Real = 0.25;

/// What is deeper than this share of its inner radius (no unit) in something that cannot be pushed is looked at however slow it is: a contact that gives way by little in every step, or has to
/// bear much, does not hold it. What is less deep and not fast cannot get deeper than it may in a step.
pub(crate) const WATCHED: Real = 0.5;

/// Inner radius of shapes that enclose nothing, segments say, as a share of their size (no unit), where they have no skin either, be it that slops are 0.
const THIN: Real = 0.05;

/// The angle of a turn may exceed the length of the sum of the turns of its sub-steps, which are small, by a little (no unit).
const DETOUR: Real = 1.25;

/// Radius of the ball that a body stays in, as a share of its extent (no unit): what rounding may add.
const BALL: Real = 1.0001;

/// Bodies per block when fast ones are looked for, fast bodies per block when they are listed, and when they are swept. Constants: the cut must
/// not depend on the number of threads.
const BLOCK: usize = 256;
const MADE_BLOCK: usize = 64;
const FAST_BLOCK: usize = 8;

/// What the stage sees of the world.
pub(crate) struct Scene<'a, D: Dim> {
    pub settings: &'a Settings<D>,
    pub bodies: &'a Bodies<D>,
    pub shapes: &'a Slots<ShapeRecord<D>>,
    pub joints: &'a Joints<D>,
    pub proxies: &'a Proxies<D>,
    pub broad_phase: &'a dyn BroadPhase<D>,
    pub executor: &'a dyn Executor,
    /// There are kinematic bodies that do not move.
    pub has_still_kinematic: bool,
    /// Bodies that are deep in something that cannot be pushed, deeper than [`WATCHED`], in any order.
    pub deep: &'a [u32],
    /// True if two shapes, given by index, collide as far as kinds, filters, joints and hooks are concerned.
    pub may_touch: &'a (dyn Fn(u32, u32) -> bool + Sync),
}

/// A body that is swept.
#[derive(Clone, Copy, Debug)]
struct FastBody<D: Dim> {
    slot: u32,
    body: u32,
    /// Moves far for its size, or is deep in something; slow bullets are listed too.
    is_fast: bool,
    /// Dynamic: can be stopped.
    is_stoppable: bool,
    is_bullet: bool,
    /// Goes its way whatever it meets: kinematic, or taken along by such a one.
    is_driven: bool,
    /// Stays where it is for the rest of the step, whatever meets it.
    is_pinned: bool,
    /// Its motion is not what the solver found.
    is_changed: bool,
    /// What stopped it was within reach of a contact from the start.
    is_touching: bool,
    /// How long it waits because something that it is joined to, or itself, met something in its way; in steps (no unit).
    waiting: Real,
    /// Acceleration of the centre of mass of all that wait together [m/s²].
    common: D::Vec,
    /// How far its surface moves at most [m].
    way: Real,
    /// Inner radius of its thinnest shape [m].
    thickness: Real,
    /// What it turned by in the step, less what the sweep says of it [rad]. A sweep that was changed on the way is true from then on only.
    turned: D::Ang,
    /// Its motion, once [`FastBody::find_sweep`] was called.
    sweep: Sweep<D>,
    has_sweep: bool,
    /// Box of the ball about its centre that it stays in however it turns, on the way: holds its bounds.
    ball: Aabb<D>,
    /// Bounds of all its shapes on the way, once [`FastBody::find_bounds`] was called.
    bounds: Aabb<D>,
    has_bounds: bool,
}

impl<D: Dim> FastBody<D> {
    /// The body in an awake slot, without its sweep and tight bounds.
    #[inline(always)]
    fn new(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, slot: u32) -> Self {
        let props = &awake.props[slot as usize];
        let way = way_of(awake, slot as usize);
        let place = scene.bodies.places[props.body as usize];
        let end = end_of(awake, slot).position;
        let reach = D::Vec::splat(BALL * props.extent);
        Self {
            slot,
            body: props.body,
            is_fast: way > FAST * props.thickness,
            is_stoppable: props.is_dynamic,
            is_bullet: props.is_bullet && props.is_dynamic,
            is_driven: !props.is_dynamic,
            is_pinned: false,
            is_changed: false,
            is_touching: false,
            waiting: 0.0,
            common: D::Vec::ZERO,
            way,
            thickness: props.thickness,
            turned: D::Ang::ZERO,
            sweep: Sweep::still(place),
            has_sweep: false,
            ball: Aabb {
                min: PointOps::min(place.position, end) - reach,
                max: PointOps::max(place.position, end) + reach,
            },
            bounds: Aabb::nothing(),
            has_bounds: false,
        }
    }

    /// Finds its sweep, if it was not needed before.
    fn find_sweep(&mut self, scene: &Scene<'_, D>, awake: &AwakeBodies<D>) {
        if !self.has_sweep {
            self.has_sweep = true;
            self.sweep = sweep_of(scene, awake, self.slot);
        }
    }

    /// Finds its bounds, if they were not needed before. On the way that the solver found.
    fn find_bounds(&mut self, scene: &Scene<'_, D>, awake: &AwakeBodies<D>) {
        if !self.has_bounds {
            self.has_bounds = true;
            self.bounds = bounds_of(scene, awake, self);
        }
    }

    /// What it turns by up to time `t`, in steps [rad].
    fn turned_at(&self, t: Real) -> D::Ang {
        let first = t.min(self.sweep.stop);
        self.turned + self.sweep.turn * first + self.sweep.turn_after * (t - first)
    }

    /// Stays where it is at time `t`, in steps, for the rest of the step. `common`: acceleration of all that do [m/s²].
    fn wait_from(&mut self, t: Real, common: D::Vec) {
        (self.waiting, self.common) = (1.0 - t, common);
        if t > self.sweep.stop {
            self.redirect(t, D::Vec::ZERO, D::Ang::ZERO);
        } else {
            let sweep = &mut self.sweep;
            (sweep.stop, sweep.translation_after, sweep.turn_after) = (t, D::Vec::ZERO, D::Ang::ZERO);
            self.is_changed |= t < 1.0;
        }
    }

    /// Moves at other rates from time `t` on: way [m] and rotation [rad] per step. Its sweep is true for later times only.
    fn redirect(&mut self, t: Real, translation: D::Vec, turn: D::Ang) {
        self.redirect_about(t, translation, turn, D::Vec::ZERO);
    }

    /// The same about a point from which it is `arm` [m] away.
    fn redirect_about(&mut self, t: Real, translation: D::Vec, turn: D::Ang, arm: D::Vec) {
        self.turned = self.turned_at(t) - turn * t;
        self.sweep = Sweep::carried(self.sweep.at(t), translation, turn, arm, t);
        self.is_changed = true;
    }
}

/// What a block of bodies reports.
struct BlockResult {
    /// Slots of fast bodies and of bullets.
    fast: Vec<u32>,
    others: Others,
}

/// What is known of the bodies that are not listed as fast or as bullets.
#[derive(Clone, Copy, Debug)]
struct Others {
    /// The largest way of those that are awake [m].
    way: Real,
    /// The least inner radius, be it of a sleeping one [m]. At most that: a bound.
    thinnest: Real,
}

impl Others {
    const NONE: Self = Self { way: 0.0, thinnest: Real::INFINITY };

    fn and(self, other: Self) -> Self {
        Self { way: self.way.max(other.way), thinnest: self.thinnest.min(other.thinnest) }
    }
}

/// Buffers that live from step to step.
pub(crate) struct Scratch<D: Dim> {
    blocks: Vec<BlockResult>,
    /// Slots of all that are looked at, and of those that are deep in something, in order.
    slots: Vec<u32>,
    deep: Vec<u32>,
    fast: Vec<FastBody<D>>,
    joined: joined::Scratch,
    bullets: bullets::Scratch<D>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            slots: Vec::new(),
            deep: Vec::new(),
            fast: Vec::new(),
            joined: joined::Scratch::default(),
            bullets: bullets::Scratch::default(),
        }
    }
}

/// How much there was to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub fast: u32,
    pub stopped: u32,
}

/// Inner radius of a shape for the question how far it may move unwatched [m]; infinite for planes.
pub(crate) fn thickness<D: Dim>(shape: &ShapeRecord<D>, settings: &Settings<D>) -> Real {
    let skin = shape.skin(settings);
    match (shape.size.is_finite(), skin > 0.0) {
        (true, _) => shape.size,
        (_, true) => skin,
        _ => THIN * shape.shape.farthest_from(D::Vec::ZERO),
    }
}

/// Shortens the motion of bodies that would get through something.
pub(crate) fn stop_fast_bodies<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &mut AwakeBodies<D>,
    scratch: &mut Scratch<D>,
) -> Counts {
    let others = find_fast(scene, awake, scratch);
    let Scratch { slots, deep, fast, joined, bullets, .. } = scratch;
    fast.clear();
    if slots.is_empty() {
        return Counts::default();
    }
    let bodies = &*awake;
    let make = |i: usize| FastBody::new(scene, bodies, slots[i]);
    extend_in_pieces(scene.executor, MADE_BLOCK, fast, slots.len(), make, |_| {});
    for slot in deep {
        if let Ok(at) = slots.binary_search(slot) {
            fast[at].is_fast = true;
        }
    }
    let has_bullets = bullets::are_any_at_risk(fast, others);
    in_pieces(scene.executor, FAST_BLOCK, &mut *fast, |_, fast| {
        for body in fast {
            let moves_far = body.is_fast || bullets::is_pressed(body);
            // PERF: most have nothing in their way, and a sweep costs more than the look.
            if moves_far && body.is_stoppable && has_static_in_way(scene, bodies, body) {
                body.find_sweep(scene, bodies);
                stop_at_statics(scene, bodies, body);
            }
        }
    });
    let mut counts = Counts { fast: fast.len() as u32, stopped: 0 };
    joined::hold_joined(scene, awake, fast, joined);
    if has_bullets {
        bullets::stop_bullets(scene, awake, fast, others, bullets);
    }
    for body in fast.iter().filter(|body| body.is_changed) {
        counts.stopped += 1;
        let (slot, end) = (body.slot as usize, body.sweep.at(1.0));
        // The velocity is that at the end of a way of which a part is missing: what gravity gave or took on that part is
        // undone, or balls would bounce higher and higher, and what is stopped again and again would get faster on the spot. What
        // leans on something turned gravity's work into spin as well.
        let missing = awake.center(slot) - end.position;
        let (state, props) = (&mut awake.states[slot], &awake.props[slot]);
        let gained = 2.0 * props.acceleration.dot(missing);
        if body.waiting > 0.0 {
            // All of a tree of joints are at an earlier moment: they lose the same, or they would part, whichever of them bears the others.
            state.v -= body.common * (body.waiting * scene.settings.dt);
        } else if body.is_touching {
            let w = awake.rotations[slot].inverse().rotate_ang(state.w);
            let square = state.v.length_squared() + props.inv_mass * w.dot(props.inertia.apply(w));
            if square > 0.0 {
                let factor = (1.0 - gained / square).max(0.0).sqrt();
                state.v = state.v * factor;
                state.w = state.w * factor;
            }
        } else {
            state.v = without_work::<D>(state.v, props.acceleration, gained);
        }
        if awake.props[slot].is_gyroscopic {
            // The spin belongs to the orientation at the end of the step. In the frame of the body it stays, or long and flat bodies
            // would gain energy by it.
            let back = end.rotation.then_after(awake.rotations[slot].inverse());
            state.w = back.rotate_ang(state.w);
        }
        state.dp = end.position - awake.centers[slot];
        state.dr = body.turned_at(1.0);
        awake.rotations[slot] = end.rotation;
    }
    counts
}

/// Lists the slots of fast bodies, bullets, and bodies that are deep in something, in order. Returns what is known of all others.
fn find_fast<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, scratch: &mut Scratch<D>) -> Others {
    let count = awake.len();
    let pieces = count.div_ceil(BLOCK);
    if scratch.blocks.len() < pieces {
        scratch.blocks.resize_with(pieces, || BlockResult { fast: Vec::new(), others: Others::NONE });
    }
    in_pieces(scene.executor, BLOCK, Each::of(&mut scratch.blocks[..pieces]), |piece, result| {
        result.fast.clear();
        result.others = Others::NONE;
        for slot in piece * BLOCK..count.min((piece + 1) * BLOCK) {
            let props = &awake.props[slot];
            let way = way_of(awake, slot);
            if way > FAST * props.thickness || props.is_bullet {
                // A state that is not finite is for `finalize` to deal with.
                if end_of(awake, slot as u32).is_valid() {
                    result.fast.push(slot as u32);
                }
            } else {
                result.others = result.others.and(Others { way, thinnest: props.thickness });
            }
        }
    });
    scratch.slots.clear();
    let mut others = Others { way: 0.0, thinnest: scene.bodies.thinnest_asleep() };
    for block in &scratch.blocks[..pieces] {
        others = others.and(block.others);
        scratch.slots.extend_from_slice(&block.fast);
    }
    add_deep(scene, awake, &mut scratch.slots, &mut scratch.deep);
    others
}

/// Adds the bodies that are deep in something to the list of slots, which stays in order, and lists them by themselves.
fn add_deep<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, slots: &mut Vec<u32>, deep: &mut Vec<u32>) {
    deep.clear();
    deep.extend(scene.deep.iter().map(|&body| awake.slot(body)).filter(|&slot| {
        slot != NO_SLOT && awake.props[slot as usize].is_dynamic && end_of(awake, slot).is_valid()
    }));
    if deep.is_empty() {
        return;
    }
    deep.sort_unstable();
    deep.dedup();
    slots.extend_from_slice(deep);
    slots.sort_unstable();
    slots.dedup();
}

/// How far the surface of the body in a slot moves at most [m].
#[inline]
fn way_of<D: Dim>(awake: &AwakeBodies<D>, slot: usize) -> Real {
    let state = &awake.states[slot];
    let way = state.dp.length();
    // Planes have no end: only the product with a real angle means something.
    if state.dr == D::Ang::ZERO { way } else { way + state.dr.length() * awake.props[slot].extent }
}

/// Motion of the body in an awake slot.
fn sweep_of<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, slot: u32) -> Sweep<D> {
    let at = slot as usize;
    let start = scene.bodies.places[awake.props[at].body as usize];
    Sweep::between(start, end_of(awake, slot), awake.states[at].dr)
}

/// Where the motion of the body in an awake slot leads.
fn end_of<D: Dim>(awake: &AwakeBodies<D>, slot: u32) -> Pose<D> {
    Pose { position: awake.center(slot as usize), rotation: awake.rotations[slot as usize] }
}

/// Bounds of a shape on the way from time `from` on (in steps, no unit), rotation included.
fn swept_bounds<D: Dim>(shape: &ShapeRecord<D>, sweep: &Sweep<D>, extent: Real, from: Real) -> Aabb<D> {
    let at = |t: Real| shape.shape.aabb(&sweep.at(t).compose(shape.from_center));
    let mut bounds = at(from).union(&at(1.0));
    if sweep.stop < 1.0 {
        bounds = bounds.union(&at(sweep.stop));
    }
    let angle = sweep.turn.length().max(sweep.turn_after.length());
    bounds.grown(bulge(extent + sweep.arm.length(), angle))
}

/// How far points that go on arcs get from straight lines at most: an eighth of radius times angle squared [m].
fn bulge(extent: Real, angle: Real) -> Real {
    // Planes have no end: only the product with a real angle means something.
    if angle > 0.0 { (extent * angle * angle / 8.0).min(2.0 * extent) } else { 0.0 }
}

/// Bounds of all shapes of a body on the way.
fn bounds_of<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, body: &FastBody<D>) -> Aabb<D> {
    let ends = [scene.bodies.places[body.body as usize], end_of(awake, body.slot)];
    let shapes = scene.bodies.records[body.body].shapes.iter().map(|&shape| &scene.shapes[shape]);
    let bounds = shapes.filter(|shape| !shape.is_sensor).fold(Aabb::nothing(), |bounds, shape| {
        let at = |end: &Pose<D>| shape.shape.aabb(&end.compose(shape.from_center));
        bounds.union(&at(&ends[0])).union(&at(&ends[1]))
    });
    let extent = scene.bodies.cores[body.body as usize].extent;
    bounds.grown(bulge(extent, DETOUR * awake.states[body.slot as usize].dr.length()))
}

/// True if there is something that stands in the way of a body, as far as boxes tell.
fn has_static_in_way<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, body: &FastBody<D>) -> bool {
    let mut found = false;
    query_standing(scene, &body.ball, &mut |other| {
        found = stands(scene, awake, other);
        !found
    });
    found
}

/// Calls `visit` for everything that stands and overlaps `bounds`, and maybe for others.
fn query_standing<D: Dim>(scene: &Scene<'_, D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
    // PERF: static bodies alone are found faster.
    if scene.has_still_kinematic {
        scene.broad_phase.query(scene.proxies, bounds, visit);
    } else {
        scene.broad_phase.query_static(scene.proxies, bounds, visit);
    }
}

/// True if a proxy is something that a body can be stopped by for good.
fn stands<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, proxy: u32) -> bool {
    let proxy = scene.proxies.get(proxy);
    let is_still = proxy.kind == ProxyKind::Static
        || proxy.kind == ProxyKind::Kinematic && awake.slot(proxy.body) == NO_SLOT;
    is_still && !proxy.is_sensor
}

/// Distances of a pair of which the thinner one that counts has inner radius `size` [m]; see [`Margins`].
fn margins<D: Dim>(scene: &Scene<'_, D>, size: Real, sweep: &Sweep<D>) -> Margins {
    let place = sweep.start.position.to_vec().length() + sweep.translation.length();
    Margins::new(scene.settings, size, place)
}

/// Shortens the motion of a fast body that would get into static ones.
fn stop_at_statics<D: Dim>(scene: &Scene<'_, D>, awake: &AwakeBodies<D>, body: &mut FastBody<D>) {
    let Some((mut stop, shapes)) = first_static(scene, awake, body, 0.0) else { return };
    let straight = body.sweep;
    // What hangs on a joint turns about that: rows of small dominoes on hinges fell 2 % slower when looked at this way.
    let is_free = !awake.props[body.slot as usize].is_joined;
    if let Some(normal) = stop.slide
        && is_free
        && let Some(about) = about_touch(scene, body, shapes[0], normal)
    {
        body.sweep = about;
        match first_static(scene, awake, body, 0.0) {
            None => return,
            Some((later, _)) if later.t > stop.t => stop = later,
            Some(_) => body.sweep = straight,
        }
    }
    body.is_changed = stop.t < 1.0;
    let sweep = &mut body.sweep;
    sweep.stop = stop.t;
    let Some(normal) = stop.slide else { return };
    body.is_touching = true;
    // The rest of the way without turning, and without what goes deeper; not at all if that leads into something else.
    let way = straight.translation;
    sweep.translation_after = way - normal * way.dot(normal).max(0.0);
    if first_static(scene, awake, body, stop.t).is_some() {
        body.sweep.translation_after = D::Vec::ZERO;
    }
}

/// The motion of a body that turns, as one about the point with which its shape of the given index touches something in the direction `normal`. Only both ends of the motion are known.
/// What swings about a corner that the solver holds on a floor goes on an arc: on a straight way with the same ends the corner dips into the floor.
fn about_touch<D: Dim>(
    scene: &Scene<'_, D>,
    body: &FastBody<D>,
    shape: u32,
    normal: D::Vec,
) -> Option<Sweep<D>> {
    let Sweep { start, translation, turn, .. } = body.sweep;
    if turn == D::Ang::ZERO {
        return None;
    }
    let shape = &scene.shapes[shape];
    let pose = start.compose(shape.from_center);
    let local = pose.rotation.rotate_inv(normal);
    let touch = pose.transform(shape.shape.support(local)?) + normal * shape.shape.rounding();
    let arm = start.position - touch;
    let way = translation + arm - D::Rot::from_ang(turn).rotate(arm);
    Some(Sweep { arm, ..Sweep::moving(start, way, turn) })
}

/// Where a body has to stop first before static ones, from time `from` on, and for which shapes.
fn first_static<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    body: &FastBody<D>,
    from: Real,
) -> Option<(Stop<D>, [u32; 2])> {
    let mut first: Option<(Stop<D>, [u32; 2])> = None;
    let extent = scene.bodies.cores[body.body as usize].extent;
    for &index in &scene.bodies.records[body.body].shapes {
        let shape = &scene.shapes[index];
        if shape.is_sensor {
            continue;
        }
        let bounds = swept_bounds(shape, &body.sweep, extent, from);
        query_standing(scene, &bounds, &mut |other| {
            if stands(scene, awake, other) && (scene.may_touch)(index, other) {
                let target = &scene.shapes[other];
                let still = Sweep::still(scene.bodies.places[target.body as usize]);
                // As in contacts: the thickness of what cannot be pushed does not count.
                let size = thickness::<D>(shape, scene.settings);
                let margins = margins(scene, size, &body.sweep).with_skin(shape.skin(scene.settings));
                // The whole time for each: one that gets deep late may be met early.
                let stop = stop_shapes([shape, target], [&body.sweep, &still], margins, [from, 1.0]);
                let on_floor = stop
                    .and_then(|_| floor::stop_at_floor(scene, awake, body, [index, other], margins, from));
                if let Some(stop) = on_floor.unwrap_or(stop) {
                    // DETERMINISM: of equal ones the lower shapes, whatever the order of the visits.
                    let shapes = [index, other];
                    if first.is_none_or(|(old, others)| (stop.t, shapes) < (old.t, others)) {
                        first = Some((stop, shapes));
                    }
                }
            }
            true
        });
    }
    first
}

/// The velocity `v` without what `acceleration` did to its square, `gained` [m²/s²]: along the acceleration, as far as there is speed that way. What flies
/// aside keeps that, or it would turn into height from bounce to bounce.
fn without_work<D: Dim>(v: D::Vec, acceleration: D::Vec, gained: Real) -> D::Vec {
    let down = acceleration.normalize_or(D::Vec::ZERO);
    let along = v.dot(down);
    let aside = v - down * along;
    let (left, square) = (along * along - gained, aside.length_squared());
    if left >= 0.0 {
        let speed = left.sqrt();
        aside + down * if along < 0.0 { -speed } else { speed }
    } else if square > 0.0 {
        aside * (1.0 + left / square).max(0.0).sqrt()
    } else {
        D::Vec::ZERO
    }
}
