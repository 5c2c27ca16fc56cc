// Phase 1: what is known of a line, a row of op(A) or a column of op(B), before anything is rounded.
//
//   line:   x0  x1  x2 ...                     top, low, most, norm of the Line
//   bytes:  floor(|x| 2^(7 - top)) < 128       its first plane
//
// A group of 128 work-items takes 4 lines of 32 work-items each; fewer lines of more, where there
// are too few for the device. Neighbours read what lies beside each other.

#define MEASURING 128

__kernel __attribute__((reqd_work_group_size(MEASURING, 1, 1))) void measure(
    int lines, int depth, int padded_depth, __global const ulong* restrict from, ulong offset,
    ulong line_step, ulong step, int form, __global uchar* restrict to, int padded_lines,
    __global int* state, int columns, int block, int of_line) {
  __local ulong mosts[MEASURING], norms[MEASURING], squares[MEASURING];
  __local int lows[MEASURING];
  __local int is_over;  // an earlier block was not certified
  const int item = get_local_id(0), along = step <= 2, lines_of_group = MEASURING / of_line;
  const int beside = along ? of_line : lines_of_group, before = item / beside, rest = item % beside,
            in_group = along ? before : rest, first = along ? rest : before;
  const int line = (int)get_group_id(0) * lines_of_group + in_group;
  // Between work-items that begin with neighbouring terms of a line.
  const int apart = along ? 1 : lines_of_group;
  const int terms = line < lines ? depth : 0;
  if (item == 0) is_over = state[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_over) return;
  from += offset;

  // Magnitudes' bits are in the order of magnitudes.
  ulong most = 0;
  int low = NO_BIT;
#pragma unroll 4
  for (int term = first; term < terms; term += of_line) {
    const ulong bits =
        bits_of_line(from, line, term, line_step, step, form) & 0x7fffffffffffffffUL;
    const Parts x = parts_of(bits);
    most = max(most, bits);
    low = min(low, x.number == 0 ? NO_BIT
                                 : x.exponent + bits_in(x.number & (~x.number + 1)) - 1);
  }
  mosts[item] = most;
  lows[item] = low;
  for (int by = of_line / 2; by > 0; by /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first < by) {
      mosts[item] = max(mosts[item], mosts[item + by * apart]);
      lows[item] = min(lows[item], lows[item + by * apart]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  most = mosts[item - first * apart];
  if (!is_finite(most)) state[1] = block;
  const Parts largest = parts_of(most);
  const int top = most == 0 ? NO_TOP : largest.exponent + bits_in(largest.number);

  __global uint* magnitudes = (__global uint*)(to + (ulong)padded_lines * sizeof(Line));
  ulong norm = 0, square = 0;  // square < 2^63: 2^17 terms of 2^46
#pragma unroll 2
  for (int word = first; word < padded_depth / 4; word += of_line) {
    uint four = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int term = 4 * word + e;
      const Parts x =
          parts_of(term < terms ? bits_of_line(from, line, term, line_step, step, form) : 0);
      const ulong in_units = x.number == 0 ? 0 : shifted_down(x.number, x.exponent + 23 - top);
      four |= (uint)(in_units >> 16) << (8 * e);
      const uint up = x.number == 0 ? 0 : (uint)in_units + 1;
      norm += up;
      square += (ulong)up * up;
    }
    magnitudes[place_of_word(columns, line, word, padded_depth)] = four;
  }
  norms[item] = norm;
  squares[item] = square;
  for (int by = of_line / 2; by > 0; by /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first < by) {
      norms[item] += norms[item + by * apart];
      squares[item] += squares[item + by * apart];
    }
  }
  if (first != 0) return;
  const Line known = {top, lows[item], (uint)(squares[item] >> 32) + 1, 0, norms[item]};
  ((__global Line*)to)[line] = known;
}
