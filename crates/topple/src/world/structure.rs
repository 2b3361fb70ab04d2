//! What a group of touching bodies is as far as loads are concerned: `refine.rs` asks.
//!
//! Columns, arches and rows bear all they carry in one place; heaps share it, and are left alone. A column shows in its links:
//! each body has one below and one above.

use super::World;
use crate::body::NONE;
use crate::math::*;
use crate::solver::REST_STEPS;

/// Bodies are uneven if their mean mass is this many times that of the lightest (no unit). A heap of like bodies shares its
/// loads whatever its shape, and takes the usual sub-steps.
const UNEVEN: Real = 4.0;
/// A body that lies on a heap is very heavy if it has this many times `refine_load` times the mass of the lightest (no unit). The usual
/// sub-steps hold 1 : 30 on pyramids and walls of 5 to 22 bodies within 0.4 % of the height; 1 : 100 falls through a wall of bricks.
const LADEN: Real = 4.0;
/// Heaps of more bodies are left to the usual sub-steps whatever lies on them: all of them would pay for it.
const MOST_LADEN: u32 = 64;
/// Of so many bodies of a refined column one may touch a third, and so many bodies of towers may share one that they stand on.
const TOUCHED: u32 = 8;
/// If so many more than half of the bodies lie on the ground, twice over, they are spread over it, whatever they lean on.
const FEW: u32 = 4;
/// What touches more bodies than this carries or is carried by many, such as a slab under towers.
const HUB: u32 = 4;
/// What moves as after a fall of more than this many times its own size is on its way to somewhere else (no unit).
const FALL: Real = 0.02;
/// The same for what stands on the ground by itself: dominoes.
const OWN_FALL: Real = 1.0;
/// Cosine to the vertical of a contact that bears.
pub(super) const UPRIGHT: Real = 0.5;
/// What rests farther from its middle than this share of its extent is a balance (no unit).
const ASIDE: Real = 0.1;
/// Cosine to the vertical of a contact of things that stand straight.
const PLUMB: Real = 0.98;

/// What an island is as far as loads are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// One upon the other, straight.
    Column,
    /// The same with things that rest aside of their middle or on slopes: an arch, an overhang.
    Balance,
    /// One beside the other, each on its own feet: dominoes on hinges.
    Row,
    /// High columns that share what they stand on, whatever that is.
    Towers,
    /// Bodies that are joined to each other. Their joints are measured.
    Joined,
    /// Anything else: loads are shared, or in motion, or bounce.
    Heap,
}

/// Size of an island in bodies (no unit).
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Its longest extent over their mean size.
    pub height: Real,
    /// Its mass over that of the lightest.
    pub weight: Real,
    /// They differ much in mass.
    pub is_uneven: bool,
    /// Mass of the heaviest over that of the lightest, and which one it is.
    pub heaviest: (Real, u32),
    /// Their mean extent [m].
    pub extent: Real,
    /// Inner radius of the thinnest [m].
    pub thickness: Real,
}

/// From a body to the one it stands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Exactly one stands on it; else none.
    pub has_above: bool,
    pub below: u32,
    pub contact: u32,
}

/// A column, in bodies (no unit).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tower {
    pub count: u32,
    /// Its mass over that of the lightest.
    pub weight: Real,
    /// Of the smallest body: extent and inner radius [m].
    pub extent: Real,
    pub thickness: Real,
}

