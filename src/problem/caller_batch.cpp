#include "problem/caller_batch.hpp"

#include <cstdint>
#include <utility>

#include <duoblas/error.hpp>

#include "problem/caller_gemm.hpp"

namespace duoblas {
namespace {

struct Positions {
  GemmPositions of_shape;
  int stride_a = 0, stride_b = 0, stride_c = 0;
  int count = 0;
};

Positions positions_of(BatchForm form) {
  switch (form) {
    case BatchForm::strided: return {{8, 9, 11, 12, 15, 16}, 10, 13, 17, 18};
    case BatchForm::pointers: return {{}, 0, 0, 0, 15};
    case BatchForm::grouped: return {{}, 0, 0, 0, 16};
  }
  return {};
}

// As of one product. Of the matrices: whether there are any, not which.
void check_shape(const CallerBatch& call, const BatchGroup& group, const Positions& at) {
  CallerGemm one{call.layout, group.shape};
  one.args.a = given(group.a);
  one.args.b = given(group.b);
  one.args.c = const_cast<void*>(given(group.c));
  if (group.count == 0) one.args.a = one.args.b = one.args.c = &one;  // none are read
  check(one, at.of_shape);
}

/// A, B and C of a group.
struct GroupOperands {
  BatchArgument a, b, c;
};

void check_strides(const CallerBatch& call, const BatchGroup& group,
                   const GroupOperands& operands) {
  const GemmProblem& p = group.shape;
  const bool rows = call.layout == Layout::row_major;
  // Elements from a matrix's first to its last, of `rows` x `columns` as the problem has them.
  const auto extent = [&](std::int64_t of_rows, std::int64_t of_columns, std::int64_t ld) {
    const std::int64_t lines = rows ? of_rows : of_columns, length = rows ? of_columns : of_rows;
    return lines == 0 || length == 0 ? 0 : (lines - 1) * ld + length;
  };
  check_stride(operands.a, extent(stored_rows_a(p), stored_cols_a(p), p.lda), group.count);
  check_stride(operands.b, extent(stored_rows_b(p), stored_cols_b(p), p.ldb), group.count);
  check_stride(operands.c, extent(p.m, p.n, p.ldc), group.count);
  check_apart(operands.c, rows ? p.m : p.n, rows ? p.n : p.m, p.ldc, group.count);
}

void check_group(const CallerBatch& call, std::size_t number, const Positions& at) {
  const BatchGroup& group = call.args.groups[number];
  const bool in_groups = call.form == BatchForm::grouped;
  const GroupNumber of = in_groups ? GroupNumber(number) : std::nullopt;
  if (group.count < 0)
    throw ArgumentError(at.count, name_in(of, in_groups ? "group_sizes" : "count"), "is negative");
  check_in(of, [&] { check_shape(call, group, at); });
  if (group.count == 0 || group.shape.empty()) return;
  const GroupOperands operands{{group.a, "a", at.of_shape.a, "stride_a", at.stride_a},
                               {group.b, "b", at.of_shape.b, "stride_b", at.stride_b},
                               {group.c, "c", at.of_shape.c, "stride_c", at.stride_c}};
  if (call.form == BatchForm::strided) check_strides(call, group, operands);
  check_pointers(operands.c, of, group.count);
  if (group.shape.only_scales_c()) return;
  check_pointers(operands.a, of, group.count);
  check_pointers(operands.b, of, group.count);
}

}  // namespace

void check(const CallerBatch& call) {
  const Positions at = positions_of(call.form);
  for (std::size_t i = 0; i < call.args.groups.size(); ++i) check_group(call, i, at);
}

BatchProblem to_row_major(CallerBatch&& call) {
  BatchProblem batch = std::move(call.args);
  for (BatchGroup& group : batch.groups) {
    if (call.layout == Layout::column_major) std::swap(group.a, group.b);
    group.shape = to_row_major(CallerGemm{call.layout, group.shape});
    group.shape.a = group.shape.b = nullptr;
    group.shape.c = nullptr;
  }
  return batch;
}

}  // namespace duoblas
