// A call that was kept as numbers is planned as it was made.
#include "problem/call_numbers.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "problem/precision.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

duoblas_blas_call made_call(int routine, Precision precision, bool reads_c) {
  static double doubles[] = {0, 0, 0.5, 0.5};
  static float floats[] = {0, 0, 0.5, 0.5};
  duoblas_blas_call call = {};
  call.routine = routine;
  call.precision = static_cast<char>(precision);
  call.layout = 101;
  call.side = 142;
  call.uplo = 122;
  call.op_a = 113;
  call.op_b = 112;
  call.diag = 132;
  call.m = 300;
  call.n = 200;
  call.k = 100;
  call.lda = 1001;
  call.ldb = 1002;
  call.ldc = 1003;
  call.a = call.b = call.c = doubles;
  const int of_beta = reads_c ? 2 : 0;
  if (is_double(precision)) {
    call.alpha = &doubles[2];
    call.beta = &doubles[of_beta];
  } else {
    call.alpha = &floats[2];
    call.beta = &floats[of_beta];
  }
  return call;
}

TEST(CallNumbers, ArePlannedAsTheCall) {
  for (int routine = DUOBLAS_GEMM; routine < DUOBLAS_ROUTINES; ++routine)
    for (const Precision precision : all_precisions)
      for (const bool reads : {false, true}) {
        if (routine == DUOBLAS_GEMV) continue;
        const duoblas_blas_call made = made_call(routine, precision, reads);
        const CallNumbers numbers = call_numbers(made);
        const auto again = call_of(numbers);
        ASSERT_TRUE(again);
        EXPECT_EQ(call_numbers(*again), numbers);
        EXPECT_EQ(again->routine, routine);
        EXPECT_EQ(again->precision, made.precision);
        EXPECT_EQ(again->op_a, 113);
        EXPECT_EQ(again->m, 300);
        EXPECT_EQ(again->ldc, 1003);
        EXPECT_NE(again->a, made.a);
        EXPECT_NE(again->c, made.c);
        if (routine == DUOBLAS_GEMM) {
          EXPECT_EQ(gemm_problem(*again).overwrites_c(), !reads);
          EXPECT_FALSE(gemm_problem(*again).only_scales_c());
        } else if (routine < DUOBLAS_GEMV) {
          const Level3Problem p = caller_level3(*again).args;
          EXPECT_EQ(reads_c(p), reads || is_in_place(p.routine));
          EXPECT_FALSE(p.only_scales_c());
        }
      }
}

TEST(CallNumbers, OfADamagedFileAreNoCall) {
  const CallNumbers sound = call_numbers(made_call(DUOBLAS_SYRK, Precision::d, false));
  EXPECT_TRUE(call_of(sound));
  constexpr std::size_t precision = 0, routine = 2;
  for (const double other : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()})
    for (std::size_t place = 0; place < sound.size(); ++place) {
      CallNumbers damaged = sound;
      damaged[place] = other;
      EXPECT_FALSE(call_of(damaged)) << place;
    }
  for (const double other : {double{DUOBLAS_GEMV}, double{DUOBLAS_ROUTINES}}) {
    CallNumbers damaged = sound;
    damaged[routine] = other;
    EXPECT_FALSE(call_of(damaged));
  }
  CallNumbers damaged = sound;
  damaged[precision] = 'x';
  EXPECT_FALSE(call_of(damaged));
}

}  // namespace
}  // namespace duoblas
