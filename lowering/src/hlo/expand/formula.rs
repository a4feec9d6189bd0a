//! The body of a named expansion, written as a formula over tensors of one shape.

use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo::{
        self,
        abs::Abs,
        add::Add,
        and::And,
        atan2::Atan2,
        bitcast_convert::BitcastConvert,
        clamp::Clamp,
        compare::{Compare, Direction},
        complex::Complex,
        constant::Constant,
        convert::Convert,
        cosine::Cosine,
        divide::Divide,
        exponential::Exponential,
        exponential_minus_one::ExponentialMinusOne,
        floor::Floor,
        imag::Imag,
        is_finite::IsFinite,
        log::Log,
        log_plus_one::LogPlusOne,
        maximum::Maximum,
        minimum::Minimum,
        multiply::Multiply,
        negate::Negate,
        not::Not,
        or::Or,
        power::Power,
        real::Real,
        remainder::Remainder,
        select::Select,
        sign::Sign,
        sine::Sine,
        sqrt::Sqrt,
        subtract::Subtract,
    },
    literal::Literal,
    location::Location,
    program::{Program, ValueId},
    tensor::Tensor,
    types::{ElementType, TensorType, Type},
};

/// A tensor inside a formula.
pub type Term = ValueId;

/// Builds the formula op by op; every method is the op of its name. All terms have one shape.
pub struct Formula {
    builder: ProgramBuilder,
    location: Location,
    dims: Vec<u64>,
    /// The type constants take: the parts' where the operands are complex.
    element: ElementType,
}

impl Formula {
    /// The function `name` of `operands` tensors of type `ty` with `body` as its result, as a program of its own. Every op gets `location`.
    pub fn function(
        name: &str,
        ty: &TensorType,
        operands: usize,
        location: &Location,
        body: impl FnOnce(&mut Formula, &[Term]) -> Term,
    ) -> Result<Program, Error> {
        let dims = ty
            .static_dims()
            .ok_or_else(|| Error::internal("a formula needs a static shape"))?;
        let mut builder = ProgramBuilder::new("formula", Provenance::Keep);
        let parameters = vec![Type::from(ty.clone()); operands];
        let arguments = builder.begin_function(name, &parameters, location.clone());
        let mut formula = Formula {
            builder,
            location: location.clone(),
            dims,
            element: ty.element.complex_part().unwrap_or(ty.element.clone()),
        };
        let result = body(&mut formula, &arguments);
        formula.builder.end_function(&[result], location.clone());
        formula.builder.finish()
    }

    /// The type constants take, and most terms have.
    pub fn element(&self) -> &ElementType {
        &self.element
    }

    fn op(&mut self, op: impl Into<hlo::Op>, operands: &[Term], declared: &[Type]) -> Term {
        let made = self.builder.infer(
            op.into().into(),
            operands,
            declared,
            vec![],
            self.location.clone(),
        );
        // A violated shape rule is kept by the builder and ends `function`.
        made.first().copied().unwrap_or(operands[0])
    }

    fn ty(&self, element: &ElementType) -> Type {
        Type::tensor(self.dims.iter().copied(), element.clone())
    }

    /// Runs `body` in f32 when the type is narrower, and rounds its result back once.
    pub fn at_least_f32(
        &mut self,
        operands: &[Term],
        body: impl FnOnce(&mut Formula, &[Term]) -> Term,
    ) -> Term {
        if self.element.bits() >= ElementType::F32.bits() {
            return body(self, operands);
        }
        let narrow = std::mem::replace(&mut self.element, ElementType::F32);
        let wide: Vec<Term> = operands
            .iter()
            .map(|x| self.convert(*x, &ElementType::F32))
            .collect();
        let result = body(self, &wide);
        self.element = narrow.clone();
        self.convert(result, &narrow)
    }

    /// `value` in every element, rounded once to the type of constants.
    pub fn constant(&mut self, value: f64) -> Term {
        let one = Tensor::splat_f64(&[], &self.element, value);
        self.splat(&one)
    }

    /// An integer of type `element` in every element.
    pub fn integer(&mut self, element: &ElementType, value: i64) -> Term {
        let one = Tensor::from_i64s(&[], element, &[value]);
        self.splat(&one)
    }

    fn splat(&mut self, one: &Tensor) -> Term {
        let literal = Literal::new(self.dims.clone(), one.element().clone(), one.ieee().clone())
            .unwrap_or_else(|| Literal::from_tensor(one));
        self.builder.infer(
            hlo::Op::from(Constant { value: literal }).into(),
            &[],
            &[],
            vec![],
            self.location.clone(),
        )[0]
    }

    pub fn add(&mut self, x: Term, y: Term) -> Term {
        self.op(Add, &[x, y], &[])
    }

    pub fn subtract(&mut self, x: Term, y: Term) -> Term {
        self.op(Subtract, &[x, y], &[])
    }

    pub fn multiply(&mut self, x: Term, y: Term) -> Term {
        self.op(Multiply, &[x, y], &[])
    }

