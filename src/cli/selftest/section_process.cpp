#include "cli/selftest/section_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "os/child_process.hpp"
#include "os/parent_channel.hpp"
#include "os/process.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas::cli::selftest {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, found, text, facts, shown)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SectionLine, say, step, name, finding)

namespace {

// A hang takes much time, a crash hardly any.
constexpr int most_losses = 3, losses_of_a_crash = 1, losses_of_a_hang = 2;

// One run of a child: whether it came to its end, and otherwise its last step.
class Attempt {
 public:
  Attempt(const Section& section, const SectionOptions& options, int first_step,
          SectionReport& report)
      : options_(options),
        report_(report),
        child_({"/proc/self/exe", section_argument, std::string(section.name),
                options.quick ? "quick" : "full", std::to_string(first_step),
                std::to_string(process_id())}) {}

  /// The step to go on with; nothing: the section is done.
  std::optional<int> watch(int first_step) {
    next_step_ = first_step;
    while (!ended_) {
      const double left = limit() - since_.seconds();
      if (left <= 0)
        return lost(losses_of_a_hang, "hung: no answer within " + significant(limit(), 3) + " s");
      constexpr double longest_wait = 1e9;  // ms, which fit into an int
      if (!child_.has_output(static_cast<int>(std::min(std::ceil(left * 1000), longest_wait))))
        continue;
      const bool more = child_.receive(heard_);
      read_lines();
      if (!more && !ended_) {
        const std::string end = duoblas::describe(child_.end());
        const std::string words = child_.last_words();
        return lost(losses_of_a_crash,
                    "crashed: the process " + end + (words.empty() ? "" : ": " + words));
      }
    }
    return std::nullopt;
  }

  int losses() const { return losses_; }

 private:
  double limit() const { return options_.step_seconds * (step_ ? 1 : 2); }

  void read_lines() {
    for (std::size_t end; (end = heard_.find('\n')) != std::string::npos;) {
      const SectionLine line = section_line_from(heard_.substr(0, end));
      heard_.erase(0, end + 1);
      since_ = {};
      switch (line.say) {
        case SectionLine::Say::begun:
          step_ = line.name;
          next_step_ = line.step + 1;
          break;
        case SectionLine::Say::found:
          report_.findings.push_back({line.name, line.finding});
          step_ = "what follows " + line.name;
          break;
        case SectionLine::Say::progress: break;
        case SectionLine::Say::ended: ended_ = true; break;
      }
    }
  }

  std::optional<int> lost(int losses, const std::string& how) {
    losses_ = losses;
    report_.findings.push_back({step_.value_or("the start"), wrong(how)});
    child_.end();
    // If no step had begun, another start would end in the same way.
    if (!step_) return std::nullopt;
    return next_step_;
  }

  const SectionOptions& options_;
  SectionReport& report_;
  ChildProcess child_;
  std::string heard_;
  std::optional<std::string> step_;
  int next_step_ = 0;
  bool ended_ = false;
  int losses_ = 0;
  Stopwatch since_;
};

}  // namespace

std::string line_of(const SectionLine& line) {
  // Texts come from drivers: what is no UTF-8 is replaced.
  return nlohmann::json(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SectionLine section_line_from(const std::string& text) try {
  return nlohmann::json::parse(text).get<SectionLine>();
} catch (const nlohmann::json::exception& error) {
  throw Error(std::string("a section says what cannot be read: ") + error.what());
}

Found SectionReport::found() const {
  bool impossible = false, other = false;
  for (const NamedFinding& each : findings) {
    if (each.finding.found == Found::wrong) return Found::wrong;
    (each.finding.found == Found::impossible ? impossible : other) = true;
  }
  return impossible && (!other || findings.back().finding.found == Found::impossible)
             ? Found::impossible
             : Found::ok;
}

std::string SectionReport::summary() const {
  const Found verdict = found();
  const auto count = std::count_if(findings.begin(), findings.end(), [&](const NamedFinding& each) {
    return each.finding.found == verdict;
  });
  for (const NamedFinding& each : findings) {
    if (verdict == Found::impossible && each.finding.found == verdict) return each.finding.text;
  }
  if (verdict == Found::wrong)
    return std::to_string(count) + " of " + std::to_string(findings.size()) + " checks";
  return std::to_string(count) + (count == 1 ? " check" : " checks");
}

SectionReport run_in_child(const Section& section, const SectionOptions& options) {
  SectionReport report;
  report.name = section.name;
  const Stopwatch watch;
  std::optional<int> step = 0;
  for (int losses = 0; step && losses < most_losses;) {
    try {
      Attempt attempt(section, options, *step, report);
      step = attempt.watch(*step);
      losses += attempt.losses();
    } catch (const std::exception& error) {
      report.findings.push_back({"the process of this section", wrong(error.what())});
      step.reset();
    }
  }
  if (step)
    report.findings.push_back({"the rest", wrong("left out, after these crashes or hangs")});
  report.seconds = watch.seconds();
  return report;
}

int run_section(int count, char** arguments) {
  end_with_parent();
  if (count != 6 || parent_process_id() != std::atoi(arguments[5])) return usage;
  const std::string name = arguments[2];
  const bool quick = std::string(arguments[3]) == "quick";
  const auto section = std::ranges::find(sections(), name, &Section::name);
  if (section == sections().end()) return usage;
  Settings settings = settings_from_environment();
  settings.verbose = 0;
  settings.check = CheckMode::off;  // what the driver does is told, not made good
  ParentChannel parent;
  const SectionRun::Tell tell = [&](const SectionLine& line) { parent.say(line_of(line)); };
  SectionRun run(tell, settings, quick, std::atoi(arguments[4]),
                 quick ? section->quick_seconds : section->seconds);
  try {
    section->run(run);
  } catch (const std::exception& error) {
    tell({SectionLine::Say::found, 0, "between two steps", wrong(error.what())});
  }
  tell({});
  return done;
}

}  // namespace duoblas::cli::selftest
