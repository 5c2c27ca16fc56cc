#include "plan/profile_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// Unsigned values beyond int64 would wrap in get<int64_t>(); they are out of every range here.
bool is_in_range(const nlohmann::json& value, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return false;
  const auto number = value.get<std::int64_t>();
  return low <= number && number <= high;
}

std::string range_text(std::int64_t low, std::int64_t high) {
  return "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

ProfileReader::ProfileReader(const nlohmann::json& value, std::string path)
    : value_(&value), path_(std::move(path)) {}

std::string ProfileReader::path_of(std::string_view field) const {
  if (field.empty()) return path_.empty() ? "the file" : path_;
  return path_.empty() ? std::string(field) : path_ + "." + std::string(field);
}

void ProfileReader::complain(std::string_view field, const std::string& complaint) const {
  throw SettingError(path_of(field) + " " + complaint);
}

const nlohmann::json& ProfileReader::member(std::string_view field) const {
  if (!value_->is_object()) complain("", "must be an object");
  const auto found = value_->find(field);
  if (found == value_->end()) complain(field, "is missing");
  return *found;
}

void ProfileReader::allow(std::initializer_list<std::string_view> fields) const {
  for (const std::string& name : members())
    if (std::find(fields.begin(), fields.end(), name) == fields.end())
      // The name is the file's own text, which may be anything: only a short piece is repeated.
      complain("", "has an unknown field \"" + name.substr(0, 40) + "\"");
}

std::vector<std::string> ProfileReader::members() const {
  if (!value_->is_object()) complain("", "must be an object");
  std::vector<std::string> names;
  for (const auto& item : value_->items()) names.push_back(item.key());
  return names;
}

ProfileReader ProfileReader::object(std::string_view field,
                                    std::initializer_list<std::string_view> fields) const {
  ProfileReader reader(member(field), path_of(field));
  if (fields.size() != 0) reader.allow(fields);
  return reader;
}

std::vector<ProfileReader> ProfileReader::objects(std::string_view field, std::size_t limit) const {
  const nlohmann::json& array = member(field);
  if (!array.is_array()) complain(field, "must be an array");
  if (array.size() > limit) complain(field, "has more than " + std::to_string(limit) + " elements");
  std::vector<ProfileReader> readers;
  for (std::size_t i = 0; i < array.size(); ++i)
    readers.emplace_back(array[i], path_of(field) + "[" + std::to_string(i) + "]");
  return readers;
}

bool ProfileReader::has(std::string_view field) const {
  return value_->is_object() && value_->contains(std::string(field));
}

std::string ProfileReader::text(std::string_view field, std::size_t limit) const {
  const nlohmann::json& value = member(field);
  if (!value.is_string()) complain(field, "must be a string");
  const auto& string = value.get_ref<const std::string&>();
  if (string.size() > limit)
    complain(field, "is longer than " + std::to_string(limit) + " characters");
  return string;
}

bool ProfileReader::truth(std::string_view field) const {
  const nlohmann::json& value = member(field);
  if (!value.is_boolean()) complain(field, "must be true or false");
  return value.get<bool>();
}

std::int64_t ProfileReader::integer(std::string_view field, std::int64_t low,
                                    std::int64_t high) const {
  const nlohmann::json& value = member(field);
  if (!is_in_range(value, low, high)) complain(field, range_text(low, high));
  return value.get<std::int64_t>();
}

std::vector<int> ProfileReader::integers(std::string_view field, int low, int high,
                                         std::size_t limit) const {
  const nlohmann::json& array = member(field);
  if (!array.is_array()) complain(field, "must be an array");
  if (array.size() > limit) complain(field, "has more than " + std::to_string(limit) + " elements");
  std::vector<int> values;
  for (const nlohmann::json& value : array) {
    if (!is_in_range(value, low, high)) complain(field, "elements: each " + range_text(low, high));
    values.push_back(value.get<int>());
  }
  return values;
}

double ProfileReader::amount(std::string_view field, double high) const {
  const nlohmann::json& value = member(field);
  const double number = value.is_number() ? value.get<double>() : -1.0;
  if (!std::isfinite(number) || number < 0 || number > high)
    complain(field, "must be a number, 0 or more, and below the largest sensible value");
  return number;
}

}  // namespace duoblas
