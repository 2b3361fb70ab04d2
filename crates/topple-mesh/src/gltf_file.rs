//! glTF 2.0 through `gltf`: the triangles of all meshes of the scene, where the nodes put them.
//!
//! The crate takes GLB files apart and turns JSON into structures. What refers to what is followed here, with every index,
//! offset and count checked: the crate's own checks and readers trust some of them, and would stop the program.

use crate::obj::too_many;
use crate::{Limits, MeshError, Surface};
use base64::Engine;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::mesh::{Mesh, Mode, Semantic};
use gltf::json::scene::Node;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use topple::Vec3;

/// Four columns.
type Matrix = [[f32; 4]; 4];

const UNTURNED: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// Bytes of a GLB file before its JSON begins: file head and head of the first part.
const GLB_HEAD: u64 = 20;

/// Extensions that hide the numbers where we do not look.
const COMPRESSIONS: [&str; 2] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression"];

pub(crate) fn read(
    bytes: &[u8],
    limits: &Limits,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>, MeshError>,
) -> Result<Surface, MeshError> {
    let is_binary = bytes.starts_with(b"glTF");
    let (root, blob) = if is_binary {
        // The crate takes the head's own length away from this without a look.
        let length = bytes.get(8..12).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        if u64::from(length) < GLB_HEAD {
            return Err(MeshError::byte(
                8,
                format!("is no sound GLB file: its head gives a length of {length}"),
            ));
        }
        let file = gltf::Glb::from_slice(bytes)
            .map_err(|error| MeshError::byte(0, format!("is no sound GLB file: {error}")))?;
        (parse(&file.json, true)?, file.bin.map(|bin| bin.into_owned()))
    } else {
        (parse(bytes, false)?, None)
    };
    if let Some(name) = root.extensions_required.iter().find(|name| COMPRESSIONS.contains(&name.as_str())) {
        return Err(MeshError::whole(format!("needs the extension {name}, which is not read")));
    }
    let buffers = buffers(&root, blob, fetch)?;
    let seen = vec![false; root.nodes.len()];
    let mut gather = Gather { root: &root, buffers: &buffers, limits, surface: Surface::default(), seen };
    match root.scene.or_else(|| (!root.scenes.is_empty()).then(|| Index::new(0))) {
        Some(scene) => {
            for &node in &find(&root.scenes, scene, "scene").map_err(MeshError::whole)?.nodes {
                gather.walk(node)?;
            }
        }
        // No scene at all: every mesh once, where it stands.
        None => {
            for (index, mesh) in root.meshes.iter().enumerate() {
                gather.mesh(index, mesh, &UNTURNED)?;
            }
        }
    }
    Ok(gather.surface)
}

/// The JSON of a file. Faults are told by line, in binary files by byte.
fn parse(json: &[u8], is_binary: bool) -> Result<Root, MeshError> {
    gltf::json::deserialize::from_slice(json).map_err(|error: gltf::json::Error| {
        // The message ends with the place, which we tell in our own way.
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text).to_string();
        match error.line() {
            0 => MeshError::whole(reason),
            1 if is_binary => MeshError::byte(GLB_HEAD + error.column() as u64, reason),
            line => MeshError::line(line as u64, reason),
        }
    })
}

/// Item `index` of a list, or what is wrong with the index.
fn find<'a, T>(list: &'a [T], index: Index<T>, what: &str) -> Result<&'a T, String> {
    let count = list.len();
    list.get(index.value())
        .ok_or_else(|| format!("there is no {what} {}, but {count} of them", index.value()))
}

/// A 64-bit number as a size; None beyond what this machine can address.
fn size(value: gltf::json::validation::USize64) -> Option<usize> {
    usize::try_from(value.0).ok()
}

