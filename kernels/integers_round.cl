// Phase 6: alpha X 2^step + beta C0, rounded once to the nearest double, ties to even.
//
//   alpha X    213 bits ┐  each at its place in a window of 288 bits under the larger one's top;
//   beta C0    106 bits ┘  what lies below the window is "something": its lowest bit is set
//
// Where bits lie below, the other's lowest bit does not reach the window's, and the sum has its top
// within two bits of the larger one's: so the lowest bit tells more from less, which is all that
// rounding asks of it (docs/design/integers.md).

#define WINDOW 9

inline int bits_of(const uint* limbs, const int count) {
#pragma unroll
  for (int i = count - 1; i >= 0; --i)
    if (limbs[i] != 0) return 32 * i + 32 - (int)clz(limbs[i]);
  return 0;
}

// to[0 .. count + 1] = limbs[0 .. count - 1] number.
inline void multiplied(const uint* limbs, const int count, ulong number, uint* to) {
#pragma unroll
  for (int i = 0; i < count + 2; ++i) to[i] = 0;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const ulong by = part == 0 ? number & 0xffffffffUL : number >> 32;
    ulong carry = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      carry += limbs[i] * by + to[i + part];
      to[i + part] = (uint)carry;
      carry >>= 32;
    }
    to[count + part] = (uint)carry;
  }
}

// The limbs times 2^shift, of which nothing lies above the window.
inline void place(const uint* limbs, int count, int shift, uint* window) {
  const int words = shift >> 5, bits = shift & 31;
  uint lost = 0;
  for (int i = 0; i < WINDOW; ++i) window[i] = 0;
  for (int i = 0; i <= count; ++i) {
    uint piece = i < count ? limbs[i] << bits : 0;
    if (i > 0 && bits > 0) piece |= limbs[i - 1] >> (32 - bits);
    const int at = i + words;
    if (at < 0)
      lost |= piece;
    else if (at < WINDOW)
      window[at] = piece;
  }
  if (lost != 0) window[0] |= 1;
}

// x += y.
inline void add(uint* x, const uint* y) {
  ulong carry = 0;
  for (int i = 0; i < WINDOW; ++i) {
    carry += (ulong)x[i] + y[i];
    x[i] = (uint)carry;
    carry >>= 32;
  }
}
// x = |x - y|; returns whether y was the larger one.
inline int subtract(uint* x, const uint* y) {
  int larger = 0;
  for (int i = 0; i < WINDOW; ++i) larger = x[i] == y[i] ? larger : x[i] < y[i];
  uint borrow = 0;
  for (int i = 0; i < WINDOW; ++i) {
    const uint most = larger ? y[i] : x[i], least = larger ? x[i] : y[i];
    x[i] = most - least - borrow;
    borrow = most < least || (borrow && most == least);
  }
  return larger;
}

// window[at], or 0: whoever looks at all of them needs no memory for them.
inline uint limb_at(const uint* window, int at) {
  uint limb = 0;
#pragma unroll
  for (int i = 0; i < WINDOW; ++i) limb = i == at ? window[i] : limb;
  return limb;
}

// 64 bits from bit `from` on.
inline ulong bits_from(const uint* window, int from) {
  const int word = from >> 5, bit = from & 31;
  const ulong low = limb_at(window, word) | ((ulong)limb_at(window, word + 1) << 32);
  return bit == 0 ? low : (low >> bit) | ((ulong)limb_at(window, word + 2) << (64 - bit));
}

// The bits of the double nearest to window 2^base.
inline ulong rounded(const uint* window, int base, int sign) {
  const int bits = bits_of(window, WINDOW);
  if (bits == 0) return 0;
  const ulong signs = (ulong)sign << 63;
  int exponent = max(base + bits - 53, -1074);
  const int drop = exponent - base;
  ulong number = 0;
  if (drop <= 0) {
    number = bits_from(window, 0) << -drop;
  } else if (drop <= bits) {  // else it is less than half of the least double
    number = bits_from(window, drop) & 0x1fffffffffffffUL;
    const int at = drop - 1;
    const uint limb = limb_at(window, at >> 5);
    const int is_half = (limb >> (at & 31)) & 1;
    uint below = limb & ((1u << (at & 31)) - 1);
#pragma unroll
    for (int i = 0; i < WINDOW; ++i) below |= i < (at >> 5) ? window[i] : 0;
    if (is_half && (below != 0 || (number & 1) != 0)) ++number;
  }
  if (number >> 53 != 0) {
    number >>= 1;
    ++exponent;
  }
  if (number >> 52 == 0) return signs | number;  // exponent is -1074
  if (exponent + 1075 >= 0x7ff) return signs | 0x7ff0000000000000UL;
  return signs | ((ulong)(exponent + 1075) << 52) | (number & 0xfffffffffffffUL);
}

