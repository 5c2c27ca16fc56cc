// QR of Context and of C: factors, Q and products with it, and what is refused.
#include <cmath>
#include <functional>
#include <limits>

#include <duoblas/duoblas.h>
#include <duoblas/duoblas.hpp>

#include "problem/adjoint.hpp"
#include "support/qr_case.hpp"
#include "support/refused_argument.hpp"

namespace duoblas::test {
namespace {

/// The functions of C for a type.
template <typename T>
struct InC;
#define DUOBLAS_TEST_IN_C(T, X, Q)                     \
  template <>                                          \
  struct InC<T> {                                      \
    static constexpr auto geqrf = duoblas_##X##geqrf;  \
    static constexpr auto orgqr = duoblas_##X##Q##gqr; \
    static constexpr auto ormqr = duoblas_##X##Q##mqr; \
  }
DUOBLAS_TEST_IN_C(float, s, or);
DUOBLAS_TEST_IN_C(double, d, or);
DUOBLAS_TEST_IN_C(std::complex<float>, c, un);
DUOBLAS_TEST_IN_C(std::complex<double>, z, un);
#undef DUOBLAS_TEST_IN_C

Settings on_cpu() {
  Settings settings = forced_lapack();
  settings.strategy = Strategy::cpu;
  settings.split.reset();
  return settings;
}

constexpr std::int64_t rows = 120, columns = 90;

/// The last thing that was asked for, in the ways that there are.
template <typename T>
struct QrApi {
  std::function<void(Orthogonal<T>&)> geqrf, orgqr;
  /// Q^H C from the left, or C Q from the right.
  std::function<void(const Orthogonal<T>&, Side, Columns<T>&)> ormqr;
};

template <typename T>
QrApi<T> of(Context& context) {
  constexpr Op turned = adjoint(precision_of<T>);
  return {[&](Orthogonal<T>& q) {
            context.geqrf(rows, columns, q.factors.data(), q.factors.ld(), q.tau.data());
          },
          [&](Orthogonal<T>& q) {
            context.orgqr(rows, columns, columns, q.factors.data(), q.factors.ld(), q.tau.data());
          },
          [&context](const Orthogonal<T>& q, Side side, Columns<T>& c) {
            context.ormqr(side, side == Side::left ? turned : Op::none, c.length(), c.lines(),
                          columns, q.factors.data(), q.factors.ld(), q.tau.data(), c.data(),
                          c.ld());
          }};
}

void expect_ok(duoblas_status status) {
  EXPECT_EQ(status, DUOBLAS_OK) << duoblas_last_error();
}

template <typename T>
QrApi<T> of_c() {
  static constexpr auto turned = is_complex_type<T> ? DUOBLAS_CONJ_TRANS : DUOBLAS_TRANS;
  return {
      [](Orthogonal<T>& q) {
        expect_ok(InC<T>::geqrf(rows, columns, q.factors.data(), q.factors.ld(), q.tau.data()));
      },
      [](Orthogonal<T>& q) {
        expect_ok(
            InC<T>::orgqr(rows, columns, columns, q.factors.data(), q.factors.ld(), q.tau.data()));
      },
      [](const Orthogonal<T>& q, Side side, Columns<T>& c) {
        const bool is_left = side == Side::left;
        expect_ok(InC<T>::ormqr(is_left ? DUOBLAS_LEFT : DUOBLAS_RIGHT,
                                is_left ? turned : DUOBLAS_NO_TRANS, c.length(), c.lines(), columns,
                                q.factors.data(), q.factors.ld(), q.tau.data(), c.data(), c.ld()));
      }};
}

template <typename T>
void expect_right(const QrApi<T>& api) {
  Orthogonal<T> q(rows, columns, 3, 21);
  api.geqrf(q);
  EXPECT_LT(qr_error(q), most_error);
  EXPECT_EQ(q.tau.back(), T(-77));
  const Orthogonal<T> factors = q;
  api.orgqr(q);
  // Q^H Q, from either side.
  Columns<T> unit = q.factors;
  api.ormqr(factors, Side::left, unit);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_LT(std::abs(unit.at(j, i) - (i == j ? T(1) : T(0))),
                1e4 * std::numeric_limits<Real<T>>::epsilon());
  Columns<T> wide(rows, columns, 1);  // columns x rows
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) wide.at(i, j) = conj_of(q.factors.at(j, i));
  api.ormqr(factors, Side::right, wide);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_LT(std::abs(wide.at(i, j) - (i == j ? T(1) : T(0))),
                1e4 * std::numeric_limits<Real<T>>::epsilon());
  EXPECT_TRUE(wide.guards_untouched());
}

TEST(QrOfContext, IsRightOnBothSidesAndOnTheCpu) {
  Context both(forced_lapack()), cpu(on_cpu());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    expect_right(of<T>(both));
    EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
    expect_right(of<T>(cpu));
    EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  });
}

