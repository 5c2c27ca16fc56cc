// The table of transfers: operands, kernel and result apart.
#include "cli/bench/strategy_table.hpp"

#include <algorithm>

namespace duoblas::cli {
namespace {

// In GFLOPS; of gemv, which memory bounds, in GB/s of all operands.
double work_of(const TransferTimes& times) {
  const ComparisonProblem& p = times.problem;
  if (p.routine == "gemv") return times.a_bytes + times.b_bytes + times.c_bytes;
  return (is_complex(p.precision) ? 8.0 : 2.0) * static_cast<double>(p.m) *
         static_cast<double>(p.n) * static_cast<double>(p.k);
}

std::string gigabytes(double bytes, double seconds) {
  return seconds > 0 ? fixed(bytes / seconds * 1e-9, 1) + " GB/s" : "-";
}

}  // namespace

StrategyTable transfer_table(const TransferTimes& times) {
  using enum TextTable::Align;
  StrategyTable table;
  table.title = "Transfers of " + problem_text(times.problem) + ", medians of " +
                std::to_string(times.rounds) + " rounds";
  const bool is_gemv = times.problem.routine == "gemv";
  const std::string unit = is_gemv ? "GB/s" : "GFLOPS";
  table.columns = {{"memory"},
                   {"A there", right},
                   {is_gemv ? "x there" : "B there", right},
                   {"kernel", right},
                   {is_gemv ? "y back" : "C back", right},
                   {"in all", right},
                   {"kernel " + unit, right},
                   {unit + " in all", right}};
  const auto rate = [&](double seconds) {
    return seconds > 0 ? fixed(work_of(times) / seconds * 1e-9, 1) : "-";
  };
  for (const TransferMode& mode : times.modes) {
    table.rows.push_back({mode.mode, duration(mode.a), duration(mode.b), duration(mode.kernel),
                          duration(mode.c), duration(mode.whole()), rate(mode.kernel),
                          rate(mode.whole())});
    if (mode.mode == "copies")
      table.notes.push_back("copies: " + gigabytes(times.a_bytes + times.b_bytes, mode.a + mode.b) +
                            " there, " + gigabytes(times.c_bytes, mode.c) + " back");
  }
  if (!times.left_out.empty()) table.notes.push_back("not measured: " + times.left_out);
  table.notes.push_back("kernel: " + times.kernel);
  return table;
}

const TransferTimes* transfers_of(const BenchRecord& record, const ProblemRows& rows) {
  const std::string problem = problem_text(rows.front());
  const auto found = std::ranges::find_if(record.transfers, [&](const TransferTimes& times) {
    return problem_text(times.problem) == problem;
  });
  return found == record.transfers.end() ? nullptr : &*found;
}

std::vector<std::string> transfer_lines(const BenchRecord& record) {
  if (record.transfers.empty()) return {};
  return {
      "Transfers: one thing after the other, each waited for; a call overlaps them.",
      "  copies: operands are written to the device, the result is read, all in ordinary memory.",
      "  zero-copy: operands are unmapped after the host wrote to them, the result is mapped and "
      "unmapped."};
}

}  // namespace duoblas::cli
