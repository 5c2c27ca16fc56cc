#include "gpu/product/batch_job.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/product/batched_product.hpp"
#include "memory/batch_staging.hpp"
#include "memory/host_memory.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// The windows of each group are compared with all matrices C of the others.
constexpr std::size_t most_groups_in_place = 8;

HostBlock host_block(std::size_t bytes) {
  HostBlock block(allocate_host(std::max<std::size_t>(bytes, 1)));
  if (!block)
    throw DeviceError("no memory to gather a batch in (" + std::to_string(bytes) +
                      " bytes); the CPU has to do it");
  return block;
}

BatchedOperand in_place(const BoundOperand& bound, const OperandOfGroup& operand,
                        std::int64_t first) {
  const std::size_t element = element_size(operand.precision);
  BatchedOperand result;
  result.first = bound;
  result.first.pitch_bytes = static_cast<std::size_t>(operand.ld) * element;
  result.stride = operand.count == 1 ? 0 : operand.at.stride;
  constexpr std::size_t unit = 16;
  result.aligned = starts_rows_aligned(result.first, operand.at.at(0)) &&
                   static_cast<std::size_t>(result.stride) * element % unit == 0;
  result.first = shifted(result.first, 0, first * result.stride, element);
  return result;
}

std::size_t bytes_of(const OperandOfGroup& operand) {
  return static_cast<std::size_t>(operand.count * operand.rows) * operand.row_bytes();
}

}  // namespace

// The batch's operands on the device, in place or as copies:
//
//   bind -> enqueue -> (commands end) -> publish, or restore after a failure
//
// The buffers are this object's, and only release() gives them back; the caller's memory is used
// until publish() or restore() returns. The device's mutex is held, except for those.
struct BatchJob::State {
  /// An operand that is copied to or from a buffer of the device. There its rows follow each other,
  /// apart from padding for alignment.
  struct StagedOperand {
    OperandOfGroup operand;
    std::size_t pitch = 0;
    HostBlock gathered;  ///< host copy, where the caller's rows have no constant stride

    explicit StagedOperand(const OperandOfGroup& of)
        : operand(of), pitch(device_pitch(of.row_bytes())) {}
    std::size_t bytes_of_one() const { return static_cast<std::size_t>(operand.rows) * pitch; }
    std::int64_t stride() const {  ///< elements
      if (operand.is_shared()) return 0;
      return static_cast<std::int64_t>(bytes_of_one() / element_size(operand.precision));
    }
  };

  struct Group {
    BatchGroup group;
    KernelParams kernel;
    BoundInputs inputs;                 ///< used in place; an input without a buffer is staged
    std::optional<BoundResult> result;  ///< in place
    StagedOperand a, b, c;
    HostBlock host_result;     ///< memory for C on the host, where `result` is empty
    std::int64_t at_once = 0;  ///< products whose staged operands are on the device at once

    explicit Group(const BatchGroup& of) : group(of), a(a_of(of)), b(b_of(of)), c(c_of(of)) {}
  };

  explicit State(std::shared_ptr<OpenedDevice> opened) : device(std::move(opened)) {}
  ~State() {
    if (pending) device->drain();
  }

  // \pre no group is empty or only scales C. \throws DeviceError.
  void bind(const BatchProblem& part, const BatchSharing& sharing);
  void bind_in_place(Group& group, const std::vector<HostRect>& written);
  // All groups' copies and products, one after another, in pieces that the device's memory holds.
  // \throws DeviceError.
  void enqueue();
  void make_room();
  std::int64_t products_kept_at_once(const Group& group) const;
  void enqueue_products(Group& group, std::int64_t first, std::int64_t count);
  BatchedOperand send(StagedOperand& staged, const std::shared_ptr<const cl::Buffer>& to,
                      std::int64_t first, std::int64_t count);
  void then(cl::Event event);
  // Waits for the last command, and brings the results to the caller's memory.
  void finish();
  void see_rate(double seconds, bool exactly);
  // Results in place become visible first, then staged ones are copied. \throws DeviceError before
  // a staged C is written.
  void publish();
  // After a failure, when the device was drained: C has its old values then.
  void restore() noexcept;
  void release();
  [[noreturn]] void undo_and_rethrow();
  // Kernels that were launched may write to the caller's C.
  bool reaches_c() const;

