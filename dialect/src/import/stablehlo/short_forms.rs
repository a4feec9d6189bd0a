//! Ops that are short for others and stand so in no specification: written out while reading.
//!
//! `dot`, `einsum`, `unary_einsum` and `cross_replica_sum` of earlier versions, `chlo.broadcast_X` and `chlo.constant_like` of static shapes, and the call
//! that JAX writes for `ragged_all_to_all`.

use super::{Fail, Parse, Parser, conventions::rows};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    literal::Literal,
    location::Location,
    op::{Op, read_hlo},
    program::ValueId,
    tensor::Tensor,
    types::{ElementType, TensorType, Type},
};
use std::sync::Arc;

/// An op that may be short for others, its operands looked up.
pub struct Short<'s> {
    pub op: &'s str,
    pub attributes: &'s Attributes,
    pub operands: &'s [ValueId],
    pub results: &'s [Type],
    pub location: &'s Location,
    pub at: usize,
}

impl Short<'_> {
    fn wrong(&self, message: impl Into<String>) -> Box<Fail> {
        Fail::syntax(self.at, format!("'{}': {}", self.op, message.into()))
    }

    fn unsupported(&self, what: &str) -> Box<Fail> {
        Fail::unsupported(self.at, format!("op {} {what}", self.op))
    }
}

