//! Rule tests: every rewrite of every pass on its own, `tests/rules/<pass>/<rewrite>.mlir`, over element types and all their values.
//!
//! A test is a template. Its first line says for which types the rewrite fires: `// fires: floats signed`; a second one may say where it must not:
//! `// never: complex`, a third one options of the pass: `// options: block-bytes=4096`. In the program `$T` is the element type, `$N` the number of elements, `{1}` a number as `$T` writes it; `// each: 0 5` gives
//! `$I` these values in turn. With `$N` the arguments take every value of 8-bit types (both arguments together: every pair) and, alone, of 16-bit
//! types; other types take special values, every exponent and random bits. Without it every element has other bits. Before and after are compared bit
//! for bit (NaN payloads aside) where the rewrite says BitExact; else on integers and on small integers in floats bit for bit, and by the checker under
//! its contract.

use std::sync::Arc;
use tileproof_dialect::{
    error::Error,
    eval::Events,
    import,
    numerics::Contract,
    planes::Planes,
    program::Program,
    tensor::Value,
    types::{Class, ElementType, Type},
};
use tileproof_lowering::{
    manager,
    pass::{Pass, Rewrite, Run},
    pipeline,
    settings::Settings,
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};
use tileproof_tests::workspace;
use tileproof_verifier::{
    compare::bits,
    validate::{self, Level},
    verdict::Verdict,
};

#[path = "rules/inputs.rs"]
mod inputs;
#[path = "rules/template.rs"]
mod template;
use template::Template;

