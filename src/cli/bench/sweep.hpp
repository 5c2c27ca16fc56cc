// One extent after another: the shapes of `--sweep m=256:8192:*2`.
#pragma once

#include <string>
#include <vector>

#include "tuner/tune_request.hpp"

namespace duoblas::cli {

/// "m=256:8192:*2", "mnk=512:4096:+512", "mn=256:4096:*1.5,k=64": the extents before the first "="
/// go from the first number to the last, by a factor or a step; one that is not named is 1024.
/// Ascending, each shape once. \throws UsageError with the form where the text has another.
std::vector<Shape> shapes_of_sweep(const std::string& text);

}  // namespace duoblas::cli
