// Whether operands suit an opt-in arithmetic. A matrix with a number that does not marks `flag`
// with this call's ticket; a product built with GUARD looks there before it starts, so the host
// never waits for the answer.
//
// 3xTF32: a number's low half is 2^-11 of it, and low times high must not vanish below 2^-126;
// sums of products must stay below 2^128. Zero is fine. Infinities and NaNs have the largest
// exponent.
#define LEAST_EXPONENT (127 - 48)
#define MOST_EXPONENT (127 + 56)

inline int is_suited(float x) {
  const uint bits = as_uint(x) & 0x7fffffffu;
  const int exponent = bits >> 23;
  return bits == 0 || (exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT);
}

// Work-items take four columns each, and every so many-th row.
__kernel void guard(int rows, int cols, __global const float* x, ulong offset, ulong ld,
                    __global int* flag, int ticket) {
  const int col = 4 * get_global_id(0), down = get_global_size(1);
  const int whole = col + 4 <= cols && (ulong)(x + offset) % 16 == 0 && ld % 4 == 0;
  int suited = 1;
  if (whole) {
#pragma unroll 4
    for (int row = get_global_id(1); row < rows; row += down) {
      const float4 v = *(__global const float4*)(x + offset + row * ld + col);
      suited &= is_suited(v.x) & is_suited(v.y) & is_suited(v.z) & is_suited(v.w);
    }
  } else {
    for (int row = get_global_id(1); row < rows; row += down)
      for (int i = col; i < min(col + 4, cols); ++i) suited &= is_suited(x[offset + row * ld + i]);
  }
  if (!suited) atomic_xchg(flag, ticket);
}
