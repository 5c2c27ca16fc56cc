// What an NVIDIA device can do is tried, not looked up: each of these kernels answers 1 where its
// instructions exist and compute what they should. One is compiled at a time; it runs with 32
// work-items, and its array takes LOCAL_BYTES of local memory, more than OpenCL speaks of.
//
//    PROBE 0   numbers ==async==> end of the array ==> compared ==> answer
//    PROBE 1   MATRIX 1: fp64, rows of A are their numbers, B ones: sum = 4 row
//              2: TF32, 8 steps:                                    sum = 8 row
//              7: bytes, 32 steps, of lines in local memory:        sum = 32 row
//              6: four products of bytes
#if PROBE == 0
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const float* numbers,
                                                                    __global int* answer) {
  __local float copied[LOCAL_BYTES / 4] __attribute__((aligned(16)));
  const int item = get_local_id(0), last = LOCAL_BYTES / 4 - 128;
  async_copy_16(copied + last + 4 * item, numbers + 4 * item, item == 31 ? 8 : 16);
  async_commit();
  async_wait();
  barrier(CLK_LOCAL_MEM_FENCE);
  int right = 1;
  for (int i = 0; i < 128; ++i) right &= copied[last + i] == (i < 126 ? numbers[i] : 0);
  if (item == 0) *answer = right;
}
#elif MATRIX == 1
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const float* numbers,
                                                                    __global int* answer) {
  // Rows of A are their numbers, B is ones: a sum is 4 times its row.
  const int item = get_local_id(0), row = item / 4;
  double upper[2] = {0, 0}, lower[2] = {0, 0};
  matrix_multiply_add(upper, lower, row, row + 8, 1);
  if (item == 31)
    *answer = upper[0] == 28 && upper[1] == 28 && lower[0] == 60 && lower[1] == 60;
}
#elif MATRIX == 6
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const float* numbers,
                                                                    __global int* answer) {
  const char4 x = (char4)(-128, 127, 3, -1), y = (char4)(-128, 127, -5, (char)numbers[6]);
  if (get_local_id(0) == 31)
    *answer = dot_add(as_uint(x), as_uint(y), -9) == 16384 + 16129 - 15 - 7 - 9;
}
#elif MATRIX == 7
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const float* numbers,
                                                                    __global int* answer) {
  __local uchar rows[16 * 32] __attribute__((aligned(16)));
  const int item = get_local_id(0);
  for (int i = 0; i < 16; ++i) rows[16 * item + i] = item / 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint a[4];
  load_blocks(a, rows + item % 16 * 32 + item / 16 * 16);
  const uint b[2] = {0xffffffff, 0xffffffff};  // -1 each
  int upper[2] = {1, 1}, lower[2] = {1, 1};
  matrix_multiply_add(upper, lower, a, b);
  if (item == 31)
    *answer = upper[0] == 1 - 32 * 7 && upper[1] == 1 - 32 * 7 && lower[0] == 1 - 32 * 15 &&
              lower[1] == 1 - 32 * 15;
}
#else
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const float* numbers,
                                                                    __global int* answer) {
  const int item = get_local_id(0), row = item / 4;
  float sum[4] = {0, 0, 0, 0};
  const uint a[4] = {as_uint((float)row), as_uint((float)row + 8), as_uint((float)row),
                     as_uint((float)row + 8)};
  const uint b[2] = {as_uint(1.0f), as_uint(1.0f)};
  matrix_multiply_add(sum, a, b);
  if (item == 31)
    *answer = sum[0] == 56 && sum[1] == 56 && sum[2] == 120 && sum[3] == 120;
}
#endif