/// The bytes of every buffer: from the file itself, from a text in it, or from another file.
fn buffers(
    root: &Root,
    mut blob: Option<Vec<u8>>,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>, MeshError>,
) -> Result<Vec<Vec<u8>>, MeshError> {
    let mut all = Vec::new();
    for (index, buffer) in root.buffers.iter().enumerate() {
        let refuse = |reason: String| MeshError::whole(format!("buffer {index}: {reason}"));
        let bytes = match buffer.uri.as_deref() {
            None => {
                blob.take().ok_or_else(|| refuse("is said to follow in the file, but does not".into()))?
            }
            Some(uri) if uri.starts_with("data:") => {
                let text = uri.split_once("base64,").map(|(_, text)| text);
                let text = text.ok_or_else(|| refuse("is a data URI, but not in base64".into()))?;
                let decoder = base64::engine::general_purpose::STANDARD;
                decoder.decode(text).map_err(|error| refuse(format!("is no base64: {error}")))?
            }
            Some(uri) => {
                let name =
                    file_name(uri).ok_or_else(|| refuse(format!("'{uri}' is no file beside this one")))?;
                fetch(&name).map_err(|error| refuse(format!("file '{name}' {}", error.reason)))?
            }
        };
        if (bytes.len() as u64) < buffer.byte_length.0 {
            return Err(refuse(format!(
                "has {} bytes, but should have {}",
                bytes.len(),
                buffer.byte_length.0
            )));
        }
        all.push(bytes);
    }
    Ok(all)
}

/// The name of a file in the same folder or below: no scheme, no way up, no absolute path.
fn file_name(uri: &str) -> Option<String> {
    let mut name = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            name.push(byte);
            continue;
        }
        let digit = |b: Option<u8>| char::from(b?).to_digit(16);
        let code = digit(rest.next())? * 16 + digit(rest.next())?;
        name.push(code as u8);
    }
    let name = String::from_utf8(name).ok()?;
    let is_plain = !name.is_empty()
        && !name.contains([':', '\\', '\0'])
        && !name.starts_with('/')
        && name.split('/').all(|part| part != "..");
    is_plain.then_some(name)
}

struct Gather<'a> {
    root: &'a Root,
    buffers: &'a [Vec<u8>],
    limits: &'a Limits,
    surface: Surface,
    /// Nodes that were met already: each has one parent, and none is its own ancestor.
    seen: Vec<bool>,
}

