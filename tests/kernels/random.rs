//! Random straight-line kernels of stage S4 on vectors of odd sizes. Values stay small integers, so that every order of sums gives the same bits.

use tileproof_dialect::{
    hlo::{self, compare::Direction},
    literal::Literal,
    location::Location,
    planes::ring,
    stage::Stage,
    tensor::Tensor,
    tpu::{
        CombiningKind, Kernel, KernelBuilder, KernelOperand, KernelType, KernelValue,
        MatmulDimensions, MemRefType, MemorySpace, Role, TpuOp, op::Mask,
    },
    types::ElementType,
};

/// Numbers of a seed.
struct Draw {
    seed: u64,
    next: u64,
}

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.next += 1;
        ring::input(self.seed, 77, self.next) as usize % n.max(1)
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

const SIZES: [u64; 12] = [1, 2, 3, 5, 8, 9, 16, 17, 100, 128, 130, 256];
const MOST: u64 = 24_000;

/// A kernel of 2 to 3 inputs, about 10 ops, and an output for each of the last values.
pub fn kernel(seed: u64) -> Kernel {
    let mut d = Draw { seed, next: 0 };
    let mut operands = vec![];
    let mut inputs = vec![];
    for _ in 0..2 + d.below(2) {
        let dims = shape(&mut d);
        let element = d.of(&[
            ElementType::F32,
            ElementType::F32,
            ElementType::I32,
            ElementType::BF16,
            ElementType::I8,
            ElementType::F16,
            ElementType::I1,
        ]);
        operands.push(whole(Role::Input, &dims, &element));
        inputs.push((dims, element));
    }
    // Now and then the last values go to every second element.
    let step = if d.below(4) == 0 { 2 } else { 1 };
    // The outputs are known when the ops are: the kernel is made twice with the same draws.
    let outputs = {
        let probe = operands.clone();
        let mut b = builder(seed, probe);
        let (mut d, inputs) = (Draw { seed, next: d.next }, inputs.clone());
        let kept = body(&mut b, &mut d, &inputs);
        kept.iter().map(|v| b.ty(*v).clone()).collect::<Vec<_>>()
    };
    for ty in &outputs {
        let element = ty.element().unwrap_or(ElementType::F32);
        let dims: Vec<u64> = ty.dims().unwrap_or(&[]).iter().map(|n| n * step).collect();
        operands.push(whole(Role::Output, &dims, &element));
    }
    let mut b = builder(seed, operands);
    let kept = body(&mut b, &mut d, &inputs);
    for (i, v) in kept.iter().enumerate() {
        let (dims, element) = vector(&b, *v);
        let mut parts = vec![(*v, None)];
        if step != 1 {
            let whole: Vec<u64> = dims.iter().map(|n| n * step).collect();
            let count = whole.iter().product::<u64>() as usize;
            let one = constant(
                &mut b,
                &Tensor::from_i64s(&whole, &element, &vec![1; count]),
            );
            parts = vec![(one, None), (*v, Some(vec![step; dims.len()]))];
        }
        for (value, strides) in parts {
            let mut operands = vec![value, b.operand_ref(inputs.len() + i)];
            operands.extend(zeros(&mut b, dims.len()));
            let store = TpuOp::Store {
                strides,
                masked: Mask::Unmasked,
            };
            b.op(store, &operands, &[], vec![]);
        }
    }
    b.finish()
}

fn builder(seed: u64, operands: Vec<KernelOperand>) -> KernelBuilder {
    let name = format!("random_{seed}");
    KernelBuilder::new(&name, Stage::S4, vec![], operands, Location::default())
}

fn whole(role: Role, dims: &[u64], element: &ElementType) -> KernelOperand {
    KernelOperand {
        role,
        buffer: MemRefType::new(dims, element.clone(), MemorySpace::Vmem),
        window: None,
        alias: None,
        address: None,
    }
}

fn shape(d: &mut Draw) -> Vec<u64> {
    loop {
        let dims: Vec<u64> = (0..1 + d.below(3)).map(|_| d.of(&SIZES)).collect();
        if dims.iter().product::<u64>() <= MOST {
            return dims;
        }
    }
}

