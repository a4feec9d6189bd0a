//! `convolution-window`: the window of a convolution is moved, dilated or reversed, or its dimensions are read in another order; the size stays.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "convolution-window",
    summary: "moves, dilates or reverses the window of a convolution, or exchanges its dimensions",
    faults: &["f62"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Convolution(op)) = &o.op else {
        return None;
    };
    let kernel = look::dims(program, *o.operands.get(1)?)?;
    let mut all = vec![];
    for (k, d) in op.kernel_spatial_dimensions.iter().enumerate() {
        let size = *kernel.get(usize::try_from(*d).ok()?)? as i64;
        for step in [1, -1] {
            let mut moved = op.clone();
            moved.padding[2 * k] += step;
            moved.padding[2 * k + 1] -= step;
            all.push(moved);
            let mut dilated = op.clone();
            dilated.rhs_dilation[k] += step;
            dilated.padding[2 * k + 1] += step * (size - 1);
            all.push(dilated);
        }
        let mut reversed = op.clone();
        reversed.window_reversal[k] = !reversed.window_reversal[k];
        all.push(reversed);
    }
    for list in variants::dimensions(&op.input_spatial_dimensions) {
        let mut wrong = op.clone();
        wrong.input_spatial_dimensions = list;
        all.push(wrong);
    }
    for list in variants::dimensions(&op.kernel_spatial_dimensions) {
        let mut wrong = op.clone();
        wrong.kernel_spatial_dimensions = list;
        all.push(wrong);
    }
    let mut features = op.clone();
    std::mem::swap(
        &mut features.kernel_input_feature_dimension,
        &mut features.kernel_output_feature_dimension,
    );
    all.push(features);
    let mut groups = op.clone();
    std::mem::swap(
        &mut groups.feature_group_count,
        &mut groups.batch_group_count,
    );
    all.push(groups);
    variants::op(program, id, all, seed)
}
