// A GEMM of someone else's to measure our kernels against: the operands lie in the device's memory,
// the clock is the device's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/types.hpp>

#include "gpu/device/opened_device.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// C = op(A) op(B), row-major. op(A) is m x k, op(B) is k x n, C is m x n, all at least 1; each
/// leading dimension (elements) is at least the columns of its matrix as it is stored. Of a batch
/// the `count` matrices lie behind one another without gaps.
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
  std::int64_t count = 1;

  /// 10^9 operations of all products.
  double giga_flops() const;
};

/// The product of square matrices with so many elements behind each row.
PeerProblem square_problem(Precision precision, std::pair<Op, Op> ops, std::int64_t n,
                           std::int64_t pad = 0, std::int64_t count = 1);

/// One of the products, without memory: for footprint(), flops() and the like.
GemmProblem as_gemm(const PeerProblem& problem);

/// Uniform in [-1, 1) with every bit of the mantissa in use; reproducible.
std::vector<char> random_matrix(Precision precision, std::size_t bytes, std::uint64_t seed);

/// What every peer starts from, as it lies in memory. The same values for every peer and every
/// call, so that results can be compared: A and B random, C all NaN, because beta is 0 and C must
/// not be read.
struct PeerOperands {
  explicit PeerOperands(const PeerProblem& problem);
  std::vector<char> a, b, c;
};

/// The largest difference between elements of two results of `problem`, as of Peer::result(), in
/// units of roundoff times k (complex: 4 k). Below 1 if both are right. NaN if an element of either
/// is NaN, as elements are that were not written. What lies between the rows does not count.
double result_difference(const PeerProblem& problem, const std::vector<char>& x,
                         const std::vector<char>& y);

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

/// cuBLAS on CUDA's device 0 (choose another by CUDA_VISIBLE_DEVICES), with its own default stream.
/// Null where it cannot be had: `why_not` then says why.
///
/// The math mode is CUBLAS_DEFAULT_MATH: products of float are computed in float, never in TF32,
/// and those of double may use the double-precision matrix units. (An environment that asks cuBLAS
/// for emulation, with CUBLAS_EMULATE_SINGLE_PRECISION and the like, would change that.)
std::unique_ptr<Peer> make_cublas_peer(std::string& why_not);

/// CLBlast on a context and a queue, which has profiling; both outlive the peer. Null where the
/// library cannot be had: `why_not` then says why. Its kernels' parameters are those it has for the
/// device, or its defaults: nothing is tuned here. \throws DeviceError where OpenCL itself fails.
///
/// A call is CLBlast's whole routine: what it allocates and packs for each call counts, where the
/// device waits for it.
std::unique_ptr<Peer> make_clblast_peer(const cl::Context& context, cl::Queue& queue,
                                        std::string& why_not);

/// Those of "cublas" and "clblast" that are here; says why the others are not. "none" is nobody.
/// \throws SettingError for another name.
std::vector<std::unique_ptr<Peer>> peers_named(const std::vector<std::string>& names,
                                               OpenedDevice& device);

/// The named device, or the first, with timestamps; prints what it can. \throws DeviceError.
std::unique_ptr<OpenedDevice> opened_device(const std::string& name);

/// A buffer of these bytes. \throws DeviceError.
std::shared_ptr<const cl::Buffer> uploaded(OpenedDevice& device, const std::vector<char>& bytes);

}  // namespace duoblas
