//! What is visible, in a world of its own: walls that one looks through from behind, hidden shapes and sensors do not
//! stop its rays, and everything stands, so that its tree is a good one.

use super::paint;
use super::strokes::Stroke;
use topple::math::PointOps;
use topple::shape::ShapeOps;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, BodyKind, D3, Dim, Point3, Pose, Shape3, ShapeDef, Vec3, World};
use topple_scene::lower::Space;
use topple_scene::run::Run;

/// A visible shape.
#[derive(Clone, Debug)]
pub(crate) struct Piece<D: Dim> {
    /// Linear light.
    pub colour: Vec3,
    /// Its place.
    pub pose: Pose<D>,
    /// Its geometry.
    pub shape: D::Shape,
    /// Of a body that can move.
    pub moves: bool,
}

/// A plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall<D: Dim> {
    /// Linear light.
    pub colour: Vec3,
    /// Unit vector to the free side, world frame.
    pub normal: D::Vec,
    /// Along the normal [m].
    pub offset: f32,
}

/// What is visible.
pub(crate) struct Stage<D: Dim> {
    /// Its shapes have the numbers of the pieces.
    pub world: World<D>,
    pub pieces: Vec<Piece<D>>,
    pub walls: Vec<Wall<D>>,
    /// Shapes that one looks through: sensors.
    pub veils: World<D>,
    /// Their colours, linear light.
    pub veil_colours: Vec<Vec3>,
}

/// Share of the light that a veil holds back.
pub(crate) const VEIL: f32 = 0.3;

impl<D: Space> Stage<D> {
    /// Copies what is visible. What stands comes first, so that in the plane movers are in front.
    pub(crate) fn new(run: &Run<D>) -> Self {
        let mut stage = Self {
            world: World::new(),
            pieces: Vec::new(),
            walls: Vec::new(),
            veils: World::new(),
            veil_colours: Vec::new(),
        };
        for moves in [false, true] {
            for (index, info) in run.bodies.iter().enumerate() {
                let Ok(body) = run.world.body(info.id) else { continue };
                if (body.kind() != BodyKind::Static) != moves || !body.pose().is_valid() {
                    continue;
                }
                for (number, id) in body.shapes().enumerate() {
                    let look = info.looks.get(number).or(info.looks.last());
                    let Ok(shape) = run.world.shape(id) else { continue };
                    if look.is_some_and(|look| look.hidden) {
                        continue;
                    }
                    if let Some((normal, offset)) = shape.geometry().half_space() {
                        if !shape.is_sensor() {
                            stage.add_wall(shape.pose(), normal, offset, paint::plane(look));
                        }
                        continue;
                    }
                    let piece = Piece {
                        colour: paint::body(look, index, !moves),
                        pose: shape.pose(),
                        shape: shape.geometry().clone(),
                        moves,
                    };
                    if shape.is_sensor() {
                        stage.add_veil(&piece);
                    } else {
                        stage.add(piece);
                    }
                }
            }
        }
        // Rays start in free space; the step builds the tree at once instead of body by body.
        stage.world.step();
        stage.veils.step();
        stage
    }

    fn add_wall(&mut self, pose: Pose<D>, normal: D::Vec, offset: f32, colour: Vec3) {
        use topple::math::{RotOps, VecOps};
        let normal = pose.rotation.rotate(normal);
        let offset = offset + normal.dot(pose.position.to_vec());
        self.walls.push(Wall { colour, normal, offset });
    }

    fn add(&mut self, piece: Piece<D>) {
        if put(&mut self.world, &piece) {
            self.pieces.push(piece);
        }
    }

    fn add_veil(&mut self, piece: &Piece<D>) {
        if put(&mut self.veils, piece) {
            self.veil_colours.push(piece.colour);
        }
    }

    /// First veil on a ray: its colour.
    pub(crate) fn veil(&self, origin: D::Point, direction: D::Vec, max: f32) -> Option<Vec3> {
        if self.veil_colours.is_empty() {
            return None;
        }
        let ray = Ray { origin, direction, max };
        let hit = self.veils.cast_ray(&ray, &QueryFilter::default()).ok()??;
        self.veil_colours.get(hit.shape.index() as usize).copied()
    }

    /// First piece on a ray: its number, the distance in lengths of `direction`, the normal.
    pub(crate) fn first(
        &self,
        origin: D::Point,
        direction: D::Vec,
        max: f32,
    ) -> Option<(usize, f32, D::Vec)> {
        let ray = Ray { origin, direction, max };
        let hit = self.world.cast_ray(&ray, &QueryFilter::default()).ok()??;
        Some((hit.shape.index() as usize, hit.t, hit.normal))
    }

    /// Whether a piece is on the ray.
    pub(crate) fn any(&self, origin: D::Point, direction: D::Vec, max: f32) -> bool {
        let ray = Ray { origin, direction, max };
        self.world.cast_ray_any(&ray, &QueryFilter::default()).unwrap_or(false)
    }
}

impl Stage<D3> {
    /// Puts lines into space as thin round bars of this radius [m].
    pub(crate) fn add_strokes(&mut self, strokes: &[Stroke], radius: f32) {
        for stroke in strokes {
            let mut piece = |shape: Shape3, at: Vec3| {
                let pose = Pose::at(Point3::from_vec(at));
                self.add(Piece { colour: stroke.colour, pose, shape, moves: false });
            };
            if let [dot] = stroke.points[..] {
                piece(Shape3::sphere(1.8 * radius), dot);
            }
            for ends in stroke.points.windows(2) {
                let along = ends[1] - ends[0];
                if along.length() > 1e-3 * radius {
                    piece(Shape3::capsule(Vec3::ZERO, along, radius), ends[0]);
                } else {
                    piece(Shape3::sphere(radius), ends[0]);
                }
            }
        }
        self.world.step();
    }
}

/// Adds a piece as a body of its own. Shapes that the engine holds already are good enough for it.
fn put<D: Space>(world: &mut World<D>, piece: &Piece<D>) -> bool {
    let def = BodyDef { rotation: piece.pose.rotation, ..BodyDef::fixed(piece.pose.position) };
    world.create_body_with(def, [ShapeDef::<D>::new(piece.shape.clone())]).is_ok()
}
