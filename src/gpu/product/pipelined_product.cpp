#include "gpu/product/pipelined_product.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

BoundOperand whole(const std::shared_ptr<const cl::Buffer>& buffer) {
  BoundOperand operand;
  operand.buffer = buffer;
  return operand;
}

std::shared_ptr<const cl::Event> shared(cl::Event event) {
  return std::make_shared<cl::Event>(std::move(event));
}

}  // namespace

PipelinedProduct::PipelinedProduct(TransferQueues& queues, const GemmProblem& part,
                                   const KernelParams& kernel, const OperandRoute& route,
                                   const Sharing& sharing)
    : queues_(queues),
      part_(part),
      kernel_(kernel),
      blocks_(route.blocks),
      walk_(part, blocks_),
      arrivals_(sharing.arrivals),
      a_{.slots = BlockSlots(blocks_.a_slots, slot_bytes_a(part, blocks_)),
         .resident = route.resident.a,
         .in_place = route.inputs.a,
         .first = part.a},
      b_{.slots = BlockSlots(blocks_.b_slots, slot_bytes_b(part, blocks_)),
         .resident = route.resident.b,
         .in_place = route.inputs.b,
         .first = part.b},
      direct_(queues),
      rows_done_(static_cast<std::size_t>(walk_.results())) {
  // Blocks of many sizes: none is worth a kernel with compiled-in sizes.
  if (blocks_.k < part.k || (blocks_.m < part.m && blocks_.n < part.n))
    kernel_.inline_sizes = false;
  unfinished_.reserve(rows_done_.size());
  const cl::Context& context = queues.device.context;
  DeviceScratch& kept = queues.device.scratch;
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  DeviceBytes needs = device_bytes(part, blocks_, kernel, packing);
  if (!a_.is_copied()) needs.a = 0;
  if (!b_.is_copied()) needs.b = 0;
  if (route.integers) {
    const DeviceBytes bytes = scratch_of(*route.integers);
    needs.packed_a = bytes.packed_a;
    needs.packed_b = bytes.packed_b;
    needs.partial = bytes.partial;
  }
  kept.make_room(needs, queues.device.free_limits().memory_bytes);
  a_.buffer = buffer_of(a_, kept.a, needs.a);
  b_.buffer = buffer_of(b_, kept.b, needs.b);
  c_ = kept.c.at_least(context, needs.c);
  const Packing ahead = packs_ahead(part, kernel);
  if (ahead.a) a_.packed = kept.packed_a.at_least(context, needs.packed_a);
  if (ahead.b) b_.packed = kept.packed_b.at_least(context, needs.packed_b);
  a_.packed_bytes = needs.packed_a;
  b_.packed_bytes = needs.packed_b;
  if (route.integers)
    integers_.emplace(queues.device, queues.device.queue, kept, part, *route.integers,
                      blocks_.c_slots);
  // The device reads and writes operands in registered memory directly.
  if (sharing.operands == SharingMode::pinned) lock_pages();
  if (!writes_c_directly()) queues.results.reserve(slot_bytes_c(part, blocks_) * rows_done_.size());
  prepare_kernels();
}

void PipelinedProduct::lock_pages() {
  const auto hold = [&](const HostRect& rect) {
    return queues_.page_locks.hold(rect.data, rect.span());
  };
  if (a_.is_copied()) a_.locked = hold(rect_of_a(part_));
  if (b_.is_copied()) b_.locked = hold(rect_of_b(part_));
  // What is not certified must not be written.
  if (!integers_) locked_c_ = hold(rect_of_c(part_));
}

std::shared_ptr<const cl::Buffer> PipelinedProduct::buffer_of(const Operand& operand,
                                                              ScratchBuffer& kept,
                                                              std::size_t bytes) const {
  if (!operand.is_copied()) return nullptr;
  return kept.at_least(queues_.device.context, bytes);
}

