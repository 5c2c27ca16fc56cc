// What the memory of a machine gives each side, and both at once.
#pragma once

#include "engine/engine.hpp"
#include "profile/memory_rates.hpp"

namespace duoblas {

/// Medians of arrays that no cache holds, each read by nothing else meanwhile but, with both sides,
/// its other half. Takes one to two seconds beside the compiler's time. What cannot be measured is
/// 0: memory or threads are short, or the device fails. Calls that use the device wait meanwhile.
MemoryRates measure_memory_rates(Engine& engine);

}  // namespace duoblas
