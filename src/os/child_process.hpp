// A program that this process starts, talks to, and can end at any moment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace duoblas {

/// How a process ended.
struct ProcessEnd {
  std::optional<int> exit_code;  ///< where it ended by itself
  std::optional<int> signal;     ///< if a signal ended it; neither: the host took the status
};

/// "exited with code 3", "was ended by SIGSEGV".
std::string describe(const ProcessEnd& end);

/// Which of these channels have output, or have ended; waits for the first one, so many
/// milliseconds at most. \throws Error if the system cannot wait.
std::vector<bool> channels_with_output(const std::vector<int>& channels, int most_milliseconds);

/// The child leads a process group of its own, so the terminal's Ctrl-C goes to its parent only. It
/// has every signal at its default, and shares three descriptors: standard input and output are one
/// two-way channel, standard error is kept for last_words(). Only the constructor throws. No
/// SIGPIPE is raised, and a host that ignores SIGCHLD does no harm. Not thread-safe. In a forked
/// copy of the owner the destructor only closes the channel.
class ChildProcess {
 public:
  /// `command`: the program's path, and its arguments. \throws Error naming the program.
  explicit ChildProcess(const std::vector<std::string>& command);
  /// Ends it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// For channels_with_output().
  int channel() const { return channel_; }
  /// Waits for output, or its end, so many milliseconds at most.
  bool has_output(int most_milliseconds) const noexcept;
  /// False if it has ended, or does not read.
  bool send(std::string_view text) noexcept;
  /// Appends its new output; does not wait. False at the end of its output.
  bool receive(std::string& text);
  /// Kills it and all that it has started, unless it has ended, and waits for that, at most 10 s.
  ProcessEnd end() noexcept;
  /// The last line of its standard error (of the first 64 KiB); empty if there is none.
  std::string last_words() const;

 private:
  pid_t owner_;
  pid_t child_ = -1;
  int channel_ = -1;
  int errors_ = -1;
  std::optional<ProcessEnd> end_;
};

}  // namespace duoblas
