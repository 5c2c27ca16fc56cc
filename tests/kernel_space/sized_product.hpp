// A product of given sizes, without matrices.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

inline GemmProblem sized(Precision precision, std::int64_t m, std::int64_t n,
                         std::int64_t k = 2048) {
  GemmProblem p;
  p.precision = precision;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

}  // namespace duoblas
