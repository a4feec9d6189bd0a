//! A program as the comparison reads it: calls, composites and fusions replaced by their bodies, barriers by their operands, tuples taken apart (the
//! composites that stand for a function stay: the ring reads their name). Two
//! versions that differ only in what is a function or a fusion are then alike, and values inside bodies can be cut points.
//!
//! A reduction in f32 of numbers of a narrower type, whose body rounds to that type at each step, is a reduction in that type (XLA's float-normalization writes it
//! so for a CPU without bf16) and is read as one.
//!
//! Proves nothing by itself: moves ops between regions and changes no other. A program whose calls recur, or that would grow too large, stays as it is.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo::{
        self,
        composite::{Composite, Values},
    },
    op::{Kind, Op},
    program::{OpId, Program, RegionId, ValueDef, ValueId},
    tensor::Tensor,
    types::{ElementType, TensorType, Type},
};

/// Most ops a normal form may have: bodies called from many places are copied to each.
const MOST_OPS: usize = 200_000;
/// Deepest nesting of calls that is replaced.
const MOST_DEPTH: usize = 2_000;

/// What becomes of composites that stand for a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Functions {
    Kept,
    /// Replaced by what they compute on the IEEE plane, where that is their decomposition.
    Opened,
}

/// The normal form of a program; the program itself where it has none.
pub fn of(program: &Arc<Program>) -> Arc<Program> {
    copied(program, Functions::Kept)
}

/// As [`of`], with the bodies of named expansions too: the same on the IEEE plane.
pub fn opened(program: &Arc<Program>) -> Arc<Program> {
    copied(program, Functions::Opened)
}

fn copied(program: &Arc<Program>, functions: Functions) -> Arc<Program> {
    let narrow = |id| in_narrow_type(program, id).is_some();
    let mut all = program.op_ids();
    if !all.any(|id| is_replaced(&program.op(id).op) || narrow(id)) {
        return program.clone();
    }
    let mut copy = Copy {
        program,
        functions,
        builder: ProgramBuilder::new(&program.name, Provenance::Keep),
        values: HashMap::new(),
        open: vec![],
        kept: BTreeSet::new(),
        ops: 0,
    };
    match copy.program() {
        Some(()) => copy.finish().map_or_else(|_| program.clone(), Arc::new),
        None => program.clone(),
    }
}

fn is_replaced(op: &Op) -> bool {
    match op {
        Op::Hlo(
            hlo::Op::Call(_)
            | hlo::Op::Composite(_)
            | hlo::Op::Fusion(_)
            | hlo::Op::OptimizationBarrier(_)
            | hlo::Op::GetTupleElement(_),
        ) => true,
        Op::Hlo(_) => false,
    }
}

struct Copy<'p> {
    program: &'p Program,
    functions: Functions,
    builder: ProgramBuilder,
    values: HashMap<ValueId, ValueId>,
    /// Functions under way.
    open: Vec<String>,
    /// Functions that ops other than calls name.
    kept: BTreeSet<String>,
    ops: usize,
}

