// Family `panel`: for OpenCL CPU devices. One work-item is a work-group; it computes a block of C
// tile by tile, a tile being TILE_ROWS rows of VECTORS vectors that stay in registers.
//
// Complex elements are kept interleaved: a row of A is two rows of numbers (its real and its
// imaginary parts), each multiplied with whole vectors of B, and only the finished sums are
// combined. So the inner loop is that of real numbers, without a shuffle.

#define VECTORS (TILE_COLS / VECTOR_WIDTH)
#define ONE_WORK_ITEM __kernel __attribute__((reqd_work_group_size(1, 1, 1)))

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

// What comes next is asked for early: a hint, not a read, so that any address will do. OpenCL's own
// prefetch() does nothing on PoCL; compilers for other than CPUs may not know the builtin.
#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH(p) __builtin_prefetch((const void*)(ulong)(p), 0, 2)
#define PREFETCH_TO_L1(p) __builtin_prefetch((const void*)(ulong)(p), 0, 3)
#define PREFETCH_TO_WRITE(p) __builtin_prefetch((const void*)(ulong)(p), 1, 3)
#else
#define PREFETCH(p) ((void)0)
#define PREFETCH_TO_L1(p) ((void)0)
#define PREFETCH_TO_WRITE(p) ((void)0)
#endif
#define CACHE_LINE ((int)(64 / sizeof(part)))  // in numbers
// How many steps early packed A and, before the last step, a tile of C are fetched: some hundred
// cycles of work. Of C, fetched at the first step, the lines are in the way of B's.
#define A_AHEAD 16
#define C_AHEAD 32

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
  real alpha;
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

// Of one work-group: steps [begin, end) of k, and what C is multiplied by when they are added.
typedef struct {
  int begin, end;
  real beta;
} slice_t;

// Numbers [from, to) of a tile's rows belong to C.
typedef struct {
  int from, to;
} lanes_t;

// Packed, the rows of a tile lie together; otherwise each has a pointer of its own.
#define A_LINES (PACKS_A ? 1 : TILE_ROWS)
#define A_STEP ((PACKS_A ? TILE_ROWS : 1) * PARTS)
// Part q of row r, s steps ahead.
#define A_AT(r, s, q) a[PACKS_A ? 0 : (r)][(s)*A_STEP + (PACKS_A ? (r)*PARTS : 0) + (q)]

// Adds `steps` steps to the sums.
inline __attribute__((always_inline)) void add_steps(vec (*sum)[VECTORS], const int steps,
                                                     const int vectors, const int narrow,
                                                     __global const part* const* a,
                                                     __global const part* b, ulong b_step,
                                                     lanes_t lanes) {
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    __global const part* line = b + s * b_step;
    vec x[VECTORS];
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      x[v] = narrow ? load_lanes(line, lanes.from, lanes.to) : VLOAD(line + v * LANES);
#pragma unroll
    for (int r = 0; r < TILE_ROWS; ++r)
#pragma unroll
      for (int q = 0; q < PARTS; ++q) {
        const vec y = (vec)(A_AT(r, s, q));
#pragma unroll
        for (int v = 0; v < vectors; ++v)
          sum[r * PARTS + q][v] = MADD(y, x[v], sum[r * PARTS + q][v]);
      }
  }
}

