// Linear equations of Context and of C: factors and solutions, what is said of matrices that have
// none, and what is refused.
#include <algorithm>
#include <functional>

#include <duoblas/duoblas.h>
#include <duoblas/duoblas.hpp>

#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"
#include "support/refused_argument.hpp"

namespace duoblas::test {
namespace {

using Pivots = std::vector<std::int64_t>;

/// The functions of C for a type.
template <typename T>
struct InC;
#define DUOBLAS_TEST_IN_C(T, X)                       \
  template <>                                         \
  struct InC<T> {                                     \
    static constexpr auto getrf = duoblas_##X##getrf; \
    static constexpr auto potrf = duoblas_##X##potrf; \
    static constexpr auto gesv = duoblas_##X##gesv;   \
    static constexpr auto posv = duoblas_##X##posv;   \
    static constexpr auto getrs = duoblas_##X##getrs; \
    static constexpr auto potrs = duoblas_##X##potrs; \
    static constexpr auto getri = duoblas_##X##getri; \
  }
DUOBLAS_TEST_IN_C(float, s);
DUOBLAS_TEST_IN_C(double, d);
DUOBLAS_TEST_IN_C(std::complex<float>, c);
DUOBLAS_TEST_IN_C(std::complex<double>, z);
#undef DUOBLAS_TEST_IN_C

duoblas_uplo in_c(Uplo uplo) {
  return uplo == Uplo::upper ? DUOBLAS_UPPER : DUOBLAS_LOWER;
}

void expect_ok(duoblas_status status) {
  EXPECT_EQ(status, DUOBLAS_OK) << duoblas_last_error();
}

template <typename T>
Columns<T> right_sides(std::int64_t n, std::int64_t count) {
  Columns<T> b(count, n, 2);
  b.randomise(32);
  return b;
}

template <typename T>
class Equations : public ::testing::Test {
 protected:
  /// What both sides do, and what the CPU alone does.
  static void with_every_context(const std::function<void(Context&, Strategy)>& body) {
    Settings settings = forced_lapack();
    Context forced(settings);
    settings.strategy = Strategy::cpu;
    settings.split.reset();
    Context on_cpu(settings);
    body(forced, Strategy::hybrid);
    body(on_cpu, Strategy::cpu);
  }
};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Equations, Types);

TYPED_TEST(Equations, OfAGeneralMatrixAreSolved) {
  using T = TypeParam;
  this->with_every_context([](Context& context, Strategy) {
    constexpr std::int64_t n = 90;
    for (const std::int64_t sides : {1, 70}) {
      General<T> matrix(n, n, 3, 31);
      const Columns<T> b = right_sides<T>(n, sides);
      Columns<T> x = b;
      Pivots pivots(n + 1, -77);
      EXPECT_EQ(context.gesv(n, sides, matrix.factors.data(), matrix.factors.ld(), pivots.data(),
                             x.data(), x.ld()),
                0);
      EXPECT_LT(residual(matrix.a, x, b), most_error);
      EXPECT_TRUE(x.guards_untouched());
      std::copy(pivots.begin(), pivots.end(), matrix.pivots.begin());
      EXPECT_LT(matrix.error(), most_error);
      EXPECT_EQ(pivots.back(), -77);
      x = b;
      context.getrs(Op::none, n, sides, matrix.factors.data(), matrix.factors.ld(), pivots.data(),
                    x.data(), x.ld());
      EXPECT_LT(residual(matrix.a, x, b), most_error);
      Columns<T> turned(n, n);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) turned.at(j, i) = matrix.a.at(i, j);
      x = b;
      context.getrs(Op::transpose, n, sides, matrix.factors.data(), matrix.factors.ld(),
                    pivots.data(), x.data(), x.ld());
      EXPECT_LT(residual(turned, x, b), most_error);
    }
  });
}

