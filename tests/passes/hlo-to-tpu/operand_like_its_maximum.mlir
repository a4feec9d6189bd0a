// pass: hlo-to-tpu
// A sum of squares is what is left of it above 0: the kernel that takes it may be judged on numbers of its own only from the right one.
func.func @main(%x: tensor<5x130xf32>, %r: tensor<130xf32>) -> (tensor<130xf32>, tensor<130xf32>) {
  %0:2 = hlo.fusion %x, %r {kind = "kInput"} : (tensor<5x130xf32>, tensor<130xf32>) -> (tensor<130xf32>, tensor<130xf32>) {
  ^bb0(%a: tensor<5x130xf32>, %b: tensor<130xf32>):
    %z = hlo.constant dense<0.0> : tensor<f32>
    %s = hlo.multiply %a, %a : tensor<5x130xf32> loc("op1")
    %v = hlo.reduce %s, %z {dimensions = array<i64: 0>} : (tensor<5x130xf32>, tensor<f32>) -> tensor<130xf32> {
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %t = hlo.add %c, %d : tensor<f32>
      hlo.return %t : tensor<f32>
    } loc("op2")
    %zs = hlo.constant dense<0.0> : tensor<130xf32>
    %m = hlo.maximum %zs, %v : tensor<130xf32> loc("op3")
    %u = hlo.multiply %m, %b : tensor<130xf32> loc("op4")
    hlo.return %v, %u : tensor<130xf32>, tensor<130xf32>
  } loc(fused["op4", "op1", "op2", "op3"])
  %1 = hlo.fusion %0#0 {kind = "kLoop"} : (tensor<130xf32>) -> tensor<130xf32> {
  ^bb0(%a: tensor<130xf32>):
    %zs = hlo.constant dense<0.0> : tensor<130xf32>
    %eps = hlo.constant dense<1.0e-5> : tensor<130xf32>
    %m = hlo.maximum %zs, %a : tensor<130xf32> loc("op3")
    %e = hlo.add %m, %eps : tensor<130xf32> loc("op5")
    hlo.return %e : tensor<130xf32>
  } loc(fused["op5", "op3"])
  return %0#1, %1 : tensor<130xf32>, tensor<130xf32>
}
