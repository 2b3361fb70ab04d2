//! The last collision queries with their inputs and results: to look at a contact that went wrong, and to take it home as a test.
//!
//! Off unless asked for ([`crate::World::record_queries`]). Entries are written as text, one line each with the exact bits of
//! all numbers, below a line for people; read back, each can be run again and must give the same bits. Queries of
//! several threads are kept in the order in which they finish.

use crate::Error;
use crate::distance::{CastHit, Closest, closest_points, shape_cast};
use crate::math::*;
use crate::narrow_phase::{
    Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Parts, composite,
};
use crate::shape::{LocalRay, LocalRayHit, ShapeOps};
use crate::store::{Reader, Writer};
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// A question about one or two shapes, with all that the answer depends on. Lengths in [m].
#[derive(Clone, Debug, PartialEq)]
pub enum Query<D: Dim> {
    /// Contact of a pair; see [`CollideJob`].
    Contacts {
        /// First shape.
        a: D::Shape,
        /// Second shape.
        b: D::Shape,
        /// Pose of b in the frame of a.
        b_in_a: Pose<D>,
        /// Points closer than this are contacts [m].
        margin: Real,
        /// Length that counts as nothing [m].
        slop: Real,
        /// Which contact functions were used.
        algorithm: Algorithm,
        /// What was remembered from the step before.
        cache: PairCache,
        /// Ids of the points that the pair had, if one of the shapes is a closed mesh or chain: they are preferred to others.
        used: Vec<u32>,
    },
    /// Closest points; see [`closest_points`].
    Distance {
        /// First shape.
        a: D::Shape,
        /// Its pose.
        pose_a: Pose<D>,
        /// Second shape.
        b: D::Shape,
        /// Its pose.
        pose_b: Pose<D>,
    },
    /// A moving shape; see [`shape_cast`].
    Cast {
        /// The moving shape.
        a: D::Shape,
        /// Where it starts.
        pose_a: Pose<D>,
        /// Its way [m].
        translation: D::Vec,
        /// The shape that may be in its way.
        b: D::Shape,
        /// Its pose.
        pose_b: Pose<D>,
        /// Largest share of the way (no unit).
        max: Real,
    },
    /// A ray, in the frame of the shape; see [`ShapeOps::ray_cast`].
    Ray {
        /// The shape.
        shape: D::Shape,
        /// The ray.
        ray: LocalRay<D>,
    },
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<D: Dim> {
    /// One manifold, or one for each part of a pair with a mesh, height field or chain; empty ones mean no contact.
    Contacts(Vec<LocalManifold<D>>),
    /// Closest points.
    Distance(Option<Closest<D>>),
    /// Where they meet.
    Cast(Option<CastHit<D>>),
    /// Where the ray meets the shape.
    Ray(Option<LocalRayHit<D>>),
}

/// A query and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded<D: Dim> {
    /// The question.
    pub query: Query<D>,
    /// The answer it was given.
    pub answer: Answer<D>,
}

/// The last so many queries, from any thread.
#[derive(Debug)]
pub struct QueryLog<D: Dim> {
    entries: Mutex<VecDeque<Recorded<D>>>,
    capacity: usize,
}

impl<D: Dim> QueryLog<D> {
    /// An empty log of at most `capacity` queries.
    pub fn new(capacity: usize) -> Self {
        Self { entries: Mutex::default(), capacity }
    }

    /// Adds a query; the oldest one goes if there are too many.
    pub fn record(&self, query: Query<D>, answer: Answer<D>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        while entries.len() >= self.capacity.max(1) {
            entries.pop_front();
        }
        entries.push_back(Recorded { query, answer });
    }

    /// The queries, oldest first.
    pub fn entries(&self) -> Vec<Recorded<D>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Forgets all queries.
    pub fn clear(&self) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// All queries as text, for [`Recorded::parse`].
    pub fn dump(&self) -> String {
        self.entries().iter().map(Recorded::to_text).collect()
    }
}

impl<D: Dim> Query<D> {
    /// Asks again.
    pub fn run(&self) -> Answer<D> {
        match self {
            Self::Contacts { a, b, b_in_a, margin, slop, algorithm, cache, used } => {
                let job =
                    CollideJob { a, b, b_in_a: *b_in_a, margin: *margin, slop: *slop, algorithm: *algorithm };
                let mut counters = NarrowCounters::default();
                if a.composite().is_some() || b.composite().is_some() {
                    let mut parts = Parts::default();
                    parts.forget(composite::has_body(&job));
                    used.iter().for_each(|&id| parts.remember(id));
                    composite::collide(&job, cache.ground(), &mut counters, &mut parts);
                    return Answer::Contacts((0..parts.len()).map(|i| parts.manifold(i)).collect());
                }
                let mut out = LocalManifold::default();
                D::Shape::collide(&job, &mut cache.clone(), &mut counters, &mut out);
                Answer::Contacts(vec![out])
            }
            Self::Distance { a, pose_a, b, pose_b } => {
                Answer::Distance(closest_points::<D>(a, pose_a, b, pose_b))
            }
            Self::Cast { a, pose_a, translation, b, pose_b, max } => {
                Answer::Cast(shape_cast::<D>(a, pose_a, *translation, b, pose_b, *max, 0.0))
            }
            Self::Ray { shape, ray } => Answer::Ray(shape.ray_cast(ray)),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Contacts { .. } => "contacts",
            Self::Distance { .. } => "distance",
            Self::Cast { .. } => "cast",
            Self::Ray { .. } => "ray",
        }
    }