fn zeros(b: &mut KernelBuilder, rank: usize) -> Vec<KernelValue> {
    let t = Tensor::from_i64s(&[], &ElementType::I64, &[0]);
    (0..rank)
        .map(|_| {
            b.one(
                TpuOp::Constant(Literal::from_tensor(&t)),
                &[],
                KernelType::Index,
            )
        })
        .collect()
}

fn constant(b: &mut KernelBuilder, t: &Tensor) -> KernelValue {
    let ty = if t.dims().is_empty() {
        KernelType::Scalar(t.element().clone())
    } else {
        KernelType::vector(t.dims(), t.element().clone())
    };
    b.one(TpuOp::Constant(Literal::from_tensor(t)), &[], ty)
}

fn vector(b: &KernelBuilder, v: KernelValue) -> (Vec<u64>, ElementType) {
    let ty = b.ty(v);
    (
        ty.dims().unwrap_or(&[]).to_vec(),
        ty.element().unwrap_or(ElementType::F32),
    )
}

/// Loads the inputs and applies random ops; gives the last values.
fn body(
    b: &mut KernelBuilder,
    d: &mut Draw,
    inputs: &[(Vec<u64>, ElementType)],
) -> Vec<KernelValue> {
    let mut values = vec![];
    for (i, (dims, element)) in inputs.iter().enumerate() {
        let mut operands = vec![b.operand_ref(i)];
        operands.extend(zeros(b, dims.len()));
        // Now and then every second element.
        let strides = (d.below(4) == 0).then(|| vec![2; dims.len()]);
        let sizes = match strides {
            None => dims.clone(),
            Some(_) => dims.iter().map(|n| n.div_ceil(2)).collect(),
        };
        let load = TpuOp::Load {
            strides,
            masked: Mask::Unmasked,
        };
        values.push(b.one(load, &operands, KernelType::vector(&sizes, element.clone())));
    }
    for _ in 0..10 {
        let recent = values.len().min(5);
        let v = values[values.len() - 1 - d.below(recent)];
        if let Some(new) = step(b, d, v, &values) {
            values.push(new);
        }
    }
    values.split_off(values.len() - 3.min(values.len()))
}

