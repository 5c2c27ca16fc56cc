// y = alpha op(A) x + beta y, one program per element type, op and kernel. It reads A once, and is
// as fast as the memory that A lies in.
//
//   rows (TRANSPOSES = 0)                        columns (TRANSPOSES = 1)
//
//        x: 1 vector for LINES rows                   x: 1 element for LINES vectors
//          ---> ACROSS work-items                        ACROSS work-items, LINES vectors each
//     A  +--------------------+                     A  +-----+-----+-----+-----+
//  LINES | v v v v v v v v v  | -> y, summed        |  |  v     v     v     v  |  TEAMS take rows
//        | v v v v v v v v v  |    over the group   v  |  v     v     v     v  |  in turns
//        +--------------------+                        +-----+-----+-----+-----+
//                                                         y, summed over the teams
//
// PART, PARTS, LANES: element type and width of a vector in numbers (types.clh). CONJUGATES: of A.
// ACROSS, TEAMS: work-items of a group; TEAMS is 1 in the rows' form. LINES: rows, or vectors of
// columns, of a work-item. UNROLL: steps of the inner loop written out. ALIGNED: each row of A, and
// x, start at multiples of a vector's bytes. SIZE_ROWS, SIZE_COLUMNS, SIZE_SLICE: with
// INLINE_SIZES, the values of rows, columns and slice, which are not read then. IMAGE: whole
// vectors of A are read from `pixels`, an image over A's buffer from its start on, with a vector in
// a pixel; what is less than a vector from `a`. ALIGNED is 1 then.
//
// A long sum is cut into slices, of which each work-group does one: get_group_id(1). With more than
// one, y is a buffer of sums, slice by slice, and the kernel `sum` adds them in their order. With
// FUSED they go to `slice_sums`, and the work-group of these outputs that ends last adds them in
// the same order: whichever that is, the same call gives the same bits. `tickets` counts the groups
// that have ended, one number for each place along y; it holds zeros before a launch, and after it.
// x has no gaps; `gather` makes such a one.

#define WIDTH (LANES / PARTS)  // elements of a vector

#if ALIGNED
#define LOAD(p) (*(__global const vec*)(p))
#else
#define LOAD(p) VLOAD(p)
#endif

// The two numbers of each complex element in the other order.
#if PARTS == 1
#define SWAPPED(v) (v)
#elif LANES == 2
#define SWAPPED(v) (v).s10
#elif LANES == 4
#define SWAPPED(v) (v).s1032
#elif LANES == 8
#define SWAPPED(v) (v).s10325476
#else
#define SWAPPED(v) (v).s1032547698badcfe
#endif

inline real loaded(__global const PART* p) {
#if PARTS == 2
  return vload2(0, p);
#else
  return *p;
#endif
}

inline real conjugated(real x) {
#if CONJUGATES && PARTS == 2
  return (real)(x.x, -x.y);
#else
  return x;
#endif
}

// alpha sum + beta y.
inline void store_whole(real sum, real alpha, real beta, __global PART* y, ulong y_offset, int incy,
                        int output) {
  __global real* place = (__global real*)(y + PARTS * y_offset) + (long)output * incy;
  real value = product(alpha, sum);
  if (!IS_ZERO(beta)) value += product(beta, *place);
  *place = value;
}

#if FUSED
#define SLICE_SUMS slice_sums
#define FUSED_ARGUMENTS , __global real *slice_sums, __global int *tickets
#else
#define SLICE_SUMS ((__global real*)y)
#define FUSED_ARGUMENTS
#endif

// The same; a slice's sum as it is.
#define STORE_SUM(sum, output, outputs)                                        \
  do {                                                                         \
    if (get_num_groups(1) > 1)                                                 \
      SLICE_SUMS[get_group_id(1) * (ulong)(outputs) + (output)] = (sum);       \
    else                                                                       \
      store_whole(sum, alpha, beta, y, y_offset, incy, output);                \
  } while (0)

#if FUSED
// What the group wrote is seen by every group that sees what it writes next. OpenCL 1.2 promises
// that within a group only; NVIDIA's device says it in PTX (membar.gl), and on a CPU the atomic
// operation does it.
#ifdef __NV_CL_C_VERSION
#define FENCE_ALL() asm volatile("membar.gl;" ::: "memory")
#else
#define FENCE_ALL() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

