// A level-3 call by halves: one full block, which is a product for both sides, and two halves of
// the same kind, again and again as long as the products gain. What is left is the CPU BLAS's own
// routine. Private to src/level3.
#pragma once

#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "planner/forecast.hpp"
#include "planner/reason.hpp"

namespace duoblas {

struct CallHalves {
  std::vector<CallStep> steps;     ///< in their order
  std::optional<Reason> declined;  ///< why the whole call is not halved, where it is not
  /// Then: the kind of the product that is the CPU's by what is known of it, if one is.
  std::optional<CallKind> left;
};

/// Plans each product, once. With an engine that insists on the GPU there are three levels of
/// halves, whatever they gain.
CallHalves halves_of_call(Engine& engine, const LeafLimits& limits, const Level3Problem& problem);

}  // namespace duoblas
