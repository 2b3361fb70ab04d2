//! placeholder
use crate::args::RenderArgs;
use crate::failure::Outcome;
pub(crate) fn render(_: &RenderArgs) -> Outcome {
    Ok(())
}
