// syrk, symm, trmm, trsm and the rest of level 3: each way that they can be done against the CPU
// BLAS's own routine on all cores, in turns.
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/harness.hpp"
#include "engine/cpu_blas.hpp"
#include "level3/blocked_level3.hpp"
#include "timing/stopwatch.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"([--routines symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm] [--precision s,d] [--n 256,512,1024,2048]
  [--ways auto,job] [--seconds 1] [--cpu yes]

Medians in milliseconds, and of the ratios to the first way within rounds.
--n        square matrices of this size (k = n)
--ways     auto: as planned; job: the device does it all at once, where it can; halves: products and a rest;
           gemm: a product of this size, whose time is scaled to the routine's flops
--seconds  per routine, type and size; three rounds at least
--cpu      no: without the CPU BLAS's routine, which is slow in large calls
"steps" are those of the decision of a call that asks for nothing; 0: the CPU BLAS does it all.
)";

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
  SquareCall(Routine routine, Precision precision, std::int64_t n) {
    const std::int64_t parts = is_complex(precision) ? 2 : 1;
    for (std::vector<std::byte>* x : {&a_, &b_, &c_}) {
      x->resize(static_cast<std::size_t>(n * n) * element_size(precision));
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
  std::vector<std::byte> a_, b_, c_;
  Level3Problem problem_;
};

// A triangular call overwrites its right-hand sides. The next way finds other numbers there, but as
// many.
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

Contender way_named(const std::string& name, Engine& engine, const Level3Problem& p) {
  const auto as = [&](Level3Mode mode) {
    return Contender{name, [&engine, &p, mode] {
                       return seconds_of([&] { run_level3(engine, p, cpu_blas_limits, mode); });
                     }};
  };
  if (name == "cpu")
    return {name, [&engine, &p] { return seconds_of([&] { run_on_cpu(engine, p); }); }};
  if (name == "auto") return as(Level3Mode::any);
  if (name == "job") return as(Level3Mode::job);
  if (name == "halves") return as(Level3Mode::halves);
  if (name != "gemm") throw SettingError("--ways is of auto, job, halves and gemm, not " + name);
  return {name, [&engine, &p, product = product_like(p)] {
            return flops(p) / flops(product) * seconds_of([&] { engine.run(product); });
          }};
}

std::string steps_of(Engine& engine, const Level3Problem& p) {
  const Decision decision = decide(engine, p);
  return std::to_string(decision.uses_gpu() ? decision.steps.size() : 0);
}

void compare(Engine& engine, const std::vector<std::string>& names, const Level3Problem& p,
             double seconds, const Table& table) {
  std::vector<Contender> ways;
  for (const std::string& name : names) ways.push_back(way_named(name, engine, p));
  const std::vector<Taken> taken = in_turns(ways, {3, 1000, seconds});
  std::vector<std::string> cells = {std::string(1, letter(p.precision)) + name(p.routine),
                                    std::to_string(p.n), steps_of(engine, p)};
  for (const Taken& one : taken) cells.push_back(fixed(1e3 * one.median, 3));
  for (const Taken& one : taken) cells.push_back(fixed(one.ratio, 3));
  table.row(cells);
}

int run(const NamedOptions& options) {
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  std::vector<std::string> names = options.list("--ways");
  if (options.is("--cpu", "yes")) names.insert(names.begin(), "cpu");
  if (names.empty()) throw SettingError("--ways names none");
  const GpuSide* gpu = engine.gpu();
  std::cout << (gpu != nullptr ? gpu->info().name : engine.facts().gpu_problem())
            << (engine.settings().standin ? " (stand-in)\n" : "\n");
  std::vector<std::pair<std::string, int>> columns = {{"", -7}, {"n", 5}, {"steps", 5}};
  for (const std::string& name : names) columns.emplace_back(name + ", ms", 10);
  for (const std::string& name : names) columns.emplace_back(name, 6);
  const Table table(columns);
  for (const std::string& routine : options.list("--routines"))
    for (const std::string& precision : options.list("--precision"))
      for (const std::string& n : options.list("--n")) {
        const Routine chosen = routine_named(routine);
        const Precision type = precision_named(precision);
        if (is_hermitian(chosen) && !is_complex(type)) continue;
        const SquareCall call(chosen, type, std::stoll(n));
        compare(engine, names, call.problem(), options.positive("--seconds"), table);
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main("bench_level3",
                    {{"", kUsage,
                      NamedOptions({{"--routines", "symm,hemm,syrk,herk,syr2k,her2k,trmm,trsm"},
                                    {"--precision", "s,d"},
                                    {"--n", "256,512,1024,2048"},
                                    {"--ways", "auto,job"},
                                    {"--seconds", "1"},
                                    {"--cpu", "yes"}}),
                      run}},
                    argc, argv);
}
