// The sections of the selftest, and their interface.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <duoblas/settings.hpp>

#include "cli/selftest/finding.hpp"
#include "engine/engine.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas::cli::selftest {

/// One run of a section, in a process of its own. A driver that crashes or hangs in a step costs
/// that step: the section is started again behind it.
class SectionRun {
 public:
  /// Told of each step as it begins and of what it found.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void begun(int step, const std::string& name) = 0;
    virtual void progress() = 0;
    virtual void found(int step, const std::string& name, const Finding& finding) = 0;
  };

  /// Steps before `first_step` are left out. `seconds`: what the section may take, which it looks
  /// after itself.
  SectionRun(Listener& listener, Settings settings, bool quick, int first_step, double seconds)
      : listener_(listener),
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
  void progress() { listener_.progress(); }

  /// The GPU; null if there is none, or if opening it crashed or hung, which a step then reports.
  GpuSide* gpu_of(Engine& engine);

 private:
  Listener& listener_;
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
