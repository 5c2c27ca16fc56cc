// The recording BLAS itself, in a link namespace as the library uses it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cpu/cpu_side.hpp"
#include "row_major_front.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

TEST(RecordingBlas, WritesTwoLinesPerProduct) {
  const test::TemporaryDirectory directory;
  const std::string log = directory / "log";
  setenv("DUOBLAS_LAYER_LOG", log.c_str(), 1);
  CpuSide side(cpu_limits("", 0), RECORDING_BLAS);
  const auto factors = test::CaseFactors{Layout::row_major, Op::none, Op::none, 5, 6, 7, 1};
  test::expect_right<double>(
      factors, test::row_major_front<double>([&](const auto& p) { side.run(p, {}); }));
  std::ifstream lines(log);
  std::string first, second, third;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(first, "cpu_gemm d 5 6 7 begin");
  EXPECT_EQ(second, "cpu_gemm d 5 6 7 end");
  EXPECT_FALSE(std::getline(lines, third));
}

TEST(RecordingBlas, ComputesRight) {
  CpuSide side(cpu_limits("", 0), RECORDING_BLAS);
  test::for_each_type([&]<typename T>() {
    for (const Op op_a : test::all_ops)
      for (const Op op_b : test::all_ops)
        for (const double beta : {0.0, 1.0, -0.7})
          test::expect_right<T>({Layout::row_major, op_a, op_b, 9, 12, 20, 2, 1, 0.7, beta},
                                test::row_major_front<T>([&](const auto& p) { side.run(p, {}); }));
  });
}

}  // namespace
}  // namespace duoblas
