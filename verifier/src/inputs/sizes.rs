//! Sizes for the `?` dimensions of a program's parameters, when no arrays say them (DESIGN.md section 12).
//!
//! A bound is taken as it is. Else 7 and 16, so that as many sizes differ as may; where the program's shape assertions, the shape
//! rules of its ops or its declared results forbid them, the first of the other candidates that they allow. The shape rules are those of the ops
//! (`infer`), asked with what is chosen so far; assertions are evaluated where they hang on sizes only.

use std::collections::{BTreeSet, HashMap};
use tileproof_dialect::{
    attribute::Attribute,
    error::Error,
    eval::{EvalContext, Events, NoRegions},
    hlo,
    op::{InferContext, Kind, Op},
    planes::Planes,
    program::{FunctionId, OpId, Program, ValueId},
    tensor::{Tensor, Value},
    types::{Dim, ElementType, TensorType, Type},
};

/// The sizes tried first, in turn.
const PREFERRED: [u64; 2] = [7, 16];
/// Ops looked at before the search is given up.
const MOST_STEPS: usize = 4_000_000;
/// Largest tensor whose elements are followed: a list of sizes.
const LARGEST_LIST: u64 = 64;
const DEEPEST_CALL: usize = 64;
/// Most sizes of which all choices between 7 and 16 are tried.
const MOST_BY_TRIAL: usize = 8;
/// Target of the call that traps unless its operand is true.
const ASSERTION: &str = "shape_assertion";

/// Dimensions of the parameters of the entry function; empty for what is no tensor.
pub fn of_parameters(program: &Program) -> Result<Vec<Vec<u64>>, Error> {
    let mut types = program.parameter_types();
    let mut unknown = vec![];
    for (p, ty) in types.iter_mut().enumerate() {
        let Some(t) = ty.as_tensor() else { continue };
        let mut dims = t.dims.clone();
        for (d, dim) in dims.iter_mut().enumerate() {
            match dim {
                Dim::Static(_) => {}
                Dim::Dynamic { bound: Some(n) } => *dim = Dim::Static(*n),
                Dim::Dynamic { bound: None } => unknown.push((p, d)),
            }
        }
        *ty = t.with_dims(dims).into();
    }
    if !unknown.is_empty() {
        let mut search = Search {
            program,
            unknown,
            others: others(program),
            steps: 0,
        };
        if !search.preferred(&mut types) && !search.choose(0, 0, &mut types) {
            return Err(search.nothing_fits(&types));
        }
    }
    let dims = |ty: &Type| ty.as_tensor().and_then(|t| t.static_dims());
    Ok(types
        .iter()
        .map(|ty| dims(ty).unwrap_or_default())
        .collect())
}

/// What is tried after the preferred sizes: sizes the program names, small ones, powers of two.
fn others(program: &Program) -> Vec<u64> {
    let named: BTreeSet<u64> = (0..program.value_count() as u32)
        .filter_map(|v| program.ty(ValueId(v)).as_tensor())
        .flat_map(|t| &t.dims)
        .filter_map(|d| match d {
            Dim::Static(n) => Some(*n),
            Dim::Dynamic { .. } => None,
        })
        .filter(|n| (1..=4096).contains(n))
        .collect();
    let mut out: Vec<u64> = vec![];
    let small = (1..=128)
        .chain((8..=12).map(|e| 1 << e))
        .chain([96, 160, 192, 384, 1000]);
    for n in named.into_iter().chain(small) {
        if !out.contains(&n) && !PREFERRED.contains(&n) {
            out.push(n);
        }
    }
    out
}

struct Search<'p> {
    program: &'p Program,
    /// Parameter and dimension of each size to choose.
    unknown: Vec<(usize, usize)>,
    others: Vec<u64>,
    steps: usize,
}

fn with_dim(ty: &Type, d: usize, dim: Dim) -> Type {
    match ty.as_tensor() {
        Some(t) => {
            let mut dims = t.dims.clone();
            dims[d] = dim;
            t.with_dims(dims).into()
        }
        None => ty.clone(),
    }
}

