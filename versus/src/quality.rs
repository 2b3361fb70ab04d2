//! How right the motion was: figures computed from the poses an engine reports, the same code for all.

use crate::engine::{Dim, Kind, State};
use crate::overlap::{self, Item, Placed};
use crate::scenes::{Metric, Spec};
use glam::{Quat, Vec3};
use std::collections::{BTreeMap, HashSet};

/// Start and end of a run; `None` for bodies that were not created yet.
pub struct Run<'a, D: Dim> {
    /// The scene.
    pub spec: &'a Spec<D>,
    /// State of every body when it was created.
    pub start: &'a [Option<State<D>>],
    /// State of every body now.
    pub end: &'a [Option<State<D>>],
}

/// Stands for a figure that is infinite or no number.
const BLOWN_UP: f64 = 1e30;

/// How far a unit cube must come down to count as fallen [m]: more than any stack is squeezed.
const FALLEN_BELOW: f32 = 1.5;

impl<D: Dim> Run<'_, D> {
    /// All the figures a scene asks for; names as in the tables.
    pub fn evaluate(&self, metrics: &[Metric]) -> BTreeMap<String, f64> {
        let mut figures = BTreeMap::new();
        let mut put = |name: &str, value: f64| {
            // JSON has no infinity; a world that blew up must still show in the table.
            figures.insert(name.to_owned(), if value.is_finite() { value } else { BLOWN_UP });
        };
        for metric in metrics {
            match metric {
                Metric::Drift => put("drift m", self.mean(|a, b| (b - a).with_y(0.0).length())),
                Metric::Drop => put("drop m", self.drop()),
                Metric::Penetration => {
                    let depths = self.depths();
                    put("overlap max m", depths.iter().copied().fold(0.0, f32::max).into());
                    let sum: f64 = depths.iter().map(|&d| f64::from(d)).sum();
                    put("overlap mean m", sum / depths.len().max(1) as f64);
                }
                Metric::Energy => put("energy change", self.energy_change()),
                Metric::Stretch => {
                    let gaps = self.gaps();
                    put("stretch max m", gaps.iter().copied().fold(0.0, f64::max));
                    put("stretch mean m", gaps.iter().sum::<f64>() / gaps.len().max(1) as f64);
                }
                Metric::Asymmetry => {
                    put("sideways mean m", self.mean(|a, b| (b.x - a.x).abs()));
                    put(
                        "sideways max m",
                        self.moved().map(|(a, b)| (b.x - a.x).abs()).fold(0.0, f32::max).into(),
                    );
                }
                Metric::Tunnelled => put("tunnelled", self.count(|_, b| !self.is_inside(b))),
                Metric::Fallen => {
                    put("fallen", self.count(|a, b| a.y - b.y > FALLEN_BELOW || !b.is_finite()))
                }
            }
        }
        figures
    }

    /// Start and end positions of the dynamic bodies.
    fn moved(&self) -> impl Iterator<Item = (Vec3, Vec3)> {
        let states = self.start.iter().zip(self.end).zip(&self.spec.bodies);
        states.filter(|(_, def)| def.kind == Kind::Dynamic).filter_map(|((start, end), _)| {
            Some((D::vec3(start.as_ref()?.position), D::vec3(end.as_ref()?.position)))
        })
    }

    fn mean(&self, value: impl Fn(Vec3, Vec3) -> f32) -> f64 {
        let values: Vec<f64> = self.moved().map(|(a, b)| value(a, b).into()).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    }

    fn count(&self, is: impl Fn(Vec3, Vec3) -> bool) -> f64 {
        self.moved().filter(|(a, b)| is(*a, *b)).count() as f64
    }

    fn is_inside(&self, p: Vec3) -> bool {
        // Comparisons with NaN are false: a body that is no number is not inside.
        p.cmpge(self.spec.bounds[0]).all() && p.cmple(self.spec.bounds[1]).all()
    }

    fn drop(&self) -> f64 {
        let highest = self.moved().max_by(|a, b| a.0.y.total_cmp(&b.0.y));
        highest.map_or(0.0, |(a, b)| (a.y - b.y).into())
    }

    /// Gaps between the two anchors of every joint [m].
    fn gaps(&self) -> Vec<f64> {
        let gap = |joint: &crate::engine::JointDef<D>| {
            let at = |body: usize, anchor| {
                let state = self.end[body].as_ref()?;
                Some(D::vec3(state.position) + D::quat(state.rotation) * D::vec3(anchor))
            };
            Some(f64::from(at(joint.a, joint.anchor_a)?.distance(at(joint.b, joint.anchor_b)?)))
        };
        self.spec.joints.iter().filter_map(gap).collect()
    }

    /// Share of the energy won (or lost, below 0).
    fn energy_change(&self) -> f64 {
        let total = |states: &[Option<State<D>>]| -> f64 {
            states
                .iter()
                .zip(&self.spec.bodies)
                .filter_map(|(s, def)| Some(energy(self.spec, def, s.as_ref()?)))
                .sum()
        };
        total(self.end) / total(self.start) - 1.0
    }

    /// Depths of all overlaps [m].
    fn depths(&self) -> Vec<f32> {
        let joined: HashSet<(usize, usize)> =
            self.spec.joints.iter().map(|joint| (joint.a.min(joint.b), joint.a.max(joint.b))).collect();
        // Hulls are shared by many bodies; their axes are costly, so each different shape is analysed once.
        let mut known: Vec<(String, crate::hull::Axes)> = Vec::new();
        let mut items = Vec::new();
        for (body, (def, state)) in self.spec.bodies.iter().zip(self.end).enumerate() {
            let Some(state) = state else { continue };
            if def.ghost {
                continue;
            }
            let (at, turn): (Vec3, Quat) = (D::vec3(state.position), D::quat(state.rotation));
            if !at.is_finite() {
                continue;
            }
            let shapes = def.parts.iter().filter_map(|part| {
                let core = D::core(&part.geometry)?;
                let name = format!("{:?}", part.geometry);
                let index = known.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
                    known.push((name, overlap::axes_of(&core, D::PLANAR)));
                    known.len() - 1
                });
                let place = at + turn * D::vec3(part.offset);
                Some(Placed::new(&core, &known[index].1, place, turn * D::quat(part.rotation)))
            });
            items.push(Item { body, moving: def.kind == Kind::Dynamic, shapes: shapes.collect() });
        }
        overlap::all_depths(&items, |a, b| joined.contains(&(a.min(b), a.max(b))))
    }
}

