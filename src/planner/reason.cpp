#include "planner/reason.hpp"

namespace duoblas {

std::string_view sentence(Reason reason) {
  using enum Reason;
  switch (reason) {
    case none: return "";
    case as_told: return "computed as told, for a measurement";
    case cpu_asked_for: return "the CPU was asked for";
    case gpu_asked_for: return "the GPU was asked for";
    case split_given: return "the split was given";
    case split_leaves_gpu_nothing: return "the split leaves the GPU nothing";
    case both_asked_share_tuned: return "both sides were asked for; the share was tuned";
    case both_asked_share_borrowed:
      return "both sides were asked for; the share is that of another machine's profile";
    case both_asked_untuned: return "both sides were asked for; nothing was tuned: half each";
    case both_asked_gpu_far_faster:
      return "both sides were asked for, but the GPU is faster alone by far";
    case no_elements: return "there is no element to compute, or none to compute it from";
    case only_scales: return "there is no product: C is only scaled";
    case too_small: return "too small for the GPU";
    case batch_together: return "the CPU does small products of a batch together";
    case below_crossover: return "below the size from which the GPU is worth its overhead";
    case copies_take_longer:
      return "the device works on copies, and to copy takes longer than the CPU does";
    case share_below_tile: return "the GPU's share is less than a tile";
    case cpu_fastest: return "the CPU alone is fastest at this shape";
    case gpu_fastest: return "the GPU alone is fastest at this shape";
    case both_fastest: return "both sides together are fastest at this shape";
    case cpu_fastest_same_device:
      return "the CPU alone is fastest, as tuned on this device with another driver or CPU";
    case gpu_fastest_same_device:
      return "the GPU alone is fastest, as tuned on this device with another driver or CPU";
    case both_fastest_same_device:
      return "both sides together are fastest, as tuned on this device with another driver or CPU";
    case cpu_cheapest: return "the CPU alone costs the least energy at this shape";
    case gpu_cheapest: return "the GPU alone costs the least energy at this shape";
    case both_cheapest: return "both sides together cost the least energy at this shape";
    case routine_fastest: return "the CPU BLAS's own routine is fastest";
    case share_follows_times: return "the share follows the measured times of both sides";
    case finding_out: return "to find out how fast this way is";
    case untuned: return "this machine was not tuned (run \"duoblas tune\")";
    case tuned_on_other_device:
      return "the profile is that of another device (run \"duoblas tune\")";
    case no_device: return "there is no OpenCL device to use (\"duoblas devices\" says why)";
    case device_held:
      return "another process holds the device for itself (DUOBLAS_VERBOSE=1 names it)";
    case driver_left_out:
      return "the device's driver would end this process (DUOBLAS_VERBOSE=1 says why)";
    case no_double_precision: return "the device has no double precision";
    case no_kernel_launches: return "the device launches none of the kernels for this type";
    case forked_child: return "forked child: CPU only";
    case gpu_failed_before: return "the GPU failed before";
    case gpu_was_wrong_before: return "the GPU computed wrong results with two kernels";
    case no_gpu_now: return "no GPU can be used";
    case gpu_busy: return "the GPU was busy for longer";
    case gpu_short_of_memory:
      return "the GPU was short of memory or another resource; it is tried again later";
    case such_jobs_failed:
      return "the GPU did not do such calls before, which failed or had unsuited numbers; one is "
             "tried again later";
    case numbers_unsuited:
      return "its numbers do not suit the device (too far apart for products by integers, close to "
             "singular, or not finite), and the CPU did its part";
    case gpu_failed: return "the GPU failed, and the CPU did its part";
    case gpu_was_wrong: return "the GPU's result was wrong, and the CPU did its part";
    case too_little_work_yet:
      return "the process had not multiplied enough to start the device for it";
    case device_not_known:
      return "no device is started for it before one is known that shares the CPU's memory";
    case device_starting: return "the device was being started";
    case kernels_not_missed:
      return "its kernels are not built, and calls have not missed them for long enough";
    case check_too_long:
      return "a kernel's first results are checked, and calls have not missed it for long enough";
    case kernels_building: return "its kernels were being built and tried";
    case program_faster: return "the program's own BLAS was faster at calls like it";
    case routine_missing: return "the CPU BLAS of DuoBLAS does not have the routine";
    case no_cpu_blas: return "DuoBLAS has no CPU BLAS for its part (an earlier line says why)";
    case illegal_argument: return "an argument is illegal";
    case unknown_integers:
      return "the program's library did not show whether its integers have 32 bits or 64, or one "
             "needs more than 32";
    case wrong_settings: return "a setting is wrong (an earlier line names it)";
    case short_memory: return "DuoBLAS had not the memory for it, or another resource";
  }
  return "";
}

}  // namespace duoblas
