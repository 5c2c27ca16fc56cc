// How much of a random call the device did.
#pragma once

#include "api/context_state.hpp"
#include "soak/made_call.hpp"

namespace duoblas::soak {

struct DevicePart {
  double flops = 0;  ///< of the whole call
  double on_device = 0;
  bool recovered = false;     ///< the device failed
  bool is_in_lapack = false;  ///< it did something of a call of LAPACK, whose flops are not counted
};

/// Of the calling thread's last call, which this was. Of the other level-3 routines: as it is
/// decided for the same arguments again.
DevicePart device_part(Engine& engine, const SoakCall& call, const MadeCall& made);

}  // namespace duoblas::soak
