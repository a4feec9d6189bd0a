//! `fusion` (HLO): a part of a program that a backend compiles as one kernel.
//!
//! Meaning: results = body(operands). Inputs I1 operands, I2 kind (kLoop, kInput, kOutput, kCustom), I3 body (region). Constraints: C1 the body takes
//! the operand types; C2 type(results) = the body's; C3 kind is one of the words.
//! Kind: control. Numerics: the body's; fusing changes no value.
//! Example: `%1 = hlo.fusion(%0) {..} {kind = "kLoop"} : (tensor<2xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{if_::fits, region_bound},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fusion {
    pub kind: FusionKind,
}

/// How XLA emits a fusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FusionKind {
    Loop,
    Input,
    Output,
    Custom,
}

impl FusionKind {
    const WORDS: [(FusionKind, &'static str); 4] =
        [(FusionKind::Loop, "kLoop"), (FusionKind::Input, "kInput"), (FusionKind::Output, "kOutput"), (FusionKind::Custom, "kCustom")];

    pub fn word(self) -> &'static str {
        FusionKind::WORDS.iter().find(|(k, _)| *k == self).map_or("kLoop", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<FusionKind> {
        FusionKind::WORDS.iter().find(|(_, w)| *w == word).map(|(k, _)| *k)
    }
}

impl OpDef for Fusion {
    const NAME: &'static str = "fusion";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Fusion {
        let word = reader.str("kind");
        let kind = FusionKind::from_word(&word).unwrap_or_else(|| {
            reader.reject(format!("C3: kind '{word}' must be one of kLoop, kInput, kOutput, kCustom"));
            FusionKind::Loop
        });
        Fusion { kind }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("kind", self.kind.word())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [body] = cx.regions else { return Err(vec![format!("expected 1 region, got {}", cx.regions.len())]) };
        if fits(cx.operands, &body.arguments) { Ok(body.results.clone()) } else { Err(vec!["C1: the body must take the operands".to_string()]) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        cx.run(0, operands.to_vec())
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let kind = s.pick(&FusionKind::WORDS).0;
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let inner = b.begin_region(&[ty]);
        let sum = b.infer(crate::op::Op::Hlo(super::add::Add.into()), &[inner[0], inner[0]], &[], vec![], Location::default());
        let body = b.end_region(&sum, Location::default());
        let results = b.infer(crate::op::Op::Hlo(Fusion { kind }.into()), &outer, &[], vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{op::RegionType, types::ElementType};

    #[test]
    fn each_constraint_is_checked() {
        let (f, i) = (Type::tensor([2], ElementType::F32), Type::tensor([2], ElementType::I32));
        let body = RegionType { arguments: vec![f.clone()], results: vec![i.clone()] };
        let infer = |operand: &Type| Fusion { kind: FusionKind::Loop }.infer(&InferContext { operands: std::slice::from_ref(operand), declared: &[], regions: std::slice::from_ref(&body) });
        assert_eq!(infer(&f), Ok(vec![i.clone()]));
        assert!(infer(&i).unwrap_err()[0].starts_with("C1"));
        let location = Location::default();
        let mut reader = AttributeReader::new("fusion", Attributes::new().with("kind", "kOther"), &location);
        Fusion::from_attributes(&mut reader);
        assert!(reader.finish().unwrap_err()[0].message.contains("C3"));
    }
}
