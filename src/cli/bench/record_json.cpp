// A comparison as JSON, in both directions; one description of each part serves both.
#include "cli/bench/record.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <duoblas/error.hpp>

#include "cli/bench/record_fields.hpp"
#include "problem/op_letter.hpp"

namespace duoblas::cli {

using nlohmann::json;

namespace {

void describe_precision(RecordFields& f, Precision& precision, std::string_view known,
                        const char* otherwise) {
  std::string text(1, letter(precision));
  f.text("precision", text);
  f.require(text.size() == 1 && known.find(text) != known.npos, "precision", otherwise);
  precision = static_cast<Precision>(text[0]);
}

struct Call {
  Precision& precision;
  std::string &routine, &ops, &layout;
  std::int64_t &m, &n, &k;
};

// The routine is left out where it is gemm. Others have one matrix, and one op.
void describe_call(RecordFields& f, Call call) {
  describe_precision(f, call.precision, "sdcz", "is none of s, d, c and z");
  std::string other = call.routine == "gemm" ? "" : call.routine;
  f.text_if_any("routine", other);
  const bool gemm = other.empty() || other == "gemm";
  f.require(gemm || other == "gemv", "routine", "is neither gemm nor gemv");
  call.routine = gemm ? "gemm" : other;
  f.text("ops", call.ops);
  const auto is_op = [](char op) { return op_from(op).has_value(); };
  f.require(call.ops.size() == (gemm ? 2 : 1) && std::ranges::all_of(call.ops, is_op), "ops",
            gemm ? "is no pair of n, t and c" : "is none of n, t and c");
  f.text("layout", call.layout);
  f.require(call.layout == "row" || call.layout == "column", "layout", "is neither row nor column");
  f.integer("m", call.m, 1);
  f.integer("n", call.n, 1);
  f.integer("k", call.k, 1);
}

void describe_problem(RecordFields& f, ComparisonProblem& p) {
  std::string ops = ops_text(p.op_a, p.op_b),
              layout = p.layout == Layout::row_major ? "row" : "column";
  if (p.routine != "gemm") ops.resize(1);
  describe_call(f, {p.precision, p.routine, ops, layout, p.m, p.n, p.k});
  p.op_a = op_from(ops[0]).value();
  p.op_b = ops.size() > 1 ? op_from(ops[1]).value() : Op::none;
  p.layout = layout == "row" ? Layout::row_major : Layout::column_major;
}

}  // namespace

// The file's objects. Not in the unnamed namespace: record_fields.hpp finds them by their argument.

void describe(RecordFields& f, DomainFigure& figure) {
  f.text("domain", figure.domain);
  f.number("joules", figure.joules);
  f.number("mean_watts", figure.mean_watts);
  f.number_if_any("peak_watts", figure.peak_watts);
}

void describe(RecordFields& f, ComparisonRow& row) {
  describe_call(f, {row.precision, row.routine, row.ops, row.layout, row.m, row.n, row.k});
  f.text("strategy", row.strategy);
  f.number("gflops", row.gflops);
  f.number("seconds", row.seconds);
  f.number("seconds_q1", row.seconds_q1);
  f.number("seconds_q3", row.seconds_q3);
  f.require(row.seconds_q1 <= row.seconds && row.seconds <= row.seconds_q3, "seconds",
            "is not between its quartiles");
  f.count("rounds", row.rounds);
  f.numbers_if_there("samples", row.samples);
  f.count("parts", row.parts, 1);
  f.count("gpu_parts", row.gpu_parts);
  f.require(row.gpu_parts <= row.parts, "gpu_parts", "is more than all parts");
  f.text("kernel", row.kernel);
  f.number_or_infinity("error", row.error);
  f.number("speedup", row.speedup);
  f.flag("recovered", row.recovered);
  f.text_if_any("beaten_by", row.beaten_by);
  f.objects_if_any("energy", row.energy);
  f.number_if_any("joules", row.joules);
}

void describe(RecordFields& f, MachinePeak& peak) {
  describe_precision(f, peak.precision, "sd", "is neither s nor d");
  f.number_if_any("gpu_gflops", peak.gpu);
  f.text_if_any("gpu_how", peak.gpu_how);
  f.number_if_any("cpu_gflops", peak.cpu);
  f.number_if_any("cpu_all_gflops", peak.cpu_all);
}

void describe(RecordFields& f, MemoryRates& rates) {
  constexpr double giga = 1e9;
  f.number_if_any("cpu_gbs", rates.cpu, giga);
  f.number_if_any("cpu_all_gbs", rates.cpu_all, giga);
  f.number_if_any("gpu_gbs", rates.gpu, giga);
  f.number_if_any("gpu_host_gbs", rates.gpu_host, giga);
  f.number_if_any("gpu_beside_gbs", rates.gpu_beside, giga);
  f.number_if_any("cpu_beside_gbs", rates.cpu_beside, giga);
  if (rates.both() > 0) f.derived("both_gbs", rates.both() / giga);
  if (rates.gpu_host > 0) f.flag_if_there("in_place", rates.in_place);
  f.number_if_any("launch_seconds", rates.launch_seconds);
}

void describe(RecordFields& f, SplitSample& sample) {
  f.number("share", sample.share);
  f.number("cpu_seconds", sample.cpu_seconds);
  f.number("gpu_seconds", sample.gpu_seconds);
  f.number("seconds", sample.whole_seconds);
}

void describe(RecordFields& f, SplitCurve& curve) {
  describe_problem(f, curve.problem);
  f.objects("samples", curve.samples);
  f.number_if_any("chosen", curve.chosen);
}

void describe(RecordFields& f, TransferMode& mode) {
  f.text("way", mode.mode);
  f.number("a_seconds", mode.a);
  f.number("b_seconds", mode.b);
  f.number("kernel_seconds", mode.kernel);
  f.number("c_seconds", mode.c);
  f.derived("seconds", mode.whole());
  f.number_or_infinity("error", mode.error);
}

void describe(RecordFields& f, TransferTimes& times) {
  describe_problem(f, times.problem);
  f.text("kernel", times.kernel);
  f.number("a_bytes", times.a_bytes);
  f.number("b_bytes", times.b_bytes);
  f.number("c_bytes", times.c_bytes);
  f.count("rounds", times.rounds);
  f.objects("ways", times.modes);
  f.text_if_any("left_out", times.left_out);
}

void describe(RecordFields& f, EnergySource& source) {
  f.text("domain", source.domain);
  f.text_if_any("source", source.source);
  f.text_if_any("resolution", source.resolution);
  f.text_if_any("unavailable", source.reason);
}

void describe(RecordFields& f, PowerPhase& phase) {
  f.text("strategy", phase.strategy);
  f.number("begin", phase.begin);
  f.number("end", phase.end);
}

void describe(RecordFields& f, PowerLine& line) {
  f.text("domain", line.domain);
  f.watts("watts", line.watts);
}

void describe(RecordFields& f, PowerTrace& trace) {
  f.text("problem", trace.problem);
  f.objects("phases", trace.phases);
  f.objects("lines", trace.lines);
}

void describe(RecordFields& f, BenchRecord& record) {
  f.objects("results", record.rows);
  f.objects_if_any("peaks", record.peaks);
  f.object_if_any("bandwidth", record.memory);
  f.objects_if_any("splits", record.splits);
  f.objects_if_any("transfers", record.transfers);
  f.objects_if_any("power_sources", record.sources);
  f.text_if_any("power_sum", record.energy_sum);
  f.objects_if_any("power", record.traces);
}

namespace {

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

json peaks_json(std::vector<MachinePeak> peaks) {
  json document = json::object();
  RecordFields(document, false).objects("peaks", peaks);
  return document["peaks"];
}

json bandwidth_json(MemoryRates rates) {
  json document = json::object();
  RecordFields fields(document, false);
  describe(fields, rates);
  return document;
}

json to_json(BenchRecord record) {
  json document = json::object();
  document["context"] = record.context;
  RecordFields fields(document, false);
  describe(fields, record);
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const ComparisonRow& row = record.rows[i];
    json& written = document["results"][i];
    if (const auto percent = percent_of_peak(record, row)) written["percent_of_peak"] = *percent;
    if (!is_bound_by_memory(row)) continue;
    written["gbs"] = rate_of(row);
    if (const auto percent = percent_of_bandwidth(record, row))
      written["percent_of_bandwidth"] = *percent;
  }
  return document;
}

BenchRecord read_record(const std::string& path) {
  try {
    json document = document_of(path);
    RecordFields fields(document, true);
    if (!fields.has("results") || !fields.has("context"))
      throw Error("it has no context and results");
    BenchRecord record;
    record.context = document.at("context");
    if (!record.context.is_object()) throw Error("context is no JSON object");
    describe(fields, record);
    return record;
  } catch (const Error& error) {
    throw Error(path + " is no file of \"duoblas bench --json\": " + error.what());
  }
}

}  // namespace duoblas::cli
