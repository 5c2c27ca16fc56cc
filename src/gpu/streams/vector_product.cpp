#include "gpu/streams/vector_product.hpp"

#include <cstdint>

namespace duoblas {
namespace {

std::vector<char> dense(const StridedVector& vector, std::int64_t size, Precision precision) {
  std::vector<char> elements(static_cast<std::size_t>(size) * element_size(precision));
  gather(vector, size, precision, elements.data());
  return elements;
}

}  // namespace

VectorProduct::VectorProduct(const GemvProblem& problem, const char* old_y, const char* y) {
  describe(problem);
  product_.beta = problem.beta;
  result_ = dense(problem.y, problem.outputs(), problem.precision);
  product_.c = result_.data();
  if (problem.overwrites_y()) return;
  StridedVector old = problem.y;
  old.data = const_cast<char*>(old_y) + (static_cast<char*>(problem.y.data) - y);
  old_ = dense(old, problem.outputs(), problem.precision);
}

VectorProduct::VectorProduct(const GemvProblem& problem, const void* sums) {
  describe(problem);
  product_.beta = 0.0;
  product_.c = const_cast<void*>(sums);
}

void VectorProduct::describe(const GemvProblem& p) {
  x_ = dense(p.x, p.terms(), p.precision);
  product_.precision = p.precision;
  product_.alpha = p.alpha;
  product_.k = p.terms();
  if (p.transposes && p.conjugates) {
    product_.m = p.outputs();
    product_.n = 1;
    product_.op_a = Op::conj_transpose;
    product_.a = p.a;
    product_.lda = p.lda;
    product_.b = x_.data();
    product_.ldb = product_.ldc = 1;
    return;
  }
  product_.m = 1;
  product_.n = product_.ldc = p.outputs();
  product_.a = x_.data();
  product_.lda = p.terms();
  product_.op_b = p.transposes ? Op::none : p.conjugates ? Op::conj_transpose : Op::transpose;
  product_.b = p.a;
  product_.ldb = p.lda;
}

}  // namespace duoblas
