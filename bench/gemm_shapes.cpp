// Products that were never tuned: how much slower their plans are than the best of a sweep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <random>

#include <duoblas/error.hpp>

#include "bench/gemm_cases.hpp"
#include "engine/engine.hpp"
#include "planner/planned_partition.hpp"
#include "problem/op_letter.hpp"
#include "timing/median.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--shapes 40] [--products MxNxK,...] [--precision s,d] [--calls 6] [--seconds 200] [--seed 1]

Products that were never tuned: is the plan at most 3 % slower than the best of CPU alone, GPU alone and the
best split? Each split in 16ths and the two sides take turns first, then the best split, the sides and the plan.
"floor": what a choice by the first turns misses: noise that no plan can know better. Needs a profile.
--shapes    how many: sizes from 128 to 2300, even in their logarithms, all four op pairs
--products  these instead, A and B as they are stored; each in every precision
--calls     of each product before its plan is judged, so that the plan may be a learned one
--seconds   for all of them together
)";

// Reproducible: distributions of the standard library are each library's own.
class Shapes {
 public:
  explicit Shapes(unsigned seed) : random_(seed) {}

  CallerGemm next(Precision precision) {
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
  std::mt19937_64 random_;
};

std::vector<CallerGemm> products_of(const NamedOptions& options) {
  std::vector<Precision> precisions;
  for (const std::string& letter : options.list("--precision"))
    precisions.push_back(precision_named(letter));
  std::vector<CallerGemm> products;
  for (const std::string& text : options.list("--products")) {
    const std::vector<std::string> sizes = list_items(text, 'x');
    if (sizes.size() != 3) throw SettingError("--products takes sizes such as 4096x4096x128");
    for (const Precision precision : precisions)
      products.push_back(row_major_call(precision, Op::none, Op::none, std::stoll(sizes[0]),
                                        std::stoll(sizes[1]), std::stoll(sizes[2])));
  }
  Shapes shapes(static_cast<unsigned>(options.whole("--seed")));
  const auto count = static_cast<std::size_t>(options.whole("--shapes"));
  while (options["--products"].empty() && products.size() < count)
    products.push_back(shapes.next(precisions[products.size() % precisions.size()]));
  return products;
}

struct NamedPlan {
  std::string name;
  Plan plan;
};

bool same_call(const Plan& x, const Plan& y) {
  if (x.strategy == Strategy::cpu || y.strategy == Strategy::cpu) return x.strategy == y.strategy;
  return x.kernel == y.kernel && x.sharing == y.sharing && x.axis == y.axis &&
         x.gpu_extent == y.gpu_extent;
}

// CPU alone, GPU alone, and the splits that leave something to both sides.
std::vector<NamedPlan> every_plan(Engine& engine, const GemmProblem& p) {
  const PlanMachine& machine = engine.machine();
  const TunedPoint* point = nearest_point(*machine.tuned(p.precision).profile, p);
  TunedChoice choice = point != nullptr ? adapted_choice(point->hybrid, *point, p, machine)
                                        : untuned_choice(p.precision, machine);
  std::vector<NamedPlan> plans = {
      {"cpu", cpu_plan(machine.cpu_all_for(p.precision), Reason::as_told)},
      {"gpu", strategy_plan("gpu", p, machine, point)}};
  constexpr int parts = 16;
  for (int of_gpu = 1; of_gpu < parts; ++of_gpu) {
    choice.share = {of_gpu, parts};
    const Plan plan = plan_choice(p, machine, choice, Reason::as_told);
    const auto same = [&](const NamedPlan& other) { return same_call(plan, other.plan); };
    if (plan.strategy == Strategy::hybrid && std::ranges::none_of(plans, same))
      plans.push_back({std::to_string(of_gpu) + "/16", plan});
  }
  return plans;
}

// The first call of a sample is not timed: programs make calls of one kind in a row, and threads of
// another way's CPU BLAS spin for a while after its last call.
Contender way_of(Engine& engine, const GemmProblem& p, const NamedPlan& named) {
  return {named.name, [&engine, &p, plan = named.plan, repeats = 0]() mutable {
            const auto once = timed_run(engine, p, plan);
            constexpr double sample_seconds = 200e-6;
            if (repeats == 0)
              repeats = std::clamp(static_cast<int>(sample_seconds / once.value_or(1)), 1, 100);
            const auto seconds = timed_run(engine, p, plan, repeats);
            if (!seconds) throw DeviceError("the GPU failed");
            return *seconds;
          }};
}

std::vector<Taken> timed(Engine& engine, const GemmProblem& p, const std::vector<NamedPlan>& plans,
                         const TurnRules& rules) {
  std::vector<Contender> ways;
  for (const NamedPlan& named : plans) ways.push_back(way_of(engine, p, named));
  return in_turns(ways, rules);
}

std::size_t fastest(const std::vector<Taken>& taken) {
  return static_cast<std::size_t>(std::ranges::min_element(taken, {}, &Taken::median) -
                                  taken.begin());
}

struct Regret {
  double of_plan = 0, floor = 0;
};

Regret judged(Engine& engine, const MeasuredProblem& measured, double seconds, const Table& table) {
  const GemmProblem& p = measured.problem();
  const std::vector<NamedPlan> every = every_plan(engine, p);
  const std::vector<Taken> swept = timed(engine, p, every, {2, 9, 0.55 * seconds});
  std::vector<NamedPlan> plans = {every[0], every[1]};
  std::size_t best_split = 0;
  for (std::size_t i = 2; i < every.size(); ++i)
    if (best_split == 0 || swept[i].median < swept[best_split].median) best_split = i;
  if (best_split != 0) plans.push_back(every[best_split]);
  std::size_t guess = 0;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (plans[i].name == every[fastest(swept)].name) guess = i;
  // A plan that is one of the others is not raced against itself: that would measure noise.
  const Plan planned = engine.plans().of(p);
  std::size_t at = 0;
  while (at < plans.size() && !same_call(plans[at].plan, planned)) ++at;
  const std::size_t others = plans.size();
  if (at == others) plans.push_back({"plan", planned});
  std::vector<Taken> last = timed(engine, p, plans, {7, 51, 0.45 * seconds});
  const std::size_t best = fastest({last.begin(), last.begin() + static_cast<long>(others)});
  const auto excess = [&](std::size_t i) {
    return i == best ? 0 : last[i].median / last[best].median - 1;
  };
  const Regret regret{excess(at), excess(guess)};
  const std::string plan_name =
      planned.strategy == Strategy::hybrid
          ? std::to_string(planned.share.gpu_parts) + "/" + std::to_string(planned.share.parts)
          : std::string(name(planned.strategy));
  const auto ms = [&](std::size_t i) { return i < others ? fixed(1e3 * last[i].median, 3) : "-"; };
  table.row({std::string(1, letter(p.precision)) + "gemm " + letter(p.op_a) + letter(p.op_b) + " " +
                 std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k),
             plan_name, fixed(1e3 * last[at].median, 3), ms(0), ms(1), ms(2), plans[best].name,
             fixed(100 * regret.of_plan, 1), fixed(100 * regret.floor, 1)});
  return regret;
}

