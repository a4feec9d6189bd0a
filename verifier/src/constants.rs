//! Which values of a program hang on no input: constants, and what is computed from them alone. By the structure of the program: a value that happens to be
//! 1 on the inputs at hand is no constant.

use crate::session::repeats;
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
};

/// By number of the value.
pub struct Constants(Vec<bool>);

impl Constants {
    pub fn of(program: &Program) -> Constants {
        let mut out = Constants(vec![]);
        for f in &program.functions {
            out.region(program, f.body);
        }
        out
    }

    pub fn contain(&self, v: ValueId) -> bool {
        self.0.get(v.index()).copied().unwrap_or(false)
    }

    fn set(&mut self, v: ValueId, is: bool) {
        if self.0.len() <= v.index() {
            self.0.resize(v.index() + 1, false);
        }
        if let Some(known) = self.0.get_mut(v.index()) {
            *known = is;
        }
    }

    fn all(&self, values: &[ValueId]) -> bool {
        values.iter().all(|v| self.contain(*v))
    }

    fn region(&mut self, program: &Program, region: RegionId) {
        for op in &program.region(region).ops {
            self.op(program, *op);
        }
    }

    fn op(&mut self, program: &Program, op: OpId) {
        let o = program.op(op);
        let from_constants = repeats(&o.op) && self.all(&o.operands);
        match (&o.op, &o.regions[..]) {
            (Op::Hlo(hlo::Op::While(_)), [condition, body]) => {
                let stays = self.iterations(program, &o.operands, (*condition, *body));
                let ends = self.all(program.returned(*condition));
                for (v, stays) in o.results.iter().zip(stays) {
                    self.set(*v, stays && ends);
                }
            }
            (_, regions) => {
                for r in regions {
                    self.region(program, *r);
                }
                let captured = self.all(&program.op_captures(op));
                for v in &o.results {
                    self.set(*v, from_constants && captured);
                }
            }
        }
    }

    /// Which values of the state of a loop are constants in every iteration.
    fn iterations(
        &mut self,
        program: &Program,
        start: &[ValueId],
        (condition, body): (RegionId, RegionId),
    ) -> Vec<bool> {
        let mut state: Vec<bool> = start.iter().map(|v| self.contain(*v)).collect();
        loop {
            for region in [condition, body] {
                for (v, is) in program.region(region).arguments.iter().zip(&state) {
                    self.set(*v, *is);
                }
                self.region(program, region);
            }
            let returned = program.returned(body).iter();
            let next: Vec<bool> = returned
                .zip(&state)
                .map(|(v, is)| *is && self.contain(*v))
                .collect();
            if next == state {
                return state;
            }
            state = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::stablehlo;

    #[test]
    fn the_count_of_a_loop_is_a_constant_and_what_it_adds_up_is_not() {
        let text = "func.func @main(%x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
   cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %c = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %n, %s : tensor<i32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<f32>
}";
        let program = stablehlo::parse(text, "test").unwrap();
        let constants = Constants::of(&program);
        let returned = program.returned(program.main().body);
        let found: Vec<bool> = returned.iter().map(|v| constants.contain(*v)).collect();
        assert_eq!(found, [true, false]);
    }
}
