#include "cli/progress_lines.hpp"

#include <algorithm>
#include <ostream>

#include "cli/text_table.hpp"
#include "plan/kernel_params.hpp"

namespace duoblas::cli {
namespace {

// Narrower terminals would wrap the line, which then cannot be written over.
constexpr std::size_t kTerminalColumns = 79;

std::string phase_text(const std::string& phase) {
  if (phase == "cpu") return "core types";
  if (phase == "kernels") return "kernels alone";
  if (phase == "split") return "splits, both sides";
  if (phase == "duel") return "the best few interleaved";
  if (phase == "crossover") return "smallest size for the GPU";
  return phase;
}

std::string time_left(double seconds) {
  const int whole = static_cast<int>(std::max(0.0, seconds));
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + ":" + (rest.size() < 2 ? "0" : "") + rest;
}

double gflops(const TunedPoint& point, double seconds) {
  const double operations = 2.0 * static_cast<double>(point.m) * static_cast<double>(point.n) *
                            static_cast<double>(point.k) * (is_complex(point.precision) ? 4 : 1);
  return seconds > 0 ? operations / seconds * 1e-9 : 0;
}

}  // namespace

void ProgressLines::clear() {
  if (shown_ > 0) out_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
  shown_ = 0;
}

void ProgressLines::line(const std::string& text) {
  clear();
  out_ << text << '\n' << std::flush;
}

void ProgressLines::progress(const TuneProgress& now) {
  if (!on_terminal_) {
    const std::string begun = now.phase + now.subject;
    if (begun == begun_) return;
    begun_ = begun;
    line("[" + time_left(now.seconds_left) + " left] " + now.subject +
         (now.subject.empty() ? "" : ": ") + phase_text(now.phase));
    return;
  }
  std::string text = time_left(now.seconds_left) + " left  " + now.subject +
                     (now.subject.empty() ? "" : ": ") + phase_text(now.phase);
  if (now.done + now.left > 0) {
    text += " " + std::to_string(now.done) + "/" + std::to_string(now.done + now.left);
  }
  if (now.best_gflops > 0) text += ", " + fixed(now.best_gflops, 0) + " GFLOPS";
  if (text.size() > kTerminalColumns) text.resize(kTerminalColumns);
  clear();
  out_ << text << std::flush;
  shown_ = text.size();
}

void ProgressLines::rejected(const std::string& kernel, const std::string& why) {
  ++rejections_;
  if (verbose_) line("  not used: " + kernel + ": " + why.substr(0, why.find('\n')));
}

void ProgressLines::tuned(const TunedPoint& point) {
  line("  " + subject_text(point.precision, point.op_a, point.op_b, {point.m, point.n, point.k}) +
       ": " + fixed(gflops(point, point.hybrid.seconds), 1) + " GFLOPS with " +
       std::to_string(point.hybrid.share.gpu_parts) + "/" +
       std::to_string(point.hybrid.share.parts) + " on the GPU, " + describe(point.hybrid.kernel));
}

}  // namespace duoblas::cli
