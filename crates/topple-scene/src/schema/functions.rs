//! Functions of expressions. Transcendentals come from `libm`, so that a scene means the same bits everywhere.

/// How a function is computed.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// One number to one; applied to every component of a vector.
    One(fn(f64) -> f64),
    /// Two numbers to one.
    Two(fn(f64, f64) -> f64),
    /// Three numbers to one.
    Three(fn(f64, f64, f64) -> f64),
    /// One or more numbers, folded.
    Fold(fn(f64, f64) -> f64),
    /// Done by the evaluator: vectors, conditions, random numbers.
    Special,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name.
    pub name: &'static str,
    /// Arguments, as shown.
    pub arguments: &'static str,
    /// Fewest and most arguments.
    pub count: (usize, usize),
    /// One line.
    pub doc: &'static str,
    /// How it is computed.
    pub body: Body,
}

const fn f(
    name: &'static str,
    arguments: &'static str,
    count: (usize, usize),
    body: Body,
    doc: &'static str,
) -> Function {
    Function { name, arguments, count, doc, body }
}

fn fraction(x: f64) -> f64 {
    x - libm::floor(x)
}

fn modulo(a: f64, b: f64) -> f64 {
    a - b * libm::floor(a / b)
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn clamp(x: f64, low: f64, high: f64) -> f64 {
    x.max(low).min(high)
}

fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// All functions.
pub const FUNCTIONS: &[Function] = &[
    f("sin", "a", (1, 1), Body::One(libm::sin), "Sine."),
    f("cos", "a", (1, 1), Body::One(libm::cos), "Cosine."),
    f("tan", "a", (1, 1), Body::One(libm::tan), "Tangent."),
    f("asin", "x", (1, 1), Body::One(libm::asin), "Arc sine."),
    f("acos", "x", (1, 1), Body::One(libm::acos), "Arc cosine."),
    f("atan", "x", (1, 1), Body::One(libm::atan), "Arc tangent."),
    f("atan2", "y, x", (2, 2), Body::Two(libm::atan2), "Angle of the direction (x, y)."),
    f("sinh", "x", (1, 1), Body::One(libm::sinh), "Hyperbolic sine."),
    f("cosh", "x", (1, 1), Body::One(libm::cosh), "Hyperbolic cosine."),
    f("tanh", "x", (1, 1), Body::One(libm::tanh), "Hyperbolic tangent."),
    f("sqrt", "x", (1, 1), Body::One(libm::sqrt), "Square root."),
    f("exp", "x", (1, 1), Body::One(libm::exp), "Exponential."),
    f("ln", "x", (1, 1), Body::One(libm::log), "Natural logarithm."),
    f("log10", "x", (1, 1), Body::One(libm::log10), "Logarithm to base 10."),
    f("pow", "x, y", (2, 2), Body::Two(libm::pow), "x to the power y, as `x^y`."),
    f("hypot", "x, y", (2, 2), Body::Two(libm::hypot), "Length of the vector (x, y)."),
    f("abs", "x", (1, 1), Body::One(libm::fabs), "Absolute value."),
    f("sign", "x", (1, 1), Body::One(sign), "-1, 0 or 1."),
    f("floor", "x", (1, 1), Body::One(libm::floor), "Next whole number below."),
    f("ceil", "x", (1, 1), Body::One(libm::ceil), "Next whole number above."),
    f("round", "x", (1, 1), Body::One(libm::round), "Nearest whole number."),
    f("fract", "x", (1, 1), Body::One(fraction), "What `floor` leaves."),
    f("mod", "a, b", (2, 2), Body::Two(modulo), "Remainder, with the sign of b."),
    f("min", "a, b, …", (1, 64), Body::Fold(f64::min), "The smallest."),
    f("max", "a, b, …", (1, 64), Body::Fold(f64::max), "The largest."),
    f("clamp", "x, low, high", (3, 3), Body::Three(clamp), "x, kept between low and high."),
    f("mix", "a, b, t", (3, 3), Body::Three(mix), "From a (t = 0) to b (t = 1)."),
    f(
        "if",
        "condition, a, b",
        (3, 3),
        Body::Special,
        "a if the condition holds, else b; only that one is computed.",
    ),
    f("length", "v", (1, 1), Body::Special, "Length of a vector."),
    f("unit", "v", (1, 1), Body::Special, "The vector at length 1."),
    f("dot", "v, w", (2, 2), Body::Special, "Scalar product."),
    f("cross", "v, w", (2, 2), Body::Special, "Vector product; a number in 2D."),
    f("x", "v", (1, 1), Body::Special, "First component of a vector."),
    f("y", "v", (1, 1), Body::Special, "Second component."),
    f("z", "v", (1, 1), Body::Special, "Third component."),
    f("vec", "x, y, z", (2, 3), Body::Special, "A vector, where a comma would separate arguments."),
    f("polar", "r, a", (2, 2), Body::Special, "The 2D vector of length r and angle a."),
    f(
        "uniform",
        "low, high",
        (0, 2),
        Body::Special,
        "A random number, evenly spread; from 0 to 1 by default.",
    ),
    f(
        "gauss",
        "mean, deviation",
        (0, 2),
        Body::Special,
        "A random number, normally distributed; 0 and 1 by default.",
    ),
    f("dice", "n", (1, 1), Body::Special, "A random whole number from 0 to n-1."),
];

/// The function of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Whether a function draws random numbers.
#[must_use]
pub fn is_random(name: &str) -> bool {
    matches!(name, "uniform" | "gauss" | "dice")
}

/// Constants that are always there.
pub const CONSTANTS: &[(&str, f64, &str)] =
    &[("pi", std::f64::consts::PI, "Half a turn."), ("tau", std::f64::consts::TAU, "A whole turn.")];

/// Names of colours.
pub const COLOURS: &[(&str, [f64; 3])] = &[
    ("white", [1.0, 1.0, 1.0]),
    ("black", [0.0, 0.0, 0.0]),
    ("grey", [0.5, 0.5, 0.5]),
    ("silver", [0.75, 0.75, 0.75]),
    ("red", [0.85, 0.15, 0.12]),
    ("green", [0.15, 0.6, 0.2]),
    ("blue", [0.15, 0.35, 0.85]),
    ("yellow", [0.98, 0.82, 0.1]),
    ("orange", [0.95, 0.5, 0.1]),
    ("purple", [0.5, 0.2, 0.65]),
    ("pink", [0.95, 0.55, 0.7]),
    ("brown", [0.45, 0.28, 0.15]),
    ("cyan", [0.1, 0.7, 0.8]),
    ("teal", [0.05, 0.45, 0.45]),
    ("lime", [0.6, 0.85, 0.15]),
    ("navy", [0.08, 0.12, 0.35]),
    ("gold", [0.83, 0.66, 0.2]),
    ("sand", [0.85, 0.76, 0.55]),
    ("ivory", [0.96, 0.94, 0.86]),
];

/// The colour of a name.
#[must_use]
pub fn colour(name: &str) -> Option<[f64; 3]> {
    COLOURS.iter().find(|(known, _)| *known == name).map(|(_, rgb)| *rgb)
}
