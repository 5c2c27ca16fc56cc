#include "gpu/product/covering_products.hpp"

#include <algorithm>
#include <complex>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// The layout of rows of an operand that a tiled kernel reads in place. Other operands may have any
// layout.
class OperandPlace {
 public:
  OperandPlace(const KernelVariant& variant, bool packed)
      : rows_(packed || variant.params.family == KernelFamily::panel ? Rows::anyhow : variant.rows),
        unit_(std::max<std::int64_t>(
            1, 16 / static_cast<std::int64_t>(element_size(variant.precision)))) {}

  // The nearest number of columns, or above, with which rows end as required.
  std::int64_t columns(std::int64_t wanted) const {
    if (rows_ == Rows::whole) return round_up(wanted, unit_);
    return rows_ == Rows::aligned && unit_ > 1 && wanted % unit_ == 0 ? wanted + 1 : wanted;
  }
  std::int64_t before() const { return rows_ == Rows::anyhow ? 1 : unit_; }
  // With a gap.
  std::int64_t ld(std::int64_t columns) const {
    if (rows_ == Rows::anyhow) return columns + (columns % 2 == 0 ? 1 : 2);
    return round_up(columns, unit_) + unit_;
  }

 private:
  Rows rows_;
  std::int64_t unit_;  // elements of 16 bytes
};

struct Sizes {
  std::int64_t m, n, k;
};

enum class Scalars { ones, any, accumulate };

CoveringProduct product_of(const KernelVariant& variant, Sizes sizes, Scalars scalars) {
  const OperandPlace a(variant, packs_a(variant)), b(variant, packs_b(variant));
  const bool turns_a = variant.op_a != Op::none, turns_b = variant.op_b != Op::none;
  // k may be a number of columns of both operands; a value that suits A suits B.
  if (variant.n == 0) {
    if (!turns_b) sizes.n = b.columns(sizes.n);
    if (!turns_a) sizes.k = a.columns(sizes.k);
    if (turns_b) sizes.k = b.columns(sizes.k);
  } else {
    sizes.n = variant.n;
    sizes.k = variant.k;
  }
  if (turns_a) sizes.m = a.columns(sizes.m);
  if (variant.m > 0) sizes.m = variant.m;

  CoveringProduct covering;
  GemmProblem& p = covering.problem;
  p.precision = variant.precision;
  p.op_a = variant.op_a;
  p.op_b = variant.op_b;
  p.m = sizes.m;
  p.n = sizes.n;
  p.k = sizes.k;
  p.lda = a.ld(stored_cols_a(p));
  p.ldb = b.ld(stored_cols_b(p));
  p.ldc = p.n + 3;
  covering.before_a = a.before();
  covering.before_b = b.before();
  covering.before_c = 1;
  const double imaginary = is_complex(variant.precision) ? 1 : 0;
  p.alpha = scalars == Scalars::any ? std::complex<double>(-0.75, 0.5 * imaginary) : 1.0;
  p.beta = scalars == Scalars::ones  ? 0.0
           : scalars == Scalars::any ? std::complex<double>(1.25, -0.5 * imaginary)
                                     : 1.0;
  return covering;
}

}  // namespace

bool has_products(const KernelVariant& variant) {
  if (variant.n == 0 || variant.rows != Rows::whole) return true;
  const OperandPlace a(variant, packs_a(variant)), b(variant, packs_b(variant));
  const std::int64_t m = variant.m, n = variant.n, k = variant.k;
  const bool suits_a = variant.op_a == Op::none ? a.columns(k) == k : m == 0 || a.columns(m) == m;
  return suits_a && (variant.op_b != Op::none ? b.columns(k) == k : b.columns(n) == n);
}

std::vector<CoveringProduct> covering_products(const KernelVariant& variant) {
  const KernelParams& p = variant.params;
  const std::int64_t rows = row_tile(p), cols = col_tile(p);
  const bool is_panel = p.family == KernelFamily::panel;
  const std::int64_t slice = is_panel ? p.block_k : std::int64_t{slice_depth(p)} * p.group_depth;
  const std::int64_t deep = 4 * slice * p.k_split + 1;
  std::vector<CoveringProduct> products;
  const auto add = [&](const Sizes& sizes, Scalars scalars) {
    products.push_back(product_of(variant, sizes, scalars));
  };
  // Whole tiles; edges everywhere.
  add({2 * rows, 2 * cols, 2 * slice}, Scalars::ones);
  add({rows + rows / 2 + 1, 2 * cols + cols / 2 + 1, slice + slice / 2 + 1}, Scalars::any);
  add({1, 1, 1}, Scalars::accumulate);
  if (variant.n > 0) return products;
  add({2 * rows + 1, 3, deep}, Scalars::ones);
  add({3, 3 * cols + 1, std::max<std::int64_t>(slice - 1, 1)}, Scalars::any);
  // Enough groups to exercise every order in which they walk C.
  add({5 * rows + 1, 5 * cols - 1, std::min<std::int64_t>(slice + 1, 17)}, Scalars::accumulate);
  return products;
}

}  // namespace duoblas
