// X = alpha inv(M) B for many lower triangles M of one order, each with right-hand sides of its own;
// X replaces B. By substitution, in blocks of BLOCK lines:
//
//            M                     X
//   |\                  |     x x x x x x     now = alpha B - the tiles to the left times what is
//   |_\                 |     x x x x x x           solved above; then the diagonal block is solved
//   |  |\               |     x x x x x x
//   |__|_\              |     now now now     <- BLOCK lines of COLUMNS right-hand sides, each
//   |  |  |\            |                        work-item one of them, in its registers
//   |__|__|_\           |     b b b b b b
//
// A group has COLUMNS right-hand sides of each of MEMBERS neighbouring triangles. Element (i, k) of M
// is `a_down` i + `a_across` k elements behind the first one, and (i, j) of X likewise. So a transposed
// triangle, one on the right side, and an upper one (from its last line on, with negative distances)
// need no code of their own. With `first_place` >= 0 triangle t begins as much further on as `places`
// says: two offsets each, of M and of X, from number `first_place` on.
//
// PART, PARTS: element type (types.clh). No number above the diagonal is read, none on it where `unit`
// is not 0, and no M where alpha is 0. What is read once is multiplied with nothing beyond the edge,
// so a NaN reaches what depends on it. The order of operations depends on BLOCK alone. Backward stable
// as substitution is (N. Higham, Accuracy and Stability of Numerical Algorithms, section 8.1): nothing
// is inverted.
#define UNROLLED _Pragma("unroll")

// sum - x y
inline real without(real sum, real x, real y) {
#if PARTS == 2
  return (real)(MADD(-x.x, y.x, MADD(x.y, y.y, sum.x)), MADD(-x.x, y.y, MADD(-x.y, y.x, sum.y)));
#else
  return MADD(-x, y, sum);
#endif
}

// x / y; of complex numbers as R. Smith has it (Algorithm 116, CACM 5(8), 1962), so that no square
// overflows.
inline real quotient(real x, real y) {
#if PARTS == 2
  if (fabs(y.x) >= fabs(y.y)) {
    const part r = y.y / y.x, d = y.x + y.y * r;
    return (real)((x.x + x.y * r) / d, (x.y - x.x * r) / d);
  }
  const part r = y.x / y.y, d = y.x * r + y.y;
  return (real)((x.x * r + x.y) / d, (x.y * r - x.x) / d);
#else
  return x / y;
#endif
}

// Where the q-th number of a tile is that a work-item copies: neighbours copy neighbours.
#define ROW_OF(q, rows, columns, lies_across) ((lies_across) ? (q) / (columns) : (q) % (rows))
#define COLUMN_OF(q, rows, columns, lies_across) ((lies_across) ? (q) % (columns) : (q) / (rows))

__attribute__((reqd_work_group_size(COLUMNS, MEMBERS, 1)))
__kernel void trsm_batched(int order, int sides, int count, int conjugates, int unit, real alpha,
                           __global const real* a, ulong a_offset, long a_down, long a_across,
                           long a_stride, __global real* b, ulong b_offset, long b_down,
                           long b_across, long b_stride, __global const ulong* places,
                           int first_place) {
  __local real of_a[MEMBERS][BLOCK][BLOCK];       // [k][i]
  __local real of_x[MEMBERS][BLOCK][COLUMNS + 1];
  const int item = (int)get_local_id(0), slot = (int)get_local_id(1);
  const int member = (int)get_group_id(1) * MEMBERS + slot;
  const int first = (int)get_group_id(0) * COLUMNS;
  const int here = member < count ? min(COLUMNS, sides - first) : 0;
  const int scales = IS_ZERO(alpha), is_one = IS_ONE(alpha);
  const int a_lies_across = a_across == 1 || a_across == -1;
  const int b_lies_across = b_across == 1;
  if (member < count) {
    a += a_offset + (ulong)((long)member * a_stride);
    b += b_offset + (ulong)((long)member * b_stride + (long)first * b_across);
    if (first_place >= 0) {
      a += places[2 * ((ulong)first_place + member)];
      b += places[2 * ((ulong)first_place + member) + 1];
    }
  }
  for (int top = 0; top < order; top += BLOCK) {
    const int rows = min(BLOCK, order - top);
    for (int q = item; q < BLOCK * COLUMNS; q += COLUMNS) {
      const int i = ROW_OF(q, BLOCK, COLUMNS, b_lies_across);
      const int j = COLUMN_OF(q, BLOCK, COLUMNS, b_lies_across);
      const int is_read = !scales && i < rows && j < here;
      of_x[slot][i][j] = is_read ? b[(top + i) * b_down + j * b_across] : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    real now[BLOCK];
    UNROLLED for (int i = 0; i < BLOCK; ++i) {
      const real x = of_x[slot][i][item];
      now[i] = is_one ? x : product(alpha, x);
    }
    if (!scales) {
      for (int left = 0; left <= top; left += BLOCK) {
        const int is_diagonal = left == top;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = item; q < BLOCK * BLOCK; q += COLUMNS) {
          const int i = ROW_OF(q, BLOCK, BLOCK, a_lies_across);
          const int k = COLUMN_OF(q, BLOCK, BLOCK, a_lies_across);
          const int is_stored = !is_diagonal || k < i || (k == i && !unit);
          real number = i == k ? ONE : (real)0;
          if (here > 0 && i < rows && is_stored)
            number = a[(top + i) * a_down + (left + k) * a_across];
#if PARTS == 2
          if (conjugates) number.y = -number.y;
#endif
          of_a[slot][k][i] = number;
        }
        if (!is_diagonal)
          for (int q = item; q < BLOCK * COLUMNS; q += COLUMNS) {
            const int k = ROW_OF(q, BLOCK, COLUMNS, b_lies_across);
            const int j = COLUMN_OF(q, BLOCK, COLUMNS, b_lies_across);
            of_x[slot][k][j] = j < here ? b[(left + k) * b_down + j * b_across] : (real)0;
          }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_diagonal) {
          for (int k = 0; k < BLOCK; ++k) {
            const real x = of_x[slot][k][item];
            UNROLLED for (int i = 0; i < BLOCK; ++i) now[i] = without(now[i], of_a[slot][k][i], x);
          }
        } else {
          UNROLLED for (int k = 0; k < BLOCK; ++k) {
            if (!unit) now[k] = quotient(now[k], of_a[slot][k][k]);
            UNROLLED for (int i = k + 1; i < BLOCK; ++i)
              now[i] = without(now[i], of_a[slot][k][i], now[k]);
          }
        }
      }
    }
    UNROLLED for (int i = 0; i < BLOCK; ++i) of_x[slot][i][item] = now[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = item; q < BLOCK * COLUMNS; q += COLUMNS) {
      const int i = ROW_OF(q, BLOCK, COLUMNS, b_lies_across);
      const int j = COLUMN_OF(q, BLOCK, COLUMNS, b_lies_across);
      if (i < rows && j < here) b[(top + i) * b_down + j * b_across] = of_x[slot][i][j];
    }
    // The group reads these lines again.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
