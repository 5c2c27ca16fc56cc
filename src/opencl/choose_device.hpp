// Which of the listed devices is used: a GPU, or what the user names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// `wanted` empty: the GPUs; where there is none and `cpu_allowed`, the CPU devices. An index: that
/// device, even a CPU. A part of a name (upper and lower case alike): those that have it. "none":
/// nothing. In the order in which they are to be tried. Where nothing fits, `why_not` (when given)
/// says so and lists what there is.
std::vector<Device> matching_devices(const std::vector<Device>& devices, const std::string& wanted,
                                     bool cpu_allowed, std::string* why_not = nullptr);

/// The first of them.
std::optional<Device> choose_device(const std::vector<Device>& devices, const std::string& wanted,
                                    bool cpu_allowed, std::string* why_not = nullptr);

}  // namespace duoblas::cl
