#include "gpu/product/operand_route.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/integers/integer_product.hpp"
#include "gpu/product/in_place.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

ResidentOperands usable(const Sharing& sharing, const OpenedDevice& device) {
  ResidentOperands resident;
  if (!copies(sharing.operands)) return resident;
  const auto on_it = [&](const ResidentMatrix* m) { return m && m->is_on(device) ? m : nullptr; };
  resident.a = on_it(sharing.resident.a);
  resident.b = on_it(sharing.resident.b);
  return resident;
}

Staged staged(const OperandRoute& route) {
  return {!route.inputs.a.buffer, !route.inputs.b.buffer, !route.result};
}

bool is_all_in_place(const OperandRoute& route) {
  return route.inputs.a.buffer && route.inputs.b.buffer && route.result;
}

void bind_in_place(OperandMemory& memory, const GemmProblem& part, const Sharing& sharing,
                   OperandRoute& route) {
  if (copies(sharing.operands)) return;
  const HostRect a = rect_of_a(part), b = rect_of_b(part), c = rect_of_c(part);
  const HostRect of_host =
      sharing.host_part == nullptr ? HostRect{} : rect_of_c(*sharing.host_part);
  if (!copies(sharing.result))
    route.result = memory.result_in_place(c, std::array{a, b, a}, std::array{of_host});
  if (route.result) {
    route.inputs = memory.inputs_in_place(a, b, &*route.result, std::array{of_host});
    if (is_all_in_place(route) || !streaming_pays(part, staged(route))) return;
    route.result.reset();  // large copies are the pipeline's, whose results are copies
  }
  route.inputs = memory.inputs_in_place(a, b, nullptr, std::array{of_host, c});
}

DeviceBlocks blocks_to_stream(const GemmProblem& part, const KernelParams& kernel,
                              const DeviceLimits& limits) {
  // By integers, what is beside the copies is counted apart.
  const bool packs = !is_by_integers(kernel);
  const Packing packing{packs && packs_a(kernel, part.op_a), packs && packs_b(kernel, part.op_b)};
  const auto blocks = device_blocks(part, kernel, packing, limits);
  if (!blocks)
    throw DeviceError(
        std::to_string(limits.memory_bytes) +
        " bytes of device memory hold no block of this product; the CPU has to do it");
  return *blocks;
}

// Scratch memory has half of what there is at first, copies have the rest of what it takes, and
// what they leave is for the scratch memory of a block.
void divide_by_integers(const OpenedDevice& device, const GemmProblem& part,
                        const KernelParams& kernel, const DeviceLimits& limits,
                        OperandRoute& route) {
  const auto divided = [&](const GemmProblem& problem, const DeviceLimits& left) {
    return integer_blocks(as_real_numbers(problem), left, device.launch_bound,
                          integer_tile_of(kernel));
  };
  DeviceLimits left = limits;
  left.memory_bytes /= 2;
  const IntegerBlocks of_whole = divided(part, left);
  const bool is_bounded = limits.memory_bytes > 0;
  if (is_bounded)
    left.memory_bytes = limits.memory_bytes - integer_bytes(of_whole, of_whole.k).sum();
  route.blocks = blocks_to_stream(part, kernel, left);
  GemmProblem block = part;
  block.m = route.blocks.m;
  block.n = route.blocks.n;
  block.k = route.blocks.k;
  if (is_bounded) {
    const std::size_t taken = device_bytes(part, route.blocks, kernel, {}).total() +
                              IntegerProduct::states_bytes(route.blocks.c_slots);
    left.memory_bytes = limits.memory_bytes - std::min(limits.memory_bytes - 1, taken);
  }
  route.integers = divided(block, left);
}

}  // namespace

bool streaming_pays(const GemmProblem& part, Staged staged) {
  // For fewer bytes starting the other threads takes longer than they save.
  constexpr std::int64_t least_bytes = std::int64_t{1} << 20;
  const std::int64_t elements = (staged.a ? part.m * part.k : 0) +
                                (staged.b ? part.k * part.n : 0) + (staged.c ? part.m * part.n : 0);
  return elements >= least_bytes / static_cast<std::int64_t>(element_size(part.precision));
}

OperandRoute route_of(OpenedDevice& device, const GemmProblem& part, const KernelParams& kernel,
                      const Sharing& sharing) {
  OperandRoute route;
  route.resident = usable(sharing, device);
  const DeviceLimits limits = device.free_limits();
  if (is_by_integers(kernel)) {
    Sharing copies_c = sharing;
    copies_c.result = SharingMode::staged;
    bind_in_place(device.memory, part, copies_c, route);
    route.way = OperandRoute::Way::streamed;
    divide_by_integers(device, part, kernel, limits, route);
    return route;
  }
  bind_in_place(device.memory, part, sharing, route);
  if (is_all_in_place(route))
    if (const auto blocks = in_place_blocks(part, kernel, limits)) {
      route.way = OperandRoute::Way::in_blocks;
      route.blocks = *blocks;
      return route;
    }
  route.bytes = bytes_at_once(part, kernel, staged(route));
  if (!streaming_pays(part, staged(route)) && fits_at_once(part, route.bytes, kernel, limits))
    return route;
  route.way = OperandRoute::Way::streamed;
  route.result.reset();
  route.blocks = blocks_to_stream(part, kernel, limits);
  return route;
}

}  // namespace duoblas
