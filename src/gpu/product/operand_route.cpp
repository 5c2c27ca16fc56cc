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
#include "memory/download_ring.hpp"
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

HostRect written_by_host(const Sharing& sharing) {
  return sharing.host_part == nullptr ? HostRect{} : rect_of_c(*sharing.host_part);
}

// C is copied, so the host writes to the caller's: no window of A or B may touch that. Windows that
// are there would be in the way of new ones.
void bind_inputs_only(OperandMemory& memory, const GemmProblem& part, const Sharing& sharing,
                      OperandRoute& route) {
  route.inputs = {};
  route.result.reset();
  route.inputs = memory.inputs_in_place(rect_of_a(part), rect_of_b(part), nullptr,
                                        std::array{written_by_host(sharing), rect_of_c(part)});
}

// C is in place where that saves copies: `all_or_no_c`: only if A and B are, too.
void bind_in_place(OperandMemory& memory, const GemmProblem& part, const Sharing& sharing,
                   bool all_or_no_c, OperandRoute& route) {
  if (copies(sharing.operands)) return;
  const HostRect a = rect_of_a(part), b = rect_of_b(part), of_host = written_by_host(sharing);
  if (!copies(sharing.result))
    route.result =
        memory.result_in_place(rect_of_c(part), std::array{a, b, a}, std::array{of_host});
  if (route.result) {
    route.inputs = memory.inputs_in_place(a, b, &*route.result, std::array{of_host});
    if (is_all_in_place(route) || (!all_or_no_c && !streaming_pays(part, staged(route)))) return;
  }
  bind_inputs_only(memory, part, sharing, route);
}

// By the pipeline, whose results are copies.
void stream(OperandMemory& memory, const GemmProblem& part, const Sharing& sharing,
            OperandRoute& route) {
  route.way = OperandRoute::Way::streamed;
  if (route.result) bind_inputs_only(memory, part, sharing, route);
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

IntegerBlocks divided(const OpenedDevice& device, const GemmProblem& problem,
                      const KernelParams& kernel, const DeviceLimits& limits) {
  return integer_blocks(as_real_numbers(problem), limits, device.launch_bound,
                        integer_tile_of(kernel));
}

// Of a device that shares the host's memory, whether operands are in place or copied: each block of
// C is one that the scratch memory holds, so it is certified as a whole before any of it is written
// there, and B's lines become residues once. False: sums are in pieces, which C adds up; or there
// is no room for copies of such blocks. That counts in place, too, where nothing is copied: so both
// have the same blocks, and the same bits.
bool divide_in_place(const OpenedDevice& device, const GemmProblem& part,
                     const KernelParams& kernel, const DeviceLimits& limits, OperandRoute& route) {
  DeviceLimits half = limits;
  half.memory_bytes /= 2;
  IntegerBlocks blocks = divided(device, part, kernel, half);
  const GemmProblem in_reals = as_real_numbers(part);
  if (!limits.shares_memory || blocks.k < in_reals.k) return false;
  DeviceBlocks of_c{blocks.m, blocks.n * part.n / in_reals.n, part.k};
  // Old values of so many blocks may be kept.
  const std::size_t row = slot_bytes_c(part, of_c) / static_cast<std::size_t>(of_c.m);
  const auto rows = static_cast<std::int64_t>(in_place_bytes / DirectResults::blocks_at_once / row);
  const std::int64_t tile = blocks.tile.rows;
  of_c.m = blocks.m = std::min(blocks.m, std::max(rows / tile, std::int64_t{1}) * tile);
  const auto slots = [](std::int64_t whole, std::int64_t part_of_it) {
    return part_of_it < whole ? 2 : 1;
  };
  of_c.a_slots = slots(part.m, of_c.m);
  of_c.b_slots = slots(part.n, of_c.n);
  of_c.c_slots = std::max(of_c.a_slots, of_c.b_slots);
  DeviceBytes bytes = device_bytes(part, of_c, kernel, {});
  bytes.partial =
      integer_bytes(blocks, blocks.k).sum() + IntegerProduct::states_bytes(of_c.c_slots);
  const std::size_t most = limits.max_allocation_bytes;
  if (row > most_result_row_bytes - ResultNote::most_bytes ||
      (limits.memory_bytes > 0 && bytes.total() > limits.memory_bytes) ||
      (most > 0 && std::max({bytes.a, bytes.b, bytes.c}) > most))
    return false;
  route.blocks = of_c;
  route.integers = blocks;
  return true;
}

// Scratch memory has half of what there is at first, copies have the rest of what it takes, and
// what they leave is for the scratch memory of a block.
void divide_copies(const OpenedDevice& device, const GemmProblem& part, const KernelParams& kernel,
                   const DeviceLimits& limits, OperandRoute& route) {
  DeviceLimits left = limits;
  left.memory_bytes /= 2;
  const IntegerBlocks of_whole = divided(device, part, kernel, left);
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
  route.integers = divided(device, block, kernel, left);
}

void route_by_integers(OpenedDevice& device, const GemmProblem& part, const KernelParams& kernel,
                       const DeviceLimits& limits, const Sharing& sharing, OperandRoute& route) {
  const bool is_whole = divide_in_place(device, part, kernel, limits, route);
  if (!is_whole) divide_copies(device, part, kernel, limits, route);
  if (is_whole && is_all_in_place(route))
    route.way = OperandRoute::Way::in_blocks;
  else
    stream(device.memory, part, sharing, route);
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
  const bool by_integers = is_by_integers(kernel);
  bind_in_place(device.memory, part, sharing, by_integers, route);
  if (by_integers) {
    route_by_integers(device, part, kernel, limits, sharing, route);
    return route;
  }
  if (is_all_in_place(route))
    if (const auto blocks = in_place_blocks(part, kernel, limits)) {
      route.way = OperandRoute::Way::in_blocks;
      route.blocks = *blocks;
      return route;
    }
  route.bytes = bytes_at_once(part, kernel, staged(route));
  if (!streaming_pays(part, staged(route)) && fits_at_once(part, route.bytes, kernel, limits))
    return route;
  stream(device.memory, part, sharing, route);
  route.blocks = blocks_to_stream(part, kernel, limits);
  return route;
}

}  // namespace duoblas
