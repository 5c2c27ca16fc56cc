// What a device can multiply and add when nothing has to be fetched: chains of multiply-adds, as
// many as hide how long one takes.
//
//    chain 0   x = x * f + s   x = x * f + s   x = x * f + s     each step waits for the one before
//    chain 1     x = x * f + s   x = x * f + s   ...             chains do not wait for one another
//    ...
//    CHAINS - 1
//
// NUMBER: float or double; VECTOR: a vector of them, or NUMBER itself. CHAINS: chains of a
// work-item. STEPS: of a turn, written out. MULTIPLY_ADD: 0 fma, 1 x * y + z. MATRIX: by matrix
// instructions, behind nvidia.clh (1 and 3 as in README.md). Every chain and every lane begins at
// another place of memory and ends there, so that no compiler may leave one out.
// With MATRIX 4 to 7 they are of bytes: four products a step, behind integers_four.clh, or blocks of
// 16 x 8 sums of 32 products each. tuner/device_peak.cpp tries several numbers of chains and takes the best.
#if DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define STEPS 16

#if MATRIX >= 4
#if MATRIX == 7
#define SUMS 4  // of a chain
#define ADD(sums) matrix_multiply_add(sums, (sums) + 2, rows, columns)
#else
#define SUMS 1
// By itself, for what is the same in all steps need not be multiplied in each.
#define ADD(sums) DOT((uint)*(sums), summand, *(sums))
#endif
__kernel void peak(__global int* numbers, int turns, uint factor, uint summand) {
  __global int* mine = numbers + get_global_id(0) * (SUMS * CHAINS);
  int x[CHAINS][SUMS];
#if MATRIX == 7
  const uint rows[4] = {factor, factor, factor, factor}, columns[2] = {summand, summand};
#endif
#pragma unroll
  for (int i = 0; i < SUMS * CHAINS; ++i) x[i / SUMS][i % SUMS] = mine[i];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) ADD(x[c]);
    }
  }
#pragma unroll
  for (int i = 0; i < SUMS * CHAINS; ++i) mine[i] = x[i / SUMS][i % SUMS];
}
#elif MATRIX
// Blocks of 16 x 8 sums among 32 work-items; behind nvidia.clh.
#if MATRIX == 1
#define OPERANDS factor, factor, summand
#else
#define OPERANDS rows, rows, columns
#endif
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void peak(__global double* numbers,
                                                                    int turns, double factor,
                                                                    double summand) {
  __global double* mine = numbers + get_global_id(0) * (4 * CHAINS);
  double upper[CHAINS][2], lower[CHAINS][2];
#if MATRIX == 3
  const double rows[2] = {factor, factor}, columns[2] = {summand, summand};
#endif
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    upper[c][0] = mine[4 * c];
    upper[c][1] = mine[4 * c + 1];
    lower[c][0] = mine[4 * c + 2];
    lower[c][1] = mine[4 * c + 3];
  }
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) matrix_multiply_add(upper[c], lower[c], OPERANDS);
    }
  }
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    mine[4 * c] = upper[c][0];
    mine[4 * c + 1] = upper[c][1];
    mine[4 * c + 2] = lower[c][0];
    mine[4 * c + 3] = lower[c][1];
  }
}
#else
#if MULTIPLY_ADD == 0
#define MADD(x, y, z) fma(x, y, z)
#else
#define MADD(x, y, z) ((x) * (y) + (z))
#endif
__kernel void peak(__global VECTOR* numbers, int turns, NUMBER factor, NUMBER summand) {
  __global VECTOR* mine = numbers + get_global_id(0) * CHAINS;
  const VECTOR factors = (VECTOR)(factor), summands = (VECTOR)(summand);
  VECTOR x[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) x[c] = mine[c];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) x[c] = MADD(x[c], factors, summands);
    }
  }
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) mine[c] = x[c];
}
#endif
