// Keeps a core free for the driver while it starts beside the program's own BLAS.
#pragma once

#include "problem/blas_call.h"

namespace duoblas {

/// Whether the program's BLAS should leave a core free during this call. That helps if it has a
/// thread on every core, so that each product waits for the slowest of them, and the device is
/// being started or kernels are being built. Not for calls that take so long that the driver would
/// disturb them less. `begins`: with this call, perhaps.
bool should_spare_a_core(const duoblas_blas_call& call, bool begins) noexcept;

/// Whether the device's start takes so long that it compiles. Beside a start the program's BLAS has
/// a core less, and its times tell little. But beside this one they may be all that there are when
/// the device is open. Of products they are taken as upper bounds.
bool start_compiles() noexcept;

/// The same as `should_spare_a_core` for a call of so many flops on so many threads, in a process
/// that may use so many cores.
bool is_worth_a_core(double flops, int threads, int cores) noexcept;

}  // namespace duoblas
