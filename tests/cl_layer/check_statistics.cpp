// check_statistics [--calls N] [--seed S] [--routine symm|hemm|...]: how many faults of a device
// checks find, by their kind and size, and how many right results they suspect. Faults are played
// by the layer of these tests, whose device is PoCL. Exit code 1: a right result was rejected, or
// a call's result is not right, or a fault of 64 times the element's bound was missed more often
// than once in a thousand.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cl_layer/faulty_product.hpp"
#include "engine/cpu_blas.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

// Of operands whose elements differ by a factor of up to 2^40. A sum over a row says nothing of its
// smallest elements: these faults are counted, and no more.
constexpr const char* wide = "wide: ";

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
    FaultyProduct<T> product(engine_, random_, p_, plan_);
    const std::vector<T> right = reference();
    const std::string kind = product.draw_fault(layer);
    const HybridOutcome outcome = product.run(layer);
    statistics.add((is_wide_ ? wide : "") + kind, outcome);
    if ((outcome.was_wrong || kind == "no fault") && !is_right(right)) ++statistics.bad_answers;
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

// A call of many products, one of which is spoilt.
template <typename T>
class Level3Trial {
 public:
  Level3Trial(Engine& engine, std::mt19937_64& random, Routine routine)
      : engine_(engine), random_(random), factors_{routine} {
    factors_.layout = below(2) == 0 ? Layout::row_major : Layout::column_major;
    factors_.side = below(2) == 0 ? Side::left : Side::right;
    factors_.uplo = below(2) == 0 ? Uplo::upper : Uplo::lower;
    constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
    do factors_.op = ops[below(3)];
    while (!exists<T>(factors_));
    factors_.order = 2 + below(100);
    factors_.free = 1 + below(100);
    factors_.pad = below(3);
    factors_.alpha = below(2) == 0 ? 1.0 : -0.75;
    factors_.beta = below(2) == 0 ? 0.0 : 0.5;
    factors_.seed = random_();
  }

  void run(const LayerControl& layer, Statistics& statistics) {
    Level3Matrices<T> matrices(factors_);
    const CallerLevel3 call = matrices.call(factors_);
    const Level3Reference<T> reference(call);
    // Products are checked, a job of the device is not.
    const Decision decision =
        decide(engine_, to_row_major(call), cpu_blas_limits, Level3Mode::halves);
    const auto products = std::ranges::count_if(decision.steps, [](const auto& step) {
      return std::holds_alternative<PlannedProduct>(step);
    });
    if (products == 0) return;
    std::int64_t spoilt = below(products);
    bool answers = true;
    for (const CallStep& step : decision.steps) {
      if (const auto* routine = std::get_if<RoutineStep>(&step)) {
        run_on_cpu(engine_, routine->problem);
        continue;
      }
      const auto& [problem, plan] = std::get<PlannedProduct>(step);
      FaultyProduct<T> product(engine_, random_, problem, plan);
      const std::string kind = spoilt-- == 0 ? product.draw_fault(layer) : "no fault";
      const HybridOutcome outcome = product.run(layer);
      statistics.add(std::string(name(factors_.routine)) + ": " + kind, outcome);
      answers = answers && (outcome.was_wrong || kind == "no fault");
    }
    if (answers && !(reference.scaled_error() < 1)) ++statistics.bad_answers;
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  Engine& engine_;
  std::mt19937_64& random_;
  Level3Factors factors_;
};

template <typename T>
void run_trial(Engine& engine, std::mt19937_64& random, const std::optional<Routine>& routine,
               const LayerControl& layer, Statistics& statistics) {
  if (!routine)
    Trial<T>(engine, random).run(layer, statistics);
  else if (is_complex_type<T> || !is_hermitian(*routine))
    Level3Trial<T>(engine, random, *routine).run(layer, statistics);
}

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

std::optional<Routine> routine_named(const std::string& wanted) {
  for (const Routine routine : all_routines)
    if (name(routine) == wanted) return routine;
  return {};
}

int run(long calls, std::uint64_t seed, const std::optional<Routine>& routine) {
  const LayerControl& layer = LayerControl::get();
  Settings settings;
  settings.strategy = Strategy::hybrid;
  settings.check = CheckMode::off;  // trials of kernels would meet the faults; checks are made here
  if (routine) settings.split = Share{8, 16};  // of products of any size
  Engine engine(settings);
  if (engine.gpu() == nullptr) {
    std::fprintf(stderr, "no device: %s\n", engine.facts().gpu_problem().c_str());
    return 2;
  }
  std::mt19937_64 random(seed);
  Statistics statistics;
  for (long call = 0; call < calls; ++call) {
    switch (call % 4) {
      case 0: run_trial<float>(engine, random, routine, layer, statistics); break;
      case 1: run_trial<double>(engine, random, routine, layer, statistics); break;
      case 2: run_trial<std::complex<float>>(engine, random, routine, layer, statistics); break;
      default: run_trial<std::complex<double>>(engine, random, routine, layer, statistics);
    }
  }
  return report(statistics);
}

}  // namespace
}  // namespace duoblas::test

int main(int argc, char** argv) {
  long calls = 2000;
  std::uint64_t seed = 1;
  std::optional<duoblas::Routine> routine;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--calls") calls = std::atol(argv[i + 1]);
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--routine") {
      routine = duoblas::test::routine_named(argv[i + 1]);
      if (!routine) {
        std::fprintf(stderr, "--routine takes symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm\n");
        return 2;
      }
    }
  }
  return duoblas::test::run(calls, seed, routine);
}
