// From which sizes on the drop-in asks the engine, and why it does not below them.
#pragma once

#include "engine/engine.hpp"
#include "problem/blas_call.h"
#include "problem/precision.hpp"

namespace duoblas {

/// Flops as problem/blas_call.h counts them, per routine and precision: what the drop-in reads, and
/// these functions write.
extern double call_limits[DUOBLAS_ROUTINES][precision_count];

/// Before the device is known: from which sizes on it is looked for.
double flops_to_open(int routine, Precision precision);
void look_for_device_from_there_on() noexcept;

/// What is known of the device decides. `useful`: products may use it.
void limit_calls(Engine& engine, bool useful);
/// The same of calls that memory bounds, before a device is open.
void limit_streams(Engine& engine);

/// Every call is the program's from now on.
void leave_everything(Reason reason) noexcept;
/// Why a call is left that is below the limit.
/// \throws SettingError; std::bad_alloc.
Reason why_below_limit(const duoblas_blas_call& call, Engine& (*engine)());

}  // namespace duoblas
