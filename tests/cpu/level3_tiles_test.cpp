// Tiles of level-3 calls: against plain loops, in an order in which nobody would write them, and on
// the real CPU BLAS where the CPU side makes them.
#include "cpu/level3_tiles.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "cpu/cpu_side.hpp"
#include "support/element_types.hpp"
#include "support/plain_level3.hpp"

namespace duoblas::test {
namespace {

template <typename T>
void run_from_the_last(const std::vector<TileSteps>& tiles) {
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile)
    for (const Step& step : *tile) plain_step<T>(step);
}

template <typename T>
void expect_right_in_tiles() {
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const Diag diag : {Diag::non_unit, Diag::unit}) {
            Level3Factors f{routine, Layout::row_major, side, uplo, op, diag, 13, 7, 2, 1, -0.7};
            f.seed = ++seed;
            f.beta = seed % 3 == 0 ? 0 : 0.6;
            if (!exists<T>(f)) continue;
            for (const Level3Grid grid : {Level3Grid{1, 7}, {4, 2}, {13, 3}, {5, 100}})
              expect_right<T>(f, [&](const CallerLevel3& call) {
                check(call);
                run_from_the_last<T>(level3_tiles(to_row_major(call), grid));
              });
          }
}

TEST(Level3Tiles, GiveEveryRoutineInAnyOrder) {
  expect_right_in_tiles<double>();
}
TEST(Level3Tiles, GiveEveryRoutineOfComplexNumbersInAnyOrder) {
  expect_right_in_tiles<std::complex<double>>();
}

Level3Problem square_call(Routine routine, std::int64_t order, std::int64_t free) {
  Level3Problem p;
  p.routine = routine;
  p.m = p.n = order;
  p.k = free;
  return p;
}

TEST(Level3Tiles, AreMadeOfTrianglesThatAreWorthManyThreads) {
  for (const Routine routine : {Routine::syrk, Routine::herk, Routine::syr2k, Routine::her2k})
    for (const std::int64_t order : {128, 512, 1000, 2048}) {
      const Level3Problem p = square_call(routine, order, 2048);
      const auto grid = level3_grid(p, 16);
      ASSERT_TRUE(grid.has_value()) << name(routine) << ' ' << order;
      EXPECT_GE(level3_tiles(p, *grid).size(), order < 256 ? 10 : 2 * 16);
    }
  EXPECT_FALSE(level3_grid(square_call(Routine::syrk, 256, 256), 16)) << "too small";
  EXPECT_FALSE(level3_grid(square_call(Routine::syrk, 2048, 2048), 8)) << "too few threads";
  EXPECT_FALSE(level3_grid(square_call(Routine::trsm, 2048, 2048), 16));
  EXPECT_FALSE(level3_grid(square_call(Routine::symm, 2048, 2048), 16));
  Level3Problem scaling = square_call(Routine::syrk, 2048, 2048);
  scaling.alpha = 0;
  EXPECT_FALSE(level3_grid(scaling, 16)) << "nothing to multiply";
}

// More threads than a small machine has cores.
CpuSide& cpu_of_sixteen_threads() {
  static auto* const side = [] {
    CpuLimits limits = cpu_limits("", 0);
    limits.threads = 16;
    return new CpuSide(limits, "");
  }();
  return *side;
}

TEST(Level3Tiles, AreRightOnTheCpuSide) {
  CpuSide& side = cpu_of_sixteen_threads();
  std::uint64_t seed = 1;
  for_all_types([&](auto type) {
    using T = decltype(type);
    for (const Routine routine : {Routine::syrk, Routine::herk, Routine::syr2k, Routine::her2k}) {
      Level3Factors f{routine};
      f.uplo = ++seed % 2 == 0 ? Uplo::upper : Uplo::lower;
      if (seed % 3 != 0) f.op = is_hermitian(routine) ? Op::conj_transpose : Op::transpose;
      f.order = 90;
      // The least that is done in tiles: references are slow.
      f.free = 3710 / (is_complex_type<T> ? 4 : 1) / (is_rank_2k(routine) ? 2 : 1);
      f.pad = 3;
      f.beta = 0.6;
      f.seed = seed;
      if (!exists<T>(f)) continue;
      expect_right<T>(f, [&](const CallerLevel3& call) {
        const Level3Problem p = to_row_major(call);
        EXPECT_TRUE(level3_grid(p, side.limits().threads).has_value());
        side.run(p, side.all_cores(""));
      });
    }
  });
}

}  // namespace
}  // namespace duoblas::test
