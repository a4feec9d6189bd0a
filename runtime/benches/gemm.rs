//! Ring product against f32 product: the share of f32 speed the exact plane reaches.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tileproof_dialect::planes::ring;
use tileproof_runtime::reference::fast::{
    float_product::float_product,
    matrices::{Matrices, Sizes},
    ring_product::{Operand, ring_product},
};

fn products(c: &mut Criterion) {
    for (name, m, n, k) in [
        ("1024^3", 1024, 1024, 1024),
        ("64x3072x768", 64, 3072, 768),
        ("1x4096x1024", 1, 4096, 1024),
    ] {
        let sizes = Sizes { batch: 1, m, n, k };
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements((m * n * k) as u64));
        let floats =
            |len: usize| -> Vec<f32> { (0..len).map(|i| (i % 97) as f32 - 48.0).collect() };
        let (a, b) = (floats(m * k), floats(n * k));
        // The right operand as a program has it: k rows of n.
        let mut out = vec![0f32; m * n];
        group.bench_function("f32", |bench| {
            bench.iter(|| {
                let rhs = Matrices {
                    data: &b[..],
                    batch_stride: n * k,
                    row_stride: 1,
                    column_stride: n,
                };
                float_product(
                    sizes,
                    Matrices::row_major(black_box(&a), m, k),
                    rhs,
                    &mut out,
                );
            });
        });
        let residues =
            |len: usize| -> Vec<u32> { (0..len).map(|i| ring::input(1, 2, i as u64)).collect() };
        let (a, b) = (residues(m * k), residues(n * k));
        let mut out = vec![0u32; m * n];
        let none = Vec::<f64>::new;
        group.bench_function("ring", |bench| {
            bench.iter(|| {
                let rhs = Matrices {
                    data: &b[..],
                    batch_stride: n * k,
                    row_stride: 1,
                    column_stride: n,
                };
                let lhs = Operand {
                    residues: Matrices::row_major(black_box(&a), m, k),
                    ieee: &none,
                };
                ring_product(
                    sizes,
                    &lhs,
                    &Operand {
                        residues: rhs,
                        ieee: &none,
                    },
                    &mut out,
                );
            });
        });
        group.finish();
    }
}

criterion_group!(benches, products);
criterion_main!(benches);
