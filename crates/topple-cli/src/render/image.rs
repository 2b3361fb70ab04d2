//! Pictures in memory, colours, PNG.
//!
//! Colours are linear light. The file gets their square roots, which is near enough to sRGB for a picture and the same
//! on every platform.

use crate::failure::{Failure, Outcome};
use topple::Vec3;

/// A picture, rows from the top.
pub(crate) struct Image {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<Vec3>,
}

/// Linear light of a colour as people write it, 0 to 1.
pub(crate) fn light(colour: [f64; 3]) -> Vec3 {
    let [r, g, b] = colour.map(|value| value.clamp(0.0, 1.0) as f32);
    Vec3::new(r * r, g * g, b * b)
}

impl Image {
    /// The picture as a PNG file.
    pub(crate) fn png(&self) -> Outcome<Vec<u8>> {
        let byte = |value: f32| (value.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8;
        let data: Vec<u8> = self.pixels.iter().flat_map(|p| [byte(p.x), byte(p.y), byte(p.z)]).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&data));
        written.map_err(|error| Failure::cannot(format_args!("cannot make a PNG: {error}")))?;
        Ok(file)
    }
}