impl Gather<'_> {
    fn walk(&mut self, root: Index<Node>) -> Result<(), MeshError> {
        let nodes = &self.root.nodes;
        let mut open = vec![(root, UNTURNED)];
        while let Some((index, parent)) = open.pop() {
            let node = find(nodes, index, "node").map_err(MeshError::whole)?;
            if core::mem::replace(&mut self.seen[index.value()], true) {
                return Err(MeshError::whole(format!(
                    "node {} has two parents, or is its own",
                    index.value()
                )));
            }
            let place = product(&parent, &placement(node));
            if let Some(mesh) = node.mesh {
                let found = find(&self.root.meshes, mesh, "mesh");
                let found =
                    found.map_err(|reason| MeshError::whole(format!("node {}: {reason}", index.value())))?;
                self.mesh(mesh.value(), found, &place)?;
            }
            open.extend(node.children.iter().flatten().map(|&child| (child, place)));
        }
        Ok(())
    }

    fn mesh(&mut self, number: usize, mesh: &Mesh, place: &Matrix) -> Result<(), MeshError> {
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let refuse = |reason: String| MeshError::whole(format!("mesh {number}, primitive {k}: {reason}"));
            let mode = match primitive.mode {
                Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) => mode,
                Checked::Valid(_) => continue,
                Checked::Invalid => return Err(refuse("has an unknown mode".into())),
            };
            let accessors = &self.root.accessors;
            let Some(&positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else {
                return Err(refuse("has no positions".into()));
            };
            let positions = find(accessors, positions, "accessor").map_err(refuse)?;
            let first = self.surface.vertices.len();
            let count = size(positions.count).filter(|&n| n <= self.limits.vertices.saturating_sub(first));
            let count = count.ok_or_else(|| too_many("vertices", self.limits.vertices))?;
            self.positions(positions, count, place).map_err(refuse)?;
            let indices = match primitive.indices {
                Some(index) => {
                    let accessor = find(accessors, index, "accessor").map_err(refuse)?;
                    let room = self.limits.triangles.saturating_mul(3);
                    let count = size(accessor.count).filter(|&n| n <= room);
                    let count = count.ok_or_else(|| too_many("triangles", self.limits.triangles))?;
                    self.indices(accessor, count).map_err(refuse)?
                }
                None => (0..count as u32).collect(),
            };
            if let Some(&wrong) = indices.iter().find(|&&i| i as usize >= count) {
                return Err(refuse(format!("names vertex {wrong}, but there are {count} vertices")));
            }
            self.triangles(&indices, mode, first as u32, determinant(place) < 0.0)?;
        }
        Ok(())
    }

    /// Adds triangles by the numbers of their corners, from `first` on; a mirrored mesh would be inside out.
    fn triangles(
        &mut self,
        indices: &[u32],
        mode: Mode,
        first: u32,
        is_mirrored: bool,
    ) -> Result<(), MeshError> {
        let mut add = |a: u32, b: u32, c: u32| {
            let [b, c] = if is_mirrored { [c, b] } else { [b, c] };
            self.surface.triangles.push([a, b, c].map(|i| first + i));
        };
        match mode {
            Mode::TriangleStrip => indices
                .windows(3)
                .enumerate()
                .for_each(|(i, w)| if i % 2 == 0 { add(w[0], w[1], w[2]) } else { add(w[1], w[0], w[2]) }),
            Mode::TriangleFan => indices.windows(2).skip(1).for_each(|w| add(indices[0], w[0], w[1])),
            _ => indices.chunks_exact(3).for_each(|w| add(w[0], w[1], w[2])),
        }
        let limit = self.limits.triangles;
        if self.surface.triangles.len() > limit { Err(too_many("triangles", limit)) } else { Ok(()) }
    }

    fn positions(&mut self, accessor: &Accessor, count: usize, place: &Matrix) -> Result<(), String> {
        let kind = (component(accessor), &accessor.type_);
        if !matches!(kind, (Some(ComponentType::F32), Checked::Valid(Type::Vec3))) {
            return Err("positions are not vectors of three floats".into());
        }
        let first = self.surface.vertices.len();
        let data = items(self.root, self.buffers, accessor, count, 12)?;
        for (index, item) in data.chunks_exact(12).enumerate() {
            let x = |k: usize| f32::from_le_bytes([item[k], item[k + 1], item[k + 2], item[k + 3]]);
            let v = [x(0), x(4), x(8)];
            let row = |r: usize| place[0][r] * v[0] + place[1][r] * v[1] + place[2][r] * v[2] + place[3][r];
            let placed = Vec3::new(row(0), row(1), row(2));
            if !placed.is_finite() {
                return Err(format!("vertex {index} is at {v:?}, placed at {placed}, which is not finite"));
            }
            self.surface.vertices.push(placed);
        }
        debug_assert_eq!(self.surface.vertices.len(), first + count);
        Ok(())
    }

    fn indices(&self, accessor: &Accessor, count: usize) -> Result<Vec<u32>, String> {
        if accessor.type_ != Checked::Valid(Type::Scalar) {
            return Err("indices are not single numbers".into());
        }
        let width = match component(accessor) {
            Some(ComponentType::U8) => 1,
            Some(ComponentType::U16) => 2,
            Some(ComponentType::U32) => 4,
            _ => return Err("indices are not whole numbers from 0".into()),
        };
        let data = items(self.root, self.buffers, accessor, count, width)?;
        Ok(data.chunks_exact(width).map(number).collect())
    }
}

fn component(accessor: &Accessor) -> Option<ComponentType> {
    match &accessor.component_type {
        Checked::Valid(kind) => Some(kind.0),
        Checked::Invalid => None,
    }
}

/// A little-endian number of one, two or four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b))
}

