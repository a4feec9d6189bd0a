//! `scatter`: updates boxes of the inputs whose starts are computed.
//!
//! Meaning: for every update_index in row-major order, with result_index = full_start_index + full_batching_index + full_window_index (as in `gather`,
//! but starts are not clamped): where result_index lies inside the inputs, results[result_index] = update_computation(results[result_index],
//! updates[update_index]); elements outside are dropped one by one.
//! Inputs I1 inputs (N tensors), I2 scatter_indices, I3 updates (N tensors), I4 update_window_dims, I5 inserted_window_dims, I6 input_batching_dims,
//! I7 scatter_indices_batching_dims, I8 scatter_dims_to_operand_dims, I9 index_vector_dim, I10 indices_are_sorted, I11 unique_indices (promises this op
//! does not use), I12 update_computation.
//! Constraints, the specification's: C1 inputs have one shape; C2 rank(inputs) = sizes of I4 + I5 + I6; C3 updates have one shape; C4 that shape
//! combines scatter and window sizes, windows no larger than the inputs; C5 N >= 1 inputs and as many updates; C6 element types of updates are those of
//! inputs; C7 I4 unique and sorted; C8 in range; C9 I5 and I6 unique together; C10 I5 sorted; C11 in range; C12 I6 sorted; C13 in range; C14 I7 unique;
//! C15 in range; C16 without index_vector_dim; C17 I6 and I7 of one size; C18 their dimensions agree; C19 one I8 entry per index component; C20 I8 and
//! I6 unique together; C21 I8 in range; C22 0 <= index_vector_dim <= rank(scatter_indices); C23 update_computation takes E0, .., E0, .. and gives
//! E0, .. scalars promoted from the inputs; C24 shapes of results are those of inputs; C25 element types of results are E0, ...
//! Kind: control (the body decides). Numerics: updates of one element are applied in order; sums of more than 16 as a tree.
//! Example: `%3 = hlo.scatter(%0, %1, %2) applies hlo.add {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, ..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{
        accumulate::{self, DROPPED},
        add::Add,
        gather::{self, Starts},
        movement, shape,
    },
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, TensorType, Type},
};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scatter {
    pub update_window_dims: Vec<i64>,
    pub inserted_window_dims: Vec<i64>,
    pub input_batching_dims: Vec<i64>,
    pub scatter_indices_batching_dims: Vec<i64>,
    pub scatter_dims_to_operand_dims: Vec<i64>,
    pub index_vector_dim: i64,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}

