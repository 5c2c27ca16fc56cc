#include "tuner/trial_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

TrialAnswer problem(const std::string& why) {
  TrialAnswer answer;
  answer.why = why;
  return answer;
}

void answer_parent(ParentChannel& parent,
                   const std::function<void(ParentChannel&, Engine&)>& work) {
  const auto line = parent.hear();
  if (!line) return;
  TrialGreeting greeting = greeting_from(*line);
  greeting.settings.check = CheckMode::off;  // kernels are tried here as they are to be used
  // The parent may have ended before the call of prctl.
  if (getppid() != greeting.parent) return;
  Engine engine(greeting.settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.gpu_problem());
  TrialAnswer ready;
  ready.say = TrialAnswer::Say::ready;
  parent.say(ready);
  work(parent, engine);
}

}  // namespace

ParentChannel::ParentChannel()
    : in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
  lines_ = fdopen(in_, "r");
}

ParentChannel::~ParentChannel() {
  if (lines_ != nullptr) fclose(lines_);
  close(out_);
}

std::optional<std::string> ParentChannel::hear() {
  char* text = nullptr;
  std::size_t room = 0;
  const ssize_t length = lines_ == nullptr ? -1 : getline(&text, &room, lines_);
  std::optional<std::string> line;
  if (length > 0) line.emplace(text, static_cast<std::size_t>(length));
  free(text);
  return line;
}

void ParentChannel::say(const TrialAnswer& answer) {
  const std::string line = line_of(answer) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t put = write(out_, line.data() + done, line.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // the next hear() finds the end
    done += static_cast<std::size_t>(put);
  }
}

TrialAnswer verdict_answer(Verdict verdict, const std::string& why) {
  TrialAnswer answer;
  answer.say = TrialAnswer::Say::verdict;
  answer.verdict.verdict = verdict;
  answer.verdict.why = why;
  return answer;
}

std::string first_lines(const std::string& message) {
  constexpr int most_lines = 6;
  constexpr std::size_t most_bytes = 1000;
  std::istringstream lines(message);
  std::string text, line;
  for (int taken = 0; taken < most_lines && std::getline(lines, line);) {
    if (line.empty() || line.starts_with("options: ")) continue;
    text += (text.empty() ? "" : "\n") + line;
    ++taken;
  }
  return text.substr(0, most_bytes);
}

int run_trial_child(const std::function<void(ParentChannel&, Engine&)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Crashes are expected here, and must not leave core files.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  ParentChannel parent;
  try {
    answer_parent(parent, work);
    return 0;
  } catch (const std::bad_alloc&) {
    parent.say(problem("memory is short: give smaller sizes"));
  } catch (const std::exception& e) {
    parent.say(problem(e.what()));
  }
  return 1;
}

}  // namespace duoblas
