#include "gpu/product/workspace.hpp"

#include <algorithm>
#include <utility>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/launch.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

std::size_t aligned(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

WorkspaceBytes bytes_of(const GemmProblem& problem, const KernelParams& kernel,
                        const DeviceLimits& limits) {
  const Launch ranges = launch({kernel, problem.precision, problem.op_a, problem.op_b}, problem.m,
                               problem.n, problem.k, {limits.compute_units});
  WorkspaceBytes bytes;
  bytes.packed_a = ranges.packed_a_bytes;
  bytes.packed_b = ranges.packed_b_bytes;
  bytes.partial = ranges.partial_bytes;
  return bytes;
}

// A part, and before it is destroyed its whole is not. OpenCL says that a part keeps its whole, but
// with NVIDIA's driver (580) the whole's count of references does not grow with a part.
std::shared_ptr<const cl::Buffer> part_of(const cl::CallerBuffer& memory, std::size_t first,
                                          std::size_t bytes) {
  struct Held {
    std::shared_ptr<const cl::Buffer> whole;
    cl::Buffer part;
  };
  auto held = std::make_shared<Held>(Held{memory.whole(), memory.part(first, bytes)});
  return {held, &held->part};
}

}  // namespace

std::size_t WorkspaceBytes::total(std::size_t alignment) const {
  std::size_t sum = 0;
  for (const std::size_t bytes : {packed_a, packed_b, partial, flag, zeros})
    sum = aligned(sum, alignment) + bytes;
  return sum;
}

WorkspaceBytes workspace_bytes(const GemmProblem& problem, const KernelParams& kernel,
                               const DeviceLimits& limits) {
  WorkspaceBytes bytes = bytes_of(problem, kernel, limits);
  if (kernel.matrix != MatrixUnit::tf32x3) return bytes;
  // Both arithmetics are enqueued, one behind the other.
  const WorkspaceBytes exact = bytes_of(problem, exact_twin(problem.precision, limits), limits);
  bytes.packed_a = std::max(bytes.packed_a, exact.packed_a);
  bytes.packed_b = std::max(bytes.packed_b, exact.packed_b);
  bytes.partial = std::max(bytes.partial, exact.partial);
  bytes.flag = sizeof(int);
  return bytes;
}

void Workspace::serve(const WorkspaceBytes& needs, DeviceScratch& scratch, ScratchBuffer& zeros) {
  const std::array<std::pair<std::size_t, ScratchBuffer*>, 5> wanted = {
      {{needs.packed_a, &scratch.packed_a},
       {needs.packed_b, &scratch.packed_b},
       {needs.partial, &scratch.partial},
       {needs.flag, &scratch.flag.buffer()},
       {needs.zeros, &zeros}}};
  // Parts that are no longer wanted go before new ones are made, so that no two have bytes in
  // common. With NVIDIA's driver (580) releasing the older one crashed.
  std::size_t first = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [bytes, held] = wanted[i];
    held->release();
    first = aligned(first, memory_.alignment());
    Part& part = parts_[i];
    if (part.first != first || part.bytes != bytes) part = {first, bytes, nullptr};
    first += bytes;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [bytes, held] = wanted[i];
    if (bytes == 0) continue;
    Part& part = parts_[i];
    if (part.buffer == nullptr) part.buffer = part_of(memory_, part.first, bytes);
    held->lend(part.buffer, bytes, {memory_.whole(), memory_.place(part.first)});
  }
}

}  // namespace duoblas
