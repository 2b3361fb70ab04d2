//! Plain line drawings of a scene, as PNG: enough to see that every engine was given the same bodies in the same places.

use crate::engine::Dim;
use crate::scenes::{Generator, Scene, Spec};
use crate::world::Pose;
use anyhow::Context;
use glam::{Quat, Vec2, Vec3};
use std::path::Path;

/// Size of one panel [pixels].
const PANEL: (usize, usize) = (420, 340);

/// An RGB image.
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Image {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![255; width * height * 3] }
    }

    fn set(&mut self, x: i32, y: i32, color: [u8; 3]) {
        if (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y) {
            let i = (y as usize * self.width + x as usize) * 3;
            self.pixels[i..i + 3].copy_from_slice(&color);
        }
    }

    fn line(&mut self, a: Vec2, b: Vec2, color: [u8; 3]) {
        let steps = (b - a).abs().max_element().ceil().clamp(1.0, 4000.0);
        for i in 0..=steps as i32 {
            let p = a.lerp(b, i as f32 / steps);
            self.set(p.x.round() as i32, p.y.round() as i32, color);
        }
    }

    /// Writes the image.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut encoder =
            png::Encoder::new(std::io::BufWriter::new(file), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(())
    }
}

/// Outlines of the shapes of one body, in its frame.
type Outlines = Vec<Vec<Vec3>>;

/// Outlines of every body of a scene, in order of creation; empty for ghosts' and meshes' shapes that cannot be drawn so.
pub fn outlines(scene: &Scene) -> Vec<Outlines> {
    match scene.generator {
        Generator::Two(make) => of_spec(&make(scene.size)),
        Generator::Three(make) => of_spec(&make(scene.size)),
    }
}

fn of_spec<D: Dim>(spec: &Spec<D>) -> Vec<Outlines> {
    let part = |part: &crate::engine::Part<D>| {
        let core = D::core(&part.geometry)?;
        let place = |p: Vec3| D::vec3(part.offset) + D::quat(part.rotation) * p;
        // A rounded shape is drawn as the points of small circles about its core points, in all three planes.
        let mut points = Vec::new();
        for &p in &core.points {
            if core.radius == 0.0 {
                points.push(place(p));
                continue;
            }
            for i in 0..12 {
                let (s, c) = (i as f32 / 12.0 * std::f32::consts::TAU).sin_cos();
                points.push(place(p + Vec3::new(c, s, 0.0) * core.radius));
                if !D::PLANAR {
                    points.push(place(p + Vec3::new(0.0, s, c) * core.radius));
                    points.push(place(p + Vec3::new(c, 0.0, s) * core.radius));
                }
            }
        }
        Some(points)
    };
    spec.bodies.iter().map(|body| body.parts.iter().filter_map(part).collect()).collect()
}

/// Where the panels of one scene look: the same for all, so that they can be compared by eye.
#[derive(Clone, Copy, Debug)]
pub struct View {
    low: Vec2,
    high: Vec2,
}

/// An oblique view: x to the right, y up, z to the back right.
fn project(p: Vec3) -> Vec2 {
    Vec2::new(p.x - 0.35 * p.z, p.y - 0.25 * p.z)
}

impl View {
    /// Around the moving bodies of some states. Bodies far from the middle half of all are left out: one stray body must
    /// not shrink the rest to a dot.
    pub fn around<'a>(states: impl Iterator<Item = &'a [Pose]>) -> Self {
        let mut xs = Vec::new();
        let mut ys = Vec::new();
        for pose in states.flatten() {
            let p = project(Vec3::from_array(pose.position));
            if p.is_finite() {
                xs.push(p.x);
                ys.push(p.y);
            }
        }
        let range = |values: &mut Vec<f32>| {
            values.sort_by(f32::total_cmp);
            let at = |share: f32| values.get((values.len() as f32 * share) as usize).copied().unwrap_or(0.0);
            let (low, high) = (at(0.02), at(0.98));
            let margin = (high - low) * 0.15 + 1.5;
            (low - margin, high + margin)
        };
        let ((left, right), (bottom, top)) = (range(&mut xs), range(&mut ys));
        Self { low: Vec2::new(left, bottom), high: Vec2::new(right, top) }
    }

    fn scale(&self) -> f32 {
        let size = self.high - self.low;
        (PANEL.0 as f32 / size.x).min(PANEL.1 as f32 / size.y)
    }
}

/// Draws panels: one row per moment, one column per engine.
pub fn sheet(outlines: &[Outlines], moments: &[Vec<Option<Vec<Pose>>>], view: View) -> Image {
    let columns = moments.first().map_or(0, Vec::len);
    let mut image = Image::new(columns * PANEL.0, moments.len() * PANEL.1);
    for (row, states) in moments.iter().enumerate() {
        for (column, state) in states.iter().enumerate() {
            let corner = Vec2::new((column * PANEL.0) as f32, (row * PANEL.1) as f32);
            let mut panel = Image::new(PANEL.0, PANEL.1);
            if let Some(poses) = state {
                draw(&mut panel, outlines, poses, view);
            }
            for y in 0..PANEL.1 {
                for x in 0..PANEL.0 {
                    let edge = x == 0 || y == 0;
                    let i = (y * PANEL.0 + x) * 3;
                    let color = if edge {
                        [200; 3]
                    } else {
                        [panel.pixels[i], panel.pixels[i + 1], panel.pixels[i + 2]]
                    };
                    image.set(corner.x as i32 + x as i32, corner.y as i32 + y as i32, color);
                }
            }
        }
    }
    image
}

fn draw(panel: &mut Image, outlines: &[Outlines], poses: &[Pose], view: View) {
    let scale = view.scale();
    let to_pixel = |p: Vec3| {
        let q = project(p);
        let from_middle = (q - (view.low + view.high) * 0.5) * scale;
        Vec2::new(PANEL.0 as f32 * 0.5 + from_middle.x, PANEL.1 as f32 * 0.5 - from_middle.y)
    };
    for (i, (shapes, pose)) in outlines.iter().zip(poses).enumerate() {
        let (at, turn) = (Vec3::from_array(pose.position), Quat::from_array(pose.rotation));
        // Colours by order of creation, so that a swapped body would show.
        let hue = i as f32 / outlines.len() as f32 * std::f32::consts::TAU;
        let channel = |shift: f32| (110.0 + 90.0 * (hue + shift).sin()) as u8;
        let color = [channel(0.0), channel(2.1), channel(4.2)];
        for points in shapes {
            let flat: Vec<Vec2> = points.iter().map(|p| to_pixel(at + turn * *p)).collect();
            if flat.iter().any(|p| !p.is_finite()) {
                continue;
            }
            let hull = convex_hull(flat);
            for (k, &p) in hull.iter().enumerate() {
                panel.line(p, hull[(k + 1) % hull.len()], color);
            }
        }
    }
}

/// Andrew's monotone chain.
fn convex_hull(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull: Vec<Vec2> = Vec::new();
    for pass in 0..2 {
        let start = hull.len();
        for &p in &points {
            while hull.len() >= start + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
        if pass == 0 {
            points.reverse();
        }
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_of_a_square_with_a_point_inside_has_four_corners() {
        let v = Vec2::new;
        let hull = convex_hull(vec![v(0.0, 0.0), v(2.0, 0.0), v(1.0, 1.0), v(2.0, 2.0), v(0.0, 2.0)]);
        assert_eq!(hull.len(), 4);
    }
}
