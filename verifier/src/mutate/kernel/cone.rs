//! Whether a changed elementwise op of a kernel changes nothing that is used: the op and the elementwise ops below it, tried on every order of their inputs.
//!
//! Choices (comparisons, selections, minima and maxima, logic) see only how their inputs compare with one another and with constants. A few numbers of each
//! kind stand for all: as many different ones as there are inputs, around every constant, both zeros, infinities and NaN of both signs.
//!
//! What is used only where a condition holds, inside an `scf.if`, is looked at where it holds: an index that is checked need not be clamped.
//!
//! Proves: the values that ops beyond the cone use are the same, whatever flows in. Cannot: see what is always so of the inputs, as that one index lies
//! below another.

use std::collections::{BTreeMap, BTreeSet};
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions},
    hlo,
    planes::Planes,
    tensor::{Tensor, Value},
    tpu::{Kernel, KernelOperation, KernelRegion, KernelValue, TpuOp, kernel::walk},
    types::{Class, ElementType, TensorType, Type},
};

/// Most inputs of a cone that are no constants.
const MOST_INPUTS: usize = 4;
/// Most ops of a cone.
const MOST_OPS: usize = 24;

/// Whether the two kernels differ in one elementwise op, and the cone below it gives the same for every order of its inputs.
pub fn same_in_every_order(right: &Kernel, wrong: &Kernel) -> bool {
    let is_alike = right.types == wrong.types && right.operands == wrong.operands;
    is_alike && changed(&right.body, &wrong.body).is_some_and(|at| Cone::of(right, at).is_some())
}

/// The region with the only op that differs, its place in it, and what it is on the other side.
pub(super) struct Changed<'k> {
    pub region: &'k KernelRegion,
    pub at: usize,
    pub wrong: &'k KernelOperation,
}

pub(super) fn changed<'k>(right: &'k KernelRegion, wrong: &'k KernelRegion) -> Option<Changed<'k>> {
    let mut found: Vec<Changed<'k>> = vec![];
    collect(right, wrong, &mut found)?;
    match found.len() {
        1 => found.pop(),
        _ => None,
    }
}

/// None: the regions differ in more than single ops.
fn collect<'k>(
    right: &'k KernelRegion,
    wrong: &'k KernelRegion,
    found: &mut Vec<Changed<'k>>,
) -> Option<()> {
    if right.arguments != wrong.arguments || right.ops.len() != wrong.ops.len() {
        return None;
    }
    for (at, (a, b)) in right.ops.iter().zip(&wrong.ops).enumerate() {
        if a.results != b.results || a.regions.len() != b.regions.len() {
            return None;
        }
        for (x, y) in a.regions.iter().zip(&b.regions) {
            collect(x, y, found)?;
        }
        if a.op != b.op || a.operands != b.operands {
            found.push(Changed {
                region: right,
                at,
                wrong: b,
            });
        }
    }
    Some(())
}

/// Ops of one region, by their place.
struct Cone<'k> {
    kernel: &'k Kernel,
    changed: Changed<'k>,
    ops: BTreeSet<usize>,
    /// Values that ops beyond the cone use only where another holds.
    guarded: BTreeMap<KernelValue, KernelValue>,
}

