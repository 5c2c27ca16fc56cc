#include "cli/bench/record_changes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>

#include "cli/bench/machine_text.hpp"
#include "cli/text_table.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

bool has_time(const ComparisonRow& row) {
  return row.seconds > 0 && !row.recovered;
}

bool are_partners(const ComparisonRow& x, const ComparisonRow& y) {
  return x.strategy == y.strategy && same_problem(x, y);
}

MeasuredTime time_of(const ComparisonRow& row) {
  return {row.seconds, row.seconds_q1, row.seconds_q3, row.rounds};
}

int timed_rows(const std::vector<ComparisonRow>& rows) {
  return static_cast<int>(std::ranges::count_if(rows, has_time));
}

std::string percent(double fraction) {
  const std::string text = fixed(100 * fraction, 1);
  return (fraction >= 0 ? "+" : "") + text + " %";
}

std::string margin_text(const Verdict& verdict) {
  if (!std::isfinite(verdict.margin)) return "unknown";
  return verdict.margin > 1 ? "over 100 %" : fixed(100 * verdict.margin, 1) + " %";
}

std::string kernel_change(const RowChange& change) {
  const ComparisonRow &then = change.then, &now = change.now;
  if (then.kernel != now.kernel) return "another kernel";
  // 8/16 and 32/64 are the same share.
  const auto cross = [](int parts, int of) { return static_cast<std::int64_t>(parts) * of; };
  return cross(then.gpu_parts, now.parts) != cross(now.gpu_parts, then.parts) ? "another split"
                                                                              : "";
}

void print_rows(const std::vector<RowChange>& rows, std::ostream& out) {
  using enum TextTable::Align;
  for (std::size_t begin = 0; begin < rows.size();) {
    out << '\n' << problem_text(rows[begin].now) << '\n';
    TextTable table({{"strategy"},
                     {std::string(rate_unit(rows[begin].now)) + " then", right},
                     {"now", right},
                     {"change", right},
                     {"noise", right},
                     {"verdict"},
                     {""}});
    std::size_t end = begin;
    for (; end < rows.size() && same_problem(rows[end].now, rows[begin].now); ++end) {
      const RowChange& r = rows[end];
      table.add({r.now.strategy, fixed(rate_of(r.then), 1), fixed(rate_of(r.now), 1),
                 percent(r.verdict.speed - 1), margin_text(r.verdict), name(r.verdict.change),
                 kernel_change(r)});
    }
    table.print(out, "  ");
    begin = end;
  }
}

void print_machines(const BenchMachine& then, const BenchMachine& now, std::ostream& out) {
  const auto machines = machine_differences(then, now);
  if (!machines.empty()) {
    out << "ANOTHER MACHINE: differences say nothing about the software.\n";
    for (const std::string& line : machines) out << "  " << line << '\n';
  }
  const auto software = software_differences(then, now);
  if (!software.empty()) {
    out << "What else is not as it was:\n";
    for (const std::string& line : software) out << "  " << line << '\n';
  }
}

int count(const RecordChanges& changes, Change change) {
  return static_cast<int>(std::ranges::count_if(
      changes.rows, [&](const RowChange& row) { return row.verdict.change == change; }));
}

// Student's t, two-sided 99 %, by degrees of freedom from 1 on. So few samples say little of their
// own spread.
constexpr std::array<double, 15> kStudent = {63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36,
                                             3.25,  3.17, 3.11, 3.05, 3.01, 2.98, 2.95};
constexpr double kNormal = 2.58;

double student(int degrees) {
  const auto place = static_cast<std::size_t>(degrees - 1);
  return place < kStudent.size() ? kStudent[place] : std::max(kNormal, kNormal + 5.5 / degrees);
}

// The median's standard error over the median. Quartiles of a normal distribution are 1.349
// standard deviations apart, and its median is 1.2533 times as uncertain as its mean.
double relative_error(const MeasuredTime& time) {
  return 1.2533 / 1.349 * (time.q3 - time.q1) / time.median / std::sqrt(time.rounds);
}

}  // namespace

RecordChanges changes_between(const BenchRecord& then, const BenchRecord& now) {
  RecordChanges changes;
  for (const ComparisonRow& row : now.rows) {
    if (!has_time(row)) continue;
    const auto partner = std::ranges::find_if(then.rows, [&](const ComparisonRow& other) {
      return has_time(other) && are_partners(other, row);
    });
    if (partner == then.rows.end()) {
      ++changes.only_now;
    } else {
      changes.rows.push_back({*partner, row, judge(time_of(*partner), time_of(row))});
    }
  }
  changes.only_then = std::max(0, timed_rows(then.rows) - static_cast<int>(changes.rows.size()));
  return changes;
}

void print_changes(const BenchRecord& then, const BenchRecord& now, const std::string& name,
                   std::ostream& out) {
  const BenchMachine machine_then = machine_of(then.context);
  out << "\nCompared with " << printable(name)
      << (machine_then.date.empty() ? "" : " of " + machine_then.date) << '\n';
  print_machines(machine_then, machine_of(now.context), out);
  const RecordChanges changes = changes_between(then, now);
  if (changes.rows.empty()) {
    out << "Nothing was measured in both: give the sizes, ops and precisions of that file.\n";
    return;
  }
  print_rows(changes.rows, out);
  out << "\nOf " << changes.rows.size() << " times: " << count(changes, Change::faster)
      << " faster, " << count(changes, Change::slower) << " slower, "
      << count(changes, Change::same) << " the same within noise.\n"
      << "noise: what the medians must differ by to be told apart, from both spreads, and "
      << fixed(100 * drift_between_runs, 0)
      << " %\nat least; about one in a hundred equal times is "
      << "called different all the same.\n";
  if (changes.only_then > 0 || changes.only_now > 0)
    out << "Not in both: " << changes.only_then << " times of then, " << changes.only_now
        << " of now.\n";
}

Verdict judge(const MeasuredTime& then, const MeasuredTime& now) {
  Verdict verdict;
  verdict.speed = then.median / now.median;
  const int fewest = std::min(then.rounds, now.rounds);
  if (fewest < 2) {
    verdict.margin = std::numeric_limits<double>::infinity();
    return verdict;
  }
  verdict.margin =
      std::max(drift_between_runs,
               student(fewest - 1) * std::hypot(relative_error(then), relative_error(now)));
  if (verdict.speed > 1 + verdict.margin) verdict.change = Change::faster;
  if (verdict.speed * (1 + verdict.margin) < 1) verdict.change = Change::slower;
  return verdict;
}

const char* name(Change change) {
  if (change == Change::faster) return "faster";
  if (change == Change::slower) return "slower";
  return "same within noise";
}

}  // namespace duoblas::cli
