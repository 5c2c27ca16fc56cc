// Many trsm in one call: X_i = alpha inv(op(A_i)) B_i, or alpha B_i inv(op(A_i)); X_i replaces B_i.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/batch_arguments.hpp"
#include "problem/caller_level3.hpp"
#include "problem/many_calls.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// `count` solves of one shape. Solves may use the same A. No B overlaps anything else in the call.
struct TrsmBatch {
  Level3Problem shape;  ///< without places; B is its `c`
  BatchOperand a, b;
  std::int64_t count = 0;

  Level3Problem solve(std::int64_t number) const {
    Level3Problem one = shape;
    one.a = a.at(number);
    one.c = const_cast<void*>(b.at(number));
    return one;
  }
  TrsmBatch part(Interval of) const {
    return {shape, a.from(of.first), b.from(of.first), of.count};
  }
  bool empty() const { return count == 0 || shape.empty(); }
};

inline double flops(const TrsmBatch& batch) {
  return batch.shape.only_scales_c() ? 0 : static_cast<double>(batch.count) * flops(batch.shape);
}

/// Bytes of the triangles, once, and of B, read and written.
inline double traffic_bytes(const TrsmBatch& batch) {
  const Level3Problem& p = batch.shape;
  const auto lines = static_cast<double>(order(p));
  return static_cast<double>(batch.count) * static_cast<double>(element_size(p.precision)) *
         (lines * lines / 2 + 2 * static_cast<double>(p.m) * static_cast<double>(p.n));
}

/// Batches as the CPU's side does them. The memory of `batches` outlives this.
class TrsmCalls final : public ManyCalls {
 public:
  explicit TrsmCalls(std::span<const TrsmBatch> batches) : batches_(batches) {}

  std::int64_t groups() const override { return static_cast<std::int64_t>(batches_.size()); }
  GroupWork work(std::int64_t group) const override {
    const Level3Problem& p = at(group).shape;
    return {at(group).count, p.only_scales_c() ? 0 : flops(p),
            static_cast<double>(p.m) * static_cast<double>(p.n)};
  }
  /// Where alpha is 0, B = 0, and no A is read.
  Step call(std::int64_t group, std::int64_t number) const override {
    const Level3Problem p = at(group).solve(number);
    if (!p.only_scales_c()) return p;
    GemmProblem zeros;
    zeros.precision = p.precision;
    zeros.m = p.m;
    zeros.n = p.n;
    zeros.alpha = zeros.beta = 0.0;
    zeros.c = p.c;
    zeros.ldc = p.ldc;
    return zeros;
  }

 private:
  const TrsmBatch& at(std::int64_t group) const {
    return batches_[static_cast<std::size_t>(group)];
  }

  std::span<const TrsmBatch> batches_;
};

/// The arguments as given. Strided batches and batches by pointers have one group.
struct CallerTrsmBatch {
  Layout layout = Layout::row_major;
  BatchForm form = BatchForm::strided;
  std::vector<TrsmBatch> groups;
};

/// As CallerBatch's. \throws ArgumentError with the position in duoblas_?trsm_strided_batched,
/// duoblas_?trsm_batched or duoblas_?trsm_grouped. No matrix was read or written then.
inline void check(const CallerTrsmBatch& call) {
  const bool strided = call.form == BatchForm::strided, in_groups = call.form == BatchForm::grouped;
  const bool rows = call.layout == Layout::row_major;
  const std::string_view names =
      strided     ? "layout side uplo op diag m n alpha a lda stride_a b ldb stride_b count"
      : in_groups ? "layout side uplo op diag m n alpha a lda b ldb group_count group_sizes"
                  : "layout side uplo op diag m n alpha a lda b ldb count";
  check_groups(call.form, call.groups.size(), [&](std::size_t i) {
    const NamedArguments arguments(names);
    const TrsmBatch& group = call.groups[i];
    arguments.size(group.count, in_groups ? "group_sizes" : "count");
    CallerLevel3 one{call.layout, group.shape};
    one.args.a = group.count == 0 ? &one : given(group.a);  // none is read
    one.args.c = group.count == 0 ? &one : const_cast<void*>(given(group.b));
    check(one, names);
    const Level3Problem& p = group.shape;
    if (group.empty()) return;
    const BatchArgument a{group.a, "a", "stride_a"}, b{group.b, "b", "stride_b"};
    if (strided) {
      const std::int64_t lines = rows ? p.m : p.n, length = rows ? p.n : p.m;
      check_stride(arguments, a, (order(p) - 1) * p.lda + order(p), group.count);
      check_stride(arguments, b, (lines - 1) * p.ldc + length, group.count);
      check_apart(arguments, b, lines, length, p.ldc, group.count);
    }
    check_pointers(arguments, b, group.count);
    if (!p.only_scales_c()) check_pointers(arguments, a, group.count);
  });
}

/// As to_row_major() of caller_level3.hpp, for each group.
inline std::vector<TrsmBatch> to_row_major(CallerTrsmBatch&& call) {
  for (TrsmBatch& group : call.groups)
    group.shape = to_row_major(CallerLevel3{call.layout, group.shape});
  return std::move(call.groups);
}

}  // namespace duoblas
