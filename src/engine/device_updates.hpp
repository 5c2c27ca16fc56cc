// How the steps of a call use the device. A factorisation gives the device products one after
// another, and the CPU other work meanwhile; a call of level 3 has products and jobs that both
// sides share, and between them the CPU BLAS's own routine. The engine implements this interface.
#pragma once

#include <functional>
#include <memory>

#include "engine/outcome.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "planner/decision.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

struct Level3Parts;

/// Seconds of an update's sides.
struct SideSeconds {
  double device = 0;  ///< 0: it did nothing
  double beside = 0;
  bool device_at_most = false;  ///< it had ended before anybody looked
};

/// Old values of C that the caller of a product can bring back, so that the device's side need not
/// save them before it writes to C in place.
class OldResult {
 public:
  virtual ~OldResult() = default;
  /// Gives C of this part of the product the values that it had before the product, whatever it
  /// holds now. The device has ended. Takes no memory. \throws CpuBlasError.
  virtual void restore(const GemmProblem& part) = 0;
};

class DeviceUpdates {
 public:
  virtual ~DeviceUpdates() = default;

  /// Whether the call has the device, which has not failed in it so far.
  virtual bool has_device() const = 0;
  /// Whether the result of the call's first job is checked after the steps.
  virtual bool is_checked() const = 0;

  /// The device computes all of `part`, by `plan`, while `beside` runs on this thread; both have
  /// ended when this returns. If there is no device, or it fails, or memory is short, the CPU
  /// computes it after `beside`. `written`: a problem whose C `beside` writes, next to the part's
  /// C. `old_result`: of the part's C, for that case; null: they are saved before they are
  /// overwritten. \throws what `beside` throws; CpuBlasError; DeviceError where the device hangs
  /// and may still write to C. Not std::bad_alloc: a matrix would be left between two steps.
  template <typename Beside>
  SideSeconds update(const GemmProblem& part, const Plan& plan, const GemmProblem& written,
                     const Beside& beside, OldResult* old_result = nullptr) {
    return carry_out(part, plan, written, std::cref(beside), old_result);  // takes no memory
  }

  /// Gives the device `part` too, behind the update whose `beside` calls this. So the device goes
  /// on without waiting for this thread. A, B and C of the part do not change until finish(), which
  /// is called after that update. `written`: a problem whose C this thread writes until then.
  /// `plan` and `old_result` live until then.
  virtual void begin(const GemmProblem& part, const Plan& plan, const GemmProblem& written,
                     OldResult* old_result = nullptr) = 0;
  /// Returns when that part is complete, as update() does. If update() threw, this is not called,
  /// and the end of this object waits for the part.
  virtual void finish() = 0;

  /// Copies the call's matrix to the device and returns it; null: that is not possible now, and the
  /// CPU does the call. Afterwards the caller calls done(); or, if the device threw, abandon() and
  /// then failed() in the handler. \throws DeviceError as update() does, from failed() too.
  virtual std::unique_ptr<FactorsOnDevice> hold(const DeviceFactorisation& call) = 0;
  /// After done(): what follows on the device is another job, for which done() or failed() is
  /// called too. False: such jobs failed so often that this one is to leave the device alone.
  virtual bool goes_on_with(const DeviceFactorisation& call) = 0;
  virtual void done() = 0;
  virtual void failed() = 0;

 private:
  virtual SideSeconds carry_out(const GemmProblem& part, const Plan& plan,
                                const GemmProblem& written, const std::function<void()>& beside,
                                OldResult* old_result) = 0;
};

/// The same for the steps of a call of level 3.
class Level3Device {
 public:
  virtual ~Level3Device() = default;

  /// A step, by its plan; after a failure, and where the device is busy, the CPU does it. The
  /// caller tells it to add(). \throws as Engine::carry_out; std::bad_alloc if nothing of the step
  /// was done.
  virtual Outcome carry_out(const PlannedProduct& product) = 0;
  virtual Outcome carry_out(const Level3Parts& parts) = 0;
  virtual void add(Outcome&& step) noexcept = 0;
  /// A step that is the CPU's, on all cores. Other calls may have the device meanwhile, so the next
  /// step asks for it again.
  virtual void without_device(const std::function<void()>& work) = 0;
};

/// A part of a call for which the device holds the matrix.
struct HeldJob {
  const DeviceFactorisation& call;
  /// The CPU does it, once the matrix is what it was. \throws CpuBlasError.
  std::function<void()> again;
  /// The steps say false: such a matrix has no factors to check. If they would be checked, the CPU
  /// is to find that out, too.
  bool has_result = true;
  bool is_done = false;  ///< by the device
};

using DeviceSteps = std::function<void(DeviceUpdates&)>;
using Level3Steps = std::function<void(Level3Device&)>;

}  // namespace duoblas
