// gemv before a device is open: it starts one only where that may pay, and is then learned like any
// other call.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "api/context_state.hpp"
#include "dropin/engine/call_limits.hpp"
#include "engine/last_device.hpp"
#include "support/temporary_directory.hpp"

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

namespace duoblas::test {
namespace {

constexpr std::int64_t m = 700, n = 900;  // 5 MB

// A process has one engine, and CTest gives each test a process.
class AStream : public testing::Test {
 protected:
  void SetUp() override {
    static bool is_used = false;
    ASSERT_FALSE(std::exchange(is_used, true)) << "run one test a process, as CTest does";
    // As long as the process's engine, which may write there when the test has ended.
    static const TemporaryDirectory folder;
    ::setenv("DUOBLAS_CACHE_DIR", folder.path().c_str(), 1);
    ::setenv("DUOBLAS_PROFILE_DIR", folder.path().c_str(), 1);
    ::setenv("DUOBLAS_STANDIN", "1", 1);
    call.routine = DUOBLAS_GEMV;
    call.precision = 'd';
    call.layout = 102;
    call.op_a = 111;
    call.m = m;
    call.n = n;
    call.alpha = &one;
    call.beta = &zero;
    call.a = a.data();
    call.lda = m;
    call.x = x.data();
    call.y = y.data();
    call.incx = call.incy = 1;
  }

  static void remember(SharingMode sharing) {
    LastDevice(Settings::from_environment())
        .remember({{{"A device", "A driver", "", true}, {"A vendor", "cpu", "v512"}}, sharing});
  }

  int run() { return dropin->run(&call, &reason); }
  Reason why() const { return static_cast<Reason>(reason); }
  /// The thread that opens the device may set it meanwhile.
  double limit(int routine) const {
    double flops = 0;
    __atomic_load(&dropin->smallest_flops[routine][precision_index(Precision::d)], &flops,
                  __ATOMIC_RELAXED);
    return flops;
  }
  void expect_left_for_good(Reason expected) {
    EXPECT_EQ(run(), DUOBLAS_PASSED_ON);
    EXPECT_EQ(why(), expected) << sentence(why());
    EXPECT_TRUE(std::isinf(limit(DUOBLAS_GEMV))) << "the drop-in need not ask again";
    EXPECT_EQ(limit(DUOBLAS_GEMM), DUOBLAS_SMALLEST_GPU_FLOPS) << "of products nothing is decided";
    EXPECT_EQ(why_below_limit(call, engine), expected);
    EXPECT_EQ(call.threads, 0);
  }

  /// The program's BLAS takes so many seconds for each call that is left to it.
  template <typename IsEnough>
  void run_until(IsEnough&& is_enough, double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      const int answer = run();
      if (is_enough(answer)) return;
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << sentence(why());
      if (answer == DUOBLAS_TIMED) dropin->note_seconds(&call, seconds);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  static Engine& engine() { return ContextEngine::of(Context::process_default()); }

  const struct duoblas_dropin_engine* const dropin = ::duoblas_dropin_engine();
  const double one = 1, zero = 0;
  std::vector<double> a = std::vector<double>(m * n, 0.5), x = std::vector<double>(n, 2),
                      y = std::vector<double>(m, NAN);
  duoblas_blas_call call{};
  int reason = 0;
};

TEST_F(AStream, StartsNoDeviceWhereNoneIsKnown) {
  EXPECT_EQ(limit(DUOBLAS_GEMV), DUOBLAS_SMALLEST_GPU_BYTES / 4);
  expect_left_for_good(Reason::device_not_known);
}

TEST_F(AStream, StartsNoDeviceThatHasMemoryOfItsOwn) {
  ::setenv("DUOBLAS_START_MS", "0", 1);
  remember(SharingMode::staged);
  expect_left_for_good(Reason::copies_take_longer);
}

// A program leaves calls by longjmp: then nobody says how long they took.
TEST_F(AStream, ThatWasLeftDoesNotRunBesideLaterCalls) {
  remember(SharingMode::host_pointer);
  ASSERT_EQ(run(), DUOBLAS_TIMED);
  ASSERT_EQ(run(), DUOBLAS_TIMED);
  dropin->note_seconds(&call, 1e-3);
  bool is_beside_another = true;
  std::thread([&] { is_beside_another = engine().learning().learner().is_contended(); }).join();
  EXPECT_FALSE(is_beside_another);
}

TEST_F(AStream, CountsForADeviceThatSharesMemoryWhatBothSidesWouldSave) {
  remember(SharingMode::host_pointer);
  // A sixth of the time is saved, so seven calls cannot have missed what a start loses (0.325 s).
  const auto programs_blas = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    dropin->note_seconds(&call, 0.25);
  };
  for (int calls = 0; calls < 7; ++calls) {
    EXPECT_EQ(run(), DUOBLAS_TIMED);
    EXPECT_EQ(why(), Reason::too_little_work_yet);
    programs_blas();
  }
  for (int calls = 0; calls < 10; ++calls) {
    run();
    if (why() == Reason::device_starting) break;
    programs_blas();
  }
  EXPECT_EQ(why(), Reason::device_starting) << sentence(why());
}

TEST_F(AStream, IsComputedByBothSidesWhereTheProgramsBlasIsSlow) {
  ::setenv("DUOBLAS_START_MS", "0", 1);
  run_until([&](int answer) { return answer == DUOBLAS_DONE || std::isinf(limit(DUOBLAS_GEMV)); },
            3e-3);
  if (copies(engine().machine().sharing)) {
    EXPECT_EQ(engine().plans().why_never_stream(Precision::d), Reason::copies_take_longer);
    EXPECT_TRUE(std::isinf(limit(DUOBLAS_GEMV))) << "the drop-in need not ask again";
    EXPECT_EQ(run(), DUOBLAS_PASSED_ON);
    return;
  }
  EXPECT_EQ(limit(DUOBLAS_GEMV), DUOBLAS_SMALLEST_GPU_BYTES / 4);
  EXPECT_EQ(y, std::vector<double>(m, n));
}

TEST_F(AStream, IsKnownToBeTheProgramsWhereItsBlasIsFast) {
  ::setenv("DUOBLAS_START_MS", "0", 1);
  int in_a_row = 0;
  run_until(
      [&](int answer) {
        const bool is_known = answer == DUOBLAS_PASSED_ON &&
                              (why() == Reason::cpu_fastest || why() == Reason::kernels_not_missed);
        in_a_row = is_known ? in_a_row + 1 : 0;
        return in_a_row == 10;
      },
      20e-6);
}

TEST_F(AStream, OfNoColumnsIsLeftAloneThoughBothSidesWereAskedFor) {
  ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
  ::setenv("DUOBLAS_SPLIT", "8/16", 1);
  call.n = 0;
  EXPECT_EQ(run(), DUOBLAS_PASSED_ON);
  EXPECT_EQ(why(), Reason::no_elements);
  EXPECT_EQ(dropin->run_anywhere(&call), 1);
  EXPECT_TRUE(std::isnan(y.front()));
  call.n = n;
  EXPECT_EQ(run(), DUOBLAS_DONE);
  EXPECT_EQ(y, std::vector<double>(m, n));
}

TEST_F(AStream, IsTheCpusWithoutAnyOtherBlasAndOpensNoDevice) {
  expect_left_for_good(Reason::device_not_known);
  EXPECT_EQ(dropin->run_anywhere(&call), 1);
  EXPECT_EQ(y, std::vector<double>(m, n));
  EXPECT_EQ(engine().plans().why_never_stream(Precision::d), Reason::device_not_known);
}

}  // namespace
}  // namespace duoblas::test
