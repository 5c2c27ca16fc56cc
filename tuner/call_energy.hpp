// The energy of calls in joules, from any source.
#pragma once

#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

class CallEnergy {
 public:
  virtual ~CallEnergy() = default;

  /// The present moment; pass it to joules().
  virtual double mark() = 0;
  /// Whether all sensors have reported beyond that moment.
  virtual bool has_told(double mark) = 0;
  /// Joules between two marks. Nothing if a sensor was gone in between; problem() says why.
  virtual std::optional<double> joules(double begin, double end) = 0;
  virtual std::string problem() const = 0;

  /// The shortest work that the sensors can measure.
  virtual double piece_seconds() const = 0;
  /// Work of this length before and after it ensures that they measure nothing else.
  virtual double settle_seconds() const = 0;
  /// The shortest duration of a sample.
  double sample_seconds() const { return piece_seconds() + 2 * settle_seconds(); }
};

/// A sample with joules: calls are repeated for piece_seconds(), with more work before and after.
/// Returns the means; nothing if the GPU failed and the CPU did its part. The clock is read after
/// every `repeats` calls. \throws Error if energy can no longer be measured.
std::optional<CallSample> metered_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats, CallEnergy& energy);

}  // namespace duoblas
