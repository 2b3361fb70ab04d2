//! A slot map: values at stable u32 indices, freed slots reused with a higher generation.

use super::{RawId, Reader, Writer, room};
use crate::Error;

const FREE_END: u32 = u32::MAX;

/// Values at stable indices, with generations and a last-in-first-out free list.
///
/// DETERMINISM: the index of the next insertion depends only on the sequence of insertions and removals; the free
/// list is part of snapshots.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    entries: Vec<Entry<T>>,
    free_head: u32,
    count: u32,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    slot: Slot<T>,
}

/// One or the other: values with room to spare in a flag take no more than themselves.
#[derive(Clone, Debug)]
enum Slot<T> {
    Value(T),
    /// The next free slot.
    Free(u32),
}

impl<T> Entry<T> {
    #[inline]
    fn value(&self) -> Option<&T> {
        match &self.slot {
            Slot::Value(value) => Some(value),
            Slot::Free(_) => None,
        }
    }

    #[inline]
    fn value_mut(&mut self) -> Option<&mut T> {
        match &mut self.slot {
            Slot::Value(value) => Some(value),
            Slot::Free(_) => None,
        }
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free_head: FREE_END, count: 0 }
    }
}

impl<T> Slots<T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of slots, free ones included: one more than the largest index ever used.
    pub fn slot_count(&self) -> usize {
        self.entries.len()
    }

    /// The id the next insertion will get.
    pub fn next_id(&self) -> RawId {
        match self.entries.get(self.free_head as usize) {
            Some(entry) => RawId { index: self.free_head, generation: entry.generation },
            None => RawId { index: self.entries.len() as u32, generation: 0 },
        }
    }

    /// Makes room for `additional` more values.
    pub fn reserve(&mut self, additional: usize) {
        let free = self.entries.len() - self.count as usize;
        room::make_room(&mut self.entries, additional.saturating_sub(free));
    }

    /// Makes room for `count` in all, and touches it.
    pub(crate) fn warm(&mut self, count: usize) {
        room::warm(&mut self.entries, count);
    }

    /// Adds a value.
    pub fn insert(&mut self, value: T) -> RawId {
        let id = self.next_id();
        match self.entries.get_mut(id.index as usize) {
            Some(entry) => {
                if let Slot::Free(next) = core::mem::replace(&mut entry.slot, Slot::Value(value)) {
                    self.free_head = next;
                }
            }
            None => room::push(&mut self.entries, Entry { generation: 0, slot: Slot::Value(value) }),
        }
        self.count += 1;
        id
    }

    /// Takes the value at `index` out; its id is stale from now on.
    pub fn remove(&mut self, index: u32) -> Option<T> {
        let entry = self.entries.get_mut(index as usize)?;
        entry.value()?;
        let slot = core::mem::replace(&mut entry.slot, Slot::Free(self.free_head));
        entry.generation = entry.generation.wrapping_add(1);
        self.free_head = index;
        self.count -= 1;
        match slot {
            Slot::Value(value) => Some(value),
            Slot::Free(_) => None,
        }
    }

    /// The slot of a live id.
    pub fn resolve(&self, id: RawId) -> Option<u32> {
        let entry = self.entries.get(id.index as usize)?;
        (entry.value().is_some() && entry.generation == id.generation).then_some(id.index)
    }

    /// The id of the value at `index`.
    pub fn id_at(&self, index: u32) -> Option<RawId> {
        let entry = self.entries.get(index as usize)?;
        entry.value().map(|_| RawId { index, generation: entry.generation })
    }

    /// The id of the value that is known to be at `index`.
    #[inline]
    pub(crate) fn id_of_live(&self, index: u32) -> RawId {
        debug_assert!(self.get(index).is_some(), "no value at {index}");
        // PERF: whether the slot is in use stands in the value, most often in another cache line.
        RawId { index, generation: self.entries[index as usize].generation }
    }

    /// Value at `index`, if the slot is in use.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)?.value()
    }

    /// Value at `index`, if the slot is in use.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.entries.get_mut(index as usize)?.value_mut()
    }

    /// Slots in use with their values, in order of index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.entries.iter().enumerate().filter_map(|(i, e)| e.value().map(|v| (i as u32, v)))
    }

    /// Slots in use with their values, in order of index.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.entries.iter_mut().enumerate().filter_map(|(i, e)| e.value_mut().map(|v| (i as u32, v)))
    }

    /// Writes generations, free list and values.
    pub fn save(&self, out: &mut Writer, mut save: impl FnMut(&T, &mut Writer)) {
        out.u32(self.entries.len() as u32);
        out.link(self.free_head);
        for entry in &self.entries {
            let is_fresh = entry.generation == 0;
            out.u8(u8::from(entry.value().is_some()) | u8::from(is_fresh) << 1);
            if !is_fresh {
                out.var(entry.generation);
            }
            match &entry.slot {
                Slot::Value(value) => save(value, out),
                Slot::Free(next) => out.link(*next),
            }
        }
    }

    /// Reads what [`Self::save`] wrote.
    pub fn load(
        input: &mut Reader<'_>,
        mut load: impl FnMut(&mut Reader<'_>) -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let length = input.length(2)?;
        let free_head = input.link(length)?;
        let mut slots = Self { entries: Vec::with_capacity(length), free_head, count: 0 };
        for _ in 0..length {
            let bits = input.u8()?;
            if bits > 3 {
                return Err(input.damaged("slot"));
            }
            let generation = if bits & 2 == 0 { input.var()? } else { 0 };
            let slot =
                if bits & 1 == 1 { Slot::Value(load(input)?) } else { Slot::Free(input.link(length)?) };
            slots.count += u32::from(matches!(slot, Slot::Value(_)));
            slots.entries.push(Entry { generation, slot });
        }
        slots.check_free_list(input)?;
        Ok(slots)
    }

    /// The free list must visit every free slot exactly once.
    fn check_free_list(&self, input: &Reader<'_>) -> Result<(), Error> {
        let mut next = self.free_head;
        let mut remaining = self.entries.len() - self.count as usize;
        while next != FREE_END {
            match self.entries.get(next as usize).map(|entry| &entry.slot) {
                Some(&Slot::Free(after)) if remaining > 0 => next = after,
                _ => return Err(input.damaged("free list")),
            }
            remaining -= 1;
        }
        if remaining == 0 { Ok(()) } else { Err(input.damaged("free list")) }
    }
}

impl<T> core::ops::Index<u32> for Slots<T> {
    type Output = T;
    /// The value at `index`. Panics if the slot is free: an internal index must be live.
    #[inline]
    fn index(&self, index: u32) -> &T {
        self.get(index).expect("live slot")
    }
}

impl<T> core::ops::IndexMut<u32> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut T {
        self.get_mut(index).expect("live slot")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_no_more_than_its_value_and_generation() {
        assert_eq!(size_of::<Entry<([u32; 6], bool)>>(), 32);
    }

    #[test]
    fn freed_slots_come_back_with_a_new_generation() {
        let mut slots = Slots::default();
        let a = slots.insert('a');
        let b = slots.insert('b');
        assert_eq!(slots.remove(a.index), Some('a'));
        assert_eq!(slots.resolve(a), None);
        let c = slots.insert('c');
        assert_eq!((c.index, c.generation), (a.index, 1));
        assert_eq!(slots.resolve(a), None, "the old id stays stale");
        assert_eq!(slots.resolve(b), Some(b.index));
        assert_eq!(slots.remove(9), None);
        assert_eq!(slots.len(), 2);
    }
}
