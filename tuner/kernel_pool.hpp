// Which kernels may be run here: tried in child processes once, remembered by the journal.
#pragma once

#include <string>
#include <vector>

#include "tuner/journal.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/tune.hpp"

namespace duoblas {

/// What kernels are tried for.
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
    double seconds = 0;  ///< that finding out took just now; 0: it was known
  };
  /// Tries those that are not known yet, at this shape. The listener hears of those that cannot be
  /// used, once. \throws Error where no child process can be started.
  std::vector<Known> know(const std::vector<KernelParams>& kernels, const KernelCase& tuning_case,
                          const Shape& shape, SharingMode sharing);

  /// It was seen to be wrong or to fail here.
  void reject(const KernelParams& kernel, const KernelCase& tuning_case, const std::string& why);

  /// Mean seconds that a kernel took so far; 1 where none was tried.
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