impl<D: Dim> World<D> {
    /// What an island is as far as loads are concerned. Walks no further than it has to: heaps show at once. High towers count by
    /// themselves.
    pub(super) fn structure_of(&self, island: u32) -> Structure {
        let up = self.settings.gravity * (-1.0 / self.settings.weight_scale());
        let mut body = self.islands.slots[island].head;
        let (mut bodies, mut ends, mut upright) = (0_u32, 0_u32, 0_u32);
        let (mut branched, mut standing, mut is_balanced) = (0_u32, 0_u32, false);
        let (mut hubs, mut is_joined, mut is_falling) = (0_u32, false, false);
        let (mut pointed, mut lying) = (0_u32, 0_u32);
        let (mut lightest, mut heaviest): (Real, Real) = (0.0, Real::INFINITY);
        // Each has one below and one above. What is refined may be touched by something else.
        let is_strict = self.islands.slots[island].level == 0;
        let gravity = self.settings.weight_scale();
        while body != NONE {
            bodies += 1;
            let core = &self.bodies.cores[body as usize];
            let record = &self.bodies.records[body];
            let (before, mut stands, mut lies, mut own_joint) = (ends, false, false, false);
            let pointed_before = pointed;
            for (contact, side) in self.contacts.of_body(record.first_contact) {
                let hot = &self.contacts.hot[contact as usize];
                let other = hot.bodies[1 - side];
                let place_of = |side: usize| &self.bodies.places[hot.bodies[side] as usize];
                let normal = place_of(0).rotation.rotate(hot.manifold.local_normal);
                let rise = normal.dot(up).abs();
                if !hot.is_solid() || self.bodies.records[other].island != island {
                    stands |= hot.is_solid();
                    lies |= hot.is_solid() && rise > UPRIGHT;
                    continue;
                }
                // What is refined may be struck, and bounces in small steps.
                if is_strict && self.is_bouncing(contact) {
                    return Structure::Heap;
                }
                ends += 1;
                upright += u32::from(rise > UPRIGHT);
                // Wedges, and what rests on a part of its face.
                let points = hot.manifold.points();
                pointed += u32::from(points.len() == 1);
                let middle = points
                    .iter()
                    .fold(D::Vec::ZERO, |sum, p| sum + if side == 0 { p.local_a } else { hot.local_b(p) });
                let aside = place_of(side).rotation.rotate(middle * (1.0 / points.len().max(1) as Real));
                let aside = aside - up * aside.dot(up);
                is_balanced |= rise < PLUMB || aside.length() > ASIDE * core.extent;
            }
            for (joint, side) in self.joints.of_body(record.first_joint) {
                let other = self.joints.hot[joint as usize].bodies[1 - side];
                own_joint |= self.bodies.cores[other as usize].inv_mass > 0.0;
                stands = true;
            }
            let most = 2.0 * gravity * if stands { OWN_FALL } else { FALL } * core.extent;
            let velocity = core.motion.linear;
            if is_strict && velocity.length_squared() > most {
                // Straight down, onto a column that will have to bear it.
                let rise = velocity.dot(up);
                is_falling = rise < 0.0 && (velocity - up * rise).length_squared() <= most;
                if !is_falling {
                    return Structure::Heap;
                }
            }
            if is_falling && is_balanced {
                return Structure::Heap;
            }
            is_joined |= own_joint;
            if own_joint || ends > before + HUB {
                // Many may stand on it: its ends tell nothing of the others.
                hubs += 1;
                (ends, pointed) = (before, pointed_before);
            } else {
                // In a row each stands by itself, and may lean on several.
                branched += u32::from(ends > before + 2 && !stands);
            }
            standing += u32::from(stands);
            lying += u32::from(lies && record.first_joint == NONE);
            (lightest, heaviest) = (lightest.max(core.inv_mass), heaviest.min(core.inv_mass));
            // Each link has two ends.
            if is_strict && branched + hubs > 1 + bodies / TOUCHED || ends > 2 * bodies + 2 {
                return if is_joined { Structure::Joined } else { Structure::Heap };
            }
            body = record.island_next;
        }
        let is_shared = hubs > 0 || is_strict && branched > 0;
        let is_even = lightest <= UNEVEN * heaviest;
        // Balls on balls do not stand: what looks like a column of them is on its way to be a heap.
        let is_pointed = 2 * pointed > ends && standing < bodies;
        if is_falling && (is_shared || is_joined || 2 * upright < ends) {
            Structure::Heap
        } else if is_shared && !is_pointed && self.is_high(&self.highest_tower(island)) {
            Structure::Towers
        } else if is_joined {
            Structure::Joined
        } else if is_shared || is_pointed || standing == 0 || branched > 1 + bodies / TOUCHED {
            Structure::Heap
        } else if is_even && 2 * lying > bodies + FEW {
            // They lie on the ground, and none bears many others: dominoes that have fallen.
            Structure::Heap
        } else if 2 * upright >= ends {
            if is_balanced { Structure::Balance } else { Structure::Column }
        } else if standing == bodies {
            Structure::Row
        } else {
            Structure::Heap
        }
    }

