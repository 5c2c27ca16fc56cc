// Plain names before a BLAS with 64-bit integers: what is passed on has them whole, also where the
// engine does a part, and what has more than 32 bits is not given to the engine. Runs with the
// drop-in preloaded, in a folder with an engine that computes nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

extern "C" {
void dgemm_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*,
            const double*, const double*, const std::int64_t*, const double*, const std::int64_t*,
            const double*, double*, const std::int64_t*);
void cblas_dgemm(int, int, int, std::int64_t, std::int64_t, std::int64_t, double, const double*,
                 std::int64_t, const double*, std::int64_t, double, double*, std::int64_t);
void cblas_dgemv(int, int, std::int64_t, std::int64_t, double, const double*, std::int64_t,
                 const double*, std::int64_t, double, double*, std::int64_t);
extern std::int64_t wide_blas_integers[6];
extern const void* wide_blas_matrix;
extern int wide_blas_calls, wide_blas_scals;
}

namespace {

using Integers = std::array<std::int64_t, 6>;  // m, n, k, lda, ldb, ldc

constexpr Integers small = {2003, 2111, 1999, 3001, 3011, 3023};

// Nobody reads or writes the matrices.
double a[8], b[8], c[8];

struct WideBlas : testing::TestWithParam<bool> {
  static void multiply(const Integers& of) {
    const double one = 1;
    if (GetParam())
      cblas_dgemm(102, 112, 111, of[0], of[1], of[2], one, a, of[3], b, of[4], one, c, of[5]);
    else
      dgemm_("T", "N", &of[0], &of[1], &of[2], &one, a, &of[3], b, &of[4], &one, c, &of[5]);
  }
  static Integers received() {
    Integers all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = wide_blas_integers[i];
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Names, WideBlas, testing::Bool(),
                         [](const auto& is_c) { return is_c.param ? "cblas" : "fortran"; });

// timing_engine.c leaves a row and two columns less.
TEST_P(WideBlas, GetsTheRestOfAProductInItsOwnIntegers) {
  multiply(small);
  Integers rest = small;
  rest[0] -= 1;
  rest[1] -= 2;
  EXPECT_EQ(received(), rest);
  EXPECT_EQ(wide_blas_matrix, reinterpret_cast<const char*>(a) + 8);
}

// The engine would take what the low bits say.
TEST_P(WideBlas, GetsAllOfACallWithMoreThan32BitsInAnInteger) {
  for (const std::size_t wide : {0, 1, 2, 3, 4, 5}) {
    Integers of = small;
    of[wide] += std::int64_t{1} << 32;
    const int calls = wide_blas_calls;
    multiply(of);
    EXPECT_EQ(received(), of);
    EXPECT_EQ(wide_blas_matrix, a) << "all of it";
    EXPECT_EQ(wide_blas_calls, calls + 1);
  }
}

TEST_P(WideBlas, GetsSmallCallsAsTheyAre) {
  const Integers few = {1, 2, 3, (std::int64_t{1} << 33) + 8, 4, 5};
  multiply(few);
  EXPECT_EQ(received(), few);
}

TEST_P(WideBlas, IsAskedForItsIntegersOnce) {
  multiply(small);
  const int scals = wide_blas_scals;
  EXPECT_GT(scals, 0);
  multiply(small);
  EXPECT_EQ(wide_blas_scals, scals);
}

TEST(WideBlasVectors, GetNegativeStepsOfVectors) {
  for (const std::int64_t m : {100, 4000}) {
    cblas_dgemv(102, 111, m, 4000, 1, a, 4000, b, -1, 1, c, -3);
    EXPECT_EQ(wide_blas_integers[2], -1);
    EXPECT_EQ(wide_blas_integers[4], -3);
  }
}

}  // namespace