  std::shared_ptr<OpenedDevice> device;
  Stopwatch since_submit;
  double begun = 0, enqueued = 0;  // seconds from the start
  GpuJobTimes times;
  bool pending = false;
  std::vector<Group> groups;
  std::shared_ptr<const cl::Buffer> staged_a, staged_b, staged_c;  // each piece uses them
  ProductScratch scratch;
  cl::Event done;  // of the last command; scratch.earlier tells whether one before it failed
  bool is_launched = false;
};

void BatchJob::State::bind(const BatchProblem& part, const BatchSharing& sharing) {
  for (const BatchGroup& given : part.groups) {
    Group& group = groups.emplace_back(with_distances(given));
    const GemmProblem& shape = group.group.shape;
    group.kernel = sharing.kernel ? *sharing.kernel : kernel_of_batch(*device, shape);
  }
  if (copies(sharing.operands) || groups.size() > most_groups_in_place) return;
  std::vector<HostRect> of_host;
  if (sharing.host_part != nullptr) of_host = rects_of_c(*sharing.host_part);
  for (Group& group : groups) {
    std::vector<HostRect> written = of_host;
    for (const Group& other : groups) {
      if (&other == &group) continue;
      const std::vector<HostRect> of_other = rects_of_c({part.precision, {other.group}});
      written.insert(written.end(), of_other.begin(), of_other.end());
    }
    bind_in_place(group, written);
  }
}

void BatchJob::State::bind_in_place(Group& group, const std::vector<HostRect>& written) {
  OperandMemory& memory = device->memory;
  // An empty rectangle is not bound.
  const HostRect a = group.a.operand.all_memory().value_or(HostRect{});
  const HostRect b = group.b.operand.all_memory().value_or(HostRect{});
  if (const auto rows = group.c.operand.all_rows())
    group.result = memory.result_in_place(*rows, std::array{a, b}, written);
  if (group.result) {
    group.inputs = memory.inputs_in_place(a, b, &*group.result, written);
    return;
  }
  std::vector<HostRect> with_own = rects_of_c({group.group.shape.precision, {group.group}});
  with_own.insert(with_own.end(), written.begin(), written.end());
  group.inputs = memory.inputs_in_place(a, b, nullptr, with_own);
}

void BatchJob::State::make_room() {
  const DeviceLimits limits = device->free_limits();
  const std::size_t most_of_one = device->context.device().info.max_allocation_bytes;
  DeviceBytes needs;
  for (const Group& group : groups) {
    const PackedBytes packed =
        packed_bytes(*device, group.group.shape, group.group.count, group.kernel);
    needs.packed_a = std::max(needs.packed_a, packed.a);
    needs.packed_b = std::max(needs.packed_b, packed.b);
  }
  const std::size_t packed = needs.packed_a + needs.packed_b;
  const std::size_t left = limits.memory_bytes > packed ? limits.memory_bytes - packed : 0;
  for (Group& group : groups) {
    const std::size_t a = group.inputs.a.buffer ? 0 : group.a.bytes_of_one();
    const std::size_t b = group.inputs.b.buffer ? 0 : group.b.bytes_of_one();
    const std::size_t c = group.result ? 0 : group.c.bytes_of_one();
    auto most = static_cast<std::size_t>(group.group.count);
    // A third for each operand, so that groups of several shapes can use the same buffers.
    if (limits.memory_bytes > 0 && std::max({a, b, c}) > 0)
      most = std::min(most, left / 3 / std::max({a, b, c}));
    for (const std::size_t bytes : {a, b, c})
      if (bytes > 0 && most_of_one > 0) most = std::min(most, most_of_one / bytes);
    if (most == 0)
      throw DeviceError(
          "a product of a batch does not fit the device's memory; the CPU has to do it");
    group.at_once = static_cast<std::int64_t>(most);
    needs.a = std::max(needs.a, a * (group.a.operand.is_shared() ? 1 : most));
    needs.b = std::max(needs.b, b * (group.b.operand.is_shared() ? 1 : most));
    needs.c = std::max(needs.c, c * most);
  }
  DeviceScratch& kept = device->scratch;
  kept.make_room_for_batch(needs, limits.memory_bytes);
  if (needs.a > 0) staged_a = kept.batch_a.at_least(device->context, needs.a);
  if (needs.b > 0) staged_b = kept.batch_b.at_least(device->context, needs.b);
  if (needs.c > 0) staged_c = kept.batch_c.at_least(device->context, needs.c);
}

