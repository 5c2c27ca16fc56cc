#include "problem/caller_batch.hpp"

#include <cstdint>
#include <limits>
#include <string>
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

// "group_sizes of group 2".
std::string name_in(const CallerBatch& call, std::size_t group, const char* name) {
  if (call.form != BatchForm::grouped) return name;
  return std::string(name) + " of group " + std::to_string(group);
}

struct NamedOperand {
  const BatchOperand& operand;
  const char* name;
  int position;
  int stride_position;
  const char* stride_name;
};

void check_pointers(const CallerBatch& call, std::size_t number, const NamedOperand& named,
                    std::int64_t count) {
  const BatchOperand& operand = named.operand;
  if (operand.places == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (operand.places[i] == nullptr)
      throw ArgumentError(named.position, name_in(call, number, named.name),
                          "has a null pointer, of product " + std::to_string(i));
}

// Numbers of elements and bytes, from the first product's to past the last one's, fit 64 bits.
void check_stride(const NamedOperand& named, std::int64_t extent, std::int64_t count) {
  const std::int64_t stride = named.operand.stride;
  if (stride < 0)
    throw ArgumentError(named.stride_position, named.stride_name,
                        "is negative (" + std::to_string(stride) + ')');
  if (count <= 1) return;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  if (extent > most || (stride > 0 && (count - 1) > (most - extent) / stride))
    throw ArgumentError(named.stride_position, named.stride_name,
                        "puts matrices beyond what 64 bits address");
}

// As of one product. Of the matrices: whether there are any, not which.
void check_shape(const CallerBatch& call, std::size_t number, const Positions& at) {
  const BatchGroup& group = call.args.groups[number];
  CallerGemm one{call.layout, group.shape};
  const auto given = [](const BatchOperand& operand) {
    return operand.places != nullptr ? static_cast<const void*>(operand.places) : operand.first;
  };
  one.args.a = given(group.a);
  one.args.b = given(group.b);
  one.args.c = const_cast<void*>(given(group.c));
  if (group.count == 0) one.args.a = one.args.b = one.args.c = &one;  // none are read
  try {
    check(one, at.of_shape);
  } catch (const ArgumentError& error) {
    // Its layout is all groups'.
    if (call.form != BatchForm::grouped || error.position() == 1) throw;
    const std::string whole = error.what();
    const std::string reason = whole.substr(whole.find(") ") + 2);
    throw ArgumentError(error.position(), name_in(call, number, error.name().c_str()), reason);
  }
}

/// A, B and C of a group.
struct GroupOperands {
  NamedOperand a, b, c;
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
  if (!are_apart(rows ? p.m : p.n, rows ? p.n : p.m, p.ldc, group.c.stride, group.count))
    throw ArgumentError(operands.c.stride_position, operands.c.stride_name,
                        "lets the matrices C overlap (" + std::to_string(group.c.stride) + ')');
}

void check_group(const CallerBatch& call, std::size_t number, const Positions& at) {
  const BatchGroup& group = call.args.groups[number];
  if (group.count < 0)
    throw ArgumentError(
        at.count, name_in(call, number, call.form == BatchForm::grouped ? "group_sizes" : "count"),
        "is negative");
  check_shape(call, number, at);
  if (group.count == 0 || group.shape.empty()) return;
  const GroupOperands operands{{group.a, "a", at.of_shape.a, at.stride_a, "stride_a"},
                               {group.b, "b", at.of_shape.b, at.stride_b, "stride_b"},
                               {group.c, "c", at.of_shape.c, at.stride_c, "stride_c"}};
  if (call.form == BatchForm::strided) check_strides(call, group, operands);
  check_pointers(call, number, operands.c, group.count);
  if (group.shape.only_scales_c()) return;
  check_pointers(call, number, operands.a, group.count);
  check_pointers(call, number, operands.b, group.count);
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
