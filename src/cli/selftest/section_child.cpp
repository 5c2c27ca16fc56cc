// The child's half of section_process.hpp.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>

#include "cli/arguments.hpp"
#include "cli/selftest/section_lines.hpp"
#include "cli/selftest/section_process.hpp"
#include "cli/subcommands.hpp"

namespace duoblas::cli::selftest {
namespace {

// Standard output as it was given: what a kernel or a driver prints goes elsewhere.
class Teller : public SectionRun::Listener {
 public:
  Teller() : out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Teller() override { close(out_); }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void begun(int step, const std::string& name) override {
    tell({SectionLine::Say::begun, step, name, {}});
  }
  void progress() override { tell({SectionLine::Say::progress, 0, "", {}}); }
  void found(int step, const std::string& name, const Finding& finding) override {
    tell({SectionLine::Say::found, step, name, finding});
  }
  void ended() { tell({SectionLine::Say::ended, 0, "", {}}); }

 private:
  void tell(const SectionLine& line) {
    const std::string text = line_of(line) + "\n";
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t put = write(out_, text.data() + done, text.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return;  // the parent has gone, and takes this process with it
      done += static_cast<std::size_t>(put);
    }
  }

  int out_;
};

}  // namespace

int run_section(int count, char** arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Crashes are expected here, and nobody wants the cores.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
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
