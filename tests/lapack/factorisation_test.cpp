// getrf and potrf through both sides, at sizes that have little and at such that have many panels.
#include <thread>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

constexpr Shape shapes[] = {{1, 1},   {2, 2},   {3, 17},  {17, 3},   {8, 8},     {9, 9},
                            {33, 33}, {64, 40}, {40, 64}, {130, 97}, {140, 140}, {60, 250}};

TEST(Lu, IsRightForEveryShapeAndSplitWithTheSamePivotsAsLapacks) {
  Engine engine(forced_lapack());
  for (const int gpu_parts : {0, 5, 16}) {
    engine.plans().set_split(Share{gpu_parts, 16});
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      for (const auto& [rows, columns] : shapes) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                     std::to_string(gpu_parts) + "/16");
        General<T> ours(rows, columns, 5, 11), lapacks = ours;
        const LapackOutcome did = run(engine, ours.problem());
        EXPECT_EQ(did.info, 0);
        EXPECT_FALSE(did.outcome.recovered);
        EXPECT_LT(ours.error(), most_error);
        EXPECT_TRUE(ours.factors.guards_untouched());
        engine.cpu().run(lapacks.problem(),
                         engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
        EXPECT_EQ(ours.pivots, lapacks.pivots);
        EXPECT_EQ(ours.pivots.back(), -77);
      }
    });
  }
}

TEST(Lu, HasAPartOfTheDeviceInEveryUpdate) {
  Engine engine(forced_lapack());
  for_types_of_device(engine, [&](auto zero) {
    General<decltype(zero)> matrix(256, 256, 0, 3);
    const LapackOutcome did = run(engine, matrix.problem(), MatrixHome::in_place);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_EQ(did.outcome.products, 11) << "8 panels of 32 columns, five of six updates in halves";
    EXPECT_LT(matrix.error(), most_error);
  });
}

// Panels that are factorised in halves.
TEST(Lu, IsRightWithWidePanelsInPlace) {
  Engine engine(forced_lapack());
  for_types_of_device(engine, [&](auto zero) {
    General<decltype(zero)> matrix(620, 600, 3, 9);  // panels of 75
    const LapackOutcome did = run(engine, matrix.problem(), MatrixHome::in_place);
    EXPECT_EQ(did.info, 0);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
  });
}

TEST(Lu, SaysTheFirstZeroPivotAndGoesOn) {
  Engine engine(forced_lapack());
  for (const std::int64_t zero : {0, 40, 77, 99}) {
    SCOPED_TRACE(zero);
    General<double> ours(100, 100, 0, 5);
    for (std::int64_t i = 0; i < 100; ++i) ours.a.at(zero, i) = ours.a.at(99, i) = 0;
    ours.restore();
    General<double> lapacks = ours;
    EXPECT_EQ(run(engine, ours.problem()).info, zero + 1);
    engine.cpu().run(lapacks.problem(), engine.plans().cpu_alone(Precision::d, Reason::none).cpu);
    EXPECT_EQ(ours.pivots, lapacks.pivots);
    EXPECT_LT(ours.error(), most_error);
  }
}

TEST(Lu, OfTwoThreadsIsRightInBoth) {
  Engine engine(forced_lapack());
  const auto factorise = [&](std::uint64_t seed) {
    for (int i = 0; i < 4; ++i) {
      General<double> matrix(150, 150, 0, seed + 10 * static_cast<std::uint64_t>(i));
      run(engine, matrix.problem());
      EXPECT_LT(matrix.error(), most_error);
    }
  };
  std::thread other(factorise, 1);
  factorise(2);
  other.join();
}

TEST(Lu, GivesTheSameBitsEachTimeWithASplit) {
  Engine engine(forced_lapack());
  for_types_of_device(engine, [&](auto zero) {
    General<decltype(zero)> first(200, 200, 0, 8), second = first;
    run(engine, first.problem());
    run(engine, second.problem());
    for (std::int64_t j = 0; j < 200; ++j)
      for (std::int64_t i = 0; i < 200; ++i)
        ASSERT_EQ(first.factors.at(j, i), second.factors.at(j, i));
  });
}

TEST(Cholesky, IsRightForEverySizeAndSplitAndLeavesTheOtherTriangle) {
  Engine engine(forced_lapack());
  for (const int gpu_parts : {0, 5, 16}) {
    engine.plans().set_split(Share{gpu_parts, 16});
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const std::int64_t n : {1, 2, 7, 16, 17, 33, 100, 140}) {
          SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(gpu_parts) + "/16" +
                       (uplo == Uplo::lower ? " lower" : " upper"));
          Definite<T> matrix(n, uplo, 4, 21);
          const LapackOutcome did = run(engine, matrix.problem(LapackRoutine::potrf));
          EXPECT_EQ(did.info, 0);
          EXPECT_FALSE(did.outcome.recovered);
          EXPECT_LT(matrix.error(), most_error);
          EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
          EXPECT_TRUE(matrix.stored.guards_untouched());
        }
    });
  }
}

TEST(Cholesky, HasAPartOfTheDevice) {
  Engine engine(forced_lapack());
  for_types_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      Definite<decltype(zero)> matrix(256, uplo, 0, 3);
      const LapackOutcome did =
          run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::in_place);
      EXPECT_TRUE(did.outcome.used_gpu);
      EXPECT_EQ(did.outcome.products, 6);
      EXPECT_LT(matrix.error(), most_error);
    }
  });
}

TEST(Cholesky, IsRightWithWidePanelsInPlace) {
  Engine engine(forced_lapack());
  for_types_of_device(engine, [&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      Definite<decltype(zero)> matrix(600, uplo, 3, 9);  // panels of 75
      EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf), MatrixHome::in_place).info, 0);
      EXPECT_LT(matrix.error(), most_error);
      EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
    }
  });
}

TEST(Cholesky, SaysTheFirstMinorThatIsNotPositive) {
  Engine engine(forced_lapack());
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t wrong : {0, 3, 50, 119}) {
      SCOPED_TRACE(wrong);
      Definite<double> matrix(120, uplo, 0, 9);
      matrix.whole.at(wrong, wrong) = -1;
      matrix.store();
      EXPECT_EQ(run(engine, matrix.problem(LapackRoutine::potrf)).info, wrong + 1);
      EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
      if (wrong > 0) {
        EXPECT_LT(matrix.error_of_leading(wrong), most_error);
      }
    }
}

}  // namespace
}  // namespace duoblas::test
