// LU, Cholesky, QR, inverses and solves on both sides against the CPU BLAS's own LAPACK on all
// cores.
//
//   bench_lapack --routines getrf,potrf --precision s,d,c,z --n 1024,4096,8192 --ways auto,copied
//
// Calls take turns (CPU BLAS, then the ways), each on a new copy of the matrix. Printed are GFLOPS
// of the median calls. "more" is the milliseconds that all calls of a way, the first ones included,
// took beyond the first way's. Where the CPU did a call, the reason follows.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "bench/quiet_rounds.hpp"
#include "lapack/lapack_call.hpp"
#include "problem/element_types.hpp"
#include "problem/lapack_problem.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(usage: bench_lapack [--routines getrf,potrf,gesv,posv,getrs,potrs,getri,geqrf,orgqr,ormqr]
                    [--precision s,d] [--n 512,1024,2048,4096] [--ways auto,copied,in_place] [--sides 1] [--op n]
                    [--seconds 1] [--cpu yes] [--matrix uniform]

  --ways     auto: as a call of duoblas/lapack.h is done, by the CPU BLAS where that is faster;
             copied: the device has the matrix for the length of the call, where it can; in_place:
             each update is the device's where the matrix lies
  --sides    right-hand sides of gesv, posv, getrs and potrs; n: as many as the matrix has rows
  --op       of getrs: n, t or c
  --seconds  per routine, type and size; three rounds at least. Neither the first two count nor, up
             to twenty in all, those beside which kernels were built: it waits until they are
  --cpu      no: without the CPU BLAS's own routine
  --side     of ormqr: left, or right
  --matrix   uniform (from -1 to 1) or normal: independent numbers; large_diagonal: L is nearly a
             unit matrix, and pivots are on two diagonals. Definite ones have a large diagonal
)";

LapackRoutine lapack_routine_named(const std::string& wanted) {
  for (const LapackRoutine routine :
       {LapackRoutine::getrf, LapackRoutine::potrf, LapackRoutine::gesv, LapackRoutine::posv,
        LapackRoutine::getrs, LapackRoutine::potrs, LapackRoutine::getri, LapackRoutine::geqrf,
        LapackRoutine::orgqr, LapackRoutine::ormqr})
    if (wanted == name(routine)) return routine;
  throw SettingError(
      "--routines is of getrf, potrf, gesv, posv, getrs, potrs, getri, geqrf, orgqr and ormqr, "
      "not " +
      wanted);
}

// Symmetric or Hermitian, with a diagonal that makes it positive definite.
template <typename T>
void fill(void* memory, std::int64_t n) {
  using Real = decltype(std::abs(T()));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  auto* values = static_cast<T*>(memory);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      T value = uniform(random) + (i == j ? static_cast<Real>(n) : Real(0));
      values[j * n + i] = values[i * n + j] = value;
      if constexpr (!std::is_same_v<T, Real>) {
        if (i == j) continue;
        value.imag(uniform(random));
        values[j * n + i] = value;
        values[i * n + j] = std::conj(value);
      }
    }
}

enum class Numbers { uniform, normal, large_diagonal };

template <typename T>
void fill_with_independent_numbers(void* memory, std::int64_t n, Numbers of) {
  using Real = PartOf<T>;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::normal_distribution<Real> normal;
  auto* parts = static_cast<Real*>(memory);
  std::generate_n(parts, n * n * static_cast<std::int64_t>(sizeof(T) / sizeof(Real)),
                  [&] { return of == Numbers::normal ? normal(random) : uniform(random); });
}

// LU of such a matrix would never swap rows. So its upper half changes places with the lower one.
template <typename T>
void turn_rows(void* memory, std::int64_t n) {
  auto* values = static_cast<T*>(memory);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n / 2; ++i)
      std::swap(values[j * n + i], values[j * n + i + n / 2]);
}

// The factors that make reflectors of the columns below the diagonal, so that Q is orthogonal.
template <typename T>
void fill_tau(void* memory, const void* matrix, std::int64_t n) {
  using Real = PartOf<T>;
  auto* tau = static_cast<T*>(memory);
  const auto* values = static_cast<const T*>(matrix);
  for (std::int64_t j = 0; j < n; ++j) {
    Real squares = 1;
    for (std::int64_t i = j + 1; i < n; ++i)
      squares += static_cast<Real>(std::norm(values[j * n + i]));
    tau[j] = 2 / squares;
  }
}

