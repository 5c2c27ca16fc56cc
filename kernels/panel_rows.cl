// The rows of U beside a panel, in LU's columns behind it, which are rows of the matrix: there
// numbers are swapped as the panel's rows were, and U is solved for by substitution. A group has
// COLUMNS of them, and each work-item one of the panel's rows. `triangle`: where the panel's first
// element is. moves: as exchange.cl has them, with WIDTH moves back.
//
//     matrix  | .. | U: WIDTH numbers | .. to .. |     U = inverse(L) x, x = the numbers at `from`
//                                                      number `to` = the old one of the panel's row
//
// L is read from the matrix, column by column, AHEAD of them ahead. Each number of U goes to all
// work-items by local memory. In the file behind lu_panel.cl.
#define COLUMNS 8
#define AHEAD 8
__attribute__((reqd_work_group_size(WIDTH, 1, 1)))
__kernel void panel_rows(int columns, __global REAL* matrix, ulong offset, ulong pitch,
                         ulong triangle, __global const int* moves, ulong moves_offset,
                         int first) {
  __local REAL solved[2][COLUMNS];
  const int row = get_local_id(0), begin = get_group_id(0) * COLUMNS;
  __global const REAL* const l = matrix + triangle + row;
  __global REAL* const lines = matrix + offset + begin * pitch;
  const ulong last = pitch - 1;
  moves += moves_offset;
  const ulong from = min((ulong)(uint)moves[row], last);
  const ulong to = min((ulong)(uint)moves[WIDTH + row], last);
  REAL x[COLUMNS], old[COLUMNS];
  UNROLLED for (int q = 0; q < COLUMNS; ++q) {
    x[q] = begin + q < columns ? lines[q * pitch + from] : 0;
    old[q] = begin + q < columns ? lines[q * pitch + first + row] : 0;
  }
  REAL now[AHEAD], coming[AHEAD];
  UNROLLED for (int k = 0; k < AHEAD; ++k) coming[k] = row > k ? l[k * pitch] : 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  UNROLLED for (int q = 0; q < COLUMNS; ++q)
    if (begin + q < columns && to >= first + WIDTH) lines[q * pitch + to] = old[q];
  for (int block = 0; block < WIDTH; block += AHEAD) {
    const int after = block + AHEAD;
    UNROLLED for (int k = 0; k < AHEAD; ++k) {
      now[k] = coming[k];
      coming[k] = after < WIDTH && row > after + k ? l[(after + k) * pitch] : 0;
    }
    UNROLLED for (int k = 0; k < AHEAD; ++k) {
      if (row == block + k) {
        UNROLLED for (int q = 0; q < COLUMNS; ++q) solved[k % 2][q] = x[q];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (row > block + k) {
        UNROLLED for (int q = 0; q < COLUMNS; ++q) x[q] -= now[k] * solved[k % 2][q];
      }
    }
  }
  UNROLLED for (int q = 0; q < COLUMNS; ++q)
    if (begin + q < columns) lines[q * pitch + first + row] = x[q];
}
