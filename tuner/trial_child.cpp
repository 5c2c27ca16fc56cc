#include "tuner/trial_child.hpp"

#include <unistd.h>

#include <chrono>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "gpu/gpu_side.hpp"
#include "gpu/opened_device.hpp"
#include "opencl/handles.hpp"
#include "opencl/status_class.hpp"

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

// No cache has this program: its name is a new one. (In a container a later process may have the
// same number.)
void require_compiler(const cl::Context& context) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string name = "empty_" + std::to_string(getpid()) + "_" + std::to_string(now);
  const std::string source = "__kernel void " + name + "(__global int* x) { x[0] = 0; }";
  try {
    (void)cl::build_from_source(context, source, "").kernel(name.c_str());
  } catch (const DeviceError& e) {
    throw Error("the driver builds no kernel at all just now: " + first_lines(e.what()));
  }
}

}  // namespace

TrialAnswer refused_answer(Engine& engine, const DeviceError& error) {
  if (cl::status_class(error.code()) == cl::StatusClass::build_failed)
    require_compiler(engine.gpu()->device()->context);
  return verdict_answer(Verdict::refused, first_lines(error.what()));
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