// Of X, its magnitude and sign, in units of 2^step. \pre alpha and beta are finite.
inline ulong updated(const uint* x, int negative, int step, ulong alpha, ulong beta, ulong c) {
  const Parts by = parts_of(alpha), of_beta = parts_of(beta);
  uint product[LIMBS + 2], old[4] = {0, 0, 0, 0};
  multiplied(x, LIMBS, by.number, product);
  int sign = negative ^ by.sign, old_sign = 0, old_exponent = 0;
  const int exponent = by.exponent + step;
  if (of_beta.number != 0) {
    old_sign = of_beta.sign ^ (int)(c >> 63);
    if (!is_finite(c))
      return (c & 0xfffffffffffffUL) != 0 ? c | 0x8000000000000UL
                                           : ((ulong)old_sign << 63) | 0x7ff0000000000000UL;
    const Parts of_c = parts_of(c);
    const uint limbs[2] = {(uint)of_c.number, (uint)(of_c.number >> 32)};
    multiplied(limbs, 2, of_beta.number, old);
    old_exponent = of_beta.exponent + of_c.exponent;
  }
  const int old_bits = bits_of(old, 4);
  int base = exponent;
  uint sum[WINDOW];
#pragma unroll
  for (int i = 0; i < WINDOW; ++i) sum[i] = i < LIMBS + 2 ? product[i] : 0;
  if (old_bits != 0) {
    const int product_bits = bits_of(product, LIMBS + 2);
    const int top = product_bits == 0 ? old_exponent + old_bits
                                      : max(exponent + product_bits, old_exponent + old_bits);
    base = top + 1 - 32 * WINDOW;
    uint window[WINDOW], other[WINDOW];
    place(product, product_bits == 0 ? 0 : LIMBS + 2, exponent - base, window);
    place(old, 4, old_exponent - base, other);
    if (product_bits == 0) sign = old_sign;
    if (sign == old_sign)
      add(window, other);
    else if (subtract(window, other))
      sign = old_sign;
#pragma unroll
    for (int i = 0; i < WINDOW; ++i) sum[i] = window[i];
  }
  return rounded(sum, base, sign);
}

// C = alpha A B + beta C. beta == 0: C is not read.
__kernel void store(int rows, int columns, __global const uchar* a, int padded_rows,
                    __global const uchar* b, int padded_columns, __global const char* products,
                    ulong alpha, ulong beta, __global ulong* c, ulong offset, ulong ldc,
                    __global const int* state) {
  const int row = get_global_id(1), column = get_global_id(0), count = state[0];
  if (row >= rows || column >= columns || state[1] != 0) return;
  uint x[LIMBS];
  const int negative = rebuilt(products + (ulong)row * padded_columns + column,
                               (ulong)padded_rows * padded_columns, count, x);
  const int step = step_of(((__global const Line*)a)[row], count) +
                   step_of(((__global const Line*)b)[column], count);
  __global ulong* to = c + offset + row * ldc + column;
  const ulong old = (beta << 1) != 0 ? *to : 0;
  *to = updated(x, negative, step, alpha, beta, old);
}

// A bound of the top of limbs 2^exponent by.
inline int top_of(const uint* limbs, int count, int exponent, Parts by) {
  const int bits = bits_of(limbs, count);
  return bits == 0 || by.number == 0 ? INT_MIN
                                     : exponent + bits + by.exponent + bits_in(by.number);
}

