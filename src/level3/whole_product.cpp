#include "level3/whole_product.hpp"

namespace duoblas {

GemmProblem whole_product(const Level3Problem& p) {
  GemmProblem whole;
  whole.precision = p.precision;
  whole.m = updates_triangle(p.routine) ? p.n : p.m;
  whole.n = p.n;
  whole.k = updates_triangle(p.routine) ? p.k : order(p);
  whole.lda = whole.k;
  whole.ldb = whole.ldc = whole.n;
  return whole;
}

double estimated_cpu_seconds(const Engine& engine, const Level3Problem& p) {
  const GemmProblem whole = whole_product(p);
  return flops(p) / flops(whole) * engine.plans().estimated_cpu_seconds(whole);
}

}  // namespace duoblas
