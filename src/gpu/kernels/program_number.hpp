// The numbers by which programs of routines beside gemm are found.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace duoblas {

/// One of the fields that distinguish programs: 0 <= value < limit.
struct ProgramField {
  int value, limit;
};

/// Identifies a program on one device. Writing its options as text takes as long as a launch, so a
/// call that knows the number makes no text.
struct ProgramNumber {
  std::uint64_t kernel = 0;
  std::uint64_t sizes = 0;  ///< compiled-in sizes; 0: none

  friend bool operator==(const ProgramNumber&, const ProgramNumber&) = default;
};

/// A different number for each combination of values. \pre the product of the limits is less than
/// 2^64.
constexpr ProgramNumber program_number(std::initializer_list<ProgramField> fields) {
  ProgramNumber number;
  for (const ProgramField& field : fields)
    number.kernel = number.kernel * static_cast<std::uint64_t>(field.limit) +
                    static_cast<std::uint64_t>(field.value);
  return number;
}

/// The place of a routine in program_number(): its first field. `guard` is kernels/guard.cl's.
/// Files of learned times contain these numbers, too (stream_number()): do not renumber.
enum class RoutineProgramKind { guard = 0, gemv = 1, exchange = 5, lu_panel = 6, leaf_inverse = 7 };
constexpr ProgramField field_of(RoutineProgramKind kind) {
  return {static_cast<int>(kind), 16};
}

}  // namespace duoblas
