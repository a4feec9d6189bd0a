//! `hlo-expand`: functions without a form of their own in HLO, written out; composites called. The example of CONTRIBUTING.md: copy this file for a new pass.
//!
//! # Before
//! `%1 = hlo.square %0`; `%1 = hlo.erf %0`; `hlo.composite` of any other name than a function's.
//! # After
//! `%1 = hlo.multiply %0, %0`; `%1 = hlo.composite "chlo.erf" %0 {decomposition = @chlo.erf.f32_8}`, a named expansion whose body is the arithmetic
//! XLA writes for it, or where that is off by hundreds of units, arithmetic that is not; `hlo.call` of the decomposition.
//! # Numerics
//! BitExact for squares, neighbours and composites, which are defined so. Approximates for the others, within what `expand/accuracy.rs` says,
//! measured by `expansion_accuracy` over all 16-bit patterns, and of the others evenly spaced ones and those around powers of two, whole numbers and the ends
//! of the functions' ranges, at distances of every magnitude.
//! # Example
//! `tests/passes/hlo-expand/`.
//! # Leaves alone
//! Complex numbers (only [`WRITE_OUT`] has them), floats below 16 bits, dynamic sizes, empty tensors. tan and top_k, which HLO has. zeta and polygamma: XLA's series is wrong left of -9,
//! where the last term it takes is not large, and NaN at infinity.

mod accuracy;
mod bessel;
mod complex;
mod complex_inverse;
mod erf_inv;
mod error_function;
pub mod formula;
mod gamma;
mod hyperbolic;
mod inverse;
mod next_after;
mod zeta;

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, ValueRef},
    values,
};
pub use accuracy::{Accuracy, accuracy};
use formula::{Formula, Term};
use melior::ir::operation::OperationLike;
use std::{collections::HashMap, sync::Arc};
use tileproof_dialect::{
    attribute::Attributes,
    error::Error,
    hlo::{self as ops, call::Call, composite::Composite, multiply::Multiply},
    location::Location,
    mlir::views::hlo,
    numerics::{Contract, Numerics, STRICT_FUNCTION_ULP},
    op::Op,
    program::{Program, ValueId},
    stage::Stage,
    types::{ElementType, TensorType, Type},
};

pub static PASS: Pass = Pass {
    name: "hlo-expand",
    input: Stage::S0,
    output: Stage::S1,
    summary: "functions without a form of their own in HLO, written out; composites called",
    rewrites: REWRITES,
    run: Run::Rewrite(|rewriter| rewriter.apply_patterns()),
};

/// A function of one or two tensors of one float type, and the arithmetic that stands for it.
pub struct Expansion {
    /// Of the rewrite; that of the op and, behind `chlo.`, of the composite, where the numbers are real.
    pub name: &'static str,
    /// Of the op.
    pub op: &'static str,
    operands: usize,
    body: Body,
    /// What XLA writes for it.
    of_xla: Body,
}

type Body = fn(&mut Formula, &[Term]) -> Term;

/// Makes the list of expansions, the rewrites that name them (behind the others) and those that only write them out. The expansions behind `written_out`
/// are not good enough to be named.
macro_rules! expansions {
    (
        [$($other:ident),*]
        named { $($name:literal ($operands:literal) = $body:path, of XLA $of_xla:path, $equation:literal;)* }
        written_out { $($other_name:literal ($other_operands:literal) = $other_body:path, $other_equation:literal;)* }
        complex { $($complex_name:literal of $complex_op:literal = $complex_body:path, $complex_equation:literal;)* }
    ) => {
        /// Every expansion of a function of real numbers.
        pub const EXPANSIONS: &[Expansion] = &[
            $(Expansion { name: $name, op: $name, operands: $operands, body: $body, of_xla: $of_xla },)*
            $(Expansion { name: $other_name, op: $other_name, operands: $other_operands, body: $other_body, of_xla: $other_body },)*
        ];

        /// Every expansion of a function of complex numbers.
        pub const COMPLEX_EXPANSIONS: &[Expansion] = &[
            $(Expansion { name: $complex_name, op: $complex_op, operands: 1, body: $complex_body, of_xla: $complex_body },)*
        ];

        const REWRITES: &[Rewrite] = &[
            $($other,)*
            $(Rewrite {
                name: $name,
                equation: $equation,
                numerics: || accuracy::numerics($name),
                pattern: Some(|op, rewriter| {
                    let expansion = Expansion { name: $name, op: $name, operands: $operands, body: $body, of_xla: $of_xla };
                    named(op, &expansion, rewriter)
                }),
            },)*
        ];

        const IN_PLACE: &[Rewrite] = &[
            $(written!(written_out, $name, $name, $operands, $of_xla, $equation),)*
            $(written!(written_out, $other_name, $other_name, $other_operands, $other_body, $other_equation),)*
            $(written!(written_out, $complex_name, $complex_op, 1, $complex_body, $complex_equation),)*
        ];

        const AS_JUDGES: &[Rewrite] = &[
            $(written!(judge, $name, $name, $operands, $of_xla, $equation),)*
            $(written!(judge, $other_name, $other_name, $other_operands, $other_body, $other_equation),)*
            $(written!(judge, $complex_name, $complex_op, 1, $complex_body, $complex_equation),)*
        ];
    };
}

