// Compiled programs of routines beside gemm in this process: each is built once, and tried before
// its first use.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/kernels/failed_builds.hpp"
#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "opencl/handles.hpp"
#include "opencl/program_cache.hpp"

namespace duoblas {

/// What is compiled: files of kernels/ one after another, with these options.
struct RoutineProgram {
  std::string name;                  ///< "dgemv n, v2 128x1 ...": for people
  std::vector<std::string> files;    ///< of kernels/, in their order
  std::string options;               ///< -D flags
  std::vector<std::string> kernels;  ///< those that are wanted of it
};

/// One of the fields that distinguish programs: 0 <= value < limit.
struct ProgramField {
  int value, limit;
};

/// Identifies a program on one device. Writing its options as text takes as long as a launch, so a
/// call that knows the number makes no text.
struct ProgramNumber {
  std::uint64_t kernel = 0;
  std::uint64_t sizes = 0;  ///< compiled-in sizes; 0: none

  friend bool operator==(const ProgramNumber&, const ProgramNumber&) = default;
};

/// A different number for each combination of values. \pre the product of the limits is less than
/// 2^64.
constexpr ProgramNumber program_number(std::initializer_list<ProgramField> fields) {
  ProgramNumber number;
  for (const ProgramField& field : fields)
    number.kernel = number.kernel * static_cast<std::uint64_t>(field.limit) +
                    static_cast<std::uint64_t>(field.value);
  return number;
}

/// The place of a routine in program_number(): its first field.
enum class RoutineProgramKind { gemv = 1, omatcopy, ger, axpy, exchange, lu_panel, leaf_inverse };
constexpr ProgramField field_of(RoutineProgramKind kind) {
  return {static_cast<int>(kind), 8};
}

struct BuiltRoutine {
  cl::Program program;
  std::map<std::string, cl::Kernel> kernels;
};

struct OpenedDevice;

/// A program with its trial. Both outlive the call that asks for them.
struct TriedProgram {
  ProgramNumber number;
  std::function<RoutineProgram()> program;  ///< makes the text
  /// RoutineKernels::Trial of any device.
  std::function<std::string(const OpenedDevice&, BuiltRoutine&, std::uint64_t seed)> trial;
  /// Calls do without it until it is built.
  bool is_spare = false;
};

/// Thread-safe. The results of get() are not: in OpenCL a kernel object has one owner at a time.
class RoutineKernels {
 public:
  /// `driver` as for ProgramCache.
  RoutineKernels(const cl::Context& context, const GpuFolders& folders, const std::string& driver,
                 SteadySeconds clock = steady_seconds);

  /// Null: all programs count as right.
  void set_verifier(KernelVerifier* verifier) { verifier_ = verifier; }

  /// Tries the program on small operands of its own. Returns what is wrong; empty: nothing. \throws
  /// DeviceError.
  using Trial = std::function<std::string(BuiltRoutine&, std::uint64_t seed)>;

  /// \throws DeviceError. A program that does not compile, or is wrong, fails with the same error
  /// from then on. What the driver did not compile is built a few times more, later (FailedBuilds).
  /// If the number is new, `program` makes its text.
  template <typename Program>
  BuiltRoutine& get(ProgramNumber number, Program&& program, const Trial& trial) {
    if (Entry* const known = find(number)) return usable(*known);
    return usable(made_once(number, program, trial));
  }
  BuiltRoutine& get(const OpenedDevice& device, const TriedProgram& tried) {
    return get(tried.number, tried.program, [&](BuiltRoutine& built, std::uint64_t seed) {
      return tried.trial(device, built, seed);
    });
  }
  /// Whether get() would find it built. Waits for nothing; false while another thread builds it.
  bool has(ProgramNumber number) const;
  bool has_all(const std::vector<TriedProgram>& programs) const;
  /// Whether get() would try it first, as far as is known. \throws DeviceError if a file of its
  /// source cannot be read.
  bool needs_trial(const TriedProgram& tried) const;
  /// Builds and tries all of these, beside running jobs. A failure does not keep the others from
  /// being built. \throws DeviceError of one that failed.
  void prepare(const OpenedDevice& device, const std::vector<TriedProgram>& programs);
  /// Programs that were built or refused so far.
  unsigned builds() const { return builds_.load(std::memory_order_relaxed); }
  /// Whether get() has refused any program so far.
  bool has_refused() const { return has_refused_.load(std::memory_order_relaxed); }
  /// Whether get() would refuse this one, as far as is known: nothing is built.
  bool refuses(ProgramNumber number) const;
  /// It computed a wrong result for a program: get() refuses it from now on, and later processes
  /// learn of it.
  void convict(const TriedProgram& tried, const std::string& why) noexcept;

 private:
  struct Entry {
    BuiltRoutine built;
    std::string failure;  ///< empty: it can be used
    int failure_code = 0;
    bool may_pass = false;  ///< the failure may; then the entry counts until it is built again
    FailedBuilds builds;
  };
  struct HashOfNumber {
    std::size_t operator()(const ProgramNumber& number) const {
      constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // spreads sizes over all bits
      return static_cast<std::size_t>(number.kernel ^ (number.sizes * odd));
    }
  };
  BuiltRoutine build(const RoutineProgram& program, bool anew);
  KernelIdentity identity(const RoutineProgram& program) const;
  void make(Entry& entry, const RoutineProgram& program, const Trial& trial);
  Entry& made_once(ProgramNumber number, const std::function<RoutineProgram()>& program,
                   const Trial& trial);
  BuiltRoutine& usable(Entry& entry) const;
  Entry made(const RoutineProgram& program, const Trial& trial);
  Entry* find(ProgramNumber number);
  bool counts(const Entry& entry) const {
    return !entry.may_pass || !entry.builds.is_over(clock_());
  }
  Entry& keep(ProgramNumber number, Entry&& entry);

  const cl::Context& context_;
  cl::ProgramCache programs_;
  const std::string kernel_dir_;
  const SteadySeconds clock_;
  KernelVerifier* verifier_ = nullptr;
  std::mutex building_;       ///< held while something is built; locked before the other mutex
  mutable std::mutex mutex_;  ///< of the entries
  std::atomic<unsigned> builds_{0};
  std::atomic<bool> has_refused_{false};
  std::unordered_map<ProgramNumber, Entry, HashOfNumber> entries_;
  /// Whether programs that are not built need a trial: it takes a file and the program's text to
  /// find that out, and each call asks. Verdicts that other processes store later count when the
  /// program is built.
  mutable std::unordered_map<ProgramNumber, bool, HashOfNumber> need_trial_;
};

}  // namespace duoblas
