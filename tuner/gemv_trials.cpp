#include "tuner/gemv_trials.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/gpu_side.hpp"
#include "gpu/streams/gemv.hpp"
#include "os/process.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/trial_child.hpp"

namespace duoblas {
namespace {

// "4096 dgemv t, v4 32x1 lines 1 unroll 8"
std::vector<TriedProgram> programs_from(const OpenedDevice& device, std::string line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  const std::size_t space = line.find(' ');
  const std::string words = space == std::string::npos ? "" : line.substr(space + 1);
  GemvProblem problem;
  problem.rows = problem.columns = std::atol(line.c_str());
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true}) {
      const std::string start = gemv_name(precision, transposes) + ", ";
      if (!words.starts_with(start)) continue;
      problem.precision = precision;
      problem.transposes = transposes;
      return gemv_programs(device, problem, gemv_kernel_from(words.substr(start.size())));
    }
  throw Error("\"" + line + "\" is no kernel to try");
}

std::string found_wrong(OpenedDevice& device, const std::vector<TriedProgram>& programs) {
  constexpr std::uint64_t seed = 1;
  for (const TriedProgram& tried : programs) {
    BuiltProgram& built = device.kernels.get(
        tried.number, tried.program, [](BuiltProgram&, std::uint64_t) { return std::string(); });
    std::string wrong = tried.trial(device, built, seed);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

TrialAnswer tried(Engine& engine, const std::vector<TriedProgram>& programs) {
  try {
    const std::string wrong = found_wrong(*engine.gpu()->device(), programs);
    if (wrong.empty()) return verdict_answer(Verdict::right);
    TrialAnswer answer = verdict_answer(Verdict::wrong, wrong);
    answer.last = true;  // what else it wrote nobody knows
    return answer;
  } catch (const DeviceError& e) {
    TrialAnswer answer = refused_answer(engine, e);
    answer.last = true;
    return answer;
  }
}

}  // namespace

KernelVerdict GemvTrials::verdict(const std::string& kernel, std::int64_t size) {
  broken_compilers_ = 0;
  return tried(kernel, size);
}

KernelVerdict GemvTrials::tried(const std::string& kernel, std::int64_t size) {
  if (!child_) start();
  const Stopwatch watch;
  child_->send(std::to_string(size) + ' ' + kernel + "\n");
  const auto line = hear(options_.time_out_seconds);
  KernelVerdict verdict;
  if (line) {
    const TrialAnswer answer = answer_from(*line);
    if (answer.say == TrialAnswer::Say::builds_nothing)
      return tried_again(kernel, size, answer.why);
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
    if (!hangs && tried_ > 0) return tried(kernel, size);
  }
  verdict.seconds = watch.seconds();
  return verdict;
}

// As TrialPlace::doubt_compiler().
KernelVerdict GemvTrials::tried_again(const std::string& kernel, std::int64_t size,
                                      const std::string& why) {
  if (tried_ == 0) ++broken_compilers_;
  child_.reset();
  start(true);
  if (broken_compilers_ >= enough_broken_compilers) return verdict_on_a_broken_compiler(why);
  return tried(kernel, size);
}

void GemvTrials::start(bool builds_first) {
  child_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{options_.helper_program, gemv_trials_argument});
  heard_.clear();
  tried_ = 0;
  child_->send(line_of(TrialGreeting{process_id(), builds_first, options_.settings}) + "\n");
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
    constexpr double longest_wait = 1e9;  // ms, which fit into an int
    if (child_->has_output(static_cast<int>(std::min(std::ceil(left * 1000), longest_wait))))
      more = child_->receive(heard_);
  }
}

int run_gemv_trials() {
  return run_trial_child([](ParentChannel& parent, Engine& engine) {
    while (const auto line = parent.hear()) {
      const TrialAnswer answer = tried(engine, programs_from(*engine.gpu()->device(), *line));
      parent.say(line_of(answer));
      if (answer.last) return;
    }
  });
}

}  // namespace duoblas
