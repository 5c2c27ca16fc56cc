// The sections of the selftest, and their interface.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <duoblas/settings.hpp>

#include "engine/engine.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas::cli::selftest {

/// `impossible`: not possible here, as the text says why.
enum class Found { ok, wrong, impossible };

constexpr std::string_view name(Found found) {
  switch (found) {
    case Found::ok: return "ok";
    case Found::wrong: return "wrong";
    case Found::impossible: return "not possible here";
  }
  return "wrong";
}

struct Finding {
  Found found = Found::ok;
  std::string text;  ///< one line
  nlohmann::json facts = nlohmann::json::object();
  bool shown = false;  ///< on the terminal even where it is ok
};

/// What is told on the terminal where all is well.
inline Finding told(std::string text, nlohmann::json facts = nlohmann::json::object()) {
  return {Found::ok, std::move(text), std::move(facts), true};
}
inline Finding wrong(std::string text) {
  return {Found::wrong, std::move(text)};
}
inline Finding impossible(std::string why) {
  return {Found::impossible, std::move(why), nlohmann::json::object(), true};
}

/// Null if the value is infinite or NaN, because JSON has neither.
inline nlohmann::json number_or_null(double value) {
  return value < 1e300 ? nlohmann::json(value) : nlohmann::json(nullptr);
}

/// What a section's process tells its parent: one line of JSON.
struct SectionLine {
  enum class Say { begun, progress, found, ended };
  Say say = Say::ended;
  int step = 0;
  std::string name;
  Finding finding;
};

/// One run of a section, in a process of its own. A driver that crashes or hangs in a step costs
/// that step: the section is started again behind it.
class SectionRun {
 public:
  /// Gets a line as a step begins, while it works, and of what it found.
  using Tell = std::function<void(const SectionLine&)>;

  /// Steps before `first_step` are left out. `seconds`: what the section may take, which it looks
  /// after itself.
  SectionRun(Tell tell, Settings settings, bool quick, int first_step, double seconds)
      : tell_(std::move(tell)),
        settings_(std::move(settings)),
        quick_(quick),
        first_step_(first_step),
        seconds_(seconds) {}

  const Settings& settings() const { return settings_; }
  bool quick() const { return quick_; }
  double seconds_left() const { return seconds_ - watch_.seconds(); }
  /// Whether to leave out steps that are only for thoroughness; a quick run has none of those.
  bool takes_too_long() const { return !quick_ && seconds_left() <= 0; }
  /// Reports what was left out for lack of time; at most once in a section.
  void left_out(const std::string& what);

  /// Runs one step. An exception counts as a wrong finding. Names are unique in a section.
  void step(const std::string& name, const std::function<Finding()>& work);

  /// Reports that a long step is still working and does not hang.
  void progress() { tell_({SectionLine::Say::progress, 0, "", {}}); }

  /// The GPU; null if there is none, or if opening it crashed or hung, which a step then reports.
  GpuSide* gpu_of(Engine& engine);

 private:
  const Tell tell_;
  const Settings settings_;
  const bool quick_;
  const int first_step_;
  const double seconds_;
  int step_ = 0;
  Stopwatch watch_;
};

struct Section {
  std::string_view name;
  double seconds;  ///< a full run may take, about
  double quick_seconds;
  void (*run)(SectionRun&);
};

/// All, in the order in which they are run.
std::span<const Section> sections();

void look_at_machine(SectionRun& run);
void test_cpu(SectionRun& run);
void test_kernels(SectionRun& run, Precision precision);
void test_sharing(SectionRun& run);
void test_overlap(SectionRun& run);
void test_hybrid(SectionRun& run);
void test_refusals(SectionRun& run);
void take_timings(SectionRun& run);

}  // namespace duoblas::cli::selftest
