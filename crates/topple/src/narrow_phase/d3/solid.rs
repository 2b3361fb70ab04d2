//! Corners, edges and faces of the cores of bounded shapes, as separating axes want them: each in the frame of shape a,
//! computed when asked for.
//!
//! Cylinders and cones have a rim instead of corners. They are seen through a polygon in it: all around at first, then
//! a few of its edges about the azimuth of the best axis so far, closer and closer.

use crate::distance::Wide;
use crate::math::*;
use crate::shape::Shape3;
use crate::shape::d3::{BoxHull, HullView, triangle};

/// Edges of the polygon all around a rim.
const AROUND: usize = 12;
/// Edges of the polygon about an azimuth.
const NEAR: usize = 4;
/// Directions at half steps of the larger polygon, one before the first and one after the last included.
const HALF_STEPS: usize = 2 * AROUND + 3;
/// cos and sin of half a step all around: π/12.
const HALF_STEP: (f64, f64) = (0.965_925_826_289_068_3, 0.258_819_045_102_520_76);
/// Sine of the smallest angle by which a direction may be outside of the arc of an edge and still count (no unit): rounding.
const ARC_SLACK: f64 = 1e-6;

/// An edge of a core and the directions in which it is farthest out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub ends: [Wide; 2],
    /// Unit vector along it.
    pub along: Wide,
    arc: Arc,
}

/// The normals of an edge: part of the circle across it.
#[derive(Clone, Copy, Debug)]
enum Arc {
    /// A segment by itself: all of it.
    Full,
    /// Edge of a flat triangle: the half towards this unit vector.
    Half(Wide),
    /// From the normal of one face to that of the other.
    Between(Wide, Wide),
}

impl Edge {
    /// True if the edge is farthest out along `x`, which is at right angles to it.
    #[inline]
    pub(super) fn faces(&self, x: Wide) -> bool {
        match self.arc {
            Arc::Full => true,
            Arc::Half(out) => x.dot(out) >= -ARC_SLACK,
            Arc::Between(m, n) => {
                let turn = m.cross(n).dot(self.along);
                let side = if turn < 0.0 { -1.0 } else { 1.0 };
                x.dot(m + n) > 0.0
                    && side * m.cross(x).dot(self.along) >= -ARC_SLACK
                    && side * x.cross(n).dot(self.along) >= -ARC_SLACK
            }
        }
    }
}

/// A shape of which features can be asked for.
#[allow(clippy::large_enum_variant, reason = "lives on the stack for one pair; a box would allocate")]
pub(super) enum Core<'a> {
    /// Core of a sphere (both ends equal) or of a capsule.
    Segment([Vec3; 2]),
    Triangle([Vec3; 3], Vec3),
    Hull(HullView<'a>),
    Revolved(Revolved),
}

/// A cylinder or cone, seen through a polygon in its rim.
pub(super) struct Revolved {
    /// A cone has its tip above and no upper rim.
    is_cone: bool,
    half_height: f64,
    radius: f64,
    /// Directions across the axis (x, z) at half steps; the corners are at the odd ones.
    directions: [(f64, f64); HALF_STEPS],
    /// Edges of the polygon.
    count: usize,
    /// cos of half a step.
    cos: f64,
}

/// A core at its place in the frame of a.
pub(super) struct Solid<'a> {
    core: Core<'a>,
    /// Axes and position in the frame of a.
    axes: [Wide; 3],
    position: Wide,
    is_close: bool,
}

