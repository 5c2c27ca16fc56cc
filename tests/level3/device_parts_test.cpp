// What the CPU has of a call that the device does as one job, against plain loops.
#include "level3/device_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/plain_level3.hpp"

namespace duoblas::test {
namespace {

template <typename T>
void run(std::span<const Step> steps) {
  for (const Step& step : steps) plain_step<T>(step);
}

/// Every flag, in calls of 13 lines and 7 right-hand sides.
template <typename T, typename Body>
void for_all_calls(Body&& body) {
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
          Level3Factors f{routine, Layout::row_major, side, uplo, op, Diag::non_unit, 13, 7, 2, 1,
                          -0.7};
          f.seed = ++seed;
          f.beta = seed % 3 == 0 ? 0 : 0.6;
          if (seed % 4 >= 2) f.diag = Diag::unit;
          if (updates_triangle(routine) && side == Side::right) continue;
          if (exists<T>(f)) body(f);
        }
}

/// Whether a device that did this much has written the element.
bool is_done(const Level3Problem& p, const Level3Progress& done, std::int64_t i, std::int64_t j) {
  if (updates_triangle(p.routine) && !is_stored(p.uplo, i, j)) return false;
  const bool by_rows = updates_triangle(p.routine) || p.side == Side::left;
  const std::int64_t line = by_rows ? i : j;
  const std::int64_t number = from_the_end(p) ? order(p) - 1 - line : line;
  return number < done.lines || (number < done.lines + done.next && i < done.rows_of_next);
}

template <typename T>
void expect_the_rest_completes(const Level3Factors& f, const Level3Progress& done) {
  SCOPED_TRACE(std::to_string(done.lines) + " lines, " + std::to_string(done.rows_of_next) +
               " rows of " + std::to_string(done.next) + " more");
  expect_right<T>(f, [&](const CallerLevel3& call) {
    const Level3Problem p = to_row_major(call);
    Level3Matrices<T> whole(f);
    const Level3Problem apart = to_row_major(whole.call(f));
    plain_level3<T>(apart);
    for (std::int64_t i = 0; i < stored_c(p).rows; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        if (is_done(p, done, i, j))
          static_cast<T*>(p.c)[i * p.ldc + j] = static_cast<const T*>(apart.c)[i * apart.ldc + j];
    run<T>(rest_of(p, done));
  });
}

template <typename T>
void expect_all_rests_complete() {
  for_all_calls<T>([](const Level3Factors& f) {
    for (const std::int64_t lines : {0, 1, 6, 12, 13})
      expect_the_rest_completes<T>(f, {lines, 0, 0});
    if (updates_triangle(f.routine) || f.side == Side::left) return;
    expect_the_rest_completes<T>(f, {0, 3, 5});
    expect_the_rest_completes<T>(f, {4, 6, 5});
    expect_the_rest_completes<T>(f, {8, 1, 5});
  });
}

TEST(DeviceParts, LeaveARestThatCompletesWhatIsDone) {
  expect_all_rests_complete<double>();
}
TEST(DeviceParts, LeaveARestOfComplexNumbersToo) {
  expect_all_rests_complete<std::complex<double>>();
}

TEST(DeviceParts, AreTogetherTheCall) {
  for_all_calls<std::complex<double>>([](const Level3Factors& f) {
    for (const std::int64_t extent : {1, 4, 6})
      expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
        const DeviceParts parts = parts_for_device(to_row_major(call), extent);
        EXPECT_EQ(divided_extent(parts.gpu), extent);
        run<std::complex<double>>(parts.cpu);  // the two write different elements
        plain_level3<std::complex<double>>(parts.gpu);
      });
    Level3Matrices<std::complex<double>> matrices(f);
    const Level3Problem whole = to_row_major(matrices.call(f));
    EXPECT_TRUE(parts_for_device(whole, divided_extent(whole)).cpu.empty());
  });
}

TEST(DeviceParts, OfTrmmAndTrsmAreSmallCallsAndProductsWhereTheyAreHalved) {
  static constexpr std::int64_t least = 4;
  for_all_calls<std::complex<double>>([](const Level3Factors& f) {
    if (!is_in_place(f.routine)) return;
    expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
      const std::vector<Step> steps = mostly_products({to_row_major(call)}, least);
      EXPECT_GT(steps.size(), 3);
      for (const Step& step : steps)
        if (const auto* p = std::get_if<Level3Problem>(&step)) {
          EXPECT_LE(order(*p), least);
        }
      run<std::complex<double>>(steps);
    });
  });
}

TEST(DeviceParts, AreDividedIntoBlocksOfWhichEachIsFollowedByOneProduct) {
  static constexpr std::int64_t least = 2, block = 4;
  for_all_calls<std::complex<double>>([](const Level3Factors& f) {
    if (!is_in_place(f.routine)) return;
    expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
      const Level3Problem whole = to_row_major(call);
      const std::vector<Step> steps = mostly_products({whole}, least, block);
      // Between the first block's lines and all others.
      const auto is_of_block = [&](const GemmProblem& product) {
        const std::int64_t inner = whole.side == Side::left ? product.m : product.n;
        return std::max(inner, product.k) == order(whole) - block &&
               std::min(inner, product.k) == block;
      };
      EXPECT_EQ(std::ranges::count_if(steps,
                                      [&](const Step& step) {
                                        const auto* product = std::get_if<GemmProblem>(&step);
                                        return product != nullptr && is_of_block(*product);
                                      }),
                1);
      run<std::complex<double>>(steps);
    });
  });
}

}  // namespace
}  // namespace duoblas::test
