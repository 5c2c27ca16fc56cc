// A kernel of ours in the place of a peer: device-resident operands, whole calls, the same clock.
#pragma once

#include <string>

#include "bench/device_stopwatch.hpp"
#include "bench/peer.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// A call is everything that the kernel's parameters ask for: packing, the product, the reduction.
class OwnKernel : public Peer {
 public:
  /// `device` was opened with profiling and outlives this.
  explicit OwnKernel(OpenedDevice& device);

  /// The kernel of the following calls. Builds it and runs it once on the prepared problem.
  /// \throws DeviceError where it cannot be had.
  void use(const KernelParams& kernel);
  /// Writes the kernel's program as the driver gives it. \throws DeviceError.
  void dump(const std::string& path);

  /// From now on calls are enqueued while the device does something else first, for so many turns
  /// of a loop: the host's time does not count.
  void keep_ahead(int turns) { turns_ahead_ = turns; }
  /// Whether each call that is timed has an event of its own, or the last only.
  void ask_for_each(bool each) { asks_for_each_ = each; }

  std::string name() const override;
  bool supports(const PeerProblem&) const override { return true; }
  void prepare(const PeerProblem& problem) override;
  double seconds_per_call(int calls) override;
  std::vector<char> result() override;

 private:
  cl::Event enqueue();
  BoundOperand upload(const std::vector<char>& bytes, std::int64_t ld);

  OpenedDevice& device_;
  DeviceStopwatch stopwatch_;
  KernelParams kernel_;
  GemmProblem problem_;
  ProductOperands operands_;
  ProductScratch scratch_;
  std::size_t c_bytes_ = 0;
  int turns_ahead_ = 0;
  bool asks_for_each_ = true;
};

}  // namespace duoblas
