// Which of the listed devices is used: a GPU, or the one that the user names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// The devices to try, in order. `wanted` is empty: the GPUs; if there is none and `cpu_allowed`,
/// the CPU devices. An index: that device, even a CPU. A part of a name, ignoring case: the devices
/// whose names contain it. "none": nothing. If no device fits, `why_not` (if given) says so and
/// lists the devices.
std::vector<Device> matching_devices(const std::vector<Device>& devices, const std::string& wanted,
                                     bool cpu_allowed, std::string* why_not = nullptr);

/// Of these, the devices that ranks of a job take in turns, by their number: those that are like
/// the first, since ranks with other devices would have other plans. Not empty, unless `matching`
/// is.
std::vector<Device> devices_for_ranks(std::vector<Device> matching);

/// The first of them.
std::optional<Device> choose_device(const std::vector<Device>& devices, const std::string& wanted,
                                    bool cpu_allowed, std::string* why_not = nullptr);

}  // namespace duoblas::cl
