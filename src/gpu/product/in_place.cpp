#include "gpu/product/in_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

// The largest part of `extent` whose lines of `line_bytes` fit `bytes`, in whole tiles, but at
// least one.
std::int64_t within(std::size_t bytes, std::int64_t extent, double line_bytes, std::int64_t tile) {
  const auto lines = static_cast<std::int64_t>(static_cast<double>(bytes) / line_bytes);
  return std::min(extent, std::max<std::int64_t>(lines / tile, 1) * tile);
}

}  // namespace

std::optional<DeviceBlocks> in_place_blocks(const GemmProblem& p, const KernelParams& kernel,
                                            const DeviceLimits& limits) {
  const DeviceBytes whole = bytes_at_once(p, kernel, {false, false, false});
  std::size_t bound = in_place_bytes;
  if (limits.memory_bytes > 0) bound = std::min(bound, limits.memory_bytes / 3);
  const double c_bytes = static_cast<double>(p.m) * static_cast<double>(p.n) *
                         static_cast<double>(element_size(p.precision));
  const bool saves_much = !p.overwrites_c() && c_bytes > static_cast<double>(saved_bytes);
  if (!saves_much && std::max({whole.packed_a, whole.packed_b, whole.partial}) <= bound) return {};

  DeviceBlocks blocks{p.m, p.n, p.k};
  const auto element = static_cast<double>(element_size(p.precision));
  const double row_of_a = element * static_cast<double>(packed_depth_a(kernel, p.k));
  const double column_of_b = element * static_cast<double>(packed_depth_b(kernel, p.k));
  if (whole.packed_b > bound) blocks.n = within(bound, p.n, column_of_b, col_tile(kernel));
  if (whole.packed_a > bound) blocks.m = within(bound, p.m, row_of_a, row_tile(kernel));
  std::size_t saved = saved_bytes;
  if (saves_much && kernel.family == KernelFamily::panel) {
    saved *= static_cast<std::size_t>(std::max(1, limits.compute_units));
    saved = std::min(saved, in_place_bytes);
    // A unit is a core with a cache of its own. It reads a panel of B once for all rows of a block:
    // where not all of B stays there, blocks have block_m rows at least, rather than all columns.
    if (column_of_b * static_cast<double>(blocks.n) > static_cast<double>(saved)) {
      const std::int64_t rows = std::min<std::int64_t>(kernel.block_m, p.m);
      const std::int64_t tile = col_tile(kernel);
      const double column_of_c = element * static_cast<double>(rows);
      blocks.n = evened_out(blocks.n, within(saved, blocks.n, column_of_c, tile), tile);
    }
  }
  const double row = element * static_cast<double>(blocks.n);
  if (saves_much) {
    const std::int64_t tile = row_tile(kernel);
    const std::int64_t across = (blocks.n + col_tile(kernel) - 1) / col_tile(kernel);
    const std::int64_t busy = tile * busy_tiles(across, limits.compute_units);
    const std::int64_t most = std::min(busy, within(in_place_bytes, p.m, row, tile));
    const std::int64_t rows = std::min(blocks.m, std::max(within(saved, p.m, row, tile), most));
    // Panel kernels have many small tiles. With fewer of others units would be idle.
    const bool has_small_tiles = kernel.family == KernelFamily::panel;
    blocks.m = has_small_tiles ? evened_out(blocks.m, rows, tile) : rows;
  }
  if (whole.partial > bound)
    blocks.m = std::min(blocks.m, within(bound, p.m, row * kernel.k_split, row_tile(kernel)));
  // Packed B stays while consecutive blocks of rows use it.
  DeviceBytes bytes =
      device_bytes(p, blocks, kernel, {packs_a(kernel, p.op_a), packs_b(kernel, p.op_b)});
  bytes.a = bytes.b = bytes.c = 0;
  if (!fits_at_once(p, bytes, kernel, limits)) return {};
  return blocks;
}

InPlaceProduct::InPlaceProduct(TransferQueues& queues, const GemmProblem& part,
                               const KernelParams& kernel, OperandRoute route,
                               const Sharing& sharing)
    : device_(queues.device),
      part_(part),
      kernel_(kernel),
      route_(std::move(route)),
      saves_old_c_(sharing.saves_old_c),
      same_b_(sharing.behind_another),
      walk_(part, route_.blocks),
      states_(route_.integers ? new States{} : nullptr),
      old_values_(saves() ? SpareMemory(DirectResults::blocks_at_once * block_bytes())
                          : SpareMemory()),
      written_(saves() ? DirectResults(queues, old_values_.data(), block_bytes())
                       : DirectResults(queues)) {
  OpenedDevice& device = device_;
  kernel_.inline_sizes = false;
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  DeviceBytes needs = device_bytes(part, route_.blocks, kernel, packing);
  needs.a = needs.b = needs.c = 0;
  if (route_.integers) needs = scratch_of(*route_.integers);
  device.scratch.make_room(needs, device.free_limits().memory_bytes);
  if (route_.integers)
    integers_.emplace(device, device.queue, device.scratch, part, *route_.integers,
                      static_cast<int>(states_->size()));
  const Packing ahead = packs_ahead(part, kernel);
  if (ahead.a) packed_a_ = device.scratch.packed_a.at_least(device.context, needs.packed_a);
  if (ahead.b) packed_b_ = device.scratch.packed_b.at_least(device.context, needs.packed_b);
  user_of_b_ = device.scratch.packed_b.users();
  unfinished_.reserve(static_cast<std::size_t>(walk_.results()));
  for (const GemmProblem& product : walk_.corners())
    prepare_product(device, kernel_, part.precision, part.op_a, part.op_b,
                    rows_of(product, kernel_));
}

