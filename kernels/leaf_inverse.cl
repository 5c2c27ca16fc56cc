// Inverses of the leaves on a triangle's diagonal, each of LEAF lines, which lie below one another,
// by substitution in WIDE numbers. A group has STRIP columns of one inverse X, and each work-item
// one of them:
//
//     x[i] = (e[i] - M[i][0] x[0] - .. - M[i][i - 1] x[i - 1]) / M[i][i]
//
//   leaves    | M of leaf 0 |    read: the stored triangle alone
//             | M of leaf 1 |
//   inverses  | X of leaf 0 |    written: whole leaves, zeros beside the triangle
//   sums      for each leaf, strip of X's columns and stored row: the sum of the sizes of that row's
//             numbers in these columns, as they are stored
//
// M is a leaf as a lower triangle. UPPER: it is stored as an upper one, so its last line is M's
// first. TURNED: M is the transpose, so that X is computed column by column as it is stored. Both:
// M's lines are the stored columns. ROWS rows are computed at a time; M's next ones come meanwhile.
#define UNROLLED _Pragma("unroll")
#define ROWS 4
#define STRIPS (LEAF / STRIP)
#define GAP 2
#if UPPER != TURNED
#define LINE(i) (LEAF - 1 - (i))
#else
#define LINE(i) (i)
#endif
// Where M[i][k] and X[i][k] are.
#if TURNED
#define AT(i, k) (LINE(k) * pitch + LINE(i))
#else
#define AT(i, k) (LINE(i) * pitch + LINE(k))
#endif
// Where the q-th number is that a work-item loads of M's next rows: neighbours load neighbours.
#if TURNED
#define ROW_OF(q) ((item + STRIP * (q)) % ROWS)
#define PLACE_OF(q) ((item + STRIP * (q)) / ROWS)
#else
#define ROW_OF(q) ((q) / STRIPS)
#define PLACE_OF(q) (item + STRIP * ((q) % STRIPS))
#endif

__attribute__((reqd_work_group_size(STRIP, 1, 1)))
__kernel void leaf_inverse(__global const REAL* restrict leaves, ulong leaves_offset,
                           __global REAL* restrict inverses, ulong inverses_offset, int pitch,
                           __global WIDE* restrict sums, ulong sums_offset) {
  __local WIDE x[LEAF][STRIP + 1];
  __local WIDE2 lines[2][ROWS][(LEAF + GAP) / 2];
  const int item = (int)get_local_id(0), strip = (int)get_group_id(0), leaf = (int)get_group_id(1);
  const int first = strip * STRIP, column = first + item;
  leaves += leaves_offset + (ulong)leaf * LEAF * pitch;
  inverses += inverses_offset + (ulong)leaf * LEAF * pitch;
  sums += sums_offset + (ulong)(leaf * STRIPS + strip) * LEAF;

  REAL coming[ROWS * STRIPS];
  for (int i = first - ROWS; i < LEAF; i += ROWS) {
    const int next = i + ROWS, turn = next / ROWS % 2;
    if (next < LEAF) {
      UNROLLED for (int q = 0; q < ROWS * STRIPS; ++q) {
        const int r = ROW_OF(q), k = PLACE_OF(q);
        coming[q] = k >= first && k <= next + r ? leaves[AT(next + r, k)] : 0;
      }
    }
    if (i >= first) {
      WIDE now[ROWS];
      UNROLLED for (int r = 0; r < ROWS; ++r) now[r] = i + r == column;
      for (int k = first; k < i; k += 4) {
        UNROLLED for (int p = 0; p < 4; p += 2) {
          const WIDE even = x[k + p][item], odd = x[k + p + 1][item];
          UNROLLED for (int r = 0; r < ROWS; ++r) {
            const WIDE2 m = lines[1 - turn][r][(k + p) / 2];
            now[r] = fma(-m.x, even, now[r]);
            now[r] = fma(-m.y, odd, now[r]);
          }
        }
      }
      UNROLLED for (int r = 0; r < ROWS; ++r) {
        __local const WIDE* const line = (__local const WIDE*)lines[1 - turn][r];
        UNROLLED for (int k = 0; k < r; ++k) now[r] = fma(-line[i + k], now[k], now[r]);
        now[r] *= 1 / line[i + r];
        x[i + r][item] = now[r];
      }
    }
    if (next < LEAF) {
      UNROLLED for (int q = 0; q < ROWS * STRIPS; ++q) {
        const int r = ROW_OF(q), k = PLACE_OF(q);
        ((__local WIDE*)lines[turn][r])[k] = coming[q];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#if TURNED
  WIDE of_column = 0;
  for (int i = first; i < LEAF; ++i) of_column += fabs((WIDE)(REAL)x[i][item]);
  for (int j = 0; j < STRIP; ++j)
    for (int i = item; i < LEAF; i += STRIP)
      inverses[AT(i, first + j)] = i < first ? 0 : (REAL)x[i][j];
  for (int i = item; i < LEAF; i += STRIP) sums[LINE(i)] = i == column ? of_column : 0;
#else
  for (int i = 0; i < LEAF; ++i) inverses[AT(i, column)] = i < first ? 0 : (REAL)x[i][item];
  for (int i = item; i < LEAF; i += STRIP) {
    WIDE sum = 0;
    if (i >= first)
      for (int j = 0; j < STRIP; ++j) sum += fabs((WIDE)(REAL)x[i][j]);
    sums[LINE(i)] = sum;
  }
#endif
}
