// A factorisation on a device that works on copies. The device has the whole matrix during the
// call; panels are sent and fetched.
//
//     host     panel 0 | ............ | panel 1 | ............ | panel 2
//     bus      all of A, panel 0 ->   <- columns 1   panel 1 ->   <- columns 2
//     device   columns 1 | the rest   | columns 2 | the rest   |          updates by panel 0, 1, ..
//
// The matrix is sent meanwhile (background_copies.hpp).
//
// The caller's memory keeps the old values of everything that is not a panel yet: each block of
// columns comes back once, when it has all updates. So after a failure the CPU applies the finished
// panels to the rest.
//
// For Cholesky only a panel's diagonal block is sent and fetched, in memory of its own. The device
// solves for the rest of the panel, which comes back during later updates.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/lapack_memory.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/panel_inverse.hpp"
#include "problem/panel_reflector.hpp"
#include "problem/partition.hpp"

namespace duoblas {

class FactorsOnDevice {
 public:
  virtual ~FactorsOnDevice() = default;

  /// Sends everything from this column on: all but the first panel. \throws DeviceError.
  virtual void send(std::int64_t first) = 0;
  /// Updates everything behind a panel that was factorised in panel(), first `next`, whose transfer
  /// back is then started. \throws DeviceError.
  virtual void apply(Interval panel, Interval next) = 0;
  /// For QR: the reflector by which the next apply() multiplies. \throws DeviceError.
  virtual void reflect(const PanelReflector&) {}
  /// For geqrf and ormqr: where that reflector must be. \throws DeviceError.
  virtual ReflectorMemory reflector_memory() { return {}; }
  /// Waits until `next` is in panel() (for LU from the panel's first row on). The last one is in
  /// the caller's memory. \throws DeviceError.
  virtual void wait_for_next() = 0;
  /// Where the next applied panel must be, column-major; null: in the caller's memory. For LU all
  /// rows of its columns, for Cholesky its diagonal block. For geqrf: where all rows of `next` have
  /// arrived, except for the last panel.
  virtual void* panel() { return nullptr; }
  /// For LU: the inverse of the next applied panel's triangle, which may be made. Null: it is not
  /// wanted.
  virtual PanelInverse* inverse() { return nullptr; }
  /// For LU: whether apply() factorises the panel, in the caller's memory as well. Then nobody
  /// waits for the next one, and info() is LAPACK's for the panels in the caller's memory.
  virtual bool makes_panels() const { return false; }
  virtual int info() const { return 0; }
  /// Waits for everything that is still running. \throws DeviceError.
  virtual void finish() = 0;
  /// Call it after an exception. When it returns, nothing is running. Returns how many columns of
  /// `next` are in the caller's memory; the others, and all behind, are as they were sent.
  virtual std::int64_t abandon() noexcept = 0;
  /// For LU and Cholesky, before send(): solver() will be asked for.
  virtual void keep_factors() {}
  /// After finish(), with all factors in the caller's memory: solves (getrs, potrs) with those that
  /// the device has. Those behind the panels are sent. Does not outlive this object. Null if there
  /// is no room. \throws DeviceError.
  virtual std::unique_ptr<FactorsOnDevice> solver(const LapackProblem& /*solve*/) {
    return nullptr;
  }
  /// For LU and Cholesky, after abandon(): panels before this line are in the caller's memory.
  virtual std::int64_t lines_done() const noexcept { return 0; }
};

/// Allocates device_bytes() and builds, and holds the device's mutex until it is destroyed.
/// `width`: of panels. \throws DeviceError, with nothing written.
std::unique_ptr<FactorsOnDevice> make_factors(const std::shared_ptr<OpenedDevice>& device,
                                              const LapackProblem& p, const KernelParams& kernel,
                                              std::int64_t width);

/// For geqrf, orgqr and ormqr.
using MakeFactors = std::unique_ptr<FactorsOnDevice>(const std::shared_ptr<OpenedDevice>& device,
                                                     const LapackProblem& p,
                                                     const KernelParams& kernel,
                                                     std::int64_t width);
MakeFactors make_lu, make_qr;

/// One product for each kernel in use.
std::vector<GemmProblem> products_by_kernel(const LapackProblem& p, const KernelParams& kernel,
                                            std::int64_t width);
/// Builds these kernels, which are for blocks of any size. \throws DeviceError.
void prepare_products(OpenedDevice& device, const LapackProblem& p, KernelParams kernel,
                      std::int64_t width);
/// What is launched beside those products.
std::vector<TriedProgram> programs_beside_products(const TargetDevice& device,
                                                   const LapackProblem& p, std::int64_t width);

}  // namespace duoblas