/// The rewrite of a function to its expansion, which says nothing of its numerics: see [`WRITE_OUT`].
macro_rules! written {
    ($how:ident, $name:literal, $op:literal, $operands:literal, $body:path, $equation:literal) => {
        Rewrite {
            name: $name,
            equation: $equation,
            numerics: || {
                Numerics::of(Contract::Approximates {
                    max_ulp: f64::INFINITY,
                })
            },
            pattern: Some(|op, rewriter| {
                $how(
                    op,
                    &Expansion {
                        name: $name,
                        op: $op,
                        operands: $operands,
                        body: $body,
                        of_xla: $body,
                    },
                    rewriter,
                )
            }),
        }
    };
}

/// For comparing with a program that holds an expansion without its name: functions as the ops that XLA writes for them, good or not. Not in the
/// pipeline.
pub static WRITE_OUT: Pass = Pass {
    name: "hlo-write-out",
    input: Stage::S0,
    output: Stage::S0,
    summary: "functions as the ops XLA writes for them",
    rewrites: IN_PLACE,
    run: Run::Rewrite(|rewriter| rewriter.apply_patterns()),
};

/// For the same comparison, where the function's own value is to judge those ops: functions as named expansions that `judges` ([`composite`](ops::composite)).
/// Not in the pipeline.
pub static JUDGE: Pass = Pass {
    name: "hlo-judge-functions",
    input: Stage::S0,
    output: Stage::S0,
    summary: "functions as themselves, with the residues of the ops XLA writes for them",
    rewrites: AS_JUDGES,
    run: Run::Rewrite(|rewriter| rewriter.apply_patterns()),
};

