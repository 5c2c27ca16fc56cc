// A comparison as a table of comma-separated values: a line per strategy and problem.
#include "cli/bench/record.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/machine_text.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

// A spreadsheet takes a field that begins with one of these for a formula; and names come from
// drivers and files.
bool may_be_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !may_be_formula(text)) return text;
  std::string result = may_be_formula(text) ? "\"'" : "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string number(double value) {
  if (!std::isfinite(value)) return "";
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

std::string measured(double value) {
  return value > 0 ? number(value) : "";
}

std::string samples_text(const std::vector<double>& samples) {
  std::vector<std::string> numbers;
  for (const double seconds : samples) numbers.push_back(number(seconds));
  return joined(numbers, " ");
}

// The names of columns, and what a line has in them.
using Cells = std::vector<std::pair<std::string, std::string>>;

Cells row_cells(const BenchRecord& record, const ComparisonRow& r) {
  Cells cells = {{"precision", std::string(1, letter(r.precision))},
                 {"ops", r.ops},
                 {"layout", r.layout},
                 {"m", std::to_string(r.m)},
                 {"n", std::to_string(r.n)},
                 {"k", std::to_string(r.k)},
                 {"strategy", r.strategy},
                 {"gflops", measured(r.gflops)},
                 {"seconds", measured(r.seconds)},
                 {"seconds_q1", measured(r.seconds_q1)},
                 {"seconds_q3", measured(r.seconds_q3)},
                 {"rounds", std::to_string(r.rounds)},
                 {"samples", samples_text(r.samples)},
                 {"gpu_parts", std::to_string(r.gpu_parts)},
                 {"parts", std::to_string(r.parts)},
                 {"kernel", r.kernel},
                 {"error", number(r.error)},
                 {"speedup", measured(r.speedup)},
                 {"percent_of_peak", measured(percent_of_peak(record, r).value_or(0))},
                 {"recovered", r.recovered ? "1" : "0"}};
  if (!std::ranges::any_of(record.rows, is_bound_by_memory)) return cells;
  cells.emplace_back("routine", r.routine);
  cells.emplace_back("gbs", is_bound_by_memory(r) ? measured(rate_of(r)) : "");
  cells.emplace_back("percent_of_bandwidth", measured(percent_of_bandwidth(record, r).value_or(0)));
  return cells;
}

Cells energy_cells(const BenchRecord& record, const ComparisonRow& row) {
  Cells cells;
  for (const EnergySource& source : record.sources) {
    if (source.source.empty()) continue;
    const auto found = std::ranges::find(row.energy, source.domain, &DomainFigure::domain);
    const bool known = found != row.energy.end();
    cells.emplace_back(source.domain + "_mean_watts", known ? number(found->mean_watts) : "");
    cells.emplace_back(source.domain + "_peak_watts",
                       known && found->peak_watts ? number(*found->peak_watts) : "");
    cells.emplace_back(source.domain + "_joules", known ? number(found->joules) : "");
  }
  cells.emplace_back("joules", measured(row.joules));
  return cells;
}

Cells machine_cells(const BenchMachine& machine) {
  return {{"device", machine.device},
          {"driver", machine.driver},
          {"standin", machine.standin ? "1" : "0"},
          {"cpu", machine.cpu_model},
          {"cpu_blas", machine.cpu_blas},
          {"cpu_threads", std::to_string(machine.cpu_threads)},
          {"tuned", machine.tuned ? "1" : "0"},
          {"date", machine.date},
          {"version", machine.version}};
}

}  // namespace

std::string to_csv(const BenchRecord& record) {
  const Cells machine = machine_cells(machine_of(record.context));
  const auto line = [&](const ComparisonRow& row, auto part) {
    std::vector<std::string> fields;
    for (const Cells& cells : {row_cells(record, row), energy_cells(record, row), machine})
      for (const auto& cell : cells) fields.push_back(quoted(cell.*part));
    return joined(fields, ",") + "\r\n";
  };
  std::string text = line({}, &Cells::value_type::first);
  for (const ComparisonRow& row : record.rows) text += line(row, &Cells::value_type::second);
  return text;
}

}  // namespace duoblas::cli
