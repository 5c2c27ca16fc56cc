// Phase 4: the numbers of a line, rounded to multiples of its step, as residues of least magnitude.
// An integer of up to 96 bits is number 2^shift, and so its residue is one of three limbs.

// The planes hold moduli first, first + 1 ... first + planes - 1.
__kernel void residues(int lines, int depth, int padded_depth, __global const ulong* from,
                       ulong offset, ulong line_step, ulong step, int form, __global uchar* to,
                       int padded_lines, int first, int planes, __global const int* state) {
  const int term = get_global_id(0), line = get_global_id(1);
  if (state[1] != 0) return;
  const int count = min(first + planes, state[0]);
  __global char* bytes = (__global char*)to + (ulong)padded_lines * sizeof(Line) +
                         (ulong)line * padded_depth + term;
  const ulong plane = (ulong)padded_lines * padded_depth;
  ulong number = 0;
  int shift = 0, sign = 0;
  if (line < lines && term < depth) {
    const Line known = ((__global const Line*)to)[line];
    const Parts x = parts_of(bits_of_line(from + offset, line, term, line_step, step, form));
    if (x.number != 0) {
      number = x.number;
      sign = x.sign;
      shift = x.exponent - step_of(known, state[0]);
    }
  }
  if (shift < 0) {  // to the nearest, and up in the middle
    number = shift > -64 ? ((number >> (-shift - 1)) + 1) >> 1 : 0;
    shift = 0;
  }
  const int word = min(shift / 32, 2), bit = shift % 32;
  const ulong low = (number & 0xffffffffUL) << bit, high = (number >> 32) << bit;
  const uint limb0 = (uint)low, limb1 = (uint)(low >> 32) | (uint)high, limb2 = (uint)(high >> 32);
  for (int modulus = first; modulus < count; ++modulus) {
    // 2^32 and 2^64. What lies above 2^96 is 0.
    const uint of_word = residue(0xffffffffu, modulus) + 1,
               of_words = residue(of_word * of_word, modulus);
    const uint weight0 = word == 0 ? 1 : word == 1 ? of_word : of_words;
    const uint weight1 = word == 0 ? of_word : word == 1 ? of_words : 0;
    const uint weight2 = word == 0 ? of_words : 0;
    const uint rest = residue(residue(limb0, modulus) * weight0 + residue(limb1, modulus) * weight1 +
                                  residue(limb2, modulus) * weight2,
                              modulus);
    const uint of_sign = sign && rest != 0 ? (uint)moduli[modulus] - rest : rest;
    bytes[(modulus - first) * plane] = (char)balanced(of_sign, modulus);
  }
}
