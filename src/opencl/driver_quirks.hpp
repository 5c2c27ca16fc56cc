// Faults and peculiarities of single drivers: all such knowledge is here.
//
// To add a row: reduce the fault to a few lines, name the driver by the names that it reports,
// bound its versions if they are known, and give the source of the knowledge (driver_quirks.cpp).
#pragma once

#include <span>
#include <string_view>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// The behaviour of a driver. All false: as the standard says. Code for `allocates_late` and
/// `leaks_mapped_buffers` is used with every driver, since it costs nothing (context.cpp,
/// mapping.hpp, queue.cpp); code for `one_stack_per_group` and `slow_tiled_builds` with every CPU
/// device (kernel_rules.cpp).
struct DriverQuirks {
  /// It stores compiled programs on disk itself, and making their binaries costs time.
  bool keeps_programs = false;
  /// Its number of compute units is fixed when it starts in this process.
  bool sized_at_start = false;
  /// One thread runs all work-items of a group, and their private memory lies on its stack of 8
  /// MiB.
  bool one_stack_per_group = false;
  /// It takes seconds to compile a long tiled kernel.
  bool slow_tiled_builds = false;
  /// A buffer of any size can be created; its first use then fails.
  bool allocates_late = false;
  /// Commands of a context wait while a program is compiled there (program_cache.hpp).
  bool compiler_holds_context = false;
  /// A buffer that is released while it is mapped is never freed.
  bool leaks_mapped_buffers = false;
  /// If an index is a work-item's number, divided and then narrowed to int, it is read undivided.
  /// Our kernels narrow first (kernels/README.md).
  bool misreads_divided_ids = false;
  /// A work-item leaves its loops after 65,535 iterations, counted over all loops together.
  bool ends_long_loops = false;
  /// Its compiler ends the process at some kernels, and nothing tells which before.
  bool compiler_aborts = false;
  /// It links kernels by a program, and ends the process where it cannot (driver_needs.hpp).
  bool links_by_program = false;
  /// It finds the machine's memory in /sys, and ends the process where there is none.
  bool needs_sysfs = false;
  /// CL_KERNEL_WORK_GROUP_SIZE is less than what it can launch; only a launch shows that.
  bool understates_groups = false;
  /// Its memory is the host's, but a buffer that wraps host memory is a copy all the same.
  bool unified_but_shadows = false;

  friend bool operator==(const DriverQuirks&, const DriverQuirks&) = default;
};

/// A row applies if both names match and the driver's version is at least `since` and below
/// `fixed_in`.
struct DriverQuirk {
  std::string_view platform;  ///< its whole name; empty: any
  std::string_view device;    ///< a part of its name, in this case; empty: any
  std::string_view fixed_in;  ///< "25.0"; empty: not known to be fixed
  bool DriverQuirks::*effect;
  std::string_view source;      ///< where the knowledge comes from
  std::string_view since = {};  ///< empty: any
};

std::span<const DriverQuirk> known_quirks();

/// The quirks of this device's driver. Pure: reads only the names and the version of `info`.
DriverQuirks quirks_of(const DeviceInfo& info);

/// The same device, with wrong reports corrected.
DeviceInfo corrected(DeviceInfo info);

/// Compares the last dotted number of `version` (such as "22.3.6" or "OpenCL 3.0 Mesa 22.3.6") with
/// `bound`. False if it has none.
bool is_version_below(std::string_view version, std::string_view bound);

}  // namespace duoblas::cl