impl<'k> Cone<'k> {
    /// The cone whose outputs are the same; none where there is none.
    fn of(kernel: &'k Kernel, changed: Changed<'k>) -> Option<Cone<'k>> {
        let mut cone = Cone {
            kernel,
            ops: BTreeSet::from([changed.at]),
            changed,
            guarded: BTreeMap::new(),
        };
        while cone.ops.len() <= MOST_OPS {
            let differing = cone.differing()?;
            let escaping: Vec<KernelValue> = differing
                .into_iter()
                .filter(|v| cone.is_used_outside(*v))
                .collect();
            if escaping.is_empty() {
                return Some(cone);
            }
            let before = (cone.ops.len(), cone.guarded.len());
            for v in escaping {
                match cone.guard(v) {
                    Some(condition) => cone.take_guard(v, condition)?,
                    None => cone.take_users(v)?,
                }
            }
            if (cone.ops.len(), cone.guarded.len()) == before {
                return None;
            }
        }
        None
    }

    fn op(&self, at: usize) -> &'k KernelOperation {
        &self.changed.region.ops[at]
    }

    fn is_used_outside(&self, v: KernelValue) -> bool {
        let mut inside = 0;
        for at in &self.ops {
            inside += usize::from(self.op(*at).operands.contains(&v));
        }
        let mut all = 0;
        self.kernel
            .walk(&mut |o| all += usize::from(o.operands.contains(&v)));
        all > inside
    }

    /// The condition under which alone ops beyond the cone use `v`: they stand where it holds. None: some do not, or it is known already.
    fn guard(&self, v: KernelValue) -> Option<KernelValue> {
        if self.guarded.contains_key(&v) {
            return None;
        }
        let mut found = BTreeSet::new();
        for (at, o) in self.changed.region.ops.iter().enumerate() {
            if self.ops.contains(&at) {
                continue;
            }
            if o.operands.contains(&v) {
                return None;
            }
            for (number, inner) in o.regions.iter().enumerate() {
                let mut uses = false;
                walk(inner, &mut |o| uses |= o.operands.contains(&v));
                if uses {
                    let holds = matches!(o.op, TpuOp::If) && number == 0;
                    found.insert(holds.then(|| o.operands.first().copied()).flatten()?);
                }
            }
        }
        let mut found = found.into_iter();
        found.next().filter(|_| found.next().is_none())
    }

    /// Looks at `v` only where `condition` holds: takes in what makes it.
    fn take_guard(&mut self, v: KernelValue, condition: KernelValue) -> Option<()> {
        self.guarded.insert(v, condition);
        // What the changed op takes may be made from what the condition looks at.
        let mut open = vec![condition];
        open.extend(&self.op(self.changed.at).operands);
        while let Some(v) = open.pop() {
            let ops = &self.changed.region.ops;
            let Some(at) = ops.iter().position(|o| o.results.contains(&v)) else {
                continue;
            };
            if is_taken(&ops[at]) && self.ops.insert(at) && !is_compare(&ops[at]) {
                open.extend(&ops[at].operands);
            }
        }
        let made = |at: &usize| self.op(*at).results.contains(&condition);
        self.ops.iter().any(made).then_some(())
    }

    /// Takes in every op that uses `v`. None: one is not elementwise, or stands elsewhere.
    fn take_users(&mut self, v: KernelValue) -> Option<()> {
        let mut here = 0;
        for (at, o) in self.changed.region.ops.iter().enumerate() {
            if o.operands.contains(&v) {
                matches!(o.op, TpuOp::Elementwise(_) | TpuOp::IndexCast).then_some(())?;
                here += 1;
                self.ops.insert(at);
            }
        }
        let mut all = 0;
        self.kernel
            .walk(&mut |o| all += usize::from(o.operands.contains(&v)));
        (all == here).then_some(())
    }

    /// Values of the cone that differ for some inputs. None: the cone cannot be tried.
    fn differing(&self) -> Option<Vec<KernelValue>> {
        let defined: BTreeSet<KernelValue> = self
            .ops
            .iter()
            .flat_map(|at| self.op(*at).results.iter().copied())
            .collect();
        let mut inputs: Vec<KernelValue> = vec![];
        let wrong = &self.changed.wrong.operands;
        let used = self.ops.iter().flat_map(|at| &self.op(*at).operands);
        for v in used.chain(wrong) {
            if !defined.contains(v) && !inputs.contains(v) {
                inputs.push(*v);
            }
        }
        let constants: BTreeMap<KernelValue, f64> = inputs
            .iter()
            .filter_map(|v| Some((*v, constant(self.kernel, *v)?)))
            .collect();
        let free: Vec<KernelValue> = inputs
            .iter()
            .filter(|v| !constants.contains_key(v))
            .copied()
            .collect();
        if free.len() > MOST_INPUTS {
            return None;
        }
        let mut domains = vec![];
        for v in &free {
            domains.push(domain(
                &self.kernel.ty(*v).element()?,
                free.len(),
                &constants,
            )?);
        }
        let n: usize = domains.iter().map(Vec::len).product();
        let mut values: BTreeMap<KernelValue, Tensor> = BTreeMap::new();
        let mut each = 1;
        for (v, domain) in free.iter().zip(&domains) {
            let all: Vec<f64> = (0..n).map(|i| domain[i / each % domain.len()]).collect();
            each *= domain.len();
            values.insert(*v, tensor(&self.kernel.ty(*v).element()?, &all));
        }
        for (v, c) in &constants {
            values.insert(*v, tensor(&self.kernel.ty(*v).element()?, &vec![*c; n]));
        }
        let right = self.run(values.clone(), n, None)?;
        let wrong = self.run(values, n, Some(self.changed.wrong))?;
        // Where the condition of a guarded value holds on either side; everywhere of others.
        let reached = |v: &KernelValue| match self.guarded.get(v) {
            Some(c) => {
                let (a, b) = (right.get(c)?, wrong.get(c)?);
                let (a, b) = (a.to_f64s(), b.to_f64s());
                let holds = a.iter().zip(b.iter()).map(|(a, b)| a + b > 0.0);
                Some(holds.collect())
            }
            None => Some(vec![true; n]),
        };
        let differs = |v: &KernelValue| match (right.get(v), wrong.get(v), reached(v)) {
            (Some(a), Some(b), Some(reached)) => {
                let size = a.element().storage_bytes();
                let pairs = a
                    .ieee()
                    .bytes()
                    .chunks(size)
                    .zip(b.ieee().bytes().chunks(size));
                pairs
                    .zip(reached)
                    .any(|((a, b), reached)| reached && a != b)
            }
            (_, _, _) => true,
        };
        Some(defined.into_iter().filter(differs).collect())
    }

    fn run(
        &self,
        mut values: BTreeMap<KernelValue, Tensor>,
        n: usize,
        wrong: Option<&KernelOperation>,
    ) -> Option<BTreeMap<KernelValue, Tensor>> {
        for at in &self.ops {
            let o = match wrong {
                Some(wrong) if *at == self.changed.at => wrong,
                Some(_) | None => self.op(*at),
            };
            let result = *o.results.first()?;
            let element = self.kernel.ty(result).element()?;
            let op = match &o.op {
                TpuOp::Elementwise(op) if is_choice(op) => op,
                // The same number: of as many bits or more.
                TpuOp::IndexCast => {
                    let number = values.get(o.operands.first()?)?;
                    (element.bits() >= number.element().bits()).then_some(())?;
                    let number = number.to_i64s().into_owned();
                    values.insert(result, Tensor::from_i64s(&[n as u64], &element, &number));
                    continue;
                }
                _ => return None,
            };
            let operands: Option<Vec<Value>> = o
                .operands
                .iter()
                .map(|v| values.get(v).cloned().map(Value::from))
                .collect();
            let ty: Type = TensorType::new([n as u64], element).into();
            let mut events = Events::default();
            let mut cx = EvalContext {
                planes: Planes::IeeeOnly,
                runner: &mut NoRegions,
                events: &mut events,
            };
            let out = op.eval(&operands?, &[ty], &mut cx).ok()?;
            values.insert(result, out.first()?.as_tensor()?.clone());
        }
        Some(values)
    }
}

