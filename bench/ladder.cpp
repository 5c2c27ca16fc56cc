// What each step from a naive kernel to a fast one brings on a device: the steps of the myGEMM
// tutorial as points of our kernel space, and ours beyond it (bench/ladder_steps.hpp).
// Device-resident operands, the device's clock, steps taking turns.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/ladder_steps.hpp"
#include "bench/resident.hpp"
#include "kernel_space/kernel_description.hpp"
#include "plot/chart_svg.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"([--precision s] [--size N] [--ops nn] [--device NAME] [--rounds 9] [--family auto] [--plot FILE]
  [--peers cublas,clblast]

--size    m = n = k; default 4096 on a GPU, on a CPU 1024 (panel) or 256 (tiled: slow there)
--ops     op(A) and op(B), each n, t or c
--device  index or part of the name of an OpenCL device; default: the first GPU, else a CPU
--rounds  how often each step is timed
--family  tiled (GPUs), panel (CPU devices), or auto: what suits the device
--plot    draws the ladder into this .svg file
--peers   other libraries at the same product, where they are installed; none: nobody
)";

/// A step of ours, or another library.
struct Row {
  std::string title, change, kernel;
  std::size_t from = 0;  ///< number, from 1, of the step that this one changes; 0: none
  std::size_t series = 0;
  std::string refused;
  double gflops = 0, q1 = 0, q3 = 0;
};

std::string speed(double gflops) {
  return fixed(gflops, gflops < 100 ? 1 : 0);
}

std::vector<Row> climbed(const std::vector<LadderStep>& steps, Resident& resident, double giga,
                         int rounds) {
  std::vector<Row> rows;
  std::vector<Contender> ways;
  std::vector<std::size_t> place;
  for (const LadderStep& step : steps) {
    rows.push_back({step.title, step.change, describe(step.kernel), step.from,
                    step.of_tutorial ? 0u : 1u, resident.refusal(step.kernel)});
    if (!rows.back().refused.empty()) continue;
    ways.push_back(resident.way(step.kernel));
    place.push_back(rows.size() - 1);
  }
  for (const Contender& peer : resident.peers()) {
    rows.push_back({peer.name, "", "", 0, 2, ""});
    ways.push_back(peer);
    place.push_back(rows.size() - 1);
  }
  const std::vector<Taken> taken = in_turns(ways, {rounds, rounds});
  for (std::size_t i = 0; i < taken.size(); ++i) {
    Row& row = rows[place[i]];
    row.refused = taken[i].problem;
    row.gflops = giga / taken[i].median;
    row.q1 = giga / taken[i].q3;
    row.q3 = giga / taken[i].q1;
  }
  return rows;
}

// The speed of the step from which this one was derived. If that step has no time, of the next
// earlier one in the chain that has. 0: none has.
double speed_before(const std::vector<Row>& rows, std::size_t from) {
  for (; from > 0; from = rows[from - 1].from)
    if (rows[from - 1].refused.empty()) return rows[from - 1].gflops;
  return 0;
}

void print(const std::vector<Row>& rows) {
  const Table table({{"step", 4},
                     {"what changed", -29},
                     {"GFLOPS", 7},
                     {"quartiles", 15},
                     {"x first", 7},
                     {"x before", 8}});
  double first = 0, best = 0;
  std::size_t number = 0;
  for (const Row& row : rows) {
    const std::string step = row.series == 2 ? "" : std::to_string(++number);
    if (!row.refused.empty()) {
      table.row({step, row.title, "-", row.refused.substr(0, 50)});
      continue;
    }
    if (first == 0) first = row.gflops;
    const double before = row.series == 2 ? best : speed_before(rows, row.from);
    if (row.series != 2) best = std::max(best, row.gflops);
    table.row({step, row.title, speed(row.gflops), speed(row.q1) + " - " + speed(row.q3),
               fixed(row.gflops / first, 2), fixed(before > 0 ? row.gflops / before : 1, 2)});
  }
  std::cout << "\nWhat changed, and the kernel:\n";
  number = 0;
  for (const Row& row : rows)
    if (row.series != 2)
      std::cout << "  " << ++number << "  " << row.change << "\n      " << row.kernel << '\n';
  std::cout << "\nGFLOPS: from the median of the device's time of whole calls, packing included. x "
               "before: "
               "times the\nstep that this one changes (of another library: times our fastest "
               "step). Every result was compared\nbefore it was timed.\n";
}