void sum_up(const char* whose, const std::vector<double>& regrets) {
  const auto over = std::ranges::count_if(regrets, [](double regret) { return regret > 0.03; });
  std::printf("%s: median %.1f %%, 90 %% below %.1f %%, worst %.1f %%, over 3 %% at %td of %zu\n",
              whose, 100 * median(regrets), 100 * quantile(regrets, 0.9),
              100 * std::ranges::max(regrets), over, regrets.size());
}

int run(const NamedOptions& options) {
  const std::vector<CallerGemm> products = products_of(options);
  const int calls = options.whole("--calls", 0);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  if (engine.gpu() == nullptr) throw DeviceError(engine.facts().gpu_problem());
  if (!engine.machine().profile || engine.machine().profile->points.empty())
    throw SettingError("nothing was tuned here, so nothing can be planned: run \"duoblas tune\"");
  std::cout << engine.gpu()->info().name << (engine.settings().standin ? " (stand-in)" : "")
            << ", milliseconds\n";
  const Table table({{"product", -27},
                     {"plan", -7},
                     {"planned", 8},
                     {"cpu", 8},
                     {"gpu", 8},
                     {"split", 8},
                     {"best", -5},
                     {"behind, %", 9},
                     {"floor, %", 8}});
  std::vector<double> regrets, floors;
  for (const CallerGemm& call : products) {
    const MeasuredProblem measured(call, 1);
    for (int made = 0; made < calls; ++made) {
      engine.run(measured.problem());
      nothing_was_built();
    }
    const double its_seconds = options.positive("--seconds") / static_cast<double>(products.size());
    const Regret regret = judged(engine, measured, its_seconds, table);
    if (!std::isfinite(regret.of_plan)) continue;  // the GPU failed
    regrets.push_back(regret.of_plan);
    floors.push_back(regret.floor);
  }
  if (regrets.empty()) throw Error("no planned call could be timed: the GPU failed");
  sum_up("the plan", regrets);
  sum_up("a choice by times just measured", floors);
  return 0;
}

}  // namespace

BenchCase shapes_case() {
  return {"shapes", kUsage,
          NamedOptions({{"--shapes", "40"},
                        {"--products", ""},
                        {"--precision", "s,d"},
                        {"--calls", "6"},
                        {"--seconds", "200"},
                        {"--seed", "1"}}),
          run};
}

}  // namespace duoblas
