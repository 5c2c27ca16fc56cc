#include "tuner/journal.hpp"

#include <algorithm>
#include <variant>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// A tuning may have ended because its user interrupted it. If two ended in the same kernel, that
// kernel is the reason.
constexpr int too_often = 2;

}  // namespace

Journal::Journal() = default;

Journal::Journal(const std::string& path, const JournalHeader& header, bool fresh)
    : file_(std::make_unique<JournalFile>(path)) {
  const auto lines = file_->take_lines();
  if (file_->was_empty()) {
    write(header);
    return;
  }
  std::string reason;
  try {
    if (lines.empty()) throw SettingError("it has not a single line");
    read(lines, header);
    file_->repair();
    if (!fresh) return;
  } catch (const SettingError& e) {
    reason = e.what();
  }
  const std::string kept = file_->set_aside(reason.empty() ? ".old" : ".unusable");
  if (!reason.empty())
    story_ = "the journal of earlier tunings cannot be used: " + reason + "; it is kept as " + kept;
  const auto kernels = std::move(kernels_);
  const auto tries = std::move(tries_);
  const auto timed = std::move(timed_);
  forget();
  write(header);
  if (!reason.empty()) return;
  for (const auto& [key, known] : tries)
    if (known.verdict && ended_a_process(known.verdict->verdict))
      tried(kernels[static_cast<std::size_t>(key.first)], key.second, *known.verdict);
  for (const auto& [kernel, known] : timed)
    if (known.ended_a_process) note(known);
}

void Journal::forget() {
  kernels_.clear();
  cpus_.clear();
  tries_.clear();
  unfinished_runs_.clear();
  running_.clear();
  request_.clear();
  done_ = false;
  events_.clear();
  timed_.clear();
  unfinished_timings_.clear();
  timing_.clear();
}

void Journal::read(const std::vector<std::string>& lines, const JournalHeader& header) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      const journal::Line line = journal::from_text(lines[i]);
      if (i > 0) {
        take(line);
        continue;
      }
      const auto* found = std::get_if<JournalHeader>(&line);
      // Compared as they are stored: bytes that are no UTF-8 are replaced there.
      const journal::Line wanted = journal::from_text(journal::to_text(header));
      if (found == nullptr) throw SettingError("there is no header");
      if (!(*found == std::get<JournalHeader>(wanted)))
        throw SettingError("it is of another device, driver, processor or version of the kernels");
    } catch (const SettingError& e) {
      throw SettingError("line " + std::to_string(i + 1) + ": " + e.what());
    }
  }
  blame_running();
}

// The process that wrote the lines so far ended while it ran these kernels.
void Journal::blame_running() {
  for (const int kernel : running_) ++unfinished_runs_[kernel];
  running_.clear();
  if (!timing_.empty()) ++unfinished_timings_[timing_];
  timing_.clear();
}

void Journal::check_kernel(int kernel) const {
  if (kernel < 0 || static_cast<std::size_t>(kernel) >= kernels_.size())
    throw SettingError("a kernel's number is unknown");
}

