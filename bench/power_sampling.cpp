// What sampling costs: CPU time of the sampler's thread while nothing else runs, and the time of a
// product with the sampler on and off, in turns. A third turn, with the sampler off once more, says
// how much of that is the measurement's own noise. And whether two sensors of the GPU agree: joules
// that the driver counts, and its watts over time.
//
//   bench_power_sampling --seconds 5 --size 4096
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/named_options.hpp"
#include "power/energy_meter.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    "usage: bench_power_sampling [--seconds 10] [--size 2048] [--rounds 40]\n\n"
    "  --seconds  at rest, and of work that both sensors of a GPU measure\n"
    "  --size     m = n = k of the sgemm\n"
    "  --rounds   turns with sampling and without\n";

struct Options {
  double seconds;
  long size;
  int rounds;
};

double process_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::optional<power::EnergyMeter> started_meter() {
  return std::optional<power::EnergyMeter>(std::in_place,
                                           power::best_sensors(power::find_power_sources()));
}

void print_cost_at_rest(double seconds) {
  auto meter = started_meter();
  sleep_seconds(0.5);  // starting is not sampling
  const double before = process_cpu_seconds();
  sleep_seconds(seconds);
  const double used = process_cpu_seconds() - before;
  constexpr int reads = 100;
  const double begun = power::steady_seconds();
  for (int i = 0; i < reads; ++i) meter->mark();
  const double read = (power::steady_seconds() - begun) / reads;
  std::printf("sampling: %.3f %% of one core; one after another, a read takes %.3g us\n",
              100 * used / seconds, read * 1e6);
}

// The median and its standard error, within which two of three runs would find it again. That is
// 1.2533 standard errors of a mean; quartiles are 1.349 standard deviations apart.
void print_ratio(const char* what, const std::vector<double>& ratios) {
  const double low = quantile(ratios, 0.25), high = quantile(ratios, 0.75);
  const double error =
      1.2533 / 1.349 * (high - low) / std::sqrt(static_cast<double>(ratios.size()));
  std::printf("  %-24s %.4f +- %.4f times as long (quartiles %.4f to %.4f)\n", what, median(ratios),
              error, low, high);
}

void print_cost_of_product(Engine& engine, const Options& options) {
  const MeasuredProblem measured(
      row_major_call(Precision::s, Op::none, Op::none, options.size, options.size, options.size),
      1);
  const GemmProblem& problem = measured.problem();
  const Plan plan = engine.plans().of(problem);
  const auto call = [&] { return timed_run(engine, problem, plan).value_or(0); };
  const double once = (call(), call());
  // A turn of a quarter of a second contains several reads.
  const int repeats = std::max(1, static_cast<int>(0.25 / std::max(once, 1e-6)));
  enum Turn { off, off_again, on };
  std::array<Turn, 3> order = {off, off_again, on};
  std::vector<double> plain, control, sampled;
  for (int round = 0; round < options.rounds; ++round) {
    std::array<double, 3> seconds{};
    for (const Turn turn : order) {
      auto meter = turn == on ? started_meter() : std::nullopt;
      seconds[turn] = timed_run(engine, problem, plan, repeats).value_or(0);
    }
    plain.push_back(seconds[off]);
    control.push_back(seconds[off_again] / seconds[off]);
    // Compared with both other turns, so that a drifting clock has little effect.
    sampled.push_back(2 * seconds[on] / (seconds[off] + seconds[off_again]));
    // Each order occurs equally often, so no turn gains from the one before it.
    std::next_permutation(order.begin(), order.end());
  }
  std::printf("sgemm n = %ld, %s: %.3f ms a call, %d calls a turn, %d rounds\n", options.size,
              std::string(name(plan.strategy)).c_str(), median(plain) * 1e3, repeats,
              options.rounds);
  print_ratio("with sampling:", sampled);
  print_ratio("without, once more:", control);
}

// Work by the GPU for so long, measured by both of its sensors at once.
void print_agreement(Engine& engine, const Options& options) {
  std::vector<std::unique_ptr<power::EnergyMeter>> meters;
  std::vector<std::string> sources;
  for (power::EnergySensor& sensor : power::find_power_sources().sensors) {
    if (sensor.info().domain != power::Domain::gpu) continue;
    sources.push_back(sensor.info().source);
    meters.push_back(std::make_unique<power::EnergyMeter>(
        std::vector<power::DomainSensor>{{power::Domain::gpu, std::move(sensor), ""}}));
  }
  if (meters.size() < 2) {
    std::printf("agreement: the GPU has %zu sensors\n", meters.size());
    return;
  }
  const MeasuredProblem measured(
      row_major_call(Precision::s, Op::none, Op::none, options.size, options.size, options.size),
      1);
  const Plan plan = engine.plans().of(measured.problem());
  const auto work = [&](double seconds) {
    const Stopwatch watch;
    while (watch.seconds() < seconds) timed_run(engine, measured.problem(), plan);
  };
  work(2);  // a driver's watts are means over up to a second
  const double begin = power::steady_seconds();
  work(options.seconds);
  const double end = power::steady_seconds();
  work(0.5);
  for (std::size_t i = 0; i < meters.size(); ++i) {
    meters[i]->mark();  // reads: the thread's pauses are as long as its share of a core asks for
    const auto gpu = meters[i]->between(begin, end).of(power::Domain::gpu);
    if (gpu.figure)
      std::printf("agreement: %-45s %10.1f J  %7.1f W\n", sources[i].c_str(), gpu.figure->joules,
                  gpu.figure->mean_watts);
    else
      std::printf("agreement: %s: %s\n", sources[i].c_str(), gpu.reason.c_str());
  }
}

int run(const NamedOptions& named) {
  const Options options{std::stod(named["--seconds"]), positive(named, "--size"),
                        positive(named, "--rounds")};
  if (!(options.seconds > 0)) throw SettingError("--seconds takes a positive number");
  const power::PowerSources sources = power::find_power_sources();
  for (const auto& sensor : sources.sensors)
    std::printf("%s: %s (%s)\n", power::name_of(sensor.info().domain), sensor.info().source.c_str(),
                power::resolution(sensor.info()).c_str());
  if (sources.sensors.empty()) {
    std::printf("no sensor of energy can be read on this machine\n");
    return 1;
  }
  print_cost_at_rest(options.seconds);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  print_cost_of_product(engine, options);
  print_agreement(engine, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_power_sampling", kUsage,
                        NamedOptions({{"--seconds", "10"}, {"--size", "2048"}, {"--rounds", "40"}}),
                        argc, argv, run);
}
