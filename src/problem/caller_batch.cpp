#include "problem/caller_batch.hpp"

#include <cstdint>
#include <utility>

#include "problem/caller_gemm.hpp"

namespace duoblas {
namespace {

std::string_view argument_names(BatchForm form) {
  switch (form) {
    case BatchForm::strided:
      return "layout op_a op_b m n k alpha a lda stride_a b ldb stride_b beta c ldc stride_c count";
    case BatchForm::pointers: return "layout op_a op_b m n k alpha a lda b ldb beta c ldc count";
    case BatchForm::grouped:
      return "layout op_a op_b m n k alpha a lda b ldb beta c ldc group_count group_sizes";
  }
  return "";
}

void check_group(const CallerBatch& call, const BatchGroup& group, std::string_view names) {
  const NamedArguments check(names);
  const GemmProblem& p = group.shape;
  check.size(group.count, call.form == BatchForm::grouped ? "group_sizes" : "count");
  // As of one product. Of the matrices: whether there are any, not which.
  CallerGemm one{call.layout, p};
  one.args.a = given(group.a);
  one.args.b = given(group.b);
  one.args.c = const_cast<void*>(given(group.c));
  if (group.count == 0) one.args.a = one.args.b = one.args.c = &one;  // none are read
  duoblas::check(one, names);
  if (group.empty()) return;
  const BatchArgument a{group.a, "a", "stride_a"}, b{group.b, "b", "stride_b"},
      c{group.c, "c", "stride_c"};
  if (call.form == BatchForm::strided) {
    const bool rows = call.layout == Layout::row_major;
    // Elements from a matrix's first to its last, of `rows` x `columns` as the problem has them.
    const auto extent = [&](std::int64_t of_rows, std::int64_t of_columns, std::int64_t ld) {
      const std::int64_t lines = rows ? of_rows : of_columns, length = rows ? of_columns : of_rows;
      return lines == 0 || length == 0 ? 0 : (lines - 1) * ld + length;
    };
    check_stride(check, a, extent(stored_rows_a(p), stored_cols_a(p), p.lda), group.count);
    check_stride(check, b, extent(stored_rows_b(p), stored_cols_b(p), p.ldb), group.count);
    check_stride(check, c, extent(p.m, p.n, p.ldc), group.count);
    check_apart(check, c, rows ? p.m : p.n, rows ? p.n : p.m, p.ldc, group.count);
  }
  check_pointers(check, c, group.count);
  if (p.only_scales_c()) return;
  check_pointers(check, a, group.count);
  check_pointers(check, b, group.count);
}

}  // namespace

void check(const CallerBatch& call) {
  check_groups(call.form, call.args.groups.size(), [&](std::size_t i) {
    check_group(call, call.args.groups[i], argument_names(call.form));
  });
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
