// Batches from several threads at once, in forked children, and of which nothing was asked.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "planner/reason.hpp"
#include "support/batch_of_context.hpp"
#include "support/comes_true.hpp"
#include "support/learning_settings.hpp"

namespace duoblas::test {
namespace {

template <typename T>
BatchFront<T> through_stride(Context& context) {
  return [&context](const BatchCall<T>& b) { multiply_batch(context, b, false); };
}

BatchFactors batch(std::int64_t n, std::int64_t count) {
  BatchFactors f;
  f.one.m = f.one.n = f.one.k = n;
  f.one.beta = 0.5;
  f.count = count;
  return f;
}

TEST(BatchesOfThreads, AreRightSideBySide) {
  Context context(forced_settings());
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&context, t] {
      for (std::int64_t n : {5, 17, 40}) {
        BatchFactors f = batch(n + t, 20);
        f.one.seed = static_cast<std::uint64_t>(10 * t + 1);
        expect_batch_right<float>(f, through_stride<float>(context));
        expect_batch_right<double>(f, through_stride<double>(context));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// They have all cores, which calls of other threads are not to be learned with.
TEST(BatchesOfThreads, AreKnownToTheLearner) {
  Engine engine(learning_settings());
  constexpr std::int64_t n = 100;
  const std::vector<float> ones(n * n, 1);
  std::vector<float> c(200 * ones.size());
  BatchGroup group;
  group.shape.precision = Precision::s;
  group.shape.m = group.shape.n = group.shape.k = n;
  group.shape.lda = group.shape.ldb = group.shape.ldc = n;
  group.a = group.b = {ones.data(), 0, nullptr, sizeof(float)};
  group.c = {c.data(), n * n, nullptr, sizeof(float)};
  group.count = 200;
  std::atomic<bool> is_wanted{true};
  std::thread multiplies([&] {
    while (is_wanted) (void)engine.run(BatchProblem{Precision::s, {group}});
  });
  EXPECT_TRUE(comes_true([&] { return engine.learning().learner().is_contended(); }));
  is_wanted = false;
  multiplies.join();
  EXPECT_FALSE(engine.learning().learner().is_contended());
}

// Equal numbers, so that a child needs no gtest to see what is right.
bool child_is_right(Context& context) {
  constexpr std::int64_t n = 12, count = 30;
  std::vector<double> a(n * n * count, 0.5), b(a.size(), 2.0), c(a.size(), -1.0);
  context.gemm_strided_batched<double>(Layout::row_major, Op::none, Op::transpose, n, n, n, 1.0,
                                       a.data(), n, n * n, b.data(), n, n * n, 0.0, c.data(), n,
                                       n * n, count);
  return c == std::vector<double>(c.size(), static_cast<double>(n)) &&
         Context::last_call().strategy == Strategy::cpu &&
         Context::last_call().reason == sentence(Reason::forked_child);
}

TEST(Batches, AreTheCpusInAForkedChild) {
  Context context(forced_settings());
  expect_batch_right<double>(batch(20, 30), through_stride<double>(context));
  ASSERT_GT(Context::last_call().gpu_products, 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    ::_exit(child_is_right(context) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  expect_batch_right<double>(batch(20, 30), through_stride<double>(context));
  EXPECT_GT(Context::last_call().gpu_products, 0) << "the parent goes on as before";
}

TEST(Batches, OfOneProductAreSplitByItsRows) {
  Context context(forced_settings());
  expect_batch_right<float>(batch(40, 1), through_stride<float>(context));
  const CallSummary did = Context::last_call();
  EXPECT_EQ(did.products, 1);
  EXPECT_EQ(did.gpu_products, 1);
  EXPECT_EQ(did.gpu_rows, 20);
}

TEST(Batches, SmallOnesAreTheCpusWhereNothingWasAskedFor) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  Context context(settings);
  expect_batch_right<float>(batch(8, 10), through_stride<float>(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  EXPECT_EQ(Context::last_call().reason, sentence(Reason::batch_together));
}

TEST(Batches, NeedNoDeviceWhereTheCpuWasAskedFor) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::cpu;
  settings.split.reset();
  Context context(settings);
  for (const auto& [n, count] :
       {std::pair<std::int64_t, std::int64_t>{6, 500}, {120, 40}, {520, 2}}) {
    expect_batch_right<float>(batch(n, count), through_stride<float>(context));
    EXPECT_EQ(Context::last_call().reason, sentence(Reason::cpu_asked_for));
    EXPECT_EQ(Context::last_call().products, count);
  }
}

}  // namespace
}  // namespace duoblas::test
