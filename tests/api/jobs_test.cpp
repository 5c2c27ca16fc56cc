// Products beside the calling thread.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include <duoblas/duoblas.hpp>

#include "conformance/forced_context.hpp"

namespace duoblas::test {
namespace {

template <typename T>
Front<T> as_job(Context& context) {
  return [&context](const Call<T>& g, T* c, std::int64_t ldc) {
    Job job = context.gemm_async(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b,
                                 g.ldb, g.beta, c, ldc);
    job.wait();
    EXPECT_TRUE(job.done());
  };
}

CaseFactors factors_of(std::int64_t n) {
  CaseFactors factors;
  factors.m = factors.n = factors.k = n;
  factors.pad = 3;
  factors.alpha = 0.5;
  factors.beta = -0.7;
  return factors;
}

// n x n matrices of one value each; products of them are easily said.
struct Square {
  explicit Square(double value, std::int64_t n = 300)
      : n(n), values(static_cast<std::size_t>(n * n), value) {}
  bool is(double value) const { return values == Square(value, n).values; }
  std::int64_t n;
  std::vector<double> values;
};

Job start(Context& context, const Square& a, const Square& b, Square& c) {
  return context.gemm_async(Layout::row_major, Op::none, Op::none, a.n, a.n, a.n, 1,
                            a.values.data(), a.n, b.values.data(), a.n, 0, c.values.data(), a.n);
}

TEST(Jobs, AreRightForEveryElementType) {
  Context context(forced_settings());
  for (int type = 0; type < 4; ++type) {
    with_type(type, [&](auto element) {
      expect_right<decltype(element)>(factors_of(150), as_job<decltype(element)>(context));
    });
  }
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid) << "of the thread that waited";
}

TEST(Jobs, RunInTheOrderOfTheirCalls) {
  Context context(forced_settings());
  Square a(1), b(2), c(0), d(0), e(0);
  std::vector<Job> jobs;
  jobs.push_back(start(context, a, b, c));
  jobs.push_back(start(context, c, b, d));
  jobs.push_back(start(context, d, a, e));
  jobs.back().wait();
  EXPECT_TRUE(jobs.front().done());
  EXPECT_TRUE(c.is(600));
  EXPECT_TRUE(e.is(600.0 * 600 * 300));
}

TEST(Jobs, ServeManyThreadsAndOrdinaryCallsAtOnce) {
  Context context(forced_settings());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&context] {
      for (int round = 0; round < 3; ++round) {
        Square a(1, 130), b(2, 130), c(0, 130);
        Job job = start(context, a, b, c);
        expect_right<double>(factors_of(100), through<double>(context));
        job.wait();
        EXPECT_TRUE(c.is(260));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Jobs, AreEndedByTheirDestructorAndByTheContexts) {
  Square a(1), b(2), c(0), d(0), e(0);
  Job job;
  EXPECT_TRUE(job.done());
  job.wait();
  {
    Context context(forced_settings());
    { const Job dropped = start(context, a, b, c); }
    EXPECT_TRUE(c.is(600));
    job = start(context, a, a, d);
    job = start(context, b, b, e);
    EXPECT_TRUE(d.is(300));
  }
  EXPECT_TRUE(job.done());
  EXPECT_TRUE(e.is(1200));
}

TEST(Jobs, CheckTheirArgumentsBeforeTheyStart) {
  Context context(forced_settings());
  Square a(1), b(2), c(7);
  EXPECT_THROW(context.gemm_async<double>(Layout::row_major, Op::none, Op::none, 300, 300, 300, 1,
                                          a.values.data(), 299, b.values.data(), 300, 0,
                                          c.values.data(), 300),
               ArgumentError);
  EXPECT_TRUE(c.is(7));
}

TEST(Jobs, TellWhatWentWrongToWhoeverWaits) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::cpu;
  settings.cpu_blas = "/there/is/no/such/library.so";
  Context context(settings);
  Square a(1), b(2), c(0);
  Job job = start(context, a, b, c);
  EXPECT_THROW(job.wait(), CpuBlasError);
  EXPECT_TRUE(job.done());
  EXPECT_THROW(job.wait(), CpuBlasError) << "each time";
}

// How a child ends that found the parent's last job done before the fork, as where the parent's
// thread pauses between them. Then the parent tries again.
constexpr int too_late = 2;

TEST(Jobs, OfAParentAreDoneInAChildWithAnErrorAndItsOwnAreDoneAtOnce) {
  Context context(forced_settings());
  Square a(1, 900), b(2, 900), c(0, 900), d(0, 900);
  int exit_code = too_late;
  for (int tries = 0; tries < 20 && exit_code == too_late; ++tries) {
    std::vector<Job> jobs;
    for (int i = 0; i < 6; ++i) jobs.push_back(start(context, a, b, c));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);
      bool right = true;
      for (const Job& job : jobs) right = right && job.done();  // a loop that waits for it ends
      bool failed = false;
      try {
        jobs.back().wait();
      } catch (const Error&) {
        failed = true;
      }
      {
        const Job own = start(context, a, b, d);
        right = right && own.done() && d.is(1800);
      }
      jobs.clear();
      { const Context gone(std::move(context)); }
      ::_exit(!right ? 1 : failed ? 0 : too_late);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    exit_code = WEXITSTATUS(status);
    jobs.clear();
    EXPECT_TRUE(c.is(1800));
  }
  EXPECT_EQ(exit_code, 0);
}

