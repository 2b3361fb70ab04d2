//! Light: one sun, a sky, shadows, occlusion; the floor's pattern.

use super::Effects;
use super::camera::nice;
use super::image::light;
use super::stage::{Stage, VEIL};
use topple::math::PointOps;
use topple::{D3, Point3, Shape3, Vec3};
use topple_scene::model::Scene;

/// Numbers of walls start here.
pub(crate) const WALLS: u32 = 1 << 31;

/// Where a ray from the eye ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Number of the piece or wall.
    pub id: u32,
    /// Distance from the eye [m].
    pub distance: f32,
    /// The point [m].
    pub point: Vec3,
    /// Unit normal towards the eye.
    pub normal: Vec3,
}

/// Light of a scene.
pub(crate) struct Light<'a> {
    pub stage: &'a Stage<D3>,
    pub effects: Effects,
    /// Towards the sun.
    sun: Vec3,
    /// Place of a lamp that shines instead [m].
    lamp: Option<Vec3>,
    sun_colour: Vec3,
    casts: bool,
    background: Option<Vec3>,
    ambient: f32,
    /// Size of what is seen [m].
    size: f32,
    /// Side of the floor's squares [m].
    square: f32,
}

/// Towards the sun, where the scene gives none.
const SUN: Vec3 = Vec3::new(-0.50, 1.0, 0.60);
/// Brightness of light of intensity 1.
const SUN_LIGHT: f32 = 0.88;
/// Half width of the sun, as a tangent: wider than the real one, for softer shadows.
const SUN_SIZE: f32 = 0.03;
/// Shadow rays where the first four agree, and where they do not.
const SHADOW_RAYS: [u32; 2] = [4, 16];
/// Occlusion rays; sixteen pixels share theirs.
const OCCLUSION_RAYS: u32 = 4;

impl<'a> Light<'a> {
    pub(crate) fn new(stage: &'a Stage<D3>, scene: &Scene, size: f32, effects: Effects) -> Self {
        let vec = |d: [f64; 3]| Vec3::new(d[0] as f32, d[1] as f32, d[2] as f32);
        let given = scene.lights.first();
        let lamp = given.filter(|light| light.direction.is_none()).and_then(|light| light.at).map(vec);
        let sun = given.and_then(|light| light.direction).map_or(SUN, |d| -vec(d));
        let (sun_colour, casts) = match given {
            Some(given) => (light(given.colour) * (SUN_LIGHT * given.intensity as f32), given.shadows),
            None => (Vec3::new(1.06, 1.0, 0.90) * SUN_LIGHT, true),
        };
        let background = scene.background.as_ref().map(|given| light(given.colour));
        let ambient = scene.background.as_ref().map_or(1.0, |given| (given.ambient / 0.3).min(3.0) as f32);
        Self {
            stage,
            effects,
            sun: sun.normalize_or(Vec3::Y),
            lamp,
            sun_colour,
            casts,
            background,
            ambient,
            size,
            square: nice(size * 0.1),
        }
    }

    /// What the sky looks like in a direction.
    pub(crate) fn sky(&self, direction: Vec3) -> Vec3 {
        if let Some(colour) = self.background {
            return colour;
        }
        let height = direction.y.clamp(0.0, 1.0);
        let low = Vec3::new(0.84, 0.89, 0.94);
        let high = Vec3::new(0.34, 0.52, 0.78);
        low + (high - low) * (1.0 - (1.0 - height) * (1.0 - height)) * 0.8
    }

    /// Where a ray ends; None in the sky. Walls seen from behind are not there.
    pub(crate) fn find(&self, eye: Vec3, direction: Vec3) -> Option<Surface> {
        let far = 4000.0 * self.size;
        let mut best: Option<Surface> = None;
        let mut max = far;
        for (index, wall) in self.stage.walls.iter().enumerate() {
            let towards = wall.normal.dot(direction);
            let height = wall.normal.dot(eye) - wall.offset;
            if towards < -1e-6 && height > 0.0 && height < -towards * max {
                max = height / -towards;
                let point = eye + direction * max;
                let id = WALLS + index as u32;
                best = Some(Surface { id, distance: max, point, normal: wall.normal });
            }
        }
        if let Some((index, distance, normal)) = self.stage.first(Point3::from_vec(eye), direction, max) {
            let normal = if normal == Vec3::ZERO { -direction } else { normal };
            let point = eye + direction * distance;
            best = Some(Surface { id: index as u32, distance, point, normal });
        }
        best
    }

    /// A colour seen through the sensor before it, if there is one.
    pub(crate) fn veiled(&self, colour: Vec3, eye: Vec3, direction: Vec3, distance: Option<f32>) -> Vec3 {
        let max = distance.unwrap_or(4000.0 * self.size);
        match self.stage.veil(Point3::from_vec(eye), direction, max) {
            Some(veil) => colour + (veil - colour) * VEIL,
            None => colour,
        }
    }

    /// Unit vector from a point to the light, and how far that is [m].
    fn towards(&self, point: Vec3) -> (Vec3, f32) {
        match self.lamp {
            Some(lamp) => ((lamp - point).normalize_or(Vec3::Y), (lamp - point).length()),
            None => (self.sun, 50.0 * self.size),
        }
    }

