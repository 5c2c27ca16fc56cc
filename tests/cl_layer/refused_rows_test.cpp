// A driver that refuses rows of a buffer whose last one is not there as a whole, and copies other
// rows where they are far apart: NVIDIA's.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "cl_layer/lapack_under_layer.hpp"
#include "opencl/device.hpp"
#include "opencl/handles.hpp"
#include "support/far_rows.hpp"
#include "support/lapack_case.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

struct RefusedRows : LapackUnderLayer<testing::Test> {
  void SetUp() override {
    LapackUnderLayer::SetUp();
    layer.memory_model("locking");
  }
  void TearDown() override {
    layer.memory_model("");
    LapackUnderLayer::TearDown();
  }
};

// In engines that have hardly more memory than a call needs, so that buffers are no larger either.
TEST_F(RefusedRows, AreNoneOfReflectors) {
  Engine other(settings());
  for_a_type_of_device(other, [&](auto zero) {
    using T = decltype(zero);
    struct Extents {
      std::int64_t rows, reflectors, columns;
    };
    for (const auto& [rows, reflectors, columns] :
         {Extents{28, 15, 28}, {30, 1, 28}, {40, 26, 26}, {110, 19, 110}}) {
      SCOPED_TRACE(rows);
      Orthogonal<T> matrix = factorised<T>(other, rows, reflectors, 2, 7);
      Columns<T> b(columns, rows);
      b.randomise(8);
      Columns<InDoubles<T>> product(columns, rows);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) product.at(j, i) = InDoubles<T>(b.at(j, i));
      reflect(matrix, false, product);
      LapackProblem p = matrix.problem(LapackRoutine::ormqr);
      bool is_on_device = false;
      for (std::size_t memory = std::size_t{64} << 10; !is_on_device; memory += memory / 4) {
        ASSERT_LT(memory, std::size_t{64} << 20);
        Settings short_of_memory = settings();
        short_of_memory.device_memory = memory;
        Engine engine(short_of_memory);
        Columns<T> c = b;
        with_right_sides(p, c);
        const LapackOutcome did = run(engine, p, MatrixHome::copied);
        is_on_device = did.outcome.used_gpu;
        EXPECT_FALSE(did.outcome.recovered);
        EXPECT_LT(difference(c, product), most_error);
      }
    }
  });
}

// A driver that counts such distances in 32 bits would copy other rows without a word, and
// read_later would write beside the matrix.
TEST_F(RefusedRows, AreThoseThatAreTooFarApart) {
  constexpr std::int64_t rows = 3, columns = 2;
  constexpr std::size_t row_bytes = columns * sizeof(double), device_pitch = 64;
  const cl::Context context(cl::list_devices().at(0));
  cl::Queue queue(context);
  const cl::Buffer buffer = context.allocate(rows * device_pitch, cl::Access::read_write);
  for (const std::int64_t ld :
       {std::int64_t{1} << 28, (std::int64_t{1} << 29) + 512, std::int64_t{1} << 31}) {
    SCOPED_TRACE(ld);
    FarRows<double> from(rows, columns, ld), to(rows, columns, ld);
    ASSERT_TRUE(from.is_there() && to.is_there());
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        from.data()[i * ld + j] = static_cast<double>(10 * i + j + 1);
    const cl::RectCopy copy{rows, row_bytes, static_cast<std::size_t>(ld) * sizeof(double),
                            device_pitch, 0};
    queue.write(buffer, from.data(), copy, true);
    queue.read(buffer, to.data(), copy);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        EXPECT_EQ(to.data()[i * ld + j], from.data()[i * ld + j]) << i << ", " << j;
    EXPECT_EQ(to.data()[512], 0) << "a row was copied to another place";
  }
}

}  // namespace
}  // namespace duoblas::test
