// B = alpha op(A), out of place; as fast as the memory of both. rows and columns are B's.
//
//   TRANSPOSES = 1: a tile goes through local memory, so that both A's rows and B's are read and
//   written along their length. A column of one more element keeps the banks apart.
//
//        A                      local memory              B
//     +------+                   +------+-+            +------+
//     |>>>>>>| rows of A    ->   |      | |  ->        |>>>>>>| its columns
//     +------+                   +------+-+            +------+
//
// PART, PARTS, LANES: the element type (types.clh); LANES is PARTS. CONJUGATES, SCALES: of A; alpha
// is not 1. TILE: elements of a tile's side. ACROSS x DOWN: work-items of a group; on a CPU device
// one, whose tile stays in its cache. LINES: rows of a work-item where nothing is transposed.
#define WIDTH (LANES / PARTS)

inline real value_of(real x, real alpha) {
#if CONJUGATES && PARTS == 2
  x.y = -x.y;
#endif
#if SCALES
  return product(alpha, x);
#else
  return x;
#endif
}

#if TRANSPOSES

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void omatcopy(int rows, int columns, real alpha, __global const real* a, ulong a_offset,
                       ulong lda, __global real* b, ulong b_offset, ulong ldb) {
  const int x = get_local_id(0), y = get_local_id(1);
  // Tiles lie along B's rows, so that groups that run together share pages of both.
  const int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  a += a_offset;
  b += b_offset;
#if ACROSS * DOWN > 1
  __local real tile[TILE][TILE + 1];
#pragma unroll
  for (int j = y; j < TILE; j += DOWN)
#pragma unroll
    for (int i = x; i < TILE; i += ACROSS)
      if (left + j < columns && top + i < rows)
        tile[j][i] = a[(ulong)(left + j) * lda + (top + i)];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int i = y; i < TILE; i += DOWN)
#pragma unroll
    for (int j = x; j < TILE; j += ACROSS)
      if (top + i < rows && left + j < columns)
        b[(ulong)(top + i) * ldb + (left + j)] = value_of(tile[j][i], alpha);
#else
  real tile[TILE][TILE];
  const int down = min(TILE, rows - top), along = min(TILE, columns - left);
  if (down == TILE && along == TILE) {
    for (int j = 0; j < TILE; ++j)
      for (int i = 0; i < TILE; ++i) tile[j][i] = a[(ulong)(left + j) * lda + (top + i)];
    for (int i = 0; i < TILE; ++i)
      for (int j = 0; j < TILE; ++j)
        b[(ulong)(top + i) * ldb + (left + j)] = value_of(tile[j][i], alpha);
  } else {
    for (int i = 0; i < down; ++i)
      for (int j = 0; j < along; ++j)
        b[(ulong)(top + i) * ldb + (left + j)] =
            value_of(a[(ulong)(left + j) * lda + (top + i)], alpha);
  }
#endif
}

#else

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void omatcopy(int rows, int columns, real alpha, __global const real* a, ulong a_offset,
                       ulong lda, __global real* b, ulong b_offset, ulong ldb) {
  const int across = get_global_size(0);
  const int top = get_global_id(1) * LINES, bottom = min(rows, top + LINES);
  for (int i = top; i < bottom; ++i) {
    __global const real* from = a + a_offset + (ulong)i * lda;
    __global real* to = b + b_offset + (ulong)i * ldb;
    for (int j = get_global_id(0); j < columns; j += across) to[j] = value_of(from[j], alpha);
  }
}

#endif
