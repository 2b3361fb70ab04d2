//! Contacts in snapshots: what follows from shapes and settings is left out.

use super::World;
use super::snapshot_bodies::is_blank;
use crate::Error;
use crate::body::NONE;
use crate::contact::{Contact, ContactPoint, ContactRecord, Manifold, NO_COLOR};
use crate::math::*;
use crate::narrow_phase::PairCache;
use crate::shape::ShapeRecord;
use crate::store::{Reader, Slots, Writer};

/// Beside the number of points of a manifold: it has an impulse of rolling resistance.
const ROLLS: u8 = 128;

pub(super) fn save<D: Dim>(world: &World<D>, out: &mut Writer) {
    let hot = &world.contacts.hot;
    let mut order = world.contacts.records.iter().map(|(index, _)| index);
    world.contacts.records.save(out, |record, out| {
        let contact = &hot[order.next().unwrap_or(0) as usize];
        contact.shapes.iter().for_each(|&shape| out.var(shape));
        out.u16(contact.flags);
        out.link(contact.next_part);
        record.edges.iter().flatten().for_each(|&link| out.link(link));
        let bits = u8::from(record.colored[0])
            | u8::from(record.colored[1]) << 1
            | u8::from(record.is_linked) << 2
            | u8::from(record.has_begun) << 3
            | u8::from(contact.is_found_asleep) << 4
            | u8::from(contact.is_held) << 5;
        out.u8(bits);
        out.put(&contact.kept);
        // Which side is the ground follows from the bodies.
        out.var(contact.cache.kind & !PairCache::GIVEN);
        out.var(contact.cache.a);
        out.var(contact.cache.b);
        out.real(contact.cache.value);
        let manifold = &contact.manifold;
        let rolls = manifold.count > 0 && !is_blank::<D>(D::Vec::ZERO, manifold.rolling_impulse);
        out.u8(manifold.count as u8 | if rolls { ROLLS } else { 0 });
        if manifold.count == 0 {
            return;
        }
        out.put(&manifold.local_normal);
        out.put(&manifold.friction_impulse);
        if rolls {
            out.put(&manifold.rolling_impulse);
        }
        if D::N == 3 {
            out.real(manifold.twist_impulse);
        }
        for point in manifold.points() {
            out.put(&point.local_a);
            out.real(point.base_separation);
            out.real(point.normal_impulse);
            out.real(point.load);
            out.var(point.id);
        }
    });
    out.vars(world.contacts.awake.as_slice());
}

pub(super) fn load<D: Dim>(
    input: &mut Reader<'_>,
    shapes: &Slots<ShapeRecord<D>>,
    bodies: &crate::body::Bodies<D>,
    settings: &crate::Settings<D>,
) -> Result<(ContactRecord, Contact<D>), Error> {
    const ANY: usize = u32::MAX as usize;
    let pair = [input.var()?, input.var()?];
    let [Some(a), Some(b)] = pair.map(|shape| shapes.get(shape)) else {
        return Err(input.damaged("shape of a contact"));
    };
    let flags = input.u16()?;
    let next_part = input.link(ANY)?;
    let mut edges = [[NONE; 2]; 2];
    for link in edges.iter_mut().flatten() {
        *link = input.link(ANY)?;
    }
    let bits = input.u8()?;
    let record = ContactRecord {
        edges,
        color: NO_COLOR,
        color_slot: NONE,
        colored: [bits & 1 == 1, bits >> 1 & 1 == 1],
        is_linked: bits >> 2 & 1 == 1,
        has_begun: bits >> 3 & 1 == 1,
    };
    let kept: Pose<D> = input.get()?;
    let cache = PairCache { kind: input.var()?, a: input.var()?, b: input.var()?, value: input.real()? };
    let size = input.u8()?;
    let (count, rolls) = (u32::from(size & !ROLLS), size & ROLLS != 0);
    let mut manifold = Manifold::<D> { count, ..Manifold::default() };
    if manifold.count as usize > D::MAX_POINTS {
        return Err(input.damaged("number of contact points"));
    }
    if manifold.count > 0 {
        manifold.local_normal = input.get()?;
        manifold.friction_impulse = input.get()?;
        if rolls {
            manifold.rolling_impulse = input.get()?;
        }
        if D::N == 3 {
            manifold.twist_impulse = input.real()?;
        }
        for point in manifold.points_mut() {
            *point = ContactPoint {
                local_a: input.get()?,
                base_separation: input.real()?,
                normal_impulse: input.real()?,
                load: input.real()?,
                id: input.var()?,
            };
        }
    }
    let impulses = manifold
        .points()
        .iter()
        .all(|p| [p.normal_impulse, p.load].iter().all(|x| *x >= 0.0 && x.is_finite()));
    let finite = manifold.local_normal.is_finite()
        && manifold.friction_impulse.is_finite()
        && manifold.rolling_impulse.is_finite()
        && manifold.twist_impulse.is_finite()
        && kept.is_valid();
    if !impulses || !finite || a.body == b.body {
        return Err(input.damaged("numbers of a contact"));
    }
    let (is_found_asleep, is_held) = (bits >> 4 & 1 == 1, bits >> 5 & 1 == 1);
    let blank = Contact::new([a.body, b.body], pair, flags);
    let mut contact = Contact { manifold, cache, kept, next_part, is_found_asleep, is_held, ..blank };
    super::links::mix_materials(&mut contact, a, b, bodies, settings);
    Ok((record, contact))
}
