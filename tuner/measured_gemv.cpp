#include "tuner/measured_gemv.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gpu/streams/vector_product.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

GemvProblem shape_of(CallerGemv call) {
  call.lda = call.layout == Layout::row_major ? call.n : call.m;
  return to_row_major(call);
}

}  // namespace

// A product with one column has a gemv's operands.
MeasuredGemv::MeasuredGemv(CallerGemv call, unsigned seed)
    : problem_(shape_of(call)),
      memory_(row_major_call(problem_.precision, problem_.transposes ? Op::transpose : Op::none,
                             Op::none, problem_.outputs(), 1, problem_.terms()),
              seed) {
  problem_.a = memory_.problem().a;
  problem_.lda = memory_.problem().lda;
  problem_.x = {const_cast<void*>(memory_.problem().b), 1};
  problem_.y = {memory_.c(), 1};
}

HostRect MeasuredGemv::a() const {
  return rect_of(problem_.a, problem_.rows, problem_.columns, problem_.lda, problem_.precision);
}

double MeasuredGemv::error(std::int64_t boundary, unsigned seed) const {
  if (!is_finite_c(memory_.problem())) return std::numeric_limits<double>::infinity();
  const std::int64_t outputs = problem_.outputs(), count = std::min<std::int64_t>(16, outputs);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> anywhere(0, outputs - count);
  double error = 0;
  for (const std::int64_t wanted :
       {std::int64_t{0}, outputs, boundary - count / 2, anywhere(random), anywhere(random)})
    error =
        std::max(error, error_of({std::clamp<std::int64_t>(wanted, 0, outputs - count), count}));
  return error;
}

// With beta == 0 y is the sums.
double MeasuredGemv::error_of(Interval outputs) const {
  const GemvProblem part = outputs_of(problem_, outputs);
  const VectorProduct product(part, part.y.data);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(product.problem().m));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return scaled_error(product.problem(), nullptr, rows);
}

}  // namespace duoblas
