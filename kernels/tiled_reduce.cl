// C = alpha * (sum of the parts) + beta * C in the tiles whose k was split (tiled_split.clh), one
// work-item per element, in the order of the parts.
//
//   parts, each TILE_M x TILE_N numbers      | tile 0, part 0 | tile 0, part 1 | ... | tile 1, part 0 |
//
// REDUCE_ITEMS work-items form a group, all of them of one tile: its elements are a multiple.
#define REDUCE_ITEMS 64
#define NUMBERS_OF_ELEMENT (AS_REAL ? 2 : 1)

__kernel void reduce(int m, int n, int k, element_t alpha, __global const real* parts,
                     element_t beta, __global real* c, ulong c_offset, ulong ldc, int whole_tiles,
                     int splits) {
  const int cols = TILE_N / NUMBERS_OF_ELEMENT, elements = TILE_M * cols;
  const int split = (int)get_group_id(0) / (elements / REDUCE_ITEMS);
  const int element =
      (int)get_group_id(0) % (elements / REDUCE_ITEMS) * REDUCE_ITEMS + (int)get_local_id(0);
  const tile_t tile = tile_of_number(whole_tiles + split, m, n * NUMBERS_OF_ELEMENT);
  const int row = tile.row + element / cols, col = tile.col / NUMBERS_OF_ELEMENT + element % cols;
  if (row >= m || col >= n) return;
  __global const element_t* from =
      (__global const element_t*)parts + (ulong)split * splits * elements + element;
  element_t sum = 0;
  for (int part = 0; part < splits; ++part) sum += from[(ulong)part * elements];
  __global element_t* const to = (__global element_t*)c + c_offset + row * ldc + col;
  *to = updated(alpha, sum, beta, IS_ZERO(beta) ? (element_t)0 : *to);
}
