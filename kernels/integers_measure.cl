// Phase 1: what is known of a line, a row of op(A) or a column of op(B), before anything is rounded.
//
//   line:   x0  x1  x2 ...                     top, low, norm of the Line
//   bytes:  floor(|x| 2^(7 - top)) < 128       its first plane
//
// Groups of 64 work-items take 8 lines; neighbours read what lies beside each other in memory.

__kernel void measure(int lines, int depth, int padded_depth, __global const ulong* from,
                      ulong offset, ulong line_step, ulong step, int form, __global uchar* to,
                      int padded_lines, __global int* state, int is_first) {
  __local int tops[64], lows[64];
  __local ulong norms[64];
  __local int is_over;  // an earlier block was not certified
  const int item = get_local_id(0), along = step <= 2;
  const int in_group = along ? item / 8 : item % 8, first = along ? item % 8 : item / 8;
  const int line = (int)get_group_id(0) * 8 + in_group;
  const int terms = line < lines ? depth : 0;
  if (item == 0) is_over = state[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_over) return;
  if (is_first && get_global_id(0) == 0) state[0] = FEWEST;
  from += offset;

  int top = NO_TOP, low = NO_BIT;
  for (int term = first; term < terms; term += 8) {
    const ulong bits = bits_of_line(from, line, term, line_step, step, form);
    if (!is_finite(bits)) state[1] = 1;
    const Parts x = parts_of(bits);
    if (x.number == 0) continue;
    top = max(top, x.exponent + bits_in(x.number));
    low = min(low, x.exponent + bits_in(x.number & (~x.number + 1)) - 1);
  }
  tops[item] = top;
  lows[item] = low;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = 0; other < 8; ++other) {
    const int at = along ? in_group * 8 + other : other * 8 + in_group;
    top = max(top, tops[at]);
    low = min(low, lows[at]);
  }

  __global uchar* magnitudes =
      to + (ulong)padded_lines * sizeof(Line) + (ulong)line * padded_depth;
  ulong norm = 0;
  for (int term = first; term < padded_depth; term += 8) {
    uchar magnitude = 0;
    if (term < terms) {
      const Parts x = parts_of(bits_of_line(from, line, term, line_step, step, form));
      if (x.number != 0) {
        magnitude = (uchar)shifted_down(x.number, x.exponent + 7 - top);
        norm += shifted_down(x.number, x.exponent + 23 - top) + 1;
      }
    }
    magnitudes[term] = magnitude;
  }
  norms[item] = norm;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first != 0) return;
  Line known = {top, low, 0, 0, 0};
  for (int other = 0; other < 8; ++other)
    known.norm += norms[along ? in_group * 8 + other : other * 8 + in_group];
  ((__global Line*)to)[line] = known;
}
