// Kernels of a job before its last one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "opencl/handles.hpp"

namespace duoblas {

/// The last kernel does not show whether these failed, so whoever waits for it checks them, too.
using EarlierKernels = std::vector<std::shared_ptr<const cl::Event>>;

/// Checks kernels before one that has ended. \throws DeviceError if one failed.
inline void require_all(cl::Queue& queue, const EarlierKernels& earlier) {
  for (const auto& event : earlier) queue.check_ended(*event);
}

/// Adds a command before the last kernel; an empty event adds nothing.
inline void keep(EarlierKernels& earlier, cl::Event event) {
  if (event) earlier.push_back(std::make_shared<cl::Event>(std::move(event)));
}

}  // namespace duoblas
