// Family `panel`: C = alpha op(A) op(B) + beta C on OpenCL CPU devices. The last file of its
// program (README.md). One work-item is a work-group, since a CPU's core runs one at a time.
//
//                        B: TILE_COLS columns            a tile, in vector registers
//                        +-----+=====+-----+
//                        |     | p   |     |                 y   | v | v | v | v |  VECTORS of B
//                        |     | |   |     |              x
//        A               |     | v   |     |              a - +  | s | s | s | s |
//     +-----------+      +-----+-----+-----+              a - +  | s | s | s | s |  TILE_ROWS rows
//     |           |      |     |     |     |  block_m     a - +  | s | s | s | s |  of sums
//     +===========+      |     +#####+     |
//     | p ->      | TILE_ROWS  #tile #     |              per step p: VECTORS loads of B, TILE_ROWS
//     +===========+      |     +#####+     |              broadcasts of A, TILE_ROWS VECTORS fma
//     +-----------+      +-----+-----+-----+
//                          block_n: of a group
//
// A tile's sums stay in registers for BLOCK_K steps and are then added to C. Meanwhile a panel of
// B (BLOCK_K x TILE_COLS) stays in the core's cache, and tiles go down it.
//
// TILE_ROWS (6), TILE_COLS (16), VECTOR_WIDTH (4): 6 x 4 sums, 4 vectors of B and one of A fill 32
// vector registers nearly. BLOCK_K (384): steps between two visits of a tile of C. K_UNROLL (1):
// steps of the inner loop written out. PACKS_A, PACKS_B: the operand comes packed (panel_pack.clh).
// LOOP_ORDER (0): tiles go down a panel of B; 1: along a row of A. K_SPLIT (1): parts of k for
// groups of their own (reduce.cl). In parentheses: the defaults of a parameter that no profile
// gives. All macros: README.md, "Macros".
//
// Where the ideas come from. Packed panels, what stays in which cache, and the tile in registers:
// K. Goto, R. A. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.

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
  __global const part* b = call->b + ((ulong)(col / TILE_COLS) * call->ldb + slice->begin) * b_step +
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

  // Through memory, so that the code of a row is there once: written out for all rows it took PoCL
  // twice as long to compile. It is computed with on the way, for a mere copy would be taken for
  // the sums themselves, which then stayed in memory (LLVM 14).
  vec finished[TILE_ROWS][VECTORS];
#pragma unroll
  for (int r = 0; r < TILE_ROWS; ++r)
#pragma unroll
    for (int v = 0; v < vectors; ++v)
#if PARTS == 2
      finished[r][v] = scaled(call->alpha, combined(sum[r * PARTS][v], sum[r * PARTS + 1][v]));
#else
      finished[r][v] = scaled(call->alpha, sum[r][v]);
#endif
  const int rows = min(TILE_ROWS, call->m - row);
#pragma unroll 1
  for (int r = 0; r < rows; ++r) {
    __global part* c = call->c + ((row + r) * call->ldc + col) * PARTS;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const int from = max(lanes.from - v * LANES, 0), to = min(lanes.to - v * LANES, LANES);
      if (to > 0) update(slice->beta, finished[r][v], c + v * LANES, from, to);
    }
  }
}

