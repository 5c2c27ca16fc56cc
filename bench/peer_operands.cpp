// Operands for comparisons with other libraries: the same random numbers for all of them.
#include <cstring>
#include <limits>
#include <random>

#include "bench/peer.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

template <typename Real>
void fill_random(std::vector<char>& bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr int bits = std::numeric_limits<Real>::digits;
  constexpr auto half = std::int64_t{1} << (bits - 1);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Real)) {
    const auto whole = static_cast<std::int64_t>(random() >> (64 - bits));
    const Real value = static_cast<Real>(whole - half) / static_cast<Real>(half);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

std::vector<char> random_matrix(Precision precision, std::size_t bytes, std::uint64_t seed) {
  std::vector<char> matrix(bytes);
  if (is_double(precision))
    fill_random<double>(matrix, seed);
  else
    fill_random<float>(matrix, seed);
  return matrix;
}

}  // namespace

PeerProblem dense_problem(Precision precision, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                          std::int64_t k) {
  PeerProblem problem{precision, op_a, op_b, m, n, k, 0, 0, n};
  const GemmProblem gemm = as_gemm(problem);
  problem.lda = stored_cols_a(gemm);
  problem.ldb = stored_cols_b(gemm);
  return problem;
}

GemmProblem as_gemm(const PeerProblem& problem) {
  GemmProblem gemm;
  gemm.precision = problem.precision;
  gemm.op_a = problem.op_a;
  gemm.op_b = problem.op_b;
  gemm.m = problem.m;
  gemm.n = problem.n;
  gemm.k = problem.k;
  gemm.lda = problem.lda;
  gemm.ldb = problem.ldb;
  gemm.ldc = problem.ldc;
  return gemm;
}

PeerOperands::PeerOperands(const PeerProblem& problem) {
  const GemmProblem p = as_gemm(problem);
  a = random_matrix(p.precision, rect_of_a(p).span(), 1);
  b = random_matrix(p.precision, rect_of_b(p).span(), 2);
  // All bits set is a NaN in float and in double.
  c.assign(rect_of_c(p).span(), static_cast<char>(0xff));
}

}  // namespace duoblas
