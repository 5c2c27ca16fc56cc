// omatcopy on both sides, at every split and with every op, through the public interface.
#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

struct CopyCase {
  Layout layout;
  Op op;
  std::int64_t m, n, pad;
  double alpha;
};

template <typename T>
void expect_right_copy(Context& context, const CopyCase& c) {
  SCOPED_TRACE(testing::Message() << (c.layout == Layout::row_major ? "row" : "column")
                                  << "-major, op " << static_cast<int>(c.op) << ", " << c.m << " x "
                                  << c.n << ", pad " << c.pad << ", alpha " << c.alpha);
  const bool rows = c.layout == Layout::row_major;
  const bool turns = c.op != Op::none;
  const std::int64_t b_m = turns ? c.n : c.m, b_n = turns ? c.m : c.n;
  TestMatrix<T> a(rows ? c.m : c.n, rows ? c.n : c.m, c.pad, c.pad % 2);
  TestMatrix<T> b(rows ? b_m : b_n, rows ? b_n : b_m, c.pad + 1, c.pad % 3);
  a.randomise(7);
  b.fill(nan_value<T>);
  context.omatcopy<T>(c.layout, c.op, c.m, c.n, static_cast<Real<T>>(c.alpha), a.data(), a.ld(),
                      b.data(), b.ld());
  EXPECT_FALSE(Context::last_call().recovered);
  EXPECT_TRUE(b.guards_untouched());
  for (std::int64_t i = 0; i < b_m; ++i)
    for (std::int64_t j = 0; j < b_n; ++j) {
      const std::int64_t ai = turns ? j : i, aj = turns ? i : j;
      T value = rows ? a.at(ai, aj) : a.at(aj, ai);
      if constexpr (is_complex_type<T>)
        if (c.op == Op::conj_transpose) value = std::conj(value);
      // alpha is a power of two, or 1: no rounding.
      ASSERT_EQ(rows ? b.at(i, j) : b.at(j, i), static_cast<Real<T>>(c.alpha) * value)
          << i << ", " << j;
    }
}

class OmatcopyConformance : public ::testing::TestWithParam<int> {};

TEST_P(OmatcopyConformance, IsExactAtEverySplit) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {33, 47}, {64, 64}, {130, 77}};
    for (const int gpu_parts : {0, 1, 8, 16}) {
      SCOPED_TRACE(testing::Message() << "split " << gpu_parts << "/16");
      context.set_split(Share{gpu_parts, 16});
      for (const Layout layout : {Layout::row_major, Layout::column_major})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const auto& size : sizes)
            for (const double alpha : {1.0, -0.5})
              expect_right_copy<T>(context, {layout, op, size[0], size[1], size[0] % 4, alpha});
    }
  });
}

TEST_P(OmatcopyConformance, IsExactInLaunchesOfAMillisecond) {
  Settings settings = forced_settings();
  settings.launch_ms = 1;
  Context context(settings);
  context.set_split(Share{15, 16});
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 1013;
    const std::int64_t m = 30'000'000 / std::int64_t{sizeof(T)} / n;
    for (const Op op : {Op::none, Op::transpose})
      expect_right_copy<T>(context, {Layout::row_major, op, m, n, 1, -0.5});
  });
}

// A dimension of a launch has 65,535 groups at most on NVIDIA's devices.
TEST(OmatcopyOfManyRows, IsExactWhereRowsAreMoreThanALaunchHasGroups) {
  Context context(forced_settings());
  context.set_split(Share{16, 16});
  for (const Op op : {Op::none, Op::transpose}) {
    const std::int64_t long_one = 4'300'000;
    const bool turns = op == Op::transpose;
    expect_right_copy<float>(
        context, {Layout::row_major, op, turns ? 1 : long_one, turns ? long_one : 1, 1, -0.5});
  }
}

TEST_P(OmatcopyConformance, AZeroAlphaWritesZerosAndReadsNothing) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> b(12, nan_value<T>());
    context.omatcopy<T>(Layout::row_major, Op::transpose, 4, 3, T(0), nullptr, 3, b.data(), 4);
    EXPECT_EQ(b, std::vector<T>(12, T(0)));
  });
}

INSTANTIATE_TEST_SUITE_P(Types, OmatcopyConformance, ::testing::Range(0, 4), named_by_type);

}  // namespace
}  // namespace duoblas::test
