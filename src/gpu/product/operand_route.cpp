#include "gpu/product/operand_route.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
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
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  const auto blocks = device_blocks(part, kernel, packing, limits);
  if (!blocks)
    throw DeviceError(
        std::to_string(limits.memory_bytes) +
        " bytes of device memory hold no block of this product; the CPU has to do it");
  return *blocks;
}

}  // namespace

bool streaming_pays(const GemmProblem& part, Staged staged) {
  // For fewer bytes starting the other threads takes longer than they save.
  constexpr std::int64_t least_bytes = std::int64_t{1} << 20;
  const std::int64_t elements = (staged.a ? part.m * part.k : 0) +
                                (staged.b ? part.k * part.n : 0) + (staged.c ? part.m * part.n : 0);
  return elements >= least_bytes / static_cast<std::int64_t>(element_size(part.precision));
}

void take_room(DeviceLimits& left, const HostRect& copied) {
  if (left.memory_bytes == 0) return;  // no limit
  const std::size_t bytes = copied.rows * device_pitch(copied.row_bytes);
  if (bytes >= left.memory_bytes)
    throw DeviceError(std::to_string(left.memory_bytes) +
                      " bytes of device memory hold no such product; the CPU has to do it");
  left.memory_bytes -= bytes;
}

BoundInputs inputs_of(OpenedDevice& device, const GemmProblem& part, const Sharing& sharing,
                      DeviceLimits& left) {
  const ResidentOperands resident = usable(sharing, device);
  OperandRoute route;
  Sharing elsewhere = sharing;
  elsewhere.result = SharingMode::staged;
  bind_in_place(device.memory, part, elsewhere, route);
  BoundInputs inputs = std::move(route.inputs);
  const auto copied = [&](const HostRect& rect) {
    take_room(left, rect);
    return device.memory.staged_input(rect, device_pitch(rect.row_bytes));
  };
  if (resident.a) inputs.a = resident.a->from(part.a);
  if (resident.b) inputs.b = resident.b->from(part.b);
  if (!inputs.a.buffer) inputs.a = copied(rect_of_a(part));
  if (!inputs.b.buffer) inputs.b = copied(rect_of_b(part));
  return inputs;
}

OperandRoute route_of(OpenedDevice& device, const GemmProblem& part, const KernelParams& kernel,
                      const Sharing& sharing) {
  OperandRoute route;
  route.resident = usable(sharing, device);
  bind_in_place(device.memory, part, sharing, route);
  const DeviceLimits limits = device.free_limits();
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
