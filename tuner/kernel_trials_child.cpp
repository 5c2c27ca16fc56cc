// The child's half of kernel_trials.hpp: opens the device, and tries one kernel after another.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include <duoblas/error.hpp>

#include "opencl/status_class.hpp"
#include "tuner/kernel_trial_lines.hpp"
#include "tuner/kernel_verification.hpp"

namespace duoblas {
namespace {

// Standard input and output as they were given: what a kernel or a driver prints goes elsewhere.
class ParentChannel {
 public:
  ParentChannel()
      : in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
        out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    lines_ = fdopen(in_, "r");
  }
  ~ParentChannel() {
    if (lines_ != nullptr) fclose(lines_);
    close(out_);
  }
  ParentChannel(const ParentChannel&) = delete;
  ParentChannel& operator=(const ParentChannel&) = delete;

  /// Nothing: the parent has no more to say.
  std::optional<std::string> hear() {
    char* text = nullptr;
    std::size_t room = 0;
    const ssize_t length = lines_ == nullptr ? -1 : getline(&text, &room, lines_);
    std::optional<std::string> line;
    if (length > 0) line.emplace(text, static_cast<std::size_t>(length));
    free(text);
    return line;
  }

  void say(const TrialAnswer& answer) {
    const std::string line = line_of(answer) + "\n";
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t put = write(out_, line.data() + done, line.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return;  // the next hear() finds the end
      done += static_cast<std::size_t>(put);
    }
  }

 private:
  int in_;
  int out_;
  FILE* lines_ = nullptr;
};

TrialAnswer problem(const std::string& why) {
  TrialAnswer answer;
  answer.why = why;
  return answer;
}

TrialAnswer verdict(Verdict verdict, const std::string& why = "") {
  TrialAnswer answer;
  answer.say = TrialAnswer::Say::verdict;
  answer.verdict.verdict = verdict;
  answer.verdict.why = why;
  return answer;
}

// What failed, and the first lines of the build log; the options between are the kernel's name in
// another form.
std::string first_lines(const std::string& message) {
  constexpr int most_lines = 6;
  constexpr std::size_t most_bytes = 1000;
  std::istringstream lines(message);
  std::string text, line;
  for (int taken = 0; taken < most_lines && std::getline(lines, line);) {
    if (line.empty() || line.starts_with("options: ")) continue;
    text += (text.empty() ? "" : "\n") + line;
    ++taken;
  }
  return text.substr(0, most_bytes);
}

// The subjects of late. The newest is kept whatever its size.
class Verifications {
 public:
  explicit Verifications(Engine& engine) : engine_(engine) {}

  KernelVerification& of(const VerifiedSubject& subject) {
    for (auto known = kept_.begin(); known != kept_.end(); ++known) {
      if ((*known)->subject() != subject) continue;
      kept_.splice(kept_.begin(), kept_, known);
      return *kept_.front();
    }
    // Room first: two of the largest need not fit together.
    std::size_t bytes = 0, count = 1;
    for (auto known = kept_.begin(); known != kept_.end();) {
      bytes += (*known)->bytes();
      known = ++count > most_kept || bytes > most_bytes ? kept_.erase(known) : std::next(known);
    }
    kept_.push_front(std::make_unique<KernelVerification>(
        engine_, subject, engine_.machine().cpu_all_for(subject.precision), seed));
    return *kept_.front();
  }

 private:
  static constexpr std::size_t most_kept = 4;
  static constexpr std::size_t most_bytes = std::size_t{512} << 20;
  static constexpr unsigned seed = 1;

  Engine& engine_;
  std::list<std::unique_ptr<KernelVerification>> kept_;
};

// Memory that another program had for a moment is no kernel's fault: then it is tried once `again`.
TrialAnswer tried(const KernelJob& job, Engine& engine, KernelVerification& verification,
                  bool again = true) {
  try {
    engine.gpu()->prepare(job.kernel, job.precision, job.op_a, job.op_b);
  } catch (const DeviceError& e) {
    return verdict(Verdict::refused, first_lines(e.what()));
  }
  TrialAnswer answer;
  try {
    verification.uneven_seconds(job.kernel, job.sharing);
    answer = verdict(Verdict::right);
    answer.verdict.alone_seconds = verification.full_seconds(job.kernel, job.sharing);
    return answer;
  } catch (const WrongResult& e) {
    answer = verdict(Verdict::wrong, e.what());
  } catch (const DeviceError& e) {
    if (again && cl::status_class(e.code()) == cl::StatusClass::passing_shortage)
      return tried(job, engine, verification, false);
    answer = verdict(Verdict::refused, first_lines(e.what()));
  }
  // What else it wrote, and whether the device is still sane, nobody knows.
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
    parent.say(begun);
    const TrialAnswer answer = tried(job, engine, verification);
    parent.say(answer);
    if (answer.last) return;
  }
}

void answer_parent(ParentChannel& parent) {
  const auto line = parent.hear();
  if (!line) return;
  TrialGreeting greeting = greeting_from(*line);
  greeting.settings.check = CheckMode::off;  // kernels are tried here as they are to be used
  // It may have ended before this process asked to end with it.
  if (getppid() != greeting.parent) return;
  Engine engine(greeting.settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.gpu_problem());
  TrialAnswer ready;
  ready.say = TrialAnswer::Say::ready;
  parent.say(ready);
  try_what_comes(parent, engine);
}

}  // namespace

int run_kernel_trials() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Crashes are expected here, and nobody wants the cores.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  ParentChannel parent;
  try {
    answer_parent(parent);
    return 0;
  } catch (const std::bad_alloc&) {
    parent.say(problem("memory is short: give smaller sizes"));
  } catch (const std::exception& e) {
    parent.say(problem(e.what()));
  }
  return 1;
}

}  // namespace duoblas
