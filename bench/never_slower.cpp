// "Never slower": a grid of gemv and level-3 calls, made through the drop-in and directly. The
// direct calls go to the same BLAS on all cores, as its fastest core type. Each call has a process
// of its own.
//
//   duoblas tune && bench_never_slower build/release/lib/libduoblas_blas.so.0 --json points.json
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/dropin_pair.hpp"
#include "bench/named_options.hpp"
#include "bench/never_slower_grid.hpp"
#include "cpu/cpu_side.hpp"
#include "os/child_process.hpp"
#include "timing/median.hpp"
#include "tuner/core_type_probe.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_never_slower DROPIN [--blas libopenblas.so.0] [--core-type NAME] [--seconds 1]
                          [--largest 4096] [--points dgemm:nn:512x512x512,...] [--every 1]
                          [--repeats 2] [--json FILE]

  DROPIN       libduoblas_blas.so.0 with its path
  --core-type  of the BLAS; otherwise its fastest here, by measuring
  --seconds    per point; three pairs at least
  --largest    extent of the grid's calls
  --points     instead of the grid
  --every      2: every second point of the grid, and so on
  --repeats    times that points over 1.05 are measured again
  --json       writes what is printed

Every point has a fresh process. A pair is some calls of the BLAS and some through the drop-in. Each
time is preceded by 35 ms of untimed calls, so that no threads of the other BLAS spin. Printed are the
medians of the ratios within pairs: below 1 is a gain. "engine": the engine does the call, at least in
part on the GPU; otherwise the drop-in passes it on.
)";

constexpr double most_allowed = 1.05;

double number(const NamedOptions& options, const std::string& name) {
  const double value = std::atof(options[name].c_str());
  if (!(value > 0)) throw SettingError(name + " takes a positive number");
  return value;
}

std::vector<BlasPoint> points(const NamedOptions& options) {
  std::vector<BlasPoint> chosen;
  if (!options["--points"].empty()) {
    for (const std::string& text : list_items(options["--points"]))
      chosen.push_back(blas_point(text));
    return chosen;
  }
  const auto grid = never_slower_grid(static_cast<int>(number(options, "--largest")));
  const auto step = static_cast<std::size_t>(number(options, "--every"));
  for (std::size_t i = 0; i < grid.size(); i += std::max<std::size_t>(step, 1))
    chosen.push_back(grid[i]);
  return chosen;
}

// The fastest of both precisions together; the library's own choice comes first among equals.
std::string fastest_core_type(const std::string& blas) {
  const auto found = probe_core_types(blas, "/proc/self/exe");
  if (found.empty()) return "";
  const auto worth = [&](const CoreTypeFinding& type) {
    return type.sgemm_gflops / found.front().sgemm_gflops +
           type.dgemm_gflops / found.front().dgemm_gflops;
  };
  const auto best = std::max_element(found.begin(), found.end(), [&](const auto& x, const auto& y) {
    return worth(x) < worth(y);
  });
  return worth(*best) > 1.02 * worth(found.front()) ? best->core_type : "";
}

struct Row {
  PairTiming timing;
  std::vector<double> again;  ///< ratios of later processes

  double ratio() const {
    std::vector<double> all = again;
    all.push_back(timing.ratio);
    return upper_median(std::move(all));
  }
};

constexpr const char* of_one_point = "--one-point";

nlohmann::json json_of(const Row& row) {
  return {{"point", text_of(row.timing.point)},
          {"engine", row.timing.by_engine},
          {"direct_seconds", row.timing.direct_seconds},
          {"dropin_seconds", row.timing.dropin_seconds},
          {"ratio", row.timing.ratio},
          {"pairs", row.timing.pairs},
          {"again", row.again}};
}

// The answer of the process that measured one point.
std::string answer_of_one_point(const NamedOptions& options) {
  const DropinPair pair(options.word(), options["--blas"], options["--core-type"]);
  const Row row{pair.measure(blas_point(options["--points"]), number(options, "--seconds")), {}};
  nlohmann::json answer = json_of(row);
  answer["blas"] = pair.description();
  answer["state"] = pair.engine_state();
  return answer.dump();
}

nlohmann::json measured(const NamedOptions& options, const std::string& core_type,
                        const BlasPoint& point) {
  ChildProcess child({"/proc/self/exe", options.word(), "--blas", options["--blas"], "--core-type",
                      core_type, "--seconds", options["--seconds"], "--points", text_of(point),
                      of_one_point, "yes"});
  std::string output;
  pollfd waiting{child.channel(), POLLIN, 0};
  while (poll(&waiting, 1, -1) > 0 && child.receive(output)) {
  }
  child.end();
  const nlohmann::json answer = nlohmann::json::parse(output, nullptr, false);
  if (answer.is_discarded()) throw Error("the process of " + text_of(point) + " gave no answer");
  return answer;
}

