// Family `tiled`: C = alpha op(A) op(B) + beta C on GPUs. The last file of its program (README.md).
//
//                    B  k x n                      A work-group computes one tile of C. It walks
//                    +------+========+------+      along k, a slice of both operands at a time;
//                    |      | slice  |      |      its sums stay in registers until the end.
//                    |------+--------+------|
//     A  m x k       |      | TILE_N |      |      Per slice it reads (TILE_M + TILE_N) K_UNROLL
//     +-------+      +------+--------+------+      elements and does TILE_M TILE_N K_UNROLL
//     |       |      |      |        |      |      multiply-adds: the larger the tile, the less
//     +=======+      +------+########+------+      memory counts.
//     |s|     |TILE_M|      #  tile  #      |
//     +=======+      +------+########+------+
//     |       |      |      | C  m x n      |
//     +-------+      +------+--------+------+
//
//   the tile: work-items w          a work-item's sums            one step p of a slice
//     GROUP_COLS                      TILE_COLS                     y: TILE_COLS of B
//   +---+---+---+---+               +--+--+--+--+                     | | | |
//   | w | w | w | w | GROUP_ROWS    |  |  |  |  | TILE_ROWS      x - + + + +   x: TILE_ROWS of A,
//   +---+---+---+---+               +--+--+--+--+                  - + + + +   TILE_ROWS TILE_COLS
//   | w | w | w | w |               |  |  |  |  |                  - + + + +   multiply-adds for
//   +---+---+---+---+               +--+--+--+--+                              as many sums
//
//   one turn of the loop, PREFETCH = 1 (README.md draws deeper rings)
//     REQUEST slice s + 1   memory -> registers, or asynchronous copies to the ring
//     LOAD, multiply        slice s: local memory -> fragments -> sums, K_UNROLL steps
//     PUT slice s + 1       registers -> its slot of the ring
//     barrier
//
// TILE_ROWS (6), TILE_COLS (16): sums of a work-item. GROUP_ROWS, GROUP_COLS (1): work-items of a
// group; TILE_M, TILE_N are their products. K_UNROLL (1): steps of a slice. LOCAL_A, LOCAL_B (0):
// slices go through local memory; else each work-item reads memory. PREFETCH (1): slices on their
// way. VECTOR_WIDTH (4): elements of a load. In parentheses: the defaults of a parameter that no
// profile gives. All macros: README.md, "Macros".
//
// GROUP_DEPTH (1): teams of so many work-items take slices in turn and add their sums at the end.
// K_SPLIT (1): so many work-groups share the slices of one tile; reduce.cl adds their sums.
//
// Where the ideas come from. Tiles in local memory, several sums per work-item, wide loads, early
// loads: C. Nugteren, "Tutorial: OpenCL SGEMM tuning for Kepler", kernels 2 to 4, 6 and 9
// (bench/ladder_steps.cpp climbs them). The levels group, 32 neighbours, work-item, the ring of
// slices, teams and split k: CUTLASS, "Efficient GEMM in CUDA", sections "Hierarchical structure",
// "Pipelining" and "Parallelized Reductions" (sliced-K, split-K).
//
// AS_REAL: a complex product is a real one of twice the width and depth. With x = xr + i xi,
//
//   [ar ai] [ br bi ]  =  [ar br - ai bi   ar bi + ai br]
//           [-bi br ]
//
// A and C are such matrices as they lie in memory, numbers one after another; packing makes the one
// of B (and of A the one of op(A)). So whatever multiplies real matrices does: matrix instructions,
// above all. As many multiplications, but both parts of B come to local memory twice.

// Numbers of one slice of each operand in local memory, and of both: whole vectors of the widest,
// and whole 16 bytes, which asynchronous copies bring.
#define WIDEST_UNIT (ASYNC_COPY && WIDEST * PARTS < QUAD ? QUAD : WIDEST * PARTS)
#define WHOLE(numbers) (((numbers) + WIDEST_UNIT - 1) / WIDEST_UNIT * WIDEST_UNIT)
#define STAGE_A (LOCAL_A ? WHOLE(LOCAL_NUMBERS(TILE_M, A_ALONG_K, PACKS_A)) : 0)
#define STAGE_B (LOCAL_B ? WHOLE(LOCAL_NUMBERS(TILE_N, B_ALONG_K, PACKS_B)) : 0)
#define SLOT (STAGE_A + STAGE_B)

