// Family `tiled` with the parameter `wide`: a product of floats as three of their TF32 parts, by
// instructions of 128 work-items that read both operands in local memory (NVIDIA's wgmma).
//
//    packed A, B                        ring of slices, local memory
//    slice s + PREFETCH  ---------->    | full | full | read by all -> fetched again |
//       one piece of memory each          |
//       work-item 0 has it copied         v   64 x 128 sums an instruction, 8 steps deep
//                                       128 work-items:  64 rows of the tile, all its columns
//                                       128 others:      the next 64 rows
//
//    work-items 0 to 127     wait full | multiply slice s | mark read | add to the sums | wait ...
//    work-items 128 to 255   add to the sums | wait full | multiply slice s | mark read | ...
//
// Work-items wait at two kinds of marks only: a slice is there (`full`), and all have read a slot
// (`read`). There is no barrier in the loop, so some multiply while others add.
//
// TILE_ROWS, TILE_COLS: sums of a work-item. GROUP_ROWS, GROUP_COLS: work-items of a group, 128 for
// each 64 rows. K_UNROLL: steps of a slice. PREFETCH: slices on their way; the ring has one slot
// more. (One work-item that copies while others multiply: CUTLASS, "Efficient GEMM in CUDA",
// section "Warp Specialization". Three products for one, and why sums are added outside of
// the instructions: H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor Cores
// while surpassing the FP32 theoretical peak performance", 2022.)

#define RING (PREFETCH + 1)  // slots
#define SLICE_BYTES (2 * PART_BYTES(TILE_M + TILE_N))

// Slice number s of both tiles.
inline void fetch(shared_t slot, __global const uchar* a, __global const uchar* b, int s,
                  shared_t full) {
  mark_expect(full, SLICE_BYTES);
  bulk_copy(slot, a + (ulong)s * (2 * PART_BYTES(TILE_M)), 2 * PART_BYTES(TILE_M), full);
  bulk_copy(slot + 2 * PART_BYTES(TILE_M), b + (ulong)s * (2 * PART_BYTES(TILE_N)),
            2 * PART_BYTES(TILE_N), full);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gemm(
    int m, int n, int k, element_t alpha, __global const float* a, ulong a_offset, ulong lda,
    __global const float* b, ulong b_offset, ulong ldb, element_t beta, __global float* c,
    ulong c_offset, ulong ldc GUARD_ARGUMENT) {
#if INLINE_SIZES
  n = SIZE_N;
  k = SIZE_K;
#endif
  COUNT_NUMBERS();
  if (GUARD_REFUSES) return;
  __local uchar ring[RING * SLICE_BYTES] __attribute__((aligned(128)));
  __local ulong marks[2 * RING];
  const int item = get_local_id(0);
  const tile_t tile = tile_of_group(m, n);
  const int in_memory = (k + K_UNROLL - 1) / K_UNROLL, slices = IS_ZERO(alpha) ? 0 : in_memory;
  __global const uchar* const tile_a =
      (__global const uchar*)(a + a_offset) + (ulong)tile.row * in_memory * (8 * K_UNROLL);
  __global const uchar* const tile_b =
      (__global const uchar*)(b + b_offset) + (ulong)tile.col * in_memory * (8 * K_UNROLL);
  // Of each slot one mark that it is full, and one that everybody has read it.
  const shared_t ring_at = shared_address(ring), full = shared_address(marks), read = full + 8 * RING;
  if (item == 0) {
    for (int i = 0; i < RING; ++i) {
      mark_init(full + 8 * i, 1);
      mark_init(read + 8 * i, ITEMS / 32);
    }
    marks_ready();
    for (int s = 0; s < min(slices, PREFETCH); ++s)
      fetch(ring_at + s * SLICE_BYTES, tile_a, tile_b, s, full + 8 * s);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum[2][TILE_COLS];
#pragma unroll
  for (int i = 0; i < 2 * TILE_COLS; ++i) sum[i % 2][i / 2] = 0;
  // The slot that is multiplied, and the one before it, which takes the slice that comes last.
  int slot = 0, behind = PREFETCH;
  uint phase = 0, behind_phase = 1;
#pragma unroll 1
  for (int s = 0; s < slices; ++s) {
    const shared_t slice_a = ring_at + slot * SLICE_BYTES + item / 128 * 64 * LINE_BYTES;
    const shared_t slice_b = ring_at + slot * SLICE_BYTES + 2 * PART_BYTES(TILE_M);
    wait_for_slice(full + 8 * slot, phase);
    // The instructions' own additions lose bits: a slice's sums are added to the others in single
    // precision (tiled_matrix.clh).
#pragma unroll
    for (int col = 0; col < TILE_N; col += COLUMNS) {
      float part[COLUMNS / 2];
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i) part[i] = 0;
      wide_begin();
      multiply_slice(part, slice_a, slice_b + col * LINE_BYTES);
      wide_commit();
      if (col == 0) {
        if (item == 0 && s + PREFETCH < slices) {
          wait_for_slot(read + 8 * behind, behind_phase);
          fetch(ring_at + behind * SLICE_BYTES, tile_a, tile_b, s + PREFETCH, full + 8 * behind);
        }
        meet();
      }
      wide_wait();
      if (col + COLUMNS == TILE_N && item % 32 == 0) mark_arrive(read + 8 * slot);
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i)
        sum[i / 2 % 2][col / 4 + i / 4 * 2 + i % 2] += part[i];
    }
    if (++slot == RING) slot = 0, phase ^= 1;
    if (++behind == RING) behind = 0, behind_phase ^= 1;
  }

  if (slices == 0) alpha = 0;  // whatever alpha is, nothing is added
  const result_t result = result_of(c, c_offset, ldc, m, n);
  store_tile(&result, alpha, sum, beta, item, tile.row, tile.col);
}
