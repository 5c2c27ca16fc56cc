// The ways into a level-3 routine, each as a Level3Front.
#pragma once

#include <duoblas/context.hpp>

#include "engine/cpu_blas.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/problem_of_call.hpp"
#include "support/element_types.hpp"
#include "support/forced_settings.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {

inline Level3Front through(Engine& engine) {
  return [&engine](const CallerLevel3& call) {
    check(call);
    EXPECT_FALSE(run_level3(engine, to_row_major(call)).recovered);
  };
}

inline int routine_number(Routine routine) {
  constexpr int numbers[] = {DUOBLAS_SYMM,  DUOBLAS_HEMM,  DUOBLAS_SYRK, DUOBLAS_HERK,
                             DUOBLAS_SYR2K, DUOBLAS_HER2K, DUOBLAS_TRMM, DUOBLAS_TRSM};
  return numbers[static_cast<std::size_t>(routine)];
}

/// As a drop-in makes the call. T is the element type.
template <typename T>
Level3Front as_plain_c(Engine& engine, bool& was_done) {
  return [&engine, &was_done](const CallerLevel3& caller) {
    const Level3Problem& p = caller.args;
    const auto as_element = [](const std::complex<double>& x) {
      if constexpr (is_complex_type<T>) {
        return T(x);
      } else {
        return static_cast<T>(x.real());
      }
    };
    const T alpha = as_element(p.alpha), beta = as_element(p.beta);
    duoblas_blas_call call{};
    call.routine = routine_number(p.routine);
    call.precision = letter(p.precision);
    call.layout = caller.layout == Layout::row_major ? 101 : 102;
    call.side = p.side == Side::left ? 141 : 142;
    call.uplo = p.uplo == Uplo::upper ? 121 : 122;
    call.op_a = p.op == Op::none ? 111 : p.op == Op::transpose ? 112 : 113;
    call.diag = p.diag == Diag::non_unit ? 131 : 132;
    call.m = updates_triangle(p.routine) ? 0 : p.m;
    call.n = p.n;
    call.k = updates_triangle(p.routine) ? p.k : 0;
    call.alpha = &alpha;
    call.a = p.a;
    call.lda = p.lda;
    call.b = p.b;
    call.ldb = p.ldb;
    call.beta = is_in_place(p.routine) ? nullptr : &beta;
    call.c = p.c;
    call.ldc = p.ldc;
    const Level3Problem problem = to_row_major(caller_level3(call));
    const Decision decision = decide(engine, problem);
    was_done = (decision.uses_gpu() || engine.plans().insists_on_gpu()) &&
               has_on_cpu(engine, problem.routine, problem.precision);
    if (was_done) carry_out(engine, problem, decision);
  };
}

/// Through the public interface.
template <typename T>
Level3Front through(Context& context) {
  return [&context](const CallerLevel3& call) {
    const Level3Problem& p = call.args;
    const auto l = call.layout;
    const auto* a = static_cast<const T*>(p.a);
    const auto* b = static_cast<const T*>(p.b);
    auto* c = static_cast<T*>(p.c);
    const auto scalar = [](const std::complex<double>& x) {
      if constexpr (is_complex_type<T>) {
        return T(x);
      } else {
        return static_cast<T>(x.real());
      }
    };
    const T alpha = scalar(p.alpha), beta = scalar(p.beta);
    switch (p.routine) {
      case Routine::symm:
        return context.symm(l, p.side, p.uplo, p.m, p.n, alpha, a, p.lda, b, p.ldb, beta, c, p.ldc);
      case Routine::syrk:
        return context.syrk(l, p.uplo, p.op, p.n, p.k, alpha, a, p.lda, beta, c, p.ldc);
      case Routine::syr2k:
        return context.syr2k(l, p.uplo, p.op, p.n, p.k, alpha, a, p.lda, b, p.ldb, beta, c, p.ldc);
      case Routine::trmm:
        return context.trmm(l, p.side, p.uplo, p.op, p.diag, p.m, p.n, alpha, a, p.lda, c, p.ldc);
      case Routine::trsm:
        return context.trsm(l, p.side, p.uplo, p.op, p.diag, p.m, p.n, alpha, a, p.lda, c, p.ldc);
      default: break;
    }
    if constexpr (is_complex_type<T>) {
      if (p.routine == Routine::hemm)
        return context.hemm(l, p.side, p.uplo, p.m, p.n, alpha, a, p.lda, b, p.ldb, beta, c, p.ldc);
      if (p.routine == Routine::herk)
        return context.herk(l, p.uplo, p.op, p.n, p.k, alpha.real(), a, p.lda, beta.real(), c,
                            p.ldc);
      return context.her2k(l, p.uplo, p.op, p.n, p.k, alpha, a, p.lda, b, p.ldb, beta.real(), c,
                           p.ldc);
    }
  };
}

}  // namespace duoblas::test
