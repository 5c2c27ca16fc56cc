// A tuning's progress for the person who waits for it.
#pragma once

#include <iosfwd>
#include <string>

#include "tuner/tune.hpp"

namespace duoblas::cli {

/// On a terminal one line that is written over, with the time left; elsewhere a plain line
/// whenever something new begins or is finished.
class ProgressLines : public TuneListener {
 public:
  ProgressLines(std::ostream& out, bool on_terminal, bool verbose)
      : out_(out), on_terminal_(on_terminal), verbose_(verbose) {}
  ~ProgressLines() override { clear(); }

  void progress(const TuneProgress& progress) override;
  void rejected(const std::string& kernel, const std::string& why) override;
  void tuned(const TunedPoint& point) override;

  int rejections() const { return rejections_; }

 private:
  void line(const std::string& text);
  void clear();

  std::ostream& out_;
  bool on_terminal_;
  bool verbose_;
  std::string begun_;      // phase and subject of the last plain line
  std::size_t shown_ = 0;  // columns of the terminal's line that are in use
  int rejections_ = 0;
};

}  // namespace duoblas::cli
