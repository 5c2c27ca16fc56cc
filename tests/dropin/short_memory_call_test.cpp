// Each allocation of a program's call of LAPACK, of level 3 or of gemv fails in turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/lapack_program.hpp"
#include "engine/cpu_blas.hpp"
#include "engine/failing_allocations.hpp"
#include "engine/short_memory_of_lapack.hpp"
#include "support/level3_case.hpp"
#include "support/qr_case.hpp"

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

namespace duoblas::test {
namespace {

using T = float;

TEST(ShortMemoryInAProgramsCall, LeavesASolveRight) {
  constexpr std::int64_t n = 60, sides = 70;
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  General<T> matrix(n, n, 2, 7);
  run_on_cpu(engine, matrix.problem());
  Columns<T> turned(n, n), b(sides, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) turned.at(j, i) = matrix.a.at(i, j);
  b.randomise(8);
  std::int32_t info = 0;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GETRS;
  call.precision = letter(precision_of<T>);
  call.op_a = 112;
  call.n = n;
  call.k = sides;
  call.a = matrix.factors.data();
  call.lda = matrix.factors.ld();
  call.pivots = matrix.problem().pivots;
  call.info = &info;
  bool felt = true;
  for (long number = 1; felt && number < 10000; ++number) {
    SCOPED_TRACE(number);
    Columns<T> x = b;
    call.c = x.data();
    call.ldc = x.ld();
    info = -7;
    const ProgramLapack lapack(call);
    const Decision decision = decide(engine, lapack);
    {
      const ShortMemory memory(number, false);
      EXPECT_NO_THROW(carry_out(engine, lapack, decision));
      felt = memory.felt();
    }
    EXPECT_EQ(info, 0);
    EXPECT_LT(residual(turned, x, b), most_error);
  }
  EXPECT_FALSE(felt) << "no end of allocations";
}

/// A program's call, and how its operands are made as before.
struct Repeated {
  duoblas_blas_call call = {};
  std::function<void()> restore;
  std::function<bool()> is_right, is_as_it_was;
};

/// How often a call was done, and passed on.
struct Answers {
  int done = 0, passed_on = 0;
};

// The program's own BLAS can do what has not begun. (Before, such a program ended.)
Answers expect_right_or_passed_on(Repeated of) {
  ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
  ::setenv("DUOBLAS_SPLIT", "8/16", 1);
  ::setenv("DUOBLAS_CHECK", "off", 1);
  const struct duoblas_dropin_engine* const dropin = ::duoblas_dropin_engine();
  Answers answers;
  int reason = 0;
  of.restore();
  EXPECT_EQ(dropin->run(&of.call, &reason), DUOBLAS_DONE);
  bool felt = true;
  for (long number = 1; felt && number < 10000; ++number) {
    SCOPED_TRACE(number);
    of.restore();
    int answer = 0;
    {
      const ShortMemory memory(number, false);
      answer = dropin->run(&of.call, &reason);
      felt = memory.felt();
    }
    if (answer == DUOBLAS_DONE) {
      ++answers.done;
      EXPECT_TRUE(of.is_right());
    } else {
      ++answers.passed_on;
      EXPECT_EQ(answer, DUOBLAS_PASSED_ON);
      EXPECT_TRUE(of.is_as_it_was());
    }
  }
  EXPECT_FALSE(felt) << "no end of allocations";
  EXPECT_GT(answers.done, 1);
  return answers;
}

duoblas_blas_call call_of(int routine, const Columns<T>& a, std::int64_t m, std::int32_t& info) {
  duoblas_blas_call call = {};
  call.routine = routine;
  call.precision = letter(precision_of<T>);
  call.layout = 102;
  call.m = m;
  call.n = a.lines();
  call.a = a.data();
  call.lda = a.ld();
  call.info = &info;
  return call;
}

TEST(ShortMemoryInAProgramsCall, LeavesCholeskyRightOrPassesItOn) {
  Definite<T> matrix(60, Uplo::lower, 2, 7);
  const Columns<T> before = matrix.stored;
  std::int32_t info = 0;
  duoblas_blas_call call = call_of(DUOBLAS_POTRF, matrix.stored, 0, info);
  call.uplo = 122;
  const Answers answers = expect_right_or_passed_on(
      {call, [&] { matrix.store(); }, [&] { return info == 0 && matrix.error() < most_error; },
       [&] { return are_the_same(matrix.stored, before); }});
  EXPECT_GT(answers.passed_on, 1);
}

TEST(ShortMemoryInAProgramsCall, LeavesLuRightOrPassesItOn) {
  General<T> matrix(60, 60, 2, 7);
  std::int32_t info = 0;
  duoblas_blas_call call = call_of(DUOBLAS_GETRF, matrix.factors, 60, info);
  call.pivots = matrix.pivots.data();
  const Answers answers = expect_right_or_passed_on(
      {call, [&] { matrix.restore(); }, [&] { return info == 0 && matrix.error() < most_error; },
       [&] { return are_the_same(matrix.factors, matrix.a); }});
  EXPECT_GT(answers.passed_on, 1);
}

TEST(ShortMemoryInAProgramsCall, LeavesASolveWithItsFactorisationRightOrPassesItOn) {
  constexpr std::int64_t n = 60, sides = 20;
  General<T> matrix(n, n, 2, 7);
  Columns<T> b(sides, n);
  b.randomise(8);
  Columns<T> x = b;
  std::int32_t info = 0;
  duoblas_blas_call call = call_of(DUOBLAS_GESV, matrix.factors, 0, info);
  call.k = sides;
  call.pivots = matrix.pivots.data();
  call.c = x.data();
  call.ldc = x.ld();
  const Answers answers = expect_right_or_passed_on(
      {call,
       [&] {
         matrix.restore();
         x = b;
       },
       [&] {
         return info == 0 && matrix.error() < most_error && residual(matrix.a, x, b) < most_error;
       },
       [&] { return are_the_same(matrix.factors, matrix.a) && are_the_same(x, b); }});
  EXPECT_GT(answers.passed_on, 1);
}

TEST(ShortMemoryInAProgramsCall, LeavesQrRightOrPassesItOn) {
  Orthogonal<T> q(80, 60, 2, 7);
  std::vector<T> work(60 * 32);
  std::int32_t info = 0;
  duoblas_blas_call call = call_of(DUOBLAS_GEQRF, q.factors, 80, info);
  call.tau = q.tau.data();
  call.work = work.data();
  call.lwork = static_cast<std::int64_t>(work.size());
  const Answers answers = expect_right_or_passed_on(
      {call, [&] { q.factors = q.a; }, [&] { return info == 0 && qr_error(q) < most_error; },
       [&] { return are_the_same(q.factors, q.a); }});
  EXPECT_GT(answers.passed_on, 1);
}

// A call of level 3 whose memory is short after it has begun is done on the CPU.
void expect_level3_right_or_passed_on(const Level3Factors& f, int routine) {
  SCOPED_TRACE(text(f));
  Level3Matrices<T> matrices(f);
  const TestMatrix<T> before = matrices.c;
  const CallerLevel3 caller = matrices.call(f);
  const Level3Reference<T> reference(caller);
  const Level3Problem& p = caller.args;
  const auto alpha = static_cast<T>(p.alpha.real()), beta = static_cast<T>(p.beta.real());
  duoblas_blas_call call = {};
  call.routine = routine;
  call.precision = letter(p.precision);
  call.layout = 102;
  call.uplo = 122;
  call.op_a = 111;
  call.n = p.n;
  call.alpha = &alpha;
  call.a = p.a;
  call.lda = p.lda;
  call.c = p.c;
  call.ldc = p.ldc;
  if (is_in_place(f.routine)) {
    call.m = p.m;
    call.side = 141;
    call.diag = 131;
  } else {
    call.k = p.k;
    call.beta = &beta;
  }
  expect_right_or_passed_on({call, [&] { matrices.c = before; },
                             [&] { return reference.scaled_error() < 1; },
                             [&] { return are_the_same(matrices.c, before); }});
}

TEST(ShortMemoryInAProgramsCall, LeavesARankUpdateRightOrPassesItOn) {
  Level3Factors f{Routine::syrk, Layout::column_major, Side::left, Uplo::lower};
  f.order = 90;
  f.free = 60;
  f.alpha = -0.7;
  f.beta = 0.6;
  expect_level3_right_or_passed_on(f, DUOBLAS_SYRK);
}

TEST(ShortMemoryInAProgramsCall, LeavesATriangularSolveRightOrPassesItOn) {
  Level3Factors f{Routine::trsm, Layout::column_major, Side::left, Uplo::lower};
  f.order = 90;
  f.free = 60;
  f.alpha = -0.7;
  expect_level3_right_or_passed_on(f, DUOBLAS_TRSM);
}

/// Each allocation fails in turn, alone and with all later ones, in a call that adds `added` to all
/// of `result`.
void expect_added_or_passed_on(duoblas_blas_call call, std::vector<T>& result, T added) {
  ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
  ::setenv("DUOBLAS_SPLIT", "8/16", 1);
  ::setenv("DUOBLAS_CHECK", "always", 1);
  const struct duoblas_dropin_engine* const dropin = ::duoblas_dropin_engine();
  int reason = 0, done = 0;
  for (const bool all_later : {false, true}) {
    bool felt = true;
    for (long number = 0; felt && number < 10000; ++number) {
      SCOPED_TRACE(std::to_string(number) + (all_later ? " and all later ones" : ""));
      std::ranges::fill(result, T{3});
      int answer = 0;
      if (number == 0) {  // kernels are built, and the CPU BLAS is loaded
        answer = dropin->run(&call, &reason);
      } else {
        const ShortMemory memory(number, all_later);
        answer = dropin->run(&call, &reason);
        felt = memory.felt();
      }
      const bool is_done = answer == DUOBLAS_DONE;
      EXPECT_TRUE(is_done || answer == DUOBLAS_PASSED_ON);
      EXPECT_EQ(result, std::vector<T>(result.size(), is_done ? 3 + added : 3));
      done += is_done ? 1 : 0;
    }
    EXPECT_FALSE(felt) << "no end of allocations";
  }
  EXPECT_GT(done, 10);
}

// A gemv may be a part of the program's LAPACK, whose matrix it is in the middle of. (Before, such
// a program ended.)
TEST(ShortMemoryInAProgramsCall, LeavesAGemvRightOrPassesItOn) {
  constexpr std::int64_t n = 60;
  const std::vector<T> a(n * n, 1), x(n, 2);
  std::vector<T> y(n);
  const T one = 1;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GEMV;
  call.precision = letter(precision_of<T>);
  call.layout = 102;
  call.op_a = 111;
  call.m = call.n = call.lda = n;
  call.alpha = call.beta = &one;
  call.a = a.data();
  call.x = x.data();
  call.y = y.data();
  call.incx = call.incy = 1;
  expect_added_or_passed_on(call, y, 2 * n);
}

// (Before, a program ended where the CPU's part of its product was named.)
TEST(ShortMemoryInAProgramsCall, LeavesAProductRightOrPassesItOn) {
  constexpr std::int64_t n = 60;
  const std::vector<T> ones(n * n, 1);
  std::vector<T> c(n * n);
  const T one = 1;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GEMM;
  call.precision = letter(precision_of<T>);
  call.layout = 102;
  call.op_a = call.op_b = 111;
  call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
  call.alpha = call.beta = &one;
  call.a = call.b = ones.data();
  call.c = c.data();
  expect_added_or_passed_on(call, c, n);
}

// (Before, a program that had done all its work ended with SIGABRT.)
TEST(ShortMemoryAtTheEnd, CostsASummaryOnly) {
  const auto end_short_of_memory = [] {
    duoblas_blas_call call = {};
    call.routine = DUOBLAS_GEMM;
    call.precision = letter(precision_of<T>);
    call.m = call.n = call.k = 100;
    note_passed_on(call, Reason::untuned);
    const ShortMemory memory(1, true);
    std::exit(7);
  };
  EXPECT_EXIT(end_short_of_memory(), testing::ExitedWithCode(7), "too short for the summary");
}

}  // namespace
}  // namespace duoblas::test
