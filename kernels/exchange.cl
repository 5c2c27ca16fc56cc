// The row swaps of an LU panel, in a matrix whose rows are LU's columns: in each row of it,
// elements are swapped, and those of the panel's pivot rows are collected in a row of `pivots`,
// where they are solved with.
//
//   matrix  | .. | first .. first + width | .. to[e] .. |
//   pivots  | matrix[from[0]] .. matrix[from[width - 1]] |       matrix[to[e]] = matrix[back[e]]
//
// moves: from[width], then to[count], then back[count], counted from the start of the row. A
// work-group does one row after another. ELEMENT: float or double, of complex types two of them.
// WIDTH: the most that width and count are. GROUP: work-items of a group.
//
// Where the copy of moves failed they are anything, and the host finds out later: what is read and
// written stays within a row all the same.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__kernel void exchange(int rows, __global ELEMENT* matrix, ulong offset, ulong pitch,
                       __global ELEMENT* pivots, ulong pivots_offset, ulong pivots_pitch,
                       __global const int* moves, ulong moves_offset, int width, int count) {
  __local ELEMENT kept[2 * WIDTH];
  const ulong last = pitch - 1;
  moves += moves_offset;
  for (int row = get_group_id(0); row < rows; row += get_num_groups(0)) {
    __global ELEMENT* line = matrix + offset + row * pitch;
    __global ELEMENT* collected = pivots + pivots_offset + row * pivots_pitch;
    for (int i = get_local_id(0); i < width; i += GROUP)
      kept[i] = line[min((ulong)(uint)moves[i], last)];
    for (int i = get_local_id(0); i < count; i += GROUP)
      kept[WIDTH + i] = line[min((ulong)(uint)moves[width + count + i], last)];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = get_local_id(0); i < width; i += GROUP) collected[i] = kept[i];
    for (int i = get_local_id(0); i < count; i += GROUP)
      line[min((ulong)(uint)moves[width + i], last)] = kept[WIDTH + i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
