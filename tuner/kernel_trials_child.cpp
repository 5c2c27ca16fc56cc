// The child's half of kernel_trials.hpp: tries one kernel after another.
#include <iterator>
#include <list>
#include <memory>

#include <duoblas/error.hpp>

#include "opencl/status_class.hpp"
#include "tuner/kernel_verification.hpp"
#include "tuner/trial_child.hpp"

namespace duoblas {
namespace {

// Verifications of the latest tuning cases. The newest is kept whatever its size.
class Verifications {
 public:
  explicit Verifications(Engine& engine) : engine_(engine) {}

  KernelVerification& of(const VerifiedCase& tuning_case) {
    for (auto known = verifications_.begin(); known != verifications_.end(); ++known) {
      if ((*known)->tuning_case() != tuning_case) continue;
      verifications_.splice(verifications_.begin(), verifications_, known);
      return *verifications_.front();
    }
    // Old ones are removed first, because two of the largest need not fit together.
    std::size_t bytes = 0, count = 1;
    for (auto known = verifications_.begin(); known != verifications_.end();) {
      bytes += (*known)->bytes();
      known = ++count > most_at_once || bytes > most_bytes ? verifications_.erase(known)
                                                           : std::next(known);
    }
    verifications_.push_front(std::make_unique<KernelVerification>(
        engine_, tuning_case, engine_.machine().cpu_all_for(tuning_case.precision), seed));
    return *verifications_.front();
  }

 private:
  static constexpr std::size_t most_at_once = 4;
  static constexpr std::size_t most_bytes = std::size_t{512} << 20;
  static constexpr unsigned seed = 1;

  Engine& engine_;
  std::list<std::unique_ptr<KernelVerification>> verifications_;
};

// If memory was short, another program may have had it for a moment. So the kernel is tried once
// `again`.
TrialAnswer tried(const KernelJob& job, Engine& engine, KernelVerification& verification,
                  bool again = true) {
  try {
    engine.gpu()->prepare(job.kernel, job.precision, job.op_a, job.op_b);
  } catch (const DeviceError& e) {
    if (again && cl::may_build_later(e.code())) return tried(job, engine, verification, false);
    return refused_answer(engine, e);
  }
  TrialAnswer answer;
  try {
    verification.uneven_seconds(job.kernel, job.sharing);
    answer = verdict_answer(Verdict::right);
    answer.verdict.alone_seconds = verification.full_seconds(job.kernel, job.sharing);
    return answer;
  } catch (const WrongResult& e) {
    answer = verdict_answer(Verdict::wrong, e.what());
  } catch (const DeviceError& e) {
    if (again && cl::status_class(e.code()) == cl::StatusClass::passing_shortage)
      return tried(job, engine, verification, false);
    answer = verdict_answer(Verdict::refused, first_lines(e.what()));
  }
  // The kernel may have written elsewhere, or damaged the state of the device.
  answer.last = true;
  return answer;
}

void try_what_comes(ParentChannel& parent, Engine& engine) {
  Verifications verifications(engine);
  while (const auto line = parent.hear()) {
    const KernelJob job = job_from(*line);
    KernelVerification& verification =
        verifications.of({job.precision, job.op_a, job.op_b, job.shape});
    TrialAnswer begun;
    begun.say = TrialAnswer::Say::begun;
    parent.say(line_of(begun));
    const TrialAnswer answer = tried(job, engine, verification);
    parent.say(line_of(answer));
    if (answer.last) return;
  }
}

}  // namespace

int run_kernel_trials() {
  return run_trial_child(try_what_comes);
}

}  // namespace duoblas
