//! Rewrites of complex numbers and tuples taken apart and put together. Parts keep their bits: all BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
};
use tileproof_dialect::{mlir::views::hlo, numerics::Numerics};

/// BitExact.
pub const REAL_COMPLEX: Rewrite = Rewrite {
    name: "real-complex",
    equation: "real(complex(x, y))  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(real_complex),
};

fn real_complex<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let whole = definition(hlo::RealOp::cast(op)?.operand())?;
    Some(vec![hlo::ComplexOp::cast(whole)?.lhs()])
}

/// BitExact.
pub const IMAG_COMPLEX: Rewrite = Rewrite {
    name: "imag-complex",
    equation: "imag(complex(x, y))  ->  y",
    numerics: Numerics::bit_exact,
    pattern: Some(imag_complex),
};

fn imag_complex<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let whole = definition(hlo::ImagOp::cast(op)?.operand())?;
    Some(vec![hlo::ComplexOp::cast(whole)?.rhs()])
}

/// BitExact.
pub const COMPLEX_PARTS: Rewrite = Rewrite {
    name: "complex-parts",
    equation: "complex(real(z), imag(z))  ->  z",
    numerics: Numerics::bit_exact,
    pattern: Some(complex_parts),
};

fn complex_parts<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::ComplexOp::cast(op)?;
    let real = hlo::RealOp::cast(definition(op.lhs())?)?.operand();
    let imag = hlo::ImagOp::cast(definition(op.rhs())?)?.operand();
    (real == imag).then(|| vec![real])
}

/// The sign of the imaginary part is flipped twice: BitExact.
pub const CONJ_CONJ: Rewrite = Rewrite {
    name: "conj-conj",
    equation: "conj(conj(z))  ->  z",
    numerics: Numerics::bit_exact,
    pattern: Some(conj_conj),
};

fn conj_conj<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inner = hlo::ConjOp::cast(op)?.operand();
    Some(vec![hlo::ConjOp::cast(definition(inner)?)?.operand()])
}

/// BitExact.
pub const ELEMENT_OF_TUPLE: Rewrite = Rewrite {
    name: "element-of-tuple",
    equation: "get_tuple_element(tuple(x0, x1, ..), i)  ->  xi",
    numerics: Numerics::bit_exact,
    pattern: Some(element_of_tuple),
};

fn element_of_tuple<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::GetTupleElementOp::cast(op)?;
    let tuple = hlo::TupleOp::cast(definition(op.operand())?)?;
    let index = usize::try_from(op.index()?).ok()?;
    Some(vec![*tuple.val().get(index)?])
}

/// BitExact. The tuple itself is replaced only when all its elements are taken; the pass manager compares the types.
pub const TUPLE_OF_ELEMENTS: Rewrite = Rewrite {
    name: "tuple-of-elements",
    equation: "tuple(get_tuple_element(t, 0), get_tuple_element(t, 1), ..)  ->  t",
    numerics: Numerics::bit_exact,
    pattern: Some(tuple_of_elements),
};

fn tuple_of_elements<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let parts = hlo::TupleOp::cast(op)?.val();
    let element = |v: ValueRef<'c>| hlo::GetTupleElementOp::cast(definition(v)?);
    let tuple = element(*parts.first()?)?.operand();
    let in_order = parts.iter().enumerate().all(|(i, part)| {
        element(*part).is_some_and(|e| e.operand() == tuple && e.index() == Some(i as i64))
    });
    in_order.then(|| vec![tuple])
}
