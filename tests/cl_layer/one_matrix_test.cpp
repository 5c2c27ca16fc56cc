// A product of parts of one matrix, as triangular routines and LAPACK ask for: A lies between the
// rows of C.
#include <gtest/gtest.h>

#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"

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
  if (side.sharing().granularity() != 1) return;  // the driver does not share every window
  OneMatrix product(300, 200, 90);
  layer.reset();
  side.submit(product.problem(), default_kernel(Precision::s, side.limits()),
              SharingMode::host_pointer)
      .wait();
  EXPECT_TRUE(product.is_right());
  EXPECT_EQ(layer.bytes_copied(), 0);
}

// Shared as a plan has it, but for what this matrix, or a cut by columns, does not allow.
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
