#include "problem/batch_arguments.hpp"

#include <limits>

namespace duoblas {

std::string name_in(GroupNumber group, const std::string& name) {
  return group ? name + " of group " + std::to_string(*group) : name;
}

void check_pointers(const BatchArgument& argument, GroupNumber group, std::int64_t count) {
  const BatchOperand& operand = argument.operand;
  if (operand.places == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (operand.places[i] == nullptr)
      throw ArgumentError(argument.position, name_in(group, argument.name),
                          "has a null pointer, number " + std::to_string(i));
}

void check_stride(const BatchArgument& argument, std::int64_t extent, std::int64_t count) {
  const std::int64_t stride = argument.operand.stride;
  if (stride < 0)
    throw ArgumentError(argument.stride_position, argument.stride_name,
                        "is negative (" + std::to_string(stride) + ')');
  if (count <= 1) return;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  if (extent > most || (stride > 0 && (count - 1) > (most - extent) / stride))
    throw ArgumentError(argument.stride_position, argument.stride_name,
                        "puts matrices beyond what 64 bits address");
}

void check_apart(const BatchArgument& result, std::int64_t rows, std::int64_t columns,
                 std::int64_t ld, std::int64_t count) {
  const std::int64_t stride = result.operand.stride;
  if (are_apart(rows, columns, ld, stride, count)) return;
  const char upper = static_cast<char>(result.name[0] - 'a' + 'A');
  throw ArgumentError(
      result.stride_position, result.stride_name,
      std::string("lets the matrices ") + upper + " overlap (" + std::to_string(stride) + ')');
}

}  // namespace duoblas
