// ger and axpy on both sides, at every split, through the public interface.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>

#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"
#include "support/first_device.hpp"
#include "support/vectors_of_context.hpp"

namespace duoblas::test {
namespace {

template <typename T>
auto through_ger(Context& context) {
  return [&context](const CallerGer& c) {
    call_ger<T>(context, c);
    EXPECT_FALSE(Context::last_call().recovered);
  };
}

template <typename T>
auto through_axpy(Context& context) {
  return [&context](const CallerAxpy& c) {
    call_axpy<T>(context, c);
    EXPECT_FALSE(Context::last_call().recovered);
  };
}

class UpdateConformance : public ::testing::TestWithParam<int> {};

TEST_P(UpdateConformance, GerIsRightAtEverySplit) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {0, 1, 5, 8, 15, 16}) {
      SCOPED_TRACE(testing::Message() << "split " << gpu_parts << "/16");
      context.set_split(Share{gpu_parts, 16});
      for (const GerCase& c : covering_ger_cases()) expect_right_ger<T>(c, through_ger<T>(context));
    }
  });
}

TEST_P(UpdateConformance, AxpyIsRightAtEverySplit) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {0, 1, 5, 8, 15, 16}) {
      SCOPED_TRACE(testing::Message() << "split " << gpu_parts << "/16");
      context.set_split(Share{gpu_parts, 16});
      for (const AxpyCase& c : covering_axpy_cases())
        expect_right_axpy<T>(c, through_axpy<T>(context));
    }
  });
}

// Results that the device writes where they are, and their old values beside them for the check.
TEST_P(UpdateConformance, IsRightInMemoryThatDriversShare) {
  Settings settings = forced_settings();
  settings.check = CheckMode::always;
  Context context(settings);
  context.set_split(Share{8, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 1024;
    const auto allocated = [](std::int64_t elements, double value) {
      const auto bytes = static_cast<std::size_t>(elements) * sizeof(T);
      std::unique_ptr<T, decltype(&std::free)> memory(
          static_cast<T*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)), &std::free);
      std::fill_n(memory.get(), elements, T(static_cast<Real<T>>(value)));
      return memory;
    };
    const auto a = allocated(n * n, 3), x = allocated(n, 2), y = allocated(n, 5);
    context.ger<T>(Layout::row_major, n, n, -1, x.get(), 1, y.get(), 1, a.get(), n);
    EXPECT_FALSE(Context::last_call().recovered);
    for (std::int64_t i = 0; i < n * n; ++i) ASSERT_EQ(a.get()[i], T(-7)) << i;
    const auto b = allocated(n * n, 1);
    context.axpy<T>(n * n, 2, a.get(), 1, b.get(), 1);
    EXPECT_FALSE(Context::last_call().recovered);
    for (std::int64_t i = 0; i < n * n; ++i) ASSERT_EQ(b.get()[i], T(-13)) << i;
  });
}

TEST_P(UpdateConformance, BothSidesHaveAPartWhereThereAreTwoOutputs) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    const bool computes = first_device().info.has_fp64 || !is_double(precision_of<T>);
    expect_right_ger<T>({.m = 2, .n = 3}, through_ger<T>(context));
    EXPECT_EQ(Context::last_call().gpu_rows, computes ? 1 : 0);
    expect_right_axpy<T>({.n = 2}, through_axpy<T>(context));
    EXPECT_EQ(Context::last_call().gpu_rows, computes ? 1 : 0);
  });
}

// 20 MB a launch: parts that end between two vectors or two groups would be wrong.
TEST_P(UpdateConformance, IsRightInLaunchesOfAMillisecond) {
  Settings settings = forced_settings();
  settings.launch_ms = 1;
  Context context(settings);
  context.set_split(Share{15, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t columns = 1013;
    const std::int64_t elements = 40'000'000 / std::int64_t{sizeof(T)};
    expect_right_ger<T>({.m = elements / columns, .n = columns, .pad = 1, .incy = 2, .alpha = -0.7},
                        through_ger<T>(context));
    expect_right_axpy<T>({.n = elements + 7, .alpha = -0.7}, through_axpy<T>(context));
  });
}

