//! Contacts of shapes made of many children: meshes, height fields, chains.
//!
//! The mid phase asks the composite shape for the children near the other shape, collides each of them
//! (`d2/segment.rs`, `d3/probe.rs`), and gathers the points into *parts*: points whose normals agree belong to one
//! part, which becomes one manifold of the pair. A box on fine terrain has one part with four points, not twenty with
//! eighty; a box in a valley has one part for each side.

mod reduce;
mod untrue;

use super::{CollideJob, LocalManifold, LocalPoint, MAX_LOCAL_POINTS, NarrowCounters, Side};
use crate::math::*;
use crate::shape::ShapeOps;

/// Parts a pair can have. More directions than this at once are merged with the nearest one.
pub const MAX_PARTS: usize = 8;
/// Cosine of the angle up to which normals belong to one part (dimensionless; 3.6°).
const SAME_PART: Real = 0.998;
/// Cosine up to which a normal may be forced into another part when there are too many.
const SIMILAR: Real = 0.8;
/// Points a part holds before it is reduced.
const ROOM: usize = 16;

/// Points whose normals agree.
#[derive(Clone, Copy, Debug)]
struct Part<D: Dim> {
    normal: D::Vec,
    /// The normal is that of a child, of the ground if there is one, not one that leans over an edge or a corner.
    is_flat: bool,
    points: [LocalPoint<D>; ROOM],
    count: usize,
}

/// The parts of one pair, in the frame of shape a.
#[derive(Clone, Debug)]
pub struct Parts<D: Dim> {
    parts: [Part<D>; MAX_PARTS],
    count: usize,
    slop: Real,
    used: Used,
}

/// Ids of the points that a pair had last time: they are preferred, so that the choice does not flicker.
#[derive(Clone, Copy, Debug)]
struct Used {
    ids: [u32; MAX_PARTS * MAX_LOCAL_POINTS],
    count: usize,
    /// True if one of the shapes is a body of triangles, not open ground.
    is_body: bool,
}

impl Used {
    const NONE: Self = Self { ids: [0; MAX_PARTS * MAX_LOCAL_POINTS], count: 0, is_body: false };

    #[inline]
    fn contains(&self, id: u32) -> bool {
        self.ids[..self.count].contains(&id)
    }
}

impl<D: Dim> Default for Parts<D> {
    fn default() -> Self {
        let part =
            Part { normal: D::Vec::ZERO, is_flat: false, points: [LocalPoint::default(); ROOM], count: 0 };
        Self { parts: [part; MAX_PARTS], count: 0, slop: 0.0, used: Used::NONE }
    }
}

impl<D: Dim> Parts<D> {
    /// Forgets which points the pair had. `is_body`: one of its shapes is a body of triangles.
    pub(crate) fn forget(&mut self, is_body: bool) {
        (self.used.count, self.used.is_body) = (0, is_body);
    }

    /// Remembers a point that the pair had last time.
    pub(crate) fn remember(&mut self, id: u32) {
        if self.used.count < self.used.ids.len() {
            self.used.ids[self.used.count] = id;
            self.used.count += 1;
        }
    }

