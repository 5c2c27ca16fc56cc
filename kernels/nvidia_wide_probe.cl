// Whether a device has what nvidia_wide.clh says: tried as in nvidia_probe.cl. A has 64 lines of 8
// steps and B has 128, of the same 128 whole numbers again and again: all products and sums are
// whole, and small enough for every arithmetic. With MATRIX 7 lines have 32 steps, of the bytes of
// these numbers.
#define NUMBERS 128

#if MATRIX == 7
typedef int sum_t;
#define SUM(i) sum[i / 2 % 2][i / 4 * 2 + i % 2]
// Units of 16 bytes are exchanged in every second four lines.
inline int number(__global const float* numbers, int line, int step) {
  const int unit = (step / 16) ^ (line / 4 % 2);
  return ((__global const char*)numbers)[(32 * line + 16 * unit + step % 16) % (4 * NUMBERS)];
}
#define LINE_STEPS 32
#else
typedef float sum_t;
#define SUM(i) sum[i]
inline int number(__global const float* numbers, int line, int step) {
  return (int)numbers[(4 * line + step % 4) % NUMBERS];
}
#define LINE_STEPS 8
#endif

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void probe(__global const float* numbers,
                                                                     __global int* answer) {
  __local float x[2 * 64 * 4] __attribute__((aligned(256)));
  __local float y[2 * 128 * 4] __attribute__((aligned(256)));
  __local ulong mark[1];
  __local int wrong;
  const int item = get_local_id(0);
  const shared_t x_at = shared_address(x), y_at = shared_address(y), full = shared_address(mark);
  if (item == 0) {
    wrong = 0;
    mark_init(full, 1);
    marks_ready();
    mark_expect(full, sizeof x + sizeof y);
    for (int i = 0; i < (int)sizeof x; i += 4 * NUMBERS) bulk_copy(x_at + i, numbers, 4 * NUMBERS, full);
    for (int i = 0; i < (int)sizeof y; i += 4 * NUMBERS) bulk_copy(y_at + i, numbers, 4 * NUMBERS, full);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  wait_for_slice(full, 0);
#if MATRIX == 7
  sum_t sum[2][32];
#else
  sum_t sum[64];
#endif
#pragma unroll
  for (int i = 0; i < 64; ++i) SUM(i) = 1;
  wide_begin();
#if MATRIX == 7
  const int before = 1;
  for (int turn = 0; turn < 2; ++turn)
    wide_multiply_add(sum, wide_exchanged(x_at, 32), wide_exchanged(y_at, 32));
#else
  const int before = 0;
  // Once for the sums that are there, which do not count, and once more.
  for (int turn = 0; turn < 2; ++turn)
    wide_multiply_add(sum, wide_operand(x_at, 128, 16 * 64), wide_operand(y_at, 128, 16 * 128), turn);
#endif
  wide_commit();
  wide_wait();
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = item / 32 * 16 + item % 32 / 4 + i / 2 % 2 * 8;
    const int col = i / 4 * 8 + item % 4 * 2 + i % 2;
    int expected = before;
#pragma unroll 1
    for (int p = 0; p < LINE_STEPS; ++p)
      expected += 2 * number(numbers, row, p) * number(numbers, col, p);
    if (SUM(i) != expected) wrong = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) *answer = !wrong;
}