impl<'a> Solid<'a> {
    /// None for shapes without bounds or with children. `hull` is room for a box.
    pub(super) fn new(shape: &'a Shape3, pose: &Pose<D3>, hull: &'a mut Option<BoxHull>) -> Option<Self> {
        let core = match shape {
            Shape3::Sphere { .. } => Core::Segment([Vec3::ZERO; 2]),
            Shape3::Capsule { a, b, .. } => Core::Segment([*a, *b]),
            Shape3::Triangle { a, b, c } => {
                Core::Triangle([*a, *b, *c], triangle::normal([*a, *b, *c]).unwrap_or(Vec3::Y))
            }
            Shape3::Box { half, .. } => Core::Hull(hull.insert(BoxHull::new(*half)).view()),
            Shape3::Hull { data, .. } => Core::Hull(data.view()),
            Shape3::Cylinder { half_height, radius, .. } => {
                Core::Revolved(Revolved::new(false, *half_height, *radius))
            }
            Shape3::Cone { half_height, radius, .. } => {
                Core::Revolved(Revolved::new(true, *half_height, *radius))
            }
            Shape3::Plane { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => return None,
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| Wide::of(pose.rotation.rotate(axis)));
        Some(Self { core, axes, position: Wide::of(pose.position.to_vec()), is_close: false })
    }

    fn turn(&self, v: Wide) -> Wide {
        self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z
    }

    fn place(&self, v: Wide) -> Wide {
        self.position + self.turn(v)
    }

    /// True if the features are those of a polygon in a curved rim.
    pub(super) fn is_curved(&self) -> bool {
        matches!(self.core, Core::Revolved(_))
    }

    /// Looks at the rim about the azimuth of `normal` (frame of a) only, with steps of tan(step / 4) = `t` radians.
    pub(super) fn look_along(&mut self, normal: Wide, t: f64) {
        self.is_close = true;
        let (x, z) = (normal.dot(self.axes[0]), normal.dot(self.axes[2]));
        if let Core::Revolved(shape) = &mut self.core {
            shape.look_along(x, z, t);
        }
    }

    pub(super) fn point_count(&self) -> usize {
        match &self.core {
            Core::Segment([p, q]) => 1 + usize::from(p != q),
            Core::Triangle(..) => 3,
            Core::Hull(view) => view.vertices.len(),
            Core::Revolved(shape) if shape.is_cone => shape.corners() + 1,
            Core::Revolved(shape) => 2 * shape.corners(),
        }
    }

    pub(super) fn point(&self, i: usize) -> Wide {
        self.place(match &self.core {
            Core::Segment(ends) => Wide::of(ends[i]),
            Core::Triangle(corners, _) => Wide::of(corners[i]),
            Core::Hull(view) => Wide::of(view.vertices[i]),
            Core::Revolved(shape) => match (i.checked_sub(shape.corners()), shape.is_cone) {
                (None, _) => shape.rim(i, -shape.half_height),
                (Some(_), true) => Wide::new(0.0, shape.half_height, 0.0),
                (Some(k), false) => shape.rim(k, shape.half_height),
            },
        })
    }

    /// Flat faces are left out when looking closer: their axes are known exactly.
    pub(super) fn face_count(&self) -> usize {
        match &self.core {
            Core::Segment(_) => 0,
            Core::Revolved(shape) if self.is_close => shape.count,
            _ if self.is_close => 0,
            Core::Triangle(..) => 2,
            Core::Hull(view) => view.faces.len(),
            Core::Revolved(shape) => shape.count + 1 + usize::from(!shape.is_cone),
        }
    }

    /// Outward unit normal of a face.
    pub(super) fn face(&self, i: usize) -> Wide {
        self.turn(match &self.core {
            Core::Triangle(_, normal) => Wide::of(if i == 0 { *normal } else { -*normal }),
            Core::Hull(view) => Wide::of(view.faces[i].normal),
            Core::Revolved(shape) if i >= shape.count => {
                Wide::new(0.0, if i == shape.count { -1.0 } else { 1.0 }, 0.0)
            }
            Core::Revolved(shape) => shape.facet(i as isize),
            Core::Segment(_) => Wide::new(0.0, 1.0, 0.0),
        })
    }

    pub(super) fn edge_count(&self) -> usize {
        match &self.core {
            Core::Segment([p, q]) => usize::from(p != q),
            Core::Triangle(..) => 3,
            Core::Hull(view) => view.lines.len(),
            Core::Revolved(shape) => shape.corners() + shape.count * if shape.is_cone { 1 } else { 2 },
        }
    }

    /// None for an edge without length.
    pub(super) fn edge(&self, i: usize) -> Option<Edge> {
        let (ends, arc) = match &self.core {
            Core::Segment(ends) => (ends.map(Wide::of), Arc::Full),
            Core::Triangle(corners, normal) => {
                let [p, q] = [corners[i], corners[(i + 1) % 3]].map(Wide::of);
                ([p, q], Arc::Half((q - p).cross(Wide::of(*normal)).unit()?))
            }
            Core::Hull(view) => {
                let line = &view.lines[i];
                let start = Wide::of(line.start);
                let [m, n] = line.normals.map(Wide::of);
                ([start, start + Wide::of(line.along)], Arc::Between(m, n))
            }
            Core::Revolved(shape) => shape.edge(i),
        };
        let ends = ends.map(|p| self.place(p));
        let arc = match arc {
            Arc::Full => Arc::Full,
            Arc::Half(out) => Arc::Half(self.turn(out)),
            Arc::Between(m, n) => Arc::Between(self.turn(m), self.turn(n)),
        };
        Some(Edge { ends, along: (ends[1] - ends[0]).unit()?, arc })
    }
}

impl Revolved {
    fn new(is_cone: bool, half_height: Real, radius: Real) -> Self {
        let mut shape = Self {
            is_cone,
            half_height: f64::from(half_height),
            radius: f64::from(radius),
            directions: [(1.0, 0.0); HALF_STEPS],
            count: AROUND,
            cos: HALF_STEP.0,
        };
        shape.fill((1.0, 0.0), HALF_STEP);
        shape
    }

