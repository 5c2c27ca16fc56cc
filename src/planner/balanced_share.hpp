// The device's share with which both sides of a level-3 job end at the same time.
#pragma once

#include <algorithm>
#include <optional>

#include "planner/way_class.hpp"

namespace duoblas {

/// Pure and deterministic; not thread-safe. Of this process's jobs.
class BalancedShare {
 public:
  /// Learns from the seconds of each side of a job. The device had `share` of the flops.
  void observe(double share, double device_seconds, double cpu_seconds) {
    if (share <= 0 || share > 1 || device_seconds <= 0) return;
    if (share == 1) cpu_.unseen.add(last_whole_ = device_seconds);
    if (share == 1 || cpu_seconds <= 0) return;
    cpu_.unseen = {};
    learn(device_, 0, device_seconds / share);
    learn(cpu_, 0, cpu_seconds / (1 - share));
  }

  /// As the last jobs showed; nothing: too few were seen. \param least_of_cpu the smallest share
  /// that the CPU's side can have. If less than half of that is its due, the device has all, and
  /// that side is looked at again as other ways are.
  std::optional<double> share(double least_of_cpu) {
    if (!device_.is_known() || !cpu_.is_known()) return {};
    const double device = device_.per_unit(), cpu = cpu_.per_unit();
    const double due = device / (device + cpu);
    if (due >= least_of_cpu / 2) return cpu / (device + cpu);
    // The CPU's side would take longer than the device takes for all, by as much as its part is
    // larger than its due.
    const double excess = least_of_cpu / std::max(due, 1e-9) - 1;
    if (!cpu_.unseen.pay_for(excess * last_whole_)) return 1.0;
    cpu_.unseen = {};
    cpu_.is_look = true;
    return 1 - least_of_cpu;
  }

 private:
  WayTimes device_, cpu_;  ///< of the whole call by one side
  double last_whole_ = 0;  ///< seconds of the last job without the CPU's side
};

}  // namespace duoblas
