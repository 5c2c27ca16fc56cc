// The start of the device for a preloaded program: what is kept of the calls before it, and what is
// made ready for those after it.
#pragma once

#include <string>

#include "dropin/engine/start_policy.hpp"
#include "engine/engine.hpp"
#include "problem/blas_call.h"

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

}  // namespace duoblas
