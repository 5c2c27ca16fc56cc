// Many triangular solves through the public C++ interface, at every split, by every way to give
// them.
#include <cmath>
#include <deque>
#include <limits>
#include <random>

#include "conformance/forced_context.hpp"
#include "planner/reason.hpp"
#include "support/case_names.hpp"
#include "support/covering_array.hpp"
#include "support/first_device.hpp"
#include "support/trsm_batch_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
TrsmBatchFront<T> through(Context& context, TrsmForm form) {
  return [&context, form](const TrsmBatchCall<T>& call) {
    solve_batch(context, call, form);
    EXPECT_FALSE(Context::last_call().recovered);
  };
}

class TrsmBatches : public ::testing::TestWithParam<int> {
 protected:
  Context context_{forced_settings()};
};

TEST_P(TrsmBatches, AreSharedAtEverySplit) {
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {0, 1, 8, 15, 16}) {
      context_.set_split(Share{gpu_parts, 16});
      TrsmBatchFactors f;
      f.one = {.side = Side::right, .uplo = Uplo::lower, .order = 19, .free = 6, .alpha = -0.7};
      f.count = 24;
      SCOPED_TRACE("split " + std::to_string(gpu_parts) + "/16");
      expect_trsm_batch_right<T>(f, through<T>(context_, TrsmForm::strided));
      const CallSummary did = Context::last_call();
      EXPECT_EQ(did.products, 24);
      if (is_double(precision_of<T>) && !first_device().info.has_fp64) {
        EXPECT_EQ(did.gpu_products, 0);
        continue;
      }
      if (gpu_parts == 0) {
        EXPECT_EQ(did.gpu_products, 0);
        EXPECT_EQ(did.strategy, Strategy::cpu);
      } else if (gpu_parts == 16) {
        EXPECT_EQ(did.gpu_products, 24);
      } else {
        EXPECT_GT(did.gpu_products, 0);
        EXPECT_LT(did.gpu_products, 24);
        EXPECT_EQ(did.strategy, Strategy::hybrid);
        EXPECT_EQ(did.reason, sentence(Reason::split_given));
      }
    }
  });
}

enum Factor {
  split,
  form,
  layout,
  side,
  uplo,
  op,
  diag,
  order,
  free_extent,
  pad,
  alpha,
  count,
  gap,
  places
};
const std::vector<int> levels = {3, 3, 2, 2, 2, 3, 2, 7, 6, 2, 3, 4, 2, 3};
constexpr std::int64_t orders[] = {0, 1, 2, 8, 16, 35, 50};
constexpr std::int64_t frees[] = {0, 1, 5, 16, 17, 70};
constexpr std::int64_t counts[] = {0, 1, 3, 9};
constexpr double scalars[] = {0, 1, -0.7};

TEST_P(TrsmBatches, AreRightOverACoveringArrayOfAllFactors) {
  std::uint64_t seed = 1;
  for (const auto& row : covering_array(levels, 11)) {
    TrsmBatchFactors f;
    f.one.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    f.one.side = row[side] == 0 ? Side::left : Side::right;
    f.one.uplo = row[uplo] == 0 ? Uplo::upper : Uplo::lower;
    f.one.op = row[op] == 0 ? Op::none : row[op] == 1 ? Op::transpose : Op::conj_transpose;
    f.one.diag = row[diag] == 0 ? Diag::non_unit : Diag::unit;
    f.one.order = orders[row[order]];
    f.one.free = frees[row[free_extent]];
    f.one.pad = 3 * row[pad];
    f.one.alpha = scalars[row[alpha]];
    f.one.seed = seed += 100;
    f.count = counts[row[count]];
    f.gap = 5 * row[gap];
    const TrsmForm by = trsm_forms[row[form]];
    f.shuffled = row[places] == 1 && by != TrsmForm::strided;
    f.shared_a = row[places] == 2;
    context_.set_split(Share{8 * row[split], 16});
    SCOPED_TRACE("split " + std::to_string(8 * row[split]) + "/16, form " +
                 std::to_string(row[form]));
    with_type(GetParam(), [&](auto zero) {
      using T = decltype(zero);
      expect_trsm_batch_right<T>(f, through<T>(context_, by));
    });
    if (HasFailure()) break;
  }
}

// Substitution is backward stable, however ill-conditioned the triangle is.
TEST_P(TrsmBatches, HaveSmallResidualsWhereTrianglesAreIllConditioned) {
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    std::mt19937_64 engine(5);
    TrsmBatchFactors f;
    f.one = {.uplo = Uplo::lower, .order = 45, .free = 4};
    f.count = 6;
    expect_trsm_batch_right<T>(f, through<T>(context_, TrsmForm::pointers),
                               [&](Level3Matrices<T>& matrices) {
                                 for (std::int64_t i = 0; i < 45; ++i)
                                   for (std::int64_t k = 0; k <= i; ++k)
                                     matrices.a.at(i, k) = random_value<T>(engine) * Real<T>(2);
                               });
  });
}

