// The phases of products of doubles by integers, by the device's clock.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "bench/checks_cases.hpp"
#include "bench/own_kernel.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/integers/integer_product.hpp"
#include "gpu/product/kernel_trial.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "opencl/choose_device.hpp"
#include "timing/median.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--size 1024,2048,4096] [--ops nn] [--rows N] [--points FILE] [--rounds 5] [--device WHICH]

A line for each kernel: what its trial finds; then for each size n the milliseconds of each phase (medians), of all,
GFLOPS of doubles, and of the products of bytes alone the rate in TOPS (a multiply-add is two). A and B are normal
numbers, n x n, in the device's memory; C is overwritten. All kernels' C must have the same bits.

--rows    of A and C, where these have others than n, as blocks of a larger product have
--points  a file of kernels, one a line. Without it: the built-in ones.
--device  as DUOBLAS_DEVICE.
)";

class Bench {
 public:
  Bench(OpenedDevice& device, int rounds) : device_(device), rounds_(rounds) {}

  void prepare(std::int64_t m, std::int64_t n, std::pair<Op, Op> ops) {
    problem_ = {};
    problem_.precision = Precision::d;
    problem_.op_a = ops.first;
    problem_.op_b = ops.second;
    problem_.m = m;
    problem_.n = problem_.k = problem_.ldb = problem_.ldc = n;
    problem_.lda = ops.first == Op::none ? n : m;
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    for (BoundOperand* operand : {&a_, &b_, &c_}) {
      const std::size_t count =
          static_cast<std::size_t>(operand == &b_ ? n : m) * static_cast<std::size_t>(n);
      std::vector<double> values(count);
      for (double& value : values) value = normal(engine);
      operand->buffer = std::make_shared<cl::Buffer>(
          device_.context.allocate_copy(values.data(), count * sizeof(double)));
      const std::int64_t ld = operand == &a_ ? problem_.lda : n;
      operand->pitch_bytes = static_cast<std::size_t>(ld) * sizeof(double);
    }
    reference_.clear();
  }

  void run(const KernelParams& kernel) {
    BuiltProgram& built = device_.kernels.get(normalised({kernel, Precision::d}));
    std::map<std::string_view, std::vector<double>> times;
    std::vector<double> whole;
    int moduli = 0, launches = 0;
    for (int round = 0; round <= rounds_; ++round) {
      auto [product, last] = submit_integers(device_, device_.queue, device_.scratch,
                                             device_.limits, built, problem_, {a_, b_}, c_);
      device_.queue.wait(last);
      require_certified(device_.queue, product);
      if (round == 0) continue;  // code and memory come at the first use
      std::map<std::string_view, double> sums;
      const std::vector<std::string_view>& phases = product.phases();
      const EarlierKernels earlier = product.take_earlier();
      launches = static_cast<int>(phases.size());
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const cl::Event& event = i + 1 < earlier.size() ? *earlier[i + 1] : last;
        sums[phases[i]] += cl::seconds_if_profiled(event).value_or(0);
      }
      for (const auto& [phase, seconds] : sums) times[phase].push_back(seconds);
      whole.push_back(cl::seconds_between_ends(*earlier.front(), last));
      const std::size_t bytes = IntegerProduct::state_bytes;
      std::vector<int> state(bytes / sizeof(int));
      device_.queue.read(*product.note(0), state.data(), {1, bytes, bytes, bytes, 0});
      moduli = state[0];
    }
    const double madds = static_cast<double>(problem_.m) * static_cast<double>(problem_.n) *
                         static_cast<double>(problem_.k);
    std::printf("  %ld x %ld, %2d moduli, %3d launches:", static_cast<long>(problem_.m),
                static_cast<long>(problem_.n), moduli, launches);
    for (const char* phase : {"measure", "bound", "certify", "residues", "multiply", "store"})
      std::printf(" %s %.3f", phase, 1e3 * upper_median(times[phase]));
    std::printf(" all %.3f ms, %.0f GFLOPS, %.1f TOPS%s\n", 1e3 * upper_median(whole),
                2e-9 * madds / upper_median(whole),
                2e-12 * madds * moduli / upper_median(times["multiply"]), difference().c_str());
    std::fflush(stdout);
  }

 private:
  std::string difference() {
    std::vector<double> values(static_cast<std::size_t>(problem_.m) *
                               static_cast<std::size_t>(problem_.n));
    const std::size_t bytes = values.size() * sizeof(double);
    device_.queue.read(*c_.buffer, values.data(), {1, bytes, bytes, bytes, 0});
    if (reference_.empty()) reference_ = values;
    return values == reference_ ? "" : " WRONG: other bits than the first kernel's";
  }

  OpenedDevice& device_;
  const int rounds_;
  GemmProblem problem_;
  BoundOperand a_, b_, c_;
  std::vector<double> reference_;
};

int measure(const NamedOptions& named) {
  std::string why;
  auto chosen = cl::choose_device(cl::list_devices(&why), named["--device"], true, &why);
  if (!chosen) throw DeviceError(why);
  chosen->info.has_fp64 = false;
  OpenedDevice device(*chosen, {"", Settings::from_environment().kernel_dir}, true);
  std::printf("%s: dot products %d, dp4a %d, matrices of bytes %d, wide %d\n",
              chosen->info.name.c_str(), device.limits.byte_dot_products, device.limits.byte_dp4a,
              device.limits.byte_matrix, device.limits.wide_bytes);
  std::vector<KernelParams> kernels = integers_kernels(device.limits);
  if (!named["--points"].empty()) kernels = points_of_file(named["--points"], kernels.back());
  std::vector<KernelParams> right;
  for (const KernelParams& kernel : kernels) {
    std::string found = "right";
    try {
      const KernelRule* const rule = violated_rule(kernel, Precision::d, device.limits);
      const KernelVariant variant = normalised({kernel, Precision::d});
      if (rule != nullptr)
        found = "rule " + std::string(rule->name);
      else if (const std::string wrong =
                   what_is_wrong(device, variant, device.kernels.get(variant), 1);
               !wrong.empty())
        found = "WRONG: " + wrong;
      else
        right.push_back(kernel);
    } catch (const DeviceError& failure) {
      found = failure.what();
    }
    std::printf("%s: %s\n", describe(kernel).c_str(), found.substr(0, 2000).c_str());
    std::fflush(stdout);
  }
  Bench bench(device, named.whole("--rounds"));
  for (const std::string& ops : named.list("--ops"))
    for (const std::string& size : named.list("--size")) {
      const std::string& rows = named["--rows"];
      bench.prepare(std::stol(rows.empty() ? size : rows), std::stol(size), ops_named(ops));
      std::printf("%s, n = %s\n", ops.c_str(), size.c_str());
      for (const KernelParams& kernel : right) try {
          std::printf(" %s\n", describe(kernel).c_str());
          bench.run(kernel);
        } catch (const DeviceError& failure) {
          std::printf("  %s\n", failure.what());
        }
    }
  return 0;
}

}  // namespace

BenchCase phases_case() {
  return {"phases", kUsage,
          NamedOptions({{"--size", "1024,2048,4096"},
                        {"--ops", "nn"},
                        {"--points", ""},
                        {"--rounds", "5"},
                        {"--rows", ""},
                        {"--device", ""}}),
          measure};
}

}  // namespace duoblas