void Journal::take(const journal::Line& line) {
  using namespace journal;
  if (const auto* l = std::get_if<Kernel>(&line)) {
    kernels_.push_back(l->params);
  } else if (const auto* c = std::get_if<Cpu>(&line)) {
    cpus_.push_back(c->config);
  } else if (const auto* trying = std::get_if<Trying>(&line)) {
    check_kernel(trying->kernel);
    ++tries_[{trying->kernel, trying->tuning_case}].begun;
  } else if (const auto* tried = std::get_if<Tried>(&line)) {
    check_kernel(tried->kernel);
    tries_[{tried->kernel, tried->tuning_case}] = {tried->verdict, 0};
  } else if (const auto* request = std::get_if<Request>(&line)) {
    blame_running();  // this was a new process
    begin_request(request->text);
  } else if (const auto* tuning_case = std::get_if<Case>(&line)) {
    events_.emplace_back(*tuning_case);
  } else if (const auto* measuring = std::get_if<Measuring>(&line)) {
    running_ = measuring->kernels;
  } else if (const auto* measured = std::get_if<Measured>(&line)) {
    survived();
    for (const TrialLine& trial : measured->trials) {
      check_kernel(trial.kernel);
      if (static_cast<std::size_t>(trial.cpu) >= cpus_.size())
        throw SettingError("the number of a CPU configuration is unknown");
    }
    events_.emplace_back(*measured);
  } else if (const auto* diverged = std::get_if<Diverged>(&line)) {
    if (static_cast<std::size_t>(diverged->kept) > events_.size())
      throw SettingError("more is kept than there is");
    events_.resize(static_cast<std::size_t>(diverged->kept));
  } else if (const auto* timed = std::get_if<Timed>(&line)) {
    timed_[timed->kernel] = *timed;
    unfinished_timings_.erase(timed->kernel);
    timing_.clear();
  } else if (const auto* timing = std::get_if<Timing>(&line)) {
    timing_ = timing->kernel;
  } else if (std::holds_alternative<Interrupted>(line)) {
    running_.clear();
    timing_.clear();
    for (auto& [key, tries] : tries_) tries.begun = 0;
  } else if (std::holds_alternative<Done>(line)) {
    done_ = true;
  } else {
    throw SettingError("a second header");
  }
}

void Journal::survived() {
  for (const int kernel : running_) unfinished_runs_.erase(kernel);
  running_.clear();
}

void Journal::write(const journal::Line& line) {
  if (file_) file_->append(journal::to_text(line));
}

// Keeps what was measured for the same request, even if that was finished: its profile is missing
// then, or it would not be tuned again.
void Journal::begin_request(const std::string& request) {
  if (request != request_) events_.clear();
  if (request != request_ || done_)
    std::erase_if(timed_, [](const auto& each) { return !each.second.ended_a_process; });
  request_ = request;
  done_ = false;
}

bool Journal::is_done(const std::string& request) const {
  return done_ && request == request_;
}

bool Journal::begin(const std::string& request) {
  next_ = 0;
  begin_request(request);
  write(journal::Request{request});
  resumed_ = static_cast<int>(std::ranges::count_if(
      events_, [](const Event& e) { return std::holds_alternative<journal::Measured>(e); }));
  return !events_.empty();
}

void Journal::finish() {
  done_ = true;
  write(journal::Done{});
}

int Journal::number_of(const KernelParams& kernel) {
  const auto found = std::ranges::find(kernels_, kernel);
  const auto number = static_cast<int>(found - kernels_.begin());
  if (found == kernels_.end()) {
    kernels_.push_back(kernel);
    write(journal::Kernel{kernel});
  }
  return number;
}

int Journal::number_of(const CpuConfig& config) {
  // The library's path is no part of what is stored.
  CpuConfig stored = config;
  stored.library.clear();
  const auto found = std::ranges::find(cpus_, stored);
  const auto number = static_cast<int>(found - cpus_.begin());
  if (found == cpus_.end()) {
    cpus_.push_back(stored);
    write(journal::Cpu{stored});
  }
  return number;
}

std::optional<KernelVerdict> Journal::verdict(const KernelParams& kernel,
                                              const std::string& tuning_case) {
  const auto number = static_cast<int>(std::ranges::find(kernels_, kernel) - kernels_.begin());
  if (const auto runs = unfinished_runs_.find(number);
      runs != unfinished_runs_.end() && runs->second >= too_often)
    return KernelVerdict{Verdict::crashed, "a tuning ended twice while it was run", 0, 0};
  const auto found = tries_.find({number, tuning_case});
  if (found == tries_.end()) return std::nullopt;
  if (found->second.begun >= too_often)
    return KernelVerdict{Verdict::crashed, "a tuning ended twice while it was tried", 0, 0};
  return found->second.verdict;
}

