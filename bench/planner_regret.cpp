// The planner's promise on this machine: at shapes that were never tuned, the planned call is at
// most 3 % slower than the best of CPU-only, GPU-only and the best split of a sweep.
//
//   duoblas tune && bench_planner_regret --shapes 40 --seconds 200 --json regret.json
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "bench/shape_regret.hpp"
#include "engine/background_work.hpp"
#include "kernel_space/kernel_description.hpp"
#include "problem/op_letter.hpp"
#include "timing/median.hpp"
#include "tuner/comparison.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_planner_regret [--shapes 40] [--seed 1] [--seconds 200] [--precision s,d]
                            [--products MxNxK,...] [--beta 0] [--calls 0] [--json FILE]

  --shapes     how many products: sizes from 128 to 2300, even in their logarithms, all four op pairs
  --products   these instead, A and B as they are stored; each in every precision
  --beta       0 or 1: whether C is written, or added to
  --calls      of each product before its plan is judged, so that the plan may be a learned one;
               after each the kernels are waited for that it found missing
  --seed       other products
  --seconds    for all of them together
  --precision  element types, of s, d, c, z
  --json       writes what is printed

Sweeps every product's split, then lets CPU-only, GPU-only, the best split and the plan take turns.
"floor": what a choice by times measured just before misses: noise that no plan can know better.
Needs a profile (duoblas tune).
)";

std::vector<Precision> precisions(const NamedOptions& options) {
  std::vector<Precision> chosen;
  for (const char text : options["--precision"]) {
    if (text == ',') continue;
    const std::size_t before = chosen.size();
    for (const Precision p : {Precision::s, Precision::d, Precision::c, Precision::z})
      if (letter(p) == text) chosen.push_back(p);
    if (chosen.size() == before)
      throw SettingError(std::string("--precision is of s, d, c, z, not \"") + text + "\"");
  }
  if (chosen.empty()) throw SettingError("--precision is of s, d, c, z: give one at least");
  return chosen;
}

bool adds_to_c(const NamedOptions& options) {
  const std::string& beta = options["--beta"];
  if (beta != "0" && beta != "1") throw SettingError("--beta is 0 or 1, not \"" + beta + "\"");
  return beta == "1";
}

// Kernels are built while a device starts, and calls go on meanwhile.
void wait_for_kernels() {
  constexpr auto moment = std::chrono::milliseconds(1);
  while (background_work_is_running()) std::this_thread::sleep_for(moment);
}

int calls_before(const NamedOptions& options) {
  return options["--calls"] == "0" ? 0 : positive(options, "--calls");
}

std::vector<CallerGemm> given_products(const NamedOptions& options) {
  std::vector<CallerGemm> products;
  for (const std::string& text : list_items(options["--products"]))
    for (const Precision precision : precisions(options)) {
      std::int64_t m = 0, n = 0, k = 0;
      int end = 0;
      constexpr const char* format = "%" SCNd64 "x%" SCNd64 "x%" SCNd64 "%n";
      if (std::sscanf(text.c_str(), format, &m, &n, &k, &end) != 3 || m < 1 || n < 1 || k < 1 ||
          static_cast<std::size_t>(end) != text.size())
        throw SettingError("--products takes sizes such as 4096x4096x128, not \"" + text + "\"");
      products.push_back(row_major_call(precision, Op::none, Op::none, m, n, k));
    }
  return products;
}

// Reproducible: distributions of the standard library are each library's own.
class ShapeGrid {
 public:
  ShapeGrid(std::vector<Precision> precisions, unsigned seed)
      : precisions_(std::move(precisions)), random_(seed) {}

  CallerGemm next() {
    const Precision precision = precisions_[drawn_++ % precisions_.size()];
    const Op a = op(), b = op();
    const std::int64_t m = extent(), n = extent(), k = extent();
    return row_major_call(precision, a, b, m, n, k);
  }

 private:
  Op op() { return random_() >> 63 ? Op::transpose : Op::none; }
  std::int64_t extent() {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::llround(128 * std::pow(2300.0 / 128, unit));
  }

  std::vector<Precision> precisions_;
  std::mt19937_64 random_;
  std::size_t drawn_ = 0;
};

std::string text_of(const Plan& plan) {
  if (plan.strategy != Strategy::hybrid) return std::string(name(plan.strategy));
  return std::to_string(plan.share.gpu_parts) + "/" + std::to_string(plan.share.parts) +
         (plan.axis == Axis::columns ? " columns" : "");
}

void print(const ShapeRegret& r) {
  const GemmProblem& p = r.problem;
  const std::string shape =
      std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k);
  std::printf("%cgemm %s %-18s %-13s %8.3f %8.3f %8.3f %8.3f  %2d/%d  %-6s %7.1f %7.1f %%\n",
              letter(p.precision), ops_text(p.op_a, p.op_b).c_str(), shape.c_str(),
              text_of(r.plan).c_str(), 1e3 * r.planned, 1e3 * r.cpu, 1e3 * r.gpu, 1e3 * r.hybrid,
              r.swept.gpu_parts, r.swept.parts, r.best.c_str(), 100 * r.regret, 100 * r.floor);
  std::fflush(stdout);
}

