// The times of sending operands to the device, of the kernel, and of fetching the result,
// separately.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/comparison.hpp"

namespace duoblas {

/// Medians of seconds; each step is waited for before the next.
struct TransferMode {
  /// For gemv B is x and C is y. "copies": A and B are written to buffers of the device, C is read.
  /// "zero-copy": the device works in the host's memory. A and B are unmapped after the host wrote
  /// to them; C is mapped for the host to read, and unmapped again.
  std::string mode;
  double a = 0, b = 0;  ///< to the device; the caller's A and B
  double kernel = 0;    ///< packing included
  double c = 0;         ///< back
  double error = 0;     ///< scaled, of the result that came back; right if < 1
  double whole() const { return a + b + kernel + c; }
};

struct TransferTimes {
  ComparisonProblem problem;
  std::string kernel;  ///< in one line
  double a_bytes = 0, b_bytes = 0, c_bytes = 0;
  int rounds = 0;
  std::vector<TransferMode> modes;
  std::string left_out;  ///< why a way is not there; empty: none is missing
};

/// The device, opened a second time for such measurements.
class TransferMeter {
 public:
  /// \throws DeviceError if the engine has no device, or it cannot be opened again.
  explicit TransferMeter(Engine& engine);
  ~TransferMeter();

  /// beta = 0. Ways take turns, `options.rounds` times. The kernel is the GPU's own of `profile`
  /// for this shape; of gemv the one that the device is given. Without ways, and with the reason,
  /// where the operands do not fit the device at once, or it fails.
  TransferTimes measure(const ComparisonProblem& problem, const Profile& profile,
                        const ComparisonOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
