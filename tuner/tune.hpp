// Co-tuning: kernel and split together, judged by the time of the whole call with both sides at
// work.
//
//   tune                        the journal, the time, the tuning cases in order
//     |- fastest_cpu            core type and threads of the CPU BLAS
//     |- per tuning case:
//     |    |- seeded_kernels    what was learnt before comes first
//     |    |- run_search        a strategy asks, LiveEvaluator measures (kernels first in a child)
//     |    `- decide            finer shares, a check of the results, the best few compared
//     `- measure_crossover      from which size the GPU is worth its overhead
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "profile/profile.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

class CallEnergy;
class Journal;

/// Where a tuning stands.
struct TuneProgress {
  std::string phase;        ///< "cpu", "kernels", "split", "duel", "crossover", "drift"
  std::string tuning_case;  ///< what is being tuned: "sgemm nn 1024 x 1024 x 1024"
  int done = 0;             ///< steps of this phase
  int left = 0;
  double best_gflops = 0;   ///< best whole call of this tuning case so far; 0: none yet
  double seconds_left = 0;  ///< of the budget
  /// Measurements that an earlier, interrupted tuning left and that are used again: known from the
  /// first report on, the same in all.
  int resumed = 0;
};

/// Told what a tuning does, on the tuning thread. Every function may be left as it is.
class TuneListener {
 public:
  virtual ~TuneListener() = default;
  virtual void progress(const TuneProgress&) {}
  /// A kernel that did not build, failed or computed a wrong result: it is not used.
  virtual void rejected(const std::string& kernel, const std::string& why) {
    (void)kernel;
    (void)why;
  }
  /// One shape is done.
  virtual void tuned(const TunedPoint&) {}
};

/// Tunes this machine. The engine keeps its own profile: give the result to adopt() and
/// store_profile(), then finish the journal. Tuning cases that the budget did not reach are missing
/// from the result, the first of every precision last. \throws DeviceError where there is no device
/// or no kernel gives right results, CpuBlasError, SettingError where the request asks for nothing,
/// Error where the device is lost, or nothing tells energy any more: tuning again with the same
/// journal goes on. `energy` tells it, where the request's goal needs that.
Profile tune(Engine& engine, const TuneRequest& request, Journal& journal, TuneListener& listener,
             CallEnergy* energy = nullptr);

/// "sgemm nn 1024 x 1024 x 1024".
std::string tuning_case_text(Precision precision, Op op_a, Op op_b, const Shape& shape);

}  // namespace duoblas
