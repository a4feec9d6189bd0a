//! Each fault of the alias relation beside its correct twin. Faults f39, f40, f45 and f68 of the collection of compiler faults are among them.

use super::*;
use tileproof_dialect::mlir::text;

fn faults(body: &str) -> Vec<Fault> {
    let text = format!("module {{\n{body}\n}}");
    let program = text::parse(&text, "t").unwrap();
    check(&program).into_iter().map(|v| v.fault).collect()
}

/// A function of two updates of one donated buffer.
fn updates(first: &str, second: &str, read: &str) -> Vec<Fault> {
    faults(&format!(
        "func.func @main(%b: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {{hlo.aliases = [{{kind = \"may\", output = 0 : i64, parameter = 0 : i64}}]}} {{
  %x = hlo.negate %b : tensor<8xf32>
  %1 = hlo.dynamic_update_slice %x, %u, %i {first} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %2 = hlo.dynamic_update_slice %1, %u, %i {second} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %3 = hlo.abs {read} : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}}"
    ))
}

const ALIAS: &str = "{output_operand_aliases = array<i64: 0, 0>}";

#[test]
fn a_chain_keeps_its_buffer() {
    assert_eq!(updates(ALIAS, ALIAS, "%2"), []);
    assert_eq!(updates("", ALIAS, "%x"), []);
    // Both updates write the buffer of %x: it is gone after the first.
    let read = |faults: Vec<Fault>| matches!(faults.as_slice(), [Fault::ReadAfterWrite { reader, .. }] if reader == "hlo.abs");
    assert!(read(updates(ALIAS, ALIAS, "%x")));
    assert!(read(updates(ALIAS, ALIAS, "%1")));
    assert!(read(updates("", ALIAS, "%1")));
}

#[test]
fn parameters_are_written_only_when_donated() {
    let run = |attributes: &str| {
        faults(&format!(
            "func.func @main(%b: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> tensor<8xf32> {attributes} {{
  %1 = hlo.dynamic_update_slice %b, %u, %i {ALIAS} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}}"
        ))
    };
    assert_eq!(
        run(""),
        [Fault::NotOwned {
            owner: Owner::Parameter
        }]
    );
    assert_eq!(
        run(
            "attributes {hlo.aliases = [{kind = \"must\", output = 0 : i64, parameter = 0 : i64}]}"
        ),
        []
    );
}

#[test]
fn constants_are_not_written() {
    let found = faults(&format!(
        "func.func @main(%u: tensor<2xf32>, %i: tensor<i32>) -> tensor<8xf32> {{
  %c = hlo.constant dense<0.0> : tensor<8xf32>
  %1 = hlo.dynamic_update_slice %c, %u, %i {ALIAS} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}}"
    ));
    assert_eq!(
        found,
        [Fault::NotOwned {
            owner: Owner::Constant
        }]
    );
}

/// f40: two updates of one multi-output fusion.
fn two_roots(aliases: &str) -> Vec<Fault> {
    faults(&format!(
        "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {{
  %x = hlo.negate %a : tensor<8xf32>
  %y = hlo.negate %b : tensor<8xf32>
  %1:2 = hlo.fusion %x, %y, %u, %i {{kind = \"kLoop\", output_operand_aliases = array<i64: {aliases}>}} : (tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {{
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>, %v: tensor<2xf32>, %j: tensor<i32>):
    %2 = hlo.dynamic_update_slice %p, %v, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    %3 = hlo.dynamic_update_slice %q, %v, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    hlo.return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }}
  return %1#0, %1#1 : tensor<8xf32>, tensor<8xf32>
}}"
    ))
}

#[test]
fn two_updates_never_share_a_buffer() {
    assert_eq!(two_roots("0, 0, 1, 1"), []);
    assert_eq!(
        two_roots("0, 0, 1, 0"),
        [Fault::SharedBuffer { results: (0, 1) }]
    );
    assert_eq!(
        two_roots("0, 1, 1, 0"),
        [
            Fault::NoUpdate {
                result: 0,
                operand: 1
            },
            Fault::NoUpdate {
                result: 1,
                operand: 0
            }
        ]
    );
    assert_eq!(two_roots("0, 7"), [Fault::Malformed]);
    assert_eq!(two_roots("0"), [Fault::Malformed]);
}

/// f39: an update made from the buffer it writes, read at `start`.
fn shifted(start: &str) -> Vec<Fault> {
    faults(&format!(
        "func.func @main(%a: tensor<8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8xf32> {{
  %x = hlo.negate %a : tensor<8xf32>
  %1 = hlo.fusion %x, %i, %j {{kind = \"kLoop\", output_operand_aliases = array<i64: 0, 0>}} : (tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<8xf32> {{
  ^bb0(%p: tensor<8xf32>, %k: tensor<i32>, %l: tensor<i32>):
    %2 = hlo.dynamic_slice %p, {start} {{slice_sizes = array<i64: 2>}} : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
    %3 = hlo.dynamic_update_slice %p, %2, %k : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    hlo.return %3 : tensor<8xf32>
  }}
  return %1 : tensor<8xf32>
}}"
    ))
}