/// The number in every element of a constant.
pub(super) fn constant(kernel: &Kernel, v: KernelValue) -> Option<f64> {
    let mut found = None;
    kernel.walk(&mut |o| {
        if o.results.contains(&v) {
            found = Some(o);
        }
    });
    match &found?.op {
        TpuOp::Constant(c) => c.splat_value()?.to_f64s().first().copied(),
        TpuOp::Broadcast | TpuOp::ShapeCast => constant(kernel, *found?.operands.first()?),
        _ => None,
    }
}

/// Whether an op may be part of a cone.
fn is_taken(o: &KernelOperation) -> bool {
    match &o.op {
        TpuOp::Elementwise(op) => is_choice(op),
        op => matches!(op, TpuOp::IndexCast),
    }
}

fn is_compare(o: &KernelOperation) -> bool {
    matches!(o.op, TpuOp::Elementwise(hlo::Op::Compare(_)))
}

/// Whether the op sees only how its operands compare, or is logic.
fn is_choice(op: &hlo::Op) -> bool {
    matches!(
        op,
        hlo::Op::Compare(_)
            | hlo::Op::Select(_)
            | hlo::Op::Clamp(_)
            | hlo::Op::Maximum(_)
            | hlo::Op::Minimum(_)
            | hlo::Op::And(_)
            | hlo::Op::Or(_)
            | hlo::Op::Xor(_)
            | hlo::Op::Not(_)
    )
}

