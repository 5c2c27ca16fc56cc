#include "engine/likely_kernels.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

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

// A steady program is asked once a minute.
constexpr double longest_pause = 64;

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
// for all. Not beside the program's calls: a compiler takes a core, and holds up the driver.
// NumPy's solve of 4096 took 180 to 230 ms instead of 115 while such kernels were compiled, and one
// call in each process 390 to 640 ms (docs/experiments/drop-in.md).
class LikelyKernels : public std::enable_shared_from_this<LikelyKernels> {
 public:
  LikelyKernels(Engine& engine, std::function<bool()> rests, double pause)
      : engine_(engine), rests_(std::move(rests)), pause_(pause) {}

  void build_later() {
    give_background_work_later(
        std::exchange(pause_, std::min(2 * pause_, longest_pause)),
        [self = shared_from_this()] { self->build_next(); }, priority());
  }

 private:
  WorkPriority priority() const { return building_priority(engine_.machine().device.is_cpu); }

  void build_next() {
    if (!rests_()) return build_later();
    const auto begun = Clock::now();
    const GemmProblem problem =
        cube(likely[next_ / likely_extents.size()], likely_extents[next_ % likely_extents.size()]);
    const Plan plan = engine_.plans().of(problem);
    engine_.readiness().build_apart(ProductLaunches(problem, plan));
    spent_ += Clock::now() - begun;
    if (++next_ == likely.size() * likely_extents.size() || spent_ > affordable) return;
    give_background_work([self = shared_from_this()] { self->build_next(); }, priority());
  }

  Engine& engine_;
  const std::function<bool()> rests_;
  double pause_;
  std::size_t next_ = 0;
  Clock::duration spent_{};
};

}  // namespace

void build_likely_kernels(Engine& engine, std::function<bool()> rests, double pause) {
  std::make_shared<LikelyKernels>(engine, std::move(rests), pause)->build_later();
}

}  // namespace duoblas
