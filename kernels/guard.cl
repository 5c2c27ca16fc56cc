// Whether operands suit an opt-in arithmetic. A matrix with a number that does not marks `flag`
// with this call's ticket; a product built with GUARD looks there before it starts, so the host never
// waits for the answer.
//
// 3xTF32: a number's low half is 2^-11 of it, and low times high must not vanish below 2^-126;
// sums of products must stay below 2^128. Zero is fine. Infinities and NaNs have the largest exponent.
#define LEAST_EXPONENT (127 - 48)
#define MOST_EXPONENT (127 + 56)

__kernel void guard(int rows, int cols, __global const float* x, ulong offset, ulong ld,
                    __global int* flag, int ticket) {
  const int col = get_global_id(0);
  int suits = 1;
  for (int row = get_global_id(1); row < rows && col < cols; row += get_global_size(1)) {
    const uint bits = as_uint(x[offset + row * ld + col]) & 0x7fffffffu;
    const int exponent = bits >> 23;
    suits &= bits == 0 || (exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT);
  }
  if (!suits) atomic_xchg(flag, ticket);
}
