//! What a body stands on, as a surface that bears: what it can take, and how it tilts.

use super::World;
use crate::body::BodyProps;
use crate::contact::Contact;
use crate::math::*;

/// Points lie in a line if the smaller of their two extents is less than this share of the larger, squared (no unit).
const FLAT: Real = 1e-4;
/// Cosine between the normals of two feet of a body: those of a flat base.
const PARALLEL: Real = 0.9999;
/// How far a point may be from the plane through all points under a body, as a share of the slop: a leg that is too short bears
/// nothing (no unit).
const EVEN: Real = 0.1;
/// Overlap that is worked off without speed, in slops: what has sunk into each other in soft contacts (no unit).
const SUNK: Real = 16.0;
/// Most points of a foot.
pub(super) const POINTS: usize = 4;
/// How often points that would have to pull are left out, at most.
const MOST_ROUNDS: usize = 8;

/// Part of a turn about the axis `n`; none in the plane, where contacts do not twist.
pub(super) fn about<D: Dim>(turn: D::Ang, n: D::Vec) -> Real {
    if D::N == 2 { 0.0 } else { (0..3).map(|k| turn.get(k) * n.get(k)).sum() }
}

/// What forces are found for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearing {
    /// The bodies stand in this step.
    Solved,
    /// The solver begins with them.
    Foreseen,
}

impl Bearing {
    /// How far things may be from where they were put [m]: what is foreseen has had a step to fall.
    fn play<D: Dim>(self, world: &World<D>) -> Real {
        let dt = world.settings.dt;
        if self == Self::Foreseen { world.settings.weight_scale() * dt * dt } else { 0.0 }
    }
}

/// A contact that a body stands on, seen from the middle of its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot<D: Dim> {
    pub contact: u32,
    /// Side of the contact that the body is on.
    pub side: usize,
    /// What is below: a node, or NONE for the ground.
    pub below: u32,
    /// From the centres of mass of the body and of the one below to the middle of the points [m].
    pub levers: [D::Vec; 2],
    pub count: usize,
    /// Along the two tangents of the base [m]; the second is zero in the plane.
    places: [[Real; 2]; POINTS],
    /// Of the middle, from that of all points of the base, along the tangents [m].
    offset: [Real; 2],
    pub separations: [Real; POINTS],
    /// Impulse at each point [N·s].
    pub press: [Real; POINTS],
    /// False for points that would have to pull.
    bears: [bool; POINTS],
    /// What the contact does to the body: impulse [N·s] and, about the middle of its points, turn [N·m·s].
    pub force: D::Vec,
    pub couple: D::Ang,
}

impl<D: Dim> Foot<D> {
    pub(super) fn new(contact: u32, side: usize, below: u32) -> Self {
        Self {
            contact,
            side,
            below,
            levers: [D::Vec::ZERO; 2],
            count: 0,
            places: [[0.0; 2]; POINTS],
            offset: [0.0; 2],
            separations: [0.0; POINTS],
            press: [0.0; POINTS],
            bears: [true; POINTS],
            force: D::Vec::ZERO,
            couple: D::Ang::ZERO,
        }
    }

    /// A point, from the middle of the base along its tangents [m].
    fn place(&self, point: usize) -> [Real; 2] {
        let [x, y] = self.places[point];
        [self.offset[0] + x, self.offset[1] + y]
    }
}

/// All that a body stands on: the points of its feet, seen from the middle of all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base<D: Dim> {
    /// From below to the body, unit vector.
    pub normal: D::Vec,
    /// From the centre of mass of the body to the middle of the points [m].
    pub lever: D::Vec,
    /// Number of points.
    count: usize,
    tangents: [D::Vec; 2],
    /// Inverse of Σ p·pᵀ over the places: entries 11, 12, 22 [1/m²].
    inverse: [Real; 3],
    /// How far the bodies have slid since the contacts were computed [m].
    pub parted: Real,
    /// Least slop of the contacts [m].
    pub slop: Real,
}

