#include "tuner/transfer_times.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "kernel_space/kernel_description.hpp"
#include "planner/device_blocks.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

cl::Device device_of(Engine& engine) {
  if (engine.gpu() == nullptr) throw DeviceError("there is no device: " + engine.gpu_problem());
  for (const cl::Device& device : cl::list_devices())
    if (device.info.index == engine.gpu()->info().index) return device;
  throw DeviceError("the device is no longer listed");
}

// A matrix in the host's memory, and where the device has it.
struct Operand {
  HostRect rect;
  BoundOperand bound;
};

enum class WayKind { copies, zero_copy };

Operand bind(OpenedDevice& device, WayKind kind, const HostRect& rect) {
  if (kind == WayKind::zero_copy) {
    const auto buffer = std::make_shared<cl::Buffer>(
        device.context.wrap(rect.data, rect.span(), cl::Access::read_write));
    return {rect, {buffer, 0, rect.pitch, SharingMode::host_pointer}};
  }
  const std::size_t pitch = device_pitch(rect.row_bytes);
  const auto buffer = std::make_shared<cl::Buffer>(
      device.context.allocate(rect.rows * pitch, cl::Access::read_write));
  return {rect, {buffer, 0, pitch, SharingMode::staged}};
}

cl::RectCopy copy_of(const Operand& operand) {
  const HostRect& rect = operand.rect;
  return {rect.rows, rect.row_bytes, rect.pitch, operand.bound.pitch_bytes, 0};
}

double seconds_to_device(cl::Queue& queue, WayKind kind, const Operand& operand) {
  const cl::Buffer& buffer = *operand.bound.buffer;
  if (kind == WayKind::copies)
    return seconds_of([&] { queue.write(buffer, operand.rect.data, copy_of(operand), true); });
  // The host has it, and gives it away: only that is timed.
  void* const mapped = queue.map(buffer, cl::Access::read_write, operand.rect.span());
  return seconds_of([&] {
    queue.unmap(buffer, mapped);
    queue.finish();
  });
}

double seconds_to_host(cl::Queue& queue, WayKind kind, const Operand& result) {
  const cl::Buffer& buffer = *result.bound.buffer;
  if (kind == WayKind::copies)
    return seconds_of([&] { queue.read(buffer, result.rect.data, copy_of(result)); });
  return seconds_of([&] {
    queue.unmap(buffer, queue.map(buffer, cl::Access::read_only, result.rect.span()));
    queue.finish();
  });
}

// Seconds of a round: A, B, the kernel, C.
using Parts = std::array<double, 4>;

// A product in memory of its own, and its buffers.
class TimedWay {
 public:
  TimedWay(OpenedDevice& device, WayKind kind, const CallerGemm& call, unsigned seed,
           const KernelParams& kernel)
      : device_(device), kind_(kind), kernel_(kernel), measured_(call, seed) {
    measured_.poison_c();
    const GemmProblem& p = measured_.problem();
    a_ = bind(device, kind, rect_of_a(p));
    b_ = bind(device, kind, rect_of_b(p));
    c_ = bind(device, kind, rect_of_c(p));
    round();  // the kernel is compiled, memory comes at its first use
    error_ = scaled_error(p, nullptr, rows_to_verify(p, p.m / 2, seed));
  }

  Parts round() {
    const GemmProblem& p = measured_.problem();
    cl::Queue& queue = device_.queue;
    Parts parts{};
    parts[0] = seconds_to_device(queue, kind_, a_);
    parts[1] = seconds_to_device(queue, kind_, b_);
    ProductOperands operands{a_.bound, b_.bound, c_.bound};
    operands.aligned_a = starts_rows_aligned(a_.bound, a_.rect.data);
    operands.aligned_b = starts_rows_aligned(b_.bound, b_.rect.data);
    ProductScratch scratch;
    parts[2] =
        seconds_of([&] { queue.wait(submit_product(device_, p, kernel_, operands, scratch)); });
    require_all(queue, scratch.earlier);
    parts[3] = seconds_to_host(queue, kind_, c_);
    return parts;
  }

  void sample() {
    const Parts parts = round();
    for (std::size_t part = 0; part < parts.size(); ++part) samples_[part].push_back(parts[part]);
  }

  // Column-major, A of the row-major problem is the caller's B.
  TransferWay found(Layout layout) const {
    TransferWay way;
    way.way = kind_ == WayKind::copies ? "copies" : "zero-copy";
    way.a = median(samples_[0]);
    way.b = median(samples_[1]);
    if (layout == Layout::column_major) std::swap(way.a, way.b);
    way.kernel = median(samples_[2]);
    way.c = median(samples_[3]);
    way.error = error_;
    return way;
  }

 private:
  OpenedDevice& device_;
  WayKind kind_;
  KernelParams kernel_;
  MeasuredProblem measured_;
  Operand a_, b_, c_;
  std::array<std::vector<double>, 4> samples_;
  double error_ = 0;
};

double bytes_of(std::int64_t rows, std::int64_t columns, Precision precision) {
  return static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(element_size(precision));
}

// All that this device has, in turns. \throws DeviceError.
void measure_ways(OpenedDevice& device, const CallerGemm& call, const KernelParams& kernel,
                  const ComparisonOptions& options, TransferTimes& times) {
  std::vector<std::unique_ptr<TimedWay>> ways;
  const auto add = [&](WayKind kind) {
    ways.push_back(std::make_unique<TimedWay>(device, kind, call, options.seed, kernel));
  };
  add(WayKind::copies);
  if (device.memory.facts().granularity() > 0)
    add(WayKind::zero_copy);
  else
    times.left_out = "zero-copy: the driver shares no memory of the heap";

  const auto deadline = in_seconds(options.seconds_per_problem);
  const int least_rounds = std::min(3, options.rounds);
  while (times.rounds < options.rounds &&
         (times.rounds < least_rounds || Clock::now() < deadline)) {
    for (const auto& way : ways) way->sample();
    ++times.rounds;
  }
  for (const auto& way : ways) times.ways.push_back(way->found(call.layout));
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
  times.a_bytes = bytes_of(p.m, p.k, p.precision);
  times.b_bytes = bytes_of(p.k, p.n, p.precision);
  times.c_bytes = bytes_of(p.m, p.n, p.precision);
  CallerGemm call = row_major_call(p.precision, p.op_a, p.op_b, p.m, p.n, p.k);
  call.layout = p.layout;
  const GemmProblem problem = to_row_major(call);
  const TunedPoint* point = nearest_point(profile, problem);
  const KernelParams wanted = strategy_plan("gpu", problem, state_->engine.machine(), point).kernel;
  const KernelParams kernel = launchable(device, wanted, p.precision).value_or(wanted);
  times.kernel = describe(kernel);
  if (is_double(p.precision) && !device.context.device().info.has_fp64) {
    times.left_out = "the device has no double precision";
    return times;
  }
  if (!fits_at_once(problem, bytes_at_once(problem, kernel, {}), device.free_limits())) {
    times.left_out = "the operands do not fit the device at once";
    return times;
  }

  try {
    measure_ways(device, call, kernel, options, times);
  } catch (const DeviceError& failure) {
    times.ways.clear();
    times.left_out = failure.what();
  }
  return times;
}

}  // namespace duoblas