BoundOperand InPlaceProduct::bound_a(const BlockStep& step) const {
  const std::int64_t first = step.row * route_.blocks.m;
  const bool rows = part_.op_a == Op::none;
  return shifted(route_.inputs.a, rows ? first : 0, rows ? 0 : first,
                 element_size(part_.precision));
}

BoundOperand InPlaceProduct::bound_b(const BlockStep& step) const {
  const std::int64_t first = step.column * route_.blocks.n;
  const bool columns = part_.op_b == Op::none;
  return shifted(route_.inputs.b, columns ? 0 : first, columns ? first : 0,
                 element_size(part_.precision));
}

BoundOperand InPlaceProduct::packed_a(const BlockStep& step, const GemmProblem& product) {
  BoundOperand a = bound_a(step);
  if (!packed_a_) return a;
  if (a_block_ != step.a)
    scratch_.earlier.push_back(std::make_shared<cl::Event>(
        pack_ahead(device_, product, kernel_, PackedFactor::a, a, packed_a_)));
  a_block_ = step.a;
  a = BoundOperand{};
  a.buffer = packed_a_;
  return a;
}

std::shared_ptr<cl::Event> InPlaceProduct::packed_before() const {
  const PackedB& known = device_.scratch.last_b;
  const bool is_there = same_b_ && known.user + 1 == user_of_b_ &&
                        device_.scratch.packed_b.users() == user_of_b_ &&
                        known.buffer.lock() == packed_b_ && known.suits(part_, kernel_);
  return is_there ? known.done : nullptr;
}

BoundOperand InPlaceProduct::packed_b(const BlockStep& step, const GemmProblem& product) {
  BoundOperand b = bound_b(step);
  if (!packed_b_) return b;
  if (b_block_ != step.b) {
    // The job before may have had other blocks than this one. If its packing failed, so did this
    // product.
    const bool is_all = product.n == part_.n;
    auto done = is_all ? packed_before() : nullptr;
    if (done == nullptr)
      done = std::make_shared<cl::Event>(
          pack_ahead(device_, product, kernel_, PackedFactor::b, b, packed_b_));
    scratch_.earlier.push_back(done);
    if (is_all) device_.scratch.last_b = {packed_b_, user_of_b_, part_, kernel_, done};
  }
  b_block_ = step.b;
  b = BoundOperand{};
  b.buffer = packed_b_;
  return b;
}

void InPlaceProduct::enqueue(const BlockStep& step) {
  const GemmProblem product = walk_.product(step);
  const BoundOperand c = shifted(route_.result->operand(), step.row * route_.blocks.m,
                                 step.column * route_.blocks.n, element_size(part_.precision));
  written_.overwrite(c, rect_of_c(product),
                     part_.overwrites_c() ? OldValues::useless
                     : saves()            ? OldValues::saved
                                          : OldValues::read);
  auto done = std::make_shared<cl::Event>(submit(step, product, c));
  std::function<void()> admit;
  if (integers_)
    admit = [&state = state_of(step), block = step.c] { require_certified(state.data(), block); };
  written_.expect(std::move(done), std::exchange(scratch_.earlier, {}), nullptr, std::move(admit));
}

cl::Event InPlaceProduct::submit(const BlockStep& step, const GemmProblem& product,
                                 const BoundOperand& c) {
  if (integers_) {
    BuiltProgram& built = device_.kernels.get(normalised({kernel_, part_.precision}));
    while (written_.arrived() + states_->size() <= static_cast<std::size_t>(step.c))
      written_.wait();
    cl::Event noted = integers_->enqueue(built, product, {step.c, step.a, step.b},
                                         {bound_a(step), bound_b(step)}, c);
    scratch_.earlier = integers_->take_earlier();
    keep(scratch_.earlier, std::move(noted));
    cl::Event read = device_.queue.read_later(*integers_->note(step.c), state_of(step).data(),
                                              IntegerProduct::state_bytes, 0);
    device_.queue.flush();
    return read;
  }
  ProductOperands operands;
  operands.c = c;
  operands.a = packed_a(step, product);
  operands.b = packed_b(step, product);
  operands.aligned_a = starts_rows_aligned(operands.a, product.a);
  operands.aligned_b = starts_rows_aligned(operands.b, product.b);
  operands.packed_a = packed_a_ != nullptr;
  operands.packed_b = packed_b_ != nullptr;
  return submit_product(device_, product, kernel_, operands, scratch_);
}

void InPlaceProduct::carry_out() {
  for (std::int64_t number = 0; number < walk_.results(); ++number) enqueue(walk_.step(number));
  while (written_.wait()) continue;
}

PipelineOutcome InPlaceProduct::run() noexcept {
  const std::lock_guard guard(device_.mutex);
  PipelineOutcome outcome;
  try {
    carry_out();
  } catch (...) {
    outcome.failure = std::current_exception();
    device_.drain();
    written_.undo();
    for (auto number = static_cast<std::int64_t>(written_.arrived()); number < walk_.results();
         ++number)
      unfinished_.push_back(walk_.rest_of(walk_.step(number), 0));
    outcome.unfinished = std::move(unfinished_);
    outcome.reaches_c = true;
  }
  scratch_.release();
  route_.inputs = {};
  outcome.times.kernels = outcome.times.whole = watch_.seconds();
  return outcome;
}

}  // namespace duoblas
