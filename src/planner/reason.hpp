// Why a call is computed where it is: one list for the planner, the engine and the drop-in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace duoblas {

enum class Reason : std::uint8_t {
  none,  ///< nothing was decided yet; no sentence
  // What was asked for.
  as_told,
  cpu_asked_for,
  gpu_asked_for,
  split_given,
  split_leaves_gpu_nothing,
  both_asked_share_tuned,
  both_asked_share_borrowed,
  both_asked_untuned,
  both_asked_gpu_far_faster,
  // There is no product for two sides.
  no_elements,
  only_scales,
  too_small,
  batch_together,
  below_crossover,
  copies_take_longer,
  share_below_tile,
  // What tuning says.
  cpu_fastest,
  gpu_fastest,
  both_fastest,
  cpu_fastest_same_device,
  gpu_fastest_same_device,
  both_fastest_same_device,
  cpu_cheapest,
  gpu_cheapest,
  both_cheapest,
  routine_fastest,
  share_follows_times,
  finding_out,
  // What is missing.
  untuned,
  tuned_on_other_device,
  no_device,
  device_held,
  driver_left_out,
  no_double_precision,
  no_kernel_launches,
  forked_child,
  gpu_failed_before,
  gpu_was_wrong_before,
  // What the device would take first.
  kernels_building,
  kernels_not_missed,
  check_too_long,
  // Why an outcome is not what was decided.
  no_gpu_now,
  gpu_busy,
  gpu_short_of_memory,
  such_jobs_failed,
  numbers_unsuited,
  gpu_failed,
  gpu_was_wrong,
  // Only for a program's call that its own BLAS does. The reasons above can apply to it too.
  too_little_work_yet,
  device_not_known,
  device_starting,
  program_faster,
  routine_missing,
  no_cpu_blas,
  illegal_argument,
  unknown_integers,
  wrong_settings,
  short_memory,
};

inline constexpr std::size_t reason_count = static_cast<std::size_t>(Reason::short_memory) + 1;

/// The reason as a clause of static text (reason.cpp). Some name a command to run. Shown by
/// DUOBLAS_VERBOSE=2 and by the summary of the drop-in.
std::string_view sentence(Reason reason);

}  // namespace duoblas