#define COPIED_A (LOCAL_A && COPIED(A_ALONG_K))
#define COPIED_B (LOCAL_B && COPIED(B_ALONG_K))
#define FETCHED_A (LOCAL_A && !COPIED_A)
#define FETCHED_B (LOCAL_B && !COPIED_B)

#if ASYNC_COPY
#define COPY_A(to, is_first) \
  copy_slice(to, &x, left, LANES_A, TILE_M, A_ALONG_K, PACKS_A, item, is_first)
#define COPY_B(to, is_first) \
  copy_slice(to, &y, left, LANES_B, TILE_N, B_ALONG_K, PACKS_B, item, is_first)
#else
#define COPY_A(to, is_first) (void)0
#define COPY_B(to, is_first) (void)0
#define async_commit() (void)0
#define async_wait() (void)0
#define async_wait_all() (void)0
#endif

// The next slice, from which on `left` steps are left, starts on its way to the slot at `to`; PUT
// ends that, but for the copies' own. Beyond the last slice there are zeros.
#define REQUEST(to, is_first)                                                             \
  do {                                                                                    \
    if (COPIED_A) COPY_A(own_a + (to), is_first);                                         \
    if (COPIED_B) COPY_B(own_b + (to), is_first);                                         \
    async_commit();                                                                       \
    if (FETCHED_A)                                                                        \
      OF_A(fetch)(share_a, &x PIXELS_A, left, IMAGE_A, TILE_M, A_ALONG_K, PACKS_A, item); \
    if (FETCHED_B)                                                                        \
      OF_B(fetch)(share_b, &y PIXELS_B, left, IMAGE_B, TILE_N, B_ALONG_K, PACKS_B, item); \
  } while (0)
#define PUT(to)                                                                              \
  do {                                                                                       \
    if (FETCHED_A)                                                                           \
      OF_A(put)(own_a + (to), share_a, &x PIXELS_A, left, IMAGE_A, TILE_M, A_ALONG_K, PACKS_A, \
                item);                                                                       \
    if (FETCHED_B)                                                                           \
      OF_B(put)(own_b + (to), share_b, &y PIXELS_B, left, IMAGE_B, TILE_N, B_ALONG_K, PACKS_B, \
                item);                                                                       \
    left -= STRIDE;                                                                          \
  } while (0)
#if WINDOWS
#define AIM(x, lanes, tile, along_k, padded)                                                   \
  (WINDOWED(along_k) ? aim_window(x, tile, unit_of(0, item, lanes, tile, along_k, padded)) \
                     : aim(x, lanes, tile, along_k, padded, item))
#define FURTHER(slot) ((slot) == (RING - 1) * SLOT ? -(slot) : SLOT)
#define LOAD(fragments, slice, slot, p)                                                  \
  load_windows(fragments, slices_a + (slot), slices_b + (slot), &reading_a, &reading_b, \
               FURTHER(slot), p)
#else
#define AIM(x, lanes, tile, along_k, padded) aim(x, lanes, tile, along_k, padded, item)
#define LOAD(fragments, slice, slot, p)                                                       \
  load_fragments(fragments, reads_a + (slot), reads_b + (slot), &x, &y, &rows BOTH_PIXELS_ON, \
                 depth, item, (slice)*K_UNROLL, p)
#endif

// In the loop the next slice is asked for at once, or between the multiply-adds (tiled_between.clh).
#if SPREADS_COPIES
#define COMING(to) {own_a + (to), own_b + (to), &x, &y, left, item}
#define REQUEST_AT_ONCE(to) (void)0
#define MULTIPLY(fragments, to, slab)               \
  do {                                              \
    const coming_t coming = COMING(to);             \
    multiply_between(sum, fragments, &coming, slab); \
  } while (0)
#define END_REQUEST()            \
  do {                           \
    skip(&x, A_ALONG_K, STRIDE); \
    skip(&y, B_ALONG_K, STRIDE); \
    async_commit();              \
  } while (0)
#else
#define REQUEST_AT_ONCE(to) REQUEST(to, 0)
#define MULTIPLY(fragments, to, slab) multiply(sum, fragments)
#define END_REQUEST() (void)0
#endif

