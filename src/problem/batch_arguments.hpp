// Checks of what all batches are given alike: arrays of pointers, distances, groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

#include "problem/batch_problem.hpp"

namespace duoblas {

/// How the caller gives the operands; the positions of arguments depend on it.
enum class BatchForm { strided, pointers, grouped };

/// The number of a group, of which errors tell; nothing: there is one group.
using GroupNumber = std::optional<std::size_t>;

/// "group_sizes of group 2".
std::string name_in(GroupNumber group, const std::string& name);

/// An operand of all of a group's calls, with what errors say of it.
struct BatchArgument {
  const BatchOperand& operand;
  const char* name;
  int position;
  const char* stride_name = "";
  int stride_position = 0;
};

/// The operand, or the array of its places: whether it was given at all.
inline const void* given(const BatchOperand& operand) {
  return operand.places != nullptr ? static_cast<const void*>(operand.places) : operand.first;
}

/// \throws ArgumentError if one of the pointers is null.
void check_pointers(const BatchArgument& argument, GroupNumber group, std::int64_t count);
/// `extent`: elements from a matrix's first to past its last. \throws ArgumentError if the distance
/// is negative, or numbers of elements and bytes to past the last matrix exceed 64 bits.
void check_stride(const BatchArgument& argument, std::int64_t extent, std::int64_t count);
/// \throws ArgumentError if the results have an element in common. Of `rows` rows as stored.
void check_apart(const BatchArgument& result, std::int64_t rows, std::int64_t columns,
                 std::int64_t ld, std::int64_t count);

/// Does `check`, of one group's shape. Its errors name the group, but for the layout, which is all
/// groups'.
template <typename Check>
void check_in(GroupNumber group, Check&& check) {
  try {
    check();
  } catch (const ArgumentError& error) {
    if (!group || error.position() == 1) throw;
    const std::string whole = error.what();
    throw ArgumentError(error.position(), name_in(group, error.name()),
                        whole.substr(whole.find(") ") + 2));
  }
}

}  // namespace duoblas
