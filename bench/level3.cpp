// syrk, symm, trmm, trsm and the rest of level 3: each way that they can be done against the CPU
// BLAS's own routine on all cores.
//
//   bench_level3 --routines syrk,trsm --precision s,d --n 512,1024,2048 --ways auto,job,halves
//
// Calls take turns (CPU BLAS, then the ways), so that drift of the clock affects all alike. Printed
// are medians in milliseconds, and medians of the ratios to the CPU BLAS's time within rounds:
// below 1 is a gain. "more" is the milliseconds that all calls of the last way, the first ones
// included, took beyond the first way's: the cost of finding out which side is faster. "steps" is
// the number of steps in the first way's decision; 0: the CPU BLAS did it all. "gemm" is a product
// of as many flops, for the time per flop.
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "bench/quiet_rounds.hpp"
#include "engine/cpu_blas.hpp"
#include "level3/blocked_level3.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_level3 [--routines symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm] [--precision s,d]
                    [--n 256,512,1024,2048] [--ways auto,split] [--split 8/16] [--seconds 1]
                    [--cpu yes] [--memory ordinary]

  --n        square matrices of this size (k = n)
  --ways     auto: as planned; job: the device does it all at once, where it can; halves: products
             and a rest; split: as planned with --split; gemm: a product of this size, whose time
             is scaled to the routine's flops
  --seconds  per routine, type and size; three rounds at least. Neither the first two count nor, up
             to twenty in all, those beside which kernels were built: it waits until they are
  --cpu      no: without the CPU BLAS's routine, which is slow in large calls; ratios are over the
             first way
  --memory   locked: of duoblas::Buffer, whose pages a device that copies locks
)";

Share share_of(const std::string& text) {
  Share share;
  if (std::sscanf(text.c_str(), "%d/%d", &share.gpu_parts, &share.parts) != 2 || !is_valid(share))
    throw SettingError("--split is p_g/P, not " + text);
  return share;
}

// A's diagonal is one and the rest small, so that solving and multiplying in place over and over
// leaves numbers as they are.
template <typename Real>
void fill(void* memory, std::int64_t n, std::int64_t parts, bool triangular) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double damping = triangular ? 1.0 / static_cast<double>(n * n) : 1.0;
  auto* values = static_cast<Real*>(memory);
  for (std::int64_t i = 0; i < n * n * parts; ++i)
    values[i] = static_cast<Real>(damping * uniform(random));
  for (std::int64_t i = 0; triangular && i < n; ++i) values[i * (n + 1) * parts] = 1;
}

/// Ordinary memory, or that of a duoblas::Buffer, whose pages devices that copy lock.
class Matrix {
 public:
  Matrix(std::size_t bytes, bool is_locked) {
    if (is_locked)
      locked_.emplace(bytes);
    else
      ordinary_.resize(bytes);
  }
  std::byte* data() { return locked_ ? locked_->data() : ordinary_.data(); }

 private:
  std::vector<std::byte> ordinary_;
  std::optional<Buffer<std::byte>> locked_;
};

class SquareCall {
 public:
  SquareCall(Routine routine, Precision precision, std::int64_t n, bool is_locked)
      : bytes_(static_cast<std::size_t>(n * n) * element_size(precision)),
        a_(bytes_, is_locked),
        b_(bytes_, is_locked),
        c_(bytes_, is_locked) {
    const std::int64_t parts = is_complex(precision) ? 2 : 1;
    for (Matrix* x : {&a_, &b_, &c_}) {
      const bool triangular = x == &a_ && is_in_place(routine);
      if (is_double(precision))
        fill<double>(x->data(), n, parts, triangular);
      else
        fill<float>(x->data(), n, parts, triangular);
    }
    problem_.routine = routine;
    problem_.precision = precision;
    problem_.uplo = Uplo::lower;
    problem_.m = problem_.n = problem_.k = n;
    problem_.lda = problem_.ldb = problem_.ldc = n;
    problem_.a = a_.data();
    problem_.b = has_b(routine) ? b_.data() : nullptr;
    problem_.c = c_.data();
  }
  const Level3Problem& problem() const { return problem_; }

 private:
  std::size_t bytes_;
  Matrix a_, b_, c_;
  Level3Problem problem_;
};

struct Variant {
  std::string name;
  std::function<double(const Level3Problem&)> seconds;
};

GemmProblem product_like(const Level3Problem& p) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = product.n = product.k = p.n;
  product.a = p.a;
  product.b = p.b != nullptr ? p.b : p.a;
  product.c = p.c;
  product.lda = product.ldb = product.ldc = p.n;
  return product;
}

