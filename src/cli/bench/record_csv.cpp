#include "cli/bench/record.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
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

std::vector<std::string> domains_of(const BenchRecord& record) {
  std::vector<std::string> domains;
  for (const EnergySource& source : record.sources)
    if (!source.source.empty()) domains.push_back(source.domain);
  return domains;
}

std::string samples_text(const std::vector<double>& samples) {
  std::vector<std::string> numbers;
  for (const double seconds : samples) numbers.push_back(number(seconds));
  return joined(numbers, " ");
}

void add_energy(const ComparisonRow& row, const std::vector<std::string>& domains,
                std::vector<std::string>& fields) {
  for (const std::string& domain : domains) {
    const auto found = std::ranges::find(row.energy, domain, &DomainFigure::domain);
    const bool known = found != row.energy.end();
    fields.push_back(known ? number(found->mean_watts) : "");
    fields.push_back(known && found->peak_watts ? number(*found->peak_watts) : "");
    fields.push_back(known ? number(found->joules) : "");
  }
  fields.push_back(measured(row.joules));
}

}  // namespace

std::string to_csv(const BenchRecord& record) {
  const std::vector<std::string> domains = domains_of(record);
  std::vector<std::string> names = {"precision", "ops",        "layout",          "m",
                                    "n",         "k",          "strategy",        "gflops",
                                    "seconds",   "seconds_q1", "seconds_q3",      "rounds",
                                    "samples",   "gpu_parts",  "parts",           "kernel",
                                    "error",     "speedup",    "percent_of_peak", "recovered"};
  const bool has_bytes = std::ranges::any_of(record.rows, is_bound_by_memory);
  if (has_bytes)
    for (const char* name : {"routine", "gbs", "percent_of_bandwidth"}) names.push_back(name);
  for (const std::string& domain : domains)
    for (const char* figure : {"_mean_watts", "_peak_watts", "_joules"})
      names.push_back(quoted(domain + figure));
  for (const char* name : {"joules", "device", "driver", "standin", "cpu", "cpu_blas",
                           "cpu_threads", "tuned", "date", "version"})
    names.push_back(name);

  const BenchMachine machine = machine_of(record.context);
  std::string text = joined(names, ",") + "\r\n";
  for (const ComparisonRow& r : record.rows) {
    std::vector<std::string> fields = {std::string(1, letter(r.precision)),
                                       r.ops,
                                       r.layout,
                                       std::to_string(r.m),
                                       std::to_string(r.n),
                                       std::to_string(r.k),
                                       quoted(r.strategy),
                                       measured(r.gflops),
                                       measured(r.seconds),
                                       measured(r.seconds_q1),
                                       measured(r.seconds_q3),
                                       std::to_string(r.rounds),
                                       samples_text(r.samples),
                                       std::to_string(r.gpu_parts),
                                       std::to_string(r.parts),
                                       quoted(r.kernel),
                                       number(r.error),
                                       measured(r.speedup),
                                       measured(percent_of_peak(record, r).value_or(0)),
                                       r.recovered ? "1" : "0"};
    if (has_bytes) {
      fields.push_back(r.routine);
      fields.push_back(is_bound_by_memory(r) ? measured(rate_of(r)) : "");
      fields.push_back(measured(percent_of_bandwidth(record, r).value_or(0)));
    }
    add_energy(r, domains, fields);
    for (const std::string& field :
         {quoted(machine.device), quoted(machine.driver), std::string(machine.standin ? "1" : "0"),
          quoted(machine.cpu_model), quoted(machine.cpu_blas), std::to_string(machine.cpu_threads),
          std::string(machine.tuned ? "1" : "0"), quoted(machine.date), quoted(machine.version)})
      fields.push_back(field);
    text += joined(fields, ",") + "\r\n";
  }
  return text;
}

}  // namespace duoblas::cli
