#include "cli/bench/record.hpp"

#include <tuple>

#include "cli/tuned_rates.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas::cli {
namespace {

auto problem_of(const ComparisonRow& r) {
  return std::tie(r.precision, r.ops, r.layout, r.m, r.n, r.k);
}

std::string text_of(const std::string& product, const std::string& layout, const Shape& s) {
  return product + ", " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
         std::to_string(s.k) + ", " + layout + "-major";
}

}  // namespace

bool same_problem(const ComparisonRow& x, const ComparisonRow& y) {
  return problem_of(x) == problem_of(y);
}

std::vector<ProblemRows> by_problem(const std::vector<ComparisonRow>& rows) {
  std::vector<ProblemRows> groups;
  for (const ComparisonRow& row : rows) {
    if (groups.empty() || !same_problem(groups.back().front(), row)) groups.emplace_back();
    groups.back().push_back(row);
  }
  return groups;
}

std::string problem_text(const ComparisonRow& r) {
  return text_of(product_name(r.precision) + " " + r.ops, r.layout, {r.m, r.n, r.k});
}

std::string problem_text(const ComparisonProblem& p) {
  return text_of(product_name(p.precision) + " " + ops_text(p.op_a, p.op_b),
                 p.layout == Layout::row_major ? "row" : "column", {p.m, p.n, p.k});
}

double operations(const ComparisonRow& r) {
  return 2.0 * static_cast<double>(r.m) * static_cast<double>(r.n) * static_cast<double>(r.k) *
         (is_complex(r.precision) ? 4 : 1);
}

std::optional<double> percent_of_peak(const BenchRecord& record, const ComparisonRow& row) {
  const double peak = peak_for(record.peaks, row);
  if (!(peak > 0)) return std::nullopt;
  return 100 * row.gflops / peak;
}

}  // namespace duoblas::cli
