//! A program of some ops of another: the values they need from outside become parameters.

use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo,
    location::Location,
    op::{Kind, Op},
    program::{OpId, Operation, Program, RegionId, ValueDef, ValueId},
    types::{TensorType, Type},
};

/// What a part is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a compiler that takes it as it is: fusions and calls stay ops, parameters and results are in memory order ([`in_memory`]), so that their layout
    /// is row-major.
    Module,
    /// To be evaluated and bounded: the ops of fusions and calls stand in their place, parameters and results have the types of the values.
    Flat,
}

/// Extra results of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// None.
    Nothing,
    /// A copy of every tensor that an op of the part computes, in the order of [`observable`], after the part's own results. Parameters are used through
    /// copies, so that code that works in place has memory of its own.
    Everything,
}

/// A part of a program.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    pub parameters: &'a [ValueId],
    /// In program order, of one region.
    pub ops: &'a [OpId],
    pub results: &'a [ValueId],
}

/// Tensors computed by `ops`, constants left out.
pub fn observable(program: &Program, ops: &[OpId]) -> Vec<ValueId> {
    let computes = |id: &&OpId| !is_constant(program.op(**id));
    ops.iter()
        .filter(computes)
        .flat_map(|id| program.op(*id).results.iter().copied())
        .filter(|v| program.ty(*v).as_tensor().is_some())
        .collect()
}

fn is_constant(o: &Operation) -> bool {
    matches!(&o.op, Op::Hlo(hlo::Op::Constant(_)))
}

/// The ops of a region without its return.
pub fn ops_of(program: &Program, region: RegionId) -> Vec<OpId> {
    let ops = program.region(region).ops.iter().copied();
    ops.filter(|id| !program.op(*id).op.is_return()).collect()
}

/// The values that `ops` take from outside themselves, constants left out, in order of first use.
pub fn taken(program: &Program, ops: &[OpId]) -> Vec<ValueId> {
    let mut inside: HashSet<ValueId> = HashSet::new();
    let mut out = vec![];
    for id in ops {
        let o = program.op(*id);
        for v in o.operands.iter().copied().chain(program.op_captures(*id)) {
            if !inside.contains(&v) && !out.contains(&v) && constant(program, v).is_none() {
                out.push(v);
            }
        }
        inside.extend(o.results.iter().copied());
    }
    out
}

fn constant(program: &Program, v: ValueId) -> Option<OpId> {
    match program.value(v).def {
        tileproof_dialect::program::ValueDef::Result { op, .. } if is_constant(program.op(op)) => {
            Some(op)
        }
        tileproof_dialect::program::ValueDef::Result { .. }
        | tileproof_dialect::program::ValueDef::Argument { .. } => None,
    }
}

/// Dimensions from major to minor of a type's layout; none for row-major.
pub fn major_to_minor(ty: &Type) -> Option<Vec<usize>> {
    let layout = ty.as_tensor()?.layout.as_ref()?;
    let order: Vec<usize> = layout
        .minor_to_major
        .iter()
        .rev()
        .map(|d| *d as usize)
        .collect();
    let row_major = order.iter().enumerate().all(|(i, d)| i == *d);
    (!row_major).then_some(order)
}

/// The type of the same memory read in its own order: dimensions from major to minor, row-major.
pub fn in_memory(ty: &Type) -> Type {
    match (ty.as_tensor(), major_to_minor(ty)) {
        (Some(t), Some(order)) => {
            let mut t = (**t).clone();
            t.dims = order.iter().map(|d| t.dims[*d]).collect();
            t.layout = None;
            t.into()
        }
        (_, _) => ty.clone(),
    }
}