impl Search<'_> {
    /// Takes 7 or 16 for each size so that as many as may be differ, the first being 7 if it can be. False, and nothing is taken: no such choice is allowed.
    fn preferred(&mut self, types: &mut Vec<Type>) -> bool {
        let n = self.unknown.len();
        if n > MOST_BY_TRIAL {
            return false;
        }
        // Bit k: size k is not the one that taking turns gives.
        let size = |mask: usize, k: usize| PREFERRED[(k + (mask >> k & 1)) % PREFERRED.len()];
        let alike = |mask: usize| {
            let second = (0..n).filter(|k| size(mask, *k) == PREFERRED[1]).count();
            second.abs_diff(n - second)
        };
        let mut masks: Vec<usize> = (0..1 << n).collect();
        masks.sort_by_key(|mask| (alike(*mask), mask & 1, *mask));
        for mask in masks {
            let mut tried = types.clone();
            for (k, (p, d)) in self.unknown.iter().enumerate() {
                tried[*p] = with_dim(&tried[*p], *d, Dim::Static(size(mask, k)));
            }
            if self.allowed(&tried) {
                *types = tried;
                return true;
            }
            if self.steps > MOST_STEPS {
                return false;
            }
        }
        false
    }

    /// Chooses sizes from number `k` on; `free` of those before were chosen freely. False: nothing fits what was chosen before.
    fn choose(&mut self, k: usize, free: usize, types: &mut Vec<Type>) -> bool {
        let Some((p, d)) = self.unknown.get(k).copied() else {
            return true;
        };
        let first = PREFERRED[free % PREFERRED.len()];
        let second = PREFERRED[(free + 1) % PREFERRED.len()];
        let candidates: Vec<u64> = [first, second]
            .into_iter()
            .chain(self.others.iter().copied())
            .collect();
        let earlier: Vec<u64> = self.unknown[..k]
            .iter()
            .filter_map(|(p, d)| match types[*p].as_tensor()?.dims[*d] {
                Dim::Static(n) => Some(n),
                Dim::Dynamic { .. } => None,
            })
            .collect();
        for size in candidates {
            types[p] = with_dim(&types[p], d, Dim::Static(size));
            let is_new = size == first || !earlier.contains(&size);
            if self.allowed(types) && self.choose(k + 1, free + usize::from(is_new), types) {
                return true;
            }
            if self.steps > MOST_STEPS {
                break;
            }
        }
        types[p] = with_dim(&types[p], d, Dim::Dynamic { bound: None });
        false
    }

    /// Whether nothing that can be told speaks against parameters of these types.
    fn allowed(&mut self, types: &[Type]) -> bool {
        let arguments = types
            .iter()
            .map(|ty| Known {
                ty: ty.clone(),
                value: None,
            })
            .collect();
        self.function(self.program.entry, arguments, 0).is_some()
    }

    /// What is known of the results of a function; none where a shape rule or an assertion is violated.
    fn function(
        &mut self,
        id: FunctionId,
        arguments: Vec<Known>,
        depth: usize,
    ) -> Option<Vec<Known>> {
        let program = self.program;
        let function = program.function(id);
        let region = program.region(function.body);
        let mut known: HashMap<ValueId, Known> = HashMap::new();
        for (v, argument) in region.arguments.iter().zip(arguments) {
            known.insert(*v, argument.declared(program.ty(*v))?);
        }
        for id in &region.ops {
            self.steps += 1;
            let o = program.op(*id);
            let operands: Vec<Known> = o
                .operands
                .iter()
                .filter_map(|v| known.get(v).cloned())
                .collect();
            if o.op.is_return() {
                return Some(operands);
            }
            let results = self.op(*id, operands, depth)?;
            for (v, result) in o.results.iter().zip(results) {
                known.insert(*v, result.declared(program.ty(*v))?);
            }
        }
        Some(vec![])
    }

    fn op(&mut self, id: OpId, operands: Vec<Known>, depth: usize) -> Option<Vec<Known>> {
        let program = self.program;
        let o = program.op(id);
        let declared: Vec<Type> = o.results.iter().map(|v| program.ty(*v).clone()).collect();
        let unknown = |types: &[Type]| {
            types
                .iter()
                .map(|ty| Known {
                    ty: ty.clone(),
                    value: None,
                })
                .collect()
        };
        let Op::Hlo(op) = &o.op;
        if let hlo::Op::Call(call) = op
            && depth < DEEPEST_CALL
            && let Some(callee) = program.find_function(&call.callee)
        {
            return self.function(callee, operands, depth + 1);
        }
        if let hlo::Op::CustomCall(call) = op
            && call.call_target_name == ASSERTION
        {
            let is_false = operands.first().and_then(Known::scalar) == Some(0);
            return (!is_false).then(|| unknown(&declared));
        }
        if let hlo::Op::GetDimensionSize(get) = op
            && let Some(Dim::Static(n)) = operands
                .first()?
                .ty
                .as_tensor()?
                .dims
                .get(get.dimension as usize)
        {
            let size = Tensor::from_i64s(&[], &ElementType::I32, &[*n as i64]);
            let ty = declared.into_iter().next()?;
            return Some(vec![Known {
                ty,
                value: Some(size.into()),
            }]);
        }
        // Regions were checked for sizes that are not known; what they give is as declared.
        if !o.regions.is_empty() || o.op.kind() == Kind::Effect {
            return Some(unknown(&declared));
        }
        let types: Vec<Type> = operands.iter().map(|k| k.ty.clone()).collect();
        let inferred =
            o.op.infer(&InferContext {
                operands: &types,
                declared: &declared,
                regions: &[],
            })
            .ok()?;
        let values = small_values(&o.op, &operands, &declared);
        let value = |i: usize| values.as_ref().and_then(|all| all.get(i).cloned());
        Some(
            inferred
                .into_iter()
                .enumerate()
                .map(|(i, ty)| Known {
                    ty,
                    value: value(i),
                })
                .collect(),
        )
    }

    fn nothing_fits(&self, types: &[Type]) -> Error {
        let program = self.program;
        let assertion = program.op_ids().find_map(|id| {
            let o = program.op(id);
            let Op::Hlo(hlo::Op::CustomCall(call)) = &o.op else {
                return None;
            };
            match o.extra.get("error_message") {
                Some(Attribute::Str(text)) if call.call_target_name == ASSERTION => {
                    Some(format!("; it asserts: {text}"))
                }
                Some(_) | None => None,
            }
        });
        let list: Vec<String> = types.iter().map(Type::to_string).collect();
        Error::unsupported(format!(
            "no sizes found for the `?` of ({}) that the program accepts: --inputs gives them{}",
            list.join(", "),
            assertion.unwrap_or_default()
        ))
    }
}

