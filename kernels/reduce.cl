// C = alpha * (sum of K_SPLIT partial products) + beta * C, one work-item per element, in the order
// of the parts: the same call gives the same bits. The parts are dense, m x n, one after another.
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
