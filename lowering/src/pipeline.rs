//! THE pipeline: one function, one pass a line.

use crate::{hlo, pass::Pass};
use tileproof_dialect::error::Error;

/// The passes in order.
pub fn pipeline() -> Vec<&'static Pass> {
    vec![
        &hlo::expand::PASS,
        // Before simplify, which removes pairs that are put together and taken apart again.
        &hlo::split_wide::PASS,
        &hlo::simplify::PASS,
        // After simplify, which makes constants; before cse, which merges equal ones.
        &hlo::fold_constants::PASS,
        &hlo::cse::PASS,
        // After simplify, which removes what would hide that a dot is in its form already.
        &hlo::canonicalize_dots::PASS,
        // Every pass above leaves ops without uses.
        &hlo::dce::PASS,
        &hlo::fuse::PASS,
        &hlo::assign_layout::PASS,
    ]
}

/// The passes named in a comma-separated list, in the order given; each may come several times.
pub fn named(list: &str) -> Result<Vec<&'static Pass>, Error> {
    let all = pipeline();
    list.split(',')
        .map(|name| {
            let name = name.trim();
            all.iter().find(|p| p.name == name).copied().ok_or_else(|| {
                let names: Vec<&str> = all.iter().map(|p| p.name).collect();
                Error::invalid(
                    format!(
                        "no pass is named '{name}'; the passes are {}",
                        names.join(", ")
                    ),
                    Default::default(),
                )
            })
        })
        .collect()
}
