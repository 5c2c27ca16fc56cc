#include "gpu/level3/level3_launches.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

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

}  // namespace duoblas
