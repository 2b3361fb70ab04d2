//! The few places where lowering differs between the plane and space.

use std::sync::Arc;

use topple::math::{PointOps, RotOps, VecOps};
use topple::shape::d2::ChainData;
use topple::{D2, D3, Dim, Quat, Real, Rot2, Shape2, Shape3, SymMat3};

use super::mesh::Meshes;
use crate::model::{Pose, Shape, Vec3, geometry};

/// A dimension that scenes can be lowered to. Positions and directions come as three numbers.
pub trait Space: Dim {
    /// A vector.
    fn vec(v: Vec3) -> Self::Vec;
    /// A rotation vector.
    fn ang(v: Vec3) -> Self::Ang;
    /// The rotation of a pose.
    fn rot(pose: &Pose) -> Self::Rot;
    /// Moments about the axes of the body.
    fn inertia(moments: Vec3) -> Self::Inertia;
    /// The shapes of the engine that make up one of the scene, or why there are none. `by_bounds`: a mesh weighs what its
    /// bounding box would.
    fn shapes(shape: &Shape, meshes: &mut Meshes, by_bounds: bool) -> Result<Vec<Self::Shape>, String>;
    /// A vector, back.
    fn vec_out(v: Self::Vec) -> Vec3;
    /// A rotation vector, back; in 2D along z.
    fn ang_out(w: Self::Ang) -> Vec3;
    /// The angle in 2D; in 3D the angle of the whole rotation [rad].
    fn angle(rot: Self::Rot) -> f64;

    /// A frame whose x axis points along `axis` and, in 3D, whose z axis points along `axle` as far as that is at right
    /// angles to it; unit vectors.
    fn frame(axis: Vec3, axle: Option<Vec3>) -> Self::Rot;

    /// A position.
    fn point(v: Vec3) -> Self::Point {
        Self::Point::from_vec(Self::vec(v))
    }

    /// A position, back.
    fn point_out(p: Self::Point) -> Vec3 {
        Self::vec_out(p.to_vec())
    }

    /// A pose.
    fn pose(pose: &Pose) -> topple::Pose<Self> {
        topple::Pose { position: Self::point(pose.position), rotation: Self::rot(pose) }
    }
}

/// The checker lets no such shape through.
fn absent(dimension: &str) -> String {
    format!("there is no such shape in {dimension}")
}

impl Space for D2 {
    fn vec(v: Vec3) -> topple::Vec2 {
        topple::Vec2::new(v[0] as Real, v[1] as Real)
    }

    fn ang(v: Vec3) -> Real {
        v[2] as Real
    }

    fn rot(pose: &Pose) -> Rot2 {
        Rot2::from_angle(pose.angle as Real)
    }

    fn inertia(moments: Vec3) -> Real {
        moments[2] as Real
    }

    fn shapes(shape: &Shape, _: &mut Meshes, _: bool) -> Result<Vec<Shape2>, String> {
        let text = |error: topple::Error| error.to_string();
        let shape = match shape {
            Shape::Ball { radius } => Shape2::circle(*radius as Real),
            Shape::Cuboid { size, rounding } => {
                Shape2::rounded_rectangle(size[0] as Real, size[1] as Real, *rounding as Real)
            }
            Shape::Capsule { from, to, radius } => {
                Shape2::capsule(Self::vec(*from), Self::vec(*to), *radius as Real)
            }
            Shape::Hull { points, rounding } => {
                let points: Vec<_> = points.iter().map(|point| Self::vec(*point)).collect();
                Shape2::rounded_polygon(&points, *rounding as Real).map_err(text)?
            }
            Shape::Segment { from, to } => Shape2::segment(Self::vec(*from), Self::vec(*to)),
            Shape::HalfSpace { normal, offset } => Shape2::half_plane(Self::vec(*normal), *offset as Real),
            Shape::Chain { points, closed, beyond } => {
                let points: Vec<_> = points.iter().map(|point| Self::vec(*point)).collect();
                let chain = match beyond {
                    Some([before, after]) => {
                        let data = ChainData::open_between(Self::vec(*before), &points, Self::vec(*after));
                        data.map(|data| Shape2::Chain { data: Arc::new(data) })
                    }
                    None if *closed => Shape2::chain_loop(&points),
                    None => Shape2::chain(&points),
                };
                chain.map_err(text)?
            }
            Shape::HeightField { size, heights, .. } => {
                let heights: Vec<_> = heights.iter().map(|height| *height as Real).collect();
                Shape2::height_field(size[0] as Real, &heights).map_err(text)?
            }
            Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Triangle { .. } | Shape::Mesh { .. } => {
                return Err(absent("2D"));
            }
        };
        Ok(vec![shape])
    }