impl Parser<'_> {
    /// The results of what `s` is short for; none where it is short for nothing.
    pub fn short_form(&mut self, s: &Short<'_>) -> Parse<Option<Vec<ValueId>>> {
        match s.op {
            "dot" => self.dot(s).map(Some),
            "einsum" => self.einsum(s).map(Some),
            "unary_einsum" => self.unary_einsum(s).map(Some),
            "cross_replica_sum" => self.cross_replica_sum(s).map(Some),
            "constant_like" => self.constant_like(s).map(Some),
            "custom_call" => self.ragged_all_to_all(s),
            name => match name.strip_prefix("broadcast_") {
                Some(plain) if name != "broadcast_in_dim" => self.broadcasting(plain, s).map(Some),
                Some(_) | None => Ok(None),
            },
        }
    }

    /// One op of the list; without declared types, of the types that follow.
    fn emit(
        &mut self,
        s: &Short<'_>,
        name: &str,
        attributes: Attributes,
        operands: &[ValueId],
        declared: &[Type],
    ) -> Parse<Vec<ValueId>> {
        let (op, extra) = read_hlo(name, attributes, s.location).map_err(|e| match e {
            Error::InvalidProgram(all) => Box::new(Fail::Located(all)),
            Error::Unsupported { what, .. } => Fail::unsupported(s.at, what),
            Error::Internal(message) => s.wrong(message),
        })?;
        let op = Op::Hlo(op);
        let location = s.location.clone();
        let values = if declared.is_empty() {
            self.builder.infer(op, operands, &[], vec![], location)
        } else {
            self.builder.op(op, operands, declared, vec![], location)
        };
        if let Some(last) = self.builder.last_op_mut() {
            last.extra = extra;
        }
        Ok(values)
    }

    fn tensor_of(&self, s: &Short<'_>, i: usize) -> Parse<(ValueId, Arc<TensorType>)> {
        let value = s.operands.get(i).copied();
        let found = value.and_then(|v| Some((v, self.builder.ty(v).as_tensor()?.clone())));
        found.ok_or_else(|| s.wrong(format!("operand {i} must be a tensor")))
    }

    /// The only result of an op, if the builder could tell it.
    fn single(&self, s: &Short<'_>, values: &[ValueId]) -> Parse<ValueId> {
        let first = values.first().copied();
        first.ok_or_else(|| s.wrong("the operands do not fit each other"))
    }

    /// The last dimension of the left by the first of the right.
    fn dot(&mut self, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let (lhs, rhs) = (
            self.tensor_of(s, 0)?.1.rank(),
            self.tensor_of(s, 1)?.1.rank(),
        );
        if lhs == 0 || rhs == 0 {
            return Err(s.wrong("scalars have no dimension to contract"));
        }
        let none = || Attribute::Ints(vec![]);
        let attributes = s
            .attributes
            .clone()
            .with("lhs_batching_dimensions", none())
            .with("rhs_batching_dimensions", none())
            .with("lhs_contracting_dimensions", vec![lhs as i64 - 1])
            .with("rhs_contracting_dimensions", vec![0]);
        self.emit(s, "dot_general", attributes, s.operands, s.results)
    }

    /// The groups' sum, element by element.
    fn cross_replica_sum(&mut self, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let (operand, ty) = self.tensor_of(s, 0)?;
        let scalar = Type::from(TensorType::new([], ty.element.clone()));
        let arguments = self.builder.begin_region(&[scalar.clone(), scalar]);
        let sum = self.emit(s, "add", Attributes::new(), &arguments, &[])?;
        let body = self.builder.end_region(&sum, s.location.clone());
        let mut attributes = s.attributes.clone();
        if let Some(Attribute::Literal(groups)) = attributes.get("replica_groups") {
            let groups = rows(groups, true);
            attributes = attributes.with("replica_groups", groups);
        }
        let attributes = attributes.with("use_global_device_ids", false);
        let (op, extra) =
            read_hlo("all_reduce", attributes, s.location).map_err(|e| s.wrong(e.to_string()))?;
        let values = self.builder.op(
            Op::Hlo(op),
            &[operand],
            s.results,
            vec![body],
            s.location.clone(),
        );
        if let Some(last) = self.builder.last_op_mut() {
            last.extra = extra;
        }
        Ok(values)
    }

    /// A constant of the operand's shape.
    fn constant_like(&mut self, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let (_, ty) = self.tensor_of(s, 0)?;
        let dims = ty.static_dims();
        let dims = dims.ok_or_else(|| s.unsupported("of a dynamic shape"))?;
        let value = match s.attributes.get("value") {
            Some(Attribute::Float(bits)) if !ty.element.is_integer() => {
                Tensor::splat_f64(&[], &ty.element, f64::from_bits(*bits))
            }
            Some(Attribute::Int(n)) if ty.element.is_integer() => {
                Tensor::from_i64s(&[], &ty.element, &[*n])
            }
            Some(_) | None => return Err(s.wrong("'value' must be a number of the element type")),
        };
        let value = Literal::from_tensor(&value);
        let scalar = Type::from(value.ty());
        let constant = Attributes::new().with("value", value);
        let scalar = self.emit(s, "constant", constant, &[], &[scalar])?;
        let result = Type::from(TensorType::new(dims, ty.element.clone()));
        let none = Attributes::new().with("broadcast_dimensions", Attribute::Ints(vec![]));
        self.emit(s, "broadcast_in_dim", none, &scalar, &[result])
    }

    /// `custom_call @ragged_all_to_all` with the op's attributes as its configuration.
    fn ragged_all_to_all(&mut self, s: &Short<'_>) -> Parse<Option<Vec<ValueId>>> {
        let target = s.attributes.get("call_target_name");
        if target != Some(&Attribute::Str("ragged_all_to_all".to_string())) {
            return Ok(None);
        }
        let Some(Attribute::Dict(config)) = s.attributes.get("backend_config") else {
            return Ok(None);
        };
        let mut attributes = Attributes::new();
        for (name, value) in &config.0 {
            attributes = match value {
                Attribute::Literal(groups) if name == "replica_groups" => {
                    attributes.with(name, rows(groups, true))
                }
                other => attributes.with(name, other.clone()),
            };
        }
        let values = self.emit(s, "ragged_all_to_all", attributes, s.operands, s.results)?;
        Ok(Some(values))
    }

    /// Operands of lower rank stand in the last dimensions of the result, or where `broadcast_dimensions` says; sizes of 1 are repeated.
    fn broadcasting(&mut self, plain: &str, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let result = s.results.first().and_then(Type::as_tensor);
        let dims = result.and_then(|t| t.static_dims());
        let dims = dims.ok_or_else(|| s.unsupported("of a dynamic shape"))?;
        let mut attributes = s.attributes.clone();
        let given = attributes.0.remove("broadcast_dimensions");
        let mut operands = vec![];
        for i in 0..s.operands.len() {
            let (operand, ty) = self.tensor_of(s, i)?;
            let own = ty.static_dims();
            let own = own.ok_or_else(|| s.unsupported("of a dynamic shape"))?;
            if own == dims {
                operands.push(operand);
                continue;
            }
            let first = dims.len().checked_sub(own.len());
            let first = first
                .ok_or_else(|| s.wrong(format!("{ty} has more dimensions than the result")))?;
            let places: Vec<i64> = match &given {
                Some(Attribute::Ints(all)) if all.len() == own.len() => all.clone(),
                Some(_) | None => (first..dims.len()).map(|d| d as i64).collect(),
            };
            let wide = Type::from(TensorType::new(dims.iter().copied(), ty.element.clone()));
            let places = Attributes::new().with("broadcast_dimensions", places);
            operands.extend(self.emit(s, "broadcast_in_dim", places, &[operand], &[wide])?);
        }
        self.emit(s, plain, attributes, &operands, s.results)
    }

    fn config(&self, s: &Short<'_>) -> Parse<Einsum> {
        match s.attributes.get("einsum_config") {
            Some(Attribute::Str(config)) => {
                Einsum::read(config).ok_or_else(|| s.wrong(format!("malformed config '{config}'")))
            }
            Some(_) | None => Err(s.wrong("'einsum_config' must be a string")),
        }
    }

    fn unary_einsum(&mut self, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let config = self.config(s)?;
        let (operand, labels) = match config.inputs.as_slice() {
            [only] => self.labelled(s, 0, only)?,
            // XLA's own form: a scalar 1 on the left.
            [scalar, only] if scalar.is_empty() => self.labelled(s, 0, only)?,
            _ => return Err(s.wrong("one operand is expected in the config")),
        };
        let output = config.output_labels(&[&labels]);
        let (value, labels) = self.summed(s, operand, labels, |l| output.contains(&l))?;
        self.arranged(s, value, &labels, &output)
    }

    fn einsum(&mut self, s: &Short<'_>) -> Parse<Vec<ValueId>> {
        let config = self.config(s)?;
        let [left, right] = config.inputs.as_slice() else {
            return Err(s.wrong("two operands are expected in the config"));
        };
        let (lhs, l) = self.labelled(s, 0, left)?;
        let (rhs, r) = self.labelled(s, 1, right)?;
        let output = config.output_labels(&[&l, &r]);
        let (lhs, l) = self.summed(s, lhs, l, |x| output.contains(&x) || r.contains(&x))?;
        let (rhs, r) = self.summed(s, rhs, r, |x| output.contains(&x) || l.contains(&x))?;
        let places = |labels: &[u32], of: &[u32]| -> Vec<i64> {
            let each = of.iter().filter_map(|x| labels.iter().position(|y| x == y));
            each.map(|d| d as i64).collect()
        };
        let shared: Vec<u32> = l.iter().copied().filter(|x| r.contains(x)).collect();
        let (batch, contracted): (Vec<u32>, Vec<u32>) =
            shared.iter().partition(|x| output.contains(x));
        let mut attributes = s.attributes.clone();
        attributes.0.remove("einsum_config");
        let attributes = attributes
            .with("lhs_batching_dimensions", places(&l, &batch))
            .with("rhs_batching_dimensions", places(&r, &batch))
            .with("lhs_contracting_dimensions", places(&l, &contracted))
            .with("rhs_contracting_dimensions", places(&r, &contracted));
        let made = self.emit(s, "dot_general", attributes, &[lhs, rhs], &[])?;
        let made = self.single(s, &made)?;
        let free = |labels: &[u32]| -> Vec<u32> {
            labels
                .iter()
                .copied()
                .filter(|x| !shared.contains(x))
                .collect()
        };
        let labels = [batch, free(&l), free(&r)].concat();
        self.arranged(s, made, &labels, &output)
    }

    /// An operand and the label of each of its dimensions.
    fn labelled(&self, s: &Short<'_>, i: usize, written: &[u32]) -> Parse<(ValueId, Vec<u32>)> {
        let (value, ty) = self.tensor_of(s, i)?;
        let labels = Einsum::filled(written, ty.rank());
        let labels = labels.filter(|l| l.len() == ty.rank());
        let labels = labels.ok_or_else(|| s.wrong(format!("the config does not fit {ty}")))?;
        if (1..labels.len()).any(|n| labels[..n].contains(&labels[n])) {
            return Err(s.unsupported("with a label twice in one operand"));
        }
        Ok((value, labels))
    }

    /// `value` summed over the dimensions whose labels nobody keeps.
    fn summed(
        &mut self,
        s: &Short<'_>,
        value: ValueId,
        labels: Vec<u32>,
        keep: impl Fn(u32) -> bool,
    ) -> Parse<(ValueId, Vec<u32>)> {
        let dims: Vec<i64> = (0..labels.len())
            .filter(|d| !keep(labels[*d]))
            .map(|d| d as i64)
            .collect();
        if dims.is_empty() {
            return Ok((value, labels));
        }
        let element = match self.builder.ty(value).as_tensor() {
            Some(t) => t.element.clone(),
            None => ElementType::F32,
        };
        let zero = Literal::from_tensor(&Tensor::from_i64s(&[], &element, &[0]));
        let scalar = Type::from(zero.ty());
        let zero = Attributes::new().with("value", zero);
        let zero = self.emit(s, "constant", zero, &[], std::slice::from_ref(&scalar))?;
        let zero = self.single(s, &zero)?;
        let arguments = self.builder.begin_region(&[scalar.clone(), scalar]);
        let sum = self.emit(s, "add", Attributes::new(), &arguments, &[])?;
        let body = self.builder.end_region(&sum, s.location.clone());
        let attributes = Attributes::new().with("dimensions", dims);
        let (op, _) =
            read_hlo("reduce", attributes, s.location).map_err(|e| s.wrong(e.to_string()))?;
        let location = s.location.clone();
        let made = self
            .builder
            .infer(Op::Hlo(op), &[value, zero], &[], vec![body], location);
        let made = self.single(s, &made)?;
        Ok((made, labels.into_iter().filter(|l| keep(*l)).collect()))
    }

    /// The value with its dimensions in the order of the output.
    fn arranged(
        &mut self,
        s: &Short<'_>,
        value: ValueId,
        labels: &[u32],
        output: &[u32],
    ) -> Parse<Vec<ValueId>> {
        let order: Option<Vec<i64>> = output
            .iter()
            .map(|x| labels.iter().position(|y| x == y).map(|d| d as i64))
            .collect();
        let order = order.filter(|o| o.len() == labels.len());
        let order =
            order.ok_or_else(|| s.wrong("the output's labels are not those of the operands"))?;
        let attributes = Attributes::new().with("permutation", order);
        self.emit(s, "transpose", attributes, &[value], s.results)
    }
}

