// The start of the device for a preloaded program: what is kept of the calls before it, and what is
// made ready for those after it.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// Of the process's one engine, once its program is known.
Outlays& program_outlays(Engine& engine);

/// Now and then keeps for later runs what calls showed so far. Call it after each one.
void keep_work(Engine& engine) noexcept;

/// Outlays::account() of this process; empty: no call got so far. \throws std::bad_alloc.
std::string account_of_program();

/// Keeps what make_ready() needs of a call that the program's BLAS does.
void note_before_start(const duoblas_blas_call& call) noexcept;

/// For opened_in_background(), when the device and its profile are known. Sets the sizes from which
/// the device is of use, and makes what first products would wait for. Without the CPU's part there
/// is no product.
void make_ready(Engine& engine);

/// For a call of a rank: the device is open and made ready, or this call waits for it.
void make_rank_ready(Engine& engine);

/// Whether make_ready() has read what is known, so that the learner may get the calls before the
/// start.
bool device_is_open() noexcept;

/// Whether the program's BLAS should leave a core free for the driver during this call. That helps
/// if it has a thread on every core, so that each product waits for the slowest of them, and the
/// device is being started or kernels are being built. Not for calls that take so long that the
/// driver would disturb them less. `begins`: with this call, perhaps.
bool should_spare_a_core(const Outlays& outlays, const duoblas_blas_call& call,
                         bool begins) noexcept;

/// The same as `should_spare_a_core` for a call of so many flops on so many threads, in a process
/// that may use so many cores, beside work that began `passed` seconds ago. A core costs a call as
/// much of its time as it is of all; it is spared until that is what a program loses by a start.
bool is_worth_a_core(double flops, int threads, int cores, double passed,
                     double lost_by_start) noexcept;

}  // namespace duoblas
