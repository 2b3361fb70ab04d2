//! The syntax tree: what was written, with its places. Nothing is evaluated here.

use smol_str::SmolStr;

use crate::span::Span;
use crate::units::Dimension;

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The text.
    pub text: SmolStr,
    /// Its place.
    pub span: Span,
}

/// One statement of a scene or of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `kind name { … }` or `kind name;`
    Declaration(Declaration),
    /// `const name = value`
    Constant(Constant),
    /// `param name = value in a..b "what it is"`
    Parameter(Parameter),
    /// `repeat i in a..b { … }`
    Repeat(Repeat),
    /// `if condition { … } else { … }`
    If(If),
    /// `at`, `every` or `when`: something that happens during the run.
    Event(Event),
    /// `expect`: a statement about the outcome.
    Expectation(Expectation),
}

/// `kind head… { parameters and items }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The first word.
    pub kind: Word,
    /// What stands between the kind and the brace: names, references or texts.
    pub head: Vec<Expr>,
    /// Parameters in the order written.
    pub parameters: Vec<Argument>,
    /// Declarations inside the braces.
    pub items: Vec<Item>,
    /// Part of it could not be read: the rest is checked, but nothing is made of it.
    pub broken: bool,
    /// All of it, head to closing brace.
    pub span: Span,
}

/// `name value`, `name: value`, or a bare `name` that is a flag.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name.
    pub name: Word,
    /// Value; none for a bare flag.
    pub value: Option<Expr>,
}

impl Argument {
    /// Name and value together.
    #[must_use]
    pub fn span(&self) -> Span {
        self.value.as_ref().map_or(self.name.span, |value| self.name.span.to(value.span))
    }
}

impl Item {
    /// Its place; of a constant that of its name, of a condition that of the condition.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Declaration(declaration) => declaration.span,
            Self::Constant(constant) => constant.name.span,
            Self::Parameter(parameter) => parameter.name.span,
            Self::Repeat(repeat) => repeat.span,
            Self::If(branch) => branch.condition.span,
            Self::Event(event) => event.span,
            Self::Expectation(expectation) => expectation.span,
        }
    }
}

/// `const name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Name.
    pub name: Word,
    /// Value.
    pub value: Expr,
}

/// `param name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: Word,
    /// Default value.
    pub value: Expr,
    /// Allowed values.
    pub range: Option<(Expr, Expr)>,
    /// What it is.
    pub about: Option<SmolStr>,
}

/// The values a repetition runs over.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// First value.
    pub from: Expr,
    /// End of the range.
    pub to: Expr,
    /// Whether the end itself belongs to it.
    pub inclusive: bool,
    /// Distance of neighbours; 1 if absent.
    pub step: Option<Expr>,
}

/// `repeat i in a..b { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Loop variable.
    pub variable: Option<Word>,
    /// Values.
    pub range: Range,
    /// The block.
    pub items: Vec<Item>,
    /// Head of the block.
    pub span: Span,
}

/// `if c { … } else { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The condition.
    pub condition: Expr,
    /// Taken when it holds.
    pub then: Vec<Item>,
    /// Taken when it does not.
    pub otherwise: Vec<Item>,
}

/// A moment: `5s`, or `300 steps`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The number.
    pub value: Expr,
    /// Whether it counts steps rather than seconds.
    pub steps: bool,
}

/// When an event happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// Once.
    At(Moment),
    /// Again and again.
    Every {
        /// Time between two.
        period: Moment,
        /// First one; the first period by default.
        from: Option<Moment>,
        /// Last one.
        until: Option<Moment>,
    },
    /// Once, as soon as the condition holds.
    When(Expr),
}

/// Something that happens during the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub schedule: Schedule,
    /// Name of the number of the occurrence, from 0.
    pub variable: Option<Word>,
    /// Fixed random stream, written by the printer.
    pub stream: Option<Expr>,
    /// What.
    pub items: Vec<Item>,
    /// Head of the block.
    pub span: Span,
}

/// When a statement must hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// After every step.
    Always,
    /// At one moment.
    After(Moment),
    /// After every step from one moment, to another if given.
    From(Moment, Option<Moment>),
    /// At some moment up to this one.
    By(Moment),
    /// After the last step.
    Finally,
}

/// `expect after 10s { y(top) > 9.9 }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// When.
    pub window: Window,
    /// Said when it fails.
    pub about: Option<SmolStr>,
    /// Statements, all of which must hold.
    pub conditions: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `^`
    Power,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Binary {
    /// As written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "^",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }

    /// Whether it compares.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// One step of a reference: `brick` or `brick[2, 3]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Name.
    pub name: Word,
    /// Indices of the repetitions it was made in.
    pub indices: Vec<Expr>,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// A value.
    One(Expr),
    /// `for i in a..b: element`
    For(Word, Box<Range>, Box<Element>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// Depth of its tree: bounded, so that recursion over it is safe.
    pub depth: u16,
}

/// Forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number in SI, and what it measures if a unit said so.
    Number(f64, Option<Dimension>),
    /// A number written in percent.
    Percent(f64),
    /// A text.
    Text(SmolStr),
    /// A plain name: a constant, a variable, a body, or a word such as `on`.
    Name(SmolStr),
    /// A reference with indices or several steps.
    Path(Vec<Segment>),
    /// `f(a, b)`
    Call(Word, Vec<Expr>),
    /// Operator before its operand.
    Unary(Unary, Box<Expr>),
    /// Operator between its operands.
    Binary(Binary, Box<(Expr, Expr)>),
    /// `a == b within c`
    Within(Box<(Expr, Expr, Expr)>),
    /// `a, b, c`
    Vector(Vec<Expr>),
    /// `[a; b; c]`
    List(Vec<Element>),
    /// Already reported.
    Bad,
}

impl Expr {
    /// A leaf.
    #[must_use]
    pub fn leaf(kind: ExprKind, span: Span) -> Self {
        Self { kind, span, depth: 1 }
    }

    /// A node whose depth follows from its children.
    #[must_use]
    pub fn node(kind: ExprKind, span: Span) -> Self {
        let of = |list: &[Self]| list.iter().map(|expr| expr.depth).max().unwrap_or(0);
        let below = match &kind {
            ExprKind::Call(_, list) | ExprKind::Vector(list) => of(list),
            ExprKind::Unary(_, one) => one.depth,
            ExprKind::Binary(_, two) => two.0.depth.max(two.1.depth),
            ExprKind::Within(three) => three.0.depth.max(three.1.depth).max(three.2.depth),
            ExprKind::Path(segments) => segments.iter().map(|step| of(&step.indices)).max().unwrap_or(0),
            ExprKind::List(elements) => elements.iter().map(Element::depth).max().unwrap_or(0),
            _ => 0,
        };
        Self { kind, span, depth: below.saturating_add(1) }
    }

    /// A number without a place, for values put back into a tree.
    #[must_use]
    pub fn number(value: f64, span: Span) -> Self {
        Self::leaf(ExprKind::Number(value, None), span)
    }

    /// The plain name or text, if it is one.
    #[must_use]
    pub fn as_word(&self) -> Option<&SmolStr> {
        match &self.kind {
            ExprKind::Name(text) | ExprKind::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Element {
    /// Depth of the deepest expression inside.
    #[must_use]
    pub fn depth(&self) -> u16 {
        match self {
            Self::One(expr) => expr.depth,
            Self::For(_, range, element) => {
                let ends = range.from.depth.max(range.to.depth);
                let step = range.step.as_ref().map_or(0, |step| step.depth);
                ends.max(step).max(element.depth()).saturating_add(1)
            }
        }
    }
}
