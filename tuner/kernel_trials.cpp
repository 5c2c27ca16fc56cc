// The parent's half of kernel_trials.hpp: starts children, hands out jobs, and keeps the time.
#include "tuner/kernel_trials.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <utility>

#include <duoblas/error.hpp>

#include "cpu/child_process.hpp"
#include "tuner/kernel_trial_lines.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;

// After 64 compiled variants a process no longer compiles sizes in (gpu/product.cpp): it would try
// another kernel than it was told to. A job makes three.
constexpr int most_jobs_of_a_process = 20;
// No answer is longer; what is, is no answer.
constexpr std::size_t longest_line = 64u << 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// 0.5 -> "0.5 s", 30 -> "30 s".
std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

// One place for a child, and the job that it has.
struct Place {
  enum class Doing {
    nothing,    // no child, or one that waits for a job
    opening,    // the device
    preparing,  // the reference of the job's shape
    trying,     // the job's kernel
    retired,    // no child can be had here
  };
  Doing doing = Doing::nothing;
  std::unique_ptr<ChildProcess> child;
  std::string heard;  // of a line whose end is still to come
  std::optional<std::size_t> job;
  int jobs_done = 0;  // by this child
  Clock::time_point since;

  void enter(Doing next) {
    doing = next;
    since = Clock::now();
  }
  void end_child() {
    child.reset();
    heard.clear();
    jobs_done = 0;
    if (doing != Doing::retired) doing = Doing::nothing;
  }
  bool waits_for_child() const {
    return doing == Doing::opening || doing == Doing::preparing || doing == Doing::trying;
  }
};

}  // namespace

struct KernelTrials::State {
  explicit State(KernelTrialOptions given) : options(std::move(given)) {
    if (options.processes < 1 || !(options.time_out_seconds > 0) ||
        !(options.opening_seconds > 0)) {
      throw SettingError("kernels are tried by one process or more, in more than 0 seconds");
    }
    places.resize(static_cast<std::size_t>(options.processes));
  }

  // One call of try_all().
  void begin(const std::vector<KernelJob>& all, const VerdictListener& told) {
    jobs = &all;
    listener = &told;
    verdicts.assign(all.size(), {});
    left = all.size();
    waiting.clear();
    for (std::size_t i = 0; i < all.size(); ++i) waiting.push_back(i);
    for (Place& place : places)
      if (place.doing == Place::Doing::retired) place.doing = Place::Doing::nothing;
  }

  void abandon() {
    for (Place& place : places) {
      place.job.reset();
      if (place.waits_for_child()) place.end_child();
    }
  }

  void hand_out() {
    for (Place& place : places) {
      if (place.doing != Place::Doing::nothing) continue;
      if (!place.job) {
        if (waiting.empty()) continue;
        place.job = waiting.front();
        waiting.pop_front();
      }
      if (place.child && (place.jobs_done >= most_jobs_of_a_process || has_ended(place)))
        place.end_child();
      if (place.child)
        send_job(place);
      else
        start(place);
    }
  }

  void start(Place& place) {
    try {
      place.child = std::make_unique<ChildProcess>(
          std::vector<std::string>{options.helper_program, kernel_trials_argument});
    } catch (const Error& e) {
      return retire(place, e.what());
    }
    place.enter(Place::Doing::opening);
    // Where it does not listen, its silence or its end says more.
    place.child->send(line_of(TrialGreeting{getpid(), options.settings}) + "\n");
  }

  void send_job(Place& place) {
    place.enter(Place::Doing::preparing);
    place.child->send(line_of((*jobs)[*place.job]) + "\n");
  }

  // A child that waits for a job has nothing to say.
  static bool has_ended(Place& place) {
    return !place.child->receive(place.heard) || !place.heard.empty();
  }