// Adds a slice to the tile at (row, col), `vectors` wide; after multiplication by alpha, that is,
// and to beta * C. Rows from m on are computed as copies of the last row and not stored. Where
// `narrow`, the lanes of the last vector that do not belong to C are not readable in B either.
// Into the caches go, meanwhile, packed A a little ahead, a line of `next` every K_UNROLL steps,
// and at last the tile of C.
inline __attribute__((always_inline)) void tile(const call_t* call, const slice_t* slice,
                                                const int vectors, const int narrow, int row,
                                                int col, lanes_t lanes, __global const part* next) {
  __global const part* a[A_LINES];
#if PACKS_A
  a[0] = call->a + ((ulong)(row / TILE_ROWS) * call->k + slice->begin) * A_STEP;
#else
#pragma unroll
  for (int r = 0; r < TILE_ROWS; ++r) {
    // Without volatile, LLVM 14 computes these again in every step of the loop below.
    volatile ulong row_at = (min(row + r, call->m - 1) * call->lda + slice->begin) * PARTS;
    a[r] = call->a + row_at;
  }
#endif

#if PACKS_B
  const ulong b_step = TILE_COLS * PARTS;
  __global const part* b = call->b + ((ulong)(col / TILE_COLS) * call->k + slice->begin) * b_step +
                           col % TILE_COLS * PARTS;
#else
  const ulong b_step = call->ldb * PARTS;
  __global const part* b = call->b + (slice->begin * call->ldb + col) * PARTS;
#endif

  vec sum[TILE_ROWS * PARTS][VECTORS];
#pragma unroll
  for (int r = 0; r < TILE_ROWS * PARTS; ++r)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) sum[r][v] = 0;

  int p = slice->begin;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {
    const int stop = turn == 0 ? slice->end - C_AHEAD : slice->end;
#pragma unroll 1
    for (; p + K_UNROLL <= stop; p += K_UNROLL) {
#if PACKS_A
#pragma unroll
      for (int i = 0; i < K_UNROLL * A_STEP; i += CACHE_LINE)
        PREFETCH_TO_L1(a[0] + A_AHEAD * A_STEP + i);
#endif
#if PACKS_B
      PREFETCH(next);
      next += CACHE_LINE;
#endif
      add_steps(sum, K_UNROLL, vectors, narrow, a, b, b_step, lanes);
#pragma unroll
      for (int r = 0; r < A_LINES; ++r) a[r] += K_UNROLL * A_STEP;
      b += K_UNROLL * b_step;
    }
    if (turn == 0) {
#pragma unroll
      for (int r = 0; r < TILE_ROWS; ++r)
#pragma unroll
        for (int i = 0; i < vectors * LANES; i += CACHE_LINE)
          PREFETCH_TO_WRITE(call->c + (min(row + r, call->m - 1) * call->ldc + col) * PARTS + i);
    }
  }
#pragma unroll 1
  for (; p < slice->end; ++p) {
    add_steps(sum, 1, vectors, narrow, a, b, b_step, lanes);
#pragma unroll
    for (int r = 0; r < A_LINES; ++r) a[r] += A_STEP;
    b += b_step;
  }

#pragma unroll
  for (int r = 0; r < TILE_ROWS; ++r)
    if (row + r < call->m) {
      __global part* c = call->c + ((row + r) * call->ldc + col) * PARTS;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#if PARTS == 2
        const vec s = combined(sum[r * PARTS][v], sum[r * PARTS + 1][v]);
#else
        const vec s = sum[r][v];
#endif
        const int from = max(lanes.from - v * LANES, 0), to = min(lanes.to - v * LANES, LANES);
        if (to > 0) update(call, slice->beta, s, c + v * LANES, from, to);
      }
    }
}

// The rows of one column panel that is narrower than TILE_COLS, vector by vector.
inline void edge_panel(const call_t* call, const slice_t* slice, int row_begin, int row_end,
                       int col) {
  for (int row = row_begin; row < row_end; row += TILE_ROWS)
    for (int left = col; left < call->n; left += VECTOR_WIDTH) {
      int at = left, narrow = 0;
      lanes_t lanes = {0, LANES};
      if (left + VECTOR_WIDTH > call->n) {
        lanes.to = (call->n - left) * PARTS;
        if (!PACKS_B && call->n >= VECTOR_WIDTH) {
          // Read a whole vector that ends at the last column, and keep its new lanes.
          at = call->n - VECTOR_WIDTH;
          lanes.from = (left - at) * PARTS;
          lanes.to = LANES;
        } else if (!PACKS_B) {
          narrow = 1;
        }
      }
      tile(call, slice, 1, narrow, row, at, lanes, call->b);
    }
}

