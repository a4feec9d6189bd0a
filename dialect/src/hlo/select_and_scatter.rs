//! `select_and_scatter`: adds each source element where a selection over its window of the operand points.
//!
//! Meaning: for each source index in row-major order, of the operand elements in its window (padding is not looked at) `select` picks one: going through
//! the window in row-major order, the one at hand stays where select(it, next) holds; result starts as init_value everywhere, and
//! result[picked] = scatter(result[picked], source[source_index]). A window of padding only picks nothing.
//! Inputs I1 operand, I2 source, I3 init_value, I4 window_dimensions, I5 window_strides, I6 padding (low, high of each dimension), I7 select, I8 scatter.
//! Constraints: C1 operand and source have one element type; C2 shape(source) is the number of windows; C3 init_value is a scalar of that type; C4, C6 one
//! entry per dimension in I4, I5; C5, C7 they are positive; C8 two paddings per dimension; C9 select takes two scalars of the operand and gives a boolean;
//! C10 scatter takes two scalars E promoted from the operand and gives one; C11 shape(result) = shape(operand); C12 its element type is E.
//! Kind: control: select reads the IEEE plane, scatter's ops decide. Numerics: the order is that of the sources; sums of more than 16 as a tree.
//! Example: `%3 = hlo.select_and_scatter(%0, %1, %2) {window_dimensions = array<i64: 3, 1>, ..} select {..} scatter {..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{
        accumulate::{self, DROPPED},
        add::Add,
        compare::{Compare, Direction},
        movement, shape,
        window::{self, Window},
    },
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectAndScatter {
    pub window_dimensions: Vec<i64>,
    pub window_strides: Vec<i64>,
    pub padding: Vec<i64>,
}

/// The operand position each source element's window offers at one offset; [`DROPPED`] in the padding.
struct Candidates {
    /// Per dimension: operand index of the window's first element for each window, and the operand's size.
    starts: Vec<Vec<i64>>,
    sizes: Vec<u64>,
    strides: Vec<i64>,
}

impl Candidates {
    fn new(w: &Window, operand: &[u64], source: &[u64]) -> Candidates {
        // Saturation keeps far positions outside.
        let start = |d: usize, i: u64| (i as i64).saturating_mul(w.strides[d]).saturating_sub(w.padding[d].0);
        Candidates {
            starts: source.iter().enumerate().map(|(d, n)| (0..*n).map(|i| start(d, i)).collect()).collect(),
            sizes: operand.to_vec(),
            strides: row_major_strides(operand),
        }
    }

    /// Positions at window offset `offset` for every source element in row-major order.
    fn at(&self, offset: &[i64]) -> Vec<usize> {
        let mut out = vec![0usize];
        for (d, starts) in self.starts.iter().enumerate() {
            let here: Vec<Option<usize>> = starts
                .iter()
                .map(|s| {
                    let i = s.saturating_add(offset[d]);
                    (i >= 0 && (i as u64) < self.sizes[d]).then_some((i * self.strides[d]) as usize)
                })
                .collect();
            out = out.iter().flat_map(|base| here.iter().map(move |h| h.map_or(DROPPED, |h| if *base == DROPPED { DROPPED } else { base + h }))).collect();
        }
        out
    }
}

impl SelectAndScatter {
    fn window(&self) -> Window {
        let ones = vec![1; self.window_dimensions.len()];
        Window {
            dimensions: self.window_dimensions.clone(),
            strides: self.window_strides.clone(),
            base_dilations: ones.clone(),
            window_dilations: ones,
            padding: window::padding_pairs(&self.padding),
        }
    }

