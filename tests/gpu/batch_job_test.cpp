// The GPU's part of batches: both families of kernels, in place and on copies, in pieces.
#include "gpu/product/batch_job.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "gpu/side_front.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "memory/batch_staging.hpp"
#include "support/batch_case.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

using test::BatchCall;
using test::BatchFactors;
using test::BatchFront;

constexpr SharingMode modes[] = {SharingMode::host_pointer, SharingMode::staged};

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {}, false, 0, {},
                                        {.wanted = true, .folder = "", .compiler_environment = ""});
  return *once;
}

template <typename T>
BatchProblem problem_of(const BatchCall<T>& b, bool by_pointers) {
  test::Call<T> shape = b.shape;
  BatchGroup made;
  made.shape = test::problem_of(shape, b.c, b.ldc);
  made.shape.a = made.shape.b = nullptr;
  made.shape.c = nullptr;
  made.a = {shape.a, b.stride_a, nullptr, sizeof(T)};
  made.b = {shape.b, b.stride_b, nullptr, sizeof(T)};
  made.c = {b.c, b.stride_c, nullptr, sizeof(T)};
  if (by_pointers) {
    made.a = {nullptr, 0, reinterpret_cast<const void* const*>(b.a_places.data()), sizeof(T)};
    made.b = {nullptr, 0, reinterpret_cast<const void* const*>(b.b_places.data()), sizeof(T)};
    made.c = {nullptr, 0, reinterpret_cast<const void* const*>(b.c_places.data()), sizeof(T)};
  }
  if (shape.layout == Layout::column_major) std::swap(made.a, made.b);
  made.count = b.count;
  return {precision_of<T>, {made}};
}

template <typename T>
BatchFront<T> front(GpuSide& gpu, SharingMode mode, bool by_pointers,
                    std::optional<KernelParams> kernel = {}) {
  return [&gpu, mode, by_pointers, kernel](const BatchCall<T>& call) {
    gpu.submit(problem_of(call, by_pointers), {mode, nullptr, kernel}).wait();
  };
}

template <typename T>
bool lacks_type() {
  return is_double(precision_of<T>) && !side().limits().has_fp64;
}

template <typename T>
struct BatchJobs : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BatchJobs, ElementTypes);

TYPED_TEST(BatchJobs, AreRightInPlaceAndOnCopies) {
  using T = TypeParam;
  if (lacks_type<T>()) return;
  std::uint64_t seed = 1;
  for (const SharingMode mode : modes)
    for (const bool by_pointers : {false, true})
      for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
        for (const std::int64_t gap : {-1, 0, 3})
          for (const double beta : {0.0, -0.7}) {
            BatchFactors f;
            f.one = {.layout = gap == 0 ? Layout::column_major : Layout::row_major,
                     .op_a = op,
                     .op_b = op == Op::transpose ? Op::none : op,
                     .m = 19,
                     .n = 35,
                     .k = 21,
                     .pad = gap == 3 ? 1 : 0,
                     .offset = gap == 0 ? 1 : 0,
                     .alpha = 0.6,
                     .beta = beta,
                     .seed = ++seed};
            f.count = 7;
            f.gap = gap;
            f.shuffled = by_pointers;
            f.shared_a = beta == 0 && gap == 3;
            SCOPED_TRACE(std::string(name(mode)));
            test::expect_batch_right<T>(f, front<T>(side(), mode, by_pointers));
          }
}

// Points of the other family run too, if slowly; what differs between points is how they read.
TYPED_TEST(BatchJobs, AreRightWithTiledKernels) {
  using T = TypeParam;
  if (lacks_type<T>()) return;
  DeviceLimits limits = side().limits();
  limits.is_cpu = false;
  limits.max_work_group_size = std::min<std::size_t>(limits.max_work_group_size, 256);
  limits.local_memory_bytes = 48 << 10;
  const auto points = batched_candidates(precision_of<T>, 32, limits);
  ASSERT_GE(points.size(), 8u);
  // Compiling is what takes the time: points take turns at packing and at sizes compiled in.
  const std::size_t step = points.size() / 4;
  for (std::size_t turn = 0; turn < 4; ++turn) {
    KernelParams kernel = points[turn * step];
    const bool packs = turn % 2 == 1;
    kernel.pack_a = kernel.pack_b = packs;
    kernel.inline_sizes = turn >= 2;
    if (violated_rule(kernel, precision_of<T>, limits) != nullptr) continue;
    // Of a type both ways of either, and all four of them with the next type's.
    if (!test::has_turn(precision_of<T>, static_cast<int>(turn + turn / 2))) continue;
    SCOPED_TRACE(describe(kernel));
    BatchFactors f;
    f.one = {.op_b = packs ? Op::transpose : Op::none, .m = 18, .n = 36, .k = 20, .beta = 0.5};
    f.count = 5;
    f.gap = 4;
    test::expect_batch_right<T>(f, front<T>(side(), SharingMode::staged, false, kernel));
  }
}

TEST(BatchJob, OfNothingIsNothing) {
  BatchJob nothing;
  nothing.wait();
  BatchJob empty = side().submit(BatchProblem{Precision::s, {}}, {SharingMode::staged});
  empty.wait();
  EXPECT_EQ(empty.times().whole, 0);
}

// Sizes of its own, so that pieces are several.
TEST(BatchJob, ThatDoesNotFitTheMemoryIsDoneInPieces) {
  GpuSide small(test::first_device(), {}, false, 64 << 10);
  for (const bool by_pointers : {false, true})
    for (const Op op : {Op::none, Op::transpose})
      for (const double beta : {0.0, 1.0}) {
        BatchFactors f;
        f.one = {.op_a = op, .op_b = op, .m = 20, .n = 24, .k = 16, .pad = 1, .beta = beta};
        f.count = 60;
        f.shuffled = by_pointers;
        test::expect_batch_right<float>(f, front<float>(small, SharingMode::staged, by_pointers));
      }
  BatchFactors large;
  large.one = {.m = 200, .n = 200, .k = 200};
  large.count = 2;
  test::BatchFront<float> refused = [&](const BatchCall<float>& call) {
    EXPECT_THROW(small.submit(problem_of(call, false), {SharingMode::staged}), DeviceError);
    side().submit(problem_of(call, false), {SharingMode::staged}).wait();
  };
  test::expect_batch_right<float>(large, refused);
}

TEST(BatchJob, CopiesNothingThatTheDriverShares) {
  if (side().best_sharing() != SharingMode::host_pointer) return;
  BatchFactors f;
  f.one = {.m = 32, .n = 32, .k = 32};
  f.count = 10;
  const CopiedBytes before = side().copied();
  test::expect_batch_right<float>(f, front<float>(side(), SharingMode::host_pointer, false));
  const CopiedBytes after = side().copied();
  EXPECT_EQ(after.staged, before.staged);
  EXPECT_EQ(after.saved, before.saved);
  f.one.beta = 0.5;
  test::expect_batch_right<float>(f, front<float>(side(), SharingMode::host_pointer, false));
  EXPECT_EQ(side().copied().saved, before.saved + 10 * 32 * 32 * 4);
}

TEST(BatchJob, HasManyMoreProductsThanALaunch) {
  BatchFactors f;
  f.one = {.m = 2, .n = 3, .k = 2};
  f.count = 70000;
  test::expect_batch_right<float>(f, front<float>(side(), side().best_sharing(), false));
}

}  // namespace
}  // namespace duoblas
