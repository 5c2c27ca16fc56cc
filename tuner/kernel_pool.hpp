// Knows which kernels may run here: each is tried once in a child process, and the journal
// remembers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/journal.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/tune.hpp"

namespace duoblas {

/// The case for which kernels are tried.
struct KernelCase {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::string text() const;  ///< "sgemm nn"
};

class KernelPool {
 public:
  KernelPool(Journal& journal, TuneListener& listener, KernelTrialOptions options);

  struct Known {
    bool usable = false;
    double seconds = 0;  ///< of the trial just now; 0: it was known
  };
  /// Tries those that are not known yet, at this shape. Tells the listener of unusable kernels,
  /// once. \throws Error if no child process can be started.
  std::vector<Known> try_unknown(const std::vector<KernelParams>& kernels,
                                 const KernelCase& tuning_case, const Shape& shape,
                                 SharingMode sharing);

  /// The kernel was wrong or failed in this process.
  void reject(const KernelParams& kernel, const KernelCase& tuning_case, const std::string& why);

  /// The mean seconds of a trial so far; 1 if there was none.
  double mean_seconds() const { return tried_ > 0 ? tried_seconds_ / tried_ : 1; }

 private:
  void tell(const KernelParams& kernel, const KernelCase& tuning_case,
            const KernelVerdict& verdict);

  Journal& journal_;
  TuneListener& listener_;
  KernelTrials trials_;
  std::vector<std::pair<KernelParams, std::string>> told_;
  int tried_ = 0;
  double tried_seconds_ = 0;
};

}  // namespace duoblas
