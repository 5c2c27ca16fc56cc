// Family `panel`: for OpenCL CPU devices. One work-item is a work-group; it computes a block of C
// tile by tile, a tile being TILE_ROWS rows of VECTORS vectors that stay in registers.
//
// Complex elements are kept interleaved: a row of A is two rows of numbers (its real and its
// imaginary parts), each multiplied with whole vectors of B, and only the finished sums are
// combined. So the inner loop is that of real numbers, without a shuffle.

#define VECTORS (TILE_COLS / VECTOR_WIDTH)

typedef JOIN(PART, LANES) vec;
#define VLOAD(p) JOIN(vload, LANES)(0, p)
#define VSTORE(v, p) JOIN(vstore, LANES)(v, 0, p)

#if LANES == 2
#define PAIRS(x, y) ((vec)(x, y))
#define SWAP(v) ((v).s10)
#elif LANES == 4
#define PAIRS(x, y) ((vec)(x, y, x, y))
#define SWAP(v) ((v).s1032)
#elif LANES == 8
#define PAIRS(x, y) ((vec)(x, y, x, y, x, y, x, y))
#define SWAP(v) ((v).s10325476)
#else
#define PAIRS(x, y) ((vec)(x, y, x, y, x, y, x, y, x, y, x, y, x, y, x, y))
#define SWAP(v) ((v).s1032547698badcfe)
#endif

// Vectors at the edge of a matrix: memory outside [from, to) is neither read nor written.
inline vec load_lanes(__global const part* p, int from, int to) {
  part lanes[LANES];
  for (int i = 0; i < LANES; ++i) lanes[i] = i >= from && i < to ? p[i] : 0;
  return VLOAD(lanes);
}

inline void store_lanes(vec v, __global part* p, int from, int to) {
  part lanes[LANES];
  VSTORE(v, lanes);
  for (int i = from; i < to; ++i) p[i] = lanes[i];
}

// What a tile needs to know of the call.
typedef struct {
  int m, n, k;
  real alpha, beta;
  __global const part* a;  // at element (0, 0), like b and c
  ulong lda;
  __global const part* b;
  ulong ldb;
  __global part* c;
  ulong ldc;
} call_t;

// scale * v, complex where elements are.
inline vec scaled(real scale, vec v) {
#if PARTS == 2
  return MADD((vec)(scale.y) * PAIRS(-1, 1), SWAP(v), (vec)(scale.x) * v);
#else
  return (vec)(scale)*v;
#endif
}

// The finished sum of a vector of C: what was multiplied with the real parts of A, and with its
// imaginary parts.
inline vec combined(vec by_real, vec by_imaginary) {
  const int conj_a = OP_A == OP_CONJ_TRANSPOSE, conj_b = OP_B == OP_CONJ_TRANSPOSE;
  return by_real * PAIRS(1, conj_b ? -1 : 1) +
         SWAP(by_imaginary) * PAIRS(conj_a == conj_b ? -1 : 1, conj_a ? -1 : 1);
}

inline void update(const call_t* call, real beta, vec sum, __global part* c, int from, int to) {
  const int whole = from == 0 && to == LANES;
  vec result = scaled(call->alpha, sum);
  if (!IS_ZERO(beta)) {
    const vec old = whole ? VLOAD(c) : load_lanes(c, from, to);
    result += IS_ONE(beta) ? old : scaled(beta, old);
  }
  if (whole)
    VSTORE(result, c);
  else
    store_lanes(result, c, from, to);
}

// Adds steps [begin, end) of k to the tile at (row, col), `vectors` wide; after multiplication
// by alpha, that is, and to beta * C. Rows from m on are computed as copies of the last row and
// not stored. Of the last vector only lanes [from, to) belong to C; where `narrow` the others are
// not readable in B either.
inline __attribute__((always_inline)) void tile(const call_t* call, const int vectors,
                                                const int narrow, int row, int col, int begin,
                                                int end, real beta, int from, int to) {
#if PACKS_A
  __global const part* a =
      call->a + ((ulong)(row / TILE_ROWS) * call->k + begin) * (TILE_ROWS * PARTS);
  const ulong a_step = TILE_ROWS * PARTS;
#define A_AT(r, q) a[a_at + (r)*PARTS + (q)]
#else
  __global const part* a[TILE_ROWS];
#pragma unroll
  for (int r = 0; r < TILE_ROWS; ++r)
    a[r] = call->a + (min(row + r, call->m - 1) * call->lda + begin) * PARTS;
  const ulong a_step = PARTS;
#define A_AT(r, q) a[r][a_at + (q)]
#endif

#if PACKS_B
  const ulong b_step = TILE_COLS * PARTS;
  __global const part* b =
      call->b + ((ulong)(col / TILE_COLS) * call->k + begin) * b_step + col % TILE_COLS * PARTS;
#else
  const ulong b_step = call->ldb * PARTS;
  __global const part* b = call->b + (begin * call->ldb + col) * PARTS;
#endif

  vec sum[TILE_ROWS * PARTS][VECTORS];
#pragma unroll
  for (int r = 0; r < TILE_ROWS * PARTS; ++r)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) sum[r][v] = 0;

  ulong a_at = 0;
