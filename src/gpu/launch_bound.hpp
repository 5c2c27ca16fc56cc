// How much of a product one launch computes. A GPU that drives a display draws nothing while a
// kernel runs, and watchdogs end kernels that run for seconds: there launches are short.
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

/// Seconds that a launch may take where the user said nothing; 0: any time. Bounded are GPUs that
/// share the host's memory, and those of which no driver says whether they have a display (a bound
/// costs one launch in 100 ms). NVIDIA's driver says so: where it ends long kernels there is a
/// display. CPU devices have none.
double default_launch_seconds(const cl::DeviceInfo& device);
/// Seconds after which a device that does not end its work is taken to hang (GpuBounds), or 0: a
/// CPU device is waited for.
double default_deadline(const cl::DeviceInfo& device);

/// A part of C: whole tiles, but for its edges.
struct LaunchShape {
  std::int64_t rows = 0, columns = 0;
};

/// What launches of a product are cut into.
struct LaunchUnits {
  std::int64_t rows = 1, columns = 1;  ///< of a tile
  /// Tiles that a device computes at once: fewer take as long.
  std::int64_t tiles_at_once = 1;
};

/// Seconds that a launch of this part is estimated to take, at `rate` flops per second where memory
/// does not take longer.
double launch_seconds(const GemmProblem& problem, const LaunchShape& part, double rate);

/// The largest part of C that is estimated to take `seconds` at most, rows first: whole tiles, and
/// as many as the device computes at once, whatever those take. \pre m, n, k >= 1.
LaunchShape launch_shape(const GemmProblem& problem, const LaunchUnits& units, double rate,
                         double seconds);

/// The rates that kernels were seen to have on one device. Thread-safe.
class LaunchPace {
 public:
  explicit LaunchPace(double bound_seconds) : bound_(bound_seconds) {}

  /// Of a launch; 0: there is no bound.
  double bound() const { return bound_; }
  /// Flops per second, from a profile: what to believe of kernels that were not seen yet.
  void expect(Precision precision, double rate);
  /// What a kernel was seen to have, or the profile; nothing: nobody knows.
  std::optional<double> rate(const KernelParams& kernel, Precision precision) const;
  /// The same, or a guess that is slow for any GPU.
  double rate_or_guess(const KernelParams& kernel, Precision precision) const;
  /// A product that took so long, or (not `exactly`) no longer.
  void saw(const KernelParams& kernel, Precision precision, double rate, bool exactly);
  /// A whole product that took `seconds`, or (not `exactly`) no longer. Where its start or memory
  /// may have taken them, it says what the rate is at least.
  void saw_product(const KernelParams& kernel, const GemmProblem& product, double seconds,
                   bool exactly);

 private:
  /// What decides most of a kernel's speed; not how its operands come.
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