/// `ab,bc->ac`; `...` stands for dimensions without letters.
struct Einsum {
    inputs: Vec<Vec<u32>>,
    output: Option<Vec<u32>>,
}

/// Stands in a list of labels for as many dimensions as are left.
const REST: u32 = u32::MAX;

impl Einsum {
    fn read(text: &str) -> Option<Einsum> {
        let labels = |part: &str| -> Option<Vec<u32>> {
            let part = part.trim().replace("...", ".");
            let each = part.chars().filter(|c| *c != ' ').map(|c| match c {
                '.' => Some(REST),
                c if c.is_alphabetic() => Some(u32::from(c)),
                _ => None,
            });
            let all = each.collect::<Option<Vec<u32>>>()?;
            (all.iter().filter(|l| **l == REST).count() <= 1).then_some(all)
        };
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(labels(output)?)),
            None => (text, None),
        };
        let inputs = inputs.split(',').map(labels).collect::<Option<_>>()?;
        Some(Einsum { inputs, output })
    }

    /// The labels with those of `...` in its place, counted from the last dimension.
    fn filled(written: &[u32], rank: usize) -> Option<Vec<u32>> {
        let Some(place) = written.iter().position(|l| *l == REST) else {
            return Some(written.to_vec());
        };
        let missing = rank.checked_sub(written.len() - 1)?;
        let rest = (0..missing as u32).rev().map(|n| REST - 1 - n);
        let (before, after) = (&written[..place], &written[place + 1..]);
        Some(
            before
                .iter()
                .copied()
                .chain(rest)
                .chain(after.iter().copied())
                .collect(),
        )
    }

    /// The output's labels: as written, or those of `...` and then all that stand in one place only, in the order of the alphabet.
    fn output_labels(&self, inputs: &[&[u32]]) -> Vec<u32> {
        let all: Vec<u32> = inputs.concat();
        let mut rest: Vec<u32> = all.iter().copied().filter(|l| *l > REST - 1000).collect();
        rest.sort();
        rest.dedup();
        match &self.output {
            Some(written) => written
                .iter()
                .flat_map(|l| if *l == REST { rest.clone() } else { vec![*l] })
                .collect(),
            None => {
                let once =
                    |l: &u32| all.iter().filter(|x| *x == l).count() == 1 && !rest.contains(l);
                let mut letters: Vec<u32> = all.iter().copied().filter(once).collect();
                letters.sort();
                [rest, letters].concat()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        eval_test_runner::run_program, import::stablehlo::parse, planes::Planes, tensor::Tensor,
    };

    fn run(results: &str, arguments: &str, body: &str, values: &[Tensor]) -> Vec<f64> {
        let text = format!(
            "func.func @main({arguments}) -> {results} {{\n  {body}\n  return %r : {results}\n}}"
        );
        let program = parse(&text, "t.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
        let values = values.iter().cloned().map(Into::into).collect();
        let out = run_program(&program, values, Planes::IeeeOnly).unwrap();
        out[0].as_tensor().unwrap().to_f64s().into_owned()
    }

    fn floats(dims: &[u64], values: &[f64]) -> Tensor {
        Tensor::from_f64s(dims, &crate::types::ElementType::F32, values)
    }

    #[test]
    fn sums_of_products_by_labels() {
        let (a, b) = (
            floats(&[2, 2], &[1., 2., 3., 4.]),
            floats(&[2, 2], &[5., 6., 7., 8.]),
        );
        let arguments = "%a: tensor<2x2xf32>, %b: tensor<2x2xf32>";
        let pair = |config: &str, result: &str| {
            let body = format!(
                "%r = stablehlo.einsum %a, %b, config = \"{config}\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> {result}"
            );
            run(result, arguments, &body, &[a.clone(), b.clone()])
        };
        assert_eq!(pair("ab,bc->ac", "tensor<2x2xf32>"), [19., 22., 43., 50.]);
        assert_eq!(pair("ab,bc->ca", "tensor<2x2xf32>"), [19., 43., 22., 50.]);
        assert_eq!(pair("ab,ab->ab", "tensor<2x2xf32>"), [5., 12., 21., 32.]);
        assert_eq!(pair("ab,cd->c", "tensor<2xf32>"), [110., 150.]);
        assert_eq!(pair("...a,...a->...", "tensor<2xf32>"), [17., 53.]);
        assert_eq!(pair("ab,bc", "tensor<2x2xf32>"), [19., 22., 43., 50.]);
        let one = |config: &str, result: &str| {
            let body = format!(
                "%r = \"stablehlo.unary_einsum\"(%a) {{einsum_config = \"{config}\"}} : (tensor<2x2xf32>) -> {result}"
            );
            run(
                result,
                "%a: tensor<2x2xf32>",
                &body,
                std::slice::from_ref(&a),
            )
        };
        assert_eq!(one("ab->ba", "tensor<2x2xf32>"), [1., 3., 2., 4.]);
        assert_eq!(one(",ab->b", "tensor<2xf32>"), [4., 6.]);
    }

    #[test]
    fn ops_of_earlier_versions_and_broadcasts() {
        let (a, b) = (floats(&[2, 2], &[1., 2., 3., 4.]), floats(&[2], &[5., 6.]));
        let arguments = "%a: tensor<2x2xf32>, %b: tensor<2xf32>";
        let body = "%r = stablehlo.dot %a, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>";
        assert_eq!(
            run("tensor<2xf32>", arguments, body, &[a.clone(), b.clone()]),
            [17., 39.]
        );
        let body = "%r = chlo.broadcast_subtract %a, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>";
        assert_eq!(
            run("tensor<2x2xf32>", arguments, body, &[a.clone(), b.clone()]),
            [-4., -4., -2., -2.]
        );
        let body = "%r = \"chlo.broadcast_multiply\"(%a, %b) {broadcast_dimensions = array<i64: 0>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>";
        assert_eq!(
            run("tensor<2x2xf32>", arguments, body, &[a.clone(), b.clone()]),
            [5., 10., 18., 24.]
        );
        let body = "%r = \"chlo.constant_like\"(%a) {value = 2.5 : f32} : (tensor<2x2xf32>) -> tensor<2x2xf32>";
        assert_eq!(
            run(
                "tensor<2x2xf32>",
                "%a: tensor<2x2xf32>",
                body,
                std::slice::from_ref(&a)
            ),
            [2.5; 4]
        );
        let body = "%r = \"stablehlo.cross-replica-sum\"(%a) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>";
        assert_eq!(
            run(
                "tensor<2x2xf32>",
                "%a: tensor<2x2xf32>",
                body,
                std::slice::from_ref(&a)
            ),
            [1., 2., 3., 4.]
        );
    }

    #[test]
    fn what_does_not_fit_is_said_where_it_stands() {
        for (body, says) in [
            (
                "%r = stablehlo.einsum %a, %a, config = \"aa,ab->b\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                "a label twice",
            ),
            (
                "%r = stablehlo.einsum %a, %a, config = \"abc,ab->b\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                "does not fit",
            ),
            (
                "%r = stablehlo.einsum %a, %a, config = \"ab,ab->x\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                "output's labels",
            ),
            (
                "%r = stablehlo.einsum %a, %a, config = \"1\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                "malformed",
            ),
        ] {
            let text = format!(
                "func.func @main(%a: tensor<2x2xf32>) -> tensor<2xf32> {{\n  {body}\n  return %r : tensor<2xf32>\n}}"
            );
            let message = parse(&text, "t.mlir").map(|_| ()).unwrap_err().to_string();
            assert!(
                message.contains(says) && message.contains("t.mlir:2"),
                "{message}"
            );
        }
    }
}
