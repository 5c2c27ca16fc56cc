// What calls cost in joules, by whatever can tell.
#pragma once

#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

class CallEnergy {
 public:
  virtual ~CallEnergy() = default;

  /// Now, as a moment that joules can be asked of.
  virtual double mark() = 0;
  /// Whether all sensors have said what had been consumed at that moment.
  virtual bool has_told(double mark) = 0;
  /// Between two marks; nothing where a sensor was gone in between, and problem() says why.
  virtual std::optional<double> joules(double begin, double end) = 0;
  virtual std::string problem() const = 0;

  /// The shortest work of which the sensors can tell anything.
  virtual double piece_seconds() const = 0;
  /// Work this long before and after it makes sure that they tell of nothing else.
  virtual double settle_seconds() const = 0;
  /// What a sample takes at least, all in all.
  double sample_seconds() const { return piece_seconds() + 2 * settle_seconds(); }
};

/// A sample with joules: calls are repeated for a piece's time, and work goes on around it. The
/// means are returned; nothing where the GPU failed and the CPU had to do its part. `repeats` calls
/// are made between two looks at the clock. \throws Error where no energy can be measured any more.
std::optional<CallSample> metered_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats, CallEnergy& energy);

}  // namespace duoblas
