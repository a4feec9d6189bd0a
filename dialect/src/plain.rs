//! The plain form of a program: what a fusion or a layout says about where and how, but not what is computed, taken away. Fusion bodies stand where the
//! fusions stood; types have no layouts, but for results of bitcasts, whose meaning hangs on them. Two programs that differ in fusions and layouts alone
//! have equal plain forms.

use crate::{
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
    types::{Layout, TensorType, Type},
};
use std::{borrow::Cow, collections::HashMap};

impl Program {
    /// The plain form: the same functions with the same arguments and results. Ops keep their locations. The program itself where it is plain.
    pub fn plain(&self) -> Cow<'_, Program> {
        let has_fusions = self.ops.iter().any(|o| is_fusion(&o.op));
        if !has_fusions && self.values.iter().all(|v| without_layout(&v.ty).is_none()) {
            return Cow::Borrowed(self);
        }
        let mut out = self.clone();
        if has_fusions {
            out.open_fusions();
        }
        out.drop_layouts();
        Cow::Owned(out)
    }

    fn open_fusions(&mut self) {
        let mut stands_for: HashMap<ValueId, ValueId> = HashMap::new();
        for region in (0..self.region_count()).map(RegionId) {
            // A region has a lower number than those inside it: bodies are emptied before their own turn comes.
            let mut ops = vec![];
            let mut stack: Vec<OpId> = self.regions[region.index()]
                .ops
                .iter()
                .rev()
                .copied()
                .collect();
            while let Some(id) = stack.pop() {
                let body = match self.op(id).regions.first() {
                    Some(body) if is_fusion(&self.op(id).op) => *body,
                    Some(_) | None => {
                        ops.push(id);
                        continue;
                    }
                };
                let arguments = self.region(body).arguments.clone();
                stands_for.extend(arguments.into_iter().zip(self.op(id).operands.clone()));
                stands_for.extend(
                    self.op(id)
                        .results
                        .clone()
                        .into_iter()
                        .zip(self.returned(body).to_vec()),
                );
                let inner = std::mem::take(&mut self.regions[body.index()].ops);
                stack.extend(
                    inner
                        .into_iter()
                        .rev()
                        .filter(|op| !self.op(*op).op.is_return()),
                );
            }
            self.regions[region.index()].ops = ops;
        }
        let resolved = |mut v: ValueId| {
            while let Some(next) = stands_for.get(&v) {
                v = *next;
            }
            v
        };
        for o in &mut self.ops {
            o.operands.iter_mut().for_each(|v| *v = resolved(*v));
        }
    }

    fn drop_layouts(&mut self) {
        for i in 0..self.values.len() {
            let is_bitcast = match self.values[i].def {
                ValueDef::Result { op, .. } => {
                    matches!(self.op(op).op, Op::Hlo(hlo::Op::Bitcast(_)))
                }
                ValueDef::Argument { .. } => false,
            };
            let ty = if is_bitcast {
                untiled(&self.values[i].ty)
            } else {
                without_layout(&self.values[i].ty)
            };
            if let Some(ty) = ty {
                self.values[i].ty = ty;
            }
        }
        for f in &mut self.functions {
            for ty in &mut f.results {
                if let Some(plain) = without_layout(ty) {
                    *ty = plain;
                }
            }
        }
    }
}

fn is_fusion(op: &Op) -> bool {
    matches!(op, Op::Hlo(hlo::Op::Fusion(_)))
}

/// The type without layout, where it has one.
fn without_layout(ty: &Type) -> Option<Type> {
    match ty {
        Type::Tensor(t) => t.layout.is_some().then(|| {
            TensorType {
                layout: None,
                ..(**t).clone()
            }
            .into()
        }),
        Type::Tuple(parts) => {
            let plain: Vec<Type> = parts
                .iter()
                .map(|p| without_layout(p).unwrap_or_else(|| p.clone()))
                .collect();
            (plain != **parts).then(|| Type::tuple(plain))
        }
        Type::Token => None,
    }
}

/// The type with the order of its layout but no tiles: tiles place elements, the order alone says which is which.
fn untiled(ty: &Type) -> Option<Type> {
    let t = ty.as_tensor()?;
    let layout = t.layout.as_ref()?;
    let layout = Some(Layout {
        minor_to_major: layout.minor_to_major.clone(),
        tiles: vec![],
    });
    Some(
        TensorType {
            layout,
            ..(**t).clone()
        }
        .into(),
    )
}

#[cfg(test)]
mod tests {
    use crate::mlir::text;

    fn parse(text: &str) -> crate::program::Program {
        text::parse(text, "t").unwrap()
    }

    const FUSED: &str = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = hlo.negate %a : tensor<2xf32>
  %1:2 = hlo.fusion %0, %a {kind = \"kLoop\"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    %2 = hlo.add %x, %y : tensor<2xf32>
    %3 = hlo.fusion %2 {kind = \"kLoop\"} : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%z: tensor<2xf32>):
      %4 = hlo.abs %z : tensor<2xf32>
      hlo.return %4 : tensor<2xf32>
    }
    hlo.return %3, %x : tensor<2xf32>, tensor<2xf32>
  }
  %5 = hlo.subtract %1#0, %1#1 : tensor<2xf32>
  return %5 : tensor<2xf32>
}";
    const OPENED: &str = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = hlo.negate %a : tensor<2xf32>
  %2 = hlo.add %0, %a : tensor<2xf32>
  %4 = hlo.abs %2 : tensor<2xf32>
  %5 = hlo.subtract %4, %0 : tensor<2xf32>
  return %5 : tensor<2xf32>
}";

    #[test]
    fn nested_fusions_are_opened_in_place() {
        let fused = parse(FUSED);
        let plain = fused.plain();
        assert!(plain.verify().is_empty(), "{:?}", plain.verify());
        assert_eq!(plain.structural_hash(), parse(OPENED).structural_hash());
        assert_ne!(fused.structural_hash(), plain.structural_hash());
    }

    #[test]
    fn layouts_go_but_those_of_bitcasts() {
        let program = parse("func.func @main(%a: tensor<2x3xf32, #hlo.layout<[0, 1]>>) -> tensor<3x2xf32> {
  %0 = hlo.copy %a : tensor<2x3xf32, #hlo.layout<[0, 1]>>
  %1 = hlo.bitcast %0 {source_layout = array<i64: 0, 1>} : (tensor<2x3xf32, #hlo.layout<[0, 1]>>) -> tensor<3x2xf32, #hlo.layout<[1, 0]>>
  %2 = hlo.copy %1 : (tensor<3x2xf32, #hlo.layout<[1, 0]>>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}");
        let plain = program.plain();
        assert!(plain.verify().is_empty(), "{:?}", plain.verify());
        let layouts = plain
            .op_ids()
            .flat_map(|op| plain.op(op).results.clone())
            .filter(|v| plain.ty(*v).as_tensor().is_some_and(|t| t.layout.is_some()));
        assert_eq!(layouts.count(), 1);
    }
}
