// A level-3 call's matrices in the caller's memory, as seen by a device that shares that memory.
#pragma once

#include <optional>

#include "gpu/device/opened_device.hpp"
#include "memory/operand_memory.hpp"
#include "memory/registered_memory.hpp"
#include "problem/host_rect.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The operands that the device uses in place. One without a buffer is copied; the device does that
/// itself if the memory is page-locked.
struct Level3Operands {
  BoundInputs inputs;
  std::optional<BoundResult> result;
  LockedUse locked_a, locked_b, locked_c;

  MatricesInPlace in_place() const {
    return {inputs.a.buffer != nullptr, inputs.b.buffer != nullptr, result.has_value()};
  }
};
/// \pre the caller holds the device's mutex. `wanted`: a result of usable_in_place(). `of_host`:
/// memory that the host writes meanwhile.
Level3Operands bind_in_place(OpenedDevice& device, const Level3Problem& problem,
                             MatricesInPlace wanted, const HostRect& of_host);

/// Locks the pages of copied operands in registered memory. \pre the caller holds the device's
/// mutex.
void hold_pages(PageLocks& locks, const Level3Problem& problem, Level3Operands& operands);

}  // namespace duoblas
