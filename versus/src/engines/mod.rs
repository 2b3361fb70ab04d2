//! The contenders: which engines this build holds, and how to make a world of each.
//!
//! An engine is one adapter file here, one cargo feature, and one entry in `CONTENDERS`. A contender may live in another
//! build of this same program (`build`): cargo unifies features, so Rapier with and without `parallel` or `simd8` cannot be
//! linked into one executable, and `target-cpu=native` must not touch Topple.

use crate::engine::{D2, D3, Engine, WorldDef};

#[cfg(feature = "box2d")]
mod box2d;
#[cfg(feature = "box3d")]
mod box3d;
#[cfg(feature = "jolt")]
mod jolt;
#[cfg(feature = "rapier")]
mod rapier2;
#[cfg(feature = "rapier")]
mod rapier3;
#[cfg(test)]
mod tests;
#[cfg(feature = "topple")]
mod topple;

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// Name in tables, flags and data.
    pub name: &'static str,
    /// The engine a worker is asked for.
    pub engine: &'static str,
    /// Takes part in 2D scenes.
    pub two: bool,
    /// Takes part in 3D scenes.
    pub three: bool,
    /// Takes part in rows of one thread.
    pub one_thread: bool,
    /// Takes part in rows of several threads.
    pub many_threads: bool,
    /// Which executable has it; `None` is this one.
    pub build: Option<&'static Build>,
}

/// Another build of this program, in its own target folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Build {
    /// Folder under `target/variants/`.
    pub name: &'static str,
    /// Cargo features, without the default ones.
    pub features: &'static str,
    /// `RUSTFLAGS`.
    pub rustflags: &'static str,
}

const RAPIER_PARALLEL: Build =
    Build { name: "rapier-parallel", features: "rapier,rapier-parallel", rustflags: "" };
const RAPIER_NATIVE: Build =
    Build { name: "rapier-native", features: "rapier,rapier-simd8", rustflags: "-Ctarget-cpu=native" };
const RAPIER_NATIVE_PARALLEL: Build = Build {
    name: "rapier-native-parallel",
    features: "rapier,rapier-simd8,rapier-parallel",
    rustflags: "-Ctarget-cpu=native",
};

const fn contender(name: &'static str, two: bool, three: bool) -> Contender {
    Contender { name, engine: name, two, three, one_thread: true, many_threads: true, build: None }
}

/// Every contender, ours first.
pub const CONTENDERS: &[Contender] = &[
    contender("topple", true, true),
    Contender { many_threads: false, ..contender("rapier", true, true) },
    Contender {
        engine: "rapier",
        many_threads: false,
        build: Some(&RAPIER_NATIVE),
        ..contender("rapier-native", true, true)
    },
    Contender {
        engine: "rapier",
        one_thread: false,
        build: Some(&RAPIER_PARALLEL),
        ..contender("rapier-parallel", true, true)
    },
    Contender {
        engine: "rapier",
        one_thread: false,
        build: Some(&RAPIER_NATIVE_PARALLEL),
        ..contender("rapier-native-parallel", true, true)
    },
    contender("box2d", true, false),
    contender("box3d", false, true),
    contender("jolt", false, true),
];

/// Topple with `max_refinement = 1`, for the page of what refinement costs; not a contender.
pub const UNREFINED: &str = "topple-unrefined";

/// A world of the named engine in 2D; `None` if this build does not have it.
#[allow(unused_variables)]
pub fn make2(engine: &str, def: &WorldDef<D2>) -> Option<Box<dyn Engine<D2>>> {
    match engine {
        #[cfg(feature = "topple")]
        "topple" => Some(Box::new(topple::Topple::<D2>::new(def))),
        #[cfg(feature = "topple")]
        UNREFINED => Some(Box::new(topple::Topple::<D2>::unrefined(def))),
        #[cfg(feature = "rapier")]
        "rapier" => Some(Box::new(rapier2::Rapier2::new(def))),
        #[cfg(feature = "box2d")]
        "box2d" => Some(Box::new(box2d::Box2d::new(def))),
        _ => None,
    }
}

/// A world of the named engine in 3D; `None` if this build does not have it.
#[allow(unused_variables)]
pub fn make3(engine: &str, def: &WorldDef<D3>) -> Option<Box<dyn Engine<D3>>> {
    match engine {
        #[cfg(feature = "topple")]
        "topple" => Some(Box::new(topple::Topple::<D3>::new(def))),
        #[cfg(feature = "topple")]
        UNREFINED => Some(Box::new(topple::Topple::<D3>::unrefined(def))),
        #[cfg(feature = "rapier")]
        "rapier" => Some(Box::new(rapier3::Rapier3::new(def))),
        #[cfg(feature = "box3d")]
        "box3d" => Some(Box::new(box3d::Box3d::new(def))),
        #[cfg(feature = "jolt")]
        "jolt" => Some(Box::new(jolt::Jolt::new(def))),
        _ => None,
    }
}

/// Does this build hold the engine.
// The lint looks at one set of features only.
#[allow(clippy::match_like_matches_macro)]
pub fn is_built_in(engine: &str) -> bool {
    match engine {
        "topple" | UNREFINED => cfg!(feature = "topple"),
        "rapier" => cfg!(feature = "rapier"),
        "box2d" => cfg!(feature = "box2d"),
        "box3d" => cfg!(feature = "box3d"),
        "jolt" => cfg!(feature = "jolt"),
        _ => false,
    }
}

/// Version, settings and flags, as printed with every result.
pub fn version(engine: &str) -> String {
    #[allow(unused_variables)]
    let c_flags = concat!("; ", env!("CC"), " ", env!("CFLAGS"));
    match engine {
        #[cfg(feature = "topple")]
        "topple" | UNREFINED => topple::version(),
        #[cfg(feature = "rapier")]
        "rapier" => rapier_version(),
        #[cfg(feature = "box2d")]
        "box2d" => box2d::version() + c_flags,
        #[cfg(feature = "box3d")]
        "box3d" => box3d::version() + c_flags,
        #[cfg(feature = "jolt")]
        "jolt" => jolt::version() + c_flags,
        _ => "not in this build".into(),
    }
}

#[cfg(feature = "rapier")]
fn rapier_version() -> String {
    let mut text = "Rapier 0.36.1, 4 solver iterations; release".to_owned();
    for (on, name) in [
        (cfg!(feature = "rapier-simd8"), "simd8"),
        (cfg!(feature = "rapier-parallel"), "parallel"),
        (cfg!(target_feature = "avx2"), "target-cpu=native"),
    ] {
        if on {
            text += &format!(", {name}");
        }
    }
    text
}
