// The comparison that the project exists for, as people read it and as programs do.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tuner/comparison.hpp"

namespace duoblas::cli {

/// One table per problem; rows in the order measured. `standin` names the halves for what they are.
void print_comparison(const std::vector<ComparisonRow>& rows, bool standin, std::ostream& out);

/// The "results" of `bench --json`.
nlohmann::json comparison_json(const std::vector<ComparisonRow>& rows);

}  // namespace duoblas::cli