/// The part as a program. Constants from outside are copied.
pub fn extract(
    program: &Program,
    part: &Part<'_>,
    form: Form,
    observed: Observed,
) -> Result<Program, Error> {
    let mut copier = Copier {
        from: program,
        to: ProgramBuilder::new(&program.name, Provenance::Keep),
        form,
        called: vec![],
        depth: 0,
    };
    if let Some(word) = program.attributes.0.get("hlo.is_scheduled") {
        let attributes = &mut copier.to.program_mut().attributes;
        attributes
            .0
            .insert("hlo.is_scheduled".to_string(), word.clone());
    }
    let types: Vec<Type> = part
        .parameters
        .iter()
        .map(|v| copier.end(program.ty(*v)))
        .collect();
    let parameters = copier
        .to
        .begin_function("main", &types, Location::default());
    let mut values: HashMap<ValueId, ValueId> = HashMap::new();
    for (old, new) in part.parameters.iter().zip(parameters) {
        let new = match observed {
            Observed::Everything => copier.copy_of(new),
            Observed::Nothing => new,
        };
        let new = copier.bitcast(new, program.ty(*old));
        values.insert(*old, new);
    }
    let mut shown = vec![];
    for id in part.ops {
        copier.op(*id, &mut values)?;
        if observed == Observed::Everything {
            for v in observable(program, std::slice::from_ref(id)) {
                let new = copier.value(v, &mut values)?;
                let new = copier.copy_of(new);
                shown.push(copier.bitcast(new, &copier.end(program.ty(v))));
            }
        }
    }
    let mut results = vec![];
    for v in part.results {
        let new = copier.value(*v, &mut values)?;
        results.push(copier.bitcast(new, &copier.end(program.ty(*v))));
    }
    results.extend(shown);
    copier.to.end_function(&results, Location::default());
    copier.functions()?;
    copier.to.finish()
}

struct Copier<'p> {
    from: &'p Program,
    to: ProgramBuilder,
    form: Form,
    /// Functions named so far, in order.
    called: Vec<String>,
    depth: u32,
}