#pragma unroll K_UNROLL
  for (int p = begin; p < end; ++p) {
    vec x[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v)
      if (v < vectors) x[v] = narrow ? load_lanes(b, from, to) : VLOAD(b + v * LANES);
#pragma unroll
    for (int r = 0; r < TILE_ROWS; ++r)
#pragma unroll
      for (int q = 0; q < PARTS; ++q) {
        const vec y = (vec)(A_AT(r, q));
#pragma unroll
        for (int v = 0; v < VECTORS; ++v)
          if (v < vectors) sum[r * PARTS + q][v] = MADD(y, x[v], sum[r * PARTS + q][v]);
      }
    a_at += a_step;
    b += b_step;
  }

#pragma unroll
  for (int r = 0; r < TILE_ROWS; ++r)
    if (row + r < call->m) {
      __global part* c = call->c + ((row + r) * call->ldc + col) * PARTS;
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
        if (v < vectors) {
#if PARTS == 2
          const vec s = combined(sum[r * PARTS][v], sum[r * PARTS + 1][v]);
#else
          const vec s = sum[r][v];
#endif
          update(call, beta, s, c + v * LANES, v == vectors - 1 ? from : 0,
                 v == vectors - 1 ? to : LANES);
        }
    }
}

// The rows of one column panel that is narrower than TILE_COLS: vector by vector.
inline void edge_panel(const call_t* call, int row_begin, int row_end, int col, int begin, int end,
                       real beta) {
  for (int row = row_begin; row < row_end; row += TILE_ROWS)
    for (int left = col; left < call->n; left += VECTOR_WIDTH) {
      int at = left, from = 0, to = LANES, narrow = 0;
      if (left + VECTOR_WIDTH > call->n) {
        to = (call->n - left) * PARTS;
        if (!PACKS_B && call->n >= VECTOR_WIDTH) {
          // Read a whole vector that ends at the last column, and keep its new lanes.
          at = call->n - VECTOR_WIDTH;
          from = (left - at) * PARTS;
          to = LANES;
        } else if (!PACKS_B) {
          narrow = 1;
        }
      }
      tile(call, 1, narrow, row, at, begin, end, beta, from, to);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm(
    int m, int n, int k, real alpha, __global const real* a, ulong a_offset, ulong lda,
    __global const real* b, ulong b_offset, ulong ldb, real beta, __global real* c, ulong c_offset,
    ulong ldc) {
  if (IS_ZERO(alpha)) k = 0;  // A and B are not read then
  if (k == 0) alpha = 0;      // and whatever alpha is, nothing is added
  const call_t call = {m, n, k, alpha, beta, (__global const part*)(a + a_offset), lda,
                       (__global const part*)(b + b_offset), ldb, (__global part*)(c + c_offset),
                       ldc};

  // This group's share of the tiles, even to within one.
  const ulong row_tiles = (m + TILE_ROWS - 1) / TILE_ROWS;
  const ulong col_tiles = (n + TILE_COLS - 1) / TILE_COLS;
  const int row_begin = row_tiles * get_group_id(0) / get_num_groups(0) * TILE_ROWS;
  const int row_end = row_tiles * (get_group_id(0) + 1) / get_num_groups(0) * TILE_ROWS;
  const int col_begin = col_tiles * get_group_id(1) / get_num_groups(1) * TILE_COLS;
  const int col_end = col_tiles * (get_group_id(1) + 1) / get_num_groups(1) * TILE_COLS;

  const int slices = max(1, (k + BLOCK_K - 1) / BLOCK_K);
  for (int slice = 0; slice < slices; ++slice) {
    const int begin = (long)k * slice / slices, end = (long)k * (slice + 1) / slices;
    const real factor = slice == 0 ? beta : ONE;
    for (int col = col_begin; col < col_end; col += TILE_COLS) {
      if (col + TILE_COLS > n) {
        edge_panel(&call, row_begin, row_end, col, begin, end, factor);
        continue;
      }
      for (int row = row_begin; row < row_end; row += TILE_ROWS)
        tile(&call, VECTORS, 0, row, col, begin, end, factor, 0, LANES);
    }
  }
}

// Packing: a panel is `tile` rows of op(A) or columns of op(B), one line of `tile` elements per
// step of k; lines outside the matrix are zero. Work-group (i, j) packs steps [j, j + 1) *
// PACK_STEPS of panel i.

// Four numbers along k from each of 4 / PARTS lines are turned at once, in registers.
typedef JOIN(PART, 4) quad;
#define TURNED (4 / PARTS)

inline void turn_square(__global const part* from, ulong from_line, __global part* to,
                        ulong to_line) {
  const quad x = vload4(0, from), y = vload4(0, from + from_line);
#if PARTS == 2
  vstore4((quad)(x.s01, y.s01), 0, to);
  vstore4((quad)(x.s23, y.s23), 0, to + to_line);
#else
  const quad z = vload4(0, from + 2 * from_line), w = vload4(0, from + 3 * from_line);
  vstore4((quad)(x.s0, y.s0, z.s0, w.s0), 0, to);
  vstore4((quad)(x.s1, y.s1, z.s1, w.s1), 0, to + to_line);
  vstore4((quad)(x.s2, y.s2, z.s2, w.s2), 0, to + 2 * to_line);
  vstore4((quad)(x.s3, y.s3, z.s3, w.s3), 0, to + 3 * to_line);
#endif
}

inline __attribute__((always_inline)) void pack_panel(__global const part* x, ulong ld,
                                                      const int along_k, const int tile,
                                                      int extent, int k,
                                                      __global part* packed) {
  const int first = get_group_id(0) * tile, inside = min(tile, extent - first);
  const int begin = get_group_id(1) * PACK_STEPS, end = min(begin + PACK_STEPS, k);
  // Element (t, p) of the panel is at from[t * t_step + p * p_step].
  const ulong t_step = (along_k ? ld : 1) * PARTS, p_step = (along_k ? 1 : ld) * PARTS;
  __global const part* from = x + first * t_step;
  __global part* to = packed + (ulong)first * k * PARTS;
  int p = begin;
  if (inside == tile && along_k && tile >= TURNED) {
    const int turned = begin + (end - begin) / TURNED * TURNED;
    for (int t = 0; t < tile; t += TURNED) {
      const int at = min(t, tile - TURNED);  // the last square may overlap its neighbour
      for (p = begin; p < turned; p += TURNED)
        turn_square(from + at * t_step + p * p_step, t_step,
                    to + ((ulong)p * tile + at) * PARTS, tile * PARTS);
    }
  } else if (inside == tile && !along_k) {
    for (; p < end; ++p) {
      __global const part* line = from + p * p_step;
      __global part* out = to + (ulong)p * tile * PARTS;
      int i = 0;
#pragma unroll
      for (; i + LANES <= tile * PARTS; i += LANES) VSTORE(VLOAD(line + i), out + i);
#pragma unroll
      for (; i < tile * PARTS; ++i) out[i] = line[i];
    }
  }
  for (; p < end; ++p)
    for (int t = 0; t < tile; ++t)
      for (int q = 0; q < PARTS; ++q)
        to[((ulong)p * tile + t) * PARTS + q] = t < inside ? from[t * t_step + p * p_step + q] : 0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void pack_a(
    int m, int k, __global const real* a, ulong a_offset, ulong lda, __global real* packed) {
  pack_panel((__global const part*)(a + a_offset), lda, OP_A == OP_NONE, TILE_ROWS, m, k,
             (__global part*)packed);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void pack_b(
    int n, int k, __global const real* b, ulong b_offset, ulong ldb, __global real* packed) {
  pack_panel((__global const part*)(b + b_offset), ldb, OP_B != OP_NONE, TILE_COLS, n, k,
             (__global part*)packed);
}
