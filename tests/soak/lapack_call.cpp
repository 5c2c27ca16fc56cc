#include "soak/lapack_call.hpp"

#include <algorithm>
#include <vector>

#include "problem/element_types.hpp"
#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::soak {
namespace {

using test::Columns;
using test::Definite;
using test::General;
using test::Orthogonal;

std::uint64_t seed_of(const SoakCall& call) {
  return call.seed * 0x9e3779b97f4a7c15u + call.number;
}

// What all have in common: info, the memory between columns, the error.
class LapackCall : public MadeCall {
 public:
  explicit LapackCall(const SoakCall& call) : call_(call) {}

  Verdict verdict() final {
    if (info_ != 0) return {"info is " + std::to_string(info_), 0};
    if (!is_kept()) return {"memory beside the matrix was changed", 0};
    const double error = this->error() / test::most_error;
    if (error < 1) return {"", error};
    return {"the residual is " + std::to_string(error) + " times the most", error};
  }
  CallerLevel3 level3() const final { return {}; }

 protected:
  /// By LAPACK's measure.
  virtual double error() const = 0;
  virtual bool is_kept() const = 0;

  const SoakCall call_;
  std::int64_t info_ = 0;
};

template <typename T>
Columns<T> right_sides(const SoakCall& call, std::int64_t rows) {
  Columns<T> b(call.k, rows, call.pad[1], call.offset[1]);
  b.randomise(seed_of(call) + 1);
  return b;
}

template <typename T>
class LuCall final : public LapackCall {
 public:
  explicit LuCall(const SoakCall& call)
      : LapackCall(call),
        matrix_(call.lapack == LapackRoutine::getrf ? call.m : call.n, call.n, call.pad[0],
                seed_of(call)),
        b_(right_sides<T>(call, call.n)),
        x_(b_),
        pivots_(matrix_.pivots.size()) {}

  void run(Context& context) override {
    const std::int64_t m = matrix_.factors.length(), n = call_.n;
    T* const a = matrix_.factors.data();
    const std::int64_t lda = matrix_.factors.ld();
    if (call_.lapack == LapackRoutine::gesv)
      info_ = context.gesv(n, call_.k, a, lda, pivots_.data(), x_.data(), x_.ld());
    else
      info_ = context.getrf(m, n, a, lda, pivots_.data());
    if (info_ != 0) return;
    if (call_.lapack == LapackRoutine::getri) info_ = context.getri(n, a, lda, pivots_.data());
    if (call_.lapack == LapackRoutine::getrs)
      context.getrs(call_.op_a, n, call_.k, a, lda, pivots_.data(), x_.data(), x_.ld());
  }

 private:
  double error() const override {
    if (call_.lapack == LapackRoutine::getri)
      return test::inverse_error(matrix_.factors, matrix_.a);
    if (call_.lapack == LapackRoutine::getrf)
      return test::lu_error(matrix_.a, matrix_.factors,
                            std::vector<std::int32_t>(pivots_.begin(), pivots_.end()));
    return test::residual(solved_with(), x_, b_);
  }
  // op(A) of getrs.
  Columns<T> solved_with() const {
    if (call_.lapack == LapackRoutine::gesv || call_.op_a == Op::none) return matrix_.a;
    Columns<T> turned(call_.n, call_.n);
    for (std::int64_t j = 0; j < call_.n; ++j)
      for (std::int64_t i = 0; i < call_.n; ++i) {
        const T x = matrix_.a.at(i, j);
        turned.at(j, i) = call_.op_a == Op::transpose ? x : test::conj_of(x);
      }
    return turned;
  }
  bool is_kept() const override {
    return matrix_.factors.guards_untouched() && x_.guards_untouched();
  }

  General<T> matrix_;
  const Columns<T> b_;
  Columns<T> x_;
  std::vector<std::int64_t> pivots_;
};

template <typename T>
class CholeskyCall final : public LapackCall {
 public:
  explicit CholeskyCall(const SoakCall& call)
      : LapackCall(call),
        matrix_(call.n, call.uplo, call.pad[0], seed_of(call)),
        b_(right_sides<T>(call, call.n)),
        x_(b_) {}

