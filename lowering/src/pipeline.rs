//! THE pipeline: one function, one pass a line.

use crate::{hlo, hlo_to_tpu, pass::Pass, settings::Settings, tpu};
use tileproof_dialect::{error::Error, stage::Stage};

/// Every pass, in order.
pub fn passes() -> Vec<&'static Pass> {
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
        &hlo_to_tpu::PASS,
        &tpu::pipeline_windows::PASS,
        &tpu::assign_vmem::PASS,
        &tpu::apply_vector_layout::PASS,
    ]
}

/// How far programs are lowered unless more is asked for.
pub const DEFAULT_STAGE: Stage = Stage::S2;

/// The passes up to [`DEFAULT_STAGE`].
pub fn pipeline() -> Vec<&'static Pass> {
    up_to(DEFAULT_STAGE)
}

/// The passes that make `stage` and those before them.
pub fn up_to(stage: Stage) -> Vec<&'static Pass> {
    let mut all = passes();
    all.retain(|p| p.output <= stage);
    all
}

/// The passes in a comma-separated list, in the order given; each may come several times. Options stand behind a name: `hlo-to-tpu(block-bytes=4096)`;
/// they hold for all passes of the run.
pub fn named(list: &str) -> Result<Vec<&'static Pass>, Error> {
    Ok(with_settings(list)?.0)
}

/// [`named`], with the options.
pub fn with_settings(list: &str) -> Result<(Vec<&'static Pass>, Settings), Error> {
    let all = passes();
    let mut settings = Settings::default();
    let mut out = vec![];
    for item in split(list) {
        let (name, options) = match item.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.trim_end().strip_suffix(')')),
            None => (item.trim(), Some("")),
        };
        let options = options.ok_or_else(|| {
            Error::invalid(
                format!("'{item}' has no ')' at its end"),
                Default::default(),
            )
        })?;
        for option in options.split(',').filter(|o| !o.trim().is_empty()) {
            settings.set(option)?;
        }
        out.push(
            all.iter()
                .find(|p| p.name == name)
                .copied()
                .ok_or_else(|| {
                    let names: Vec<&str> = all.iter().map(|p| p.name).collect();
                    Error::invalid(
                        format!(
                            "no pass is named '{name}'; the passes are {}",
                            names.join(", ")
                        ),
                        Default::default(),
                    )
                })?,
        );
    }
    Ok((out, settings))
}

/// The parts between commas outside parentheses.
fn split(list: &str) -> Vec<&str> {
    let mut out = vec![];
    let (mut depth, mut start) = (0, 0);
    for (i, letter) in list.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&list[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(&list[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_behind_names() {
        let (passes, settings) =
            with_settings("hlo-cse, hlo-fuse(block-bytes=64,target=v4),hlo-dce").unwrap();
        let names: Vec<&str> = passes.iter().map(|p| p.name).collect();
        assert_eq!(names, ["hlo-cse", "hlo-fuse", "hlo-dce"]);
        assert_eq!((settings.block_bytes, settings.target.name), (64, "v4"));
        assert!(named("hlo-cse(").is_err());
        assert!(named("hlo-nothing").is_err());
    }

    #[test]
    fn stages_do_not_go_back() {
        let stages: Vec<Stage> = passes().iter().map(|p| p.output).collect();
        assert!(stages.is_sorted());
        assert_eq!(up_to(Stage::S6).len(), passes().len());
    }
}
