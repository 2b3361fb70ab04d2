//! Faces, edges and volume of a small convex point set, by brute force.
//!
//! The harness needs its own answer to "how large is this hull" and "how deep do two hulls overlap", independent of every
//! engine. Hulls here have at most a few dozen points, so testing every triple of points is quick enough and hard to get
//! wrong.

use glam::Vec3;

/// Outward unit normals of the faces, one per plane, and unit directions of the edges.
#[derive(Clone, Debug, Default)]
pub struct Axes {
    /// Face normals.
    pub normals: Vec<Vec3>,
    /// Edge directions, up to sign.
    pub edges: Vec<Vec3>,
}

/// Volume of the hull of `points` [m³].
pub fn volume(points: &[Vec3]) -> f32 {
    let centre = points.iter().sum::<Vec3>() / points.len() as f32;
    // Each face plane with its corners in order around it: a fan of tetrahedra to the centre.
    faces(points)
        .iter()
        .map(|(normal, corners)| {
            let height = normal.dot(points[corners[0]] - centre);
            let area = (1..corners.len() - 1)
                .map(|i| {
                    let a = points[corners[i]] - points[corners[0]];
                    let b = points[corners[i + 1]] - points[corners[0]];
                    a.cross(b).length() * 0.5
                })
                .sum::<f32>();
            area * height / 3.0
        })
        .sum()
}

/// Candidate axes for a separating-axis test.
pub fn axes(points: &[Vec3]) -> Axes {
    let mut axes = Axes::default();
    for (normal, corners) in faces(points) {
        axes.normals.push(normal);
        for (i, &corner) in corners.iter().enumerate() {
            let edge = (points[corners[(i + 1) % corners.len()]] - points[corner]).normalize_or_zero();
            if edge != Vec3::ZERO && !axes.edges.iter().any(|e| e.dot(edge).abs() > 0.9999) {
                axes.edges.push(edge);
            }
        }
    }
    axes
}

/// Faces as (outward normal, corner indices in order around it).
fn faces(points: &[Vec3]) -> Vec<(Vec3, Vec<usize>)> {
    let scale = points.iter().map(|p| p.length()).fold(0.0, f32::max);
    let tolerance = scale * 1e-4;
    let mut found: Vec<(Vec3, Vec<usize>)> = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let raw = (points[j] - points[i]).cross(points[k] - points[i]);
                if raw.length() < tolerance * tolerance {
                    continue;
                }
                for normal in [raw.normalize(), -raw.normalize()] {
                    let offset = normal.dot(points[i]);
                    let outside = points.iter().any(|p| normal.dot(*p) > offset + tolerance);
                    if outside || found.iter().any(|(n, _)| n.dot(normal) > 0.99999) {
                        continue;
                    }
                    let on_plane: Vec<usize> =
                        (0..points.len()).filter(|&p| normal.dot(points[p]) > offset - tolerance).collect();
                    found.push((normal, in_order(points, normal, on_plane)));
                }
            }
        }
    }
    found
}

/// Sorts the corners of a face by angle around its middle.
fn in_order(points: &[Vec3], normal: Vec3, mut corners: Vec<usize>) -> Vec<usize> {
    let middle = corners.iter().map(|&c| points[c]).sum::<Vec3>() / corners.len() as f32;
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let angle = |c: usize| (points[c] - middle).dot(v).atan2((points[c] - middle).dot(u));
    corners.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::box_corners3;

    #[test]
    fn box_has_six_normals_three_edges_and_its_volume() {
        let corners = box_corners3(Vec3::new(0.5, 1.0, 1.5));
        let axes = axes(&corners);
        assert_eq!((axes.normals.len(), axes.edges.len()), (6, 3));
        assert!((volume(&corners) - 6.0).abs() < 1e-4, "1 × 2 × 3 m box, got {} m³", volume(&corners));
    }

    #[test]
    fn inner_points_do_not_change_the_volume() {
        let mut points = box_corners3(Vec3::ONE).to_vec();
        points.push(Vec3::new(0.2, 0.1, -0.3));
        assert!((volume(&points) - 8.0).abs() < 1e-4);
    }
}
