#include "kernel_space/batched_table.hpp"

#include <limits>

namespace duoblas {
namespace {

constexpr int any_size = std::numeric_limits<int>::max();

using enum Precision;

// s and d: the best of what bench_batched --sweep tried in 22 s each on an NVIDIA H200
// (docs/results/h200-kernels.md); for devices without its instructions, and for c and z: points
// that were best for single products (tiled_points.cpp), with tiles as small as the matrices.
constexpr BatchedRow rows[] = {
    {s, 16,
     "family=1 tile_rows=4 tile_cols=2 vector_width=2 group_rows=4 group_cols=8 "
     "k_unroll=16 local_a=1 local_b=1 prefetch=0 async_copy=1 assignment=2 lane_order=1 "
     "madd_order=1"},
    {s, 16,
     "family=1 tile_rows=2 tile_cols=4 vector_width=2 group_rows=8 group_cols=4 "
     "k_unroll=16 local_a=1 local_b=1 prefetch=0 madd_order=1"},
    {s, 32,
     "family=1 tile_rows=4 tile_cols=4 group_rows=8 group_cols=8 k_unroll=32 local_a=1 "
     "local_b=1 prefetch=0 async_copy=1 assignment=2 lane_order=1 madd_order=1"},
    {s, 32,
     "family=1 tile_rows=4 tile_cols=4 group_rows=8 group_cols=8 k_unroll=16 local_a=1 "
     "local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {s, 64,
     "family=1 tile_rows=4 tile_cols=8 group_rows=16 group_cols=8 k_unroll=16 local_a=1 "
     "local_b=1 async_copy=1 assignment=2 lane_order=1 madd_order=1"},
    {s, 64,
     "family=1 tile_rows=4 tile_cols=8 group_rows=16 group_cols=8 k_unroll=16 local_a=1 "
     "local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {s, 128,
     "family=1 tile_rows=4 tile_cols=8 group_rows=8 group_cols=16 k_unroll=16 local_a=1 "
     "local_b=1 prefetch=2 async_copy=1 assignment=2 lane_order=1 madd_order=1"},
    {s, any_size,
     "family=1 tile_rows=8 tile_cols=8 group_rows=8 group_cols=16 k_unroll=16 local_a=1 "
     "local_b=1 prefetch=2 async_copy=1 assignment=2 lane_order=1 madd_order=1"},
    {s, any_size,
     "family=1 tile_rows=8 tile_cols=8 group_rows=8 group_cols=16 k_unroll=16 local_a=1 "
     "local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {d, 16,
     "family=1 tile_rows=2 tile_cols=2 vector_width=2 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 prefetch=2 async_copy=1 fragments=1 madd_order=1 matrix=3"},
    {d, 16,
     "family=1 tile_rows=2 tile_cols=2 vector_width=2 group_rows=8 group_cols=8 "
     "k_unroll=16 local_a=1 local_b=1 prefetch=0 assignment=2 lane_order=1 madd_order=1"},
    {d, 32,
     "family=1 tile_rows=4 tile_cols=2 vector_width=2 group_rows=8 group_cols=16 k_unroll=16 "
     "local_a=1 local_b=1 prefetch=0 async_copy=1 madd_order=1 matrix=3"},
    {d, 32,
     "family=1 tile_rows=4 tile_cols=4 vector_width=2 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {d, 64,
     "family=1 tile_rows=4 tile_cols=8 vector_width=2 group_rows=16 group_cols=8 k_unroll=16 "
     "local_a=1 "
     "local_b=1 async_copy=1 fragments=1 madd_order=1 matrix=3"},
    {d, 64,
     "family=1 tile_rows=4 tile_cols=4 vector_width=2 group_rows=16 group_cols=16 "
     "k_unroll=8 local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {d, any_size,
     "family=1 tile_rows=4 tile_cols=8 vector_width=2 group_rows=16 group_cols=16 k_unroll=16 "
     "local_a=1 "
     "local_b=1 prefetch=2 async_copy=1 fragments=1 madd_order=1 matrix=3"},
    {d, any_size,
     "family=1 tile_rows=4 tile_cols=4 vector_width=2 group_rows=16 group_cols=16 "
     "k_unroll=8 local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {c, 16,
     "family=1 tile_rows=2 tile_cols=2 vector_width=2 group_rows=8 group_cols=8 "
     "k_unroll=16 local_a=1 local_b=1 prefetch=0 assignment=2 lane_order=1 madd_order=1"},
    {c, 32,
     "family=1 tile_rows=4 tile_cols=4 vector_width=2 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {c, any_size,
     "family=1 tile_rows=8 tile_cols=4 vector_width=2 group_rows=8 group_cols=16 "
     "k_unroll=8 local_a=1 local_b=1 async_copy=1 assignment=2 lane_order=1 madd_order=1"},
    {c, any_size,
     "family=1 tile_rows=4 tile_cols=4 vector_width=2 group_rows=16 group_cols=16 "
     "k_unroll=8 local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {z, 16,
     "family=1 tile_rows=2 tile_cols=2 vector_width=1 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 prefetch=0 assignment=2 lane_order=1 madd_order=1"},
    {z, 32,
     "family=1 tile_rows=4 tile_cols=4 vector_width=1 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
    {z, any_size,
     "family=1 tile_rows=8 tile_cols=4 vector_width=1 group_rows=8 group_cols=16 "
     "k_unroll=8 local_a=1 local_b=1 prefetch=2 async_copy=1 assignment=2 lane_order=1 "
     "madd_order=1"},
    {z, any_size,
     "family=1 tile_rows=4 tile_cols=4 vector_width=1 group_rows=8 group_cols=8 k_unroll=8 "
     "local_a=1 local_b=1 assignment=2 lane_order=1 madd_order=1"},
};

}  // namespace

std::span<const BatchedRow> batched_table() {
  return rows;
}

}  // namespace duoblas
