// y += alpha x: as fast as the memory of both.
//
//       work-group 0           work-group 1
//   x  |v v v v|v v v v|...   |v v v v|...       ACROSS vectors side by side, LINES times
//   y  |v v v v|v v v v|...
//
// PART, PARTS, LANES: element type and width of a vector in numbers (types.clh). ACROSS:
// work-items of a group. LINES: vectors of a work-item; of `axpy_apart`, elements. UNROLL: of those
// written out. ALIGNED: x and y start at multiples of a vector's bytes.
//
// Each element of y is read once and written once, and nothing else is.

// alpha times the numbers of each element.
#if PARTS == 1
#define UPDATED(of_y, of_x) MADD(of_x, (vec)(alpha), of_y)
#else
#define UPDATED(of_y, of_x) MADD(SWAPPED(of_x), turning, MADD(of_x, (vec)(alpha.x), of_y))
#endif

// Without gaps.
__attribute__((reqd_work_group_size(ACROSS, 1, 1)))
__kernel void axpy(int size, real alpha, __global const PART* x, ulong x_offset, __global PART* y,
                   ulong y_offset) {
  const int first = (get_group_id(0) * ACROSS * LINES + get_local_id(0)) * WIDTH;
  x += PARTS * x_offset;
  y += PARTS * y_offset;
#if PARTS == 2
  // (re, im) += (-alpha.y im, alpha.y re)
  PART signs[LANES];
  for (int i = 0; i < LANES; i += 2) {
    signs[i] = -alpha.y;
    signs[i + 1] = alpha.y;
  }
  const vec turning = VLOAD(signs);
#endif
  if (first + ((LINES - 1) * ACROSS + 1) * WIDTH <= size) {
#pragma unroll UNROLL
    for (int v = 0; v < LINES; ++v) {
      const ulong at = PARTS * ((ulong)first + v * ACROSS * WIDTH);
      STORE(UPDATED(LOAD(y + at), LOAD(x + at)), y + at);
    }
    return;
  }
  for (int v = 0; v < LINES; ++v) {
    const int begin = first + v * ACROSS * WIDTH;
    for (int i = begin; i < min(begin + WIDTH, size); ++i)
      ((__global real*)y)[i] += product(alpha, ((__global const real*)x)[i]);
  }
}

// Elements apart.
__kernel void axpy_apart(int size, real alpha, __global const PART* x, ulong x_offset, int incx,
                         __global PART* y, ulong y_offset, int incy) {
  __global const real* from = (__global const real*)(x + PARTS * x_offset);
  __global real* to = (__global real*)(y + PARTS * y_offset);
  const int groups = get_global_size(0);
  for (int i = get_global_id(0); i < size; i += groups)
    to[(long)i * incy] += product(alpha, from[(long)i * incx]);
}