class SquareCall {
 public:
  struct Solve {
    std::int64_t sides = 1;
    Op op = Op::none;
    Side side = Side::left;
    Numbers numbers = Numbers::uniform;  ///< of a matrix that need not be definite
  };
  SquareCall(LapackRoutine routine, Precision precision, std::int64_t n, const Solve& solve)
      : bytes_(static_cast<std::size_t>(n * n) * element_size(precision)),
        original_(bytes_),
        a_(bytes_),
        b_(static_cast<std::size_t>(n * sides_of(routine, n, solve)) * element_size(precision)),
        tau_(static_cast<std::size_t>(n) * element_size(precision)),
        pivots_(static_cast<std::size_t>(n)) {
    const bool is_lu = !is_definite(routine);
    const Numbers numbers = is_lu ? solve.numbers : Numbers::large_diagonal;
    with_element_type(precision, [&](auto zero) { make<decltype(zero)>(n, is_lu, numbers); });
    problem_.routine = routine;
    problem_.precision = precision;
    problem_.uplo = Uplo::lower;
    problem_.side = solve.side;
    problem_.m = problem_.n = problem_.lda = problem_.ldb = n;
    problem_.right_sides = sides_of(routine, n, solve);
    problem_.op = routine == LapackRoutine::getrs ? solve.op : Op::none;
    problem_.a = a_.data();
    problem_.b = b_.data();
    problem_.pivots = pivots_.data();
    problem_.tau = tau_.data();
    problem_.reflectors = routine == LapackRoutine::orgqr ? n : 0;
  }
  /// Inverses and solves begin with a factorised matrix.
  void factorise(Engine& engine) {
    LapackProblem factors = problem_;
    factors.routine = is_definite(problem_.routine) ? LapackRoutine::potrf : LapackRoutine::getrf;
    factors.a = original_.data();
    engine.cpu().run(factors,
                     engine.plans().cpu_alone(factors.precision, Reason::cpu_asked_for).cpu);
  }
  /// The problem with its matrix as it was before the call.
  const LapackProblem& restored() {
    std::memcpy(a_.data(), original_.data(), bytes_);
    return problem_;
  }

 private:
  template <typename T>
  void make(std::int64_t n, bool is_lu, Numbers numbers) {
    if (numbers == Numbers::large_diagonal) {
      fill<T>(original_.data(), n);
      if (is_lu) turn_rows<T>(original_.data(), n);
    } else {
      fill_with_independent_numbers<T>(original_.data(), n, numbers);
    }
    fill_tau<T>(tau_.data(), original_.data(), n);
    std::fill_n(reinterpret_cast<T*>(b_.data()), b_.size() / sizeof(T), T(1));
  }
  // ormqr has as many right-hand sides as the matrix has columns.
  static std::int64_t sides_of(LapackRoutine routine, std::int64_t n, const Solve& solve) {
    if (routine == LapackRoutine::ormqr) return n;
    return has_right_sides(routine) ? solve.sides : 0;
  }

  std::size_t bytes_;
  Buffer<std::byte> original_, a_, b_, tau_;
  std::vector<std::int32_t> pivots_;
  LapackProblem problem_;
};

struct Took {
  double whole = 0;
  bool used_gpu = false;
  Reason reason = Reason::none;
};

struct Variant {
  std::string name;
  std::function<Took(const LapackProblem&)> run;
};

Took timed(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Took took;
  LapackOutcome did;
  took.whole = seconds_of([&] {
    did = home == MatrixHome::any ? run_lapack(engine, p)
                                  : carry_out(engine, p, decide(engine, p, home));
  });
  took.used_gpu = did.outcome.used_gpu;
  took.reason = did.outcome.plan.reason;
  if (did.info != 0) throw Error(std::string(name(p.routine)) + " failed");
  if (did.outcome.recovered) throw Error("the GPU failed");
  return took;
}

std::vector<Variant> variants_of(Engine& engine, const NamedOptions& options) {
  std::vector<Variant> variants;
  if (options["--cpu"] == "yes")
    variants.push_back(
        {"cpu", [&engine](const LapackProblem& p) {
           const CpuConfig all = engine.plans().cpu_alone(p.precision, Reason::cpu_asked_for).cpu;
           return Took{seconds_of([&] { engine.cpu().run(p, all); }), false, Reason::cpu_asked_for};
         }});
  for (const std::string& name : list_items(options["--ways"])) {
    const auto home = name == "auto"       ? MatrixHome::any
                      : name == "copied"   ? MatrixHome::copied
                      : name == "in_place" ? MatrixHome::in_place
                                           : throw SettingError(
                                                 "--ways is of auto, copied and "
                                                 "in_place, not " +
                                                 name);
    variants.push_back(
        {name, [&engine, home](const LapackProblem& p) { return timed(engine, p, home); }});
  }
  return variants;
}

