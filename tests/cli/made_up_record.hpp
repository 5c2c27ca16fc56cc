// The comparison of a machine that never was, in round numbers.
#pragma once

#include <string>

#include "cli/bench/record.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas::cli {

/// `median` seconds with quartiles a tenth to each side, of nine rounds.
inline ComparisonRow made_up_row(const std::string& strategy, Shape shape, double median) {
  ComparisonRow row;
  row.ops = "nn";
  row.layout = "row";
  row.m = shape.m;
  row.n = shape.n;
  row.k = shape.k;
  row.strategy = strategy;
  row.seconds = median;
  row.seconds_q1 = 0.9 * median;
  row.seconds_q3 = 1.1 * median;
  row.rounds = 9;
  row.samples = {0.9 * median, median, 1.1 * median};
  row.gflops = operations(row) / median * 1e-9;
  row.speedup = 1.5;
  row.error = 0.25;
  if (strategy != "cpu") {
    row.kernel = "panel, \"6x64\"";
    row.gpu_parts = 8;
  }
  return row;
}

inline SplitCurve made_up_curve(Shape shape) {
  SplitCurve curve;
  curve.problem = {Precision::s, Op::none, Op::none, Layout::row_major, shape.m, shape.n, shape.k};
  curve.samples = {{0, 0.02, 0, 0.02}, {0.5, 0.01, 0.011, 0.012}, {1, 0, 0.022, 0.022}};
  curve.chosen = 0.5;
  return curve;
}

/// Three cubes, two strategies, a split curve and a trace of power.
inline BenchRecord made_up_record() {
  BenchRecord record;
  record.context = {{"version", "0.1.0"},
                    {"date", "2026-11-21T09:30:00Z"},
                    {"standin", false},
                    {"device", {{"name", "Paper <GPU>"}, {"driver", "1.2"}, {"platform", "Paper"}}},
                    {"cpu_model", "Paper CPU & Sons"},
                    {"cpu_blas", "OpenBLAS"},
                    {"cpu", {{"d", {{"threads", 8}}}}},
                    {"cpu_all", {{"d", {{"threads", 8}}}}},
                    {"tuned", true}};
  for (const std::int64_t n : {256, 512, 1024}) {
    const double cube = static_cast<double>(n * n * n);
    record.rows.push_back(made_up_row("cpu", {n, n, n}, 2e-11 * cube));
    record.rows.push_back(made_up_row("hybrid", {n, n, n}, 1e-11 * cube));
  }
  record.peaks = {{Precision::s, 400, "8 chains of fma", 150, 150}};
  record.splits.push_back(made_up_curve({1024, 1024, 1024}));
  record.transfers.push_back(
      {{Precision::s, Op::none, Op::none, Layout::row_major, 512, 512, 512},
       "panel",
       1048576,
       1048576,
       1048576,
       9,
       {{"copies", 1e-4, 1e-4, 2e-3, 3e-4, 0.25}, {"zero-copy", 1e-5, 1e-5, 2e-3, 2e-5, 0.25}},
       ""});
  record.sources = {{"gpu", "NVML of Paper", "counted, every 20 ms", ""},
                    {"system", "", "", "no battery"}};
  record.energy_sum = "gpu";
  for (ComparisonRow& row : record.rows) {
    row.energy = {{"gpu", 0.5, 250, 300}};
    row.joules = 0.5;
  }
  record.traces.push_back({"sgemm nn 1024 x 1024 x 1024",
                           {{"cpu", 0, 1}, {"hybrid", 1, 2}},
                           {{"gpu", {{0.1, 240}, {1, 250}, {1.9, 260}}}}});
  return record;
}

}  // namespace duoblas::cli
