// Batches through the public C++ interface, at every split, by every way to give them.
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "conformance/forced_context.hpp"
#include "planner/reason.hpp"
#include "problem/precision.hpp"
#include "support/batch_of_context.hpp"
#include "support/case_names.hpp"
#include "support/comes_true.hpp"
#include "support/covering_array.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

namespace duoblas::test {
namespace {

enum class Form { strided, pointers, grouped };
constexpr Form forms[] = {Form::strided, Form::pointers, Form::grouped};

// In groups of 3, none, 1 and all others.
template <typename T>
void by_groups(Context& context, const BatchCall<T>& b) {
  const Call<T>& s = b.shape;
  std::vector<GemmGroup<T>> groups;
  std::int64_t first = 0;
  for (const std::int64_t wanted : {std::int64_t{3}, std::int64_t{0}, std::int64_t{1}, b.count}) {
    const std::int64_t count = std::min(wanted, b.count - first);
    groups.push_back({s.op_a, s.op_b, s.m, s.n, s.k, s.alpha, b.a_places.data() + first, s.lda,
                      b.b_places.data() + first, s.ldb, s.beta, b.c_places.data() + first, b.ldc,
                      count});
    first += count;
  }
  context.gemm_grouped<T>(s.layout, groups);
}

template <typename T>
BatchFront<T> batch_through(Context& context, Form form) {
  return [&context, form](const BatchCall<T>& batch) {
    if (form == Form::grouped)
      by_groups(context, batch);
    else
      multiply_batch(context, batch, form == Form::pointers);
    EXPECT_FALSE(Context::last_call().recovered);
  };
}

// Groups of several sizes, one of them a product from 512^3 on.
template <typename T>
void expect_several_sizes_right(Context& context) {
  const std::array<std::array<std::int64_t, 4>, 6> shapes = {{{5, 6, 7, 9},
                                                              {33, 17, 0, 2},
                                                              {640, 600, 360, 1},
                                                              {0, 4, 4, 3},
                                                              {64, 64, 64, 3},
                                                              {1, 1, 1, 20}}};
  std::vector<TestMatrix<T>> as, bs, cs;
  std::vector<std::vector<Wide<T>>> c0;
  for (const auto& [rows, columns, depth, products] : shapes)
    for (std::int64_t i = 0; i < products; ++i) {
      as.emplace_back(rows, depth, 1).randomise(as.size());
      bs.emplace_back(depth, columns, 2).randomise(bs.size() + 100);
      cs.emplace_back(rows, columns, 3).randomise(cs.size() + 200);
      c0.push_back(dense_op(static_cast<const T*>(cs.back().data()), cs.back().ld(),
                            Layout::row_major, Op::none, rows, columns));
    }
  std::vector<const T*> a_places, b_places;
  std::vector<T*> c_places;
  for (std::size_t i = 0; i < as.size(); ++i) {
    a_places.push_back(as[i].data());
    b_places.push_back(bs[i].data());
    c_places.push_back(cs[i].data());
  }
  std::vector<GemmGroup<T>> groups;
  std::size_t first = 0;
  for (const auto& [rows, columns, depth, products] : shapes) {
    GemmGroup<T>& group = groups.emplace_back();
    group.m = rows;
    group.n = columns;
    group.k = depth;
    group.beta = T(Real<T>(0.5));
    group.a = a_places.data() + first;
    group.b = b_places.data() + first;
    group.c = c_places.data() + first;
    group.lda = as[first].ld();
    group.ldb = bs[first].ld();
    group.ldc = cs[first].ld();
    group.count = products;
    first += static_cast<std::size_t>(products);
  }
  context.gemm_grouped<T>(Layout::row_major, groups);
  std::size_t i = 0;
  for (const GemmGroup<T>& group : groups)
    for (std::int64_t p = 0; p < group.count; ++p, ++i) {
      const Call<T> call{Layout::row_major, Op::none,     Op::none,   group.m,
                         group.n,           group.k,      T(1),       as[i].data(),
                         as[i].ld(),        bs[i].data(), bs[i].ld(), group.beta};
      EXPECT_LT(scaled_error(call, c0[i],
                             dense_op(static_cast<const T*>(cs[i].data()), cs[i].ld(),
                                      Layout::row_major, Op::none, group.m, group.n)),
                1.0)
          << "product " << i;
      EXPECT_TRUE(cs[i].guards_untouched());
    }
}

class Batches : public ::testing::TestWithParam<int> {};

TEST_P(Batches, AreRightAtEverySplit) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    std::uint64_t seed = 100;
    for (int gpu_parts = 0; gpu_parts <= 16; ++gpu_parts) {
      context.set_split(Share{gpu_parts, 16});
      BatchFactors f;
      f.one = {.layout = gpu_parts % 2 == 0 ? Layout::row_major : Layout::column_major,
               .m = 9,
               .n = 17,
               .k = 5,
               .alpha = -0.7,
               .beta = gpu_parts % 3 == 0 ? 0 : 1.5,
               .seed = seed += 10};
      f.count = 12;
      SCOPED_TRACE("split " + std::to_string(gpu_parts) + "/16");
      expect_batch_right<T>(f, batch_through<T>(context, Form::strided));
      const CallSummary did = Context::last_call();
      EXPECT_EQ(did.products, 12);
      EXPECT_EQ(did.gpu_products, gpu_parts == 0 ? 0 : 12);
      EXPECT_EQ(did.strategy, gpu_parts == 0    ? Strategy::cpu
                              : gpu_parts == 16 ? Strategy::gpu
                                                : Strategy::hybrid);
      EXPECT_TRUE(gpu_parts % 16 == 0 || did.reason == sentence(Reason::split_given)) << did.reason;
    }
  });
}