    /// Every offset inside the window in row-major order that reaches an operand element from some window.
    fn offsets(&self, operand: &[u64], source: &[u64]) -> Vec<Vec<i64>> {
        let w = self.window();
        let mut out = vec![vec![]];
        for d in 0..operand.len() {
            // Larger offsets of a window that starts in the low padding still reach; beyond the operand none does.
            let most = w.dimensions[d].min((operand[d] as i64).saturating_add(w.padding[d].0.max(0)));
            let last = (source[d] as i64 - 1).saturating_mul(w.strides[d]).saturating_sub(w.padding[d].0);
            let least = last.saturating_neg().max(0).min(most);
            out = out.iter().flat_map(|o: &Vec<i64>| (least..most).map(|k| [&o[..], &[k]].concat()).collect::<Vec<_>>()).collect();
        }
        out
    }

    /// Operand position each source element goes to.
    fn selected(&self, operand: &Tensor, source: &[u64], cx: &mut EvalContext<'_>) -> Result<Vec<usize>, Stop> {
        let candidates = Candidates::new(&self.window(), operand.dims(), source);
        let mut selected = vec![DROPPED; crate::tensor::count(source)];
        if selected.is_empty() {
            return Ok(selected);
        }
        for offset in self.offsets(operand.dims(), source) {
            let next = candidates.at(&offset);
            let lanes: Vec<usize> = (0..next.len()).filter(|i| next[*i] != DROPPED && selected[*i] != DROPPED).collect();
            let keeps = selects(operand, &lanes.iter().map(|i| selected[*i]).collect::<Vec<_>>(), operand, &lanes.iter().map(|i| next[*i]).collect::<Vec<_>>(), cx)?;
            (0..next.len()).filter(|i| selected[*i] == DROPPED).collect::<Vec<_>>().iter().for_each(|i| selected[*i] = next[*i]);
            lanes.iter().zip(&keeps).filter(|(_, keep)| !**keep).for_each(|(i, _)| selected[*i] = next[*i]);
        }
        Ok(selected)
    }

    /// Operand positions whose share of the sources is in doubt when the operand is off by `error`: all of a window in which the picked element and
    /// another are compared differently when one is moved up and the other down.
    fn in_doubt(&self, operand: &Tensor, error: &Bound, source: &[u64], selected: &[usize], cx: &mut EvalContext<'_>) -> Result<Vec<bool>, Stop> {
        let errors: Vec<f64> = (0..operand.len()).map(|i| error.at(i)).collect();
        let (up, down) = (super::sort::moved_by(operand, &errors, 1.0), super::sort::moved_by(operand, &errors, -1.0));
        let candidates = Candidates::new(&self.window(), operand.dims(), source);
        let offsets = self.offsets(operand.dims(), source);
        let mut open = vec![false; selected.len()];
        for offset in &offsets {
            let other = candidates.at(offset);
            let lanes: Vec<usize> = (0..other.len()).filter(|i| other[*i] != DROPPED && selected[*i] != DROPPED && other[*i] != selected[*i] && !open[*i]).collect();
            let x: Vec<usize> = lanes.iter().map(|i| selected[*i]).collect();
            let y: Vec<usize> = lanes.iter().map(|i| other[*i]).collect();
            for (x, y) in [(&x, &y), (&y, &x)] {
                let plain = selects(operand, x, operand, y, cx)?;
                for (a, b) in [(&up, &down), (&down, &up)] {
                    let moved = selects(a, x, b, y, cx)?;
                    lanes.iter().zip(plain.iter().zip(&moved)).for_each(|(i, (p, m))| open[*i] |= p != m);
                }
            }
        }
        let mut doubt = vec![false; operand.len()];
        for offset in &offsets {
            let at = candidates.at(offset);
            (0..at.len()).filter(|i| open[*i] && at[*i] != DROPPED).for_each(|i| doubt[at[i]] = true);
        }
        Ok(doubt)
    }
}

/// select(a[i], b[j]) for each pair of positions.
fn selects(a: &Tensor, i: &[usize], b: &Tensor, j: &[usize], cx: &mut EvalContext<'_>) -> Result<Vec<bool>, Stop> {
    if i.is_empty() {
        return Ok(vec![]);
    }
    let lanes = i.len() as u64;
    let results = cx.run_lanes(0, i.len(), vec![a.take(&[lanes], i), b.take(&[lanes], j)])?;
    match results.first() {
        Some(t) if t.len() == i.len() && *t.element() == ElementType::I1 => Ok(t.as_slice::<u8>().iter().map(|v| *v != 0).collect()),
        Some(_) | None => Err(Stop::internal("a select body gave no booleans")),
    }
}

