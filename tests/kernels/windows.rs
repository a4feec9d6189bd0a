//! Kernels of stage S3 whose windows move in every way.

use tileproof_dialect::{
    hlo::{self, compare::Direction},
    literal::Literal,
    location::Location,
    stage::Stage,
    tensor::Tensor,
    tpu::{
        CombiningKind, GridDimension, Kernel, KernelBuilder, KernelOperand, KernelType,
        KernelValue, MatmulDimensions, MemRefType, MemorySpace, Role, Semantics, TpuOp, Window,
        op::Mask,
    },
    types::ElementType,
};

const LOAD: TpuOp = TpuOp::Load {
    strides: None,
    masked: Mask::Unmasked,
};
const STORE: TpuOp = TpuOp::Store {
    strides: None,
    masked: Mask::Unmasked,
};
const F32: ElementType = ElementType::F32;

/// All of them.
pub fn all() -> Vec<Kernel> {
    vec![
        increment("one_step", &[5, 100], &[5, 100], &F32),
        increment("even", &[16, 256], &[8, 128], &F32),
        increment("ragged", &[21, 200], &[8, 128], &F32),
        increment("ragged_narrow", &[40, 200], &[16, 128], &ElementType::BF16),
        increment("ragged_bytes", &[70, 130], &[32, 128], &ElementType::I8),
        increment("outer", &[3, 10, 130], &[2, 8, 128], &F32),
        // Rows of 100 bits are no whole bytes.
        increment("booleans", &[21, 100], &[21, 100], &ElementType::I1),
        // So large that the block is cut into strips.
        increment("strips", &[2048, 256], &[2048, 256], &F32),
        increment(
            "strips_of_bytes",
            &[1024, 512],
            &[1024, 512],
            &ElementType::I8,
        ),
        increment("outer_strips", &[30, 70, 256], &[30, 70, 256], &F32),
        scaled_by_row(),
        column_sums(),
        row_sums(),
        chosen_blocks(),
        in_place(),
        in_place_by_columns(),
        product(),
    ]
}

fn operand(role: Role, dims: &[u64], element: &ElementType, block: &[u64]) -> KernelOperand {
    KernelOperand {
        role,
        buffer: MemRefType::new(dims, element.clone(), MemorySpace::Any),
        window: Some(Window::of(block)),
        alias: None,
        address: None,
    }
}

fn dimension(size: u64, semantics: Semantics) -> GridDimension {
    GridDimension { size, semantics }
}

fn start(name: &str, grid: Vec<GridDimension>, operands: Vec<KernelOperand>) -> KernelBuilder {
    KernelBuilder::new(name, Stage::S3, grid, operands, Location::default())
}

fn index(b: &mut KernelBuilder, value: i64) -> KernelValue {
    let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
    b.one(
        TpuOp::Constant(Literal::from_tensor(&t)),
        &[],
        KernelType::Index,
    )
}

fn splat(b: &mut KernelBuilder, dims: &[u64], element: &ElementType, value: f64) -> KernelValue {
    let t = Tensor::splat_f64(dims, element, value);
    b.one(
        TpuOp::Constant(Literal::from_tensor(&t)),
        &[],
        KernelType::vector(dims, element.clone()),
    )
}

fn load(b: &mut KernelBuilder, operand: usize, dims: &[u64], element: &ElementType) -> KernelValue {
    let mut operands = vec![b.operand_ref(operand)];
    for _ in dims {
        operands.push(index(b, 0));
    }
    b.one(LOAD, &operands, KernelType::vector(dims, element.clone()))
}

fn store(b: &mut KernelBuilder, value: KernelValue, operand: usize) {
    let rank = b.ty(value).dims().map_or(0, <[u64]>::len);
    let mut operands = vec![value, b.operand_ref(operand)];
    for _ in 0..rank {
        operands.push(index(b, 0));
    }
    b.op(STORE, &operands, &[], vec![]);
}

fn elementwise(
    b: &mut KernelBuilder,
    op: impl Into<hlo::Op>,
    operands: &[KernelValue],
) -> KernelValue {
    let ty = b.ty(operands[operands.len() - 1]).clone();
    b.one(TpuOp::Elementwise(op.into()), operands, ty)
}

/// The index map that gives these grid dimensions; none: 0.
fn by_grid(b: &mut KernelBuilder, operand: usize, dimensions: &[Option<usize>]) {
    let dimensions = dimensions.to_vec();
    b.index_map(operand, move |b, grid| {
        dimensions
            .iter()
            .map(|d| match d {
                Some(d) => grid[*d],
                None => b.i32(0),
            })
            .collect()
    });
}