impl<D: Dim> Base<D> {
    /// Looks at the points of all feet of a body. None if they are in a line (one point in the plane), or farther apart than the slop, or
    /// not in one plane.
    pub(super) fn of(world: &World<D>, feet: &mut [Foot<D>], bearing: Bearing) -> Option<Self> {
        let normal_of = |foot: &Foot<D>| {
            let contact = &world.contacts.hot[foot.contact as usize];
            let sign = if foot.side == 1 { 1.0 } else { -1.0 };
            contact.normal(world.bodies.places[contact.bodies[0] as usize].rotation) * sign
        };
        let normal = normal_of(feet.first()?);
        let mut base = Self {
            normal,
            lever: D::Vec::ZERO,
            count: 0,
            tangents: D::tangent_basis(normal),
            inverse: [0.0; 3],
            parted: 0.0,
            slop: Real::INFINITY,
        };
        let mut is_apart = false;
        for foot in feet.iter_mut() {
            if normal_of(foot).dot(normal) < PARALLEL {
                return None;
            }
            let contact = &world.contacts.hot[foot.contact as usize];
            is_apart |= !base.add(contact, world, foot);
        }
        let total = 1.0 / base.count as Real;
        if let [foot] = feet {
            base.lever = foot.levers[0];
        } else {
            feet.iter().for_each(|foot| base.lever += foot.levers[0] * (foot.count as Real * total));
        }
        for foot in feet.iter_mut() {
            let aside = foot.levers[0] - base.lever;
            foot.offset = base.tangents.map(|tangent| aside.dot(tangent));
            is_apart |= aside.dot(normal).abs() > base.slop;
        }
        (!is_apart && base.invert(feet) && base.is_even(feet, bearing.play(world))).then_some(base)
    }

    /// Takes the points of one foot over. False if they are too far apart.
    fn add(&mut self, contact: &Contact<D>, world: &World<D>, foot: &mut Foot<D>) -> bool {
        let [a, b] = contact.bodies.map(|body| &world.bodies.places[body as usize]);
        foot.count = contact.manifold.count as usize;
        let share = 1.0 / foot.count as Real;
        let sign = if foot.side == 1 { 1.0 } else { -1.0 };
        let normal = contact.normal(a.rotation) * sign;
        let mut anchors = [D::Vec::ZERO; POINTS];
        let mut is_near = true;
        foot.levers = [D::Vec::ZERO; 2];
        for i in 0..foot.count {
            let row = contact.row(i, a, b);
            let own = if foot.side == 1 { [row.r_b, row.r_a] } else { [row.r_a, row.r_b] };
            (0..2).for_each(|k| foot.levers[k] += own[k] * share);
            anchors[i] = own[0];
            foot.separations[i] = row.separation;
            is_near &= row.separation <= contact.slop && row.separation >= -SUNK * contact.slop;
            let apart = (b.position - a.position) + (row.r_b - row.r_a);
            let along = apart - normal * apart.dot(normal);
            self.parted = self.parted.max(along.length());
        }
        for i in 0..foot.count {
            foot.places[i] = self.tangents.map(|tangent| (anchors[i] - foot.levers[0]).dot(tangent));
        }
        self.count += foot.count;
        self.slop = self.slop.min(contact.slop);
        is_near && foot.count > 0
    }

