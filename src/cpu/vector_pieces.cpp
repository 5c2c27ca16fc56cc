#include "cpu/vector_pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <list>
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

// Copies without gaps of vectors whose elements are too far apart, and back.
class NearVectors {
 public:
  NearVectors(Precision precision, const VectorPieceLimits& limits)
      : precision_(precision), limits_(limits) {}

  // `reads`: the elements' values are used.
  StridedVector near(const StridedVector& vector, std::int64_t size, bool reads = true) {
    if (!is_far(vector, size, limits_)) return vector;
    auto& copy = copies_.emplace_back(static_cast<std::size_t>(size) * element_size(precision_));
    if (reads) gather(vector, size, precision_, copy.data());
    return {copy.data(), 1};
  }
  void write_back(const StridedVector& from, std::int64_t size, const StridedVector& to) const {
    if (from.data != to.data) scatter(from.data, size, precision_, to);
  }

 private:
  Precision precision_;
  const VectorPieceLimits& limits_;
  std::list<std::vector<std::byte>> copies_;
};

void run_with_near_vectors(GemvProblem p, const VectorPieceLimits& limits, const Run& run) {
  NearVectors vectors(p.precision, limits);
  const StridedVector callers_y = p.y;
  p.x = vectors.near(p.x, p.terms());
  p.y = vectors.near(p.y, p.outputs(), !p.overwrites_y());
  run(tidied(p));
  vectors.write_back(p.y, p.outputs(), callers_y);
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
