//! Where a scene is seen from: the scene's camera, or one that has everything in the picture.

use super::stage::Stage;
use topple::math::VecOps;
use topple::shape::ShapeOps;
use topple::{D2, D3, Vec2, Vec3};
use topple_scene::lower::Space;
use topple_scene::model::{Camera as Given, Scene};
use topple_scene::run::{Run, Simulation};

/// The room that a scene takes: what matters of it, without planes, endless floors and lost bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

/// A box as two corners.
type Bounds = ([f32; 3], [f32; 3]);

fn join(a: Bounds, b: Bounds) -> Bounds {
    (std::array::from_fn(|i| a.0[i].min(b.0[i])), std::array::from_fn(|i| a.1[i].max(b.1[i])))
}

fn span(b: Bounds) -> f32 {
    (0..3).map(|i| b.1[i] - b.0[i]).fold(0.0, f32::max)
}

impl Extent {
    /// The room taken now.
    pub(crate) fn of(simulation: &Simulation) -> Self {
        match simulation {
            Simulation::Two(run) => Self::of_stage(&Stage::<D2>::new(run)),
            Simulation::Three(run) => Self::of_stage(&Stage::<D3>::new(run)),
        }
    }

    /// The room taken at several times.
    pub(crate) fn union(all: Vec<Self>) -> Self {
        let joined = all.iter().map(|extent| (extent.low, extent.high)).reduce(join);
        let (low, high) = joined.unwrap_or(([-1.0; 3], [1.0; 3]));
        Self { low, high }
    }

    fn of_stage<D: Space>(stage: &Stage<D>) -> Self {
        let bounds = |moves: bool| -> Vec<Bounds> {
            let pieces = stage.pieces.iter().filter(|piece| piece.moves == moves);
            let boxes = pieces.map(|piece| piece.shape.aabb(&piece.pose)).filter(|found| found.is_finite());
            boxes.map(|found| (floats::<D>(found.min), floats::<D>(found.max))).collect()
        };
        let (movers, standing) = (bounds(true), bounds(false));
        let mut room = trimmed(&movers);
        match room {
            // Platforms and ramps belong to the picture, the ground that everything stands on does not.
            Some(moving) => {
                let limit = 2.5 * span(moving).max(0.1);
                let near = |found: &&Bounds| {
                    span(**found) < limit
                        && (0..3)
                            .all(|i| found.1[i] > moving.0[i] - limit && found.0[i] < moving.1[i] + limit)
                };
                room = standing.iter().filter(near).copied().chain([moving]).reduce(join);
            }
            None => room = standing.iter().copied().reduce(join),
        }
        let (mut low, mut high) = room.unwrap_or(([-1.0, 0.0, -1.0], [1.0, 2.0, 1.0]));
        // The floor below shows how high things are.
        let height = span((low, high));
        for wall in &stage.walls {
            let up = wall.normal.get(1);
            if up > 0.99 && wall.offset <= low[1] && low[1] - wall.offset < height {
                low[1] = wall.offset / up;
            }
        }
        for axis in 0..D::N {
            if high[axis] - low[axis] < 1e-3 * height.max(1e-3) {
                low[axis] -= 0.05 * height.max(1e-3);
                high[axis] += 0.05 * height.max(1e-3);
            }
        }
        Self { low, high }
    }

    /// Largest side [m].
    pub(crate) fn size(&self) -> f32 {
        span((self.low, self.high)).max(1e-3)
    }
}

fn floats<D: Space>(point: D::Point) -> [f32; 3] {
    D::point_out(point).map(|value| value as f32)
}

/// Bounds of most boxes: those far from where nearly all others are would make the rest too small to see.
fn trimmed(boxes: &[Bounds]) -> Option<Bounds> {
    let mut low = [0.0; 3];
    let mut high = [0.0; 3];
    for axis in 0..3 {
        let mut middles: Vec<f32> = boxes.iter().map(|b| 0.5 * (b.0[axis] + b.1[axis])).collect();
        middles.sort_by(f32::total_cmp);
        let last = middles.len().checked_sub(1)?;
        let (from, to) = (middles[last / 20], middles[last - last / 20]);
        let largest = boxes.iter().map(|b| b.1[axis] - b.0[axis]).fold(0.0, f32::max);
        let margin = 1.0 * (to - from) + largest;
        (low[axis], high[axis]) = (from - margin, to + margin);
    }
    let inside = |b: &&Bounds| (0..3).all(|i| b.1[i] >= low[i] && b.0[i] <= high[i]);
    boxes.iter().filter(inside).copied().reduce(join)
}