impl OpDef for SelectAndScatter {
    const NAME: &'static str = "select_and_scatter";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> SelectAndScatter {
        let window_dimensions = reader.ints("window_dimensions");
        SelectAndScatter {
            window_strides: reader.opt_ints("window_strides").unwrap_or_else(|| vec![1; window_dimensions.len()]),
            padding: reader.opt_ints("padding").unwrap_or_else(|| vec![0; 2 * window_dimensions.len()]),
            window_dimensions,
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("window_dimensions", self.window_dimensions.clone())
            .with("window_strides", self.window_strides.clone())
            .with("padding", self.padding.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 3)?;
        let (operand, source, init) = (operands[0], operands[1], operands[2]);
        let rank = operand.rank();
        let mut wrong = vec![];
        if operand.element != source.element {
            wrong.push(format!("C1: element types differ: {operand} and {source}"));
        }
        if init.element != operand.element || init.rank() != 0 {
            wrong.push(format!("C3: init_value {init} is not a scalar of the element type of {operand}"));
        }
        wrong.extend(window::positive(&self.window_dimensions, rank, "window_dimensions", "C4", "C5"));
        wrong.extend(window::positive(&self.window_strides, rank, "window_strides", "C6", "C7"));
        if self.padding.len() != 2 * rank {
            wrong.push(format!("C8: padding has {} entries for rank {rank}", self.padding.len()));
        }
        if wrong.is_empty() {
            let windows: Vec<Dim> = self.window().result_dims(&operand.dims);
            let fits = windows.len() == source.rank() && windows.iter().zip(&source.dims).all(|(a, b)| shape::join_dims(*a, *b).is_some());
            if !fits {
                wrong.push(format!("C2: source {source} does not have the shape of the windows, {}", operand.with_dims(windows)));
            }
        }
        let [select, scatter] = cx.regions else { return Err(vec![format!("expected 2 regions, got {}", cx.regions.len())]) };
        let scalar: Type = operand.with_dims(vec![]).into();
        let fits = |a: &[Type], b: &[Type]| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.compatible(y));
        if !fits(&select.arguments, &[scalar.clone(), scalar]) || !fits(&select.results, &[Type::tensor([], ElementType::I1)]) {
            wrong.push("C9: select must take two scalars of the operand and give a tensor<i1>".to_string());
        }
        let Some(mut elements) = movement::body_elements(scatter, &[&operand.element]) else {
            wrong.push("C10: scatter must take two scalars promoted from the operand and give one".to_string());
            return Err(wrong);
        };
        match elements.pop() {
            Some(element) if wrong.is_empty() => Ok(vec![movement::or_declared(TensorType { dims: operand.dims.clone(), element, layout: None }, cx, 0)]), // C11, C12
            Some(_) | None => Err(wrong),
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (operand, source, init) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?, shape::operand(operands, 2)?);
        let w = self.window();
        let windows: Vec<u64> = operand.dims().iter().enumerate().map(|(d, n)| w.windows(d, *n)).collect();
        if windows != source.dims() {
            return Err(movement::mismatch(format!("source {} for {windows:?} windows", source.ty())));
        }
        let targets = self.selected(operand, source.dims(), cx)?;
        let element = results.first().and_then(Type::as_tensor).map_or(operand.element().clone(), |t| t.element.clone());
        let base = movement::promoted(init, &element)?.strided(operand.dims(), 0, &vec![0; operand.rank()]);
        let out = accumulate::accumulate(1, vec![base], &targets, &[movement::promoted(source, &element)?], cx)?;
        Ok(out.into_iter().map(Value::from).collect())
    }

    /// As `scatter`; what an inexact operand may select differently is undetermined.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let owned: Vec<Value> = operands.iter().map(|o| o.value.clone()).collect();
        let (operand, source, init) = (shape::operand(&owned, 0)?, shape::operand(&owned, 1)?, shape::operand(&owned, 2)?);
        let targets = self.selected(operand, source.dims(), cx)?;
        let base = init.strided(operand.dims(), 0, &vec![0; operand.rank()]);
        let base_error = Bound::absolute(vec![operands[2].error.at(0); base.len()]);
        let terms = accumulate::Terms { base: &base, base_error: &base_error, targets: &targets, update: source, update_error: operands[1].error };
        let result = shape::operand(values, 0)?;
        let bound = accumulate::bound(&terms, cx.runner.single_op(1), result);
        if operands[0].error.is_exact() {
            return Ok(vec![bound]);
        }
        let doubt = self.in_doubt(operand, operands[0].error, source.dims(), &targets, cx)?;
        Ok(vec![Bound::absolute((0..result.len()).map(|i| if doubt[i] { f64::INFINITY } else { bound.at(i) }).collect())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let op = SelectAndScatter {
            window_dimensions: dims.iter().map(|_| s.range(1, 3) as i64).collect(),
            window_strides: dims.iter().map(|_| s.range(1, 2) as i64).collect(),
            padding: (0..2 * dims.len()).map(|_| s.range(0, 1) as i64).collect(),
        };
        let source: Vec<u64> = dims.iter().enumerate().map(|(d, n)| op.window().windows(d, *n)).collect();
        let scalar = Type::tensor([], element.clone());
        let operands = [Type::tensor(dims, element.clone()), Type::tensor(source, element), scalar.clone()];
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &operands, Location::default());
        let pair = b.begin_region(&[scalar.clone(), scalar.clone()]);
        let at_least = Compare { comparison_direction: Direction::Ge, compare_type: None };
        let stays = b.infer(Op::Hlo(at_least.into()), &pair, &[], vec![], Location::default());
        let select = b.end_region(&stays, Location::default());
        let inner = b.begin_region(&[scalar.clone(), scalar]);
        let sum = b.infer(Op::Hlo(Add.into()), &inner, &[], vec![], Location::default());
        let scatter = b.end_region(&sum, Location::default());
        let results = b.infer(Op::Hlo(op.into()), &arguments, &[], vec![select, scatter], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval::Events, eval_test_runner::*, op::RegionType, planes::Planes};

    /// select is >=, scatter is +.
    fn with_context<R>(f: impl FnOnce(&mut EvalContext<'_>) -> R) -> R {
        let mut lanes = |region: usize, x: Vec<Tensor>| {
            let (a, b) = (x[0].to_f64s(), x[1].to_f64s());
            let n = [a.len() as u64];
            let pairs = || a.iter().zip(b.iter());
            match region {
                0 => vec![Tensor::from_i64s(&n, &ElementType::I1, &pairs().map(|(a, b)| i64::from(a >= b)).collect::<Vec<_>>())],
                _ => vec![Tensor::from_f64s(&n, x[0].element(), &pairs().map(|(a, b)| a + b).collect::<Vec<_>>()).with_embedded_ring()],
            }
        };
        let (mut runner, mut events) = (Lanes(&mut lanes), Events::default());
        f(&mut EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events })
    }

    fn run(op: &SelectAndScatter, operand: &Tensor, source: &Tensor, init: f64) -> Tensor {
        let init = Tensor::from_f64s(&[], operand.element(), &[init]);
        let values: Vec<Value> = [operand, source, &init].iter().map(|t| (*t).clone().with_embedded_ring().into()).collect();
        with_context(|cx| op.eval(&values, &[operand.ty().into()], cx)).unwrap()[0].as_tensor().unwrap().clone()
    }

    fn example() -> SelectAndScatter {
        SelectAndScatter { window_dimensions: vec![3, 1], window_strides: vec![2, 1], padding: vec![0, 1, 0, 0] }
    }

    #[test]
    fn the_example_of_the_specification() {
        let out = run(&example(), &ints(&[4, 2], &[1, 5, 2, 5, 3, 6, 4, 4]), &ints(&[2, 2], &[5, 6, 7, 8]), 0.0);
        assert_eq!(out.as_slice::<i32>(), [0, 0, 0, 0, 5, 14, 7, 0]);
    }

    #[test]
    fn the_first_of_equal_elements_is_picked_and_padding_never() {
        // Negative numbers: padding as 0 would win. Windows [pad, -2], [-2, -2], [-2, pad].
        let op = SelectAndScatter { window_dimensions: vec![2], window_strides: vec![1], padding: vec![1, 1] };
        let out = run(&op, &floats(&[2], &[-2., -2.]), &floats(&[3], &[10., 20., 30.]), 1.0);
        assert_eq!((out.as_slice::<f32>(), out.ring()), (&[31f32, 31.][..], Some(&[31, 31][..])));
        // Windows of padding only pick nothing.
        let op = SelectAndScatter { window_dimensions: vec![1], window_strides: vec![1], padding: vec![2, 0] };
        assert_eq!(run(&op, &floats(&[1], &[5.]), &floats(&[3], &[10., 20., 30.]), 0.5).as_slice::<f32>(), [30.5]);
    }

    #[test]
    fn bound_is_undetermined_where_the_selection_may_flip() {
        let op = SelectAndScatter { window_dimensions: vec![2], window_strides: vec![2], padding: vec![0, 0] };
        let operands: Vec<Value> = vec![floats(&[4], &[1., 1.1, 5., 2.]).into(), floats(&[2], &[10., 20.]).into(), floats(&[], &[0.]).into()];
        let errors = [Bound::absolute(vec![0.2, 0., 0.2, 0.]), Bound::Exact, Bound::Exact];
        let bounded: Vec<Bounded<'_>> = operands.iter().zip(&errors).map(|(value, error)| Bounded { value, error }).collect();
        let ty = [f32s(&[4])];
        let b = with_context(|cx| {
            let values = op.eval(&operands, &ty, cx)?;
            op.bound(&bounded, &ty, &values, cx)
        })
        .unwrap();
        assert_eq!([b[0].at(0), b[0].at(1), b[0].at(3)], [f64::INFINITY, f64::INFINITY, 0.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let select = RegionType { arguments: vec![i32s(&[]); 2], results: vec![Type::tensor([], ElementType::I1)] };
        let scatter = RegionType { arguments: vec![i32s(&[]); 2], results: vec![i32s(&[])] };
        let regions = [select.clone(), scatter.clone()];
        let infer = |op: SelectAndScatter, operands: &[Type], regions: &[RegionType]| op.infer(&InferContext { operands, declared: &[], regions }).err().unwrap_or_default();
        let has = |all: Vec<String>, tag: &str| assert!(all.len() == 1 && all[0].starts_with(&format!("{tag}:")), "{tag}: {all:?}");
        let operands = [i32s(&[4, 2]), i32s(&[2, 2]), i32s(&[])];
        assert_eq!(infer(example(), &operands, &regions), Vec::<String>::new());
        let check = |tag: &str, change: &dyn Fn(&mut SelectAndScatter)| {
            let mut op = example();
            change(&mut op);
            has(infer(op, &operands, &regions), tag);
        };
        check("C2", &|w| w.window_strides = vec![1, 1]);
        check("C4", &|w| w.window_dimensions = vec![3]);
        check("C5", &|w| w.window_dimensions[0] = 0);
        check("C6", &|w| w.window_strides = vec![2]);
        check("C7", &|w| w.window_strides[0] = 0);
        check("C8", &|w| w.padding = vec![0]);
        has(infer(example(), &[i32s(&[4, 2]), f32s(&[2, 2]), i32s(&[])], &regions), "C1");
        has(infer(example(), &[i32s(&[4, 2]), i32s(&[2, 2]), f32s(&[])], &regions), "C3");
        has(infer(example(), &operands, &[scatter.clone(), scatter]), "C9");
        has(infer(example(), &operands, &[select.clone(), select]), "C10");
    }
}