expansions! {
    [SQUARE, COMPOSITE]
    named {
        "acos" (1) = inverse::acos, of XLA inverse::acos, "acos(x)  ->  atan2(sqrt((1 - x)(1 + x)), x)";
        "acosh" (1) = inverse::acosh, of XLA inverse::acosh, "acosh(x)  ->  log1p(s (t + s)),  s = sqrt(x - 1), t = sqrt(x + 1)";
        "asin" (1) = inverse::asin, of XLA inverse::asin, "asin(x)  ->  2 atan2(x, 1 + sqrt((1 - x)(1 + x)))";
        "asinh" (1) = inverse::asinh, of XLA inverse::asinh, "asinh(x)  ->  sign(x) log1p(a + a^2 / (1 + sqrt(a^2 + 1))),  a = |x|";
        "atan" (1) = inverse::atan, of XLA inverse::atan, "atan(x)  ->  atan2(x, 1)";
        "atanh" (1) = inverse::atanh, of XLA inverse::atanh, "atanh(x)  ->  (log1p(x) - log1p(-x)) / 2";
        "bessel_i1e" (1) = bessel::bessel_i1e, of XLA bessel::bessel_i1e, "bessel_i1e(x)  ->  Chebyshev series";
        "cosh" (1) = hyperbolic::cosh, of XLA hyperbolic::cosh_of_xla, "cosh(x)  ->  e / 2 + 1 / (2 e),  e = exp(|x|)";
        "digamma" (1) = gamma::digamma, of XLA gamma::digamma, "digamma(x)  ->  derivative of Lanczos' series";
        "erf" (1) = error_function::erf, of XLA error_function::erf, "erf(x)  ->  x P(x^2) / Q(x^2)";
        "erf_inv" (1) = erf_inv::erf_inv, of XLA erf_inv::erf_inv_of_xla, "erf_inv(x)  ->  x P(-log((1 - |x|) (1 + |x|)))";
        "erfc" (1) = error_function::erfc, of XLA error_function::erfc_of_xla, "erfc(x)  ->  1 - x P(x^2) or exp(-x^2) P(x)";
        "lgamma" (1) = gamma::lgamma, of XLA gamma::lgamma, "lgamma(x)  ->  logarithm of Lanczos' series";
        "next_after" (2) = next_after::next_after, of XLA next_after::next_after, "next_after(x, y)  ->  the bits of x plus or minus 1";
        "sinh" (1) = hyperbolic::sinh, of XLA hyperbolic::sinh_of_xla, "sinh(x)  ->  sign(x) (e / 2 - 1 / (2 e)),  e = exp(|x|)";
    }
    written_out {
        "polygamma" (2) = zeta::polygamma, "polygamma(n, x)  ->  (-1)^(n+1) exp(lgamma(n + 1)) zeta(n + 1, x)";
        "zeta" (2) = zeta::zeta, "zeta(x, q)  ->  Euler-Maclaurin summation";
    }
    complex {
        "complex_acos" of "acos" = complex_inverse::acos, "acos(x + iy)  ->  Hull, Fairgrieve and Tang's algorithm";
        "complex_acosh" of "acosh" = complex_inverse::acosh, "acosh(z)  ->  i acos(z) or -i acos(z)";
        "complex_asin" of "asin" = complex_inverse::asin, "asin(x + iy)  ->  Hull, Fairgrieve and Tang's algorithm";
        "complex_asinh" of "asinh" = complex_inverse::asinh, "asinh(z)  ->  i asin(-i z)";
        "complex_atan" of "atan" = complex_inverse::atan, "atan(z)  ->  -i atanh(i z)";
        "complex_atanh" of "atanh" = complex_inverse::atanh, "atanh(x + iy)  ->  log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, 1 - x^2 - y^2) / 2";
        "complex_cosh" of "cosh" = complex::cosh, "cosh(z)  ->  exp(z + log 1/2) + exp(log 1/2 - z)";
        "complex_exponential" of "exponential" = complex::exponential, "exp(x + iy)  ->  exp(x) (cos y + i sin y)";
        "complex_log" of "log" = complex::log, "log(x + iy)  ->  log1p(x^2 + y^2 - 1) / 2 + i atan2(y, x)";
        "complex_log_plus_one" of "log_plus_one" = complex::log_plus_one, "log1p(x + iy)  ->  log1p(2 x + x^2 + y^2) / 2 + i atan2(y, 1 + x)";
        "complex_sinh" of "sinh" = complex::sinh, "sinh(z)  ->  exp(z + log 1/2) - exp(log 1/2 - z)";
        "complex_sqrt" of "sqrt" = complex::sqrt, "sqrt(x + iy)  ->  r + i y / 2 r,  r^2 = (|z| + x) / 2";
    }
}

/// One rounding of the same product: BitExact.
const SQUARE: Rewrite = Rewrite {
    name: "square",
    equation: "square(x)  ->  x * x  (not complex)",
    numerics: Numerics::bit_exact,
    pattern: Some(square),
};

fn square<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let x = hlo::SquareOp::cast(op)?.operand();
    let is_complex = values::tensor_type(rewriter, x)?.element.is_complex();
    (!is_complex).then(|| rewriter.create(Multiply, &[x, x], &[]))?
}

/// A composite is defined as its decomposition: BitExact. Named expansions stay: their name says what they approximate.
const COMPOSITE: Rewrite = Rewrite {
    name: "composite",
    equation: "composite(x), decomposition = f  ->  f(x)",
    numerics: Numerics::bit_exact,
    pattern: Some(composite),
};

fn composite<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    hlo::CompositeOp::cast(op)?;
    let ops::Op::Composite(composite) = rewriter.read(op)? else {
        return None;
    };
    if composite.implements().is_some() {
        return None;
    }
    let callee = composite.decomposition;
    let (operands, results) = (op.operands().collect::<Vec<_>>(), op.results());
    let declared: Vec<Type> = results
        .map(|r| rewriter.ty(r.into()))
        .collect::<Option<_>>()?;
    rewriter.create(Call { callee }, &operands, &declared)
}

/// Operands and their type, if `op` is the function of this expansion on tensors that have one.
fn function<'c>(
    op: OpRef<'c>,
    expansion: &Expansion,
    rewriter: &Rewriter<'c>,
) -> Option<(Vec<ValueRef<'c>>, Arc<TensorType>)> {
    let name = op.name();
    let name = name.as_string_ref();
    if name.as_str().ok()?.strip_prefix("hlo.") != Some(expansion.op) {
        return None;
    }
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let ty = values::tensor_type(rewriter, *operands.first()?)?;
    ty.elements().filter(|n| *n > 0)?;
    expansion.takes(&ty.element).then_some((operands, ty))
}