// What is not there is null: JSON has no infinity.
nlohmann::json finite_json(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const ShapeRegret& r) {
  return {{"precision", std::string(1, letter(r.problem.precision))},
          {"ops", ops_text(r.problem.op_a, r.problem.op_b)},
          {"m", r.problem.m},
          {"n", r.problem.n},
          {"k", r.problem.k},
          {"strategy", name(r.plan.strategy)},
          {"axis", r.plan.axis == Axis::rows ? "rows" : "columns"},
          {"gpu_extent", r.plan.gpu_extent},
          {"kernel", r.plan.strategy == Strategy::cpu ? "" : describe(r.plan.kernel)},
          {"reason", sentence(r.plan.reason)},
          {"expected_seconds", r.plan.expected_seconds},
          {"planned_seconds", finite_json(r.planned)},
          {"cpu_seconds", finite_json(r.cpu)},
          {"gpu_seconds", finite_json(r.gpu)},
          {"hybrid_seconds", finite_json(r.hybrid)},
          {"swept_gpu_parts", r.swept.gpu_parts},
          {"swept_parts", r.swept.parts},
          {"rounds", r.rounds},
          {"best", r.best},
          {"regret", finite_json(r.regret)},
          {"floor", finite_json(r.floor)}};
}

// The promise, as a part of the best's time.
constexpr double promised = 0.03;

std::ptrdiff_t broken(const std::vector<double>& regrets) {
  return std::ranges::count_if(regrets, [](double regret) { return regret > promised; });
}

void print_summary(const char* whose, const std::vector<double>& regrets) {
  std::printf(
      "regret of %s: median %.1f %%, 90 %% below %.1f %%, worst %.1f %%, over 3 %% at %td of %zu\n",
      whose, 100 * median(regrets), 100 * quantile(regrets, 0.9), 100 * std::ranges::max(regrets),
      broken(regrets), regrets.size());
}

nlohmann::json summary_json(const std::vector<double>& regrets) {
  return {{"median", median(regrets)},
          {"90_percent", quantile(regrets, 0.9)},
          {"worst", std::ranges::max(regrets)},
          {"over_3_percent", broken(regrets)}};
}

void write(const std::string& path, const nlohmann::json& document) {
  std::ofstream file(path);
  file << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

int run(const NamedOptions& options) {
  std::vector<CallerGemm> products = given_products(options);
  const bool adds = adds_to_c(options);
  const int calls = calls_before(options);
  const auto seed = static_cast<unsigned>(positive(options, "--seed"));
  const double seconds = positive(options, "--seconds");
  if (products.empty()) {
    ShapeGrid grid(precisions(options), seed);
    for (int left = positive(options, "--shapes"); left > 0; --left)
      products.push_back(grid.next());
  }
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  if (engine.gpu() == nullptr)
    throw DeviceError("no device: " + engine.facts().gpu_problem() +
                      " (DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU)");
  if (!engine.machine().profile || engine.machine().profile->points.empty())
    throw SettingError("nothing was tuned here, so nothing can be planned: run \"duoblas tune\"");

  std::printf("%s%s, milliseconds\n%-27s %-13s %8s %8s %8s %8s  swept  best    regret   floor\n",
              engine.gpu()->info().name.c_str(), engine.settings().standin ? " (stand-in)" : "",
              "product", "plan", "planned", "cpu", "gpu", "split");
  nlohmann::json rows = nlohmann::json::array();
  std::vector<double> regrets, floors;
  for (CallerGemm& call : products) {
    if (adds) call.args.beta = 1;
    const MeasuredProblem measured(call, seed);
    for (int made = 0; made < calls; ++made) {
      engine.run(measured.problem());
      wait_for_kernels();
    }
    const double its_seconds = seconds / static_cast<double>(products.size());
    const ShapeRegret row = measure_regret(engine, measured, its_seconds, seed);
    print(row);
    rows.push_back(json_of(row));
    // A call that the GPU failed has no time, and no regret.
    if (std::isfinite(row.regret)) regrets.push_back(row.regret);
    if (std::isfinite(row.floor)) floors.push_back(row.floor);
  }
  if (regrets.empty() || floors.empty())
    throw Error("no planned call could be timed: the GPU failed");
  std::printf("\n");
  print_summary("the plan", regrets);
  print_summary("a choice by times just measured", floors);
  if (options["--json"].empty()) return 0;
  write(options["--json"], {{"device", engine.gpu()->info().name},
                            {"standin", engine.settings().standin},
                            {"seed", seed},
                            {"seconds", seconds},
                            {"beta", adds ? 1 : 0},
                            {"calls", calls},
                            {"regret", summary_json(regrets)},
                            {"floor", summary_json(floors)},
                            {"products", rows}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_planner_regret", kUsage,
                        NamedOptions({{"--shapes", "40"},
                                      {"--seed", "1"},
                                      {"--seconds", "200"},
                                      {"--precision", "s,d"},
                                      {"--products", ""},
                                      {"--beta", "0"},
                                      {"--calls", "0"},
                                      {"--json", ""}}),
                        argc, argv, run);
}
