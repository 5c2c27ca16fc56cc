// What a tuning has learnt, kept on disk as it is learnt: an interrupted tuning goes on from here,
// and a kernel that crashed or hung is not tried again.
//
// A journal is a header and the tunings that were begun, one after another. Of a tuning it holds
// what was asked for, then tuning cases and measured batches in order. A tuning that goes on asks
// the same questions in the same order and gets the recorded answers for as long as they are the
// same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/journal_file.hpp"
#include "tuner/journal_lines.hpp"

namespace duoblas {

class Journal {
 public:
  /// In memory only.
  Journal();
  /// Continues the file, or begins it. One that is damaged, of another version or of another
  /// machine or kernel source is kept under another name, and story() says so. `fresh`: so is one
  /// that is good, and only crashed and hung kernels are remembered from it. \throws SettingError
  /// where the file cannot be written.
  Journal(const std::string& path, const JournalHeader& header, bool fresh);

  /// What had to be set aside and why; empty: nothing.
  const std::string& story() const { return story_; }

  /// Whether the last tuning asked for the same and was finished.
  bool is_done(const std::string& request) const;
  /// The tuning to come asks for this. True: so did the last one, and what was measured for it will
  /// be used.
  bool begin(const std::string& request);
  void finish();

  /// What came of trying this kernel, in any earlier tuning.
  std::optional<KernelVerdict> verdict(const KernelParams& kernel, const std::string& tuning_case);
  /// To be called before a child gets the kernel.
  void trying(const KernelParams& kernel, const std::string& tuning_case);
  void tried(const KernelParams& kernel, const std::string& tuning_case,
             const KernelVerdict& verdict);

  /// The budget this tuning case has: the recorded one where the tuning goes on.
  double begin_case(const std::string& tuning_case, double budget_seconds) {
    return begin_case(journal::Case{tuning_case, budget_seconds, 0}).budget_seconds;
  }
  journal::Case begin_case(const journal::Case& tuning_case);
  /// The outcomes where the journal has this very batch next.
  std::optional<std::vector<TrialOutcome>> recorded(const SearchSpace& space, const Batch& batch);
  /// To be called before this process runs kernels for the first time.
  void measuring(const std::vector<KernelParams>& kernels);
  void measured(const SearchSpace& space, const Batch& batch,
                const std::vector<TrialOutcome>& outcomes);

  /// What was noted of this kernel for the request of begin(), by a tuning of it that did not
  /// finish(); of one that ended a process, in any earlier tuning.
  std::optional<journal::Timed> timed(const std::string& kernel) const;
  /// To be called before this process runs the kernel for the first time; note() tells what came
  /// of it.
  void timing(const std::string& kernel);
  void note(const journal::Timed& timed);

  /// Batches that an earlier, interrupted tuning measured for what begin() asked for.
  int resumed() const { return resumed_; }
  /// Whether the next question will be answered from the file. While it is, no decision may depend
  /// on the clock: earlier decisions are repeated.
  bool replays() const { return next_ < events_.size(); }
  /// The tuning case, or the rounds of the batch, that comes next in the file; nothing: the other,
  /// or the file's end.
  std::optional<std::string> next_case() const;
  std::optional<int> next_rounds() const;

  /// Where journal::interrupted_text is to be written when a signal ends the process; -1: nowhere.
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
  std::map<int, int> unfinished_runs_;  ///< kernels whose first run here was not survived
  std::vector<int> running_;
  std::map<std::string, journal::Timed> timed_;    ///< of the current request, or ended a process
  std::map<std::string, int> unfinished_timings_;  ///< kernels with which a tuning ended
  std::string timing_;
  std::string request_;
  bool done_ = false;
  std::vector<Event> events_;  ///< of the current request
  std::size_t next_ = 0;
  int resumed_ = 0;
};

}  // namespace duoblas