std::vector<Variant> variants_of(Engine& engine, const NamedOptions& options) {
  const Share split = share_of(options["--split"]);
  const auto timed = [&engine](Level3Mode variant) {
    return [&engine, variant](const Level3Problem& p) {
      return seconds_of([&] { run_level3(engine, p, cpu_blas_limits, variant); });
    };
  };
  std::vector<Variant> variants;
  if (options["--cpu"] == "yes")
    variants.push_back({"cpu", [&engine](const Level3Problem& p) {
                          return seconds_of([&] { run_on_cpu(engine, p); });
                        }});
  for (const std::string& name : list_items(options["--ways"])) {
    if (name == "auto") {
      variants.push_back({name, timed(Level3Mode::any)});
    } else if (name == "job") {
      variants.push_back({name, timed(Level3Mode::job)});
    } else if (name == "halves") {
      variants.push_back({name, timed(Level3Mode::halves)});
    } else if (name == "split") {
      variants.push_back({options["--split"], [&engine, split](const Level3Problem& p) {
                            engine.plans().set_split(split);
                            const double took = seconds_of([&] { run_level3(engine, p); });
                            engine.plans().set_split({});
                            return took;
                          }});
    } else if (name == "gemm") {
      // A triangular call overwrites its right-hand sides. The next way finds other numbers there,
      // but as many.
      variants.push_back({name, [&engine](const Level3Problem& p) {
                            const GemmProblem product = product_like(p);
                            return flops(p) / flops(product) *
                                   seconds_of([&] { engine.run(product); });
                          }});
    } else {
      throw SettingError("--ways is of auto, job, halves, split and gemm, not " + name);
    }
  }
  if (variants.empty()) throw SettingError("--ways names none");
  return variants;
}

std::size_t steps_of(Engine& engine, const Level3Problem& p) {
  const Decision decision = decide(engine, p);
  return decision.uses_gpu() ? decision.steps.size() : 0;
}

void compare(Engine& engine, const std::vector<Variant>& variants, const SquareCall& call,
             double seconds) {
  const Level3Problem& p = call.problem();
  std::vector<std::vector<double>> times(variants.size()), ratios(variants.size());
  double spent = 0, more = 0;
  QuietRounds rounds;
  while (times[0].size() < 3 || spent < seconds) {
    std::vector<double> took;
    for (const Variant& variant : variants) took.push_back(variant.seconds(p));
    more += took.back() - took.front();
    if (!rounds.counts()) continue;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      spent += took[i];
      times[i].push_back(took[i]);
      ratios[i].push_back(took[i] / took[0]);
    }
  }
  std::printf("%c%-6s %6lld %6zu %5zu", letter(p.precision), name(p.routine),
              static_cast<long long>(p.n), times[0].size(), steps_of(engine, p));
  for (const auto& of_way : times) std::printf(" %9.3f", 1e3 * median(of_way));
  for (const auto& of_way : ratios) std::printf("  %6.3f", median(of_way));
  std::printf(" %8.1f\n", 1e3 * more);
  std::fflush(stdout);
}

int run(const NamedOptions& options) {
  const double seconds = std::stod(options["--seconds"]);
  const bool is_locked = options["--memory"] == "locked";
  if (!is_locked && options["--memory"] != "ordinary")
    throw SettingError("--memory is ordinary or locked, not " + options["--memory"]);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  const std::vector<Variant> variants = variants_of(engine, options);
  const GpuSide* gpu = engine.gpu();
  std::printf("%s%s\n%-7s %6s %6s %5s",
              gpu != nullptr ? gpu->info().name.c_str() : engine.facts().gpu_problem().c_str(),
              engine.settings().standin ? " (stand-in)" : "", "ms", "n", "rounds", "steps");
  for (const Variant& variant : variants) std::printf(" %9s", variant.name.c_str());
  for (const Variant& variant : variants) std::printf("  %6s", variant.name.c_str());
  std::printf(" %8s\n", "more");
  for (const std::string& routine : list_items(options["--routines"]))
    for (const std::string& precision : list_items(options["--precision"])) {
      const Routine chosen = routine_named(routine);
      const Precision type = precision_named(precision);
      if (is_hermitian(chosen) && !is_complex(type)) continue;
      for (const std::string& n : list_items(options["--n"]))
        compare(engine, variants, SquareCall(chosen, type, std::stoll(n), is_locked), seconds);
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_level3", kUsage,
                        NamedOptions({{"--routines", "symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm"},
                                      {"--precision", "s,d"},
                                      {"--n", "256,512,1024,2048"},
                                      {"--ways", "auto,split"},
                                      {"--split", "8/16"},
                                      {"--seconds", "1"},
                                      {"--cpu", "yes"},
                                      {"--memory", "ordinary"}}),
                        argc, argv, run);
}
