// Whether operands suit an opt-in arithmetic. A number that does not marks `flag` with this call's
// ticket; a product built with GUARD looks there before it starts, so the host
// never waits for the answer.
//
//    guard, or packing       A or B has a number that does not suit: *flag = ticket
//    gemm with GUARD 1       *flag == ticket: returns at once          3xTF32
//    gemm with GUARD 2       *flag != ticket: returns at once          an exact kernel

// A matrix: work-items take four columns each, and every so many-th row.
inline int are_suited(int rows, int cols, __global const float* x, ulong ld, int first, int down) {
  const int col = 4 * get_global_id(0);
  int suited = 1;
  if (col + 4 <= cols && (ulong)x % 16 == 0 && ld % 4 == 0) {
#pragma unroll 4
    for (int row = first; row < rows; row += down) {
      const float4 v = *(__global const float4*)(x + row * ld + col);
      suited &= is_suited(v.x) & is_suited(v.y) & is_suited(v.z) & is_suited(v.w);
    }
  } else {
    for (int row = first; row < rows; row += down)
      for (int i = col; i < min(col + 4, cols); ++i) suited &= is_suited(x[row * ld + i]);
  }
  return suited;
}

// Half of the work-items look at A, half at B.
__kernel void guard(int a_rows, int a_cols, __global const float* a, ulong a_offset, ulong lda,
                    int b_rows, int b_cols, __global const float* b, ulong b_offset, ulong ldb,
                    __global int* flag, int ticket) {
  const int down = get_global_size(1) / 2, row = get_global_id(1), first = row % down;
  const int suited = row < down
                         ? are_suited(a_rows, a_cols, a + a_offset, lda, first, down)
                         : are_suited(b_rows, b_cols, b + b_offset, ldb, first, down);
  if (!suited) atomic_xchg(flag, ticket);
}
