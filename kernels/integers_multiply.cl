// Phases 2 and 5: products of bytes, summed up in ints, and what is made of the sums. A group of 8 x
// 8 work-items takes a tile of 32 x 32; a work-item has rows and columns that are 8 apart.
//
//   a: lines of op(A) ─> local ┐
//                              ├─ 4 terms at a time, slices of 32 ─> sums ─> residues | bounds
//   b: lines of op(B) ─> local ┘

#define WORDS (TILE / 4)
// One more column: neighbours' rows begin in other banks.
#define PITCH (WORDS + 1)

#ifdef DOT_PRODUCTS
#define DOT(x, y) dot(as_char4(x), as_char4(y))
#else
inline int DOT(uint x, uint y) {
  const char4 u = as_char4(x), v = as_char4(y);
  return u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
}
#endif

// The slice of 32 lines from `line` and of 32 terms from word `word`.
inline void load_slice(__global const uint* lines, int line, int words, int word, int item,
                       __local uint* slice) {
  const int row = item / WORDS, at = item % WORDS;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    slice[(row + 8 * i) * PITCH + at] = lines[(ulong)(line + row + 8 * i) * words + word + at];
}

// sums[4 i + j]: of row row + 8 i and column column + 8 j.
inline void sum_tile(__global const uint* a, __global const uint* b, int padded_depth, int row,
                     int column, __local uint* slice_a, __local uint* slice_b, int* sums) {
  const int words = padded_depth / 4, item = get_local_id(0), down = item / 8, across = item % 8;
#pragma unroll
  for (int i = 0; i < 16; ++i) sums[i] = 0;
  for (int word = 0; word < words; word += WORDS) {
    load_slice(a, row, words, word, item, slice_a);
    load_slice(b, column, words, word, item, slice_b);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int term = 0; term < WORDS; ++term) {
      uint x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[i] = slice_a[(down + 8 * i) * PITCH + term];
        y[i] = slice_b[(across + 8 * i) * PITCH + term];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[4 * i + j] += DOT(x[i], y[j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The sums F of products of magnitudes: 2^(top - 7) 2^(top' - 7) F <= |A||B|, and with F + norm +
// norm' (in the same units) in place of F it is an upper bound.
__kernel void bound(int padded_depth, __global uchar* a, int padded_rows, __global uchar* b,
                    int padded_columns, __global int* products, __global const int* state) {
  __local uint slice_a[TILE * PITCH], slice_b[TILE * PITCH];
  if (state[1] != 0) return;
  const int item = get_local_id(0), row = (int)get_group_id(1) * TILE,
            column = (int)get_group_id(0) * TILE;
  __global Line *rows = (__global Line*)a, *columns = (__global Line*)b;
  int sums[16];
  sum_tile((__global const uint*)(rows + padded_rows), (__global const uint*)(columns + padded_columns),
           padded_depth, row, column, slice_a, slice_b, sums);
  products += (ulong)(MODULI / 4) * padded_rows * padded_columns;  // behind the residues
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = row + item / 8 + 8 * i, c = column + item % 8 + 8 * j;
      products[(ulong)r * padded_columns + c] = sums[4 * i + j];
      const ulong norms = rows[r].norm + columns[c].norm;
      const uint most = (uint)sums[4 * i + j] + (uint)(norms >> 16) + 1;
      atomic_max(&rows[r].most, most);
      atomic_max(&columns[c].most, most);
    }
}

// Residues of the products, modulo moduli first, first + 1 ..., whose planes a and b hold: of those
// from `skipped` on.
__kernel void multiply(int padded_depth, __global const uchar* a, int padded_rows,
                       __global const uchar* b, int padded_columns, __global char* products,
                       int first, int skipped, __global const int* state) {
  __local uint slice_a[TILE * PITCH], slice_b[TILE * PITCH];
  const int plane = skipped + (int)get_global_id(2), modulus = first + plane;
  if (state[1] != 0 || modulus >= state[0]) return;
  const int item = get_local_id(0), row = (int)get_group_id(1) * TILE,
            column = (int)get_group_id(0) * TILE;
  a += (ulong)padded_rows * sizeof(Line) + (ulong)plane * padded_rows * padded_depth;
  b += (ulong)padded_columns * sizeof(Line) + (ulong)plane * padded_columns * padded_depth;
  int sums[16];
  sum_tile((__global const uint*)a, (__global const uint*)b, padded_depth, row, column, slice_a,
           slice_b, sums);
  products += (ulong)modulus * padded_rows * padded_columns;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = row + item / 8 + 8 * i, c = column + item % 8 + 8 * j;
      products[(ulong)r * padded_columns + c] = (char)balanced_residue(sums[4 * i + j], modulus);
    }
}
