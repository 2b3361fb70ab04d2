//! Walks the statements: constants, repetition, conditions, groups, templates, includes.

use std::sync::Arc;

use smol_str::SmolStr;

use super::names::Level;
use super::record::Record;
use super::{Evaluator, Output, Reported, random};
use crate::ast::{Argument, Declaration, Expr, ExprKind, If, Item, Parameter, Repeat};
use crate::diagnostics::Diagnostic;
use crate::model::Pose;
use crate::schema::{self, Family, KindInfo};
use crate::span::{FileId, Span};
use crate::value::Value;

impl Evaluator<'_> {
    /// A block; constants defined in it end with it.
    pub(crate) fn items(&mut self, items: &[Item]) {
        let (locals, failed) = (self.locals.len(), self.failed.len());
        for item in items {
            if self.exhausted {
                break;
            }
            self.has_unit_fault = false;
            // The error has been reported; the statement is skipped and the rest stays.
            let _ = self.item(item);
            // The innermost statement takes the fault; those around it stay.
            if std::mem::take(&mut self.has_unit_fault) && matches!(self.output, Output::Event(_)) {
                self.unit_faults.push(item.span());
            }
        }
        self.locals.truncate(locals);
        self.failed.truncate(failed);
    }

    fn item(&mut self, item: &Item) -> Result<(), Reported> {
        match item {
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::Constant(constant) => {
                if self.depth == 0 {
                    // Hoisted; computed here at the latest, so that its faults are reported.
                    return self
                        .lookup(&constant.name.text, constant.name.span)
                        .unwrap_or(Err(Reported))
                        .map(drop);
                }
                self.at_site(constant.name.span);
                let value = self.eval(&constant.value);
                self.define_local(&constant.name.text, value)
            }
            Item::Parameter(parameter) => self.parameter(parameter),
            Item::Repeat(repeat) => self.repeat(repeat),
            Item::If(branch) => self.branch(branch),
            Item::Event(event) => self.event(event),
            Item::Expectation(expectation) => self.expectation(expectation),
        }
    }

    /// Runs `inside` one level deeper.
    pub(crate) fn deeper<T>(
        &mut self,
        span: Span,
        inside: impl FnOnce(&mut Self) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if self.depth >= self.limits.expansion_depth {
            let message = format!("the scene expands more than {} blocks deep", self.limits.expansion_depth);
            return Err(self.fail(
                Diagnostic::error("too-deep", span, message).help("does a template or include use itself?"),
            ));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Inside a template or an include: a value given from outside, or the default.
    fn parameter(&mut self, parameter: &Parameter) -> Result<(), Reported> {
        let name = &parameter.name;
        if self.depth == 0 {
            return self.lookup(&name.text, name.span).unwrap_or(Err(Reported)).map(drop);
        }
        let Some(frame) = self.frames.last() else {
            return Err(self.fail(
                Diagnostic::error(
                    "structure",
                    name.span,
                    "'param' stands at the top of a file or in a template",
                )
                .help("use 'const' in a block"),
            ));
        };
        let given = frame.iter().find(|(known, _)| *known == name.text).map(|(_, value)| value.clone());
        self.at_site(name.span);
        let value = match given {
            Some(value) => Ok(value),
            None => self.eval(&parameter.value),
        };
        self.define_local(&name.text, value)
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), Reported> {
        self.at_site(repeat.span);
        let Ok(values) = self.range(&repeat.range, repeat.span) else {
            self.lose_items(&repeat.items);
            return Err(Reported);
        };
        self.deeper(repeat.span, |this| {
            for value in values {
                this.work(1, repeat.span)?;
                if let Some(variable) = &repeat.variable {
                    this.push_local(&variable.text, Value::plain(value));
                }
                if let Some(level) = this.levels.last_mut() {
                    level.loops.push(value);
                }
                let context = this.enter_loop(value);
                this.items(&repeat.items);
                this.leave_loop(context);
                if let Some(level) = this.levels.last_mut() {
                    level.loops.pop();
                }
                if repeat.variable.is_some() {
                    this.pop_local();
                }
                if this.exhausted {
                    break;
                }
            }
            Ok(())
        })
    }

    fn branch(&mut self, branch: &If) -> Result<(), Reported> {
        self.at_site(branch.condition.span);
        let Ok(holds) = self.flag(&branch.condition) else {
            self.lose_items(&branch.then);
            self.lose_items(&branch.otherwise);
            return Err(Reported);
        };
        self.deeper(branch.condition.span, |this| {
            this.items(if holds { &branch.then } else { &branch.otherwise });
            Ok(())
        })
    }

    fn declaration(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let word = &declaration.kind;
        let Some(kind) = schema::kind(&word.text) else {
            let message = format!("there is no declaration '{}'", word.text);
            let known = schema::kind_names().chain(crate::parser::STATEMENTS.iter().copied());
            let mut error = Diagnostic::error("unknown-declaration", word.span, message).suggest(self.near(
                (word.span, "unknown-declaration"),
                &word.text,
                known,
            ));
            if schema::joints::find(&word.text).is_some() {
                error = error.help(format!("write 'joint {}'", word.text));
            } else if schema::forces::find(&word.text).is_some() {
                error = error.help(format!("write 'force {}'", word.text));
            }
            return Err(self.fail(error));
        };
        self.count_declaration(word.span)?;
        self.at_site(declaration.span);
        let mut sound = true;
        if !kind.holds_items() && !declaration.items.is_empty() {
            let message = format!("'{}' cannot hold declarations", word.text);
            self.fail(Diagnostic::error("structure", word.span, message));
            sound = false;
        }
        if !kind.dims.has(self.dimension()) {
            self.wrong_dimension(kind, declaration);
            // Its parameters have another dimension too; only what is wrong in any is told.
            declaration.parameters.iter().filter_map(|argument| argument.value.as_ref()).for_each(|value| {
                self.look_at(value);
            });
            self.lose(kind, declaration);
            return Err(Reported);
        }
        self.lost += usize::from(!sound);
        let done = match kind.family {
            Family::Shape => self.shape_body(kind, declaration),
            Family::Compound => self.compound(kind, declaration),
            Family::Joint => self.joint(declaration),
            Family::Force => self.force(declaration),
            Family::View => self.view(kind, declaration),
            Family::Action => self.action(kind, declaration),
            Family::World => self.misplaced_world(kind, declaration),
            Family::Structure => match kind.name {
                "group" => self.group(kind, declaration),
                "place" => self.place_template(kind, declaration),
                "include" => self.include(kind, declaration),
                "ignore" => self.ignore(kind, declaration),
                _ => self.misplaced_world(kind, declaration),
            },
        };
        self.lost -= usize::from(!sound);
        if done.is_err() || !sound {
            self.lose(kind, declaration);
            return Err(Reported);
        }
        Ok(())
    }

    /// Keeps the name of a faulty declaration, so that nobody is told that it does not exist.
    fn lose(&mut self, kind: &KindInfo, declaration: &Declaration) {
        let position = match kind.family {
            Family::Joint | Family::Force => 1,
            Family::Structure if kind.name == "place" => 1,
            Family::Action | Family::World => return,
            _ => 0,
        };
        if let Some(name) = declaration.head.get(position).and_then(Expr::as_word) {
            let full = self.full_name(name);
            match kind.family {
                // Groups may have the same name.
                Family::Structure => self.names.add_faulty(&full),
                _ => self.lose_declared(&full, declaration.kind.span),
            }
        }
    }

    /// The names in a block that is not expanded: nobody is told that they do not exist.
    fn lose_items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Declaration(declaration) => {
                    let position = match declaration.kind.text.as_str() {
                        "joint" | "force" | "place" => 1,
                        _ => 0,
                    };
                    if let Some(name) = declaration.head.get(position).and_then(Expr::as_word) {
                        let full = self.full_name(name);
                        self.names.add_faulty(&full);
                    } else {
                        self.lose_items(&declaration.items);
                    }
                }
                Item::Repeat(repeat) => self.lose_items(&repeat.items),
                Item::If(branch) => {
                    self.lose_items(&branch.then);
                    self.lose_items(&branch.otherwise);
                }
                Item::Constant(_) | Item::Parameter(_) | Item::Event(_) | Item::Expectation(_) => {}
            }
        }
    }

    fn wrong_dimension(&mut self, kind: &KindInfo, declaration: &Declaration) -> Reported {
        let dimension = self.dimension();
        let instead = match (kind.name, dimension) {
            ("sphere", 2) => Some("circle"),
            ("circle", 3) => Some("sphere"),
            ("hull", 2) => Some("polygon"),
            ("polygon", 3) => Some("hull"),
            ("chain", 3) => Some("heightfield"),
            ("heightfield", 2) => Some("chain"),
            _ => None,
        };
        let other = if dimension == 2 { 3 } else { 2 };
        let message =
            format!("'{}' exists in {other}D only; this scene is {dimension}D", declaration.kind.text);
        let mut error = Diagnostic::error("dimension", declaration.kind.span, message);
        if let Some(instead) = instead {
            error = error.help(format!("in {dimension}D it is '{instead}'"));
        } else if dimension == 3 && !self.world.declared {
            error = error.help("for a 2D scene write 'world { dimension 2 }'");
        }
        self.fail(error)
    }

    /// Kinds that are read before the walk: fine at the top of a file, misplaced in a block.
    fn misplaced_world(&mut self, kind: &KindInfo, declaration: &Declaration) -> Result<(), Reported> {
        if self.depth == 0 {
            return Ok(());
        }
        let message = format!("'{}' stands at the top of the file, not in a block", kind.name);
        Err(self.fail(Diagnostic::error("structure", declaration.kind.span, message)))
    }

    // ---- groups -------------------------------------------------------------------------------------------

    /// The name after a kind, at most one.
    pub(crate) fn own_name(&mut self, words: &[Expr]) -> Result<Option<SmolStr>, Reported> {
        match words {
            [] => Ok(None),
            [one] => match one.as_word() {
                Some(name) if name.is_empty() || name.len() > 200 => {
                    Err(self.fail(Diagnostic::error("name", one.span, "a name has 1 to 200 characters")))
                }
                Some(name) => Ok(Some(name.clone())),
                None => Err(self.fail(
                    Diagnostic::error("name", one.span, "a declaration has a plain name")
                        .help("things in a repetition get their index by themselves: ball[0], ball[1], …"),
                )),
            },
            [_, more, ..] => {
                let message = "a declaration has one name";
                Err(self.fail(Diagnostic::error("name", more.span, message)))
            }
        }
    }

    fn group(&mut self, kind: &'static KindInfo, declaration: &Declaration) -> Result<(), Reported> {
        let name = self.own_name(&declaration.head);
        let pose = self.record(kind, declaration).and_then(|record| self.pose_of(&record, "at"));
        let sound = name.is_ok() && pose.is_ok();
        let (name, pose) = (name.unwrap_or_default(), pose.unwrap_or(Pose::IDENTITY));
        // Without its place nothing can be made of it, but what is in it may have faults of its own.
        self.lost += usize::from(!sound);
        let done = self.placed(name, &pose, declaration.kind.span, |this| {
            this.items(&declaration.items);
            Ok(())
        });
        self.lost -= usize::from(!sound);
        if sound { done } else { Err(Reported) }
    }

    /// Runs `inside` with a pose and a name prefix.
    fn placed(
        &mut self,
        name: Option<SmolStr>,
        pose: &Pose,
        span: Span,
        inside: impl FnOnce(&mut Self) -> Result<(), Reported>,
    ) -> Result<(), Reported> {
        let full = name.map(|name| self.full_name(&name));
        if let Some(full) = &full {
            self.check_length(full, span)?;
        }
        let outer = self.pose;
        self.pose = outer.then(pose);
        let named = full.is_some();
        if let Some(full) = full {
            self.names.add_group(&full);
            self.levels.push(Level { prefix: format!("{full}."), loops: Vec::new() });
        }
        let result = self.deeper(span, inside);
        if named {
            self.levels.pop();
        }
        self.pose = outer;
        result
    }

    fn place_template(&mut self, kind: &'static KindInfo, declaration: &Declaration) -> Result<(), Reported> {
        let Some((first, rest)) = declaration.head.split_first() else {
            let error = Diagnostic::error("name", declaration.kind.span, "which template is placed?");
            return Err(self.fail(error.help("write 'place template' or 'place template name'")));
        };
        let Some(template) = first.as_word().and_then(|word| self.templates.get(word)).cloned() else {
            let mut known: Vec<_> = self.templates.keys().cloned().collect();
            known.sort();
            let shown = self.sources.text(first.span).to_string();
            let error =
                Diagnostic::error("unknown-template", first.span, format!("there is no template '{shown}'"))
                    .suggest(self.near(
                        (first.span, "unknown-template"),
                        &shown,
                        known.iter().map(SmolStr::as_str),
                    ));
            return Err(self.fail(error));
        };
        if template.broken {
            return Err(Reported);
        }
        let name = self.own_name(rest)?;
        self.instance(kind, declaration, name, &template.items)?;
        self.placed_templates.insert(template.span.key());
        Ok(())
    }

    /// Looks for faults in templates that nobody could place, with the defaults of their parameters. Nothing is made, and names in
    /// them are not looked up.
    pub(crate) fn rehearse_templates(&mut self) {
        let placed = std::mem::take(&mut self.placed_templates);
        let unplaced = self.templates.values().filter(|template| !placed.contains(&template.span.key()));
        let mut unplaced: Vec<_> = unplaced.cloned().collect();
        unplaced.sort_by_key(|template| template.span.key());
        let (names, pending) = (self.names.clone(), std::mem::take(&mut self.pending));
        let (usage, exhausted) = (self.usage, self.exhausted);
        self.lost += 1;
        for template in unplaced {
            self.frames.push(Vec::new());
            let _ = self.deeper(template.kind.span, |this| {
                this.items(&template.items);
                Ok(())
            });
            self.frames.pop();
        }
        self.lost -= 1;
        (self.names, self.pending) = (names, pending);
        (self.usage, self.exhausted) = (usage, exhausted);
    }

    /// A template or an included file: its own random stream, its own parameters.
    fn instance(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
        name: Option<SmolStr>,
        items: &[Item],
    ) -> Result<(), Reported> {
        let placed = self.split_arguments(kind, declaration, items).and_then(|(record, frame)| {
            let pose = self.pose_of(&record, "at")?;
            Ok((pose, frame))
        });
        let Ok((pose, frame)) = placed else {
            if name.is_none() {
                self.lose_items(items);
            }
            return Err(Reported);
        };
        self.at_site(declaration.span);
        let outer = self.place;
        self.place.context = self.site_key();
        let locals = std::mem::take(&mut self.locals);
        let failed = std::mem::take(&mut self.failed);
        self.frames.push(frame);
        let result = self.placed(name, &pose, declaration.kind.span, |this| {
            this.items(items);
            Ok(())
        });
        self.frames.pop();
        (self.locals, self.failed) = (locals, failed);
        self.place = outer;
        result
    }

    /// Arguments that place, and arguments that are the template's own.
    fn split_arguments(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
        items: &[Item],
    ) -> Result<(Record, Vec<(SmolStr, Value)>), Reported> {
        let own = |name: &str| {
            items.iter().any(|item| matches!(item, Item::Parameter(parameter) if parameter.name.text == name))
        };
        let (mine, placing): (Vec<&Argument>, Vec<&Argument>) =
            declaration.parameters.iter().partition(|argument| own(&argument.name.text));
        let placing: Vec<Argument> = placing.into_iter().cloned().collect();
        let record = self.record_of(kind, &declaration.kind, &placing, declaration.broken);
        let mut frame = Vec::new();
        let mut sound = true;
        for argument in mine {
            self.at_parameter(&argument.name.text);
            let Some(value) = &argument.value else { continue };
            match self.eval(value) {
                Ok(value) => frame.push((argument.name.text.clone(), value)),
                Err(Reported) => sound = false,
            }
        }
        if sound { Ok((record?, frame)) } else { Err(Reported) }
    }

    // ---- includes -----------------------------------------------------------------------------------------

    /// Whether an include reads its file as if it stood here, so that constants are shared.
    pub(crate) fn is_plain_include(declaration: &Declaration) -> bool {
        declaration.head.len() == 1 && declaration.parameters.is_empty() && !declaration.broken
    }

    fn include(&mut self, kind: &'static KindInfo, declaration: &Declaration) -> Result<(), Reported> {
        if matches!(self.output, Output::Event(_)) {
            let message = "a file cannot be included during the run";
            return Err(self.fail(Diagnostic::error("structure", declaration.kind.span, message)));
        }
        if !declaration.items.is_empty() {
            let message = "'include' cannot hold declarations";
            return Err(self.fail(Diagnostic::error("structure", declaration.kind.span, message)));
        }
        let (file, items) = self.load_include(declaration)?;
        self.include_stack.push(file);
        let result = if Self::is_plain_include(declaration) && self.depth == 0 {
            self.items(&items);
            Ok(())
        } else {
            let name = match declaration.head.as_slice() {
                [_, _, name] => self.own_name(std::slice::from_ref(name)),
                _ => Ok(None),
            };
            name.and_then(|name| self.instance(kind, declaration, name, &items))
        };
        self.include_stack.pop();
        result
    }

    /// The parsed file of an include.
    pub(crate) fn load_include(
        &mut self,
        declaration: &Declaration,
    ) -> Result<(FileId, Arc<Vec<Item>>), Reported> {
        let word_as = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(word) if word == "as");
        let path = match declaration.head.as_slice() {
            [path] if matches!(path.kind, ExprKind::Text(_)) => path,
            [path, keyword, _] if matches!(path.kind, ExprKind::Text(_)) && word_as(keyword) => path,
            _ => {
                let error = Diagnostic::error("syntax", declaration.kind.span, "which file is included?");
                return Err(self.fail(error.help("write 'include \"file\"' or 'include \"file\" as name'")));
            }
        };
        if self.include_stack.len() >= self.limits.include_depth {
            let message = format!("includes are nested more than {} deep", self.limits.include_depth);
            return Err(self.fail(Diagnostic::error("too-deep", path.span, message)));
        }
        let wanted = path.as_word().cloned().unwrap_or_default();
        let from =
            self.sources.get(declaration.kind.span.file).map_or(String::new(), |file| file.name.clone());
        let key = format!("{from}\n{wanted}");
        if let Some((file, items)) = self.files.get(&key).cloned() {
            return self.not_in_itself(file, path.span).map(|()| (file, items));
        }
        let (name, text) = match self.loader.load(&wanted, &from) {
            Ok(loaded) => loaded,
            Err(reason) => {
                let message = format!("cannot read '{wanted}': {reason}");
                return Err(self.fail(Diagnostic::error("include", path.span, message)));
            }
        };
        if let Some(file) = self.sources.find(&name) {
            self.not_in_itself(file, path.span)?;
        }
        self.source_bytes += text.len();
        if self.source_bytes > self.limits.source_bytes || self.sources.len() >= usize::from(FileId::MAX) {
            let message = format!("the scene has more than {} MiB of text", self.limits.source_bytes >> 20);
            return Err(self.fail(Diagnostic::error("too-large", path.span, message)));
        }
        let file = self.sources.add(name, text);
        let text = self.sources.get(file).map_or(String::new(), |source| source.text.clone());
        let items = Arc::new(crate::parser::parse(&text, file, self.limits, self.diagnostics));
        random::find_sites(&items, &mut self.sites);
        self.files.insert(key, (file, Arc::clone(&items)));
        Ok((file, items))
    }

    fn not_in_itself(&mut self, file: FileId, span: Span) -> Result<(), Reported> {
        if self.include_stack.contains(&file) {
            return Err(self.fail(Diagnostic::error("cycle", span, "this file includes itself")));
        }
        Ok(())
    }
}
