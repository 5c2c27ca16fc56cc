// The cost of checks of the GPU's results: the processor time of the checking thread, beside the
// processor time of the same calls in all threads of the process.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/named_options.hpp"
#include "engine/engine.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measured_problem.hpp"

namespace {

using namespace duoblas;
constexpr const char* kUsage =
    R"(usage: bench_check_cost [--sizes 1024,2048,4096] [--types sd] [--betas 0,1]
                        [--strategy gpu] [--rounds 5] [--seconds 3]

  --strategy  gpu or hybrid, as planned; DUOBLAS_STANDIN=1 for the stand-in
  --rounds    pairs of a call that is checked and one that is not, in turns
  --seconds   of calls in a row of which samples are checked

always: processor time of the check, of the call without, in milliseconds, and their ratio; then the
whole time of the call with the check and without. sampled: of the calls in a row, after the first
ones of the class, the checks' processor time in percent of the calls' own time and of the process's
processor time.
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
  settings.strategy = options["--strategy"] == "hybrid" ? Strategy::hybrid : Strategy::gpu;
  Engine engine(settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.facts().gpu_problem());
  std::printf("%s%s, %s\n", engine.gpu()->info().name.c_str(),
              settings.standin ? " (stand-in)" : "", options["--strategy"].c_str());
  std::printf(
      "type     n beta | check  call      %%  | checked unchecked | sampled %%: time, cpu\n");
  const int rounds = positive(options, "--rounds");
  for (const std::string& size : list_items(options["--sizes"]))
    for (const char type : options["--types"])
      for (const std::string& beta : list_items(options["--betas"])) {
        const int n = std::atoi(size.c_str());
        MeasuredProblem measured(
            row_major_call(static_cast<Precision>(type), Op::none, Op::none, n, n, n), 1);
        GemmProblem problem = measured.problem();
        problem.beta = std::atof(beta.c_str()) * 0.5;  // C stays as large as it is
        problem.alpha = 1.0 / n;
        engine.run(problem);
        const Cost cost = always(engine, problem, rounds);
        const auto [of_time, of_processor] =
            sampled(engine, problem, positive(options, "--seconds"));
        std::printf("%4c %5d %4s | %7.2f %8.2f %5.2f | %8.2f %8.2f | %.3f %.3f\n", type, n,
                    beta.c_str(), 1e3 * cost.check, 1e3 * cost.call, 100 * cost.check / cost.call,
                    1e3 * cost.with, 1e3 * cost.without, of_time, of_processor);
        std::fflush(stdout);
      }
  const CheckCounts counts = engine.checks().counts();
  std::printf("checked %llu of %llu results, %llu suspected, %llu wrong\n",
              static_cast<unsigned long long>(counts.checked),
              static_cast<unsigned long long>(counts.results),
              static_cast<unsigned long long>(counts.suspected),
              static_cast<unsigned long long>(counts.wrong));
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  NamedOptions options({{"--sizes", "1024,2048,4096"},
                        {"--types", "sd"},
                        {"--betas", "0,1"},
                        {"--strategy", "gpu"},
                        {"--rounds", "5"},
                        {"--seconds", "3"}});
  return benchmark_main("bench_check_cost", kUsage, options, argc, argv, run);
}
