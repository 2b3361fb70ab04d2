//! Shapes given by many triangles: meshes from files and height fields.

use std::sync::Arc;

use smol_str::SmolStr;
use topple_mesh::Surface;

use super::record::{Checked, Record};
use super::{Evaluator, Reported};
use crate::ast::Declaration;
use crate::diagnostics::Diagnostic;
use crate::model::{MeshFile, MeshForm, Shape};

impl Evaluator<'_> {
    pub(crate) fn mesh(&mut self, record: &Record, declaration: &Declaration) -> Result<Shape, Reported> {
        let form = match (record.flag("convex"), record.flag("decompose")) {
            (true, true) => {
                let span = record.span("decompose").unwrap_or(declaration.kind.span);
                let message = "a mesh is 'convex' or taken apart by 'decompose', not both";
                return Err(self.fail(Diagnostic::error("value", span, message)));
            }
            (true, false) => MeshForm::Hull,
            (false, true) => MeshForm::Pieces(record.number_or("maxPieces") as u32),
            (false, false) => MeshForm::Triangles,
        };
        let file = record.text("file").unwrap_or_default();
        let surface = self.mesh_file(&file, record, declaration)?;
        Ok(Shape::Mesh { file, surface, scale: record.number_or("scale"), form })
    }

    /// What is in a mesh file; each is read once.
    fn mesh_file(
        &mut self,
        path: &SmolStr,
        record: &Record,
        declaration: &Declaration,
    ) -> Result<Arc<Surface>, Reported> {
        let from = declaration.kind.span.file;
        let key = (from, path.clone());
        let found = match self.meshes.get(&key) {
            Some(found) => found.clone(),
            None => {
                let found = self.read_mesh(path, &key.0);
                self.meshes.insert(key, found.clone());
                found
            }
        };
        found.map_err(|reason| {
            let span = record.span("file").unwrap_or(declaration.kind.span);
            self.fail(Diagnostic::error("mesh", span, format!("no mesh: {reason}")))
        })
    }

    fn read_mesh(&mut self, path: &str, from: &crate::span::FileId) -> Result<Arc<Surface>, String> {
        let left = self.limits.mesh_triangles.saturating_sub(self.usage.mesh_triangles);
        let limits = topple_mesh::Limits {
            bytes: self.limits.mesh_bytes.saturating_sub(self.usage.mesh_bytes),
            vertices: left,
            triangles: left,
        };
        let from = self.sources.get(*from).map_or(String::new(), |file| file.name.clone());
        let surface = self.loader.mesh(path, &from, &limits)?;
        self.usage.mesh_triangles += surface.triangles.len().max(surface.vertices.len());
        // Not what the file took, but what it left in memory.
        self.usage.mesh_bytes += (12 * (surface.vertices.len() + surface.triangles.len())) as u64;
        Ok(Arc::new(surface))
    }

    /// Meshes that events may need again, in order.
    pub(crate) fn keep_meshes(&mut self) {
        if self.scene.events.is_empty() {
            return;
        }
        let sound = self.meshes.iter().filter_map(|((from, path), found)| {
            let surface = found.as_ref().ok()?.clone();
            Some(MeshFile { from: *from, path: path.clone(), surface })
        });
        self.scene.meshes = sound.collect();
        self.scene.meshes.sort_by(|a, b| (a.from, &a.path).cmp(&(b.from, &b.path)));
    }

    pub(crate) fn height_field(
        &mut self,
        record: &mut Record,
        declaration: &Declaration,
    ) -> Result<Shape, Reported> {
        let flat = self.dimension() == 2;
        let kind = declaration.kind.span;
        let span = |name: &str| record.span(name).unwrap_or(kind);
        let (size_span, heights_span) = (span("size"), span("heights"));
        let size = match record.take("size") {
            Some(Checked::Numbers(numbers)) => numbers,
            _ => Vec::new(),
        };
        let rows = match record.take("heights") {
            Some(Checked::Rows(rows)) => rows,
            _ => Vec::new(),
        };
        let size = match (size.as_slice(), flat) {
            (&[width, depth], false) => [width, depth],
            (&[width], true) => [width, 0.0],
            _ => {
                let wanted = if flat { "one number in 2D" } else { "two numbers: along x and z" };
                let message = format!("'size' of a heightfield is {wanted}, found {}", size.len());
                return Err(self.fail(Diagnostic::error("type", size_span, message)));
            }
        };
        let mut problem = None;
        let first = rows.first().map_or(0, Vec::len);
        if let Some(odd) = rows.iter().position(|row| row.len() != first) {
            problem =
                Some(format!("row {odd} of 'heights' has {} numbers, row 0 has {first}", rows[odd].len()));
        }
        let heights: Vec<f64> = rows.iter().flatten().copied().collect();
        let columns = match (flat, record.number("columns")) {
            (true, _) => heights.len(),
            (false, Some(columns)) => columns as usize,
            (false, None) if first > 1 => first,
            (false, None) => {
                problem.get_or_insert_with(|| String::from("'heights' needs 'columns', or rows: [0,1; 2,3]"));
                1
            }
        };
        if problem.is_none() && first > 1 && first != columns && !flat {
            problem = Some(format!("'heights' has rows of {first} numbers, but 'columns' is {columns}"));
        }
        let count = heights.len();
        if problem.is_none()
            && (!count.is_multiple_of(columns.max(1)) || (!flat && count < 2 * columns) || count < 2)
        {
            let what = if flat { "at least two numbers" } else { "at least two rows" };
            problem = Some(format!("'heights' must hold {what} of {columns}, found {count} numbers"));
        }
        if let Some(message) = problem {
            return Err(self.fail(Diagnostic::error("value", heights_span, message)));
        }
        Ok(Shape::HeightField { columns: columns as u32, size, heights })
    }
}