impl Copier<'_> {
    fn copy_of(&mut self, v: ValueId) -> ValueId {
        let ty = self.to.ty(v).clone();
        let op = Op::Hlo(hlo::copy::Copy.into());
        self.to.op(op, &[v], &[ty], vec![], Location::default())[0]
    }

    /// Type of a parameter or result that holds a value of type `ty`.
    fn end(&self, ty: &Type) -> Type {
        match self.form {
            Form::Module => in_memory(ty),
            Form::Flat => ty.clone(),
        }
    }

    /// `v` under another layout of the same memory; itself where the types agree.
    fn bitcast(&mut self, v: ValueId, ty: &Type) -> ValueId {
        let from = self.to.ty(v).clone();
        if self.form == Form::Flat
            || (major_to_minor(&from).is_none() && major_to_minor(ty).is_none())
        {
            return v;
        }
        let layout = from.as_tensor().and_then(|t| t.layout.as_ref());
        let source_layout = layout.map(|l| l.minor_to_major.iter().map(|d| *d as i64).collect());
        let op = Op::Hlo(hlo::bitcast::Bitcast { source_layout }.into());
        self.to.op(
            op,
            &[v],
            std::slice::from_ref(ty),
            vec![],
            Location::default(),
        )[0]
    }

    /// The new value of an old one; constants from outside are copied on first use.
    fn value(
        &mut self,
        v: ValueId,
        values: &mut HashMap<ValueId, ValueId>,
    ) -> Result<ValueId, Error> {
        if let Some(new) = values.get(&v) {
            return Ok(*new);
        }
        match constant(self.from, v) {
            Some(op) => {
                self.op(op, values)?;
                Ok(values[&v])
            }
            None => Err(Error::internal("a part uses a value that it does not take")),
        }
    }

    fn operands(
        &mut self,
        o: &Operation,
        values: &mut HashMap<ValueId, ValueId>,
    ) -> Result<Vec<ValueId>, Error> {
        o.operands.iter().map(|v| self.value(*v, values)).collect()
    }

    fn op(&mut self, id: OpId, values: &mut HashMap<ValueId, ValueId>) -> Result<(), Error> {
        let from = self.from;
        let o = from.op(id);
        let operands = self.operands(o, values)?;
        if self.form == Form::Flat
            && let Some(body) = body(from, o)
        {
            if self.depth > 256 {
                return Err(Error::unsupported("calls nested deeper than 256"));
            }
            self.depth += 1;
            let arguments = &from.region(body).arguments;
            values.extend(arguments.iter().copied().zip(operands));
            for inner in ops_of(from, body) {
                self.op(inner, values)?;
            }
            for (old, inner) in o.results.iter().zip(from.returned(body)) {
                let new = self.value(*inner, values)?;
                values.insert(*old, new);
            }
            self.depth -= 1;
            return Ok(());
        }
        if self.form == Form::Flat
            && let Some(body) = map_body(from, o)
        {
            return self.mapped(o, body, &operands, values);
        }
        let mut regions = vec![];
        for region in &o.regions {
            regions.push(self.region(*region, values)?);
        }
        for callee in o.op.callees() {
            if !self.called.iter().any(|c| c == callee) {
                self.called.push(callee.to_string());
            }
        }
        let types: Vec<Type> = o.results.iter().map(|v| from.ty(*v).clone()).collect();
        let new = self
            .to
            .op(o.op.clone(), &operands, &types, regions, o.location.clone());
        if let Some(last) = self.to.last_op_mut() {
            last.extra = o.extra.clone();
        }
        values.extend(o.results.iter().copied().zip(new));
        Ok(())
    }

    /// The ops of a map's body on whole tensors.
    fn mapped(
        &mut self,
        o: &Operation,
        body: RegionId,
        operands: &[ValueId],
        values: &mut HashMap<ValueId, ValueId>,
    ) -> Result<(), Error> {
        let from = self.from;
        let whole = |v: ValueId| {
            let scalar = from.ty(v).as_tensor().map(|t| t.element.clone());
            let dims = from.ty(o.results[0]).as_tensor().map(|t| t.dims.clone());
            match (scalar, dims) {
                (Some(element), Some(dims)) => Ok(Type::from(TensorType {
                    dims,
                    element,
                    layout: None,
                })),
                (_, _) => Err(Error::internal("a map of what is no tensor")),
            }
        };
        let mut inner = values.clone();
        let arguments = &from.region(body).arguments;
        inner.extend(arguments.iter().copied().zip(operands.iter().copied()));
        let mut spread: HashSet<ValueId> = arguments.iter().copied().collect();
        for id in ops_of(from, body) {
            let op = from.op(id);
            if is_constant(op) {
                continue;
            }
            let mut taken = vec![];
            for v in &op.operands {
                let mut new = self.value(*v, &mut inner)?;
                if spread.insert(*v) {
                    let broadcast = hlo::broadcast_in_dim::BroadcastInDim {
                        broadcast_dimensions: vec![],
                    };
                    let op = Op::Hlo(broadcast.into());
                    new = self
                        .to
                        .op(op, &[new], &[whole(*v)?], vec![], o.location.clone())[0];
                    inner.insert(*v, new);
                }
                taken.push(new);
            }
            let types = op
                .results
                .iter()
                .map(|v| whole(*v))
                .collect::<Result<Vec<_>, _>>()?;
            let new = self
                .to
                .op(op.op.clone(), &taken, &types, vec![], op.location.clone());
            spread.extend(op.results.iter().copied());
            inner.extend(op.results.iter().copied().zip(new));
        }
        for (old, returned) in o.results.iter().zip(from.returned(body)) {
            let new = self.value(*returned, &mut inner)?;
            values.insert(*old, new);
        }
        Ok(())
    }

    fn region(
        &mut self,
        region: RegionId,
        values: &mut HashMap<ValueId, ValueId>,
    ) -> Result<RegionId, Error> {
        let from = self.from;
        let old = &from.region(region).arguments;
        let types: Vec<Type> = old.iter().map(|v| from.ty(*v).clone()).collect();
        let new = self.to.begin_region(&types);
        values.extend(old.iter().copied().zip(new));
        // Constants copied in a region are not seen outside it.
        let mut inner = values.clone();
        for id in ops_of(from, region) {
            self.op(id, &mut inner)?;
        }
        let mut returned = vec![];
        for v in from.returned(region) {
            returned.push(self.value(*v, &mut inner)?);
        }
        Ok(self.to.end_region(&returned, Location::default()))
    }

    /// Copies the functions named, and those they name.
    fn functions(&mut self) -> Result<(), Error> {
        let mut next = 0;
        while let Some(name) = self.called.get(next).cloned() {
            next += 1;
            let Some(id) = self.from.find_function(&name) else {
                return Err(Error::internal(format!("function '{name}' does not exist")));
            };
            let f = self.from.function(id);
            let arguments = self.from.region(f.body).arguments.clone();
            let types: Vec<Type> = arguments.iter().map(|v| self.from.ty(*v).clone()).collect();
            let new = self.to.begin_function(&name, &types, f.location.clone());
            let mut values: HashMap<ValueId, ValueId> =
                arguments.iter().copied().zip(new).collect();
            for op in ops_of(self.from, f.body) {
                self.op(op, &mut values)?;
            }
            let mut returned = vec![];
            for v in self.from.returned(f.body) {
                returned.push(self.value(*v, &mut values)?);
            }
            let id = self.to.end_function(&returned, f.location.clone());
            self.to.program_mut().functions[id.index()].is_private = true;
        }
        Ok(())
    }
}

