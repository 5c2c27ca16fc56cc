// The start of the device for a preloaded program: what is kept of the calls before it, and what is
// made ready for those after it.
#pragma once

#include <string>

#include "dropin/engine/start_policy.hpp"
#include "engine/engine.hpp"
#include "problem/blas_call.h"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Of the process's one engine. Never destroyed, because threads may multiply until the end.
StartPolicy& start_policy(const Engine& engine);

/// Now and then keeps for later runs what calls showed so far. Call it after each one.
void keep_work(Engine& engine) noexcept;

/// StartPolicy::account() of this process; empty: no call got so far. \throws std::bad_alloc.
std::string account_of_start();

/// Keeps what make_ready() needs of a call that the program's BLAS does.
void note_before_start(Engine& engine, const duoblas_blas_call& call) noexcept;

/// For opened_in_background(), when the device and its profile are known. Sets the sizes from which
/// the device is of use, and makes what first products would wait for. Without the CPU's part there
/// is no product.
void make_ready(Engine& engine);

/// Whether make_ready() has read what is known, so that the learner may get the calls before the
/// start.
bool device_is_open() noexcept;

/// Notes a call of a level-3 routine other than gemm that the program's own BLAS is going to do
/// before the device is started. Thread-safe.
void note_level3_before_start(const Level3Problem& problem) noexcept;

/// Builds kernels before a program's second call of such a routine, which needs several and would
/// wait for all of them: those for the largest of the calls, on this thread. \pre the device is
/// open, fork_generation() == 0.
void build_level3_kernels(Engine& engine);

/// Whether the program's BLAS should leave a core free for the driver during this call. That helps
/// if it has a thread on every core, so that each product waits for the slowest of them, and the
/// device is being started or kernels are being built. Not for calls that take so long that the
/// driver would disturb them less. `begins`: with this call, perhaps.
bool should_spare_a_core(const duoblas_blas_call& call, bool begins) noexcept;

/// Whether the device's start takes so long that it compiles. Beside a start the program's BLAS has
/// a core less, and its times tell little. But beside this one they may be all that there are when
/// the device is open. Of products they are taken as upper bounds.
bool start_compiles() noexcept;

/// The same as `should_spare_a_core` for a call of so many flops on so many threads, in a process
/// that may use so many cores.
bool is_worth_a_core(double flops, int threads, int cores) noexcept;

}  // namespace duoblas
