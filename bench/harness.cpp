#include "bench/harness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <duoblas/error.hpp>

#include "engine/background_work.hpp"
#include "problem/op_letter.hpp"
#include "timing/median.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

void warm_up(const std::vector<TimedCandidate>& candidates) {
  constexpr int first = 2, most = 20;
  for (int round = 0; round < most; ++round) {
    for (const TimedCandidate& candidate : candidates) candidate();
    if (nothing_was_built() && round + 1 >= first) return;
  }
}

int shown_usage(const std::string& program, const std::vector<BenchCase>& cases) {
  for (const BenchCase& one : cases)
    std::cout << "usage: " << program << (one.name.empty() ? "" : " ") << one.name << ' '
              << one.usage << '\n';
  return 0;
}

}  // namespace

void NamedOptions::parse(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto option = texts_.find(words[i]);
    if (option != texts_.end() && i + 1 < words.size())
      option->second = words[++i];
    else if (!wanted_word_.empty() && word_.empty() && !words[i].starts_with('-'))
      word_ = words[i];
    else
      throw SettingError(words[i] + ": unknown, or without a value; try --help");
  }
  if (word_.empty() && !wanted_word_.empty())
    throw SettingError("which " + wanted_word_ + "? try --help");
}

int NamedOptions::whole(const std::string& name, int least) const {
  const std::string& text = texts_.at(name);
  std::size_t read = 0;
  int value = least - 1;
  try {
    value = std::stoi(text, &read);
  } catch (const std::logic_error&) {
    read = 0;
  }
  if (read == 0 || read != text.size() || value < least)
    throw SettingError(name + " takes a whole number of at least " + std::to_string(least) +
                       ", not \"" + text + "\"");
  return value;
}

double NamedOptions::positive(const std::string& name) const {
  const double value = std::atof(texts_.at(name).c_str());
  if (!(value > 0)) throw SettingError(name + " takes a positive number");
  return value;
}

std::vector<std::string> NamedOptions::list(const std::string& name) const {
  return list_items(texts_.at(name));
}

std::vector<std::string> list_items(const std::string& list, char separator) {
  std::vector<std::string> found;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, separator);) found.push_back(item);
  return found;
}

Precision precision_named(const std::string& wanted) {
  for (const Precision precision : all_precisions)
    if (wanted == std::string(1, letter(precision))) return precision;
  throw SettingError("--precision is of s, d, c and z, not \"" + wanted + "\"");
}

std::pair<Op, Op> ops_named(const std::string& letters) {
  const auto a = letters.size() == 2 ? op_from(letters[0]) : std::nullopt;
  const auto b = letters.size() == 2 ? op_from(letters[1]) : std::nullopt;
  if (!a || !b) throw SettingError("--ops is two letters of n, t, c, not \"" + letters + "\"");
  return {*a, *b};
}

Routine routine_named(const std::string& wanted) {
  for (std::size_t i = 0; i < routine_count; ++i)
    if (wanted == name(static_cast<Routine>(i))) return static_cast<Routine>(i);
  throw SettingError("there is no routine " + wanted);
}

int bench_main(const std::string& program, const std::vector<BenchCase>& cases, int argc,
               char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool has_cases = !cases.front().name.empty();
  const BenchCase* chosen = has_cases ? nullptr : &cases.front();
  if (has_cases && !words.empty()) {
    const auto found = std::ranges::find(cases, words.front(), &BenchCase::name);
    if (found != cases.end()) {
      chosen = &*found;
      words.erase(words.begin());
    }
  }
  if (words == std::vector<std::string>{"--help"})
    return shown_usage(program, chosen == nullptr ? cases : std::vector<BenchCase>{*chosen});
  try {
    if (chosen == nullptr) throw SettingError("what is to be measured? try --help");
    NamedOptions options = chosen->options;
    options.parse(words);
    return chosen->run(options);
  } catch (const SettingError& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

Table::Table(std::vector<std::pair<std::string, int>> columns) : columns_(std::move(columns)) {
  std::vector<std::string> titles;
  for (const auto& [title, width] : columns_) titles.push_back(title);
  row(titles);
}

void Table::row(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int width = columns_.at(i).second;
    const auto wide = static_cast<std::size_t>(std::abs(width));
    const std::string room(wide > cells[i].size() ? wide - cells[i].size() : 0, ' ');
    line += (i == 0 ? "" : "  ") + (width < 0 ? cells[i] + room : room + cells[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  std::cout << line << std::endl;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

bool nothing_was_built() {
  bool was_quiet = true;
  for (; background_work_is_running(); was_quiet = false)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return was_quiet;
}

std::vector<Taken> in_turns(const std::vector<Contender>& ways, const TurnRules& rules) {
  std::vector<Taken> taken(ways.size());
  std::vector<TimedCandidate> candidates;
  for (std::size_t i = 0; i < ways.size(); ++i)
    candidates.push_back([&problem = taken[i].problem, &way = ways[i]]() -> std::optional<double> {
      if (!problem.empty()) return std::nullopt;
      try {
        return way.seconds();
      } catch (const DeviceError& error) {
        problem = error.what();
        return std::nullopt;
      }
    });
  warm_up(candidates);
  MeasureRules measure;
  measure.min_rounds = rules.least;
  measure.max_rounds = std::max(rules.least, rules.most);
  measure.deadline = in_seconds(rules.seconds);
  measure.warm_up = false;
  const std::vector<Timing> timings = measure_interleaved(candidates, measure);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    taken[i].median = timings[i].median;
    taken[i].q1 = timings[i].q1;
    taken[i].q3 = timings[i].q3;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < timings[i].samples.size(); ++round) {
      const double ratio = timings[i].samples[round] / timings[0].samples[round];
      if (!std::isnan(ratio)) ratios.push_back(ratio);
    }
    taken[i].ratio = median(std::move(ratios));
  }
  return taken;
}

}  // namespace duoblas
