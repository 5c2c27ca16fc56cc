#include "cli/progress_lines.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_params.hpp"
#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

// Nobody reads faster, and a network should carry no more.
constexpr double kTerminalSeconds = 0.1;
// A tuning of minutes makes a log of a page or two.
constexpr double kPlainSeconds = 5;

std::string phase_text(TunePhase phase) {
  switch (phase) {
    case TunePhase::cpu: return "CPU BLAS";
    case TunePhase::search: return "kernels and splits";
    case TunePhase::final_comparison: return "the best few interleaved";
    case TunePhase::crossover: return "smallest size for the GPU";
    case TunePhase::updates: return "what adding to C takes";
    case TunePhase::last_round: return "the main products again";
  }
  return {};
}

std::string clock_text(double seconds) {
  const int whole = static_cast<int>(std::clamp(seconds, 0.0, 86400.0));
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + ":" + (rest.size() < 2 ? "0" : "") + rest;
}

std::string state_text(const TuneProgress& now) {
  std::string text = phase_text(now.phase);
  if (now.left > 0)
    text += " " + std::to_string(now.done) + "/" + std::to_string(now.done + now.left);
  else if (now.done > 0)
    text += ", " + std::to_string(now.done) + " measured";
  if (now.best_gflops > 0) text += ", best " + rate_text(now.best_gflops) + " GFLOPS";
  return text;
}

// A line of a log begins with the tuning case, because logs are searched for it. A line in a
// terminal ends with it, because a narrow terminal cuts the end off.
std::string log_text(const TuneProgress& now) {
  const std::string tuning_case = now.tuning_case + (now.tuning_case.empty() ? "" : ": ");
  return printable("[" + clock_text(now.seconds_left) + " left] " + tuning_case + state_text(now));
}

std::string terminal_text(const TuneProgress& now) {
  const std::string tuning_case = (now.tuning_case.empty() ? "" : "  ") + now.tuning_case;
  return printable(clock_text(now.seconds_left) + " left  " + state_text(now) + tuning_case);
}

}  // namespace

void ProgressLines::clear() {
  if (shown_ == 0) return;
  // If the window was made narrower, the old line fills rows above this one. Those stay.
  const std::size_t room = output_.columns().value_or(1) - 1;
  output_.out << '\r' << std::string(std::min(shown_, room), ' ') << '\r' << std::flush;
  shown_ = 0;
}

void ProgressLines::line(const std::string& text) {
  clear();
  output_.out << text << '\n' << std::flush;
}

void ProgressLines::over(const std::string& text, std::size_t columns) {
  clear();
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::string cut = truncated_to_width(text, std::max<std::size_t>(columns, 1) - 1);
  output_.out << cut << std::flush;
  shown_ = terminal_width(cut);
}

bool ProgressLines::due(const TuneProgress& now, bool on_terminal) {
  const double seconds = output_.seconds();
  std::pair begun(now.phase, now.tuning_case);
  const bool waited = !last_seconds_ ||
                      seconds - *last_seconds_ >= (on_terminal ? kTerminalSeconds : kPlainSeconds);
  if (!waited && !(on_terminal && begun != begun_)) return false;
  begun_ = std::move(begun);
  last_seconds_ = seconds;
  return true;
}

void ProgressLines::progress(const TuneProgress& now) {
  if (now.resumed > 0 && !told_resumed_) {
    told_resumed_ = true;
    line("Goes on from where it stopped: " + std::to_string(now.resumed) +
         (now.resumed == 1 ? " measurement" : " measurements") + " kept.");
  }
  const auto columns = output_.columns();
  if (!due(now, columns.has_value())) return;
  if (columns)
    over(terminal_text(now), *columns);
  else
    line(log_text(now));
}

void ProgressLines::rejected(const std::string& kernel, const std::string& why) {
  ++rejections_;
  if (output_.verbose)
    line(printable("  not used: " + kernel + ": " + why.substr(0, why.find('\n'))));
}

void ProgressLines::tuned(const TunedPoint& point) {
  line("  " + tuning_case_of(point) + ": " + rate_text(gflops(point, point.hybrid.seconds)) +
       " GFLOPS with " + share_text(point.hybrid.share) + " on the GPU, " +
       describe(point.hybrid.kernel));
}

}  // namespace duoblas::cli
