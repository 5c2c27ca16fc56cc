// Adds 32-bit numbers modulo 2^32, as vectors: reading them is all that takes time. What the
// memory that they lie in gives a device at most (tuner/device_reader.cpp).
//
//    BLOCKS = 1, as CPUs like it        BLOCKS = 0, as GPUs like it
//    | w0 w0 w0 | w1 w1 w1 | w2 ...     | w0 w1 w2 ... | w0 w1 w2 ... |     vectors v of WIDTH
//
// WIDTH: numbers of a vector, 4 or 16. UNROLL: steps of the loop written out.
// BLOCKS: work-items read parts one behind another; else vectors in turns.
#if WIDTH == 16
#define VECTOR uint16
#else
#define VECTOR uint4
#endif

// numbers[first ... first + count), in vectors; one sum per work-item.
__kernel void read_sum(__global const VECTOR* numbers, ulong first, ulong count,
                       __global uint* sums) {
  const ulong item = get_global_id(0), items = get_global_size(0);
#if BLOCKS
  const ulong each = (count + items - 1) / items, step = 1;
  const ulong begin = first + min(count, item * each), end = first + min(count, (item + 1) * each);
#else
  const ulong begin = first + item, end = first + count, step = items;
#endif
  VECTOR sum = 0;
#pragma unroll UNROLL
  for (ulong i = begin; i < end; i += step) sum += numbers[i];
#if WIDTH == 16
  const uint8 half_sum = sum.lo + sum.hi;
  const uint4 quarter = half_sum.lo + half_sum.hi;
#else
  const uint4 quarter = sum;
#endif
  sums[item] = quarter.x + quarter.y + quarter.z + quarter.w;
}
