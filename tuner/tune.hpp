// Co-tuning: kernel and split together, judged by the time of the whole call with both sides at
// work.
//
//   tune                        the journal, the time, the tuning cases in order
//     |- fastest_cpu            core type and threads of the CPU BLAS
//     |- per tuning case:
//     |    |- seeded_kernels    what was learnt before comes first
//     |    |- run_search        a strategy asks, LiveEvaluator measures (kernels first in a child)
//     |    `- decide            finer shares, a check of the results, the best few compared
//     |- measured_again         do the main choices hold? Those that do not move
//     `- measure_crossover      from which size the GPU is worth its overhead
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "profile/profile.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

class CallEnergy;
class Journal;

/// What a tuning is at. `last_round`: the main products are measured again.
enum class TunePhase { cpu, search, final_comparison, last_round, crossover, updates };

/// The progress of a tuning.
struct TuneProgress {
  TunePhase phase = TunePhase::cpu;
  std::string tuning_case;  ///< what is being tuned: "sgemm nn 1024 x 1024 x 1024"
  int done = 0;             ///< steps of this phase
  int left = 0;
  double best_gflops = 0;   ///< best whole call of this tuning case so far; 0: none yet
  double seconds_left = 0;  ///< of the budget
  /// Measurements of an interrupted tuning that are used again. Known from the first report on, and
  /// the same in all.
  int resumed = 0;
};

/// Gets reports on the tuning thread. Every function may be left as it is.
class TuneListener {
 public:
  virtual ~TuneListener() = default;
  virtual void progress(const TuneProgress&) {}
  /// A kernel that did not build, failed or computed a wrong result; it is not used.
  virtual void rejected(const std::string& kernel, const std::string& why) {
    (void)kernel;
    (void)why;
  }
  /// One shape is done.
  virtual void tuned(const TunedPoint&) {}
};

/// Tunes this machine; types of one arithmetic only (by_arithmetic()). The engine keeps its own
/// profile: give the result to adopt() and store_profile(), then finish the journal. Tuning cases
/// that the budget did not reach are missing from the result; the first of every precision are the
/// last to be missing. `energy` measures energy, if the request's goal needs that. \throws
/// DeviceError if there is no device or no kernel gives right results; CpuBlasError; SettingError
/// if the request asks for nothing; Error if the device is lost or energy can no longer be
/// measured. Tuning again with the same journal then goes on.
Profile tune(Engine& engine, const TuneRequest& request, Journal& journal, TuneListener& listener,
             CallEnergy* energy = nullptr);

/// "sgemm nn 1024 x 1024 x 1024".
std::string tuning_case_text(Precision precision, Op op_a, Op op_b, const Shape& shape);

}  // namespace duoblas
