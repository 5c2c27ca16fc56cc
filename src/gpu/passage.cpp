#include "gpu/passage.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

RowsCopy rows_at(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                 Precision precision) {
  const std::size_t element = element_size(precision);
  RowsCopy copy;
  copy.from = data;
  copy.from_pitch = static_cast<std::size_t>(ld) * element;
  copy.rows = static_cast<std::size_t>(rows);
  copy.row_bytes = static_cast<std::size_t>(columns) * element;
  return copy;
}

RowsCopy rows_of_a(const GemmProblem& p) {
  return rows_at(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.precision);
}
RowsCopy rows_of_b(const GemmProblem& p) {
  return rows_at(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.precision);
}
RowsCopy rows_of_c(const GemmProblem& p) {
  return rows_at(p.c, p.m, p.n, p.ldc, p.precision);
}

BoundOperand whole(const std::shared_ptr<const cl::Buffer>& buffer) {
  BoundOperand operand;
  operand.buffer = buffer;
  return operand;
}

std::shared_ptr<const cl::Event> shared(cl::Event event) {
  return std::make_shared<cl::Event>(std::move(event));
}

}  // namespace

Passage::Passage(TransferLanes& lanes, const GemmProblem& part, const KernelParams& kernel,
                 const DeviceBlocks& blocks)
    : lanes_(lanes),
      part_(part),
      kernel_(kernel),
      blocks_(blocks),
      walk_(part, blocks),
      a_{nullptr, BlockSlots(blocks.a_slots, slot_bytes_a(part, blocks)), nullptr},
      b_{nullptr, BlockSlots(blocks.b_slots, slot_bytes_b(part, blocks)), nullptr},
      rows_done_(static_cast<std::size_t>(walk_.results())) {
  // Blocks of many sizes: none is worth a kernel of its own.
  if (blocks.k < part.k || (blocks.m < part.m && blocks.n < part.n)) kernel_.inline_sizes = false;
  unfinished_.reserve(rows_done_.size());
  const cl::Context& context = lanes.device.context;
  DeviceScratch& kept = lanes.device.scratch;
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  const DeviceBytes needs = device_bytes(part, blocks, kernel, packing);
  kept.make_room(needs, lanes.device.limits.memory_bytes);
  a_.buffer = kept.a.at_least(context, needs.a);
  b_.buffer = kept.b.at_least(context, needs.b);
  c_ = kept.c.at_least(context, needs.c);
  const Packing ahead = packs_ahead(part, kernel);
  if (ahead.a) a_.packed = kept.packed_a.at_least(context, needs.packed_a);
  if (ahead.b) b_.packed = kept.packed_b.at_least(context, needs.packed_b);
  lanes.results.reserve(slot_bytes_c(part, blocks) * rows_done_.size());
  prepare_kernels();
}

// Whether rows end at whole units differs at the edges only.
void Passage::prepare_kernels() {
  for (const GemmProblem& product : walk_.corners())
    prepare_product(lanes_.device, kernel_, part_.precision, part_.op_a, part_.op_b,
                    rows_of(product, kernel_));
}

void Passage::send(const RowsCopy& rows, const cl::Buffer& to, std::size_t offset) {
  sent_ = lanes_.operands.upload(rows, to, offset, device_pitch(rows.row_bytes));
}

Passage::Brought Passage::bring(Operand& to, std::int64_t block, const RowsCopy& rows,
                                std::int64_t step) {
  if (to.packed && to.packed_block == block) return {whole(to.packed)};
  BlockSlot& slot = to.slots.slot_for(block);
  if (slot.block != block) {
    if (slot.in_use) lanes_.uploads.start_after(*slot.in_use);
    send(rows, *to.buffer, slot.offset);
    slot.block = block;
  }
  slot.last_step = step;
  return {{to.buffer, slot.offset, device_pitch(rows.row_bytes), SharingMode::staged}, &slot};
}