    fn save(&self, out: &mut Writer) {
        match self {
            Self::Contacts { a, b, b_in_a, margin, slop, algorithm, cache, used } => {
                a.save(out);
                b.save(out);
                out.put(b_in_a);
                out.real(*margin);
                out.real(*slop);
                out.u8(*algorithm as u8);
                [cache.kind, cache.a, cache.b].into_iter().for_each(|x| out.u32(x));
                out.real(cache.value);
                out.u32(used.len() as u32);
                used.iter().for_each(|&id| out.u32(id));
            }
            Self::Distance { a, pose_a, b, pose_b } => {
                a.save(out);
                out.put(pose_a);
                b.save(out);
                out.put(pose_b);
            }
            Self::Cast { a, pose_a, translation, b, pose_b, max } => {
                a.save(out);
                out.put(pose_a);
                out.put(translation);
                b.save(out);
                out.put(pose_b);
                out.real(*max);
            }
            Self::Ray { shape, ray } => {
                shape.save(out);
                out.put(&ray.origin);
                out.put(&ray.direction);
                out.real(ray.max);
            }
        }
    }

    fn load(word: &str, input: &mut Reader<'_>) -> Result<Self, Error> {
        match word {
            "contacts" => Ok(Self::Contacts {
                a: D::Shape::load(input)?,
                b: D::Shape::load(input)?,
                b_in_a: input.get()?,
                margin: input.real()?,
                slop: input.real()?,
                algorithm: match input.u8()? {
                    0 => Algorithm::Auto,
                    1 => Algorithm::Sat,
                    2 => Algorithm::SeparatingPlanes,
                    3 => Algorithm::Gjk,
                    _ => return Err(input.damaged("algorithm")),
                },
                cache: PairCache {
                    kind: input.u32()?,
                    a: input.u32()?,
                    b: input.u32()?,
                    value: input.real()?,
                },
                used: (0..input.length(size_of::<u32>())?).map(|_| input.u32()).collect::<Result<_, _>>()?,
            }),
            "distance" => Ok(Self::Distance {
                a: D::Shape::load(input)?,
                pose_a: input.get()?,
                b: D::Shape::load(input)?,
                pose_b: input.get()?,
            }),
            "cast" => Ok(Self::Cast {
                a: D::Shape::load(input)?,
                pose_a: input.get()?,
                translation: input.get()?,
                b: D::Shape::load(input)?,
                pose_b: input.get()?,
                max: input.real()?,
            }),
            "ray" => Ok(Self::Ray {
                shape: D::Shape::load(input)?,
                ray: LocalRay { origin: input.get()?, direction: input.get()?, max: input.real()? },
            }),
            _ => Err(Error::UnknownName {
                kind: "query",
                name: word.into(),
                known: "contacts, distance, cast, ray".into(),
            }),
        }
    }
}

impl<D: Dim> Answer<D> {
    /// The exact bits of the answer.
    fn bits(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Self::Contacts(manifolds) => {
                for m in manifolds.iter().filter(|m| !m.is_empty()) {
                    out.put(&m.normal);
                    out.u8(m.points().len() as u8);
                    for point in m.points() {
                        out.put(&point.position);
                        out.real(point.separation);
                        out.u32(point.id);
                    }
                }
            }
            Self::Distance(None) | Self::Cast(None) | Self::Ray(None) => {}
            Self::Distance(Some(c)) => {
                out.real(c.distance);
                out.put(&c.point_a);
                out.put(&c.point_b);
                out.put(&c.normal);
            }
            Self::Cast(Some(hit)) => {
                out.real(hit.t);
                out.put(&hit.point);
                out.put(&hit.normal);
                out.real(hit.distance);
            }
            Self::Ray(Some(hit)) => {
                out.real(hit.t);
                out.put(&hit.normal);
            }
        }
        out.into_bytes()
    }
}

/// A query from text, with the bits of the answer it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<D: Dim> {
    /// The question.
    pub query: Query<D>,
    expected: Vec<u8>,
}

impl<D: Dim> Replay<D> {
    /// Asks again: the answer, and whether it is the same to the last bit.
    pub fn run(&self) -> (Answer<D>, bool) {
        let answer = self.query.run();
        let same = answer.bits() == self.expected;
        (answer, same)
    }
}

impl<D: Dim> Recorded<D> {
    /// Two lines: one for people, one with the exact bits.
    pub fn to_text(&self) -> String {
        let mut input = Writer::default();
        self.query.save(&mut input);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {:?} gave {:?}", self.query, self.answer);
        let _ = writeln!(text, "{} {} {}", self.query.word(), hex(input.bytes()), hex(&self.answer.bits()));
        text
    }

    /// The queries of a text that [`QueryLog::dump`] or [`Self::to_text`] wrote, or the first line that is none.
    pub fn parse(text: &str) -> Result<Vec<Replay<D>>, Error> {
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        lines.map(|(number, line)| Self::parse_line(number + 1, line)).collect()
    }

    fn parse_line(number: usize, line: &str) -> Result<Replay<D>, Error> {
        let wrong =
            || Error::invalid("query log", format!("line {number}"), "a word and two rows of hex digits");
        let mut words = line.split(' ');
        let (Some(word), Some(input), Some(answer), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(wrong());
        };
        let (bytes, expected) = (unhex(input).ok_or_else(wrong)?, unhex(answer).ok_or_else(wrong)?);
        let mut reader = Reader::new(&bytes);
        let query = Query::load(word, &mut reader)?;
        if reader.is_at_end() { Ok(Replay { query, expected }) } else { Err(wrong()) }
    }
}

fn hex(bytes: &[u8]) -> String {
    // A dash for nothing, so that there is always a word.
    if bytes.is_empty() { "-".into() } else { bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
