#include "tuner/trial_place.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "os/process.hpp"
#include "tuner/trial_child.hpp"

namespace duoblas {
namespace {

// After 64 compiled variants a process compiles no more sizes into kernels
// (gpu/product/product.cpp). It would then try another kernel than the job's. A job compiles three
// variants.
constexpr int most_jobs_of_a_process = 20;
// A longer line is no answer.
constexpr std::size_t longest_line = 64u << 10;

// 0.5 -> "0.5 s", 30 -> "30 s".
std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

KernelVerdict verdict_of(Verdict verdict, const std::string& why, double seconds) {
  KernelVerdict result;
  result.verdict = verdict;
  result.why = why;
  result.seconds = seconds;
  return result;
}

}  // namespace

void TrialPlace::begin(const KernelJob& job) {
  job_ = line_of(job) + "\n";
  broken_compilers_ = 0;
  if (child_ && (jobs_done_ >= most_jobs_of_a_process || has_ended())) end_child();
  if (child_)
    send_job();
  else
    start();
}

void TrialPlace::give_up() {
  end_child();
}

double TrialPlace::seconds_left() const {
  const bool trying = doing_ == Doing::trying;
  return (trying ? options_.time_out_seconds : options_.opening_seconds) - seconds();
}

std::optional<KernelVerdict> TrialPlace::look(bool can_hear) {
  if (can_hear) {
    if (auto verdict = hear()) return verdict;
  }
  if (seconds_left() <= 0) return timed_out();
  return std::nullopt;
}

void TrialPlace::start(bool builds_first) {
  child_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{options_.helper_program, kernel_trials_argument});
  ++starts_;
  enter(Doing::opening);
  // A failure to send is ignored: the child's silence or its end says more.
  child_->send(line_of(TrialGreeting{process_id(), builds_first, options_.settings}) + "\n");
}

void TrialPlace::send_job() {
  enter(Doing::preparing);
  child_->send(job_);
}

void TrialPlace::enter(Doing doing) {
  doing_ = doing;
  watch_ = {};
}

void TrialPlace::end_child() {
  child_.reset();
  heard_.clear();
  jobs_done_ = 0;
  doing_ = Doing::nothing;
}

// A child that waits for a job is silent, so what it says or its closed channel means its end.
bool TrialPlace::has_ended() {
  return !child_->receive(heard_) || !heard_.empty();
}

double TrialPlace::seconds() const {
  return watch_.seconds();
}

std::optional<KernelVerdict> TrialPlace::hear() {
  const bool more = child_->receive(heard_);
  const int starts = starts_;
  for (std::size_t end; busy() && (end = heard_.find('\n')) != std::string::npos;) {
    const std::string line = heard_.substr(0, end);
    heard_.erase(0, end + 1);
    if (auto verdict = answered(line)) return verdict;
    if (starts_ != starts) return std::nullopt;  // nothing is known of the new child yet
  }
  if (heard_.size() > longest_line) return failed("answers what cannot be read");
  if (more) return std::nullopt;
  const std::string end = describe(child_->end());
  const std::string words = child_->last_words();
  return failed(words.empty() ? end : end + ": " + words);
}

std::optional<KernelVerdict> TrialPlace::answered(const std::string& line) {
  using Say = TrialAnswer::Say;
  TrialAnswer answer;
  try {
    answer = answer_from(line);
  } catch (const Error&) {
    return failed("answers what cannot be read");
  }
  if (answer.say == Say::problem) end_with_error(answer.why);
  if (doing_ == Doing::opening && answer.say == Say::ready) {
    if (broken_compilers_ >= enough_broken_compilers) {
      KernelVerdict verdict = verdict_on_a_broken_compiler(why_broken_);
      verdict.seconds = seconds();
      enter(Doing::nothing);
      return verdict;
    }
    send_job();
  } else if (doing_ == Doing::preparing && answer.say == Say::begun) {
    enter(Doing::trying);
  } else if (doing_ == Doing::trying && answer.say == Say::builds_nothing) {
    doubt_compiler(answer.why);
  } else if (doing_ == Doing::trying && answer.say == Say::verdict) {
    answer.verdict.seconds = seconds();
    ++jobs_done_;
    enter(Doing::nothing);
    if (answer.last) end_child();
    return std::move(answer.verdict);
  } else {
    return failed("answers out of turn");
  }
  return std::nullopt;
}

KernelVerdict TrialPlace::timed_out() {
  const std::string limit = seconds_text(options_.opening_seconds);
  if (doing_ == Doing::opening)
    end_with_error("the device was not opened within " + limit + " by " + options_.helper_program);
  if (doing_ == Doing::preparing)
    end_with_error("the CPU did not compute the reference within " + limit +
                   ": give smaller sizes");
  KernelVerdict verdict = verdict_of(
      Verdict::hung, "not done within " + seconds_text(options_.time_out_seconds), seconds());
  end_child();
  return verdict;
}

// The child cannot be used any more. `what` it did is a sentence without its subject.
std::optional<KernelVerdict> TrialPlace::failed(const std::string& what) {
  if (doing_ == Doing::opening)
    end_with_error(options_.helper_program + " does not try kernels: it " + what);
  if (jobs_done_ > 0) {
    // An earlier kernel may have damaged the child. So a new one gets the same job.
    end_child();
    start();
    return std::nullopt;
  }
  if (doing_ == Doing::preparing) end_with_error("the process that computes the reference " + what);
  KernelVerdict verdict =
      verdict_of(Verdict::crashed, "the process that tried it " + what, seconds());
  end_child();
  return verdict;
}

// Whose fault it is, a new child finds out, which must build something before it gets the same job.
void TrialPlace::doubt_compiler(const std::string& why) {
  if (jobs_done_ == 0) ++broken_compilers_;
  why_broken_ = why;
  end_child();
  start(true);
}

void TrialPlace::end_with_error(const std::string& why) {
  end_child();
  throw Error(why);
}

}  // namespace duoblas
