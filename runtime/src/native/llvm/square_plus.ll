; y[i] = x[i] * x[i] + x[i] for two elements, as XLA:CPU writes a kernel: one frame, whose arguments are pairs of address and size.
%XLA_CPU_KernelCallFrame = type { ptr, ptr, i64, ptr }
%XLA_CPU_KernelArg = type { ptr, i64 }

define ptr @square_plus(ptr %0) #0 {
  %2 = getelementptr inbounds %XLA_CPU_KernelCallFrame, ptr %0, i32 0, i32 3
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds %XLA_CPU_KernelArg, ptr %3, i32 0, i32 0
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds %XLA_CPU_KernelArg, ptr %3, i32 1, i32 0
  %7 = load ptr, ptr %6, align 8
  br label %8

8:
  %9 = phi i64 [ 0, %1 ], [ %16, %8 ]
  %10 = getelementptr inbounds float, ptr %5, i64 %9
  %11 = load float, ptr %10, align 4
  %12 = fmul float %11, %11
  %13 = fadd float %12, %11
  %14 = fmul float %13, f0x3F800000
  %15 = getelementptr inbounds float, ptr %7, i64 %9
  store float %14, ptr %15, align 4
  %16 = add i64 %9, 1
  %17 = icmp slt i64 %16, 2
  br i1 %17, label %8, label %18

18:
  ret ptr null
}

attributes #0 = { nounwind memory(readwrite, target_mem: none) }
