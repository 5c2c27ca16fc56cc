// Runs a test case on a GpuSide alone.
#pragma once

#include <gtest/gtest.h>

#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/caller_gemm.hpp"
#include "support/first_device.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {

template <typename T>
GemmProblem problem_of(const Call<T>& call, T* c, std::int64_t ldc) {
  CallerGemm caller;
  caller.layout = call.layout;
  caller.args = {.precision = precision_of<T>,
                 .op_a = call.op_a,
                 .op_b = call.op_b,
                 .m = call.m,
                 .n = call.n,
                 .k = call.k,
                 .alpha = call.alpha,
                 .a = call.a,
                 .lda = call.lda,
                 .b = call.b,
                 .ldb = call.ldb,
                 .beta = call.beta,
                 .c = c,
                 .ldc = ldc};
  return to_row_major(caller);
}

/// The whole product on the GPU's side with the device's default kernel.
template <typename T>
Front<T> side_front(GpuSide& side, SharingMode mode) {
  return [&side, mode](const Call<T>& call, T* c, std::int64_t ldc) {
    const KernelParams kernel = default_kernel(precision_of<T>, side.limits());
    side.submit(problem_of(call, c, ldc), kernel, mode).wait();
  };
}

}  // namespace duoblas::test