void BatchJob::State::then(cl::Event event) {
  if (done) scratch.earlier.push_back(std::make_shared<cl::Event>(std::move(done)));
  done = std::move(event);
}

// Does not wait: gathered operands stay until everything has ended.
BatchedOperand BatchJob::State::send(StagedOperand& staged,
                                     const std::shared_ptr<const cl::Buffer>& to,
                                     std::int64_t first, std::int64_t count) {
  const OperandOfGroup part =
      staged.operand.is_shared() ? staged.operand.part(0, 1) : staged.operand.part(first, count);
  device->memory.count_staged(bytes_of(part));
  if (const auto rows = part.all_rows()) {
    then(device->queue.write_later(*to, rows->data,
                                   {rows->rows, rows->row_bytes, rows->pitch, staged.pitch, 0}));
  } else {
    if (!staged.gathered)
      staged.gathered =
          host_block(static_cast<std::size_t>(staged.operand.count) * staged.bytes_of_one());
    char* const block = static_cast<char*>(staged.gathered.get()) +
                        static_cast<std::size_t>(first) * staged.bytes_of_one();
    gather(part, block, staged.pitch);
    then(device->queue.write_later(
        *to, block, static_cast<std::size_t>(part.count) * staged.bytes_of_one(), 0));
  }
  BatchedOperand operand;
  operand.first.buffer = to;
  operand.first.pitch_bytes = staged.pitch;
  operand.stride = staged.stride();
  operand.aligned = true;
  return operand;
}

void BatchJob::State::enqueue_products(Group& group, std::int64_t first, std::int64_t count) {
  const GemmProblem& shape = group.group.shape;
  BatchedOperands operands;
  operands.a = group.inputs.a.buffer ? in_place(group.inputs.a, group.a.operand, first)
                                     : send(group.a, staged_a, first, count);
  operands.b = group.inputs.b.buffer ? in_place(group.inputs.b, group.b.operand, first)
                                     : send(group.b, staged_b, first, count);
  if (group.result) {
    operands.c = in_place(group.result->operand(), group.c.operand, first);
  } else if (!shape.overwrites_c()) {
    operands.c = send(group.c, staged_c, first, count);
  } else {
    operands.c.first.buffer = staged_c;
    operands.c.first.pitch_bytes = group.c.pitch;
    operands.c.stride = group.c.stride();
  }
  if (group.result) group.result->keep_next(static_cast<std::size_t>(count * shape.m));
  is_launched = true;
  then(submit_batched(*device, shape, count, group.kernel, operands, scratch));
  if (group.result) return;
  then(device->queue.read_later(*staged_c,
                                static_cast<char*>(group.host_result.get()) +
                                    static_cast<std::size_t>(first) * group.c.bytes_of_one(),
                                static_cast<std::size_t>(count) * group.c.bytes_of_one(), 0));
}

// Enough products that the device is busy while the next ones' C is saved. The device then finds
// that C in the cache.
std::int64_t BatchJob::State::products_kept_at_once(const Group& group) const {
  constexpr std::size_t bytes_at_once = std::size_t{2} << 20;
  const auto by_bytes =
      static_cast<std::int64_t>(bytes_at_once / (static_cast<std::size_t>(group.c.operand.rows) *
                                                 group.c.operand.row_bytes()));
  return std::max<std::int64_t>({by_bytes, 8 * device->limits.compute_units, 1});
}

