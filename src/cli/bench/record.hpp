// The results of one `duoblas bench`, from which its tables, files and pictures are made.
//
//   measurement   an engine -> BenchRecord         record_json   BenchRecord -> JSON, and back
//                                                  record_csv    BenchRecord -> CSV
//   strategy_table, energy_table, transfer_table, rate_charts, split_charts, power_charts,
//   report_page
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profile/memory_rates.hpp"
#include "tuner/comparison.hpp"
#include "tuner/energy_record.hpp"
#include "tuner/machine_peak.hpp"
#include "tuner/split_curve.hpp"
#include "tuner/transfer_times.hpp"

namespace duoblas::cli {

struct BenchRecord {
  nlohmann::json context;                ///< of context_json(); machine_of() reads it
  std::vector<ComparisonRow> rows;       ///< problem by problem, strategies in their order
  std::vector<MachinePeak> peaks;        ///< one per real type; empty in files of before
  std::optional<MemoryRates> memory;     ///< of calls that memory bounds
  std::vector<SplitCurve> splits;        ///< where they were asked for
  std::vector<TransferTimes> transfers;  ///< likewise
  std::vector<EnergySource> sources;     ///< empty where power was not asked for
  std::string energy_sum;                ///< what joules of a call are the sum of
  std::vector<PowerTrace> traces;        ///< likewise
};

/// The rows of one problem.
using ProblemRows = std::vector<ComparisonRow>;

/// Rows with the same problem that stand one after another.
std::vector<ProblemRows> by_problem(const std::vector<ComparisonRow>& rows);

/// Whether two rows are of the same problem.
bool same_problem(const ComparisonRow& x, const ComparisonRow& y);

/// "sgemm nn, 512 x 512 x 512, row-major".
std::string problem_text(const ComparisonRow& row);
std::string problem_text(const ComparisonProblem& problem);

/// "sgemm".
std::string routine_name(const ComparisonRow& row);

/// Floating-point operations of the row's product.
double operations(const ComparisonRow& row);

/// The row's rate in percent of its sides' peak; nothing if that is not known. (A kernel of the
/// opt-in tf32x3 may exceed 100: its products are not multiply-adds of floats.)
std::optional<double> percent_of_peak(const BenchRecord& record, const ComparisonRow& row);

/// Whether the row's calls are memory-bound, so that their rate is in bytes.
bool is_bound_by_memory(const ComparisonRow& row);

/// The unit of the row's rate, and its work in 10^9 of these: operations, or bytes that go through
/// memory once.
double work_of(const ComparisonRow& row);
const char* rate_unit(const ComparisonRow& row);

/// The same over the row's median; 0: it has none.
double rate_of(const ComparisonRow& row);

/// The row's bytes a second in percent of the bandwidth that its sides have to the memory that they
/// read; nothing if that is not known. Above 100 if caches keep data from call to call.
std::optional<double> percent_of_bandwidth(const BenchRecord& record, const ComparisonRow& row);

/// The document that `bench --json` writes.
nlohmann::json to_json(BenchRecord record);

/// Parts of it, for other commands: what was not measured is missing.
nlohmann::json peaks_json(std::vector<MachinePeak> peaks);
nlohmann::json bandwidth_json(MemoryRates rates);

/// Reads such a file, also of earlier versions. \throws Error that names the file and the field: it
/// cannot be read, is no JSON or no comparison, or contains an impossible value.
BenchRecord read_record(const std::string& path);

/// One line per strategy and problem under a line of names, as in RFC 4180; each line repeats the
/// machine. Fields that were not measured are empty, never 0. `samples` are seconds, separated by
/// spaces.
std::string to_csv(const BenchRecord& record);

}  // namespace duoblas::cli
