// Family `tiled`: packing. op(A) (or op(B)) is copied to panels, each as wide as a work-group's
// tile, in the order in which `gemm` reads it; zero outside the matrix.
//
//    A, row-major                     packed                               T = TILE_M (B: TILE_N)
//     +-----------------+             +--- T ---+  one line of a tile
//   T | > > > > > > > > |             | v v v v |  per step of k
//     +-----------------+     ->      | v v v v |
//   T |                 |             | ...     |  k, up to whole slices of K_UNROLL
//     +-----------------+             +---------+
//             k                       | the next tile ...
//
//    a square of 32 x 32 by 32 x 4 work-items:   rows of A -> local memory -> lines of the panel
//    Reads and writes both go along memory. A line of the square has one element more than it
//    needs, so that a column's elements lie in different banks.
//
// The order in a panel is that of a slice in local memory (tiled_local.clh): lines along the tile,
// or slabs. PACK_EDGE: a square's side. PACK_ROWS: its rows that a group copies at a time.
// PACK_BAND: squares beside one another that groups take before they go on along k.
// (The square in local memory: G. Ruetsch, P. Micikevicius, "Optimizing Matrix Transpose in CUDA",
// 2009.)
#define PACK_EDGE 32
#define PACK_ROWS 4
#define PACK_BAND 4

// `extent` and `k` are of numbers. Returns whether all suit the product's arithmetic (guard.cl).
inline int pack_square(__local part (*square)[(PACK_EDGE + 1) * PARTS], __global const part* from,
                       ulong ld, const int along_k, const int is_b, const int tile, int extent,
                       int k, __global part* packed) {
  // Groups follow one another across PACK_BAND squares of the tile, then along k: what they read
  // and write at a time lies close together (sgemm of 4096: 0.1 % of the whole call).
  const int across = get_num_groups(0), down = get_num_groups(1);
  const int number = get_group_id(1) * across + get_group_id(0);
  const int band = number / (PACK_BAND * down), within = number % (PACK_BAND * down);
  const int width = min(PACK_BAND, across - band * PACK_BAND);
  const int t0 = (band * PACK_BAND + within % width) * PACK_EDGE, p0 = within / width * PACK_EDGE;
  const ulong depth = (ulong)(k + K_UNROLL - 1) / K_UNROLL * K_UNROLL;
  const int padded_extent = (extent + tile - 1) / tile * tile;
  const int lane = get_local_id(0);
  int suited = 1;
  for (int i = get_local_id(1); i < PACK_EDGE; i += PACK_ROWS) {
    const int t = t0 + (along_k ? i : lane), p = p0 + (along_k ? lane : i);
    const ulong at = along_k ? t * ld + p : p * ld + t;
    const int inside = t < extent && p < k;
    for (int q = 0; q < PARTS; ++q) {
      const part number = inside ? NUMBER_OF(at, q) : 0;
      suited &= SUITS(number);
      square[p - p0][(t - t0) * PARTS + q] = number;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(1); i < PACK_EDGE; i += PACK_ROWS) {
#if MATRIX
    const int u = i * PACK_EDGE + lane;
    const int t = t0 + u / SLAB % PACK_EDGE, p = p0 + u / (SLAB * PACK_EDGE) * SLAB + u % SLAB;
    const ulong at =
        (t / tile * depth + p / SLAB * SLAB) * tile + t % tile * SLAB + SLAB_PLACE(t % tile, p);
#else
    const int t = t0 + lane, p = p0 + i;
    const ulong at = (t / tile * depth + p) * tile + t % tile;
#endif
    if (t < padded_extent && p < depth)
      for (int q = 0; q < PARTS; ++q) packed[at * PARTS + q] = square[p - p0][(t - t0) * PARTS + q];
  }
  return suited;
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_a(
    int m, int k, __global const element_t* a, ulong a_offset, ulong lda,
    __global element_t* packed PACKING_ARGUMENTS MARK_ARGUMENTS) {
  GO_TO_OPERAND(a_offset, 0);
  __local part square[PACK_EDGE][(PACK_EDGE + 1) * PARTS];
  MARK_UNLESS(pack_square(square, (__global const part*)(a + a_offset), lda, OP_A == OP_NONE, 0,
                          TILE_M, m, NUMBERS * k, (__global part*)packed));
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_b(
    int n, int k, __global const element_t* b, ulong b_offset, ulong ldb,
    __global element_t* packed PACKING_ARGUMENTS MARK_ARGUMENTS) {
  GO_TO_OPERAND(b_offset, 1);
  __local part square[PACK_EDGE][(PACK_EDGE + 1) * PARTS];
  MARK_UNLESS(pack_square(square, (__global const part*)(b + b_offset), ldb, OP_B != OP_NONE, 1,
                          TILE_N, NUMBERS * n, NUMBERS * k, (__global part*)packed));
}