enum Factor { split, form, op_pair, layout, m, n, k, pad, alpha, beta, count, gap, order, offset };
std::vector<int> levels(std::size_t op_pairs) {
  return {6, 3, static_cast<int>(op_pairs), 2, 6, 6, 6, 2, 3, 3, 4, 3, 3, 2};
}
constexpr std::int64_t sizes[] = {0, 1, 7, 16, 33, 70};
constexpr std::int64_t counts[] = {0, 1, 2, 9};
constexpr std::int64_t gaps[] = {-1, 0, 5};
constexpr double scalars[] = {0, 1, -0.7};

TEST_P(Batches, AreRightOverACoveringArrayOfAllFactors) {
  Context context(forced_settings());
  const auto op_pairs = op_pairs_in_turn(all_precisions[static_cast<std::size_t>(GetParam())]);
  std::uint64_t seed = 1;
  for (const auto& row : covering_array(levels(op_pairs.size()), 11)) {
    BatchFactors f;
    f.one.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    std::tie(f.one.op_a, f.one.op_b) = op_pairs[static_cast<std::size_t>(row[op_pair])];
    f.one.m = sizes[row[m]];
    f.one.n = sizes[row[n]];
    f.one.k = sizes[row[k]];
    f.one.pad = 3 * row[pad];
    f.one.alpha = scalars[row[alpha]];
    f.one.beta = scalars[row[beta]];
    f.one.offset = row[offset];
    f.one.seed = seed += 10;
    f.count = counts[row[count]];
    f.gap = gaps[row[gap]];
    f.shuffled = row[order] == 1 && forms[row[form]] != Form::strided;
    f.shared_a = row[order] == 2;
    const bool was_given = row[split] < 5;
    context.set_split(was_given ? std::optional(Share{4 * row[split], 16}) : std::nullopt);
    context.set_strategy(was_given ? Strategy::hybrid : Strategy::automatic);
    SCOPED_TRACE("split " + (was_given ? std::to_string(4 * row[split]) + "/16" : "auto") +
                 ", form " + std::to_string(row[form]));
    with_type(GetParam(), [&](auto zero) {
      using T = decltype(zero);
      expect_batch_right<T>(f, batch_through<T>(context, forms[row[form]]));
    });
    if (HasFailure()) break;
  }
}

TEST_P(Batches, KeepNaNWhereItIs) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const Form form : forms)
      for (std::int64_t at = 0; at < 8; ++at) {
        BatchFactors f;
        f.one = {.m = 18, .n = 21, .k = 13, .beta = at % 2 == 0 ? 0.0 : 0.5};
        f.count = 8;
        f.nan_at = at;
        f.shuffled = form != Form::strided;
        expect_batch_right<T>(f, batch_through<T>(context, form));
      }
  });
}

// Products side by side in one wide matrix: rows of one C lie between those of others.
TEST_P(Batches, MayHaveTheirResultsBetweenOneAnothersRows) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t rows = 10, columns = 6, depth = 4, products = 7;
    for (int gpu_parts : {0, 5, 16}) {
      context.set_split(Share{gpu_parts, 16});
      TestMatrix<T> a(rows, depth), b(depth, columns * products), c(rows, columns * products, 2);
      a.randomise(1);
      b.randomise(2);
      c.fill(nan_value<T>);
      context.gemm_strided_batched<T>(Layout::row_major, Op::none, Op::none, rows, columns, depth,
                                      T(1), a.data(), a.ld(), 0, b.data(), b.ld(), columns, T(0),
                                      c.data(), c.ld(), columns, products);
      const Call<T> whole{Layout::row_major,
                          Op::none,
                          Op::none,
                          rows,
                          columns * products,
                          depth,
                          T(1),
                          a.data(),
                          a.ld(),
                          b.data(),
                          b.ld(),
                          T(0)};
      EXPECT_LT(scaled_error(whole, {},
                             dense_op(static_cast<const T*>(c.data()), c.ld(), Layout::row_major,
                                      Op::none, rows, columns * products)),
                1.0);
      EXPECT_TRUE(c.guards_untouched());
    }
  });
}

TEST_P(Batches, OfSeveralSizesAreRight) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) { expect_several_sizes_right<decltype(zero)>(context); });
}

// As a program's own calls go: what is large is both sides', the rest the CPU's.
TEST_P(Batches, OfSeveralSizesAreDividedWhereNothingWasAskedFor) {
  Settings settings = learning_settings();
  settings.adapt = false;
  const TemporaryDirectory profiles;
  settings.profile_dir = profiles.path();
  {
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
      store_profile(profiles.path(), flattering_profile(engine, arithmetic));
  }
  Context context(settings);
  with_type(GetParam(), [&](auto zero) {
    const auto is_divided = [&] {
      expect_several_sizes_right<decltype(zero)>(context);
      const CallSummary did = Context::last_call();
      EXPECT_EQ(did.products, 38);
      EXPECT_LE(did.gpu_products, 1);
      return did.gpu_products == 1 || HasFailure();
    };
    EXPECT_TRUE(comes_true(is_divided));  // once its kernel is built
  });
}

INSTANTIATE_TEST_SUITE_P(Types, Batches, ::testing::Range(0, 4), named_by_type);

}  // namespace
}  // namespace duoblas::test