    /// How large an island is, in bodies.
    pub(super) fn size_of(&self, island: u32) -> Size {
        let mut body = self.islands.slots[island].head;
        let first = self.bodies.places[body as usize].position;
        let (mut low, mut high, mut size, mut count) = (D::Vec::ZERO, D::Vec::ZERO, 0.0, 0.0);
        let (mut mass, mut lightest, mut thickness) = (0.0, Real::INFINITY, Real::INFINITY);
        let mut heaviest: (Real, u32) = (0.0, NONE);
        while body != NONE {
            let from_first = self.bodies.places[body as usize].position - first;
            for i in 0..D::N {
                low.set(i, low.get(i).min(from_first.get(i)));
                high.set(i, high.get(i).max(from_first.get(i)));
            }
            let core = &self.bodies.cores[body as usize];
            size += core.extent;
            thickness = thickness.min(core.thickness);
            if core.inv_mass > 0.0 {
                mass += 1.0 / core.inv_mass;
                lightest = lightest.min(1.0 / core.inv_mass);
                if 1.0 / core.inv_mass > heaviest.0 {
                    heaviest = (1.0 / core.inv_mass, body);
                }
            }
            count += 1.0;
            body = self.bodies.records[body].island_next;
        }
        let longest = (0..D::N).map(|i| high.get(i) - low.get(i)).fold(0.0, Real::max);
        let height = if size > 0.0 { 1.0 + longest * count / size } else { count };
        let weight = mass / lightest;
        Size {
            height,
            weight,
            is_uneven: weight >= UNEVEN * count,
            heaviest: (heaviest.0 / lightest, heaviest.1),
            extent: size / count,
            thickness,
        }
    }