#[test]
fn a_shifted_read_of_the_buffer_being_written() {
    assert_eq!(shifted("%k"), []);
    assert_eq!(
        shifted("%l"),
        [Fault::ReadWhileWriting {
            reader: "hlo.dynamic_slice".to_string()
        }]
    );
}

/// f45: p *= 3 in place, in one kernel or computed again in a second.
fn consumers(second: &str) -> Vec<Fault> {
    let kernel = |name: &str, alias: &str| {
        format!(
            "  {name} = hlo.fusion %x, %u, %i {{kind = \"kLoop\"{alias}}} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32> {{
  ^bb0(%p: tensor<8xf32>, %v: tensor<2xf32>, %j: tensor<i32>):
    %9 = hlo.dynamic_update_slice %p, %v, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    hlo.return %9 : tensor<8xf32>
  }}
"
        )
    };
    let alias = ", output_operand_aliases = array<i64: 0, 0>";
    faults(&format!(
        "func.func @main(%a: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {{
  %x = hlo.negate %a : tensor<8xf32>
{}{}  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}}",
        kernel("%1", if second.is_empty() { "" } else { alias }),
        kernel("%2", alias),
    ))
}

#[test]
fn an_update_in_place_is_not_computed_twice() {
    assert_eq!(consumers(""), []);
    assert!(
        matches!(consumers("again").first(), Some(Fault::ReadAfterWrite { reader, .. }) if reader == "hlo.fusion")
    );
}

/// f68: the buffer is read under another name.
fn renamed(read: &str) -> Vec<Fault> {
    faults(&format!(
        "func.func @main(%a: tensor<4x2xf32>, %u: tensor<1x4xf32>, %i: tensor<i32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {{
  %x = hlo.negate %a : tensor<4x2xf32>
  %y = hlo.negate %a : tensor<4x2xf32>
  %t = hlo.bitcast %x {{source_layout = array<i64: 0, 1>}} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %1 = hlo.dynamic_update_slice %t, %u, %i, %i {ALIAS} : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %2 = hlo.exponential {read} : tensor<4x2xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<4x2xf32>
}}"
    ))
}

#[test]
fn buffers_are_known_through_bitcasts() {
    assert_eq!(renamed("%y"), []);
    assert!(
        matches!(renamed("%x").as_slice(), [Fault::ReadAfterWrite { reader, .. }] if reader == "hlo.exponential")
    );
}

/// A loop that updates what it carries, or what comes from outside.
fn in_loop(buffer: &str, read: &str) -> Vec<Fault> {
    faults(&format!(
        "func.func @main(%a: tensor<8xf32>, %n: tensor<i32>, %u: tensor<2xf32>) -> tensor<8xf32> {{
  %x = hlo.negate %a : tensor<8xf32>
  %y = hlo.abs %a : tensor<8xf32>
  %1:2 = hlo.while %n, %x {{output_operand_aliases = array<i64: 1, 1>}} : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {{
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %2 = hlo.compare %i, %n {{comparison_direction = \"LT\"}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    hlo.return %2 : tensor<i1>
  }} do {{
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %3 = hlo.dynamic_update_slice {buffer}, %u, %i {ALIAS} : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    hlo.return %i, %3 : tensor<i32>, tensor<8xf32>
  }}
  %4 = hlo.add %1#1, {read} : tensor<8xf32>
  return %4 : tensor<8xf32>
}}"
    ))
}

#[test]
fn a_loop_writes_what_it_carries() {
    assert_eq!(in_loop("%v", "%y"), []);
    assert_eq!(
        in_loop("%y", "%a"),
        [Fault::NotOwned {
            owner: Owner::OutsideLoop
        }]
    );
    assert!(
        matches!(in_loop("%v", "%x").as_slice(), [Fault::ReadAfterWrite { reader, .. }] if reader == "hlo.add")
    );
}

#[test]
fn layouts_of_both_ends_agree() {
    let run = |layout: &str| {
        faults(&format!(
            "func.func @main(%a: tensor<4x2xf32, #hlo.layout<[1, 0]>>, %u: tensor<1x1xf32>, %i: tensor<i32>) -> tensor<4x2xf32, #hlo.layout<{layout}>> {{
  %x = hlo.copy %a : tensor<4x2xf32, #hlo.layout<[1, 0]>>
  %1 = hlo.dynamic_update_slice %x, %u, %i, %i {ALIAS} : (tensor<4x2xf32, #hlo.layout<[1, 0]>>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32, #hlo.layout<{layout}>>
  return %1 : tensor<4x2xf32, #hlo.layout<{layout}>>
}}"
        ))
    };
    assert_eq!(run("[1, 0]"), []);
    assert_eq!(
        run("[0, 1]"),
        [Fault::TypesDiffer {
            result: 0,
            operand: 0
        }]
    );
}
