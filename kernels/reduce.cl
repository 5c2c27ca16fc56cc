// C = alpha * (sum of K_SPLIT partial products) + beta * C, one work-item per element, in the order
// of the parts: the same call gives the same bits.
//
//   parts   +-------+ +-------+     +-------+
//           | k: 0  | | k: 1  | ... | K_SPLIT - 1       each m x n, dense, one behind another
//           +---x---+ +---x---+     +---x---+
//               +---------+---- ... ----+---> alpha sum + beta C
//
// K_SPLIT (1; 2 and more here): parts of k that work-groups of `gemm` summed up alone. More groups
// have work so, where C has few tiles and k is long; the price is this pass over K_SPLIT m n
// numbers. (CUTLASS, "Efficient GEMM in CUDA", "Parallelized Reductions": split-K.)
__kernel void reduce(int m, int n, int k, real alpha, __global const real* parts, real beta,
                     __global real* c, ulong c_offset, ulong ldc) {
  const ulong element = get_global_id(0), all = (ulong)m * n;
  if (element >= all) return;
  real sum = 0;
  if (k > 0 && !IS_ZERO(alpha))
    for (int s = 0; s < K_SPLIT; ++s) sum += parts[s * all + element];
  else
    alpha = 0;
  __global real* to = c + c_offset + element / n * ldc + element % n;
  real result = product(alpha, sum);
  if (!IS_ZERO(beta)) result += IS_ONE(beta) ? *to : product(beta, *to);
  *to = result;
}