void compare(const std::vector<Variant>& variants, SquareCall& call, double seconds) {
  std::vector<std::vector<Took>> took(variants.size());
  std::vector<double> all_calls(variants.size());
  double spent = 0;
  QuietRounds rounds;
  while (took[0].size() < 3 || spent < seconds) {
    std::vector<Took> now;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      now.push_back(variants[i].run(call.restored()));
      all_calls[i] += now.back().whole;
    }
    if (!rounds.counts()) continue;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      spent += now[i].whole;
      took[i].push_back(now[i]);
    }
  }
  const LapackProblem& p = call.restored();
  const auto of = [](const std::vector<Took>& all, auto&& what) {
    std::vector<double> values;
    for (const Took& one : all) values.push_back(what(one));
    return median(values);
  };
  const auto whole = [](const Took& one) { return one.whole; };
  const double first = of(took[0], whole);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const double variant_seconds = of(took[i], whole);
    std::printf("%c%-5s %6lld %-9s %3zu %10.3f %9.1f %7.3f %8.1f", letter(p.precision),
                name(p.routine), static_cast<long long>(p.n), variants[i].name.c_str(),
                took[i].size(), 1e3 * variant_seconds, 1e-9 * flops(p) / variant_seconds,
                variant_seconds / first, 1e3 * (all_calls[i] - all_calls[0]));
    const auto why = took[i].back().used_gpu ? std::string_view() : sentence(took[i].back().reason);
    std::printf("  %.*s\n", static_cast<int>(why.size()), why.data());
  }
  std::fflush(stdout);
}

Op op_named(const std::string& wanted) {
  if (wanted == "n") return Op::none;
  if (wanted == "t") return Op::transpose;
  if (wanted == "c") return Op::conj_transpose;
  throw SettingError("--op is n, t or c, not " + wanted);
}

Numbers numbers_named(const std::string& wanted) {
  if (wanted == "uniform") return Numbers::uniform;
  if (wanted == "normal") return Numbers::normal;
  if (wanted == "large_diagonal") return Numbers::large_diagonal;
  throw SettingError("--matrix is uniform, normal or large_diagonal, not " + wanted);
}

int run(const NamedOptions& options) {
  const double seconds = std::stod(options["--seconds"]);
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  const std::vector<Variant> variants = variants_of(engine, options);
  const GpuSide* gpu = engine.gpu();
  std::printf("%s%s\n%-6s %6s %-9s %3s %10s %9s %7s %8s\n",
              gpu != nullptr ? gpu->info().name.c_str() : engine.facts().gpu_problem().c_str(),
              engine.settings().standin ? " (stand-in)" : "", "", "n", "way", "", "ms", "GFLOPS",
              "ratio", "more");
  for (const std::string& routine : list_items(options["--routines"]))
    for (const std::string& precision : list_items(options["--precision"]))
      for (const std::string& n : list_items(options["--n"])) {
        const std::int64_t order = std::stoll(n);
        const std::string& sides = options["--sides"];
        const LapackRoutine named = lapack_routine_named(routine);
        SquareCall call(named, precision_named(precision), order,
                        {sides == "n" ? order : std::stoll(sides), op_named(options["--op"]),
                         options["--side"] == "right" ? Side::right : Side::left,
                         numbers_named(options["--matrix"])});
        if (solves(named) || named == LapackRoutine::getri) call.factorise(engine);
        compare(variants, call, seconds);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return benchmark_main("bench_lapack", kUsage,
                        NamedOptions({{"--routines", "getrf,potrf"},
                                      {"--precision", "s,d"},
                                      {"--n", "512,1024,2048,4096"},
                                      {"--ways", "auto"},
                                      {"--sides", "1"},
                                      {"--op", "n"},
                                      {"--seconds", "1"},
                                      {"--cpu", "yes"},
                                      {"--side", "left"},
                                      {"--matrix", "uniform"}}),
                        argc, argv, run);
}
