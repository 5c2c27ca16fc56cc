// Are the GPU's kernels right? The default one with all ops, the profile's, and some of those that
// a tuning would try.
#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/selftest/guarded_product.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"
#include "planner/planner.hpp"
#include "problem/op_letter.hpp"
#include "tuner/search/kernel_list.hpp"

namespace duoblas::cli::selftest {
namespace {

struct TestedKernel {
  KernelParams kernel;
  std::string origin;
};

using OpPair = std::pair<Op, Op>;

// A refusal is about the kernel. Other errors are about the device.
bool is_refusal(const DeviceError& error, bool while_building) {
  if (cl::driver_hangs()) return false;
  switch (cl::status_class(error.code())) {
    case cl::StatusClass::declined:
    case cl::StatusClass::launch_refused:
    case cl::StatusClass::build_failed:
    case cl::StatusClass::too_large: return true;
    // Some compilers report this if a kernel is too large for them.
    case cl::StatusClass::passing_shortage: return while_building;
    case cl::StatusClass::device_lost: return false;
  }
  return false;
}

class KernelTest {
 public:
  KernelTest(SectionRun& run, GpuSide& gpu, Precision precision)
      : run_(run), gpu_(gpu), precision_(precision) {}

  void with(const TestedKernel& tuning_case, const OpPair& ops) {
    const std::string pair = {letter(ops.first), letter(ops.second)};
    run_.step(tuning_case.origin + " " + pair, [&] { return tried(tuning_case, ops); });
  }

 private:
  Finding tried(const TestedKernel& tuning_case, const OpPair& ops) {
    const std::string kernel = duoblas::describe(tuning_case.kernel);
    const Stopwatch watch;
    ProductTally tally;
    // Before the first product, and from a launch to its result.
    bool prepares = true, works = false;
    const auto run = [&](const ProductCase& each, SharingMode sharing) {
      GuardedProduct product(each);
      GpuJob job = gpu_.submit(product.problem(), tuning_case.kernel, sharing);
      works = true;
      job.wait();
      works = false;
      tally.add(product.check(),
                kernel + ", " + describe(each) + ", " + std::string(name(sharing)));
      run_.progress();
    };
    std::string why;
    bool by_right = false;
    try {
      gpu_.prepare(tuning_case.kernel, precision_, ops.first, ops.second);
      prepares = false;
      for (const ProductCase& each : edge_cases(precision_, ops.first, ops.second)) {
        run(each, gpu_.best_sharing());
        if (each.padding > 0 && gpu_.best_sharing() != SharingMode::staged)
          run(each, SharingMode::staged);
      }
    } catch (const DeviceError& error) {
      why = error.what();
      by_right = !works && is_refusal(error, prepares);
    }
    Finding finding = tally.finding();
    finding.facts.update({{"kernel", kernel}, {"origin", tuning_case.origin}});
    if (!why.empty()) return refused(tuning_case, finding, why, by_right);
    finding.facts["seconds"] = watch.seconds();
    return finding;
  }

  // An untuned machine has the default kernel alone, so it must not be refused. A device that fails
  // without a right to is wrong, whatever kernel it ran.
  Finding refused(const TestedKernel& tuning_case, Finding finding, const std::string& why,
                  bool by_right) const {
    finding.facts[by_right ? "refused" : "failed"] = why.substr(0, 2000);
    if (!finding.text.empty()) finding.text += "; ";
    finding.text += duoblas::describe(tuning_case.kernel) +
                    (by_right ? " is refused: " : " fails: ") +
                    why.substr(0, std::min<std::size_t>(why.find('\n'), 300));
    if (!by_right || tuning_case.origin == "default") finding.found = Found::wrong;
    return finding;
  }

  SectionRun& run_;
  GpuSide& gpu_;
  const Precision precision_;
};

// In a fixed order, so that a run that goes on behind a crash means the same steps.
std::vector<TestedKernel> tuning_cases(Engine& engine, GpuSide& gpu, Precision precision,
                                       bool quick) {
  std::vector<TestedKernel> found = {{default_kernel(precision, gpu.limits()), "default"}};
  const auto add = [&](const KernelParams& kernel, const std::string& origin) {
    if (std::ranges::find(found, kernel, &TestedKernel::kernel) == found.end())
      found.push_back({kernel, origin + " " + std::to_string(found.size())});
  };
  const PlanMachine& machine = engine.machine();
  if (const auto& profile = machine.tuned(precision).profile) {
    for (const TunedPoint& point : profile->points) {
      if (point.precision != precision) continue;
      GemmProblem problem;
      problem.precision = precision;
      problem.m = problem.n = problem.k = 149;
      for (const TunedChoice& choice : {point.hybrid, point.simple, point.gpu})
        add(adapted_choice(choice, point, problem, machine).kernel, "profile");
      for (const auto& [use, tuned] : point.uses) {
        TunedChoice choice = point.gpu;
        choice.kernel = tuned.kernel;
        add(adapted_choice(choice, point, problem, machine).kernel, "profile");
      }
    }
  }
  // Kernels of the other family too, where a device may run them: what is wrong with one says
  // something of the compiler.
  for (const KernelParams& kernel : {least_tiled(), default_tiled(precision).front()})
    if (violated_rule(kernel, precision, gpu.limits()) == nullptr) add(kernel, "tiled");
  // The list begins with the best guesses, but a wrong kernel may be anywhere. So it is gone
  // through in steps of three.
  const auto searched =
      search_kernels(precision, Op::none, Op::none, gpu.limits(), quick ? 4 : 120);
  for (std::size_t first = 0; first < 3; ++first)
    for (std::size_t i = first; i < searched.size(); i += 3) add(searched[i], "search");
  return found;
}

}  // namespace

void test_kernels(SectionRun& run, Precision precision) {
  Engine engine(run.settings());
  GpuSide* gpu = run.gpu_of(engine);
  if (gpu == nullptr) return;
  if (!engine.machine().device.multiplies(precision)) {
    run.step("double precision", [] { return impossible("the device has no double precision"); });
    return;
  }
  KernelTest test(run, *gpu, precision);
  std::optional<std::vector<TestedKernel>> kernels;
  const auto list = [&] {
    if (!kernels) kernels = tuning_cases(engine, *gpu, precision, run.quick());
  };
  run.step("the kernels to try", [&] {
    list();
    return Finding{Found::ok, "", {{"kernels", kernels->size()}}};
  });
  const auto ops = all_ops(precision);
  if (!kernels) {
    // The step above has reported why there is no list. Or it was left out, because this run goes
    // on after a crash.
    try {
      list();
    } catch (const std::exception&) {
      kernels = {{default_kernel(precision, gpu->limits()), "default"}};
    }
  }
  for (std::size_t i = 0; i < (run.quick() ? 1 : ops.size()); ++i) {
    if (i > 0 && run.takes_too_long())
      return run.left_out(std::to_string(ops.size() - i) + " pairs of ops, and other kernels");
    test.with(kernels->front(), ops[i]);
  }
  for (std::size_t i = 1; i < kernels->size(); ++i) {
    if (run.seconds_left() <= 0)
      return run.left_out(std::to_string(kernels->size() - i) + " kernels");
    test.with((*kernels)[i], {Op::none, Op::none});
    if (!run.quick()) test.with((*kernels)[i], ops[i % ops.size()]);
  }
}

}  // namespace duoblas::cli::selftest
