// Joules and time of a call as the profiles of two folders plan it, in turns: one tuned for
// throughput against one tuned for energy.
//
//   bench_plan_energy THROUGHPUT_FOLDER ENERGY_FOLDER s|d SIZE [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "timing/median.hpp"
#include "tuner/call_energy.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"

namespace {

using namespace duoblas;

struct Contender {
  std::string folder;
  Plan plan;
  std::vector<double> seconds, joules;
};

Plan plan_by(Engine& engine, const std::string& folder, const GemmProblem& problem) {
  std::string why = "there is none";
  const Arithmetic arithmetic = engine.machine().device.arithmetic(problem.precision);
  auto profile = load_profile(folder, engine.facts().profile_key(arithmetic), &why);
  if (!profile) throw Error("no profile of this machine in " + folder + ": " + why);
  PlanMachine machine = engine.machine();
  machine.tuned(arithmetic).use(std::move(*profile));
  machine.tuned(arithmetic).match = ProfileMatch::exact;
  return make_plan(problem, machine, {});
}

void print(const Contender& c) {
  const char* strategy = c.plan.strategy == Strategy::cpu   ? "cpu"
                         : c.plan.strategy == Strategy::gpu ? "gpu"
                                                            : "hybrid";
  std::printf("%s: %s %d/%d, %.3f ms, %.4g J (%.4g to %.4g)\n", c.folder.c_str(), strategy,
              c.plan.share.gpu_parts, c.plan.share.parts, median(c.seconds) * 1e3, median(c.joules),
              quantile(c.joules, 0.25), quantile(c.joules, 0.75));
}

int compare(char** arguments, int rounds) {
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  if (engine.gpu() == nullptr) throw DeviceError("no device: " + engine.facts().gpu_problem());
  CallEnergy energy(engine.gpu()->info().pci_address);
  for (const std::string& source : energy.sources()) std::printf("%s\n", source.c_str());
  const Precision precision = arguments[3][0] == 'd' ? Precision::d : Precision::s;
  const long n = std::atol(arguments[4]);
  if (n < 1 || rounds < 1) throw Error("give a size and rounds of 1 or more");
  const MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n), 1);
  std::vector<Contender> contenders;
  for (int i = 1; i <= 2; ++i)
    contenders.push_back({arguments[i], plan_by(engine, arguments[i], measured.problem()), {}, {}});
  for (int round = 0; round < rounds; ++round) {
    for (Contender& c : contenders) {
      timed_run(engine, measured.problem(), c.plan);  // the first one builds its kernel
      const auto sample = metered_call(engine, measured.problem(), c.plan, 1, energy);
      if (!sample) throw DeviceError("the GPU failed");
      c.seconds.push_back(sample->whole);
      c.joules.push_back(sample->joules);
    }
  }
  for (const Contender& c : contenders) print(c);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < contenders[0].joules.size(); ++i)
    ratios.push_back(contenders[1].joules[i] / contenders[0].joules[i]);
  std::printf("joules, second over first, median of %d rounds: %.4f\n", rounds, median(ratios));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    std::fprintf(stderr, "usage: %s THROUGHPUT_FOLDER ENERGY_FOLDER s|d SIZE [ROUNDS]\n", argv[0]);
    return 2;
  }
  try {
    constexpr int usual_rounds = 15;
    return compare(argv, argc == 6 ? std::atoi(argv[5]) : usual_rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
