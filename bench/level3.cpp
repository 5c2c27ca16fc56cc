// syrk, symm, trmm, trsm and their kin: ours against the CPU BLAS's own routine on all cores.
//
//   bench_level3 --routines syrk,trsm --precision s,d --n 512,1024,2048 --split 8/16
//
// Calls take turns (CPU BLAS, ours as planned, ours with the split given), so that drift of the
// clock falls on all alike. Printed are medians in milliseconds and the medians of the ratios
// within rounds, ours over the CPU BLAS's: below 1 is a gain. "products" are those of the planned
// call that went through the engine; 0: the CPU BLAS did it all.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "level3/blocked_level3.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_level3 [--routines symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm] [--precision s,d]
                    [--n 256,512,1024,2048] [--split 8/16] [--seconds 1]

  --n        square matrices of this size (k = n)
  --split    of the third column
  --seconds  per routine, type and size; three rounds at least
)";

Routine routine_named(const std::string& wanted) {
  for (std::size_t i = 0; i < routine_count; ++i)
    if (wanted == name(static_cast<Routine>(i))) return static_cast<Routine>(i);
  throw SettingError("there is no routine " + wanted);
}

Precision precision_named(const std::string& wanted) {
  for (const Precision precision : all_precisions)
    if (wanted == std::string(1, letter(precision))) return precision;
  throw SettingError("--precision is of s, d, c, z, not " + wanted);
}

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

class SquareCall {
 public:
  SquareCall(Routine routine, Precision precision, std::int64_t n)
      : bytes_(static_cast<std::size_t>(n * n) * element_size(precision)),
        a_(bytes_),
        b_(bytes_),
        c_(bytes_) {
    const std::int64_t parts = is_complex(precision) ? 2 : 1;
    for (Buffer<std::byte>* x : {&a_, &b_, &c_}) {
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
  Buffer<std::byte> a_, b_, c_;
  Level3Problem problem_;
};

void compare(Engine& engine, const Level3Problem& p, Share split, double seconds) {
  int products = 0;
  const auto on_cpu = [&] { engine.run_on_cpu(p); };
  const auto planned = [&] { products = run_level3(engine, p).products; };
  const auto forced = [&] {
    engine.set_split(split);
    run_level3(engine, p);
    engine.set_split({});
  };
  std::vector<double> times[3], ratios[2];
  double spent = 0;
  for (int round = -1; round < 3 || spent < seconds; ++round) {
    const double cpu = seconds_of(on_cpu), ours = seconds_of(planned), both = seconds_of(forced);
    if (round < 0) continue;  // libraries are loaded and kernels built
    spent += cpu + ours + both;
    times[0].push_back(cpu);
    times[1].push_back(ours);
    times[2].push_back(both);
    ratios[0].push_back(ours / cpu);
    ratios[1].push_back(both / cpu);
  }
  std::printf("%c%-6s %6lld %6zu %9.3f %9.3f %9.3f  %9.1f %7d  %6.3f  %6.3f\n", letter(p.precision),
              name(p.routine), static_cast<long long>(p.n), times[0].size(), 1e3 * median(times[0]),
              1e3 * median(times[1]), 1e3 * median(times[2]), 1e-9 * flops(p) / median(times[1]),
              products, median(ratios[0]), median(ratios[1]));
  std::fflush(stdout);
}

int run(const NamedOptions& options) {
  const Share split = share_of(options["--split"]);
  const double seconds = std::stod(options["--seconds"]);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  const GpuSide* gpu = engine.gpu();
  std::printf("%s%s\n%-7s %6s %6s %9s %9s %9s  %9s %8s %7s %7s\n",
              gpu != nullptr ? gpu->info().name.c_str() : engine.gpu_problem().c_str(),
              engine.settings().standin ? " (stand-in)" : "", "", "n", "rounds", "cpu ms",
              "auto ms", (options["--split"] + " ms").c_str(), "auto GF/s", "products", "auto",
              options["--split"].c_str());
  for (const std::string& routine : list_items(options["--routines"]))
    for (const std::string& precision : list_items(options["--precision"])) {
      const Routine chosen = routine_named(routine);
      const Precision type = precision_named(precision);
      if (is_hermitian(chosen) && !is_complex(type)) continue;
      for (const std::string& n : list_items(options["--n"]))
        compare(engine, SquareCall(chosen, type, std::stoll(n)).problem(), split, seconds);
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_level3", kUsage,
                        NamedOptions({{"--routines", "symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm"},
                                      {"--precision", "s,d"},
                                      {"--n", "256,512,1024,2048"},
                                      {"--split", "8/16"},
                                      {"--seconds", "1"}}),
                        argc, argv, run);
}
