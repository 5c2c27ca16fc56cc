// Whether a device has what nvidia_wide.clh says: tried as in nvidia_probe.cl. A has 64 lines of 8
// steps and B has 128, of the same 128 whole numbers again and again: all products and sums are
// whole, and small enough for every arithmetic.
#define NUMBERS 128

inline int number(int line, int step) {
  return (4 * line + step % 4) % NUMBERS + 1;
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void probe(__global const float* numbers,
                                                                     __global int* answer) {
  __local float x[2 * 64 * 4] __attribute__((aligned(128)));
  __local float y[2 * 128 * 4] __attribute__((aligned(128)));
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
  float sum[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) sum[i] = 1;
  wide_begin();
  // Once for the sums that are there, which do not count, and once more.
  for (int turn = 0; turn < 2; ++turn)
    wide_multiply_add(sum, wide_operand(x_at, 128, 16 * 64), wide_operand(y_at, 128, 16 * 128), turn);
  wide_commit();
  wide_wait();
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = item / 32 * 16 + item % 32 / 4 + i / 2 % 2 * 8;
    const int col = i / 4 * 8 + item % 4 * 2 + i % 2;
    int expected = 0;
    for (int p = 0; p < 8; ++p) expected += 2 * number(row, p) * number(col, p);
    if (sum[i] != expected) wrong = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) *answer = !wrong;
}
