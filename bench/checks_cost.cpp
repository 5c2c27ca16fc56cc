// The processor time of checks of results, beside that of the calls.
#include <ctime>
#include <iostream>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/checks_cases.hpp"
#include "engine/engine.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--sizes 1024,2048,4096] [--precision s,d] [--betas 0,1] [--strategy gpu] [--rounds 5] [--seconds 3]

always: processor time in milliseconds of the check, of the call without it, and their ratio; then the whole call
with the check and without. sampled: of calls in a row, the checks' processor time in percent of the calls' time
and of the process's processor time.
--strategy  gpu or hybrid, as planned; DUOBLAS_STANDIN=1 for the stand-in
--rounds    pairs of a call that is checked and one that is not, in turns
)";

double process_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double check = 0, call = 0;    // processor time
  double with = 0, without = 0;  // by the clock
};

Cost always(Engine& engine, const GemmProblem& problem, int rounds) {
  std::vector<double> checks, calls, with, without;
  for (int round = 0; round < rounds; ++round) {
    engine.checks().set_mode(CheckMode::off);
    const double started = process_seconds();
    without.push_back(seconds_of([&] { engine.run(problem); }));
    calls.push_back(process_seconds() - started);
    engine.checks().set_mode(CheckMode::always);
    const double before = engine.checks().counts().seconds;
    with.push_back(seconds_of([&] { engine.run(problem); }));
    checks.push_back(engine.checks().counts().seconds - before);
  }
  return {upper_median(checks), upper_median(calls), upper_median(with), upper_median(without)};
}

// Percent of the calls' time, and of the process's processor time.
std::pair<double, double> sampled(Engine& engine, const GemmProblem& problem, double seconds) {
  engine.checks().set_mode(CheckMode::sampled);
  constexpr int first_ones = 10;
  for (int call = 0; call < first_ones; ++call) engine.run(problem);
  const double checks = engine.checks().counts().seconds, started = process_seconds();
  const Stopwatch watch;
  while (watch.seconds() < seconds) engine.run(problem);
  const double spent = engine.checks().counts().seconds - checks;
  return {100 * spent / watch.seconds(), 100 * spent / (process_seconds() - started)};
}

int run(const NamedOptions& options) {
  Settings settings = Settings::from_environment();
  settings.strategy = options.is("--strategy", "hybrid") ? Strategy::hybrid : Strategy::gpu;
  Engine engine(settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.facts().gpu_problem());
  std::cout << engine.gpu()->info().name << (settings.standin ? " (stand-in), " : ", ")
            << options["--strategy"] << '\n';
  const Table table({{"", -5},
                     {"n", 5},
                     {"beta", 4},
                     {"check", 8},
                     {"call", 8},
                     {"%", 6},
                     {"checked", 9},
                     {"unchecked", 9},
                     {"sampled %", 9},
                     {"of cpu", 6}});
  for (const std::string& size : options.list("--sizes"))
    for (const std::string& type : options.list("--precision"))
      for (const std::string& beta : options.list("--betas")) {
        const int n = std::stoi(size);
        MeasuredProblem measured(row_major_call(precision_named(type), Op::none, Op::none, n, n, n),
                                 1);
        GemmProblem problem = measured.problem();
        problem.beta = std::stod(beta) * 0.5;  // C stays as large as it is
        problem.alpha = 1.0 / n;
        engine.run(problem);
        const Cost cost = always(engine, problem, options.whole("--rounds"));
        const auto [of_time, of_cpu] = sampled(engine, problem, options.positive("--seconds"));
        table.row({type + "gemm", size, beta, fixed(1e3 * cost.check, 2), fixed(1e3 * cost.call, 2),
                   fixed(100 * cost.check / cost.call, 2), fixed(1e3 * cost.with, 2),
                   fixed(1e3 * cost.without, 2), fixed(of_time, 3), fixed(of_cpu, 3)});
      }
  const CheckCounts counts = engine.checks().counts();
  std::cout << "checked " << counts.checked << " of " << counts.results << " results, "
            << counts.suspected << " suspected, " << counts.wrong << " wrong\n";
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace

BenchCase cost_case() {
  return {"cost", kUsage,
          NamedOptions({{"--sizes", "1024,2048,4096"},
                        {"--precision", "s,d"},
                        {"--betas", "0,1"},
                        {"--strategy", "gpu"},
                        {"--rounds", "5"},
                        {"--seconds", "3"}}),
          run};
}

}  // namespace duoblas
