#include "kernel_space/kernel_description.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"

namespace duoblas {
namespace {

const FieldToken& token_of(const KernelField& field, KernelFamily family) {
  const bool is_other = family == KernelFamily::panel && !field.panel_token.text.empty();
  return is_other ? field.panel_token : field.token;
}

bool is_shown(const KernelField& field, const KernelParams& params, KernelTable table) {
  switch (token_of(field, params.family).when) {
    case FieldToken::When::always: return true;
    case FieldToken::When::where_it_matters: return matters(field, params, table);
    case FieldToken::When::unless_default: return field.get(params) != field.default_value();
  }
  return true;
}

// The text at this place in a list with | between the texts.
std::string_view alternative(std::string_view texts, std::ptrdiff_t place) {
  for (; place > 0; --place) texts.remove_prefix(texts.find('|') + 1);
  return texts.substr(0, texts.find('|'));
}

std::string text_of(const FieldToken& token, const KernelField& field, int value) {
  if (token.text.find('|') != std::string_view::npos)
    return std::string(alternative(
        token.text, std::ranges::lower_bound(field.values, value) - field.values.begin()));
  std::string text(token.text);
  if (const auto at = text.find('#'); at != std::string::npos)
    text.replace(at, 1, std::to_string(value));
  return text;
}

// The family's fields, in the order of their tokens.
std::vector<const KernelField*> line_of(KernelFamily family, KernelTable table) {
  std::vector<const KernelField*> line;
  for (const KernelField& field : table)
    if (field.is_used_by(family)) line.push_back(&field);
  std::ranges::stable_sort(
      line, {}, [&](const KernelField* field) { return token_of(*field, family).place; });
  return line;
}

// Whether `text` begins with a token that has a number; then `rest` is what follows it.
bool begins_with_number(std::string_view text, std::string_view token, int value,
                        std::string_view& rest) {
  const auto at = std::min(token.find('#'), token.size());
  if (!text.starts_with(token.substr(0, at))) return false;
  text.remove_prefix(at);
  if (at < token.size()) {
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    const std::string_view number(digits, static_cast<std::size_t>(end - digits));
    if (!text.starts_with(number)) return false;
    text.remove_prefix(number.size());
  }
  rest = text;
  return true;
}

// Takes the field's token from the front of `text`, if there is one. Of values whose texts begin
// one another ("1" and "16") the longest is meant. False: a token that every line has is missing.
bool read_token(const KernelField& field, std::string_view& text, KernelParams& params) {
  const FieldToken& token = token_of(field, params.family);
  const bool has_alternatives = token.text.find('|') != std::string_view::npos;
  std::string_view shortest = text;
  std::ptrdiff_t place = 0;
  for (const int value : field.values) {
    const std::string_view wanted =
        has_alternatives ? alternative(token.text, place++) : token.text;
    std::string_view rest;
    if (wanted.empty() || !begins_with_number(text, wanted, value, rest)) continue;
    if (rest.size() > shortest.size()) continue;
    shortest = rest;
    field.set(params, value);
  }
  const bool was_there = shortest.size() < text.size();
  text = shortest;
  return was_there || token.when != FieldToken::When::always;
}

}  // namespace

KernelParams kernel_from(std::string_view line, KernelTable table) {
  KernelParams params;
  if (line.starts_with("tiled")) params.family = KernelFamily::tiled;
  std::string_view text = line;
  const bool is_whole = std::ranges::all_of(
      line_of(params.family, table),
      [&](const KernelField* field) { return read_token(*field, text, params); });
  if (!is_whole || !text.empty())
    throw SettingError("\"" + std::string(line) + "\" is no kernel, as \"" + describe(params) +
                       "\" is");
  return params;
}

std::string describe(const KernelParams& params, KernelTable table) {
  std::string text;
  for (const KernelField* field : line_of(params.family, table))
    if (is_shown(*field, params, table))
      text += text_of(token_of(*field, params.family), *field, field->get(params));
  return text;
}

}  // namespace duoblas
