#include "cli/bench/record_json.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "cli/bandwidth_text.hpp"
#include "problem/op_letter.hpp"

namespace duoblas::cli {
namespace {

using nlohmann::json;

json energy_json(const ComparisonRow& row) {
  json domains = json::array();
  for (const DomainFigure& e : row.energy) {
    domains.push_back({{"domain", e.domain}, {"joules", e.joules}, {"mean_watts", e.mean_watts}});
    if (e.peak_watts) domains.back()["peak_watts"] = *e.peak_watts;
  }
  return domains;
}

json row_json(const BenchRecord& record, const ComparisonRow& r) {
  json row = {{"precision", std::string(1, letter(r.precision))},
              {"ops", r.ops},
              {"layout", r.layout},
              {"m", r.m},
              {"n", r.n},
              {"k", r.k},
              {"strategy", r.strategy},
              {"gflops", r.gflops},
              {"seconds", r.seconds},
              {"seconds_q1", r.seconds_q1},
              {"seconds_q3", r.seconds_q3},
              {"rounds", r.rounds},
              {"samples", r.samples},
              {"gpu_parts", r.gpu_parts},
              {"parts", r.parts},
              {"kernel", r.kernel},
              {"error", r.error},
              {"speedup", r.speedup},
              {"recovered", r.recovered}};
  if (!r.energy.empty()) row["energy"] = energy_json(r);
  if (r.joules > 0) row["joules"] = r.joules;
  if (const auto percent = percent_of_peak(record, r)) row["percent_of_peak"] = *percent;
  if (!is_bound_by_memory(r)) return row;
  row["routine"] = r.routine;
  row["gbs"] = rate_of(r);
  if (const auto percent = percent_of_bandwidth(record, r)) row["percent_of_bandwidth"] = *percent;
  return row;
}

// What was not measured is left out.
json peak_json(const MachinePeak& p) {
  json peak = {{"precision", std::string(1, letter(p.precision))}};
  if (p.gpu > 0) peak.update({{"gpu_gflops", p.gpu}, {"gpu_how", p.gpu_how}});
  if (p.cpu > 0) peak["cpu_gflops"] = p.cpu;
  if (p.cpu_all > 0) peak["cpu_all_gflops"] = p.cpu_all;
  return peak;
}

json problem_json(const ComparisonProblem& p) {
  return {{"precision", std::string(1, letter(p.precision))},
          {"ops", ops_text(p.op_a, p.op_b)},
          {"layout", p.layout == Layout::row_major ? "row" : "column"},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k}};
}

json split_json(const SplitCurve& curve) {
  json samples = json::array();
  for (const SplitSample& s : curve.samples)
    samples.push_back({{"share", s.share},
                       {"cpu_seconds", s.cpu_seconds},
                       {"gpu_seconds", s.gpu_seconds},
                       {"seconds", s.whole_seconds}});
  json split = problem_json(curve.problem);
  split["samples"] = std::move(samples);
  if (curve.chosen) split["chosen"] = *curve.chosen;
  return split;
}

json transfers_json(const TransferTimes& times) {
  json modes = json::array();
  for (const TransferMode& mode : times.modes)
    modes.push_back({{"way", mode.mode},
                     {"a_seconds", mode.a},
                     {"b_seconds", mode.b},
                     {"kernel_seconds", mode.kernel},
                     {"c_seconds", mode.c},
                     {"seconds", mode.whole()},
                     {"error", mode.error}});
  json transfers = problem_json(times.problem);
  // As in rows: gemm is not named, and gemv has one op.
  if (times.problem.routine != "gemm") {
    transfers["routine"] = times.problem.routine;
    transfers["ops"] = std::string(1, letter(times.problem.op_a));
  }
  transfers.update({{"kernel", times.kernel},
                    {"a_bytes", times.a_bytes},
                    {"b_bytes", times.b_bytes},
                    {"c_bytes", times.c_bytes},
                    {"rounds", times.rounds},
                    {"ways", std::move(modes)}});
  if (!times.left_out.empty()) transfers["left_out"] = times.left_out;
  return transfers;
}

json trace_json(const PowerTrace& trace) {
  json phases = json::array(), lines = json::array();
  for (const PowerPhase& phase : trace.phases)
    phases.push_back({{"strategy", phase.strategy}, {"begin", phase.begin}, {"end", phase.end}});
  for (const PowerLine& line : trace.lines) {
    json watts = json::array();
    for (const WattsAt& w : line.watts) watts.push_back({w.seconds, w.watts});
    lines.push_back({{"domain", line.domain}, {"watts", std::move(watts)}});
  }
  return {{"problem", trace.problem}, {"phases", std::move(phases)}, {"lines", std::move(lines)}};
}

template <typename Value, typename Write>
json array_of(const std::vector<Value>& values, Write write) {
  json array = json::array();
  for (const Value& value : values) array.push_back(write(value));
  return array;
}

json source_json(const EnergySource& s) {
  if (s.source.empty()) return {{"domain", s.domain}, {"unavailable", s.reason}};
  return {{"domain", s.domain}, {"source", s.source}, {"resolution", s.resolution}};
}

}  // namespace

json peaks_json(const std::vector<MachinePeak>& peaks) {
  return array_of(peaks, peak_json);
}

json to_json(const BenchRecord& record) {
  json document = {{"context", record.context},
                   {"results", array_of(record.rows, [&](const ComparisonRow& row) {
                      return row_json(record, row);
                    })}};
  if (!record.peaks.empty()) document["peaks"] = peaks_json(record.peaks);
  if (record.memory) document["bandwidth"] = bandwidth_json(*record.memory);
  if (!record.splits.empty()) document["splits"] = array_of(record.splits, split_json);
  if (!record.transfers.empty()) document["transfers"] = array_of(record.transfers, transfers_json);
  if (!record.sources.empty()) document["power_sources"] = array_of(record.sources, source_json);
  if (!record.energy_sum.empty()) document["power_sum"] = record.energy_sum;
  if (!record.traces.empty()) document["power"] = array_of(record.traces, trace_json);
  return document;
}

}  // namespace duoblas::cli
