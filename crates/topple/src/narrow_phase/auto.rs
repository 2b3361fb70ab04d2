//! `auto`, the default: the best contact function for each pair of shapes, and no work at all for pairs that hardly moved.

use super::{ContactBatch, LocalManifold, NarrowPhase};
use crate::math::*;
use crate::shape::ShapeOps;

/// Closed forms, separating axes or GJK, whichever fits the pair; contacts are recycled while they are good enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowPhaseAuto;

impl<D: Dim> NarrowPhase<D> for NarrowPhaseAuto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn update(&self, batch: &mut ContactBatch<'_, D>) {
        let mut local = LocalManifold::default();
        while let Some(mut task) = batch.next_task() {
            if task.try_keep() {
                continue;
            }
            let (job, cache, counters) = task.job();
            D::Shape::collide(&job, cache, counters, &mut local);
            task.finish(&local);
        }
    }
}
