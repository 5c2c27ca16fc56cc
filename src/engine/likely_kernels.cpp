#include "engine/likely_kernels.hpp"

#include <array>
#include <chrono>
#include <cstdint>

#include "engine/background_work.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;

struct LikelyCalls {
  Precision precision;
  Op op_a, op_b;
};

// As row-major calls, with B transposed, or as the products that A A' becomes.
constexpr std::array<LikelyCalls, 8> likely = {{
    {Precision::s, Op::none, Op::none},
    {Precision::d, Op::none, Op::none},
    {Precision::s, Op::none, Op::transpose},
    {Precision::d, Op::none, Op::transpose},
    {Precision::s, Op::transpose, Op::none},
    {Precision::d, Op::transpose, Op::none},
    {Precision::s, Op::transpose, Op::transpose},
    {Precision::d, Op::transpose, Op::transpose},
}};
// For sizes in between, the nearest tuned kernel is usually one of these.
constexpr std::array<std::int64_t, 4> likely_extents = {512, 1024, 2048, 4096};

// Time of a core, beside the program. It suffices for many kernels from a cache, and hardly for one
// that has to be compiled (PoCL: 0.6 s, docs/design/limits.md). A kernel that would take longer is
// built when a call needs it.
constexpr auto affordable = std::chrono::milliseconds(300);

// The program's own first calls with the device come first, because nothing is learned beside a
// compiler. On an H200 calls of sgemm of 2048 stayed on the CPU for 0.8 s, at 16 ms each, where the
// GPU took 3 ms, while such kernels were built. 120 of them took 1.53 s, and 0.76 s with this
// pause.
constexpr double pause_seconds = 1;

GemmProblem cube(const LikelyCalls& calls, std::int64_t extent) {
  GemmProblem problem;
  problem.precision = calls.precision;
  problem.op_a = calls.op_a;
  problem.op_b = calls.op_b;
  problem.m = problem.n = problem.k = extent;
  problem.lda = problem.ldb = problem.ldc = extent;
  problem.alpha = 1.0;
  return problem;
}

// One piece of work per kernel, so that neither a fork nor a call that needs another kernel waits
// for all.
void build_likely_kernels(Engine& engine, std::size_t at, Clock::time_point start) {
  for (const std::int64_t extent : likely_extents) {
    const GemmProblem problem = cube(likely[at], extent);
    engine.build_kernels(problem, engine.plan(problem));
    if (Clock::now() - start > affordable || !background_work_is_wanted()) return;
  }
  if (++at == likely.size()) return;
  give_background_work([&engine, at, start] { build_likely_kernels(engine, at, start); },
                       building_priority(engine.machine().device.is_cpu));
}

}  // namespace

void build_likely_kernels(Engine& engine) {
  give_background_work_later(
      pause_seconds, [&engine] { build_likely_kernels(engine, 0, Clock::now()); },
      building_priority(engine.machine().device.is_cpu));
}

}  // namespace duoblas
