// The child's half of section_process.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

#include "cli/arguments.hpp"
#include "cli/selftest/section_lines.hpp"
#include "cli/selftest/section_process.hpp"
#include "cli/subcommands.hpp"
#include "cpu/parent_channel.hpp"

namespace duoblas::cli::selftest {
namespace {

class Teller : public SectionRun::Listener {
 public:
  void begun(int step, const std::string& name) override {
    tell({SectionLine::Say::begun, step, name, {}});
  }
  void progress() override { tell({SectionLine::Say::progress, 0, "", {}}); }
  void found(int step, const std::string& name, const Finding& finding) override {
    tell({SectionLine::Say::found, step, name, finding});
  }
  void ended() { tell({SectionLine::Say::ended, 0, "", {}}); }

 private:
  void tell(const SectionLine& line) { parent_.say(line_of(line)); }

  ParentChannel parent_;
};

}  // namespace

int run_section(int count, char** arguments) {
  end_with_parent();
  if (count != 6 || getppid() != std::atoi(arguments[5])) return usage;
  const std::string name = arguments[2];
  const bool quick = std::string(arguments[3]) == "quick";
  const auto section = std::ranges::find(sections(), name, &Section::name);
  if (section == sections().end()) return usage;
  Settings settings = settings_from_environment();
  settings.verbose = 0;
  settings.check = CheckMode::off;  // what the driver does is told, not made good
  Teller teller;
  SectionRun run(teller, settings, quick, std::atoi(arguments[4]),
                 quick ? section->quick_seconds : section->seconds);
  try {
    section->run(run);
  } catch (const std::exception& error) {
    Finding finding;
    finding.found = Found::wrong;
    finding.text = error.what();
    teller.found(0, "between two steps", finding);
  }
  teller.ended();
  return done;
}

}  // namespace duoblas::cli::selftest