TYPED_TEST(Equations, OfADefiniteMatrixAreSolved) {
  using T = TypeParam;
  this->with_every_context([](Context& context, Strategy) {
    constexpr std::int64_t n = 80, sides = 3;
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      Definite<T> matrix(n, uplo, 3, 41);
      const Columns<T> b = right_sides<T>(n, sides);
      Columns<T> x = b;
      EXPECT_EQ(
          context.posv(uplo, n, sides, matrix.stored.data(), matrix.stored.ld(), x.data(), x.ld()),
          0);
      EXPECT_LT(residual(matrix.whole, x, b), most_error);
      EXPECT_LT(matrix.error(), most_error);
      x = b;
      context.potrs(uplo, n, sides, matrix.stored.data(), matrix.stored.ld(), x.data(), x.ld());
      EXPECT_LT(residual(matrix.whole, x, b), most_error);
      EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
    }
  });
}

TYPED_TEST(Equations, OfAGeneralMatrixHaveAnInverse) {
  using T = TypeParam;
  this->with_every_context([](Context& context, Strategy strategy) {
    constexpr std::int64_t n = 90;
    General<T> matrix(n, n, 3, 31);
    T* const a = matrix.factors.data();
    const std::int64_t lda = matrix.factors.ld();
    Pivots pivots(n);
    ASSERT_EQ(context.getrf(n, n, a, lda, pivots.data()), 0);
    const Pivots as_they_were = pivots;
    EXPECT_EQ(context.getri(n, a, lda, pivots.data()), 0);
    EXPECT_EQ(Context::last_call().strategy, strategy);
    EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    EXPECT_EQ(pivots, as_they_were);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    matrix.restore();
    expect_ok(InC<T>::getrf(n, n, a, lda, pivots.data(), nullptr));
    std::int64_t info = -7;
    matrix.factors.at(40, 40) = 0;
    EXPECT_EQ(InC<T>::getri(n, a, lda, pivots.data(), &info), DUOBLAS_SINGULAR);
    EXPECT_EQ(info, 41);
    EXPECT_NE(std::string(duoblas_last_error()).find("element 41"), std::string::npos);
    pivots[3] = n + 1;
    EXPECT_THROW((void)context.getri(n, a, lda, pivots.data()), ArgumentError);
    EXPECT_THROW((void)context.getri(n, a, n - 1, as_they_were.data()), ArgumentError);
    EXPECT_EQ(context.getri(0, static_cast<T*>(nullptr), 1, nullptr), 0);
  });
}

TYPED_TEST(Equations, AreFactorisedByBothSidesWhereAskedForAndTheCallSaysSo) {
  using T = TypeParam;
  this->with_every_context([](Context& context, Strategy expected) {
    General<T> general(130, 90, 1, 7);
    Pivots pivots(90);
    EXPECT_EQ(context.getrf(130, 90, general.factors.data(), general.factors.ld(), pivots.data()),
              0);
    EXPECT_EQ(Context::last_call().strategy, expected);
    EXPECT_GT(Context::last_call().seconds, 0);
    std::copy(pivots.begin(), pivots.end(), general.pivots.begin());
    EXPECT_LT(general.error(), most_error);
    Definite<T> definite(100, Uplo::lower, 0, 8);
    EXPECT_EQ(context.potrf(Uplo::lower, 100, definite.stored.data(), definite.stored.ld()), 0);
    EXPECT_EQ(Context::last_call().strategy, expected);
    EXPECT_LT(definite.error(), most_error);
  });
}

TYPED_TEST(Equations, OfASingularMatrixAreNotSolvedAndThePlaceIsTold) {
  using T = TypeParam;
  this->with_every_context([](Context& context, Strategy) {
    constexpr std::int64_t n = 60;
    General<T> general(n, n, 0, 61);
    for (std::int64_t i = 0; i < n; ++i) general.factors.at(40, i) = T(0);
    Definite<T> definite(n, Uplo::upper, 0, 9);
    definite.stored.at(30, 30) = T(-1);
    const Columns<T> b = right_sides<T>(n, 2);
    Columns<T> x = b;
    Pivots pivots(n);
    EXPECT_EQ(context.gesv(n, 2, general.factors.data(), n, pivots.data(), x.data(), x.ld()), 41);
    EXPECT_EQ(context.posv(Uplo::upper, n, 2, definite.stored.data(), n, x.data(), x.ld()), 31);
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(x.at(j, i), b.at(j, i));
  });
}

