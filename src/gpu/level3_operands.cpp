#include "gpu/level3_operands.hpp"

#include <array>

namespace duoblas {

Level3Operands bind_in_place(OpenedDevice& device, const Level3Problem& p, MatricesInPlace wanted,
                             const HostRect& of_host) {
  Level3Operands bound;
  const auto rect = [&](const void* data, StoredShape shape, std::int64_t ld) {
    return rect_of(data, shape.rows, shape.cols, ld, p.precision);
  };
  const HostRect a = wanted.a ? rect(p.a, stored_a(p), p.lda) : HostRect{};
  const HostRect b = wanted.b ? rect(p.b, stored_b(p), p.ldb) : HostRect{};
  const HostRect c = rect(p.c, stored_c(p), p.ldc);
  OperandMemory& memory = device.memory;
  // A triangle has gaps, whatever its ld.
  const bool c_is_exact = memory.facts().coherent || !updates_triangle(p.routine);
  if (wanted.c && c_is_exact)
    bound.result = memory.result_in_place(c, std::array{a, b, a}, std::array{of_host});
  if (bound.result)
    bound.inputs = memory.inputs_in_place(a, b, &*bound.result, std::array{of_host});
  else
    bound.inputs = memory.inputs_in_place(a, b, nullptr, std::array{of_host, c});
  return bound;
}

}  // namespace duoblas