// What the compiler knows of a group's size would go before the limit of registers.
#if RESIDENT_GROUPS
#define KERNEL __kernel
#else
#define KERNEL __kernel __attribute__((reqd_work_group_size(ITEMS * GROUP_DEPTH, 1, 1)))
#endif

#define RING_NUMBERS (RING * SLOT)
#define LOCAL_ALL MAX(RING_NUMBERS* GROUP_DEPTH, SUMS* PARTS* ITEMS*(GROUP_DEPTH / 2))

// Through local memory where rows of C begin inside of 16 bytes (tiled_lines.clh).
#if STORES_LINES
#define STORE(result, alpha, sum, beta, row, col)                                  \
  do {                                                                             \
    if (!LINES_FIT(RING_NUMBERS) || (result)->aligned) {                           \
      store_tile(result, alpha, sum, beta, item, row, col);                        \
    } else {                                                                       \
      async_wait_all();                                                            \
      store_lines(result, slices, RING_NUMBERS, alpha, sum, beta, item, row, col); \
    }                                                                              \
  } while (0)
#else
#define STORE(result, alpha, sum, beta, row, col) \
  store_tile(result, alpha, sum, beta, item, row, col)
#endif

KERNEL void gemm(int m, int n, int k, element_t alpha, A_ARGUMENT, ulong a_offset, ulong lda, B_ARGUMENT,
                 ulong b_offset, ulong ldb, element_t beta, __global real* c, ulong c_offset,
                 ulong ldc GUARD_ARGUMENT BATCH_ARGUMENTS SPLIT_ARGUMENTS) {
#if INLINE_SIZES
  n = SIZE_N;
  k = SIZE_K;
#endif
#if INLINE_SIZES && BATCHED
  m = SIZE_M;
#endif
  GO_TO_PRODUCT();
  COUNT_NUMBERS();
  if (GUARD_REFUSES) return;
  __local part slices[MAX(1, LOCAL_ALL)] __attribute__((aligned(128)));
  const int item = NUMBER(get_local_id(0)) % ITEMS, team = NUMBER(get_local_id(0)) / ITEMS;
  __local part* const slices_a = slices + team * RING_NUMBERS;
  __local part* const slices_b = slices_a + STAGE_A;
  OF_A(vec) share_a[FETCHED_A ? TURNS(LANES_A, TILE_M, A_ALONG_K, PACKS_A) : 1];
  OF_B(vec) share_b[FETCHED_B ? TURNS(LANES_B, TILE_N, B_ALONG_K, PACKS_B) : 1];
#if SPLIT_LAST
  // Behind the loop it is looked up here: kept in registers, it would take those of the sums.
  __local int group;
  if (get_local_id(0) == 0) group = get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const work_t work = work_of_group(get_group_id(0), m, n, whole_tiles, splits);
  const tile_t tile = work.tile;
  const int parts_of_k = work.parts;
#else
  const tile_t tile = tile_of_group(m, n);
  const int parts_of_k = K_SPLIT;
#endif

  real sum[TILE_ROWS][TILE_COLS];
#pragma unroll
  for (int i = 0; i < TILE_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < TILE_COLS; ++j) sum[i][j] = 0;

  const int slices_of_k = IS_ZERO(alpha) ? 0 : (k + K_UNROLL - 1) / K_UNROLL;
  const int first = (long)slices_of_k * tile.part_of_k / parts_of_k;
  const int end = (long)slices_of_k * (tile.part_of_k + 1) / parts_of_k;
  if (first == end) alpha = 0;  // whatever alpha is, nothing is added
  operand_t x = operand(A_MEMORY, a_offset, lda, A_ALONG_K, TILE_M, tile.row, m, k, PACKS_A);
  operand_t y = operand(B_MEMORY, b_offset, ldb, B_ALONG_K, TILE_N, tile.col, n, k, PACKS_B);
  // Steps of other parts of k count as beyond the matrix. A team without a last slice of its own
  // multiplies zeros.
  const int depth = min(k, end * K_UNROLL);
  int left = depth - (first + team) * K_UNROLL;
  if (LOCAL_A) skip(&x, A_ALONG_K, (first + team) * K_UNROLL);
  if (LOCAL_B) skip(&y, B_ALONG_K, (first + team) * K_UNROLL);
#if WINDOWS
  const reading_t reading_a =
      reading_of(&x, TILE_M, A_ALONG_K, PACKS_A, row_of(place_of(item), 0), FIRST_STEP(item));
  const reading_t reading_b =
      reading_of(&y, TILE_N, B_ALONG_K, PACKS_B, FIRST_COL(item), FIRST_STEP(item));
#endif
  __local part* const own_a =
      slices_a + (LOCAL_A ? AIM(&x, LANES_A, TILE_M, A_ALONG_K, PACKS_A) : 0);
  __local part* const own_b =
      slices_b + (LOCAL_B ? AIM(&y, LANES_B, TILE_N, B_ALONG_K, PACKS_B) : 0);
  __local const part* const reads_a =
      slices_a +
      local_place(TILE_M, A_ALONG_K, PACKS_A, row_of(place_of(item), 0), FIRST_STEP(item), 0);
  __local const part* const reads_b =
      slices_b + local_place(TILE_N, B_ALONG_K, PACKS_B, FIRST_COL(item), FIRST_STEP(item), 0);
  shared_rows_t rows;

  if (first < end) {
    // The slot of the slice that is multiplied, and the one before it: that has been read by all,
    // and takes the slice that comes last.
    int slot = 0, behind = (RING - 1) * SLOT;
#pragma unroll
    for (int s = 0; s < PREFETCH; ++s) {
      REQUEST(s * SLOT, s == 0);
      PUT(s * SLOT);
    }
#if PREFETCH
    async_wait();
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if FRAGMENTS
    fragments_t fragments[2];
    LOAD(&fragments[0], first + team, 0, 0);
#if SPREADS_COPIES
    const coming_t coming = COMING(behind);
    copy_slab(&coming, 0);
#endif
#endif
    // All teams take as many turns, for the barriers.
    for (int turn = first; turn < end; turn += GROUP_DEPTH) {
      const int slice = turn + team;
      REQUEST_AT_ONCE(behind);
#if PREFETCH == 0
      PUT(0);
      async_wait();
      barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if SHUFFLE
      share_rows(&rows, &x BOTH_PIXELS_ON, depth, item, slice * K_UNROLL);
#endif
#if FRAGMENTS
#pragma unroll
      for (int p = 0; p + 1 < STEPS; ++p) {
        LOAD(&fragments[(p + 1) % 2], slice, slot, p + 1);
        MULTIPLY(&fragments[p % 2], behind, p + 1);
      }
#else
#pragma unroll
      for (int p = 0; p < STEPS; ++p) {
        fragments_t fragments;
        LOAD(&fragments, slice, slot, p);
        MULTIPLY(&fragments, behind, p);
      }
#endif
      END_REQUEST();
#if PREFETCH
      PUT(behind);
      async_wait();
      behind = slot;
      slot = slot == (RING - 1) * SLOT ? 0 : slot + SLOT;
#endif
      barrier(CLK_LOCAL_MEM_FENCE);
#if FRAGMENTS
      // The next slice's first fragments come while this one's last are being multiplied.
      LOAD(&fragments[STEPS % 2], slice + GROUP_DEPTH, slot, 0);
      MULTIPLY(&fragments[(STEPS - 1) % 2], behind, 0);
      if (STEPS % 2) fragments[0] = fragments[1];
#endif
    }
  }

#if GROUP_DEPTH > 1
  // Zeros of slices beyond the last one, on their way to where the sums go now.
  async_wait_all();
  add_teams(slices, sum, item, team);
  if (team != 0) return;
#endif
#if K_SPLIT > 1
  // C is this part's sums of all m x n elements here: kernel `reduce` does the rest.
  c += (ulong)tile.part_of_k * m * n;
  ldc = n;
  if (first < end) alpha = ONE;
  beta = 0;
#endif
#if SPLIT_LAST
  const work_t done = work_of_group(group, m, n, whole_tiles, splits);
  result_t result = result_of(c, c_offset, ldc, m, n);
  tile_t place = done.tile;
  if (done.is_part) {
    result = result_of(parts, (ulong)group * (TILE_M * TILE_N), TILE_N, TILE_M, TILE_N);
    place.row = place.col = 0;
    alpha = ONE;
    beta = 0;
  }
  STORE(&result, alpha, sum, beta, place.row, place.col);
#else
  const result_t result = result_of(c, c_offset, ldc, m, n);
  STORE(&result, alpha, sum, beta, tile.row, tile.col);
#endif
}
