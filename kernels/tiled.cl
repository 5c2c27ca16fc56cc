// Family `tiled`: for GPUs. A work-group of GROUP_ROWS x GROUP_COLS work-items computes one
// TILE_M x TILE_N tile of C, slice by slice of K_UNROLL steps: slices go through registers into one of
// two local buffers while the other is being multiplied, so there is one barrier per slice.

#define TILE_M (GROUP_ROWS * TILE_ROWS)
#define TILE_N (GROUP_COLS * TILE_COLS)
#define ITEMS (GROUP_ROWS * GROUP_COLS)

#if LANES == 1
typedef PART vec;
#define VSTORE(v, p) (*(p) = (v))
#else
typedef JOIN(PART, LANES) vec;
#define VSTORE(v, p) JOIN(vstore, LANES)(v, 0, p)
#endif

// Vectors between two rows of a local slice; the one beyond the tile keeps transposed stores off
// one bank.
#define PITCH(tile) ((tile) / VECTOR_WIDTH + 1)

// Where an operand's vectors lie: along its tile (rows of op(A), columns of op(B)), or along k.
#define A_ALONG_K (!PACKS_A && OP_A == OP_NONE)
#define B_ALONG_K (!PACKS_B && OP_B != OP_NONE)
#define CONJ_A (OP_A == OP_CONJ_TRANSPOSE)
#define CONJ_B (OP_B == OP_CONJ_TRANSPOSE)

// One operand as a work-group sees it: `at` is its element at the tile's first row (or column) and
// step 0. Of the tile's `extent` and of `depth`, only what is inside the matrix may be read.
typedef struct {
  __global const part* at;
  ulong ld;    // elements between vectors' lines
  int extent;  // rows or columns of the matrix from the tile's first on
  int depth;
  int aligned;  // whole vectors may be read as such
} operand_t;

inline real multiply_add(real x, real y, real z) {
#if PARTS == 2
  return (real)(MADD(x.x, y.x, MADD(-x.y, y.y, z.x)), MADD(x.x, y.y, MADD(x.y, y.x, z.y)));
#else
  return MADD(x, y, z);
#endif
}

inline real product(real x, real y) {
#if PARTS == 2
  return (real)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
#else
  return x * y;
#endif
}

inline real element(const part* numbers, int i, int conj) {
#if PARTS == 2
  return (real)(numbers[2 * i], conj ? -numbers[2 * i + 1] : numbers[2 * i + 1]);
#else
  return numbers[i];
#endif
}

// The vector that starts `t` into the tile at step p (or, along k, at step p of line t). What is
// outside the matrix is zero, and is not read.
inline vec load_vector(const operand_t* x, const int along_k, const int padded, int t, int p) {
  const ulong line = along_k ? t : p, start = along_k ? p : t;
  __global const part* from = x->at + (line * x->ld + start) * PARTS;
  const int inside = along_k ? (t < x->extent ? x->depth - p : 0)
                             : (p < x->depth ? x->extent - t : 0);
  if (padded || (x->aligned && inside >= VECTOR_WIDTH)) return *(__global const vec*)from;
  vec result;
  part* numbers = (part*)&result;
#pragma unroll
  for (int i = 0; i < LANES; ++i) numbers[i] = i / PARTS < inside ? from[i] : 0;
  return result;
}

// This work-item's share of a slice: vectors from memory to registers ...
#define SHARE(tile) ((tile) * K_UNROLL / VECTOR_WIDTH / ITEMS)

inline __attribute__((always_inline)) void fetch(vec* share, const operand_t* x, const int tile,
                                                 const int along_k, const int padded, int item,
                                                 int begin) {
#pragma unroll
  for (int i = 0; i < SHARE(tile); ++i) {
    const int v = i * ITEMS + item;
    const int line = along_k ? K_UNROLL / VECTOR_WIDTH : tile / VECTOR_WIDTH;
    const int outer = v / line, inner = v % line * VECTOR_WIDTH;
    share[i] = along_k ? load_vector(x, along_k, padded, outer, begin + inner)
                       : load_vector(x, along_k, padded, inner, begin + outer);
  }
}

// ... and from there to local memory, where every line is one step of k along the tile.
inline __attribute__((always_inline)) void put(__local vec* slice, const vec* share, const int tile,
                                               const int along_k, int item) {
#pragma unroll
  for (int i = 0; i < SHARE(tile); ++i) {
    const int v = i * ITEMS + item;
    const int line = along_k ? K_UNROLL / VECTOR_WIDTH : tile / VECTOR_WIDTH;
    const int outer = v / line, inner = v % line;
    if (along_k) {
      const part* numbers = (const part*)&share[i];
#pragma unroll
      for (int j = 0; j < VECTOR_WIDTH; ++j)
#pragma unroll
        for (int q = 0; q < PARTS; ++q)
          ((__local part*)(slice + (inner * VECTOR_WIDTH + j) * PITCH(tile)))[outer * PARTS + q] =
              numbers[j * PARTS + q];
    } else {
      slice[outer * PITCH(tile) + inner] = share[i];
    }
  }
}

