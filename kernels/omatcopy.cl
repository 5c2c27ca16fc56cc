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
// PART, PARTS, LANES: element type and width of a vector in numbers (types.clh). CONJUGATES,
// SCALES: of A; alpha is not 1. ALIGNED: each row of A and B starts at a multiple of a vector's
// bytes. TILE: elements of a tile's side. ACROSS x DOWN: work-items of a group; on a CPU device
// one, whose tile stays in its cache. LINES: rows of a work-item where nothing is transposed.
//
// Where rows are not aligned, a CPU still has vectors. Work-items of a group take elements one by
// one, neighbours those beside each other: together they then ask for whole lines of memory.
#if ALIGNED || ACROSS * DOWN == 1
typedef vec piece;
#define PIECE WIDTH
#define GET(p) LOAD((__global const PART*)(p))
#define PUT(v, p) STORE(v, (__global PART*)(p))
#else
typedef real piece;
#define PIECE 1
#define GET(p) (*(p))
#define PUT(v, p) (*(p) = (v))
#endif

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

#if PIECE == 1
#define VALUES_OF(v, alpha) value_of(v, alpha)
#else
inline vec values_of(vec v, real alpha) {
#if PARTS == 1
#if SCALES
  v *= (vec)alpha;
#endif
#elif CONJUGATES || SCALES
  PART both[LANES];
#pragma unroll
  for (int q = 0; q < LANES; q += 2) {
    both[q] = -1;
    both[q + 1] = 1;
  }
  const vec signs = VLOAD(both);
#if CONJUGATES
  v *= -signs;
#endif
#if SCALES
  v = MADD(SWAPPED(v), (vec)(alpha.y) * signs, v * (vec)(alpha.x));
#endif
#endif
  return v;
}
#define VALUES_OF(v, alpha) values_of(v, alpha)
#endif

#if TRANSPOSES

#if ACROSS * DOWN > 1
#define TILES_MEMORY __local
#define PITCH (TILE + 1)
#else
#define TILES_MEMORY
#define PITCH TILE
#endif

// One below another in the tile, from this one on.
inline piece piece_of(TILES_MEMORY const real* column) {
#if PIECE == 1
  return *column;
#else
  PART some[LANES];
#pragma unroll
  for (int q = 0; q < WIDTH; ++q) {
#if PARTS == 2
    some[2 * q] = column[q * PITCH].x;
    some[2 * q + 1] = column[q * PITCH].y;
#else
    some[q] = column[q * PITCH];
#endif
  }
  return VLOAD(some);
#endif
}

inline void put_into(TILES_MEMORY real* row, piece values) {
#if PIECE == 1
  *row = values;
#else
  VSTORE(values, (TILES_MEMORY PART*)row);
#endif
}

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void omatcopy(int rows, int columns, real alpha, __global const real* a, ulong a_offset,
                       ulong lda, __global real* b, ulong b_offset, ulong ldb) {
  const int x = get_local_id(0), y = get_local_id(1);
  // Tiles lie along B's rows, so that groups that run together share pages of both.
  const int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  const int down = min(TILE, rows - top), along = min(TILE, columns - left);
  const int is_whole = down == TILE && along == TILE;
  a += a_offset + (ulong)left * lda + top;
  b += b_offset + (ulong)top * ldb + left;
  TILES_MEMORY real tile[TILE * PITCH];
  if (is_whole) {
#pragma unroll
    for (int j = y; j < TILE; j += DOWN)
#pragma unroll
      for (int i = x * PIECE; i < TILE; i += ACROSS * PIECE)
        put_into(tile + j * PITCH + i, GET(a + (ulong)j * lda + i));
  } else {
    for (int j = y; j < along; j += DOWN)
      for (int i = x; i < down; i += ACROSS) tile[j * PITCH + i] = a[(ulong)j * lda + i];
  }
#if ACROSS * DOWN > 1
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (is_whole) {
#pragma unroll
    for (int i = y; i < TILE; i += DOWN)
#pragma unroll
      for (int j = x * PIECE; j < TILE; j += ACROSS * PIECE)
        PUT(VALUES_OF(piece_of(tile + j * PITCH + i), alpha), b + (ulong)i * ldb + j);
  } else {
    for (int i = y; i < down; i += DOWN)
      for (int j = x; j < along; j += ACROSS)
        b[(ulong)i * ldb + j] = value_of(tile[j * PITCH + i], alpha);
  }
}

#else

// Rows that a work-item reads before it writes any, and pieces of each.
#if ACROSS * DOWN == 1
#define AT_ONCE 1
#elif LINES < 4
#define AT_ONCE LINES
#else
#define AT_ONCE 4
#endif
#define EACH (WIDTH / PIECE)

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void omatcopy(int rows, int columns, real alpha, __global const real* a, ulong a_offset,
                       ulong lda, __global real* b, ulong b_offset, ulong ldb) {
  const int across = get_global_size(0) * WIDTH;
  const int left = get_group_id(0) * (ACROSS * WIDTH) + get_local_id(0) * PIECE;
  const int top = get_global_id(1) * LINES, bottom = min(rows, top + LINES);
  for (int i = top; i < bottom; i += AT_ONCE) {
    __global const real* from = a + a_offset + (ulong)i * lda;
    __global real* to = b + b_offset + (ulong)i * ldb;
    const int lines = min(AT_ONCE, bottom - i);
    for (int j = left; j < columns; j += across) {
      piece values[AT_ONCE * EACH];
#pragma unroll
      for (int r = 0; r < AT_ONCE; ++r)
#pragma unroll
        for (int q = 0; q < EACH; ++q) {
          const int at = j + q * (ACROSS * PIECE);
          if (r < lines && at + PIECE <= columns)
            values[r * EACH + q] = GET(from + (ulong)r * lda + at);
        }
#pragma unroll
      for (int r = 0; r < AT_ONCE; ++r)
#pragma unroll
        for (int q = 0; q < EACH; ++q) {
          const int at = j + q * (ACROSS * PIECE);
          if (r < lines && at + PIECE <= columns)
            PUT(VALUES_OF(values[r * EACH + q], alpha), to + (ulong)r * ldb + at);
        }
#if PIECE > 1
      if (j + PIECE > columns)
        for (int r = 0; r < lines; ++r)
          for (int at = j; at < columns; ++at)
            to[(ulong)r * ldb + at] = value_of(from[(ulong)r * lda + at], alpha);
#endif
    }
  }
}

#endif
