//! What makes a program valid: SSA form, terminators, shape rules, signatures of calls and kernels.

use super::{Operation, Program, RegionId, ValueId};
use crate::{
    error::{Diagnostic, Error},
    location::Location,
    op::{InferContext, RegionType, violations},
    tpu::{MemRefType, Role},
    types::Type,
};

impl Program {
    /// Every violated rule: SSA form, terminators, shape rules, call signatures.
    pub fn verify(&self) -> Vec<Diagnostic> {
        let mut out = vec![];
        let mut names = std::collections::HashSet::new();
        for f in &self.functions {
            if !names.insert(f.name.as_str()) {
                out.push(Diagnostic::new(
                    format!("function '{}' is defined twice", f.name),
                    f.location.clone(),
                ));
            }
            let mut visible = vec![false; self.values.len()];
            self.verify_region(f.body, &mut visible, &mut out);
            self.verify_returned(f.body, &f.results, "function result", &f.location, &mut out);
        }
        if self.entry.index() >= self.functions.len() {
            out.push(Diagnostic::new(
                "the module has no entry function",
                Location::default(),
            ));
        }
        out.extend(self.verify_calls());
        out.extend(self.verify_kernel_calls());
        for (i, kernel) in self.kernels.iter().enumerate() {
            if self.find_function(&kernel.name).is_some()
                || self.kernels[..i].iter().any(|k| k.name == kernel.name)
            {
                out.push(Diagnostic::new(
                    format!("kernel '{}' is defined twice", kernel.name),
                    kernel.location.clone(),
                ));
            }
            out.extend(kernel.verify());
        }
        out
    }

    /// The program itself if it verifies.
    pub fn verified(self) -> Result<Program, Error> {
        let all = self.verify();
        if all.is_empty() {
            Ok(self)
        } else {
            Err(Error::InvalidProgram(all))
        }
    }