// A tile of a column panel that is narrower than TILE_COLS, vector by vector.
inline void edge_tile(const call_t* call, const slice_t* slice, int row, int col) {
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

// The elements of C that a work-group computes.
typedef struct {
  int row_begin, row_end, col_begin, col_end;
} block_t;

// Where the tile at (row, col) finds its share of what comes next of packed B, to be prefetched:
// the next panel, or, where all panels of a slice stay (LOOP_ORDER 1), this one's next slice.
// Tiles below one another have even shares, a line per K_UNROLL steps: bunched at the first one,
// they would wait for memory together.
inline __global const part* next_share(const call_t* call, const slice_t* slice,
                                       const block_t* block, int row, int col) {
  const int last = LOOP_ORDER || col + TILE_COLS >= block->col_end;
  const int next_col = LOOP_ORDER ? col : last ? block->col_begin : col + TILE_COLS;
  const int next_begin = last ? slice->end : slice->begin;
  const ulong width = TILE_COLS * PARTS;
  const ulong share = (ulong)((slice->end - slice->begin) / K_UNROLL) * CACHE_LINE;
  const ulong size = (slice->end - slice->begin) * width;
  const ulong at = (row - block->row_begin) / TILE_ROWS * share;
  // After the last share a line that is in the cache anyhow.
  return call->b + ((ulong)(next_col / TILE_COLS) * call->ldb + next_begin) * width +
         (at < size ? at : 0);
}

// The order of a group's tiles: those of a column panel after one another, or those of a row.
#define OUTER_STEP (LOOP_ORDER ? TILE_ROWS : TILE_COLS)
#define INNER_STEP (LOOP_ORDER ? TILE_COLS : TILE_ROWS)

ONE_WORK_ITEM void gemm(int m, int n, int k, real alpha, __global const real* a, ulong a_offset,
                        ulong lda, __global const real* b, ulong b_offset, ulong ldb, real beta,
                        __global real* c, ulong c_offset, ulong ldc BATCH_ARGUMENTS) {
#if INLINE_SIZES
  n = SIZE_N;
  k = SIZE_K;
#endif
#if INLINE_SIZES && BATCHED
  m = SIZE_M;
#endif
  GO_TO_PRODUCT();
  const int depth = IS_ZERO(alpha) ? 0 : k;  // 0: A and B are not read,
  if (depth == 0) alpha = 0;                 // and whatever alpha is, nothing is added

  // This group's share of the tiles, even to within one, and its part of k.
  const ulong row_groups = get_num_groups(0), row_group = get_group_id(0);
  const ulong col_groups = get_num_groups(1) / K_SPLIT, col_group = get_group_id(1) % col_groups;
  const ulong row_tiles = (m + TILE_ROWS - 1) / TILE_ROWS;
  const ulong col_tiles = (n + TILE_COLS - 1) / TILE_COLS;
  const block_t block = {row_tiles * row_group / row_groups * TILE_ROWS,
                         row_tiles * (row_group + 1) / row_groups * TILE_ROWS,
                         col_tiles * col_group / col_groups * TILE_COLS,
                         col_tiles * (col_group + 1) / col_groups * TILE_COLS};
  const long part_of_k = get_group_id(1) / col_groups;
  const int begin = depth * part_of_k / K_SPLIT;
  const long steps = depth * (part_of_k + 1) / K_SPLIT - begin;
#if K_SPLIT > 1
  // C is this part's sums of all m x n elements here, zeros where it has no step: kernel `reduce`
  // does the rest.
  c += (ulong)part_of_k * m * n;
  ldc = n;
  alpha = ONE;
  beta = 0;
#endif

  __global const part* const a_00 = (__global const part*)(a + a_offset);
  __global const part* const b_00 = (__global const part*)(b + b_offset);
  __global part* const c_00 = (__global part*)(c + c_offset);
#if PACKS_B
  if (ldb == 0) ldb = k;  // the steps of a panel
#endif
  const call_t call = {m, n, k, alpha, a_00, lda, b_00, ldb, c_00, ldc};
  const int outer_begin = LOOP_ORDER ? block.row_begin : block.col_begin;
  const int outer_end = LOOP_ORDER ? block.row_end : block.col_end;
  const int inner_begin = LOOP_ORDER ? block.col_begin : block.row_begin;
  const int inner_end = LOOP_ORDER ? block.col_end : block.row_end;
  const int slices = max(1L, (steps + BLOCK_K - 1) / BLOCK_K);
  for (int i = 0; i < slices; ++i) {
    const slice_t slice = {begin + steps * i / slices, begin + steps * (i + 1) / slices,
                           i == 0 ? beta : ONE};
    for (int outer = outer_begin; outer < outer_end; outer += OUTER_STEP)
      for (int inner = inner_begin; inner < inner_end; inner += INNER_STEP) {
        const int row = LOOP_ORDER ? outer : inner, col = LOOP_ORDER ? inner : outer;
        // Packed, a narrower panel is padded; with two vectors or less to compute, the rest of its
        // width would cost more than it saves.
        if (PACKS_B ? n - col <= TILE_COLS / 2 : n - col < TILE_COLS) {
          edge_tile(&call, &slice, row, col);
          continue;
        }
        const lanes_t inside = {0, PACKS_B ? min(n - col, TILE_COLS) * PARTS : VECTORS * LANES};
        tile(&call, &slice, VECTORS, 0, row, col, inside,
             next_share(&call, &slice, &block, row, col));
      }
  }
}
