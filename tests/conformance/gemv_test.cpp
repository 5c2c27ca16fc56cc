// gemv on both sides, at every split and with every op, through the public interface.
#include <cmath>

#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"
#include "support/first_device.hpp"
#include "support/vectors_of_context.hpp"

namespace duoblas::test {
namespace {

template <typename T>
GemvFront<T> through_gemv(Context& context) {
  return [&context](const CallerGemv& c) {
    call_gemv<T>(context, c);
    EXPECT_FALSE(Context::last_call().recovered);
  };
}

class GemvConformance : public ::testing::TestWithParam<int> {};

TEST_P(GemvConformance, IsRightAtEverySplit) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {0, 1, 5, 8, 15, 16}) {
      SCOPED_TRACE(testing::Message() << "split " << gpu_parts << "/16");
      context.set_split(Share{gpu_parts, 16});
      for (const GemvCase& c : covering_gemv_cases())
        expect_right_gemv<T>(c, through_gemv<T>(context));
    }
  });
}

TEST_P(GemvConformance, BothSidesHaveAPartWhereThereAreTwoElements) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    expect_right_gemv<T>({.m = 2, .n = 3}, through_gemv<T>(context));
    if (is_double(precision_of<T>) && !first_device().info.has_fp64) return;  // the CPU's alone
    EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
    EXPECT_EQ(Context::last_call().gpu_rows, 1);
  });
}

// 20 MB a launch: parts that end between two vectors or two groups would be wrong.
TEST_P(GemvConformance, IsRightInLaunchesOfAMillisecond) {
  Settings settings = forced_settings();
  settings.launch_ms = 1;
  Context context(settings);
  context.set_split(Share{15, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t columns = 1013;
    const std::int64_t rows = 60'000'000 / std::int64_t{sizeof(T)} / columns;
    for (const Op op : {Op::none, Op::transpose})
      expect_right_gemv<T>({.op = op, .m = rows, .n = columns, .pad = 1, .incy = 2, .beta = -0.7},
                           through_gemv<T>(context));
  });
}

TEST_P(GemvConformance, ANaNReachesOnlyTheElementsThatDependOnIt) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const Op op : {Op::none, Op::transpose}) {
      constexpr std::int64_t m = 75, n = 75;
      TestMatrix<T> a(m, n, 3);
      a.randomise(1);
      for (const std::int64_t bad : {0, 36, 37, 74})
        (op == Op::none ? a.at(bad, 40) : a.at(40, bad)) = nan_value<T>();
      std::vector<T> x(n, T(1)), y(m, nan_value<T>());
      context.gemv<T>(Layout::row_major, op, m, n, T(1), a.data(), a.ld(), x.data(), 1, T(0),
                      y.data(), 1);
      for (std::int64_t i = 0; i < m; ++i) {
        const bool depends = i == 0 || i == 36 || i == 37 || i == 74;
        EXPECT_EQ(std::isnan(std::abs(y[static_cast<std::size_t>(i)])), depends) << i;
      }
    }
  });
}

TEST_P(GemvConformance, AZeroAlphaReadsNeitherANorX) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> y(5, T(2));
    context.gemv<T>(Layout::row_major, Op::none, 5, 7, T(0), nullptr, 7, nullptr, 1, T(3), y.data(),
                    1);
    EXPECT_EQ(y, std::vector<T>(5, T(6)));
    context.gemv<T>(Layout::row_major, Op::none, 5, 0, T(1), nullptr, 1, nullptr, 1, T(0.5),
                    y.data(), 1);
    EXPECT_EQ(y, std::vector<T>(5, T(3)));
  });
}

INSTANTIATE_TEST_SUITE_P(Types, GemvConformance, ::testing::Range(0, 4), named_by_type);

TEST(GemvOfPreparedMatrices, IsRightWhereTheDeviceHasACopy) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::gpu;
  settings.split.reset();
  Context context(settings);
  constexpr std::int64_t m = 130, n = 77;
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const Op op : {Op::none, Op::transpose}) {
      expect_right_gemv<double>(
          {.layout = layout, .op = op, .m = m, .n = n, .pad = 3, .beta = 1},
          [&](const CallerGemv& c) {
            const auto prepared =
                context.prepare<double>(c.layout, c.m, c.n, static_cast<const double*>(c.a), c.lda);
            context.gemv<double>(c.layout, c.op, c.m, c.n, 1, prepared,
                                 static_cast<const double*>(c.x), c.incx, c.beta.real(),
                                 static_cast<double*>(c.y), c.incy);
          });
    }
}

}  // namespace
}  // namespace duoblas::test
