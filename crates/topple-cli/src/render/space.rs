//! Pictures of space. Three passes over the rows, each on all threads: what every pixel sees and how much light comes
//! there; the colours, light smoothed over the sixteen pixels that share a pattern of rays; finer samples at edges.

use super::Effects;
use super::camera::Camera;
use super::image::Image;
use super::shade::{Light, Surface};
use super::stage::Stage;
use rayon::prelude::*;
use topple::{D3, Vec3};
use topple_scene::model::Scene;

/// Samples of a pixel at an edge, as places in it: no two in a row or column.
const FINE: [(f32, f32); 8] = [
    (0.0625, 0.3125),
    (0.1875, 0.8125),
    (0.3125, 0.0625),
    (0.4375, 0.5625),
    (0.5625, 0.1875),
    (0.6875, 0.9375),
    (0.8125, 0.4375),
    (0.9375, 0.6875),
];

/// What a pixel sees.
#[derive(Clone, Copy, Debug)]
struct Seen {
    surface: Surface,
    sunlight: f32,
    openness: f32,
}

/// Draws space.
pub(crate) fn draw(
    stage: &Stage<D3>,
    scene: &Scene,
    camera: &Camera,
    extent: f32,
    size: (u32, u32),
    effects: Effects,
) -> Image {
    let painter = Painter {
        light: Light::new(stage, scene, extent, effects),
        camera: *camera,
        width: size.0 as usize,
        height: size.1 as usize,
        pixel: 2.0 * camera.half_height / size.1 as f32,
    };
    let (width, height) = (painter.width, painter.height);
    let mut seen: Vec<Option<Seen>> = vec![None; width * height];
    seen.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = painter.look(x, y);
        }
    });
    let mut pixels = vec![Vec3::ZERO; width * height];
    pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let is_edge = effects.smooth && painter.is_edge(&seen, x, y);
            *pixel = if is_edge { painter.fine(&seen, x, y) } else { painter.colour(&seen, x, y) };
        }
    });
    Image { width: size.0, height: size.1, pixels }
}

struct Painter<'a> {
    light: Light<'a>,
    camera: Camera,
    width: usize,
    height: usize,
    /// Height of a pixel at distance 1.
    pixel: f32,
}

impl Painter<'_> {
    fn ray(&self, x: f32, y: f32) -> (Vec3, Vec3) {
        self.camera.ray(x / self.width as f32, y / self.height as f32)
    }

    fn look(&self, x: usize, y: usize) -> Option<Seen> {
        let (eye, direction) = self.ray(x as f32 + 0.5, y as f32 + 0.5);
        let surface = self.light.find(eye, direction)?;
        // Sixteen patterns, one for each place in a square of four by four.
        let pattern = (x % 4 + 4 * (y % 4)) as u32;
        Some(Seen {
            surface,
            sunlight: self.light.sunlight(&surface, pattern),
            openness: self.light.openness(&surface, pattern + 16),
        })
    }

    /// Light around a pixel, over those that see the same surface: sunlight, openness.
    fn smoothed(&self, seen: &[Option<Seen>], x: usize, y: usize, surface: &Surface) -> (f32, f32) {
        let mut sums = (0.0, 0.0, 0.0);
        for y in y.saturating_sub(2)..(y + 2).min(self.height) {
            for x in x.saturating_sub(2)..(x + 2).min(self.width) {
                let Some(other) = &seen[y * self.width + x] else { continue };
                if other.surface.id == surface.id && other.surface.normal.dot(surface.normal) > 0.9 {
                    sums = (sums.0 + other.sunlight, sums.1 + other.openness, sums.2 + 1.0);
                }
            }
        }
        if sums.2 > 0.0 { (sums.0 / sums.2, sums.1 / sums.2) } else { (-1.0, -1.0) }
    }

    fn colour(&self, seen: &[Option<Seen>], x: usize, y: usize) -> Vec3 {
        let (_, direction) = self.ray(x as f32 + 0.5, y as f32 + 0.5);
        let (eye, found) = (self.ray(x as f32 + 0.5, y as f32 + 0.5).0, &seen[y * self.width + x]);
        let colour = match found {
            None => self.light.sky(direction),
            Some(found) => {
                let (sunlight, openness) = self.smoothed(seen, x, y, &found.surface);
                self.light.shade(&found.surface, direction, sunlight, openness, self.pixel)
            }
        };
        self.light.veiled(colour, eye, direction, found.as_ref().map(|found| found.surface.distance))
    }

    /// Whether a neighbour sees something else.
    fn is_edge(&self, seen: &[Option<Seen>], x: usize, y: usize) -> bool {
        let here = &seen[y * self.width + x];
        let differs = |x: usize, y: usize| match (here, &seen[y * self.width + x]) {
            (None, None) => false,
            (Some(a), Some(b)) => {
                let (a, b) = (&a.surface, &b.surface);
                a.id != b.id || a.normal.dot(b.normal) < 0.9
            }
            _ => true,
        };
        (x > 0 && differs(x - 1, y))
            || (x + 1 < self.width && differs(x + 1, y))
            || (y > 0 && differs(x, y - 1))
            || (y + 1 < self.height && differs(x, y + 1))
    }

    /// A pixel from several samples. What a pixel nearby sees lends them its light.
    fn fine(&self, seen: &[Option<Seen>], x: usize, y: usize) -> Vec3 {
        let sample = |(dx, dy): (f32, f32)| {
            let (eye, direction) = self.ray(x as f32 + dx, y as f32 + dy);
            let Some(surface) = self.light.find(eye, direction) else {
                return self.light.veiled(self.light.sky(direction), eye, direction, None);
            };
            let (mut sunlight, mut openness) = self.smoothed(seen, x, y, &surface);
            if sunlight < 0.0 {
                sunlight = self.light.sunlight(&surface, 0);
                openness = self.light.openness(&surface, 16);
            }
            let colour = self.light.shade(&surface, direction, sunlight, openness, self.pixel);
            self.light.veiled(colour, eye, direction, Some(surface.distance))
        };
        FINE.into_iter().map(sample).sum::<Vec3>() / FINE.len() as f32
    }
}
