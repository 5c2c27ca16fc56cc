// The parent's half of kernel_trials.hpp: hands out the jobs, and collects the verdicts.
#include "tuner/kernel_trials.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include <duoblas/error.hpp>

#include "os/child_process.hpp"
#include "tuner/trial_place.hpp"

namespace duoblas {
namespace {

struct Seat {
  explicit Seat(const KernelTrialOptions& options) : place(options) {}

  TrialPlace place;
  std::size_t job = 0;  // while the place is busy
  bool given_up = false;
};

// One call of try_all().
class Round {
 public:
  Round(std::deque<Seat>& seats, const std::vector<KernelJob>& jobs, const BeginListener& begins)
      : seats_(seats), jobs_(jobs), begins_(begins), waiting_(jobs.size()), begun_(jobs.size()) {
    std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
    for (Seat& seat : seats_) seat.given_up = false;
  }
  // After an exception nobody waits for the verdicts.
  ~Round() {
    for (Seat& seat : seats_)
      if (seat.place.busy()) seat.place.give_up();
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  void hand_out() {
    for (Seat& seat : seats_) {
      if (seat.given_up || seat.place.busy() || waiting_.empty()) continue;
      seat.job = waiting_.front();
      waiting_.pop_front();
      if (begins_ && !begun_[seat.job]) begins_(seat.job);
      begun_[seat.job] = true;
      guarded(seat, [&]() -> std::optional<KernelVerdict> {
        seat.place.begin(jobs_[seat.job]);
        return std::nullopt;
      });
    }
  }

  // Waits for an answer, the end of a child, or a time-out.
  template <typename Told>
  void wait(Told&& told) {
    std::vector<int> channels;
    std::vector<Seat*> busy;
    double seconds = 3600;
    for (Seat& seat : seats_) {
      if (!seat.place.busy()) continue;
      channels.push_back(seat.place.channel());
      busy.push_back(&seat);
      seconds = std::clamp(seat.place.seconds_left(), 0.0, seconds);
    }
    if (busy.empty()) return;  // a child could not be started: its job is handed out again
    const std::vector<bool> heard =
        channels_with_output(channels, static_cast<int>(std::ceil(seconds * 1000)));
    for (std::size_t i = 0; i < busy.size(); ++i) {
      Seat& seat = *busy[i];
      const bool can_hear = heard[i];
      if (auto verdict = guarded(seat, [&] { return seat.place.look(can_hear); }))
        told(seat.job, std::move(*verdict));
    }
  }

 private:
  // Closes a seat that can have no child, if there are others.
  template <typename Act>
  std::optional<KernelVerdict> guarded(Seat& seat, Act&& act) {
    try {
      return act();
    } catch (const Error& e) {
      seat.given_up = true;
      waiting_.push_front(seat.job);
      if (std::all_of(seats_.begin(), seats_.end(), [](const Seat& s) { return s.given_up; }))
        throw Error(std::string("kernels cannot be tried in a process of their own: ") + e.what());
      return std::nullopt;
    }
  }

  std::deque<Seat>& seats_;
  const std::vector<KernelJob>& jobs_;
  const BeginListener& begins_;
  std::deque<std::size_t> waiting_;
  std::vector<bool> begun_;
};

}  // namespace

struct KernelTrials::State {
  explicit State(KernelTrialOptions given) : options(std::move(given)) {
    if (options.processes < 1 || !(options.time_out_seconds > 0) ||
        !(options.opening_seconds > 0)) {
      throw SettingError("kernels are tried by one process or more, in more than 0 seconds");
    }
    for (int i = 0; i < options.processes; ++i) seats.emplace_back(options);
  }

  const KernelTrialOptions options;
  std::deque<Seat> seats;
};

KernelTrials::KernelTrials(KernelTrialOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

KernelTrials::~KernelTrials() = default;

std::vector<KernelVerdict> KernelTrials::try_all(const std::vector<KernelJob>& jobs,
                                                 const VerdictListener& listener,
                                                 const BeginListener& begins) {
  std::vector<KernelVerdict> verdicts(jobs.size());
  std::size_t left = jobs.size();
  Round round(state_->seats, jobs, begins);
  while (left > 0) {
    round.hand_out();
    round.wait([&](std::size_t job, KernelVerdict verdict) {
      verdicts[job] = std::move(verdict);
      --left;
      if (listener) listener(job, verdicts[job]);
    });
  }
  return verdicts;
}

}  // namespace duoblas
