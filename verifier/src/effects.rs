//! What two versions show to the outside while they run: outfeeds, sends, printed values, checks. Both are run whole, each in both planes; the traces
//! must have the same effects with the same values, in order within each kind (effects of different kinds hang on different tokens).
//!
//! Proves: for the inputs at hand both show the same, in the ring, and bit for bit under a bit-exact contract. Cannot: bound the IEEE error of an effect.

use crate::{
    compare::bits,
    inputs::{self, Class},
    pattern::Pattern,
    validate::{Found, Options, PassReport, Report, Step},
    verdict::{Ieee, NOTHING_COMPARED, Ring, Verdict, decide},
};
use std::{collections::BTreeMap, sync::Arc};
use tileproof_dialect::{
    error::Error,
    eval::{Effect, Events, Stop},
    hlo,
    location::Location,
    numerics::Contract,
    op::Op,
    planes::Planes,
    program::Program,
    tensor::Value,
};
use tileproof_runtime::{inputs::all_with_ring, reference::Interpreter};

/// Whether a run of `program` can show anything but its results.
fn has_effects(program: &Program) -> bool {
    program.op_ids().any(|id| {
        let Op::Hlo(op) = &program.op(id).op;
        matches!(
            op,
            hlo::Op::Outfeed(_)
                | hlo::Op::Infeed(_)
                | hlo::Op::Send(_)
                | hlo::Op::Recv(_)
                | hlo::Op::CustomCall(_)
        )
    })
}

/// Compares the effects of every step with those of the step before it, for the inputs of each run of `report`, and adds what differs to the report.
///
/// # Errors
/// Those of generating inputs. A run that traps or is not supported has been judged with the results.
pub fn check(
    source: &Arc<Program>,
    steps: &[Step],
    options: &Options,
    report: &mut Report,
) -> Result<(), Error> {
    let programs: Vec<&Arc<Program>> = std::iter::once(source)
        .chain(steps.iter().map(|s| &s.program))
        .collect();
    if !programs.iter().any(|p| has_effects(p)) {
        return Ok(());
    }
    for (class, seed) in report.runs.clone() {
        let arguments = match &options.given {
            Some(values) => values.clone(),
            None => inputs::generate(source, class, seed & 0xffff_ffff)?,
        };
        let arguments = all_with_ring(&arguments, seed);
        let traces: Vec<Option<Vec<Effect>>> = programs
            .iter()
            .map(|p| trace(p, &arguments, options))
            .collect();
        for (k, pass) in report.passes.iter_mut().enumerate() {
            if let (Some(want), Some(got)) = (&traces[k], &traces[k + 1]) {
                let exact = steps[k].numerics.contract == Contract::BitExact;
                judge(want, got, exact, (class, seed), pass);
            }
        }
    }
    report.verdict = report
        .passes
        .iter()
        .fold(Verdict::Equal, |all, p| all.worst(p.verdict.clone()));
    Ok(())
}

/// The effects of one run; none when it does not end.
fn trace(program: &Program, arguments: &[Value], options: &Options) -> Option<Vec<Effect>> {
    let mut events = Events::default();
    let interpreter = Interpreter::new(program, Planes::IeeeAndRing, &options.limits);
    match interpreter.run(arguments.to_vec(), &mut events) {
        Ok(_) => Some(events.effects),
        Err(Stop::Trap(_) | Stop::Failed(_) | Stop::Cancelled) => None,
    }
}

fn judge(want: &[Effect], got: &[Effect], exact: bool, run: (Class, u64), pass: &mut PassReport) {
    let mut kinds: BTreeMap<&str, [Vec<&Effect>; 2]> = BTreeMap::new();
    for (side, effects) in [want, got].into_iter().enumerate() {
        for e in effects {
            kinds.entry(&e.kind).or_default()[side].push(e);
        }
    }
    let mut compared = 0;
    for (kind, [want, got]) in kinds {
        if want.len() != got.len() {
            let difference = bits::Difference {
                output: 0,
                index: vec![],
                want: format!("{} times", want.len()),
                got: format!("{} times", got.len()),
                want_bits: String::new(),
                got_bits: String::new(),
                residues: None,
                differing: want.len().abs_diff(got.len()) as u64,
                total: want.len().max(got.len()) as u64,
                pattern: Pattern::Everywhere,
            };
            report(
                kind,
                Ring::Differs,
                Ieee::NotRun,
                Some(difference),
                run,
                pass,
            );
            continue;
        }
        for (w, g) in want.iter().zip(&got) {
            compared += w.values.iter().map(elements).sum::<u64>().max(1);
            let difference = bits::first_difference(&w.values, &g.values);
            let same_ring = w.values.len() == g.values.len()
                && w.values
                    .iter()
                    .zip(&g.values)
                    .all(|(x, y)| fingerprint(x) == fingerprint(y));
            if !same_ring {
                report(kind, Ring::Differs, Ieee::NotRun, difference, run, pass);
                break;
            }
            if exact && difference.is_some() {
                report(kind, Ring::Equal, Ieee::Outside, difference, run, pass);
                break;
            }
        }
    }
    pass.elements += compared;
    pass.decided += compared;
    let nothing = Verdict::Inconclusive {
        why: NOTHING_COMPARED.to_string(),
    };
    if compared > 0 && pass.verdict == nothing {
        pass.verdict = Verdict::Equal;
    }
}

