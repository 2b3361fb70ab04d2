//! Pictures of the plane: filled shapes with an outline, on squared paper.
//!
//! Every sample asks the world which shape it is in. Outlines lie where a neighbour within their width belongs to
//! another shape; so all shapes there are get one.

use super::Effects;
use super::camera::View;
use super::image::{Image, light};
use super::stage::{Stage, VEIL};
use super::strokes::Stroke;
use rayon::prelude::*;
use topple::math::PointOps;
use topple::world::QueryFilter;
use topple::{D2, Point2, Shape2, Vec2, Vec3};
use topple_scene::model::Scene;

/// Nothing is here.
const NOTHING: u32 = u32::MAX;
/// Numbers of walls start here.
const WALLS: u32 = 1 << 31;
/// Width of an outline [pixels].
const OUTLINE: f32 = 1.3;
/// Half of the width of a line without thickness, of a joint or of a spring [pixels].
const STROKE: f32 = 1.2;
/// Radius of the pin of a joint [pixels].
const DOT: f32 = 3.0;
const PAPER: [f64; 3] = [0.975, 0.97, 0.955];

/// Draws the plane.
pub(crate) fn draw(
    stage: &Stage<D2>,
    strokes: &[Stroke],
    scene: &Scene,
    view: View,
    effects: Effects,
) -> Image {
    let size = view.size;
    let fine = if effects.smooth { 3 } else { 1 };
    let painter = Painter {
        stage,
        view,
        fine,
        paper: scene.background.as_ref().map_or(light(PAPER), |given| light(given.colour)),
        squares: scene.background.is_none().then(|| view.nice(60.0)),
        lines: stage.pieces.iter().enumerate().flat_map(|(index, piece)| lines(index, piece)).collect(),
    };
    let (width, height) = (size.0 as usize * fine, size.1 as usize * fine);
    let mut ids = vec![NOTHING; width * height];
    ids.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, id) in row.iter_mut().enumerate() {
            *id = painter.what(painter.place(x, y));
        }
    });
    let mut pixels = vec![Vec3::ZERO; (size.0 * size.1) as usize];
    pixels.par_chunks_mut(size.0 as usize).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let mut sum = Vec3::ZERO;
            for part in 0..fine * fine {
                let (x, y) = (x * fine + part % fine, y * fine + part / fine);
                sum += painter.colour(&ids, width, height, x, y);
            }
            *pixel = sum / (fine * fine) as f32;
        }
    });
    for stroke in strokes {
        ink(&mut pixels, &view, stroke);
    }
    Image { width: size.0, height: size.1, pixels }
}

/// Draws a line over the picture, as far as it covers each pixel.
fn ink(pixels: &mut [Vec3], view: &View, stroke: &Stroke) {
    let (width, height) = view.size;
    let flat = |point: &Vec3| view.pixel(Vec2::new(point.x, point.y));
    let (radius, ends) = match &stroke.points[..] {
        [dot] => (DOT, vec![[flat(dot); 2]]),
        points => (STROKE, points.windows(2).map(|pair| [flat(&pair[0]), flat(&pair[1])]).collect()),
    };
    // Each pixel once, however many pieces of the line cross it.
    let (low, high) =
        ends.iter().flatten().fold((Vec2::splat(f32::MAX), Vec2::splat(f32::MIN)), |(low, high), point| {
            (low.min(*point), high.max(*point))
        });
    let range = |low: f32, high: f32, size: u32| {
        let clamp = |value: f32| value.clamp(0.0, size as f32) as u32;
        clamp((low - radius - 1.0).floor())..clamp((high + radius + 2.0).ceil())
    };
    for y in range(low.y, high.y, height) {
        for x in range(low.x, high.x, width) {
            let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let away = ends.iter().map(|[a, b]| distance(at, *a, *b)).fold(f32::MAX, f32::min);
            let share = (radius + 0.5 - away).clamp(0.0, 1.0);
            let pixel = &mut pixels[(y * width + x) as usize];
            *pixel += (stroke.colour - *pixel) * share;
        }
    }
}

struct Painter<'a> {
    stage: &'a Stage<D2>,
    view: View,
    /// Samples per pixel along each side.
    fine: usize,
    paper: Vec3,
    /// Side of the squares on the paper [m].
    squares: Option<f32>,
    /// Pieces without thickness.
    lines: Vec<(u32, Vec2, Vec2)>,
}

