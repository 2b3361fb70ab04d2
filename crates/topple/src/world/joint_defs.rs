//! Joints from points and axes of the world: local frames from where the bodies stand now.

use super::World;
use crate::joint::{Ball, Distance, Hinge, JointDef, JointKind, Mouse, Slider, Wheel};
use crate::math::*;
use crate::store::BodyId;
use crate::{D2, D3, Error};

impl<D: Dim> JointDef<D> {
    /// A joint whose two frames coincide with `frame` (world) as the bodies stand now.
    pub fn at(
        world: &World<D>,
        a: BodyId,
        b: BodyId,
        kind: JointKind<D>,
        frame: Pose<D>,
    ) -> Result<Self, Error> {
        frame.check("frame")?;
        let local = |body: BodyId| Ok::<_, Error>(world.body(body)?.pose().relative(frame));
        Ok(Self { local_a: local(a)?, local_b: local(b)?, ..Self::new(a, b, kind) })
    }

    /// A ball joint at a point of the world [m].
    pub fn ball(world: &World<D>, a: BodyId, b: BodyId, anchor: impl Into<D::Point>) -> Result<Self, Error> {
        Self::at(world, a, b, JointKind::Ball(Ball::default()), Pose::at(point::<D>(anchor)?))
    }

    /// A fixed joint at a point of the world [m].
    pub fn fixed(world: &World<D>, a: BodyId, b: BodyId, anchor: impl Into<D::Point>) -> Result<Self, Error> {
        Self::at(world, a, b, JointKind::Fixed, Pose::at(point::<D>(anchor)?))
    }

    /// A slider along an axis through a point of the world [m].
    pub fn slider(
        world: &World<D>,
        a: BodyId,
        b: BodyId,
        anchor: impl Into<D::Point>,
        axis: D::Vec,
    ) -> Result<Self, Error> {
        let frame = Pose { position: point::<D>(anchor)?, rotation: frame_along::<D>(axis)? };
        Self::at(world, a, b, JointKind::Slider(Slider::default()), frame)
    }

    /// A rod between a point on a and a point on b, both in the world [m], of the length they are apart now.
    pub fn rod(
        world: &World<D>,
        a: BodyId,
        b: BodyId,
        anchor_a: impl Into<D::Point>,
        anchor_b: impl Into<D::Point>,
    ) -> Result<Self, Error> {
        let anchors = [point::<D>(anchor_a)?, point::<D>(anchor_b)?];
        let length = (anchors[1] - anchors[0]).length();
        let kind = JointKind::Distance(Distance { min: length, max: length, spring: None });
        Self::between(world, a, b, anchors, kind)
    }

    /// A rope between a point on a and a point on b, both in the world [m], that is taut at the length they are apart now.
    pub fn rope(
        world: &World<D>,
        a: BodyId,
        b: BodyId,
        anchor_a: impl Into<D::Point>,
        anchor_b: impl Into<D::Point>,
    ) -> Result<Self, Error> {
        let anchors = [point::<D>(anchor_a)?, point::<D>(anchor_b)?];
        let max = (anchors[1] - anchors[0]).length();
        Self::between(world, a, b, anchors, JointKind::Distance(Distance { min: 0.0, max, spring: None }))
    }

    /// A joint between a point on a and a point on b, both in the world [m].
    pub fn between(
        world: &World<D>,
        a: BodyId,
        b: BodyId,
        anchors: [D::Point; 2],
        kind: JointKind<D>,
    ) -> Result<Self, Error> {
        let local = |body: BodyId, anchor: D::Point| {
            let anchor = point::<D>(anchor)?;
            Ok::<_, Error>(Pose::at(D::Point::from_vec(world.body(body)?.to_local(anchor))))
        };
        Ok(Self { local_a: local(a, anchors[0])?, local_b: local(b, anchors[1])?, ..Self::new(a, b, kind) })
    }

    /// Holds the point of b that is at `grip` [m] in the world; a is where the counter-force goes, usually a static body.
    pub fn mouse(world: &World<D>, a: BodyId, b: BodyId, grip: impl Into<D::Point>) -> Result<Self, Error> {
        let grip = point::<D>(grip)?;
        Self::between(world, a, b, [grip, grip], JointKind::Mouse(Mouse::to(grip)))
    }
}

impl JointDef<D2> {
    /// A hinge at a point of the world [m].
    pub fn hinge(world: &World<D2>, a: BodyId, b: BodyId, anchor: impl Into<Point2>) -> Result<Self, Error> {
        Self::at(world, a, b, JointKind::Hinge(Hinge::default()), Pose::at(point::<D2>(anchor)?))
    }

    /// A wheel b on chassis a: axle at `anchor` [m], suspension along `axis`, both in the world.
    pub fn wheel(
        world: &World<D2>,
        a: BodyId,
        b: BodyId,
        anchor: impl Into<Point2>,
        axis: Vec2,
    ) -> Result<Self, Error> {
        let frame = Pose { position: point::<D2>(anchor)?, rotation: frame_along::<D2>(axis)? };
        Self::at(world, a, b, JointKind::Wheel(Wheel::default()), frame)
    }
}

impl JointDef<D3> {
    /// A hinge about an axis through a point of the world [m].
    pub fn hinge(
        world: &World<D3>,
        a: BodyId,
        b: BodyId,
        anchor: impl Into<Point3>,
        axis: Vec3,
    ) -> Result<Self, Error> {
        let frame = Pose { position: point::<D3>(anchor)?, rotation: frame_along::<D3>(axis)? };
        Self::at(world, a, b, JointKind::Hinge(Hinge::default()), frame)
    }

    /// A wheel b on chassis a: suspension along `axis`, axle at `anchor` [m] along `axle`, all in the world. The axle is made
    /// perpendicular to the suspension.
    pub fn wheel(
        world: &World<D3>,
        a: BodyId,
        b: BodyId,
        anchor: impl Into<Point3>,
        axis: Vec3,
        axle: Vec3,
    ) -> Result<Self, Error> {
        let along = frame_along::<D3>(axis)?;
        let local = RotOps::<D3>::rotate_inv(along, axle);
        let across = local.y * local.y + local.z * local.z;
        if !across.is_finite() || across <= NO_DIRECTION {
            return Err(Error::invalid("axle", axle, "finite, not zero and not along the suspension"));
        }
        // About x, from z to the axle: the tangent is −y/z.
        let turn = RotOps::<D3>::from_ang(Vec3::X * atan2(-local.y, local.z));
        let rotation = RotOps::<D3>::normalized(RotOps::<D3>::then_after(along, turn));
        let frame = Pose { position: point::<D3>(anchor)?, rotation };
        Self::at(world, a, b, JointKind::Wheel(Wheel::default()), frame)
    }
}

fn point<D: Dim>(anchor: impl Into<D::Point>) -> Result<D::Point, Error> {
    let anchor = anchor.into();
    if anchor.is_finite() { Ok(anchor) } else { Err(Error::invalid("anchor", anchor, "finite")) }
}

fn frame_along<D: Dim>(axis: D::Vec) -> Result<D::Rot, Error> {
    let length = axis.length();
    if !length.is_finite() || length <= NO_DIRECTION {
        return Err(Error::invalid("axis", axis, "finite and not zero"));
    }
    Ok(D::frame_along(axis * (1.0 / length)))
}