impl Scatter {
    /// The same lists under the names of `gather`.
    fn numbers(&self) -> gather::Numbers<'_> {
        gather::Numbers {
            offset_dims: &self.update_window_dims,
            collapsed_slice_dims: &self.inserted_window_dims,
            operand_batching_dims: &self.input_batching_dims,
            start_indices_batching_dims: &self.scatter_indices_batching_dims,
            start_index_map: &self.scatter_dims_to_operand_dims,
            index_vector_dim: self.index_vector_dim,
        }
    }

    /// Input dimensions that windows extend along, in order.
    fn window_dims(&self, rank: usize) -> Vec<usize> {
        let dropped = |d: &usize| self.inserted_window_dims.contains(&(*d as i64)) || self.input_batching_dims.contains(&(*d as i64));
        (0..rank).filter(|d| !dropped(d)).collect()
    }

    fn violations(&self, input: &TensorType, indices: &TensorType, update: &TensorType) -> Vec<String> {
        // Constraints of gather and their numbers here.
        const TAGS: &[(&str, &str)] = &[
            ("C1:", "C2:"),
            ("C2:", "C22:"),
            ("C3:", "C19:"),
            ("C4:", "C7:"),
            ("C5:", "C8:"),
            ("C6:", "C9:"),
            ("C7:", "C10:"),
            ("C8:", "C11:"),
            ("C10:", "C12:"),
            ("C11:", "C13:"),
            ("C13:", "C14:"),
            ("C14:", "C15:"),
            ("C15:", "C16:"),
            ("C16:", "C17:"),
            ("C17:", "C18:"),
            ("C18:", "C20:"),
            ("C19:", "C21:"),
        ];
        let names = [
            ("offset_dims", "update_window_dims"),
            ("collapsed_slice_dims", "inserted_window_dims"),
            ("operand_batching_dims", "input_batching_dims"),
            ("start_indices_batching_dims", "scatter_indices_batching_dims"),
            ("start_index_map", "scatter_dims_to_operand_dims"),
        ];
        let renamed = |message: String| {
            let message = names.iter().fold(message, |m, (from, to)| m.replace(from, to));
            let tag = TAGS.iter().find(|(from, _)| message.starts_with(from));
            tag.map_or(message.clone(), |(from, to)| format!("{to}{}", &message[from.len()..]))
        };
        let mut wrong: Vec<String> = self.numbers().violations(input, indices).into_iter().map(renamed).collect();
        if !wrong.is_empty() {
            return wrong;
        }
        // C4: scatter sizes are those of the indices; window sizes are free up to the input's.
        let mut window: Vec<Dim> = vec![Dim::Static(1); input.rank()];
        let given = self.update_window_dims.iter().map(|d| update.dims.get(*d as usize).copied());
        for (d, size) in self.window_dims(input.rank()).iter().zip(given) {
            window[*d] = size.unwrap_or(Dim::Static(u64::MAX));
        }
        let larger = |(size, n): (&Dim, &Dim)| matches!((size, n), (Dim::Static(size), Dim::Static(n)) if size > n);
        let combined = self.numbers().combined(&indices.dims, &window);
        let fits = combined.len() == update.rank() && combined.iter().zip(&update.dims).all(|(a, b)| shape::join_dims(*a, *b).is_some());
        let windows_fit = self.window_dims(input.rank()).iter().all(|d| !larger((&window[*d], &input.dims[*d])));
        if !fits || !windows_fit {
            wrong.push(format!("C4: updates {update} do not fit input {input} and indices {indices}"));
        }
        wrong
    }

    /// Target of each update element in row-major order, as a row-major position in the inputs; [`DROPPED`] outside them.
    fn targets(&self, input: &[u64], indices: &Tensor, update: &[u64]) -> Result<Vec<usize>, Stop> {
        let starts = Starts::new(self.index_vector_dim, indices);
        let strides = row_major_strides(input);
        let windows = self.window_dims(input.len());
        let is_window = |d: usize| self.update_window_dims.contains(&(d as i64));
        let scatter_sizes: Vec<u64> = (0..update.len()).filter(|d| !is_window(*d)).map(|d| update[d]).collect();
        if scatter_sizes != starts.dims || windows.len() != self.update_window_dims.len() {
            return Err(movement::mismatch(format!("updates {update:?} for indices {}", indices.ty())));
        }
        let batching = starts.batching_strides(input, &self.input_batching_dims, &self.scatter_indices_batching_dims)?;
        let bases = movement::offsets(&starts.dims, &batching);
        let vectors = movement::offsets(&starts.dims, &starts.strides);
        // Number of the scatter position and of the window position of each update element.
        let window_sizes: Vec<u64> = self.update_window_dims.iter().map(|d| update[*d as usize]).collect();
        let (scatter_strides, window_strides) = (row_major_strides(&scatter_sizes), row_major_strides(&window_sizes));
        let (mut s, mut w) = (scatter_strides.iter(), window_strides.iter());
        let (mut of_scatter, mut of_window) = (vec![0; update.len()], vec![0; update.len()]);
        for d in 0..update.len() {
            if is_window(d) {
                of_window[d] = w.next().copied().unwrap_or(0);
            } else {
                of_scatter[d] = s.next().copied().unwrap_or(0);
            }
        }
        let window_offsets = movement::offsets(&window_sizes, &windows.iter().map(|d| strides[*d]).collect::<Vec<_>>());
        let size_along = |d: usize| windows.iter().position(|w| *w == d).map_or(1, |k| window_sizes[k]);
        // Start of each scatter position along the indexed dimensions, and whether its whole window lies inside.
        let start = |at: i64, k: usize| starts.index(at, k);
        let indexed: Vec<(usize, u64)> = self.scatter_dims_to_operand_dims.iter().map(|d| (*d as usize, size_along(*d as usize))).collect();
        let inside = |x: i64, size: u64, n: u64| x >= 0 && (x as u64).saturating_add(size) <= n;
        let whole: Vec<bool> = vectors.iter().map(|at| indexed.iter().enumerate().all(|(k, (d, size))| inside(start(*at, k), *size, input[*d]))).collect();
        let rest_fits = (0..input.len()).all(|d| size_along(d) <= input[d]);
        if !rest_fits {
            return Err(movement::mismatch(format!("windows of {update:?} in {input:?}")));
        }
        let target = |(s, w): (i64, i64)| {
            let at = vectors[s as usize];
            let fits = whole[s as usize]
                || indexed.iter().enumerate().all(|(k, (d, _))| {
                    let within = windows.iter().position(|w| w == d).map_or(0, |p| w / window_strides[p] % window_sizes[p] as i64);
                    inside(start(at, k).saturating_add(within), 1, input[*d])
                });
            if !fits {
                return DROPPED;
            }
            // Partly outside windows may start below 0; the sum is inside.
            let base: i64 = indexed.iter().enumerate().map(|(k, (d, _))| start(at, k) * strides[*d]).sum();
            (bases[s as usize] + base + window_offsets[w as usize]) as usize
        };
        Ok(movement::offsets(update, &of_scatter).into_iter().zip(movement::offsets(update, &of_window)).map(target).collect())
    }

    /// Inputs, indices, updates.
    fn parts<'a>(&self, operands: &'a [Value]) -> Result<(Vec<&'a Tensor>, &'a Tensor, Vec<&'a Tensor>), Stop> {
        let n = operands.len() / 2;
        let all = |from: usize| (from..from + n).map(|i| shape::operand(operands, i)).collect::<Result<Vec<_>, _>>();
        Ok((all(0)?, shape::operand(operands, n)?, all(n + 1)?))
    }
}

