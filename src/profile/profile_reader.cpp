#include "profile/profile_reader.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

template <typename T>
const T* as(const JsonValue& value) {
  return std::get_if<T>(&value.data);
}

// -1, which no range here holds, where the value is no number.
double number_in(const JsonValue& value) {
  if (const auto* whole = as<std::int64_t>(value)) return static_cast<double>(*whole);
  if (const auto* huge = as<JsonValue::HugeNumber>(value)) return huge->value;
  if (const auto* number = as<double>(value)) return *number;
  return -1;
}

bool is_in_range(const JsonValue& value, std::int64_t low, std::int64_t high) {
  const auto* number = as<std::int64_t>(value);
  return number != nullptr && low <= *number && *number <= high;
}

std::string range_text(std::int64_t low, std::int64_t high) {
  return "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

ProfileReader::ProfileReader(const JsonValue& value, std::string path)
    : value_(&value), path_(std::move(path)) {}

std::string ProfileReader::path_of(std::string_view field) const {
  if (field.empty()) return path_.empty() ? "the file" : path_;
  return path_.empty() ? std::string(field) : path_ + "." + std::string(field);
}

void ProfileReader::complain(std::string_view field, const std::string& complaint) const {
  throw SettingError(path_of(field) + " " + complaint);
}

const JsonValue& ProfileReader::member(std::string_view field) const {
  const auto* object = as<JsonValue::Object>(*value_);
  if (object == nullptr) complain("", "must be an object");
  for (std::size_t i = object->names.size(); i-- > 0;)
    if (object->names[i] == field) return object->values[i];
  complain(field, "is missing");
}

void ProfileReader::allow(std::initializer_list<std::string_view> fields) const {
  for (const std::string& name : members())
    if (std::find(fields.begin(), fields.end(), name) == fields.end())
      // The name is the file's own text, which may be anything: only a short piece is repeated.
      complain("", "has an unknown field \"" + name.substr(0, 40) + "\"");
}

std::vector<std::string> ProfileReader::members() const {
  const auto* object = as<JsonValue::Object>(*value_);
  if (object == nullptr) complain("", "must be an object");
  return object->names;
}

ProfileReader ProfileReader::object(std::string_view field,
                                    std::initializer_list<std::string_view> fields) const {
  ProfileReader reader(member(field), path_of(field));
  if (fields.size() != 0) reader.allow(fields);
  return reader;
}

const std::vector<JsonValue>& ProfileReader::elements(std::string_view field,
                                                      std::size_t limit) const {
  const auto* array = as<JsonValue::Array>(member(field));
  if (array == nullptr) complain(field, "must be an array");
  if (array->elements.size() > limit)
    complain(field, "has more than " + std::to_string(limit) + " elements");
  return array->elements;
}

std::vector<ProfileReader> ProfileReader::objects(std::string_view field, std::size_t limit) const {
  std::vector<ProfileReader> readers;
  for (const JsonValue& element : elements(field, limit))
    readers.emplace_back(element, path_of(field) + "[" + std::to_string(readers.size()) + "]");
  return readers;
}

bool ProfileReader::has(std::string_view field) const {
  const auto* object = as<JsonValue::Object>(*value_);
  return object != nullptr && std::ranges::find(object->names, field) != object->names.end();
}

std::string ProfileReader::text(std::string_view field, std::size_t limit) const {
  const auto* string = as<std::string>(member(field));
  if (string == nullptr) complain(field, "must be a string");
  if (string->size() > limit)
    complain(field, "is longer than " + std::to_string(limit) + " characters");
  return *string;
}

bool ProfileReader::truth(std::string_view field) const {
  const auto* value = as<bool>(member(field));
  if (value == nullptr) complain(field, "must be true or false");
  return *value;
}

std::int64_t ProfileReader::integer(std::string_view field, std::int64_t low,
                                    std::int64_t high) const {
  const JsonValue& value = member(field);
  if (!is_in_range(value, low, high)) complain(field, range_text(low, high));
  return *as<std::int64_t>(value);
}

std::vector<int> ProfileReader::integers(std::string_view field, int low, int high,
                                         std::size_t limit) const {
  std::vector<int> values;
  for (const JsonValue& value : elements(field, limit)) {
    if (!is_in_range(value, low, high)) complain(field, "elements: each " + range_text(low, high));
    values.push_back(static_cast<int>(*as<std::int64_t>(value)));
  }
  return values;
}

double ProfileReader::amount(std::string_view field, double high) const {
  const double number = number_in(member(field));
  if (!std::isfinite(number) || number < 0 || number > high)
    complain(field, "must be a number, 0 or more, and below the largest sensible value");
  return number;
}

Arithmetic arithmetic_of(const ProfileReader& key) {
  constexpr std::string_view field = "arithmetic";
  if (!key.has(field)) return Arithmetic::native;
  const auto arithmetic = arithmetic_from(key.text(field, 16));
  if (!arithmetic) key.complain(field, "must be \"native\" or \"integers\"");
  return *arithmetic;
}

}  // namespace duoblas
