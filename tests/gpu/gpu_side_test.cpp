// The GPU's side by itself: all ops, modes, edges and threads.
#include "gpu/gpu_side.hpp"

#include <duoblas/error.hpp>

#include <fstream>
#include <thread>

#include "gpu/side_front.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using test::Call;
using test::CaseFactors;
using test::expect_right;
using test::side_front;
using test::TestMatrix;

constexpr SharingMode both_modes[] = {SharingMode::host_pointer, SharingMode::staged};

// One side for all tests of a process: opening it compiles nothing, but kernels are built once.
GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

template <typename T>
struct GpuSideOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GpuSideOf, ElementTypes);

TYPED_TEST(GpuSideOf, MultipliesEveryPairOfOpsInEveryMode) {
  for (const SharingMode mode : both_modes) {
    SCOPED_TRACE(name(mode));
    for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
      for (const Op op_b : {Op::none, Op::transpose, Op::conj_transpose}) {
        for (const double beta : {0.0, -0.7}) {
          expect_right<TypeParam>({.layout = Layout::row_major,
                                   .op_a = op_a,
                                   .op_b = op_b,
                                   .m = 33,
                                   .n = 47,
                                   .k = 65,
                                   .pad = 3,
                                   .offset = 1,
                                   .alpha = 0.5,
                                   .beta = beta},
                                  side_front<TypeParam>(side(), mode));
        }
      }
    }
  }
}

TYPED_TEST(GpuSideOf, MultipliesEveryEdgeSize) {
  for (const SharingMode mode : both_modes) {
    for (const std::int64_t m : {1, 2, 7, 33, 129}) {
      for (const std::int64_t n : {1, 31, 100}) {
        for (const std::int64_t k : {1, 5, 64}) {
          expect_right<TypeParam>({.m = m, .n = n, .k = k, .alpha = -0.7, .beta = 1},
                                  side_front<TypeParam>(side(), mode));
        }
      }
    }
  }
}

TYPED_TEST(GpuSideOf, OnlyScalesWhereTheProductContributesNothing) {
  for (const SharingMode mode : both_modes) {
    for (const double beta : {0.0, 1.0, -0.7}) {
      expect_right<TypeParam>({.m = 9, .n = 7, .k = 0, .pad = 2, .alpha = 0.5, .beta = beta},
                              side_front<TypeParam>(side(), mode));
      expect_right<TypeParam>({.m = 9, .n = 7, .k = 11, .pad = 2, .alpha = 0, .beta = beta},
                              side_front<TypeParam>(side(), mode));
    }
  }
}

TYPED_TEST(GpuSideOf, DoesNothingForAnEmptyPart) {
  for (const SharingMode mode : both_modes) {
    expect_right<TypeParam>({.m = 0, .n = 7, .k = 3, .beta = 0.5},
                            side_front<TypeParam>(side(), mode));
    expect_right<TypeParam>({.m = 7, .n = 0, .k = 3, .beta = 0.5},
                            side_front<TypeParam>(side(), mode));
  }
}

TYPED_TEST(GpuSideOf, ReadsTwoOperandsOfTheSameMemory) {
  TestMatrix<TypeParam> a(40, 30, 2);
  a.randomise(7);
  for (const SharingMode mode : both_modes) {
    TestMatrix<TypeParam> c(40, 40);
    const Call<TypeParam> call{
        Layout::row_major, Op::none, Op::transpose, 40,       40,     30,
        TypeParam(1),      a.data(), a.ld(),        a.data(), a.ld(), TypeParam(0)};
    side_front<TypeParam>(side(), mode)(call, c.data(), c.ld());
    const auto result = test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, 40, 40);
    EXPECT_LT(test::scaled_error(call, {}, result), 1.0) << name(mode);
  }
}

TEST(GpuSide, HandlesElementsThatAreNotAtTheirOwnAlignment) {
  // complex<double> needs 8 bytes on the host and 16 on the device.
  using Element = std::complex<double>;
  std::vector<double> memory(3 * 2 * 400 + 8);
  const auto at_8_mod_16 = [&](std::size_t nth) {
    double* p = memory.data() + nth * 800;
    if (reinterpret_cast<std::uintptr_t>(p) % 16 == 0) ++p;
    return reinterpret_cast<Element*>(p);
  };
  Element* a = at_8_mod_16(0);
  Element* b = at_8_mod_16(1);
  Element* c = at_8_mod_16(2);
  for (int i = 0; i < 400 - 1; ++i) {
    a[i] = Element(i % 7, i % 5);
    b[i] = Element(i % 3, -(i % 11));
  }
  const Call<Element> call{
      Layout::row_major, Op::none, Op::conj_transpose, 19, 18, 20, 1.0, a, 20, b, 20, 0.0};
  side_front<Element>(side(), SharingMode::host_pointer)(call, c, 18);
  const auto result = test::dense_op(c, 18, Layout::row_major, Op::none, 19, 18);
  EXPECT_LT(test::scaled_error(call, {}, result), 1.0);
}

