#include "tuner/journal_recording.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <variant>

#include <duoblas/error.hpp>

#include "tuner/journal_lines.hpp"

namespace duoblas {
namespace {

// Exhaustive's last batch has more; its passes have one.
constexpr int rounds_of_a_decision = 10;

std::vector<journal::Line> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw SettingError("cannot read the journal of tuning " + path);
  std::vector<journal::Line> lines;
  for (std::string text; std::getline(file, text);) {
    try {
      lines.push_back(journal::from_text(text));
    } catch (const SettingError& e) {
      throw SettingError("journal of tuning " + path + ", line " +
                         std::to_string(lines.size() + 1) + ": " + e.what());
    }
  }
  return lines;
}

template <typename T>
int place_of(std::vector<T>& list, const T& value) {
  const auto found = std::ranges::find(list, value);
  const auto place = static_cast<int>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return place;
}

class Reader {
 public:
  explicit Reader(std::string tuning_case) : tuning_case_(std::move(tuning_case)) {}

  void take(const journal::Line& line) {
    if (const auto* kernel = std::get_if<journal::Kernel>(&line)) {
      kernels_.push_back(kernel->params);
    } else if (const auto* cpu = std::get_if<journal::Cpu>(&line)) {
      cpus_.push_back(cpu->config);
    } else if (const auto* tried = std::get_if<journal::Tried>(&line)) {
      // "sgemm nn" of "sgemm nn 1024 x 1024 x 1024"
      if (tuning_case_.starts_with(tried->tuning_case + " ")) tried_.push_back(*tried);
    } else if (const auto* begin = std::get_if<journal::Case>(&line)) {
      wanted_ = begin->text == tuning_case_;
    } else if (const auto* measured = std::get_if<journal::Measured>(&line)) {
      if (wanted_) add(*measured);
    }
  }

  Recording finished() {
    if (recording_.trials.empty())
      throw SettingError("the journal of tuning has nothing of " + tuning_case_);
    recording_.build_seconds.assign(recording_.space.kernels.size(), 0);
    for (const journal::Tried& tried : tried_) {
      const auto& params = kernels_.at(static_cast<std::size_t>(tried.kernel));
      const auto found = std::ranges::find(recording_.space.kernels, params);
      if (found == recording_.space.kernels.end()) continue;
      const bool right = tried.verdict.verdict == Verdict::right;
      recording_.build_seconds[static_cast<std::size_t>(found - recording_.space.kernels.begin())] =
          right ? tried.verdict.seconds : -tried.verdict.seconds;
    }
    return std::move(recording_);
  }

 private:
  void add(const journal::Measured& measured) {
    SearchSpace& space = recording_.space;
    if (recording_.trials.empty()) space.parts = measured.trials.front().parts;
    for (std::size_t i = 0; i < measured.trials.size(); ++i) {
      const journal::TrialLine& line = measured.trials[i];
      if (line.sides == Sides::both && line.parts != space.parts) continue;
      if (is_on_device(line.sides)) continue;  // no search asks for it
      const Trial trial = normal_form(
          {{place_of(space.kernels, kernels_.at(static_cast<std::size_t>(line.kernel))),
            place_of(space.sharings, line.sharing),
            place_of(space.cpus, cpus_.at(static_cast<std::size_t>(line.cpu))), line.gpu_parts},
           line.sides});
      const auto& samples = measured.outcomes[i].samples;
      if (samples.empty()) continue;
      const bool again = measured.rounds >= rounds_of_a_decision && line.sides == Sides::both;
      auto& kept = again ? recording_.again[trial.candidate] : recording_.trials[trial];
      kept.insert(kept.end(), samples.begin(), samples.end());
    }
  }

  std::string tuning_case_;
  bool wanted_ = false;
  std::vector<KernelParams> kernels_;
  std::vector<CpuConfig> cpus_;
  std::vector<journal::Tried> tried_;
  Recording recording_;
};

}  // namespace

std::vector<std::string> recorded_cases(const std::string& path) {
  std::vector<std::string> tuning_cases;
  for (const journal::Line& line : read(path))
    // The choice of the CPU BLAS and the crossover have no budget of their own: no search.
    if (const auto* begin = std::get_if<journal::Case>(&line))
      if (begin->budget_seconds > 0 &&
          std::ranges::find(tuning_cases, begin->text) == tuning_cases.end())
        tuning_cases.push_back(begin->text);
  return tuning_cases;
}

Recording recording_from_journal(const std::string& path, const std::string& tuning_case) {
  Reader reader(tuning_case);
  try {
    for (const journal::Line& line : read(path)) reader.take(line);
    return reader.finished();
  } catch (const std::out_of_range&) {
    throw SettingError("journal of tuning " + path +
                       ": the number of a kernel or CPU configuration is unknown");
  }
}

}  // namespace duoblas
