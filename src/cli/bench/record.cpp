#include "cli/bench/record.hpp"

#include <tuple>

#include "tuner/gemv_comparison.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas::cli {
namespace {

auto problem_of(const ComparisonRow& r) {
  return std::tie(r.routine, r.precision, r.ops, r.layout, r.m, r.n, r.k);
}

std::string text_of(const std::string& product, const std::string& layout, const Shape& s,
                    bool has_k) {
  return product + ", " + std::to_string(s.m) + " x " + std::to_string(s.n) +
         (has_k ? " x " + std::to_string(s.k) : std::string()) + ", " + layout + "-major";
}

bool is_gemm(const std::string& routine) {
  return routine == "gemm";
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
  return text_of(routine_name(r) + " " + r.ops, r.layout, {r.m, r.n, r.k}, is_gemm(r.routine));
}

std::string problem_text(const ComparisonProblem& p) {
  const bool gemm = is_gemm(p.routine);
  const std::string ops = ops_text(p.op_a, p.op_b);
  return text_of(letter(p.precision) + p.routine + " " + (gemm ? ops : ops.substr(0, 1)),
                 p.layout == Layout::row_major ? "row" : "column", {p.m, p.n, p.k}, gemm);
}

std::string routine_name(const ComparisonRow& row) {
  return letter(row.precision) + row.routine;
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

bool is_bound_by_memory(const ComparisonRow& row) {
  return !is_gemm(row.routine);
}

double work_of(const ComparisonRow& row) {
  return 1e-9 *
         (is_bound_by_memory(row) ? gemv_bytes(row.precision, row.m, row.n) : operations(row));
}

const char* rate_unit(const ComparisonRow& row) {
  return is_bound_by_memory(row) ? "GB/s" : "GFLOPS";
}

double rate_of(const ComparisonRow& row) {
  if (!is_bound_by_memory(row)) return row.gflops;
  return row.seconds > 0 ? work_of(row) / row.seconds : 0;
}

std::optional<double> percent_of_bandwidth(const BenchRecord& record, const ComparisonRow& row) {
  if (!record.memory || !is_bound_by_memory(row) || row.recovered) return std::nullopt;
  const MemoryRates& memory = *record.memory;
  const double most = row.strategy == "cpu"        ? memory.cpu
                      : row.kernel.empty()         ? memory.cpu_all
                      : row.strategy == "prepared" ? memory.gpu
                      : row.gpu_parts == row.parts ? memory.gpu_host
                                                   : memory.both();
  if (!(most > 0) || !(row.seconds > 0)) return std::nullopt;
  return 100e9 * rate_of(row) / most;
}

}  // namespace duoblas::cli