fn report(
    kind: &str,
    ring: Ring,
    ieee: Ieee,
    difference: Option<bits::Difference>,
    (class, seed): (Class, u64),
    pass: &mut PassReport,
) {
    let verdict = decide(&ring, &ieee);
    pass.verdict = pass.verdict.clone().worst(verdict.clone());
    let op = format!("effect '{kind}'");
    if pass
        .findings
        .iter()
        .any(|f| f.op == op && f.verdict == verdict)
    {
        return;
    }
    pass.findings.push(Found {
        verdict,
        class,
        seed,
        op,
        location: Location::default(),
        rewrite: None,
        inside: None,
        difference,
        output: None,
        ring,
        ieee,
    });
}

fn elements(value: &Value) -> u64 {
    value.as_tensor().map_or(0, |t| t.len() as u64)
}

fn fingerprint(value: &Value) -> u128 {
    match value {
        Value::Tensor(t) => t.fingerprint(),
        Value::Tuple(parts) => parts
            .iter()
            .fold(0, |h, p| h.rotate_left(5) ^ fingerprint(p)),
        Value::Token(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{level::Level, validate};
    use tileproof_dialect::{import::stablehlo, numerics::Numerics};
    use tileproof_runtime::limits::Limits;

    fn program(shown: &str) -> Arc<Program> {
        let text = format!(
            r#"func.func @main(%x: tensor<256xf32>, %y: tensor<256xf32>, %z: tensor<256xf32>) -> tensor<256xf32> {{
  %t = stablehlo.create_token : !stablehlo.token
  {shown}
  return %x : tensor<256xf32> }}"#
        );
        Arc::new(stablehlo::parse(&text, "effects.mlir").unwrap())
    }

    fn outfeed(value: &str) -> String {
        format!(
            r#"%u{value} = "stablehlo.outfeed"(%{value}, %t) {{outfeed_config = ""}} : (tensor<256xf32>, !stablehlo.token) -> !stablehlo.token"#
        )
    }

    fn verdict(before: &str, after: &str, contract: Contract) -> Verdict {
        let options = Options {
            level: Level::Quick,
            seed: 1,
            given: None,
            known: None,
            limits: Limits::default(),
            progress: None,
            target: tileproof_lowering::target::DEFAULT,
        };
        let numerics = Numerics::of(contract);
        validate::two(&program(before), &program(after), &numerics, &options)
            .unwrap()
            .verdict
    }

    #[test]
    fn an_outfeed_that_is_missing_or_shows_another_value_or_comes_in_another_order_is_a_miscompile()
    {
        let (x, y) = (outfeed("x"), outfeed("y"));
        let both = format!("{x}\n{y}");
        for (before, after, want) in [
            (both.clone(), both.clone(), Verdict::Equal),
            (x.clone(), String::new(), Verdict::Miscompile),
            (x.clone(), y.clone(), Verdict::Miscompile),
            (both, format!("{y}\n{x}"), Verdict::Miscompile),
        ] {
            assert_eq!(verdict(&before, &after, Contract::Reassociates), want);
        }
    }

    #[test]
    fn a_reassociated_value_is_shown_as_the_contract_says() {
        let left = format!(
            "%0 = stablehlo.add %x, %y : tensor<256xf32>\n %1 = stablehlo.add %0, %z : tensor<256xf32>\n{}",
            outfeed("1")
        );
        let right = format!(
            "%2 = stablehlo.add %y, %z : tensor<256xf32>\n %3 = stablehlo.add %x, %2 : tensor<256xf32>\n{}",
            outfeed("3")
        );
        assert_eq!(
            verdict(&left, &right, Contract::Reassociates),
            Verdict::Equal
        );
        assert_eq!(
            verdict(&left, &right, Contract::BitExact),
            Verdict::NumericsViolation
        );
    }
}