    fn verify_returned(
        &self,
        region: RegionId,
        want: &[Type],
        what: &str,
        location: &Location,
        out: &mut Vec<Diagnostic>,
    ) {
        let got = self.returned(region);
        if got.len() != want.len() {
            out.push(Diagnostic::new(
                format!(
                    "{} {what}s are returned, {} are declared",
                    got.len(),
                    want.len()
                ),
                location.clone(),
            ));
        }
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            if !self.ty(*g).compatible(w) {
                out.push(Diagnostic::new(
                    format!("{what} {i} has type {}, declared {w}", self.ty(*g)),
                    location.clone(),
                ));
            }
        }
    }

    fn verify_region(&self, region: RegionId, visible: &mut Vec<bool>, out: &mut Vec<Diagnostic>) {
        let r = self.region(region);
        let mut added: Vec<ValueId> = r.arguments.clone();
        r.arguments.iter().for_each(|v| visible[v.index()] = true);
        for (i, id) in r.ops.iter().enumerate() {
            let o = self.op(*id);
            if o.op.is_return() != (i + 1 == r.ops.len()) {
                out.push(Diagnostic::new(
                    "a block must end with its only return",
                    o.location.clone(),
                ));
            }
            for v in &o.operands {
                if !visible.get(v.index()).copied().unwrap_or(false) {
                    out.push(Diagnostic::new(
                        format!("'{}': an operand does not dominate its use", o.op.name()),
                        o.location.clone(),
                    ));
                }
            }
            for inner in &o.regions {
                self.verify_region(*inner, visible, out);
            }
            self.verify_op(o, out);
            for v in &o.results {
                visible[v.index()] = true;
                added.push(*v);
            }
        }
        if r.ops.is_empty() {
            out.push(Diagnostic::new(
                "a block must end with a return",
                Location::default(),
            ));
        }
        added.iter().for_each(|v| visible[v.index()] = false);
    }

    fn verify_op(&self, o: &Operation, out: &mut Vec<Diagnostic>) {
        let operands: Vec<Type> = o.operands.iter().map(|v| self.ty(*v).clone()).collect();
        let declared: Vec<Type> = o.results.iter().map(|v| self.ty(*v).clone()).collect();
        let regions: Vec<RegionType> = o.regions.iter().map(|r| self.region_type(*r)).collect();
        match o.op.infer(&InferContext {
            operands: &operands,
            declared: &declared,
            regions: &regions,
        }) {
            Err(all) => out.extend(violations(&o.op, all, &o.location)),
            Ok(types) => {
                if types.len() != declared.len() {
                    let m = format!(
                        "'{}': {} results are declared, the op has {}",
                        o.op.name(),
                        declared.len(),
                        types.len()
                    );
                    out.push(Diagnostic::new(m, o.location.clone()));
                }
                for (i, (want, got)) in types.iter().zip(&declared).enumerate() {
                    if !want.compatible(got) {
                        out.push(Diagnostic::new(
                            format!(
                                "'{}': result {i} is declared {got}, inferred {want}",
                                o.op.name()
                            ),
                            o.location.clone(),
                        ));
                    }
                }
            }
        }
    }

    fn verify_calls(&self) -> Vec<Diagnostic> {
        let mut out = vec![];
        for o in &self.ops {
            for callee in o.op.callees() {
                let Some(id) = self.find_function(callee) else {
                    out.push(Diagnostic::new(
                        format!("'{}': function '{callee}' does not exist", o.op.name()),
                        o.location.clone(),
                    ));
                    continue;
                };
                if !o.op.is_call() {
                    continue;
                }
                let parameters: Vec<Type> = self
                    .region(self.function(id).body)
                    .arguments
                    .iter()
                    .map(|v| self.ty(*v).clone())
                    .collect();
                let fits = |values: &[ValueId], want: &[Type]| {
                    values.len() == want.len()
                        && values
                            .iter()
                            .zip(want)
                            .all(|(v, t)| self.ty(*v).compatible(t))
                };
                if !fits(&o.operands, &parameters) || !fits(&o.results, &self.function(id).results)
                {
                    out.push(Diagnostic::new(
                        format!(
                            "'{}': operands or results do not fit function '{callee}'",
                            o.op.name()
                        ),
                        o.location.clone(),
                    ));
                }
            }
        }
        out
    }

    fn verify_kernel_calls(&self) -> Vec<Diagnostic> {
        let mut out = vec![];
        for o in &self.ops {
            let Some(name) = o.op.kernel() else { continue };
            let mut complain = |m: String| {
                out.push(Diagnostic::new(
                    format!("'{}': C1: {m}", o.op.name()),
                    o.location.clone(),
                ));
            };
            let Some(kernel) = self.kernel(name) else {
                complain(format!("kernel '{name}' does not exist"));
                continue;
            };
            for (what, values, wanted) in [
                (
                    "operand",
                    &o.operands,
                    [Role::Prefetch, Role::Input].as_slice(),
                ),
                ("result", &o.results, [Role::Output].as_slice()),
            ] {
                let buffers: Vec<_> = kernel
                    .operands
                    .iter()
                    .filter(|k| wanted.contains(&k.role))
                    .collect();
                if buffers.len() != values.len() {
                    complain(format!(
                        "kernel '{name}' has {} {what}s, the call has {}",
                        buffers.len(),
                        values.len()
                    ));
                }
                for (i, (buffer, value)) in buffers.iter().zip(values.iter()).enumerate() {
                    if !same_elements(&buffer.buffer, self.ty(*value)) {
                        complain(format!(
                            "{what} {i} of type {} does not fit kernel '{name}'",
                            self.ty(*value)
                        ));
                    }
                }
            }
        }
        out
    }
}

/// Whether a tensor can be seen as this buffer: element type and number of elements agree.
fn same_elements(buffer: &MemRefType, ty: &Type) -> bool {
    let (Some(dims), Type::Tensor(t)) = (buffer.static_dims(), ty) else {
        return false;
    };
    let count = |dims: &[u64]| dims.iter().product::<u64>();
    buffer.data() == Some(&t.element)
        && t.static_dims()
            .is_some_and(|have| count(&have) == count(&dims))
}