TEST_P(UpdateConformance, ANaNReachesOnlyTheElementsThatDependOnIt) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 75;
    TestMatrix<T> a(n, n, 3);
    a.randomise(1);
    std::vector<T> x(n, T(1)), y(n, T(1));
    x[2] = x[60] = y[40] = nan_value<T>();
    a.at(10, 10) = nan_value<T>();
    context.ger<T>(Layout::row_major, n, n, 1, x.data(), 1, y.data(), 1, a.data(), a.ld());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        EXPECT_EQ(std::isnan(std::abs(a.at(i, j))),
                  i == 2 || i == 60 || j == 40 || (i == 10 && j == 10))
            << i << ", " << j;
    context.axpy<T>(n, 1, x.data(), 1, y.data(), 1);
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_EQ(std::isnan(std::abs(y[static_cast<std::size_t>(i)])), i == 2 || i == 40 || i == 60);
  });
}

TEST_P(UpdateConformance, AZeroAlphaChangesAndReadsNothing) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    context.ger<T>(Layout::row_major, 5, 7, 0, nullptr, 1, nullptr, 1, nullptr, 7);
    context.axpy<T>(5, 0, nullptr, 1, nullptr, 1);
    std::vector<T> x(5, nan_value<T>()), y(5, T(2));
    context.axpy<T>(5, 0, x.data(), 1, y.data(), 1);
    EXPECT_EQ(y, std::vector<T>(5, T(2)));
  });
}

TEST_P(UpdateConformance, AxpyAddsAllToOneElementWhereYsIncrementIsZero) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> x(1000, T(1));
    T y[2] = {T(5), T(7)};
    context.axpy<T>(1000, 2, x.data(), 1, y, 0);
    EXPECT_EQ(y[0], T(2005));
    EXPECT_EQ(y[1], T(7));
  });
}

// A launch takes longer than the CPU: no device is asked, or opened.
TEST(Updates, OfAFewElementsAreTheCpus) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  Context context(settings);
  std::vector<double> x(40'000, 1.0), y(40'000, 2.0);
  context.axpy<double>(40'000, 1, x.data(), 1, y.data(), 1);
  EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  EXPECT_NE(Context::last_call().reason.find("small"), std::string::npos)
      << Context::last_call().reason;
  EXPECT_EQ(y, std::vector<double>(40'000, 3.0));
}

// Callers should not, and do: the kernel is right, and is not found to be wrong.
TEST(Updates, OfAVectorByItselfDoubleIt) {
  Settings settings = forced_settings();
  settings.check = CheckMode::always;
  Context context(settings);
  context.set_split(Share{8, 16});
  std::vector<double> y(100'000, 1.0);
  for (int call = 1; call <= 3; ++call) {
    context.axpy<double>(100'000, 1, y.data(), 1, y.data(), 1);
    EXPECT_FALSE(Context::last_call().recovered);
    EXPECT_EQ(Context::last_call().strategy,
              first_device().info.has_fp64 ? Strategy::hybrid : Strategy::cpu);
    EXPECT_EQ(y, std::vector<double>(100'000, std::ldexp(1.0, call)));
  }
}

TEST(Updates, OfManyThreadsAreAllRight) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int call = 0; call < 10; ++call) {
        std::vector<double> a(200 * 100, 1.0), x(200, 2.0), y(100, 3.0);
        context.ger<double>(Layout::row_major, 200, 100, 1, x.data(), 1, y.data(), 1, a.data(),
                            100);
        context.axpy<double>(20000, -1, std::vector<double>(a).data(), 1, a.data(), 1);
        EXPECT_EQ(a, std::vector<double>(200 * 100, 0.0));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// Nobody looks at old values: they are kept piece by piece, and each piece for a short time.
TEST_P(UpdateConformance, LargeOnesAreRightInPieces) {
  Settings settings = forced_settings();
  settings.check = CheckMode::off;
  Context context(settings);
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t columns = 1013;
    const std::int64_t elements = 9'000'000 / std::int64_t{sizeof(T)};
    for (const int gpu_parts : {15, 16}) {
      context.set_split(Share{gpu_parts, 16});
      for (const std::int64_t pad : {0, 3})
        expect_right_ger<T>(
            {.m = elements / columns, .n = columns, .pad = pad, .incx = -2, .alpha = -0.7},
            through_ger<T>(context));
      for (const std::int64_t incx : {1, -2})
        expect_right_axpy<T>({.n = elements + 7, .incx = incx, .alpha = -0.7},
                             through_axpy<T>(context));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, UpdateConformance, ::testing::Range(0, 4), named_by_type);

}  // namespace
}  // namespace duoblas::test
