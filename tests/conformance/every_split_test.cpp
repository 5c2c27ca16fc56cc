// Every split x element type x op pair, at small sizes, through the public C++ interface.
#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

class EverySplit : public ::testing::TestWithParam<int> {};

TEST_P(EverySplit, IsRightForEveryOpPair) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    std::uint64_t seed = 100;
    for (int gpu_parts = 0; gpu_parts <= 16; ++gpu_parts) {
      context.set_split(Share{gpu_parts, 16});
      for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
        for (const Op op_b : {Op::none, Op::transpose, Op::conj_transpose}) {
          CaseFactors factors;
          factors.layout = gpu_parts % 2 == 0 ? Layout::row_major : Layout::column_major;
          factors.op_a = op_a;
          factors.op_b = op_b;
          factors.m = 19;
          factors.n = 37;
          factors.k = 23;
          factors.pad = 3;
          factors.alpha = -0.7;
          factors.beta = gpu_parts % 3 == 0 ? 0 : 1.5;
          factors.seed = seed += 10;
          SCOPED_TRACE("split " + std::to_string(gpu_parts) + "/16");
          expect_right<T>(factors, through<T>(context));

          const CallSummary did = Context::last_call();
          const std::int64_t rows = factors.layout == Layout::row_major ? 19 : 37;
          EXPECT_FALSE(did.recovered);
          if (gpu_parts == 0) {
            EXPECT_EQ(did.gpu_rows, 0);
          }
          if (gpu_parts == 16) {
            EXPECT_EQ(did.gpu_rows, rows);
          }
          if (gpu_parts > 0 && gpu_parts < 16) {
            EXPECT_GT(did.gpu_rows, 0);
            EXPECT_LT(did.gpu_rows, rows);
          }
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, EverySplit, ::testing::Range(0, 4), named_by_type);

}  // namespace
}  // namespace duoblas::test
