// A GEMM of someone else's to measure our kernels against: the operands lie in the device's memory,
// the clock is the device's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <duoblas/types.hpp>

#include "problem/gemm_problem.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// C = op(A) op(B), row-major. op(A) is m x k, op(B) is k x n, C is m x n, all at least 1; each
/// leading dimension (elements) is at least the columns of its matrix as it is stored.
struct PeerProblem {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
};

/// The product with nothing between the rows of its matrices.
PeerProblem dense_problem(Precision precision, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                          std::int64_t k);

/// The same product, without memory: for footprint(), flops() and the like.
GemmProblem as_gemm(const PeerProblem& problem);

/// What every peer starts from, as it lies in memory. The same values for every peer and every
/// call, so that results can be compared: A and B uniform in [-1, 1) with every bit of the mantissa
/// in use, C all NaN, because beta is 0 and C must not be read.
struct PeerOperands {
  explicit PeerOperands(const PeerProblem& problem);
  std::vector<char> a, b, c;
};

/// Errors of the peer are DeviceError. Not thread-safe.
class Peer {
 public:
  virtual ~Peer() = default;

  /// The library and its version as far as it tells.
  virtual std::string name() const = 0;

  /// False for a problem that the peer or its device cannot take.
  virtual bool supports(const PeerProblem& problem) const = 0;

  /// Puts the operands into the device's memory, in place of those before, and runs the product
  /// once, so that what a library does at its first call is over. \throws DeviceError.
  virtual void prepare(const PeerProblem& problem) = 0;

  /// Runs the prepared product `calls` times, at least once, back to back. Returns the device's
  /// seconds divided by `calls`. They begin at a mark that completes on the idle device just before
  /// the first call, and end with the last kernel of the last call. So gaps between kernels count,
  /// and with them the host's work if the device waits for it. The time until the host learns of
  /// the end does not count. The device is idle when this returns.
  virtual double seconds_per_call(int calls) = 0;

  /// C as it is on the device, row-major with rows ldc elements apart: the bytes from the first to
  /// past the last element.
  virtual std::vector<char> result() = 0;
};

}  // namespace duoblas
