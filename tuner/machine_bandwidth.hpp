// The memory bandwidth of a machine for each side, and for both at once.
#pragma once

#include "engine/engine.hpp"
#include "profile/memory_rates.hpp"

namespace duoblas {

/// Medians over arrays that no cache holds. Nothing else reads an array meanwhile; with both sides,
/// each reads its half. Takes one to two seconds beside the compiler's time. A rate that cannot be
/// measured is 0 (memory or threads are short, or the device fails). Calls that use the device wait
/// meanwhile.
MemoryRates measure_memory_rates(Engine& engine);

}  // namespace duoblas