// Like BLAS: what is divided by zero is infinite or NaN, and nothing else is changed.
TEST_P(TrsmBatches, GiveNoFiniteNumberWhereATriangleIsSingular) {
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 20, count = 8;
    std::vector<T> a(static_cast<std::size_t>(count * n * n), T(0)), b(a.size(), T(1));
    for (std::int64_t s = 0; s < count; ++s)
      for (std::int64_t i = 0; i < n; ++i)
        a[static_cast<std::size_t>((s * n + i) * n + i)] = s % 2 == 1 && i == 7 ? T(0) : T(2);
    context_.trsm_strided_batched<T>(Layout::row_major, Side::left, Uplo::lower, Op::none,
                                     Diag::non_unit, n, n, 1, a.data(), n, n * n, b.data(), n,
                                     n * n, count);
    for (std::int64_t s = 0; s < count; ++s)
      for (std::int64_t i = 0; i < n; ++i) {
        const T x = b[static_cast<std::size_t>((s * n + i) * n + 3)];
        if (s % 2 == 0 || i < 7) {
          EXPECT_EQ(x, T(0.5)) << s << ' ' << i;
        } else if (i == 7) {
          EXPECT_FALSE(std::isfinite(std::abs(x))) << s;
        }
      }
  });
}

TEST_P(TrsmBatches, ReachWhatDependsOnANaNAndNothingElse) {
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 18, count = 6, where = 4;
    std::vector<T> a(static_cast<std::size_t>(count * n * n), T(0)), b(a.size(), T(2));
    for (std::int64_t s = 0; s < count; ++s)
      for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>((s * n + i) * n + i)] = T(2);
    const auto at = [](std::int64_t s, std::int64_t i, std::int64_t j) {
      return static_cast<std::size_t>((s * n + i) * n + j);
    };
    for (const std::int64_t s : {std::int64_t{1}, count - 1}) b[at(s, where, 3)] = nan_value<T>();
    context_.trsm_strided_batched<T>(Layout::row_major, Side::left, Uplo::lower, Op::none,
                                     Diag::non_unit, n, n, 1, a.data(), n, n * n, b.data(), n,
                                     n * n, count);
    for (std::int64_t s = 0; s < count; ++s)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const bool has_nan = s == 1 || s == count - 1;
          if (has_nan && j == 3 && i == where) {
            EXPECT_TRUE(std::isnan(std::abs(b[at(s, i, j)])));
          } else if (!has_nan || j != 3 || i < where) {
            ASSERT_EQ(b[at(s, i, j)], T(1)) << s << ' ' << i << ' ' << j;
          }
        }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, TrsmBatches, ::testing::Range(0, 4), named_by_type);

TEST(TrsmBatchGroups, OfLargeOrdersAreDoneOneByOne) {
  Context context(forced_settings());
  TrsmBatchFactors f;
  f.one = {.layout = Layout::column_major, .order = 270, .free = 20};
  f.count = 2;
  expect_trsm_batch_right<float>(f, through<float>(context, TrsmForm::grouped));
  EXPECT_EQ(Context::last_call().products, 2);
}

// Small groups are the CPU's, whose threads do them together.
TEST(TrsmBatchGroups, OfSeveralShapesAreRight) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  Context context(settings);
  std::deque<std::vector<double>> matrices;  // of which none moves
  std::vector<const double*> a;
  std::vector<double*> b;
  constexpr std::int64_t most = 12, of_group = 2;
  for (std::int64_t n = 1; n <= most; ++n)
    for (std::int64_t solve = 0; solve < of_group; ++solve) {
      // 2 on the diagonal, 1 below: the solution for right-hand sides 2, 3, 4 ... is ones.
      auto& triangle = matrices.emplace_back(static_cast<std::size_t>(n * n), 1.0);
      auto& sides = matrices.emplace_back(static_cast<std::size_t>(n * 3));
      for (std::int64_t i = 0; i < n; ++i) {
        triangle[static_cast<std::size_t>(i * n + i)] = 2;
        for (std::int64_t j = 0; j < 3; ++j)
          sides[static_cast<std::size_t>(i * 3 + j)] = static_cast<double>(i + 2);
      }
      a.push_back(triangle.data());
      b.push_back(sides.data());
    }
  std::vector<TrsmGroup<double>> groups;
  for (std::int64_t n = 1; n <= most; ++n)
    groups.push_back({Side::left, Uplo::lower, Op::none, Diag::non_unit, n, 3, 1,
                      a.data() + of_group * (n - 1), n, b.data() + of_group * (n - 1), 3,
                      of_group});
  context.trsm_grouped<double>(Layout::row_major, groups);
  EXPECT_EQ(Context::last_call().products, most * of_group);
  EXPECT_EQ(Context::last_call().reason, sentence(Reason::too_small));
  for (std::int64_t solve = 0; solve < most * of_group; ++solve)
    for (std::int64_t at = 0; at < 3 * (solve / of_group + 1); ++at)
      EXPECT_NEAR(b[static_cast<std::size_t>(solve)][at], 1, 1e-14) << solve;
}

}  // namespace
}  // namespace duoblas::test
