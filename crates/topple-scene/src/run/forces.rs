//! Generators, until the engine has its own: evaluated once per step, constant over it.

use smol_str::SmolStr;
use topple::Real;

use super::Run;
use crate::lower::{self, Space};
use crate::model::geometry::{add, cross, dot, length, scale, sub};
use crate::model::{ForceKind, Target, Vec3};

/// What a generator does to a body: force [N], torque [N m], point of attack if not the centre.
#[derive(Clone, Copy, Default)]
struct Load {
    force: Vec3,
    torque: Vec3,
    at: Option<Vec3>,
}

/// A body as generators see it.
#[derive(Clone, Copy)]
struct State {
    mass: f64,
    centre: Vec3,
    velocity: Vec3,
    spin: Vec3,
}

impl<D: Space> Run<D> {
    pub(super) fn apply_forces(&mut self) {
        let forces = std::mem::take(&mut self.forces);
        for force in &forces {
            match &force.kind {
                ForceKind::Spring { .. } => self.spring(&force.kind),
                ForceKind::Attraction { strength, exponent, softening } => {
                    self.attraction(&force.on, *strength, *exponent, *softening);
                }
                kind => {
                    for index in self.find_all(&force.on) {
                        let Some(state) = self.state(index) else { continue };
                        let load = self.load(kind, index, &state);
                        self.apply(index, load);
                    }
                }
            }
        }
        self.forces = forces;
    }

    /// Moving, awake bodies only: a generator does not keep the world awake.
    fn state(&self, index: usize) -> Option<State> {
        let body = self.world.body(self.bodies[index].id).ok()?;
        (self.bodies[index].dynamic && body.is_awake()).then(|| State {
            mass: f64::from(body.mass()),
            centre: D::point_out(body.center()),
            velocity: D::vec_out(body.linear_velocity()),
            spin: D::ang_out(body.angular_velocity()),
        })
    }

    fn apply(&mut self, index: usize, load: Load) {
        let Ok(mut body) = self.world.body_mut(self.bodies[index].id) else { return };
        let (force, torque) = (D::vec(load.force), D::ang(load.torque));
        // Both are finite; a body that refuses them has become static.
        if lower::is_pushing::<D>(force) {
            let _ = match load.at {
                Some(at) => body.apply_force_at(force, D::point(at)),
                None => body.apply_force(force),
            };
        }
        if lower::is_turning::<D>(torque) {
            let _ = body.apply_torque(torque);
        }
    }

    fn load(&self, kind: &ForceKind, index: usize, body: &State) -> Load {
        let force = |force: Vec3| Load { force, ..Load::default() };
        match kind {
            ForceKind::Gravity { acceleration } => force(scale(*acceleration, body.mass)),
            ForceKind::Point { at, strength, softening } => {
                let away = sub(body.centre, *at);
                let distance = length(away).max(*softening).max(1e-9);
                force(scale(away, -strength * body.mass / (distance * distance * distance)))
            }
            ForceKind::Motor { torque, max_speed } => {
                let along = dot(body.spin, *torque) / length(*torque).max(1e-12);
                let idle = max_speed.is_some_and(|limit| along >= limit);
                Load { torque: if idle { [0.0; 3] } else { *torque }, ..Load::default() }
            }
            ForceKind::Thrust { force, at } => {
                let Ok(body) = self.world.body(self.bodies[index].id) else { return Load::default() };
                let point = body.to_world(D::vec(*at));
                let origin = body.to_world(D::vec([0.0; 3]));
                let tip = body.to_world(D::vec(*force));
                Load {
                    force: sub(D::point_out(tip), D::point_out(origin)),
                    at: Some(D::point_out(point)),
                    ..Load::default()
                }
            }
            ForceKind::Wind { velocity, drag, gusts, period } => {
                let phase = std::f64::consts::TAU * self.world.time() / period;
                let air = scale(*velocity, 1.0 + gusts * libm::sin(phase));
                force(scale(sub(air, body.velocity), *drag))
            }
            ForceKind::Drag { linear, quadratic, angular } => Load {
                force: scale(body.velocity, -(linear + quadratic * length(body.velocity))),
                torque: scale(body.spin, -angular),
                at: None,
            },
            ForceKind::Buoyancy { level, density, linear_drag, angular_drag, flow } => {
                self.buoyancy(index, body, [*level, *density, *linear_drag, *angular_drag], *flow)
            }
            ForceKind::Vortex { at, axis, radius, speed, pull, drag } => {
                let r = sub(body.centre, *at);
                let r = sub(r, scale(*axis, dot(r, *axis)));
                let distance = length(r);
                if distance > *radius || distance == 0.0 {
                    return Load::default();
                }
                let swirl = scale(cross(*axis, r), speed / radius);
                let follow = scale(sub(swirl, body.velocity), drag * body.mass);
                force(add(follow, scale(r, -pull * body.mass / distance)))
            }
            ForceKind::Spring { .. } | ForceKind::Attraction { .. } | ForceKind::Explosion { .. } => {
                Load::default()
            }
        }
    }

