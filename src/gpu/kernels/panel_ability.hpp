// Whether a device factorises LU's panels itself (panels_on_device.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernel_space/device_limits.hpp"

namespace duoblas {

/// The work-groups of such a panel wait for each other, so all of them must run at the same time.
/// OpenCL promises that of no device.
struct PanelAbility {
  /// NVIDIA devices whose neighbours shuffle: each unit has room for a group (512 work-items with
  /// up to 128 registers, 38 KB of local memory).
  void set(const DeviceLimits& limits) {
    const bool is_known = limits.shuffle_width == 32;
    const auto items = static_cast<int>(std::min<std::size_t>(limits.max_work_group_size, 4096));
    rows_of_group = is_known ? 64 : items / 8 / 32 * 32;
    groups = is_known ? limits.compute_units : 0;
    polls = limits.is_cpu ? 1'000'000'000 : 1'000'000;
  }

  int rows_of_group = 0;
  /// The most groups that run at the same time, as far as is known. 0: the host has the panels. Any
  /// thread may take the ability away, if groups did not see each other.
  std::atomic<int> groups{0};
  int polls = 0;  ///< until a number of another group is there; some tenths of a second, by the
                  ///< cycles of a large GPU
};

/// The most groups of a panel.
inline constexpr std::int64_t most_panel_groups = 128;

/// What the groups of a panel tell each other. There are two boards, one of which a launch clears.
struct PanelBoards {
  static constexpr std::int64_t inner = 16;  ///< columns whose numbers are told with a candidate

  PanelBoards(std::int64_t rows_of_group, std::int64_t rows, std::int64_t width)
      : groups((rows + rows_of_group - 1) / rows_of_group),
        words(width * (groups * (inner + 1) + width)) {}
  std::int64_t groups, words;
};

}  // namespace duoblas
