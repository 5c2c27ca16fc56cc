// Compiled programs of this process: each is built once, whether or not the build succeeds, and
// tried before its first use.
//
//   key ─> here? ─> on disk (ProgramCache)? ─> the driver's compiler ─> tried (KernelVerifier)
//
// A key is a variant of gemm, or the number of a routine's program. Out: kernel objects, or the
// same DeviceError each time. Owns programs, kernels and what is known of them; OpenedDevice owns
// it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_refusals.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "gpu/kernels/program_number.hpp"
#include "gpu/kernels/program_text.hpp"
#include "gpu/kernels/target_device.hpp"
#include "opencl/handles.hpp"
#include "opencl/program_cache.hpp"

namespace duoblas {

/// How a variant is run by itself, on small matrices, before products get it. Both throw
/// DeviceError.
struct ProductTrials {
  /// Loads its code.
  void (*warm_up)(const TargetDevice&, const KernelVariant&, BuiltProgram&) = nullptr;
  /// Returns what is wrong with its results; empty: nothing.
  std::string (*what_is_wrong)(const TargetDevice&, const KernelVariant&, BuiltProgram&,
                               std::uint64_t seed) = nullptr;
};

/// A program of a routine beside gemm, with its trial.
struct TriedProgram {
  ProgramNumber number;
  std::function<ProgramText()> program;  ///< makes the text
  /// Tries the program on small operands of its own. Returns what is wrong; empty: nothing. \throws
  /// DeviceError.
  std::function<std::string(const TargetDevice&, BuiltProgram&, std::uint64_t seed)> trial;
  /// Calls do without it until it is built.
  bool is_spare = false;
};

/// A value that describes such a program, for who may want it for later. It has number(), text()
/// and what_is_wrong(), as TriedProgram has them.
template <typename Program>
TriedProgram tried(const Program& program, bool is_spare = false) {
  return {program.number(), [program] { return program.text(); },
          [program](const TargetDevice& device, BuiltProgram& built, std::uint64_t seed) {
            return program.what_is_wrong(device, built, seed);
          },
          is_spare};
}

using ProgramKey = std::variant<ProgramNumber, KernelVariant>;

/// Thread-safe. The results of get() and guard() are not: in OpenCL a kernel object has one owner
/// at a time.
class KernelCache {
 public:
  /// `driver` as for ProgramCache. The device outlives the cache.
  KernelCache(const TargetDevice& device, const GpuFolders& folders, const std::string& driver,
              SteadySeconds clock = steady_seconds);

  /// Call it before anything is built. From then on get() fails for programs that are not right.
  void try_all(const ProductTrials& products, const Verification& verification);

  /// The variant's kernels, tried if that is wanted. \throws DeviceError. A program that the driver
  /// does not compile, whose work-groups it would refuse, or whose results are wrong fails at once
  /// from then on, with the same error. What the driver did not compile is built a few times more,
  /// later (FailedBuilds). \pre the variant is normalised().
  BuiltProgram& get(const KernelVariant& variant) {
    return get_or_make(variant, [&] { return request_of(variant); });
  }
  /// The same for a routine's program. Where it is known, `program`, which makes the text, is not
  /// called; `trial` as TriedProgram's, without the device.
  template <typename Program, typename Trial>
  BuiltProgram& get(ProgramNumber number, Program&& program, Trial&& trial) {
    return get_or_make(number, [&] { return Request{program, trial, {}}; });
  }
  /// The same for what tried() takes.
  template <typename Program>
  BuiltProgram& get(const Program& program) {
    return get(
        program.number(), [&] { return program.text(); },
        [&](BuiltProgram& built, std::uint64_t seed) {
          return program.what_is_wrong(device_, built, seed);
        });
  }
  BuiltProgram& get(const TriedProgram& tried) {
    return get_or_make(tried.number, [&] { return request_of(tried); });
  }

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
  /// Whether any kernel of gemm was refused so far, `guard` among them; and any other program.
  bool any_refused() const { return any_refused_.load(std::memory_order_relaxed); }
  bool has_refused() const { return has_refused_.load(std::memory_order_relaxed); }
  /// Whether get() would refuse this one, as far as is known: nothing is built.
  bool refuses(const ProgramKey& key) const;

  /// Whether get() would find it built, or refused. Waits for nothing; false while another thread
  /// builds it.
  bool has(const ProgramKey& key) const { return find(key) != nullptr; }
  bool has_all(const std::vector<TriedProgram>& programs) const;
  /// Whether get() would try it first, as far as is known. A call that asked for nothing does not
  /// wait for that. False where the program cannot be made: get() tells why.
  bool needs_trial(const KernelVariant& variant) const noexcept;
  /// The same. \throws DeviceError if a file of its source cannot be read.
  bool needs_trial(const TriedProgram& tried) const;
  /// Builds the variant for get(), while others get other programs, and runs it once. If it does
  /// not build, get() will report it.
  void prepare(const KernelVariant& variant) noexcept;
  /// Builds and tries all of these, beside running jobs. A failure does not keep the others from
  /// being built. \throws DeviceError of one that failed.
  void prepare(const std::vector<TriedProgram>& programs);