/// y = x + 1, a grid dimension for each.
fn increment(name: &str, dims: &[u64], block: &[u64], element: &ElementType) -> Kernel {
    let grid = dims
        .iter()
        .zip(block)
        .map(|(d, b)| dimension(d.div_ceil(*b), Semantics::Parallel))
        .collect();
    let operands = vec![
        operand(Role::Input, dims, element, block),
        operand(Role::Output, dims, element, block),
    ];
    let mut b = start(name, grid, operands);
    for i in 0..2 {
        let all: Vec<Option<usize>> = (0..dims.len()).map(Some).collect();
        by_grid(&mut b, i, &all);
    }
    let x = load(&mut b, 0, block, element);
    let one = splat(&mut b, block, element, 1.0);
    let y = elementwise(&mut b, hlo::add::Add, &[x, one]);
    store(&mut b, y, 1);
    b.finish()
}

/// y = x * s, s one row for all blocks; also y's columns are divided and s changes at some steps only.
fn scaled_by_row() -> Kernel {
    let grid = vec![
        dimension(2, Semantics::Parallel),
        dimension(3, Semantics::Parallel),
    ];
    let operands = vec![
        operand(Role::Input, &[24, 200], &F32, &[8, 128]),
        operand(Role::Input, &[1, 200], &F32, &[1, 128]),
        operand(Role::Output, &[24, 200], &F32, &[8, 128]),
    ];
    let mut b = start("scaled_by_row", grid, operands);
    by_grid(&mut b, 0, &[Some(1), Some(0)]);
    by_grid(&mut b, 1, &[None, Some(0)]);
    by_grid(&mut b, 2, &[Some(1), Some(0)]);
    let x = load(&mut b, 0, &[8, 128], &F32);
    let s = load(&mut b, 1, &[1, 128], &F32);
    let s = b.one(TpuOp::Broadcast, &[s], KernelType::vector(&[8, 128], F32));
    let y = elementwise(&mut b, hlo::multiply::Multiply, &[x, s]);
    store(&mut b, y, 2);
    b.finish()
}

/// `value` where the row of the whole operand is below `rows`, else 0.
fn rows_below(
    b: &mut KernelBuilder,
    value: KernelValue,
    step: KernelValue,
    rows: i64,
) -> KernelValue {
    let dims = b.ty(value).dims().unwrap_or(&[]).to_vec();
    let i32s = KernelType::vector(&dims, ElementType::I32);
    let iota = TpuOp::Iota {
        dimensions: vec![0],
    };
    let row = b.one(iota, &[], i32s.clone());
    let height = b.i32(dims[0] as i64);
    let first = b.one(
        TpuOp::Elementwise(hlo::multiply::Multiply.into()),
        &[step, height],
        KernelType::i32(),
    );
    let first = b.one(TpuOp::Broadcast, &[first], i32s.clone());
    let row = elementwise(b, hlo::add::Add, &[row, first]);
    let end = splat(b, &dims, &ElementType::I32, rows as f64);
    let below = hlo::compare::Compare {
        comparison_direction: Direction::Lt,
        compare_type: None,
    };
    let mask = b.one(
        TpuOp::Elementwise(below.into()),
        &[row, end],
        KernelType::vector(&dims, ElementType::I1),
    );
    let zero = splat(b, &dims, &F32, 0.0);
    elementwise(b, hlo::select::Select, &[mask, value, zero])
}

/// Stores `value` at the first step of a grid dimension, else adds it to what is there.
fn accumulate(b: &mut KernelBuilder, value: KernelValue, step: KernelValue, operand: usize) {
    let zero = b.i32(0);
    let is = hlo::compare::Compare {
        comparison_direction: Direction::Eq,
        compare_type: None,
    };
    let first = b.one(
        TpuOp::Elementwise(is.into()),
        &[step, zero],
        KernelType::Scalar(ElementType::I1),
    );
    let dims = b.ty(value).dims().unwrap_or(&[]).to_vec();
    b.begin_region(&[]);
    store(b, value, operand);
    let then = b.end_region(&[]);
    b.begin_region(&[]);
    let before = load(b, operand, &dims, &F32);
    let sum = elementwise(b, hlo::add::Add, &[before, value]);
    store(b, sum, operand);
    let otherwise = b.end_region(&[]);
    b.op(TpuOp::If, &[first], &[], vec![then, otherwise]);
}

fn sum(b: &mut KernelBuilder, value: KernelValue, dims: &[u64], result: &[u64]) -> KernelValue {
    let zero = splat(b, result, &F32, 0.0);
    let op = TpuOp::MultiReduction {
        kind: CombiningKind::Add,
        dims: dims.to_vec(),
    };
    b.one(op, &[value, zero], KernelType::vector(result, F32))
}

/// Sums over rows in three steps: the output is one block for all.
fn column_sums() -> Kernel {
    let operands = vec![
        operand(Role::Input, &[20, 100], &F32, &[8, 100]),
        operand(Role::Output, &[1, 100], &F32, &[1, 100]),
    ];
    let mut b = start(
        "column_sums",
        vec![dimension(3, Semantics::Arbitrary)],
        operands,
    );
    by_grid(&mut b, 0, &[Some(0), None]);
    by_grid(&mut b, 1, &[None, None]);
    let step = b.grid_index(0);
    let x = load(&mut b, 0, &[8, 100], &F32);
    let x = rows_below(&mut b, x, step, 20);
    let s = sum(&mut b, x, &[0], &[100]);
    let s = b.one(TpuOp::ShapeCast, &[s], KernelType::vector(&[1, 100], F32));
    accumulate(&mut b, s, step, 1);
    b.finish()
}

