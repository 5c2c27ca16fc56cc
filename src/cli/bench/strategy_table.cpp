#include "cli/bench/strategy_table.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>

#include "cli/bench/machine_text.hpp"
#include "cli/tuned_rates.hpp"

namespace duoblas::cli {
namespace {

std::string what_it_is(const ComparisonRow& row, bool standin) {
  const std::string& strategy = row.strategy;
  if (is_bound_by_memory(row) && strategy == "gpu")
    return standin ? "stand-in GPU alone" : "GPU alone, of the host's memory";
  if (is_bound_by_memory(row) && strategy == "hybrid") return "both, at the best share tried";
  if (strategy == "cpu") return standin ? "CPU BLAS on its half of the cores" : "CPU BLAS alone";
  if (strategy == "gpu")
    return standin ? "stand-in GPU alone, best kernel" : "GPU alone, best kernel";
  if (strategy == "simple") return "both; kernel tuned alone, then the split";
  if (strategy == "hybrid") return "both; kernel and split co-tuned";
  if (strategy == "gpu_cotuned") return "GPU alone with the co-tuned kernel";
  if (strategy == "cpu_all") return standin ? "CPU BLAS on every core" : "CPU BLAS, every core";
  if (strategy == "prepared") return "GPU alone, A in its memory before the call";
  if (strategy == "auto") return "as planned for this size";
  return {};
}

// Whether the record has the peak or the bandwidth that the row's rate is compared with.
bool has_most(const BenchRecord& record, const ComparisonRow& row) {
  return is_bound_by_memory(row) ? record.memory.has_value() : !record.peaks.empty();
}

std::vector<std::string> cells(const BenchRecord& record, const ComparisonRow& r) {
  const auto rate = [&](double seconds) {
    return fixed(seconds > 0 ? work_of(r) / seconds : 0, 1);
  };
  std::vector<std::string> cells = {r.strategy + (r.recovered ? " (!)" : ""), fixed(rate_of(r), 1),
                                    rate(r.seconds_q3) + " - " + rate(r.seconds_q1)};
  if (has_most(record, r)) {
    const auto percent =
        is_bound_by_memory(r) ? percent_of_bandwidth(record, r) : percent_of_peak(record, r);
    cells.push_back(percent ? fixed(*percent, 1) : "-");
  }
  for (const std::string& cell : {std::to_string(r.gpu_parts) + "/" + std::to_string(r.parts),
                                  r.speedup > 0 ? fixed(r.speedup, 2) : std::string("-"),
                                  significant(r.error, 2), what_it_is(r, is_standin(record))})
    cells.push_back(cell);
  return cells;
}

std::string peak_text(double gflops) {
  return gflops > 0 ? fixed(gflops, 1) : "-";
}

// A line for each real type that says what 100 % is.
std::vector<std::string> peak_lines(const BenchRecord& record) {
  if (record.peaks.empty()) return {};
  std::vector<std::string> lines = {
      "% peak: of what the sides of a strategy multiply and add at most, with nothing to fetch, "
      "measured in this run."};
  for (const MachinePeak& peak : record.peaks) {
    std::string line =
        std::string(1, letter(peak.precision)) + ": " + peak_text(peak.gpu) + " GFLOPS on the GPU";
    if (!peak.gpu_how.empty()) line += " (" + peak.gpu_how + ")";
    line += ", " + peak_text(peak.cpu) + " on the CPU";
    if (peak.cpu_all != peak.cpu) line += "'s half, " + peak_text(peak.cpu_all) + " on all of it";
    lines.push_back("  " + line);
  }
  return lines;
}

// Each kernel once, with the strategies that used it.
std::vector<std::string> kernel_lines(const ProblemRows& rows) {
  std::vector<std::pair<std::string, std::string>> users;
  for (const ComparisonRow& row : rows) {
    if (row.kernel.empty()) continue;
    const auto known = std::ranges::find(users, row.kernel, &decltype(users)::value_type::first);
    if (known == users.end()) {
      users.emplace_back(row.kernel, row.strategy);
    } else {
      known->second += ", " + row.strategy;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [kernel, strategies] : users)
    lines.push_back("kernel of " + strategies + ": " + kernel);
  return lines;
}

}  // namespace

bool is_standin(const BenchRecord& record) {
  const BenchMachine machine = machine_of(record.context);
  return machine.standin && !machine.device.empty();
}

StrategyTable speed_table(const BenchRecord& record, const ProblemRows& rows) {
  using enum TextTable::Align;
  StrategyTable table;
  table.title = problem_text(rows.front()) + ", " + std::to_string(rows.front().rounds) +
                " interleaved rounds";
  const ComparisonRow& first = rows.front();
  table.columns = {{"strategy"}, {rate_unit(first), right}, {"quartiles", right}};
  if (has_most(record, first))
    table.columns.push_back({is_bound_by_memory(first) ? "% memory" : "% peak", right});
  for (const TextTable::Column& column :
       {TextTable::Column{"p_g/P", right}, {"speed-up", right}, {"error", right}, {"what it is"}})
    table.columns.push_back(column);
  for (const ComparisonRow& row : rows) table.rows.push_back(cells(record, row));
  table.notes = kernel_lines(rows);
  for (const ComparisonRow& row : rows)
    if (!row.beaten_by.empty())
      table.notes.push_back(row.strategy + " is not the best here: " + row.beaten_by +
                            ". Tune again, while nothing else runs.");
  return table;
}

std::vector<std::string> legend(const BenchRecord& record) {
  const bool bytes = std::ranges::any_of(record.rows, is_bound_by_memory);
  std::vector<std::string> lines = {
      bytes ? "GB/s: A, x and y once, over the median of whole calls, copies included. p_g/P: the "
              "GPU's share of y."
            : "GFLOPS: from the median of whole calls, copies included. p_g/P: the GPU's share of "
              "C.",
      "speed-up: over the faster of cpu and gpu.",
      "error: the largest, in units of roundoff; below 1 is right."};
  std::ranges::copy(peak_lines(record), std::back_inserter(lines));
  if (record.memory) {
    lines.push_back(
        "% memory: of what the sides of a strategy read at most of the memory that A is in, "
        "measured in this run.");
    lines.push_back(
        "Above 100: A stays in the caches from call to call, which the measured memory does not.");
    for (const std::string& line : bandwidth_lines(*record.memory, record.memory->gpu > 0))
      lines.push_back("  " + line);
  }
  if (is_standin(record)) {
    lines.push_back(
        "STAND-IN: there is no GPU in these numbers. PoCL on half of the cores plays the GPU, so");
    lines.push_back(
        "cpu and gpu are each half of this machine; cpu_all is what the CPU alone can do.");
  }
  if (std::ranges::any_of(record.rows, &ComparisonRow::recovered))
    lines.push_back(
        "(!) The GPU failed, or has no double precision, and the CPU did its part: this is not the "
        "strategy's time.");
  std::ranges::copy(source_lines(record), std::back_inserter(lines));
  std::ranges::copy(transfer_lines(record), std::back_inserter(lines));
  return lines;
}

std::vector<StrategyTable> problem_tables(const BenchRecord& record, const ProblemRows& rows) {
  std::vector<StrategyTable> tables = {speed_table(record, rows)};
  if (auto table = energy_table(rows, record.sources)) tables.push_back(std::move(*table));
  if (const TransferTimes* times = transfers_of(record, rows))
    tables.push_back(transfer_table(*times));
  return tables;
}

void print_problem(const BenchRecord& record, const ProblemRows& rows, std::ostream& out) {
  for (const StrategyTable& table : problem_tables(record, rows)) {
    out << '\n' << table.title << '\n';
    TextTable text(table.columns);
    for (const auto& row : table.rows) text.add(row);
    text.print(out, "  ");
    for (const std::string& note : table.notes) out << "  " << note << '\n';
  }
}

void print_legend(const BenchRecord& record, std::ostream& out) {
  out << '\n';
  for (const std::string& line : legend(record)) out << line << '\n';
}

}  // namespace duoblas::cli
