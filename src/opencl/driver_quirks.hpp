// What drivers do otherwise than their siblings: the one home of such knowledge.
//
// To add a row: reduce the fault to a few lines, name the driver by what it says of itself, bound
// its versions where they are known, and say where the knowledge is from (driver_quirks.cpp).
#pragma once

#include <span>
#include <string_view>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// What a driver does. All false: as the standard has it. `allocates_late` and
/// `leaks_mapped_buffers` are met on every driver, since that costs nothing (context.cpp,
/// mapping.cpp, queue.cpp); `one_stack_per_group` and `slow_tiled_builds` on every CPU device
/// (kernel_rules.cpp).
struct DriverQuirks {
  /// It keeps compiled programs on disk by itself, and makes their binaries at a cost.
  bool keeps_programs = false;
  /// It has as many compute units as it was told to when it was started in this process.
  bool sized_at_start = false;
  /// All work-items of a group are one thread's, and what they hold lies on its stack of 8 MiB.
  bool one_stack_per_group = false;
  /// It takes seconds to compile a tiled kernel that is long.
  bool slow_tiled_builds = false;
  /// A buffer of any size can be created; its first use then fails.
  bool allocates_late = false;
  /// A buffer that is released while it is mapped is never freed.
  bool leaks_mapped_buffers = false;
  /// An index that is a work-item's number, divided and then narrowed to int, is read undivided.
  /// Our kernels narrow first (kernels/README.md).
  bool misreads_divided_ids = false;
  /// A work-item leaves its loops once it has gone round 65,535 times, in all of them together.
  bool ends_long_loops = false;
  /// Its compiler ends the process at some kernels, of which nothing tells before.
  bool compiler_aborts = false;
  /// CL_KERNEL_WORK_GROUP_SIZE is less than what it launches: only a launch tells.
  bool understates_groups = false;
  /// Its memory is the host's, but what wraps the host's memory is a copy all the same.
  bool unified_but_shadows = false;

  friend bool operator==(const DriverQuirks&, const DriverQuirks&) = default;
};

/// A row applies where both names fit and the driver's version is `since` or above, and below
/// `fixed_in`.
struct DriverQuirk {
  std::string_view platform;  ///< the whole of its name; empty: any
  std::string_view device;    ///< a part of its name, in this case; empty: any
  std::string_view fixed_in;  ///< "25.0"; empty: not known to be fixed
  bool DriverQuirks::*effect;
  std::string_view source;      ///< where the knowledge is from
  std::string_view since = {};  ///< empty: any
};

std::span<const DriverQuirk> known_quirks();

/// What this device's driver does. Pure: of `info` only the names and the version count.
DriverQuirks quirks_of(const DeviceInfo& info);

/// The same, with what is not to be believed put right.
DeviceInfo corrected(DeviceInfo info);

/// Whether the last number of `version` (such as "22.3.6" or "OpenCL 3.0 Mesa 22.3.6") that has a
/// dot, and what follows it, is lower than `bound`. No number: it is not.
bool is_version_below(std::string_view version, std::string_view bound);

}  // namespace duoblas::cl
