// C in tiles: every element once, at cache lines, as many as the threads need.
#include "cpu/tiles.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cpu/team_blas.hpp"

namespace duoblas {
namespace {

GemmProblem product(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = p.lda = k;
  p.ldb = p.ldc = n;
  return p;
}

TEST(Tiles, CoverEveryElementOnce) {
  for (const std::int64_t m : {1, 7, 16, 127, 300, 1000})
    for (const std::int64_t n : {1, 16, 129, 500, 3000})
      for (const std::int64_t k : {1, 64, 2000})
        for (const int threads : {1, 2, 5, 24}) {
          std::vector<float> c(static_cast<std::size_t>(m * n));
          std::vector<float> a(static_cast<std::size_t>(m * k));
          std::vector<float> b(static_cast<std::size_t>(k * n));
          GemmProblem p = product(m, n, k);
          p.a = a.data();
          p.b = b.data();
          p.c = c.data();
          for (const TileGrid& grid :
               {tile_grid(p, threads), even_tiles(p, threads), even_tiles(p, threads, 3)}) {
            c.assign(c.size(), 0.0f);
            for (std::int64_t index = 0; index < grid.count(); ++index) {
              const GemmProblem tile = tile_of(p, grid, index);
              ASSERT_GT(tile.m, 0);
              ASSERT_GT(tile.n, 0);
              for (std::int64_t i = 0; i < tile.m; ++i)
                for (std::int64_t j = 0; j < tile.n; ++j)
                  ++static_cast<float*>(tile.c)[i * tile.ldc + j];
            }
            ASSERT_EQ(c, std::vector<float>(c.size(), 1.0f)) << m << ' ' << n << ' ' << threads;
          }
        }
}

TEST(Tiles, AreAsManyForEachThreadOfATeamAsItSays) {
  const TileGrid square = even_tiles(product(1600, 1600, 256), 8);
  EXPECT_EQ(square.count(), 16);
  EXPECT_EQ(square.rows, 400);
  EXPECT_EQ(square.cols, 400);
  EXPECT_EQ(even_tiles(product(256, 3840, 256), 8).tiles_across, 16) << "short sides";
  EXPECT_LE(even_tiles(product(500, 3840, 256), 7).count(), 14);
  EXPECT_EQ(even_tiles(product(32, 32, 64), 8).count(), 1) << "too small";
  EXPECT_EQ(even_tiles(product(1600, 1600, 256), 8, 3).count(), 24);
  EXPECT_EQ(even_tiles(product(256, 3840, 256), 8, 3).tiles_across, 24);
}

TEST(Tiles, TakeTheirRowsOfAAndColumnsOfBUnderEveryOp) {
  std::vector<double> a(100 * 100), b(100 * 100), c(100 * 100);
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::conj_transpose}) {
      GemmProblem p = product(100, 100, 100);
      p.precision = Precision::d;
      p.op_a = op_a;
      p.op_b = op_b;
      p.a = a.data();
      p.b = b.data();
      p.c = c.data();
      const GemmProblem tile = tile_of(p, {32, 48, 4, 3}, 7);  // rows from 64, columns from 48
      EXPECT_EQ(tile.m, 32);
      EXPECT_EQ(tile.n, 48);
      EXPECT_EQ(tile.k, 100);
      EXPECT_EQ(tile.a, a.data() + (op_a == Op::none ? 64 * 100 : 64));
      EXPECT_EQ(tile.b, b.data() + (op_b == Op::none ? 48 : 48 * 100));
      EXPECT_EQ(tile.c, c.data() + 64 * 100 + 48);
    }
}

TEST(Tiles, EndAtCacheLines) {
  for (const int threads : {2, 3, 24}) {
    const TileGrid grid = tile_grid(product(2000, 1777, 500), threads);
    EXPECT_EQ(grid.rows % 16, 0);
    EXPECT_EQ(grid.cols % 16, 0);
  }
}

TEST(Tiles, AreSeveralPerThreadOfALargeProduct) {
  for (const int threads : {2, 6, 24}) {
    const std::int64_t count = tile_grid(product(4096, 4096, 4096), threads).count();
    EXPECT_GE(count, 4 * threads);
    EXPECT_LE(count, 8 * threads);
  }
}

TEST(Tiles, AreLargerForFewThreads) {
  const GemmProblem p = product(4096, 4096, 4096);
  EXPECT_GT(tile_grid(p, 2).rows, tile_grid(p, 24).rows);
  EXPECT_GT(tile_grid(p, 2).cols, tile_grid(p, 24).cols);
}

TEST(Tiles, LieAlongTheLongSideOfANarrowC) {
  const TileGrid flat = tile_grid(product(8, 100000, 500), 4);
  EXPECT_EQ(flat.tiles_down, 1);
  EXPECT_GE(flat.tiles_across, 4);
  const TileGrid tall = tile_grid(product(100000, 8, 500), 4);
  EXPECT_EQ(tall.tiles_across, 1);
  EXPECT_GE(tall.tiles_down, 4);
}

TEST(Tiles, OfAShallowProductAreNotTiny) {
  const GemmProblem p = product(1024, 1024, 2);
  EXPECT_LT(tile_grid(p, 24).count(), tile_grid(product(1024, 1024, 512), 24).count());
}

TEST(Tiles, OfOneThreadAreTheWholeProduct) {
  EXPECT_EQ(tile_grid(product(4096, 4096, 4096), 1).count(), 1);
}

}  // namespace
}  // namespace duoblas