/// Defines the body of an expansion for tensors of type `ty` and gives its name.
fn body(expansion: &Expansion, ty: &TensorType, rewriter: &mut Rewriter<'_>) -> Option<String> {
    let dims: Vec<String> = ty.static_dims()?.iter().map(u64::to_string).collect();
    let name = format!("chlo.{}.{}_{}", expansion.name, ty.element, dims.join("x"));
    rewriter.define(&name, |location| expansion.function(&name, ty, location))
}

/// The function as a composite of its name, whose decomposition is the expansion's body.
fn named<'c>(
    op: OpRef<'c>,
    expansion: &Expansion,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let (operands, ty) = function(op, expansion, rewriter)?;
    let accuracy = accuracy(expansion.name, &ty.element)?;
    let decomposition = body(expansion, &ty, rewriter)?;
    let mut composite_attributes = Attributes::new().with("max_ulp", accuracy.max_ulp);
    if accuracy.floor > 0.0 {
        composite_attributes = composite_attributes.with("floor", accuracy.floor);
    }
    if accuracy.normal_operands {
        composite_attributes = composite_attributes.with("normal_operands", true);
    }
    let composite = Composite {
        name: format!("chlo.{}", expansion.name),
        composite_attributes,
        decomposition,
        version: 0,
    };
    rewriter.create(composite, &operands, &[Type::from((*ty).clone())])
}

/// The function as a composite of its name that computes the function and has the residues of what XLA writes for it.
fn judge<'c>(
    op: OpRef<'c>,
    expansion: &Expansion,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let (operands, ty) = function(op, expansion, rewriter)?;
    let dims: Vec<String> = ty.static_dims()?.iter().map(u64::to_string).collect();
    let element = ty.element.to_string().replace(['<', '>'], "_");
    let name = format!("xla.{}.{element}_{}", expansion.name, dims.join("x"));
    let decomposition = rewriter.define(&name, |location| {
        expansion.function_of_xla(&name, &ty, location)
    })?;
    let composite = Composite {
        name: format!("chlo.{}", expansion.op),
        composite_attributes: Attributes::new()
            .with("max_ulp", STRICT_FUNCTION_ULP)
            .with("judges", true),
        decomposition,
        version: 0,
    };
    rewriter.create(composite, &operands, &[Type::from((*ty).clone())])
}

/// The function as the ops of the expansion's body, in its place.
fn written_out<'c>(
    op: OpRef<'c>,
    expansion: &Expansion,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let (operands, ty) = function(op, expansion, rewriter)?;
    let program = expansion
        .function_of_xla("body", &ty, &Location::default())
        .ok()?;
    let body = program.main().body;
    let region = program.region(body);
    let mut values: HashMap<_, ValueRef<'c>> =
        region.arguments.iter().copied().zip(operands).collect();
    let mapped = |values: &HashMap<_, ValueRef<'c>>, of: &[ValueId]| {
        let each = of.iter().map(|v| values.get(v).copied());
        each.collect::<Option<Vec<_>>>()
    };
    for id in &region.ops {
        let Op::Hlo(inner) = &program.op(*id).op;
        if program.op(*id).op.is_return() {
            break;
        }
        let operands = mapped(&values, &program.op(*id).operands)?;
        let results = &program.op(*id).results;
        let types: Vec<Type> = results.iter().map(|v| program.ty(*v).clone()).collect();
        let made = rewriter.create(inner.clone(), &operands, &types)?;
        values.extend(results.iter().copied().zip(made));
    }
    mapped(&values, program.returned(body))
}

impl Expansion {
    /// Number of operands.
    pub fn operands(&self) -> usize {
        self.operands
    }

    /// Whether it is an expansion for tensors of this element type.
    pub fn takes(&self, element: &ElementType) -> bool {
        match element {
            ElementType::C64 | ElementType::C128 => self.name != self.op,
            real => self.name == self.op && ELEMENTS.contains(real),
        }
    }

    /// The body as a program of one function `name` on tensors of type `ty`, which must be of a static shape and of a type it takes.
    pub fn function(
        &self,
        name: &str,
        ty: &TensorType,
        location: &Location,
    ) -> Result<Program, Error> {
        Formula::function(name, ty, self.operands, location, self.body)
    }

    /// What XLA writes for it, in the same way.
    pub fn function_of_xla(
        &self,
        name: &str,
        ty: &TensorType,
        location: &Location,
    ) -> Result<Program, Error> {
        Formula::function(name, ty, self.operands, location, self.of_xla)
    }
}

/// The types expansions are measured in; others are left alone.
pub const ELEMENTS: [ElementType; 4] = [
    ElementType::F64,
    ElementType::F32,
    ElementType::F16,
    ElementType::BF16,
];
