// A program started by this process, which it talks to and which it can end at any moment.
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
  std::optional<int> signal;     ///< where a signal ended it; neither: the host took the status
};

/// "exited with code 3", "was ended by SIGSEGV".
std::string describe(const ProcessEnd& end);

/// The child leads a process group of its own (the terminal's Ctrl-C is for its parent to answer),
/// has every signal at its default, and shares no descriptor but three: standard input and output
/// are one two-way channel, standard error is kept for last_words(). Does not throw but from the
/// constructor, raises no SIGPIPE, and works where the host ignores SIGCHLD. Not thread-safe. A
/// forked copy of the owner only lets go of the channel.
class ChildProcess {
 public:
  /// `command`: the program's path, and its arguments. \throws Error naming the program.
  explicit ChildProcess(const std::vector<std::string>& command);
  /// Ends it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// To be given to poll().
  int channel() const { return channel_; }
  /// False where it has ended, or does not read what it was sent.
  bool send(std::string_view text) noexcept;
  /// Appends what it has said since; does not wait. False at the end of its output.
  bool receive(std::string& text);
  /// Kills it with all that it has started, unless it ended before, and waits for that, 10 s at
  /// most.
  ProcessEnd end() noexcept;
  /// The last line that it wrote to standard error (of the first 64 KiB); empty where there is
  /// none.
  std::string last_words() const;

 private:
  pid_t owner_;
  pid_t child_ = -1;
  int channel_ = -1;
  int errors_ = -1;
  std::optional<ProcessEnd> end_;
};

}  // namespace duoblas
