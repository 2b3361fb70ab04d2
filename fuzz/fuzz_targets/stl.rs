//! Any bytes as a STL (text or binary) file: refused with a reason, or a mesh whose triangles name vertices that are there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use topple_mesh::{Format, Limits, read};

fuzz_target!(|bytes: &[u8]| {
    // Small bounds: the fuzzer should look for faults, not wait for large meshes.
    let limits = Limits { bytes: 1 << 20, vertices: 20_000, triangles: 20_000 };
    match read(bytes, Format::Stl, &limits) {
        Ok(surface) => {
            assert!(!surface.triangles.is_empty());
            assert!(surface.vertices.len() <= limits.vertices && surface.triangles.len() <= limits.triangles);
            assert!(surface.vertices.iter().all(|v| v.is_finite()));
            // The engine must survive whatever a loader lets through.
            if surface.triangles.len() < 2_000 {
                let _ = topple::Shape3::mesh(&surface.vertices, &surface.triangles);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