// Whether rows end at whole units differs only at the edges.
void PipelinedProduct::prepare_kernels() {
  for (const GemmProblem& product : walk_.corners())
    prepare_product(queues_.device, kernel_, part_.precision, part_.op_a, part_.op_b,
                    rows_of(product, kernel_));
  const auto is_anyhow = [](const Operand& operand) {
    return operand.in_place.buffer && !starts_rows_aligned(operand.in_place, operand.first);
  };
  if (is_anyhow(a_) || is_anyhow(b_))
    prepare_product(queues_.device, kernel_, part_.precision, part_.op_a, part_.op_b, Rows::anyhow);
}

void PipelinedProduct::send(const HostRect& rows, const cl::Buffer& to, std::size_t offset,
                            bool locked) {
  const std::size_t pitch = device_pitch(rows.row_bytes);
  if (!locked) {
    sent_ = queues_.operands.upload(rows, to, offset, pitch);
    return;
  }
  sent_ = shared(queues_.uploads.write_later(
      to, rows.data, {rows.rows, rows.row_bytes, rows.pitch, pitch, offset}));
  queues_.operands.note(sent_);
}

PipelinedProduct::StagedBlock PipelinedProduct::stage(Operand& to, std::int64_t block,
                                                      const HostRect& rows, std::int64_t step) {
  if (to.packed && to.packed_block == block) return {whole(to.packed), nullptr, true};
  if (to.resident != nullptr) return {to.resident->from(rows.data)};
  if (to.in_place.buffer) {
    BoundOperand part = to.in_place;
    part.offset_bytes += static_cast<std::size_t>(static_cast<const char*>(rows.data) -
                                                  static_cast<const char*>(to.first));
    return {part};
  }
  BlockSlot& slot = to.slots.slot_for(block);
  if (slot.block != block) {
    if (slot.in_use) queues_.uploads.start_after(*slot.in_use);
    send(rows, *to.buffer, slot.offset, static_cast<bool>(to.locked));
    slot.block = block;
  }
  slot.last_step = step;
  return {{to.buffer, slot.offset, device_pitch(rows.row_bytes), SharingMode::staged}, &slot};
}

// Packs into the scratch memory; or once for all products, if the matrix stays on the device.
void PipelinedProduct::pack(Operand& to, const PackedForm& form, const GemmProblem& product,
                            std::int64_t block, StagedBlock& staged) {
  if (!to.packed || staged.packed) return;
  std::shared_ptr<const cl::Buffer> packed;
  const auto enqueue_packing = [&] {
    const PackedFactor which = form.as_a ? PackedFactor::a : PackedFactor::b;
    kernels_.push_back(
        shared(pack_ahead(queues_.device, product, kernel_, which, staged.operand, packed)));
  };
  if (to.resident != nullptr) {
    packed = to.resident->packed(form);
    if (!packed && (packed = to.resident->room_for_packed(form, to.packed_bytes))) {
      enqueue_packing();
      to.resident->keep_packed(form, packed, to.packed_bytes);
    }
  }
  if (!packed) {
    packed = to.packed;
    enqueue_packing();
    if (staged.slot != nullptr) staged.slot->in_use = kernels_.back();
    to.packed_block = block;
  }
  staged.operand = whole(packed);
}

LastingLines PipelinedProduct::lines_of(const Operand& of, const GemmProblem& product,
                                        bool columns) {
  LastingLines lines;
  if (of.resident == nullptr || !integers_->takes_whole(product, columns)) return lines;
  const PackedForm form =
      columns ? PackedForm{product.b, product.n, product.k, product.op_b, false, kernel_}
              : PackedForm{product.a, product.m, product.k, product.op_a, true, kernel_};
  lines.memory = of.resident->packed(form);
  lines.are_known = lines.memory != nullptr;
  if (!lines.memory && (lines.memory = of.resident->room_for_packed(form, of.packed_bytes)))
    of.resident->keep_packed(form, lines.memory, of.packed_bytes);
  return lines;
}

