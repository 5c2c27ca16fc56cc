// Family `tiled` with the parameter `wide`: packing. Each float (with AS_REAL each number of the
// real matrix that stands for a complex one) becomes two numbers of TF32, all high parts of a slice
// before its low ones; zero outside the matrix.
//
//     x = high + low                      packed, one slice of a tile
//     float:  24 bits                     +-- high parts ----------------+-- low parts ------+
//     high:   the first 11, rounded       | steps 0-3 | steps 4-7 | ...  | likewise          |
//     low:    the next 11                 | of all T lines, 16 bytes each|                   |
//                                         +------------------------------+-------------------+
//
// PACK_EDGE, PACK_ROWS: a square of 32 lines and 32 steps goes through local memory, by 32 x 4
// work-items, as in tiled_pack.cl. wide_multiply.clh reads what is packed here.

// x = high + low, each of the 10 bits behind the point that an instruction takes (the low part's
// last bits are cut off there). Rounding at half of high's last place.
inline float4 high_parts(float4 x) {
  return as_float4((as_uint4(x) + 0x1000u) & 0xffffe000u);
}

// A square of 32 lines and 32 steps, by 32 x 4 work-items.
#define PACK_EDGE 32
#define PACK_ROWS 4

// `extent` and `k` are of numbers. Returns whether all suit the product's arithmetic (guard.cl).
inline int pack_square(__local float (*square)[PACK_EDGE + 1], __global const float* from,
                       ulong ld, const int along_k, const int is_b, const int tile, int extent,
                       int k, __global float* packed) {
  const int t0 = get_group_id(0) * PACK_EDGE, p0 = get_group_id(1) * PACK_EDGE;
  const int depth = (k + K_UNROLL - 1) / K_UNROLL * K_UNROLL, lane = get_local_id(0);
  const int padded_extent = (extent + tile - 1) / tile * tile;
  int suited = 1;
  for (int i = get_local_id(1); i < PACK_EDGE; i += PACK_ROWS) {
    const int t = t0 + (along_k ? i : lane), p = p0 + (along_k ? lane : i);
    const ulong at = along_k ? t * ld + p : p * ld + t;
    const float number = t < extent && p < k ? NUMBER_OF(at, 0) : 0;
    suited &= SUITS(number);
    square[p - p0][t - t0] = number;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 4 * get_local_id(1); i < PACK_EDGE; i += 4 * PACK_ROWS) {
    const int t = t0 + lane, p = p0 + i;
    if (t >= padded_extent || p >= depth) continue;
    const float4 x = (float4)(square[i][lane], square[i + 1][lane], square[i + 2][lane],
                              square[i + 3][lane]);
    const float4 high = high_parts(x);
    __global float* to = packed + (ulong)(t / tile) * tile * depth * 2 +
                         (ulong)(p / K_UNROLL) * (2 * K_UNROLL * tile) + p % K_UNROLL * tile +
                         t % tile * 4;
    *(__global float4*)to = high;
    *(__global float4*)(to + K_UNROLL * tile) = x - high;
  }
  return suited;
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_a(
    int m, int k, __global const element_t* a, ulong a_offset, ulong lda,
    __global float* packed MARK_ARGUMENTS) {
  __local float square[PACK_EDGE][PACK_EDGE + 1];
  MARK_UNLESS(pack_square(square, (__global const float*)(a + a_offset), lda, OP_A == OP_NONE, 0,
                          TILE_M, m, NUMBERS * k, packed));
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_b(
    int n, int k, __global const element_t* b, ulong b_offset, ulong ldb,
    __global float* packed MARK_ARGUMENTS) {
  __local float square[PACK_EDGE][PACK_EDGE + 1];
  MARK_UNLESS(pack_square(square, (__global const float*)(b + b_offset), ldb, OP_B != OP_NONE, 1,
                          TILE_N, NUMBERS * n, NUMBERS * k, packed));
}
