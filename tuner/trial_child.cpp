#include "tuner/trial_child.hpp"

#include <unistd.h>

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
  // The parent may have ended before end_with_parent().
  if (getppid() != greeting.parent) return;
  Engine engine(greeting.settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.gpu_problem());
  TrialAnswer ready;
  ready.say = TrialAnswer::Say::ready;
  parent.say(line_of(ready));
  work(parent, engine);
}

}  // namespace

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
  end_with_parent();
  ParentChannel parent;
  try {
    answer_parent(parent, work);
    return 0;
  } catch (const std::bad_alloc&) {
    parent.say(line_of(problem("memory is short: give smaller sizes")));
  } catch (const std::exception& e) {
    parent.say(line_of(problem(e.what())));
  }
  return 1;
}

}  // namespace duoblas