// A place for a block's sums, with C's old values if they are needed.
BoundOperand PipelinedProduct::open_result(const BlockStep& step, const GemmProblem& product) {
  const auto slots = static_cast<std::int64_t>(blocks_.c_slots);
  const auto slot = static_cast<std::size_t>(step.c % slots);
  const HostRect rows = rect_of_c(product);
  const BoundOperand place{c_, slot * slot_bytes_c(part_, blocks_), device_pitch(rows.row_bytes),
                           SharingMode::staged};
  if (!step.opens_c) return place;
  const bool overwrites = part_.overwrites_c();
  if (step.c >= slots) {
    const auto earlier = static_cast<std::size_t>(step.c - slots);
    const auto read =
        writes_c_directly() ? transferred_[earlier] : queues_.results.sent_for(earlier);
    (overwrites ? queues_.device.queue : queues_.uploads).start_after(*read);
  }
  if (!overwrites) send(rows, *c_, place.offset_bytes, static_cast<bool>(locked_c_));
  return place;
}

void PipelinedProduct::expect_result(const BlockStep& step, const GemmProblem& product,
                                     const BoundOperand& from) {
  const HostRect rows = rect_of_c(product);
  std::size_t* const rows_done = &rows_done_[static_cast<std::size_t>(step.c)];
  if (writes_c_directly()) {
    transferred_.push_back(
        direct_.send_for(from, rows, multiplied_, std::exchange(kernels_, {}), rows_done));
    return;
  }
  DownloadRing::Result result{c_,
                              from.offset_bytes,
                              from.pitch_bytes,
                              rows,
                              multiplied_,
                              std::exchange(kernels_, {}),
                              rows_done,
                              part_.overwrites_c() ? nullptr : arrivals_};
  if (integers_)
    result.note = {integers_->note(step.c), IntegerProduct::state_bytes,
                   [block = step.c](const void* state) {
                     require_certified(static_cast<const std::int32_t*>(state), block);
                   }};
  queues_.results.expect(std::move(result));
}

cl::Event PipelinedProduct::enqueue(const BlockStep& step, const GemmProblem& product,
                                    StagedBlock& a, StagedBlock& b, const BoundOperand& c) {
  OpenedDevice& device = queues_.device;
  if (integers_) {
    BuiltProgram& built = device.kernels.get(normalised({kernel_, part_.precision}));
    cl::Event last =
        integers_->enqueue(built, product, {step.c, step.a, step.b}, {a.operand, b.operand}, c,
                           {lines_of(a_, product, false), lines_of(b_, product, true)});
    device.queue.flush();
    std::ranges::move(integers_->take_earlier(), std::back_inserter(kernels_));
    return last;
  }
  pack(a_, {product.a, product.m, product.k, product.op_a, true, kernel_}, product, step.a, a);
  pack(b_, {product.b, product.n, product.k, product.op_b, false, kernel_}, product, step.b, b);
  ProductOperands operands{a.operand, b.operand, c};
  // A block of a matrix that is not copied may begin at any of its elements.
  operands.aligned_a = starts_rows_aligned(operands.a, product.a);
  operands.aligned_b = starts_rows_aligned(operands.b, product.b);
  operands.packed_a = a_.packed != nullptr;
  operands.packed_b = b_.packed != nullptr;
  cl::Event last = submit_product(device, product, kernel_, operands, scratch_);
  std::ranges::move(scratch_.earlier, std::back_inserter(kernels_));
  scratch_.earlier.clear();
  return last;
}