    fn vec_out(v: topple::Vec2) -> Vec3 {
        [f64::from(v.x), f64::from(v.y), 0.0]
    }

    fn ang_out(w: Real) -> Vec3 {
        [0.0, 0.0, f64::from(w)]
    }

    fn angle(rot: Rot2) -> f64 {
        f64::from(rot.angle())
    }

    fn frame(axis: Vec3, _: Option<Vec3>) -> Rot2 {
        Rot2::from_angle(libm::atan2(axis[1], axis[0]) as Real)
    }
}

impl Space for D3 {
    fn vec(v: Vec3) -> topple::Vec3 {
        topple::Vec3::new(v[0] as Real, v[1] as Real, v[2] as Real)
    }

    fn ang(v: Vec3) -> topple::Vec3 {
        Self::vec(v)
    }

    fn rot(pose: &Pose) -> Quat {
        let [x, y, z, w] = pose.rotation.map(|part| part as Real);
        RotOps::<D3>::normalized(Quat::from_xyzw(x, y, z, w))
    }

    fn inertia(moments: Vec3) -> SymMat3 {
        SymMat3::from_diagonal(Self::vec(moments))
    }

    fn shapes(shape: &Shape, meshes: &mut Meshes, by_bounds: bool) -> Result<Vec<Shape3>, String> {
        let text = |error: topple::Error| error.to_string();
        let shape = match shape {
            Shape::Ball { radius } => Shape3::sphere(*radius as Real),
            Shape::Cuboid { size, rounding } => {
                let [x, y, z] = size.map(|part| part as Real);
                Shape3::rounded_cuboid(x, y, z, *rounding as Real)
            }
            Shape::Capsule { from, to, radius } => {
                Shape3::capsule(Self::vec(*from), Self::vec(*to), *radius as Real)
            }
            Shape::Cylinder { radius, height, rounding } => {
                Shape3::rounded_cylinder(*height as Real, *radius as Real, *rounding as Real)
            }
            Shape::Cone { radius, height, rounding } => {
                Shape3::rounded_cone(*height as Real, *radius as Real, *rounding as Real)
            }
            Shape::Hull { points, rounding } => {
                let points: Vec<_> = points.iter().map(|point| Self::vec(*point)).collect();
                Shape3::rounded_hull(&points, *rounding as Real).map_err(text)?
            }
            Shape::HalfSpace { normal, offset } => Shape3::plane(Self::vec(*normal), *offset as Real),
            Shape::Triangle { corners } => {
                let [a, b, c] = corners.map(Self::vec);
                Shape3::triangle(a, b, c)
            }
            Shape::Mesh { surface, scale, form, .. } => {
                return meshes.shapes(surface, *scale, *form, by_bounds);
            }
            Shape::HeightField { columns, size, heights } => {
                let heights: Vec<_> = heights.iter().map(|height| *height as Real).collect();
                let size = topple::Vec2::new(size[0] as Real, size[1] as Real);
                Shape3::height_field(size, *columns, &heights).map_err(text)?
            }
            Shape::Segment { .. } | Shape::Chain { .. } => return Err(absent("3D")),
        };
        Ok(vec![shape])
    }

    fn vec_out(v: topple::Vec3) -> Vec3 {
        [f64::from(v.x), f64::from(v.y), f64::from(v.z)]
    }

    fn ang_out(w: topple::Vec3) -> Vec3 {
        Self::vec_out(w)
    }

    fn angle(rot: Quat) -> f64 {
        f64::from(VecOps::length(RotOps::<D3>::to_ang(rot)))
    }

    fn frame(axis: Vec3, axle: Option<Vec3>) -> Quat {
        let [x, y, z, w] = geometry::from_x(axis, axle).map(|part| part as Real);
        RotOps::<D3>::normalized(Quat::from_xyzw(x, y, z, w))
    }
}