// A place for a block's sums, with C's old values where they are needed.
BoundOperand Passage::open_result(const BlockStep& step, const GemmProblem& product) {
  const auto slots = static_cast<std::int64_t>(blocks_.c_slots);
  const auto slot = static_cast<std::size_t>(step.c % slots);
  const RowsCopy rows = rows_of_c(product);
  const BoundOperand place{c_, slot * slot_bytes_c(part_, blocks_), device_pitch(rows.row_bytes),
                           SharingMode::staged};
  if (!step.opens_c) return place;
  const bool overwrites = part_.overwrites_c();
  if (step.c >= slots) {
    const auto read = lanes_.results.sent_for(static_cast<std::size_t>(step.c - slots));
    (overwrites ? lanes_.device.queue : lanes_.uploads).start_after(*read);
  }
  if (!overwrites) send(rows, *c_, place.offset_bytes);
  return place;
}

void Passage::expect_result(const BlockStep& step, const GemmProblem& product,
                            const BoundOperand& from) {
  RowsCopy rows = rows_of_c(product);
  rows.to = product.c;
  rows.to_pitch = rows.from_pitch;
  rows.from_pitch = from.pitch_bytes;
  lanes_.results.expect(
      {c_, from.offset_bytes, rows, multiplied_, &rows_done_[static_cast<std::size_t>(step.c)]});
}

// Every command waits only for such as were enqueued before it: whatever the host waits for comes.
void Passage::carry_out(std::int64_t number) {
  OpenedDevice& device = lanes_.device;
  const BlockStep step = walk_.step(number);
  const GemmProblem product = walk_.product(step);
  ProductOperands operands;
  operands.c = open_result(step, product);
  Brought a = bring(a_, step.a, rows_of_a(product), number);
  Brought b = bring(b_, step.b, rows_of_b(product), number);
  lanes_.uploads.flush();
  if (sent_) device.queue.start_after(*std::exchange(sent_, nullptr));
  if (a_.packed && a.slot) {
    a.slot->in_use = shared(pack_a_ahead(device, product, kernel_, a.operand, a_.packed));
    a_.packed_block = step.a;
    a.operand = whole(a_.packed);
  }
  if (b_.packed && b.slot) {
    b.slot->in_use = shared(pack_b_ahead(device, product, kernel_, b.operand, b_.packed));
    b_.packed_block = step.b;
    b.operand = whole(b_.packed);
  }
  operands.a = a.operand;
  operands.b = b.operand;
  operands.aligned_a = operands.aligned_b = true;
  operands.packed_a = a_.packed != nullptr;
  operands.packed_b = b_.packed != nullptr;
  multiplied_ = shared(submit_product(device, product, kernel_, operands, scratch_));
  if (!a_.packed) a.slot->in_use = multiplied_;
  if (!b_.packed) b.slot->in_use = multiplied_;
  if (step.closes_c) expect_result(step, product, operands.c);
  while (lanes_.results.advance()) continue;
}

void Passage::carry_out() {
  for (std::int64_t number = 0; number < walk_.steps(); ++number) carry_out(number);
  lanes_.operands.finish();
  lanes_.results.finish();
}

void Passage::list_unfinished() noexcept {
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

PassageOutcome Passage::run() noexcept {
  const std::lock_guard guard(lanes_.device.mutex);
  PassageOutcome outcome;
  try {
    carry_out();
  } catch (...) {
    outcome.failure = std::current_exception();
    lanes_.drain();
    list_unfinished();
    outcome.unfinished = std::move(unfinished_);
  }
  scratch_.release();
  outcome.times.whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  outcome.times.kernels = outcome.times.whole;
  return outcome;
}

void TransferLanes::drain() noexcept {
  device.drain();
  for (cl::Queue* queue : {&uploads, &downloads}) {
    try {
      queue->finish();
    } catch (const std::exception&) {
      // A device that cannot even finish is lost; nothing else can be waited for.
    }
  }
  operands.forget();
  results.forget();
}

}  // namespace duoblas
