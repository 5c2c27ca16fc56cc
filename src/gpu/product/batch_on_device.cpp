#include "gpu/product/batch_on_device.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/batched_kernels.hpp"

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

StagedOperand::StagedOperand(const OperandOfGroup& of)
    : operand(of), pitch(device_pitch(of.row_bytes())) {}

std::int64_t StagedOperand::stride() const {
  if (operand.is_shared()) return 0;
  return static_cast<std::int64_t>(bytes_of_one() / element_size(operand.precision));
}

void BatchOnDevice::bind(const BatchProblem& part, const BatchSharing& sharing) {
  for (const BatchGroup& given : part.groups) {
    GroupOnDevice& group = groups_.emplace_back(with_distances(given));
    const GemmProblem& shape = group.group.shape;
    group.kernel = sharing.kernel.value_or(batched_kernel(shape, device_->limits));
    if (!sharing.kernel)
      group.kernel = launchable(*device_, group.kernel, shape.precision).value_or(group.kernel);
  }
  if (copies(sharing.operands) || groups_.size() > most_groups_in_place) return;
  std::vector<HostRect> of_host;
  if (sharing.host_part != nullptr) of_host = rects_of_c(*sharing.host_part);
  for (GroupOnDevice& group : groups_) {
    std::vector<HostRect> written = of_host;
    for (const GroupOnDevice& other : groups_) {
      if (&other == &group) continue;
      const std::vector<HostRect> of_other = rects_of_c({part.precision, {other.group}});
      written.insert(written.end(), of_other.begin(), of_other.end());
    }
    bind_in_place(group, written);
  }
}

void BatchOnDevice::bind_in_place(GroupOnDevice& group, const std::vector<HostRect>& written) {
  OperandMemory& memory = device_->memory;
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

void BatchOnDevice::make_room() {
  const DeviceLimits limits = device_->free_limits();
  const std::size_t most_of_one = device_->context.device().info.max_allocation_bytes;
  DeviceBytes needs;
  for (const GroupOnDevice& group : groups_) {
    const PackedBytes packed =
        packed_bytes(*device_, group.group.shape, group.group.count, group.kernel);
    needs.packed_a = std::max(needs.packed_a, packed.a);
    needs.packed_b = std::max(needs.packed_b, packed.b);
  }
  const std::size_t packed = needs.packed_a + needs.packed_b;
  const std::size_t left = limits.memory_bytes > packed ? limits.memory_bytes - packed : 0;
  for (GroupOnDevice& group : groups_) {
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
  DeviceScratch& kept = device_->scratch;
  kept.make_room_for_batch(needs, limits.memory_bytes);
  if (needs.a > 0) a_ = kept.batch_a.at_least(device_->context, needs.a);
  if (needs.b > 0) b_ = kept.batch_b.at_least(device_->context, needs.b);
  if (needs.c > 0) c_ = kept.batch_c.at_least(device_->context, needs.c);
}

void BatchOnDevice::then(cl::Event event) {
  if (done_) scratch_.earlier.push_back(std::make_shared<cl::Event>(std::move(done_)));
  done_ = std::move(event);
}

// Does not wait: gathered operands stay until everything has ended.
BatchedOperand BatchOnDevice::send(StagedOperand& staged,
                                   const std::shared_ptr<const cl::Buffer>& to, std::int64_t first,
                                   std::int64_t count) {
  const OperandOfGroup part =
      staged.operand.is_shared() ? staged.operand.part(0, 1) : staged.operand.part(first, count);
  device_->memory.count_staged(bytes_of(part));
  if (const auto rows = part.all_rows()) {
    then(device_->queue.write_later(*to, rows->data,
                                    {rows->rows, rows->row_bytes, rows->pitch, staged.pitch, 0}));
  } else {
    if (!staged.gathered)
      staged.gathered =
          host_block(static_cast<std::size_t>(staged.operand.count) * staged.bytes_of_one());
    char* const block = static_cast<char*>(staged.gathered.get()) +
                        static_cast<std::size_t>(first) * staged.bytes_of_one();
    gather(part, block, staged.pitch);
    then(device_->queue.write_later(
        *to, block, static_cast<std::size_t>(part.count) * staged.bytes_of_one(), 0));
  }
  BatchedOperand operand;
  operand.first.buffer = to;
  operand.first.pitch_bytes = staged.pitch;
  operand.stride = staged.stride();
  operand.aligned = true;
  return operand;
}

void BatchOnDevice::enqueue_products(GroupOnDevice& group, std::int64_t first, std::int64_t count) {
  const GemmProblem& shape = group.group.shape;
  BatchedOperands operands;
  operands.a = group.inputs.a.buffer ? in_place(group.inputs.a, group.a.operand, first)
                                     : send(group.a, a_, first, count);
  operands.b = group.inputs.b.buffer ? in_place(group.inputs.b, group.b.operand, first)
                                     : send(group.b, b_, first, count);
  if (group.result) {
    operands.c = in_place(group.result->operand(), group.c.operand, first);
  } else if (!shape.overwrites_c()) {
    operands.c = send(group.c, c_, first, count);
  } else {
    operands.c.first.buffer = c_;
    operands.c.first.pitch_bytes = group.c.pitch;
    operands.c.stride = group.c.stride();
  }
  if (group.result) group.result->keep_next(static_cast<std::size_t>(count * shape.m));
  is_launched_ = true;
  then(submit_batched(*device_, shape, count, group.kernel, operands, scratch_));
  if (group.result) return;
  then(device_->queue.read_later(*c_,
                                 static_cast<char*>(group.host_result.get()) +
                                     static_cast<std::size_t>(first) * group.c.bytes_of_one(),
                                 static_cast<std::size_t>(count) * group.c.bytes_of_one(), 0));
}

// Enough products that the device is busy while the next ones' C is saved. The device then finds
// that C in the cache.
std::int64_t BatchOnDevice::products_kept_at_once(const GroupOnDevice& group) const {
  constexpr std::size_t bytes_at_once = std::size_t{2} << 20;
  const auto by_bytes =
      static_cast<std::int64_t>(bytes_at_once / (static_cast<std::size_t>(group.c.operand.rows) *
                                                 group.c.operand.row_bytes()));
  return std::max<std::int64_t>({by_bytes, 8 * device_->limits.compute_units, 1});
}

void BatchOnDevice::enqueue() {
  make_room();
  for (GroupOnDevice& group : groups_) {
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
  device_->queue.flush();
}

bool BatchOnDevice::reaches_c() const {
  return is_launched_ && std::ranges::any_of(groups_, [](const GroupOnDevice& group) {
           return group.result.has_value();
         });
}

// Reading results in place can fail. Publishing those that arrived cannot.
void BatchOnDevice::publish() {
  for (GroupOnDevice& group : groups_)
    if (group.result) group.result->publish();
  for (GroupOnDevice& group : groups_) {
    if (group.result) continue;
    scatter(group.host_result.get(), group.c.pitch, group.c.operand);
    device_->memory.count_staged(bytes_of(group.c.operand));
  }
}

void BatchOnDevice::restore() noexcept {
  for (GroupOnDevice& group : groups_)
    if (group.result) group.result->restore();
}

void BatchOnDevice::release() {
  done_.reset();
  scratch_.release();
  groups_.clear();
  a_ = b_ = c_ = nullptr;
}

}  // namespace duoblas
