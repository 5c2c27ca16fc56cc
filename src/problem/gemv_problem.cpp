#include "problem/gemv_problem.hpp"

namespace duoblas {
namespace {

// `sums` null: zeros. Complex values as pairs, written out as BLAS defines the product.
template <typename Real>
void update_y(const GemvProblem& p, const Real* sums) {
  const std::int64_t width = is_complex(p.precision) ? 2 : 1;
  const std::int64_t step = p.y.increment * width;
  const auto re = static_cast<Real>(p.beta.real());
  const auto im = static_cast<Real>(p.beta.imag());
  Real* y = static_cast<Real*>(p.y.data);
  for (std::int64_t i = 0; i < p.outputs(); ++i, y += step) {
    Real kept[2] = {0, 0};
    if (!p.overwrites_y()) {
      kept[0] = width == 1 ? re * y[0] : re * y[0] - im * y[1];
      if (width == 2) kept[1] = re * y[1] + im * y[0];
    }
    for (std::int64_t part = 0; part < width; ++part)
      y[part] = sums == nullptr ? kept[part] : sums[i * width + part] + kept[part];
  }
}

}  // namespace

GemvProblem outputs_of(const GemvProblem& problem, Interval outputs) {
  GemvProblem part = problem;
  (problem.transposes ? part.columns : part.rows) = outputs.count;
  part.a = advanced(problem.a, outputs.first * (problem.transposes ? 1 : problem.lda),
                    problem.precision);
  part.y = behind(problem.y, outputs.first, problem.precision);
  return part;
}

GemvProblem terms_of(const GemvProblem& problem, Interval terms) {
  GemvProblem part = problem;
  (problem.transposes ? part.rows : part.columns) = terms.count;
  part.a =
      advanced(problem.a, terms.first * (problem.transposes ? problem.lda : 1), problem.precision);
  part.x = behind(problem.x, terms.first, problem.precision);
  return part;
}

double traffic_bytes(const GemvProblem& p) {
  const double of_a = static_cast<double>(p.rows) * static_cast<double>(p.columns);
  const double of_y = static_cast<double>(p.outputs()) * (p.overwrites_y() ? 1 : 2);
  return (of_a + static_cast<double>(p.terms()) + of_y) *
         static_cast<double>(element_size(p.precision));
}

void scale_y(const GemvProblem& p) noexcept {
  if (p.beta == std::complex<double>(1.0)) return;
  if (is_double(p.precision)) return update_y<double>(p, nullptr);
  update_y<float>(p, nullptr);
}

void add_sums(const GemvProblem& p, const void* sums) noexcept {
  if (is_double(p.precision)) return update_y(p, static_cast<const double*>(sums));
  update_y(p, static_cast<const float*>(sums));
}

}  // namespace duoblas
