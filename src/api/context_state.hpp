// What is behind a Context.
#pragma once

#include <duoblas/context.hpp>

#include "hybrid/engine.hpp"

namespace duoblas {

struct Context::State {
  explicit State(const Settings& settings) : engine(settings) {}

  /// For Context::last_call() of this thread.
  static void remember(const Plan& plan, bool recovered, double seconds);

  Engine engine;
};

}  // namespace duoblas
