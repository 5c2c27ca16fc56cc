// JSON as plain structs, for files that are read while memory may be short.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace duoblas {

/// One value and its contents. Its destructor does not allocate. The destructors of the JSON
/// library's own arrays and objects do (nlohmann-json 3.11.2), and end the process if memory is
/// short.
struct JsonValue {
  struct Null {};
  /// A whole number that no std::int64_t can hold.
  struct HugeNumber {
    double value = 0;
  };
  struct Array {
    std::vector<JsonValue> elements;
  };
  struct Object {
    std::vector<std::string> names;  ///< of those that are the same the last one counts
    std::vector<JsonValue> values;   ///< in the order of `names`
  };
  std::variant<Null, bool, std::int64_t, HugeNumber, double, std::string, Array, Object> data;
};

/// Limits on what a text may hold.
struct JsonLimits {
  int depth = 8;
  std::size_t values = 1'000'000;
  std::size_t members = 256;  ///< of one object
};

/// \throws SettingError if the text is not complete JSON or goes beyond the limits.
JsonValue parse_json(const std::string& text, const JsonLimits& limits);

}  // namespace duoblas
