// Phase 4: the numbers of a line, rounded to multiples of its step, as residues of least magnitude.
// An integer has 84 bits at most: number 2^shift, in digits of 22 bits. The products of its four
// digits by powers of 2^22 modulo p, 1 and bytes, have a sum below 2^32 - 2^28.

#define DIGITS 4
#define DIGIT_BITS 22

typedef struct {
  uint digits[DIGITS];
  int sign;  // 0, or -1
} Whole;

// `step`: log2 of what it is a multiple of.
inline Whole whole_of(ulong bits, int step) {
  const Parts x = parts_of(bits);
  ulong number = x.number;
  int shift = x.number == 0 ? 0 : x.exponent - step;
  if (shift < 0) {  // to the nearest, and up in the middle
    number = shift > -64 ? ((number >> (-shift - 1)) + 1) >> 1 : 0;
    shift = 0;
  }
  // What lies above 88 bits is 0.
  const int whole_digits = min(shift / DIGIT_BITS, DIGITS - 1), rest = shift % DIGIT_BITS;
  const ulong low = (number & 0x7ffffffUL) << rest, high = ((number >> 27) << rest) + (low >> 27);
  const uint mask = (1u << DIGIT_BITS) - 1;
  const uint d0 = (uint)low & mask,
             d1 = (((uint)low & 0x7ffffffu) >> 22) | (((uint)high << 5) & mask),
             d2 = (uint)(high >> 17) & mask, d3 = (uint)(high >> 39) & mask;
  Whole whole;
  whole.digits[0] = whole_digits == 0 ? d0 : 0;
  whole.digits[1] = whole_digits == 0 ? d1 : whole_digits == 1 ? d0 : 0;
  whole.digits[2] = whole_digits == 0 ? d2 : whole_digits == 1 ? d1 : whole_digits == 2 ? d0 : 0;
  whole.digits[3] = whole_digits == 0 ? d3 : whole_digits == 1 ? d2 : whole_digits == 2 ? d1 : d0;
  whole.sign = -x.sign;
  return whole;
}

// Powers of 2^22.
#define POWER(p) ((1u << DIGIT_BITS) % p)
#define POWER_2(p) (POWER(p) * POWER(p) % p)
#define POWER_3(p) (POWER_2(p) * POWER(p) % p)
#define OF_ALL(f)                                                                               \
  {                                                                                             \
    f(256), f(255), f(253), f(251), f(247), f(241), f(239), f(233), f(229), f(227), f(223),     \
        f(217), f(211), f(199), f(197), f(193), f(191), f(181), f(179), f(173)                  \
  }
__constant uint powers[MODULI] = OF_ALL(POWER), powers_2[MODULI] = OF_ALL(POWER_2),
                powers_3[MODULI] = OF_ALL(POWER_3);

// A group of work-items has so many words of so many lines.
#define WORDS 8
#define LINES_OF_WORDS 8
#define OF_WORDS __attribute__((reqd_work_group_size(WORDS, LINES_OF_WORDS, 1)))
#define PITCH (LINES_OF_WORDS + 1)

// The planes behind the magnitudes get moduli first, first + 1 ... first + planes - 1; nothing, if
// these are not in use, or if the planes hold all of them for as many as are in use.
inline int has_nothing_to_do(__global const uchar* lines, int first, int planes,
                             __global const int* state) {
  return state[1] != 0 || first >= state[0] ||
         (planes == MODULI && ((__global const Line*)lines)->held == state[0]);
}

