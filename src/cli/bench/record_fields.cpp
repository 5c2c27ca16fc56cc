#include "cli/bench/record_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "plot/printable_text.hpp"

namespace duoblas::cli {

using nlohmann::json;

namespace {

bool is_amount(const json& value) {
  return value.is_number() && value.get<double>() >= 0 && std::isfinite(value.get<double>());
}

}  // namespace

RecordFields::RecordFields(json& object, bool reads, std::string place)
    : object_(object), reads_(reads), place_(std::move(place)) {
  if (!object.is_object())
    throw Error((place_.empty() ? "the document" : place_) + " is no JSON object");
}

std::string RecordFields::place_of(const char* name) const {
  return (place_.empty() ? "" : place_ + ".") + name;
}

void RecordFields::refuse(const char* name, const std::string& why) const {
  throw Error(place_of(name) + " " + why);
}

bool RecordFields::has(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

const json& RecordFields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(name, "is missing");
  return *found;
}

const json& RecordFields::array(const char* name) const {
  require(at(name).is_array(), name, "is no array");
  return at(name);
}

bool RecordFields::is_written(const char* name, const json& value) {
  if (!reads_) object_[name] = value;
  return !reads_;
}

void RecordFields::text(const char* name, std::string& value) {
  if (is_written(name, value)) return;
  require(at(name).is_string(), name, "is no text");
  value = printable(at(name).get_ref<const std::string&>());
}

void RecordFields::text_if_any(const char* name, std::string& value) {
  if (reads_ ? has(name) : !value.empty()) text(name, value);
}

void RecordFields::number(const char* name, double& value) {
  if (is_written(name, value)) return;
  const json& number = at(name);
  require(number.is_number(), name, "is no number");
  if (!is_amount(number)) refuse(name, "cannot be " + number.dump());
  value = number.get<double>();
}

void RecordFields::number_if_any(const char* name, double& value, double unit) {
  if (reads_ ? !has(name) : !(value > 0)) return;
  double number_of_units = value / unit;
  number(name, number_of_units);
  if (reads_) value = number_of_units * unit;
}

void RecordFields::number_if_any(const char* name, std::optional<double>& value) {
  if (reads_ && has(name)) value.emplace();
  if (value) number(name, *value);
}

void RecordFields::number_or_infinity(const char* name, double& value) {
  if (reads_ && !has(name))
    value = std::numeric_limits<double>::infinity();
  else
    number(name, value);
}

void RecordFields::integer(const char* name, std::int64_t& value, std::int64_t least) {
  if (is_written(name, value)) return;
  const json& number = at(name);
  require(number.is_number_integer(), name, "is no whole number");
  value = number.get<std::int64_t>();
  if (value < least) refuse(name, "cannot be " + number.dump());
}

void RecordFields::count(const char* name, int& value, int least) {
  std::int64_t number = value;
  integer(name, number, least);
  if (!std::in_range<int>(number)) refuse(name, "cannot be " + std::to_string(number));
  value = static_cast<int>(number);
}

void RecordFields::flag(const char* name, bool& value) {
  if (is_written(name, value)) return;
  require(at(name).is_boolean(), name, "is neither true nor false");
  value = at(name).get<bool>();
}

void RecordFields::numbers_if_there(const char* name, std::vector<double>& values) {
  if (is_written(name, values) || !has(name)) return;
  require(std::ranges::all_of(array(name), is_amount), name,
          "holds what is no number of 0 or above");
  values = at(name).get<std::vector<double>>();
}

void RecordFields::watts(const char* name, std::vector<WattsAt>& values) {
  json written = json::array();
  for (const WattsAt& w : values) written.push_back({w.seconds, w.watts});
  if (is_written(name, written)) return;
  for (const json& pair : array(name)) {
    require(pair.is_array() && pair.size() == 2 && is_amount(pair[0]) && is_amount(pair[1]), name,
            "holds what is no pair of numbers of 0 or above");
    values.push_back({pair[0].get<double>(), pair[1].get<double>()});
  }
}

}  // namespace duoblas::cli
