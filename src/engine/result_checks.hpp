// Which of the GPU's results are checked (the policy; src/check tells whether a result is right),
// and what the checks found. One per engine: begin() before the GPU's part, ended() after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "check/product_check.hpp"
#include "engine/outcome.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Counts of a process so far.
struct CheckCounts {
  std::uint64_t results = 0;  ///< that the GPU computed, whole or in part
  std::uint64_t checked = 0;
  std::uint64_t suspected = 0;  ///< those with a row that was checked element by element
  std::uint64_t wrong = 0;
  double seconds = 0;  ///< processor time of the checks
};

/// Which of the GPU's sums are checked, of a gemv.
struct GemvSample {
  bool wanted = false;
  bool all = false;
  std::uint64_t seed = 0;
};

/// Thread-safe. With `sampled`, all first results of a kernel and class (element type, ops, size)
/// are checked. After enough right ones, as many are checked as take half a percent of the time of
/// the class's calls, and one in a few hundred in any case. What was found right by earlier
/// processes counts.
class ResultChecks {
 public:
  /// `threads`: of checks, within the bound of each call's thread.
  explicit ResultChecks(CheckMode mode, const CheckThreads& threads = {})
      : mode_(mode), threads_(threads) {}

  void set_mode(CheckMode mode) { mode_.store(mode, std::memory_order_relaxed); }

  /// A check for the GPU's part of a product, with OldC::in_place, if one is due and memory
  /// suffices; else null. `as_told`: the call is a measurement, so no samples of it are taken.
  std::unique_ptr<ProductCheck> begin(const GemmProblem& part, const KernelParams& kernel,
                                      bool as_told) noexcept;
  /// The same for a level-3 call other than gemm that the device does as one job.
  std::unique_ptr<ResultCheck> begin(const Level3Problem& part,
                                     const KernelParams& kernel) noexcept;
  /// The same for a factorisation whose matrix is on the device for the duration of the call.
  std::unique_ptr<ResultCheck> begin(const LapackProblem& call,
                                     const KernelParams& kernel) noexcept;
  /// The same for a gemv, by its gemv_number(): some sums of its first results, and of every 64th
  /// result after those. To check all takes as long as the call. \throws std::bad_alloc.
  GemvSample begin(std::uint64_t gemv);
  /// Those of a check in a call of this thread.
  CheckThreads threads() const;
  CheckMode mode() const { return mode_.load(std::memory_order_relaxed); }
  bool checks_all() const { return mode() == CheckMode::always; }
  /// Records the result of the GPU's part, with a check or without. Returns the number of right,
  /// checked results of its class since the last report, if it is worth keeping: after 4, 16, 64
  /// and so on; else 0. \pre the GPU computed all of the part.
  template <typename Part>
  std::uint64_t ended(const Part& part, const KernelParams& kernel,
                      const HybridOutcome& outcome) noexcept;

  /// Whether the next result of this class would be checked because it is one of the first.
  template <typename Part>
  bool is_new(const Part& part, const KernelParams& kernel) noexcept;

  /// What checks found right, as bytes, for later processes with the same device and driver.
  /// `sources`: of the kernels; of other ones the bytes say nothing.
  std::vector<unsigned char> kept(const std::string& sources) const;
  /// Begins with such bytes. False, and nothing changes: they are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept, const std::string& sources);

  CheckCounts counts() const;
  /// Results of this kernel's products that were not checked.
  std::uint64_t unchecked(const KernelParams& kernel, Precision precision) const;
  /// Results of jobs that were not checked.
  std::uint64_t unchecked_jobs() const;

 private:
  /// The class of a result.
  struct Kind {
    Precision precision = Precision::s;
    Op op_a = Op::none, op_b = Op::none;
    int size = 0;
    /// For a call that the device does as one job; nothing for a product.
    std::optional<Routine> routine = {};
    Side side = Side::left;
    Uplo uplo = Uplo::upper;
    std::optional<LapackRoutine> factorisation = {};
    bool operator==(const Kind&) const = default;
  };
  /// What checks of a class showed, in earlier processes too.
  struct Evidence {
    std::uint64_t right = 0;
    std::uint64_t since_check = 0;  ///< results after the last one that was checked
    double call_seconds = 0;        ///< since enough results were right
    double check_seconds = 0;       ///< likewise
    double last_check = 0;          ///< seconds
  };
  struct Class : Evidence {
    KernelParams kernel;
    Kind kind;
    std::uint64_t unchecked = 0;
    std::uint64_t told = 0;  ///< of `right`, those that were reported
  };
  struct Stored;
  using Names = std::pair<std::uint64_t, std::uint64_t>;  ///< of a kernel, and of a class
  static Names names_of(const KernelParams& kernel, const Kind& kind);
  static Kind kind_of(const GemmProblem& part);
  static Kind kind_of(const Level3Problem& part);
  static Kind kind_of(const LapackProblem& call);
  Class& find(const Kind& kind, const KernelParams& kernel);
  /// Makes a check with a seed and the kernel's slack, if one is due.
  template <typename Check, typename Part, typename Make>
  std::unique_ptr<Check> made_if_due(const Part& part, const KernelParams& kernel,
                                     Make&& make) noexcept;
  template <typename Counts>
  std::uint64_t sum_of_unchecked(Counts&& counts) const;
  /// Decides whether a check is due; nothing: no. \throws std::bad_alloc.
  std::optional<std::uint64_t> seed_if_due(const Kind& kind, const KernelParams& kernel);
  bool is_due(const Class& known) const;
  std::uint64_t note(Class& known, const HybridOutcome& outcome);
  void forget(const KernelParams& kernel);

  std::atomic<CheckMode> mode_;
  const CheckThreads threads_;
  mutable std::mutex mutex_;
  std::vector<Class> classes_;
  std::map<Names, Evidence> earlier_;             ///< of classes that this process has not met
  std::map<std::uint64_t, std::uint64_t> gemvs_;  ///< results of each
  CheckCounts counts_;
  std::uint64_t seed_ = 0;
};

}  // namespace duoblas
