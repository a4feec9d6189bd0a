//! HLO texts for tests, written for what they hold.

/// Stack frames, a fusion, a reduction, a call, layouts, nested constants, aliases.
pub const DENSE: &str = r#"HloModule dense, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias) }, entry_computation_layout={(f32[2,3]{1,0}, f32[2,4]{1,0})->(f32[2,4]{1,0}, f32[2]{0})}, num_partitions=2

FileNames
1 "model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=3 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add.1 = f32[] add(%a, %b)
}

%fused (p0: f32[2,4], p1: f32[2,4]) -> f32[2,4] {
  %p0 = f32[2,4]{1,0} parameter(0)
  %p1 = f32[2,4]{1,0} parameter(1)
  ROOT %max = f32[2,4]{1,0} maximum(%p0, %p1)
}

%relu (x: f32[2,4]) -> f32[2,4] {
  %x = f32[2,4]{1,0} parameter(0)
  %zero = f32[] constant(0)
  %zeros = f32[2,4]{1,0} broadcast(%zero), dimensions={}
  ROOT %r = f32[2,4]{1,0} fusion(%x, %zeros), kind=kLoop, calls=%fused
}

ENTRY %main (x: f32[2,3], y: f32[2,4]) -> (f32[2,4], f32[2]) {
  %y = f32[2,4]{1,0} parameter(1), metadata={op_name="y"}
  %x = f32[2,3]{1,0} parameter(0)
  %w = f32[3,4]{0,1} constant({ { 1, 2, 3, -1.5 }, /*i0=1*/ { 4, 5, 6, inf }, { 7e-3, nan, 9, 0 } })
  %d = f32[2,4]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}, metadata={op_name="jit(f)/dot" stack_frame_id=1}
  %c = f32[2,4]{1,0} call(%d), to_apply=%relu, frontend_attributes={note="a,b"}
  %z = f32[] constant(0)
  %s = f32[2]{0} reduce(%c, %z), dimensions={1}, to_apply=%sum, backend_config={"outer_dimension_partitions":["2"]}
  ROOT %out = (f32[2,4]{1,0}, f32[2]{0}) tuple(%c, %s)
}
"#;

/// A loop over a tuple, both forms of a conditional, an index out of a nested tuple.
pub const CONTROL: &str = r#"HloModule control, entry_computation_layout={(s32[], f32[4]{0}, pred[])->(s32[], f32[4]{0})}

cond {
  p = (s32[], f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[4]{0} get-tuple-element(p), index=1
  twice = f32[4]{0} add(v, v)
  ROOT t = (s32[], f32[4]{0}) tuple(next, twice)
}

yes {
  a = (f32[4]{0}, /*index=1*/(f32[4]{0})) parameter(0)
  a0 = f32[4]{0} get-tuple-element(a), index=0
  inner = (f32[4]{0}) get-tuple-element(a), index=1
  a1 = f32[4]{0} get-tuple-element(inner), index=0
  ROOT s = f32[4]{0} multiply(a0, a1)
}

no {
  ROOT b = f32[4]{0} parameter(0)
}

neg {
  b = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(b)
}

ENTRY main {
  i = s32[] parameter(0)
  v = f32[4]{0} parameter(1)
  p = pred[] parameter(2)
  state = (s32[], f32[4]{0}) tuple(i, v)
  loop = (s32[], f32[4]{0}) while(state), condition=cond, body=body
  j = s32[] get-tuple-element(loop), index=0
  w = f32[4]{0} get-tuple-element(loop), index=1
  one = (f32[4]{0}) tuple(v)
  both = (f32[4]{0}, (f32[4]{0})) tuple(w, one)
  x = f32[4]{0} conditional(p, both, w), true_computation=yes, false_computation=no
  y = f32[4]{0} conditional(j, x, x), branch_computations={no, neg}
  ROOT t = (s32[], f32[4]{0}) tuple(j, y)
}
"#;

/// Movement, windows, gathers and scatters, ranges and padding.
pub const MOVEMENT: &str = r#"HloModule movement

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[1,8,8,2]{3,2,1,0} parameter(0)
  k = f32[3,3,2,4]{3,2,1,0} parameter(1)
  i = s32[5,1]{1,0} parameter(2)
  conv = f32[1,8,8,4]{3,2,1,0} convolution(x, k), window={size=3x3 pad=1_1x1_1 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f
  z = f32[] constant(0)
  pool = f32[1,4,4,4]{3,2,1,0} reduce-window(conv, z), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=sum
  flat = f32[16,4]{1,0} reshape(pool)
  rows = f32[5,4]{1,0} gather(flat, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  back = f32[16,4]{1,0} scatter(flat, i, rows), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  part = f32[3,4]{1,0} slice(back), slice={[1:10:3], [0:4]}
  wide = f32[6,9]{1,0} pad(part, z), padding=1_2x0_2_1
  turn = f32[9,6]{1,0} transpose(wide), dimensions={1,0}
  at = s32[] constant(1)
  piece = f32[2,3]{1,0} dynamic-slice(turn, at, at), dynamic_slice_sizes={2,3}
  put = f32[9,6]{1,0} dynamic-update-slice(turn, piece, at, at)
  count = f32[9,6]{1,0} iota(), iota_dimension=1
  all = f32[9,12]{1,0} concatenate(put, count), dimensions={1}
  ROOT r = f32[9,12]{1,0} reverse(all), dimensions={0}
}
"#;

/// A constant left out, a custom call with a typed dictionary, a composite, control predecessors, a barrier.
pub const CALLS: &str = r#"HloModule calls

norm {
  a = f32[8]{0} parameter(0)
  ROOT b = f32[8]{0} multiply(a, a)
}

ENTRY main {
  a = f32[8]{0} parameter(0), sharding={replicated}
  big = f32[100,100]{1,0} constant({...})
  c = (f32[8]{0}, s32[]) custom-call(a, big), custom_call_target="lapack", operand_layout_constraints={f32[8]{0}, f32[100,100]{0,1}}, output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8, eps = 1.0e-5 : f32}
  c0 = f32[8]{0} get-tuple-element(c), index=0
  n = f32[8]{0} call(c0), to_apply=norm, is_composite=true, frontend_attributes={composite.attributes={eps = 1.000000e-05 : f64},composite.name="my.norm",composite.version="1"}
  m = f32[8]{0} negate(n), control-predecessors={c}
  pair = (f32[8]{0}, f32[8]{0}) tuple(m, n)
  kept = (f32[8]{0}, f32[8]{0}) opt-barrier(pair)
  ROOT k = f32[8]{0} get-tuple-element(kept), index=1
}
"#;

pub const ALL: &[&str] = &[DENSE, CONTROL, MOVEMENT, CALLS];
