#include "problem/batch_arguments.hpp"

#include <limits>

namespace duoblas {

void check_pointers(const NamedArguments& check, const BatchArgument& argument,
                    std::int64_t count) {
  const BatchOperand& operand = argument.operand;
  if (operand.places == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (operand.places[i] == nullptr)
      check.require(false, argument.name, "has a null pointer, number " + std::to_string(i));
}

void check_stride(const NamedArguments& check, const BatchArgument& argument, std::int64_t extent,
                  std::int64_t count) {
  const std::int64_t stride = argument.operand.stride;
  if (stride < 0)
    check.require(false, argument.stride, "is negative (" + std::to_string(stride) + ')');
  if (count <= 1) return;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  check.require(extent <= most && (stride == 0 || count - 1 <= (most - extent) / stride),
                argument.stride, "puts matrices beyond what 64 bits address");
}

void check_apart(const NamedArguments& check, const BatchArgument& result, std::int64_t rows,
                 std::int64_t columns, std::int64_t ld, std::int64_t count) {
  const std::int64_t stride = result.operand.stride;
  if (are_apart(rows, columns, ld, stride, count)) return;
  const char upper = static_cast<char>(result.name[0] - 'a' + 'A');
  check.require(
      false, result.stride,
      std::string("lets the matrices ") + upper + " overlap (" + std::to_string(stride) + ')');
}

}  // namespace duoblas