/// The `count` items of an accessor, `width` bytes each, side by side. One without data of its own is all zeros; sparse
/// values replace single items.
fn items(
    root: &Root,
    buffers: &[Vec<u8>],
    accessor: &Accessor,
    count: usize,
    width: usize,
) -> Result<Vec<u8>, String> {
    let mut all = match accessor.buffer_view {
        Some(view) => {
            let offset = accessor.byte_offset.map_or(Some(0), size);
            packed(root, buffers, view, offset, count, width)?
        }
        None => vec![0; count * width],
    };
    let Some(sparse) = &accessor.sparse else { return Ok(all) };
    let few = size(sparse.count).filter(|&n| n <= count);
    let few = few.ok_or("has more sparse values than items")?;
    let index_width = match &sparse.indices.component_type {
        Checked::Valid(kind) => match kind.0 {
            ComponentType::U8 => 1,
            ComponentType::U16 => 2,
            _ => 4,
        },
        Checked::Invalid => return Err("has sparse indices of an unknown kind".into()),
    };
    let offset = size(sparse.indices.byte_offset);
    let indices = packed(root, buffers, sparse.indices.buffer_view, offset, few, index_width)?;
    let values =
        packed(root, buffers, sparse.values.buffer_view, size(sparse.values.byte_offset), few, width)?;
    for (index, value) in indices.chunks_exact(index_width).map(number).zip(values.chunks_exact(width)) {
        let at = (index as usize).checked_mul(width).filter(|&at| at < all.len());
        let at =
            at.ok_or_else(|| format!("a sparse value is for item {index}, but there are {count} items"))?;
        all[at..at + width].copy_from_slice(value);
    }
    Ok(all)
}

/// `count` items of `width` bytes from `offset` on in a view, without the gaps between them; an error if they are not all
/// there.
fn packed(
    root: &Root,
    buffers: &[Vec<u8>],
    view: Index<View>,
    offset: Option<usize>,
    count: usize,
    width: usize,
) -> Result<Vec<u8>, String> {
    let number = view.value();
    let view = find(&root.buffer_views, view, "buffer view")?;
    let beyond = || format!("{count} items of {width} bytes reach beyond buffer view {number}");
    if count == 0 {
        return Ok(Vec::new());
    }
    let stride = view.byte_stride.map_or(width, |stride| stride.0);
    if stride < width {
        return Err(format!("buffer view {number} has a stride of {stride}, but items of {width} bytes"));
    }
    let offset = offset.ok_or_else(beyond)?;
    let length = (count - 1).checked_mul(stride).and_then(|n| n.checked_add(width)).ok_or_else(beyond)?;
    let end = offset.checked_add(length).ok_or_else(beyond)?;
    if end as u64 > view.byte_length.0 {
        return Err(beyond());
    }
    let start = view.byte_offset.map_or(Some(0), size).ok_or_else(beyond)?;
    let buffer = buffers.get(view.buffer.value());
    let buffer = buffer.ok_or_else(|| format!("there is no buffer {}", view.buffer.value()))?;
    let range = start.checked_add(offset).zip(start.checked_add(end));
    let data = range.and_then(|(from, to)| buffer.get(from..to));
    let data = data.ok_or_else(|| format!("buffer view {number} reaches beyond its buffer"))?;
    Ok((0..count).flat_map(|i| data[i * stride..i * stride + width].iter().copied()).collect())
}

/// Where a node stands in its parent: a matrix, or scale, then rotation, then translation.
fn placement(node: &Node) -> Matrix {
    if let Some(m) = node.matrix {
        return core::array::from_fn(|c| core::array::from_fn(|r| m[4 * c + r]));
    }
    let s = node.scale.unwrap_or([1.0; 3]);
    let t = node.translation.unwrap_or([0.0; 3]);
    let [x, y, z, w] = node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |q| q.0);
    let turned = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let column = |c: usize| [turned[c][0] * s[c], turned[c][1] * s[c], turned[c][2] * s[c], 0.0];
    [column(0), column(1), column(2), [t[0], t[1], t[2], 1.0]]
}

/// a·b.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    core::array::from_fn(|c| core::array::from_fn(|r| (0..4).map(|k| a[k][r] * b[c][k]).sum()))
}

/// Of the part that turns and scales.
fn determinant(m: &Matrix) -> f32 {
    let column = |c: usize| Vec3::new(m[c][0], m[c][1], m[c][2]);
    column(0).dot(column(1).cross(column(2)))
}
