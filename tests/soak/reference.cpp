#include "soak/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/reference_level3.hpp"

namespace duoblas::soak {
namespace {

// The whole of a symmetric, Hermitian or triangular matrix.
Planes whole(const SoakCall& call, const Planes& stored) {
  const Routine routine = *call.routine;
  Planes x = stored;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      if (test::is_stored(call.uplo, i, j)) continue;
      const auto mirrored = stored.value(j, i);
      x.set(i, j,
            is_in_place(routine)    ? 0
            : is_hermitian(routine) ? std::conj(mirrored)
                                    : mirrored);
    }
    if (is_hermitian(routine)) x.set(i, i, x.value(i, i).real());
    if (is_in_place(routine) && call.diag == Diag::unit) x.set(i, i, 1);
  }
  return is_in_place(routine) ? applied(call.op_a, x) : x;
}

class ReferenceSum {
 public:
  ReferenceSum(const SoakCall& call, const StoredShape& shape)
      : unit_(roundoff(call.precision)),
        terms_(static_cast<double>(call.depth()) + 4),
        partial_sums_(
            static_cast<double>(std::min<std::int64_t>(call.depth(), 8) + call.depth() / 128)),
        result_{Planes(shape.rows, shape.cols, call.is_complex()), {}} {
    result_.bound.resize(result_.expected.re.size());
  }

  void add(std::complex<double> factor, const Planes& a, const Planes& b) {
    add_scaled(factor, product(a, b), result_.expected);
    const auto rows = row_norms(a), columns = column_norms(b);
    const double scale = unit_ * terms_ * std::abs(factor);
    std::size_t at = 0;
    for (const double row : rows)
      for (const double column : columns) result_.bound[at++] += scale * row * column;
  }
  void add(std::complex<double> factor, const Planes& c) {
    add_scaled(factor, c, result_.expected);
    const double scale = (3 + partial_sums_) * unit_ * std::abs(factor);
    for (std::size_t i = 0; i < c.re.size(); ++i)
      result_.bound[i] += scale * std::hypot(c.re[i], c.is_complex() ? c.im[i] : 0);
  }
  Reference take() { return std::move(result_); }

 private:
  double unit_;
  double terms_;
  /// How many times C is updated and rounded: once per level of halving (a few) and once per slice
  /// of k.
  double partial_sums_;
  Reference result_;
};

void add_operands(const SoakCall& call, const std::array<Planes, 3>& stored, ReferenceSum& sum) {
  if (!call.routine) {
    sum.add(call.alpha, applied(call.op_a, stored[0]), applied(call.op_b, stored[1]));
    return;
  }
  const Routine routine = *call.routine;
  if (!updates_triangle(routine)) {
    const Planes a = whole(call, stored[0]);
    const Planes& b = stored[is_in_place(routine) ? 2 : 1];
    call.side == Side::left ? sum.add(call.alpha, a, b) : sum.add(call.alpha, b, a);
    return;
  }
  const bool hermitian = is_hermitian(routine);
  const Op back = hermitian ? Op::conj_transpose : Op::transpose;
  const Planes a = applied(call.op_a, stored[0]);
  if (!is_rank_2k(routine)) {
    sum.add(call.alpha, a, applied(back, a));
    return;
  }
  const Planes b = applied(call.op_a, stored[1]);
  sum.add(call.alpha, a, applied(back, b));
  sum.add(hermitian ? std::conj(call.alpha) : call.alpha, b, applied(back, a));
}

}  // namespace

double roundoff(Precision precision) {
  const double unit = is_double(precision) ? std::numeric_limits<double>::epsilon() / 2
                                           : std::numeric_limits<float>::epsilon() / 2;
  return is_complex(precision) ? 2 * std::sqrt(2.0) * unit : unit;
}

bool in_result(const SoakCall& call, std::int64_t i, std::int64_t j) {
  return !call.routine || !updates_triangle(*call.routine) || test::is_stored(call.uplo, i, j);
}

Reference reference_of(const SoakCall& call, const std::array<Planes, 3>& stored) {
  const StoredShape shape = call.stored(2);
  ReferenceSum sum(call, shape);
  if (call.reads_operands()) add_operands(call, stored, sum);
  if (call.beta != 0.0) {
    Planes c = stored[2];
    if (call.routine && is_hermitian(*call.routine) && updates_triangle(*call.routine))
      for (std::int64_t i = 0; i < c.rows; ++i) c.set(i, i, c.value(i, i).real());
    sum.add(call.beta, c);
  }
  return sum.take();
}

Residual residual_of(const SoakCall& call, const std::array<Planes, 3>& stored, const Planes& x) {
  const StoredShape shape = call.stored(2);
  const Planes a = whole(call, stored[0]);
  ReferenceSum back(call, shape), wanted(call, shape);
  call.side == Side::left ? back.add(1, a, x) : back.add(1, x, a);
  wanted.add(call.alpha, stored[2]);
  Residual residual{Planes(0, 0, false), wanted.take()};
  Reference computed = back.take();
  residual.computed = std::move(computed.expected);
  // The bound of the sums covers one substitution step. Division rounds too, so twice that bound is
  // added.
  for (std::size_t i = 0; i < computed.bound.size(); ++i)
    residual.reference.bound[i] += 2 * computed.bound[i];
  return residual;
}

}  // namespace duoblas::soak