    /// Lift by the share of the body's height below the surface; exact for bodies of constant width.
    fn buoyancy(&self, index: usize, body: &State, water: [f64; 4], flow: Vec3) -> Load {
        let [level, density, linear_drag, angular_drag] = water;
        let Ok(view) = self.world.body(self.bodies[index].id) else { return Load::default() };
        let gravity = D::vec_out(self.world.settings().gravity);
        let (mut volume, mut low, mut high) = (0.0, f64::MAX, f64::MIN);
        for id in view.shapes() {
            let Ok(shape) = self.world.shape(id) else { continue };
            let bounds = shape.aabb();
            low = low.min(D::point_out(bounds.min)[1]);
            high = high.max(D::point_out(bounds.max)[1]);
            volume += f64::from(topple::shape::ShapeOps::mass(shape.geometry(), 1.0 as Real).mass);
        }
        let share = if high > low { ((level - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        let lift = scale(gravity, -density * volume * share);
        let slow = scale(sub(body.velocity, flow), -linear_drag * body.mass * share);
        let inertia = body.mass * (high - low) * (high - low) / 12.0;
        Load { force: add(lift, slow), torque: scale(body.spin, -angular_drag * inertia * share), at: None }
    }

    /// Places of both ends of all springs that are forces [m].
    #[must_use]
    pub fn springs(&self) -> Vec<[Vec3; 2]> {
        let ends = self.forces.iter().filter_map(|force| self.spring_ends(&force.kind));
        ends.map(|(_, _, places)| places).collect()
    }

    /// Bodies and places of the two ends of a spring. Anchors are given where the bodies started; they move with them.
    fn spring_ends(&self, kind: &ForceKind) -> Option<(usize, Option<usize>, [Vec3; 2])> {
        let ForceKind::Spring { a, b, at_a, at_b, .. } = kind else { return None };
        let find = |name: &SmolStr| self.names.get(name).copied().filter(|index| self.bodies[*index].exists);
        let place = |index: usize, at: &Option<Vec3>| {
            let info = &self.bodies[index];
            let body = self.world.body(info.id).ok()?;
            Some(match at {
                Some(at) => D::point_out(body.to_world(D::vec(info.frame.local(*at)))),
                None => D::point_out(body.center()),
            })
        };
        let a = find(a)?;
        let b = match b {
            Some(b) => Some(find(b)?),
            None => None,
        };
        let end = match b {
            Some(b) => place(b, at_b)?,
            None => at_b.unwrap_or([0.0; 3]),
        };
        Some((a, b, [place(a, at_a)?, end]))
    }

    fn spring(&mut self, kind: &ForceKind) {
        let Some((a, b, [place_a, place_b])) = self.spring_ends(kind) else { return };
        let ForceKind::Spring { at_a, at_b, length: rest, stiffness, damping, bungee, .. } = kind else {
            return;
        };
        let velocity = |index: usize, place: Vec3| {
            let body = self.world.body(self.bodies[index].id).ok();
            body.map_or([0.0; 3], |body| D::vec_out(body.velocity_at(D::point(place))))
        };
        let velocity_a = velocity(a, place_a);
        let velocity_b = b.map_or([0.0; 3], |b| velocity(b, place_b));
        let along = sub(place_b, place_a);
        let distance = length(along);
        let started = |index: usize, at: &Option<Vec3>| at.unwrap_or(self.bodies[index].start);
        let rest = rest.unwrap_or_else(|| {
            let end = b.map_or(place_b, |b| started(b, at_b));
            length(sub(end, started(a, at_a)))
        });
        if distance == 0.0 || (*bungee && distance <= rest) {
            return;
        }
        let unit = scale(along, 1.0 / distance);
        let pull = stiffness * (distance - rest) + damping * dot(sub(velocity_b, velocity_a), unit);
        self.apply(a, Load { force: scale(unit, pull), at: Some(place_a), ..Load::default() });
        if let Some(b) = b {
            self.apply(b, Load { force: scale(unit, -pull), at: Some(place_b), ..Load::default() });
        }
    }

    fn attraction(&mut self, on: &[Target], strength: f64, exponent: f64, softening: f64) {
        let indices = self.find_all(on);
        let states: Vec<_> = indices.iter().filter_map(|index| Some((*index, self.state(*index)?))).collect();
        let mut loads = vec![[0.0; 3]; states.len()];
        for i in 0..states.len() {
            for j in i + 1..states.len() {
                let along = sub(states[j].1.centre, states[i].1.centre);
                let distance = length(along).max(softening).max(1e-9);
                let force = scale(along, strength * libm::pow(distance, exponent) / distance);
                loads[i] = add(loads[i], force);
                loads[j] = sub(loads[j], force);
            }
        }
        for ((index, _), force) in states.iter().zip(loads) {
            self.apply(*index, Load { force, ..Load::default() });
        }
    }
}
