// Every pair of values of any two factors of a ?gemm call, through both sides.
#include "support/covering_array.hpp"

#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "problem/caller_gemm.hpp"

namespace duoblas::test {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
constexpr std::int64_t sizes[] = {0, 1, 7, 31, 32, 33, 64, 129, 255, 1000};
constexpr std::int64_t pads[] = {0, 5};
constexpr double scalars[] = {0, 1, -0.7};
constexpr SharingMode modes[] = {SharingMode::host_pointer, SharingMode::staged};

enum Factor { split, op_pair, layout, type, m, n, k, pad, alpha, beta, offset, mode };
const std::vector<int> levels = {17, 9, 2, 4, 10, 10, 10, 2, 3, 3, 2, 2};

template <typename T>
Front<T> as_planned_but(Engine& engine, SharingMode mode) {
  return [&engine, mode](const Call<T>& call, T* c, std::int64_t ldc) {
    CallerGemm caller{call.layout, {}};
    caller.args = {precision_of<T>, call.op_a, call.op_b, call.m,   call.n,    call.k, call.alpha,
                   call.a,          call.lda,  call.b,    call.ldb, call.beta, c,      ldc};
    check(caller);
    const GemmProblem problem = to_row_major(caller);
    Plan plan = engine.plans().of(problem);
    plan.sharing = mode;
    const Outcome report = engine.run(problem, plan);
    EXPECT_FALSE(report.recovered);
  };
}

TEST(CoveringArray, HasEveryPairOfAllFactors) {
  const auto rows = covering_array(levels, 7);
  for (std::size_t f = 0; f < levels.size(); ++f) {
    for (std::size_t g = f + 1; g < levels.size(); ++g) {
      std::set<std::pair<int, int>> seen;
      for (const auto& row : rows) seen.emplace(row[f], row[g]);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(levels[f] * levels[g]));
    }
  }
}

TEST(HybridGemm, IsRightOverACoveringArrayOfAllFactors) {
  Engine engine(forced_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  std::uint64_t seed = 1;
  for (const auto& row : covering_array(levels, 7)) {
    CaseFactors factors;
    factors.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    factors.op_a = ops[row[op_pair] / 3];
    factors.op_b = ops[row[op_pair] % 3];
    factors.m = sizes[row[m]];
    factors.n = sizes[row[n]];
    factors.k = sizes[row[k]];
    factors.pad = pads[row[pad]];
    factors.offset = row[offset];
    factors.alpha = scalars[row[alpha]];
    factors.beta = scalars[row[beta]];
    factors.seed = seed += 10;
    const Share share{row[split], 16};
    engine.plans().set_split(share);
    SCOPED_TRACE("split " + std::to_string(share.gpu_parts) + "/16, " +
                 std::string(name(modes[row[mode]])));
    with_type(row[type], [&](auto zero) {
      using T = decltype(zero);
      expect_right<T>(factors, as_planned_but<T>(engine, modes[row[mode]]));
    });
  }
}

}  // namespace
}  // namespace duoblas::test