TEST(CJobs, AreStartedAskedAwaitedAndFreed) {
  const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, expected[4] = {19, 22, 43, 50};
  float c[4] = {};
  duoblas_job* job = nullptr;
  ASSERT_EQ(duoblas_sgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2, 1,
                                a, 2, b, 2, 0, c, 2, &job),
            DUOBLAS_OK);
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(duoblas_job_wait(job), DUOBLAS_OK);
  EXPECT_EQ(duoblas_job_done(job), 1);
  duoblas_job_free(job);
  EXPECT_EQ(std::memcmp(c, expected, sizeof c), 0);
  EXPECT_EQ(duoblas_job_wait(nullptr), DUOBLAS_OK);
  EXPECT_EQ(duoblas_job_done(nullptr), 1);
  duoblas_job_free(nullptr);
}

TEST(CJobs, OfAParentAreDoneInAChildWhereToWaitIsAnError) {
  const Square a(1, 900), b(2, 900);
  Square c(0, 900);
  int exit_code = too_late;
  for (int tries = 0; tries < 20 && exit_code == too_late; ++tries) {
    duoblas_job* jobs[4] = {};
    for (duoblas_job*& job : jobs)
      ASSERT_EQ(duoblas_dgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 900, 900,
                                    900, 1, a.values.data(), 900, b.values.data(), 900, 0,
                                    c.values.data(), 900, &job),
                DUOBLAS_OK);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);
      duoblas_job* const last = jobs[3];
      while (duoblas_job_done(last) == 0) std::this_thread::yield();
      const int ended = duoblas_job_wait(last);
      const bool is_told =
          ended == DUOBLAS_INTERNAL_ERROR &&
          std::strcmp(duoblas_last_error(),
                      "the product is the parent process's: this one was forked") == 0;
      for (duoblas_job* job : jobs) duoblas_job_free(job);
      ::_exit(is_told ? 0 : ended == DUOBLAS_OK ? too_late : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    exit_code = WEXITSTATUS(status);
    for (duoblas_job* job : jobs) duoblas_job_free(job);
    EXPECT_TRUE(c.is(1800));
  }
  EXPECT_EQ(exit_code, 0);
}

TEST(CJobs, TakeComplexScalarsByAddress) {
  using Z = std::complex<double>;
  const Z a(1, 2), b(3, 4), alpha(0, 1), beta(2, 0);
  Z c(5, 6);
  duoblas_job* job = nullptr;
  ASSERT_EQ(duoblas_zgemm_async(DUOBLAS_COLUMN_MAJOR, DUOBLAS_CONJ_TRANS, DUOBLAS_NO_TRANS, 1, 1, 1,
                                &alpha, &a, 1, &b, 1, &beta, &c, 1, &job),
            DUOBLAS_OK);
  duoblas_job_free(job);
  EXPECT_EQ(c, alpha * std::conj(a) * b + beta * Z(5, 6));
}

TEST(CJobs, AreNotThereWhereAnArgumentIsIllegal) {
  const double x[1] = {1};
  double c[1] = {};
  auto* job = reinterpret_cast<duoblas_job*>(c);
  EXPECT_EQ(duoblas_dgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, -1, 1, 1, 1,
                                x, 1, x, 1, 0, c, 1, &job),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(job, nullptr);
  EXPECT_STREQ(duoblas_last_error(), "argument 4 (m) is negative");
  EXPECT_EQ(duoblas_dgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 1, 1, 1, 1,
                                x, 1, x, 1, 0, c, 1, nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 15 (job) is a null pointer");
}

}  // namespace
}  // namespace duoblas::test
