#include "kernel_space/built_in_rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>

#include <duoblas/error.hpp>

#include "kernel_space/made_once.hpp"

namespace duoblas {

// Made by cmake/EmbedProfiles.cmake.
std::span<const std::string_view> built_in_kernel_texts();

namespace {

// Longer ones first, as the shorter ones begin them.
constexpr std::string_view comparisons[] = {"<=", ">=", "!=", "<", ">", "="};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Takes what stands before `separator`, or all.
std::string_view taken(std::string_view& text, char separator) {
  const auto at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return part;
}

[[noreturn]] void refuse(std::string_view line) {
  throw SettingError("\"" + std::string(line) + "\" is no row of built-in kernels");
}

BuiltInRow::Condition condition_of(std::string_view text, std::string_view line) {
  for (const std::string_view comparison : comparisons) {
    const auto at = text.find(comparison);
    if (at == std::string_view::npos) continue;
    BuiltInRow::Condition condition{trimmed(text.substr(0, at)), comparison};
    const std::string_view number = trimmed(text.substr(at + comparison.size()));
    const char* last = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), last, condition.value);
    if (condition.name.empty() || parsed.ptr != last || parsed.ec != std::errc()) break;
    return condition;
  }
  refuse(line);
}

BuiltInRow row_of(std::string_view line, std::string_view from) {
  std::array<std::string_view, 5> cells;
  std::string_view rest = line;
  for (std::string_view& cell : cells) cell = trimmed(taken(rest, '|'));
  const auto& [use, device, types, when, kernel] = cells;
  const bool of_cpu = device == "cpu";
  if (kernel.empty() || !rest.empty() || (!of_cpu && device != "gpu") || types.empty() ||
      types.find_first_not_of("sdcz") != std::string_view::npos)
    refuse(line);
  BuiltInRow row{use, of_cpu, types, {}, kernel, from};
  for (std::string_view conditions = when; !conditions.empty();)
    row.when.push_back(condition_of(taken(conditions, ','), line));
  return row;
}

}  // namespace

bool BuiltInRow::Condition::holds(double number) const {
  if (comparison == "<=") return number <= value;
  if (comparison == ">=") return number >= value;
  if (comparison == "!=") return number != value;
  if (comparison == "<") return number < value;
  return comparison == ">" ? number > value : number == value;
}

bool BuiltInRow::is_for(Precision precision) const {
  return types.find(letter(precision)) != std::string_view::npos;
}

bool BuiltInRow::suits(std::string_view name, double value) const {
  return std::ranges::all_of(when, [&](const Condition& condition) {
    return condition.name != name || condition.holds(value);
  });
}

double BuiltInRow::number(std::string_view name, double otherwise) const {
  const auto found = std::ranges::find(when, name, &Condition::name);
  return found == when.end() ? otherwise : found->value;
}

std::vector<BuiltInRow> built_in_rows_of(std::string_view text) {
  std::vector<BuiltInRow> rows;
  constexpr std::string_view begins_source = "from ";
  std::string_view from;
  while (!text.empty()) {
    const std::string_view line = trimmed(taken(text, '\n'));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(begins_source))
      from = trimmed(line.substr(begins_source.size()));
    else
      rows.push_back(row_of(line, from));
  }
  return rows;
}

std::span<const BuiltInRow> built_in_rows() {
  static constinit std::atomic<const std::vector<BuiltInRow>*> place = nullptr;
  return made_once(place, [] { return built_in_rows_of(built_in_kernel_texts().front()); });
}

std::string_view built_in_text(std::string_view use, bool of_cpu, Precision precision) {
  for (const BuiltInRow& row : built_in_rows())
    if (row.use == use && row.of_cpu == of_cpu && row.is_for(precision)) return row.kernel;
  throw SettingError("no kernel is built in for \"" + std::string(use) + "\"");
}

}  // namespace duoblas