// Adds (-1)^negative limbs 2^exponent by to the sum, whose sign it returns.
inline int with_term(uint* sum, int base, int sign, const uint* limbs, int count, int negative,
                     int exponent, Parts by) {
  uint product[LIMBS + 2], other[WINDOW];
  if (by.number == 0 || bits_of(limbs, count) == 0) return sign;
  multiplied(limbs, count, by.number, product);
  place(product, count + 2, exponent + by.exponent - base, other);
  const int sign_of_term = negative ^ by.sign;
  if (sign == sign_of_term) {
    add(sum, other);
    return sign;
  }
  return subtract(sum, other) ? sign_of_term : sign;
}

// x, y and their signs, in units of 2^step: x of_x + y of_y + c of_c + d of_d, rounded. Each loses what
// lies 285 bits below the top of the largest.
inline ulong sum_of_four(const uint* x, int x_negative, int x_step, Parts of_x, const uint* y,
                         int y_negative, int y_step, Parts of_y, ulong c, Parts of_c, ulong d,
                         Parts of_d) {
  const Parts parts_c = parts_of(c), parts_d = parts_of(d);
  const uint limbs_c[2] = {(uint)parts_c.number, (uint)(parts_c.number >> 32)},
             limbs_d[2] = {(uint)parts_d.number, (uint)(parts_d.number >> 32)};
  const int top =
      max(max(top_of(x, LIMBS, x_step, of_x), top_of(y, LIMBS, y_step, of_y)),
          max(top_of(limbs_c, 2, parts_c.exponent, of_c), top_of(limbs_d, 2, parts_d.exponent, of_d)));
  if (top == INT_MIN) return 0;
  const int base = top + 2 - 32 * WINDOW;
  uint sum[WINDOW];
  for (int i = 0; i < WINDOW; ++i) sum[i] = 0;
  int sign = with_term(sum, base, 0, x, LIMBS, x_negative, x_step, of_x);
  sign = with_term(sum, base, sign, y, LIMBS, y_negative, y_step, of_y);
  sign = with_term(sum, base, sign, limbs_c, 2, parts_c.sign, parts_c.exponent, of_c);
  sign = with_term(sum, base, sign, limbs_d, 2, parts_d.sign, parts_d.exponent, of_d);
  return rounded(sum, base, sign);
}

// The same of complex numbers. C0 that is not finite is the CPU's. (Signs are turned in numbers: a
// function that changes a struct that it got by value changes its caller's on Mesa 22.3's llvmpipe.)
__kernel void store_complex(int rows, int columns, __global const uchar* a, int padded_rows,
                            __global const uchar* b, int padded_columns,
                            __global const char* products, ulong alpha, ulong alpha_imaginary,
                            ulong beta, ulong beta_imaginary, __global ulong* c, ulong offset,
                            ulong ldc, __global int* state,
                            int block) {
  const int row = get_global_id(1), column = get_global_id(0), count = state[0];
  if (row >= rows || column >= columns || state[1] != 0) return;
  const ulong stride = (ulong)padded_rows * padded_columns;
  products += (ulong)row * padded_columns + 2 * column;
  uint x[LIMBS], y[LIMBS];
  const int x_negative = rebuilt(products, stride, count, x),
            y_negative = rebuilt(products + 1, stride, count, y);
  __global const Line* of_columns = (__global const Line*)b + 2 * column;
  const int of_row = step_of(((__global const Line*)a)[row], count),
            x_step = of_row + step_of(of_columns[0], count),
            y_step = of_row + step_of(of_columns[1], count);
  __global ulong* to = c + offset + row * ldc + 2 * column;
  const Parts by = parts_of(alpha), by_imaginary = parts_of(alpha_imaginary),
              of_beta = parts_of(beta), of_beta_imaginary = parts_of(beta_imaginary);
  const int reads_c = of_beta.number != 0 || of_beta_imaginary.number != 0;
  const ulong old = reads_c ? to[0] : 0, old_imaginary = reads_c ? to[1] : 0;
  if (!is_finite(old) || !is_finite(old_imaginary)) {
    state[1] = block;
    return;
  }
  to[0] = sum_of_four(x, x_negative, x_step, by, y, y_negative ^ 1, y_step, by_imaginary, old,
                      of_beta, old_imaginary ^ (1UL << 63), of_beta_imaginary);
  to[1] = sum_of_four(y, y_negative, y_step, by, x, x_negative, x_step, by_imaginary, old_imaginary,
                      of_beta, old, of_beta_imaginary);
}