/// One op on `v`; none when it does not fit.
fn step(
    b: &mut KernelBuilder,
    d: &mut Draw,
    v: KernelValue,
    values: &[KernelValue],
) -> Option<KernelValue> {
    let (dims, element) = vector(b, v);
    let n = dims.len();
    let total: u64 = dims.iter().product();
    let at = d.below(n);
    let of = |dims: &[u64]| KernelType::vector(dims, element.clone());
    let is_float = element.is_float();
    Some(match d.below(20) {
        0 => {
            let others: Vec<KernelValue> = values
                .iter()
                .copied()
                .filter(|o| b.ty(*o) == b.ty(v))
                .collect();
            let other = d.of(&others);
            let op: hlo::Op = if element == ElementType::I1 {
                d.of(&[hlo::and::And.into(), hlo::xor::Xor.into()])
            } else {
                d.of(&[
                    hlo::add::Add.into(),
                    hlo::subtract::Subtract.into(),
                    hlo::maximum::Maximum.into(),
                ])
            };
            let sum = b.one(TpuOp::Elementwise(op), &[v, other], of(&dims));
            small(b, sum)
        }
        1 => {
            let to = d.of(&[
                ElementType::F32,
                ElementType::I32,
                ElementType::BF16,
                ElementType::I8,
                ElementType::F16,
            ]);
            let convert = TpuOp::Elementwise(hlo::convert::Convert.into());
            b.one(convert, &[v], KernelType::vector(&dims, to))
        }
        2 => {
            let zero = constant(
                b,
                &Tensor::from_i64s(&dims, &element, &vec![1; total as usize]),
            );
            let less = hlo::compare::Compare {
                comparison_direction: Direction::Lt,
                compare_type: None,
            };
            let mask = KernelType::vector(&dims, ElementType::I1);
            let mask = b.one(TpuOp::Elementwise(less.into()), &[v, zero], mask);
            if d.below(3) == 0 {
                return Some(mask);
            }
            let select = TpuOp::Elementwise(hlo::select::Select.into());
            b.one(select, &[mask, zero, v], of(&dims))
        }
        3 | 4 => {
            let mut to = dims.clone();
            for size in to.iter_mut().filter(|s| **s == 1) {
                *size = d.of(&SIZES);
            }
            if d.below(2) == 0 || n == 1 {
                to.insert(0, d.of(&[1, 2, 3, 9]));
            }
            fits(&to)?;
            b.one(TpuOp::Broadcast, &[v], of(&to))
        }
        5 | 6 => {
            let to = regrouped(d, &dims);
            b.one(TpuOp::ShapeCast, &[v], of(&to))
        }
        7 | 8 => {
            let mut permutation: Vec<u64> = (0..n as u64).collect();
            for i in (1..n).rev() {
                permutation.swap(i, d.below(i + 1));
            }
            let to: Vec<u64> = permutation.iter().map(|p| dims[*p as usize]).collect();
            b.one(TpuOp::Transpose { permutation }, &[v], of(&to))
        }
        9..=11 => {
            let mut over: Vec<u64> = (0..n as u64).filter(|_| d.below(2) == 0).collect();
            if over.is_empty() {
                over.push(at as u64);
            }
            let to: Vec<u64> = (0..n)
                .filter(|i| !over.contains(&(*i as u64)))
                .map(|i| dims[i])
                .collect();
            let narrow = is_float && element != ElementType::F32;
            let kind = match element {
                ElementType::I1 => d.of(&[CombiningKind::And, CombiningKind::Or]),
                _ if narrow => d.of(&[CombiningKind::Min, CombiningKind::Max]),
                _ => d.of(&[CombiningKind::Add, CombiningKind::Min, CombiningKind::Max]),
            };
            let start = i64::from(kind == CombiningKind::And);
            let count = to.iter().product::<u64>() as usize;
            let start = constant(b, &Tensor::from_i64s(&to, &element, &vec![start; count]));
            let op = TpuOp::MultiReduction { kind, dims: over };
            if to.is_empty() {
                let scalar = KernelType::Scalar(element.clone());
                let sum = b.one(op, &[v, start], scalar);
                let sum = b.one(TpuOp::Broadcast, &[sum], of(&[3, 5]));
                return Some(small(b, sum));
            }
            let sum = b.one(op, &[v, start], of(&to));
            small(b, sum)
        }
        12 => {
            let offsets: Vec<u64> = dims.iter().map(|s| d.below(*s as usize) as u64).collect();
            let strides: Vec<u64> = dims.iter().map(|_| 1 + d.below(2) as u64).collect();
            let sizes: Vec<u64> = (0..n)
                .map(|i| 1 + d.below((dims[i] - offsets[i]).div_ceil(strides[i]) as usize) as u64)
                .collect();
            let to = of(&sizes);
            let op = TpuOp::ExtractStridedSlice {
                offsets,
                sizes,
                strides,
            };
            b.one(op, &[v], to)
        }
        13 => {
            let mut to = dims.clone();
            to[at] *= 2;
            fits(&to)?;
            let op = TpuOp::Concatenate {
                dimension: at as u64,
            };
            let same: Vec<KernelValue> = values
                .iter()
                .copied()
                .filter(|o| b.ty(*o) == b.ty(v))
                .collect();
            let other = d.of(&same);
            b.one(op, &[v, other], of(&to))
        }
        14 => {
            let op = TpuOp::Rotate {
                amount: d.below(dims[at] as usize) as u64,
                dimension: at as u64,
            };
            b.one(op, &[v], of(&dims))
        }
        15 => {
            let amount = b.i32(d.below(dims[at] as usize) as i64);
            let op = TpuOp::DynamicRotate {
                dimension: at as u64,
            };
            b.one(op, &[v, amount], of(&dims))
        }
        16 => {
            let op = TpuOp::Reverse {
                dimensions: vec![at as u64],
            };
            b.one(op, &[v], of(&dims))
        }
        17 => {
            let mut to = dims.clone();
            to[at] = d.of(&SIZES);
            fits(&to)?;
            let count = to.iter().product::<u64>();
            let indices: Vec<i64> = (0..count)
                .map(|_| d.below(dims[at] as usize) as i64)
                .collect();
            let indices = constant(b, &Tensor::from_i64s(&to, &ElementType::I32, &indices));
            let op = TpuOp::DynamicGather {
                dimension: at as u64,
            };
            b.one(op, &[v, indices], of(&to))
        }
        18 => {
            let iota = TpuOp::Iota {
                dimensions: vec![at as u64],
            };
            let i32s = KernelType::vector(&dims, ElementType::I32);
            let places = b.one(iota, &[], i32s.clone());
            let seven = vec![3i64; total as usize];
            let seven = constant(b, &Tensor::from_i64s(&dims, &ElementType::I32, &seven));
            let and = TpuOp::Elementwise(hlo::and::And.into());
            b.one(and, &[places, seven], i32s)
        }
        _ => {
            if n < 2 || !matches!(element, ElementType::F32 | ElementType::BF16) {
                return None;
            }
            let (m, k) = (dims[n - 2], dims[n - 1]);
            let columns = d.of(&[1u64, 5, 8, 128, 130]);
            let batch = &dims[..n - 2];
            let mut right = batch.to_vec();
            let turned = d.below(2) == 0;
            right.extend(if turned { [columns, k] } else { [k, columns] });
            let mut to = batch.to_vec();
            to.extend([m, columns]);
            fits(&right)?;
            fits(&to)?;
            let count = right.iter().product::<u64>() as i64;
            let numbers: Vec<i64> = (0..count).map(|i| (i * 7 % 5) - 2).collect();
            let right = constant(b, &Tensor::from_i64s(&right, &element, &numbers));
            let zero = vec![0; to.iter().product::<u64>() as usize];
            let zero = constant(b, &Tensor::from_i64s(&to, &ElementType::F32, &zero));
            let r = batch.len() as u64;
            let dimensions = MatmulDimensions {
                lhs_contracting: vec![r + 1],
                rhs_contracting: vec![if turned { r + 1 } else { r }],
                lhs_batch: (0..r).collect(),
                rhs_batch: (0..r).collect(),
            };
            let op = TpuOp::Matmul {
                dimensions,
                precision: None,
            };
            let product = b.one(
                op,
                &[v, right, zero],
                KernelType::vector(&to, ElementType::F32),
            );
            small(b, product)
        }
    })
}