/// Pieces without thickness: their number and their ends.
fn lines(index: usize, piece: &super::stage::Piece<D2>) -> Vec<(u32, Vec2, Vec2)> {
    let end = |local: Vec2| -> Vec2 { piece.pose.transform(local).to_vec() };
    match &piece.shape {
        Shape2::Segment { a, b } => vec![(index as u32, end(*a), end(*b))],
        Shape2::Chain { data } => {
            let corners = data.vertices();
            let last = data.is_loop().then(|| [corners[corners.len() - 1], corners[0]]);
            let pairs = corners.windows(2).map(|pair| [pair[0], pair[1]]).chain(last);
            pairs.map(|[a, b]| (index as u32, end(a), end(b))).collect()
        }
        _ => Vec::new(),
    }
}

impl Painter<'_> {
    fn place(&self, x: usize, y: usize) -> Vec2 {
        let fine = self.fine as f32;
        self.view.point((x as f32 + 0.5) / fine, (y as f32 + 0.5) / fine)
    }

    /// The number of what is at a place.
    fn what(&self, at: Vec2) -> u32 {
        let reach = STROKE * self.view.scale;
        let on_line = self.lines.iter().find(|(_, a, b)| distance(at, *a, *b) < reach);
        if let Some((index, ..)) = on_line {
            return *index;
        }
        let found = self.stage.world.shapes_at(Point2::from(at), &QueryFilter::default());
        if let Some(hit) = found.ok().and_then(|hits| hits.last().copied()) {
            return hit.shape.index();
        }
        let wall = self.stage.walls.iter().position(|wall| wall.normal.dot(at) <= wall.offset);
        wall.map_or(NOTHING, |index| WALLS + index as u32)
    }

    fn colour(&self, ids: &[u32], width: usize, height: usize, x: usize, y: usize) -> Vec3 {
        let at = self.place(x, y);
        let colour = self.solid(ids, width, height, x, y, at);
        if self.stage.veil_colours.is_empty() {
            return colour;
        }
        let found = self.stage.veils.shapes_at(Point2::from(at), &QueryFilter::default());
        let veils = found.ok().unwrap_or_default();
        veils.iter().fold(colour, |colour, veil| {
            let tint = self.stage.veil_colours.get(veil.shape.index() as usize).copied().unwrap_or(colour);
            colour + (tint - colour) * VEIL
        })
    }

    fn solid(&self, ids: &[u32], width: usize, height: usize, x: usize, y: usize, at: Vec2) -> Vec3 {
        let id = ids[y * width + x];
        if id == NOTHING {
            return self.paper(at);
        }
        let colour = if id >= WALLS { self.wall(id, at) } else { self.piece(id, at) };
        let reach = (OUTLINE * self.fine as f32).max(1.0) as isize;
        let differs = |dx: isize, dy: isize| {
            let (x, y) = (x as isize + dx, y as isize + dy);
            let inside = x >= 0 && y >= 0 && (x as usize) < width && (y as usize) < height;
            inside && ids[y as usize * width + x as usize] != id
        };
        let far = reach * reach;
        let at_edge =
            (-reach..=reach).any(|dy| (-reach..=reach).any(|dx| dx * dx + dy * dy <= far && differs(dx, dy)));
        if at_edge { colour * 0.22 } else { colour }
    }

    fn paper(&self, at: Vec2) -> Vec3 {
        let Some(side) = self.squares else { return self.paper };
        let near = |value: f32, side: f32| {
            let off = value / side - (value / side).round();
            off.abs() * side < 0.5 * self.view.scale
        };
        let on = |side: f32| near(at.x, side) || near(at.y, side);
        if on(side * 5.0) {
            self.paper * 0.86
        } else if on(side) {
            self.paper * 0.93
        } else {
            self.paper
        }
    }

    fn wall(&self, id: u32, at: Vec2) -> Vec3 {
        let wall = &self.stage.walls[(id - WALLS) as usize];
        // Hatched, as in drawings of mechanics.
        let along = (at.x + at.y) / (self.view.scale * 9.0);
        let stripe = along - along.floor() < 0.16;
        wall.colour * if stripe { 0.72 } else { 0.86 }
    }

    /// Round shapes get a mark that shows how they turn.
    fn piece(&self, id: u32, at: Vec2) -> Vec3 {
        let Some(piece) = self.stage.pieces.get(id as usize) else { return Vec3::ONE };
        if let Shape2::Circle { radius } = piece.shape
            && piece.moves
            && radius > 4.0 * self.view.scale
        {
            let local = piece.pose.inverse_transform(Point2::from(at));
            let line = local.x > 0.0 && local.y.abs() < (OUTLINE * 0.6 * self.view.scale).min(0.1 * radius);
            if line {
                return piece.colour * 0.35;
            }
        }
        piece.colour
    }
}

/// Distance of a point from a segment [m].
fn distance(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.dot(along).max(1e-20)).clamp(0.0, 1.0);
    (a + along * t - p).length()
}