/// Numbers that stand for all of a type. None: bits of the number count.
pub(super) fn domain(
    element: &ElementType,
    inputs: usize,
    constants: &BTreeMap<KernelValue, f64>,
) -> Option<Vec<f64>> {
    let reach = inputs as i64;
    let mut out: Vec<f64> = vec![];
    match element.class() {
        Class::Boolean => return Some(vec![0.0, 1.0]),
        Class::Signed | Class::Unsigned => {
            let low = match element.class() {
                Class::Unsigned => 0,
                _ => i64::MIN >> (64 - element.bits().min(64)),
            };
            let high = i64::MAX >> (64 - element.bits().min(64));
            for c in constants.values().copied().chain([1.0]) {
                let around = (-reach..=reach).map(|d| c as i64 + d);
                out.extend(
                    around
                        .filter(|x| (low..=high).contains(x))
                        .map(|x| x as f64),
                );
            }
        }
        Class::Float => {
            // Numbers between other constants would have to be found.
            let apart = |c: &f64| *c == 0.0 || !c.is_finite();
            constants.values().all(apart).then_some(())?;
            out.extend((1..=reach).flat_map(|d| [d as f64, -d as f64]));
            out.extend([
                0.0,
                -0.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                -f64::NAN,
            ]);
        }
        Class::Complex | Class::Quantized => return None,
    }
    let mut seen = BTreeSet::new();
    out.retain(|x| seen.insert(x.to_bits()));
    Some(out)
}

pub(super) fn tensor(element: &ElementType, all: &[f64]) -> Tensor {
    match element.class() {
        Class::Float => Tensor::from_f64s(&[all.len() as u64], element, all),
        _ => {
            let all: Vec<i64> = all.iter().map(|x| *x as i64).collect();
            Tensor::from_i64s(&[all.len() as u64], element, &all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hlo::compare::{Compare, Direction};
    use tileproof_dialect::{
        location::Location,
        stage::Stage,
        tpu::{KernelBuilder, KernelOperand, KernelType, MemRefType, MemorySpace, Role, op::Mask},
    };

    /// Stores `compare(a, b) ? x : y`, where x and y are a and b, or two other values.
    fn kernel(element: ElementType, direction: Direction, other: bool) -> Kernel {
        let operand = KernelOperand {
            role: Role::Scratch,
            buffer: MemRefType::new(&[8, 128], element.clone(), MemorySpace::Vmem),
            window: None,
            alias: None,
            address: None,
        };
        let operands = vec![operand; 5];
        let mut b = KernelBuilder::new("k", Stage::S5, vec![], operands, Location::default());
        let zero = Tensor::from_i64s(&[], &ElementType::I64, &[0]);
        let zero = tileproof_dialect::literal::Literal::from_tensor(&zero);
        let zero = b.one(TpuOp::Constant(zero), &[], KernelType::Index);
        let masked = Mask::Unmasked;
        let vector = KernelType::vector(&[8, 128], element);
        let loaded: Vec<KernelValue> = (0..4)
            .map(|i| {
                let load = TpuOp::RegisterLoad { masked };
                b.one(load, &[b.operand_ref(i), zero, zero], vector.clone())
            })
            .collect();
        let compare = Compare {
            comparison_direction: direction,
            compare_type: None,
        };
        let mask = KernelType::vector(&[8, 128], ElementType::I1);
        let p = b.one(
            TpuOp::Elementwise(compare.into()),
            &[loaded[0], loaded[1]],
            mask,
        );
        let from = if other { 2 } else { 0 };
        let select = TpuOp::Elementwise(hlo::select::Select.into());
        let chosen = b.one(select, &[p, loaded[from], loaded[from + 1]], vector);
        let target = b.operand_ref(4);
        let store = TpuOp::RegisterStore { masked };
        b.op(store, &[chosen, target, zero, zero], &[], vec![]);
        b.finish()
    }

    #[test]
    fn a_tie_of_equal_numbers_changes_nothing() {
        let same = |element: ElementType, other| {
            let [right, wrong] =
                [Direction::Ge, Direction::Gt].map(|d| kernel(element.clone(), d, other));
            same_in_every_order(&right, &wrong)
        };
        assert!(same(ElementType::I32, false));
        // Other values go with the choice.
        assert!(!same(ElementType::I32, true));
        // -0 and 0 are equal and differ in their bits.
        assert!(!same(ElementType::F32, false));
    }
}
