//! Tests of the importer together with the exporter.

use super::{mutation::mutated, parse, parse_modules};
use crate::{
    attribute::Attribute,
    error::Error,
    export,
    literal::Literal,
    op::Op,
    program::{AliasKind, Program},
};

/// What occurs in JAX's text, in pretty form.
const PRETTY: &str = r#"module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<3x4xf32>, %arg2: tensor<i32> {tf.aliasing_output = 2 : i32}) -> (tensor<2x4xf32> {jax.result_info = "[0]"}, tensor<2xf32>, tensor<i32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<10> : tensor<i32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = call @relu(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.slice %1 [0:2, 1:4:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.compare  LT, %4, %5,  FLOAT : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %7 = stablehlo.select %6, %4, %5 : tensor<2x2xi1>, tensor<2x2xf32>
    %8 = stablehlo.concatenate %7, %1, dim = 1 : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
    %9 = stablehlo.pad %8, %cst, low = [0, -1], high = [0, -1], interior = [0, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x4xf32>
    %10:2 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %9) : tensor<i32>, tensor<2x4xf32>
    cond {
      %12 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12 = stablehlo.add %iterArg, %iterArg : tensor<i32>
      %13 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<2x4xf32>
      stablehlo.return %12, %13 : tensor<i32>, tensor<2x4xf32>
    }
    %11:2 = stablehlo.reduce(%10#1 init: %cst), (%10#1 init: %cst) across dimensions = [1] : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>) (%arg5: tensor<f32>, %arg6: tensor<f32>)  {
      %12 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %12, %arg5 : tensor<f32>, tensor<f32>
    }
    return %9, %11#1, %10#0 : tensor<2x4xf32>, tensor<2xf32>, tensor<i32>
  }
  func.func private @relu(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
"#;

/// The same program in generic form.
const GENERIC: &str = r#"#prec = #stablehlo<precision HIGHEST>
"builtin.module"() <{sym_name = "jit_f"}> ({
  "func.func"() <{arg_attrs = [{mhlo.sharding = "{replicated}"}, {}, {tf.aliasing_output = 2 : i32}], function_type = (tensor<2x3xf32>, tensor<3x4xf32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #prec]}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %3 = "func.call"(%2) <{callee = @relu}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.reduce"(%3, %0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %20 = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = "stablehlo.slice"(%3) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 2>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %6 = "stablehlo.transpose"(%5) <{permutation = array<i64: 1, 0>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %7 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x2xf32>
    %8 = "stablehlo.compare"(%6, %7) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %9 = "stablehlo.select"(%8, %6, %7) : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %10 = "stablehlo.concatenate"(%9, %3) <{dimension = 1 : i64}> : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
    %11 = "stablehlo.pad"(%10, %0) <{edge_padding_high = array<i64: 0, -1>, edge_padding_low = array<i64: 0, -1>, interior_padding = array<i64: 0, 0>}> : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x4xf32>
    %12:2 = "stablehlo.while"(%arg2, %11) ({
    ^bb0(%i: tensor<i32>, %x: tensor<2x4xf32>):
      %20 = "stablehlo.compare"(%i, %1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%20) : (tensor<i1>) -> ()
    }, {
    ^bb0(%i: tensor<i32>, %x: tensor<2x4xf32>):
      %20 = "stablehlo.add"(%i, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %21 = "stablehlo.add"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      "stablehlo.return"(%20, %21) : (tensor<i32>, tensor<2x4xf32>) -> ()
    }) : (tensor<i32>, tensor<2x4xf32>) -> (tensor<i32>, tensor<2x4xf32>)
    %13:2 = "stablehlo.reduce"(%12#1, %12#1, %0, %0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>):
      %20 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20, %c) : (tensor<f32>, tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
    "func.return"(%11, %13#1, %12#0) : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xf32>) -> tensor<2x4xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x4xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%2) : (tensor<2x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} : () -> ()
"#;

/// The forms that PRETTY has not.
const OTHERS: &str = r##"func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %s: tensor<4xi32>, %u: tensor<4xf32>, %p: tensor<i32>) -> (tensor<1x4x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x4x4x6xf32>
  %1 = stablehlo.reshape %s : (tensor<4xi32>) -> tensor<4x1xi32>
  %2 = "stablehlo.gather"(%u, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %3 = "stablehlo.scatter"(%u, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %20 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %20 : tensor<f32>
  }) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>
  %sorted:2 = "stablehlo.sort"(%3, %s) <{dimension = -1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %20 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %20 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %4 = "stablehlo.reduce_window"(%u, %z) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %20 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %20 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %p2 = stablehlo.custom_call @shape_assertion(%p) {api_version = 2 : i32, error_message = "no", has_side_effect = true} : (tensor<i32>) -> tensor<i32>
  %5, %6 = chlo.top_k(%u, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %7 = "stablehlo.case"(%p2) ({
    %20 = stablehlo.optimization_barrier %6 : tensor<2xi32>
    stablehlo.return %20 : tensor<2xi32>
  }, {
    stablehlo.return %6 : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  return %0, %sorted#0, %4, %7 : tensor<1x4x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xi32>
}"##;

fn hash(text: &str) -> u128 {
    match parse(text, "t.mlir") {
        Ok(p) => p.structural_hash(),
        Err(e) => panic!("{e}"),
    }
}

/// The program printed and read again has the same structure, and prints the same.
fn round_trip(p: &Program) {
    let text = export::stablehlo::print(p).unwrap();
    let again = parse(&text, "printed.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again.structural_hash(), p.structural_hash(), "{text}");
    assert_eq!(
        export::stablehlo::print(&again)
            .unwrap()
            .lines()
            .skip(1)
            .collect::<Vec<_>>(),
        text.lines().skip(1).collect::<Vec<_>>()
    );
}

#[test]
fn pretty_and_generic_form_are_one_program() {
    assert_eq!(hash(PRETTY), hash(GENERIC));
    let p = parse(PRETTY, "t.mlir").unwrap();
    assert_eq!((p.name.as_str(), p.num_replicas), ("jit_f", 2));
    assert!(p.functions[1].is_private);
    assert_eq!(
        p.functions[0].result_attributes[0].get("jax.result_info"),
        Some(&Attribute::Str("[0]".to_string()))
    );
    round_trip(&p);
    round_trip(&parse(GENERIC, "g.mlir").unwrap());
}

fn literals(constants: &str) -> Vec<Literal> {
    let p = parse(
        &format!("func.func @main() {{\n{constants}\nreturn\n}}"),
        "t.mlir",
    )
    .unwrap_or_else(|e| panic!("{e}"));
    round_trip_constants(&p);
    p.op_ids()
        .filter_map(|id| {
            if let Op::Hlo(crate::hlo::Op::Constant(c)) = &p.op(id).op {
                Some(c.value.clone())
            } else {
                None
            }
        })
        .collect()
}

/// Constants are dead in these programs; their text still must say the same.
fn round_trip_constants(p: &Program) {
    let text = export::stablehlo::print(p).unwrap();
    let again = parse(&text, "printed.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
    for (a, b) in p.op_ids().zip(again.op_ids()) {
        assert_eq!(p.op(a).op, again.op(b).op, "{text}");
    }
}

#[test]
fn literals_of_all_spellings() {
    let all = literals(
        r#"%0 = stablehlo.constant dense<[[1.5, -0.0], [0x7F800000, 1e-45]]> : tensor<2x2xf32>
        %1 = stablehlo.constant dense<(1.0, -2.5)> : tensor<3xcomplex<f32>>
        %2 = stablehlo.constant dense<[(1.0, 2.0), (0x7FC00000, 4.0)]> : tensor<2xcomplex<f32>>
        %3 = stablehlo.constant dense<> : tensor<2x0xi8>
        %4 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
        %5 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
        %6 = stablehlo.constant dense<"0x0502"> : tensor<10xi1>
        %7 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
        %8 = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
        %9 = stablehlo.constant dense<[1.0, 0x7FC0, 0.1]> : tensor<3xbf16>
        %10 = stablehlo.constant dense<[1.0, 448.0, 0x7F]> : tensor<3xf8E4M3FN>
        %11 = stablehlo.constant dense<0.1> : tensor<f64>"#,
    );
    assert_eq!(
        all[0].to_tensor().as_slice::<u32>(),
        [0x3FC00000, 0x80000000, 0x7F800000, 1]
    );
    assert_eq!(
        all[1].to_tensor().as_slice::<f32>(),
        [1.0, -2.5, 1.0, -2.5, 1.0, -2.5]
    );
    assert_eq!(all[2].to_tensor().as_slice::<u32>()[2], 0x7FC00000);
    assert_eq!((all[3].dims(), all[3].to_tensor().len()), (&[2, 0][..], 0));
    assert_eq!(all[4].to_tensor().as_slice::<f32>(), [1.0, 2.0]);
    assert_eq!(all[5].to_tensor().as_slice::<u8>(), [1, 0, 1]);
    assert_eq!(
        all[6].to_tensor().as_slice::<u8>(),
        [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    );
    assert_eq!(all[7].to_tensor().as_slice::<i8>(), [-8, 7]);
    assert_eq!(all[8].to_tensor().as_slice::<u64>(), [u64::MAX, 0]);
    assert_eq!(
        all[9].to_tensor().as_slice::<u16>(),
        [0x3F80, 0x7FC0, 0x3DCD]
    );
    assert_eq!(all[10].to_tensor().as_slice::<u8>(), [0x38, 0x7E, 0x7F]);
    assert_eq!(all[11].to_tensor().as_slice::<f64>(), [0.1]);
}

#[test]
fn resources_stand_at_the_end() {
    let text = "func.func @main() -> tensor<2xi16> {\n  %0 = stablehlo.constant dense_resource<big> : tensor<2xi16>\n  return %0 : tensor<2xi16>\n}\n{-#\n  dialect_resources: {\n    builtin: {\n      small: \"0x0400000001\",\n      big: \"0x0800000001000200\"\n    }\n  }\n#-}\n";
    let p = parse(text, "t.mlir").unwrap();
    let Op::Hlo(crate::hlo::Op::Constant(c)) = &p.op(p.op_ids().next().unwrap()).op else {
        panic!()
    };
    assert_eq!(c.value.to_tensor().as_slice::<i16>(), [1, 2]);
    assert!(
        complaint(&text.replace("<big>", "<__elided__>"))
            .2
            .contains("left out")
    );
}

#[test]
fn a_long_literal_is_read_back_from_its_blob() {
    let values: Vec<String> = (0..300).map(|i| format!("{}.25", i - 7)).collect();
    let all = literals(&format!(
        "%0 = stablehlo.constant dense<[{}]> : tensor<300xf32>",
        values.join(", ")
    ));
    assert_eq!(all[0].to_tensor().as_slice::<f32>()[299], 292.25);
}

/// The first diagnostic of a text: line, column, message.
fn complaint(text: &str) -> (u32, u32, String) {
    match parse(text, "t.mlir") {
        Err(Error::InvalidProgram(all)) => {
            let position = all[0].location.position.clone().unwrap();
            (position.line, position.column, all[0].message.clone())
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn complaints_say_where_and_what() {
    let body = |op: &str| {
        format!(
            "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{\n  {op}\n  return %0 : tensor<2xf32>\n}}"
        )
    };
    for (text, line, column, message) in [
        (
            body("%0 = stablehlo.add %a, %b : tensor<2xf32>"),
            2,
            26,
            "value %b is not defined",
        ),
        (
            body("%0 = stablehlo.add %a %a : tensor<2xf32>"),
            2,
            25,
            "expected ','",
        ),
        (
            body("%0 = stablehlo.add %a, %a : tensor<3xf32>"),
            2,
            22,
            "%a has type tensor<2xf32>, used as tensor<3xf32>",
        ),
        (
            body("%0 = stablehlo.add %a, %a : tensor<2yf32>"),
            2,
            39,
            "expected 'x' after a dimension",
        ),
        (
            body("%0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<2xf32>"),
            2,
            34,
            "a list of 3 elements where the type has 2",
        ),
        (
            body("%0 = stablehlo.constant dense<[1.0, no]> : tensor<2xf32>"),
            2,
            39,
            "expected a number of type f32, found 'no'",
        ),
        (
            body("%0 = stablehlo.constant dense<\"0xAB\"> : tensor<2xf32>"),
            2,
            33,
            "does not have the 2 elements",
        ),
        (
            body("%0 = stablehlo.broadcast_in_dim %a : (tensor<2xf32>) -> tensor<2xf32>"),
            2,
            8,
            "'broadcast_dimensions' is missing",
        ),
        (
            body("%0:2 = stablehlo.add %a, %a : tensor<2xf32>"),
            2,
            10,
            "has 1 results, 2 are named",
        ),
        (
            body("%a = stablehlo.add %a, %a : tensor<2xf32>"),
            2,
            3,
            "%a is already defined",
        ),
        (
            body(
                "%0 = stablehlo.add %a, %a : tensor<2xf32>\n  %1 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<3xf32>",
            ),
            3,
            8,
            "C5",
        ),
        (
            body("%0 = add %a, %a : tensor<2xf32>"),
            2,
            8,
            "expected an op such as stablehlo.add, found 'add'",
        ),
        (
            body("%0 = call @nowhere(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
            2,
            8,
            "function 'nowhere' does not exist",
        ),
        (
            "func.func @main() {\n  return\n".to_string(),
            3,
            1,
            "expected '}' after the return, found the end of the text",
        ),
        (
            "func.func @main() -> tensor<f32> {\n  return\n}".to_string(),
            1,
            1,
            "0 results are returned, 1 are declared",
        ),
        (
            "\n  HloModule m".to_string(),
            2,
            3,
            "expected 'module' or 'func.func', found 'HloModule'",
        ),
        (
            "module attributes {mhlo.num_replicas = 0 : i32} {\n}".to_string(),
            1,
            1,
            "'mhlo.num_replicas' must be an integer from 1",
        ),
        ("module {\n}".to_string(), 1, 1, "holds no function"),
    ] {
        let (l, c, m) = complaint(&text);
        assert!(
            (l, c) == (line, column) && m.contains(message),
            "{text}\n{l}:{c}: {m}, wanted {line}:{column}: {message}"
        );
    }
}

#[test]
fn all_complaints_are_given_and_none_follows_from_another() {
    let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %a, : tensor<2xf32>\n  %1 = stablehlo.add %0, %a : tensor<2xf32>\n  %2 = stablehlo.add %x, %a : tensor<2xf32>\n  return %2 : tensor<2xf32>\n}\nfunc.func @g() {\n  %0 = stablehlo.constant 3\n  return\n}";
    let Err(Error::InvalidProgram(all)) = parse(text, "t.mlir") else {
        panic!()
    };
    let lines: Vec<u32> = all
        .iter()
        .map(|d| d.location.position.as_ref().unwrap().line)
        .collect();
    assert_eq!(lines, [2, 4, 8], "{all:?}");
}

#[test]
fn unknown_ops_are_unsupported_and_named() {
    let text = "func.func @main(%a: tensor<2xf32>) {\n  %0 = stablehlo.frobnicate %a : tensor<2xf32>\n  %1 = \"other.op\"(%0) : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}";
    match parse(text, "t.mlir") {
        Err(Error::Unsupported { what, location }) => {
            assert_eq!(what, "op hlo.frobnicate, op other.op");
            assert_eq!(location.to_string(), "t.mlir:2:8");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn locations_are_those_of_the_text_or_of_the_source_it_names() {
    let text = "#loc = loc(unknown)\nfunc.func @main(%a: tensor<f32> loc(\"a\")) -> tensor<f32> {\n  %0 = stablehlo.add %a, %a : tensor<f32> loc(#loc3)\n  %1 = stablehlo.add %0, %a : tensor<f32> loc(#loc)\n  return %1 : tensor<f32> loc(#loc)\n} loc(#loc)\n#loc1 = loc(\"model.py\":12:7 to 13:9)\n#loc2 = loc(callsite(#loc1 at #loc4))\n#loc3 = loc(\"jit(f)/add\"(#loc2))\n#loc4 = loc(fused<\"x\">[#loc1, \"model.py\":12:7 to :20, unknown])\n";
    let p = parse(text, "t.mlir").unwrap();
    let places: Vec<String> = p.op_ids().map(|id| p.op(id).location.to_string()).collect();
    assert_eq!(places, ["model.py:12:7", "t.mlir:4:8", "t.mlir:5:3"]);
}

#[test]
fn donated_parameters_alias_outputs() {
    let text = "func.func @main(%a: tensor<2xf32> {jax.buffer_donor = true}, %b: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %c: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n  return %a, %b : tensor<2xf32>, tensor<2xf32>\n}";
    let p = parse(text, "t.mlir").unwrap();
    let found: Vec<_> = p
        .main()
        .aliases
        .iter()
        .map(|a| (a.output, a.parameter, a.kind))
        .collect();
    assert_eq!(found, [(0, 1, AliasKind::May), (1, 0, AliasKind::May)]);
    round_trip(&p);
    let mut must = p.clone();
    let entry = must.entry.index();
    must.functions[entry]
        .parameter_attributes
        .iter_mut()
        .for_each(|a| a.0.clear());
    must.functions[entry].aliases[0].kind = AliasKind::Must;
    round_trip(&must);
}

#[test]
fn types_with_bounds_and_quantized_elements_are_kept() {
    let text = "func.func @main(%a: tensor<?x3xf32, #stablehlo.bounds<7, ?>>, %q: tensor<2x!quant.uniform<i8:f32, 3.0e-2:-5>>, %r: tensor<2x!quant.uniform<u8<1:200>:f32:0, {1.0:3, 0.25}>>, %t: !stablehlo.token, %u: tuple<tensor<f32>, tuple<>>) {\n  return\n}";
    let p = parse(text, "t.mlir").unwrap();
    round_trip(&p);
    let shown: Vec<String> = p.parameter_types().iter().map(|t| t.to_string()).collect();
    assert_eq!(
        shown[1],
        "tensor<2x!quant.uniform<i8<-128:127>:f32, 3e-2:-5>>"
    );
    assert_eq!(
        shown[2],
        "tensor<2x!quant.uniform<u8<1:200>:f32:0, {1e0:3, 2.5e-1:0}>>"
    );
}

#[test]
fn unknown_attributes_are_kept() {
    let text = "module attributes {jax.uses_shape_polymorphism = true, mhlo.a = [1, 2], x.b = {c = 76 : ui8, d = \"e\\22\\0A\"}} {\n  sdy.mesh @mesh = <[\"x\"=2]> {a.b = 1 : i64}\n  func.func @main(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<f32> {\n    %0 = stablehlo.add %a, %a {mhlo.frontend_attributes = {k = \"v\"}} : tensor<f32>\n    %1 = sdy.sharding_constraint %0 <@mesh, [{\"x\"}]> : tensor<f32>\n    return %1 : tensor<f32>\n  }\n}";
    let p = parse(text, "t.mlir").unwrap();
    let printed = export::stablehlo::print(&p).unwrap();
    for part in [
        "jax.uses_shape_polymorphism = true",
        "  sdy.mesh @mesh = <[\"x\"=2]> {a.b = 1 : i64}\n",
        "x.b = {c = 76 : ui8, d = \"e\\22\\0A\"}",
        "sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>",
        "mhlo.frontend_attributes = {k = \"v\"}",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    round_trip(&p);
}

#[test]
fn the_configuration_of_an_ffi_call_is_kept_with_its_types() {
    let text = "func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {\n  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = \"\", mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}";
    let p = parse(text, "t.mlir").unwrap();
    round_trip(&p);
    let printed = export::stablehlo::print(&p).unwrap();
    for part in [
        "mhlo.backend_config = {uplo = 76 : ui8}",
        "operand_layouts = [dense<[0, 1]> : tensor<2xindex>]",
        "operand_index = 0, operand_tuple_indices = []>]",
        "api_version = 4 : i32",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn modules_are_split_and_keep_their_lines() {
    let text = "// only a comment\n// -----\nfunc.func @a() {\n  return\n}\n\n// -----\nfunc.func @b() {\n  %0 = stablehlo.add : tensor<f32>\n  oops\n}";
    let all = parse_modules(text, "t.mlir");
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].as_ref().unwrap().main().name, "a");
    let Err(Error::InvalidProgram(wrong)) = &all[1] else {
        panic!()
    };
    assert_eq!(wrong[0].location.position.as_ref().unwrap().line, 10);
}

#[test]
fn nesting_has_a_limit_and_no_effect_on_the_stack() {
    let nested = |n: usize| {
        let open = "stablehlo.while() cond {\nstablehlo.return %c : tensor<i1>\n} do {\n".repeat(n);
        let close = "stablehlo.return\n}\n".repeat(n);
        format!(
            "func.func @main() {{\n%c = stablehlo.constant dense<false> : tensor<i1>\n{open}{close}return\n}}"
        )
    };
    round_trip(&parse(&nested(200), "t.mlir").unwrap());
    assert!(
        complaint(&nested(400))
            .2
            .contains("nesting is deeper than 256")
    );
    let deep = |open: &str, close: &str| {
        format!(
            "module attributes {{a.b = {}1{}}} {{}}",
            open.repeat(100_000),
            close.repeat(100_000)
        )
    };
    for (open, close) in [
        ("[", "]"),
        ("{a = ", "}"),
        ("tuple<", ">"),
        ("#stablehlo.x<a = ", ">"),
        ("dense<", ">"),
        ("loc(fused[", "])"),
        ("(", ")"),
    ] {
        assert!(parse(&deep(open, close), "t.mlir").is_err());
    }
}

#[test]
fn no_damaged_text_makes_the_importer_panic() {
    for seed in 0..5000u64 {
        let text = mutated([PRETTY, GENERIC, OTHERS][(seed % 3) as usize], seed);
        if let Ok(p) = parse(&text, "damaged.mlir")
            && let Ok(printed) = export::stablehlo::print(&p)
        {
            let again = parse(&printed, "printed.mlir")
                .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{printed}"));
            assert_eq!(
                again.structural_hash(),
                p.structural_hash(),
                "seed {seed}\n{printed}"
            );
        }
    }
}

/// Found by fuzzing: a string that begins with `#` was printed as the name of an attribute.
#[test]
fn strings_that_look_like_attributes_stay_strings() {
    for value in [
        "\"#default\"",
        "\"#sdy.mesh\"",
        "\"#stablehlo.x<y>\"",
        "\"#a<b\"",
        "#sdy.mesh<[\"x\"=2]>",
        "#sdy.nothing",
    ] {
        let text = format!(
            "func.func @main(%a: tensor<f32> {{m.x = {value}}}) -> tensor<f32> {{\n  return %a : tensor<f32>\n}}"
        );
        let program = parse(&text, "t.mlir").unwrap_or_else(|e| panic!("{value}: {e}"));
        let printed = crate::export::stablehlo::print(&program).unwrap();
        let again = parse(&printed, "t.mlir").unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert_eq!(
            again.structural_hash(),
            program.structural_hash(),
            "{printed}"
        );
    }
}
