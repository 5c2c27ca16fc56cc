// A core for the driver that is being started beside the program's own BLAS.
#pragma once

#include "problem/blas_call.h"

namespace duoblas {

/// Whether the program's BLAS should leave a core alone for this call: it has a thread on every
/// core, each product waits for the slowest of them, and the device is being started or kernels are
/// built meanwhile. Not where the call takes so long that the driver would disturb it less.
bool should_spare_a_core(const duoblas_blas_call& call) noexcept;

/// The same of a call of so many flops on so many threads, where the process may use so many cores.
bool is_worth_a_core(double flops, int threads, int cores) noexcept;

}  // namespace duoblas
