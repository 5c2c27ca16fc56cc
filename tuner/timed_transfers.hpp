// A computation on the device in its parts: operands there, kernel, result back, one by one.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/caller_gemv.hpp"
#include "problem/host_rect.hpp"
#include "tuner/transfer_times.hpp"

namespace duoblas {

enum class TransferKind { copies, zero_copy };

/// Owns its operands, and their buffers. The caller holds the device's mutex throughout. \throws
/// DeviceError like everything that runs.
class TimedTransfers {
 public:
  TimedTransfers(OpenedDevice& device, TransferKind kind) : device_(device), kind_(kind) {}
  virtual ~TimedTransfers() = default;

  void sample();
  /// `swaps`: A and B of the computation are the caller's B and A.
  TransferMode found(bool swaps) const;

 protected:
  /// A matrix or vector in the host's memory, and where the device has it.
  struct Operand {
    HostRect rect;
    BoundOperand bound;
  };
  /// Seconds of a round: A, B, the kernel, C.
  using Parts = std::array<double, 4>;

  /// Binds, and does a first round: the kernel is compiled, memory comes at its first use.
  void prepare(const HostRect& a, const HostRect& b, const HostRect& c);
  /// Computes c_ of a_ and b_, and waits.
  virtual void compute() = 0;

  OpenedDevice& device_;
  const TransferKind kind_;
  Operand a_, b_, c_;
  double error_ = 0;  ///< scaled, of the first round

 private:
  Operand bound(const HostRect& rect) const;
  double seconds_to_device(const Operand& operand) const;
  double seconds_to_host(const Operand& result) const;
  Parts round();

  std::array<std::vector<double>, 4> samples_;
};

std::unique_ptr<TimedTransfers> timed_gemm(OpenedDevice& device, TransferKind kind,
                                           const CallerGemm& call, unsigned seed,
                                           const KernelParams& kernel);
std::unique_ptr<TimedTransfers> timed_gemv(OpenedDevice& device, TransferKind kind,
                                           const CallerGemv& call, unsigned seed,
                                           const GemvKernel& kernel);

}  // namespace duoblas
