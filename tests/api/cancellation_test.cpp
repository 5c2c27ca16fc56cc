// pthread_cancel of a thread that is inside a call: the call ends as ever, the thread after it.
#include <gtest/gtest.h>

#include <pthread.h>

#include <functional>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/duoblas.hpp>
#include <duoblas/opencl.hpp>

#include "conformance/forced_context.hpp"
#include "opencl/device.hpp"
#include "opencl/handles.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t n = 300;

struct Cancelled {
  std::function<bool()> call;
  bool right = false;
  bool still_cancellable = false;
};

// Not noexcept: the thread's end unwinds it. The request is there before the call.
void* call_and_end(void* given) {
  auto& thread = *static_cast<Cancelled*>(given);
  pthread_cancel(pthread_self());
  thread.right = thread.call();
  int before = -1;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  thread.still_cancellable = before == PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel();
  return nullptr;
}

void expect_right_in_a_cancelled_thread(std::function<bool()> call) {
  Cancelled cancelled{std::move(call)};
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, call_and_end, &cancelled), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_TRUE(cancelled.right);
  EXPECT_TRUE(cancelled.still_cancellable);
  EXPECT_EQ(result, PTHREAD_CANCELED);
}

std::vector<double> square(double value) {
  return std::vector<double>(static_cast<std::size_t>(n * n), value);
}

struct Cancellation : testing::Test {
  std::vector<double> a = square(1), b = square(2), c = square(-1);
  bool is_right() const { return c == square(600); }
};

using CCancellation = Cancellation;

TEST_F(CCancellation, WaitsForAProductThatIsTheProcessesFirst) {
  expect_right_in_a_cancelled_thread([&] {
    return duoblas_set_split(1, 2) == DUOBLAS_OK &&
           duoblas_dgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, n, n, n, 1,
                         a.data(), n, b.data(), n, 0, c.data(), n) == DUOBLAS_OK &&
           is_right() && Context::last_call().strategy == Strategy::hybrid;
  });
}

TEST_F(CCancellation, WaitsForAJobThatIsWaitedForOrFreed) {
  for (const bool waits : {true, false}) {
    c = square(-1);
    expect_right_in_a_cancelled_thread([&] {
      duoblas_job* job = nullptr;
      const auto started =
          duoblas_dgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, n, n, n, 1,
                              a.data(), n, b.data(), n, 0, c.data(), n, &job);
      const auto ended = waits ? duoblas_job_wait(job) : DUOBLAS_OK;
      duoblas_job_free(job);
      return started == DUOBLAS_OK && ended == DUOBLAS_OK && is_right();
    });
  }
}

TEST_F(Cancellation, WaitsForTheCallsOfAContext) {
  Context context(forced_settings());
  expect_right_in_a_cancelled_thread([&] {
    context.gemm(Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(), n, b.data(), n, 0,
                 c.data(), n);
    return is_right();
  });
  expect_right_in_a_cancelled_thread([&] {
    c = square(-1);
    context.symm(Layout::row_major, Side::left, Uplo::upper, n, n, 1, a.data(), n, b.data(), n, 0,
                 c.data(), n);
    return is_right();
  });
  expect_right_in_a_cancelled_thread([&] {
    c = square(-1);
    const Prepared<double> prepared = context.prepare(Layout::row_major, n, n, a.data(), n);
    context.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, prepared, {b.data(), n},
                         0, c.data(), n);
    return is_right();
  });
  expect_right_in_a_cancelled_thread([&] {
    c = square(-1);
    Job job = context.gemm_async(Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(), n,
                                 b.data(), n, 0, c.data(), n);
    job.wait();
    return is_right();
  });
  expect_right_in_a_cancelled_thread([&] {
    context = Context(forced_settings());  // the old one ends, and its device with it
    return true;
  });
}

TEST_F(Cancellation, WaitsForTheEndOfARegistration) {
  expect_right_in_a_cancelled_thread([&] {
    const Registration registered(a.data(), a.size() * sizeof(double));
    return true;
  });
}

TEST_F(Cancellation, WaitsForADescriptionThatOpensTheDevice) {
  expect_right_in_a_cancelled_thread(
      [&] { return Context::process_default().describe().find("CPU: ") == 0; });
}

TEST_F(Cancellation, WaitsForADeviceBlasThatTriesTheDevice) {
  const cl::Context context(cl::list_devices().at(0));
  const cl::Queue queue(context);
  expect_right_in_a_cancelled_thread([&] {
    const DeviceBlas blas(static_cast<_cl_command_queue*>(queue.raw()), forced_settings());
    return true;
  });
}

TEST_F(Cancellation, StaysDisabledWhereTheProgramDisabledIt) {
  int before = -1;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  EXPECT_EQ(duoblas_clear_split(), DUOBLAS_OK);
  int now = -1;
  pthread_setcancelstate(before, &now);
  EXPECT_EQ(now, PTHREAD_CANCEL_DISABLE);
}

}  // namespace
}  // namespace duoblas::test