impl Copy<'_> {
    /// None: calls recur or the copy grows too large.
    fn program(&mut self) -> Option<()> {
        let entry = self.program.main().name.clone();
        self.function(&entry)?;
        let mut done = BTreeSet::from([entry]);
        while let Some(name) = self.kept.iter().find(|n| !done.contains(*n)).cloned() {
            self.function(&name)?;
            done.insert(name);
        }
        Some(())
    }

    fn finish(mut self) -> Result<Program, Error> {
        let aliases = self.program.main().aliases.clone();
        let out = self.builder.program_mut();
        (out.num_replicas, out.num_partitions) =
            (self.program.num_replicas, self.program.num_partitions);
        out.kernels = self.program.kernels.clone();
        if let Some(main) = out.functions.first_mut() {
            main.aliases = aliases;
        }
        self.builder.finish()
    }

    fn function(&mut self, name: &str) -> Option<()> {
        let f = self.program.function(self.program.find_function(name)?);
        let region = self.program.region(f.body);
        let types: Vec<Type> = types(self.program, &region.arguments);
        let arguments = self
            .builder
            .begin_function(name, &types, f.location.clone());
        self.values
            .extend(region.arguments.iter().copied().zip(arguments));
        self.open.push(name.to_string());
        let results = self.body(f.body)?;
        self.open.pop();
        self.builder.end_function(&results, f.location.clone());
        Some(())
    }

    /// Copies the ops of a region whose arguments have their values. Gives the returned values.
    fn body(&mut self, region: RegionId) -> Option<Vec<ValueId>> {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            for id in self.program.region(region).ops.clone() {
                if self.program.op(id).op.is_return() {
                    break;
                }
                self.op(id)?;
            }
            self.mapped(self.program.returned(region))
        })
    }

    fn mapped(&self, values: &[ValueId]) -> Option<Vec<ValueId>> {
        values.iter().map(|v| self.values.get(v).copied()).collect()
    }

    fn op(&mut self, id: OpId) -> Option<()> {
        self.ops += 1;
        if self.ops > MOST_OPS {
            return None;
        }
        let o = self.program.op(id);
        let operands = self.mapped(&o.operands)?;
        let results = match &o.op {
            Op::Hlo(hlo::Op::Call(call)) => self.call(&call.callee, &operands)?,
            Op::Hlo(hlo::Op::Composite(composite)) if self.opens(composite) => {
                self.call(&composite.decomposition, &operands)?
            }
            Op::Hlo(hlo::Op::Fusion(_)) => {
                let body = *o.regions.first()?;
                self.inlined(body, &operands)?
            }
            Op::Hlo(hlo::Op::OptimizationBarrier(_)) => operands,
            Op::Hlo(hlo::Op::Reduce(_)) => match self.narrow_reduction(id, &operands) {
                Some(results) => results,
                None => self.copied(id, &operands)?,
            },
            Op::Hlo(hlo::Op::GetTupleElement(get)) => {
                match self.part(*operands.first()?, get.index as usize) {
                    Some(part) => vec![part],
                    None => self.copied(id, &operands)?,
                }
            }
            Op::Hlo(_) => self.copied(id, &operands)?,
        };
        self.values.extend(o.results.iter().copied().zip(results));
        Some(())
    }

    fn opens(&self, composite: &Composite) -> bool {
        match composite.implements() {
            None => true,
            Some(named) => {
                self.functions == Functions::Opened && named.values == Values::OfDecomposition
            }
        }
    }

    fn call(&mut self, callee: &str, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        if self.open.iter().any(|f| f == callee) || self.open.len() >= MOST_DEPTH {
            return None;
        }
        let body = self
            .program
            .function(self.program.find_function(callee)?)
            .body;
        self.open.push(callee.to_string());
        let results = self.inlined(body, operands);
        self.open.pop();
        results
    }

    fn inlined(&mut self, body: RegionId, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let arguments = &self.program.region(body).arguments;
        self.values
            .extend(arguments.iter().copied().zip(operands.iter().copied()));
        self.body(body)
    }

    /// Element `index` of a tuple that the copy itself has made.
    fn part(&self, tuple: ValueId, index: usize) -> Option<ValueId> {
        let built = self.builder.program();
        let ValueDef::Result { op, .. } = built.value(tuple).def else {
            return None;
        };
        let o = built.op(op);
        match &o.op {
            Op::Hlo(hlo::Op::Tuple(_)) => o.operands.get(index).copied(),
            Op::Hlo(_) => None,
        }
    }

    /// A reduction written in f32 as the one it is in its narrow type; none: it is not, or what it reduces is not of that type.
    fn narrow_reduction(&mut self, id: OpId, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let (step, narrow) = in_narrow_type(self.program, id)?;
        let o = self.program.op(id);
        let [terms, init] = operands else {
            return None;
        };
        let (terms, init) = (
            self.in_type(*terms, &narrow)?,
            self.in_type(*init, &narrow)?,
        );
        let wide = self.program.ty(*o.results.first()?).as_tensor()?.clone();
        let one = |t: &TensorType| Type::from(t.with_element(narrow.clone()));
        let number = Type::from(TensorType::new([], narrow.clone()));
        let at = || o.location.clone();
        let arguments = self.builder.begin_region(&[number.clone(), number.clone()]);
        let body = self.builder.op(
            step,
            &arguments,
            std::slice::from_ref(&number),
            vec![],
            at(),
        );
        let region = self.builder.end_region(&body, at());
        let types = [one(&wide)];
        let reduced = self
            .builder
            .op(o.op.clone(), &[terms, init], &types, vec![region], at());
        let to_wide = Op::Hlo(hlo::Op::Convert(hlo::convert::Convert));
        let types = [Type::Tensor(wide)];
        Some(self.builder.op(to_wide, &reduced, &types, vec![], at()))
    }

    /// What a value of the copy was widened from, where that is of this type, moved as the value is; a literal that is of the type already, converted to
    /// it.
    fn in_type(&mut self, v: ValueId, narrow: &ElementType) -> Option<ValueId> {
        let built = self.builder.program();
        let ValueDef::Result { op, .. } = built.value(v).def else {
            return None;
        };
        let o = built.op(op);
        match &o.op {
            Op::Hlo(hlo::Op::Convert(_)) => {
                let from = *o.operands.first()?;
                let element = &built.ty(from).as_tensor()?.element;
                (element == narrow).then_some(from)
            }
            Op::Hlo(hlo::Op::Constant(c)) => {
                let one = c.value.splat_value()?;
                let x = one.to_f64s()[0];
                let narrowed = Tensor::from_f64s(&[1], narrow, &[x]).to_f64s()[0];
                let same = x.to_bits() == narrowed.to_bits();
                let ty = Type::from(built.ty(v).as_tensor()?.with_element(narrow.clone()));
                let at = o.location.clone();
                let convert = Op::Hlo(hlo::Op::Convert(hlo::convert::Convert));
                let made = same.then(|| self.builder.op(convert, &[v], &[ty], vec![], at))?;
                made.first().copied()
            }
            Op::Hlo(_) => {
                let ([from], [_], []) = (&o.operands[..], &o.results[..], &o.regions[..]) else {
                    return None;
                };
                let wide = built.ty(v).as_tensor()?;
                let moves = o.op.kind() == Kind::Movement
                    && built.ty(*from).as_tensor()?.element == wide.element;
                let ty = Type::from(wide.with_element(narrow.clone()));
                let (op, from, at) = (o.op.clone(), *from, o.location.clone());
                let from = moves.then(|| self.in_type(from, narrow))??;
                let made = self.builder.op(op, &[from], &[ty], vec![], at);
                made.first().copied()
            }
        }
    }

    fn copied(&mut self, id: OpId, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let o = self.program.op(id);
        self.kept
            .extend(o.op.callees().into_iter().map(str::to_string));
        let mut regions = vec![];
        for r in &o.regions {
            let region = self.program.region(*r);
            let arguments = self
                .builder
                .begin_region(&types(self.program, &region.arguments));
            self.values
                .extend(region.arguments.iter().copied().zip(arguments));
            let results = self.body(*r)?;
            regions.push(self.builder.end_region(&results, o.location.clone()));
        }
        Some(self.builder.op(
            o.op.clone(),
            operands,
            &types(self.program, &o.results),
            regions,
            o.location.clone(),
        ))
    }
}

