// Which problems belong on one axis of sizes.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// Problems of one precision, ops and layout that differ in their size alone.
struct SizeGroup {
  std::string label;  ///< what the size is: "m = n = k", "m, n = 64, k = 64", "cube root of m n k"
  double (*size)(const ComparisonRow&) = nullptr;
  ProblemRows rows;
};

/// Cubes are a group, and so are three or more problems that differ in one extent; a problem may be
/// in several groups. The rest of a precision, ops and layout are one group, ordered by their work.
/// In the order of their first rows. Pure.
std::vector<SizeGroup> size_groups(const std::vector<ComparisonRow>& rows);

}  // namespace duoblas::cli
