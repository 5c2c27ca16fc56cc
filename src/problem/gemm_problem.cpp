#include "problem/gemm_problem.hpp"

namespace duoblas {

double flops(const GemmProblem& p) {
  const double multiply_adds =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  return (is_complex(p.precision) ? 8.0 : 2.0) * multiply_adds;
}

}  // namespace duoblas
