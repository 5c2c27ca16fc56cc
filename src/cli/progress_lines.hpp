// Shows a tuning's progress.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "tuner/tune.hpp"

namespace duoblas::cli {

struct ProgressOutput {
  std::ostream& out;
  /// The width of the terminal behind `out`, asked before each line, because people resize windows;
  /// nothing: a file or pipe.
  std::function<std::optional<std::size_t>()> columns;
  /// Seconds of any clock that never goes back.
  std::function<double()> seconds;
  bool verbose = false;  ///< name the kernels that are not used
};

/// On a terminal: one line that is overwritten, never wider than the terminal and at most ten times
/// a second. Elsewhere: plain lines that make a readable log, one when something new begins or
/// while it lasts, but at least five seconds apart. Finished shapes and rejected kernels always get
/// a line.
class ProgressLines : public TuneListener {
 public:
  explicit ProgressLines(ProgressOutput output) : output_(std::move(output)) {}
  ~ProgressLines() override { clear(); }

  void progress(const TuneProgress& progress) override;
  void rejected(const std::string& kernel, const std::string& why) override;
  void tuned(const TunedPoint& point) override;

  /// Takes the terminal's line away, so that others can print. The destructor does the same.
  void finish() { clear(); }

  int rejections() const { return rejections_; }

 private:
  void line(const std::string& text);
  void over(const std::string& text, std::size_t columns);
  void clear();
  bool due(const TuneProgress& now, bool on_terminal);

  ProgressOutput output_;
  std::pair<TunePhase, std::string> begun_;  // phase and tuning case of the line shown last
  std::optional<double> last_seconds_;       // of the clock, when it was
  std::size_t shown_ = 0;                    // columns of the terminal's line that are in use
  bool told_resumed_ = false;
  int rejections_ = 0;
};

}  // namespace duoblas::cli