#[test]
fn every_rewrite_keeps_every_value() {
    let mut problems = vec![];
    let mut compared = 0;
    for pass in pipeline::passes() {
        // Judged kernel by kernel in tests/kernels.rs.
        if matches!(pass.run, Run::Kernel(_)) {
            continue;
        }
        for (i, rewrite) in pass.rewrites.iter().enumerate() {
            let path = format!("tests/rules/{}/{}.mlir", pass.name, rewrite.name);
            let text = std::fs::read_to_string(workspace::root().join(&path));
            let Ok(text) = text else {
                problems.push(format!("{path} is missing"));
                continue;
            };
            match Template::read(&text) {
                Ok(template) => {
                    let alone = alone(pass, i);
                    match rule(alone, rewrite, &template) {
                        Ok(n) => compared += n,
                        Err(all) => problems.extend(all.iter().map(|p| format!("{path}: {p}"))),
                    }
                }
                Err(problem) => problems.push(format!("{path}: {problem}")),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        compared > 1_000_000,
        "only {compared} elements were compared"
    );
}

#[test]
fn a_wrong_rule_is_found() {
    // x + 0 -> x, which loses the sign of -0: found by the values that the harness takes, in every type that has the sign.
    let mut found = vec![];
    for ty in template::types("ieee").unwrap() {
        let text = |body: &str| {
            format!(
                "// fires: ieee\nfunc.func @main(%x: tensor<$Nx$T>) -> tensor<$Nx$T> {{ %z = stablehlo.constant dense<{{0}}> : tensor<$Nx$T> {body} }}"
            )
        };
        let before = text("%0 = stablehlo.add %x, %z : tensor<$Nx$T> return %0 : tensor<$Nx$T>");
        let after = text("return %x : tensor<$Nx$T>");
        let program = |text: &str| {
            let template = Template::read(text).unwrap();
            let instance = template.instances(&ty).into_iter().next().unwrap();
            import::stablehlo::parse(&instance, "wrong").unwrap()
        };
        let (before, after) = (program(&before), program(&after));
        let arguments = inputs::arguments(&before.parameter_types()).unwrap();
        if difference(&before, &after, &arguments).unwrap().is_some() {
            found.push(ty.mlir_name());
        }
    }
    let all: Vec<String> = template::types("ieee")
        .unwrap()
        .iter()
        .map(ElementType::mlir_name)
        .collect();
    assert_eq!(found, all);
}

/// The pass with rewrite number `i` alone. Passes live as long as the process.
fn alone(pass: &'static Pass, i: usize) -> &'static Pass {
    Box::leak(Box::new(Pass {
        rewrites: std::slice::from_ref(&pass.rewrites[i]),
        ..*pass
    }))
}

/// Runs a rule on every type its template names; gives the number of elements compared.
fn rule(pass: &'static Pass, rewrite: &Rewrite, template: &Template) -> Result<usize, Vec<String>> {
    let mut problems = vec![];
    let mut compared = 0;
    let mut fired = 0;
    for ty in &template.fires {
        for text in template.instances(ty) {
            match instance(pass, rewrite, ty, &text, &template.settings) {
                Ok(Some(n)) => (fired, compared) = (fired + 1, compared + n),
                Ok(None) => problems.push(format!("does not fire on {}", ty.mlir_name())),
                Err(problem) => problems.push(format!("{}: {problem}", ty.mlir_name())),
            }
        }
    }
    for ty in &template.never {
        for text in template.instances(ty) {
            match parse(&text).and_then(|p| run(pass, &p, &template.settings)) {
                Ok((0, _)) => {}
                Ok(_) => problems.push(format!("fires on {}", ty.mlir_name())),
                Err(error) => problems.push(format!("{}: {error}", ty.mlir_name())),
            }
        }
    }
    if fired == 0 {
        problems.push("fires nowhere".to_string());
    }
    if problems.is_empty() {
        Ok(compared)
    } else {
        Err(problems)
    }
}

/// A program as StableHLO has it, or with ops that only our dialect has.
fn parse(text: &str) -> Result<Program, Error> {
    if text.contains("hlo.fusion") {
        tileproof_dialect::mlir::text::parse(text, "rule")
    } else {
        import::stablehlo::parse(text, "rule")
    }
}

/// How often the pass fired, and what it made.
fn run(
    pass: &'static Pass,
    before: &Program,
    settings: &Settings,
) -> Result<(usize, Program), Error> {
    let options = manager::Options {
        settings: settings.clone(),
        ..manager::Options::default()
    };
    let mut steps = manager::run(before, &[pass], &options)?;
    let step = steps.pop().ok_or_else(|| Error::internal("no pass ran"))?;
    Ok((step.applied.len(), Program::clone(&step.program)))
}

/// Elements compared; none when the rewrite did not fire.
fn instance(
    pass: &'static Pass,
    rewrite: &Rewrite,
    ty: &ElementType,
    text: &str,
    settings: &Settings,
) -> Result<Option<usize>, String> {
    let words = |e: Error| e.to_string();
    let before = parse(text).map_err(words)?;
    let (fired, after) = run(pass, &before, settings).map_err(words)?;
    if fired == 0 {
        return Ok(None);
    }
    let numerics = (rewrite.numerics)();
    let exact = numerics.contract == Contract::BitExact
        || matches!(ty.class(), Class::Boolean | Class::Signed | Class::Unsigned);
    let types = before.parameter_types();
    let arguments = if exact {
        inputs::arguments(&types)?
    } else {
        inputs::small_integers(&types)?
    };
    let elements = arguments
        .iter()
        .map(|v| v.as_tensor().map_or(0, |t| t.len()))
        .sum();
    // How far an approximation is off is measured densely, with its stated ulps, by `verifier::expansion`.
    let approximates = matches!(numerics.contract, Contract::Approximates { .. });
    if !approximates && let Some(difference) = difference(&before, &after, &arguments)? {
        return Err(difference);
    }
    if !exact || approximates {
        let (before, after) = (Arc::new(before), Arc::new(after));
        for level in [Level::Quick, Level::Full] {
            let step = validate::Step {
                pass: pass.name.to_string(),
                program: after.clone(),
                numerics: numerics.clone(),
                rewrites: vec![],
                origin: validate::Origin::Pass,
            };
            let report = validate::pipeline(&before, &[step], &options(level));
            let verdict = report.map_err(words)?.verdict;
            // Narrow types and extreme inputs leave bounds too wide to say Equal; they were compared bit for bit where nothing is rounded.
            let decided = ty.bits() >= 32 && level == Level::Quick && !approximates;
            if verdict.is_mismatch() || decided && verdict != Verdict::Equal {
                return Err(format!("{verdict} at level {level:?}"));
            }
        }
    }
    Ok(Some(elements))
}

fn options(level: Level) -> validate::Options {
    validate::Options {
        level,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    }
}

/// The first element in which the two programs differ, in words.
fn difference(
    before: &Program,
    after: &Program,
    arguments: &[Value],
) -> Result<Option<String>, String> {
    let run = |program: &Program| {
        let limits = Limits::default();
        Interpreter::new(program, Planes::IeeeOnly, &limits)
            .run(arguments.to_vec(), &mut Events::default())
            .map_err(|stop| format!("{stop:?}"))
    };
    let (want, got) = (run(before)?, run(after)?);
    Ok(bits::first_difference(&want, &got).map(|d| {
        let at = |v: &Value| element(v, &d.index);
        let all: Vec<String> = arguments.iter().map(at).collect();
        format!(
            "at {:?} of output {}: before {} ({}), after {} ({}), arguments there {}",
            d.index,
            d.output,
            d.want,
            d.want_bits,
            d.got,
            d.got_bits,
            all.join(", ")
        )
    }))
}

/// The element at `index`, where the argument has one there.
fn element(v: &Value, index: &[u64]) -> String {
    let Some(t) = v.as_tensor() else {
        return "-".to_string();
    };
    if t.dims().len() != index.len() || t.dims().iter().zip(index).any(|(n, i)| i >= n) {
        return Type::from(t.ty()).to_string();
    }
    let flat: u64 = t
        .dims()
        .iter()
        .zip(index)
        .fold(0, |flat, (n, i)| flat * n + i);
    t.to_f64s()
        .get(flat as usize)
        .map_or("-".to_string(), ToString::to_string)
}