impl OpDef for Scatter {
    const NAME: &'static str = "scatter";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Scatter {
        Scatter {
            update_window_dims: reader.ints("update_window_dims"),
            inserted_window_dims: reader.ints("inserted_window_dims"),
            input_batching_dims: reader.opt_ints("input_batching_dims").unwrap_or_default(),
            scatter_indices_batching_dims: reader.opt_ints("scatter_indices_batching_dims").unwrap_or_default(),
            scatter_dims_to_operand_dims: reader.ints("scatter_dims_to_operand_dims"),
            index_vector_dim: reader.int("index_vector_dim"),
            indices_are_sorted: reader.opt_bool("indices_are_sorted").unwrap_or(false),
            unique_indices: reader.opt_bool("unique_indices").unwrap_or(false),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("update_window_dims", self.update_window_dims.clone())
            .with("inserted_window_dims", self.inserted_window_dims.clone())
            .with("input_batching_dims", self.input_batching_dims.clone())
            .with("scatter_indices_batching_dims", self.scatter_indices_batching_dims.clone())
            .with("scatter_dims_to_operand_dims", self.scatter_dims_to_operand_dims.clone())
            .with("index_vector_dim", self.index_vector_dim)
            .with("indices_are_sorted", self.indices_are_sorted)
            .with("unique_indices", self.unique_indices)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let n = cx.operands.len() / 2;
        if n == 0 || cx.operands.len() != 2 * n + 1 {
            return Err(vec![format!("C5: expected inputs, indices and as many updates, got {} operands", cx.operands.len())]);
        }
        let operands = shape::tensors(cx, 2 * n + 1)?;
        let (inputs, indices, updates) = (&operands[..n], operands[n], &operands[n + 1..]);
        if !indices.element.is_integer() {
            return Err(vec![format!("I2: scatter_indices must be integers, got {indices}")]);
        }
        let tagged = |tag: &str, of: &[&Arc<TensorType>]| shape::same_dims(of).map_err(|e| vec![format!("{tag}: {}", e.join("; "))]);
        let input = inputs[0].with_dims(tagged("C1", inputs)?);
        let update = updates[0].with_dims(tagged("C3", updates)?);
        let mut wrong = self.violations(&input, indices, &update);
        if inputs.iter().zip(updates).any(|(a, b)| a.element != b.element) {
            wrong.push("C6: element types of inputs and updates differ".to_string());
        }
        let body = cx.regions.first().and_then(|body| movement::body_elements(body, &inputs.iter().map(|t| &t.element).collect::<Vec<_>>()));
        match body {
            Some(elements) if wrong.is_empty() => {
                let result = |(i, element)| movement::or_declared(TensorType { dims: input.dims.clone(), element, layout: None }, cx, i);
                Ok(elements.into_iter().enumerate().map(result).collect()) // C24, C25
            }
            Some(_) => Err(wrong),
            None => {
                wrong.push(format!("C23: update_computation must take {} scalars and give {n} of types promoted from the inputs", 2 * n));
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (inputs, indices, updates) = self.parts(operands)?;
        if let Some(t) = inputs.iter().find(|t| t.dims() != inputs[0].dims()).or_else(|| updates.iter().find(|t| t.dims() != updates[0].dims())) {
            return Err(movement::mismatch(format!("scatter of {} and {}", inputs[0].ty(), t.ty())));
        }
        let targets = self.targets(inputs[0].dims(), indices, updates[0].dims())?;
        let to = |t: &Tensor, i: usize| movement::promoted(t, results.get(i).and_then(Type::as_tensor).map_or(t.element(), |r| &r.element));
        let bases = inputs.iter().enumerate().map(|(i, t)| to(t, i)).collect::<Result<Vec<_>, _>>()?;
        let updates = updates.iter().enumerate().map(|(i, t)| to(t, i)).collect::<Result<Vec<_>, _>>()?;
        Ok(accumulate::accumulate(0, bases, &targets, &updates, cx)?.into_iter().map(Value::from).collect())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let n = operands.len() / 2;
        let owned: Vec<Value> = operands.iter().map(|o| o.value.clone()).collect();
        let (inputs, indices, updates) = self.parts(&owned)?;
        let single = cx.runner.single_op(0);
        if operands[n].error.is_exact() && (n == 1 || single == Some("return")) {
            let targets = self.targets(inputs[0].dims(), indices, updates[0].dims())?;
            let one = |i: usize| {
                let terms = accumulate::Terms {
                    base: inputs[i],
                    base_error: operands[i].error,
                    targets: &targets,
                    update: updates[i],
                    update_error: operands[n + 1 + i].error,
                };
                Ok(accumulate::bound(&terms, single, shape::operand(values, i)?))
            };
            return (0..n).map(one).collect();
        }
        let exact = operands.iter().all(|o| o.error.is_exact());
        let of = |t: &Tensor| if exact && t.element().is_integer() { Bound::Exact } else { Bound::undetermined(t.len()) };
        Ok(values.iter().map(|v| v.as_tensor().map_or(Bound::Exact, of)).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let (g, input, indices) = gather::random(s);
        let op = Scatter {
            update_window_dims: g.offset_dims.clone(),
            inserted_window_dims: g.collapsed_slice_dims.clone(),
            input_batching_dims: g.operand_batching_dims.clone(),
            scatter_indices_batching_dims: g.start_indices_batching_dims.clone(),
            scatter_dims_to_operand_dims: g.start_index_map.clone(),
            index_vector_dim: g.index_vector_dim,
            indices_are_sorted: false,
            unique_indices: false,
        };
        let declared = g.infer(&InferContext { operands: &[input.clone(), indices.clone()], declared: &[], regions: &[] });
        let update = declared.ok().and_then(|mut types| types.pop()).unwrap_or_else(|| input.clone());
        let scalar: Type = input.as_tensor().map_or(TensorType::new([], crate::types::ElementType::F32), |t| t.with_dims(vec![])).into();
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &[input, indices, update], Location::default());
        let inner = b.begin_region(&[scalar.clone(), scalar]);
        // A body that adds, or one that overwrites.
        let value = if s.range(0, 1) == 0 { b.infer(Op::Hlo(Add.into()), &inner, &[], vec![], Location::default()) } else { vec![inner[1]] };
        let body = b.end_region(&value, Location::default());
        let results = b.infer(Op::Hlo(op.into()), &arguments, &[], vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
#[path = "scatter_tests.rs"]
mod tests;