TYPED_TEST(Equations, AreSolvedByTheFunctionsOfC) {
  using T = TypeParam;
  constexpr std::int64_t n = 50, sides = 2;
  expect_ok(duoblas_set_split(1, 2));
  General<T> general(n, n, 0, 5);
  Definite<T> definite(n, Uplo::upper, 0, 6);
  const Columns<T> b = right_sides<T>(n, sides);
  Columns<T> x = b;
  Pivots pivots(n);
  std::int64_t info = -1;
  expect_ok(InC<T>::getrf(n, n, general.factors.data(), n, pivots.data(), &info));
  EXPECT_EQ(info, 0);
  expect_ok(InC<T>::getrs(DUOBLAS_NO_TRANS, n, sides, general.factors.data(), n, pivots.data(),
                          x.data(), x.ld()));
  EXPECT_LT(residual(general.a, x, b), most_error);
  general.restore();
  x = b;
  expect_ok(
      InC<T>::gesv(n, sides, general.factors.data(), n, pivots.data(), x.data(), x.ld(), nullptr));
  EXPECT_LT(residual(general.a, x, b), most_error);
  x = b;
  expect_ok(InC<T>::potrf(in_c(Uplo::upper), n, definite.stored.data(), n, &info));
  expect_ok(
      InC<T>::potrs(in_c(Uplo::upper), n, sides, definite.stored.data(), n, x.data(), x.ld()));
  EXPECT_LT(residual(definite.whole, x, b), most_error);
  definite.store();
  x = b;
  expect_ok(InC<T>::posv(in_c(Uplo::upper), n, sides, definite.stored.data(), n, x.data(), x.ld(),
                         &info));
  EXPECT_EQ(info, 0);
  EXPECT_LT(residual(definite.whole, x, b), most_error);

  definite.stored.at(3, 3) = T(-1);
  EXPECT_EQ(InC<T>::potrf(in_c(Uplo::upper), n, definite.stored.data(), n, &info),
            DUOBLAS_SINGULAR);
  EXPECT_GE(info, 1);
  EXPECT_LE(info, 4);
  general.factors.fill([] { return T(0); });
  EXPECT_EQ(InC<T>::getrf(n, n, general.factors.data(), n, pivots.data(), nullptr),
            DUOBLAS_SINGULAR);
  EXPECT_STREQ(duoblas_last_error(),
               "the matrix is singular: element 1 of the diagonal of U is exactly zero");
  expect_ok(duoblas_clear_split());
}

struct RefusedEquations : ::testing::Test {
  static constexpr std::int64_t too_large = std::int64_t{1} << 31;
  Context context{[] {
    Settings settings = forced_lapack();
    settings.strategy = Strategy::cpu;
    settings.split.reset();
    return settings;
  }()};
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  std::int64_t pivots[2] = {2, 2};

  template <typename Call>
  void expect_refused(int position, const char* name, Call&& call) {
    SCOPED_TRACE(name);
    const RefusedArgument refused = refused_argument(call);
    EXPECT_EQ(refused.position, position) << refused.what;
    EXPECT_EQ(refused.name, name);
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(b[0], 5);
    EXPECT_EQ(pivots[0], 2);
  }
};

