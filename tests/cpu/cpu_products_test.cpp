// The CPU side's products against a reference, from one thread and from many.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cpu/cpu_limits.hpp"
#include "cpu/cpu_side.hpp"
#include "row_major_front.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

using test::all_ops;
using test::CaseFactors;
using test::cpu;
using test::for_each_type;
using test::row_major_front;

template <typename T>
void expect_right(const CaseFactors& factors) {
  test::expect_right<T>(
      factors, row_major_front<T>([](const auto& p) { cpu().run(p, cpu().all_cores("")); }));
}

TEST(CpuProducts, AreRightForAllTypesOpsAndScalars) {
  for_each_type([]<typename T>() {
    for (const Op op_a : all_ops)
      for (const Op op_b : all_ops)
        for (const double alpha : {0.0, 1.0, -0.7})
          for (const double beta : {0.0, 1.0, -0.7})
            expect_right<T>({Layout::row_major, op_a, op_b, 33, 31, 64, 0, 0, alpha, beta});
  });
}

TEST(CpuProducts, AreRightForSmallEmptyPaddedAndUnalignedMatrices) {
  const std::int64_t sizes[] = {0, 1, 7, 32};
  for_each_type([&]<typename T>() {
    for (const std::int64_t m : sizes)
      for (const std::int64_t n : sizes)
        for (const std::int64_t k : sizes)
          for (const double beta : {0.0, -0.7})
            expect_right<T>(
                {Layout::row_major, Op::none, Op::transpose, m, n, k, m % 5, n % 3, 0.7, beta});
  });
}

TEST(CpuProducts, AreRightWhereSeveralThreadsShareOne) {
  for_each_type([]<typename T>() {
    expect_right<T>({Layout::row_major, Op::none, Op::none, 255, 257, 300, 7, 1, -0.7, 1.0});
    expect_right<T>({Layout::row_major, Op::conj_transpose, Op::none, 300, 129, 255, 0, 0, 1, 0});
  });
}

TEST(CpuProducts, ScaleALargeCOnSeveralThreads) {
  for_each_type([]<typename T>() {
    for (const double beta : {0.0, -0.7})
      expect_right<T>({Layout::row_major, Op::none, Op::none, 1301, 1100, 0, 3, 1, 1.0, beta});
  });
}

TEST(CpuProducts, ScaleCWithoutReadingWhereItIsOverwritten) {
  for_each_type([]<typename T>() {
    for (const double beta : {0.0, 1.0, -0.7}) {
      expect_right<T>({Layout::row_major, Op::none, Op::none, 31, 33, 0, 2, 1, 0.7, beta});
      expect_right<T>({Layout::row_major, Op::none, Op::none, 31, 33, 8, 2, 1, 0.0, beta});
    }
  });
}

TEST(CpuProducts, AreRightFromEightThreadsAtOnce) {
  cpu().prepare(cpu().all_cores(""));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (std::int64_t n : {20, 64, 150, 201}) {
        const CaseFactors factors{
            Layout::row_major, Op::none, Op::transpose, n + t, n, n + 3, 1, 0, 0.7, -0.7};
        expect_right<float>(factors);
        expect_right<double>(factors);
        expect_right<std::complex<double>>(factors);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(CpuProducts, FirstOnesOfEightThreadsShareOneInstance) {
  CpuSide side(cpu_limits("", 0), "");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      std::vector<double> a(100 * 100, 1.0), b(100 * 100, 2.0), c(100 * 100);
      GemmProblem p;
      p.precision = Precision::d;
      p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 100;
      p.a = a.data();
      p.b = b.data();
      p.c = c.data();
      side.run(p, side.all_cores(""));
      right += c == std::vector<double>(100 * 100, 200.0);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

TEST(CpuProducts, LeaveTheCallingThreadOnItsCores) {
  const std::vector<int> before = allowed_cores();
  CpuConfig one_core;
  one_core.cores = {before.back()};
  test::expect_right<float>({Layout::row_major, Op::none, Op::none, 200, 200, 200, 0, 0, 1, 0},
                            row_major_front<float>([&](const auto& p) { cpu().run(p, one_core); }));
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace duoblas
