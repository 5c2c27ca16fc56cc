#include "tuner/gemv_trials.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <duoblas/error.hpp>

#include "gpu/gemv.hpp"
#include "gpu/gpu_side.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/trial_child.hpp"

namespace duoblas {
namespace {

// "d t 4096 v4 32x1 lines 1 unroll 8": of a square matrix.
std::string line_of(const GemvTrialSubject& subject, const GemvKernel& kernel) {
  return std::string(1, letter(subject.precision)) + (subject.transposes ? " t " : " n ") +
         std::to_string(subject.size) + ' ' + describe(kernel);
}

struct GemvJob {
  GemvProblem problem;
  GemvKernel kernel;
};

GemvJob gemv_job_from(std::string line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  for (const Precision precision : all_precisions) {
    if (line.size() < 4 || line[0] != letter(precision) || line[1] != ' ' || line[3] != ' ')
      continue;
    GemvJob job;
    job.problem.precision = precision;
    job.problem.transposes = line[2] == 't';
    std::size_t digits = 0;
    job.problem.rows = job.problem.columns = std::stol(line.substr(4), &digits);
    job.kernel = gemv_kernel_from(line.substr(4 + digits + 1));
    return job;
  }
  throw Error("\"" + line + "\" is no kernel of gemv to try");
}

// With rows that vectors are aligned to, and with any; at its sizes, where they are compiled in.
std::string found_wrong(OpenedDevice& device, const GemvJob& job) {
  constexpr std::uint64_t seed = 1;
  for (const TriedProgram& tried : gemv_programs(device, job.problem, job.kernel)) {
    BuiltRoutine& built = device.routines.get(
        tried.program, [](BuiltRoutine&, std::uint64_t) { return std::string(); });
    std::string wrong = tried.trial(device, built, seed);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

TrialAnswer tried(OpenedDevice& device, const GemvJob& job) {
  try {
    const std::string wrong = found_wrong(device, job);
    if (wrong.empty()) return verdict_answer(Verdict::right);
    TrialAnswer answer = verdict_answer(Verdict::wrong, wrong);
    answer.last = true;  // what else it wrote nobody knows
    return answer;
  } catch (const DeviceError& e) {
    TrialAnswer answer = verdict_answer(Verdict::refused, first_lines(e.what()));
    answer.last = true;
    return answer;
  }
}

}  // namespace

KernelVerdict GemvTrials::verdict(const GemvTrialSubject& subject, const GemvKernel& kernel) {
  if (!child_) start();
  const Stopwatch watch;
  child_->send(line_of(subject, kernel) + "\n");
  const auto line = hear(options_.time_out_seconds);
  KernelVerdict verdict;
  if (line) {
    const TrialAnswer answer = answer_from(*line);
    if (answer.say != TrialAnswer::Say::verdict) throw Error(answer.why);
    verdict = answer.verdict;
    ++tried_;
    if (answer.last) child_.reset();
  } else {
    const bool hangs = watch.seconds() >= options_.time_out_seconds;
    const ProcessEnd end = child_->end();
    const std::string words = child_->last_words();
    verdict.verdict = hangs ? Verdict::hung : Verdict::crashed;
    verdict.why =
        hangs ? "it did not end in time"
              : "the process that tried it " + describe(end) + (words.empty() ? "" : ": " + words);
    child_.reset();
    if (!hangs && tried_ > 0) return this->verdict(subject, kernel);
  }
  verdict.seconds = watch.seconds();
  return verdict;
}

void GemvTrials::start() {
  child_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{options_.helper_program, gemv_trials_argument});
  heard_.clear();
  tried_ = 0;
  child_->send(duoblas::line_of(TrialGreeting{static_cast<int>(getpid()), options_.settings}) +
               "\n");
  const auto line = hear(options_.opening_seconds);
  const TrialAnswer answer = line ? answer_from(*line) : TrialAnswer();
  if (answer.say == TrialAnswer::Say::ready) return;
  const std::string end = describe(child_->end());
  child_.reset();
  throw Error("kernels cannot be tried in a process of their own: " +
              (answer.why.empty() ? "it " + end : answer.why));
}

std::optional<std::string> GemvTrials::hear(double seconds) {
  const Stopwatch watch;
  for (bool more = true;;) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    const double left = seconds - watch.seconds();
    if (!more || left <= 0) return std::nullopt;
    pollfd channel{child_->channel(), POLLIN, 0};
    constexpr double longest_poll = 1e9;  // ms, which fit into an int
    poll(&channel, 1, static_cast<int>(std::min(std::ceil(left * 1000), longest_poll)));
    if (channel.revents != 0) more = child_->receive(heard_);
  }
}

int run_gemv_trials() {
  return run_trial_child([](ParentChannel& parent, Engine& engine) {
    while (const auto line = parent.hear()) {
      const TrialAnswer answer = tried(*engine.gpu()->device(), gemv_job_from(*line));
      parent.say(answer);
      if (answer.last) return;
    }
  });
}

}  // namespace duoblas
