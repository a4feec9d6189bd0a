//! Instructions that become several ops: `dynamic-reshape`, whose sizes stand one by one, and `all-to-all` over the members of a tuple.

use super::{
    build::Importer,
    fields::Fields,
    instruction::collective,
    module::Instruction,
    shape::flatten,
    virtual_value::{Virtual, unflatten},
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    program::ValueId,
    types::{TensorType, Type},
};

impl<'m, 'a> Importer<'m, 'a> {
    /// The value of what the instruction is short for; none where it is an op of the list.
    pub fn short_form(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
    ) -> Result<Option<Virtual>, Error> {
        match &*instruction.opcode {
            "dynamic-reshape" => self.dynamic_reshape(instruction, operands).map(Some),
            "all-to-all" if instruction.attribute("dimensions").is_none() => {
                self.all_to_all_of_tuple(instruction, operands).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The values as tensors of one shape; a complaint where they are not.
    fn alike(
        &self,
        values: &[ValueId],
        instruction: &Instruction<'_>,
    ) -> Result<TensorType, Error> {
        let first = values.first().and_then(|v| self.builder.ty(*v).as_tensor());
        match first {
            Some(ty)
                if values
                    .iter()
                    .all(|v| self.builder.ty(*v).as_tensor() == Some(ty)) =>
            {
                Ok((**ty).clone())
            }
            Some(_) | None => Err(Error::invalid(
                format!("'{}' needs operands of one shape", instruction.opcode),
                instruction.location.clone(),
            )),
        }
    }

    /// `values` behind each other along a new first dimension.
    fn stacked(
        &mut self,
        values: &[ValueId],
        instruction: &Instruction<'_>,
    ) -> Result<(ValueId, TensorType), Error> {
        let location = &instruction.location;
        let ty = self.alike(values, instruction)?;
        let plain = TensorType { layout: None, ..ty };
        let with_first = |n: u64| {
            let first = crate::types::Dim::Static(n);
            plain.with_dims(
                [first]
                    .into_iter()
                    .chain(plain.dims.iter().copied())
                    .collect(),
            )
        };
        let one = Type::from(with_first(1));
        let mut rows = vec![];
        for v in values {
            rows.extend(self.op(
                "reshape",
                Attributes::new(),
                &[*v],
                std::slice::from_ref(&one),
                vec![],
                location,
            )?);
        }
        let all = with_first(values.len() as u64);
        let attributes = Attributes::new().with("dimension", 0);
        let joined = self.op(
            "concatenate",
            attributes,
            &rows,
            &[all.clone().into()],
            vec![],
            location,
        )?;
        Ok((first_of(&joined)?, all))
    }

    fn dynamic_reshape(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
    ) -> Result<Virtual, Error> {
        let values = self.flat_all(operands, &instruction.location)?;
        let (x, sizes) = match values.split_first() {
            Some((x, sizes)) if !sizes.is_empty() => (*x, sizes),
            Some(_) | None => {
                return Err(Error::invalid(
                    "'dynamic-reshape' needs a size for each dimension of its result",
                    instruction.location.clone(),
                ));
            }
        };
        // A list of sizes stands for them all: StableHLO's form.
        let is_list = |v: ValueId| {
            self.builder
                .ty(v)
                .as_tensor()
                .is_some_and(|t| t.rank() == 1)
        };
        let list = match sizes {
            [list] if is_list(*list) => *list,
            _ => self.stacked(sizes, instruction)?.0,
        };
        let f = &mut Fields::new(self.module, instruction);
        let extra = self.extra(f)?;
        let result = std::slice::from_ref(&instruction.ty);
        let made = self.op(
            "dynamic_reshape",
            Attributes::new(),
            &[x, list],
            result,
            vec![],
            &instruction.location,
        )?;
        self.label(instruction, extra);
        first_of(&made).map(Virtual::Value)
    }

    /// Result i is what member i of the group has for this process: the operands as one, exchanged, and taken apart again.
    fn all_to_all_of_tuple(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
    ) -> Result<Virtual, Error> {
        let location = &instruction.location;
        let values = self.flat_all(operands, location)?;
        let n = values.len() as i64;
        let (all, ty) = self.stacked(&values, instruction)?;
        let f = &mut Fields::new(self.module, instruction);
        let attributes = collective(f)?
            .with("split_dimension", 0)
            .with("concat_dimension", 0)
            .with("split_count", n);
        let extra = self.extra(f)?;
        let results = [Type::from(ty.clone())];
        let exchanged = self.op("all_to_all", attributes, &[all], &results, vec![], location)?;
        self.label(instruction, extra);
        let exchanged = first_of(&exchanged)?;
        let sizes: Vec<i64> = ty
            .static_dims()
            .unwrap_or_default()
            .iter()
            .map(|d| *d as i64)
            .collect();
        let mut types = vec![];
        flatten(&instruction.ty, &mut types);
        let row = Type::from(
            ty.with_dims(
                [crate::types::Dim::Static(1)]
                    .into_iter()
                    .chain(ty.dims[1..].iter().copied())
                    .collect(),
            ),
        );
        let mut out = vec![];
        for (i, result) in types.iter().enumerate() {
            let (mut starts, mut limits) = (vec![0; sizes.len()], sizes.clone());
            if let (Some(start), Some(limit)) = (starts.first_mut(), limits.first_mut()) {
                (*start, *limit) = (i as i64, i as i64 + 1);
            }
            let slice = Attributes::new()
                .with("start_indices", Attribute::Ints(starts))
                .with("limit_indices", Attribute::Ints(limits))
                .with("strides", vec![1; sizes.len()]);
            let part = self.op(
                "slice",
                slice,
                &[exchanged],
                std::slice::from_ref(&row),
                vec![],
                location,
            )?;
            let result = std::slice::from_ref(result);
            out.extend(self.op(
                "reshape",
                Attributes::new(),
                &part,
                result,
                vec![],
                location,
            )?);
        }
        unflatten(&instruction.ty, &mut out.into_iter())
    }
}

fn first_of(values: &[ValueId]) -> Result<ValueId, Error> {
    let first = values.first().copied();
    first.ok_or_else(|| Error::internal("an op lost its result"))
}
