// The smallest sizes at which the drop-in asks the engine, and why it does not below them.
#pragma once

#include "engine/engine.hpp"
#include "problem/blas_call.h"
#include "problem/precision.hpp"

namespace duoblas {

/// Flops as in problem/blas_call.h, per routine and precision. The drop-in reads them; these
/// functions write them.
extern double call_limits[DUOBLAS_ROUTINES][precision_count];

/// The limit before the device is known: from these flops on it is looked for.
double flops_to_open(int routine, Precision precision);
void look_for_device_from_there_on() noexcept;

/// The limits for an open device. `useful`: products may use it.
void limit_calls(Engine& engine, bool useful);
/// The limits of memory-bound calls, before a device is open.
void limit_streams(Engine& engine);

/// Leaves every call to the program's BLAS from now on.
void leave_everything(Reason reason) noexcept;
/// Why a call below the limit is left. \throws SettingError; std::bad_alloc.
Reason why_below_limit(const duoblas_blas_call& call, Engine& (*engine)());

}  // namespace duoblas