// Every command depends only on commands that were enqueued before it, so every wait of the host
// ends.
void PipelinedProduct::carry_out(std::int64_t number) {
  OpenedDevice& device = queues_.device;
  const BlockStep step = walk_.step(number);
  const GemmProblem product = walk_.product(step);
  const BoundOperand c = open_result(step, product);
  StagedBlock a = stage(a_, step.a, rect_of_a(product), number);
  StagedBlock b = stage(b_, step.b, rect_of_b(product), number);
  queues_.uploads.flush();
  if (sent_) device.queue.start_after(*std::exchange(sent_, nullptr));
  multiplied_ = shared(enqueue(step, product, a, b, c));
  if (!a_.packed && a.slot) a.slot->in_use = multiplied_;
  if (!b_.packed && b.slot) b.slot->in_use = multiplied_;
  if (step.closes_c)
    expect_result(step, product, c);
  else
    kernels_.push_back(multiplied_);
  while (queues_.results.advance()) continue;
}

// Touches the pages of C's rows, in the order of their return, while operands go to the device.
void PipelinedProduct::prefault_pages() {
  if (locked_c_) return;
  std::vector<HostRect> rects;
  for (std::int64_t c = 0; c < walk_.results(); ++c)
    rects.push_back(rect_of_c(walk_.product(walk_.first_step_of(c))));
  pages_ = prefault_of(std::move(rects));
}

// What stage() and open_result() will send through the ring, in this order.
void PipelinedProduct::expect_uploads() {
  struct Held {
    BlockSlots slots;
    std::int64_t packed_block = -1;
  };
  const auto expect = [&](const HostRect& rows, bool locked) {
    if (!locked) queues_.operands.expect(rows, device_pitch(rows.row_bytes));
  };
  const auto expect_operand = [&](const Operand& of, Held& held, std::int64_t block,
                                  const HostRect& rows, std::int64_t step) {
    if (!of.is_copied() || held.packed_block == block) return;
    BlockSlot& slot = held.slots.slot_for(block);
    if (slot.block != block) expect(rows, static_cast<bool>(of.locked));
    slot.block = block;
    slot.last_step = step;
    if (of.packed) held.packed_block = block;
  };
  Held a{a_.slots}, b{b_.slots};
  for (std::int64_t number = 0; number < walk_.steps(); ++number) {
    const BlockStep step = walk_.step(number);
    const GemmProblem product = walk_.product(step);
    if (step.opens_c && !part_.overwrites_c())
      expect(rect_of_c(product), static_cast<bool>(locked_c_));
    expect_operand(a_, a, step.a, rect_of_a(product), number);
    expect_operand(b_, b, step.b, rect_of_b(product), number);
  }
}

void PipelinedProduct::carry_out() {
  prefault_pages();
  expect_uploads();
  for (std::int64_t number = 0; number < walk_.steps(); ++number) carry_out(number);
  queues_.operands.finish();
  queues_.results.finish();
  while (direct_.wait()) continue;
  require_all(queues_.device.queue, kernels_);
}

void PipelinedProduct::list_unfinished() noexcept {
  if (std::ranges::all_of(rows_done_, [](std::size_t rows) { return rows == 0; })) {
    unfinished_.push_back(part_);
    return;
  }
  for (std::size_t c = 0; c < rows_done_.size(); ++c) {
    const BlockStep step = walk_.first_step_of(static_cast<std::int64_t>(c));
    const auto done = static_cast<std::int64_t>(rows_done_[c]);
    if (done < walk_.product(step).m) unfinished_.push_back(walk_.rest_of(step, done));
  }
}

PipelineOutcome PipelinedProduct::run() noexcept {
  const std::lock_guard guard(queues_.device.mutex);
  PipelineOutcome outcome;
  try {
    carry_out();
  } catch (...) {
    outcome.failure = std::current_exception();
    queues_.drain();
    for (const Operand* operand : {&a_, &b_})
      if (operand->resident != nullptr) operand->resident->forget_packed();
    list_unfinished();
    outcome.unfinished = std::move(unfinished_);
    outcome.reaches_c = writes_c_directly();
  }
  pages_.reset();
  scratch_.release();
  outcome.times.kernels = outcome.times.whole = watch_.seconds();
  return outcome;
}

}  // namespace duoblas
