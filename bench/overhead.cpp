// What calls cost beside their work: through the drop-in where it has nothing to do, through it on
// a grid of calls, and to be decided.
#include <vector>

#include "bench/harness.hpp"
#include "bench/overhead_cases.hpp"
#include "engine/engine.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--n 512,1024]

Nanoseconds to decide a dgemm of n that is like those before it, once its ways are known, and 1000 sizes in turns.
)";

template <typename Decide>
void print(const Table& table, const std::string& name, Decide decide) {
  constexpr int calls = 2000;
  const Contender way{name, [&] {
                        return seconds_of([&] {
                                 for (int call = 0; call < calls; ++call) decide();
                               }) /
                               calls;
                      }};
  table.row({name, fixed(1e9 * in_turns({way}, {9, 9}).front().median, 1)});
}

GemmProblem product(std::int64_t n) {
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  return p;
}

int run_decide(const NamedOptions& options) {
  Engine& engine = *new Engine(Settings::from_environment());  // drivers outlive main badly
  const Table table({{"", -24}, {"ns", 9}});
  for (const std::string& size : options.list("--n")) {
    const std::int64_t n = std::stoll(size);
    const MeasuredProblem measured(row_major_call(Precision::d, Op::none, Op::none, n, n, n), 1);
    // A try that is due is made by the next call, so nothing is timed while one is.
    const auto is_settled = [&] {
      const Plan plan = engine.decide(measured.problem()).plan;
      return plan.forecast && plan.forecast->is_settled;
    };
    constexpr int least = 60, most = 1000;
    for (int call = 0; call < least || (call < most && !is_settled()); ++call)
      engine.run(measured.problem());
    print(table, "dgemm " + size + (is_settled() ? ", known" : ", not settled"),
          [&] { engine.decide(measured.problem()); });
  }
  std::vector<GemmProblem> problems;
  for (std::int64_t n = 300; n < 1300; ++n) problems.push_back(product(n));
  print(table, "dgemm, 1000 in turns",
        [&, at = std::size_t{0}]() mutable { engine.decide(problems[at++ % problems.size()]); });
  return 0;
}

}  // namespace
}  // namespace duoblas

int main(int argc, char** argv) {
  using namespace duoblas;
  if (const auto code = answered_for_parent(argc, argv)) return *code;
  const BenchCase decide{"decide", kUsage,
                         NamedOptions(NamedOptions::Defaults{{"--n", "512,1024"}}), run_decide};
  return bench_main("bench_overhead", {small_case(), grid_case(), decide}, argc, argv);
}
