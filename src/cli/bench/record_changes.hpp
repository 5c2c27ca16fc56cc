// What changed since another comparison was recorded, by more than the machine's noise.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// Timings of one call, as a measurement ended with them.
struct MeasuredTime {
  double median = 0;  ///< seconds
  double q1 = 0;
  double q3 = 0;
  int rounds = 0;
};

enum class Change { faster, slower, same };

struct Verdict {
  Change change = Change::same;
  double speed = 1;   ///< of now over that of then: 1.1 is 10 % faster
  double margin = 0;  ///< the least difference of `speed` from 1 that is not noise
};

/// Clock drift makes runs of the same code minutes apart differ by this much, whatever each run's
/// own spread is (seen on two cores of an AMD EPYC).
inline constexpr double drift_between_runs = 0.02;

/// `margin` is the larger of two numbers: the drift, and the difference that two medians of the
/// same distribution exceed once in a hundred times, judged by both spreads and numbers of samples.
/// With one sample on either side the spread is unknown, and everything is noise. \pre medians
/// above 0.
Verdict judge(const MeasuredTime& then, const MeasuredTime& now);

const char* name(Change change);

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