TEST(GpuSide, ServesThreadsAtOnceAndOneThreadWithSeveralJobs) {
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 8; ++id) {
    threads.emplace_back([id] {
      const SharingMode mode = both_modes[id % 2];
      for (unsigned round = 0; round < 6; ++round) {
        expect_right<double>({.op_b = id % 3 == 0 ? Op::transpose : Op::none,
                              .m = 40 + 7 * id,
                              .n = 50 + 30 * round,
                              .k = 60 + id,
                              .beta = 0.25,
                              .seed = id * 100 + round},
                             side_front<double>(side(), mode));
      }
    });
  }
  for (auto& thread : threads) thread.join();

  TestMatrix<float> a(64, 64), b(64, 64), c1(64, 64), c2(64, 64);
  a.randomise(1);
  b.randomise(2);
  const Call<float> call{Layout::row_major, Op::none, Op::none, 64, 64,  64, 1.0f,
                         a.data(),          64,       b.data(), 64, 0.0f};
  const KernelParams kernel = default_kernel(Precision::s, side().limits());
  GpuJob first =
      side().submit(test::problem_of(call, c1.data(), 64), kernel, SharingMode::host_pointer);
  GpuJob second = side().submit(test::problem_of(call, c2.data(), 64), kernel, SharingMode::staged);
  second.wait();
  first.wait();
  first.wait();
  EXPECT_GT(first.times().whole, 0);
  for (auto* c : {&c1, &c2}) {
    const auto result = test::dense_op(c->data(), 64, Layout::row_major, Op::none, 64, 64);
    EXPECT_LT(test::scaled_error(call, {}, result), 1.0);
  }
}

TEST(GpuSide, AJobThatIsDroppedOrReplacedHasEndedByThen) {
  const KernelParams kernel = default_kernel(Precision::s, side().limits());
  for (int round = 0; round < 10; ++round) {
    TestMatrix<float> a(200, 200), b(200, 200), c(200, 200);
    a.randomise(1);
    b.randomise(2);
    const Call<float> call{Layout::row_major, Op::none, Op::none, 200, 200, 200, 1.0f,
                           a.data(),          200,      b.data(), 200, 0.0f};
    GpuJob job =
        side().submit(test::problem_of(call, c.data(), 200), kernel, SharingMode::host_pointer);
    job = GpuJob();
    const std::vector<float> seen(c.data(), c.data() + 200 * 200);
    std::this_thread::yield();
    EXPECT_EQ(seen, std::vector<float>(c.data(), c.data() + 200 * 200));
  }
}

TEST(GpuSide, RemembersAKernelThatDoesNotBuild) {
  // Opening a device reads what it may be probed with.
  const test::TemporaryDirectory folder;
  for (const char* name : {"nvidia.clh", "nvidia_probe.cl"})
    std::ofstream(folder / name) << "no program";
  GpuSide without_sources(test::first_device(), {"", folder.path()});
  const KernelParams kernel = default_kernel(Precision::s, without_sources.limits());
  std::string first;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      without_sources.prepare(kernel, Precision::s, Op::none, Op::none);
      FAIL() << "it was built";
    } catch (const DeviceError& error) {
      if (attempt == 0) first = error.what();
      EXPECT_EQ(first, error.what());
      EXPECT_NE(first.find(folder.path()), std::string::npos) << first;
    }
  }
}

// It would read B as the real matrix that packing makes of it, far behind its end.
TEST(GpuSide, BuildsNoKernelThatBreaksARule) {
  KernelParams kernel = least_tiled();
  kernel.vector_width = kernel.tile_rows = kernel.tile_cols = 2;
  kernel.as_real = true;
  using Complex = std::complex<float>;
  const std::vector<Complex> a(64, 1), b(64, 1), sevens(64, 7);
  std::vector<Complex> c = sevens;
  const GemmProblem p = {.precision = Precision::c,
                         .m = 8,
                         .n = 8,
                         .k = 8,
                         .a = a.data(),
                         .lda = 8,
                         .b = b.data(),
                         .ldb = 8,
                         .beta = 1,
                         .c = c.data(),
                         .ldc = 8};
  try {
    side().submit(p, kernel, SharingMode::staged).wait();
    FAIL() << "it was launched";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("breaks the rule packed_as_real"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(c, sevens);
}

TEST(GpuSide, SharesWhereTheDriverWasSeenToShare) {
  EXPECT_EQ(side().best_sharing() == SharingMode::host_pointer, side().sharing().granularity() > 0);
}

}  // namespace
}  // namespace duoblas
