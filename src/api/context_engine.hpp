// The engine behind a context, for parts of the library that decide before they compute.
#pragma once

#include <duoblas/context.hpp>

#include "engine/engine.hpp"

namespace duoblas {

struct ContextEngine {
  static Engine& of(Context& context);
};

}  // namespace duoblas
