// How much of a product one launch computes. A GPU that drives a display draws nothing while a
// kernel runs, and watchdogs end kernels that run for seconds. There launches are short.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "kernel_space/kernel_params.hpp"
#include "opencl/device.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Seconds that a launch may take if the user gave no limit; 0: no limit. There is a limit for GPUs
/// that share the host's memory, and for those whose driver does not tell whether they have a
/// display (the limit costs one launch per 100 ms). NVIDIA's driver tells: if it ends long kernels,
/// there is a display. CPU devices have none.
double default_launch_seconds(const cl::DeviceInfo& device);
/// A device that does not end its work after so many seconds counts as hanging (GpuBounds). 0 for
/// CPU devices: no deadline.
double default_deadline(const cl::DeviceInfo& device);

/// A part of C: whole tiles, except at its edges.
struct LaunchShape {
  std::int64_t rows = 0, columns = 0;
};

/// The units into which a product is divided for its launches.
struct LaunchUnits {
  std::int64_t rows = 1, columns = 1;  ///< of a tile
  /// Tiles that the device computes at once; fewer take as long.
  std::int64_t tiles_at_once = 1;
};

/// The estimated seconds of a launch of this part, at `rate` flops per second, or at the memory's
/// rate if that is slower.
double launch_seconds(const GemmProblem& problem, const LaunchShape& part, double rate);

/// The largest part of C that is estimated to take at most `seconds`, rows first: whole tiles, and
/// at least as many as the device computes at once, however long those take. \pre m, n, k >= 1.
LaunchShape launch_shape(const GemmProblem& problem, const LaunchUnits& units, double rate,
                         double seconds);

/// The measured rates of kernels on one device. Thread-safe.
class LaunchPace {
 public:
  explicit LaunchPace(double bound_seconds) : bound_(bound_seconds) {}

  /// The limit of a launch in seconds; 0: none.
  double bound() const { return bound_; }
  /// Flops per second from a profile, used for kernels that were not measured yet.
  void expect(Precision precision, double rate);
  /// The measured rate of a kernel, or the profile's; nothing: unknown.
  std::optional<double> rate(const KernelParams& kernel, Precision precision) const;
  /// The same, or a guess that is slow for any GPU.
  double rate_or_guess(const KernelParams& kernel, Precision precision) const;
  /// Learns from a product: its rate was this, or (not `exactly`) at least this.
  void saw(const KernelParams& kernel, Precision precision, double rate, bool exactly);
  /// Learns from a whole product that took `seconds`, or (not `exactly`) at most that. If its start
  /// or memory may have dominated the time, the rate is a lower bound.
  void saw_product(const KernelParams& kernel, const GemmProblem& product, double seconds,
                   bool exactly);

 private:
  /// The parameters that decide most of a kernel's speed; not how its operands arrive.
  struct Kind {
    Precision precision;
    KernelFamily family;
    MatrixUnit matrix;
    std::int64_t row_tile, col_tile;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  struct Seen {
    Kind kind;
    double rate;
  };
  static Kind kind_of(const KernelParams& kernel, Precision precision);
  const double bound_;
  mutable std::mutex mutex_;
  std::array<double, precision_count> expected_{};
  std::vector<Seen> seen_;
};

}  // namespace duoblas