/// The value held between -8 and 8, where it has more than two values.
fn small(b: &mut KernelBuilder, v: KernelValue) -> KernelValue {
    let (dims, element) = vector(b, v);
    if element == ElementType::I1 {
        return v;
    }
    let n = dims.iter().product::<u64>() as usize;
    let low = constant(b, &Tensor::from_i64s(&dims, &element, &vec![-8; n]));
    let high = constant(b, &Tensor::from_i64s(&dims, &element, &vec![8; n]));
    let clamp = TpuOp::Elementwise(hlo::clamp::Clamp.into());
    b.one(clamp, &[low, v, high], KernelType::vector(&dims, element))
}

fn fits(dims: &[u64]) -> Option<()> {
    (dims.iter().product::<u64>() <= MOST && dims.len() <= 4).then_some(())
}

/// The same number of elements under other sizes.
fn regrouped(d: &mut Draw, dims: &[u64]) -> Vec<u64> {
    let mut out = dims.to_vec();
    match d.below(4) {
        0 => out.insert(d.below(dims.len() + 1), 1),
        1 if dims.len() > 1 => {
            let at = d.below(dims.len() - 1);
            let size = out.remove(at);
            out[at] *= size;
        }
        2 => out = vec![dims.iter().product()],
        _ => {
            let at = d.below(dims.len());
            let factor = [128, 8, 2, 3, 5]
                .into_iter()
                .find(|f| dims[at].is_multiple_of(*f) && dims[at] > *f);
            if let Some(factor) = factor {
                out[at] /= factor;
                out.insert(at + 1, factor);
            }
        }
    }
    if out.len() > 4 { dims.to_vec() } else { out }
}