  // Until something happens: an answer, an end, or a time-out.
  void wait() {
    std::vector<pollfd> channels;
    std::vector<Place*> owners;
    double seconds = options.opening_seconds;
    for (Place& place : places) {
      if (!place.waits_for_child()) continue;
      channels.push_back({place.child->channel(), POLLIN, 0});
      owners.push_back(&place);
      seconds = std::min(seconds, seconds_left(place));
    }
    if (owners.empty()) return;  // a child could not be started: its job is handed out again
    const int milliseconds = static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 3600.0) * 1000));
    const int ready = poll(channels.data(), static_cast<nfds_t>(channels.size()), milliseconds);
    if (ready < 0 && errno != EINTR && errno != EAGAIN)
      throw Error(std::string("cannot wait for child processes: ") + std::strerror(errno));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (ready > 0 && channels[i].revents != 0) hear(*owners[i]);
      if (owners[i]->waits_for_child() && seconds_left(*owners[i]) <= 0) time_out(*owners[i]);
    }
  }

  double seconds_left(const Place& place) const {
    const bool trying = place.doing == Place::Doing::trying;
    return (trying ? options.time_out_seconds : options.opening_seconds) -
           seconds_since(place.since);
  }

  void hear(Place& place) {
    const bool more = place.child->receive(place.heard);
    for (std::size_t end; place.child && (end = place.heard.find('\n')) != std::string::npos;) {
      const std::string line = place.heard.substr(0, end);
      place.heard.erase(0, end + 1);
      answered(place, line);
    }
    if (!place.child || !place.waits_for_child()) return;
    if (place.heard.size() > longest_line) return failed(place, "answers what cannot be read");
    if (more) return;
    const std::string end = describe(place.child->end());
    const std::string words = place.child->last_words();
    failed(place, words.empty() ? end : end + ": " + words);
  }

  void answered(Place& place, const std::string& line) {
    using Say = TrialAnswer::Say;
    TrialAnswer answer;
    try {
      answer = answer_from(line);
    } catch (const Error&) {
      return failed(place, "answers what cannot be read");
    }
    if (answer.say == Say::problem) {
      retire(place, answer.why);
    } else if (place.doing == Place::Doing::opening && answer.say == Say::ready) {
      send_job(place);
    } else if (place.doing == Place::Doing::preparing && answer.say == Say::begun) {
      place.enter(Place::Doing::trying);
    } else if (place.doing == Place::Doing::trying && answer.say == Say::verdict) {
      const double seconds = seconds_since(place.since);
      ++place.jobs_done;
      place.enter(Place::Doing::nothing);
      if (answer.last) place.end_child();
      settle(place, std::move(answer.verdict), seconds);
    } else {
      failed(place, "answers out of turn");
    }
  }

  void time_out(Place& place) {
    if (place.doing == Place::Doing::opening) {
      return retire(place, "the device was not opened within " +
                               seconds_text(options.opening_seconds) + " by " +
                               options.helper_program);
    }
    if (place.doing == Place::Doing::preparing) {
      return retire(place, "the CPU did not compute the reference within " +
                               seconds_text(options.opening_seconds) + ": give smaller sizes");
    }
    KernelVerdict verdict;
    verdict.verdict = Verdict::hung;
    verdict.why = "not done within " + seconds_text(options.time_out_seconds);
    const double seconds = seconds_since(place.since);
    place.end_child();
    settle(place, std::move(verdict), seconds);
  }

  // The child is of no use any more. `what` it did is a sentence without its subject.
  void failed(Place& place, const std::string& what) {
    const Place::Doing doing = place.doing;
    const bool fresh = place.jobs_done == 0;
    const double seconds = seconds_since(place.since);
    if (doing == Place::Doing::opening)
      return retire(place, options.helper_program + " does not try kernels: it " + what);
    if (fresh && doing == Place::Doing::preparing)
      return retire(place, "the process that computes the reference " + what);
    place.end_child();
    // An earlier kernel may have damaged it: the same job again, in a new one.
    if (!fresh) return;
    KernelVerdict verdict;
    verdict.verdict = Verdict::crashed;
    verdict.why = "the process that tried it " + what;
    settle(place, std::move(verdict), seconds);
  }

  // The place is ready for its next job: a listener that throws leaves nothing half done.
  void settle(Place& place, KernelVerdict verdict, double seconds) {
    verdict.seconds = seconds;
    const std::size_t job = *place.job;
    place.job.reset();
    verdicts[job] = std::move(verdict);
    --left;
    if (*listener) (*listener)(job, verdicts[job]);
  }

  // The others do without this place, while there are others.
  void retire(Place& place, const std::string& why) {
    place.end_child();
    place.doing = Place::Doing::retired;
    if (place.job) waiting.push_front(*place.job);
    place.job.reset();
    const bool none = std::all_of(places.begin(), places.end(), [](const Place& other) {
      return other.doing == Place::Doing::retired;
    });
    if (none) throw Error("kernels cannot be tried in a process of their own: " + why);
  }

  const KernelTrialOptions options;
  std::vector<Place> places;
  const std::vector<KernelJob>* jobs = nullptr;
  const VerdictListener* listener = nullptr;
  std::vector<KernelVerdict> verdicts;
  std::deque<std::size_t> waiting;
  std::size_t left = 0;
};

KernelTrials::KernelTrials(KernelTrialOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

KernelTrials::~KernelTrials() = default;

std::vector<KernelVerdict> KernelTrials::try_all(const std::vector<KernelJob>& jobs,
                                                 const VerdictListener& listener) {
  state_->begin(jobs, listener);
  try {
    while (state_->left > 0) {
      state_->hand_out();
      state_->wait();
    }
  } catch (...) {
    state_->abandon();
    throw;
  }
  return std::move(state_->verdicts);
}

}  // namespace duoblas
