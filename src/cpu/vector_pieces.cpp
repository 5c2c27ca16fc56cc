#include "cpu/vector_pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace duoblas {
namespace {

using Run = std::function<void(const GemvProblem&)>;

bool is_far(const StridedVector& vector, std::int64_t size, const VectorPieceLimits& limits) {
  return size > 1 && std::abs(vector.increment) > limits.distance;
}

// A single row's leading dimension is of no matter, and neither is a single element's increment.
GemvProblem tidied(GemvProblem p) {
  if (p.rows == 1) p.lda = std::max<std::int64_t>(1, p.columns);
  if (p.terms() == 1) p.x.increment = 1;
  if (p.outputs() == 1) p.y.increment = 1;
  return p;
}

void run_with_near_vectors(GemvProblem p, const VectorPieceLimits& limits, const Run& run) {
  const std::size_t element = element_size(p.precision);
  std::vector<std::byte> x, y;
  const StridedVector callers_y = p.y;
  if (is_far(p.x, p.terms(), limits)) {
    x.resize(static_cast<std::size_t>(p.terms()) * element);
    gather(p.x, p.terms(), p.precision, x.data());
    p.x = {x.data(), 1};
  }
  const bool copies_y = is_far(p.y, p.outputs(), limits);
  if (copies_y) {
    y.resize(static_cast<std::size_t>(p.outputs()) * element);
    if (!p.overwrites_y()) gather(p.y, p.outputs(), p.precision, y.data());
    p.y = {y.data(), 1};
  }
  run(tidied(p));
  if (copies_y) scatter(y.data(), p.outputs(), p.precision, callers_y);
}

std::int64_t most_rows(const GemvProblem& p, std::int64_t columns,
                       const VectorPieceLimits& limits) {
  if (p.rows > 1 && p.lda > limits.distance) return 1;
  return std::clamp<std::int64_t>(limits.elements / std::max<std::int64_t>(1, columns), 1,
                                  limits.extent);
}

}  // namespace

void for_each_piece(const GemvProblem& p, const VectorPieceLimits& limits, const Run& run) {
  const std::int64_t columns = std::min({p.columns, limits.extent, limits.elements});
  const std::int64_t rows = std::min(p.rows, most_rows(p, columns, limits));
  const std::int64_t outputs = p.transposes ? columns : rows;
  const std::int64_t terms = p.transposes ? rows : columns;
  for (std::int64_t i = 0; i < p.outputs(); i += outputs) {
    const GemvProblem of_outputs = outputs_of(p, {i, std::min(outputs, p.outputs() - i)});
    for (std::int64_t j = 0; j < p.terms(); j += terms) {
      GemvProblem piece = terms_of(of_outputs, {j, std::min(terms, p.terms() - j)});
      if (j > 0) piece.beta = 1.0;
      run_with_near_vectors(piece, limits, run);
    }
  }
}

}  // namespace duoblas
