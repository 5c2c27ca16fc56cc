#include "profile/json_value.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

using Json = nlohmann::json;

/// Builds the value as the JSON library reads the text; the library makes no value of its own.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}

  JsonValue take() { return std::move(root_); }

  bool null() override { return add(JsonValue::Null{}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (std::in_range<std::int64_t>(value)) return add(static_cast<std::int64_t>(value));
    return add(JsonValue::HugeNumber{static_cast<double>(value)});
  }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override { return open(JsonValue::Object{}); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::Array{}); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    name_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    throw SettingError(std::string("the file is not complete JSON: ") + error.what());
  }

 private:
  template <typename T>
  bool add(T&& data) {
    if (++values_ > limits_.values) throw SettingError("the file has too many values");
    place().data = std::forward<T>(data);
    return true;
  }

  template <typename Container>
  bool open(Container&& empty) {
    if (std::ssize(open_) >= limits_.depth) throw SettingError("the file is nested too deeply");
    if (++values_ > limits_.values) throw SettingError("the file has too many values");
    JsonValue& here = place();
    here.data = std::forward<Container>(empty);
    open_.push_back(&here);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // Pointers stay good: a container grows only while nothing inside it is open.
  JsonValue& place() {
    if (open_.empty()) return root_;
    if (auto* array = std::get_if<JsonValue::Array>(&open_.back()->data))
      return array->elements.emplace_back();
    auto& object = std::get<JsonValue::Object>(open_.back()->data);
    if (object.names.size() >= limits_.members)
      throw SettingError("an object of the file has too many members");
    object.values.emplace_back();
    object.names.push_back(std::move(name_));
    return object.values.back();
  }

  const JsonLimits limits_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::string name_;
  std::size_t values_ = 0;
};

}  // namespace

JsonValue parse_json(const std::string& text, const JsonLimits& limits) {
  JsonBuilder builder(limits);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace duoblas