/// What is known of a value: its type with the sizes chosen so far, and its elements where they hang on sizes only and are few.
#[derive(Clone)]
struct Known {
    ty: Type,
    value: Option<Value>,
}

impl Known {
    fn scalar(&self) -> Option<i64> {
        self.value.as_ref()?.as_tensor()?.to_i64s().first().copied()
    }

    /// With the sizes that a declared type adds; none where they contradict.
    fn declared(self, declared: &Type) -> Option<Known> {
        let (Some(own), Some(other)) = (self.ty.as_tensor(), declared.as_tensor()) else {
            return Some(self);
        };
        let joined = |(a, b): (&Dim, &Dim)| hlo::shape::join_dims(*a, *b);
        let dims: Vec<Dim> = own
            .dims
            .iter()
            .zip(&other.dims)
            .map(joined)
            .collect::<Option<_>>()?;
        let ty = other.with_dims(dims).into();
        Some(Known {
            ty,
            value: self.value,
        })
    }
}

/// The results of an op on operands whose elements are known, if they are few.
fn small_values(op: &Op, operands: &[Known], results: &[Type]) -> Option<Vec<Value>> {
    let few = |t: &TensorType| t.elements().is_none_or(|n| n <= LARGEST_LIST);
    if !results
        .iter()
        .all(|ty| ty.as_tensor().is_some_and(|t| few(t)))
    {
        return None;
    }
    let values: Vec<Value> = operands
        .iter()
        .map(|k| k.value.clone())
        .collect::<Option<_>>()?;
    let (mut runner, mut events) = (NoRegions, Events::default());
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut runner,
        events: &mut events,
    };
    let out = op.eval(&values, results, &mut cx).ok()?;
    let is_small = |v: &Value| {
        v.as_tensor()
            .is_some_and(|t| t.len() as u64 <= LARGEST_LIST)
    };
    out.iter().all(is_small).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::stablehlo;

    fn sizes(parameters: &str, body: &str, result: &str) -> Result<Vec<Vec<u64>>, String> {
        let text = format!(
            "func.func @main({parameters}) -> {result} {{\n{body}\n  return %r : {result}\n}}"
        );
        let program = stablehlo::parse(&text, "t.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
        of_parameters(&program).map_err(|e| e.to_string())
    }

    /// `%s = size of dimension 0 of %a` asserted to compare with `value`, then the sum with itself.
    fn asserted(direction: &str, value: i64) -> Result<Vec<Vec<u64>>, String> {
        let body = format!(
            "  %s = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<{value}> : tensor<i32>
  %p = stablehlo.compare {direction}, %s, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p, %s) {{api_version = 2 : i32, error_message = \"too small\", has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()
  %r = stablehlo.add %a, %a : tensor<?xf32>"
        );
        sizes("%a: tensor<?xf32>", &body, "tensor<?xf32>")
    }

    #[test]
    fn seven_and_sixteen_in_turn_and_bounds_as_they_are() {
        let body = "  %r = stablehlo.tanh %a : tensor<?x?xf32>";
        assert_eq!(
            sizes(
                "%a: tensor<?x?xf32>, %b: tensor<?x3xf32>",
                body,
                "tensor<?x?xf32>"
            ),
            Ok(vec![vec![7, 16], vec![7, 3]])
        );
        let bounded = "tensor<?x4xf32, #stablehlo.bounds<5, ?>>";
        assert_eq!(
            sizes(
                &format!("%a: {bounded}"),
                &format!("  %r = stablehlo.tanh %a : {bounded}"),
                bounded
            ),
            Ok(vec![vec![5, 4]])
        );
    }

    #[test]
    fn what_ops_join_has_one_size() {
        let body = "  %r = stablehlo.add %a, %b : tensor<?xf32>";
        assert_eq!(
            sizes(
                "%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>",
                body,
                "tensor<?xf32>"
            ),
            Ok(vec![vec![7], vec![7], vec![16]])
        );
        let body =
            "  %r = stablehlo.add %a, %b : (tensor<?xf32>, tensor<1000xf32>) -> tensor<?xf32>";
        assert_eq!(
            sizes(
                "%a: tensor<?xf32>, %b: tensor<1000xf32>",
                body,
                "tensor<?xf32>"
            ),
            Ok(vec![vec![1000], vec![1000]])
        );
        let body = "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>";
        assert_eq!(
            sizes(
                "%a: tensor<?x?xf32>, %b: tensor<?x?xf32>",
                body,
                "tensor<?x?xf32>"
            ),
            Ok(vec![vec![7, 16], vec![16, 7]])
        );
    }

    /// Sizes that are ordered are not made equal for it.
    #[test]
    fn as_many_sizes_differ_as_may() {
        let text = "func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %s = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %t = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %p = stablehlo.compare GE, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p) {api_version = 2 : i32, has_side_effect = true} : (tensor<i1>) -> ()
  return %a : tensor<?xf32>
}";
        let program = stablehlo::parse(text, "t.mlir").unwrap();
        assert_eq!(of_parameters(&program).unwrap(), [vec![16], vec![7]]);
    }

    #[test]
    fn assertions_decide() {
        assert_eq!(asserted("GE", 1), Ok(vec![vec![7]]));
        assert_eq!(asserted("GE", 8), Ok(vec![vec![16]]));
        assert_eq!(asserted("EQ", 100), Ok(vec![vec![100]]));
        assert_eq!(asserted("LT", 3), Ok(vec![vec![1]]));
        let message = asserted("GE", 100_000).unwrap_err();
        assert!(
            message.contains("--inputs") && message.contains("too small"),
            "{message}"
        );
    }
}
