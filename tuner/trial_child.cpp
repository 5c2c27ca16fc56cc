#include "tuner/trial_child.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "opencl/handles.hpp"
#include "opencl/status_class.hpp"
#include "os/process.hpp"

namespace duoblas {
namespace {

TrialAnswer problem(const std::string& why) {
  TrialAnswer answer;
  answer.why = why;
  return answer;
}

// Empty: the driver builds. No cache has this program: its name is a new one. (In a container a
// later process may have the same number.)
std::string why_nothing_builds(Engine& engine) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string name = "empty_" + std::to_string(process_id()) + "_" + std::to_string(now);
  const std::string source = "__kernel void " + name + "(__global int* x) { x[0] = 0; }";
  try {
    (void)cl::build_from_source(engine.gpu()->device()->context, source, "").kernel(name.c_str());
    return "";
  } catch (const DeviceError& e) {
    return "the driver builds no kernel at all just now: " + first_lines(e.what());
  }
}

void answer_parent(ParentChannel& parent,
                   const std::function<void(ParentChannel&, Engine&)>& work) {
  const auto line = parent.hear();
  if (!line) return;
  TrialGreeting greeting = greeting_from(*line);
  greeting.settings.check = CheckMode::off;  // kernels are tried here as they are to be used
  // The parent may have ended before end_with_parent().
  if (parent_process_id() != greeting.parent) return;
  Engine engine(greeting.settings);
  if (engine.gpu() == nullptr) throw DeviceError(engine.facts().gpu_problem());
  TrialAnswer ready;
  ready.say = TrialAnswer::Say::ready;
  if (greeting.builds_first)
    if (const std::string why = why_nothing_builds(engine); !why.empty()) ready = problem(why);
  parent.say(line_of(ready));
  if (ready.say == TrialAnswer::Say::ready) work(parent, engine);
}

}  // namespace

TrialAnswer refused_answer(Engine& engine, const DeviceError& error) {
  if (cl::status_class(error.code()) == cl::StatusClass::build_failed)
    if (const std::string why = why_nothing_builds(engine); !why.empty()) {
      TrialAnswer answer = problem(why);
      answer.say = TrialAnswer::Say::builds_nothing;
      answer.last = true;
      return answer;
    }
  return verdict_answer(Verdict::refused, first_lines(error.what()));
}

KernelVerdict verdict_on_a_broken_compiler(const std::string& why) {
  return verdict_answer(Verdict::refused, "after this kernel, and only then, " + why).verdict;
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
