// Checks of what all batches are given alike: arrays of pointers, distances, groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "problem/batch_problem.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {

/// How the caller gives the operands; the order of arguments depends on it.
enum class BatchForm { strided, pointers, grouped };

/// An operand of all of a group's calls, with its names for errors.
struct BatchArgument {
  const BatchOperand& operand;
  std::string_view name, stride;
};

/// The operand, or the array of its places: whether it was given at all.
inline const void* given(const BatchOperand& operand) {
  return operand.places != nullptr ? static_cast<const void*>(operand.places) : operand.first;
}

/// If one of the pointers is null.
void check_pointers(const NamedArguments& check, const BatchArgument& argument, std::int64_t count);
/// `extent`: elements from a matrix's first to past its last. If the distance is negative, or
/// numbers of elements and bytes to past the last matrix exceed 64 bits.
void check_stride(const NamedArguments& check, const BatchArgument& argument, std::int64_t extent,
                  std::int64_t count);
/// If the results have an element in common. Of `rows` rows as stored.
void check_apart(const NamedArguments& check, const BatchArgument& result, std::int64_t rows,
                 std::int64_t columns, std::int64_t ld, std::int64_t count);

/// Does `check_group(i)` for each group of the call. Errors of grouped calls name the group ("lda
/// of group 2"), but for the layout, which is all groups'.
template <typename Check>
void check_groups(BatchForm form, std::size_t groups, Check&& check_group) {
  for (std::size_t i = 0; i < groups; ++i) try {
      check_group(i);
    } catch (const ArgumentError& error) {
      if (form != BatchForm::grouped || error.position() == 1) throw;
      const std::string whole = error.what();
      throw ArgumentError(error.position(), error.name() + " of group " + std::to_string(i),
                          whole.substr(whole.find(") ") + 2));
    }
}

}  // namespace duoblas
