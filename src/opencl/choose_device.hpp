// Which of the listed devices is used: a GPU, or what the user names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// `wanted` empty: the first GPU; where there is none and `cpu_allowed`, the first CPU device.
/// An index, or a part of a name (upper and lower case alike): that device, even a CPU. "none":
/// nothing. Where nothing fits, `why_not` (when given) says so and lists what there is.
std::optional<Device> choose_device(const std::vector<Device>& devices, const std::string& wanted,
                                    bool cpu_allowed, std::string* why_not = nullptr);

}  // namespace duoblas::cl