/// Place of the body that the scene's camera follows, and how far it has come since the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    place: [f64; 3],
    moved: [f64; 3],
}

/// The body that the scene's camera follows.
pub(crate) fn followed(scene: &Scene, simulation: &Simulation) -> Option<Followed> {
    let name = scene.cameras.first()?.follow.as_ref()?;
    crate::session::each!(simulation, run => follow(run, name))
}

fn follow<D: Space>(run: &Run<D>, name: &str) -> Option<Followed> {
    let info = run.bodies.iter().find(|info| info.exists && info.name.as_deref() == Some(name))?;
    let place = D::point_out(run.world.body(info.id).ok()?.center());
    Some(Followed { place, moved: std::array::from_fn(|axis| place[axis] - info.start()[axis]) })
}

/// Whether the scene has a camera that says where it is.
pub(crate) fn is_given(scene: &Scene) -> bool {
    scene.cameras.first().is_some_and(|camera| camera.at.is_some())
}

/// A camera in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// Half of the picture's height at distance 1; without perspective, in metres.
    pub half_height: f32,
    pub has_perspective: bool,
    pub aspect: f32,
}

/// Seen from the front right, a little from above.
const DIRECTION: Vec3 = Vec3::new(0.50, 0.42, 1.0);
/// Tangent of half of the vertical angle of view.
const VIEW: f32 = 0.36;
/// Room around the scene.
const MARGIN: f32 = 1.08;

fn vec3(v: [f64; 3]) -> Vec3 {
    Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

impl Camera {
    /// The camera of a scene, or one that sees its extent.
    pub(crate) fn new(scene: &Scene, extent: &Extent, followed: Option<Followed>, size: (u32, u32)) -> Self {
        let aspect = size.0 as f32 / size.1 as f32;
        let (low, high) = (Vec3::from_array(extent.low), Vec3::from_array(extent.high));
        let middle = (low + high) * 0.5;
        let given = scene.cameras.first();
        let target = followed.map(|body| body.place).or_else(|| given?.target).map_or(middle, vec3);
        // It goes along with what it follows.
        let moved = followed.map_or(Vec3::ZERO, |body| vec3(body.moved));
        let eye = given.and_then(|camera| camera.at).map(|at| vec3(at) + moved);
        let up = given.map_or(Vec3::Y, |camera| vec3(camera.up));
        let half_height = given.map_or(VIEW, |camera| tangent(0.5 * camera.fov));
        let forward = eye.map_or(-DIRECTION, |eye| target - eye).normalize_or(Vec3::NEG_Z);
        let right = forward.cross(up).normalize_or(Vec3::X);
        let up = right.cross(forward);
        let mut camera = Self { eye: middle, right, up, forward, half_height, has_perspective: true, aspect };
        let is_fixed = followed.is_some() || given.is_some_and(|camera| camera.target.is_some());
        camera.eye = eye.unwrap_or_else(|| camera.stand_back(target, low, high, is_fixed));
        if let Some(given) = given.filter(|given| given.orthographic) {
            camera.has_perspective = false;
            camera.half_height =
                given.height.map_or(0.5 * MARGIN * extent.size(), |height| 0.5 * height as f32);
        }
        camera
    }

    /// The nearest place from which the whole box is in the picture, in its middle if nobody said what is.
    fn stand_back(&self, mut target: Vec3, low: Vec3, high: Vec3, is_fixed: bool) -> Vec3 {
        let corners: [Vec3; 8] = core::array::from_fn(|corner| {
            let pick = |bit: usize, low: f32, high: f32| if corner & bit == 0 { low } else { high };
            Vec3::new(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z))
        });
        let mut distance = 0.0_f32;
        // Moving the target changes what is near; a few rounds settle it.
        for _ in 0..4 {
            let needed = corners.map(|corner| {
                let p = corner - target;
                let side = p.dot(self.up).abs().max(p.dot(self.right).abs() / self.aspect);
                MARGIN * side / self.half_height - p.dot(self.forward)
            });
            distance = needed.into_iter().fold(0.0, f32::max);
            if is_fixed {
                break;
            }
            for axis in [self.right, self.up] {
                let seen = corners.map(|corner| {
                    let p = corner - target;
                    p.dot(axis) / (distance + p.dot(self.forward)).max(1e-6)
                });
                let (least, most) =
                    (seen.into_iter().fold(f32::MAX, f32::min), seen.into_iter().fold(f32::MIN, f32::max));
                target += axis * (0.5 * (least + most) * distance);
            }
        }
        target - self.forward * distance
    }

    /// Height of a pixel in the middle of the scene [m], in a picture of so many rows.
    pub(crate) fn pixel_at(&self, extent: &Extent, rows: u32) -> f32 {
        let middle = (Vec3::from_array(extent.low) + Vec3::from_array(extent.high)) * 0.5;
        let distance = if self.has_perspective { (middle - self.eye).length() } else { 1.0 };
        2.0 * self.half_height * distance / rows as f32
    }

    /// Ray through a place of the picture, from (0, 0) top left to (1, 1); the direction has length 1.
    pub(crate) fn ray(&self, x: f32, y: f32) -> (Vec3, Vec3) {
        let side = self.right * ((2.0 * x - 1.0) * self.half_height * self.aspect)
            + self.up * ((1.0 - 2.0 * y) * self.half_height);
        if self.has_perspective {
            (self.eye, (self.forward + side).normalize_or(self.forward))
        } else {
            (self.eye + side, self.forward)
        }
    }
}

