// What is behind a Context.
#pragma once

#include <duoblas/context.hpp>

#include "hybrid/engine.hpp"

namespace duoblas {

struct Context::State {
  explicit State(const Settings& settings) : engine(settings) {}
  Engine engine;
};

/// For Context::last_call() of this thread.
void remember_call(const Plan& plan, bool recovered, double seconds);

}  // namespace duoblas
