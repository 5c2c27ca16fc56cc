// The gain of operands that are registered, prepared or resident, on a device with memory of its
// own, over the same product from pageable memory.
//
//   bench_registered --precision s,d --n 1024,2048,4096,8192 --pad 0 --seconds 2
//
// Calls take turns, so that drift of the clock affects all alike. Printed are medians of whole
// calls. Of the GPU alone: pageable; A, B and C registered; A prepared, B and C registered; A and B
// prepared, C registered; all three in buffers on the device. Of both sides, as planned: pageable
// and registered. "first" is the first call with registered operands, which locks their pages.
#include <cstdio>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/host_matrices.hpp"
#include "bench/named_options.hpp"
#include "bench/peer.hpp"
#include "bench/result_difference.hpp"
#include "engine/engine.hpp"
#include "gpu/queued/queued_products.hpp"
#include "opencl/choose_device.hpp"
#include "planner/planner.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_registered [--precision s,d] [--n 1024,2048,4096,8192] [--pad 0] [--seconds 2]

  --n        square matrices of this size
  --pad      elements between the rows of each matrix
  --seconds  per type and size; three rounds at least
)";

// The same matrices in a program's own buffers.
class OnDevice {
 public:
  OnDevice(const cl::Device& device, const HostMatrices& matrices)
      : context_(device), queue_(context_), products_(queue_.raw(), {}) {
    product_.problem = matrices.problem;
    product_.a = upload(matrices.memory.a, matrices.problem.lda);
    product_.b = upload(matrices.memory.b, matrices.problem.ldb);
    product_.c = upload(matrices.memory.c, matrices.problem.ldc);
  }
  void multiply(const KernelParams& kernel) {
    product_.kernel = kernel;
    products_.enqueue(product_, {}, nullptr);
    queue_.finish();
  }

 private:
  BufferPlace upload(const std::vector<char>& bytes, std::int64_t ld) {
    buffers_.push_back(context_.allocate(bytes.size(), cl::Access::read_write));
    const std::size_t size = bytes.size();
    queue_.write(buffers_.back(), bytes.data(), {1, size, size, size, 0}, true);
    return {buffers_.back().raw(), 0, ld};
  }

  cl::Context context_;
  cl::Queue queue_;
  QueuedProducts products_;
  std::vector<cl::Buffer> buffers_;
  QueuedProduct product_;
};

template <typename Call>
TimedCandidate timed(Call call) {
  return [call]() -> std::optional<double> { return seconds_of(call); };
}

void compare(Engine& engine, const cl::Device& device, const PeerProblem& shape, double seconds) {
  HostMatrices pageable(shape, false), registered(shape, true);
  GpuSide& gpu = *engine.gpu();
  const GemmProblem& problem = pageable.problem;
  const KernelParams kernel = gpu_kernel(problem, engine.machine(), MathMode::exact);
  const auto a = gpu.make_resident(rect_of_a(registered.problem));
  const auto b = gpu.make_resident(rect_of_b(registered.problem));
  OnDevice on_device(device, pageable);

  const auto alone = [&](const HostMatrices& m, SharingMode mode, ResidentOperands resident) {
    return timed([&gpu, &m, kernel, mode, resident] {
      gpu.submit(m.problem, kernel, {mode, mode, resident}).wait();
    });
  };
  const auto planned = [&](const HostMatrices& m) {
    return timed([&engine, &m] { engine.run(m.problem); });
  };
  gpu.submit(pageable.problem, kernel, SharingMode::staged).wait();  // built and allocated
  const double first = *alone(registered, SharingMode::pinned, {})();
  const std::vector<TimedCandidate> candidates = {
      alone(pageable, SharingMode::staged, {}),
      alone(registered, SharingMode::pinned, {}),
      alone(registered, SharingMode::pinned, {a.get(), nullptr}),
      alone(registered, SharingMode::pinned, {a.get(), b.get()}),
      timed([&] { on_device.multiply(kernel); }),
      planned(pageable),
      planned(registered)};
  MeasureRules rules;
  rules.max_rounds = 50;
  rules.deadline = in_seconds(seconds);
  const auto timings = measure_interleaved(candidates, rules);
  std::printf("%cgemm %6lld %6d %9.3f", letter(shape.precision), static_cast<long long>(shape.n),
              timings.front().rounds, 1e3 * first);
  for (const Timing& timing : timings)
    std::printf("  %9.3f %6.2f", 1e3 * timing.median, 1e-12 * flops(problem) / timing.median);
  const bool equal = result_difference(shape, pageable.memory.c, registered.memory.c) < 1;
  std::printf("  %s\n", equal ? "" : "RESULTS DIFFER");
  std::fflush(stdout);
}

int run(const NamedOptions& options) {
  Settings settings = Settings::from_environment();
  if (settings.strategy == Strategy::automatic) settings.strategy = Strategy::hybrid;
  Engine& engine = *new Engine(settings);  // drivers outlive main badly
  if (engine.gpu() == nullptr) {
    std::fprintf(stderr, "no device: %s\n", engine.facts().gpu_problem().c_str());
    return 1;
  }
  const auto device = cl::choose_device(cl::list_devices(), settings.device, true);
  std::printf("%s, medians in ms and TFLOPS\n%-13s %5s %9s", device->info.name.c_str(), "n",
              "calls", "first");
  for (const char* column : {"pageable", "registered", "A prepared", "A B prepared", "resident",
                             "both pageable", "both registered"})
    std::printf("  %16s", column);
  std::printf("\n");
  for (const std::string& precision : list_items(options["--precision"])) {
    for (const std::string& n : list_items(options["--n"])) {
      const std::int64_t size = std::stoll(n), ld = size + std::stoll(options["--pad"]);
      PeerProblem shape{precision == "d" ? Precision::d : Precision::s,
                        Op::none,
                        Op::none,
                        size,
                        size,
                        size,
                        ld,
                        ld,
                        ld};
      compare(engine, *device, shape, std::stod(options["--seconds"]));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_registered", kUsage,
                        NamedOptions({{"--precision", "s,d"},
                                      {"--n", "1024,2048,4096,8192"},
                                      {"--pad", "0"},
                                      {"--seconds", "2"}}),
                        argc, argv, run);
}