    /// Ids of the points that are remembered.
    pub(crate) fn remembered(&self) -> &[u32] {
        &self.used.ids[..self.used.count]
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is no contact.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The normal of part `index`, from a to b.
    pub fn normal(&self, index: usize) -> D::Vec {
        self.parts[index].normal
    }

    /// Part `index` as a manifold of at most `D::MAX_POINTS` points.
    pub fn manifold(&self, index: usize) -> LocalManifold<D> {
        let mut part = self.parts[index];
        part.reduce(self.slop, &self.used);
        let mut out = LocalManifold::default();
        out.normal = part.normal;
        for point in &part.points[..part.count] {
            let mut id = point.id;
            // Distinct ids, whatever the hash of child and feature made of them.
            while out.points().iter().any(|p| p.id == id) {
                id = id.wrapping_add(1);
            }
            out.push(point.position, point.separation, id);
        }
        out
    }

    /// Number of the part with the deepest point.
    pub fn deepest(&self) -> Option<usize> {
        (0..self.count).min_by(|&i, &j| self.parts[i].depth().total_cmp(&self.parts[j].depth()))
    }

    /// Adds the points of a child. `is_flat` tells whether their normal is that of the child.
    fn add(&mut self, child: u32, local: &LocalManifold<D>, is_flat: impl FnOnce() -> bool) {
        if local.is_empty() {
            return;
        }
        let mut found = None;
        let mut agreement = Real::NEG_INFINITY;
        for (i, part) in self.parts[..self.count].iter().enumerate() {
            let dot = part.normal.dot(local.normal);
            if dot > agreement {
                (found, agreement) = (Some(i), dot);
            }
        }
        let index = match found {
            Some(index) if agreement >= SAME_PART => index,
            _ if self.count < MAX_PARTS => {
                self.count += 1;
                self.parts[self.count - 1].count = 0;
                self.parts[self.count - 1].normal = local.normal;
                self.parts[self.count - 1].is_flat = false;
                self.count - 1
            }
            Some(index) if agreement >= SIMILAR => index,
            _ => {
                let shallow = (0..self.count)
                    .max_by(|&i, &j| self.parts[i].depth().total_cmp(&self.parts[j].depth()))
                    .unwrap_or(0);
                let depth = local.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
                if depth >= self.parts[shallow].depth() {
                    return;
                }
                self.parts[shallow].count = 0;
                self.parts[shallow].normal = local.normal;
                self.parts[shallow].is_flat = false;
                shallow
            }
        };
        // What lies on a face and reaches over the border beside it lies on the face, whichever of the two is met first.
        let part = &mut self.parts[index];
        if !part.is_flat && is_flat() {
            (part.normal, part.is_flat) = (local.normal, true);
        }
        for point in local.points() {
            let id = child.wrapping_mul(0x9E37_79B1) ^ point.id;
            self.parts[index].push(LocalPoint { id, ..*point }, self.slop, &self.used);
        }
    }

    /// Keeps the parts for which `keep` is true, in order.
    fn retain(&mut self, keep: impl Fn(&Part<D>) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            if keep(&self.parts[i]) {
                self.parts[kept] = self.parts[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    fn flip(&mut self, b_in_a: &Pose<D>) {
        for part in &mut self.parts[..self.count] {
            part.normal = -b_in_a.rotation.rotate(part.normal);
            for point in &mut part.points[..part.count] {
                point.position = b_in_a.position.to_vec() + b_in_a.rotation.rotate(point.position);
            }
        }
    }
}

impl<D: Dim> Part<D> {
    fn depth(&self) -> Real {
        self.points[..self.count].iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
    }

    fn deepest(&self) -> Option<LocalPoint<D>> {
        let points = self.points[..self.count].iter().copied();
        points.min_by(|x, y| x.separation.total_cmp(&y.separation))
    }

    /// Keeps the points for which `keep` is true, in order.
    fn retain(&mut self, keep: impl Fn(&LocalPoint<D>) -> bool) {
        let mut kept = 0;
        for i in 0..self.count {
            if keep(&self.points[i]) {
                self.points[kept] = self.points[i];
                kept += 1;
            }
        }
        self.count = kept;
    }

    fn push(&mut self, point: LocalPoint<D>, slop: Real, used: &Used) {
        // Neighbouring children report the points on their common edge twice.
        for old in &mut self.points[..self.count] {
            if (old.position - point.position).length_squared() <= slop * slop {
                if point.separation < old.separation {
                    *old = point;
                }
                return;
            }
        }
        if self.count == ROOM {
            self.reduce(slop, used);
        }
        self.points[self.count] = point;
        self.count += 1;
    }
}

/// True if one of the shapes is a body of triangles or segments, not open ground. Corners of such a body stay the same while it rocks. What slides over
/// open ground meets other triangles in every step, and the widest points serve it better than the last ones.
pub(crate) fn has_body<D: Dim>(job: &CollideJob<'_, D>) -> bool {
    is_closed::<D>(job.a) || is_closed::<D>(job.b)
}

/// All contacts of a pair of which at least one shape is composite.
/// `ground`: the one that cannot be pushed, while the other can.
pub(crate) fn collide<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    parts: &mut Parts<D>,
) {
    parts.count = 0;
    parts.slop = job.slop;
    counters.computed += 1;
    // Of two solids the one that can be pushed comes first, and a solid before open ground: what has sunk below that is looked for from its triangles,
    // which know where below is. The box of flat ground does not reach down to it.
    let is_after = ground == Some(Side::A) && are_solids(job) || is_open::<D>(job.a) && is_closed::<D>(job.b);
    if job.a.composite().is_some() && !is_after {
        collide_ordered(job, ground, counters, parts);
    } else {
        collide_ordered(&job.swapped(), ground.map(Side::other), counters, parts);
        parts.flip(&job.b_in_a);
    }
}

/// True if both shapes are made of children and enclose a volume.
fn are_solids<D: Dim>(job: &CollideJob<'_, D>) -> bool {
    is_closed::<D>(job.b) && is_closed::<D>(job.a)
}

/// True if a shape is made of children and encloses a volume.
fn is_closed<D: Dim>(shape: &D::Shape) -> bool {
    shape.composite().is_some_and(|children| children.is_closed())
}

/// True if a shape is made of children that enclose nothing.
fn is_open<D: Dim>(shape: &D::Shape) -> bool {
    shape.composite().is_some_and(|children| !children.is_closed())
}

/// The middle of the solid a of children, in its frame, if it can be pushed and the solid b of children cannot. It stays on its side of whatever b is made of
/// (`continuous/parts.rs`), so that it tells from which side a came into it.
pub(crate) fn body_of<D: Dim>(job: &CollideJob<'_, D>, ground: Option<Side>) -> Option<D::Vec> {
    (ground == Some(Side::B) && are_solids(job)).then(|| job.a.mass(1.0).center)
}

/// [`collide`] if a is composite.
fn collide_ordered<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    parts: &mut Parts<D>,
) {
    let Some(a) = job.a.composite() else { return };
    let mut is_sure = false;
    if job.b.composite().is_some() || job.b.half_space().is_some() {
        D::Shape::collide_composites(job, ground, counters, &mut |key, local, is_flat| {
            parts.add(key, local, || is_flat);
        });
    } else if ground == Some(Side::B) {
        // A body of triangles leans, the floor does not.
        let rotation = job.b_in_a.rotation;
        is_sure = D::Shape::collide_children(a, job, ground, counters, &mut |key, local| {
            let mut local = *local;
            let face = job.b.face_along(rotation.rotate_inv(-local.normal));
            let is_flat = face.is_some_and(|face| local.lie_on(-rotation.rotate(face)));
            parts.add(key, &local, || is_flat);
        });
    } else {
        is_sure = D::Shape::collide_children(a, job, ground, counters, &mut |key, local| {
            parts.add(key, local, || key < a.child_count() && a.normal(key) == local.normal);
        });
    }
    if !is_sure && job.a.is_solid() && job.b.is_solid() {
        parts.drop_untrue(job, ground);
    }
}

/// The part with the deepest point alone, for callers that want one manifold.
pub(crate) fn collide_single<D: Dim>(
    job: &CollideJob<'_, D>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D>,
) {
    let mut parts = Parts::default();
    collide(job, ground, counters, &mut parts);
    match parts.deepest() {
        Some(index) => *out = parts.manifold(index),
        None => out.clear(),
    }
}
