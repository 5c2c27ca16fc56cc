// The results of a tuning, stored as soon as they are known. An interrupted tuning goes on from
// here, and a kernel that crashed or hung is not tried again.
//
// A journal is a header and the tunings that were begun, one after another. A tuning consists of
// its request, then tuning cases and measured batches in order. A resumed tuning asks the same
// questions in the same order, and gets the recorded answers as long as the questions are the same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/journal_file.hpp"
#include "tuner/journal_lines.hpp"

namespace duoblas {

class Journal {
 public:
  /// In memory only.
  Journal();
  /// Continues the file, or begins it. If it is damaged, or of another version, machine or kernel
  /// source, it is kept under another name, and story() says so. `fresh`: a good one is set aside
  /// too; only its crashed and hung kernels are remembered. \throws SettingError if the file cannot
  /// be written.
  Journal(const std::string& path, const JournalHeader& header, bool fresh);

  /// What was set aside and why; empty: nothing.
  const std::string& story() const { return story_; }

  /// Whether the last tuning asked for the same and was finished.
  bool is_done(const std::string& request) const;
  /// Begins a tuning with this request. True: the last one had the same request, and its
  /// measurements will be used.
  bool begin(const std::string& request);
  void finish();

  /// The result of trying this kernel in any earlier tuning.
  std::optional<KernelVerdict> verdict(const KernelParams& kernel, const std::string& tuning_case);
  /// Call it before a child gets the kernel.
  void trying(const KernelParams& kernel, const std::string& tuning_case);
  void tried(const KernelParams& kernel, const std::string& tuning_case,
             const KernelVerdict& verdict);
  /// The tuning ends, and no kernel that was begun is to blame. Where that cannot be written, the
  /// next tuning may think otherwise.
  void interrupted() noexcept;

  /// The budget of this tuning case; the recorded one if the tuning is resumed.
  double begin_case(const std::string& tuning_case, double budget_seconds) {
    return begin_case(journal::Case{tuning_case, budget_seconds, 0}).budget_seconds;
  }
  journal::Case begin_case(const journal::Case& tuning_case);
  /// The outcomes, if this very batch is the journal's next entry.
  std::optional<std::vector<TrialOutcome>> recorded(const SearchSpace& space, const Batch& batch);
  /// Call it before this process runs kernels for the first time.
  void measuring(const std::vector<KernelParams>& kernels);
  void measured(const SearchSpace& space, const Batch& batch,
                const std::vector<TrialOutcome>& outcomes);

  /// The entry of this kernel from an unfinished tuning with the request of begin(). If the kernel
  /// ended a process: from any earlier tuning.
  std::optional<journal::Timed> timed(const std::string& kernel) const;
  /// Call it before this process runs the kernel for the first time, and note() with the result.
  void timing(const std::string& kernel);
  void note(const journal::Timed& timed);

  /// The batches that an interrupted tuning measured for the request of begin().
  int resumed() const { return resumed_; }
  /// Whether the next question will be answered from the file. As long as it is, no decision may
  /// depend on the clock, because earlier decisions are repeated.
  bool replays() const { return next_ < events_.size(); }
  /// The tuning case, or the rounds of the batch, that is next in the file. Nothing if it is the
  /// other, or at the file's end.
  std::optional<std::string> next_case() const;
  std::optional<int> next_rounds() const;
  /// Whether the tuning goes on with a batch of so many rounds, or does something else: as `now`
  /// says, or as it did when the file was written.
  bool goes_on(int rounds, bool now) const { return replays() ? next_rounds() == rounds : now; }

  /// The file in which a signal handler writes journal::interrupted_text; -1: none.
  int descriptor() const { return file_ ? file_->descriptor() : -1; }

 private:
  using Event = std::variant<journal::Case, journal::Measured>;
  struct Tries {
    std::optional<KernelVerdict> verdict;
    int begun = 0;  ///< since the last verdict
  };

  void read(const std::vector<std::string>& lines, const JournalHeader& header);
  void take(const journal::Line& line);
  void forget();
  void survived();
  void blame_running();
  void begin_request(const std::string& request);
  void write(const journal::Line& line);
  void diverge();
  int number_of(const KernelParams& kernel);
  int number_of(const CpuConfig& config);
  void check_kernel(int kernel) const;
  std::vector<journal::TrialLine> lines_of(const SearchSpace& space, const Batch& batch);

  std::unique_ptr<JournalFile> file_;
  std::string story_;
  std::vector<KernelParams> kernels_;
  std::vector<CpuConfig> cpus_;
  std::map<std::pair<int, std::string>, Tries> tries_;
  std::map<int, int> unfinished_runs_;  ///< kernels whose first run ended this process
  std::vector<int> running_;
  std::map<std::string, journal::Timed> timed_;    ///< of the current request, or ended a process
  std::map<std::string, int> unfinished_timings_;  ///< kernels during which a tuning ended
  std::string timing_;
  std::string request_;
  bool done_ = false;
  std::vector<Event> events_;  ///< of the current request
  std::size_t next_ = 0;
  int resumed_ = 0;
};

}  // namespace duoblas
