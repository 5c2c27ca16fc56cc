// The table of watts and joules of each strategy.
#include "cli/bench/strategy_table.hpp"

#include <algorithm>

namespace duoblas::cli {
namespace {

constexpr const char* kUnknown = "unavailable";

const DomainFigure* find(const ComparisonRow& row, const std::string& domain) {
  const auto found = std::ranges::find(row.energy, domain, &DomainFigure::domain);
  return found == row.energy.end() ? nullptr : &*found;
}

std::string watts_text(const DomainFigure& energy) {
  return fixed(energy.mean_watts, 1) + " - " +
         (energy.peak_watts ? fixed(*energy.peak_watts, 1) : "?");
}

bool known(const EnergySource& source) {
  return !source.source.empty();
}

std::string rate_per_watt(const ComparisonRow& row) {
  return row.joules > 0 ? significant(operations(row) / row.joules * 1e-9, 3) : kUnknown;
}

}  // namespace

std::optional<StrategyTable> energy_table(const ProblemRows& rows,
                                          const std::vector<EnergySource>& sources) {
  if (sources.empty()) return std::nullopt;
  using enum TextTable::Align;
  StrategyTable table;
  table.title = "Energy of " + problem_text(rows.front());
  table.columns = {{"strategy"}};
  for (const EnergySource& source : sources)
    if (known(source)) table.columns.push_back({source.domain + " W, mean - peak", right});
  table.columns.push_back({"joules a call", right});
  table.columns.push_back({"GFLOPS/W", right});
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells = {row.strategy};
    for (const EnergySource& source : sources) {
      if (!known(source)) continue;
      const DomainFigure* energy = find(row, source.domain);
      cells.push_back(energy == nullptr ? kUnknown : watts_text(*energy));
    }
    cells.push_back(row.joules > 0 ? significant(row.joules, 3) : kUnknown);
    cells.push_back(rate_per_watt(row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<std::string> source_lines(const BenchRecord& record) {
  if (record.sources.empty()) return {};
  std::vector<std::string> lines = {
      "Energy: medians of pieces of a second or more, calls one after another.",
      record.energy_sum.empty() ? "No domain of this machine tells its power:"
                                : "joules and GFLOPS/W: of " + record.energy_sum + "."};
  for (const EnergySource& source : record.sources)
    lines.push_back("  " + source.domain + ": " +
                    (known(source) ? source.source + " (" + source.resolution + ")"
                                   : kUnknown + (": " + source.reason)));
  return lines;
}

}  // namespace duoblas::cli