// After a group has stored its slice's sums of `count` outputs: the last one adds all slices.
inline void add_slices(__local int* is_last, __global real* slice_sums, __global int* tickets,
                       int first, int count, int outputs, real alpha, real beta, __global PART* y,
                       ulong y_offset, int incy) {
  const int slices = get_num_groups(1);
  const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
  FENCE_ALL();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    *is_last = 0;
    if (slices > 1) {
      FENCE_ALL();
      *is_last = atomic_inc(tickets + get_group_id(0)) == slices - 1;
      if (*is_last) tickets[get_group_id(0)] = 0;
      FENCE_ALL();
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  // Other groups wrote them: not from a cache of this one's.
  volatile __global const real* all = slice_sums;
  const int end = *is_last ? min(first + count, outputs) : first;
  for (int i = first + item; i < end; i += get_local_size(0) * get_local_size(1)) {
    real total = all[i];
    for (int s = 1; s < slices; ++s) total += all[s * (ulong)outputs + i];
    store_whole(total, alpha, beta, y, y_offset, incy, i);
  }
}

#define ADD_SLICES(first, count, outputs)                                                       \
  __local int is_last;                                                                          \
  add_slices(&is_last, slice_sums, tickets, first, count, outputs, alpha, beta, y, y_offset, incy)
#else
#define ADD_SLICES(first, count, outputs) (void)0
#endif

#if IMAGE
#define PIXELS , __read_only image1d_buffer_t pixels

inline vec pixel_of(__read_only image1d_buffer_t pixels, int at) {
#if LANES == 4
  return read_imagef(pixels, at);
#else
  return as_double2(read_imageui(pixels, at));
#endif
}
#else
#define PIXELS
#endif

#if INLINE_SIZES
#define FIX_SIZES() rows = SIZE_ROWS, columns = SIZE_COLUMNS, slice = SIZE_SLICE
#else
#define FIX_SIZES() (void)0
#endif

#define ARGUMENTS                                                                                \
  int rows, int columns, real alpha, __global const PART *a, ulong a_offset, ulong lda,          \
      __global const PART *x, ulong x_offset, real beta, __global PART *y, ulong y_offset,       \
      int incy, int slice FUSED_ARGUMENTS PIXELS

#if !TRANSPOSES

// Products of a vector's numbers: p of alike ones, q of those of the other part.
inline real folded(vec p, vec q) {
  PART sums[2 * LANES];
  VSTORE(p, sums);
  VSTORE(q, sums + LANES);
#if PARTS == 2
  const PART sign = CONJUGATES ? 1 : -1;
  real sum = 0;
  for (int i = 0; i < LANES; i += 2)
    sum += (real)(sums[i] + sign * sums[i + 1], sums[LANES + i] - sign * sums[LANES + i + 1]);
#else
  real sum = 0;
  for (int i = 0; i < LANES; ++i) sum += sums[i];
#endif
  return sum;
}

__attribute__((reqd_work_group_size(ACROSS, 1, 1)))
__kernel void gemv(ARGUMENTS) {
  FIX_SIZES();
  const int lane = get_local_id(0);
  const int top = get_group_id(0) * LINES;
  const int begin = get_group_id(1) * slice, end = min(columns, begin + slice);
  const int whole = begin + (end - begin) / WIDTH * WIDTH;
  x += PARTS * x_offset;
  // Rows beyond the last one are the last one again, and not stored.
  __global const PART* row[LINES];
#if IMAGE
  int start[LINES];
#endif
#pragma unroll
  for (int r = 0; r < LINES; ++r) {
    const ulong element = a_offset + (ulong)min(top + r, rows - 1) * lda;
    row[r] = a + PARTS * element;
#if IMAGE
    start[r] = (int)(element / WIDTH);
#endif
  }
  vec p[LINES], q[LINES];
#pragma unroll
  for (int r = 0; r < LINES; ++r) p[r] = q[r] = 0;

#pragma unroll UNROLL
  for (int j = begin + lane * WIDTH; j < whole; j += ACROSS * WIDTH) {
    const vec of_x = LOAD(x + PARTS * j);
#pragma unroll
    for (int r = 0; r < LINES; ++r) {
#if IMAGE
      const vec of_a = pixel_of(pixels, start[r] + j / WIDTH);
#else
      const vec of_a = LOAD(row[r] + PARTS * (ulong)j);
#endif
      p[r] = MADD(of_a, of_x, p[r]);
#if PARTS == 2
      q[r] = MADD(of_a, SWAPPED(of_x), q[r]);
#endif
    }
  }
  real sums[LINES];
#pragma unroll
  for (int r = 0; r < LINES; ++r) sums[r] = folded(p[r], q[r]);
  for (int j = whole + lane; j < end; j += ACROSS) {
    const real of_x = loaded(x + PARTS * j);
#pragma unroll
    for (int r = 0; r < LINES; ++r)
      sums[r] += product(conjugated(loaded(row[r] + PARTS * (ulong)j)), of_x);
  }

#if ACROSS > 1
  __local real shared[LINES][ACROSS];
#pragma unroll
  for (int r = 0; r < LINES; ++r) shared[r][lane] = sums[r];
  for (int width = ACROSS / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) {
#pragma unroll
      for (int r = 0; r < LINES; ++r) shared[r][lane] += shared[r][lane + width];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = lane; r < min(LINES, rows - top); r += ACROSS)
    STORE_SUM(shared[r][0], top + r, rows);
#else
#pragma unroll
  for (int r = 0; r < LINES; ++r)
    if (top + r < rows) STORE_SUM(sums[r], top + r, rows);
#endif
  ADD_SLICES(top, LINES, rows);
}

#else

// A vector of which only the first elements are the matrix's.
inline vec load_some(__global const PART* p, int elements) {
  PART some[LANES];
  for (int i = 0; i < LANES; ++i) some[i] = i < PARTS * elements ? p[i] : 0;
  return VLOAD(some);
}

// p: a vector's numbers times the real parts of x; q: times the imaginary ones.
inline vec combined(vec p, vec q) {
#if PARTS == 2
  PART of_p[LANES], of_q[LANES], sums[LANES];
  VSTORE(p, of_p);
  VSTORE(q, of_q);
  const PART sign = CONJUGATES ? 1 : -1;
  for (int i = 0; i < LANES; i += 2) {
    sums[i] = of_p[i] + sign * of_q[i + 1];
    sums[i + 1] = of_q[i] - sign * of_p[i + 1];
  }
  return VLOAD(sums);
#else
  return p;
#endif
}

#if PARTS == 2
#define REAL(value) (value).x
#else
#define REAL(value) (value)
#endif

__attribute__((reqd_work_group_size(ACROSS, TEAMS, 1)))
__kernel void gemv(ARGUMENTS) {
  FIX_SIZES();
  const int lane = get_local_id(0), team = get_local_id(1);
  const int left = (get_group_id(0) * ACROSS * LINES + lane) * WIDTH;
  const int begin = get_group_id(1) * slice, end = min(rows, begin + slice);
  x += PARTS * x_offset;
  a += PARTS * a_offset;
  vec p[LINES], q[LINES];
#pragma unroll
  for (int v = 0; v < LINES; ++v) p[v] = q[v] = 0;

  if (left + ((LINES - 1) * ACROSS + 1) * WIDTH <= columns) {
#pragma unroll UNROLL
    for (int i = begin + team; i < end; i += TEAMS) {
      const real of_x = loaded(x + PARTS * i);
#if IMAGE
      const int start = (int)((a_offset + (ulong)i * lda + left) / WIDTH);
#else
      __global const PART* row = a + PARTS * ((ulong)i * lda + left);
#endif
#pragma unroll
      for (int v = 0; v < LINES; ++v) {
#if IMAGE
        const vec of_a = pixel_of(pixels, start + v * ACROSS);
#else
        const vec of_a = LOAD(row + v * ACROSS * LANES);
#endif
        p[v] = MADD(of_a, (vec)(REAL(of_x)), p[v]);
#if PARTS == 2
        q[v] = MADD(of_a, (vec)(of_x.y), q[v]);
#endif
      }
    }
  } else {
    for (int i = begin + team; i < end; i += TEAMS) {
      const real of_x = loaded(x + PARTS * i);
#pragma unroll
      for (int v = 0; v < LINES; ++v) {
        const int column = left + v * ACROSS * WIDTH;
        const int elements = min(WIDTH, columns - column);
        if (elements > 0) {
          const vec of_a = load_some(a + PARTS * ((ulong)i * lda + column), elements);
          p[v] = MADD(of_a, (vec)(REAL(of_x)), p[v]);
#if PARTS == 2
          q[v] = MADD(of_a, (vec)(of_x.y), q[v]);
#endif
        }
      }
    }
  }
#if TEAMS > 1
  __local vec shared[TEAMS][LINES][ACROSS];
#pragma unroll
  for (int v = 0; v < LINES; ++v) shared[team][v][lane] = combined(p[v], q[v]);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (team == 0) {
#pragma unroll
    for (int v = 0; v < LINES; ++v) {
#if TEAMS > 1
      vec sum = shared[0][v][lane];
      for (int t = 1; t < TEAMS; ++t) sum += shared[t][v][lane];
#else
      const vec sum = combined(p[v], q[v]);
#endif
      const int column = left + v * ACROSS * WIDTH;
      PART sums[LANES];
      VSTORE(sum, sums);
      for (int i = 0; i < WIDTH; ++i) {
        if (column + i >= columns) break;
#if PARTS == 2
        const real value = (real)(sums[2 * i], sums[2 * i + 1]);
#else
        const real value = sums[i];
#endif
        STORE_SUM(value, column + i, columns);
      }
    }
  }
  ADD_SLICES((int)get_group_id(0) * ACROSS * LINES * WIDTH, ACROSS * LINES * WIDTH, columns);
}

#endif

// y = alpha (sums of the slices) + beta y.
__kernel void sum(int outputs, int slices, real alpha, __global const real* sums, real beta,
                  __global PART* y, ulong y_offset, int incy) {
  const int i = get_global_id(0);
  if (i >= outputs) return;
  real total = sums[i];
  for (int s = 1; s < slices; ++s) total += sums[(ulong)s * outputs + i];
  store_whole(total, alpha, beta, y, y_offset, incy, i);
}

// `size` elements of a vector, without gaps.
__kernel void gather(int size, __global const PART* x, ulong x_offset, int incx,
                     __global real* dense) {
  const int i = get_global_id(0);
  if (i < size) dense[i] = ((__global const real*)(x + PARTS * x_offset))[(long)i * incx];
}