void BatchJob::State::enqueue() {
  make_room();
  for (Group& group : groups) {
    const std::int64_t count = group.group.count;
    if (group.result) {
      const bool keeps_c = !group.group.shape.overwrites_c();
      group.result->begin_by_rows(keeps_c);
      if (keeps_c) group.at_once = std::min(group.at_once, products_kept_at_once(group));
    } else {
      group.host_result = host_block(static_cast<std::size_t>(count) * group.c.bytes_of_one());
    }
    for (std::int64_t first = 0; first < count; first += group.at_once)
      enqueue_products(group, first, std::min(group.at_once, count - first));
    if (group.result) group.result->expect();
  }
  device->queue.flush();
}

bool BatchJob::State::reaches_c() const {
  return is_launched &&
         std::ranges::any_of(groups, [](const Group& group) { return group.result.has_value(); });
}

// Reading results in place can fail. Publishing those that arrived cannot.
void BatchJob::State::publish() {
  for (Group& group : groups)
    if (group.result) group.result->publish();
  for (Group& group : groups) {
    if (group.result) continue;
    scatter(group.host_result.get(), group.c.pitch, group.c.operand);
    device->memory.count_staged(bytes_of(group.c.operand));
  }
}

void BatchJob::State::restore() noexcept {
  for (Group& group : groups)
    if (group.result) group.result->restore();
}

void BatchJob::State::release() {
  done.reset();
  scratch.release();
  groups.clear();
  staged_a = staged_b = staged_c = nullptr;
}

// Records the rate of a single group, copies included. Its kernel's launches then depend on it.
void BatchJob::State::see_rate(double seconds, bool exactly) {
  if (groups.size() != 1 || !(seconds > 0)) return;
  constexpr double telling = 0.0125;  // as LaunchPace::saw_product has it
  const Group& only = groups.front();
  device->pace.saw(only.kernel, only.group.shape.precision, flops(only.group) / seconds,
                   exactly && seconds >= telling);
}

void BatchJob::State::finish() {
  const KernelsEnd end = device->wait_for_kernels(done, scratch.earlier, since_submit, enqueued);
  const Stopwatch after;
  times.kernels = end.seconds;
  times.at_most = end.at_most;
  see_rate(times.kernels - begun, !end.at_most);
  publish();
  times.whole = times.kernels + after.seconds();
}

void BatchJob::State::undo_and_rethrow() {
  pending = false;
  const bool may_write_c = reaches_c();
  device->drain();
  restore();
  times.whole = since_submit.seconds();
  release();
  device->rethrow_drained(may_write_c);
}

BatchJob::BatchJob() = default;
BatchJob::BatchJob(BatchJob&&) noexcept = default;
BatchJob& BatchJob::operator=(BatchJob&&) noexcept = default;
BatchJob::~BatchJob() = default;

BatchJob BatchJob::start(const std::shared_ptr<OpenedDevice>& device, const BatchProblem& part,
                         const BatchSharing& sharing) {
  BatchJob job;
  if (part.empty()) return job;
  require_type(*device, part.precision);
  job.state_ = std::make_unique<State>(device);
  State& state = *job.state_;
  const std::lock_guard guard(device->mutex);
  device->refuse_if_hung();
  try {
    state.bind(part, sharing);
    device->expect(part, state.groups.front().kernel);
    state.begun = state.since_submit.seconds();
    state.enqueue();
    state.enqueued = state.since_submit.seconds();
    state.pending = true;
  } catch (...) {
    state.undo_and_rethrow();
  }
  return job;
}

void BatchJob::wait() {
  if (!state_ || !state_->pending) return;
  try {
    state_->finish();
  } catch (...) {
    state_->undo_and_rethrow();
  }
  state_->pending = false;
  state_->release();
}

GpuJobTimes BatchJob::times() const {
  return state_ ? state_->times : GpuJobTimes{};
}

}  // namespace duoblas