// The vector of an operand that is not staged, at step p, straight from memory.
inline vec direct_vector(const operand_t* x, const int along_k, const int padded, int t, int p) {
  if (!along_k) return load_vector(x, 0, padded, t, p);
  vec result;
  part* numbers = (part*)&result;
#pragma unroll
  for (int i = 0; i < LANES; ++i)
    numbers[i] = t + i / PARTS < x->extent && p < x->depth
                     ? x->at[((t + i / PARTS) * x->ld + p) * PARTS + i % PARTS]
                     : 0;
  return result;
}

inline operand_t operand(__global const real* x, ulong offset, ulong ld, int along_k, int tile,
                         int first, int extent, int depth, int padded) {
  operand_t result;
  const ulong padded_depth = (ulong)(depth + K_UNROLL - 1) / K_UNROLL * K_UNROLL;
  result.ld = padded ? tile : ld;
  result.at = (__global const part*)(x + offset) +
              (padded ? first * padded_depth : along_k ? first * ld : (ulong)first) * PARTS;
  result.extent = extent - first;
  result.depth = depth;
  result.aligned = ((ulong)result.at % sizeof(vec)) == 0 && result.ld % VECTOR_WIDTH == 0;
  return result;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gemm(
    int m, int n, int k, real alpha, __global const real* a, ulong a_offset, ulong lda,
    __global const real* b, ulong b_offset, ulong ldb, real beta, __global real* c, ulong c_offset,
    ulong ldc) {
#if LOCAL_A
  __local vec slice_a[2][K_UNROLL * PITCH(TILE_M)];
  vec share_a[SHARE(TILE_M)];
#endif
#if LOCAL_B
  __local vec slice_b[2][K_UNROLL * PITCH(TILE_N)];
  vec share_b[SHARE(TILE_N)];
#endif
  const int item = get_local_id(0);
#if GROUP_ROWS % 4 == 0 && GROUP_COLS % 8 == 0
  // 32 neighbours form a 4 x 8 patch: together they read the fewest different words of a slice.
  const int patch = item / 32, lane = item % 32;
  const int item_row = patch / (GROUP_COLS / 8) * 4 + lane / 8;
  const int item_col = patch % (GROUP_COLS / 8) * 8 + lane % 8;
#else
  const int item_row = item / GROUP_COLS, item_col = item % GROUP_COLS;
#endif
  const int row = get_group_id(1) * TILE_M, col = get_group_id(0) * TILE_N;
  const operand_t x = operand(a, a_offset, lda, A_ALONG_K, TILE_M, row, m, k, PACKS_A);
  const operand_t y = operand(b, b_offset, ldb, B_ALONG_K, TILE_N, col, n, k, PACKS_B);

  real sum[TILE_ROWS][TILE_COLS];
#pragma unroll
  for (int i = 0; i < TILE_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < TILE_COLS; ++j) sum[i][j] = 0;

  const int slices = IS_ZERO(alpha) ? 0 : (k + K_UNROLL - 1) / K_UNROLL;
  if (slices > 0) {
#if LOCAL_A
    fetch(share_a, &x, TILE_M, A_ALONG_K, PACKS_A, item, 0);
    put(slice_a[0], share_a, TILE_M, A_ALONG_K, item);
#endif
#if LOCAL_B
    fetch(share_b, &y, TILE_N, B_ALONG_K, PACKS_B, item, 0);
    put(slice_b[0], share_b, TILE_N, B_ALONG_K, item);
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int slice = 0; slice < slices; ++slice) {
    const int next = (slice + 1) * K_UNROLL, more = slice + 1 < slices;
    if (more) {
#if LOCAL_A
      fetch(share_a, &x, TILE_M, A_ALONG_K, PACKS_A, item, next);
#endif
#if LOCAL_B
      fetch(share_b, &y, TILE_N, B_ALONG_K, PACKS_B, item, next);
#endif
    }
#pragma unroll
    for (int p = 0; p < K_UNROLL; ++p) {
      vec fx[TILE_ROWS / VECTOR_WIDTH], fy[TILE_COLS / VECTOR_WIDTH];
#pragma unroll
      for (int i = 0; i < TILE_ROWS / VECTOR_WIDTH; ++i) {
        const int v = i * GROUP_ROWS + item_row;
#if LOCAL_A
        fx[i] = slice_a[slice % 2][p * PITCH(TILE_M) + v];
#else
        fx[i] = direct_vector(&x, A_ALONG_K, PACKS_A, v * VECTOR_WIDTH, slice * K_UNROLL + p);
#endif
      }
#pragma unroll
      for (int j = 0; j < TILE_COLS / VECTOR_WIDTH; ++j) {
        const int v = j * GROUP_COLS + item_col;
#if LOCAL_B
        fy[j] = slice_b[slice % 2][p * PITCH(TILE_N) + v];
#else
        fy[j] = direct_vector(&y, B_ALONG_K, PACKS_B, v * VECTOR_WIDTH, slice * K_UNROLL + p);
#endif
      }
#pragma unroll
      for (int i = 0; i < TILE_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < TILE_COLS; ++j) {
          // Every other row backwards: neighbours in time share an operand, which the register
          // files of GPUs reward.
          const int s = i % 2 ? TILE_COLS - 1 - j : j;
          sum[i][s] = multiply_add(element((const part*)fx, i, CONJ_A),
                                   element((const part*)fy, s, CONJ_B), sum[i][s]);
        }
    }
    if (more) {
#if LOCAL_A
      put(slice_a[(slice + 1) % 2], share_a, TILE_M, A_ALONG_K, item);
#endif
#if LOCAL_B
      put(slice_b[(slice + 1) % 2], share_b, TILE_N, B_ALONG_K, item);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#pragma unroll
  for (int i = 0; i < TILE_ROWS; ++i) {
    const int r = row + (i / VECTOR_WIDTH * GROUP_ROWS + item_row) * VECTOR_WIDTH + i % VECTOR_WIDTH;
#pragma unroll
    for (int j = 0; j < TILE_COLS; ++j) {
      const int s =
          col + (j / VECTOR_WIDTH * GROUP_COLS + item_col) * VECTOR_WIDTH + j % VECTOR_WIDTH;
      if (r < m && s < n) {
        __global part* to = (__global part*)(c + c_offset) + ((ulong)r * ldc + s) * PARTS;
        real result = slices > 0 ? product(alpha, sum[i][j]) : (real)0;
        if (!IS_ZERO(beta)) {
#if PARTS == 2
          const real old = (real)(to[0], to[1]);
#else
          const real old = *to;
#endif
          result += IS_ONE(beta) ? old : product(beta, old);
        }
#if PARTS == 2
        to[0] = result.x;
        to[1] = result.y;
#else
        *to = result;
#endif
      }
    }
  }
}

// Packed operands: per tile a panel, k rounded up to whole slices, each step one line along the
// tile; zero outside the matrix. Squares of PACK_EDGE go through local memory, so that both sides
// are read and written along their lines. Work-groups of PACK_EDGE x PACK_ROWS.
#define PACK_EDGE 16
#define PACK_ROWS 4

inline void pack_square(__local part (*square)[(PACK_EDGE + 1) * PARTS], __global const part* from,
                        ulong ld, const int along_k, const int tile, int extent, int k,
                        __global part* packed) {
  const int t0 = get_group_id(0) * PACK_EDGE, p0 = get_group_id(1) * PACK_EDGE;
  const ulong depth = (ulong)(k + K_UNROLL - 1) / K_UNROLL * K_UNROLL;
  const int tiles = (extent + tile - 1) / tile;
  const int lane = get_local_id(0);
  for (int i = get_local_id(1); i < PACK_EDGE; i += PACK_ROWS) {
    const int t = t0 + (along_k ? i : lane), p = p0 + (along_k ? lane : i);
    const ulong at = along_k ? t * ld + p : p * ld + t;
    const int inside = t < extent && p < k;
    for (int q = 0; q < PARTS; ++q)
      square[p - p0][(t - t0) * PARTS + q] = inside ? from[at * PARTS + q] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(1); i < PACK_EDGE; i += PACK_ROWS) {
    const int t = t0 + lane, p = p0 + i;
    if (t < tiles * tile && p < depth)
      for (int q = 0; q < PARTS; ++q)
        packed[((t / tile * depth + p) * tile + t % tile) * PARTS + q] =
            square[i][lane * PARTS + q];
  }
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_a(
    int m, int k, __global const real* a, ulong a_offset, ulong lda, __global real* packed) {
  __local part square[PACK_EDGE][(PACK_EDGE + 1) * PARTS];
  pack_square(square, (__global const part*)(a + a_offset), lda, OP_A == OP_NONE, TILE_M, m, k,
              (__global part*)packed);
}

__kernel __attribute__((reqd_work_group_size(PACK_EDGE, PACK_ROWS, 1))) void pack_b(
    int n, int k, __global const real* b, ulong b_offset, ulong ldb, __global real* packed) {
  __local part square[PACK_EDGE][(PACK_EDGE + 1) * PARTS];
  pack_square(square, (__global const part*)(b + b_offset), ldb, OP_B != OP_NONE, TILE_N, n, k,
              (__global part*)packed);
}
