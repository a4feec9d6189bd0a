//! `composite`: an op made of other ops.
//!
//! Meaning: results = decomposition(inputs). Inputs I1 inputs (any values), I2 name, I3 composite_attributes, I4 decomposition (function), I5 version,
//! I6 regions (not run: the decomposition holds what they do). Constraints: C1 name has a namespace, `a.b`; C2 the decomposition exists, C3, C4 operand
//! and result types are its (checked by `Program::verify`, which sees the function).
//! A *named expansion* is a composite `chlo.NAME` with the attribute `max_ulp`, where NAME is an op without attributes: an approximation of that op within
//! `max_ulp` units in the last place of its result, or of `floor` where that is given and the result smaller; of subnormal operands it says
//! nothing where `normal_operands` is set. The ring evaluates the name, IEEE the decomposition. With the attribute `judges` it is the other way round: the
//! values are the function's own and only the residues the decomposition's, for a comparison with a program that writes that decomposition out.
//! Kind: control. Numerics: the decomposition's.
//! Example: `%1 = hlo.composite "my.op" %0 {decomposition = @f, version = 1 : i32} : (tensor<f32>) -> tensor<f32>`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Events, Stop},
    hlo::{elementwise, region_bound},
    location::Location,
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Composite {
    pub name: String,
    pub composite_attributes: Attributes,
    pub decomposition: String,
    /// 0 unless given.
    pub version: i64,
}

/// The function a named expansion approximates, and how well.
#[derive(Debug, Clone)]
pub struct Implements {
    pub op: super::Op,
    pub max_ulp: f64,
    pub floor: f64,
    /// Whether nothing is said of subnormal operands.
    pub normal_operands: bool,
    pub values: Values,
}

/// Which of the two gives the IEEE values of a named expansion; the other gives the residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    OfDecomposition,
    /// The function judges what another program computes in its place.
    OfFunction,
}

impl Composite {
    /// What this composite is a named expansion of; none for other composites.
    pub fn implements(&self) -> Option<Implements> {
        let name = self.name.strip_prefix("chlo.")?;
        let number = |name: &str| match self.composite_attributes.get(name) {
            Some(Attribute::Float(bits)) => Some(f64::from_bits(*bits)).filter(|x| *x >= 0.0),
            Some(_) | None => None,
        };
        let max_ulp = number("max_ulp")?;
        let location = Location::default();
        let mut reader = AttributeReader::new(name, Attributes::new(), &location);
        let op = super::Op::from_attributes(name, &mut reader)?;
        reader.finish().ok()?;
        let is_function = match op.kind() {
            Kind::Opaque | Kind::Arithmetic | Kind::Selection => true,
            Kind::Movement | Kind::Integer | Kind::Control | Kind::Effect => false,
        };
        is_function.then(|| Implements {
            op,
            max_ulp,
            floor: number("floor").unwrap_or(0.0),
            normal_operands: self.composite_attributes.get("normal_operands").is_some(),
            values: match self.composite_attributes.get("judges") {
                Some(_) => Values::OfFunction,
                None => Values::OfDecomposition,
            },
        })
    }

    /// The values of one of the two, function and decomposition, with the residues of the other.
    fn eval_expansion(&self, named: &Implements, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let function = named.op.eval(operands, results, cx)?;
        // What the body meets on the ring plane decides nothing where the residues are the function's.
        let mut events = Events::default();
        let body = match named.values {
            Values::OfDecomposition => cx.runner.call(&self.decomposition, operands.to_vec(), &mut events)?,
            Values::OfFunction => cx.call(&self.decomposition, operands.to_vec())?,
        };
        let joined = body.iter().zip(&function).map(|(body, function)| match (body, function) {
            (Value::Tensor(b), Value::Tensor(f)) if b.ty() == f.ty() => {
                let (value, residues) = match named.values {
                    Values::OfDecomposition => (b, f),
                    Values::OfFunction => (f, b),
                };
                Ok(Value::Tensor(value.clone().with_ring(residues.ring_buffer().cloned())))
            }
            (Value::Tensor(_) | Value::Token(_) | Value::Tuple(_), _) => {
                Err(Stop::internal(format!("'{}' and its decomposition give different types", self.name)))
            }
        });
        joined.collect()
    }
}

impl OpDef for Composite {
    const NAME: &'static str = "composite";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Composite {
        Composite {
            name: reader.str("name"),
            composite_attributes: reader.opt_dict("composite_attributes").unwrap_or_default(),
            decomposition: reader.symbol("decomposition"),
            version: reader.opt_int("version").unwrap_or(0),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("name", self.name.as_str())
            .with_some("composite_attributes", (!self.composite_attributes.is_empty()).then(|| self.composite_attributes.clone()))
            .with("decomposition", Attribute::Symbol(self.decomposition.clone()))
            .with_some("version", (self.version != 0).then_some(self.version))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let named = self.name.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        if named { Ok(cx.declared.to_vec()) } else { Err(vec![format!("C1: name '{}' has no namespace", self.name)]) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        match self.implements() {
            Some(named) if cx.planes == Planes::IeeeAndRing => self.eval_expansion(&named, operands, results, cx),
            Some(named) if named.values == Values::OfFunction => named.op.eval(operands, results, cx),
            Some(_) | None => cx.call(&self.decomposition, operands.to_vec()),
        }
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let Some(named) = self.implements() else {
            return Ok(region_bound::undetermined(values));
        };
        let bounds = named.op.bound(operands, results, values, cx)?;
        let bounds = elementwise::with_ulps(bounds, values, named.max_ulp, named.floor)?;
        if named.normal_operands {
            elementwise::undetermined_where_subnormal(bounds, operands, values)
        } else {
            Ok(bounds)
        }
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let composite = Composite {
            name: "sample.identity".to_string(),
            composite_attributes: Attributes::new().with("axis", 1i64),
            decomposition: "identity".to_string(),
            version: 1,
        };
        let results = b.op(crate::op::Op::Hlo(composite.into()), &arguments, std::slice::from_ref(&ty), vec![], Location::default());
        b.end_function(&results, Location::default());
        let inner = b.begin_function("identity", &[ty], Location::default());
        b.end_function(&inner, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ElementType;

    fn program(decomposition: &str, name: &str) -> Vec<String> {
        let (ty, other) = (Type::tensor([2], ElementType::F32), Type::tensor([3], ElementType::F32));
        let mut b = ProgramBuilder::new("test", Provenance::Number);
        let arguments = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let composite = Composite { name: name.to_string(), composite_attributes: Attributes::new(), decomposition: decomposition.to_string(), version: 0 };
        let results = b.op(crate::op::Op::Hlo(composite.into()), &arguments, &[ty], vec![], Location::default());
        b.end_function(&results, Location::default());
        let inner = b.begin_function("other", &[other], Location::default());
        b.end_function(&inner, Location::default());
        b.program().verify().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn each_constraint_is_checked() {
        assert!(program("missing", "a.b")[0].contains("does not exist"), "C2");
        assert!(program("other", "a.b")[0].contains("do not fit"), "C3, C4");
        let cx = InferContext { operands: &[], declared: &[], regions: &[] };
        let op = Composite { name: "plain".to_string(), composite_attributes: Attributes::new(), decomposition: "f".to_string(), version: 0 };
        assert!(op.infer(&cx).unwrap_err()[0].starts_with("C1"));
    }
}
