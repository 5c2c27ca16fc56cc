#include "gpu/level3/level3_launches.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Rows of a packed B from `first` on. `depth`: the rows that were packed. \pre the product takes
// all of them, or the kernel is a panel's (kernels/README.md).
BoundOperand rows_of_packed_b(const GemmProblem& problem, const KernelParams& kernel,
                              BoundOperand packed, std::int64_t depth, std::int64_t first) {
  if (depth == problem.k) return packed;
  const std::size_t element = element_size(problem.precision);
  packed.offset_bytes = static_cast<std::size_t>(first * col_tile(kernel)) * element;
  packed.pitch_bytes = static_cast<std::size_t>(packed_depth_b(kernel, depth)) * element;
  return packed;
}

}  // namespace

EarlierKernels Level3Launches::take_earlier() {
  return std::exchange(earlier_, {});
}

void Level3Launches::add_times(Level3Times& times) const {
  const auto add = [](double& sum, const EarlierKernels& kernels) {
    for (const auto& kernel : kernels) sum += cl::seconds_if_profiled(*kernel).value_or(0);
  };
  add(times.kernels, products_);
  add(times.packing, packings_);
}

void Level3Launches::add(const Launch& launch, bool ends_chain) {
  OpenedDevice& device = queues_.device;
  if (launch.after) {
    queues_.uploads.flush();
    device.queue.start_after(*launch.after);
  }
  if (last_) earlier_.push_back(std::move(last_));
  ProductOperands operands = launch.operands;
  if (!launch.has_last_b) {
    last_depth_ = launch.product.k;
  } else if (packs_ahead(launch.product, kernel_).b) {
    operands.b = rows_of_packed_b(launch.product, kernel_, {scratch_.packed_b}, last_depth_,
                                  launch.first_of_last_b);
    operands.packed_b = true;
  }
  scratch_.flushes = ends_chain;
  last_ = std::make_shared<cl::Event>(
      submit_product(device, launch.product, kernel_, operands, scratch_));
  products_.push_back(last_);
  packings_.insert(packings_.end(), scratch_.earlier.begin(), scratch_.earlier.end());
  std::ranges::move(scratch_.earlier, std::back_inserter(earlier_));
  scratch_.earlier.clear();
}

// A B in place has no other use for the device's own.
BoundOperand Level3Launches::packed_lines(const MultiplyStep& step, const BoundOperand& matrix) {
  OpenedDevice& device = queues_.device;
  const bool is_a = step.b.matrix == Level3Matrix::a;
  std::shared_ptr<const cl::Buffer>& packed = is_a ? lines_of_a_ : lines_of_b_;
  if (packed == nullptr) {
    const std::size_t bytes = bytes_at_once(*all_lines_, kernel_, {false, false, false}).packed_b;
    ScratchBuffer& scratch = is_a ? device.scratch.packed_b : device.scratch.b;
    packed = scratch.at_least(device.context, bytes);
    before_next().push_back(std::make_shared<cl::Event>(
        pack_ahead(device, *all_lines_, kernel_, PackedFactor::b, matrix, packed)));
  }
  const std::int64_t line = step.b.row + step.b.column;  // one of them is 0
  return {packed, static_cast<std::size_t>(line * packed_depth_b(kernel_, all_lines_->k)) *
                      element_size(all_lines_->precision)};
}

}  // namespace duoblas