// Where tile number `visit` of a column panel finds its share of the panel of packed B that comes
// next, to be prefetched: even shares, a line per K_UNROLL steps. Bunched at the first tile, they
// would wait for memory together.
inline __global const part* next_panel(const call_t* call, const slice_t* slice, int next_col,
                                       int next_begin, int visit) {
  const ulong width = TILE_COLS * PARTS;
  const ulong share = (ulong)((slice->end - slice->begin) / K_UNROLL) * CACHE_LINE;
  const ulong size = (slice->end - slice->begin) * width, at = visit * share;
  // After the last share a line that is in the cache anyhow.
  return call->b + ((ulong)(next_col / TILE_COLS) * call->k + next_begin) * width +
         (at < size ? at : 0);
}

ONE_WORK_ITEM void gemm(int m, int n, int k, real alpha, __global const real* a, ulong a_offset,
                        ulong lda, __global const real* b, ulong b_offset, ulong ldb, real beta,
                        __global real* c, ulong c_offset, ulong ldc) {
  if (IS_ZERO(alpha)) k = 0;  // A and B are not read then
  if (k == 0) alpha = 0;      // and whatever alpha is, nothing is added
  __global const part* const a_00 = (__global const part*)(a + a_offset);
  __global const part* const b_00 = (__global const part*)(b + b_offset);
  __global part* const c_00 = (__global part*)(c + c_offset);
  const call_t call = {m, n, k, alpha, a_00, lda, b_00, ldb, c_00, ldc};

  // This group's share of the tiles, even to within one.
  const ulong row_tiles = (m + TILE_ROWS - 1) / TILE_ROWS;
  const ulong col_tiles = (n + TILE_COLS - 1) / TILE_COLS;
  const int row_begin = row_tiles * get_group_id(0) / get_num_groups(0) * TILE_ROWS;
  const int row_end = row_tiles * (get_group_id(0) + 1) / get_num_groups(0) * TILE_ROWS;
  const int col_begin = col_tiles * get_group_id(1) / get_num_groups(1) * TILE_COLS;
  const int col_end = col_tiles * (get_group_id(1) + 1) / get_num_groups(1) * TILE_COLS;

  const int slices = max(1, (k + BLOCK_K - 1) / BLOCK_K);
  for (int i = 0; i < slices; ++i) {
    const slice_t slice = {(long)k * i / slices, (long)k * (i + 1) / slices, i == 0 ? beta : ONE};
    for (int col = col_begin; col < col_end; col += TILE_COLS) {
      // Packed, a narrower panel is padded; with two vectors or less to compute, the rest of its
      // width would cost more than it saves.
      if (PACKS_B ? n - col <= TILE_COLS / 2 : n - col < TILE_COLS) {
        edge_panel(&call, &slice, row_begin, row_end, col);
        continue;
      }
      const lanes_t inside = {0, PACKS_B ? min(n - col, TILE_COLS) * PARTS : VECTORS * LANES};
      const int last = col + TILE_COLS >= col_end;
      const int next_col = last ? col_begin : col + TILE_COLS;
      const int next_begin = last ? slice.end : slice.begin;
      for (int row = row_begin; row < row_end; row += TILE_ROWS)
        tile(&call, &slice, VECTORS, 0, row, col, inside,
             next_panel(&call, &slice, next_col, next_begin, (row - row_begin) / TILE_ROWS));
    }
  }
}

// Packing: a panel is `tile` rows of op(A) or columns of op(B), one line of `tile` elements per
// step of k; lines outside the matrix are zero. A work-group packs PACK_STEPS steps of a panel.

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

