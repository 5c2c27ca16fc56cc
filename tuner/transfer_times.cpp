#include "tuner/transfer_times.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_description.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"
#include "tuner/timed_transfers.hpp"

namespace duoblas {
namespace {

cl::Device device_of(Engine& engine) {
  if (engine.gpu() == nullptr)
    throw DeviceError("there is no device: " + engine.facts().gpu_problem());
  for (const cl::Device& device : cl::list_devices())
    if (device.info.index == engine.gpu()->info().index) return device;
  throw DeviceError("the device is no longer listed");
}

double bytes_of(std::int64_t rows, std::int64_t columns, Precision precision) {
  return static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(element_size(precision));
}

using MakeTransfers = std::function<std::unique_ptr<TimedTransfers>(TransferKind)>;

// All that this device has, in turns. \throws DeviceError.
void measure_modes(OpenedDevice& device, const MakeTransfers& make, bool swaps,
                   const ComparisonOptions& options, TransferTimes& times) {
  std::vector<std::unique_ptr<TimedTransfers>> modes;
  const auto add = [&](TransferKind kind) { modes.push_back(make(kind)); };
  add(TransferKind::copies);
  if (device.memory.facts().granularity() > 0)
    add(TransferKind::zero_copy);
  else
    times.left_out = "zero-copy: the driver shares no memory of the heap";

  const auto deadline = in_seconds(options.seconds_per_problem);
  const int least_rounds = std::min(3, options.rounds);
  while (times.rounds < options.rounds &&
         (times.rounds < least_rounds || Clock::now() < deadline)) {
    for (const auto& mode : modes) mode->sample();
    ++times.rounds;
  }
  for (const auto& mode : modes) times.modes.push_back(mode->found(swaps));
}

constexpr const char* too_large = "the operands do not fit the device at once";

MakeTransfers gemm_transfers(Engine& engine, OpenedDevice& device, const Profile& profile,
                             const ComparisonOptions& options, TransferTimes& times) {
  const ComparisonProblem& p = times.problem;
  times.a_bytes = bytes_of(p.m, p.k, p.precision);
  times.b_bytes = bytes_of(p.k, p.n, p.precision);
  times.c_bytes = bytes_of(p.m, p.n, p.precision);
  CallerGemm call = row_major_call(p.precision, p.op_a, p.op_b, p.m, p.n, p.k);
  call.layout = p.layout;
  const GemmProblem problem = to_row_major(call);
  const TunedPoint* point = nearest_point(profile, problem);
  const KernelParams wanted = strategy_plan("gpu", problem, engine.machine(), point).kernel;
  const KernelParams kernel = launchable(device, wanted, p.precision).value_or(wanted);
  times.kernel = describe(kernel);
  if (!fits_at_once(problem, bytes_at_once(problem, kernel, {}), kernel, device.free_limits()))
    times.left_out = too_large;
  return [&device, call, seed = options.seed, kernel](TransferKind kind) {
    return timed_gemm(device, kind, call, seed, kernel);
  };
}

MakeTransfers gemv_transfers(Engine& engine, OpenedDevice& device, const ComparisonOptions& options,
                             TransferTimes& times) {
  const ComparisonProblem& p = times.problem;
  CallerGemv call;
  call.layout = p.layout;
  call.op = p.op_a;
  call.precision = p.precision;
  call.m = p.m;
  call.n = p.n;
  call.lda = p.layout == Layout::row_major ? p.n : p.m;
  const GemvProblem problem = to_row_major(call);
  times.a_bytes = bytes_of(p.m, p.n, p.precision);
  times.b_bytes = bytes_of(problem.terms(), 1, p.precision);
  times.c_bytes = bytes_of(problem.outputs(), 1, p.precision);
  const GemvKernel kernel =
      engine.gpu()->device()->gemv.kernel(device.limits, p.precision, problem.transposes);
  times.kernel = describe(kernel);
  const auto bytes = static_cast<std::size_t>(times.a_bytes + times.b_bytes + times.c_bytes);
  const DeviceLimits limits = device.free_limits();
  if ((limits.memory_bytes > 0 && bytes > limits.memory_bytes) ||
      (limits.max_allocation_bytes > 0 && bytes > limits.max_allocation_bytes))
    times.left_out = too_large;
  return [&device, call, seed = options.seed, kernel](TransferKind kind) {
    return timed_gemv(device, kind, call, seed, kernel);
  };
}

}  // namespace

struct TransferMeter::State {
  explicit State(Engine& given)
      : engine(given),
        device(device_of(given), {given.settings().cache_dir, given.settings().kernel_dir}) {}
  Engine& engine;
  OpenedDevice device;
};

TransferMeter::TransferMeter(Engine& engine) : state_(std::make_unique<State>(engine)) {}
TransferMeter::~TransferMeter() = default;

TransferTimes TransferMeter::measure(const ComparisonProblem& p, const Profile& profile,
                                     const ComparisonOptions& options) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  TransferTimes times;
  times.problem = p;
  const bool is_gemv = p.routine == "gemv";
  const MakeTransfers make = is_gemv
                                 ? gemv_transfers(state_->engine, device, options, times)
                                 : gemm_transfers(state_->engine, device, profile, options, times);
  if (is_double(p.precision) && !device.context.device().info.has_fp64)
    times.left_out = "the device has no double precision";
  if (!times.left_out.empty()) return times;
  try {
    // Column-major, A of the row-major product is the caller's B.
    measure_modes(device, make, !is_gemv && p.layout == Layout::column_major, options, times);
  } catch (const DeviceError& failure) {
    times.modes.clear();
    times.left_out = failure.what();
  }
  return times;
}

}  // namespace duoblas
