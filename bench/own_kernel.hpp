// A kernel of ours in the place of a peer: device-resident operands, whole calls, the same clock.
#pragma once

#include <string>
#include <vector>

#include "bench/device_stopwatch.hpp"
#include "bench/peer.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/product/batched_product.hpp"
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

  /// Whether each call that is timed has an event of its own, or the last only.
  void ask_for_each(bool each) { asks_for_each_ = each; }

  std::string name() const override;
  bool supports(const PeerProblem&) const override { return true; }
  void prepare(const PeerProblem& problem) override;
  double seconds_per_call(int calls) override;
  std::vector<char> result() override;

 private:
  cl::Event enqueue();

  OpenedDevice& device_;
  DeviceStopwatch stopwatch_;
  KernelParams kernel_;
  GemmProblem problem_;
  std::int64_t count_ = 1;
  BatchedOperands operands_;
  ProductScratch scratch_;
  std::size_t c_bytes_ = 0;
  bool asks_for_each_ = true;
};

/// "family=1 tile_rows=8 async_copy=1 ...": the point `base` with these assignments.
/// \throws SettingError naming what is wrong.
KernelParams with_assignments(KernelParams base, const std::string& line);

/// One point per line of the file; empty lines and those that start with # are skipped.
/// \throws SettingError.
std::vector<KernelParams> points_of_file(const std::string& path, const KernelParams& base);

}  // namespace duoblas
