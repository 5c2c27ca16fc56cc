// Compiled kernels of this process: each variant is built once, whether or not the build succeeds.
//
//   variant ─> here? ─> on disk (ProgramCache)? ─> the driver's compiler ─> tried (KernelVerifier)
//
// In: a kernel's parameters, types, ops, sizes. Out: kernel objects, or the same DeviceError each
// time. Owns programs and kernels; OpenedDevice owns it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/failed_builds.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "opencl/handles.hpp"
#include "opencl/program_cache.hpp"

namespace duoblas {

struct BuiltKernels {
  cl::Program program;
  cl::Kernel product;
  cl::Kernel pack_a;  ///< empty if the variant reads A in place
  cl::Kernel pack_b;
  cl::Kernel reduce;  ///< empty if k is not split
};

/// Thread-safe. The results of get() and guard() are not: in OpenCL a kernel object has one owner
/// at a time.
class KernelCache {
 public:
  /// `driver` as for ProgramCache.
  KernelCache(const cl::Context& context, const GpuFolders& folders, const std::string& driver,
              SteadySeconds clock = steady_seconds);

  /// How to run a variant by itself, on small matrices, before products get it. Both throw
  /// DeviceError.
  struct Trials {
    /// Loads its code.
    std::function<void(const KernelVariant&, BuiltKernels&)> warm_up;
    /// Returns what is wrong with its results; empty: nothing.
    std::function<std::string(const KernelVariant&, BuiltKernels&, std::uint64_t seed)>
        what_is_wrong;
  };
  /// Call it before any variant is built. `verifier`: get() fails for variants that it rejects;
  /// null: all count as right.
  void set_trials(Trials trials, KernelVerifier* verifier);

  /// The variant's kernels, verified if there is a verifier. \throws DeviceError. A variant that
  /// the driver does not compile, whose work-groups it would refuse, or whose results are wrong
  /// fails at once from then on, with the same error. What the driver did not compile is built a
  /// few times more, later (FailedBuilds).
  BuiltKernels& get(const KernelVariant& variant);

  /// Launches kernels of a variant. If the device refuses the kernel as such, that is remembered.
  template <typename Launch>
  auto launching(const KernelVariant& variant, Launch&& launch) {
    try {
      return launch();
    } catch (const DeviceError& error) {
      note_refusal(variant, error);
      throw;
    }
  }

  /// The kernel is useless from now on. False: it already was.
  bool refuse(const KernelParams& kernel, Precision precision, const std::string& why);
  /// Why this kernel is useless for products of this type; empty if it is not, as far as is known.
  std::string refusal(const KernelParams& kernel, Precision precision) const;
  bool any_refused() const { return any_refused_.load(std::memory_order_relaxed); }

  /// Whether get() would find it built.
  bool has(const KernelVariant& variant) const;
  /// Whether get() would try it first. A call that asked for nothing does not wait for that.
  bool needs_trial(const KernelVariant& variant) const noexcept;
  /// Builds the variant for get(), while others get other variants, and runs it once. If it does
  /// not build, get() will report it.
  void prepare(const KernelVariant& variant) noexcept;

  /// Builds the variant by itself and tries it, whatever is known of it. Returns what is wrong;
  /// empty: nothing. \throws DeviceError if it cannot be built or run.
  std::string try_now(const KernelVariant& variant);

  std::size_t size() const;

  /// Kernel `guard` (kernels/guard.cl). \throws DeviceError. Where it was not built, get() says
  /// when it is built again.
  cl::Kernel& guard();
  bool has_guard() const;
  /// Whether guard() fails at once.
  bool refuses_guard() const;

  /// Why compiled kernels are not stored on disk; empty if they are, or if nobody asked for it.
  std::string disk_problem() const { return programs_.problem(); }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  struct Entry {
    KernelVariant variant;
    BuiltKernels kernels;
    std::string failure;  ///< empty: it was built
    int failure_code = 0;
    bool may_pass = false;  ///< the failure may
    double until = never;   ///< it does; then the entry counts no more
    bool ran = false;       ///< it was tried
  };
  struct Refusal {
    KernelParams kernel;
    Precision precision;
    std::string why;
    double until = never;
  };
  struct FailedVariant {
    KernelVariant variant;
    FailedBuilds builds;
  };
  struct GuardKernel {
    cl::Program program;
    cl::Kernel kernel;
  };
  struct FailedGuard {
    std::string why;
    int code = 0;
    FailedBuilds builds;
  };
  BuiltKernels build(const KernelVariant& variant, bool anew = false);
  std::string verify(Entry& entry, bool anyway);
  void warm_up(Entry& entry) noexcept;
  std::unique_ptr<Entry> built_entry(const KernelVariant& variant);
  Entry* found(const KernelVariant& variant) const;  ///< \pre the mutex is held
  Entry* find(const KernelVariant& variant) const;
  /// \throws DeviceError if it failed, and is built again at once.
  Entry& keep(std::unique_ptr<Entry> entry);
  void note_refusal(const KernelVariant& variant, const DeviceError& error);
  // \pre the mutex is held.
  const Refusal* refused(const KernelParams& kernel, Precision precision) const;
  void note(const KernelParams& kernel, Precision precision, const std::string& why, double until);
  double until_built_again(const Entry& failed);
  void build_guard();
  void note_failed_guard(const DeviceError& error);

  const cl::Context& context_;
  cl::ProgramCache programs_;
  const std::string kernel_dir_;
  const SteadySeconds clock_;
  Trials trials_;
  KernelVerifier* verifier_ = nullptr;
  mutable std::mutex mutex_;  ///< of what follows; nothing is built while it is held
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<Refusal> refusals_;
  std::vector<FailedVariant> failed_;  ///< for a reason that may pass
  /// Variants with a verdict on disk that are not built: it takes a file and the kernel's source to
  /// find that out, and each call asks.
  mutable std::vector<KernelVariant> judged_;
  std::atomic<bool> any_refused_{false};
  std::unique_ptr<GuardKernel> guard_;
  FailedGuard failed_guard_;
};

}  // namespace duoblas