/// Tangent of an angle below a right one [rad].
fn tangent(angle: f64) -> f32 {
    let (sin, cos) = topple::math::sin_cos(angle as f32);
    sin / cos.max(1e-3)
}

/// A view of the plane: its middle and the metres per pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub middle: Vec2,
    pub scale: f32,
    pub size: (u32, u32),
}

impl View {
    /// The camera of a scene, or one that sees its extent.
    pub(crate) fn new(scene: &Scene, extent: &Extent, followed: Option<Followed>, size: (u32, u32)) -> Self {
        let low = Vec2::new(extent.low[0], extent.low[1]);
        let high = Vec2::new(extent.high[0], extent.high[1]);
        let given: Option<&Given> = scene.cameras.first();
        let place =
            followed.map(|body| body.place).or_else(|| given.and_then(|camera| camera.target.or(camera.at)));
        let middle = place.map_or((low + high) * 0.5, |at| Vec2::new(at[0] as f32, at[1] as f32));
        let room = (high - low) * (1.15 * MARGIN);
        let fitting = (room.x / size.0 as f32).max(room.y / size.1 as f32).max(1e-6);
        let scale = given.and_then(|camera| camera.height).map_or(fitting, |h| h as f32 / size.1 as f32);
        Self { middle, scale, size }
    }

    /// The point of the world at a place in pixels from the top left.
    pub(crate) fn point(&self, x: f32, y: f32) -> Vec2 {
        let (width, height) = (self.size.0 as f32, self.size.1 as f32);
        self.middle + Vec2::new(x - 0.5 * width, 0.5 * height - y) * self.scale
    }

    /// The place in pixels from the top left of a point of the world.
    pub(crate) fn pixel(&self, point: Vec2) -> Vec2 {
        let (width, height) = (self.size.0 as f32, self.size.1 as f32);
        let from_middle = (point - self.middle) / self.scale;
        Vec2::new(0.5 * width + from_middle.x, 0.5 * height - from_middle.y)
    }

    /// A length that is easy to count with, at least so many pixels long [m].
    pub(crate) fn nice(&self, pixels: f32) -> f32 {
        nice(self.scale * pixels)
    }
}

/// The next of … 1, 2, 5, 10 … above a length.
pub(crate) fn nice(length: f32) -> f32 {
    let mut unit = 1e-6_f32;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if unit * factor >= length || unit > 1e9 {
                return unit * factor;
            }
        }
        unit *= 10.0;
    }
}
