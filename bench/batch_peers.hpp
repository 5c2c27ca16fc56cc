// Strided batches of square matrices in the device's memory: our kernels, and cuBLAS's. The clock
// is the device's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/device_stopwatch.hpp"
#include "bench/peer.hpp"
#include "gpu/product/batched_product.hpp"

namespace duoblas {

/// `count` products C_i = op(A_i) op(B_i) of n x n matrices, one behind the other without gaps.
struct SquareBatch {
  Precision precision = Precision::s;
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t n = 0;
  std::int64_t count = 0;

  std::int64_t stride() const { return n * n; }
  double giga_flops() const;
  /// All matrices C below one another, for result_difference().
  PeerProblem as_one() const;
};

/// Random A and B; a C of NaN, since beta is 0.
struct BatchOperandsOfPeer {
  explicit BatchOperandsOfPeer(const SquareBatch& batch);
  std::vector<char> a, b, c;
};

/// Like Peer, but for batches.
class BatchPeer {
 public:
  virtual ~BatchPeer() = default;
  virtual std::string name() const = 0;
  virtual void prepare(const SquareBatch& batch, const BatchOperandsOfPeer& operands) = 0;
  /// The device's seconds divided by `calls`.
  virtual double seconds_per_call(int calls) = 0;
  virtual std::vector<char> result() = 0;
};

/// Null where there is no cuBLAS: `why_not` says why.
std::unique_ptr<BatchPeer> make_cublas_batch_peer(std::string& why_not);

class OwnBatch : public BatchPeer {
 public:
  /// `device` was opened with profiling and outlives this.
  explicit OwnBatch(OpenedDevice& device);

  /// The kernel of the following calls. Builds it and runs it once. \throws DeviceError.
  void use(const KernelParams& kernel);

  std::string name() const override;
  void prepare(const SquareBatch& batch, const BatchOperandsOfPeer& operands) override;
  double seconds_per_call(int calls) override;
  std::vector<char> result() override;

 private:
  cl::Event enqueue();
  BatchedOperand upload(const std::vector<char>& bytes);

  OpenedDevice& device_;
  DeviceStopwatch stopwatch_;
  KernelParams kernel_;
  SquareBatch batch_;
  BatchedOperands operands_;
  ProductScratch scratch_;
  std::size_t c_bytes_ = 0;
};

}  // namespace duoblas
