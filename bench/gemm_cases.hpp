// What bench_gemm measures.
#pragma once

#include "bench/harness.hpp"
#include "bench/peer.hpp"

namespace duoblas {

/// Kernels against cuBLAS and CLBlast, operands in the device's memory.
BenchCase device_case();
/// The same of strided batches.
BenchCase batch_case();
/// Operands in a program's memory: each way that they can reach the device, and cuBLASXt.
BenchCase host_case();
/// Plans of products that were never tuned, against the best of a sweep.
BenchCase shapes_case();

}  // namespace duoblas
