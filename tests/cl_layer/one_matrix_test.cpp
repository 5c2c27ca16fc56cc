// A product of parts of one matrix, as triangular routines and LAPACK ask for: A lies between the
// rows of C.
#include <gtest/gtest.h>

#include <duoblas/context.hpp>

#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"
#include "support/driver_ability.hpp"

namespace duoblas::test {
namespace {

/// C (m x n) += A (m x k) B, where each row of one matrix holds a row of A and then one of C.
struct OneMatrix {
  OneMatrix(std::int64_t rows, std::int64_t columns, std::int64_t steps)
      : m(rows),
        n(columns),
        k(steps),
        ld(k + n),
        both(static_cast<std::size_t>(m * ld), 1),
        b(static_cast<std::size_t>(k * n), 1) {}

  GemmProblem problem() {
    return {.precision = Precision::s,
            .m = m,
            .n = n,
            .k = k,
            .a = both.data(),
            .lda = ld,
            .b = b.data(),
            .ldb = n,
            .beta = 1,
            .c = both.data() + k,
            .ldc = ld};
  }
  bool is_right() const {
    for (std::int64_t i = 0; i < m * ld; ++i)
      if (both[static_cast<std::size_t>(i)] != (i % ld < k ? 1.0f : static_cast<float>(k + 1)))
        return false;
    return true;
  }

  const std::int64_t m, n, k, ld;
  std::vector<float> both, b;
};

struct OneMatrixTest : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.memory_model("");
    layer.reset();
  }
};

TEST_F(OneMatrixTest, IsUsedInPlaceWhereTheDriverShares) {
  GpuSide side(cl::list_devices().at(0), {});
  if (!can_or_tells(side.info(), side.sharing().granularity() == 1, shares_not_all)) return;
  OneMatrix product(300, 200, 90);
  layer.reset();
  side.submit(product.problem(), default_kernel(Precision::s, side.limits()),
              SharingMode::host_pointer)
      .wait();
  EXPECT_TRUE(product.is_right());
  EXPECT_EQ(layer.bytes_copied(), 0);
}

// Shared as a plan has it, but for what this matrix, or a partition by columns, does not allow.
TEST_F(OneMatrixTest, StaysWithinTheLimitWhereItIsCopied) {
  for (const char* model : {"", "pages"})
    for (const SharingMode result : {SharingMode::host_pointer, SharingMode::staged})
      for (const std::size_t limit : {std::size_t{256} << 10, std::size_t{2} << 20}) {
        SCOPED_TRACE(std::string(model) + ' ' + std::string(name(result)));
        layer.memory_model(model);
        GpuSide side(cl::list_devices().at(0), {}, false, limit);
        OneMatrix product(900, 700, 300);
        layer.reset();
        side.submit(product.problem(), default_kernel(Precision::s, side.limits()),
                    Sharing{SharingMode::host_pointer, result})
            .wait();
        EXPECT_TRUE(product.is_right());
        EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit));
      }
}

// From the right, C's columns to the left are multiplied for those to the right of them. A row
// (1, 1, ...) by a triangle of ones is (1, 2, ...), and back.
TEST_F(OneMatrixTest, StaysWithinTheLimitInTriangularRoutines) {
  constexpr std::int64_t m = 700, n = 500;
  constexpr std::size_t limit = std::size_t{256} << 10;
  const std::vector<float> triangle(n * n, 1);
  std::vector<float> ones(m * n, 1), counted(m * n);
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<float>(i % n + 1);
  for (const char* model : {"", "pages"}) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    Settings settings;
    settings.strategy = Strategy::hybrid;
    settings.split = Share{8, 16};
    settings.device_memory = limit;
    Context context(settings);
    std::vector<float> c = ones;
    for (const bool opened : {false, true}) {  // what opening takes is not the calls'
      layer.reset();
      context.trmm(Layout::row_major, Side::right, Uplo::upper, Op::none, Diag::non_unit, m, n,
                   1.0f, triangle.data(), n, c.data(), n);
      EXPECT_GT(Context::last_call().gpu_rows, 0);
      EXPECT_FALSE(Context::last_call().recovered);
      EXPECT_EQ(c, counted);
      context.trsm(Layout::row_major, Side::right, Uplo::upper, Op::none, Diag::non_unit, m, n,
                   1.0f, triangle.data(), n, c.data(), n);
      EXPECT_GT(Context::last_call().gpu_rows, 0);
      EXPECT_FALSE(Context::last_call().recovered);
      EXPECT_EQ(c, ones);
      if (opened) {
        EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit));
      }
    }
  }
}

TEST_F(OneMatrixTest, LeavesNoPageLockedMemoryOfTheSizeOfC) {
  constexpr long blocks = 56 << 20;  // the pipeline's own
  for (const char* model : {"", "pages"}) {
    layer.memory_model(model);
    GpuSide side(cl::list_devices().at(0), {});
    OneMatrix product(5000, 5000, 8);  // C has 100 MB
    layer.reset();
    side.submit(product.problem(), default_kernel(Precision::s, side.limits()),
                Sharing{SharingMode::host_pointer, SharingMode::staged})
        .wait();
    EXPECT_TRUE(product.is_right());
    EXPECT_LE(layer.peak_bytes(1), blocks);
  }
}

}  // namespace
}  // namespace duoblas::test
