//! Ops that HLO has in another form: loops that capture, large splats, broadcasts that repeat or permute, selects with one predicate.

use super::{
    computation::{Passing, Printer, Scope},
    fields::Pairs,
    literal,
};
use crate::{
    error::Error,
    import::hlo_text::syntax::{list, shape},
    literal::Literal,
    program::{OpId, Operation, ValueId},
    tensor::count,
    types::{Dim, ElementType, Layout, TensorType, Type},
};
use std::fmt::Write;

/// Splats of more elements are written as a broadcast scalar.
const MAX_WRITTEN_SPLAT: usize = 4096;

impl Printer<'_> {
    /// A loop whose regions use values from outside carries them as state that stays the same.
    pub fn while_with_captures(
        &mut self,
        scope: &mut Scope,
        id: OpId,
        state: &[ValueId],
        captured: &[ValueId],
        wish: &str,
    ) -> Result<(), Error> {
        let o = self.program.op(id);
        let [cond, body] = o.regions[..] else {
            return Err(Error::internal("a while without its regions"));
        };
        let condition = self.region(cond, captured, Passing::Packed, "condition")?;
        let types: Vec<Type> = state.iter().map(|v| self.program.ty(*v).clone()).collect();
        let ty = Type::tuple(types.clone());
        // The body's computation gives the captured values back behind its own results.
        let mut inner = Scope::default();
        let all = self.line(&mut inner, "param", format!("{} parameter(0)", shape(&ty)));
        let passed: Vec<ValueId> = self
            .program
            .region(body)
            .arguments
            .iter()
            .chain(captured)
            .copied()
            .collect();
        for (i, (v, ty)) in passed.iter().zip(&types).enumerate() {
            let name = self.line(
                &mut inner,
                "get-tuple-element",
                format!("{} get-tuple-element(%{all}), index={i}", shape(ty)),
            );
            inner.values.insert(*v, name);
        }
        for op in &self.program.region(body).ops {
            if !self.program.op(*op).op.is_return() {
                self.op(&mut inner, *op)?;
            }
        }
        let returned: Vec<ValueId> = self
            .program
            .returned(body)
            .iter()
            .chain(captured)
            .copied()
            .collect();
        let values = self.operand_list(&mut inner, &returned)?;
        let root = self.line(
            &mut inner,
            "tuple",
            format!("{} tuple({values})", shape(&ty)),
        );
        let body = self.unique("body");
        let _ = writeln!(self.text, "%{body} {{");
        for (line, rest) in &inner.lines {
            let _ = writeln!(
                self.text,
                "  {}%{line} = {rest}",
                if *line == root { "ROOT " } else { "" }
            );
        }
        self.text.push_str("}\n\n");
        let operand = self.packed(scope, state)?;
        let extra = self.extra(&o.extra, &o.location, scope);
        let line = self.line(
            scope,
            wish,
            format!(
                "{} while(%{operand}), condition=%{condition}, body=%{body}{extra}",
                shape(&ty)
            ),
        );
        let mut left = o.results.iter();
        self.elements(scope, &line, &ty, &mut left);
        Ok(())
    }

    pub fn constant(
        &mut self,
        scope: &mut Scope,
        o: &Operation,
        value: &Literal,
        wish: &str,
    ) -> Result<(), Error> {
        let Some(result) = o.results.first() else {
            return Ok(());
        };
        let ty = shape(self.program.ty(*result));
        if matches!(value.element(), ElementType::Quantized(_)) {
            return Err(Error::unsupported("HLO text of a quantized constant"));
        }
        let extra = self.extra(&o.extra, &o.location, scope);
        let name = match value.splat_value() {
            Some(one) if count(value.dims()) > MAX_WRITTEN_SPLAT => {
                let scalar = Literal::from_tensor(&one);
                let element = shape(&scalar.ty().into());
                let scalar = self.line(
                    scope,
                    wish,
                    format!("{element} constant({})", literal::text(&scalar)),
                );
                self.line(
                    scope,
                    "broadcast",
                    format!("{ty} broadcast(%{scalar}), dimensions={{}}{extra}"),
                )
            }
            Some(_) | None => self.line(
                scope,
                wish,
                format!("{ty} constant({}){extra}", literal::text(value)),
            ),
        };
        scope.originals.insert(wish.to_string(), name.clone());
        scope.values.insert(*result, name);
        Ok(())
    }

    /// HLO's broadcast neither repeats dimensions of size 1 nor permutes: reshape and transpose come first where needed.
    pub fn broadcast(
        &mut self,
        scope: &mut Scope,
        o: &Operation,
        dims: &[i64],
    ) -> Result<(String, Pairs, String), Error> {
        let operand = self.operand_list(scope, &o.operands)?;
        let tensor = |v: Option<&ValueId>| {
            v.and_then(|v| self.program.ty(*v).as_tensor().cloned())
                .ok_or_else(|| Error::internal("a broadcast of no tensor"))
        };
        let (from, to) = (tensor(o.operands.first())?, tensor(o.results.first())?);
        let repeats = |i: usize| match (
            from.dims.get(i),
            dims.get(i)
                .and_then(|d| usize::try_from(*d).ok())
                .and_then(|d| to.dims.get(d)),
        ) {
            (Some(Dim::Static(1)), Some(to)) => {
                !matches!(to, Dim::Static(1) | Dim::Dynamic { bound: Some(1) })
            }
            (_, _) => false,
        };
        let kept: Vec<usize> = (0..dims.len()).filter(|i| !repeats(*i)).collect();
        let mut name = operand;
        let mut left: Vec<i64> = kept.iter().filter_map(|i| dims.get(*i)).copied().collect();
        let mut sizes: Vec<Dim> = kept
            .iter()
            .filter_map(|i| from.dims.get(*i))
            .copied()
            .collect();
        let of = |dims: &[Dim]| {
            shape(
                &TensorType {
                    dims: dims.to_vec(),
                    element: from.element.clone(),
                    layout: None,
                }
                .into(),
            )
        };
        if kept.len() < dims.len() {
            name = format!(
                "%{}",
                self.line(scope, "reshape", format!("{} reshape({name})", of(&sizes)))
            );
        }
        if left.windows(2).any(|w| w[0] > w[1]) {
            let mut order: Vec<usize> = (0..left.len()).collect();
            order.sort_by_key(|i| left.get(*i).copied());
            sizes = order
                .iter()
                .filter_map(|i| sizes.get(*i))
                .copied()
                .collect();
            left.sort_unstable();
            name = format!(
                "%{}",
                self.line(
                    scope,
                    "transpose",
                    format!(
                        "{} transpose({name}), dimensions={}",
                        of(&sizes),
                        list(&order)
                    )
                )
            );
        }
        let mut pairs = Pairs::default();
        pairs.put("dimensions", list(&left));
        Ok(("broadcast".to_string(), pairs, name))
    }

    /// HLO's predicate has the shape of the values: one predicate is repeated.
    pub fn select(&mut self, scope: &mut Scope, o: &Operation) -> Result<String, Error> {
        let tensor = |i: usize| {
            o.operands
                .get(i)
                .and_then(|v| self.program.ty(*v).as_tensor().cloned())
        };
        let (Some(pred), Some(value), Some(first)) = (tensor(0), tensor(1), o.operands.first())
        else {
            return self.operand_list(scope, &o.operands);
        };
        if pred.rank() == value.rank() {
            return self.operand_list(scope, &o.operands);
        }
        let one = self.value(scope, *first)?;
        let ty = TensorType {
            dims: value.dims.clone(),
            element: ElementType::I1,
            layout: value.layout.clone(),
        };
        let all = self.line(
            scope,
            "broadcast",
            format!("{} broadcast(%{one}), dimensions={{}}", shape(&ty.into())),
        );
        Ok(format!(
            "%{all}, {}",
            self.operand_list(scope, o.operands.get(1..).unwrap_or(&[]))?
        ))
    }

    /// The operand of a bitcast in the layout the op reads it in; a copy where its own is another.
    pub fn in_layout(
        &mut self,
        scope: &mut Scope,
        o: &Operation,
        source_layout: &[i64],
    ) -> Result<String, Error> {
        let operand = self.operand_list(scope, &o.operands)?;
        let Some(ty) = o
            .operands
            .first()
            .and_then(|v| self.program.ty(*v).as_tensor())
        else {
            return Ok(operand);
        };
        let default: Vec<u64> = (0..ty.rank() as u64).rev().collect();
        let own = ty.layout.as_ref().map_or(&default, |l| &l.minor_to_major);
        let wanted: Vec<u64> = match source_layout {
            [] => default.clone(),
            list => list.iter().map(|d| *d as u64).collect(),
        };
        if *own == wanted {
            return Ok(operand);
        }
        let layout = Some(Layout {
            minor_to_major: wanted,
            tiles: vec![],
        });
        let ty = TensorType {
            layout,
            ..(**ty).clone()
        };
        let copy = format!("{} copy({operand})", shape(&ty.into()));
        Ok(format!("%{}", self.line(scope, "copy", copy)))
    }
}
