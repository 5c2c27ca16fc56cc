// Test cases of tests/support as row-major problems.
#pragma once

#include <functional>

#include "problem/gemm_problem.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {

/// A front that hands the call to `run` as a GemmProblem. \pre the case's layout is row-major.
template <typename T>
Front<T> row_major_front(std::function<void(const GemmProblem&)> run) {
  return [run = std::move(run)](const Call<T>& call, T* c, std::int64_t ldc) {
    GemmProblem p;
    p.precision = precision_of<T>;
    p.op_a = call.op_a;
    p.op_b = call.op_b;
    p.m = call.m;
    p.n = call.n;
    p.k = call.k;
    p.alpha = std::complex<double>(call.alpha);
    p.a = call.a;
    p.lda = call.lda;
    p.b = call.b;
    p.ldb = call.ldb;
    p.beta = std::complex<double>(call.beta);
    p.c = c;
    p.ldc = ldc;
    run(p);
  };
}

/// Calls `check.template operator()<T>()` for all four element types.
template <typename Check>
void for_each_type(Check&& check) {
  check.template operator()<float>();
  check.template operator()<double>();
  check.template operator()<std::complex<float>>();
  check.template operator()<std::complex<double>>();
}

inline constexpr Op all_ops[] = {Op::none, Op::transpose, Op::conj_transpose};

}  // namespace duoblas::test