// A work-item has four numbers of a line, and neighbours have those beside. Lines that lie beside
// each other in memory come by way of local memory.
inline __attribute__((always_inline)) void take_four(Whole* whole, int word, int lines, int depth,
                                                     __global const ulong* from,
                                                     ulong line_step, ulong step, int form,
                                                     int of_line, __local ulong* beside) {
  const int line = get_global_id(1), across = step > 2;
  if (across) {
    const int item = (int)(get_local_id(1) * WORDS + get_local_id(0)),
              line_of_item = item % LINES_OF_WORDS,
              line_at = (int)get_group_id(1) * LINES_OF_WORDS + line_of_item,
              first_term = 4 * (word - (int)get_local_id(0));
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int at = item / LINES_OF_WORDS + e * WORDS, term = first_term + at;
      beside[at * PITCH + line_of_item] =
          line_at < lines && term < depth
              ? bits_of_line(from, line_at, term, line_step, step, form)
              : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int term = 4 * word + e;
    ulong bits = 0;
    if (across)
      bits = beside[(4 * get_local_id(0) + e) * PITCH + get_local_id(1)];
    else if (line < lines && term < depth)
      bits = bits_of_line(from, line, term, line_step, step, form);
    whole[e] = whole_of(bits, of_line);
  }
}

inline __attribute__((always_inline)) uint residues_of(const Whole* whole, int modulus) {
  const uint w1 = powers[modulus], w2 = powers_2[modulus], w3 = powers_3[modulus];
  uint four = 0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const uint* d = whole[e].digits;
    const int rest = nearest_residue(d[0] + d[1] * w1 + d[2] * w2 + d[3] * w3, modulus);
    // -128 is 128 modulo 256.
    four |= (uint)(uchar)((rest ^ whole[e].sign) - whole[e].sign) << (8 * e);
  }
  return four;
}

__kernel OF_WORDS void residues(int lines, int depth, int padded_depth,
                                __global const ulong* restrict from, ulong offset,
                                ulong line_step, ulong step, int form, __global uchar* to,
                                int padded_lines, int columns, int first, int planes,
                                __global const int* state) {
  __local ulong beside[4 * WORDS * PITCH];
  if (has_nothing_to_do(to, first, planes, state)) return;
  const int word = get_global_id(0), line = get_global_id(1);
  const int count = min(first + planes, state[0]);
  const ulong plane = (ulong)padded_lines * (padded_depth / 4);
  __global uint* words = (__global uint*)(to + (ulong)padded_lines * sizeof(Line)) + plane +
                         place_of_word(columns, line, word, padded_depth);
  Whole whole[4];
  take_four(whole, word, lines, depth, from + offset, line_step, step, form,
            step_of(((__global const Line*)to)[line], state[0]), beside);
  // Written out, for what is known of each modulus is in the code then.
#pragma unroll
  for (int modulus = 0; modulus < MODULI; ++modulus) {
    if (modulus < first || modulus >= count) continue;
    words[(modulus - first) * plane] = residues_of(whole, modulus);
  }
}

// The same of lines that stay, which seldom have anything to do: few groups, so that the others end
// soon. (With a loop over words `residues` is slower.)
__kernel OF_WORDS void residues_anew(int lines, int depth, int padded_depth,
                                     __global const ulong* restrict from, ulong offset,
                                     ulong line_step, ulong step, int form, __global uchar* to,
                                     int padded_lines, int columns, int first, int planes,
                                     __global const int* state) {
  __local ulong beside[4 * WORDS * PITCH];
  if (has_nothing_to_do(to, first, planes, state)) return;
  const int line = get_global_id(1), count = min(first + planes, state[0]);
  const ulong plane = (ulong)padded_lines * (padded_depth / 4);
  __global uint* planes_of_residues =
      (__global uint*)(to + (ulong)padded_lines * sizeof(Line)) + plane;
  const int of_line = step_of(((__global const Line*)to)[line], state[0]);
  for (int word = get_global_id(0); word < padded_depth / 4; word += (int)get_global_size(0)) {
    Whole whole[4];
    take_four(whole, word, lines, depth, from + offset, line_step, step, form, of_line, beside);
    for (int modulus = first; modulus < count; ++modulus)
      planes_of_residues[(modulus - first) * plane +
                         place_of_word(columns, line, word, padded_depth)] =
          residues_of(whole, modulus);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