    /// Fills the directions from that of corner 0 on, half a step being a turn by (cos, sin).
    fn fill(&mut self, first: (f64, f64), half_step: (f64, f64)) {
        let (c, s) = half_step;
        self.directions[0] = (first.0 * c + first.1 * s, first.1 * c - first.0 * s);
        for k in 1..2 * self.count + 3 {
            let (x, z) = self.directions[k - 1];
            self.directions[k] = (x * c - z * s, z * c + x * s);
        }
        self.cos = c;
    }

    fn look_along(&mut self, x: f64, z: f64, t: f64) {
        let length = (x * x + z * z).sqrt();
        let (x, z) = if length > 0.0 { (x / length, z / length) } else { (1.0, 0.0) };
        // A turn by 2·atan(t), exact in length for any t.
        let d = 1.0 + t * t;
        let (c, s) = ((1.0 - t * t) / d, 2.0 * t / d);
        self.count = NEAR;
        // Corner 0 is `NEAR` half steps back.
        let back = (0..NEAR).fold((x, z), |(x, z), _| (x * c + z * s, z * c - x * s));
        self.fill(back, (c, s));
    }

    /// Corners of the polygon that are told apart: the last one of a polygon all around is the first.
    fn corners(&self) -> usize {
        if self.count == AROUND { AROUND } else { self.count + 1 }
    }

    fn rim(&self, corner: usize, y: f64) -> Wide {
        let (x, z) = self.directions[2 * corner + 1];
        Wide::new(self.radius * x, y, self.radius * z)
    }

    /// Outward unit normal of the side over edge `k` of the polygon; −1 is the one before the first.
    fn facet(&self, k: isize) -> Wide {
        let (x, z) = self.directions[(2 * k + 2) as usize];
        if !self.is_cone {
            return Wide::new(x, 0.0, z);
        }
        let up = 2.0 * self.half_height;
        let side = Wide::new(up * x, self.radius * self.cos, up * z);
        side.unit().unwrap_or(Wide::new(x, 0.0, z))
    }

    /// Lower rim, then side lines, then upper rim.
    fn edge(&self, i: usize) -> ([Wide; 2], Arc) {
        let (low, high) = (-self.half_height, self.half_height);
        let rim = |k: usize, y: f64| {
            let cap = Wide::new(0.0, y.signum(), 0.0);
            ([self.rim(k, y), self.rim(k + 1, y)], Arc::Between(cap, self.facet(k as isize)))
        };
        let corners = self.corners();
        if i < self.count {
            rim(i, low)
        } else if i < self.count + corners {
            let k = i - self.count;
            let top = if self.is_cone { Wide::new(0.0, high, 0.0) } else { self.rim(k, high) };
            let sides = Arc::Between(self.facet(k as isize - 1), self.facet(k as isize));
            ([self.rim(k, low), top], sides)
        } else {
            rim(i - self.count - corners, high)
        }
    }
}