/// The region that a fusion or call stands for.
pub fn body(program: &Program, o: &Operation) -> Option<RegionId> {
    match &o.op {
        Op::Hlo(hlo::Op::Fusion(_)) => o.regions.first().copied(),
        Op::Hlo(hlo::Op::Call(c)) => {
            let id = program.find_function(&c.callee)?;
            Some(program.function(id).body)
        }
        Op::Hlo(_) => None,
    }
}

/// The body of a map that can stand for it: ops of scalars that mean the same of tensors, and results they compute.
fn map_body(program: &Program, o: &Operation) -> Option<RegionId> {
    let (Op::Hlo(hlo::Op::Map(_)), [body]) = (&o.op, &o.regions[..]) else {
        return None;
    };
    let elementwise = |id: &OpId| {
        let inner = program.op(*id);
        let kind = inner.op.kind();
        let of_elements = matches!(
            kind,
            Kind::Arithmetic | Kind::Selection | Kind::Opaque | Kind::Integer
        );
        is_constant(inner)
            || of_elements
                && inner.regions.is_empty()
                && inner.op.callees().is_empty()
                && !inner.operands.is_empty()
                && !matches!(&inner.op, Op::Hlo(hlo::Op::Rng(_)))
    };
    let computed = |v: &ValueId| match program.value(*v).def {
        ValueDef::Result { op, .. } => !is_constant(program.op(op)),
        ValueDef::Argument { .. } => false,
    };
    let ops = ops_of(program, *body);
    let own = |v: &ValueId| matches!(program.value(*v).def, ValueDef::Result { op, .. } if ops.contains(&op));
    let returned = program.returned(*body);
    let scalar = |v: &ValueId| {
        program
            .ty(*v)
            .as_tensor()
            .is_some_and(|t| t.dims.is_empty())
    };
    let scalars = ops
        .iter()
        .all(|id| program.op(*id).operands.iter().all(scalar));
    let fits = ops.iter().all(elementwise) && returned.iter().all(|v| computed(v) && own(v));
    (fits && scalars).then_some(*body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{export, import::hlo_text};

    const TEXT: &str = "HloModule m, is_scheduled=true

f {
  p = f32[2]{0} parameter(0)
  c = f32[2]{0} constant({1, 2})
  ROOT a = f32[2]{0} add(p, c)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  n = f32[2]{0} negate(x)
  y = f32[2]{0} fusion(n), kind=kLoop, calls=f
  k = f32[2]{0} constant({5, 6})
  ROOT z = f32[2]{0} multiply(y, k)
}";

    #[test]
    fn a_part_takes_what_it_needs_and_shows_what_it_computes() {
        let p = hlo_text::parse(TEXT, "t").unwrap();
        let ops = ops_of(&p, p.main().body);
        let part = &ops[1..];
        let taken = taken(&p, part);
        assert_eq!(taken, p.op(ops[0]).results);
        let make = |form, observed| {
            let results = p.returned(p.main().body);
            let part = Part {
                parameters: &taken,
                ops: part,
                results,
            };
            export::hlo_text::print(&extract(&p, &part, form, observed).unwrap()).unwrap()
        };
        let kept = make(Form::Module, Observed::Everything);
        assert!(
            kept.contains("fusion(") && kept.contains("is_scheduled=true"),
            "{kept}"
        );
        // Of the parameter, the fusion and the product.
        assert_eq!(kept.matches(" copy(").count(), 3, "{kept}");
        let inlined = make(Form::Flat, Observed::Nothing);
        assert!(
            !inlined.contains("fusion(") && inlined.contains(" add("),
            "{inlined}"
        );
    }

    #[test]
    fn a_flat_part_has_the_ops_of_a_map_on_whole_tensors() {
        let text = "HloModule m
f {
  p = f32[] parameter(0)
  c = f32[] constant(2)
  s = f32[] multiply(p, c)
  ROOT t = f32[] tanh(s)
}
ENTRY e {
  x = f32[3]{0} parameter(0)
  ROOT y = f32[3]{0} map(x), dimensions={0}, to_apply=f
}";
        let p = hlo_text::parse(text, "t").unwrap();
        let body = p.main().body;
        let part = Part {
            parameters: &p.region(body).arguments,
            ops: &ops_of(&p, body),
            results: p.returned(body),
        };
        let flat = extract(&p, &part, Form::Flat, Observed::Nothing).unwrap();
        let flat = export::hlo_text::print(&flat).unwrap();
        assert!(
            !flat.contains(" map(") && flat.contains("f32[3]{0} tanh("),
            "{flat}"
        );
    }
}
