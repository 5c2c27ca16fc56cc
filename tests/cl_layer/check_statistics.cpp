// check_statistics [--calls N] [--seed S]: how many faults of a device checks find, by their kind
// and size, and how many right results they suspect. Faults are played by the layer of these tests,
// whose device is PoCL. Exit code 1: a right result was convicted, or a call's result is not right,
// or a fault of 64 times the element's bound was missed more often than once in a thousand.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "engine/engine.hpp"
#include "engine/hybrid_gemm.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/cut.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {
namespace {

struct Count {
  long calls = 0, found = 0, suspected = 0;
};

struct Statistics {
  std::map<std::string, Count> by_kind;
  long bad_answers = 0;
};

// Of operands whose elements differ by a factor of up to 2^40. A sum over a row says nothing of its
// smallest elements: these faults are counted, and no more.
constexpr const char* wide = "wide: ";

constexpr double sizes[] = {4, 16, 64, 256};  // of faults, in units of the element's own bound

template <typename T>
class Trial {
 public:
  Trial(Engine& engine, std::mt19937_64& random) : engine_(engine), random_(random) {
    is_wide_ = below(4) == 0;
    p_.precision = precision_of<T>;
    p_.op_a = any_op();
    p_.op_b = any_op();
    p_.m = 2 + below(100);
    p_.n = 1 + below(100);
    p_.k = 1 + below(150);
    p_.alpha = below(2) == 0 ? 1.0 : -0.75;
    p_.beta = below(2) == 0 ? 0.0 : 0.5;
    p_.lda = stored_cols_a(p_) + below(4);
    p_.ldb = stored_cols_b(p_) + below(4);
    p_.ldc = p_.n + below(4);
    a_ = numbers(stored_rows_a(p_) * p_.lda);
    b_ = numbers(stored_rows_b(p_) * p_.ldb);
    c_ = numbers(p_.m * p_.ldc);
    p_.a = a_.data();
    p_.b = b_.data();
    p_.c = c_.data();
    plan_.strategy = Strategy::hybrid;
    plan_.kernel = default_kernel(p_.precision, engine.gpu()->limits());
    plan_.cpu = engine.machine().cpu_for(p_.precision);
    plan_.sharing = below(2) == 0 ? SharingMode::staged : engine.gpu()->best_sharing();
    plan_.gpu_extent = 1 + below(p_.m);
  }

  void run(const LayerControl& layer, Statistics& statistics) {
    const std::string kind = draw_fault(layer);
    const GemmProblem part = cut(p_, plan_.axis, plan_.gpu_extent).gpu;
    const std::vector<T> right = reference();
    WantedCheck wanted{ProductCheck(part, random_()), below(2) == 0};
    const HybridOutcome outcome =
        hybrid_gemm(*engine_.gpu(), engine_.cpu(), p_, plan_, {}, &wanted);
    layer.spoil(nullptr);
    Count& count = statistics.by_kind[(is_wide_ ? wide : "") + kind];
    ++count.calls;
    if (outcome.is_wrong()) ++count.found;
    if (outcome.check && outcome.check->verdict.suspected_rows > 0) ++count.suspected;
    if ((outcome.is_wrong() || kind == "no fault") && !is_right(right)) ++statistics.bad_answers;
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  Op any_op() {
    constexpr Op all[] = {Op::none, Op::transpose, Op::conj_transpose};
    return all[below(is_complex_type<T> ? 3 : 2)];
  }
  // Uniform, positive, with a few zeros; in one of four calls of very different sizes.
  std::vector<T> numbers(std::int64_t count) {
    const auto kind = is_wide_ ? 3 : below(3);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& value : all) {
      value = random_value<T>(random_);
      if (kind == 1) value = T(std::abs(value));
      if (kind == 2 && below(50) == 0) value = T(0);
      if (kind == 3) value *= std::ldexp(Real<T>(1), static_cast<int>(below(41)) - 20);
    }
    return all;
  }
  T a_at(std::int64_t i, std::int64_t p) const {
    return turned(p_.op_a == Op::none ? a_[at(i * p_.lda + p)] : a_[at(p * p_.lda + i)], p_.op_a);
  }
  T b_at(std::int64_t p, std::int64_t j) const {
    return turned(p_.op_b == Op::none ? b_[at(p * p_.ldb + j)] : b_[at(j * p_.ldb + p)], p_.op_b);
  }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  static T turned(T value, Op op) {
    if constexpr (is_complex_type<T>) {
      if (op == Op::conj_transpose) return std::conj(value);
    }
    return value;
  }

  double bound(std::int64_t i, std::int64_t j) const {
    const auto one_norm = [](T value) {
      return std::abs(std::complex<double>(value).real()) +
             std::abs(std::complex<double>(value).imag());
    };
    double magnitude = 0;
    for (std::int64_t p = 0; p < p_.k; ++p)
      magnitude += one_norm(a_at(i, p)) * one_norm(b_at(p, j));
    magnitude =
        std::abs(p_.alpha) * magnitude + std::abs(p_.beta) * one_norm(c_[at(i * p_.ldc + j)]);
    const double operations = static_cast<double>(p_.k * (is_complex_type<T> ? 2 : 1) + 8);
    return operations * std::numeric_limits<Real<T>>::epsilon() / 2 * magnitude;
  }

