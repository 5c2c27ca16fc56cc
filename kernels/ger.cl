// A += alpha x y', row-major: as fast as the memory that A lies in.
//
//                y:  | v | v | v | v |      ACROSS work-items: a vector of y each, in turns
//              +-----+---+---+---+---+
//    x: LINES  |  A: | v | v | v | v |      DOWN of those, one below another,
//       rows   |     | v | v | v | v |      LINES rows each
//
// PART, PARTS, LANES: element type and width of a vector in numbers (types.clh). CONJUGATES: 1: x,
// 2: y. ALIGNED: each row of A starts at a multiple of a vector's bytes.
// Each element of A is read once and written once; nothing between its rows is.

#if PARTS == 1
#define UPDATED(of_a, of_y, by) MADD(of_y, (vec)(by), of_a)
#else
#define UPDATED(of_a, of_y, by) \
  MADD(SWAPPED(of_y), (vec)((by).y) * signs, MADD(of_y, (vec)((by).x), of_a))
#endif

inline real conjugated(real x, int which) {
#if PARTS == 2
  if (CONJUGATES == which) x.y = -x.y;
#endif
  return x;
}

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void ger(int rows, int columns, real alpha, __global const PART* x, ulong x_offset,
                  int incx, __global const PART* y, ulong y_offset, int incy, __global PART* a,
                  ulong a_offset, ulong lda) {
  const int across = get_global_size(0) * WIDTH;
  const int top = get_global_id(1) * LINES;
  __global const real* of_rows = (__global const real*)(x + PARTS * x_offset);
  __global const real* of_columns = (__global const real*)(y + PARTS * y_offset);
  a += PARTS * (a_offset + (ulong)min(top, rows - 1) * lda);
  const int lines = min(LINES, rows - top);
#if PARTS == 2
  PART both[LANES];
  for (int i = 0; i < LANES; i += 2) {
    both[i] = -1;
    both[i + 1] = 1;
  }
  const vec signs = VLOAD(both);
#endif
  real factor[LINES];
#pragma unroll
  for (int r = 0; r < LINES; ++r)
    factor[r] = r < lines ? product(alpha, conjugated(of_rows[(long)(top + r) * incx], 1)) : 0;
  for (int j = get_global_id(0) * WIDTH; j < columns; j += across) {
    if (j + WIDTH <= columns) {
      vec of_y;
      if (incy == 1) {
        of_y = VLOAD(y + PARTS * (y_offset + j));
      } else {
        PART some[LANES];
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) {
          const real value = of_columns[(long)(j + i) * incy];
#if PARTS == 2
          some[2 * i] = value.x;
          some[2 * i + 1] = value.y;
#else
          some[i] = value;
#endif
        }
        of_y = VLOAD(some);
      }
#if CONJUGATES == 2 && PARTS == 2
      of_y *= -signs;
#endif
#pragma unroll
      for (int r = 0; r < LINES; ++r) {
        __global PART* at = a + PARTS * ((ulong)r * lda + j);
        if (r < lines) STORE(UPDATED(LOAD(at), of_y, factor[r]), at);
      }
    } else {
      for (int r = 0; r < lines; ++r)
        for (int i = j; i < columns; ++i)
          ((__global real*)(a + PARTS * (ulong)r * lda))[i] +=
              product(factor[r], conjugated(of_columns[(long)i * incy], 2));
    }
  }
}
