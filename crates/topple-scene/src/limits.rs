//! The documented bounds of the language. A scene is input from anywhere: whatever it says, loading it takes
//! bounded memory and time, and passing a bound is an ordinary error at the place where it happened.

/// Bounds on one scene with everything it includes.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Size of all source texts together [bytes].
    pub source_bytes: usize,
    /// Blocks inside blocks, in one file.
    pub block_depth: usize,
    /// Depth of one expression's tree.
    pub expression_depth: u16,
    /// Blocks, templates and includes inside each other while the scene is expanded.
    pub expansion_depth: usize,
    /// Includes inside includes.
    pub include_depth: usize,
    /// Rounds of all repetitions together.
    pub repetitions: u64,
    /// Declarations after expansion; in a run also all bodies, joints and forces together, those of events included.
    pub declarations: usize,
    /// Elements of all lists together.
    pub list_elements: u64,
    /// Evaluated expression nodes and declarations together: bounds the time.
    pub work: u64,
    /// Size of all mesh files together [bytes].
    pub mesh_bytes: u64,
    /// Triangles of all mesh files together, and vertices as many.
    pub mesh_triangles: usize,
    /// Diagnostics kept; the rest is only counted.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 64 << 20,
            block_depth: 32,
            expression_depth: 128,
            expansion_depth: 64,
            include_depth: 16,
            repetitions: 4_000_000,
            declarations: 1_000_000,
            list_elements: 4_000_000,
            work: 100_000_000,
            mesh_bytes: 256 << 20,
            mesh_triangles: 4_000_000,
            diagnostics: 500,
        }
    }
}

impl Limits {
    /// Name, value and meaning of every bound, for the reference page.
    #[must_use]
    pub fn table(&self) -> Vec<(&'static str, String, &'static str)> {
        vec![
            (
                "source size",
                format!("{} MiB", self.source_bytes >> 20),
                "the scene and its includes together",
            ),
            ("block depth", self.block_depth.to_string(), "blocks inside blocks in one file"),
            (
                "expression depth",
                self.expression_depth.to_string(),
                "operators and brackets inside each other",
            ),
            (
                "expansion depth",
                self.expansion_depth.to_string(),
                "blocks, templates and includes while expanding",
            ),
            ("include depth", self.include_depth.to_string(), "includes inside includes"),
            ("repetitions", self.repetitions.to_string(), "rounds of all `repeat` together"),
            ("declarations", self.declarations.to_string(), "declarations after expansion"),
            ("list elements", self.list_elements.to_string(), "elements of all lists together"),
            ("work", self.work.to_string(), "evaluated expressions and declarations together"),
            (
                "mesh size",
                format!("{} MiB", self.mesh_bytes >> 20),
                "all mesh files together, each counted once",
            ),
            (
                "mesh triangles",
                self.mesh_triangles.to_string(),
                "of all mesh files together; vertices as many",
            ),
            ("diagnostics", self.diagnostics.to_string(), "messages kept; the rest is counted"),
        ]
    }
}
