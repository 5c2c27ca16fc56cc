// A driver that refuses rows of a buffer whose last one is not there as a whole: NVIDIA's.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "cl_layer/lapack_under_layer.hpp"
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

}  // namespace
}  // namespace duoblas::test