Row row_of(const BlasPoint& point, const nlohmann::json& answer) {
  PairTiming timing;
  timing.point = point;
  timing.by_engine = answer.at("engine");
  timing.direct_seconds = answer.at("direct_seconds");
  timing.dropin_seconds = answer.at("dropin_seconds");
  timing.ratio = answer.at("ratio");
  timing.pairs = answer.at("pairs");
  return {timing, {}};
}

void print(const Row& row) {
  const PairTiming& t = row.timing;
  std::printf("%-28s %-7s %9.1f %10.4f %10.4f %7.3f\n", text_of(t.point).c_str(),
              t.by_engine ? "engine" : "passed", flops(t.point) * 1e-9 / t.dropin_seconds,
              t.direct_seconds * 1e3, t.dropin_seconds * 1e3, t.ratio);
  std::fflush(stdout);
}

void sum_up(const std::vector<Row>& rows) {
  double logs = 0, engine_logs = 0;
  int by_engine = 0, over = 0;
  for (const Row& row : rows) {
    logs += std::log(row.ratio());
    if (row.timing.by_engine) {
      engine_logs += std::log(row.ratio());
      ++by_engine;
    }
    if (row.ratio() <= most_allowed) continue;
    ++over;
    std::printf("  stays over %.2f: %s  %.3f, again", most_allowed,
                text_of(row.timing.point).c_str(), row.timing.ratio);
    for (const double ratio : row.again) std::printf(" %.3f", ratio);
    std::printf("\n");
  }
  const auto mean = [](double sum, std::size_t count) {
    return count == 0 ? 1.0 : std::exp(sum / static_cast<double>(count));
  };
  std::printf(
      "%zu points, %d stay over %.2f; geometric mean of the ratios %.4f, of the %d points "
      "that the engine does %.4f\n",
      rows.size(), over, most_allowed, mean(logs, rows.size()), by_engine,
      mean(engine_logs, static_cast<std::size_t>(by_engine)));
}

int run(const NamedOptions& options) {
  if (!options[of_one_point].empty()) {
    std::cout << answer_of_one_point(options) << std::endl;
    return 0;
  }
  const std::string core_type =
      options["--core-type"] == "?" ? fastest_core_type(options["--blas"]) : options["--core-type"];
  std::vector<Row> rows;
  std::string blas;
  int unanswered = 0;
  for (const BlasPoint& point : points(options)) {
    nlohmann::json answer;
    try {
      answer = measured(options, core_type, point);
    } catch (const Error& error) {
      std::cerr << error.what() << '\n';
      ++unanswered;
      continue;
    }
    if (rows.empty()) {
      blas = answer.at("blas");
      std::printf("%s\nengine: %s\n%-28s %-7s %9s %10s %10s %7s\n", blas.c_str(),
                  answer.at("state").get<std::string>().c_str(), "call", "by", "GFLOPS",
                  "direct ms", "drop-in ms", "ratio");
    }
    rows.push_back(row_of(point, answer));
    print(rows.back());
  }
  const int repeats = std::atoi(options["--repeats"].c_str());
  for (Row& row : rows)
    for (int i = 0; i < repeats && row.timing.ratio > most_allowed; ++i)
      row.again.push_back(measured(options, core_type, row.timing.point).at("ratio"));
  sum_up(rows);
  if (options["--json"].empty()) return unanswered > 0;
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) list.push_back(json_of(row));
  std::ofstream file(options["--json"]);
  file << nlohmann::json{{"blas", blas}, {"points", list}}.dump(2) << '\n';
  if (!file.flush()) throw Error("cannot write " + options["--json"]);
  return unanswered > 0;
}

// The child's half of fastest_core_type(), which needs no answer from each child.
int answer_core_type_probe(const char* library, const char* core_type) {
  try {
    std::cout << run_core_type_probe(library, core_type) << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_never_slower: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == core_type_probe_argument)
    return answer_core_type_probe(argv[2], argv[3]);
  return benchmark_main("bench_never_slower", kUsage,
                        NamedOptions({{"--blas", "libopenblas.so.0"},
                                      {"--core-type", "?"},
                                      {"--seconds", "1"},
                                      {"--largest", "4096"},
                                      {"--points", ""},
                                      {"--every", "1"},
                                      {"--repeats", "2"},
                                      {of_one_point, ""},
                                      {"--json", ""}},
                                     "drop-in"),
                        argc, argv, run);
}
