// Phases 2 and 5: products of bytes, summed up in ints, and what is made of the sums. A group takes
// a tile of TILE_M x TILE_N; the files before this one say how its sums come about.
//
//   a: planes of op(A) ─> slices ┐
//                                ├─> sums ─> residues | bounds
//   b: planes of op(B) ─> slices ┘

// As in tiled.cl.
#if RESIDENT_GROUPS
#define OF_GROUPS
#else
#define OF_GROUPS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

// The first unit of the group's slices: behind the lines' own numbers, `plane` planes on.
inline __global const uint4* slices_of(__global const uchar* lines, int padded_lines,
                                       int padded_depth, int plane, int line) {
  return (__global const uint4*)(lines + (ulong)padded_lines * sizeof(Line) +
                                 ((ulong)plane * padded_lines + line) * padded_depth);
}

// The sums F of products of magnitudes: 2^(top - 7) 2^(top' - 7) F <= |A||B|.
__kernel OF_GROUPS void bound(
    int padded_depth, __global const uchar* a, int padded_rows, __global const uchar* b,
    int padded_columns, __global int* products, __global int* state) {
  RING_MEMORY;
  if (state[1] != 0) return;
  const int item = get_local_id(0), row = (int)get_group_id(1) * TILE_M,
            column = (int)get_group_id(0) * TILE_N;
  if (row == 0 && column == 0 && item == 0) state[0] = max(state[0], FEWEST);
  int sums[TILE_ROWS][TILE_COLS];
  sum_tile(sums, slices_of(a, padded_rows, padded_depth, 0, row),
           slices_of(b, padded_columns, padded_depth, 0, column), padded_depth / (4 * K_UNROLL),
           ring, item);
  products += (ulong)(MODULI / 4) * padded_rows * padded_columns;  // behind the residues
#pragma unroll
  for (int i = 0; i < TILE_ROWS; ++i) {
    const int r = row + row_of(item, i);
#pragma unroll
    for (int j = 0; j < TILE_COLS; j += 4) {
      const int c = column + col_of(item, j);
      *(__global int4*)(products + (ulong)r * padded_columns + c) =
          (int4)(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }
  }
}

// Residues of the products, modulo moduli first, first + 1 ..., whose planes a and b hold behind
// the magnitudes: of those from `skipped` on.
__kernel OF_GROUPS void multiply(
    int padded_depth, __global uchar* a, int padded_rows, __global uchar* b, int padded_columns,
    __global uint* products, int first, int skipped, __global const int* state) {
  RING_MEMORY;
  const int plane = skipped + (int)get_global_id(2), modulus = first + plane;
  if (state[1] != 0 || modulus >= state[0]) return;
  const int item = get_local_id(0), row = (int)get_group_id(1) * TILE_M,
            column = (int)get_group_id(0) * TILE_N;
  int sums[TILE_ROWS][TILE_COLS];
  sum_tile(sums, slices_of(a, padded_rows, padded_depth, 1 + plane, row),
           slices_of(b, padded_columns, padded_depth, 1 + plane, column),
           padded_depth / (4 * K_UNROLL),
           ring, item);
  products += (ulong)modulus * padded_rows * (padded_columns / 4);
#pragma unroll
  for (int i = 0; i < TILE_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < TILE_COLS; j += 4) {
      char4 four;
      four.x = (char)balanced_residue(sums[i][j], modulus);
      four.y = (char)balanced_residue(sums[i][j + 1], modulus);
      four.z = (char)balanced_residue(sums[i][j + 2], modulus);
      four.w = (char)balanced_residue(sums[i][j + 3], modulus);
      const int r = row + row_of(item, i), c = column + col_of(item, j);
      products[(ulong)r * (padded_columns / 4) + c / 4] = as_uint(four);
    }
  if (modulus == 0 && row == 0 && column == 0 && item == 0)
    ((__global Line*)a)->held = ((__global Line*)b)->held = state[0];
}
