// A matrix that is factorised, on a device that works on copies: the device has all of it for the
// length of the call, and panels go there and come back.
//
//     host     panel 0 | ............ | panel 1 | ............ | panel 2
//     bus      all of A, panel 0 ->   <- columns 1   panel 1 ->   <- columns 2
//     device   columns 1 | the rest   | columns 2 | the rest   |          updates by panel 0, 1, ..
//
// The matrix is on its way beside that (background_copies.hpp).
//
// What is not a panel yet keeps its old values in the caller's memory: each block of columns comes
// back once, when it has all updates. So after a failure the CPU applies the panels that are done
// to what is left.
//
// Of Cholesky it is only the diagonal block of a panel that goes to and fro, in memory of its own,
// and the device solves for the rest of the panel, which comes back beside later ones' updates.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/opened_device.hpp"
#include "kernel_space/kernel_params.hpp"
#include "planner/device_blocks.hpp"
#include "problem/cut.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/panel_reflector.hpp"

namespace duoblas {

class FactorsOnDevice {
 public:
  virtual ~FactorsOnDevice() = default;

  /// Sends what is there from this column on: all but the first panel. \throws DeviceError.
  virtual void send(std::int64_t first) = 0;
  /// Updates all behind a panel that is factorised in panel(), `next` first, which then is on its
  /// way back. \throws DeviceError.
  virtual void apply(Interval panel, Interval next) = 0;
  /// Of QR: what the next apply() multiplies by. \throws DeviceError.
  virtual void reflect(const PanelReflector&) {}
  /// Of geqrf and ormqr: where that has to be. \throws DeviceError.
  virtual ReflectorMemory reflector_memory() { return {}; }
  /// Waits until `next` is in panel(), of LU from the panel's first row on; the last one is in the
  /// caller's memory. \throws DeviceError.
  virtual void wait_for_next() = 0;
  /// Where the next panel that is applied has to be: column-major, of LU all rows of its columns,
  /// of Cholesky the block on the diagonal, of a panel's width; null: in the caller's memory. Of
  /// geqrf: where all rows of `next` have come to, but for the last one.
  virtual void* panel() { return nullptr; }
  /// Waits for what else is under way. \throws DeviceError.
  virtual void finish() = 0;
  /// After something has thrown: nothing is under way any more. So many columns of `next` are in
  /// the caller's memory; the others, and all behind, are as they were sent.
  virtual std::int64_t abandon() noexcept = 0;
  /// Of LU, after finish(): solves with the factors that are there, but for those behind the
  /// panels, which it sends of the caller's. Not longer than this lives; null: there is no room for
  /// it. \throws DeviceError.
  virtual std::unique_ptr<FactorsOnDevice> solver(const LapackProblem& /*getrs*/) {
    return nullptr;
  }
  /// Of LU and Cholesky, after abandon(): panels before this line are in the caller's memory.
  virtual std::int64_t lines_done() const noexcept { return 0; }
};

/// Memory of the device that it takes, of which `c` is for the call alone; nothing: some number of
/// it is larger than kernels, a buffer or the way back may have, or it is not there.
std::optional<DeviceBytes> device_bytes(const LapackProblem& p, const KernelParams& kernel,
                                        std::int64_t width, const DeviceLimits& limits);

/// Allocates and builds, and has the device's mutex until it ends. `width`: of panels. \throws
/// DeviceError with nothing written.
std::unique_ptr<FactorsOnDevice> make_factors(const std::shared_ptr<OpenedDevice>& device,
                                              const LapackProblem& p, const KernelParams& kernel,
                                              std::int64_t width);

/// One product for each kernel that it uses.
std::vector<GemmProblem> products_by_kernel(const LapackProblem& p, const KernelParams& kernel,
                                            std::int64_t width);

}  // namespace duoblas