/// The step of a reduction in f32 whose body rounds its one result to a narrower type, and the type.
fn in_narrow_type(program: &Program, id: OpId) -> Option<(Op, ElementType)> {
    let o = program.op(id);
    let (Op::Hlo(hlo::Op::Reduce(_)), [body]) = (&o.op, &o.regions[..]) else {
        return None;
    };
    let maker = |v: ValueId| match program.value(v).def {
        ValueDef::Result { op, .. } => Some(program.op(op)),
        ValueDef::Argument { .. } => None,
    };
    let converted = |v: ValueId| {
        let o = maker(v)?;
        let is_conversion = matches!(o.op, Op::Hlo(hlo::Op::Convert(_)));
        is_conversion.then(|| o.operands.first().copied())?
    };
    let region = program.region(*body);
    let ([a, b], [result]) = (&region.arguments[..], program.returned(*body)) else {
        return None;
    };
    let rounded = converted(*result)?;
    let step = maker(converted(rounded)?)?;
    let element = |v: ValueId| program.ty(v).as_tensor().map(|t| &t.element);
    let (wide, narrow) = (element(*result)?, element(rounded)?);
    let takes = step.operands == [*a, *b] || step.operands == [*b, *a];
    let joins = matches!(
        step.op,
        Op::Hlo(hlo::Op::Add(_) | hlo::Op::Multiply(_) | hlo::Op::Maximum(_) | hlo::Op::Minimum(_))
    );
    let is_narrow = *wide == ElementType::F32
        && element(*a) == Some(wide)
        && narrow.is_float()
        && narrow.bits() < wide.bits();
    (takes && joins && is_narrow && region.ops.len() == 4)
        .then(|| (step.op.clone(), narrow.clone()))
}

fn types(program: &Program, values: &[ValueId]) -> Vec<Type> {
    values.iter().map(|v| program.ty(*v).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::mlir;

    #[test]
    fn a_reduction_that_rounds_at_each_step_is_one_in_the_narrow_type() {
        let text = |init: &str, step: &str| {
            let (step, terms) = step.split_once(' ').unwrap_or((step, "%x"));
            format!(
                r#"func.func @main(%a: tensor<8xbf16>) -> tensor<f32> {{
  %x = hlo.convert %a : (tensor<8xbf16>) -> tensor<8xf32>
  %c = hlo.constant dense<{init}> : tensor<f32>
  %moved = hlo.reverse %x {{dimensions = array<i64: 0>}} : tensor<8xf32>
  %r = hlo.reduce {terms}, %c {{dimensions = array<i64: 0>}} : (tensor<8xf32>, tensor<f32>) -> tensor<f32> {{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = hlo.{step} %p, %q : tensor<f32>
    %n = hlo.convert %s : (tensor<f32>) -> tensor<bf16>
    %w = hlo.convert %n : (tensor<bf16>) -> tensor<f32>
    hlo.return %w : tensor<f32>
  }}
  return %r : tensor<f32>
}}"#
            )
        };
        let reduces_in = |init: &str, step: &str| {
            let program = Arc::new(mlir::text::parse(&text(init, step), "test").unwrap());
            let plain = of(&program);
            let id = plain
                .op_ids()
                .find(|id| matches!(plain.op(*id).op, Op::Hlo(hlo::Op::Reduce(_))))
                .unwrap();
            let result = plain.op(id).results[0];
            plain.ty(result).as_tensor().unwrap().element.clone()
        };
        assert_eq!(reduces_in("0.0", "add"), ElementType::BF16);
        assert_eq!(reduces_in("0.0", "add %moved"), ElementType::BF16);
        // A start that is no number of the type, and a step that is no sum.
        assert_eq!(reduces_in("0.1", "add"), ElementType::F32);
        assert_eq!(reduces_in("0.0", "subtract"), ElementType::F32);
    }
}