    pub fn divide(&mut self, x: Term, y: Term) -> Term {
        self.op(Divide, &[x, y], &[])
    }

    pub fn remainder(&mut self, x: Term, y: Term) -> Term {
        self.op(Remainder, &[x, y], &[])
    }

    pub fn power(&mut self, x: Term, y: Term) -> Term {
        self.op(Power, &[x, y], &[])
    }

    pub fn atan2(&mut self, y: Term, x: Term) -> Term {
        self.op(Atan2, &[y, x], &[])
    }

    pub fn negate(&mut self, x: Term) -> Term {
        self.op(Negate, &[x], &[])
    }

    pub fn abs(&mut self, x: Term) -> Term {
        self.op(Abs, &[x], &[])
    }

    pub fn sign(&mut self, x: Term) -> Term {
        self.op(Sign, &[x], &[])
    }

    pub fn floor(&mut self, x: Term) -> Term {
        self.op(Floor, &[x], &[])
    }

    pub fn maximum(&mut self, x: Term, y: Term) -> Term {
        self.op(Maximum, &[x, y], &[])
    }

    pub fn minimum(&mut self, x: Term, y: Term) -> Term {
        self.op(Minimum, &[x, y], &[])
    }

    pub fn real(&mut self, z: Term) -> Term {
        self.op(Real, &[z], &[])
    }

    pub fn imag(&mut self, z: Term) -> Term {
        self.op(Imag, &[z], &[])
    }

    pub fn complex(&mut self, real: Term, imaginary: Term) -> Term {
        self.op(Complex, &[real, imaginary], &[])
    }

    pub fn not(&mut self, x: Term) -> Term {
        self.op(Not, &[x], &[])
    }

    pub fn sqrt(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(Sqrt { result_accuracy }, &[x], &[])
    }

    pub fn exponential(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(Exponential { result_accuracy }, &[x], &[])
    }

    pub fn exponential_minus_one(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(ExponentialMinusOne { result_accuracy }, &[x], &[])
    }

    pub fn log(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(Log { result_accuracy }, &[x], &[])
    }

    pub fn log_plus_one(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(LogPlusOne { result_accuracy }, &[x], &[])
    }

    pub fn sine(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(Sine { result_accuracy }, &[x], &[])
    }

    pub fn cosine(&mut self, x: Term) -> Term {
        let result_accuracy = None;
        self.op(Cosine { result_accuracy }, &[x], &[])
    }

    pub fn is_finite(&mut self, x: Term) -> Term {
        self.op(IsFinite, &[x], &[])
    }

    pub fn and(&mut self, x: Term, y: Term) -> Term {
        self.op(And, &[x, y], &[])
    }

    pub fn or(&mut self, x: Term, y: Term) -> Term {
        self.op(Or, &[x, y], &[])
    }

    pub fn compare(&mut self, x: Term, comparison_direction: Direction, y: Term) -> Term {
        let compare_type = None;
        let compare = Compare {
            comparison_direction,
            compare_type,
        };
        self.op(compare, &[x, y], &[])
    }

    pub fn select(&mut self, predicate: Term, on_true: Term, on_false: Term) -> Term {
        self.op(Select, &[predicate, on_true, on_false], &[])
    }

    pub fn clamp(&mut self, low: Term, x: Term, high: Term) -> Term {
        self.op(Clamp, &[low, x, high], &[])
    }

    pub fn convert(&mut self, x: Term, to: &ElementType) -> Term {
        let to = self.ty(to);
        self.op(Convert, &[x], &[to])
    }

    pub fn bitcast(&mut self, x: Term, to: &ElementType) -> Term {
        let to = self.ty(to);
        self.op(BitcastConvert, &[x], &[to])
    }

    /// `c[0] x^n + ... + c[n]` by Horner's rule.
    pub fn polynomial(&mut self, x: Term, coefficients: &[f64]) -> Term {
        let (first, rest) = coefficients.split_first().unwrap_or((&0.0, &[]));
        let mut sum = self.constant(*first);
        for c in rest {
            let c = self.constant(*c);
            let product = self.multiply(sum, x);
            sum = self.add(product, c);
        }
        sum
    }

    /// `c[0] T_n(x / 2) + ... + c[n] T_0(x / 2) / 2` by Clenshaw's recurrence, as Cephes' `chbevl` takes its argument and coefficients.
    pub fn chebyshev(&mut self, x: Term, coefficients: &[f64]) -> Term {
        let zero = self.constant(0.0);
        let (mut b0, mut b1, mut b2) = (zero, zero, zero);
        for (i, c) in coefficients.iter().enumerate() {
            (b2, b1) = (b1, b0);
            let c = self.constant(*c);
            let product = self.multiply(x, b1);
            // Nothing is subtracted while the recurrence starts.
            let difference = if i < 2 {
                product
            } else {
                self.subtract(product, b2)
            };
            b0 = self.add(difference, c);
        }
        let half = self.constant(0.5);
        let difference = self.subtract(b0, b2);
        self.multiply(difference, half)
    }
}
