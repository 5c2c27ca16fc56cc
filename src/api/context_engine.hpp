// The engine behind a context, for our own parts that decide before they compute.
#pragma once

#include <duoblas/context.hpp>

#include "engine/engine.hpp"

namespace duoblas {

struct ContextEngine {
  static Engine& of(Context& context);
};

}  // namespace duoblas