/// Kinetic and potential energy of a body [J]. Spin counts for discs and balls, the only shapes of elastic scenes.
fn energy<D: Dim>(spec: &Spec<D>, def: &crate::engine::BodyDef<D>, state: &State<D>) -> f64 {
    let mass = f64::from(def.mass());
    let v = D::vec3(state.velocity).as_dvec3();
    let w = D::ang3(state.spin).as_dvec3();
    let core = D::core(&def.parts[0].geometry);
    let radius = core.map_or(0.0, |core| if core.points.len() == 1 { f64::from(core.radius) } else { 0.0 });
    let shape = if D::PLANAR { 0.5 } else { 0.4 };
    let height = -D::vec3(spec.gravity).as_dvec3().dot(D::vec3(state.position).as_dvec3());
    mass * (0.5 * v.length_squared() + 0.5 * shape * radius * radius * w.length_squared() + height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{BodyDef, D3, JointDef, JointKind, Shape3};

    fn spec() -> Spec<D3> {
        let cube = |y: f32| BodyDef::dynamic(Vec3::new(0.0, y, 0.0), Shape3::Box(Vec3::splat(0.5)));
        Spec {
            gravity: Vec3::new(0.0, -10.0, 0.0),
            dt: 0.01,
            sleeping: false,
            bodies: vec![cube(0.5), cube(1.5)],
            joints: Vec::new(),
            bounds: [Vec3::new(-10.0, 0.0, -10.0), Vec3::splat(10.0)],
        }
    }

    fn at(p: Vec3, velocity: Vec3) -> Option<State<D3>> {
        Some(State { position: p, rotation: Quat::IDENTITY, velocity, spin: Vec3::ZERO })
    }

    #[test]
    fn figures_of_a_known_displacement() {
        let spec = spec();
        let start = [at(Vec3::new(0.0, 0.5, 0.0), Vec3::ZERO), at(Vec3::new(0.0, 1.5, 0.0), Vec3::ZERO)];
        let end = [at(Vec3::new(0.4, 0.5, 0.0), Vec3::ZERO), at(Vec3::new(0.0, 1.45, 0.3), Vec3::ZERO)];
        let run = Run { spec: &spec, start: &start, end: &end };
        let all = [
            Metric::Drift,
            Metric::Drop,
            Metric::Penetration,
            Metric::Asymmetry,
            Metric::Tunnelled,
            Metric::Fallen,
        ];
        let figures = run.evaluate(&all);
        let expect = [
            ("drift m", 0.35),
            ("drop m", 0.05),
            ("overlap max m", 0.05),
            ("sideways mean m", 0.2),
            ("sideways max m", 0.4),
            ("tunnelled", 0.0),
            ("fallen", 0.0),
        ];
        for (name, value) in expect {
            assert!((figures[name] - value).abs() < 1e-5, "{name}: expected {value}, got {}", figures[name]);
        }
    }

    #[test]
    fn a_world_that_blew_up_still_has_figures() {
        let spec = spec();
        let start = [at(Vec3::ZERO, Vec3::ZERO), at(Vec3::ZERO, Vec3::ZERO)];
        let end = [at(Vec3::splat(f32::INFINITY), Vec3::ZERO), at(Vec3::splat(f32::NAN), Vec3::ZERO)];
        let figures =
            Run { spec: &spec, start: &start, end: &end }.evaluate(&[Metric::Drift, Metric::Energy]);
        assert!(figures.values().all(|&value| value == BLOWN_UP), "{figures:?}");
    }

    #[test]
    fn not_a_number_counts_as_gone() {
        let spec = spec();
        let start = [at(Vec3::ZERO, Vec3::ZERO), at(Vec3::ZERO, Vec3::ZERO)];
        let end = [at(Vec3::splat(f32::NAN), Vec3::ZERO), at(Vec3::new(0.0, -0.1, 0.0), Vec3::ZERO)];
        let figures = Run { spec: &spec, start: &start, end: &end }.evaluate(&[Metric::Tunnelled]);
        assert_eq!(figures["tunnelled"], 2.0);
    }

    #[test]
    fn free_fall_keeps_energy_and_a_pulled_joint_shows_its_gap() {
        let mut spec = spec();
        spec.joints.push(JointDef {
            kind: JointKind::Ball,
            a: 0,
            b: 1,
            anchor_a: Vec3::Y * 0.5,
            anchor_b: Vec3::Y * -0.5,
        });
        let start = [at(Vec3::new(0.0, 5.0, 0.0), Vec3::ZERO), at(Vec3::new(0.0, 6.0, 0.0), Vec3::ZERO)];
        let end = [
            at(Vec3::new(0.0, 4.8, 0.0), Vec3::Y * -2.0),
            at(Vec3::new(0.0, 5.9, 0.0), Vec3::Y * -2_f32.sqrt()),
        ];
        let figures =
            Run { spec: &spec, start: &start, end: &end }.evaluate(&[Metric::Energy, Metric::Stretch]);
        assert!(figures["energy change"].abs() < 1e-6, "got {}", figures["energy change"]);
        assert!((figures["stretch max m"] - 0.1).abs() < 1e-5, "got {}", figures["stretch max m"]);
    }
}
