#include "problem/caller_batch.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "problem/caller_gemm.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

// An operand of all of a group's products, with its names for errors.
struct BatchArgument {
  const BatchOperand& operand;
  std::string_view name, stride;
};

// The operand, or the array of its places: whether it was given at all.
const void* given(const BatchOperand& operand) {
  return operand.places != nullptr ? static_cast<const void*>(operand.places) : operand.first;
}

// If one of the pointers is null.
void check_pointers(const NamedArguments& check, const BatchArgument& argument,
                    std::int64_t count) {
  const BatchOperand& operand = argument.operand;
  if (operand.places == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (operand.places[i] == nullptr)
      check.require(false, argument.name, "has a null pointer, number " + std::to_string(i));
}

// `extent`: elements from a matrix's first to past its last. If the distance is negative, or
// numbers of elements and bytes to past the last matrix exceed 64 bits.
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

// If the results have an element in common. Of `rows` rows as stored.
void check_apart(const NamedArguments& check, const BatchArgument& result, std::int64_t rows,
                 std::int64_t columns, std::int64_t ld, std::int64_t count) {
  const std::int64_t stride = result.operand.stride;
  if (are_apart(rows, columns, ld, stride, count)) return;
  const char upper = static_cast<char>(result.name[0] - 'a' + 'A');
  check.require(
      false, result.stride,
      std::string("lets the matrices ") + upper + " overlap (" + std::to_string(stride) + ')');
}

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

// Errors of grouped calls name the group ("lda of group 2"), but for the layout, which is all
// groups'.
void check(const CallerBatch& call) {
  for (std::size_t i = 0; i < call.args.groups.size(); ++i) try {
      check_group(call, call.args.groups[i], argument_names(call.form));
    } catch (const ArgumentError& error) {
      if (call.form != BatchForm::grouped || error.position() == 1) throw;
      const std::string whole = error.what();
      throw ArgumentError(error.position(), error.name() + " of group " + std::to_string(i),
                          whole.substr(whole.find(") ") + 2));
    }
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