    /// Share of the sun that reaches a point; `seed` scatters the rays.
    pub(crate) fn sunlight(&self, at: &Surface, seed: u32) -> f32 {
        let (sun, far) = self.towards(at.point);
        if !self.effects.shadows || !self.casts || at.normal.dot(sun) <= 0.0 {
            return 1.0;
        }
        let origin = Point3::from_vec(at.point + at.normal * self.lift(at));
        let (a, b) = frame(sun);
        let mut seen = 0;
        let mut cast = 0;
        for rays in SHADOW_RAYS {
            while cast < rays {
                let (x, y) = disk(cast, rays, seed);
                let direction = sun + (a * x + b * y) * SUN_SIZE;
                seen += u32::from(!self.stage.any(origin, direction, far));
                cast += 1;
            }
            if seen == 0 || seen == cast {
                break;
            }
        }
        seen as f32 / cast as f32
    }

    /// Share of the sky that reaches a point, near things considered only.
    pub(crate) fn openness(&self, at: &Surface, seed: u32) -> f32 {
        if !self.effects.occlusion {
            return 1.0;
        }
        let lifted = at.point + at.normal * self.lift(at);
        let (a, b) = frame(at.normal);
        let reach = 0.25 * self.size;
        let mut open = 0.0;
        for index in 0..OCCLUSION_RAYS {
            let (x, y) = disk(index, OCCLUSION_RAYS, seed);
            let direction = a * x + b * y + at.normal * (1.0 - x * x - y * y).max(0.0).sqrt();
            let mut hit = reach;
            if let Some((_, distance, _)) = self.stage.first(Point3::from_vec(lifted), direction, reach) {
                hit = distance;
            }
            for wall in &self.stage.walls {
                let towards = wall.normal.dot(direction);
                let height = wall.normal.dot(lifted) - wall.offset;
                if towards < 0.0 && height > 0.0 {
                    hit = hit.min(height / -towards);
                }
            }
            open += (hit / reach).sqrt();
        }
        open / OCCLUSION_RAYS as f32
    }

    /// Start rays this far off a surface [m].
    fn lift(&self, at: &Surface) -> f32 {
        1e-4 * self.size + 2e-6 * (at.distance + at.point.length())
    }

    /// Colour of a surface, given how much light reaches it; `pixel` is the angle of one.
    pub(crate) fn shade(
        &self,
        at: &Surface,
        direction: Vec3,
        sunlight: f32,
        openness: f32,
        pixel: f32,
    ) -> Vec3 {
        let albedo = self.albedo(at, direction, pixel);
        let (sun, _) = self.towards(at.point);
        let facing = at.normal.dot(sun).max(0.0) * sunlight;
        let up = 0.5 + 0.5 * at.normal.y;
        let sky = Vec3::new(0.40, 0.46, 0.54) * up + Vec3::new(0.20, 0.18, 0.16) * (1.0 - up);
        let mut colour = albedo * (self.sun_colour * facing + sky * (openness * self.ambient));
        if at.id < WALLS {
            let half = (sun - direction).normalize_or(sun);
            let mut shine = at.normal.dot(half).max(0.0);
            (0..5).for_each(|_| shine *= shine);
            colour += self.sun_colour * (0.16 * shine * sunlight);
        }
        // Far away everything goes over into the sky.
        let away = at.distance / (40.0 * self.size);
        let haze = away * away / (1.0 + away * away);
        colour + (self.sky(Vec3::new(direction.x, 0.0, direction.z)) - colour) * haze
    }

    fn albedo(&self, at: &Surface, direction: Vec3, pixel: f32) -> Vec3 {
        if at.id >= WALLS {
            let Some(wall) = self.stage.walls.get((at.id - WALLS) as usize) else { return Vec3::ONE };
            let (a, b) = floor_axes(wall.normal);
            let (u, v) = (at.point.dot(a) / self.square, at.point.dot(b) / self.square);
            // Squares smaller than a pixel would flicker: fade them out.
            let print = at.distance * pixel / (self.square * at.normal.dot(direction).abs().max(1e-4));
            let contrast = 0.09 / (1.0 + print * print * 4.0);
            let odd = (u.floor() + v.floor()).rem_euclid(2.0) >= 1.0;
            return wall.colour * if odd { 1.0 - contrast } else { 1.0 + contrast };
        }
        let Some(piece) = self.stage.pieces.get(at.id as usize) else { return Vec3::ONE };
        // Balls show by their two tones how they turn.
        if matches!(piece.shape, Shape3::Sphere { .. }) && piece.moves {
            let local = piece.pose.inverse_transform(Point3::from_vec(at.point));
            if (local.x > 0.0) ^ (local.y > 0.0) ^ (local.z > 0.0) {
                return piece.colour * 0.74;
            }
        }
        piece.colour
    }
}

/// Two unit vectors at right angles to a unit vector.
fn frame(n: Vec3) -> (Vec3, Vec3) {
    let other = if n.x.abs() < 0.7 { Vec3::X } else { Vec3::Y };
    let a = n.cross(other).normalize_or(Vec3::Z);
    (a, n.cross(a))
}

/// Axes of the pattern of a plane: along the world's where that is possible.
fn floor_axes(n: Vec3) -> (Vec3, Vec3) {
    let other = if n.y.abs() > 0.7 { Vec3::X } else { Vec3::Y };
    let a = (other - n * n.dot(other)).normalize_or(Vec3::X);
    (a, n.cross(a))
}

/// Point `index` of `count` on the unit disk, the whole turned by a seed: a spiral with equal areas.
fn disk(index: u32, count: u32, seed: u32) -> (f32, f32) {
    const GOLDEN: f32 = 2.399_963_2;
    let turn = (hash(seed) >> 8) as f32 / 16_777_216.0 * core::f32::consts::TAU;
    let (sin, cos) = topple::math::sin_cos((index as f32 * GOLDEN + turn).rem_euclid(core::f32::consts::TAU));
    let radius = ((index as f32 + 0.5) / count as f32).sqrt();
    (radius * cos, radius * sin)
}

/// Scrambles a number.
fn hash(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}