/// Sums over columns: each output block stays for two steps, the last one ragged.
fn row_sums() -> Kernel {
    let operands = vec![
        operand(Role::Input, &[20, 256], &F32, &[8, 128]),
        operand(Role::Output, &[20, 1], &F32, &[8, 1]),
    ];
    let grid = vec![
        dimension(3, Semantics::Parallel),
        dimension(2, Semantics::Arbitrary),
    ];
    let mut b = start("row_sums", grid, operands);
    by_grid(&mut b, 0, &[Some(0), Some(1)]);
    by_grid(&mut b, 1, &[Some(0), None]);
    let x = load(&mut b, 0, &[8, 128], &F32);
    let s = sum(&mut b, x, &[1], &[8]);
    let s = b.one(TpuOp::ShapeCast, &[s], KernelType::vector(&[8, 1], F32));
    let step = b.grid_index(1);
    accumulate(&mut b, s, step, 1);
    b.finish()
}

/// Block i of the result is block table[i] of the input; equal entries in a row are fetched once.
fn chosen_blocks() -> Kernel {
    let table = KernelOperand {
        role: Role::Prefetch,
        buffer: MemRefType::new(&[6], ElementType::I32, MemorySpace::Smem),
        window: None,
        alias: None,
        address: None,
    };
    let operands = vec![
        table,
        operand(Role::Input, &[32, 128], &F32, &[8, 128]),
        operand(Role::Output, &[48, 128], &F32, &[8, 128]),
    ];
    let mut b = start(
        "chosen_blocks",
        vec![dimension(6, Semantics::Arbitrary)],
        operands,
    );
    b.index_map(1, |b, arguments| {
        let at = b.one(TpuOp::IndexCast, &[arguments[0]], KernelType::Index);
        let chosen = b.one(TpuOp::ScalarLoad, &[arguments[1], at], KernelType::i32());
        vec![chosen, b.i32(0)]
    });
    by_grid(&mut b, 2, &[Some(0), None]);
    let x = load(&mut b, 1, &[8, 128], &F32);
    store(&mut b, x, 2);
    b.finish()
}

/// x + 1 in the input's own buffer.
fn in_place() -> Kernel {
    let mut out = increment("in_place", &[40, 128], &[8, 128], &F32);
    out.operands[1].alias = Some(0);
    out
}

/// In the input's own buffer, column by column, each block for two steps.
fn in_place_by_columns() -> Kernel {
    let mut operands = vec![
        operand(Role::Input, &[20, 384], &F32, &[8, 128]),
        operand(Role::Output, &[20, 384], &F32, &[8, 128]),
    ];
    operands[1].alias = Some(0);
    let grid = vec![
        dimension(3, Semantics::Parallel),
        dimension(3, Semantics::Parallel),
        dimension(2, Semantics::Arbitrary),
    ];
    let mut b = start("in_place_by_columns", grid, operands);
    by_grid(&mut b, 0, &[Some(1), Some(0)]);
    by_grid(&mut b, 1, &[Some(1), Some(0)]);
    let x = load(&mut b, 0, &[8, 128], &F32);
    let step = b.grid_index(2);
    accumulate(&mut b, x, step, 1);
    b.finish()
}

/// A product with a grid over rows, columns and the contracted dimension.
fn product() -> Kernel {
    let grid = vec![
        dimension(2, Semantics::Parallel),
        dimension(2, Semantics::Parallel),
        dimension(3, Semantics::Arbitrary),
    ];
    let operands = vec![
        operand(Role::Input, &[20, 384], &F32, &[16, 128]),
        operand(Role::Input, &[384, 200], &F32, &[128, 128]),
        operand(Role::Output, &[20, 200], &F32, &[16, 128]),
    ];
    let mut b = start("product", grid, operands);
    by_grid(&mut b, 0, &[Some(0), Some(2)]);
    by_grid(&mut b, 1, &[Some(2), Some(1)]);
    by_grid(&mut b, 2, &[Some(0), Some(1)]);
    let x = load(&mut b, 0, &[16, 128], &F32);
    let y = load(&mut b, 1, &[128, 128], &F32);
    let zero = splat(&mut b, &[16, 128], &F32, 0.0);
    let matmul = TpuOp::Matmul {
        dimensions: MatmulDimensions::plain(),
        precision: None,
    };
    let ty = KernelType::vector(&[16, 128], F32);
    let p = b.one(matmul, &[x, y, zero], ty);
    let step = b.grid_index(2);
    accumulate(&mut b, p, step, 2);
    b.finish()
}
