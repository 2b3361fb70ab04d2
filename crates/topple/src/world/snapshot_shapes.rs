//! Shapes in snapshots: every geometry once, every combination of geometry, place and surface once.

use super::World;
use super::snapshot::checksum;
use crate::Error;
use crate::body::BodyKind;
use crate::math::*;
use crate::shape::{Filter, Material, Mixing, ShapeDef, ShapeOps, ShapeRecord};
use crate::store::{Reader, Slots, Writer};

/// Byte strings, each once, found again by their content.
#[derive(Default)]
struct Once {
    blobs: Vec<Vec<u8>>,
    by_hash: std::collections::BTreeMap<u64, Vec<u32>>,
}

impl Once {
    /// The number of `bytes`.
    fn number(&mut self, bytes: Vec<u8>) -> u32 {
        let same = self.by_hash.entry(checksum(&bytes)).or_default();
        if let Some(&known) = same.iter().find(|&&i| self.blobs[i as usize] == bytes) {
            return known;
        }
        let next = self.blobs.len() as u32;
        same.push(next);
        self.blobs.push(bytes);
        next
    }

    fn save(&self, out: &mut Writer) {
        out.u32(self.blobs.len() as u32);
        self.blobs.iter().for_each(|bytes| out.blob(bytes));
    }
}

/// What shapes have in common is written once: first every geometry, then every combination of geometry, place, material
/// and filter.
pub(super) fn save<D: Dim>(world: &World<D>, out: &mut Writer) {
    let (mut geometries, mut kinds) = (Once::default(), Once::default());
    let mut kind_of = Vec::new();
    let mut by_address = std::collections::BTreeMap::<usize, u32>::new();
    for (_, shape) in world.shapes.iter() {
        let address = shape.shape.shared();
        // The rounding of a hull is beside what is shared: equal addresses may still be different shapes.
        let known = address.filter(|_| shape.shape.rounding() == 0.0).and_then(|at| by_address.get(&at));
        let geometry = known.copied().unwrap_or_else(|| {
            let mut bytes = Writer::default();
            shape.shape.save(&mut bytes);
            geometries.number(bytes.into_bytes())
        });
        if let (Some(at), 0.0) = (address, shape.shape.rounding()) {
            by_address.insert(at, geometry);
        }
        let mut kind = Writer::default();
        kind.var(geometry);
        save_surface(shape, &mut kind);
        kind_of.push(kinds.number(kind.into_bytes()));
    }
    geometries.save(out);
    kinds.save(out);
    let (mut at, mut last_body) = (0, 0);
    world.shapes.save(out, |shape, out| {
        out.var(kind_of[at]);
        at += 1;
        out.near(shape.body, &mut last_body);
    });
    for (index, _) in world.shapes.iter() {
        out.put(&world.proxies.get(index).fat);
    }
}

fn save_surface<D: Dim>(shape: &ShapeRecord<D>, out: &mut Writer) {
    out.put(&shape.local);
    out.real(shape.density);
    let m = &shape.material;
    for value in [m.friction, m.static_friction, m.restitution, m.rolling_friction, m.spinning_friction] {
        out.real(value);
    }
    out.put(&m.surface_velocity);
    out.put(&m.grain);
    out.real(m.grain_friction);
    for rule in [m.friction_mixing, m.restitution_mixing] {
        let position = rule.and_then(|rule| Mixing::NAMES.iter().position(|&(_, known)| known == rule));
        out.u8(position.map_or(255, |p| p as u8));
    }
    out.u64(shape.filter.category);
    out.u64(shape.filter.mask);
    out.u32(shape.filter.group as u32);
    for flag in [shape.is_sensor, shape.persist_events, shape.hit_events, shape.pre_solve] {
        out.bool(flag);
    }
    out.u64(shape.user_data);
}

fn load_surface<D: Dim>(bytes: &[u8], geometries: &[D::Shape]) -> Result<ShapeDef<D>, Error> {
    let mut input = Reader::new(bytes);
    let shape = geometries[input.index(geometries.len())? as usize].clone();
    let local = input.get()?;
    let density = input.real()?;
    let mut material = Material {
        friction: input.real()?,
        static_friction: input.real()?,
        restitution: input.real()?,
        rolling_friction: input.real()?,
        spinning_friction: input.real()?,
        surface_velocity: input.get()?,
        grain: input.get()?,
        grain_friction: input.real()?,
        ..Material::default()
    };
    let mut rule = || -> Result<Option<Mixing>, Error> {
        match input.u8()? {
            255 => Ok(None),
            i => {
                Mixing::NAMES.get(i as usize).map(|&(_, rule)| Some(rule)).ok_or(input.damaged("mixing rule"))
            }
        }
    };
    material.friction_mixing = rule()?;
    material.restitution_mixing = rule()?;
    let filter = Filter { category: input.u64()?, mask: input.u64()?, group: input.u32()? as i32 };
    let [is_sensor, persist_events, hit_events, pre_solve] =
        [input.bool()?, input.bool()?, input.bool()?, input.bool()?];
    let user_data = input.u64()?;
    let def = ShapeDef {
        shape,
        local,
        density,
        material,
        filter,
        is_sensor,
        persist_events,
        hit_events,
        pre_solve,
        user_data,
    };
    def.validate()
        .map_err(|error| Error::Snapshot { reason: format!("holds an impossible shape: {error}") })?;
    Ok(def)
}

pub(super) fn load<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    let count = input.length(4)?;
    let geometries =
        (0..count).map(|_| D::Shape::load(&mut Reader::new(input.blob()?))).collect::<Result<Vec<_>, _>>()?;
    let count = input.length(8)?;
    let kinds =
        (0..count).map(|_| load_surface::<D>(input.blob()?, &geometries)).collect::<Result<Vec<_>, _>>()?;
    let bodies = &world.bodies.records;
    let mut last_body = 0;
    world.shapes = Slots::load(input, |input| {
        let kind = input.index(kinds.len())?;
        let body = input.near(&mut last_body)?;
        bodies.get(body).ok_or_else(|| input.damaged("body of a shape"))?;
        Ok(ShapeRecord::new(&kinds[kind as usize], body))
    })?;
    let mut seen = crate::store::BitSet::default();
    for (index, record) in bodies.iter() {
        for &shape in &record.shapes {
            let ours = world.shapes.get(shape).is_some_and(|s| s.body == index);
            if !ours || seen.contains(shape) {
                return Err(input.damaged("shapes of a body"));
            }
            let fixed = !world.shapes[shape].shape.can_move();
            if fixed && record.kind == BodyKind::Dynamic {
                return Err(input.damaged("a shape that cannot move on a dynamic body"));
            }
            seen.insert(shape);
        }
    }
    Ok(())
}
