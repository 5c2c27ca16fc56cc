#include "gpu/level3/level3_operands.hpp"

#include <array>

#include "gpu/level3/level3_blocks.hpp"
#include "problem/level3_rects.hpp"

namespace duoblas {

Level3Operands bind_in_place(OpenedDevice& device, const Level3Problem& p, MatricesInPlace wanted,
                             const HostRect& of_host) {
  Level3Operands bound;
  HostRect a = wanted.a ? rect_of_a(p) : HostRect{};
  const HostRect b = wanted.b ? rect_of_b(p) : HostRect{};
  const HostRect c = rect_of_c(p);
  OperandMemory& memory = device.memory;
  // A triangle has gaps, whatever its ld.
  const bool c_is_exact = memory.facts().coherent || !updates_triangle(p.routine);
  if (wanted.c && c_is_exact)
    bound.result = memory.result_in_place(c, std::array{a, b, a}, std::array{of_host});
  if (bound.result) {
    bound.inputs = memory.inputs_in_place(a, b, &*bound.result, std::array{of_host});
    return bound;
  }
  // Lines apart have to be mapped where device and host are not coherent, and rusticl of Mesa 22.3
  // refuses to unmap them. So there A is copied, and steps go by block rows.
  if (!memory.facts().coherent && goes_by_columns(p, {wanted.a, wanted.b, false})) a = {};
  bound.inputs = memory.inputs_in_place(a, b, nullptr, std::array{of_host, c});
  return bound;
}

void hold_pages(PageLocks& locks, const Level3Problem& p, Level3Operands& operands) {
  const auto hold = [&](const HostRect& rect) { return locks.hold(rect.data, rect.span()); };
  const MatricesInPlace in_place = operands.in_place();
  if (!in_place.a) operands.locked_a = hold(rect_of_a(p));
  if (has_b(p.routine) && !in_place.b) operands.locked_b = hold(rect_of_b(p));
  if (!in_place.c) operands.locked_c = hold(rect_of_c(p));
}

}  // namespace duoblas
