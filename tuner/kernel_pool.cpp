#include "tuner/kernel_pool.hpp"

#include <algorithm>
#include <utility>

#include "kernel_space/kernel_description.hpp"
#include "problem/op_letter.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace duoblas {

std::string KernelCase::text() const {
  return std::string(1, letter(precision)) + "gemm " + letter(op_a) + letter(op_b);
}

KernelPool::KernelPool(Journal& journal, TuneListener& listener, KernelTrialOptions options)
    : journal_(journal), listener_(listener), trials_(std::move(options)) {}

std::vector<KernelPool::Known> KernelPool::try_unknown(const std::vector<KernelParams>& kernels,
                                                       const KernelCase& tuning_case,
                                                       const Shape& shape, SharingMode sharing) {
  const std::string text = tuning_case.text();
  std::vector<Known> known(kernels.size());
  std::vector<KernelJob> jobs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (const auto verdict = journal_.verdict(kernels[i], text)) {
      known[i].usable = verdict->verdict == Verdict::right;
      tell(kernels[i], tuning_case, *verdict);
      continue;
    }
    jobs.push_back(
        {kernels[i], tuning_case.precision, tuning_case.op_a, tuning_case.op_b, shape, sharing});
    places.push_back(i);
  }
  if (jobs.empty()) return known;
  const Stopwatch watch;
  // Each as soon as it is known: a tuning that ends in the middle does not lose it.
  const auto hear = [&](std::size_t job, const KernelVerdict& verdict) {
    journal_.tried(jobs[job].kernel, text, verdict);
    tell(jobs[job].kernel, tuning_case, verdict);
    known[places[job]].usable = verdict.verdict == Verdict::right;
    ++tried_;
  };
  const auto begins = [&](std::size_t job) { journal_.trying(jobs[job].kernel, text); };
  try {
    trials_.try_all(jobs, hear, begins);
  } catch (...) {
    journal_.interrupted();  // by no kernel
    throw;
  }
  const double taken = watch.seconds();
  tried_seconds_ += taken;
  for (const std::size_t place : places)
    known[place].seconds = taken / static_cast<double>(jobs.size());
  return known;
}

void KernelPool::reject(const KernelParams& kernel, const KernelCase& tuning_case,
                        const std::string& why) {
  const KernelVerdict verdict{Verdict::wrong, why, 0, 0};
  journal_.tried(kernel, tuning_case.text(), verdict);
  tell(kernel, tuning_case, verdict);
}

void KernelPool::tell(const KernelParams& kernel, const KernelCase& tuning_case,
                      const KernelVerdict& verdict) {
  if (verdict.verdict == Verdict::right) return;
  const std::pair told{kernel, tuning_case.text()};
  if (std::ranges::find(told_, told) != told_.end()) return;
  told_.push_back(told);
  listener_.rejected(tuning_case.text() + ", " + describe(kernel), verdict.why);
}

}  // namespace duoblas
