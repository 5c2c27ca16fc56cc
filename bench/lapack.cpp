// LU, Cholesky, QR, inverses and solves on both sides against the CPU BLAS's own LAPACK on all
// cores, in turns, each on a new copy of the matrix.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/harness.hpp"
#include "lapack/lapack_call.hpp"
#include "problem/element_types.hpp"
#include "problem/lapack_problem.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"([--routines getrf,potrf,gesv,posv,getrs,potrs,getri,geqrf,orgqr,ormqr] [--precision s,d]
  [--n 512,1024,2048,4096] [--ways auto,copied,in_place] [--sides 1] [--op n] [--side left] [--seconds 1] [--cpu yes]
  [--matrix uniform]

Medians, and of the ratios to the first way within rounds. Where the CPU did a call, the reason follows.
--ways     auto: as a call of duoblas/lapack.h is done, by the CPU BLAS where that is faster; copied: the device has
           the matrix for the length of the call, where it can; in_place: each update is the device's where it lies
--sides    right-hand sides of gesv, posv, getrs and potrs; n: as many as the matrix has rows
--op       of getrs: n, t or c
--side     of ormqr: left, or right
--seconds  per routine, type and size; three rounds at least
--cpu      no: without the CPU BLAS's own routine
--matrix   uniform: independent numbers from -1 to 1; large_diagonal: L is nearly a unit matrix, and
           pivots are on two diagonals. Definite ones have a large diagonal
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

template <typename T>
void fill_uniform(void* memory, std::int64_t n) {
  using Real = PartOf<T>;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  auto* parts = static_cast<Real*>(memory);
  std::generate_n(parts, n * n * static_cast<std::int64_t>(sizeof(T) / sizeof(Real)),
                  [&] { return uniform(random); });
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
    bool large_diagonal = false;  ///< of a matrix that need not be definite
  };
  SquareCall(LapackRoutine routine, Precision precision, std::int64_t n, const Solve& solve)
      : bytes_(static_cast<std::size_t>(n * n) * element_size(precision)),
        original_(bytes_),
        a_(bytes_),
        b_(static_cast<std::size_t>(n * sides_of(routine, n, solve)) * element_size(precision)),
        tau_(static_cast<std::size_t>(n) * element_size(precision)),
        pivots_(static_cast<std::size_t>(n)) {
    const bool is_lu = !is_definite(routine);
    const bool large = !is_lu || solve.large_diagonal;
    with_element_type(precision, [&](auto zero) { make<decltype(zero)>(n, is_lu, large); });
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
  void make(std::int64_t n, bool is_lu, bool large_diagonal) {
    if (large_diagonal) {
      fill<T>(original_.data(), n);
      if (is_lu) turn_rows<T>(original_.data(), n);
    } else {
      fill_uniform<T>(original_.data(), n);
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

// What a way's last call told.
struct Told {
  bool used_gpu = false;
  Reason reason = Reason::cpu_asked_for;
};

double timed(Engine& engine, const LapackProblem& p, MatrixHome home, Told& told) {
  LapackOutcome did;
  const double seconds = seconds_of([&] {
    did = home == MatrixHome::any ? run_lapack(engine, p)
                                  : carry_out(engine, p, decide(engine, p, home));
  });
  told = {did.outcome.used_gpu, did.outcome.plan.reason};
  if (did.info != 0) throw Error(std::string(name(p.routine)) + " failed");
  if (did.outcome.recovered) throw Error("the GPU failed");
  return seconds;
}

Contender way_named(const std::string& name, Engine& engine, SquareCall& call, Told& told) {
  if (name == "cpu")
    return {name, [&engine, &call] {
              const LapackProblem& p = call.restored();
              const CpuConfig all =
                  engine.plans().cpu_alone(p.precision, Reason::cpu_asked_for).cpu;
              return seconds_of([&] { engine.cpu().run(p, all); });
            }};
  if (name != "auto" && name != "copied" && name != "in_place")
    throw SettingError("--ways is of auto, copied and in_place, not " + name);
  const auto home = name == "auto"     ? MatrixHome::any
                    : name == "copied" ? MatrixHome::copied
                                       : MatrixHome::in_place;
  return {name,
          [&engine, &call, &told, home] { return timed(engine, call.restored(), home, told); }};
}

void compare(Engine& engine, const std::vector<std::string>& names, SquareCall& call,
             double seconds, const Table& table) {
  std::vector<Told> told(names.size());
  std::vector<Contender> ways;
  for (std::size_t i = 0; i < names.size(); ++i)
    ways.push_back(way_named(names[i], engine, call, told[i]));
  const std::vector<Taken> taken = in_turns(ways, {3, 1000, seconds});
  const LapackProblem& p = call.restored();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double ms = 1e3 * taken[i].median;
    table.row({std::string(1, letter(p.precision)) + name(p.routine), std::to_string(p.n), names[i],
               fixed(ms, 3), fixed(1e-6 * flops(p) / ms, 1), fixed(taken[i].ratio, 3),
               told[i].used_gpu ? "" : std::string(sentence(told[i].reason))});
  }
}

Op op_named(const std::string& letter) {
  return ops_named(letter + letter).first;
}

bool has_large_diagonal(const std::string& matrix) {
  if (matrix != "uniform" && matrix != "large_diagonal")
    throw SettingError("--matrix is uniform or large_diagonal, not " + matrix);
  return matrix == "large_diagonal";
}

int run(const NamedOptions& options) {
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  std::vector<std::string> names = options.list("--ways");
  if (options.is("--cpu", "yes")) names.insert(names.begin(), "cpu");
  const GpuSide* gpu = engine.gpu();
  std::cout << (gpu != nullptr ? gpu->info().name : engine.facts().gpu_problem())
            << (engine.settings().standin ? " (stand-in)\n" : "\n");
  const Table table(
      {{"", -6}, {"n", 5}, {"way", -8}, {"ms", 10}, {"GFLOPS", 9}, {"ratio", 6}, {"", -1}});
  for (const std::string& routine : options.list("--routines"))
    for (const std::string& precision : options.list("--precision"))
      for (const std::string& n : options.list("--n")) {
        const std::int64_t order = std::stoll(n);
        const std::string& sides = options["--sides"];
        const LapackRoutine named = lapack_routine_named(routine);
        SquareCall call(named, precision_named(precision), order,
                        {sides == "n" ? order : std::stoll(sides), op_named(options["--op"]),
                         options.is("--side", "right") ? Side::right : Side::left,
                         has_large_diagonal(options["--matrix"])});
        if (solves(named) || named == LapackRoutine::getri) call.factorise(engine);
        compare(engine, names, call, options.positive("--seconds"), table);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main("bench_lapack",
                    {{"", kUsage,
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
                      run}},
                    argc, argv);
}
