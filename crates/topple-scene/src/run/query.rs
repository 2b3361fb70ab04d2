//! Formulas evaluated on the running world.

use topple::math::RotOps;

use super::{BodyInfo, Run};
use crate::ast::{Binary, Unary};
use crate::lower::Space;
use crate::model::geometry::{add, cross, dot, length, scale, sub};
use crate::model::{Query, Target, Vec3};
use crate::schema::director::{Of, quantity};
use crate::schema::functions::{self, Body};

/// A value: numbers (one per body where several are meant), or a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Numbers(Vec<f64>),
    Text(String),
}

impl Value {
    fn one(number: f64) -> Self {
        Self::Numbers(vec![number])
    }

    /// The numbers; none for a text.
    pub(crate) fn numbers(self) -> Vec<f64> {
        match self {
            Self::Numbers(numbers) => numbers,
            Self::Text(_) => Vec::new(),
        }
    }

    /// A condition holds if it holds for every body, and there is one: what is said of nobody is not true.
    pub(crate) fn holds(&self) -> bool {
        match self {
            Self::Numbers(numbers) => {
                !numbers.is_empty() && numbers.iter().all(|number| *number != 0.0 && !number.is_nan())
            }
            Self::Text(_) => false,
        }
    }
}

/// Element by element; one number goes with every element.
fn zip(left: &[f64], right: &[f64], compute: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    match (left, right) {
        ([x], ys) => ys.iter().map(|y| compute(*x, *y)).collect(),
        (xs, [y]) => xs.iter().map(|x| compute(*x, *y)).collect(),
        (xs, ys) => xs.iter().zip(ys).map(|(x, y)| compute(*x, *y)).collect(),
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn binary(operator: Binary, x: f64, y: f64) -> f64 {
    match operator {
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        Binary::Divide => x / y,
        Binary::Power => libm::pow(x, y),
        Binary::Less => truth(x < y),
        Binary::LessEqual => truth(x <= y),
        Binary::Greater => truth(x > y),
        Binary::GreaterEqual => truth(x >= y),
        Binary::Equal => truth(x == y),
        Binary::NotEqual => truth(x != y),
        Binary::And => truth(x != 0.0 && y != 0.0),
        Binary::Or => truth(x != 0.0 || y != 0.0),
    }
}

impl<D: Space> Run<D> {
    pub(crate) fn evaluate(&self, query: &Query) -> Value {
        match query {
            Query::Number(number) => Value::one(*number),
            Query::Values(numbers) => Value::Numbers(numbers.clone()),
            Query::Text(text) => Value::Text(text.to_string()),
            Query::Quantity("hash", _) => Value::Text(format!("{:016x}", self.world.state_hash())),
            Query::Quantity(name, targets) => Value::Numbers(self.quantity(name, targets)),
            Query::Call(name, list) => Value::Numbers(self.call(name, list)),
            Query::Reduce(name, inner) => Value::one(reduce(name, &self.evaluate(inner).numbers())),
            // Frozen before the first step; asked for elsewhere, it is now.
            Query::Start(inner) => self.evaluate(inner),
            Query::Unary(operator, inner) => {
                let numbers = self.evaluate(inner).numbers();
                let compute = |x: f64| match operator {
                    Unary::Minus => -x,
                    Unary::Not => truth(x == 0.0),
                };
                Value::Numbers(numbers.into_iter().map(compute).collect())
            }
            Query::Binary(operator, sides) => match (self.evaluate(&sides.0), self.evaluate(&sides.1)) {
                (Value::Numbers(left), Value::Numbers(right)) => {
                    Value::Numbers(zip(&left, &right, |x, y| binary(*operator, x, y)))
                }
                (left, right) => Value::one(truth((left == right) == (*operator == Binary::Equal))),
            },
            Query::Within { sides, tolerance, relative } => {
                let (left, right) = (self.evaluate(&sides.0).numbers(), self.evaluate(&sides.1).numbers());
                let near = |x: f64, y: f64| {
                    let allowed = if *relative { tolerance / 100.0 * y.abs() } else { *tolerance };
                    truth((x - y).abs() <= allowed)
                };
                Value::Numbers(zip(&left, &right, near))
            }
        }
    }

    fn call(&self, name: &str, list: &[Query]) -> Vec<f64> {
        let arguments: Vec<_> = list.iter().map(|query| self.evaluate(query).numbers()).collect();
        let Some(function) = functions::find(name) else { return Vec::new() };
        match (function.body, arguments.as_slice()) {
            (Body::One(compute), [x]) => x.iter().map(|x| compute(*x)).collect(),
            (Body::Two(compute), [x, y]) => zip(x, y, compute),
            (Body::Three(compute), [x, y, z]) => {
                let (y, z) = (y.first().copied(), z.first().copied());
                x.iter().map(|x| compute(*x, y.unwrap_or(0.0), z.unwrap_or(0.0))).collect()
            }
            (Body::Fold(compute), [first, rest @ ..]) => {
                rest.iter().fold(first.clone(), |result, next| zip(&result, next, compute))
            }
            _ => Vec::new(),
        }
    }

    fn quantity(&self, name: &str, targets: &[Target]) -> Vec<f64> {
        match targets {
            [] => vec![self.world_quantity(name)],
            [one] if name == "exists" => {
                vec![truth(!self.find(one).is_empty() || !self.find_joints(one).is_empty())]
            }
            [one] => {
                let of = quantity(name).map_or(Of::Body, |quantity| quantity.of);
                let mut values = Vec::new();
                if matches!(of, Of::Body | Of::Either) {
                    let bodies = self.find(one);
                    values.extend(bodies.iter().map(|index| self.body_quantity(name, &self.bodies[*index])));
                }
                if of == Of::Joint || (of == Of::Either && *one != Target::All) {
                    let joints = self.find_joints(one);
                    values.extend(joints.iter().map(|index| self.joint_quantity(name, &self.joints[*index])));
                }
                values
            }
            [left, right, ..] => {
                let (left, right) = (self.find(left), self.find(right));
                if name == "touching" {
                    let touch = left.iter().any(|a| right.iter().any(|b| self.touching(*a, *b)));
                    return vec![truth(touch)];
                }
                let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b)));
                pairs
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| length(sub(self.centre(a), self.centre(b))))
                    .collect()
            }
        }
    }

    fn centre(&self, index: usize) -> Vec3 {
        self.world.body(self.bodies[index].id).map_or([f64::NAN; 3], |body| D::point_out(body.center()))
    }

    fn touching(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.bodies[a].id, self.bodies[b].id);
        self.world.contacts_of(a).is_ok_and(|mut contacts| {
            contacts.any(|contact| contact.is_touching() && contact.bodies().contains(&b))
        })
    }

    fn body_quantity(&self, name: &str, info: &BodyInfo) -> f64 {
        let Ok(body) = self.world.body(info.id) else { return f64::NAN };
        let position = D::point_out(body.center());
        let velocity = D::vec_out(body.linear_velocity());
        let spin = D::ang_out(body.angular_velocity());
        match name {
            "x" => position[0],
            "y" => position[1],
            "z" => position[2],
            "vx" => velocity[0],
            "vy" => velocity[1],
            "vz" => velocity[2],
            "speed" => length(velocity),
            "spin" if D::N == 2 => spin[2],
            "spin" => length(spin),
            "angle" if D::N == 2 => D::angle(body.rotation()),
            "angle" => D::angle(body.rotation().then_after(D::rot(&info.frame).inverse())),
            "tilt" => {
                let up = sub(D::point_out(body.to_world(D::vec(info.up))), D::point_out(body.position()));
                libm::acos((up[1] / length(up).max(1e-12)).clamp(-1.0, 1.0))
            }
            "moved" => length(sub(position, info.start)),
            "kinetic" => f64::from(body.kinetic_energy()),
            "mass" => f64::from(body.mass()),
            "asleep" => truth(!body.is_awake()),
            _ => f64::NAN,
        }
    }

    /// Bodies of the engine that count for sums.
    fn sum(&self, value: impl Fn(&topple::Body<'_, D>) -> f64) -> f64 {
        let moving = self.bodies.iter().filter(|info| info.exists && info.dynamic);
        moving.filter_map(|info| self.world.body(info.id).ok()).map(|body| value(&body)).sum()
    }

    fn world_quantity(&self, name: &str) -> f64 {
        let kinetic = || self.sum(|body| f64::from(body.kinetic_energy()));
        let potential = || {
            let gravity = D::vec_out(self.world.settings().gravity);
            self.sum(|body| {
                let weight = f64::from(body.mass()) * f64::from(body.gravity_scale());
                -weight * dot(gravity, D::point_out(body.center()))
            }) + f64::from(self.world.generator_energy())
        };
        let momentum = |axis: usize| self.sum(|body| D::vec_out(body.momentum())[axis]);
        match name {
            "time" => self.world.time(),
            "steps" => self.steps as f64,
            "energy" => kinetic() + potential(),
            "kineticEnergy" => kinetic(),
            "potentialEnergy" => potential(),
            "momentumX" => momentum(0),
            "momentumY" => momentum(1),
            "momentumZ" => momentum(2),
            "angularMomentum" => {
                let mut total = [0.0; 3];
                for info in self.bodies.iter().filter(|info| info.exists && info.dynamic) {
                    let Ok(body) = self.world.body(info.id) else { continue };
                    let orbit = cross(D::point_out(body.center()), D::vec_out(body.momentum()));
                    total = add(total, add(orbit, scale(D::ang_out(body.angular_momentum()), 1.0)));
                }
                if D::N == 2 { total[2] } else { length(total) }
            }
            "bodies" => self.body_count() as f64,
            "joints" => self.world.joint_count() as f64,
            "awake" => self.world.awake_count() as f64,
            "contacts" => {
                self.world.contacts().filter(topple::world::ContactView::is_touching).count() as f64
            }
            "penetration" => {
                let contacts =
                    self.world.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor());
                let depth = |contact: topple::world::ContactView<'_, D>| {
                    contact.points().map(|point| -f64::from(point.1)).fold(0.0, f64::max)
                };
                contacts.map(depth).fold(0.0, f64::max)
            }
            _ => 0.0,
        }
    }

    /// The same formula with `start(…)` replaced by its value now.
    pub(super) fn freeze(&self, query: &Query) -> Query {
        match query {
            Query::Start(inner) => Query::Values(self.evaluate(inner).numbers()),
            Query::Call(name, list) => {
                Query::Call(name, list.iter().map(|query| self.freeze(query)).collect())
            }
            Query::Reduce(name, inner) => Query::Reduce(name, Box::new(self.freeze(inner))),
            Query::Unary(operator, inner) => Query::Unary(*operator, Box::new(self.freeze(inner))),
            Query::Binary(operator, sides) => {
                Query::Binary(*operator, Box::new((self.freeze(&sides.0), self.freeze(&sides.1))))
            }
            Query::Within { sides, tolerance, relative } => Query::Within {
                sides: Box::new((self.freeze(&sides.0), self.freeze(&sides.1))),
                tolerance: *tolerance,
                relative: *relative,
            },
            other => other.clone(),
        }
    }
}

fn reduce(name: &str, numbers: &[f64]) -> f64 {
    match name {
        // Of nobody there is neither a smallest nor an average; no comparison with it holds.
        "min" | "max" | "mean" if numbers.is_empty() => f64::NAN,
        "min" => numbers.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "mean" => numbers.iter().sum::<f64>() / numbers.len() as f64,
        "count" => numbers.iter().filter(|number| **number != 0.0).count() as f64,
        _ => numbers.iter().sum(),
    }
}