void draw(const std::vector<Row>& rows, const std::string& title, const std::string& path) {
  BarChart chart;
  chart.title = title;
  chart.value_label = "GFLOPS (bar: median, whisker: quartiles)";
  chart.series = {"steps of the tutorial", "our steps", "other libraries"};
  for (const Row& row : rows) {
    const std::string number = std::to_string(chart.bars.size() + 1) + "  ";
    ChartBar bar{.name = (row.series == 2 ? "" : number) + row.title,
                 .note = "not here: " + row.refused,
                 .series = row.series};
    if (row.refused.empty()) {
      bar.value = row.gflops;
      bar.low = row.q1;
      bar.high = row.q3;
      bar.note = speed(row.gflops);
    }
    chart.bars.push_back(bar);
  }
  write_picture(picture_svg(std::vector{drawing_of(chart)}, ""), path);
  std::cout << "\nThe picture: " << path << '\n';
}

bool is_panel(const NamedOptions& options, const DeviceLimits& limits) {
  const std::string& family = options["--family"];
  if (family != "auto" && family != "tiled" && family != "panel")
    throw SettingError("--family is auto, tiled or panel, not \"" + family + "\"");
  return family == "panel" || (family == "auto" && limits.is_cpu);
}

int size_of(const NamedOptions& options, bool panel, bool on_cpu) {
  if (!options["--size"].empty()) return options.whole("--size");
  if (!on_cpu) return 4096;
  return panel ? 1024 : 256;
}

int run(const NamedOptions& options) {
  const std::string& plot = options["--plot"];
  if (!plot.empty() && !plot.ends_with(".svg"))
    throw SettingError("--plot takes a name that ends in .svg, not \"" + plot + "\"");
  const Precision precision = precision_named(options["--precision"]);
  const auto ops = ops_named(options["--ops"]);
  const int rounds = options.whole("--rounds");
  const auto device = opened_device(options["--device"]);
  const std::string& name = device->context.device().info.name;
  const DeviceLimits& limits = device->limits;
  if (is_double(precision) && !device->context.device().info.has_fp64)
    throw SettingError(name + " has no double precision");
  const bool panel = is_panel(options, limits);
  const int n = size_of(options, panel, limits.is_cpu);
  const std::string heading = std::string(1, letter(precision)) + "gemm " + options["--ops"] +
                              ", n = " + std::to_string(n) + ", " + (panel ? "panel" : "tiled") +
                              " kernels" + (limits.is_cpu ? ", a CPU device" : "");
  std::cout << heading << ", " << rounds << " interleaved rounds\n";
  const auto peers = peers_named(options.list("--peers"), *device);
  const PeerProblem problem = square_problem(precision, ops, n);
  Resident resident(*device, peers, problem);
  const std::vector<Row> rows =
      climbed(panel ? panel_ladder(precision, limits) : tiled_ladder(precision, limits), resident,
              problem.giga_flops(), rounds);
  print(rows);
  if (!plot.empty()) draw(rows, heading + ": " + name, plot);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main("bench_ladder",
                    {{"", kUsage,
                      NamedOptions({{"--precision", "s"},
                                    {"--size", ""},
                                    {"--ops", "nn"},
                                    {"--device", ""},
                                    {"--rounds", "9"},
                                    {"--family", "auto"},
                                    {"--plot", ""},
                                    {"--peers", "cublas,clblast"}}),
                      run}},
                    argc, argv);
}