// A line of a tile's rows in one vector, which may be longer than the line.
#if TILE_ROWS * PARTS <= 4
#define ROWS_LANES 4
#elif TILE_ROWS * PARTS <= 8
#define ROWS_LANES 8
#else
#define ROWS_LANES 16
#endif
#define ROWS_LOAD(p) JOIN(vload, ROWS_LANES)(0, p)
#define ROWS_STORE(v, p) JOIN(vstore, ROWS_LANES)(v, 0, p)

inline __attribute__((always_inline)) void copy_line(__global const part* from, __global part* to,
                                                     const int numbers) {
  int i = 0;
#pragma unroll
  for (; i + LANES <= numbers; i += LANES) {
    PREFETCH_TO_WRITE(to + 4 * numbers + i);
    VSTORE(VLOAD(from + i), to + i);
  }
#pragma unroll
  for (; i < numbers; ++i) to[i] = from[i];
}

inline __attribute__((always_inline)) void pack_panel(__global const part* x, ulong ld,
                                                      const int along_k, const int tile, int extent,
                                                      int k, __global part* packed) {
  // Groups that follow one another read on where the last one stopped: along k, or along a line.
  const ulong pieces = get_num_groups(1);
  const ulong group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
  const int panel = along_k ? group / pieces : get_group_id(0);
  const int piece = along_k ? group % pieces : get_group_id(1);
  const int first = panel * tile, inside = min(tile, extent - first);
  const int begin = piece * PACK_STEPS, end = min(begin + PACK_STEPS, k);
  // Element (t, p) of the panel is at from[t * t_step + p * p_step].
  const ulong t_step = (along_k ? ld : 1) * PARTS, p_step = (along_k ? 1 : ld) * PARTS;
  const int numbers = tile * PARTS;
  __global const part* from = x + first * t_step;
  __global part* to = packed + (ulong)first * k * PARTS;
  int p = begin;
  if (inside == tile && along_k && tile >= TURNED) {
    const int turned = begin + (end - begin) / TURNED * TURNED;
    for (int t = 0; t < tile; t += TURNED) {
      const int at = min(t, tile - TURNED);  // the last square may overlap its neighbour
      for (p = begin; p < turned; p += TURNED) {
        PREFETCH_TO_WRITE(to + ((ulong)p + PACK_STEPS) * numbers + at * PARTS);
        turn_square(from + at * t_step + p * p_step, t_step, to + (ulong)p * numbers + at * PARTS,
                    numbers);
      }
    }
  } else if (inside == tile && !along_k) {
    // What such a vector holds beyond its line is the start of the next one, stored after it.
    const int one_vector = numbers == TILE_ROWS * PARTS && numbers % LANES != 0 &&
                           numbers <= ROWS_LANES && ROWS_LANES < 2 * numbers;
    if (one_vector && first * PARTS + ROWS_LANES <= extent * PARTS)
      for (; p < end - 1; ++p) ROWS_STORE(ROWS_LOAD(from + p * p_step), to + (ulong)p * numbers);
    for (; p < end; ++p) copy_line(from + p * p_step, to + (ulong)p * numbers, numbers);
  }
  for (; p < end; ++p)
    for (int t = 0; t < tile; ++t)
      for (int q = 0; q < PARTS; ++q)
        to[(ulong)p * numbers + t * PARTS + q] = t < inside ? from[t * t_step + p * p_step + q] : 0;
}

ONE_WORK_ITEM void pack_a(int m, int k, __global const real* a, ulong a_offset, ulong lda,
                          __global real* packed) {
  pack_panel((__global const part*)(a + a_offset), lda, OP_A == OP_NONE, TILE_ROWS, m, k,
             (__global part*)packed);
}

ONE_WORK_ITEM void pack_b(int n, int k, __global const real* b, ulong b_offset, ulong ldb,
                          __global real* packed) {
  pack_panel((__global const part*)(b + b_offset), ldb, OP_B != OP_NONE, TILE_COLS, n, k,
             (__global part*)packed);
}
