// Copies of the caller's memory by kernels with vectors: rows start wherever the caller has them.
#include <gtest/gtest.h>

#include <complex>

#include "gpu/gpu_side.hpp"
#include "gpu/streams/matrix_copy.hpp"
#include "support/first_device.hpp"
#include "support/test_matrix.hpp"

namespace duoblas {
namespace {

GpuSide& side() {
  static GpuSide once(test::first_device(), {});
  return once;
}

template <typename T>
void expect_exact(CopyProblem p, const CopyKernel& kernel, SharingMode sharing, std::int64_t offset,
                  std::int64_t pad) {
  SCOPED_TRACE(testing::Message() << (p.transposes ? "transposed, " : "") << "offset " << offset
                                  << ", pad " << pad << ", staged: " << copies(sharing));
  p.rows = 37;
  p.columns = 32;
  test::TestMatrix<T> a(p.stored_rows(), p.stored_columns(), pad, offset),
      b(p.rows, p.columns, pad, offset);
  a.randomise(3);
  p.a = a.data();
  p.lda = a.ld();
  p.b = b.data();
  p.ldb = b.ld();
  RoutineJob job = start_copy(side().device(), p, kernel, sharing, CopyProblem());
  job.wait();
  EXPECT_TRUE(b.guards_untouched());
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j)
      ASSERT_EQ(b.at(i, j), p.transposes ? a.at(j, i) : a.at(i, j)) << i << ", " << j;
}

template <typename T>
void expect_exact_wherever_rows_start(Precision precision, int width) {
  for (const bool transposes : {false, true}) {
    CopyProblem p;
    p.precision = precision;
    p.transposes = transposes;
    const CopyKernel kernel{16, 4, 2, transposes ? 1 : 3, width};
    for (const SharingMode sharing : {SharingMode::host_pointer, SharingMode::staged})
      for (const std::int64_t offset : {0, 1, width})
        for (const std::int64_t pad : {0, 1, width})
          expect_exact<T>(p, kernel, sharing, offset, pad);
  }
}

TEST(CopyJobs, WithVectorsAreExactWhereverRowsStart) {
  expect_exact_wherever_rows_start<float>(Precision::s, 4);
  expect_exact_wherever_rows_start<std::complex<float>>(Precision::c, 2);
  if (side().limits().has_fp64) expect_exact_wherever_rows_start<double>(Precision::d, 2);
}

}  // namespace
}  // namespace duoblas
