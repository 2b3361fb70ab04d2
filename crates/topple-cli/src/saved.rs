//! Saved worlds: the file of `run --save`, from which another run goes on bit for bit.
//!
//! Layout: magic, version, a JSON part, the engine's snapshot, a checksum over all before it; lengths as u64, little
//! endian. The JSON part holds the scene (text, includes, values given from outside), because the snapshot knows
//! nothing of generators, events and colours, and what each run so far changed.

use crate::failure::{Failure, Outcome};
use serde::{Deserialize, Serialize};
use topple_scene::Surface;

const MAGIC: &[u8; 16] = b"topple saved \r\n\x1a";
/// Raised with every change of the layout; other versions are refused.
const VERSION: u16 = 2;
/// Magic and version.
const HEAD: usize = MAGIC.len() + 2;

/// Everything that a scene was made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Name in messages.
    pub name: String,
    /// Text of the scene.
    pub text: String,
    /// Included files: path as written, file it was written in, name in messages, text.
    pub includes: Vec<(String, String, String, String)>,
    /// Mesh files.
    pub meshes: Vec<Mesh>,
    /// Values given from outside, for parameters and settings of the scene.
    pub overrides: Vec<(String, String)>,
}

/// A mesh file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mesh {
    /// Path as written.
    pub path: String,
    /// File it was written in.
    pub from: String,
    /// Coordinates of the vertices, as bits.
    pub vertices: Vec<[u32; 3]>,
    /// Numbers of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// For a file that was read.
    pub(crate) fn new(path: &str, from: &str, surface: &Surface) -> Self {
        let vertices = surface.vertices.iter().map(|v| v.to_array().map(f32::to_bits)).collect();
        Self { path: path.into(), from: from.into(), vertices, triangles: surface.triangles.clone() }
    }

    /// What is in the file.
    pub(crate) fn surface(&self) -> Surface {
        let vertices = self.vertices.iter().map(|v| v.map(f32::from_bits).into()).collect();
        Surface { vertices, triangles: self.triangles.clone() }
    }
}

/// One run: what it changed at its beginning, and how long it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Settings of the engine by key, in scene files' spelling.
    pub settings: Vec<(String, String)>,
    /// Steps taken.
    pub steps: u64,
}

/// The JSON part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// 2 or 3.
    pub dimension: u8,
    /// Where it began.
    pub origin: Origin,
    /// The runs so far.
    pub parts: Vec<Part>,
}

/// A saved world.
#[derive(Debug)]
pub(crate) struct Saved {
    /// What the snapshot does not know.
    pub header: Header,
    /// For the engine.
    pub snapshot: Vec<u8>,
}

/// Whether a file means to be a saved world, by its first bytes.
pub(crate) fn is_saved(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The file of a saved world.
pub(crate) fn encode(header: &Header, snapshot: &[u8]) -> Outcome<Vec<u8>> {
    let json = serde_json::to_vec(header)
        .map_err(|error| Failure::cannot(format_args!("cannot write down the scene: {error}")))?;
    let mut bytes = Vec::with_capacity(HEAD + json.len() + snapshot.len() + 24);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    for part in [json.as_slice(), snapshot] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Reads what [`encode`] wrote; says what is wrong with anything else.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Outcome<Saved> {
    let refuse = |reason: String| Failure::cannot(format_args!("{name}: {reason}"));
    let cut = || refuse("the saved world is cut off".into());
    if !is_saved(bytes) {
        return Err(refuse("this is not a saved world".into()));
    }
    let version = bytes.get(MAGIC.len()..HEAD).ok_or_else(cut)?;
    let version = u16::from_le_bytes([version[0], version[1]]);
    if version != VERSION {
        return Err(refuse(format!(
            "saved by another version of topple (format {version}, this one reads {VERSION})"
        )));
    }
    let (json, rest) = part(&bytes[HEAD..]).ok_or_else(cut)?;
    let (snapshot, sum) = part(rest).ok_or_else(cut)?;
    if sum.len() < 8 {
        return Err(cut());
    }
    if sum.len() > 8 || sum != checksum(&bytes[..bytes.len() - 8]).to_le_bytes() {
        return Err(refuse("the saved world is damaged (its checksum does not fit)".into()));
    }
    let header = serde_json::from_slice(json)
        .map_err(|error| refuse(format!("the saved world is damaged ({error})")))?;
    Ok(Saved { header, snapshot: snapshot.to_vec() })
}

/// A part with its length in front, and what follows.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(8)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// FNV-1a over words of eight bytes: finds what disks and copies do to files.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        sum = (sum ^ word).wrapping_mul(0x0100_0000_01b3);
        sum ^= sum >> 29;
    };
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        add(u64::from_le_bytes(word));
    }
    add(bytes.len() as u64);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<u8> {
        let header = Header { dimension: 2, ..Header::default() };
        encode(&header, &[1, 2, 3, 4, 5]).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let saved = decode("x", &example()).unwrap();
        assert_eq!((saved.header.dimension, saved.snapshot), (2, vec![1, 2, 3, 4, 5]));
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_refused() {
        let good = example();
        for length in 0..good.len() {
            assert!(decode("x", &good[..length]).is_err(), "cut at {length}");
        }
        for at in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[at / 8] ^= 1 << (at % 8);
            assert!(decode("x", &bad).is_err(), "bit {at}");
        }
    }
}