  std::string draw_fault(const LayerControl& layer) {
    const std::int64_t rows = plan_.gpu_extent;
    const std::int64_t i = below(rows), j = below(p_.n);
    const std::string type = std::string(" ") + letter(p_.precision) + " 1 ";
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
      case 2: layer.spoil(("add" + place(i, 0, 1, p_.n) + value).c_str()); return "row" + times;
      case 3: layer.spoil(("add" + place(i, j, 8, 8) + value).c_str()); return "tile" + times;
      case 4: layer.spoil(("nan" + place(i, j, 1, 1)).c_str()); return "NaN";
      case 5: layer.spoil(("keep" + type).c_str()); return "stale";
      case 6:
        if (rows < 2) return "no fault";
        layer.spoil(("swap" + place(0, 0, rows, p_.n)).c_str());
        return "swapped";
      default: return "no fault";
    }
  }

  std::vector<T> reference() const {
    std::vector<T> all(at(p_.m * p_.n));
    for (std::int64_t i = 0; i < p_.m; ++i)
      for (std::int64_t j = 0; j < p_.n; ++j) {
        std::complex<double> sum = 0;
        for (std::int64_t p = 0; p < p_.k; ++p)
          sum += std::complex<double>(a_at(i, p)) * std::complex<double>(b_at(p, j));
        sum = p_.alpha * sum + p_.beta * std::complex<double>(c_[at(i * p_.ldc + j)]);
        if constexpr (is_complex_type<T>)
          all[at(i * p_.n + j)] = T(sum);
        else
          all[at(i * p_.n + j)] = static_cast<T>(sum.real());
      }
    return all;
  }

  // Within two bounds that were computed before: large enough for any order of sums, and far below
  // any fault that counts.
  bool is_right(const std::vector<T>& right) const {
    double worst = 0, largest = 0;
    for (std::int64_t i = 0; i < p_.m; ++i)
      for (std::int64_t j = 0; j < p_.n; ++j) {
        const T is = c_[at(i * p_.ldc + j)], should = right[at(i * p_.n + j)];
        const double error = std::abs(std::complex<double>(is) - std::complex<double>(should));
        if (!(error == error)) return false;
        worst = std::max(worst, error);
        largest = std::max(largest, std::abs(std::complex<double>(should)));
      }
    return worst <= 1e-3 * (largest + 1);
  }

  Engine& engine_;
  std::mt19937_64& random_;
  GemmProblem p_;
  bool is_wide_ = false;
  Plan plan_;
  std::vector<T> a_, b_, c_;
};

int report(const Statistics& statistics) {
  bool good = statistics.bad_answers == 0;
  std::printf("%-24s %10s %10s %10s %9s\n", "fault", "calls", "found", "suspected", "share");
  for (const auto& [kind, count] : statistics.by_kind) {
    const double share = static_cast<double>(count.found) / static_cast<double>(count.calls);
    std::printf("%-24s %10ld %10ld %10ld %9.5f\n", kind.c_str(), count.calls, count.found,
                count.suspected, share);
    if (kind.ends_with("no fault")) good = good && count.found == 0;
    const bool large = kind.find("64 b") != kind.npos || kind.find("256 b") != kind.npos;
    if (large && !kind.starts_with(wide)) good = good && share >= 0.999;
    if (kind.ends_with("NaN") || kind.ends_with("stale") || kind.ends_with("swapped"))
      good = good && count.found == count.calls;
  }
  std::printf("calls whose answer was not right: %ld\n", statistics.bad_answers);
  return good ? 0 : 1;
}

int run(long calls, std::uint64_t seed) {
  const LayerControl& layer = LayerControl::get();
  Settings settings;
  settings.strategy = Strategy::hybrid;
  Engine engine(settings);
  if (engine.gpu() == nullptr) {
    std::fprintf(stderr, "no device: %s\n", engine.gpu_problem().c_str());
    return 2;
  }
  std::mt19937_64 random(seed);
  Statistics statistics;
  for (long call = 0; call < calls; ++call) {
    switch (call % 4) {
      case 0: Trial<float>(engine, random).run(layer, statistics); break;
      case 1: Trial<double>(engine, random).run(layer, statistics); break;
      case 2: Trial<std::complex<float>>(engine, random).run(layer, statistics); break;
      default: Trial<std::complex<double>>(engine, random).run(layer, statistics); break;
    }
  }
  return report(statistics);
}

}  // namespace
}  // namespace duoblas::test

int main(int argc, char** argv) {
  long calls = 2000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--calls") calls = std::atol(argv[i + 1]);
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return duoblas::test::run(calls, seed);
}