TEST_F(RefusedEquations, AreNumberedAsLapackDoes) {
  const auto up = Uplo::upper;
  const auto odd = static_cast<Uplo>(7);
  Context& c = context;
  expect_refused(1, "m", [&] { return c.getrf(-1, 2, a, 2, pivots); });
  expect_refused(2, "n", [&] { return c.getrf(2, too_large, a, 2, pivots); });
  expect_refused(3, "a", [&] { return c.getrf<double>(2, 2, nullptr, 2, pivots); });
  expect_refused(4, "lda", [&] { return c.getrf(2, 1, a, 1, pivots); });
  expect_refused(5, "pivots", [&] { return c.getrf(2, 2, a, 2, nullptr); });
  expect_refused(1, "uplo", [&] { return c.potrf(odd, 2, a, 2); });
  expect_refused(2, "n", [&] { return c.potrf(up, -1, a, 2); });
  expect_refused(4, "lda", [&] { return c.potrf(up, 2, a, too_large); });
  expect_refused(1, "n", [&] { return c.gesv(-1, 1, a, 2, pivots, b, 2); });
  expect_refused(2, "right_sides", [&] { return c.gesv(2, -1, a, 2, pivots, b, 2); });
  expect_refused(6, "b", [&] { return c.gesv<double>(2, 1, a, 2, pivots, nullptr, 2); });
  expect_refused(7, "ldb", [&] { return c.gesv(2, 1, a, 2, pivots, b, 1); });
  expect_refused(3, "right_sides", [&] { return c.posv(up, 2, -1, a, 2, b, 2); });
  expect_refused(7, "ldb", [&] { return c.posv(up, 2, 2, a, 2, b, 1); });
  expect_refused(1, "op", [&] { c.getrs(static_cast<Op>(9), 2, 1, a, 2, pivots, b, 2); });
  expect_refused(8, "ldb", [&] { c.getrs(Op::none, 2, 1, a, 2, pivots, b, 1); });
  expect_refused(4, "a", [&] { c.potrs<double>(up, 2, 1, nullptr, 2, b, 2); });
}

TEST_F(RefusedEquations, HavePivotsThatAreNoRows) {
  for (const std::int64_t wrong : {0, 3, -5}) {
    pivots[1] = wrong;
    expect_refused(6, "pivots", [&] { context.getrs(Op::none, 2, 1, a, 2, pivots, b, 2); });
  }
}

TEST_F(RefusedEquations, AreNamedInC) {
  std::int64_t info = -3;
  EXPECT_EQ(duoblas_dgesv(2, 1, a, 1, pivots, b, 2, &info), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 4 (lda) must be at least 2, is 1");
  EXPECT_EQ(duoblas_dpotrf(static_cast<duoblas_uplo>(1), 2, a, 2, &info), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(info, -3);
}

TEST_F(RefusedEquations, SayThatTheCpuBlasHasNoLapack) {
  Settings settings = forced_lapack();
  settings.strategy = Strategy::cpu;
  settings.split.reset();
  settings.cpu_blas = PRODUCTS_ONLY_BLAS;
  Context without(settings);
  try {
    EXPECT_EQ(without.gesv(2, 1, a, 2, pivots, b, 2), 0);
    FAIL() << "it was accepted";
  } catch (const CpuBlasError& error) {
    EXPECT_NE(std::string(error.what()).find("no LAPACK"), std::string::npos) << error.what();
  }
  EXPECT_EQ(b[0], 5);
}

TEST_F(RefusedEquations, AreNotThoseWithoutElements) {
  double* const none = nullptr;
  EXPECT_EQ(context.getrf(0, 5, none, 1, nullptr), 0);
  EXPECT_EQ(context.getrf(5, 0, none, 5, nullptr), 0);
  EXPECT_EQ(context.potrf(Uplo::lower, 0, none, 1), 0);
  EXPECT_EQ(context.gesv(0, 3, none, 1, nullptr, none, 1), 0);
  context.getrs(Op::none, 2, 0, none, 2, nullptr, none, 2);
  EXPECT_EQ(context.gesv(2, 0, a, 2, pivots, none, 2), 0);
  EXPECT_NE(a[0], 1) << "it is factorised";
}

}  // namespace
}  // namespace duoblas::test