  void run(Context& context) override {
    T* const a = matrix_.stored.data();
    const std::int64_t lda = matrix_.stored.ld(), n = call_.n;
    if (call_.lapack == LapackRoutine::posv)
      info_ = context.posv(call_.uplo, n, call_.k, a, lda, x_.data(), x_.ld());
    else
      info_ = context.potrf(call_.uplo, n, a, lda);
    if (info_ != 0) return;
    if (call_.lapack == LapackRoutine::potrs)
      context.potrs(call_.uplo, n, call_.k, a, lda, x_.data(), x_.ld());
  }

 private:
  double error() const override {
    if (call_.lapack == LapackRoutine::potrf) return matrix_.error();
    return test::residual(matrix_.whole, x_, b_);
  }
  bool is_kept() const override {
    return matrix_.other_triangle_is_as_it_was() && matrix_.stored.guards_untouched() &&
           x_.guards_untouched();
  }

  Definite<T> matrix_;
  const Columns<T> b_;
  Columns<T> x_;
};

template <typename T>
class QrCall final : public LapackCall {
 public:
  explicit QrCall(const SoakCall& call)
      : LapackCall(call),
        matrix_(rows(call), call.n, call.pad[0], seed_of(call)),
        b_(right_sides<T>(call, rows(call))),
        x_(b_) {}

  void run(Context& context) override {
    const std::int64_t m = matrix_.rows(), n = matrix_.columns(), k = matrix_.reflectors();
    T *const a = matrix_.factors.data(), *const tau = matrix_.tau.data();
    const std::int64_t lda = matrix_.factors.ld();
    context.geqrf(m, n, a, lda, tau);
    const Orthogonal<T> reflectors = matrix_;
    if (call_.lapack == LapackRoutine::geqrf) return;
    if (call_.lapack == LapackRoutine::orgqr) {
      context.orgqr(m, n, n, a, lda, tau);
      expected_ = Columns<W>(n, m);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) expected_.at(j, i) = i == j ? W(1) : W(0);
      test::reflect(reflectors, false, expected_);
      return;
    }
    const bool turned = call_.op_a != Op::none;
    context.ormqr(Side::left, turned ? Op::conj_transpose : Op::none, m, call_.k, k, a, lda, tau,
                  x_.data(), x_.ld());
    expected_ = Columns<W>(call_.k, m);
    for (std::int64_t j = 0; j < call_.k; ++j)
      for (std::int64_t i = 0; i < m; ++i) expected_.at(j, i) = W(b_.at(j, i));
    test::reflect(reflectors, turned, expected_);
  }

 private:
  using W = test::InDoubles<T>;

  // orgqr wants as many rows as columns.
  static std::int64_t rows(const SoakCall& call) {
    return call.lapack == LapackRoutine::orgqr ? std::max(call.m, call.n) : call.m;
  }
  double error() const override {
    if (call_.lapack == LapackRoutine::geqrf) return test::qr_error(matrix_);
    return test::difference(call_.lapack == LapackRoutine::orgqr ? matrix_.factors : x_, expected_);
  }
  bool is_kept() const override {
    return matrix_.factors.guards_untouched() && x_.guards_untouched() &&
           matrix_.tau.back() == T(-77);
  }

  Orthogonal<T> matrix_;
  const Columns<T> b_;
  Columns<T> x_;
  Columns<W> expected_{0, 0};
};

template <typename T>
std::unique_ptr<MadeCall> made(const SoakCall& call) {
  if (is_orthogonal(*call.lapack)) return std::make_unique<QrCall<T>>(call);
  if (is_definite(*call.lapack)) return std::make_unique<CholeskyCall<T>>(call);
  return std::make_unique<LuCall<T>>(call);
}

}  // namespace

LapackRoutine draw_lapack_routine(Draw& draw) {
  return draw.pick({LapackRoutine::getrf, LapackRoutine::gesv, LapackRoutine::getrs,
                    LapackRoutine::getri, LapackRoutine::potrf, LapackRoutine::posv,
                    LapackRoutine::potrs, LapackRoutine::geqrf, LapackRoutine::orgqr,
                    LapackRoutine::ormqr});
}

std::unique_ptr<MadeCall> make_lapack(const SoakCall& call) {
  return with_element_type(call.precision, [&](auto zero) { return made<decltype(zero)>(call); });
}

}  // namespace duoblas::soak
