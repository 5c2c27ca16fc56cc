// The integer of which the residues are known (Chinese remainder theorem), by digits of mixed radix:
//
//   X = v[0] + v[1] p[0] + v[2] p[0] p[1] + ...,   v[j] the residue of least magnitude modulo p[j]
//
// So X is the one of least magnitude, with any number of moduli, and all sums but the last are short.

#define LIMBS 5

// Row j: the residues modulo p[j] of p[0] ... p[l - 1] w for l < j, and w, the inverse of
// p[0] ... p[j - 1].
__constant char digit_weights[MODULI * (MODULI + 1) / 2] = {
    1, 1, 1, -42, -126, -42, -69, -94, -125, -69, -1, -9, -72, 62, -1, -57, 109, 80, -4, -40, -57,
    41, -20, -81, 61, 15, -119, 41, 115, 82, -60, -35, 69, 34, 39, 115, -68, -4, -104, 23, 48, -52,
    63, -57, -68, 54, -23, 37, 54, -66, 42, -93, 19, -113, 54, -60, 27, -28, 52, -105, -67, -91,
    105, -65, 56, -60, -68, -48, -88, 87, -80, -13, -95, 80, -22, -47, -36, -68, 46, -40, -72, -70,
    -57, 58, 52, -21, -40, -87, 85, -35, 46, -57, -65, -58, 52, -82, 44, 57, 91, -90, 86, 20, 82,
    83, -57, 91, 50, -55, 72, -52, -39, 57, 30, 95, 85, -11, -89, -7, -98, 91, -77, -26, -68, -27,
    -22, -30, -89, -41, -96, 18, 33, 25, 21, -8, -48, -77, -42, -56, 45, -75, 84, -71, 79, -28, -30,
    6, 25, 36, -19, 2, 16, -95, -42, -17, -8, -49, -89, -76, 52, 43, -40, -89, 72, 54, -85, 17, -33,
    -51, 89, -18, -17, 37, -15, -66, -51, 87, 9, 21, 7, 20, -74, 28, -21, -82, 61, -33, -57, -82,
    -89, 37, -79, 17, 10, -65, -53, 57, 70, -51, 54, 83, -16, 65, -81, 36, 71, -26, -1, -18, 29, -79};

// The magnitude, low limbs first; returns whether X < 0. The residues are `stride` apart.
inline int rebuilt(__global const char* residues, ulong stride, int count, uint* limbs) {
  // Written out for all moduli, digits stay in registers.
  int digits[MODULI];
#pragma unroll
  for (int j = 0; j < MODULI; ++j)
    if (j < count) {
      int sum = residues[j * stride] * digit_weights[j * (j + 1) / 2 + j];
#pragma unroll
      for (int l = 0; l < j; ++l) sum -= digits[l] * digit_weights[j * (j + 1) / 2 + l];
      digits[j] = balanced_residue(sum, j);
    } else {
      digits[j] = 0;
    }
  // By fours, each a number of 32 bits; in two's complement, a limb more for each four.
#pragma unroll
  for (int four = LIMBS - 1; four >= 0; --four) {
    int sum = 0;
    uint product = 1;
#pragma unroll
    for (int j = 4 * four + 3; j >= 4 * four; --j) {
      sum = sum * moduli[j] + digits[j];
      product *= (uint)moduli[j];
    }
    const uint sign = sum < 0 ? 0xffffffffu : 0;
    const int known = LIMBS - 1 - four;
    limbs[known] = known > 0 && limbs[known - 1] >> 31 ? 0xffffffffu : 0;
    ulong carry = (uint)sum;
#pragma unroll
    for (int i = 0; i <= known; ++i) {
      carry += (ulong)limbs[i] * product;
      limbs[i] = (uint)carry;
      carry = (carry >> 32) + sign;
    }
  }
  const int negative = limbs[LIMBS - 1] >> 31;
  if (negative) {
    uint carry = 1;
    for (int i = 0; i < LIMBS; ++i) {
      limbs[i] = ~limbs[i] + carry;
      carry = carry && limbs[i] == 0;
    }
  }
  return negative;
}
