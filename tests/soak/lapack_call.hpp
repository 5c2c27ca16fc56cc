// A random call of LAPACK with its matrices, for which SoakCall has sizes, op, side and triangle.
#pragma once

#include <memory>

#include "soak/draw.hpp"
#include "soak/made_call.hpp"

namespace duoblas::soak {

/// Routines that a call may be of: what they need is made by the same context before.
LapackRoutine draw_lapack_routine(Draw& draw);

/// \pre call.lapack. Compared by the measures of LAPACK's own tests, of which they take 30.
std::unique_ptr<MadeCall> make_lapack(const SoakCall& call);

}  // namespace duoblas::soak
