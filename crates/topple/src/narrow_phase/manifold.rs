//! The result of a contact function.

use crate::math::*;

/// Points a contact function can report before reduction.
pub const MAX_LOCAL_POINTS: usize = 4;

/// Cosine of the angle up to which a face of the ground and the normal of a contact look the same way (no unit; 2.5°).
const SAME_WAY: Real = 0.999;

/// Contact of two shapes in the frame of shape a.
///
/// The normal points from a to b. Every point lies half-way between the two surfaces; its separation is measured along
/// the normal, negative when the shapes overlap there. Points farther apart than the job's margin are left out; a
/// manifold without points means "no contact". Shapes that are apart by less than the margin have a point wherever a face or a round
/// side is closest, or two edges that cross; sharp boxes and hulls whose closest points are a corner and an edge or another corner
/// may have none until they overlap: there the axes that are looked at may separate them by more, or their edges cross beyond their ends. At most `D::MAX_POINTS` points. Ids are equal in consecutive steps while
/// the same features touch, distinct within a manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalManifold<D: Dim> {
    /// Unit vector from a to b, in the frame of a.
    pub normal: D::Vec,
    points: [LocalPoint<D>; MAX_LOCAL_POINTS],
    count: usize,
}

/// One contact point of a [`LocalManifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalPoint<D: Dim> {
    /// Mid-point between the surfaces, in the frame of a [m].
    pub position: D::Vec,
    /// Distance of the surfaces along the normal [m]; negative: overlap.
    pub separation: Real,
    /// Names the pair of features.
    pub id: u32,
}

impl<D: Dim> Default for LocalManifold<D> {
    fn default() -> Self {
        Self { normal: D::Vec::ZERO, points: [LocalPoint::default(); MAX_LOCAL_POINTS], count: 0 }
    }
}

impl<D: Dim> LocalManifold<D> {
    /// Counts shapes as thicker by `skin` [m] all together.
    #[inline]
    pub(crate) fn thicken(&mut self, skin: Real) {
        if skin > 0.0 {
            self.points_mut().iter_mut().for_each(|point| point.separation -= skin);
        }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a point: its place and its separation [m], and what names it. Points beyond `D::MAX_POINTS` are ignored: reduce first.
    #[inline]
    pub fn push(&mut self, position: D::Vec, separation: Real, id: u32) {
        if self.count < D::MAX_POINTS {
            self.points[self.count] = LocalPoint { position, separation, id };
            self.count += 1;
        }
    }

    /// The points.
    #[inline]
    pub fn points(&self) -> &[LocalPoint<D>] {
        &self.points[..self.count]
    }

    /// The points.
    pub fn points_mut(&mut self) -> &mut [LocalPoint<D>] {
        &mut self.points[..self.count]
    }

    /// True if there is no contact.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if all of it is numbers.
    #[inline]
    pub(crate) fn is_sound(&self) -> bool {
        let sound = |p: &LocalPoint<D>| p.position.is_finite() && p.separation.is_finite();
        self.normal.is_finite() && self.points().iter().all(sound)
    }

    /// Takes over the normal of a face of the ground, from a to b, that looks the same way. The points stay: each has one end on either surface, so that
    /// the face is apart from the other shape by as much there. False if there is no contact, or it is another face's.
    pub(crate) fn lie_on(&mut self, face: D::Vec) -> bool {
        let along = face.dot(self.normal);
        if self.is_empty() || along < SAME_WAY {
            return false;
        }
        self.normal = face;
        self.points[..self.count].iter_mut().for_each(|point| point.separation *= along);
        true
    }

    /// Turns a result that was computed for the pair (b, a) in the frame of b into one for (a, b) in the frame of a.
    pub fn flip(&mut self, b_in_a: &Pose<D>) {
        self.normal = -b_in_a.rotation.rotate(self.normal);
        for point in &mut self.points[..self.count] {
            point.position = b_in_a.position.to_vec() + b_in_a.rotation.rotate(point.position);
        }
    }
}
