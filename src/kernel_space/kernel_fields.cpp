#include "kernel_space/kernel_fields.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <duoblas/error.hpp>

#include "kernel_space/classic_text.hpp"

namespace duoblas {
namespace {

std::string legal_values(const KernelField& field) {
  ClassicText text;
  for (const int value : field.values) text << (value == field.values.front() ? "" : ", ") << value;
  return text.str();
}

}  // namespace

bool KernelField::is_legal(int value) const {
  return std::ranges::binary_search(values, value);
}

bool KernelField::is_used_by(KernelFamily user) const {
  return family == FieldFamily::both ||
         (family == FieldFamily::panel) == (user == KernelFamily::panel);
}

std::map<std::string, int> to_fields(const KernelParams& params, KernelTable table) {
  std::map<std::string, int> fields;
  for (const KernelField& field : table) fields.emplace(std::string(field.name), field.get(params));
  return fields;
}

void set_field(KernelParams& params, const std::string& name, int value, KernelTable table) {
  const auto field = std::ranges::find(table, name, &KernelField::name);
  if (field == table.end()) throw SettingError("kernel field \"" + name + "\" is unknown");
  if (!field->is_legal(value))
    throw SettingError("kernel field \"" + name + "\" is " + std::to_string(value) +
                       "; legal are " + legal_values(*field));
  field->set(params, value);
}

KernelParams from_fields(const std::map<std::string, int>& fields, KernelTable table) {
  KernelParams params;
  for (const auto& [name, value] : fields) set_field(params, name, value, table);
  return params;
}

std::vector<int> fields_by_importance(KernelFamily family, KernelTable table) {
  std::vector<int> order(table.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](int i) {
    const KernelField::Importance& importance = table[static_cast<std::size_t>(i)].importance;
    return family == KernelFamily::panel ? importance.panel : importance.tiled;
  });
  return order;
}

std::vector<FieldGroup> grouped_fields(KernelTable table) {
  std::vector<FieldGroup> groups;
  for (const KernelField& field : table) {
    auto group = std::ranges::find(groups, field.group, &FieldGroup::title);
    if (group == groups.end()) group = groups.insert(group, {field.group, {}});
    group->fields.push_back(&field);
  }
  return groups;
}

}  // namespace duoblas
