#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/bench/json_fields.hpp"
#include "cli/bench/record_json.hpp"
#include "plot/printable_text.hpp"
#include "problem/op_letter.hpp"

namespace duoblas::cli {
namespace {

using nlohmann::json;

Precision precision_of(const JsonFields& fields) {
  const std::string text = fields.text("precision");
  if (text.size() != 1 || std::string_view("sdcz").find(text[0]) == std::string_view::npos)
    fields.refuse("precision", "is none of s, d, c and z");
  return static_cast<Precision>(text[0]);
}

std::pair<Op, Op> ops_of(const JsonFields& fields) {
  try {
    return to_ops({fields.text("ops")}).front();
  } catch (const UsageError&) {
    fields.refuse("ops", "is no pair of n, t and c");
  }
}

std::string ops_text_of(const JsonFields& fields, const std::string& routine) {
  if (routine == "gemm") {
    const auto [op_a, op_b] = ops_of(fields);
    return ops_text(op_a, op_b);
  }
  if (routine != "gemv") fields.refuse("routine", "is neither gemm nor gemv");
  const std::string text = fields.text("ops");
  if (text.size() != 1 || !op_from(text[0])) fields.refuse("ops", "is none of n, t and c");
  return text;
}

// percent_of_bandwidth of a row follows from these.
MemoryRates memory_of(const JsonFields& fields) {
  const auto rate = [&](const char* name) { return fields.number_or(name, 0) * 1e9; };
  MemoryRates rates;
  rates.cpu = rate("cpu_gbs");
  rates.cpu_all = rate("cpu_all_gbs");
  rates.gpu = rate("gpu_gbs");
  rates.gpu_host = rate("gpu_host_gbs");
  rates.cpu_beside = rate("cpu_beside_gbs");
  rates.gpu_beside = rate("gpu_beside_gbs");
  rates.in_place = fields.has("in_place") && fields.flag("in_place");
  rates.launch_seconds = fields.number_or("launch_seconds", 0);
  return rates;
}

Layout layout_of(const JsonFields& fields) {
  const std::string text = fields.text("layout");
  if (text != "row" && text != "column") fields.refuse("layout", "is neither row nor column");
  return text == "row" ? Layout::row_major : Layout::column_major;
}

void read_energy(const JsonFields& fields, ComparisonRow& row) {
  if (fields.has("energy"))
    for (const JsonFields& e : fields.objects("energy")) {
      row.energy.push_back(
          {printable(e.text("domain")), e.number("joules"), e.number("mean_watts"), {}});
      if (e.has("peak_watts")) row.energy.back().peak_watts = e.number("peak_watts");
    }
  row.joules = fields.number_or("joules", 0);
}

void read_times(const JsonFields& fields, ComparisonRow& row) {
  row.seconds = fields.number("seconds");
  row.gflops = fields.number("gflops");
  row.seconds_q1 = fields.number("seconds_q1");
  row.seconds_q3 = fields.number("seconds_q3");
  if (row.seconds_q1 > row.seconds || row.seconds > row.seconds_q3)
    fields.refuse("seconds", "is not between its quartiles");
  row.rounds = fields.count("rounds");
  if (fields.has("samples")) row.samples = fields.numbers("samples");
  row.speedup = fields.number("speedup");
}

ComparisonRow row_of(const JsonFields& fields) {
  ComparisonRow row;
  row.precision = precision_of(fields);
  if (fields.has("routine")) row.routine = fields.text("routine");
  row.ops = ops_text_of(fields, row.routine);
  row.layout = layout_of(fields) == Layout::row_major ? "row" : "column";
  row.m = fields.integer("m", 1);
  row.n = fields.integer("n", 1);
  row.k = fields.integer("k", 1);
  row.strategy = printable(fields.text("strategy"));
  read_times(fields, row);
  row.parts = fields.count("parts", 1);
  row.gpu_parts = fields.count("gpu_parts");
  if (row.gpu_parts > row.parts) fields.refuse("gpu_parts", "is more than all parts");
  row.kernel = printable(fields.text("kernel"));
  // JSON has no infinity: that is written as null.
  row.error = fields.number_or("error", std::numeric_limits<double>::infinity());
  row.recovered = fields.flag("recovered");
  read_energy(fields, row);
  return row;
}

// percent_of_peak of a row follows from these.
MachinePeak peak_of(const JsonFields& fields) {
  MachinePeak peak;
  peak.precision = precision_of(fields);
  if (is_complex(peak.precision)) fields.refuse("precision", "is neither s nor d");
  peak.gpu = fields.number_or("gpu_gflops", 0);
  if (fields.has("gpu_how")) peak.gpu_how = printable(fields.text("gpu_how"));
  peak.cpu = fields.number_or("cpu_gflops", 0);
  peak.cpu_all = fields.number_or("cpu_all_gflops", 0);
  return peak;
}

ComparisonProblem problem_of(const JsonFields& fields) {
  ComparisonProblem p;
  p.precision = precision_of(fields);
  if (fields.has("routine")) p.routine = fields.text("routine");
  const std::string ops = ops_text_of(fields, p.routine);
  p.op_a = op_from(ops[0]).value_or(Op::none);
  p.op_b = ops.size() > 1 ? op_from(ops[1]).value_or(Op::none) : Op::none;
  p.layout = layout_of(fields);
  p.m = fields.integer("m", 1);
  p.n = fields.integer("n", 1);
  p.k = fields.integer("k", 1);
  return p;
}

TransferTimes transfers_of(const JsonFields& fields) {
  TransferTimes times;
  times.problem = problem_of(fields);
  times.kernel = printable(fields.text("kernel"));
  times.a_bytes = fields.number("a_bytes");
  times.b_bytes = fields.number("b_bytes");
  times.c_bytes = fields.number("c_bytes");
  times.rounds = fields.count("rounds");
  if (fields.has("left_out")) times.left_out = printable(fields.text("left_out"));
  for (const JsonFields& mode : fields.objects("ways"))
    times.modes.push_back({printable(mode.text("way")), mode.number("a_seconds"),
                           mode.number("b_seconds"), mode.number("kernel_seconds"),
                           mode.number("c_seconds"),
                           mode.number_or("error", std::numeric_limits<double>::infinity())});
  return times;
}

SplitCurve split_of(const JsonFields& fields) {
  SplitCurve curve;
  curve.problem = problem_of(fields);
  for (const JsonFields& s : fields.objects("samples"))
    curve.samples.push_back(
        {s.number("share"), s.number("cpu_seconds"), s.number("gpu_seconds"), s.number("seconds")});
  if (fields.has("chosen")) curve.chosen = fields.number("chosen");
  return curve;
}

EnergySource source_of(const JsonFields& fields) {
  EnergySource source;
  source.domain = printable(fields.text("domain"));
  if (fields.has("unavailable")) {
    source.reason = printable(fields.text("unavailable"));
  } else {
    source.source = printable(fields.text("source"));
    source.resolution = printable(fields.text("resolution"));
  }
  return source;
}

PowerTrace trace_of(const JsonFields& fields) {
  PowerTrace trace;
  trace.problem = printable(fields.text("problem"));
  for (const JsonFields& phase : fields.objects("phases"))
    trace.phases.push_back(
        {printable(phase.text("strategy")), phase.number("begin"), phase.number("end")});
  for (const JsonFields& line : fields.objects("lines")) {
    PowerLine watts{printable(line.text("domain")), {}};
    for (const auto& [seconds, value] : line.pairs("watts"))
      watts.watts.push_back({seconds, value});
    trace.lines.push_back(std::move(watts));
  }
  return trace;
}

template <typename Value, typename Read>
std::vector<Value> values_of(const JsonFields& document, const char* name, Read read) {
  std::vector<Value> values;
  if (document.has(name))
    for (const JsonFields& fields : document.objects(name)) values.push_back(read(fields));
  return values;
}

json document_of(const std::string& path) {
  // Far above what any comparison writes.
  constexpr std::size_t longest = std::size_t{256} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("it cannot be read");
  std::string text;
  for (char block[1 << 16]; file.read(block, sizeof block), file.gcount() > 0;) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > longest) throw Error("it is too long");
  }
  if (file.bad()) throw Error("it cannot be read");
  // Reading and writing are recursive, so the depth is limited.
  constexpr int deepest = 16;
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) throw Error("it is nested too deeply");
    return true;
  };
  try {
    return json::parse(text, shallow);
  } catch (const json::parse_error& error) {
    throw Error("it is no JSON, or was cut off: of its " + std::to_string(text.size()) +
                " bytes, number " + std::to_string(error.byte) + " does not fit");
  } catch (const json::out_of_range& error) {
    // The parser met a number that no double can hold. The library's text names it.
    throw Error(std::string("a number is too large: ") + error.what());
  }
}

}  // namespace

BenchRecord read_record(const std::string& path) {
  try {
    const json document = document_of(path);
    const JsonFields fields(document, "");
    if (!fields.has("results") || !fields.has("context"))
      throw Error("it has no context and results");
    BenchRecord record;
    record.context = document.at("context");
    if (!record.context.is_object()) throw Error("context is no JSON object");
    record.rows = values_of<ComparisonRow>(fields, "results", row_of);
    record.peaks = values_of<MachinePeak>(fields, "peaks", peak_of);
    if (fields.has("bandwidth")) record.memory = memory_of(fields.object("bandwidth"));
    record.splits = values_of<SplitCurve>(fields, "splits", split_of);
    record.transfers = values_of<TransferTimes>(fields, "transfers", transfers_of);
    record.sources = values_of<EnergySource>(fields, "power_sources", source_of);
    if (fields.has("power_sum")) record.energy_sum = printable(fields.text("power_sum"));
    record.traces = values_of<PowerTrace>(fields, "power", trace_of);
    return record;
  } catch (const Error& error) {
    throw Error(path + " is no file of \"duoblas bench --json\": " + error.what());
  }
}

}  // namespace duoblas::cli
