#include "kernel_space/kernel_description.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

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

}  // namespace

std::string describe(const KernelParams& params, KernelTable table) {
  std::vector<const KernelField*> line;
  for (const KernelField& field : table)
    if (field.is_used_by(params.family)) line.push_back(&field);
  const auto place = [&](const KernelField* field) {
    return token_of(*field, params.family).place;
  };
  std::ranges::stable_sort(line, {}, place);
  std::string text;
  for (const KernelField* field : line)
    if (is_shown(*field, params, table))
      text += text_of(token_of(*field, params.family), *field, field->get(params));
  return text;
}

}  // namespace duoblas