  /// Builds the variant by itself and tries it, whatever is known of it. Returns what is wrong;
  /// empty: nothing. \throws DeviceError if it cannot be built or run.
  std::string try_now(const KernelVariant& variant);
  /// A program's result was wrong: later processes learn of it, and get() refuses a routine's from
  /// now on. (Products are refused by kernel.)
  void reject(const KernelVariant& variant, const std::string& why) noexcept;
  void reject(const TriedProgram& tried, const std::string& why) noexcept;
  /// Counts results of a variant that were checked and right.
  void add_checked(const KernelVariant& variant, std::uint64_t results) noexcept;
  /// Null: all programs count as right.
  KernelVerifier* verifier() const { return verifier_.get(); }

  /// Variants of gemm that were built or refused so far.
  std::size_t size() const { return variants_.load(std::memory_order_relaxed); }
  /// The same of other programs, each time.
  unsigned builds() const { return builds_.load(std::memory_order_relaxed); }

  /// Kernel `guard` (kernels/guard.cl), which is not tried. \throws like get().
  cl::Kernel& guard();
  bool has_guard() const;
  /// Whether guard() fails at once.
  bool refuses_guard() const { return any_refused() && refuses(guard_number); }

  /// Why compiled kernels are not stored on disk; empty if they are, or if nobody asked for it.
  std::string disk_problem() const { return programs_.problem(); }

 private:
  static constexpr ProgramNumber guard_number =
      program_number({field_of(RoutineProgramKind::guard)});
  /// What is to be built, and how it is tried.
  struct Request {
    std::function<ProgramText()> text;
    std::function<std::string(BuiltProgram&, std::uint64_t seed)> trial;  ///< empty: it is not
    std::function<void(BuiltProgram&)> warm_up = {};  ///< where it was not tried; empty: nothing
  };
  struct Entry {
    BuiltProgram built;
    std::string failure;  ///< empty: it can be used
    int failure_code = 0;
    bool may_pass = false;  ///< the failure may; then the entry counts until it is built again
    bool is_tried = false;
    FailedBuilds builds;
  };
  struct Hash {
    std::size_t operator()(const ProgramKey& key) const;
  };

  template <typename Make>
  BuiltProgram& get_or_make(const ProgramKey& key, Make&& request) {
    if (BuiltProgram* const known = find_usable(key)) return *known;
    return usable(made_once(key, request()));
  }
  Request request_of(const KernelVariant& variant) const;
  Request request_of(const TriedProgram& tried) const;
  BuiltProgram build(const ProgramText& text, bool anew);
  std::string verify(Entry& entry, const ProgramText& text, const Request& request, bool anyway);
  void make(Entry& entry, const Request& request);
  Entry made(const Request& request);
  Entry& made_once(const ProgramKey& key, const Request& request);
  Entry& keep(const ProgramKey& key, Entry&& entry);
  BuiltProgram& usable(Entry& entry) const;
  Entry* find(const ProgramKey& key) const;
  Entry* found(const ProgramKey& key) const;  ///< \pre the mutex is held
  /// \throws DeviceError if it is refused.
  BuiltProgram* find_usable(const ProgramKey& key) const;
  bool needs_trial(const ProgramKey& key, const Request& request) const;
  void note_refusal(const KernelVariant& variant, const DeviceError& error);

  const TargetDevice& device_;
  cl::ProgramCache programs_;
  const std::string kernel_dir_;
  const SteadySeconds clock_;
  ProductTrials products_;
  std::unique_ptr<KernelVerifier> verifier_;
  std::atomic<std::size_t> variants_{0};
  std::atomic<unsigned> builds_{0};
  std::atomic<bool> any_refused_{false}, has_refused_{false};
  KernelRefusals refusals_;
  mutable std::mutex mutex_;  ///< of what follows; nothing is built while it is held
  std::condition_variable ended_;
  std::vector<ProgramKey> under_way_;  ///< threads build these
  mutable std::unordered_map<ProgramKey, Entry, Hash> entries_;
  /// Where the verdicts on programs that are not built are, since it takes the program's text to
  /// find that out, and each call asks; empty: it needs no trial. Else another process may store a
  /// verdict meanwhile.
  mutable std::unordered_map<ProgramKey, std::string, Hash> verdicts_;
};

}  // namespace duoblas
