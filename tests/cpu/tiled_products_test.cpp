// Products in tiles, on the real CPU BLAS.
#include <gtest/gtest.h>

#include <thread>

#include "cpu/cpu_limits.hpp"
#include "cpu/cpu_side.hpp"
#include "os/link_namespace.hpp"
#include "row_major_front.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

using test::all_ops;
using test::CaseFactors;
using test::cpu;
using test::for_each_type;
using test::row_major_front;

// More threads than a small machine has cores, for the tiles of a large one.
CpuSide& cpu_of_six_threads() {
  static auto* const side = [] {
    CpuLimits limits = cpu_limits("", 0);
    limits.threads = 6;
    return new CpuSide(limits, "");
  }();
  return *side;
}

CpuConfig tiles_on(const CpuSide& side) {
  CpuConfig config = side.all_cores("");
  config.tiles = true;
  return config;
}

template <typename T>
void expect_right(const CaseFactors& factors, CpuSide& side = cpu()) {
  test::expect_right<T>(factors,
                        row_major_front<T>([&](const auto& p) { side.run(p, tiles_on(side)); }));
}

TEST(TiledProducts, AreRightForAllTypesOpsAndScalars) {
  for_each_type([]<typename T>() {
    for (const Op op_a : all_ops)
      for (const Op op_b : all_ops)
        for (const double alpha : {0.0, -0.7})
          for (const double beta : {0.0, 1.0, -0.7})
            expect_right<T>({Layout::row_major, op_a, op_b, 150, 143, 37, 3, 1, alpha, beta});
  });
}

TEST(TiledProducts, AreRightForSmallEmptyPaddedAndUnalignedMatrices) {
  for_each_type([]<typename T>() {
    for (const std::int64_t m : {0, 1, 17, 200})
      for (const std::int64_t n : {0, 1, 31, 300})
        for (const std::int64_t k : {0, 1, 40})
          expect_right<T>(
              {Layout::row_major, Op::transpose, Op::none, m, n, k, m % 5, n % 3, 0.7, -0.7});
  });
}

TEST(TiledProducts, AreRightOnMoreThreadsThanCores) {
  for_each_type([]<typename T>() {
    expect_right<T>({Layout::row_major, Op::none, Op::none, 515, 389, 64, 7, 1, -0.7, 1.0},
                    cpu_of_six_threads());
    expect_right<T>({Layout::row_major, Op::none, Op::transpose, 3, 5000, 90, 0, 0, 1, 0},
                    cpu_of_six_threads());
    expect_right<T>({Layout::row_major, Op::transpose, Op::none, 5000, 3, 90, 0, 0, 1, 0},
                    cpu_of_six_threads());
  });
}

TEST(TiledProducts, AreRightFromEightThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (const std::int64_t n : {20, 150, 201}) {
        const CaseFactors factors{
            Layout::row_major, Op::none, Op::transpose, n + t, n, n + 3, 1, 0, 0.7, -0.7};
        expect_right<float>(factors);
        expect_right<double>(factors, cpu_of_six_threads());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(TiledProducts, AreRightFromMoreThreadsThanTheLibraryHasBuffersFor) {
  // Debian's OpenBLAS has 128, warns beyond, and ends the process beyond 640.
  constexpr std::int64_t n = 200;
  const std::vector<float> a(n * n, 0.5f), b(n * n, 2.0f);
  std::vector<std::vector<float>> c(700, std::vector<float>(n * n));
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (std::vector<float>& result : c)
    threads.emplace_back([&] {
      GemmProblem p;
      p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
      p.a = a.data();
      p.b = b.data();
      p.c = result.data();
      for (int i = 0; i < 3; ++i) cpu().run(p, tiles_on(cpu()));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (const std::vector<float>& result : c)
    ASSERT_EQ(result, std::vector<float>(n * n, static_cast<float>(n)));
}

TEST(TiledProducts, HaveTheSameBitsEachTime) {
  test::TestMatrix<float> a(300, 500), b(500, 400);
  a.randomise(1);
  b.randomise(2);
  const auto product = [&] {
    std::vector<float> c(300 * 400);
    GemmProblem p;
    p.m = 300;
    p.n = p.ldb = p.ldc = 400;
    p.k = p.lda = 500;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    cpu_of_six_threads().run(p, tiles_on(cpu_of_six_threads()));
    return c;
  };
  const std::vector<float> first = product();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(product(), first);
}

TEST(TiledProducts, LeaveTheCallingThreadOnItsCores) {
  const std::vector<int> before = allowed_cores();
  CpuConfig config = tiles_on(cpu_of_six_threads());
  config.cores = {before.back()};
  test::expect_right<float>(
      {Layout::row_major, Op::none, Op::none, 400, 400, 90, 0, 0, 1, 0},
      row_major_front<float>([&](const auto& p) { cpu_of_six_threads().run(p, config); }));
  EXPECT_EQ(allowed_cores(), before);
}

TEST(Prepare, SaysWhetherProductsRunAsTheConfigurationSays) {
  CpuConfig config = cpu().all_cores("");
  config.cores.clear();
  config.threads = 1;
  EXPECT_EQ(cpu().prepare(config), link_namespaces_supported());
  config.core_type = "no such type";
  EXPECT_FALSE(cpu().prepare(config));
}

TEST(Prepare, SaysWhereNoNamespaceIsLeft) {
  const CpuConfig two_threads = [] {
    CpuConfig config = cpu_of_six_threads().all_cores("");
    config.threads = 2;
    return config;
  }();
  std::vector<bool> exact;
  for (int i = 0; i < 20; ++i) {
    CpuConfig config = two_threads;
    config.cores.push_back(1000 - i);  // each list is another, of the same cores
    exact.push_back(cpu_of_six_threads().prepare(config));
  }
  EXPECT_EQ(exact.front(), link_namespaces_supported() && allowed_cores().size() > 1);
  EXPECT_FALSE(exact.back());
}

TEST(Prepare, OfTilesIsOneInstanceWhateverTheCores) {
  // More than link namespaces fit in a process.
  const bool first = cpu_of_six_threads().prepare(tiles_on(cpu_of_six_threads()));
  EXPECT_EQ(first, link_namespaces_supported());
  for (int i = 1; i <= 30; ++i) {
    CpuConfig config = tiles_on(cpu_of_six_threads());
    config.threads = 1 + i % 6;
    config.cores = {i};
    EXPECT_EQ(cpu_of_six_threads().prepare(config), first);
  }
}

}  // namespace
}  // namespace duoblas
