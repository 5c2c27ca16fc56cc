// What changed since another comparison was recorded.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"
#include "cli/bench/verdict.hpp"

namespace duoblas::cli {

/// One strategy at one problem that both have measured.
struct RowChange {
  ComparisonRow then;
  ComparisonRow now;
  Verdict verdict;
};

struct RecordChanges {
  std::vector<RowChange> rows;  ///< in the order of now
  int only_then = 0;            ///< rows without a partner
  int only_now = 0;
};

/// Rows are partners where problem and strategy are the same and both have a time. Pure.
RecordChanges changes_between(const BenchRecord& then, const BenchRecord& now);

/// Prints a table with a verdict per row, who won how often, and how the machines differ. `name` is
/// the older file.
void print_changes(const BenchRecord& then, const BenchRecord& now, const std::string& name,
                   std::ostream& out);

}  // namespace duoblas::cli