TEST(QrOfC, IsRight) {
  expect_ok(duoblas_set_split(1, 2));
  for_all_types([&](auto zero) { expect_right(of_c<decltype(zero)>()); });
  expect_ok(duoblas_clear_split());
  double a[2] = {0, 0}, b[2] = {1, 1};
  EXPECT_EQ(duoblas_zunmqr(DUOBLAS_LEFT, DUOBLAS_TRANS, 1, 1, 1, a, 1, b, a, 1),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(),
               "argument 2 (op) is transpose: of complex matrices QR has none and conj_transpose");
}

struct RefusedQr : ::testing::Test {
  Context context{on_cpu()};
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, tau[2] = {0, 0};

  template <typename Call>
  void expect_refused(int position, const char* name, Call&& call) {
    SCOPED_TRACE(name);
    const RefusedArgument refused = refused_argument(call);
    EXPECT_EQ(refused.position, position) << refused.what;
    EXPECT_EQ(refused.name, name);
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(b[0], 5);
  }
};

TEST_F(RefusedQr, IsNumberedAsLapackDoes) {
  const auto left = Side::left, right = Side::right;
  const auto none = Op::none;
  Context& c = context;
  expect_refused(1, "m", [&] { c.geqrf(-1, 2, a, 2, tau); });
  expect_refused(3, "a", [&] { c.geqrf<double>(2, 2, nullptr, 2, tau); });
  expect_refused(4, "lda", [&] { c.geqrf(2, 2, a, 1, tau); });
  expect_refused(5, "tau", [&] { c.geqrf<double>(2, 2, a, 2, nullptr); });
  expect_refused(2, "n", [&] { c.orgqr(1, 2, 1, a, 2, tau); });
  expect_refused(3, "k", [&] { c.orgqr(2, 1, 2, a, 2, tau); });
  expect_refused(1, "side", [&] { c.ormqr(static_cast<Side>(5), none, 2, 2, 2, a, 2, tau, b, 2); });
  expect_refused(2, "op", [&] { c.ormqr(left, static_cast<Op>(5), 2, 2, 2, a, 2, tau, b, 2); });
  expect_refused(3, "m", [&] { c.ormqr(left, none, -2, 2, 2, a, 2, tau, b, 2); });
  expect_refused(4, "n",
                 [&] { c.ormqr(right, none, 2, std::int64_t{1} << 40, 2, a, 2, tau, b, 2); });
  expect_refused(5, "k", [&] { c.ormqr(right, none, 2, 1, 2, a, 2, tau, b, 2); });
  expect_refused(7, "lda", [&] { c.ormqr(left, none, 2, 1, 2, a, 1, tau, b, 2); });
  expect_refused(10, "ldc", [&] { c.ormqr(right, none, 2, 2, 2, a, 2, tau, b, 1); });
}

TEST_F(RefusedQr, IsNotThatWithoutElements) {
  double* const nothing = nullptr;
  context.geqrf(0, 5, nothing, 1, nothing);
  context.orgqr(5, 0, 0, nothing, 5, nothing);
  context.ormqr(Side::left, Op::none, 2, 2, 0, nothing, 2, nothing, b, 2);
  EXPECT_EQ(b[0], 5);
}

}  // namespace
}  // namespace duoblas::test
