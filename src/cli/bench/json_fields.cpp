#include "cli/bench/json_fields.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas::cli {

using nlohmann::json;

namespace {

bool is_amount(const json& value) {
  return value.is_number() && value.get<double>() >= 0 && std::isfinite(value.get<double>());
}

}  // namespace

JsonFields::JsonFields(const json& object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object.is_object())
    throw Error((place_.empty() ? "the document" : place_) + " is no JSON object");
}

void JsonFields::refuse(const char* name, const std::string& why) const {
  throw Error((place_.empty() ? "" : place_ + ".") + name + " " + why);
}

bool JsonFields::has(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

const json& JsonFields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(name, "is missing");
  return *found;
}

const json& JsonFields::array(const char* name) const {
  const json& value = at(name);
  if (!value.is_array()) refuse(name, "is no array");
  return value;
}

std::string JsonFields::text(const char* name) const {
  const json& value = at(name);
  if (!value.is_string()) refuse(name, "is no text");
  return value.get<std::string>();
}

double JsonFields::number(const char* name, double least) const {
  const json& value = at(name);
  if (!value.is_number()) refuse(name, "is no number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < least) refuse(name, "cannot be " + value.dump());
  return number;
}

double JsonFields::number_or(const char* name, double otherwise) const {
  return has(name) ? number(name) : otherwise;
}

std::int64_t JsonFields::integer(const char* name, std::int64_t least) const {
  const json& value = at(name);
  if (!value.is_number_integer()) refuse(name, "is no whole number");
  const auto number = value.get<std::int64_t>();
  if (number < least) refuse(name, "cannot be " + value.dump());
  return number;
}

int JsonFields::count(const char* name, int least) const {
  const std::int64_t number = integer(name, least);
  if (number > std::numeric_limits<int>::max()) refuse(name, "cannot be " + at(name).dump());
  return static_cast<int>(number);
}

bool JsonFields::flag(const char* name) const {
  const json& value = at(name);
  if (!value.is_boolean()) refuse(name, "is neither true nor false");
  return value.get<bool>();
}

std::vector<double> JsonFields::numbers(const char* name) const {
  std::vector<double> result;
  for (const json& value : array(name)) {
    if (!is_amount(value)) refuse(name, "holds what is no number of 0 or above");
    result.push_back(value.get<double>());
  }
  return result;
}

JsonFields JsonFields::object(const char* name) const {
  return {at(name), (place_.empty() ? "" : place_ + ".") + name};
}

std::vector<JsonFields> JsonFields::objects(const char* name) const {
  std::vector<JsonFields> result;
  for (const json& value : array(name))
    result.emplace_back(value, (place_.empty() ? "" : place_ + ".") + name + "[" +
                                   std::to_string(result.size()) + "]");
  return result;
}

std::vector<std::pair<double, double>> JsonFields::pairs(const char* name) const {
  std::vector<std::pair<double, double>> result;
  for (const json& value : array(name)) {
    if (!value.is_array() || value.size() != 2 || !is_amount(value[0]) || !is_amount(value[1]))
      refuse(name, "holds what is no pair of numbers of 0 or above");
    result.emplace_back(value[0].get<double>(), value[1].get<double>());
  }
  return result;
}

}  // namespace duoblas::cli
