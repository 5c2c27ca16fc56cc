// Phase 3: how many moduli. The numbers of row i are off by d at most when they are rounded, those
// of column j by e, so that element (i, j) of A B is off by T at most:
//
//   T = d norm(b_j) + e norm(a_i) + depth d e  <=  roundoffs 2^-53 (|A||B|)_ij
//
// With the fewest moduli that make that true for `wanted` roundoffs; else with all, for `most`. If
// that does not suffice either, nothing is written to C. Lines that lose no bit have d = 0.

// Whether the element is right within so many roundoffs: both sides times 2^61, in magnitudes' units; what
// is rounded is rounded to the safe side. \pre products >= 0.
inline int is_within(Line row, Line column, int products, int count, ulong roundoffs) {
  const int below_row = bits_below(row.most, count), below_column = bits_below(column.most, count);
  const int rounds_row = row.low < row.top - 7 - below_row;
  const int rounds_column = column.low < column.top - 7 - below_column;
  // A half of 2^-below times a norm in units of 2^-16. \pre below > 36.
  ulong error = 0;
  if (rounds_row && column.norm != 0) error += ((column.norm << 8) >> (below_row - 36)) + 1;
  if (rounds_column && row.norm != 0) error += ((row.norm << 8) >> (below_column - 36)) + 1;
  if (rounds_row && rounds_column) error += 1;  // depth 2^(59 - below_row - below_column) <= 1
  return error <= (roundoffs * (ulong)products) << 8;
}

// A work-item has four rows' elements of a column. It begins with as many moduli as others were
// seen to need.
__kernel void certify(int rows, int columns, int wanted, int most, __global const uchar* a,
                      int padded_rows, __global const uchar* b, int padded_columns,
                      __global const int* products, __global int* state, int block) {
  const int first = (int)get_global_id(1) * 4, column = get_global_id(0);
  if (column >= columns || state[1] != 0) return;
  const Line of_column = ((__global const Line*)b)[column];
  products += (ulong)(MODULI / 4) * padded_rows * padded_columns + column;
  const int known = state[0];
  int count = known;
  for (int row = first; row < min(first + 4, rows); ++row) {
    const Line of_row = ((__global const Line*)a)[row];
    const int product = products[(ulong)row * padded_columns];
    while (count <= MODULI && !is_within(of_row, of_column, product, count, (ulong)wanted)) ++count;
    if (count > MODULI) {
      count = MODULI;
      if (!is_within(of_row, of_column, product, count, (ulong)most)) state[1] = block;
    }
  }
  if (count > known) atomic_max(&state[0], count);
}
