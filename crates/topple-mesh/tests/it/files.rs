//! A corpus of sound and broken files of every format, with what is said about the broken ones.
//!
//! `UPDATE_EXPECT=1 cargo test -p topple-mesh` writes the messages anew; look at the difference before it is kept.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use topple::Shape3;
use topple::shape::ShapeOps;
use topple_mesh::{Format, Limits, MeshError, Place, load, load_with, read};

fn corpus(format: &str, kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format).join(kind);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| Format::of_path(path).is_some())
        .collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn sound_files_become_closed_surfaces_of_the_right_volume() {
    let mut seen = 0;
    for format in ["obj", "stl", "gltf"] {
        for path in corpus(format, "ok") {
            seen += 1;
            let surface = load(&path).unwrap_or_else(|error| panic!("{error}"));
            let shape = Shape3::mesh(&surface.vertices, &surface.triangles).unwrap();
            let volume = shape.mass(1.0).mass;
            let expected = match name(&path).as_str() {
                "cube.obj" => 8.0,
                "mirrored.gltf" => 2.0 / 6.0,
                "strip.gltf" => 0.0,
                _ => 1.0 / 6.0,
            };
            assert!((volume - expected).abs() < 1e-5, "{}: {volume} m³, expected {expected}", name(&path));
            if name(&path) == "strip.gltf" {
                assert_eq!(surface.triangles, [[0, 1, 2], [2, 1, 3]]);
            }
        }
    }
    assert_eq!(seen, 12);
}

#[test]
fn broken_files_are_refused_with_place_and_reason() {
    for format in ["obj", "stl", "gltf"] {
        let mut got = String::new();
        let files = corpus(format, "err");
        assert!(files.len() >= 9);
        for path in files {
            let error = load(&path).expect_err(&name(&path));
            assert_eq!(error.path.as_deref(), Some(&*path));
            let place = match error.place {
                Place::Whole => String::new(),
                Place::Line(line) => format!(":{line}"),
                Place::Byte(byte) => format!(", byte {byte}"),
            };
            writeln!(got, "{}{place}: {}", name(&path), error.reason).unwrap();
        }
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{format}/expected.txt"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&list, &got).unwrap();
        }
        let expected = std::fs::read_to_string(&list).unwrap();
        assert_eq!(got, expected, "messages about {format} files changed");
    }
}

#[test]
fn messages_name_path_line_and_reason() {
    let error = MeshError {
        path: Some("a/b.obj".into()),
        place: Place::Line(7),
        reason: "a vertex needs three numbers".into(),
    };
    assert_eq!(error.to_string(), "a/b.obj:7: a vertex needs three numbers");
    let none = load("no/such/file.stl").unwrap_err().to_string();
    assert!(none.starts_with("no/such/file.stl: cannot be read: "), "{none}");
    let unknown = load("picture.png").unwrap_err().to_string();
    assert_eq!(unknown, "picture.png: has none of the endings .obj, .stl, .gltf, .glb");
}

#[test]
fn limits_hold() {
    for format in ["obj", "stl", "gltf"] {
        for path in corpus(format, "ok") {
            let message = |limits: Limits| load_with(&path, &limits).unwrap_err().reason;
            let size = std::fs::metadata(&path).unwrap().len();
            let few = Limits { bytes: size - 1, ..Limits::default() };
            assert!(message(few).ends_with("are read"), "{path:?}");
            assert_eq!(message(Limits { vertices: 2, ..Limits::default() }), "has more than 2 vertices");
            assert_eq!(message(Limits { triangles: 1, ..Limits::default() }), "has more than 1 triangles");
        }
    }
}

#[test]
fn cut_and_changed_files_never_panic() {
    // Every prefix of every file, and every file with a byte changed here and there.
    let kinds = [("obj", Format::Obj), ("stl", Format::Stl), ("gltf", Format::Gltf)];
    let limits = Limits { bytes: 1 << 20, vertices: 10_000, triangles: 10_000 };
    for (folder, format) in kinds {
        for path in corpus(folder, "ok").into_iter().chain(corpus(folder, "err")) {
            let bytes = std::fs::read(&path).unwrap();
            for end in (0..bytes.len()).step_by(1 + bytes.len() / 200) {
                let _ = read(&bytes[..end], format, &limits);
            }
            let mut seed = 1_u64;
            for _ in 0..200 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let mut broken = bytes.clone();
                if !broken.is_empty() {
                    let at = (seed >> 33) as usize % broken.len();
                    broken[at] = (seed >> 20) as u8;
                }
                let _ = read(&broken, format, &limits);
            }
        }
    }
}

/// Corners of all triangles, in order.
fn corners(surface: &topple_mesh::Surface) -> Vec<[topple::Vec3; 3]> {
    surface.triangles.iter().map(|triangle| triangle.map(|v| surface.vertices[v as usize])).collect()
}

/// The animal of the demo scenes is the generated one. `UPDATE_EXPECT=1` writes it again.
#[test]
fn what_was_written_as_obj_is_read_bit_for_bit() {
    let animal = topple::shape::d3::mesh::generate::animal(20).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/meshes/animal.obj");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, topple_mesh::to_obj(&animal)).unwrap();
    }
    let again = topple_mesh::load(&path).unwrap();
    assert!(corners(&again) == corners(&animal), "{} is another animal", path.display());
}
