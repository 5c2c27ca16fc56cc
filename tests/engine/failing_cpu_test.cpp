// A CPU side that fails beside the GPU, in calls that memory bounds: the GPU does its part, or the
// caller's memory is as it was.
#include <gtest/gtest.h>

#include <new>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "engine/guarded_job.hpp"
#include "engine/routine_call.hpp"
#include "engine/vector_routines.hpp"
#include "gpu/streams/update_job.hpp"

namespace duoblas::test {
namespace {

// Another routine, of which the CPU can do nothing.
class WithoutCpu final : public StreamRoutine {
 public:
  explicit WithoutCpu(const StreamRoutine& of) : of_(of) {}
  bool begins = false;        ///< the CPU has changed something when it fails
  mutable int starts = 1000;  ///< of the GPU, before that fails as well

  std::string text() const override { return of_.text(); }
  Precision precision() const override { return of_.precision(); }
  std::int64_t outputs() const override { return of_.outputs(); }
  std::int64_t terms() const override { return of_.terms(); }
  std::uint64_t number() const override { return of_.number(); }
  double bytes() const override { return of_.bytes(); }
  bool is_trivial() const override { return of_.is_trivial(); }
  std::int64_t unit(const GpuSide& gpu) const override { return of_.unit(gpu); }
  void run(CpuSide&, const CpuConfig&, Interval, bool* begun) const override {
    if (begun != nullptr) *begun = begins;
    throw std::bad_alloc();
  }
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override {
    if (starts-- <= 0) throw DeviceError("it has no memory either");
    return of_.start(gpu, outputs, of_host, sharing, looked_at);
  }
  void publish(const RoutineJob& job, Interval outputs) const override {
    of_.publish(job, outputs);
  }
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override {
    return of_.wrong(job, outputs, all, seed);
  }
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override {
    return of_.programs(gpu);
  }

 private:
  const StreamRoutine& of_;
};

struct CpuThatFails : testing::Test {
  Engine engine{forced_settings()};

  HybridOutcome run(const StreamRoutine& routine) {
    EXPECT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    Outcome told;
    told.plan.strategy = Strategy::hybrid;
    told.plan.gpu_extent = routine.outputs() / 2;
    told.plan.sharing = engine.machine().sharing;
    RoutineCall call(routine, told);
    return on_both_sides(call, *engine.gpu(), engine.cpu());
  }
};

// y += 2 x, of ones.
struct Axpy {
  explicit Axpy(std::int64_t size)
      : x(static_cast<std::size_t>(size), 1.0), y(static_cast<std::size_t>(size), 1.0) {
    problem.precision = Precision::d;
    problem.size = size;
    problem.alpha = 2.0;
    problem.x = {x.data(), 1};
    problem.y = {y.data(), 1};
  }
  bool is_all(double value) const { return y == std::vector<double>(y.size(), value); }
  std::vector<double> x, y;
  AxpyProblem problem;
};

// In pieces, of which there are several in half of it.
constexpr std::int64_t large = 4 * most_kept_at_once / sizeof(double);

TEST_F(CpuThatFails, HasItsPartDoneByTheGpu) {
  for (const std::int64_t size : {std::int64_t{1000}, large}) {
    Axpy axpy(size);
    const AxpyRoutine routine(axpy.problem);
    const HybridOutcome outcome = run(WithoutCpu(routine));
    EXPECT_TRUE(outcome.cpu_failed);
    EXPECT_EQ(outcome.gpu_failure, "");
    EXPECT_TRUE(axpy.is_all(3.0)) << size;
  }
}

TEST_F(CpuThatFails, HasItsPartOfEveryRoutineDoneByTheGpu) {
  constexpr std::int64_t rows = 70, columns = 30;
  std::vector<float> a(rows * columns, 1.0F), x(rows, 2.0F), y(columns, 3.0F), b(rows * columns);
  GerProblem ger;
  ger.rows = rows;
  ger.columns = ger.lda = columns;
  ger.x = {x.data(), 1};
  ger.y = {y.data(), 1};
  ger.a = a.data();
  const GerRoutine of_ger(ger);
  EXPECT_TRUE(run(WithoutCpu(of_ger)).cpu_failed);
  EXPECT_EQ(a, std::vector<float>(a.size(), 7.0F));
  CopyProblem copy;
  copy.transposes = true;
  copy.rows = columns;
  copy.columns = copy.ldb = rows;
  copy.lda = columns;
  copy.a = a.data();
  copy.b = b.data();
  const CopyRoutine of_copy(copy);
  EXPECT_TRUE(run(WithoutCpu(of_copy)).cpu_failed);
  EXPECT_EQ(b, a);
  for (const double beta : {0.0, 1.0}) {
    GemvProblem gemv;
    gemv.rows = rows;
    gemv.columns = gemv.lda = columns;
    gemv.a = a.data();
    gemv.x = {y.data(), 1};
    gemv.beta = beta;
    std::vector<float> result(rows, 5.0F);
    gemv.y = {result.data(), 1};
    const GemvRoutine of_gemv(gemv, nullptr);
    EXPECT_TRUE(run(WithoutCpu(of_gemv)).cpu_failed);
    EXPECT_EQ(result, std::vector<float>(rows, 7.0F * 3 * columns + (beta == 0 ? 0.0F : 5.0F)));
  }
}

TEST_F(CpuThatFails, WhenItHasBegunIsTheCallersFailureAndTheGpusPartIsUndone) {
  Axpy axpy(1000);
  const AxpyRoutine routine(axpy.problem);
  WithoutCpu failing(routine);
  failing.begins = true;
  EXPECT_THROW(run(failing), std::bad_alloc);
  EXPECT_TRUE(axpy.is_all(1.0));
}

TEST_F(CpuThatFails, BesideAGpuThatFailsTooLeavesMemoryAsItWas) {
  for (const int starts : {0, 1}) {
    Axpy axpy(1000);
    const AxpyRoutine routine(axpy.problem);
    WithoutCpu failing(routine);
    failing.starts = starts;
    EXPECT_THROW(run(failing), std::bad_alloc);
    EXPECT_TRUE(axpy.is_all(1.0)) << starts;
  }
}

}  // namespace
}  // namespace duoblas::test
