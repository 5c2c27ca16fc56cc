// One product on both sides, checked, in which the layer spoils the GPU's part or does not.
#pragma once

#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "cl_layer/layer_control.hpp"
#include "engine/engine.hpp"
#include "engine/guarded_job.hpp"
#include "engine/product_call.hpp"
#include "problem/partition.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

struct Count {
  long calls = 0, found = 0, suspected = 0;
};

struct Statistics {
  std::map<std::string, Count> by_kind;
  long bad_answers = 0;

  void add(const std::string& kind, const HybridOutcome& outcome) {
    Count& count = by_kind[kind];
    ++count.calls;
    if (outcome.was_wrong) ++count.found;
    if (outcome.check && outcome.check->verdict.suspected_rows > 0) ++count.suspected;
  }
};

template <typename T>
class FaultyProduct {
 public:
  FaultyProduct(Engine& engine, std::mt19937_64& random, const GemmProblem& problem,
                const Plan& plan)
      : engine_(engine),
        random_(random),
        problem_(problem),
        plan_(plan),
        part_(partition(problem, plan.axis, plan.gpu_extent).gpu) {}

  /// Draws a fault of the GPU's part, or none, and says which. The layer plays it from now on.
  std::string draw_fault(const LayerControl& layer) {
    static constexpr double sizes[] = {4, 16, 64, 256};  // in units of the element's own bound
    const std::int64_t rows = part_.m, columns = part_.n;
    if (rows == 0 || columns == 0) return "no fault";
    const std::int64_t i = below(rows), j = below(columns);
    const std::string type = std::string(" ") + letter(part_.precision) + " 1 ";
    const auto place = [&](std::int64_t row, std::int64_t column, std::int64_t height,
                           std::int64_t width) {
      return type + std::to_string(row) + ' ' + std::to_string(column) + ' ' +
             std::to_string(height) + ' ' + std::to_string(width);
    };
    char value[40];
    const double size = sizes[below(4)];
    std::snprintf(value, sizeof value, " %.17g", size * bound(i, j));
    const std::string times = " of " + std::to_string(static_cast<int>(size)) + " bounds";
    switch (below(8)) {
      case 0:
      case 1: layer.spoil(("add" + place(i, j, 1, 1) + value).c_str()); return "element" + times;
      case 2: layer.spoil(("add" + place(i, 0, 1, columns) + value).c_str()); return "row" + times;
      case 3: layer.spoil(("add" + place(i, j, 8, 8) + value).c_str()); return "tile" + times;
      case 4: layer.spoil(("nan" + place(i, j, 1, 1)).c_str()); return "NaN";
      case 5: layer.spoil(("keep" + type).c_str()); return "stale";
      case 6:
        if (rows < 2) return "no fault";
        layer.spoil(("swap" + place(0, 0, rows, columns)).c_str());
        return "swapped";
      default: return "no fault";
    }
  }

  /// Computes it, checked; the layer then plays nothing any more.
  HybridOutcome run(const LayerControl& layer) {
    Outcome told;
    told.plan = plan_;
    ProductCall call(problem_, told, {});
    const std::uint64_t seed = random_();
    call.check_by(std::make_unique<ProductCheck>(part_, seed, 1, OldC::in_place), below(2) == 0);
    const HybridOutcome did = on_both_sides(call, *engine_.gpu(), engine_.cpu());
    layer.spoil(nullptr);
    return did;
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  static double one_norm(T value) {
    const std::complex<double> wide(value);
    return std::abs(wide.real()) + std::abs(wide.imag());
  }
  static double size_at(const void* matrix, std::int64_t ld, bool turned, std::int64_t row,
                        std::int64_t column) {
    const std::int64_t at = turned ? column * ld + row : row * ld + column;
    return one_norm(static_cast<const T*>(matrix)[at]);
  }

  // Of the error of an element, as far as rounding explains it.
  double bound(std::int64_t i, std::int64_t j) const {
    const GemmProblem& p = part_;
    double magnitude = 0;
    for (std::int64_t l = 0; l < p.k; ++l)
      magnitude += size_at(p.a, p.lda, p.op_a != Op::none, i, l) *
                   size_at(p.b, p.ldb, p.op_b != Op::none, l, j);
    magnitude *= std::abs(p.alpha);
    if (!p.overwrites_c()) magnitude += std::abs(p.beta) * size_at(p.c, p.ldc, false, i, j);
    const double operations = static_cast<double>(p.k * (is_complex_type<T> ? 2 : 1) + 8);
    return operations * std::numeric_limits<Real<T>>::epsilon() / 2 * magnitude;
  }

  Engine& engine_;
  std::mt19937_64& random_;
  const GemmProblem problem_;
  const Plan plan_;
  const GemmProblem part_;
};

}  // namespace duoblas::test