    /// The highest column in which each body has one below and one above, whatever the lowest stands on.
    pub(super) fn highest_tower(&self, island: u32) -> Tower {
        let mut highest = Tower::default();
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            if let Some(Step { has_above: false, below, .. }) = self.only_below(body) {
                let tower = self.tower_under(body, below);
                // The load decides between those of one height.
                if (tower.count, tower.weight) > (highest.count, highest.weight) {
                    highest = tower;
                }
            }
            body = self.bodies.records[body].island_next;
        }
        highest
    }

    /// The column whose topmost body is given, with the one it stands on.
    fn tower_under(&self, top: u32, mut below: u32) -> Tower {
        let (mut body, mut mass, mut lightest) = (top, 0.0, Real::INFINITY);
        let mut tower = Tower { extent: Real::INFINITY, thickness: Real::INFINITY, ..Tower::default() };
        loop {
            let core = &self.bodies.cores[body as usize];
            let own = 1.0 / core.inv_mass;
            (tower.extent, tower.thickness) =
                (tower.extent.min(core.extent), tower.thickness.min(core.thickness));
            (mass, lightest) = (mass + own, lightest.min(own));
            tower.count += 1;
            match self.only_below(below) {
                Some(Step { has_above: true, below: next, .. }) => (body, below) = (below, next),
                _ => break,
            }
        }
        tower.weight = mass / lightest;
        tower
    }

    /// The one body that a body stands on; None if it stands on several, or is joined to something, or more than one is above it.
    pub(super) fn only_below(&self, body: u32) -> Option<Step> {
        let record = &self.bodies.records[body];
        if self.bodies.cores[body as usize].inv_mass == 0.0 || record.first_joint != NONE {
            return None;
        }
        let up = self.settings.gravity * (-1.0 / self.settings.weight_scale());
        let (mut above, mut below) = (0, None);
        for (contact, side) in self.contacts.of_body(record.first_contact) {
            let hot = &self.contacts.hot[contact as usize];
            if !hot.is_solid() {
                continue;
            }
            let normal = hot.normal(self.bodies.places[hot.bodies[0] as usize].rotation);
            let rise = normal.dot(up) * if side == 1 { 1.0 } else { -1.0 };
            if rise > UPRIGHT && below.is_none() {
                below = Some((hot.bodies[1 - side], contact));
            } else if rise < -UPRIGHT && above == 0 {
                above = 1;
            } else {
                return None;
            }
        }
        below.map(|(below, contact)| Step { has_above: above == 1, below, contact })
    }

    /// Mass of a body over that of one it stands on, at most (no unit).
    pub(super) fn heaviest_on_light(&self, island: u32) -> Real {
        let (mut body, mut largest) = (self.islands.slots[island].head, 0.0);
        while body != NONE {
            largest = Real::max(largest, self.weight_on_light(body));
            body = self.bodies.records[body].island_next;
        }
        largest
    }

    /// The same of one body.
    fn weight_on_light(&self, body: u32) -> Real {
        let up = self.settings.gravity * (-1.0 / self.settings.weight_scale());
        let (inv_mass, mut largest) = (self.bodies.cores[body as usize].inv_mass, 0.0);
        for (contact, side) in self.contacts.of_body(self.bodies.records[body].first_contact) {
            let hot = &self.contacts.hot[contact as usize];
            let below = self.bodies.cores[hot.bodies[1 - side] as usize].inv_mass;
            let normal = hot.normal(self.bodies.places[hot.bodies[0] as usize].rotation);
            let rise = normal.dot(up) * if side == 1 { 1.0 } else { -1.0 };
            if hot.is_solid() && rise > UPRIGHT && inv_mass > 0.0 {
                largest = Real::max(largest, below / inv_mass);
            }
        }
        largest
    }

    /// True if one very heavy body of a small heap, as heavy as all others together, lies on a light one. In heaps of any sizes a
    /// light body at the bottom bears many times its weight too, but it is that of many others, whose contacts share it.
    pub(super) fn is_laden(&self, island: u32, size: &Size) -> bool {
        self.may_be_laden(island, size) && self.weight_on_light(size.heaviest.1) > self.settings.refine_load
    }

    /// The same wherever the heavy one is: it may be in the air for a moment.
    pub(super) fn may_be_laden(&self, island: u32, size: &Size) -> bool {
        let (heaviest, _) = size.heaviest;
        size.is_uneven
            && self.islands.slots[island].count <= MOST_LADEN
            && heaviest >= LADEN * self.settings.refine_load
            && 2.0 * heaviest >= size.weight
    }

    /// True if nothing of an island moves as if it were on its way to somewhere else.
    pub(super) fn is_still(&self, island: u32) -> bool {
        self.moving_of(island) == 0
    }

    /// How many bodies of an island do.
    pub(super) fn moving_of(&self, island: u32) -> u32 {
        let limit = 2.0 * FALL * self.settings.weight_scale();
        let (mut body, mut count) = (self.islands.slots[island].head, 0);
        while body != NONE {
            let core = &self.bodies.cores[body as usize];
            count += u32::from(core.motion.linear.length_squared() > limit * core.extent);
            body = self.bodies.records[body].island_next;
        }
        count
    }

    /// True if a contact bounces now: its surfaces approach or part faster than what rests on what. Contacts at rest are as if they had
    /// no restitution, and impacts leave them to the soft contact by the same rule.
    pub(super) fn is_bouncing(&self, contact: u32) -> bool {
        let settings = &self.settings;
        if self.contacts.hot[contact as usize].restitution <= 0.0 || !settings.restitution {
            return false;
        }
        let rest = settings.restitution_threshold + REST_STEPS * settings.dt * settings.weight_scale();
        self.approach_speeds(contact).any(|speed| speed.abs() > rest)
    }

    /// True if some body of an island touches something.
    pub(super) fn touches(&self, island: u32) -> bool {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let record = &self.bodies.records[body];
            let mut contacts = self.contacts.of_body(record.first_contact);
            if contacts.any(|(contact, _)| self.contacts.hot[contact as usize].is_solid()) {
                return true;
            }
            body = record.island_next;
        }
        false
    }
}