void Journal::trying(const KernelParams& kernel, const std::string& tuning_case) {
  const int number = number_of(kernel);
  ++tries_[{number, tuning_case}].begun;
  write(journal::Trying{number, tuning_case});
}

void Journal::tried(const KernelParams& kernel, const std::string& tuning_case,
                    const KernelVerdict& verdict) {
  const int number = number_of(kernel);
  tries_[{number, tuning_case}] = {verdict, 0};
  write(journal::Tried{number, tuning_case, verdict});
}

void Journal::interrupted() noexcept try {
  for (auto& [key, tries] : tries_) tries.begun = 0;
  write(journal::Interrupted{});
} catch (const std::exception&) {
  // A full disk may be why the tuning ends.
}

std::optional<journal::Timed> Journal::timed(const std::string& kernel) const {
  if (const auto runs = unfinished_timings_.find(kernel);
      runs != unfinished_timings_.end() && runs->second >= too_often)
    return journal::Timed{kernel, 0, "a tuning ended twice while it was timed", true};
  const auto found = timed_.find(kernel);
  if (found == timed_.end()) return std::nullopt;
  return found->second;
}

void Journal::timing(const std::string& kernel) {
  timing_ = kernel;
  write(journal::Timing{kernel});
}

void Journal::note(const journal::Timed& timed) {
  timed_[timed.kernel] = timed;
  unfinished_timings_.erase(timed.kernel);
  timing_.clear();
  write(timed);
}

void Journal::diverge() {
  if (next_ == events_.size()) return;
  events_.resize(next_);
  write(journal::Diverged{static_cast<int>(next_)});
}

std::optional<std::string> Journal::next_case() const {
  const auto* next = replays() ? std::get_if<journal::Case>(&events_[next_]) : nullptr;
  if (next == nullptr) return std::nullopt;
  return next->text;
}

std::optional<int> Journal::next_rounds() const {
  const auto* next = replays() ? std::get_if<journal::Measured>(&events_[next_]) : nullptr;
  if (next == nullptr) return std::nullopt;
  return next->rounds;
}

journal::Case Journal::begin_case(const journal::Case& tuning_case) {
  if (next_case() == tuning_case.text) return std::get<journal::Case>(events_[next_++]);
  diverge();
  events_.emplace_back(tuning_case);
  next_ = events_.size();
  write(tuning_case);
  return tuning_case;
}

std::vector<journal::TrialLine> Journal::lines_of(const SearchSpace& space, const Batch& batch) {
  std::vector<journal::TrialLine> lines;
  for (const Trial& trial : batch.trials) {
    const auto at = [](const auto& list, int i) { return list.at(static_cast<std::size_t>(i)); };
    const Candidate& c = trial.candidate;
    lines.push_back({number_of(at(space.kernels, c.kernel)), at(space.sharings, c.sharing),
                     number_of(at(space.cpus, c.cpu)), c.gpu_parts, space.parts, trial.sides});
  }
  return lines;
}

std::optional<std::vector<TrialOutcome>> Journal::recorded(const SearchSpace& space,
                                                           const Batch& batch) {
  if (!replays()) return std::nullopt;
  const auto* next = std::get_if<journal::Measured>(&events_[next_]);
  if (next == nullptr || next->rounds != batch.rounds || next->trials != lines_of(space, batch)) {
    diverge();
    return std::nullopt;
  }
  ++next_;
  return next->outcomes;
}

void Journal::measuring(const std::vector<KernelParams>& kernels) {
  if (kernels.empty()) return;
  std::vector<int> numbers;
  for (const KernelParams& kernel : kernels) numbers.push_back(number_of(kernel));
  write(journal::Measuring{numbers});
  running_ = numbers;
}

void Journal::measured(const SearchSpace& space, const Batch& batch,
                       const std::vector<TrialOutcome>& outcomes) {
  survived();
  journal::Measured line{lines_of(space, batch), batch.rounds, outcomes};
  write(line);
  events_.emplace_back(std::move(line));
  next_ = events_.size();
}

}  // namespace duoblas
