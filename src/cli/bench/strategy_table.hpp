// The comparison that the project exists for: the strategies of one problem, side by side.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {

/// A table, and the lines that stand under it.
struct StrategyTable {
  std::string title;
  std::vector<TextTable::Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
};

/// Speed and errors of one of the record's problems. \pre not empty.
StrategyTable speed_table(const BenchRecord& record, const ProblemRows& rows);

/// What the columns of all tables mean, in lines; and the warning where the GPU is a stand-in or
/// has failed.
std::vector<std::string> legend(const BenchRecord& record);

/// Whether PoCL played the GPU.
bool is_standin(const BenchRecord& record);

/// One problem's tables: speed, and energy and transfers where they were measured. `record` says
/// whose they are.
std::vector<StrategyTable> problem_tables(const BenchRecord& record, const ProblemRows& rows);
void print_problem(const BenchRecord& record, const ProblemRows& rows, std::ostream& out);

/// What stands below all tables.
void print_legend(const BenchRecord& record, std::ostream& out);

/// The watts and joules of each strategy. Watts of each domain that has a sensor, joules of one
/// call and GFLOPS per watt. Nothing if power was not asked for. Unknown figures are "unavailable".
/// \pre rows is not empty.
std::optional<StrategyTable> energy_table(const ProblemRows& rows,
                                          const std::vector<EnergySource>& sources);

/// Each domain's sensor and its resolution, or why it has none. Empty where power was not asked
/// for.
std::vector<std::string> source_lines(const BenchRecord& record);

/// The time of a product on the GPU, divided into transfers and kernel: medians of copies and of
/// zero copy, also in GB/s and GFLOPS.
StrategyTable transfer_table(const TransferTimes& times);

/// The record's transfers of these rows' problem; null: they were not measured.
const TransferTimes* transfers_of(const BenchRecord& record, const ProblemRows& rows);

/// What the columns mean. Empty where nothing of it was measured.
std::vector<std::string> transfer_lines(const BenchRecord& record);

}  // namespace duoblas::cli