    /// Points of all feet: place from the middle of all, separation.
    fn points<'a>(feet: &'a [Foot<D>]) -> impl Iterator<Item = ([Real; 2], Real)> + 'a {
        feet.iter().flat_map(|foot| (0..foot.count).map(move |i| (foot.place(i), foot.separations[i])))
    }

    /// False if the points are in a line.
    fn invert(&mut self, feet: &[Foot<D>]) -> bool {
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for ([x, y], _) in Self::points(feet) {
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        let inverse = Self::inverse_of([xx, xy, yy]);
        self.inverse = inverse.unwrap_or_default();
        inverse.is_some()
    }

    /// True if all points are near one plane, `play` [m] beside what is even. Those of a single contact are those of two faces.
    fn is_even(&self, feet: &[Foot<D>], play: Real) -> bool {
        if feet.len() == 1 {
            return true;
        }
        let (mut mean, mut moments) = (0.0, [0.0; 2]);
        for (place, separation) in Self::points(feet) {
            mean += separation / self.count as Real;
            (0..2).for_each(|k| moments[k] += separation * place[k]);
        }
        let slopes = self.slopes(moments);
        Self::points(feet).all(|([x, y], separation)| {
            (separation - mean - slopes[0] * x - slopes[1] * y).abs() <= EVEN * self.slop + play
        })
    }

    /// From the centre of mass of the body on one side (0 above, 1 below) to a point of a foot [m].
    pub(super) fn lever(&self, foot: &Foot<D>, point: usize, side: usize) -> D::Vec {
        let [x, y] = foot.places[point];
        foot.levers[side] + self.tangents[0] * x + self.tangents[1] * y
    }

    /// Speed along the normal that an impulse at a point gives to a body on one side (0 above, 1 below) at that point [1/kg].
    pub(super) fn answer(&self, foot: &Foot<D>, point: usize, side: usize, props: &BodyProps<D>) -> Real {
        let arm = D::cross(self.lever(foot, point, side), self.normal);
        props.inv_mass + arm.dot(props.inv_inertia.apply(arm))
    }

    /// Slopes of the straight line whose moments about the middle are `moments`.
    fn slopes(&self, [x, y]: [Real; 2]) -> [Real; 2] {
        let [a, b, c] = self.inverse;
        [a * x + b * y, b * x + c * y]
    }

    /// The motion along the normal that comes nearest to `wanted` at the points, in the order of feet: of the middle, and turn.
    pub(super) fn fit(&self, feet: &[Foot<D>], wanted: impl Iterator<Item = Real>) -> (Real, D::Ang) {
        let (mut rise, mut moments) = (0.0, [0.0; 2]);
        for ((place, _), value) in Self::points(feet).zip(wanted) {
            rise += value / self.count as Real;
            (0..2).for_each(|k| moments[k] += value * place[k]);
        }
        let slopes = self.slopes(moments);
        let [x, y] = self.tangents.map(|tangent| D::cross(tangent, self.normal));
        (rise, x * slopes[0] + y * slopes[1])
    }

    /// Spreads what the feet have to do over their points: impulse [N·s] and, about the middle of all, turn [N·m·s], on the body
    /// above. False if they cannot do it.
    pub(super) fn bear(
        &self,
        world: &World<D>,
        feet: &mut [Foot<D>],
        (force, couple): (D::Vec, D::Ang),
        bearing: Bearing,
    ) -> bool {
        let push = force.dot(self.normal);
        let along = force - self.normal * push;
        let moments = self.tangents.map(|tangent| couple.dot(D::cross(tangent, self.normal)));
        let is_single = feet.len() == 1;
        let mut twist = about::<D>(couple, self.normal);
        let by_feet = bearing == Bearing::Foreseen && !is_single;
        let presses =
            by_feet && self.press_by_feet(feet, push, moments) || self.press_by_all(feet, push, moments);
        if !(presses || self.press_by_some(feet, push, moments)) {
            return false;
        }
        for foot in feet.iter_mut() {
            let sum: Real = foot.press[..foot.count].iter().sum();
            // Friction is shared as the weight is, and acts at the middle of each foot.
            (foot.force, foot.couple) = (force, couple);
            if !is_single {
                let share = if push > 0.0 { sum / push } else { 0.0 };
                foot.force = self.normal * sum + along * share;
                let aside = self.tangents[0] * foot.offset[0] + self.tangents[1] * foot.offset[1];
                twist -= about::<D>(D::cross(aside, along * share), self.normal);
            }
        }
        feet.iter_mut().all(|foot| self.holds(world, foot, (twist, push, is_single)))
    }

    /// The straight line over all points. False if some would have to pull.
    fn press_by_all(&self, feet: &mut [Foot<D>], push: Real, moments: [Real; 2]) -> bool {
        let slopes = self.slopes(moments);
        let mut least: Real = 0.0;
        for foot in feet.iter_mut() {
            for i in 0..foot.count {
                let [x, y] = foot.place(i);
                foot.press[i] = push / self.count as Real + slopes[0] * x + slopes[1] * y;
                // Written so that a NaN counts.
                least = if foot.press[i] >= least { least } else { foot.press[i] };
            }
        }
        least >= 0.0
    }

    /// The straight line over the middles of the feet, the points of a foot alike; what is left, about a line on which all feet are, is
    /// that over all points. False if some would have to pull.
    ///
    /// In a wall or a pyramid of bricks loads then go straight down, from the middle of a foot to the middle of the one below it. The
    /// line over all points spreads them to the sides with every row, until they are beyond the slope.
    fn press_by_feet(&self, feet: &mut [Foot<D>], push: Real, moments: [Real; 2]) -> bool {
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for foot in feet.iter() {
            let ([x, y], count) = (foot.offset, foot.count as Real);
            (xx, xy, yy) = (xx + count * x * x, xy + count * x * y, yy + count * y * y);
        }
        let [x, y] = moments;
        let [along, across] = match Self::inverse_of([xx, xy, yy]) {
            Some([a, b, c]) => [a * x + b * y, b * x + c * y],
            // All in a line through the middle: along it.
            None => {
                let line = if xx > yy { [xx, xy] } else { [xy, yy] };
                let length = (line[0] * line[0] + line[1] * line[1]).sqrt();
                if length <= 0.0 {
                    return false;
                }
                let [x0, y0] = line.map(|part| part / length);
                let slope = (x * x0 + y * y0) / (xx + yy);
                [slope * x0, slope * y0]
            }
        };
        let rest = [x - xx * along - xy * across, y - xy * along - yy * across];
        let slopes = self.slopes(rest);
        let mut least: Real = 0.0;
        for foot in feet.iter_mut() {
            let middle = push / self.count as Real + along * foot.offset[0] + across * foot.offset[1];
            for i in 0..foot.count {
                let [x, y] = foot.place(i);
                foot.press[i] = middle + slopes[0] * x + slopes[1] * y;
                // Written so that a NaN counts.
                least = if foot.press[i] >= least { least } else { foot.press[i] };
            }
        }
        least >= 0.0
    }

    /// Finds impulses that press where a straight line over all points would have to pull at some: those are left out, and the line is
    /// that of the others. False if too few are left.
    fn press_by_some(&self, feet: &mut [Foot<D>], push: Real, moments: [Real; 2]) -> bool {
        feet.iter_mut().for_each(|foot| foot.bears = [true; POINTS]);
        for _ in 0..MOST_ROUNDS {
            // What pulled in the last round is left out for good.
            let mut is_done = true;
            for foot in feet.iter_mut() {
                for i in 0..foot.count {
                    if foot.press[i].is_nan() || foot.press[i] < 0.0 {
                        (foot.bears[i], foot.press[i], is_done) = (false, 0.0, false);
                    }
                }
            }
            if is_done {
                return true;
            }
            let bearing = |feet: &[Foot<D>], act: &mut dyn FnMut([Real; 2])| {
                for foot in feet {
                    (0..foot.count).filter(|&i| foot.bears[i]).for_each(|i| act(foot.place(i)));
                }
            };
            let (mut count, mut middle) = (0.0, [0.0; 2]);
            bearing(feet, &mut |[x, y]| (count, middle) = (count + 1.0, [middle[0] + x, middle[1] + y]));
            if count == 0.0 {
                return false;
            }
            let middle = middle.map(|sum| sum / count);
            let [mut xx, mut xy, mut yy] = [0.0; 3];
            bearing(feet, &mut |[x, y]| {
                let (x, y) = (x - middle[0], y - middle[1]);
                (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
            });
            let Some([a, b, c]) = Self::inverse_of([xx, xy, yy]) else { return false };
            let [x, y] = [0, 1].map(|k| moments[k] - push * middle[k]);
            let slopes = [a * x + b * y, b * x + c * y];
            for foot in feet.iter_mut() {
                for i in (0..foot.count).filter(|&i| foot.bears[i]) {
                    let [x, y] = foot.place(i);
                    foot.press[i] = push / count + slopes[0] * (x - middle[0]) + slopes[1] * (y - middle[1]);
                }
            }
        }
        false
    }

    /// Inverse of a matrix Σ p·pᵀ with the entries 11, 12, 22; None if the points are in a line.
    fn inverse_of([xx, xy, yy]: [Real; 3]) -> Option<[Real; 3]> {
        if D::N == 2 {
            return (xx > 0.0).then(|| [1.0 / xx, 0.0, 0.0]);
        }
        let determinant = xx * yy - xy * xy;
        (determinant > FLAT * (xx + yy) * (xx + yy))
            .then(|| [yy / determinant, -xy / determinant, xx / determinant])
    }

    /// True if friction of a foot holds its share; finds its turn.
    fn holds(
        &self,
        world: &World<D>,
        foot: &mut Foot<D>,
        (twist, push, is_single): (Real, Real, bool),
    ) -> bool {
        let contact = &world.contacts.hot[foot.contact as usize];
        let has_friction = world.settings.friction;
        let (friction, spinning) =
            if has_friction { (contact.friction, contact.spinning) } else { (0.0, 0.0) };
        let (mut sum, mut most_twist, mut turn) = (0.0, 0.0, D::Ang::ZERO);
        for i in 0..foot.count {
            let ([x, y], press) = (foot.places[i], foot.press[i]);
            most_twist += friction * press * (x * x + y * y).sqrt();
            sum += press;
            turn += D::cross(self.tangents[0] * x + self.tangents[1] * y, self.normal) * press;
        }
        let sum = if is_single { push } else { sum };
        let own_twist = if is_single || push <= 0.0 { twist } else { twist * (sum / push) };
        if !is_single {
            foot.couple = turn + along_axis::<D>(self.normal, own_twist);
        }
        let along = foot.force - self.normal * foot.force.dot(self.normal);
        along.length_squared() <= friction * friction * sum * sum
            && own_twist.abs() <= spinning * sum + most_twist
    }
}

/// A turn about the axis `n`; none in the plane.
pub(super) fn along_axis<D: Dim>(n: D::Vec, turn: Real) -> D::Ang {
    let mut ang = D::Ang::ZERO;
    if D::N == 3 {
        (0..3).for_each(|k| ang.set(k, turn * n.get(k)));
    }
    ang
}
